//! Programs about who keeps what while a call is being prepared: methods of variables that are overwritten, unset, made
//! references of or given away between the arguments; objects of several classes at one place; frames that stand where those of
//! other calls stood; exceptions and `finally` blocks through calls; `yield` between arguments; destructors at every overwrite;
//! references to elements and typed properties while arrays are separated; hooks and read-only properties.
//!
//! What the letters stand for (`templates.rs`), besides those of `skeleton::parts`: `o` an object's variable, `m` a method call,
//! `k` what changes somebody while arguments are evaluated and gives a value, `a` an argument, `p` a property, `c` what makes an
//! object, `i` something whole, `g` statements of a generator.

use super::skeleton::{self, Holder, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $log = '', $n = 1; public static ?int $i = 1; public static array $l = [1, 2]; public static $o = null; }
function note($v) { burn(); S::$log .= $v; if (strlen(S::$log) > 60) S::$log = md5(S::$log); return $v; }
function whole($v) { return is_int($v) ? $v & 1023 : 5; }
abstract class B { public $v = 1; public int $i = 2; public ?array $l = [1, 2]; public int|string|null $u = null; public ?B $next = null; protected static int $made = 0;
    function get() { return $this->v; } function me() { return $this; } function take($a = 1, $b = 2, ...$more) { return [$this->v, $a, $b, count($more)]; } function add($n = 1) { return $this->i += whole($n); }
    function set($v) { $this->v = $v; return $this; } function &ref() { return $this->v; } function &list() { return $this->l; } function by(&$x, $y = 1) { $x = $y; return $this->v; } function low($n = 2) { return $n > 0 ? $this->me()->low($n - 1) : $this->kind(); }
    function kind() { return 'b'; } static function of($v = 1) { static::$made++; $o = new static; $o->v = $v; return $o; } function fails($v = 0) { if ($v === 3 || $v === 'k') throw new DomainException($this->kind()); return $v; }
    function guarded($f, ...$a) { try { return $f($this->v, ...$a); } catch (LogicException $e) { return $e->getMessage(); } finally { note($this->kind()); $this->i++; } } function swap(&$o, $v = 1) { $o = $v; return $this->i; }
    function gives($n = 3) { for ($k = 0; $k < $n; $k++) { $s = yield $this->kind() => $this->take($k, yield $k); if ($s) $this->v = $s; } return $this; } function chain(B $o, $v = 1) { $this->next = null; return $o->take($this->low(1), $v); } }
