//! Programs for compiled code: small functions and methods that call each other in loops, first with values of
//! one type and then with others, and whatever may look at the frames of calls that were inlined.
//!
//! They are made from templates in which `%` and a letter stand for something that is chosen:
//! `e` an expression, `v` a variable, `w` what can be written to, `l` a literal, `c` a call of a function that was
//! written before, `s` statements, `a` a variable and `b` the same again, `n` a small number, `m` a method, `p` a property, `o` an operator, `k` a class.

use std::fmt::Write;

use super::random::Random;

const PRELUDE: &str = r#"
function show($v, $d = 0) {
    if (is_array($v)) { if ($d > 2) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 4) { $s .= '..'; break; } $s .= "$k=>" . show($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . '@' . $v->getLine() . ')';
    if ($v instanceof Closure || $v instanceof Generator || $v instanceof Fiber || $v instanceof UnitEnum) return get_class($v);
    if (is_object($v)) return strtok(get_class($v), "\0") . ($d > 2 ? '' : show(array_slice((array) $v, 0, 3), $d + 1));
    if (is_string($v)) return strlen($v) > 40 ? strlen($v) . md5($v) : "'$v'";
    return var_export($v, true);
}
function cut($v) { return is_string($v) ? substr($v, -12) : (is_array($v) ? array_slice($v, 0, 3) : $v); }
function flat($v) { return is_array($v) || is_object($v) ? 1 : $v; }
function trace() { $s = ''; foreach (debug_backtrace() as $f) { $s .= ($f['class'] ?? '') . ($f['type'] ?? '') . preg_replace('/\{closure.*/', 'closure', $f['function']) . ':' . ($f['line'] ?? 0) . '(' . implode(',', array_map(fn($a) => gettype($a), $f['args'] ?? [])) . ')'; } return $s; }
function seen(...$r) { echo trace(), '|', func_num_args(), "\n"; return $r[0] ?? null; }
function dig($n, $f, ...$r) { $x1 = $x2 = $x3 = $n; return $n > 0 ? dig($n - 1, $f, ...$r) : $f(...$r); }
abstract class Base { public static $count = 0; const K = 1; public $v = 1; public int $i = 2; public ?array $l = null; protected $h = 'h'; public $extra;
    function get() { return $this->v; } function set($v) { $this->v = $v; return $this; } function add(int $n = 1) { return $this->i += $n; }
    function same() { return $this; } static function make($v = 0) { $o = new static; $o->v = $v; return $o; } static function count($n = 1) { return static::$count += $n; }
    function &ref() { return $this->v; } function with(?callable $f = null, ...$r) { return $f ? $f(...$r) : count($r); } function kind() { return static::K . static::class; } function hidden() { return $this->h; } }
class One extends Base {} class Two extends Base { public $v = 'two'; const K = 'k'; function get() { return [$this->v]; } function add(int $n = 1) { return $this->i -= $n; } }
class Three extends Base { private $own = 3.5; function get() { return $this->own; } function __get($n) { return "magic $n"; } function __set($n, $v) { echo "set $n\n"; } function __call($n, $a) { return [$n, count($a)]; } static function __callStatic($n, $a) { return $n; } function __toString() { return 'three'; } }
class Dying extends Base { function __construct(public $to = 0) { } function __destruct() { echo 'destroy ', flat($this->v), "\n"; switch ($this->to) { case 1: throw new LogicException('destructor'); case 2: $GLOBALS['g'] = null; break; case 3: seen($this->v); break; case 4: $GLOBALS['kept'] = $this; $this->to = 0; break; } } }
class Hooked extends Base { public $w { get => $this->v; set { $this->v = $value; } } function get() { return $this->w; } }
enum Suit: int { case A = 1; case B = 2; const K = self::A; function get() { return $this->value; } function add($n = 1) { return $this === self::A ? self::B : self::A; } static function make($v = 1) { return self::tryFrom((int) flat($v) % 3); } }
"#;

/// What the error handler does besides saying what it was told.
const HANDLERS: [&str; 7] = [
    "",
    "",
    "throw new ErrorException($m);",
    "static $n; if (++$n % 3 == 0) throw new ErrorException($m);",
    "echo trace(), \"\\n\";",
    "$GLOBALS['g'] = [$m];",
    "new Dying(3);",
];

const LITERALS: [&str; 26] = [
    "0",
    "1",
    "2",
    "-1",
    "7",
    "2.5",
    "-0.0",
    "'a'",
    "'5'",
    "''",
    "'1e2'",
    "'5 apples'",
    "null",
    "true",
    "false",
    "[]",
    "[1, 2]",
    "['k' => 3]",
    "PHP_INT_MAX",
    "1.0",
    "'abc'",
    "[[1], 'x']",
    "Suit::A",
    "PHP_INT_MIN",
    "NAN",
    "One::K",
];

/// What the functions are called with from outside.
const VALUES: [&str; 30] = [
    "1",
    "$n",
    "2.5",
    "'a'",
    "[1, 2]",
    "null",
    "true",
    "new One",
    "new Two",
    "new Three",
    "new Dying",
    "new Dying(1)",
    "new Dying(2)",
    "new Dying(3)",
    "'7'",
    "PHP_INT_MAX",
    "['k' => 'v', 2]",
    "new Hooked",
    "Suit::B",
    "fn($q = 1) => $q",
    "$g",
    "-1",
    "new ArrayObject([1, 'k' => 2])",
    "'f0'",
    "[new One, 'get']",
    "(object) ['v' => 1]",
    "PHP_INT_MAX - 3 + $n",
    "$n / 2",
    "\"s$n\"",
    "[$n, [$n]]",
];

const OPERATORS: [&str; 22] = [
    "+", "-", "*", "+", "-", "%", "|", "&", "<<", "==", "===", "<", "<=>", "!=", "&&", "||", "??",
    ">=", "!==", ">>", "/", "^",
];
const METHODS: [&str; 14] = [
    "get", "get", "set", "add", "add", "same", "make", "count", "ref", "with", "kind", "hidden",
    "t0", "nothing",
];
const PROPERTIES: [&str; 9] = ["v", "v", "v", "i", "i", "l", "extra", "h", "missing"];
const CLASSES: [&str; 8] = [
    "One", "Two", "Three", "Hooked", "Suit", "static", "Dying", "Base",
];

const EXPRESSIONS: [&str; 99] = [
    "%v",
    "%v",
    "%v",
    "%v",
    "%l",
    "%l",
    "(%e %o %e)",
    "(flat(%e) %o flat(%e))",
    "(flat(%e) %o %n)",
    "(flat(%v) + 1)",
    "(flat(%v) - flat(%v))",
    "(%v < %n)",
    "(is_int(%a) ? %b + %n : %b)",
    "(is_int(%a) ? %b * %n : %b)",
    "(is_float(%a) ? %b - %l : %e)",
    "(flat(%e) + flat(%e))",
    "(flat(%e) * %n)",
    "(flat(%v) . flat(%e))",
    "cut(%e)",
    "%c",
    "%c",
    "%c",
    "%c",
    "%c",
    "%c",
    "$this->%p",
    "$this->%p",
    "$this->%m(%e)",
    "$this->%m()",
    "(%a instanceof Base ? %b->%m(%e) : %e)",
    "(%a instanceof Base ? %b->%m() : %l)",
    "(%a instanceof Base ? %b->%p : %e)",
    "(%a instanceof Base ? %b->%p : %b)",
    "(is_object(%a) ? %b->%m(...) : %b)",
    "(is_array(%a) ? count(%b) : %b)",
    "(is_array(%a) ? %b[%n] ?? %e : %e)",
    "%v->%m(%e)",
    "%v->%p",
    "%v?->%p",
    "%v?->%m()",
    "%k::%m(%e)",
    "%k::make(%e)->%m()",
    "new %k",
    "new Dying(%n)",
    "(new %k)->set(%e)->get()",
    "%v[%e]",
    "%v[%n]",
    "%v['k']",
    "[%e, %e]",
    "['k' => %e, ...(array) %v]",
    "[%e, 'r' => &%w]",
    "(%e ? %e : %e)",
    "(%e ?: %e)",
    "(%v ?? %e)",
    "(%w = %e)",
    "(%w = %e)",
    "%w++",
    "--%w",
    "++%w",
    "isset(%v->%p)",
    "isset(%v[%n])",
    "empty(%v)",
    "!%e",
    "-flat(%e)",
    "(int) flat(%e)",
    "(string) flat(%e)",
    "(array) %v",
    "(bool) %e",
    "is_int(%v)",
    "is_array(%v)",
    "gettype(%e)",
    "count((array) %v)",
    "strlen((string) flat(%v))",
    "(%v instanceof %k)",
    "(%v instanceof Base)",
    "seen(%v, %e)",
    "seen()",
    "trace()",
    "func_get_args()",
    "func_num_args()",
    "\"<{$p}%n>\"",
    "match (true) { is_int(%v) => %e, is_string(%v) => %e, default => %e }",
    "match (%v) { 1 => %e, 'a' => %e }",
    "(fn($z) => [$z, %v])(%e)",
    "(function () use (&$x) { return $x = %l; })()",
    "array_map(fn($z) => %e, [1, 2])",
    "usort($GLOBALS['u'], fn($z, $y) => flat(%e) <=> $y)",
    "call_user_func('f0', %e)",
    "call_user_func_array('f0', [%e, 'q' => %e])",
    "@%v[%e]",
    "(static fn(...$z) => count($z))(...[%e, %e])",
    "max(1, flat(%e))",
    "min(flat(%v), 5)",
    "(%v xor %e)",
    "get_defined_vars()",
    "(%e . %l)",
    "iterator_to_array(y0(%v))",
    "abs((int) flat(%v))",
    "$GLOBALS['g']",
];

const STATEMENTS: [&str; 64] = [
    "%w = %e; ",
    "%w = %e; ",
    "%w = %e; ",
    "%w = %e; ",
    "%w = %c; ",
    "%w = %c; ",
    "%c; ",
    "%c; ",
    "echo show(%e), \"\\n\"; ",
    "if (%e) { %s} ",
    "if (is_int(%v)) { %s} else { %s} ",
    "if (%v < %n) { %s} else { %s} ",
    "if (%v) return %e; ",
    "if ($depth > %n) return %e; ",
    "return %e; ",
    "if (!is_scalar(%v)) throw new DomainException('d'); ",
    "if (is_string(%v)) throw new LogicException(%v); ",
    "unset(%v); ",
    "unset(%v->%p); ",
    "unset(%v['k']); ",
    "%w += flat(%e); ",
    "%w .= %l; ",
    "%w -= %n; ",
    "%w ??= %e; ",
    "%w .= flat(%v); ",
    "%w[] = %e; ",
    "%w['k'] = %e; ",
    "$this->%p = %e; ",
    "$this->%p = %e; ",
    "$this->%p += %n; ",
    "$this->%p[] = %e; ",
    "$this->i++; ",
    "if (is_object(%a)) { %b->%p = %e; } ",
    "if (%a instanceof Base) { %b->%p += 1; } ",
    "%v->%p = %e; ",
    "%v->%p += 1; ",
    "%w = &%w; ",
    "$y = &$this->%p; ",
    "[%w, %w] = %e; ",
    "['k' => %w] = %e; ",
    "for ($i = 0; $i < %n; $i++) { %s} ",
    "foreach ([%e, %e] as $x) { %s} ",
    "foreach ((array) %v as $k => &$y) { $y = %e; } unset($y); ",
    "try { %s} catch (LogicException $t) { %s} ",
    "try { %s} finally { echo 'f'; %s} ",
    "try { %s} catch (Throwable $t) { echo show($t), \"\\n\"; } ",
    "switch (%v) { case 1: %s break; case 'a': %s default: %s} ",
    "static $st = 0; $st++; ",
    "static $st; $st = %e; ",
    "global $g; ",
    "$GLOBALS['g'] = %e; ",
    "$x = compact('p', 'q'); ",
    "extract(['x' => %e, 'q' => %l]); ",
    "$z = 'x'; $$z = %e; ",
    "%k::$count++; ",
    "%k::$count = %e; ",
    "while ($depth++ < 2) { %s} ",
    "%v = fn() => $p; ",
    "seen(%v); ",
    "eval('$x = $p;'); ",
    "if (%e) { echo 'x'; } ",
    "foreach (y0(%e) as $x) { %s} ",
    "new Dying(%n); ",
    "gc_collect_cycles(); ",
];

const PARAMETERS: [&str; 30] = [
    "$p, $q = 1, $depth = 0",
    "$p, $q = 1, $depth = 0",
    "$p, $q = 1, $depth = 0",
    "$p = null, $q = null, $depth = 0",
    "$p, $q = [1, 2], $depth = 0",
    "$p, $q = One::K, $depth = 0",
    "&$p, $q = 1, $depth = 0",
    "&$p, &$q = null, $depth = 0",
    "$p, &$q = 5, $depth = 0",
    "int $p, $q = 1, $depth = 0",
    "int|string $p, $q = 1, $depth = 0",
    "?int $p = null, $q = 2, $depth = 0",
    "float $p, $q = 1.5, $depth = 0",
    "string|array|Base|null $p, $q = 'q', $depth = 0",
    "array|string|int|null $p, $q = 1, $depth = 0",
    "Base|int|string|array|null $p, $q = 1, $depth = 0",
    "int|string|array|float|bool|object|null $p = 4, int|null|string|array|object|float|bool $q = 2, int $depth = 0",
    "$p, ...$q",
    "$p, int ...$q",
    "&...$p",
    "mixed $p, int $q = 3, int $depth = 0",
    "callable|int|null $p = 1, $q = 2, $depth = 0",
    "$p, $q = new One, $depth = 0",
    "$p, $q = PHP_INT_MAX, $depth = 0",
    "iterable|int|string|null|object $p = [], $q = 1, $depth = 0",
    "bool|array|object|null $p, $q = 1, $depth = 0",
    "object|int|string|null|array $p = 1, $q = 0, $depth = 0",
    "$p, $q",
    "$p",
    "",
];
const RESULTS: [&str; 16] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    ": mixed",
    ": mixed",
    ": ?int",
    ": int|string|null",
    ": string|array|bool|null|object",
    ": array|int|string|bool|object|null",
    ": float|string|array|null|object",
    ": Base|int|string|array|null",
];

