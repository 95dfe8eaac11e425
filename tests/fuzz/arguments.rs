//! Programs about calls: arguments by reference, default values, variadic parameters, arguments that are spread or named, of functions,
//! methods, closures, constructors and native functions, known and unknown, with too few and too many of them.
//!
//! What the letters stand for (`templates.rs`), besides those of `skeleton::parts`: `a` arguments, `r` arguments of which the first is
//! taken by reference, `c` a call.

use super::skeleton::{self, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $n = 1, $l = [1, 'k' => 2], $log = ''; const C = [1, 'k' => 2]; }
function note($v) { burn(); S::$log .= $v; if (strlen(S::$log) > 60) S::$log = md5(S::$log); return $v; }
function plain($x = 1, $y = 'y', $z = [3]) { return [$x, $y, $z]; }
function small($x, $y = 2) { return num($x) + num($y); }
function typed(int $x = 1, ?string $y = null, int|float $z = 1.5, array $l = S::C) { return [$x, $y, $z, count($l)]; }
function all(...$all) { return $all; }
function more($x, ...$all) { return [$x, count($all), array_keys($all)]; }
function ints($x, int ...$all) { $s = num($x); foreach ($all as $k => $v) { $s += is_int($k) ? $v : 2 * $v; } return $s; }
function ref(&$x, $y = 1) { $x = is_array($x) ? count($x) : [$y]; return $y; }
function inc(&$x, $by = 1) { $x = num($x) + num($by); return $x; }
function refs(&$x = 'none', &$y = null, ...$z) { $y = $x; $x = count($z); return [$x, $y]; }
function all_refs(&...$all) { foreach ($all as $k => &$v) { $v = is_int($v) ? $v + 1 : $k; } return count($all); }
function mixed_refs($x, &$y, $z = 3, &...$all) { $y = [$x, $z]; foreach ($all as &$v) { $v = $x; } return count($all); }
function swap(&$x, &$y) { [$x, $y] = [$y, $x]; return 1; }
function &back(&$x) { return $x; }
function args($x = 1) { $x = 'changed'; return func_get_args(); }
function counts() { return func_num_args(); }
function later($x, $y = new P(5), $z = PHP_INT_SIZE, $q = S::C['k'], $e = E::A) { return [$x, $y instanceof P ? $y->x : $y, $z, $q, $e instanceof E]; }
function nullable(?int $x = null, ?P $o = null, string|null $s = 'd') { return [$x, $o?->x, $s]; }
function self_args(array $l, int $n = 0) { return $n > 2 ? $l : self_args(n: $n + 1, l: [...$l, $n]); }
function keep($x) { static $all = [], $n = 0; $all[] = $x; if (++$n % 4 == 0) $all = []; return count($all); }
function gives(...$all) { foreach ($all as $k => $v) yield is_int($k) ? $k : 'y' => $v; }
class P { public $x = 1; public $l = [1, 2]; function __construct($x = 1, public int $i = 2, ...$more) { $this->x = $x; if ($more) $this->l = $more; } function get($d = 'd', ...$r) { return $r ? [$this->x, $r] : [$this->x, $d]; } function set($x, $i = 3) { $this->x = $x; $this->i = num($i) & 255; return $this; } function ref(&$x, $by = null) { $x = $by ?? $this->x; return $this; } function &own($n = 'x') { return $this->$n; } function add(int ...$n) { return $this->i += array_sum($n) & 255; } static function make(...$a) { return new static(...$a); } static function bump(&$x, $by = 1) { return $x = num($x) + num($by); } function __invoke($x = 1, &$y = 2) { $y = [$x]; return $this->x; } }
class Q extends P { function get($d = 'q', $e = 'e', ...$r) { return [parent::get($d, ...$r), $e]; } function ref(&$x, $by = 'by', &...$all) { foreach ($all as &$v) $v = $by; return parent::ref($x, $by); } }
class M { function __call($n, $a) { return [$n, $a]; } static function __callStatic($n, $a) { return [$n, array_keys($a)]; } function __get($n) { return fn(...$a) => $a; } }
enum E { case A; case B; static function of($x = 1, $y = 2) { return $x ? self::A : self::B; } }
function fail($x, $m = 'failed') { if ($x === 3 || $x === 'k') throw new DomainException($m); return $x; }
"#;

