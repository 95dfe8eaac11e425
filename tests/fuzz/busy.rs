//! Programs for compiled code whose work is in loops: numbers, texts, arrays, references, properties, generators,
//! fibers, closures, `try` and `finally` in functions that run long enough to be compiled while they run, and values
//! that become something else in the middle of it.
//!
//! They are made from templates, as in `tests/fuzz/hot.rs`. `%` and a small letter stand for a variable of a kind
//! (`i` a number, `f` a float, `s` a text, `l` a list, `h` a hash, `o` an object, `x` anything, `v` any of them),
//! a large letter for an expression of that kind (`E` for any), `%c` for the counter of the loop, `%d` for a small number,
//! `%n` for a round of a loop, `%q` for statements (`%Q` for some without others in them), `%k` for a call of what was written before.

use std::fmt::Write;

use super::random::Random;

const PRELUDE: &str = r#"
function show($v, $d = 0) {
    if (is_array($v)) { if ($d > 3) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 5) { $s .= '..'; break; } $s .= "$k=>" . show($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . '@' . $v->getLine() . ')';
    if ($v instanceof Closure || $v instanceof Generator || $v instanceof Fiber || $v instanceof UnitEnum) return get_class($v);
    if (is_object($v)) return strtok(get_class($v), "\0") . ($d > 3 ? '' : show(array_slice((array) $v, 0, 6), $d + 1));
    if (is_string($v)) return strlen($v) > 40 ? strlen($v) . md5($v) : "'$v'";
    return var_export($v, true);
}
function flat($v) { return is_array($v) || is_object($v) ? 1 : $v; }
function num($v) { return is_int($v) || is_float($v) ? $v : 2; }
function text($v) { return is_string($v) ? substr($v, -20) : (is_scalar($v) ? "$v" : 't'); }
function swap(&$a, &$b) { $c = $a; $a = $b; $b = $c; }
function raise(&$a, $by = 1) { $a += $by; return $a; }
function &first(array &$a) { return $a[0]; }
function whole(int $a, ?int $b = 2): int { return $a + $b; }
function half(float $a): float { return $a / 2; }
function any(int|string|array|null|object|float|bool $a, ...$r) { return $r[0] ?? $a; }
function fails($v) { if ($v % 5 == 3) throw new DomainException("fails $v"); return $v; }
function ends($v) { try { if ($v > 20) return 'early'; $v = fails($v); } catch (DomainException $e) { $v = -1; } finally { P::$n++; if ($v === 4) return 'finally'; } return $v; }
function steps($n, $v = 0) { for ($i = 0; $i < $n; $i++) { $s = yield $i => $v; if ($s) $v = $s; } return $v; }
function both($n) { try { yield from [1, 2]; $r = yield from steps($n, 5); yield $r; } finally { P::$n++; } }
function deep($n, $v) { if ($n <= 0) return fails($v); $x = deep($n - 1, $v + 1); return $x; }
function calls(callable $f, ...$r) { return $f(...$r); }
function tower($n) { return $n < 2 ? $n : tower($n - 1) + tower($n - 2); }
interface Shape { function area($n); }
class P implements Shape { public $any = 1; public int $x = 0; public float $f = 1.5; public ?string $s = null; public array $l = []; public int|string|null $u = 1; public ?P $next = null; protected $hid = 3; private $own = 4; public readonly int $ro;
    public static $n = 0; public static int $t = 0; public static $list = []; public static $fuel = 120; const C = 3; const L = [1, 'k' => [2, 3]];
    function __construct($any = 0) { $this->any = $any; } function get() { return $this->any; } function x() { return $this->x; } function inc($by = 1) { $this->x += $by; return $this; } function area($n) { return $this->x * $n; }
    function set($v) { return $this->any = $v; } function push($v) { $this->l[] = $v; if (count($this->l) > 30) $this->l = []; return count($this->l); } function &ref() { return $this->x; } function own() { return $this->own++; }
    static function tally($n = 1) { return static::$n += $n; } function late(int $v): int { return $v; } function once(int $v) { return $this->ro = $v; } function hid() { return $this->hid; }
    function ends($v) { try { $v = fails($v); } finally { $this->x++; } return $v; } function each() { foreach ($this->l as $k => $v) { yield $k => $v; } return 'each'; } }
class Q extends P { public $extra = 'e'; function get() { return [$this->any, 'q']; } function area($n) { return $n . 'a'; } function own() { return parent::own() . 'q'; } function x() { return $this->x++; } }
class M { public $d = ['x' => 1]; public $any = 'm'; function __get($n) { return $this->d[$n] ?? null; } function __set($n, $v) { $this->d[$n] = $v; } function __isset($n) { return isset($this->d[$n]); } function __unset($n) { unset($this->d[$n]); } function __call($n, $a) { return count($a); } function __toString() { return 'm'; } function __invoke($z = 1) { return $z; } }
class R extends P implements ArrayAccess, IteratorAggregate, Countable { function offsetGet($o): mixed { return $this->l[$o ?? 'k'] ?? null; } function offsetSet($o, $v): void { if ($o === null) $this->l[] = $v; else $this->l[flat($o)] = $v; if (count($this->l) > 20) $this->l = []; } function offsetExists($o): bool { return isset($this->l[flat($o)]); } function offsetUnset($o): void { unset($this->l[flat($o)]); } function getIterator(): Iterator { yield from $this->l; } function count(): int { return count($this->l); } }
class W implements Iterator { private $i = 0; function __construct(public $end = 4) {} function current(): mixed { return $this->i * 2; } function key(): mixed { return "w$this->i"; } function next(): void { $this->i++; } function rewind(): void { $this->i = 0; } function valid(): bool { return $this->i < $this->end; } }
class D extends P { function __destruct() { echo '~', flat($this->any); P::$n++; if ($this->any === 3) throw new LogicException('destructor'); if ($this->any === 4) P::$list[] = 'd'; if ($this->any === 5) { $GLOBALS['g'] = 'from D'; } } }
class H extends P { public $w { get => $this->any; set { $this->any = [$value]; } } public int $twice { get => $this->x * 2; } public private(set) int $shut = 1; function get() { return $this->twice + ($this->shut += 1); } }
final class V { function __construct(public readonly int $a, public readonly ?V $b = null) {} function with(int $a) { return new V($a, $this->b); } function plus(V $o) { return new self($this->a + $o->a); } }
enum E: int { case A = 1; case B = 2; const C = self::A; function other() { return $this === self::A ? self::B : self::A; } static function of($n) { return self::tryFrom((int) num($n) % 3) ?? self::A; } }
"#;

const HANDLER: [&str; 6] = [
    "return true;",
    "echo \"! $m\\n\"; return true;",
    "echo '!', strlen($m), ' '; static $n; if (++$n % 4 == 0) throw new ErrorException($m); return true;",
    "$GLOBALS['g'] = $m; return true;",
    "throw new ErrorException($m);",
    "new D(P::$n % 6); return true;",
];

const LITERALS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "1.5",
    "-0.0",
    "'a'",
    "'12'",
    "''",
    "'3x'",
    "null",
    "true",
    "false",
    "[]",
    "[1, 2]",
    "['k' => 3]",
    "PHP_INT_MAX",
    "PHP_INT_MIN",
    "P::C",
    "P::L",
    "E::A",
    "INF",
    "'1e3'",
];