/// Makes the text of a program.
#[derive(Debug)]
pub struct Hot {
    random: Random,
    text: String,
    /// Functions that may be called.
    functions: usize,
    /// Methods of the class `Test` that may be called.
    methods: usize,
    /// Parts that may still be written.
    budget: i32,
    /// Calls that may still be written in a function.
    calls: i32,
    in_method: bool,
}

impl Hot {
    /// The program of a number.
    pub fn program(number: u64) -> String {
        let mut hot = Hot {
            random: Random::of_case(number ^ 0x1_0000_0000),
            text: String::from("<?php"),
            functions: 0,
            methods: 0,
            budget: 0,
            calls: 0,
            in_method: false,
        };
        hot.write();
        hot.text
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        let chosen: &&'static str = self.random.choose(texts);
        chosen
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn write(&mut self) {
        if self.chance(15) {
            self.put(" declare(strict_types=1);");
        }
        self.put(PRELUDE);
        let handler = self.one_of(&HANDLERS);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.text,
            "set_error_handler(function ($e, $m) {{ echo \"! $m\\n\"; {handler} return true; }});\n$g = 1; $u = [3, 1, 2]; $kept = null;"
        );
        self.generator();
        let functions = 2 + self.random.below(4);
        let methods = self.random.below(4);
        for _ in 0..functions {
            self.function("");
            self.functions += 1;
        }
        if methods > 0 {
            let parent = self.one_of(&["Base", "One", "Two", "Three"]);
            let _ = writeln!(
                self.text,
                "class Test extends {parent} {{ private $secret = 1;"
            );
            for _ in 0..methods {
                self.in_method = true;
                let head = self.one_of(&["", "", "final ", "static ", "private ", "public "]);
                if head == "static " {
                    self.in_method = false;
                }
                self.function(head);
                self.in_method = false;
                self.methods += 1;
            }
            self.put("}\nclass Sub extends Test { public $v = 'sub'; function get() { return parent::get(); } }\n");
        }
        for _ in 0..1 + self.random.below(3) {
            self.drive();
        }
        self.put("restore_error_handler(); unset($g, $kept, $v, $w, $r, $t); echo \"end\\n\";\n");
    }

