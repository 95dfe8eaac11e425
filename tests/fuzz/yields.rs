//! Programs about generators: what is sent and thrown into them, delegation, keys and values by reference, `finally`, generators that
//! are left early, and those that the functions are themselves.
//!
//! What the letters stand for (`templates.rs`), besides those of `skeleton::parts`: `g` a generator, `i` something to iterate, `y` what
//! gives something to the caller (nothing in functions that are no generators), `d` drives a generator.

use super::skeleton::{self, Holder, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $log = '', $l = [1, 2, 'k' => 3], $g = null; }
function note($v) { burn(); S::$log .= $v; if (strlen(S::$log) > 60) S::$log = md5(S::$log); return $v; }
class P { public $l = [1, 2, 3]; public $x = 1; public ?Generator $g = null; function each() { foreach ($this->l as $k => $v) { $got = yield $k => $v; if ($got) $this->x = $got; } return $this->x; } function &refs() { foreach ($this->l as $k => &$v) yield $k => $v; } function twice() { yield from $this->each(); return yield from $this->each(); } static function some($n) { for ($j = 0; $j < num($n) && $j < 6; $j++) yield "k$j" => $j; } function keep() { return $this->g ??= $this->each(); } function more(...$all) { foreach ($all as $v) { yield from is_iterable($v) ? $v : [$v]; } } }
class D { function __construct(public $x = 0) {} function __destruct() { note('d'); if ($this->x === 3) throw new LogicException('gone'); } }
class It implements Iterator { private $n = 0; function __construct(public $end = 3) {} function current(): mixed { return note($this->n); } function key(): mixed { return [$this->n]; } function next(): void { if (++$this->n === 2 && $this->end === 4) throw new DomainException('it'); } function rewind(): void { $this->n = 0; } function valid(): bool { return $this->n < num($this->end); } }
class Ag implements IteratorAggregate { function __construct(public $of = [1, 2]) {} function getIterator(): Generator { foreach (lists($this->of) as $k => $v) yield $k => $v; } }
function upto($n) { for ($j = 0; $j < num($n) && $j < 9; $j++) yield $j; return $n; }
function keyed($v) { foreach (lists($v) as $k => $w) { yield $k => $w; } return count(lists($v)); }
function echoes($v = 0) { $n = 0; while ($n++ < 7) { $got = yield $v; $v = $got ?? $n; note('e'); } return $v; }
function guards($v) { try { note('t'); yield 1; yield 2 => $v; yield 3; } catch (DomainException $q) { note('c'); yield 'caught' => $q->getMessage(); } finally { note('f'); } return 'guards'; }
function nested($v) { try { $r = yield from guards($v); yield 'r' => $r; try { yield 'in'; } finally { note('n'); } } finally { note('o'); } return [$r]; }
function &refs(array &$a) { foreach ($a as $k => &$v) { yield $k => $v; } return $a; }
function &same(&$x) { for ($j = 0; $j < 4; $j++) { yield $x; } }
function swallow() { for ($j = 0; $j < 6; $j++) { try { $got = yield $j; if ($got === 2) return 'two'; } catch (Exception $q) { note('x'); $q = null; } } return 'all'; }
function fails($n) { for ($j = 0; $j < 5; $j++) { if ($j === num($n)) throw new DomainException("at$j"); yield $j => new D($j); } }
function sums() { $s = 0; while (($v = yield $s) !== null) { $s += num($v); } return $s; }
function chain($n, $v) { if ($n <= 0) return yield $v; return [yield from chain($n - 1, $v), yield $n]; }
function filter($g, $f) { foreach ($g as $k => $v) { if ($f($v)) yield $k => $v; } }
function map($g, $f) { foreach ($g as $k => $v) { yield $k => $f($v); } }
function take($g, $n) { foreach ($g as $k => $v) { if ($n-- <= 0) return 'cut'; yield $k => $v; } return 'short'; }
function zip($g, $h) { $g->rewind(); while ($g->valid() && $h->valid()) { yield $g->current() => $h->current(); $g->next(); $h->next(); } }
function shared($g) { yield from $g; note('s'); return 's'; }
function odd() { $x = yield; try { $x = [yield $x, yield]; return $x; } finally { if ($x === [1, 1]) yield 'fin'; } }
function all($g, $n = 9) { $r = []; foreach ($g as $k => $v) { $r[] = [flat($k), $v]; if (--$n <= 0) break; } return $r; }
function drive($g, $how) { $r = []; for ($j = 0; $j < 12 && $g->valid(); $j++) { $r[] = $g->current(); switch (($j + num($how)) % 6) { case 3: $r[] = $g->send($j); break; case 5: $r[] = $g->throw(new DomainException("d$j")); break; default: $g->next(); } } return $g->valid() ? $r : [$r, $g->getReturn()]; }
"#;

