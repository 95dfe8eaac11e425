//! Programs whose loops do what they did on the turn before, until they do not: variables that a loop seems not to
//! change are changed through references, globals, static variables, properties, closures, destructors, error handlers
//! and functions that take them by reference; arrays change their kind; what was known is known no more.
//!
//! What the letters stand for (`templates.rs`): `v` a variable that most turns only read, `a` an array of that kind, `k` a key, `l` a
//! literal, `e` an expression, `r` what reads without changing anything, `f` a native function's call, `h` a change that happens seldom, `w`
//! what can be written to, `b` what stands in a loop, `s` statements, `t` when something happens, `o` an object, `m` what is compared in a `match`;
//! `q`, `y`, `x`, `z` a reader, value, writer and change of a small loop.

use std::fmt::Write;

use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
$fuel = 0;
function burn() { if (++$GLOBALS['fuel'] > 6000) { echo "\nout of fuel\n"; exit; } }
function show($v, $d = 0) {
    if (is_array($v)) { if ($d > 2) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 6) { $s .= '..' . count($v); break; } $s .= "$k=>" . show($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . '@' . $v->getLine() . ')';
    if ($v instanceof UnitEnum) return $v::class . '::' . $v->name;
    if ($v instanceof Closure || $v instanceof Generator) return get_class($v);
    if (is_object($v)) return strtok(get_class($v), "\0") . ($d > 1 ? '' : show(array_slice(get_mangled_object_vars($v), 0, 6), $d + 1));
    if (is_string($v)) return strlen($v) > 40 ? strlen($v) . md5($v) : "'" . addcslashes($v, "\0..\37\177..\377") . "'";
    return var_export($v, true);
}
function flat($v) { return is_array($v) || is_object($v) ? 1 : $v; }
function num($v) { return is_int($v) || is_float($v) ? $v : 2; }
function text($v) { return is_string($v) ? substr($v, 0, 12) : (is_scalar($v) ? "t$v" : 'text'); }
function lists($v) { return is_array($v) ? array_slice($v, 0, 8, true) : [$v, 'k' => 'v', 7]; }
function turn(&$x, $by) { $x = $by; return 1; }
function add(&$x) { $x[] = 5; if (count($x) > 14) $x = [1, 2]; return count($x); }
function touch_g($v) { $GLOBALS['g'] = $v; return $v; }
function touch_s($v = null) { static $s = 1; if ($v !== null) $s = $v; return $s; }
function &at(array &$x, $k) { return $x[$k]; }
function &global_ref() { return $GLOBALS['g']; }
function same($v) { return $v; }
function thrice($n) { for ($i = 0, $s = 0; $i < 3; $i++) { $s += num($n); } return $s; }
function upto($n) { for ($i = 0; $i < $n; $i++) { $got = yield $i; if ($got) $n = $got; } return $n; }
function fails($v) { if ($v === 6 || $v === 'k') throw new DomainException('fails'); return $v; }
class P { public $x = 1; public $y; public int $i = 2; public ?string $s = 'p'; public array $l = [1, 2, 3]; public static $n = 0; public static int $t = 3; public static $list = [1, 2]; const C = 4; const L = ['k' => 1, 2];
    function __construct($x = 1, $y = null) { $this->x = $x; $this->y = $y; } function x() { return $this->x; } function set($v) { $this->x = $v; return $this; } function &ref() { return $this->x; } function inc() { return ++$this->i; } static function bump($n = 1) { return static::$n += $n; }
    function sum() { $s = 0; foreach ($this->l as $v) { $s += num($v); } return $s; } function grow($v) { $this->l[] = $v; if (count($this->l) > 12) $this->l = [1]; } }
class T { public function __construct(public int $i, public ?float $f = 0.5, protected readonly array $l = [1], public string $s = 'd') {} function l() { return $this->l; } }
class U extends T { public $extra = [1]; function __construct($i, ...$more) { parent::__construct(num($i), ...$more); $this->extra[] = $i; } }
class A3 { private $a = 1; private $b = 'b'; private ?A3 $c; function __construct($a, $b = [], ?A3 $c = null) { $this->a = $a; if ($b) { $this->b = $b; } $this->c = $c; } function all() { return [$this->a, $this->b, $this->c?->a]; } }
class Raw { public int $never; public $some = self::K; const K = [1, 2]; function __construct(&$x = null, int|string $y = 3) { $x = $y; $this->never = num($y); } }
class Bad { public $v; function __construct($v) { $this->v = $v; if ($v === 5) throw new LogicException('bad'); } function __destruct() { P::$n++; } }
class D { public $to; function __construct($to = 0) { $this->to = $to; } function __destruct() { switch ($this->to) { case 1: $GLOBALS['g'] = 'from D'; break; case 2: P::$list = ['d' => 1]; break; case 3: P::$n = 1.5; break; case 4: throw new LogicException('gone'); case 5: $GLOBALS['ga'] = 'no array'; break; case 6: $GLOBALS['o']->x = [1]; break; case 7: touch_s('D'); break; } echo '~'; } }
class M { private $d = ['x' => 1]; function __get($n) { P::$n++; return $this->d[$n] ?? $n; } function __set($n, $v) { $this->d[$n] = $v; } function __call($n, $a) { return count($a); } function __toString() { return 'M'; } }
class H { public $x { get => $this->x; set { $this->x = is_int($value) ? $value + 1 : $value; } } public $y { get => P::$n; } public int $i = 1; public $l = []; function __construct($x = 0) { $this->x = $x; } function x() { return $this->x; } function set($v) { $this->x = $v; return $this; } function inc() { return $this->i++; } }
class W implements Iterator { private $i = 0; function __construct(public $end = 4) {} function current(): mixed { return $this->i; } function key(): mixed { return "w$this->i"; } function next(): void { $this->i++; } function rewind(): void { $this->i = 0; } function valid(): bool { return $this->i < num($this->end); } }
enum E: int { case A = 1; case B = 2; function next() { return $this === self::A ? self::B : self::A; } }
"#;

const HANDLERS: &[&str] = &[
    "return true;",
    "echo \"! $m\\n\"; return true;",
    "$GLOBALS['g'] = $m; return true;",
    "P::$n = 'handled'; P::$list[] = 1; return true;",
    "static $c = 0; if (++$c % 4 == 0) throw new ErrorException($m); return true;",
    "$GLOBALS['ga']['h'] = 1; return true;",
    "if (isset($GLOBALS['o'])) $GLOBALS['o']->x = 'handled'; return true;",
    "new D(1); return true;",
];

const VARIABLES: &[&str] = &[
    "$a", "$b", "$n", "$s", "$o->x", "$g", "P::$n", "$st", "$x", "$y", "$f",
];
const ARRAYS: &[&str] = &[
    "$l", "$l", "$h", "$o->l", "$ga", "P::$list", "$this->l", "$m",
];
const OBJECTS: &[&str] = &["$o", "$o", "$p", "$this"];
const KEYS: &[&str] = &[
    "0", "1", "2", "$i", "$i", "$k", "'k'", "$n", "$i & 3", "'1'", "$s", "-1", "$i % 5", "'x'",
    "1.5", "true", "null",
];
const LITERALS: &[&str] = &[
    "0",
    "1",
    "3",
    "-1",
    "1.5",
    "'a'",
    "'5'",
    "''",
    "null",
    "true",
    "false",
    "[]",
    "[1, 2]",
    "['k' => 1]",
    "PHP_INT_MAX",
    "P::C",
    "P::L",
    "E::A",
    "'12 x'",
    "-0.0",
    "INF",
];
const READS: &[&str] = &[
    "$t += num(§v); ",
    "$t += num(§v) * 2; ",
    "$t += count(lists(§v)); ",
    "if (is_array(§a)) { $t += count(§a); } ",
    "$t += num(§a[§k] ?? 1); ",
    "$t += num(§a[§k]); ",
    "$u .= text(§v); ",
    "$u = text($u . §v); ",
    "$t += §v; ",
    "$t += §v + $i; ",
    "$t -= §v * $i; ",
    "$t = $t + §a[§k]; ",
    "$t += §o->x; ",
    "$t += num(§o->x); ",
    "$t += §o->i; ",
    "$t += §o->i * §o->i + num(§o->x()); ",
    "$t += num(§o->sum()); ",
    "$t += thrice(§v); ",
    "$u = §o->s . §v; ",
    "if (§v) { $t++; } else { $t--; } ",
    "if (§v === §l) { $t += 2; } ",
    "if (§v == §l) { $t += 2; } ",
    "if (§v < §n) { $t += 3; } ",
    "if (isset(§a[§k])) { $t += 4; } ",
    "if (empty(§o->x)) { $t += 5; } ",
    "if (§v instanceof P) { $t += §v->i; } ",
    "$z = §v; ",
    "$z = §a[§k] ?? null; ",
    "$z = §r; ",
    "foreach (§a as $e) { $t += num($e); } ",
    "foreach (§a as $q => $e) { $u = $q . text($e); } ",
    "foreach (lists(§v) as $e) { $t++; } ",
    "$t += strlen($s) + ord($s); ",
    "$t += is_int(§v) ? §v : 1; ",
    "$t += is_float(§v) ? 0.5 : 1; ",
    "$z = \"$i:{$k}\" . §v; ",
    "$t += num($c($i)); ",
    "$t += num(same(§v)); ",
    "$z = §f; ",
    "$z = §f; ",
    "$z = §f; ",
    "$z = match (§m) { 0, 1 => 'one', 2 => §e, 'a' => 5, 3, 4, 5 => §r, default => $i }; ",
    "$z = match (§m) { 'k' => 1, 'a' => §e, '1' => 2, 'text' => §r, default => 'none' }; ",
    "$z = match (true) { is_int(§v) => 'int', §v === null => 'null', default => 'other' }; ",
    "$z = match (§m) { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0 => $i, 'a', 'b' => 'text' }; ",
];
const MATCHED: &[&str] = &[
    "$i",
    "$i & 7",
    "§v",
    "§v",
    "$k",
    "$i % 3",
    "text(§v)",
    "§a[§k] ?? 1",
    "(string) $i",
    "$i / 2",
    "$i > 3 ? 'a' : $i",
];
const PURE: &[&str] = &[
    "§v",
    "§v",
    "§l",
    "§a",
    "§a[§k] ?? §l",
    "§o->x",
    "$i",
    "$k",
    "$i + 1",
    "§v . $i",
    "[$i, §v]",
    "$this->x ?? 0",
    "§o->l",
    "(array) §v",
    "§o->x()",
    "P::C",
    "$k . 'lit'",
    "'a' . $k . 1",
    "(int) $k",
    "(float) $s",
    "(int) '12abc'",
    "['k' => §v, $i]",
    "!§v",
    "-num(§v)",
];
const NATIVE: &[&str] = &[
    "strlen(§r)",
    "count(§r)",
    "ord(§r)",
    "chr(§r)",
    "abs(§r)",
    "min(§r, $i)",
    "max($i, §r)",
    "min(§r)",
    "intdiv(num(§r), §n)",
    "str_repeat(text(§r), §n)",
    "in_array(§r, §a)",
    "in_array(§r, §r, true)",
    "array_key_exists(§k, §a)",
    "array_key_exists(§r, §r)",
    "is_int(§r)",
    "is_numeric(§r)",
    "is_string(§r)",
    "substr(§r, §n)",
    "substr($s, $i, §n)",
    "strpos(§r, 'x')",
    "strpos($s, $k)",
    "implode(',', §r)",
    "implode(§r, [1, 2])",
    "explode(',', §r)",
    "str_replace('a', 'b', §r)",
    "array_keys(§r)",
    "array_merge(§r, §r)",
    "array_sum(§r)",
    "array_slice(§a, 1, 2)",
    "array_slice(§r, §n)",
    "round(§r, 1)",
    "floor(§r)",
    "sqrt(§r)",
    "dechex(§r)",
    "md5(§r)",
    "ucfirst(§r)",
    "trim(§r)",
    "strtoupper(§r)",
    "strcmp(§r, §r)",
    "intval(§r)",
    "floatval(§r)",
    "boolval(§r)",
    "gettype(§r)",
    "get_debug_type(§r)",
    "array_pop(§a)",
    "array_push(§a, §r)",
    "array_shift(§a)",
    "sort(§a)",
    "strlen(string: §r)",
    "count(...[§r])",
    "max(...lists(§r))",
    "str_pad(§r, 5, 'p')",
    "sprintf('%s|%d', text(§r), num(§r))",
    "number_format(num(§r), 2)",
    "array_flip(lists(text(§r)))",
    "range(0, §n)",
    "array_search(§r, §a)",
    "array_reverse(§r)",
    "array_map('flat', §r)",
    "array_map(fn($q) => §r, lists(§r))",
    "array_filter(§r)",
    "usort($m, fn($p, $q) => num($p) <=> num($q))",
    "is_callable(§r)",
    "method_exists(§r, 'x')",
    "get_class(§o)",
    "spl_object_id(new P) > 0",
    "func_get_args()",
    "func_num_args()",
    "strrev(§r)",
    "str_contains(§r, §r)",
    "fmod(§r, 2)",
    "$fn(§r)",
    "$fn(...)(§r)",
    "call_user_func($fn, §r)",
    "is_null(§r)",
    "array_key_last(§a)",
    "array_product(§r)",
    "ctype_digit(§r)",
    "array_walk($m, function (&$q) use (&$a) { $q = $a; $a = 1; })",
    "preg_replace('/a/', 'b', §r)",
    "array_unique(§r)",
    "str_split(text(§r), 2)",
    "json_encode(§r)",
    "nl2br(§r)",
    "array_fill(0, §n, §r)",
];
const CHANGES: &[&str] = &[
    "§w = §e; ",
    "§w = §e; ",
    "§w = §l; ",
    "§w = §l; ",
    "$ra = §e; ",
    "$ro = §e; ",
    "$rl = §e; ",
    "$re = §e; ",
    "$rl[] = §e; ",
    "$rl['k'] = §e; ",
    "turn(§w, §e); ",
    "turn($a, §l); ",
    "turn($o->x, §l); ",
    "turn($l[1], §l); ",
    "touch_g(§e); ",
    "touch_s(§e); ",
    "$in(§e); ",
    "$in(§l); ",
    "$st = §e; ",
    "P::$n = §e; ",
    "P::$list = §e; ",
    "P::$list[§k] = §e; ",
    "$GLOBALS['g'] = §e; ",
    "$GLOBALS['ga'][§k] = §e; ",
    "$gr = &global_ref(); $gr = §l; ",
    "$$vv = §e; ",
    "extract(['a' => §l, 'n' => §e]); ",
    "eval('$a = 7; $s = \"ev\";'); ",
    "$d = null; ",
    "$d = new D(§n); ",
    "new D($i & 7); ",
    "$l['d'] = new D(§n); ",
    "unset($l['d']); ",
    "$o->y = new D(§n); ",
    "$o->y = null; ",
    "add($l); ",
    "add(§a); ",
    "§a[] = §e; ",
    "§a['k'] = §e; ",
    "§a[§k] = §e; ",
    "unset(§a[§k]); ",
    "unset(§w); ",
    "§a[5] = $i; ",
    "§a = array_reverse(§a); ",
    "sort(§a); ",
    "$o = §l; ",
    "$o = new P(§e); ",
    "$o = new H(§e); ",
    "$o = new M; ",
    "$p = $o; ",
    "$o->i = §e; ",
    "$o->s = §e; ",
    "unset($o->x); ",
    "$o->grow(§e); ",
    "$c = fn($q) => §e; ",
    "$c = $c === 'num' ? 'flat' : 'num'; ",
    "$k = §l; ",
    "$k = 'k'; ",
    "$n = §e; ",
    "$s = §e; ",
    "$f = §l; ",
    "$fn = 'text'; ",
    "$a = &$o->x; ",
    "$a = &$b; ",
    "$n = &$l[0]; ",
    "$g = &$s; ",
    "$l = &$o->l; ",
    "$x = &at($l, 1); ",
    "$l2 = $l; $l2[] = 1; ",
    "$z = $i / 0; ",
    "$z = $undefined; ",
    "$z = $l[99]; ",
    "throw new DomainException('turn'); ",
    "return [$i, $t, $u, $z]; ",
    "$i += 2; ",
    "$t = 'str'; ",
    "$t = PHP_INT_MAX - 2; ",
    "$t = 0.5; ",
    "$u = 5; ",
    "set_error_handler(fn($c, $m) => turn($GLOBALS['g'], $m) === 1); ",
    "restore_error_handler(); ",
];
const WRITTEN: &[&str] = &[
    "$a",
    "$b",
    "$n",
    "$s",
    "$x",
    "$y",
    "$l",
    "$h",
    "$o->x",
    "$o->l",
    "$l[§k]",
    "$h['k']",
    "$g",
    "P::$n",
    "$st",
    "$z",
    "$f",
    "$l[0][§k]",
    "$this->x",
    "$k",
];
const EXPRESSIONS: &[&str] = &[
    "§r",
    "§r",
    "§l",
    "§l",
    "$i * §n",
    "num(§v) + $i",
    "flat(§v) . 'e'",
    "[§r, §l]",
    "new P(§r)",
    "new P($i, §v)",
    "new T($i)",
    "new T(num(§r), f: $i, s: text(§v))",
    "new U(§r, 1.5)",
    "(new A3(§r, §r))->all()",
    "(new A3($i, §v, new A3($i)))->all()",
    "(new T($i, l: lists(§r)))->l()",
    "new Raw($a, $i)",
    "new Raw",
    "new Bad($i)",
    "new Bad(§r)",
    "new T(§r)",
    "new T(§r, §r)",
    "clone $o",
    "$o->set(§r)",
    "$o->inc()",
    "P::bump()",
    "P::bump($i)",
    "$n++",
    "++$a",
    "$b--",
    "$o->i++",
    "$l[0]++",
    "$t .= 'x'",
    "(§v ?? §r)",
    "(§v ?: §r)",
    "iterator_to_array(upto(§n))",
    "(function () use (&$a) { return $a = §r; })()",
    "fails($i)",
    "fails(§v)",
    "E::from(1)->next()",
    "E::tryFrom($i)",
    "§f",
    "§f",
    "new class(§r) extends P { public $z = 1; }",
    "($x = §r)",
    "($a = $b = §l)",
    "$l + $h",
    "$a <=> $b",
    "$a ** 2",
    "$i % 3",
    "$a & 7",
    "$n << 2",
    "[...$l, ...$h]",
    "new H($i)",
    "(object) ['x' => §r]",
    "new stdClass",
    "new DateTime('2020-01-01')",
    "new ArrayObject($l)",
    "touch_s()",
    "static fn() => 1",
];
const SELDOM: &[&str] = &[
    "$i == 7",
    "$i == 11",
    "$i === 16",
    "$i > 18",
    "$i % 9 == 8",
    "$j == 2",
    "$i == $at",
    "$i == $at + 3",
    "++$count == 30",
    "$i & 8",
];
const BODIES: &[&str] = &[
    "§R",
    "§R",
    "§R",
    "§R",
    "§R",
    "if (§t) { §h} ",
    "if (§t) { §h} ",
    "if (§t) { §h} ",
    "if (§t) { §h} ",
    "if (§t) { §h§h} ",
    "if (§t) { continue; } ",
    "if (§t) { break; } ",
    "§w = §e; ",
    "$z = §e; ",
    "$l[§k] = §e; ",
    "$l[] = $i; if (count((array) $l) > 12) { $l = [1, 2]; } ",
    "$h[$s] = $i; ",
    "$h[text(§v)][] = $i; if (count((array) $h) > 6) { $h = ['k' => 1]; } ",
    "$o->x = §e; ",
    "$o->i += 1; ",
    "$this->x = §r; ",
    "$this->i++; ",
    "P::$n++; ",
    "P::$t += §n; ",
    "$g++; ",
    "$st++; ",
    "$a++; ",
    "$t += thrice($i); ",
    "for ($j = 0; $j < 4; $j++) { burn(); §s} ",
    "for ($j = 0; $j < 4; $j++) { burn(); §s if (§t) { continue 2; } §R} ",
    "for ($j = 0; $j < 4; $j++) { burn(); §R if (§t) { break 2; } §s} ",
    "foreach (§a as $e) { burn(); §s for ($j = 0; $j < 3; $j++) { if (§t) { continue 3; } if (§t) { break 2; } §R } } ",
    "for ($j = 0; $j < count((array) §a); $j++) { burn(); $t += num(§a[$j] ?? 1); if (§t) { §h} } ",
    "for ($j = 0; $j < $n && $j < 9; $j++) { burn(); §s} ",
    "for ($j = 4; $j > 0; $j--) { burn(); try { §s} finally { $count++; } } ",
    "$j = 0; while ($j++ < 3) { burn(); §s} ",
    "foreach (§a as $k => $e) { burn(); §s} ",
    "foreach (§a as $e) { burn(); $t += num($e); if (§t) { §h} } ",
    "foreach ($l as $j => &$re) { burn(); §s if ($j > 5) break; } ",
    "foreach ($l as &$re) { burn(); $re = §r; if (count((array) $l) > 12) break; } unset($re); ",
    "foreach (upto(§n) as $j) { burn(); §s} ",
    "foreach (new W(§n) as $e => $j) { burn(); §s} ",
    "foreach ([[1, [2]], [3, [§r]]] as [$x, [$y]]) { burn(); §s} ",
    "try { §s} catch (DomainException | TypeError $ex) { $t++; $ex = null; } ",
    "try { §s} catch (Throwable $ex) { $u = get_class($ex); $ex = null; } ",
    "try { §s} finally { $count++; §w = §r; } ",
    "try { if (§t) { continue; } §s} finally { §R } ",
    "try { if (§t) { throw new DomainException('b'); } §s} catch (DomainException $ex) { §h $ex = null; } finally { $count += 2; } ",
    "switch ($i & 7) { case 0: §s case 1: §s break; case 2: $t++; continue 2; case 3: case 4: §R break; default: §s} ",
    "switch (§m) { case 1: §s break; case 2: §R case 'a': $t += 3; break; case null: $t--; break; case 5: §R break; default: $u = 'd'; } ",
    "switch (§m) { case 'k': §R break; case 'a': §s break; case '1': $t += 5; break; case '': $t -= 5; break; case 'text': $u = 'is text'; } ",
    "switch ($i) { case 0: case 1: case 2: $t++; break; case 3: case 4: case 5: §h break; case 6: §s break; case 12: §s break; } ",
    "$ge ??= upto(30); $z = $ge->current(); $ge->next(); ",
    "if ($i & 1) { §s} else { §s} ",
    "if (is_int(§v)) { §s} else { §R} ",
    "goto g§#; $t = 'skipped'; g§#: ",
    "[$x, $y] = [§r, §r]; ",
    "['k' => $x] = $h; ",
    "[$a, $b] = [$b, $a]; ",
    "echo show(§v), ' '; ",
];
/// Small loops, of which nearly nothing is left if what they do not change is read in front of them. They need no
/// fuel: only they write to their counters.
const TIGHT: &[&str] = &[
    "for ($i = 0; $i < §T; $i++) { §q§q if (§z) { §h} §q} ",
    "for ($i = 0; $i < §T; $i++) { §q if (§z) { §h} } ",
    "for ($i = 0; $i < §T; $i++) { §q§x§q} ",
    "for ($i = 0; $i < §T; $i++) { §q§x if (§z) { §h} } ",
    "for ($i = 0; $i < §T; $i++) { for ($j§# = 0; $j§# < 5; $j§#++) { §q§q if (§z) { §h} } §q} ",
    "for ($i = 0; $i < §T; $i++) { for ($j§# = 0; $j§# < 5; ++$j§#) { §q§x if (§z) { continue 2; } §q} } ",
    "$i = 0; while ($i < §T) { §q§q if (§z) { §h} $i++; } ",
    "$i = §T; do { §q§x if (§z) { §h} } while (--$i > 0 && ++$count < 90); ",
    "foreach (range(1, §T) as $i) { §q§q if (§z) { §h} §x} ",
    "for ($i = 0; $i < §T; $i++) { try { §q§q if (§z) { §h} } finally { §x} } ",
    "for ($i = 0; $i < §T; $i++) { try { §q§x if (§z) { throw new DomainException('tight'); } } catch (DomainException $ex) { §h $ex = null; } } ",
    "for ($i = 0; $i < §T; $i++) { switch ($i & 3) { case 0: §q break; case 1: §x case 2: §q break; default: §q} if (§z) { §h} } ",
    "for ($i = 0; $i < §T; $i++) { $t += match ($i & 3) { 0 => §y, 1 => §y + 1, default => 2 }; if (§z) { §h} §q} ",
];
const TIGHT_READS: &[&str] = &[
    "$t += §y; ",
    "$t += §y; ",
    "$t += §y + §y; ",
    "$t = $t + §y * 2; ",
    "if (§y > 3) { $t++; } else { $t += 2; } ",
    "if (§y) { $t += §y; } ",
    "if (is_int($a)) { $t += $a; } else { $t -= 1; } ",
    "$z = §y; ",
    "if ($i > 4) { $t += §y; } ",
    "if (isset($l[$n])) { $t += 1; } ",
    "if (isset($h['k'])) { $t += 1; } ",
    "if (isset($o->y)) { $t += 1; } ",
    "if ($z === null) { $t += 1; } ",
    "if ($k === 'k') { $t += 1; } ",
    "$z = $k . 'z'; ",
    "$z = [§y, $i]; ",
    "foreach ($l as $e) { $t += num($e); } ",
    "$t ^= 5; ",
    "$t += (int) ('12' . $n); ",
    "$z = new P($i, §y); $t += num($z->x); ",
    "$z = (new A3($a, $i))->all(); ",
    "$t += thrice($n); ",
];
const TIGHT_VALUES: &[&str] = &[
    "$a",
    "$b",
    "$n",
    "$o->x",
    "$o->i",
    "$p->i",
    "$this->i",
    "$this->x",
    "$l[0]",
    "$l[1]",
    "$l[$n]",
    "$l[$i & 1]",
    "$h['x']",
    "$h[$k]",
    "count($l)",
    "strlen($s)",
    "ord($s)",
    "$st",
    "$g",
    "P::$n",
    "P::$t",
    "P::C",
    "$o->x()",
    "$this->l[1]",
    "$o->l[$n]",
    "abs($a)",
    "min($n, $i)",
    "max($a, 2)",
    "same($n)",
    "$ga[0]",
    "$m[1]",
    "$f",
    "$ra",
    "$ro",
    "$x",
    "intdiv(9, $n)",
    "$i",
    "$i * 2",
    "$l[$i]",
    "$h['none'] ?? 1",
    "$o->none ?? 2",
    "$l[7] ?? 3",
];
/// What small loops write on every turn.
const TIGHT_WRITES: &[&str] = &[
    "",
    "$l[0] = $i; ",
    "$l[1] = $t; ",
    "$l[$i & 3] = $i; ",
    "$l[] = $i; ",
    "$h['x'] = $i; ",
    "$h['k'] = $i; ",
    "$o->x = $i; ",
    "$o->i = $i; ",
    "$o->i++; ",
    "$this->i++; ",
    "$this->x = $i; ",
    "$p->x = $t; ",
    "$a = $i; ",
    "$b += 1; ",
    "$ra = $i; ",
    "$ro = $i; ",
    "$rl = $i; ",
    "$rl[1] = $i; ",
    "$g = $i; ",
    "$st++; ",
    "P::$n++; ",
    "P::$t = $i; ",
    "$ga[0] = $i; ",
    "$GLOBALS['g'] = $i; ",
    "turn($x, $i); ",
    "turn($l[1], $i); ",
    "$in($i); ",
    "touch_g($i); ",
    "$o->l[1] = $i; ",
    "$x = $i; ",
    "$m[1] = $i; ",
    "$d = new D($i & 7); ",
    "$u .= 'x'; ",
    "$n = $i & 3; ",
    "unset($x); ",
    "$h[$i] = 1; ",
    "$l = [$i, 2]; ",
    "$s = 'new'; ",
];
const TIGHT_SELDOM: &[&str] = &[
    "$i == 12",
    "$i === 15",
    "$i > 21",
    "$i == $at",
    "$i % 11 == 10",
    "$i == 3",
    "$t > 400",
];
/// What is done before a loop, so that some of its variables are something else's, too.
const ALIASES: &[&str] = &[
    "",
    "",
    "$ra = &$a; ",
    "$ra = &$n; ",
    "$ra = &$s; ",
    "$ro = &$o->x; ",
    "$ro = &$o; ",
    "$rl = &$l; ",
    "$rl = &$l[1]; ",
    "$re = &$l['k']; ",
    "$a = &$l[0]; ",
    "$a = &$o->x; ",
    "$rl = &$o->l; ",
    "$n = &$GLOBALS['g']; ",
    "$l = &P::$list; ",
    "$g = &$a; ",
    "global $g; ",
    "global $ga; ",
    "global $o; $o ??= new P(1); ",
    "static $st = 2; ",
    "static $sb = [1]; $st = &$sb; ",
    "$in = function ($v) use (&$a, &$l, &$s) { $a = $v; if (is_int($v)) { $l[] = $v; } else { $s = 'in'; } }; ",
    "$in = function ($v) use (&$n, &$h, $o) { $n = $v; $h['in'] = $v; if (is_object($o)) $o->x = $v; }; ",
    "$in = fn($v) => $GLOBALS['g'] = $v; ",
    "$d = new D(§n); ",
    "$l[3] = new D(§n); ",
    "$h = ['k' => new D(1), 'x' => 2]; ",
    "$l = range(1, 5); ",
    "$l = ['k' => 1, 'x' => 2, 3]; ",
    "$l = [1.5, 2.5, 3.5]; ",
    "$l = ['a', 'b', 'c']; ",
    "$l = [[1, 2], [3], [4]]; ",
    "$l = [new P(1), new P(2)]; ",
    "$o = new H(3); ",
    "$o = new P(2.5); ",
    "$o = new P('t', [1]); ",
    "$o = new M; ",
    "$p = $o; ",
    "$p = clone $o; ",
    "$s = '12'; ",
    "$k = 1; ",
    "$fn = 'count'; ",
];
const LOOPS: &[&str] = &[
    "for ($i = 0; $i < §T; $i++) { burn(); §s} ",
    "for ($i = 0; $i < §T; $i++) { burn(); §s§s} ",
    "for ($i = 0; $i < §T; ++$i) { burn(); §s§s} ",
    "$i = -1; while (++$i < §T) { burn(); §s§s} ",
    "$i = 0; do { burn(); §s§s} while (++$i < §T); ",
    "$i = 0; while (true) { burn(); if (++$i > §T) break; §s§s} ",
    "for ($i = §T; $i > 0; $i--) { burn(); §s§s} ",
    "foreach (range(0, §T) as $i) { burn(); §s§s} ",
    "foreach (upto(§T) as $i) { burn(); §s§s} ",
    "for ($i = 0, $end = §T; $i < $end; $i++) { burn(); §s§s if ($i == 9) { $end = 24; } } ",
];
const TIMES: &[&str] = &["20", "28", "24", "33"];
const HEADS: &[&str] = &[
    "$a = 1, $b = 2",
    "$a, $b = 'b'",
    "&$a, $b = 1.5",
    "int $a = 3, ?int $b = null",
    "$a = [1, 2], ...$b",
    "$a, &$b = 5",
    "int|string|array|object|float|bool|null $a = 4, mixed $b = 'q'",
];
const VALUES: &[&str] = &[
    "$w",
    "1",
    "'v'",
    "[$w, 'k' => 1]",
    "null",
    "1.5",
    "new P($w)",
    "'7'",
    "E::B",
    "PHP_INT_MAX - 12",
    "true",
    "$g",
    "new D(1)",
    "\"s$w\"",
    "[[1], [2]]",
];

/// Makes the text of a program.
#[derive(Debug)]
pub struct Turns {
    templates: Templates,
}

impl Turns {
    /// The program of a number.
    pub fn program(number: u64) -> String {
        let parts = vec![
            part('e', &[EXPRESSIONS]).parenthesised(),
            part('r', &[PURE]).parenthesised(),
            part('s', &[BODIES]).several(),
            part('h', &[CHANGES]),
            part('R', &[READS]),
            part('f', &[NATIVE]),
            part('v', &[VARIABLES]),
            part('a', &[ARRAYS]),
            part('o', &[OBJECTS]),
            part('k', &[KEYS]),
            part('l', &[LITERALS]),
            part('m', &[MATCHED]),
            part('w', &[WRITTEN]),
            part('t', &[SELDOM]),
            part('T', &[TIMES]),
            part('q', &[TIGHT_READS]).several(),
            part('y', &[TIGHT_VALUES]),
            part('x', &[TIGHT_WRITES]),
            part('z', &[TIGHT_SELDOM]),
        ];
        let mut turns = Turns {
            templates: Templates::new(number ^ 0x4_0000_0000, 0..6, parts),
        };
        turns.write();
        turns.templates.text
    }

    fn write(&mut self) {
        if self.templates.random.below(10) == 0 {
            self.templates.put(" declare(strict_types=1);");
        }
        self.templates.put(PRELUDE);
        let handler = *self.templates.random.choose(HANDLERS);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.templates.text,
            "set_error_handler(function ($c, $m) {{ burn(); {handler} }});\n$g = 1; $ga = [1, 'k' => 2]; $o = new P(3);"
        );
        let functions = 1 + self.templates.random.below(2);
        for number in 0..functions {
            self.function(number);
        }
        for number in 0..functions {
            self.drive(number);
        }
        if self.templates.random.below(4) == 0 {
            // Top-level code, whose variables are known by name.
            self.templates
                .put("$a = 1; $b = 2; class Here extends P { function run() {");
            self.body();
            self.templates.put("return [$t, $u, $z]; } }\ntry { echo show((new Here)->run()), \"\\n\"; } catch (Throwable $ex) { echo show($ex), \"\\n\"; $ex = null; }\n");
        }
        self.templates.put("restore_error_handler(); unset($va, $vb, $g, $ga, $o, $t, $ex); echo show([P::$n, P::$list, P::$t]), \" end\\n\"; P::$list = [];\n");
    }

    fn function(&mut self, number: usize) {
        let head = *self.templates.random.choose(HEADS);
        // Writing to a string does not fail.
        let _ = match self.templates.random.below(3) {
            0 => write!(
                self.templates.text,
                "class C{number} extends P {{ function run({head}) {{ "
            ),
            1 => write!(
                self.templates.text,
                "class C{number} extends H {{ function run({head}) {{ "
            ),
            _ => write!(
                self.templates.text,
                "class C{number} extends P {{ public $free = 1; function run({head}) {{ "
            ),
        };
        self.body();
        self.templates
            .put("return [[$a, $b, $n, $s, $x], [$t, $u, $z], [$l, $h], $o ?? null]; } }\n");
        let _ = writeln!(
            self.templates.text,
            "$f{number} = (new C{number})->run(...);"
        );
    }

    /// Variables, what else they are, and loops.
    fn body(&mut self) {
        self.templates.put("burn(); $a ??= 0; $b ??= 0; $n = 3; $s = 'abc'; $x = $y = $z = $d = null; $f = 0.5; $t = 0; $u = ''; $k = 'k'; $l = [1, 2, 3]; $h = ['k' => 'v', 'x' => 1]; $m = [3, 1]; $o = new P(1); $p = $o; $st = 1; $count = 0; $at = 13; $j = 0; $vv = 'n'; $c = 'num'; $fn = 'strlen'; $in = fn($v) => $v; $g = 5; $ga = [1]; $i = 0; ");
        let mut chosen = Vec::new();
        for _ in 0..self.templates.random.below(5) {
            chosen.push(*self.templates.random.choose(ALIASES));
        }
        // No static variable is declared twice.
        chosen.sort_unstable();
        chosen.dedup();
        for alias in chosen {
            self.templates.write(alias, 1, 1);
        }
        for _ in 0..1 + self.templates.random.below(2) {
            let goes_on = self.templates.random.below(2) == 0;
            if goes_on {
                self.templates.put("try { ");
            }
            let kind = self.templates.random.below(5);
            let chosen = *self.templates.random.choose(match kind {
                0..3 => TIGHT,
                _ => LOOPS,
            });
            // Most go on behind an error in the loop.
            let chosen = match self.templates.random.below(3) {
                0 => chosen.replacen(
                    "§s",
                    "try { §s} catch (Throwable $ex) { $t = 1; $ex = null; } ",
                    1,
                ),
                _ => chosen.to_owned(),
            };
            let size = 20 + self.templates.random.below(60) as i32;
            self.templates.write(&chosen, size, 4);
            if goes_on {
                self.templates
                    .put("} catch (Throwable $ex) { echo show($ex), ' '; $ex = null; } ");
            }
        }
    }

    /// Calls a function with values of different types.
    fn drive(&mut self, number: usize) {
        let (first, other) = (
            *self.templates.random.choose(VALUES),
            *self.templates.random.choose(VALUES),
        );
        let times = 1 + self.templates.random.below(8);
        let same = self.templates.random.below(times + 1);
        let call = *self.templates.random.choose(&[
            "($vb)",
            "($vb)",
            "($vb, $w)",
            "(...[$vb])",
            "($vb, $vb)",
        ]);
        let _ = writeln!(
            self.templates.text,
            "for ($w = 0; $w < {times}; $w++) {{ try {{ $vb = $w < {same} ? {first} : {other}; echo show($f{number}{call}), \"\\n\"; }} catch (Throwable $ex) {{ echo show($ex), \"\\n\"; $ex = null; }} $fuel = 0; P::$list = [1, 2]; P::$n = 0; }}"
        );
    }
}