const NUMBERS: [&str; 40] = [
    "%i",
    "%i",
    "%i",
    "%i",
    "%c",
    "%c",
    "%d",
    "%d",
    "%i + %d",
    "%i + %i",
    "%i - %c",
    "%i * %d",
    "%i * %i",
    "(%I & 255)",
    "(%I | %d)",
    "(%I ^ %i)",
    "(%I << %d)",
    "(%I >> %d)",
    "(%I %% 7)",
    "(%I %% %i)",
    "intdiv(%I, %d + 1)",
    "(int) %F",
    "count(%l)",
    "strlen(%s)",
    "ord(%s)",
    "num(%l[%c])",
    "num(%l[%I & 3] ?? 0)",
    "num(%h['n'] ?? %d)",
    "%o->x",
    "%o->x()",
    "%o?->x",
    "P::$t",
    "P::C",
    "(%I <=> %I)",
    "-(%I)",
    "abs(num(%i))",
    "whole(%I)",
    "min(%I, %i)",
    "tower(%d)",
    "(%I < %I ? %i : %c)",
];
const FLOATS: [&str; 14] = [
    "%f",
    "%f",
    "%f",
    "%f + %f",
    "%f * 0.5",
    "%f - %i",
    "%f / (%d + 1)",
    "%i / 3",
    "(float) %i",
    "%i * 1.5",
    "half(%f)",
    "sqrt(num(%i))",
    "%o->f",
    "(%F ** 2)",
];
const TEXTS: [&str; 20] = [
    "%s",
    "%s",
    "%s",
    "'k'",
    "'n'",
    "\"{$s}%d\"",
    "%s . %d",
    "text(%s) . text(%x)",
    "substr(%s, %d, 3)",
    "(string) %i",
    "(text(%s)[%c] ?? '-')",
    "text(%s)[%d]",
    "chr(65 + %d)",
    "str_repeat('ab', %d)",
    "\"{%c}-\" . text(%s)",
    "implode(',', array_map(text(...), %l))",
    "strrev(text(%s))",
    "%o->s",
    "ucfirst(text(%s))",
    "(text(%x) . text(%s))",
];
const ARRAYS: [&str; 20] = [
    "%l",
    "%l",
    "%h",
    "[%E, %E]",
    "[%i, %i, %i]",
    "['n' => %I, 'k' => %E]",
    "[%x, 'r' => &%v]",
    "array_slice(%l, 0, 4)",
    "[...%l, %E]",
    "array_map(fn($q) => num($q) + %d, %l)",
    "array_filter(%l, fn($q) => $q != %L)",
    "range(0, %d)",
    "%o->l",
    "array_reverse(%l)",
    "array_keys(%h)",
    "explode(',', text(%s))",
    "array_fill(0, %d, %x)",
    "P::L",
    "(array) %x",
    "iterator_to_array(steps(%d, %x), false)",
];
const OBJECTS: [&str; 18] = [
    "%o",
    "%o",
    "%o",
    "new P(%x)",
    "new Q",
    "new Q(%I)",
    "new M",
    "new R",
    "new H",
    "new D(%d)",
    "clone %o",
    "%o->inc(%d)",
    "(object) %h",
    "%o->next ?? %o",
    "new D(%d % 3)",
    "new V(%I)",
    "E::of(%I)",
    "new class(%x) extends P { public $anon = 1; }",
];
const EXPRESSIONS: [&str; 79] = [
    "%I",
    "%I",
    "%I",
    "%F",
    "%S",
    "%A",
    "%O",
    "%x",
    "%x",
    "%L",
    "%v",
    "%v",
    "(%E == %E)",
    "(%E === %E)",
    "(num(%x) + %I)",
    "(flat(%x) . 'c')",
    "(flat(%x) * %d)",
    "%l[%c] ?? null",
    "%l[%I & 7]",
    "%h[%S]",
    "%h['k'] ?? %E",
    "%h['k']['n'] ?? %d",
    "%l[%d][%d] ?? 'none'",
    "isset(%h['n'])",
    "isset(%l[%i])",
    "empty(%x)",
    "isset(%o->any)",
    "%o->any",
    "%o->any",
    "%o->u",
    "%o->get()",
    "%o->get()",
    "%o->set(%E)",
    "%o->push(%x)",
    "%o->own()",
    "%o->area(%d)",
    "%o->late(%x)",
    "%o->ends(%i)",
    "%o->once(%d)",
    "%o?->next?->x",
    "%o->missing",
    "%o->w",
    "P::tally(%d)",
    "P::$list[%d] ?? 0",
    "(%O instanceof P)",
    "is_int(%x)",
    "is_string(%x)",
    "is_array(%v)",
    "gettype(%v)",
    "(%x ? %E : %E)",
    "(%x ?: %E)",
    "(%x ?? %E)",
    "(%x && %E)",
    "match (true) { is_int(%x) => %I, is_string(%x) => %S, default => %E }",
    "match (%i) { 1, 2 => %E, 3 => %S, default => %c }",
    "any(%E)",
    "any(%E, %E)",
    "fails(%i)",
    "ends(%i)",
    "ends(%c)",
    "deep(%d, %i)",
    "deep(30, %i)",
    "calls(fn($q) => [%x, $q], %E)",
    "(fn() => %v)()",
    "(function () use (&%i) { return ++%i; })()",
    "(static fn(...$q) => count($q))(...%l)",
    "first(%l)",
    "%i++",
    "--%i",
    "%x++",
    "++%o->x",
    "%o->x--",
    "%h['n']++",
    "%l[%d]--",
    "%k",
    "%k",
    "func_get_args()",
    "count(debug_backtrace())",
    "$GLOBALS['g']",
];