    /// The generator that functions walk.
    fn generator(&mut self) {
        self.budget = 12;
        self.calls = 0;
        self.put("function y0($p, $q = 1, $depth = 0) { $x = yield 1; ");
        self.statements(1);
        self.put(" yield $p; try { yield 'k' => $x; } finally { echo 'closed '; } }\n");
    }

    fn function(&mut self, head: &str) {
        let name = match self.in_method || !head.is_empty() {
            true => format!("t{}", self.methods),
            false => format!("f{}", self.functions),
        };
        let reference = if self.chance(8) { "&" } else { "" };
        let parameters = self.one_of(&PARAMETERS);
        let result = self.one_of(&RESULTS);
        let _ = write!(
            self.text,
            "{head}function {reference}{name}({parameters}){result} {{ "
        );
        // Most are small enough to be inlined.
        self.budget = if self.chance(70) { 8 } else { 24 };
        self.calls = 2;
        if self.chance(65) {
            self.fill("$x = %v; $y = %l; ", 0);
        }
        if self.chance(20) {
            // Recursion, with an end.
            let own = match (self.in_method, head) {
                (true, _) => "$this->",
                (_, "static ") => "static::",
                _ => "",
            };
            let _ = write!(
                self.text,
                "$depth ??= 9; if (is_int($depth) && $depth < 3) {{ $x = {own}{name}("
            );
            self.fill("%v, %e, ", 1);
            self.put("$depth + 1); } ");
        }
        if self.chance(75) {
            self.statements(2);
        }
        self.put("return ");
        let depth = 1 + self.random.below(3) as u32;
        self.expression(depth);
        self.put("; }\n");
    }