class B1 extends B { function kind() { return 'b1'; } }
class B2 extends B { public $v = 'two'; private $own = [1]; function kind() { return 'b2' . count($this->own); } function get() { return [parent::get(), $this->own[0]]; } function take($a = 1, $b = 2, ...$more) { $r = parent::take($b, $a); return $r; } function me() { return clone $this; } }
class B3 extends B { function __construct(public readonly int $x = 3, public $free = null) {} function kind() { return $this->x . 'b3'; } function get() { return $this->x; } function with($x) { return new static(whole($x), $this); } }
class B4 extends B { public $v { get => $this->raw; set { note('h'); $this->raw = $value; } } public $raw = 'raw'; public int $doubled { get => 2 * $this->i; set => $value; } function kind() { return 'b4'; } function &ref() { return $this->raw; } }
class B5 extends B { function kind() { return 'b5'; } function __get($n) { note('g'); return $this->l[$n] ?? $n; } function __set($n, $v) { note('s'); $this->l[$n] = whole($v); } function __isset($n) { return $n === 'dyn'; } function __unset($n) { note('u'); } function __call($n, $a) { return [$n, $this->take(...$a)]; } static function __callStatic($n, $a) { return $n . count($a); } function __invoke($x = 1, $y = 2) { return [$this->v, $x, $y]; } function __toString() { return note('5'); } }
class D extends B { function __construct(public $n = 0) {} function kind() { return 'd'; } function __destruct() { note('~' . $this->n); switch ($this->n) { case 1: S::$o = new B1; break; case 2: S::$l[] = count(S::$l); if (count(S::$l) > 6) S::$l = [1]; break; case 3: throw new LogicException('gone'); case 4: $this->n = 0; S::$o = $this; break; case 5: $this->guarded(fn($v) => $this->low(1)); } } }
enum E: int { case A = 1; case B = 2; function take($a = 1, $b = 2) { return [$this->value, $a, $b]; } function kind() { return $this->name; } function me() { return $this === self::A ? self::B : self::A; } function get() { return $this->value; } function add($n = 1) { return $this->value + whole($n); } static function of($v = 1) { return self::from(1 + (whole($v) & 1)); } function low($n = 1) { return $this->me()->kind(); } function fails($v = 0) { return $v === 3 ? throw new DomainException('e') : $v; } }
class A implements ArrayAccess, IteratorAggregate, Countable { public $d = [1, 'k' => 2]; function offsetExists($k): bool { note('x'); return isset($this->d[$k]); } function &offsetGet($k): mixed { note('o'); if (!isset($this->d[$k])) $this->d[$k] = null; return $this->d[$k]; } function offsetSet($k, $v): void { if ($k === null) $this->d[] = $v; else $this->d[$k] = $v; if (count($this->d) > 7) $this->d = [1]; } function offsetUnset($k): void { unset($this->d[$k]); } function getIterator(): Iterator { foreach ($this->d as $k => $v) yield $k => $v; } function count(): int { return count($this->d); } }
function id($x) { return $x; }
function one($x = 1) { return $x; }
function two($x, $y = 2) { return [$x, $y]; }
function three($x, $y = [2], ...$z) { $q = $y; return [$x, $q, count($z)]; }
function int(int $x, int $y = 1) { return $x + $y; }
function keep($x) { static $all = []; $all[] = $x; if (count($all) > 3) $all = []; return count($all); }
function wipe(&$x, $v = null) { $x = $v; return 1; }
function gone(&$x) { unset($x); return 2; }
function last($x) { static $was = null; $r = $was; $was = $x; return $r; }
function over($x) { try { return id(one($x)); } finally { note('f'); } }
function again($x) { try { throw new DomainException(text($x)); } catch (DomainException $e) { return id($e->getMessage()); } finally { note(id('c')); } }
function broke($x) { try { try { return B1::of($x)->fails($x); } finally { note('1'); if ($x === 'k') return 'kept'; } } finally { note('2'); } }
function turns($o, $n = 3) { for ($k = 0; $k < $n; $k++) { $s = yield $k => $o->take(id($k), yield one($k)); if ($s) $o = $s instanceof B ? $s : $o; } return $o; }
function all($g) { $r = []; foreach ($g as $k => $v) { $r[] = [flat($k), $v]; if (count($r) > 8) break; } return $r; }
function wrapped($g) { $x = yield from $g; return two($x, yield 'w'); }
function sum($l) { $t = 0; foreach ($l as &$v) { $v = whole($v) + 1; $t += $v; } return $t; }
function grow(array &$l, $v = 1) { $l[] = $v; if (count($l) > 7) $l = [1]; return count($l); }
"#;