const STATEMENTS: [&str; 143] = [
    "%i = %I; ",
    "%i = %I; ",
    "%i = %I; ",
    "%i += %I; ",
    "%i += %c; ",
    "%i -= %I; ",
    "%i *= %d; ",
    "%i++; ",
    "--%i; ",
    "%i = (int) (num(%i) %% 1000003); ",
    "%i &= 65535; ",
    "%i %= %d; ",
    "%i <<= %d; ",
    "%i **= 2; ",
    "%f = %F; ",
    "%f += %F; ",
    "%f *= 1.25; ",
    "%f /= %d + 1; ",
    "%s = %S; ",
    "%s .= %S; ",
    "%s .= %c; ",
    "%s .= 'x'; ",
    "%s = text(%s); ",
    "%s[%d] = 'q'; ",
    "%s[%c] = %S; ",
    "%s++; ",
    "%l[] = %E; ",
    "%l[] = %c; ",
    "%l[] = %x; ",
    "%l[%d] = %E; ",
    "%l[%c] = %I; ",
    "%l[%d] += %d; ",
    "%l[%d] .= 's'; ",
    "%l[%d][] = %c; ",
    "%l[%d]['k'] = %E; ",
    "%l = %A; ",
    "%l = %l; ",
    "unset(%l[%d]); ",
    "unset(%l[%c]); ",
    "array_pop(%l); ",
    "%x = array_shift(%l); ",
    "sort(%l); ",
    "if (count(%l) > 20) { %l = []; } ",
    "if (count(%h) > 20) { %h = ['n' => 1]; } ",
    "%h[%S] = %E; ",
    "%h['n'] = %I; ",
    "%h['n'] += %d; ",
    "%h['k'] = %x; ",
    "%h['k'][] = %c; ",
    "%h['k']['n'] = %E; ",
    "%h['k'] ??= %E; ",
    "%h[%i & 7] = %c; ",
    "unset(%h['k']); ",
    "unset(%h[%S]); ",
    "%x = %E; ",
    "%x = %E; ",
    "%x = %v; ",
    "%x = %L; ",
    "%x .= 'y'; ",
    "%x = %x + 1; ",
    "%x ??= %E; ",
    "unset(%x); ",
    "unset(%v); ",
    "%o = %O; ",
    "%o->any = %E; ",
    "%o->any = %x; ",
    "%o->x = %I; ",
    "%o->x += %d; ",
    "%o->x = %x; ",
    "%o->x++; ",
    "%o->f = %F; ",
    "%o->f += %i; ",
    "%o->s = %S; ",
    "%o->s .= 'p'; ",
    "%o->u = %x; ",
    "%o->l[] = %c; ",
    "%o->l['k'] = %E; ",
    "%o->l['k'][] = %x; ",
    "%o->any[] = %c; ",
    "%o->next = %O; ",
    "%o->new = %E; ",
    "unset(%o->any); ",
    "unset(%o->x); ",
    "%o->inc()->inc(%d); ",
    "%o->push(%E); ",
    "%o[%d] = %E; ",
    "%o[] = %c; ",
    "P::$n += %d; ",
    "P::$t = %E; ",
    "P::$t++; ",
    "P::$list[] = %c; ",
    "P::$list = []; ",
    "%v = &%v; ",
    "$r = &%v; ",
    "$r = &%l[%d]; ",
    "$r = &%h['k']; ",
    "$r = &%o->x; ",
    "$r = &%o->any; ",
    "$r = %E; ",
    "$r += %d; ",
    "unset($r); ",
    "swap(%v, %v); ",
    "swap(%l[%d], %h['n']); ",
    "raise(%i); ",
    "raise(%h['n'], %d); ",
    "%i = &$o->ref(); ",
    "[%x, %i] = [%I, %E]; ",
    "[%i, %x] = %l; ",
    "['n' => %i, 'k' => %x] = %h; ",
    "[%l[0], $r] = %A; ",
    "global $g; ",
    "$g = %E; ",
    "$GLOBALS['g'] = %I; ",
    "unset($GLOBALS['g']); $GLOBALS['g'] = %E; ",
    "unset($g); global $g; %x = $g; unset($g); ",
    "unset($g); if (%c & 1) { global $g; } else { $g = null; } %x = $g; unset($g); ",
    "$r = &$GLOBALS['g']; %x = $r; unset($r); ",
    "extract(['x' => &$GLOBALS['g']], EXTR_REFS); ",
    "$r = &%l[%d]; %x = $r; unset($r); ",
    "$r = &%h['k']; %x = $r; unset($r); ",
    "$r = &%o->any; %i += num($r); unset($r); ",
    "if (isset(%l[0])) { $r = &first(%l); %x = $r; unset($r); } ",
    "swap(%o->any, %h['k']); ",
    "[0 => &$r] = %l; %x = $r; unset($r); ",
    "foreach (%l as &$q) { %x = $q; } unset($q); ",
    "array_walk(%l, function (&$q, $kk) { $q = [$q, $kk]; }); ",
    "usort(%l, fn($q, $w) => show($q) <=> show($w)); ",
    "array_splice(%l, %d, 1, %A); ",
    "%x = [...%l, ...%A]; ",
    "%s = \"%i{%x}\"; ",
    "static $st%u = 0; $st%U += %d; %x = $st%U; ",
    "$z = 'x'; $$z = %E; ",
    "extract(['x' => %E]); ",
    "%h = compact('x', 'i'); ",
    "%s = %k; ",
    "%x = %k; ",
    "if (Fiber::getCurrent()) { %x = Fiber::suspend(%I); } ",
    "eval('%i = %d; $x = $y;'); ",
    "gc_collect_cycles(); ",
    "%x = new D(%d); ",
    "new D(%c % 6); ",
    "$cl = function ($q) use (&%i) { %i++; return [$q, %i]; }; %x = $cl(%E); ",
    "%x = fn($q) => [$q, %v]; ",
];