    /// A loop that calls what was written, in top-level code.
    fn drive(&mut self) {
        let first = self.one_of(&VALUES);
        let times = 12 + self.random.below(40);
        let same = self.random.below(times);
        let mut others = String::new();
        for _ in 0..1 + self.random.below(5) {
            others.push_str(self.one_of(&VALUES));
            others.push_str(", ");
        }
        let inside = self.chance(60);
        let (open, close) = match inside {
            true => ("(function () { global $g; ", "})();"),
            false => ("", ""),
        };
        let object = match self.methods {
            0 => self.one_of(&["new One", "new Two", "new Three"]),
            _ => self.one_of(&[
                "new Test",
                "new Sub",
                "$n % 3 ? new Test : new Sub",
                "$n < 20 ? new Test : new Sub",
            ]),
        };
        let _ = write!(
            self.text,
            "{open}$w = null; $o = null; for ($n = 0; $n < {times}; $n++) {{ try {{ $v = $n < {same} ? {first} : [{others}][$n % {}]; ",
            others.matches(", ").count().min(5),
        );
        let _ = write!(self.text, "if ($n % 4 == 0) {{ $o = {object}; }} ");
        for _ in 0..1 + self.random.below(3) {
            self.put("$r = ");
            self.outer_call();
            self.put("; ");
            if self.chance(60) {
                self.put("echo show($r), \"\\n\"; ");
            }
        }
        self.put("} catch (Throwable $t) { echo show($t), ' ', strlen(preg_replace('/closure[^)]*/', '', $t->getTraceAsString())), \"\\n\"; } ");
        if self.chance(50) {
            self.put("$t = null; ");
        }
        let _ = writeln!(
            self.text,
            "if ($n % 8 == 0) {{ $g = $n; $w = null; Base::$count = 0; }} }} echo show([$w, $g]), \"\\n\"; {close}"
        );
    }