const VARIABLES: &[&str] = &[
    "$x", "$x", "$y", "$i", "$n", "$a", "$s", "$turn", "$k", "$v", "$o->x",
];
const GENERATORS: &[&str] = &[
    "$g",
    "$g",
    "$h",
    "upto(§n)",
    "keyed(§v)",
    "keyed(§e)",
    "echoes(§v)",
    "guards(§v)",
    "guards(§v)",
    "nested(§v)",
    "refs($a)",
    "same($x)",
    "swallow()",
    "fails(§n)",
    "fails($i)",
    "sums()",
    "chain(§n, §v)",
    "filter(§g, 'num')",
    "map(§g, fn($v) => num($v) + $i)",
    "take(§g, §n)",
    "zip(upto(3), keyed(§v))",
    "shared($g)",
    "shared(§g)",
    "odd()",
    "$o->each()",
    "$o->refs()",
    "$o->twice()",
    "$o->keep()",
    "P::some(§n)",
    "$o->more(§i, §v)",
    "$c(§v)",
    "(fn() => yield §v => §e)()",
    "(function () use (&$x) { $x = yield $x; yield $x; })()",
    "(function () { yield from [1, 'k' => 2]; return 3; })()",
    "(fn() => yield from §g)()",
];
const ITERABLES: &[&str] = &[
    "§g",
    "§g",
    "[1, 'k' => §v]",
    "new It(§n)",
    "new Ag(§v)",
    "$a",
    "new ArrayIterator([1, §v])",
    "[]",
];
const DRIVES: &[&str] = &[
    "all($g, §n)",
    "drive($h, §n)",
    "drive(§g, §n)",
    "drive(§g, $i)",
    "all(§i, §n)",
    "iterator_to_array(§i, false)",
    "[...§g]",
    "count([...map(§i, 'text')])",
    "array_sum(array_map('num', iterator_to_array(§i, false)))",
    "iterator_count(§i)",
];
const PLACES: &[&str] = &[
    "$x",
    "$y",
    "$n",
    "$a[§n]",
    "$o->x",
    "$a['k']",
    "$s",
    "S::$l[§n]",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§v",
    "§l",
    "§d",
    "§d",
    "§d",
    "§y",
    "§y",
    "$g->current()",
    "$g->key()",
    "$g->send(§e)",
    "$g->send($i)",
    "$g->valid()",
    "$h->current()",
    "$h->send(§v)",
    "$g->valid() ? $g->current() : §v",
    "$g->throw(new DomainException('in'))",
    "(§g)->current()",
    "(§g)->key()",
    "(§g)->send(§e)",
    "num($g->current()) + num(§e)",
    "num(§y) + num(§v)",
    "text(§y) . text(§e)",
    "[§v, §y, §e]",
    "[§y => §y, 'x' => §v]",
    "note(§l)",
    "§y ?? §v",
    "(§v) ? §y : §e",
    "some(§v, §y)",
    "$o->x = §e",
    "$a[flat(§y)] ?? §v",
    "new D(§y)",
];
const STATEMENTS: &[&str] = &[
    "§w = §e; ",
    "§w = §y; ",
    "§w .= text(§y); ",
    "$x = §e; ",
    "$y = §d; ",
    "$t += num(§e); ",
    "$t += num(§y); ",
    "$s = text($s . text(§e)); ",
    "$g = §g; ",
    "$h = §g; ",
    "if (§t) { $g = §g; } ",
    "if (§t) { $g = $h; } ",
    "if (§t) { $h = §g; $g = shared($h); } ",
    "if (§t) { $g = null; $g = upto(3); } ",
    "if (!$g->valid()) { $g = §g; } ",
    "if ($g->valid()) { $g->next(); } ",
    "if ($g->valid()) { $x = $g->current(); $t += num($x); $g->next(); } ",
    "$g->next(); ",
    "$g->next(); $y = $g->current(); ",
    "$y = $g->send(§e); ",
    "if (§t) { try { $y = $g->throw(new DomainException('t')); } catch (DomainException $q) { $t++; $q = null; } } ",
    "if (§t) { $y = $g->valid() ? 'on' : $g->getReturn(); } ",
    "if (§t) { S::$g = $g; } ",
    "if (§t) { $o->g = $g; } ",
    "if (§t) { $o->g = null; } ",
    "if (§t) { unset($r); $r = &§w; } ",
    "if (§t) { §s } ",
    "if (§t) { §w = §e; } ",
    "if (§t) { $a = lists(§e); } ",
    "if (§t) { $c = function ($v) use (&$x) { $got = yield $v; $x = $got; yield from lists($got); }; } ",
    "if (§t) { $c = fn($v) => yield $v; } ",
    "if (§t) { $c = $o->more(...); } ",
    "if (§t) { $c = guards(...); } ",
    "foreach (§i as $k => $v) { $t += num($v); } ",
    "foreach (§i as $k => $v) { §s } ",
    "foreach (§i as $k => $v) { if (§t) { break; } §s } ",
    "foreach (§g as $v) { $t++; if ($t % 5 == 4) { continue; } §w = $v; } ",
    "foreach (refs($a) as $k => &$v) { $v = num($v) + 1; } unset($v); ",
    "foreach ($o->refs() as &$v) { $v = flat(§e); } unset($v); ",
    "foreach (same($x) as &$v) { $v = $v . 'r'; if (strlen(text($v)) > 5) { $v = 1; } } unset($v); ",
    "foreach (keyed([[1, 2], ['k' => 3]]) as [$x, $y]) { $t++; } ",
    "foreach (§g as $a['n'] => $a['v']) { $t++; } ",
    "foreach (upto(4) as $j) { foreach (§g as $v) { if ($j === 2) { break 2; } $t++; } } ",
    "[$x, $y] = [...upto(2), §v, §v]; ",
    "try { §s } finally { $t++; } ",
    "try { §w = §y; } catch (DomainException $q) { $t += 3; $q = null; } finally { note('w'); } ",
    "try { throw new DomainException('own'); } catch (DomainException $q) { $q = null; §w = §y; } ",
    "$j = 0; while ($j++ < 3) { §w = §y; §s } ",
    "while ($g->valid()) { $t += num($g->current()); $g->next(); } $g = §g; ",
    "for ($j = 0; $j < 4 && $g->valid(); $j++, $g->next()) { §s } ",
    "$w2 = §y; $t += num($w2); ",
    "switch (§y) { case 1: §s break; case 'k': $t++; default: $y = §e; } ",
    "$y = match (true) { $g->valid() => §y, default => §e }; ",
    "$a = lists($a); ",
    "§y; ",
    "§y; ",
    "§y; ",
];
const YIELDS: &[&str] = &[
    "(yield)",
    "(yield §v)",
    "(yield §v)",
    "(yield $i)",
    "(yield §v => §e)",
    "(yield 'k' => $i)",
    "(yield from §i)",
    "(yield from [§v, 'k' => 1])",
    "(yield from upto(2))",
    "(yield [§v])",
    "(yield text(§v))",
];
const NO_YIELDS: &[&str] = &["§v", "§l", "$g->current()", "$i"];
const VALUES: &[&str] = &[
    "[1, 2, 3]",
    "$turn",
    "'v'",
    "null",
    "1.5",
    "new D($turn)",
    "['k' => [1]]",
    "upto(4)",
    "\"s$turn\"",
    "2",
    "new P",
    "[[1, 2], [3]]",
];
const HANDLERS: &[&str] = &[
    "return true;",
    "note('w'); return true;",
    "static $k = 0; if (++$k % 5 == 0) throw new ErrorException($m); return true;",
];
const START: &str = "$a = [1, 'k' => 2, [3]]; $s = 'abc'; $n = 1; $y = $v = $k = $r = null; $t = $i = $j = 0; $o = new P; $g = upto(5); $h = guards($turn); $c = fn($v) => yield $v; ";