const OBJECTS: &[&str] = &[
    "$o",
    "$o",
    "$o",
    "$p",
    "$l[0]",
    "$ro",
    "$o->next",
    "$h['o']",
    "S::$o",
    "$os[$i & 3]",
    "$os[$i & 1]",
    "$this",
];
const MAKES: &[&str] = &[
    "new B1",
    "new B2",
    "new B3($i)",
    "new B3(x: 4, free: §v)",
    "new B4",
    "new B5",
    "new D(§n)",
    "new D(§n)",
    "B1::of(§v)",
    "D::of(§v)",
    "B2::of(§a)",
    "E::A",
    "E::of($i)",
    "(clone $p)",
    "[new B1, new B2, new B3, new B5][$i & 3]",
    "$os[$i & 3]",
    "(new B1)->set(§a)",
    "new class extends B { function kind() { return 'anon'; } }",
    "[new B1, new D(1)][$i & 1]",
];
const CHANGES: &[&str] = &[
    "($o = new B2)",
    "($o = §c)",
    "($o = $p)",
    "($p = $o)",
    "($o = null)",
    "($l = [])",
    "($l = [§c, 1])",
    "($l[0] = §c)",
    "($os[$i & 1] = §c)",
    "($h['o'] = §c)",
    "wipe($o)",
    "wipe($o, §c)",
    "wipe($l)",
    "wipe($l[0], §v)",
    "wipe($os)",
    "wipe($h['o'], new B5)",
    "gone($o)",
    "(function () use (&$o) { $o = new D(2); return 7; })()",
    "(function () use (&$o, &$p) { [$o, $p] = [$p, $o]; return 8; })()",
    "array_pop($l)",
    "array_shift($os)",
    "(S::$o = §c)",
    "last($o)",
    "keep($o)",
    "($ro = &$o)",
    "($ro = §c)",
    "($$name = §c)",
    "($o->v = $o)",
    "($o->v = new D(§n))",
    "($o->next = §c)",
    "gc_collect_cycles()",
    "extract(['o' => §c])",
    "§o->set(§c)->get()",
    "§o->swap($o, §c)",
    "$p->by($o, §c)",
    "eval('$o = new B5; return 6;')",
];
const METHODS: &[&str] = &[
    "§o->get()",
    "§o->kind()",
    "§o->take(§a)",
    "§o->take(§a, §a)",
    "§o->take(§k, §a)",
    "§o->take(§k)",
    "§o->take(§a, §k)",
    "§o->take(§k, §k, §a)",
    "§o->take(b: §k, a: §a)",
    "§o->take(...[§k, §a])",
    "§o->take(§a, ...two(§k))",
    "§o->add(§k)",
    "§o->add(§i)",
    "§o->me()->take(§k, §o->get())",
    "§o->me()->me()->take(§a)",
    "§o->low(§n)",
    "§o->set(§a)->get()",
    "§o->set(§k)->take(§o->kind())",
    "§o->fails(§a)",
    "§o->guarded(fn($v) => two($v, §a))",
    "§o->guarded('two', §k)",
    "§o->guarded(function ($v) use (&$o) { $o = null; return one($v); })",
    "§o->guarded([§o, 'fails'], §v)",
    "§o->chain(§o, §k)",
    "§o?->next?->take(§k)",
    "§o->{['get', 'kind', 'low'][$i % 3]}()",
    "§o->$name(§a)",
    "[§o, 'take'](§k, §a)",
    "call_user_func([§o, 'take'], §k)",
    "§o->take(...)(§k, §a)",
    "§o::of(§k)->take(§a)",
    "all(§o->gives(§n))",
    "§o(§k)",
    "(§c)->take(§k)",
    "(§c)->me()->get()",
    "§o->none(§k)",
    "B5::none(§k)",
    "id(§o->take(id(§k)))",
    "two(§o->get(), §k)",
    "three(§k, §o->kind(), §o->get())",
    "int(§o->add(§i), §i)",
    "array_map(fn($q) => $q->take(§a), [§o, §c])",
    "array_map([§o, 'add'], [1, §i])",
    "§o->take(§o->take(§k), §o->take(§o->get()))",
];
const ARGUMENTS: &[&str] = &[
    "§v",
    "§v",
    "§l",
    "§m",
    "§k",
    "§e",
    "id(one(§v))",
    "over(§v)",
    "again(§v)",
    "broke(§v)",
    "$i",
];
const WHOLE: &[&str] = &[
    "$i",
    "$n",
    "whole(§v)",
    "whole(§m)",
    "PHP_INT_MAX",
    "PHP_INT_MAX - $i",
    "-PHP_INT_MAX - $i",
    "$t",
    "$i * 1024",
    "int(id($i))",
    "strlen($s)",
    "count($l)",
    "ord($s)",
];
const PROPERTIES: &[&str] = &["v", "v", "v", "i", "l", "u", "next", "dyn", "raw", "x"];
const VARIABLES: &[&str] = &[
    "$x", "$x", "$y", "$i", "$n", "$s", "$turn", "$l", "$o", "$p", "$r", "$h", "$u",
];
const PLACES: &[&str] = &[
    "$x",
    "$y",
    "$l[0]",
    "$l[§n]",
    "$o->v",
    "$o->i",
    "$o->l[§n]",
    "$o->u",
    "$o->dyn",
    "$h['k']",
    "$h['o']",
    "S::$n",
    "S::$l[§n]",
    "S::$i",
    "$u[§n]['k']",
    "$ao['k']",
    "$ao[§n][1]",
    "$r",
    "$p->v",
    "$o->ref()[0]",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§m",
    "§m",
    "§m",
    "§m",
    "§k",
    "§o->§p",
    "§o->§p ?? §v",
    "isset(§o->§p)",
    "(§o->v = §m)",
    "(§o->§p = §e)",
    "§i + §i",
    "§i * §i",
    "§i - §m",
    "$n++ + ++$n",
    "(§t) ? §m : §k",
    "§m ?? §k",
    "[§m, §k, §o->kind()]",
    "[$x, $y] = [§m, §k]",
    "['k' => $x, 'o' => $o] = ['k' => §m, 'o' => §c]",
    "match (§v) { 1, 'a' => §m, null, 1.5 => §k, $i => 'i', default => §e }",
    "match (true) { $i > 5 => §m, $o instanceof B2 => §k, default => $i }",
    "$s[§n] ?? §v",
    "$s[$i % 3]",
    "$s[-1] . $s[$n & 1]",
    "\"$s[0]{$o->kind()}<§n>\"",
    "text(§m) . text(§k)",
    "sum($l)",
    "grow($l, §m)",
    "grow($o->l, §k)",
    "$ao[§n] ?? §m",
    "count($ao)",
    "[...two(§m), ...lists(§k)]",
    "over(§m)",
    "broke(§m)",
    "all(turns(§o))",
    "all(wrapped(turns(§o, §n)))",
    "last(§m)",
    "keep(§m)",
    "(fn() => §m)()",
    "(function () use (&$x, $o) { $x = §m; return $o; })()",
    "clone §o",
    "§o instanceof B1",
    "(§o === $p)",
];
const STATEMENTS: &[&str] = &[
    "$y = §m; ",
    "$y = §m; ",
    "§m; ",
    "§m; ",
    "§w = §m; ",
    "§w = §e; ",
    "§w .= text(§m); ",
    "§w += whole(§m); ",
    "§w ??= §m; ",
    "§w++; ",
    "$x = §o->take(§k, §a); $o = $o ?? §c; ",
    "$o = §c; $y = $o->take($o = §c, $o->kind()); ",
    "foreach ($os as $q) { burn(); $y = $q->take(§k, $q->kind()); } ",
    "foreach ([§c, §c, §c] as $q) { burn(); $t += whole($q->add(§i)); §s } ",
    "foreach ([$o, $p, §c] as $o) { burn(); $y = $o->take(§k, $o->low(1)); } ",
    "for ($j = 0; $j < 4; $j++) { $y = $o->take($j, id($j)); $x = §m; } ",
    "for ($j = 0; $j < 3; $j++) { $q = $os[$j] ?? §c; $x = two($q->get(), $q->take(§k, $q->kind())); $q = null; } ",
    "if (§t) { $o = §c; } ",
    "if (§t) { §k; } ",
    "if (§t) { unset($o); $o = §c; } ",
    "if (§t) { $ro = &$o; } ",
    "if (§t) { unset($ro); $ro = §c; } ",
    "if (§t) { $os = [§c, §c, §c, §c]; } ",
    "if (§t) { $l = [§c, §v, 2]; } ",
    "if (§t) { $name = ['o', 'p', 'take', 'add', 'kind'][$i % 5]; } ",
    "if (§t) { §w = &§w; } ",
    "if (§t) { unset(§o->§p); } ",
    "§o->§p = §m; ",
    "§o->§p = §k; ",
    "§o->§p[] = §m; ",
    "§o->§p++; ",
    "§o->i += §i; ",
    "$q = &§o->§p; $q = §m; unset($q); ",
    "$q = &§o->ref(); $q = §k; unset($q); ",
    "$q = &$l[§n]; $c = $l; $q = §m; $c[§n] = §v; $y = $l; unset($q); ",
    "$q = &$o->l[0]; $c = clone $o; $c->l[0] = §m; $q = §i; $y = $c->l; unset($q, $c); ",
    "[$x, &$q] = $l; $q = §m; unset($q); ",
    "[[$x, $y], $z] = [two(§m), §k]; ",
    "['k' => $l[0], 0 => $o->v] = [§m, 'k' => §k]; ",
    "[$o, $p] = [$p, §m instanceof B ? $o : §c]; ",
    "foreach ($l as $k => &$v) { burn(); $v = §m; if (§t) $l[] = §k; if (count($l) > 9) break; } unset($v); ",
    "foreach ($l as &$v) { burn(); foreach ($l as $k => &$w) { burn(); $w = whole($w) + 1; if (§t) unset($l[$k]); } $v = §i; } unset($v, $w); ",
    "foreach ($o->l as &$v) { burn(); $v = whole(§m); if (§t) { $o = §c; } } unset($v); ",
    "foreach ($u as ['k' => $y, 0 => $x]) { burn(); §s } ",
    "foreach ([[1, [§m]], [2, [§k]]] as [$x, [$y]]) { burn(); $t += $x; } ",
    "foreach (§o->gives() as $k => $v) { burn(); $y = §m; if (§t) break; } ",
    "foreach (turns(§o) as $v) { burn(); $x = $o->take(§k); } ",
    "foreach ($ao as $k => $v) { burn(); $y = §m; } ",
    "foreach (§o as $k => $v) { burn(); $y = [$k, flat($v)]; } ",
    "$ge = turns(§c); $y = $ge->current(); $y = $ge->send(§c); $ge->next(); $x = $ge->valid() ? $ge->key() : §m; $ge = null; ",
    "$ge = $o->gives(); $o = §c; $y = two($ge->current(), §m); if (§t) { try { $ge->throw(new DomainException('in')); } catch (DomainException $q) { $q = null; } } unset($ge); ",
    "static $st§# = 1; $st§# = §m; $y = $st§#; $st§# = 1; ",
    "static $so§#; $so§# ??= §c; $y = $so§#->take(§k, $so§#->kind()); if (§t) $so§# = null; ",
    "switch (§m) { case 1: $y = §m; break; case 'b1': §s case null: $t++; break; default: $x = §k; } ",
    "switch (text(§m)) { case 'b1': case 'b2': $t += 2; case 'two': $y = §m; } ",
    "try { $y = §m; } catch (LogicException $q) { $t++; $q = null; } ",
    "try { $y = $o->fails(§k); } finally { $t++; $x = §m; } ",
    "try { try { §s throw new DomainException('t'); } finally { $y = §m; } } catch (DomainException | TypeError $q) { $x = $q->getMessage(); $q = null; } ",
    "do { try { if (§t) break; $y = §m; continue; } finally { $x = §k; } } while (false); ",
    "$f = function ($x = 1) use ($o, &$p) { $p = §c; return $o->take($x, $p->kind()); }; $y = two($f(§m), §k); ",
    "$f = $o->take(...); $o = §c; $y = $f(§m, §k); ",
    "$s = text($s) . 'x'; $s[§n] = text(§m) ?: 'e'; ",
    "$s = text(§m) . 'abc'; $y = $s[0] . ($s[§n] ?? ''); $s = substr($s, 0, 6); ",
    "$t = §i + $t; $t = $t * 3; ",
    "$n = PHP_INT_MAX - 2; for ($j = 0; $j < 4; $j++) { $n++; $y = whole($n); } ",
    "$o->v = new D(§n); $o->v = §m; ",
    "$h['o'] = new D(§n); $y = $h['o']->take($h['o'] = §v, §m); ",
    "$l[0] = new D(§n); $y = two($l[0]->kind(), $l = [§m]); ",
    "$x = new D(§n); $x = $x->take($x = null, 5); ",
    "$x = (new D(§n))->take(§k); ",
    "$y = last(new D(§n)); last($y); ",
    "$u[§n]['k'] = §m; if (count($u) > 4) $u = [[1, 'k' => 2]]; ",
    "$l[] = §m; if (count($l) > 9) $l = [§k]; ",
    "$ao[] = §m; unset($ao[§n]); ",
    "if (§t) { return §m; } ",
    "if (§t) { §s } else { §s } ",
];
const START: &str = "$o = $p = new B1; $os = [new B1, new B2, new B3, new B5]; $l = [new B1, 3, 4]; $h = ['k' => 1, 'o' => new B2]; $u = [[1, 'k' => 2], [3, 'k' => [4]]]; $ao = new A; $s = 'abc'; $n = 1; $y = $r = $q = $z = null; $ro = new B1; $t = $i = $j = 0; $name = 'o'; $f = 'one'; S::$o = new B1; ";

