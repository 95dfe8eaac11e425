//! Programs about where values come from and who takes them: strings, arrays and objects are read from properties, elements,
//! static properties, references, globals and results, on the way through `??`, `?:`, `?->`, `match` and casts, and given to
//! native functions, small functions, operators, array literals, properties, `foreach` and destructuring, or to nobody. On some
//! turns what stood there is something else, nothing at all, or the function that is called throws.
//!
//! What the letters stand for (`templates.rs`): `s` a string, `a` an array, `o` an object, `x` anything, `b` something that is only
//! asked for, `i` a number or key; `p`, `q`, `r` places that mostly hold a string, an array, an object (`R` one that can be
//! assigned to); `u` a statement, `w` one that writes, `Y` one in which the method may be left, by `Z`, `U` one that
//! assigns to what nobody reads; `h` a change that happens seldom, `t` when; `l` a literal.

use std::fmt::Write;

use super::skeleton;
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
$fuel = 0;
function burn() { if (++$GLOBALS['fuel'] > 9000) { echo "\nout of fuel\n"; exit; } }
function told($v, $d = 0) {
    if (is_array($v)) { if ($d > 2) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 5) { $s .= '..' . count($v); break; } $s .= "$k=>" . told($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . ')';
    if ($v instanceof Closure || $v instanceof Generator || $v instanceof UnitEnum) return get_class($v);
    if (is_object($v)) return get_class($v) . ($d > 1 ? '' : told(array_slice(get_mangled_object_vars($v), 0, 3), $d + 1));
    if (is_string($v)) return strlen($v) > 30 ? strlen($v) . md5($v) : "'" . addcslashes($v, "\0..\37\177..\377") . "'";
    return var_export($v, true);
}
function short($v) { return is_string($v) && strlen($v) > 40 ? substr($v, -20) : $v; }
function few($v) { return is_array($v) && count($v) > 12 ? array_slice($v, 0, 5) : $v; }
function made($i) { return 'made' . $i; }
function listed($i) { return ["a$i", 'k' => "k$i", 2 => ['k' => "in$i", "deep$i"]]; }
function same($v) { return $v; }
function first($v) { return $v[0] ?? null; }
function text(string $v): string { return $v; }
function size(array $v): int { return count($v); }
function name(P $v) { return $v->s; }
function fails($i, $v = null) { if ($i % 7 == 5) throw new DomainException("fails$i"); return $v ?? "kept$i"; }
function dropped($v) { $v = null; return 1; }
function put(&$v, $by) { $v = $by; return $v; }
function &at(array &$v, $k) { return $v[$k]; }
function kept($v) { static $all = []; $all[] = $v; if (count($all) > 3) array_shift($all); return $all[0]; }
function pairs($v) { foreach ((array) $v as $k => $w) { yield $k => $w; } return $v; }
function spread(...$all) { return $all; }
function driven($g, $turns) { $n = 0; while ($g->valid()) { $v = $g->current(); if (++$n > $turns) return [$n, $v]; $n % 9 == 8 ? $g->throw(new DomainException('thrown')) : $g->send($v); } return $g->getReturn(); }
function switched($f, $turns) { $n = 0; $v = $f->start(); while ($f->isSuspended()) { if (++$n > $turns) return [$n, $v]; $v = $n % 9 == 8 ? $f->throw(new DomainException('thrown')) : $f->resume($v); } return $f->getReturn(); }
function named($s = 'd', $l = []) { return [$s, $l]; }
class P {
    public $s; public $l; public $o; public ?string $ts = null; public array $tl = []; public ?P $to = null; public $never;
    public static $ps; public static $pl = []; public static ?P $po = null; const K = 'const'; const L = ['k' => 'inner', 'x', ['k' => 'y']];
    function __construct($s = 'new', $l = [], $o = null) { $this->s = $s; $this->l = $l; $this->o = $o; }
    function s() { return $this->s; } function l() { return $this->l; } function o() { return $this->o; } function me() { return $this; }
    function set($v) { $this->s = $v; return $this; } function add($v) { $this->l[] = $v; if (count($this->l) > 9) $this->l = [$v]; return $this; }
    function &ref() { return $this->s; } static function make($v) { return new static($v, [$v]); } function code() { return ord($this->s); }
    function len() { return strlen($this->ts ?? $this->s); } function element($k) { return $this->l[$k] ?? $this->s; } function take() { $v = $this->s; $this->s = null; return $v; }
}
final class Q extends P { function s() { return "q$this->s"; } function __destruct() { echo '~'; P::$ps = 'destroyed'; } }
class M extends P { function __get($n) { return "magic$n"; } function __call($n, $a) { return $a; } function __toString() { return 'M' . $this->s; } }
class H extends P { public $h { get => $this->s . 'h'; set { $this->s = $value; } } }
class X extends P implements ArrayAccess, Countable, IteratorAggregate { function offsetGet($k): mixed { return $this->l[$k] ?? "none"; } function offsetSet($k, $v): void { $this->add($v); } function offsetExists($k): bool { return isset($this->l[$k]); } function offsetUnset($k): void { unset($this->l[$k]); } function count(): int { return count($this->l); } function getIterator(): Iterator { return new ArrayIterator($this->l); } }
enum E: string { case A = 'ea'; case B = 'eb'; const K = ['k' => self::A]; function s() { return $this->value; } }
"#;

const STRING_PLACES: &[&str] = &[
    "$o->s",
    "$o->s",
    "$this->s",
    "$this->s",
    "$this->ts",
    "$o->ts",
    "$o->o->s",
    "$this->o->s",
    "$this->to->s",
    "$s",
    "$s",
    "$r",
    "$g",
    "$st",
    "$l[§i]",
    "$l[§i]",
    "$l['k']",
    "$m['a']['k']",
    "$m[§i]['k']",
    "$o->l[§i]",
    "$this->l['k']",
    "$this->tl[§i]",
    "P::$ps",
    "P::$pl['k']",
    "$c['s']",
    "$x",
    "$o->l[2]['k']",
    "$never",
];
const ARRAY_PLACES: &[&str] = &[
    "$l",
    "$l",
    "$o->l",
    "$o->l",
    "$this->l",
    "$this->tl",
    "$o->tl",
    "$m",
    "$m['a']",
    "$m[§i]",
    "$this->l[2]",
    "P::$pl",
    "$rl",
    "$gl",
    "$o->o->l",
    "$c",
    "$x",
];
const OBJECT_PLACES: &[&str] = &[
    "$o",
    "$o",
    "$p",
    "$this",
    "$this->o",
    "$this->to",
    "$o->o",
    "$os[§i]",
    "P::$po",
    "$q",
    "$ro",
    "$x",
];
const OTHER_OBJECT_PLACES: &[&str] = &[
    "$o",
    "$p",
    "$this->o",
    "$this->to",
    "$o->o",
    "P::$po",
    "$ro",
    "$x",
];
const STRINGS: &[&str] = &[
    "§p",
    "§p",
    "§p",
    "§p",
    "§p",
    "§p",
    "(§p ?? §s)",
    "(§p ?? 'else')",
    "(§p ?: §s)",
    "(§b ? §s : §s)",
    "(§b ? §p : 'no')",
    "(string) §p",
    "§r->s",
    "§r->s()",
    "§r?->s",
    "§r?->o?->s",
    "§r->o->s",
    "§r->len()",
    "§r->code()",
    "§r->element(§i)",
    "§r->set(§s)->s",
    "§r->take()",
    "§r->me()->s",
    "§a[§i]",
    "§a['k']",
    "(§a[§i] ?? §s)",
    "made($i)",
    "same(§s)",
    "text(§s)",
    "first(§a)",
    "name(§o)",
    "fails($i, §s)",
    "kept(§s)",
    "(P::make(§s))->s",
    "(new P(§s))->s()",
    "(new Q(§s))->s",
    "§p . §s",
    "\"<{§p}$i>\"",
    "'x' . $i",
    "P::K",
    "P::L['k']",
    "E::A->value",
    "E::from('eb')->s()",
    "(§p = §s)",
    "$s[§i]",
    "$o->s[0]",
    "implode(',', few(§q))",
    "substr(§s, §n)",
    "substr(§s, 1, §n)",
    "strtoupper(§s)",
    "strrev(§s)",
    "ucfirst(§s)",
    "lcfirst(§s)",
    "trim(§s)",
    "rtrim(§s, 'ek')",
    "str_replace('a', 'b', §s)",
    "strtr(§s, 'k', 'K')",
    "str_pad(§s, §n)",
    "str_repeat(§p, §n)",
    "strstr(§s, 'e')",
    "basename(§s)",
    "dirname(§s)",
    "md5(§s)",
    "dechex($i)",
    "chr(65 + §n)",
    "gettype(§x)",
    "get_debug_type(§x)",
    "json_encode(§x)",
    "get_class(§o)",
    "array_key_first(§a)",
    "array_key_last(§a)",
    "current(§a)",
    "end($l)",
    "array_pop($l)",
    "array_shift($o->l)",
    "max(§s, §s)",
    "min(§s, 'm')",
    "preg_replace('/a/', '<$0>', §s)",
    "match (§s) { 'a', 'k' => §s, default => §p }",
    "match (true) { §b => §p, default => §s }",
    "$f(§s)",
    "(fn() => §p)()",
    "(function () use ($s, &$r) { return $r ?? $s; })()",
    "sprintf('%s-%d', §p, $i)",
    "vsprintf('%s', [§s])",
    "constant('P::K')",
    "call_user_func('same', §s)",
    "str_increment('az')",
    "urlencode(§s)",
    "ucwords(§s)",
    "(clone §o)->s",
];
const ARRAYS: &[&str] = &[
    "§q",
    "§q",
    "§q",
    "§q",
    "§q",
    "(§q ?? [])",
    "(§q ?: [§s])",
    "(§b ? §q : §a)",
    "(array) §q",
    "(array) §s",
    "§r->l",
    "§r->l()",
    "§r?->l",
    "§r->add(§s)->l",
    "[§s, §x]",
    "['k' => §s, 'a' => §a]",
    "[...few(§q), §s]",
    "[§p, 'r' => &$r]",
    "listed($i)",
    "same(§a)",
    "few(§a)",
    "spread(§s, §x)",
    "spread(...few(§a))",
    "named(l: §a)",
    "kept(§a)",
    "fails($i, §a)",
    "P::L",
    "E::K",
    "explode('e', §s)",
    "str_split(§p, 2)",
    "array_keys(§a)",
    "array_values(§a)",
    "array_slice(§a, §n)",
    "array_slice(§q, 0, 2, true)",
    "array_merge(few(§a), few(§a))",
    "array_reverse(§a)",
    "array_fill(0, §n, §s)",
    "array_fill_keys(['a', 'k'], §x)",
    "array_flip(few(['a', $s]))",
    "array_map(null, §a)",
    "array_map(fn($z) => $z, few(§a))",
    "array_map('same', few(§a))",
    "array_filter(few(§a))",
    "array_chunk(few(§a), 2)",
    "array_combine(['a', 'b'], [§s, §x])",
    "array_pad(few(§a), 4, §s)",
    "array_diff_key(§a, §a)",
    "array_unique(few([§s, §s]))",
    "array_column([few(§a)], 'k')",
    "range(1, §n)",
    "compact('s', 'i')",
    "func_get_args()",
    "iterator_to_array(pairs(few(§a)))",
    "get_object_vars(§o)",
    "(§q = §a)",
    "preg_split('/e/', §s)",
    "array_splice($l, 0, 1, [§s])",
    "match (§b) { true => §a, default => §q }",
];
const OBJECTS: &[&str] = &[
    "§r",
    "§r",
    "§r",
    "§r",
    "(§r ?? $p)",
    "(§r ?: new P)",
    "(§b ? §r : §o)",
    "§r->me()",
    "§r->set(§s)",
    "§r->add(§x)",
    "§r->o()",
    "§r?->o",
    "new P(§s)",
    "new P(§s, §a, §r)",
    "new Q",
    "new M(§s)",
    "new H(§s)",
    "new X(§s, few(§a))",
    "P::make(§s)",
    "clone §r",
    "same(§o)",
    "kept(§o)",
    "fails($i, §o)",
    "(object) ['s' => §s, 'l' => §q, 'o' => $p]",
    "(§R = new P(§s))",
];
const VALUES: &[&str] = &["§s", "§s", "§a", "§o", "§l", "$i", "$x", "§q", "§p", "§r"];
const LITERALS: &[&str] = &[
    "0",
    "7",
    "1.5",
    "'a'",
    "'k'",
    "''",
    "null",
    "true",
    "false",
    "[]",
    "['k' => 'l']",
    "E::B",
    "P::L",
    "'5'",
];
const ASKED: &[&str] = &[
    "isset(§p)",
    "isset(§q[§i])",
    "isset(§r->s)",
    "empty(§p)",
    "empty(§q['k'])",
    "§p === §s",
    "§p == §s",
    "§s < §s",
    "§q === §a",
    "§q == §a",
    "§r === §o",
    "§x === §l",
    "§x !== null",
    "!§x",
    "is_string(§x)",
    "is_array(§x)",
    "is_object(§x)",
    "is_null(§x)",
    "is_numeric(§p)",
    "is_callable(§p)",
    "is_scalar(§x)",
    "is_a(§o, 'Q')",
    "is_iterable(§x)",
    "§x instanceof P",
    "§r instanceof Q",
    "in_array(§s, few(§a))",
    "in_array(§s, §q, true)",
    "array_search(§p, few(§a))",
    "array_key_exists(§i, §q)",
    "array_is_list(§a)",
    "str_contains(§s, 'a')",
    "str_starts_with(§s, §p)",
    "str_ends_with('made', §p)",
    "strpos(§s, 'e')",
    "stripos(§p, 'E')",
    "strcmp(§s, §p)",
    "ctype_alpha(§p)",
    "preg_match('/e(.)/', §s)",
    "property_exists(§o, 's')",
    "method_exists(§o, §p)",
    "function_exists(§p)",
    "class_exists(get_class(§o))",
    "$i & 1",
    "$i % 3",
    "§r->s",
    "§a",
    "dropped(§x)",
];
const KEYS: &[&str] = &[
    "0", "0", "1", "2", "$i", "$i & 1", "'k'", "$k", "'none'", "$i % 3", "-1",
];
const STATEMENTS: &[&str] = &[
    "$t += strlen(§s); ",
    "$t += strlen(§p); ",
    "$t += ord(§s); ",
    "$t += ord(§p); ",
    "$t += count(§a); ",
    "$t += count(§q); ",
    "$t += size(§a); ",
    "$t += (int) §s; ",
    "$t += (§b) ? 1 : 2; ",
    "if (§b) { $t++; } ",
    "if (§b) { §u} else { §u} ",
    "if (§b && §b) { §u} ",
    "if ($i % 3) { §u} ",
    "if ($i % 4 == 1) { §u} else { §u} ",
    "$u = short($u . §s); ",
    "$u = short(§s . §s); ",
    "$u .= short(§s); $u = short($u); ",
    "$u = short(\"$u{§p}\"); ",
    "§s; ",
    "§a; ",
    "§o; ",
    "[§s, §x]; ",
    "new P(§s); ",
    "(string) §s; ",
    "$x = §s; ",
    "$x = §a; ",
    "$x = §o; ",
    "$x = §x; ",
    "$y = §x; $y = §x; ",
    "$x = $y = §s; ",
    "[$x, $y] = [§s, §x]; ",
    "['k' => $x] = §a; ",
    "[$x, [$y]] = [§s, §a]; ",
    "[, $x] = §a; ",
    "foreach (§a as $e) { $t++; if ($t % 5 == 0) break; } ",
    "foreach (few(§a) as $e) { $x = $e; } ",
    "foreach (few(§q) as $k => $e) { $u = short($k . $t); } $k = 'k'; ",
    "foreach (few(§a) as $e) { if (is_string($e)) { $t += ord($e); continue; } $y = $e; } ",
    "foreach (few(§q) as $k => &$e) { $t++; } unset($e); $k = 'k'; ",
    "foreach (pairs(few(§a)) as $e) { $x = $e; if (§b) break; } ",
    "foreach ([§s, §s] as $e) { $u = short($u . $e); } ",
    "switch (§s) { case 'a': $t++; break; case §p: $t += 2; default: $t += 3; } ",
    "try { $x = §x; } catch (Throwable $ex) { $t += 5; $ex = null; } ",
    "try { $x = fails($i, §s) . §s; } catch (DomainException $ex) { $u = short($ex->getMessage() . $u); $ex = null; } ",
    "try { $x = [§s, fails($i), §a]; } catch (DomainException) { $t++; } ",
    "try { same(spread(§s, §o, fails($i))); } catch (DomainException) { $t++; } finally { $y = §s; } ",
    "try { $x = strlen(§s) + strlen(fails($i, §p)); } catch (DomainException) { $t--; } ",
    "$y = (function () use ($x, $s) { try { return $x; } finally { $s = null; } })(); ",
    "same(§x); ",
    "dropped(§x); ",
    "$t += dropped(§x); ",
    "$t += strlen(same(§s)); ",
    "§w",
    "§w",
    "§w",
    "§w",
    "§Y",
    "§Y",
    "§U",
    "§U",
];
/// What stands around `§Z`, where the method may be left for a while, or for good.
const LEFT: &[&str] = &[
    "§Z; ",
    "$x = §Z; ",
    "$x = [§s, §Z]; ",
    "$u = short(§s . short((string) §Z)); ",
    "same(spread(§s, §o, §Z)); ",
    "$t += strlen(§p) + strlen(short(\"{§p}$i\") . (string) §Z); ",
    "foreach (few(§a) as $e) { §Z; } ",
    "foreach (few(§q) as $e) { if (§Z) $x = $e; } ",
    "try { $x = §Z; } finally { $y = §s; } ",
    "try { fails($i, §Z); } catch (DomainException) { $x = §Z; } ",
    "$o = new P(§s, [§Z], $p); ",
    "$x = §p ?? §Z; ",
    "$l[] = §Z; $l = few($l); ",
];
const WRITES: &[&str] = &[
    "§p = §s; ",
    "§p = §s; ",
    "§q = few(§a); ",
    "§R = §o; ",
    "§p .= §s; §p = short(§p); ",
    "§q[] = §x; §q = few(§q); ",
    "§q['k'] = §s; ",
    "§q[§i] = §x; ",
    "§q['k'] ??= §s; ",
    "§p ??= §s; ",
    "§r->s = §x; ",
    "§r->ts = §s; ",
    "§r->tl = few(§a); ",
    "§r->to = §o; ",
    "§r->l[] = §s; §r->l = few(§r->l); ",
    "§r->set(§x); ",
    "put(§p, §s); ",
    "put(§q, few(§a)); ",
    "$t += strlen(put($s, §s)); ",
    "unset($l[§i]); ",
    "unset(§r->never); ",
    "$l[] = §s; $l = few($l); ",
    "$s = §s; ",
    "$s = made($i); ",
    "$l = listed($i); ",
    "$o->s = made($i); ",
    "$this->s = 'this' . $i; ",
    "$this->l = listed($i); ",
    "$s = §p; §p = $l[0] ?? 'swapped'; ",
    "[$s, §p] = [§p, $s]; ",
    "array_push($l, §s); $l = few($l); ",
    "array_unshift($l, §s); $l = few($l); ",
    "sort($l); ",
    "$l = array_map(fn($z) => $z, few($l)); ",
    "$s++; $s = made($i); ",
    "$os[§i] = §o; $os = few($os); ",
    "$z = &$l[0]; $z = §s; unset($z); ",
    "$z = &at($l, 'k'); $z = §s; unset($z); ",
];
/// Variables of which nothing is read.
const UNREAD: &[&str] = &[
    "$ua = §x; ",
    "$ua = §s . $i; ",
    "$ua = [§i => §s, §x]; ",
    "$ua = [PHP_INT_MAX - 20 + $i => $i, 'n']; ",
    "$ub = [§s, 'k' => &§p]; ",
    "$ub = §a; ",
    "$ub = []; ",
    "$ub['k'] = §s; ",
    "$ub[§i] = §x; ",
    "$ub[0] = $i; ",
    "$ub['k'] = $i; ",
    "$uc[§i] = §s; ",
    "$uc['k'] = §o; ",
    "$uc['k'] = 'c' . $i; ",
    "$ud = §a; $ud[§i] = $i; ",
    "$ue = strtoupper(§p); ",
];
const SELDOM: &[&str] = &[
    "$s = null; ",
    "$s = $i; ",
    "$s = ['k' => 'array']; ",
    "unset($s); $s = §s; ",
    "$o->s = 1.5; ",
    "$o->s = [1]; ",
    "unset($o->s); $o->s = §s; ",
    "$this->s = null; ",
    "$this->s = new M('m'); ",
    "$this->ts = 'ts' . $i; ",
    "$this->to = $i & 1 ? null : new P(§s); ",
    "$this->o = null; ",
    "$this->o = new Q(§s); ",
    "$this->l = []; ",
    "$this->l = ['k' => 'only']; ",
    "$o = new Q('q' . $i, listed($i), $p); ",
    "$o = new M('m' . $i, listed($i), $p); ",
    "$o = new X('x' . $i, listed($i), $p); ",
    "$o = new H('h' . $i, listed($i), $p); ",
    "$o->o = $i & 1 ? null : $o; ",
    "$l = []; ",
    "$l = [1, 2.5, null]; ",
    "$l['k'] = &$r; ",
    "$l[0] = &$o->s; ",
    "$o->l = 'text'; ",
    "$o->l = null; ",
    "$m = ['a' => listed($i), listed($i)]; ",
    "P::$ps = &$s; ",
    "P::$ps = 'ps' . $i; ",
    "P::$pl = listed($i); ",
    "P::$po = $o; ",
    "$g = &$s; ",
    "$x = new M('x'); ",
    "$x = null; ",
    "unset($x); $x = 3; ",
    "$st = &$l[0]; ",
    "echo told($s), ' '; ",
    "throw new LogicException('seldom'); ",
];
const WHEN: &[&str] = &[
    "$i == $at",
    "$i == $at + 3",
    "$i > $at",
    "$i % 13 == 12",
    "$i == 2",
];
const LOOPS: &[&str] = &[
    "for ($i = 0; $i < 40; $i++) { §U§u§u§V§H} ",
    "for ($i = 0; $i < 60; $i++) { §U§u§H§u} ",
    "for ($i = 0; $i < 30; $i++) { §H for ($j = 0; $j < 3; $j++) { §U§u§V} §w } ",
    "foreach (array_fill(0, 45, $s) as $i => $v) { §U§u§u§H§V} ",
    "$i = 0; while (true) { if (++$i > 50) break; §U§u§V§H} ",
    "$i = 0; do { burn(); §U§u§u§H} while ($i++ < 40); ",
    "for ($i = 0; $i < 40; $i++) { §U try { §U§u§V§H} catch (Throwable $ex) { $t++; $ex = null; } } ",
    "for ($i = 0; $i < 40; $i++) { §U try { §U§u§V§H} finally { §U§u} } ",
];

const HANDLERS: &[&str] = &[
    "return true;",
    "static $n = 0; if (++$n % 9 == 0) throw new ErrorException($m); return true;",
    "echo '!'; return true;",
];

/// How a method is left and entered again.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Suspended {
    /// Not at all.
    Never,
    /// It is a generator.
    Yields,
    /// It runs in a fiber.
    InFiber,
}

