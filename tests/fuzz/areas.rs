//! Programs that mix parts of the language which have rules of their own: references into arrays and properties,
//! destructuring, string offsets, static variables and properties, closures bound again, first-class callables,
//! named and unpacked arguments, nested functions, hooks, asymmetric visibility, enums, `match`, read-only and lazy
//! objects, ArrayAccess, magic methods, iterators, generators, fibers, and `finally` with all that leaves it.
//!
//! They stand in functions that are called again and again with values of other types, so that the programs say
//! something interpreted, in PHP, and compiled. What the letters stand for (`templates.rs`): `e` an expression, `v` a
//! variable, `l` a literal, `k` a key, `c` something to call, `s` statements, `w` a place that most code can use, `d` any place with an
//! address, `u` one that can be unset, `a` one that can be assigned.

use super::skeleton::{self, Holder, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
function named(int|string|null $one = 1, $two = [2], ...$more) { return [$one, $two, $more]; }
function by(&$x, &...$more) { $x = [$x]; foreach ($more as &$m) $m = 'by'; return count($more); }
function &place(array &$x, $k) { return $x[$k]; }
function counter($by = 1) { static $n = 0, $seen = ['s' => []]; $seen['s'][] = $by; return [$n += num($by), count($seen['s'])]; }
function pairs($x) { foreach (lists($x) as $k => $v) { try { $got = yield $k => $v; if ($got) yield 'got' => $got; } finally { S::$log .= 'f'; } } return 'pairs'; }
function &refs(array &$x) { foreach ($x as $k => &$v) yield $k => $v; }
interface Has { const H = 'h'; public string $name { get; } function make(...$x): static; }
trait Mixes { private array $mixed = []; public static int $made = 0; function mix($k, $v = 1) { $this->mixed[$k][] = $v; return $this; } function mixed() { static $calls = 0; return [++$calls, $this->mixed]; } abstract function make(...$x): static; }
class S { public static $log = ''; public static $a = [1, 'k' => [2]]; public static ?int $i = 1; protected static $hidden = 'h'; const C = ['c' => [1, 'd' => 2]]; static function hidden($v = null) { return $v === null ? static::$hidden : static::$hidden = $v; } static function &at($k) { return static::$a[$k]; } }
class T extends S { protected static $hidden = 't'; public static $own = []; }
class O implements Has, ArrayAccess, Countable { use Mixes; public $p = 1; public ?array $list = [1, 2]; public int $i = 0; public string $name { get => static::class . $this->i; } public $set { set { $this->p = [$value]; $this->set = $value; } } public array $both = [] { &get { S::$log .= 'b'; return $this->both; } } public private(set) int $shut = 5; public readonly array $once; protected $hid = 'hid';
    function make(...$x): static { $o = new static; foreach ($x as $k => $v) $o->mix($k, $v); return $o; } function once($v) { $this->once = [$v]; return $this; } function shut($by) { $this->shut += $by; return $this->shut; } function &ref($n) { return $this->$n; } function __clone() { S::$log .= 'c'; $this->i++; }
    function offsetExists($k): bool { return isset($this->list[$k]); } function &offsetGet($k): mixed { if ($k === null) { $k = count($this->list ?? []); } if (!isset($this->list[$k])) $this->list[$k] = null; return $this->list[$k]; } function offsetSet($k, $v): void { if ($k === null) $this->list[] = $v; else $this->list[$k] = $v; } function offsetUnset($k): void { unset($this->list[$k]); } function count(): int { return count($this->list ?? []); } }
class G { private $d = ['x' => [1]]; function &__get($n) { S::$log .= 'g'; return $this->d[$n]; } function __set($n, $v) { S::$log .= 's'; $this->d[$n] = $v; } function __isset($n) { return isset($this->d[$n]); } function __unset($n) { unset($this->d[$n]); } function __call($n, $a) { return [$n, $a]; } static function __callStatic($n, $a) { return [$n, count($a)]; } function __invoke(&$x, $y = 2) { $x = $y; return $this; } function __toString() { return 'G' . count($this->d); } }
class E2 { function __construct(public $n = 0) {} function __destruct() { S::$log .= 'd'; if ($this->n === 3) throw new LogicException('gone'); if ($this->n === 2) S::$a = 'taken'; } }
final readonly class V { function __construct(public int $x = 0, public ?V $next = null, public array $more = []) {} function with(...$c) { return new static(...[...get_object_vars($this), ...$c]); } }
class W implements IteratorAggregate { function __construct(public $of = [1, 2]) {} function getIterator(): Iterator { return is_array($this->of) ? new ArrayIterator($this->of) : (function () { yield $this->of; })(); } }
enum L: string implements JsonSerializable { case A = 'a'; case B = 'b'; const D = self::B; const M = [self::A, 'b' => self::B]; static function pick($n) { return self::cases()[num($n) & 1]; } function flip() { return match ($this) { self::A => self::B, self::B => self::A }; } function jsonSerialize(): mixed { return $this->name; } }
"#;

const LITERALS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "7",
    "1.5",
    "'a'",
    "'5'",
    "''",
    "'1.5x'",
    "null",
    "true",
    "false",
    "[]",
    "[1, 2]",
    "['k' => [3]]",
    "PHP_INT_MAX",
    "L::A",
    "S::C",
    "[[1], 'x']",
    "'k'",
    "INF",
    "'abc'",
];
const VARIABLES: &[&str] = &["$a", "$a", "$s", "$n", "$o", "$x", "$x", "$y", "$p", "$q"];
const KEYS: &[&str] = &[
    "0", "1", "2", "'k'", "'x'", "-1", "'1'", "$n", "$s", "null", "true", "§v", "1.7",
];
const SIMPLE_PLACES: &[&str] = &["$x", "$a[§k]", "$o->p", "$y", "$a['k']"];
const PLACES: &[&str] = &[
    "$a",
    "$x",
    "$y",
    "$a[§k]",
    "$a['k'][§k]",
    "$x[§k]",
    "$o->p",
    "$o->list[§k]",
    "$o->i",
    "$o[§k]",
    "$o->both[§k]",
    "$g->x",
    "$g->y[§k]",
    "$s",
    "$n",
    "$$z",
    "$GLOBALS['ga'][§k]",
    "$o->set",
    "$o->p[§k]",
    "$o->{'p'}",
];
const STATIC_PLACES: &[&str] = &["S::$a", "S::$a['k']", "S::$i", "T::$own[§k]"];
const ASSIGNED_PLACES: &[&str] = &["$a[]", "$s[§n]"];
const CALLABLES: &[&str] = &[
    "named(...)",
    "'named'",
    "$o->make(...)",
    "[$o, 'mix']",
    "fn($v = 1, ...$r) => [$v, §e]",
    "function ($v = 0) use (&$x) { $x = $v; return $this ?? null; }",
    "static fn(...$v) => count($v)",
    "strlen(...)",
    "'S::hidden'",
    "$g",
    "$g->nothing(...)",
    "G::any(...)",
    "counter(...)",
    "[new O, 'shut']",
    "L::pick(...)",
    "(new class { public $v = 2; function __invoke(...$r) { return $this->v += count($r); } })",
    "$f",
    "Closure::fromCallable('text')",
    "function () { static $k = 0; return ++$k; }",
    "(fn() => $this->hid)->bindTo(new O, O::class)",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§v",
    "§v",
    "§l",
    "§l",
    "§d",
    "$p",
    "$q",
    "num(§v) + §n",
    "flat(§v) . text(§e)",
    "num(§e) * num(§v)",
    "$a[§k] ?? §l",
    "$a['k']['x'] ?? §n",
    "isset($a[§k], $o->list[§k])",
    "empty($g->x[§k])",
    "$o?->p?->list",
    "$o->name",
    "$o->shut(§n)",
    "$o->shut",
    "$o->mix(§k, §e)->mixed()",
    "$o->once ?? §l",
    "$o->both",
    "clone $o",
    "$o::class",
    "(clone $o)->once(§e)",
    "count($o)",
    "$g->zip(§e)",
    "\"<$a[0]{$o->i}${n}>\"",
    "S::hidden()",
    "T::hidden(§e)",
    "S::C['c']['d']",
    "S::$a[§k] ?? §n",
    "L::tryFrom(text(§v))?->flip()",
    "L::pick(§e)",
    "L::M['b']->value",
    "match (true) { is_int(§v) => §e, is_array(§v), is_null(§v) => §l, default => §e }",
    "match (§v) { 1, 'a' => §e, null => §l }",
    "(§c)(§e)",
    "(§c)()",
    "array_map(§c, lists(§v))",
    "named(two: §e, one: 5)",
    "named(...lists(§v))",
    "named(...[1], ...['two' => §e])",
    "named(...['x' => §e, 'one' => §n])",
    "[...lists(§v), ...lists(§e)]",
    "[§k => §e, 'r' => &§w, §e]",
    "counter(§v)",
    "new V(num(§n), more: lists(§v))",
    "(new V(1))->with(x: §n)->x",
    "iterator_to_array(pairs(§v))",
    "iterator_to_array(new W(§v), true)",
    "[...new W(lists(§e)), 9]",
    "text(§v)[§n] ?? '-'",
    "substr(text(§v), §n) ?: §e",
    "text(§e)[-1] ?? 0",
    "(function () { return func_get_args(); })(§e, §v)",
    "(fn(&$r) => $r = §e)($x)",
    "compact('x', 's')",
    "get_debug_type(§v)",
    "§d ??= §e",
    "$n++",
    "--$n",
    "$s .= text(§e)",
    "$x = $y = §e",
    "array_pop($a)",
    "array_splice($a, §n, 1, lists(§e))",
    "place($a, §k)",
    "by($x, $a['b'], $y)",
    "json_encode(lists(§v))",
    "(§e) <=> (§v)",
    "(§v) == (§e)",
    "!(§e)",
    "(array) §v",
    "(bool) §v",
    "(string) flat(§v)",
    "(object) lists(§v)",
    "§v instanceof Has",
    "@$a[§k]",
    "@§v[§k]",
    "unserialize(serialize(lists(§v)))",
    "(function () { foreach ([1, 2, 3] as $v) { try { if ($v == 2) return $v; } finally { S::$log .= $v; } } })()",
    "func_num_args()",
    "$this->p ?? 'no'",
    "array_sum(array_map(num(...), lists(§v)))",
    "$r->newLazyGhost(function ($o) { $o->p = 'ghost'; S::$log .= 'l'; })",
    "$r->newLazyProxy(fn() => new O)->p",
    "(yields(§e))->current()",
];
const STATEMENTS: &[&str] = &[
    "§a = §e; ",
    "§a = §e; ",
    "§a = §e; ",
    "$x = §e; ",
    "§d .= text(§e); ",
    "§d += num(§e); ",
    "§d ??= §e; ",
    "§d++; ",
    "unset(§u); ",
    "echo show(§e), ' '; ",
    "echo show(§v), ' '; ",
    "§d = &§d; ",
    "$p = &§d; $p = §e; unset($p); ",
    "$q = &$a[§k]; $b = $a; $q = §e; $y = $b; unset($q); ",
    "$b = [&$x, $a]; [$c, [§k => $y]] = $b; ",
    "[$x, , $y] = lists(§e); ",
    "['k' => $x, 0 => [$y]] = [§k => §e, 'k' => §v, 0 => lists(§e)]; ",
    "[$a[], $o->p, S::$a] = [§e, §e, §e]; ",
    "[0 => &$p, 'k' => &$q] = $a; $p = §l; $q = §l; unset($p, $q); ",
    "[[$x, &$y]] = $a; ",
    "foreach ([[1, [2]], §v] as [$x, [$y]]) { §s} ",
    "list($a, $x) = [$x, $a]; ",
    "[$n, $s] = [$s, $n]; ",
    "$s = text($s); $s[§n] = text(§e); ",
    "$s = text(§e); $s[5] = 'z'; ",
    "$s = 'abc'; foreach ([0, 1] as $i) { $s[$i] = strtoupper($s[$i]); } ",
    "static $st§# = [1]; $st§#[] = §e; $x = count($st§#); ",
    "static $st§# = 5; $st§#++; §a = $st§#; ",
    "static $st§#; $st§# ??= §e; $y = &$st§#; $y = §n; unset($y); ",
    "global $ga; $ga[] = §e; if (count((array) $ga) > 5) $ga = []; ",
    "foreach ($a as $k => &$v) { $v = §e; §s} unset($v); ",
    "foreach ($a as $k => &$v) { if (count($a) < 9) $a[] = §n; $v = [$v]; } unset($v); ",
    "foreach ($a as $k => $a[§k]) { §s} ",
    "foreach ($o as $k => &$v) { $v = $k === 'i' ? 3 : $v; } unset($v); ",
    "foreach (refs($a) as $k => &$v) { $v = §e; } unset($v); ",
    "foreach (pairs(§e) as $k => $v) { §s if (§e) break; } ",
    "foreach (new W(§e) as $k => $v) { $y = [$k => $v]; §s} ",
    "foreach (lists(§v) as $k => $v) { if ($k === 1) continue; §s} ",
    "foreach (yields(§e) as $k => $v) { $y = $v; } ",
    "for ($i = 0; $i < 3; $i++) { §s if ($i == 1) { §s} } ",
    "$i = 3; while ($i-- > 0) { §s try { if ($i == 1) continue; §s} finally { $n++; } } ",
    "for ($i = 0; $i < 4; $i++) { try { if ($i == §n) break; §s} finally { S::$log .= $i; } } ",
    "do { §s try { break; } finally { S::$log .= 'b'; } } while (false); ",
    "switch (§v) { case 1: §s case 'a': $y = 1; break; case null: §s default: $y = 2; } ",
    "switch (text(§v)) { case 'abc': $y = 'abc'; break; case 'text': §s break; case 'k': $y = §e; } ",
    "try { §s throw new DomainException(text(§v)); } catch (DomainException $t) { $x = $t->getMessage(); §s} finally { §s} ",
    "try { §s} catch (TypeError | LogicException $t) { $y = show($t); } ",
    "try { try { §s throw new LogicException('in'); } finally { if (§e) throw new DomainException('fin'); } } catch (LogicException $t) { $y = show($t) . show($t->getPrevious()); } ",
    "try { return §e; } finally { $x = §e; if ($n === §n) return 'over'; } ",
    "(function () use (&$x, $y) { $x = §e; §s})(); ",
    "$f = function ($v = 1) use (&$a, &$f) { $a[] = $v; return $f; }; $f(§e); if (count((array) $a) > 9) $a = []; ",
    "$f = fn($v = 2) => [$v, §e]; ",
    "if (§e) { §s} else { §s} ",
    "if (is_array($a) && count($a) > 8) { $a = array_slice($a, 2, 3); } ",
    "if (!function_exists('in§#')) { function in§#($x) { static $k = 0; return [++$k, $x]; } } $x = in§#(§e); ",
    "$o->once(§e); ",
    "$o->shut = 3; ",
    "$o->mix(§k, §e); ",
    "$c = clone $o; $c->list[] = §e; $y = $c->list; ",
    "$p = &$o->ref('p'); $p = §e; unset($p); ",
    "$p = &$o->list; $p[§k] = §e; unset($p); ",
    "$p = &S::at(§k); $p = §e; unset($p); ",
    "$o->both[] = §e; if (count($o->both) > 5) $o->both = []; ",
    "unset($o[§k], $g->x); ",
    "$o[] = §e; if (count($o) > 8) $o->list = [1]; ",
    "$o['n']['m'][] = §n; ",
    "$g->x['k'] = §e; ",
    "$g($x, §e); ",
    "by($a[§k], $o->p, $y); ",
    "by(...[&$x, &$y]); ",
    "S::$a = [§e]; ",
    "T::$own = [§k => §e]; ",
    "new E2(§n); ",
    "$y = new E2(§n); $y = null; ",
    "$a['e'] = new E2(§n); unset($a['e']); ",
    "$fb = new Fiber(function ($v) { $w = Fiber::suspend([$v, §e]); try { $v = Fiber::suspend($w); } finally { S::$log .= 'F'; } return $v; }); $x = $fb->start(§e); if (§e) $y = $fb->resume(§v); $fb = null; ",
    "$ge = pairs(§e); $x = $ge->current(); $y = $ge->send(§e); if (§e) { try { $ge->throw(new DomainException('sent')); } catch (DomainException $t) { } } $ge = null; ",
    "$l = $r->newLazyGhost(function ($v) { $v->p = §l; S::$log .= 'L'; }); §s $x = $l->p; $l = null; ",
    "if (isset($this)) { $this->p = §e; $this->list[] = §n; if (count($this->list) > 6) $this->list = []; } ",
    "eval('$x = $n; $ev = §n;'); ",
    "extract(['x' => §e, 's' => 'ex']); ",
    "$z = 'y'; $$z = §e; ",
    "goto l§#; $x = 'skipped'; l§#: ",
    "usort($a, fn($v, $w) => show($v) <=> show($w)); ",
    "array_walk($a, function (&$v, $k, $u) { $v = [$u => $v]; }, 'w'); ",
    "if (is_array($a)) { $a = array_map(flat(...), $a); } ",
];
const HEADS: &[&str] = &[
    "$x, $n = 1",
    "$x = null, ...$y",
    "int|string|array|object|float|bool|null $x, $n = 2, ?array $a = [1, 2]",
    "&$x, $n = 3",
    "$x, int $n = 4, string $s = 'dflt'",
    "$x, array &$a = [1]",
    "$x, $n = new V(1), $y = S::C",
    "iterable|int|string|object|bool|float|null $x, $y = L::A",
];
const VALUES: &[&str] = &[
    "$turn",
    "'v'",
    "[$turn, 'k' => [1]]",
    "null",
    "1.5",
    "new O",
    "'7'",
    "L::B",
    "[]",
    "PHP_INT_MAX - 3 + $turn",
    "new V($turn)",
    "true",
    "fn($q = 1) => $q",
    "new ArrayObject([1, 'k' => 2])",
    "[[1, 2], ['x' => $turn]]",
    "$va",
    "new G",
    "\"s$turn\"",
];
const HANDLERS: &[&str] = &[
    "echo \"! $m\\n\"; return true;",
    "S::$log .= 'w'; return true;",
    "return true;",
    "static $c = 0; if (++$c % 5 == 0) throw new ErrorException($m); return true;",
    "throw new ErrorException($m);",
];