/// The program of a number.
pub fn program(number: u64) -> String {
    let yields = match number / 12 % 4 {
        0 => NO_YIELDS,
        _ => YIELDS,
    };
    let mut parts = skeleton::parts(
        &[EXPRESSIONS],
        &[STATEMENTS],
        VARIABLES,
        &[skeleton::LITERALS],
        PLACES,
    );
    parts.extend([
        part('g', &[GENERATORS]),
        part('i', &[ITERABLES]),
        part('d', &[DRIVES]),
        part('y', &[yields]),
    ]);
    Skeleton {
        handlers: HANDLERS,
        before: |templates| templates.put(CALLERS),
        holders: &[
            Holder::Class("P", ""),
            Holder::StaticClass("P"),
            Holder::Closure,
            Holder::Nothing,
        ],
        heads: &["$x, $turn = 1", "$x, $turn, ...$more"],
        values: VALUES,
        shown: "told",
        reset: "S::$l = [1, 2, 'k' => 3]; S::$g = null; ",
        after: |templates| templates.put("S::$g = null; echo show([S::$log, S::$l]); "),
        ..Skeleton::usual(
            Templates::new(number ^ 0xa_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

/// What the functions give is driven, if it is a generator.
const CALLERS: &str = "function some($x, $y = 2) { return num($x) + num($y); } function told($g) { return show($g instanceof Generator ? drive($g, $GLOBALS['turn']) : $g); }";

fn body(templates: &mut Templates) {
    templates.put(START);
    skeleton::looped(templates, 4..16, 2..5, 22);
    templates.put("return [[$x, $y, $t, $n], $s, $a, $o]; ");
}