/// Statements with others in them.
const BLOCKS: [&str; 36] = [
    "if (%I > %d) { %q} ",
    "if (%x) { %q} else { %q} ",
    "if (is_int(%x)) { %q} else { %q} ",
    "if (%c == %n) { %q} ",
    "if (%c == %n) { %q} ",
    "if (%c == %n) { %q} ",
    "if (%c > %n) { %q} ",
    "if (%c & 1) { %q} else { %q} ",
    "if (%c %% 5 == 4) { %q continue; } ",
    "if (%c > 9 && %x === %L) { %q break; } ",
    "if (%c == %n) { %x = %L; } ",
    "if (%c == %n) { %v = %E; } ",
    "if (%c == %n) { %v = &%v; } ",
    "if (%c == %n) { throw new DomainException('loop'); } ",
    "if (%c == %n) return %E; ",
    "switch (%i) { case 1: %q break; case 2: %q default: %q} ",
    "switch (%s) { case 'k': %q break; case 'n': %q break; default: %q} ",
    "switch (%c & 3) { case 0: %q case 1: %q continue 2; case 2: break; default: %q} ",
    "try { %q} catch (DomainException $t) { %q} ",
    "try { %q} catch (Throwable $t) { $t = null; } ",
    "try { %q} catch (Error $t) { %x = get_class($t); } ",
    "try { %q fails(%c); } catch (LogicException | TypeError $t) { %q} finally { %Q} ",
    "try { %q} finally { %Q} ",
    "try { if (%c == %n) { continue; } %q} finally { %Q} ",
    "try { if (%c == %n) { break; } %q} finally { %i++; } ",
    "try { if (%c == %n) { return %E; } } finally { %Q} ",
    "try { %x = %k; } catch (Throwable $t) { %q} ",
    "foreach (%l as $q) { %q} ",
    "foreach (%l as $kk => $q) { %x = $q; %q} ",
    "foreach (%l as $kk => &$q) { $q = %E; %q} ",
    "foreach (%h as $kk => $q) { %h[$kk] = %E; %q} ",
    "foreach (%o as $kk => $q) { %q} ",
    "foreach (both(%d) as $kk => $q) { %x = $q; %q} ",
    "foreach (new W(%d) as $kk => $q) { %s .= $kk; %q} ",
    "foreach (%l as [$q, $x]) { %q} ",
    "foreach (%A as $kk => %x) { %q} ",
];

