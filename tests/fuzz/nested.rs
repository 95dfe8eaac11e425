//! Programs about where frames are: calls as arguments of calls, some deep and some wide, one after another and again, so that a
//! frame stands where the parts of another one were. At every depth something may leave compiled code: a type that changes, a
//! variable that is not there, a notice, an exception, a generator, a reference.
//!
//! What the letters stand for (`templates.rs`), besides those of `skeleton::parts`: `a` one argument, `c` a call of few arguments,
//! `d` a call of many, `x` what leaves compiled code.

use super::skeleton::{self, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $n = 1, $log = ''; const C = [1, 'k' => 2]; }
function note($v) { burn(); S::$log .= $v; if (strlen(S::$log) > 60) S::$log = md5(S::$log); return $v; }
function a($x) { return $x; }
function b($x = 2) { return $x; }
function plus($x) { return num($x) + 1; }
function int(int $x) { return $x + 1; }
function two($x, $y) { return num($x) - num($y); }
function pair($x, $y = 1) { return [$x, $y]; }
function first($x) { $y = $x[0] ?? $x; return $y; }
function none() { return 1; }
function locals($x) { $p = $x; $q = $p; $r = [$q]; $s = $r; return $s[0]; }
function in($x) { return a(b($x)); }
function deep($x, $n = 2) { return $n > 0 ? deep(a($x), $n - 1) : plus($x); }
function unseen($x) { if ($x === 3 || $x === 'k') return $missing; return $x; }
function fails($x) { if ($x === 3 || $x === 'k') throw new DomainException('failed'); return $x; }
function caught($x) { try { return a(fails(b($x))); } catch (DomainException $e) { return a(b($e->getMessage())); } finally { S::$n = a(b(1)); } }
function warns($x) { return $x . ''; }
function ref(&$x, $y = 1) { $z = $x; $x = $y; return $z; }
function wide($p1, $p2 = 2, $p3 = 3, $p4 = 4, $p5 = 5, $p6 = 6, $p7 = 7, $p8 = 8) { $q1 = $p8; $q2 = [$p1]; $q3 = "s$p2"; $q4 = $p3; return $q4 ?? $q2; }
function wider($p1 = 1, $p2 = 'b', $p3 = [3], $p4 = null, $p5 = 1.5, $p6 = true, $p7 = 7, $p8 = 8, $p9 = 9, $p10 = 10, $p11 = 11, $p12 = 12) { $q1 = $p1; $q2 = $p2; $q3 = $p3; $q4 = $p4; $q5 = $p5; $q6 = [$q1, $q2]; $q7 = $q6; $q8 = "$p7"; $q9 = $p8; return a(b($q7)); }
function hollow($p) { if ($p === 'never') { $q1 = $q2 = $q3 = $q4 = $q5 = $q6 = $q7 = $q8 = $q9 = 1; } return $q9 ?? $p; }
function every(...$all) { return $all[0] ?? count($all); }
function wide_ref($p1, &$p2, $p3 = 3, &$p4 = null, $p5 = 5, $p6 = 6) { $p4 = $p2; $p2 = $p1; return a(b($p3)); }
function gives($x) { $y = yield a(b($x)); yield wide($y, $x, 1, 2, 3, 4, 5, 6); return a(b($y)); }
function of($x) { foreach (gives($x) as $v) { $w = a(b($v)); } return $w; }
function ended($x) { $g = gives($x); $g->current(); return a($g->send($x)); }
class P { public $x; public $l; function __construct($x = 1, $y = 2, $z = 3, public $i = 4) { $this->x = a(b($x)); $this->l = [$y, $z]; } function a($x) { return $x; } function b($x = 1) { return $this->x; } function self() { return $this; } function wide($p1 = 1, $p2 = 2, $p3 = 3, $p4 = 4, $p5 = 5, $p6 = 6, $p7 = 7) { $q1 = [$p1]; $q2 = $p7; return $this->a($this->b($q1)); } static function sa($x) { return $x; } static function sb($x = 1) { $y = $x; return static::sa($y); } static function swide($p1, $p2, $p3, $p4 = 4, $p5 = 5, $p6 = [6]) { $q1 = $p6; return self::sa(self::sb($q1)); } function __invoke($x = 1) { return $x; } function __get($n) { return a(b($n)); } }
class Q extends P { function a($x) { return pair($x, parent::a(b($x))); } function b($x = 1) { return fails($x); } }
class D { function __construct(public $x = 1) {} function __destruct() { S::$n = a(b(wide(1, 2, 3, 4, 5, 6, 7, 8))); note('d'); } }
class M { function __call($n, $a) { return a(b($a[0] ?? $n)); } static function __callStatic($n, $a) { return a(b($n)); } function __toString() { return a(b('m')); } }
"#;