/// A program of a number.
#[derive(Debug)]
pub struct Places {
    templates: Templates,
    suspended: Suspended,
}

impl Places {
    /// The program.
    pub fn program(number: u64) -> String {
        let suspended = match number / 8 % 5 {
            0 => Suspended::Yields,
            1 => Suspended::InFiber,
            _ => Suspended::Never,
        };
        let left: &[&str] = match suspended {
            Suspended::Never => &["§x", "$i"],
            Suspended::Yields => &["(yield §x)", "(yield)", "(yield from few(§a))"],
            Suspended::InFiber => &["Fiber::suspend(§x)", "Fiber::suspend()"],
        };
        let parts = vec![
            part('Y', &[LEFT]),
            part('U', &[UNREAD]),
            part('Z', &[left]),
            part('p', &[STRING_PLACES]),
            part('q', &[ARRAY_PLACES]),
            part('r', &[OBJECT_PLACES]),
            part('R', &[OTHER_OBJECT_PLACES]),
            part('s', &[STRINGS]),
            part('a', &[ARRAYS]),
            part('o', &[OBJECTS]),
            part('x', &[VALUES]),
            part('l', &[LITERALS]),
            part('b', &[ASKED]),
            part('i', &[KEYS]),
            part('u', &[STATEMENTS]),
            part('V', &[STATEMENTS]).several(),
            part('w', &[WRITES]),
            part('t', &[WHEN]),
            part('h', &[SELDOM]),
            part('H', &[&["", "", "if (§t) { §h} ", "if (§t) { §h§h} "]]),
        ];
        let mut places = Places {
            templates: Templates::new(number ^ 0x5_0000_0000, 0..4, parts),
            suspended,
        };
        places.write();
        places.templates.text
    }