const HEADS: [&str; 16] = [
    "$i = 1, $x = null, $l = []",
    "$i = 1, $x = null, $l = []",
    "$i, $x = 2, $l = [1, 2, 3]",
    "$i, $x = 2, $l = [1, 2, 3]",
    "int $i, $x = 2, array $l = [1, 2, 3]",
    "int $i, int|float|string|array|object|null $x = 2, ?array $l = null",
    "int|float $i = 1, ...$x",
    "&$i, $x = 1, &$l = [1]",
    "$i, &$x = 'x'",
    "$x",
    "$x, $y = 5, P|int $o = new P(1)",
    "$x, $s = 'text', $i = PHP_INT_MAX",
    "?int $i = 3, mixed $x = 4",
    "",
    "$h, $x = 1",
    "float $f, $i = 1, $x = 'y'",
];

/// What is in front of the loop.
const STARTS: [&str; 26] = [
    "$i = 0; ",
    "$i = 5; ",
    "$i = %d; ",
    "$j = 1; ",
    "$j = PHP_INT_MAX - 20; ",
    "$n = 3; ",
    "$n = '4'; ",
    "$f = 0.5; ",
    "$g0 = 2.0; ",
    "$s = ''; ",
    "$s = 'abc'; ",
    "$t = 'text'; ",
    "$l = [1, 2, 3]; ",
    "$l = []; ",
    "$k = [[1], [2]]; ",
    "$k = ['a', 'b', 1.5]; ",
    "$h = ['n' => 1, 'k' => 'v']; ",
    "$h = []; ",
    "$e = ['k' => ['n' => 1]]; ",
    "$o = new P(1); ",
    "$o = new Q; ",
    "$p = new R; ",
    "$p = new M; ",
    "$x = 1; ",
    "$y = 'y'; ",
    "$z = null; ",
];

const LOOPS: [&str; 9] = [
    "for ($c@ = 0; $c@ < #; $c@++) { %q} ",
    "for ($c@ = 0; $c@ < #; $c@++) { %q%q} ",
    "for ($c@ = 0; $c@ < #; ++$c@) { %q%q} ",
    "$c@ = 0; while ($c@++ < #) { %q%q} ",
    "$c@ = #; do { %q} while (--$c@ > 0); ",
    "for ($c@ = #; $c@ > 0; $c@ -= 2) { %q} ",
    "foreach (range(0, #) as $c@) { %q%q} ",
    "$c@ = 0; while (true) { if (++$c@ > #) break; %q%q} ",
    "$c@ = 0; do { again@: %q if (++$c@ < #) goto again@; } while (false); ",
];

