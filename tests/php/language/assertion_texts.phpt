--TEST--
declarations and statements in the message of a failed assertion
--FILE--
<?php
function show($f) { try { $f(); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
show(fn() => assert(false && function (#[A(1, x: 2)] int $p = 5, ?string &...$rest) use (&$a, $b): ?array {
    global $g, $h; static $s = 1, $t; unset($x, $y[1]); echo 'a', $b; 
    return; return 5;
    if ($a) { b(); } elseif ($c) { d(); } else { e(); }
    while ($a) { b(); } do { c(); } while ($d);
    for ($i = 0, $j = 1; $i < 5; $i++, $j--) { break; continue 2; }
    for (;;) {}
    foreach ($a as $k => &$v) { c(); } foreach ($a as [$x, $y]) c();
    switch ($a) { case 1: b(); break; case 2: default: c(); }
    try { a(); } catch (A | B $e) { b(); } catch (C) { } finally { d(); }
    declare(ticks=1); 
    goto end; end: 
    throw new Ex;
    { a(); b(); }
    function inner(int|string $a) : static { yield; }
    abstract class Foo extends Bar implements Baz, Qux { use T1, T2 { T1::a insteadof T2; a as protected b; T2::c as d; } use T3; 
      const A = 1, B = 2; final protected const int C = 3; public static $x = 1, $y; var $z; #[At] private ?int $p = null;
      abstract function f(); final public static function &g() { return self::class; } public string $h { get => 1; #[X] set(string $v) { $this->h = $v; } } 
       public protected(set) int $ps; }
    interface I extends J, K { const Q = 1; function m($a); }
    trait T { private $a; }
    enum E: string implements I { case A = 'a'; const B = self::A; }
    final readonly class R {}
    $f = static fn(int ...$x): int => $x;
    $x = <<<A
 heredoc $a {$b['c']} 
A;
    list($a, [$b]) = $c; [$a, 'k' => $b] = $c;
    $o?->p?->m(...); A::b(...); new (foo()); new class(1) extends B implements C { public $x; };
    print 1; exit; exit(1); die('x'); include 'a'; isset($a, $b); empty($a); 
    match(true) { 1, 2 => 3, default => 4 };
    $a ??= 1; $a ? $b : $c; $a ?: $b; `ls $x`; @$a; -$a; clone $x; $a instanceof B; $x = &$y; 
    return 1;
    ?>html<?php
}));
--EXPECT--
assert(false && function (#[A(1, x: 2)] int $p = 5, ?string &...$rest) use(&$a, $b): ?array {
    global $g;
    global $h;
    static $s = 1;
    static $t;
    unset($x);
    unset($y[1]);
    echo 'a';
    echo $b;
    return;
    return 5;
    if ($a) {
        b();
    } elseif ($c) {
        d();
    } else {
        e();
    }
    while ($a) {
        b();
    }
    do {
        c();
    } while ($d);
    for ($i = 0, $j = 1; $i < 5; $i++, $j--) {
        break;
        continue 2;
    }
    for (;;) {
    }
    foreach ($a as $k => &$v) {
        c();
    }
    foreach ($a as [$x, $y]) {
        c();
    }
    switch ($a) {
        case 1:
            b();
            break;
        case 2:
        default:
            c();
    }
    try {
        a();
    } catch (A|B $e) {
        b();
    } catch (C) {
    } finally {
        d();
    }
    declare(ticks = 1);
    goto end;
    end:
    throw new Ex();
    a();
    b();
    function inner(int|string $a): static {
        yield ;
    }

    abstract class Foo extends Bar implements Baz, Qux {
        use T1, T2 {
            T1::a insteadof T2;
            a as protected b;
            T2::c as d;
        }
        use T3;
        public const A = 1, B = 2;
        protected const int C = 3;
        public static $x = 1, $y;
        public $z;
        #[At]
        private ?int $p = null;
        public abstract function f();

        public static final function &g() {
            return self::class;
        }

        public string $h {
            get => 1;
            set {
                $this->h = $v;
            }
        }
        public protected(set) int $ps;
    }

    interface I implements J, K {
        public const Q = 1;
        public function m($a);

    }

    trait T {
        private $a;
    }

    enum E: string implements I {
        case A = 'a';
        public const B = self::A;
    }

    final readonly class R {
    }

    $f = static fn(int ...$x): int => $x;
    $x = " heredoc $a {$b['c']} ";
    [$a, [$b]] = $c;
    [$a, 'k' => $b] = $c;
    $o?->p?->m(...);
    A::b(...);
    new foo()();
    new class(1) extends B implements C {
        public $x;
    };
    print 1;
    \exit();
    \exit(1);
    \exit('x');
    include('a');
    isset($a) && isset($b);
    empty($a);
    match (true) {
        1, 2 => 3,
        default => 4,
    };
    $a ??= 1;
    $a ? $b : $c;
    $a ?: $b;
    `ls $x`;
    @$a;
    -$a;
    clone $x;
    $a instanceof B;
    $x =& $y;
    return 1;
    echo 'html';
})