/// The program of a number.
pub fn program(number: u64) -> String {
    let mut parts = skeleton::parts(
        &[EXPRESSIONS],
        &[STATEMENTS],
        VARIABLES,
        &[skeleton::LITERALS],
        PLACES,
    );
    parts.extend([
        part('o', &[OBJECTS]),
        part('c', &[MAKES]),
        part('k', &[CHANGES]),
        part('m', &[METHODS]),
        part('a', &[ARGUMENTS]),
        part('i', &[WHOLE]),
        part('p', &[PROPERTIES]),
    ]);
    Skeleton {
        strict: 9,
        holders: &[
            Holder::Class("B1", ""),
            Holder::Class("B2", "private $mine = 1; "),
            Holder::Class("D", ""),
            Holder::StaticClass("B1"),
            Holder::Closure,
            Holder::Nothing,
        ],
        values: &[
            "1",
            "2",
            "$turn",
            "'v'",
            "'k'",
            "null",
            "1.5",
            "[1, 2]",
            "new B1",
            "new D($turn & 7)",
            "new B5",
            "3",
            "PHP_INT_MAX - $turn",
            "\"s$turn\"",
        ],
        reset: "S::$n = S::$i = 1; S::$l = [1, 2]; S::$o = null; ",
        after: |templates| {
            templates.put("last(null); keep(null); echo show([S::$log, S::$n, S::$l]); ")
        },
        ..Skeleton::usual(
            Templates::new(number ^ 0xd_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

fn body(templates: &mut Templates) {
    templates.put(START);
    let turns = 6 + templates.random.below(16);
    // Most of what changes its variables leaves something that can be called again on the next turn.
    templates.put(&format!(
        "for ($i = 0; $i < {turns}; $i++) {{ burn(); if (!$o instanceof B) $o = [new B1, new B2, new D(1), new B5][$i & 3]; $p ??= $o; $ro ??= $p; if (!is_array($l)) $l = [new B1, 3, 4]; $os = $os ?: [$o, $p, new B2]; "
    ));
    let caught = "Exception | Error $q) { $t += strlen($q->getMessage()); $q = null;";
    skeleton::statements(templates, 2..6, 24, 7, caught);
    templates.put(
        "$i = is_int($i) ? $i : 20; if (!is_int($t) || $t > 1000000 || $t < -1000000) $t = 7; } ",
    );
    templates.put(
        "return [[$x ?? 0, $y ?? 0, $t, $n ?? 0], $s ?? 0, $l ?? 0, $u ?? 0, isset($o) ? $o : 0]; ",
    );
}