const VALUES: [&str; 22] = [
    "1",
    "$r",
    "$r * 7",
    "2.5",
    "'a'",
    "'12'",
    "[1, 2]",
    "null",
    "true",
    "new P(1)",
    "new Q",
    "new D(1)",
    "new M",
    "PHP_INT_MAX",
    "['k' => 'v', 2]",
    "new H",
    "E::B",
    "[$r, [$r]]",
    "fn($q = 1) => $q",
    "$g",
    "PHP_INT_MAX - 3 + $r",
    "\"s$r\"",
];

/// Makes the text of a program.
#[derive(Debug)]
pub struct Busy {
    random: Random,
    text: String,
    /// Functions that may be called.
    functions: usize,
    /// Statements that may still be written.
    budget: i32,
    /// Loops around what is being written.
    loops: usize,
    is_generator: bool,
    in_method: bool,
    /// Nothing but a switch can be left or gone on with.
    in_switch: bool,
    /// Numbers that were used in names.
    unique: usize,
}

impl Busy {
    /// The program of a number.
    pub fn program(number: u64) -> String {
        let mut busy = Busy {
            random: Random::of_case(number ^ 0x2_0000_0000),
            text: String::from("<?php"),
            functions: 0,
            budget: 0,
            loops: 0,
            is_generator: false,
            in_method: false,
            in_switch: false,
            unique: 0,
        };
        busy.write();
        busy.text
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        let chosen: &&'static str = self.random.choose(texts);
        chosen
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn write(&mut self) {
        if self.chance(10) {
            self.put(" declare(strict_types=1);");
        }
        self.put(PRELUDE);
        if self.chance(85) {
            let handler = self.one_of(&HANDLER);
            // Writing to a string does not fail.
            let _ = writeln!(
                self.text,
                "set_error_handler(function ($c, $m) {{ {handler} }});"
            );
        }
        self.put("$g = 1; $w = [];\n");
        for _ in 0..1 + self.random.below(3) {
            self.function();
            self.functions += 1;
        }
        for _ in 0..1 + self.random.below(3) {
            self.drive();
        }
        if self.chance(30) {
            // Top-level code, whose variables are known by name.
            self.starts();
            self.put("try { ");
            self.looped(40);
            self.put("} catch (Throwable $t) { echo show($t), \"\\n\"; }\n");
            self.result("echo show(", "), \"\\n\";\n");
        }
        self.put("restore_error_handler(); unset($g, $w, $r, $t, $o, $p, $x, $y, $l, $k, $h, $e); P::$list = []; echo P::$n, \" end\\n\";\n");
    }

    fn starts(&mut self) {
        for _ in 0..4 + self.random.below(12) {
            let start = self.one_of(&STARTS);
            self.fill(start, 0);
        }
    }

    /// What a function has when it ends.
    fn result(&mut self, before: &str, after: &str) {
        self.put(before);
        self.put("[[$i ?? 0, $j ?? 0, $n ?? 0, $x ?? 0, $y ?? 0], [$f ?? 0, $g0 ?? 0, $s ?? 0, $t ?? 0, $r ?? 0], ");
        self.put("[$l ?? 0, $k ?? 0, $h ?? 0, $e ?? 0], [$o ?? 0, $p ?? 0]]");
        self.put(after);
    }

    fn function(&mut self) {
        let number = self.functions;
        self.in_method = self.chance(30);
        self.is_generator = self.chance(15);
        let parent = self.one_of(&["P", "Q", "R", "H"]);
        if self.in_method {
            let _ = write!(self.text, "class C{number} extends {parent} {{ ");
        }
        let reference = if !self.is_generator && self.chance(6) {
            "&"
        } else {
            ""
        };
        let head = self.one_of(&HEADS);
        let _ = write!(
            self.text,
            "function {reference}k{number}({head}) {{ if (--P::$fuel < 0) return 0; "
        );
        self.starts();
        let size = 12 + self.random.below(40);
        self.looped(size as i32);
        if self.chance(30) {
            let size = 4 + self.random.below(12);
            self.looped(size as i32);
        }
        self.result("$x = ", "; return $x; }\n");
        if self.in_method {
            let _ = write!(
                self.text,
                "}}\nfunction k{number}(...$a) {{ static $o; $o ??= new C{number}; return $o->k{number}(...$a); }}\n"
            );
        }
        (self.in_method, self.is_generator) = (false, false);
    }

    /// A loop with statements.
    fn looped(&mut self, budget: i32) {
        self.budget = budget;
        self.write_loop(3);
    }

    fn write_loop(&mut self, depth: u32) {
        let times = match self.loops {
            0 => 12 + self.random.below(50),
            _ => 2 + self.random.below(8),
        };
        let chosen = self.one_of(&LOOPS);
        // Labels and counters have the number of the loop; a label must not be used twice.
        let label = self.text.len();
        let chosen = chosen
            .replace("again@", &format!("again{label}"))
            .replace('@', &self.loops.to_string())
            .replace('#', &times.to_string());
        // Most go on behind an error.
        let chosen = match self.chance(60) {
            true => chosen.replacen(
                "%q",
                "try { %q} catch (Throwable $t) { if (%c & 1) { %x = 1; } } ",
                1,
            ),
            false => chosen,
        };
        let before = std::mem::replace(&mut self.in_switch, false);
        self.loops += 1;
        self.fill(&chosen, depth);
        self.loops -= 1;
        self.in_switch = before;
    }

    /// Calls what was written, in a loop of top-level code.
    fn drive(&mut self) {
        let number = self.random.below(self.functions);
        let times = 2 + self.random.below(12);
        let (first, other, more) = (
            self.one_of(&VALUES),
            self.one_of(&VALUES),
            self.one_of(&VALUES),
        );
        let same = self.random.below(times + 1);
        let call = self.one_of(&[
            "k#($v)",
            "k#($v, $r)",
            "k#($w, $v)",
            "k#($r, $v)",
            "k#($r, $v, [$v, $r])",
            "k#($v, ...[1, [2]])",
            "calls('k#', $v, 2)",
            "array_map('k#', [$v, $r])",
            "(fn() => k#($v))()",
            "k#($r)",
        ]);
        let call = call.replace('#', &number.to_string());
        let _ = write!(
            self.text,
            "P::$fuel = 120; for ($r = 0; $r < {times}; $r++) {{ try {{ $v = $r < {same} ? {first} : ($r & 1 ? {other} : {more}); "
        );
        let way = self.random.below(10);
        let _ = match way {
            0 => write!(
                self.text,
                "$fb = new Fiber(fn() => {call}); $y = $fb->start(); for ($a = 0; $a < 40 && !$fb->isTerminated(); $a++) {{ $y = $a == 33 ? $fb->throw(new DomainException('thrown')) : $fb->resume($y); }} echo show($fb->isTerminated() ? $fb->getReturn() : $y), \"\\n\"; $fb = null; "
            ),
            _ => write!(
                self.text,
                "$y = {call}; if ($y instanceof Generator) {{ $b = $y; for ($a = 0; $a < 60 && $b->valid(); $a++) {{ if ($a % 9 == 0) {{ echo show([$b->key(), $b->current()]), \"\\n\"; }} if ($a % 4 == 3) {{ $b->send($a); }} elseif ($a == 42) {{ $b->throw(new DomainException('thrown')); }} else {{ $b->next(); }} }} $y = $b->valid() ? 'open' : $b->getReturn(); $b = null; }} echo show($y), \"\\n\"; "
            ),
        };
        self.put("} catch (Throwable $t) { echo show($t), \"\\n\"; $t = null; $b = null; } ");
        if self.chance(20) {
            let handler = self.one_of(&HANDLER);
            let at = self.random.below(times);
            let _ = write!(
                self.text,
                "if ($r == {at}) {{ set_error_handler(function ($c, $m) {{ {handler} }}); }} "
            );
        }
        self.put("} $y = $v = null;\n");
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            self.budget -= 1;
            if self.budget < 0 {
                return;
            }
            if self.is_generator && self.chance(12) {
                let chosen = self.one_of(&[
                    "yield %E; ",
                    "%x = yield %I; ",
                    "yield %c => %E; ",
                    "yield; ",
                    "%x = yield from %A; ",
                    "yield from steps(%d, %x); ",
                    "%i += num(yield %i); ",
                    "try { yield %i; } finally { %Q} ",
                ]);
                self.fill(chosen, depth);
            } else if depth > 0 && self.chance(35) {
                match self.loops < 3 && self.chance(25) {
                    true => self.write_loop(depth - 1),
                    false => {
                        self.block(depth);
                    }
                }
            } else if self.chance(4) {
                let chosen = self.one_of(&[
                    "echo show(%E), \"\\n\"; ",
                    "echo show(%v), \"\\n\"; ",
                    "if (%c == %n) { echo show(get_defined_vars()), \"\\n\"; } ",
                ]);
                self.fill(chosen, 1);
            } else if self.in_method && self.chance(25) {
                let chosen = self.one_of(&[
                    "$this->x += %d; ",
                    "$this->any = %E; ",
                    "%x = $this->any; ",
                    "%i = $this->x; ",
                    "$this->l[] = %c; ",
                    "$this->x = %I; ",
                    "%x = $this->get(); ",
                    "$this->push(%E); ",
                    "static::$n++; ",
                    "%x = $this->l[%d] ?? %E; ",
                    "foreach ($this->l as $q) { %q} ",
                    "%o = $this; ",
                    "$this->f += %F; ",
                    "$this->any[%d] = %E; ",
                    "%x = $this->own(); ",
                    "%x = parent::get(); ",
                    "unset($this->any); ",
                    "%x = clone $this; ",
                    "$this->hid .= 'h'; ",
                    "$this->next = $this->chance ?? null; ",
                ]);
                self.fill(chosen, depth);
            } else {
                let chosen = self.one_of(&STATEMENTS);
                self.fill(chosen, depth.max(1));
            }
        }
    }