    fn outer_call(&mut self) {
        if self.methods > 0 && self.chance(50) {
            let number = self.random.below(self.methods);
            let call = self.one_of(&[
                "$o->t%($v)",
                "$o->t%($v, $n)",
                "$o->t%($w)",
                "$o->t%($v, $w)",
                "Test::t%($v)",
                "(new Sub)->t%($v, 1)",
                "[$o, 't%']($v)",
                "$o->t%(...)($v)",
            ]);
            return self.put(&call.replace('%', &number.to_string()));
        }
        if self.methods == 0 && self.chance(15) {
            return self.put("$o->add($n)");
        }
        let number = self.random.below(self.functions);
        let call = self.one_of(&[
            "f%($v)",
            "f%($v, $n)",
            "f%($v, $w)",
            "f%($w, $v)",
            "f%($v, $v)",
            "f%($n, 2)",
            "f%($w)",
            "f%($v, 1, 3)",
            "f%(q: $v, p: $n)",
            "f%(...[$v, $n])",
            "f%()",
            "dig(%1, 'f%', $v, $n)",
            "dig(%2, 'f%', $v)",
            "array_map('f%', [$v, $n])",
            "(new Fiber(function () use ($v) { return f%(Fiber::suspend($v)); }))->start()",
            "f%(f%($v, 2), $n)",
            "f%($v, $n, 0, 1, 2)",
            "call_user_func('f%', $v, $n)",
            "(fn() => f%($v, 1))()",
        ]);
        // The stack's pages have room for a few thousand such frames.
        let call = call.replace("%1", &self.random.below(40).to_string());
        let call = call.replace("%2", "($n * 61)");
        self.put(&call.replace('%', &number.to_string()));
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            self.budget -= 1;
            if self.budget > 0 {
                let chosen = self.one_of(&STATEMENTS);
                if depth == 0 && chosen.contains("%s")
                    || !self.in_method && chosen.contains("$this")
                {
                    continue;
                }
                self.fill(chosen, depth);
            }
        }
    }

    fn expression(&mut self, depth: u32) {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 {
            let chosen = self.one_of(&["%v", "%l"]);
            return self.fill(chosen, 0);
        }
        let chosen = self.one_of(&EXPRESSIONS);
        let is_possible = (self.in_method || !chosen.contains("$this"))
            && (self.functions > 0 || !chosen.contains("f0"));
        match is_possible {
            true => self.fill(chosen, depth),
            false => self.fill("%v", 0),
        }
    }

    fn call(&mut self, depth: u32) {
        self.calls -= 1;
        let inner = self.in_method && self.methods > 0;
        if self.calls < 0 || self.functions == 0 && !inner {
            return self.fill("%v", 0);
        }
        if inner && self.chance(60) {
            let number = self.random.below(self.methods);
            let chosen = self.one_of(&[
                "$this->t#(%e)",
                "$this->t#(%v, %e)",
                "self::t#(%v)",
                "static::t#(%e, %v)",
                "$this->t#(%w)",
                "$this?->t#(%v)",
                "[$this, 't#'](%v)",
            ]);
            return self.fill(
                &chosen.replace('#', &number.to_string()),
                depth.saturating_sub(1),
            );
        }
        let number = self.random.below(self.functions.max(1));
        if self.functions == 0 {
            return self.fill("%v", 0);
        }
        let chosen = self.one_of(&[
            "f#(%e)",
            "f#(%v, %e)",
            "f#(%v, %v)",
            "f#(%e, %e)",
            "f#(%w)",
            "f#(%w, %w)",
            "f#(%w['k'])",
            "f#(%v->%p)",
            "f#(q: %e, p: %v)",
            "f#(...[%e, %e])",
            "f#(%e, ...(array) %v)",
            "f#()",
            "f#(%e, %e, 2)",
            "f#(p: %v)",
            "(f#(...))(%v)",
            "f#(f#(%v))",
        ]);
        self.fill(
            &chosen.replace('#', &number.to_string()),
            depth.saturating_sub(1),
        );
    }

    /// Writes a template.
    fn fill(&mut self, template: &str, depth: u32) {
        let (mut rest, mut again) = (template, "");
        while let Some((before, after)) = rest.split_once('%') {
            self.put(before);
            let (kind, behind) = after.split_at(after.len().min(1));
            rest = behind;
            let inner = depth.saturating_sub(1);
            match kind {
                "e" => self.expression(inner),
                "c" => self.call(depth),
                "s" => self.statements(inner),
                "v" | "a" => {
                    let chosen = self.one_of(&["$p", "$p", "$p", "$q", "$q", "$x", "$y"]);
                    if kind == "a" {
                        again = chosen;
                    }
                    self.put(chosen);
                }
                "b" => self.put(again),
                "w" => {
                    let chosen =
                        self.one_of(&["$p", "$q", "$x", "$x", "$y", "$x", "$x['k']", "$p->v"]);
                    self.put(chosen);
                }
                "l" => {
                    let chosen = self.one_of(&LITERALS);
                    self.put(chosen);
                }
                "n" => {
                    let number = self.random.below(6);
                    let _ = write!(self.text, "{number}");
                }
                "m" => {
                    let chosen = self.one_of(&METHODS);
                    self.put(chosen);
                }
                "p" => {
                    let chosen = self.one_of(&PROPERTIES);
                    self.put(chosen);
                }
                "k" => {
                    let chosen = self.one_of(&CLASSES);
                    self.put(if chosen == "static" && !self.in_method {
                        "One"
                    } else {
                        chosen
                    });
                }
                "o" => {
                    let chosen = self.one_of(&OPERATORS);
                    self.put(chosen);
                }
                // The operator of the same name.
                _ => {
                    self.put("%");
                    self.put(kind);
                }
            }
        }
        self.put(rest);
    }
}