const VARIABLES: &[&str] = &[
    "$x", "$x", "$y", "$i", "$n", "$a", "$s", "$turn", "$l[0]", "$o->x", "$r", "$h['k']", "$o",
];
const PLACES: &[&str] = &[
    "$x",
    "$y",
    "$n",
    "$l[0]",
    "$l[§n]",
    "$o->x",
    "$h['k']",
    "$h['no']",
    "$s",
    "S::$n",
    "S::$l[§n]",
    "$a",
    "$o->l[§n]",
    "$new",
    "$r",
    "$l[]",
];
const READ_PLACES: &[&str] = &[
    "$x",
    "$y",
    "$n",
    "$l[0]",
    "$l[§n]",
    "$o->x",
    "$h['k']",
    "$s",
    "S::$n",
    "$a",
    "$o->l[§n]",
    "$r",
];
const ARGUMENTS: &[&str] = &[
    "§v",
    "§e",
    "§v, §e",
    "§e, §v",
    "",
    "§v, §v, §v",
    "§e, §e, §e, §v",
    "...$l",
    "...$h",
    "...[§v, §e]",
    "§v, ...$l",
    "§v, ...[§e, 'z' => §v]",
    "x: §e",
    "y: §v, x: §e",
    "§e, y: §v",
    "§v, z: §e",
    "z: §v",
    "...['x' => §v, 'y' => §e]",
    "...gives(§v, §e)",
    "...[], ...[§v]",
    "...$l, ...$l",
    "x: §v, other: §e",
    "§v, x: §e",
    "...$a",
    "...(§v ? [1] : [1, 2, 3])",
    "$i",
    "$i, $i",
];
const REFERENCES: &[&str] = &[
    "§w",
    "§w",
    "§w, §e",
    "§w, §w",
    "§w, §w, §w",
    "...$l",
    "...[&$x]",
    "§w, ...$l",
    "x: §w",
    "y: $y, x: $x",
    "§w, y: $y",
    "...$h",
    "...[§v, §v]",
];
const CALLS: &[&str] = &[
    "plain(§a)",
    "plain(§a)",
    "small(§a)",
    "small(§e, §v)",
    "small($i)",
    "typed(§a)",
    "typed(...)(§a)",
    "all(§a)",
    "more(§a)",
    "ints(§a)",
    "ints($i, 1, 2)",
    "ref(§r)",
    "ref(§w)",
    "inc(§r)",
    "inc(§w, §n)",
    "inc($n)",
    "inc($h['k'], $i)",
    "refs(§r)",
    "refs()",
    "all_refs(§r)",
    "all_refs(...$l)",
    "mixed_refs(§v, §r)",
    "mixed_refs(§e, §w, §v, §w, §w)",
    "swap(§w, §w)",
    "swap($x, $y)",
    "back(§w)",
    "args(§a)",
    "counts(§a)",
    "later(§a)",
    "later(§v, q: 1)",
    "later(x: §v, z: §v)",
    "nullable(§a)",
    "nullable(s: text(§v))",
    "self_args([§v])",
    "keep(§e)",
    "fail(§v)",
    "fail(m: 'named', x: §e)",
    "$o->get(§a)",
    "$o->set(§a)->x",
    "$o->ref(§r)->i",
    "$o->own()",
    "$o->own(n: 'l')",
    "$o->add(§n, §n)",
    "$o->add(...[1, 2])",
    "$o->add(n: 1, m: §n)",
    "$o(§a)",
    "$o(§v, §w)",
    "(new P(§a))->x",
    "new Q(§a)",
    "P::make(§a)->x",
    "Q::make(...[§v])->get(§a)",
    "P::bump(§r)",
    "P::bump($n, by: 2)",
    "$m->nothing(§a)",
    "M::none(§a)",
    "E::of(§a)",
    "E::of(y: §v)",
    "$f(§a)",
    "$f(§a)",
    "$fr(§r)",
    "$fr(§w)",
    "$name(§a)",
    "$ref(§r)",
    "[$o, 'get'](§a)",
    "[$o, 'ref'](§r)->i",
    "'P::make'(§a)->i",
    "call_user_func('plain', §a)",
    "call_user_func_array('plain', [§v, 'z' => §e])",
    "call_user_func_array($name, lists($a))",
    "call_user_func([$o, 'get'], §v)",
    "array_map('small', [§v, $i], [1])",
    "array_map(fn($x, ...$r) => [$x, $r], [1], [§v])",
    "(function ($x = 1, &...$r) { foreach ($r as &$v) $v = $x; return func_num_args(); })(§v, §w)",
    "(fn(&$x) => $x = [$x])(§w)",
    "(function (int $x, $y = 5) use (&$n) { return $n += $x + num($y); })(§n)",
    "(fn(...$all) => plain(...$all))(§a)",
    "(fn($x) => inc($x))(§v)",
    "str_replace(search: 'a', subject: text(§v), replace: 'b')",
    "json_encode(flags: 0, value: flat(§v))",
    "in_array(§v, lists($l), strict: true)",
    "array_slice(lists($l), offset: §n, preserve_keys: true)",
    "preg_match('/[a-z]/', text(§v), $found)",
    "preg_match(subject: text(§e), pattern: '/(k)/', matches: §w)",
    "sort($l)",
    "array_push($l, ...[§v, §e])",
    "array_pop($l)",
    "max(§n, ...[1, 2])",
    "sprintf('%s-%s', ...[text(§v), text(§e)])",
    "explode(',', string: 'a,b', limit: §n)",
    "settype(§w, 'integer')",
    "similar_text('ab', text(§v), $per)",
    "implode(separator: ',', array: ['a', 'b'])",
    "strlen(string: text(§e))",
    "range(start: 1, end: 1 + §n)",
    "round(num: num(§v), precision: 1)",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§v",
    "§l",
    "§c",
    "§c",
    "§c",
    "§c",
    "§c",
    "num(§c) + num(§v)",
    "text(§c) . $s",
    "[§v, §c]",
    "$x = §c",
    "§u++",
    "§c ?? §v",
    "(§v) ? §c : §e",
];
const STATEMENTS: &[&str] = &[
    "§u = §e; ",
    "§u = §e; ",
    "$x = §c; ",
    "$y = §c; ",
    "§c; ",
    "§c; ",
    "§c; ",
    "§c; ",
    "$t += num(§c); ",
    "$t += num(§c) + num(§c); ",
    "$s = text($s . text(§c)); ",
    "$l = lists(§e); ",
    "$l = [§v, §v]; ",
    "if (§t) { $l = [1, §v, 'z' => 2]; } ",
    "if (§t) { $h = ['k' => §v, 'x' => 1]; } ",
    "if (§t) { $h = ['x' => §v, 'y' => 2]; } ",
    "if (§t) { $a = [§v]; } ",
    "if (§t) { unset($r); $r = &§u; } ",
    "if (§t) { $l[0] = &$x; } ",
    "if (§t) { $f = 'plain'; } ",
    "if (§t) { $f = $o->get(...); } ",
    "if (§t) { $f = fn($x = 1, $y = 2, ...$z) => [$x, $y, $z]; } ",
    "if (§t) { $f = ints(...); } ",
    "if (§t) { $fr = 'ref'; } ",
    "if (§t) { $fr = function (&$x, $y = 1) { $x = $y; return $this->x ?? 0; }; } ",
    "if (§t) { $fr = small(...); } ",
    "if (§t) { $fr = $o->ref(...); $fr(§w); $fr = inc(...); } ",
    "if (§t) { $name = 'more'; } ",
    "if (§t) { $name = ['plain', 'typed', 'args', 'refs'][$i % 4]; } ",
    "if (§t) { $o = new Q(§v); } ",
    "if (§t) { $o = new P(...$l); } ",
    "if (§t) { §s } ",
    "if (§t) { §u = §e; } ",
    "foreach ([1, §v] as $k => $v) { $y = §c; } ",
    "foreach ($l as &$v) { inc($v); } unset($v); ",
    "foreach (['plain', 'more', 'all'] as $name) { $y = $name(§a); } ",
    "foreach ([$o, new Q, new P(3)] as $q) { $y = $q->get(§a); $q->ref(§r); } ",
    "$j = 0; while ($j++ < 3) { $y = §c; $t += small($j, y: $t & 7); } ",
    "for ($j = 0; $j < 4; $j++) { inc($t, $j); $x = small($j); } ",
    "unset($new); ",
    "$back = &back(§w); $back = §v; unset($back); ",
    "$q = &$o->own(); $q = §v; unset($q); ",
    "try { §c; } catch (TypeError | ArgumentCountError $q) { $t++; $q = null; } ",
    "try { $y = §c; } finally { $t++; } ",
    "$l = lists($l); $h = lists($h); ",
    "[$x, $y] = [§c, §c]; ",
    "switch (§c) { case 1: §s break; case 'k': $t++; default: $y = §e; } ",
];
const VALUES: &[&str] = &[
    "1",
    "'v'",
    "[1, 2]",
    "null",
    "1.5",
    "$turn",
    "'7'",
    "['k' => 1]",
    "new P($turn)",
    "E::B",
    "PHP_INT_MAX",
    "true",
    "\"s$turn\"",
    "[]",
    "'3 x'",
];
const START: &str = "$a = [1, 2]; $l = [3, 4]; $h = ['k' => 1, 'x' => 'h']; $s = 'abc'; $n = 1; $y = $r = $k = $found = $per = null; $t = $i = $j = 0; $o = new P($turn); $m = new M; $f = plain(...); $fr = inc(...); $name = 'plain'; $ref = 'ref'; ";

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
        part('a', &[ARGUMENTS]),
        part('r', &[REFERENCES]),
        part('c', &[CALLS]),
        part('u', &[READ_PLACES]),
    ]);
    Skeleton {
        strict: 8,
        heads: &[
            "$x, $turn = 1",
            "$x, $turn, ...$more",
            "&$x, $turn",
            "$x, int $turn = 1, $f0 = 0.5",
        ],
        values: VALUES,
        arguments: &["$vb, $turn", "turn: $turn, x: $vb", "...[$vb, $turn]"],
        reset: "S::$n = 1; S::$l = [1, 'k' => 2]; ",
        after: |templates| templates.put("echo show([S::$log, S::$n, S::$l]); "),
        ..Skeleton::usual(
            Templates::new(number ^ 0xb_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

fn body(templates: &mut Templates) {
    templates.put(START);
    skeleton::looped(templates, 5..18, 2..6, 25);
    templates.put("return [[$x, $y, $t, $n], $s, $l, $h, $o]; ");
}