    fn write(&mut self) {
        self.templates.put(PRELUDE);
        skeleton::handle(&mut self.templates, HANDLERS);
        for number in 0..2 {
            self.method(number);
        }
        self.templates.put("set_error_handler(null); unset($a, $gs, $gl, $t, $ex); P::$ps = P::$po = null; P::$pl = []; echo \"end\\n\";\n");
    }

    /// A class with a method that has the loops, and its calls.
    fn method(&mut self, number: usize) {
        let of = *self.templates.random.choose(&["P", "P", "M", "X"]);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.templates.text,
            "class C{number} extends {of} {{ function run($s, $at = 9) {{ global $gs, $gl; static $st = 'static'; burn();"
        );
        self.templates.put("$g = &$gs; $l = ['a', 'k' => 'b' . $at, 2 => listed(1)]; $m = ['a' => listed(2), listed(3)]; $c = ['s' => 's' . $at, 'k' => 'c']; $p = new P('p' . $at, listed(4)); $o = new P('o' . $at, listed(5), $p); $q = new Q('q'); $os = [$o, $p, 'k' => $q]; $r = 'ref' . $at; $rr = &$r; $rl = [$r]; $rrl = &$rl; $ro = $p; $rro = &$ro; $x = $y = $z = null; $k = 'k'; $f = 'same'; $t = 0; $u = ''; $i = $j = 0; $this->s = 'own' . $at; $this->l = listed(6); $this->tl = ['tl', 'k' => $r]; $this->o = $p; $this->to = $o;\n");
        if self.suspended == Suspended::Yields {
            self.templates.put("if ($s === null) yield;\n");
        }
        for _ in 0..1 + self.templates.random.below(2) {
            let chosen = *self.templates.random.choose(LOOPS);
            let size = 15 + self.templates.random.below(45) as i32;
            self.templates.put("try { ");
            self.templates.write(chosen, size, 4);
            self.templates
                .put("} catch (Throwable $ex) { echo told($ex), ' '; $ex = null; }\n");
        }
        self.templates
            .put("return [$t, $u, $s, $x, $l, $this->s, $r, $o]; } }\n");
        let times = 1 + self.templates.random.below(3);
        let turns = [3, 12, 50, 500][self.templates.random.below(4)];
        let run = match self.suspended {
            Suspended::Never => String::from("$a->run(made($n), $n * 11 % 25)"),
            Suspended::Yields => format!("driven($a->run(made($n), $n * 11 % 25), {turns})"),
            Suspended::InFiber => {
                format!("switched(new Fiber(fn() => $a->run(made($n), $n * 11 % 25)), {turns})")
            }
        };
        let _ = writeln!(
            self.templates.text,
            "$a = new C{number}; for ($n = 0; $n < {times}; $n++) {{ try {{ $fuel = 0; echo told({run}), \"\\n\"; }} catch (Throwable $ex) {{ echo told($ex), \"\\n\"; $ex = null; }} }}"
        );
    }
}