const VARIABLES: &[&str] = &[
    "$x", "$x", "$y", "$i", "$i", "$n", "$s", "$turn", "$l", "$o", "$r", "$t",
];
const PLACES: &[&str] = &["$x", "$y", "$n", "$s", "$r", "$l", "$gone"];
const ARGUMENTS: &[&str] = &["§v", "§l", "§c", "§c", "§c", "§d", "§e"];
const CALLS: &[&str] = &[
    "a(b($i))",
    "a(b($i))",
    "a(b(§v))",
    "a(b(§a))",
    "a(b(a(§a)))",
    "plus(a(b(§a)))",
    "int(a(b($i)))",
    "int(plus(§a))",
    "two(a(§v), b(§a))",
    "two(b(), plus(§a))",
    "pair(a(§a), b(§v))",
    "first(pair(§a))",
    "a(none())",
    "a(locals(b(§a)))",
    "in(in(§v))",
    "deep(a(§v))",
    "of(a(§v))",
    "ended(b(§v))",
    "hollow(a(§a))",
    "caught(a(§a))",
    "every(a(§v), b(§v), §a)",
    "every(...[a(§a)])",
    "b(x: a(§a))",
    "$o->a($o->b(§a))",
    "$o->a($o->b($i))",
    "$o->self()->a(a(§a))",
    "$p->a($p->b(§v))",
    "a($o->x)",
    "a($o->no)",
    "P::sa(P::sb(§a))",
    "Q::sb(a(§a))",
    "(new P(a(§v)))->x",
    "a(new P(b(§v), a(§v)))",
    "a(new D(b(§a)))",
    "$f(a(§a))",
    "a($f(b(§v)))",
    "$name(a(b(§v)))",
    "(fn($x) => a(b($x)))(§a)",
    "(function ($x) use ($i, &$n) { $n = a(b($i)); return $x; })(a(§a))",
    "$o(a(§a))",
    "$m->none(a(§a))",
    "M::none(b(§v))",
    "strlen(a(warns($s)))",
    "a(abs(b($i)))",
    "abs(a(b($i)))",
    "max(a($i), b(§n))",
    "count(a(b([§v])))",
    "is_int(a(b(§a)))",
    "a(str_repeat(b('s'), a(§n)))",
    "array_map('a', [b(§v), a(§v)])",
    "array_map(fn($x) => a(b($x)), [§v])[0]",
    "call_user_func('a', b(§a))",
    "intdiv(a($i), b(§n))",
    "min(...[a(§n), b($i)])",
];
const WIDE_CALLS: &[&str] = &[
    "wide(1, 2, 3, 4, 5, 6, 7, 8)",
    "wide(§v, §l, §v, §l, §v, §l, §v, §l)",
    "wide(a(b($i)), 2, a(§v), 4, b(§v), 6)",
    "wide(§c, §v, §c)",
    "wide(p3: a(§v), p1: b(§v))",
    "wider(1, 'b', [$i], null, 2.5, $i, 7, 8, 9, 10, 11, 12)",
    "wider(§v, §l, §v, a(§v))",
    "wider(...[§v, §v, §v])",
    "wider(a(wide(§v)), 2, b(wider()))",
    "hollow(§v)",
    "every(§v, $i, §l, $i, 's', [1], $i, 1.5, §v)",
    "wide_ref(§v, §w, a(§v), $gone)",
    "$o->wide(§v, 2, [3], a(§v))",
    "$o->wide(1, 2, 3, 4, 5, 6, 7)",
    "$p->wide(a(§v), §l)",
    "P::swide(§v, §l, a(b($i)))",
    "Q::swide(1, 2, 3, 4, 5, 6)",
    "new P(§v, [1], §l, $i)",
    "$fw(§v, §l, $i, 's', [2])",
    "sprintf('%s%s%s', 's', warns($s), $i)",
    "array_merge([1], [§v], [$i], ['s'])",
    "compact('x', 'i', 's', 'n', 't')",
    "str_replace('a', 'b', text(§v))",
];
const EXITS: &[&str] = &[
    "a(unseen(§v))",
    "a(unseen(a(b($i))))",
    "fails(a(b($i)))",
    "a(fails(b($i)))",
    "int(a(b(§v)))",
    "$undefined",
    "a($undefined)",
    "a(b($undefined))",
    "wide($undefined, a(b($i)), §v)",
    "a(warns(b(§v)))",
    "warns([a($i)])",
    "a(b($l[9]))",
    "a($l['no'])",
    "a(b($s[$i + 5]))",
    "a(1 / a($i - 2))",
    "a(intdiv(1, b($i - 3)))",
    "a(b(PHP_INT_MAX) + $i)",
    "two(b(PHP_INT_MAX), a(-1 - $i))",
    "a(b(S::NONE))",
    "a($o->none(§v))",
    "a(ref($x, b($i)))",
    "a(b(ref($gone)))",
    "none_of_it(a($i))",
    "a()",
    "wide()",
    "a(b((string) $m))",
    "a((int) b('3 x') + '4 y')",
    "strlen(a([]))",
    "abs(b('x'))",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§c",
    "§c",
    "§d",
    "num(§c) + num(§c)",
    "a(b($i)) + $i",
    "[§c, §d]",
    "§c ?? §d",
    "(§t) ? §x : §c",
    "(§t) ? §c : §d",
];
const STATEMENTS: &[&str] = &[
    "$y = a(b($i)); §d; $y = a(b($i)); if (§t) { $y = §x; } ",
    "$y = §c; §d; $x = §c; if (§t) { $y = §x; } ",
    "$y = a(b($x)); $r = wide($i, 2, 3, 4, 5, 6, 7, 8); $y = a(b($x)); $r = §x; ",
    "$t += num(§c); §d; $t += num(§c); ",
    "$t += int(a(b($i))); §d; $t += int(a(b($i))); if (§t) { $t += num(§x); } ",
    "$y = $o->a($o->b($i)); §d; $y = $o->a($o->b($i)); if (§t) { $o->a(§x); } ",
    "$y = P::sa(P::sb($i)); §d; $y = P::sa(P::sb($x)); if (§t) { P::sa(§x); } ",
    "$y = $f(a($i)); §d; $y = $f(a($x)); if (§t) { $f(§x); } ",
    "§d; §c; ",
    "§c; §d; §c; ",
    "if (§t) { §d; } else { §c; } $y = §c; ",
    "try { $y = a(b(§x)); } catch (Exception | Error $q) { $y = a(b($q->getMessage())); §d; $q = null; } ",
    "try { §d; $y = §x; } finally { $t += a(b(1)); } ",
    "$j = 0; while ($j++ < 3) { $y = a(b($j)); §d; $y = a(b($j)); } ",
    "foreach ([1, §v] as $v) { $y = a(b($v)); §d; $y = §c; } ",
    "foreach (gives($i) as $v) { $y = a(b($v)); if (§t) break; $y = §d; } ",
    "if (§t) { $x = §l; } ",
    "if (§t) { $x = §x; } ",
    "if (§t) { $o = new Q($i); } ",
    "if (§t) { $o = new P(§v); } ",
    "if (§t) { $p = new Q(§v); } ",
    "if (§t) { $f = 'b'; } ",
    "if (§t) { $f = $o->a(...); } ",
    "if (§t) { $f = fn($x = 1) => a(b($x)); } ",
    "if (§t) { $fw = 'wider'; } ",
    "if (§t) { $name = ['plus', 'unseen', 'locals', 'fails'][$i & 3]; } ",
    "if (§t) { $r = &§w; } ",
    "if (§t) { unset(§w); } ",
    "if (§t) { $l = [$i, §v]; } ",
    "if (§t) { $s .= 'k'; } ",
    "§w = §e; ",
    "if (§t) { §s } ",
];
const START: &str = "$l = [3, 4]; $s = 'abc'; $n = 1; $y = $r = null; $t = $i = $j = 0; $o = new P($turn); $p = new P; $m = new M; $f = 'a'; $fw = wide(...); $name = 'a'; ";

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
        part('c', &[CALLS]),
        part('d', &[WIDE_CALLS]),
        part('x', &[EXITS]),
    ]);
    Skeleton {
        strict: 9,
        values: &[
            "1",
            "1",
            "2",
            "$turn",
            "'v'",
            "'k'",
            "null",
            "1.5",
            "[1, 2]",
            "new P($turn)",
            "3",
            "\"s$turn\"",
        ],
        reset: "S::$n = 1; ",
        after: |templates| templates.put("echo show([S::$log, S::$n]); "),
        ..Skeleton::usual(
            Templates::new(number ^ 0xc_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

fn body(templates: &mut Templates) {
    templates.put(START);
    skeleton::looped(templates, 6..24, 2..6, 22);
    templates.put("return [[$x ?? 0, $y ?? 0, $t, $n ?? 0], $s ?? 0, $l ?? 0]; ");
}