/// The program of a number.
pub fn program(number: u64) -> String {
    let parts = vec![
        part('e', &[EXPRESSIONS]).parenthesised(),
        part('s', &[STATEMENTS]).several(),
        part('c', &[CALLABLES]),
        part('v', &[VARIABLES]),
        part('l', &[LITERALS]),
        part('k', &[KEYS]),
        part('w', &[SIMPLE_PLACES]),
        part('u', &[PLACES]),
        part('d', &[PLACES, STATIC_PLACES]),
        part('a', &[PLACES, STATIC_PLACES, ASSIGNED_PLACES]),
    ];
    Skeleton {
        strict: 8,
        handlers: HANDLERS,
        before,
        functions: 2..5,
        holders: &[
            Holder::Class("O", ""),
            Holder::StaticClass("T"),
            Holder::Closure,
            Holder::Nothing,
            Holder::Nothing,
        ],
        heads: HEADS,
        values: VALUES,
        turns: 12..13,
        arguments: &["$vb", "$vb", "$vb, $turn", "...[$vb]", "x: $vb"],
        reset: "S::$a = [1, 'k' => [2]];",
        after: |templates| templates.put("unset($ga, $x, $t); echo show([S::$log, S::$i]); "),
        ..Skeleton::usual(
            Templates::new(number ^ 0x3_0000_0000, 0..4, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

/// A generator with statements in it.
fn before(templates: &mut Templates) {
    templates
        .put("$ga = [];\nfunction yields($x) { $a = lists($x); $n = 1; $s = 's'; $y = yield $x; ");
    statements(templates, 12);
    templates.put("try { yield 'k' => $y; } finally { S::$log .= 'y'; } return $x; }");
}

fn body(templates: &mut Templates) {
    templates.put("$a ??= [1, 'k' => ['x' => 2], 'r']; $s ??= 'str'; $n ??= 1; $x ??= 0; $y ??= null; $z = 'x'; $f = $p = $q = null; $o = new O; $g = new G; $r = new ReflectionClass('O'); ");
    if templates.random.below(2) == 0 {
        templates.put("for ($j = 0; $j < 4; $j++) { burn(); ");
        statements(templates, 30);
        templates.put("} ");
    }
    statements(templates, 40);
    templates.put("return [$x, $n, $a, $s, $y, $o ?? null, [$f, $g]]; ");
}

fn statements(templates: &mut Templates, budget: i32) {
    let caught = "Throwable $t) { echo get_class($t), ' '; $t = null;";
    skeleton::statements(templates, 2..6, budget, 6, caught);
}