    /// Statements with others in them.
    fn block(&mut self, depth: u32) {
        let chosen = self.one_of(&BLOCKS);
        let before = self.in_switch;
        // PHP warns where `continue` means a switch.
        let chosen = match self.in_switch {
            true => chosen
                .replace("continue 2", "break")
                .replace("continue", "break"),
            false => chosen.to_owned(),
        };
        self.in_switch |= chosen.starts_with("switch");
        self.in_switch &= !chosen.starts_with("foreach");
        self.fill(&chosen, depth);
        self.in_switch = before;
    }

    /// An expression of a kind, in parentheses if it is not simple.
    fn expression(&mut self, of: &[&'static str], simple: &'static str, depth: u32) {
        let chosen = match depth {
            0 => simple,
            _ => self.one_of(of),
        };
        match chosen.contains(' ') && !chosen.starts_with('(') {
            true => {
                self.put("(");
                self.fill(chosen, depth.saturating_sub(1));
                self.put(")");
            }
            false => self.fill(chosen, depth.saturating_sub(1)),
        }
    }

    fn variable(&mut self, kind: &str) -> &'static str {
        // Now and then something of another kind.
        let kind = if self.chance(3) { "v" } else { kind };
        let names: &[&'static str] = match kind {
            "i" => &["$i", "$i", "$j", "$n"],
            "f" => &["$f", "$f", "$g0"],
            "s" => &["$s", "$s", "$t"],
            "l" => &["$l", "$l", "$k"],
            "h" => &["$h", "$h", "$e"],
            "o" => &["$o", "$o", "$p"],
            "x" => &["$x", "$x", "$y", "$z"],
            _ => &["$i", "$j", "$f", "$s", "$l", "$h", "$o", "$x", "$y", "$x"],
        };
        self.one_of(names)
    }

    /// Writes a template.
    fn fill(&mut self, template: &str, depth: u32) {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('%') {
            self.put(before);
            let (kind, behind) = after.split_at(after.len().min(1));
            rest = behind;
            match kind {
                "I" => self.expression(&NUMBERS, "%i", depth.min(2)),
                "F" => self.expression(&FLOATS, "%f", depth.min(2)),
                "S" => self.expression(&TEXTS, "%s", depth.min(2)),
                "A" => self.expression(&ARRAYS, "%l", depth.min(2)),
                "O" => self.expression(&OBJECTS, "%o", depth.min(1)),
                "E" => self.expression(&EXPRESSIONS, "%v", depth.min(2)),
                "L" => {
                    let chosen = self.one_of(&LITERALS);
                    self.put(chosen);
                }
                "q" => self.statements(depth.saturating_sub(1)),
                // Nothing that jumps, which is not allowed there.
                "Q" => self.statements(0),
                "k" => match self.functions {
                    0 => self.put("tower(4)"),
                    functions => {
                        let number = self.random.below(functions);
                        let call = self.one_of(&[
                            "k#(%x)",
                            "k#(%i, %x)",
                            "k#(%v, %v)",
                            "k#(%i)",
                            "k#(%x, 1, %l)",
                        ]);
                        self.fill(&call.replace('#', &number.to_string()), 0);
                    }
                },
                "c" => {
                    let text = match self.loops {
                        0 => String::from("1"),
                        loops => format!("$c{}", loops - 1 - self.random.below(loops.min(2))),
                    };
                    self.put(&text);
                }
                "d" => {
                    let number = self.random.below(6);
                    let _ = write!(self.text, "{number}");
                }
                "n" => {
                    let number = 3 + self.random.below(30);
                    let _ = write!(self.text, "{number}");
                }
                // A number of its own, and again.
                "u" => {
                    self.unique += 1;
                    let _ = write!(self.text, "{}", self.unique);
                }
                "U" => {
                    let _ = write!(self.text, "{}", self.unique);
                }
                // The operator of the same name.
                "%" => self.put("%"),
                "i" | "f" | "s" | "l" | "h" | "o" | "x" | "v" => {
                    let name = self.variable(kind);
                    self.put(name);
                }
                _ => {
                    self.put("%");
                    self.put(kind);
                }
            }
        }
        self.put(rest);
    }
}
