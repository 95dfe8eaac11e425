//! Programs in which other code of the script runs in the middle of what looks like one step: destructors, `__toString`, hooks,
//! `__get` and `__set`, `offsetGet`, iterators, generators, error handlers and closures that have the variables by reference. They
//! change what is being worked on, or throw. Each program has three of sixteen subjects, so that those meet, in functions
//! and closures that run long enough to be compiled.
//!
//! What the letters stand for (`templates.rs`): `e` an expression, `v` a variable, `l` a literal, `k` a key, `s` statements, `w` a
//! place that can be written to, `t` when something happens; `x` and `y` an expression and a statement of the chosen subjects.

use std::fmt::Write;

use super::skeleton::{self, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $log = '', $n = 1, $l = [1, 'k' => 2], $refs = [], $turn = 0, $every = 3, $plan = 0; public static ?P $o = null; static function &at($k) { return self::$l[$k]; } }
function interlude($by = null) {
    burn(); S::$log .= '.'; if (strlen(S::$log) > 70) S::$log = md5(S::$log);
    if (++S::$turn % S::$every) return $by;
    switch (S::$plan) {
        case 1: foreach (S::$refs as &$r) $r = $by; break;
        case 2: throw new DomainException('interlude');
        case 3: S::$n = 'changed'; S::$l = ['k' => $by]; break;
        case 4: if (S::$o) { S::$o->x = $by; S::$o->l = [9, $by]; S::$o->next = null; } break;
        case 5: foreach (S::$refs as &$r) { if (is_array($r)) { $r[] = 'more'; if (count($r) > 9) $r = []; } elseif (is_int($r)) $r = $r / 2; elseif (is_string($r)) $r = strrev($r); } break;
        case 6: S::$refs = []; S::$l = []; S::$o = new P; break;
        case 7: foreach (S::$refs as $k => &$r) { $r = [&S::$refs[$k === 0 ? 0 : $k - 1], 2]; break; } break;
    }
    return $by;
}
class D { public $x; public $n; function __construct($x = 0, $n = null) { $this->x = $x; $this->n = $n; } function __destruct() { interlude($this->n); } function __toString() { return 'D' . text(interlude('s')); } function get() { return $this->x; } function with($v) { $this->x = $v; return $this; } function __invoke($v = 1) { return [$v, $this->x]; } }
class Th { public $c = 0; function __construct(public $each = 3) {} function __toString(): string { burn(); if (++$this->c % $this->each == 0) throw new LogicException("text$this->c"); return "th$this->c"; } }
class P { public $x = 1; public int $i = 2; public ?P $next = null; public $l = [1, 2, 3]; public ?string $s = 'p'; public $f = null; protected $hid = 'h'; public static $n = 0; const K = ['a' => 1, 2];
    function __construct($x = 1, int $i = 2, ...$more) { $this->x = $x; $this->i = $i; if ($more) $this->l = $more; } function get() { return $this->x; } function set($v) { $this->x = $v; return $this; } function add(int $n = 1) { return $this->i += $n; } function &ref() { return $this->x; } function &list() { return $this->l; } function next() { return $this->next; } function hid() { return $this->hid; } static function bump($n = 1) { return static::$n = num(static::$n) + num($n); } function sum() { $s = 0; foreach ($this->l as $v) $s += num($v); return $s; } function each($f) { foreach ($this->l as $k => &$v) { $v = $f($v, $k); } return $this; } function __call($n, $a) { return [$n, count($a)]; } }
class Q extends P { public $y = 'q'; function get() { return [parent::get()]; } function add(int $n = 1) { return $this->i -= $n; } }
class H { public $x = 1 { get { interlude($this->x); return $this->x; } set { interlude($value); $this->x = $value; } } public $v { get => [S::$n, $this->w]; } public $w = 2; public array $l = [1, 'k' => [2]] { &get { interlude('l'); return $this->l; } } public $short = 1 { set => is_array($value) ? count($value) : [$value]; } public ?H $next = null; public int $i = 1 { set(int|string $value) { $this->i = (int) $value; } } public string $bad { get { throw new LogicException('hook'); } } function own() { return $this->x; } function inc() { return $this->i++; } }
class H2 extends H { public $x { get { return parent::$x::get(); } set { parent::$x::set(is_int($value) ? $value + 1 : $value); } } public int $i = 5; }
class G { private $d = ['a' => 1, 'l' => [1, 2]]; public $p = 'p'; public int $q = 3; function &__get($n) { interlude($n); if (!isset($this->d[$n])) $this->d[$n] = null; return $this->d[$n]; } function __set($n, $v) { interlude($v); $this->d[$n] = $v; } function __isset($n) { interlude($n); return isset($this->d[$n]); } function __unset($n) { interlude($n); unset($this->d[$n]); } }
class GV { private $d = ['a' => 1, 'l' => [1, 2]]; public $p = 1; function __get($n) { return interlude($this->d[$n] ?? $n); } function __set($n, $v) { $this->d[$n] = interlude($v); } }
class A implements ArrayAccess, Countable { public $d = [1, 'k' => [2]]; function offsetExists($k): bool { interlude($k); return isset($this->d[$k]); } function &offsetGet($k): mixed { interlude($k); if (!isset($this->d[$k ?? 'n'])) $this->d[$k ?? 'n'] = 0; return $this->d[$k ?? 'n']; } function offsetSet($k, $v): void { interlude($v); if ($k === null) $this->d[] = $v; else $this->d[$k] = $v; if (count($this->d) > 8) $this->d = []; } function offsetUnset($k): void { interlude($k); unset($this->d[$k]); } function count(): int { return count($this->d); } }
class It implements Iterator { private $n = 0; function __construct(public $end = 4, public $l = ['a', 'b']) {} function current(): mixed { return interlude($this->l[$this->n] ?? $this->n); } function key(): mixed { return $this->n & 1 ? "k$this->n" : $this->n; } function next(): void { $this->n++; interlude($this->n); } function rewind(): void { $this->n = 0; } function valid(): bool { return $this->n < num($this->end); } }
class Ag implements IteratorAggregate { public $l = [3, 'k' => 4, 5]; function __construct($l = null) { if ($l !== null) $this->l = lists($l); } function &getIterator(): Traversable { foreach ($this->l as $k => &$v) { $got = yield $k => $v; if ($got) $v = $got; } } }
class Ag2 implements IteratorAggregate { function __construct(public $o) {} function getIterator(): Traversable { interlude('it'); return is_array($this->o) ? new ArrayIterator($this->o) : new It(3); } }
enum E: int { case A = 1; case B = 2; function flip() { return $this === self::A ? self::B : self::A; } static function of($v) { return self::from(num($v) & 1 ? 1 : 2); } }
function named($one = 1, $two = 'b', $three = [3]) { return [$one, $two, $three]; }
function some($x, $y = 2, ...$more) { return $more ? count($more) + num($x) : num($x) + num($y); }
function small($v) { return num($v) + 1; }
function swap(&$x, &$y) { $z = $x; $x = $y; $y = $z; return 1; }
function into(array &$x, $k, $v) { $x[$k] = $v; return count($x); }
function &place(array &$x, $k) { return $x[$k]; }
function kept($v) { static $all = [], $n = 0; $all[] = $v; if (++$n % 4 == 0) $all = []; return count($all) + $n; }
function &counted() { static $n = 0; $n = num($n) + 1; return $n; }
function globally($v) { global $ga, $gn; $gn = num($gn) + num($v); $ga[] = $v; if (count($ga) > 6) $ga = [1]; return $gn; }
function &refs(array &$x) { foreach ($x as $k => &$v) { try { $got = yield $k => $v; if ($got !== null) $v = $got; } finally { S::$log .= 'f'; } } return $x; }
function steps($n, $v = 0) { for ($i = 0; $i < num($n) && $i < 5; $i++) { $got = yield "s$i" => $v; if ($got) $v = $got; } return $v; }
function both($x) { try { $r = yield from steps(2, $x); $q = yield from [1, 'k' => $x]; yield $r; yield from new It(2); } catch (DomainException $t) { yield 'caught'; } finally { S::$log .= 'b'; interlude($x); } return 'both'; }
function through(array &$x) { $got = yield 'first' => $x; yield from refs($x); return $got; }
function ends($v) { try { try { if ($v === 2) return 'in'; if ($v === 3) throw new DomainException('ends'); $v = [$v]; } finally { S::$log .= 'i'; if ($v === 4 || $v === [4]) return 'over'; } return $v; } catch (DomainException $t) { return $t->getMessage(); } finally { S::$log .= 'o'; if ($v === 5 || $v === [5]) throw new LogicException('ends'); } }
function loops($v) { for ($j = 0; $j < 4; $j++) { try { if ($j === $v) continue; foreach ([1, 2] as $q) { try { if ($q === 2) continue 2; if ($v === 7) return new D($q); } finally { S::$log .= $q; } } } finally { $v = num($v) + 1; } } return [$j, $v]; }
"#;

const VARIABLES: &[&str] = &["$a", "$n", "$s", "$o", "$x", "$x", "$y", "$i", "$f", "$h"];
/// Literals that need what is in the [`PRELUDE`].
const LITERALS: &[&str] = &["E::A", "P::K"];
const KEYS: &[&str] = &[
    "0", "1", "2", "'k'", "$i", "$i & 3", "'x'", "-1", "'1'", "$n", "$s", "null", "1.5",
];
const PLACES: &[&str] = &[
    "$a[§k]",
    "$x",
    "$y",
    "$n",
    "$s",
    "$o->x",
    "$o->l[§k]",
    "$h['k']",
    "S::$n",
    "S::$l[§k]",
    "$o->i",
    "$a",
    "$f",
];
/// What all programs have.
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§v",
    "§v",
    "§l",
    "$i",
    "num(§v) + §n",
    "num(§e) + num(§e)",
    "$t + $i",
    "$n * 2",
    "$s . $i",
    "text(§v) . text(§e)",
    "$a[§k] ?? §l",
    "count(lists(§v))",
    "§v === §e",
    "[§v, §e]",
    "small(§e)",
    "$o->x",
    "$o->get()",
    "$o->i + $o->add(§n)",
    "interlude(§v)",
    "§x",
    "§x",
    "§x",
    "§x",
    "[§v, §x]",
    "num(§v) + num(§x)",
    "text(§x) . $s",
    "some(§v, §x)",
    "[§x, §v, §e][§n] ?? §v",
    "(§e) ? §x : §v",
];
const STATEMENTS: &[&str] = &[
    "§w = §e; ",
    "$x = §e; ",
    "$y = §x; ",
    "$t += num(§x); ",
    "$t += num(§e); ",
    "$s = text($s . text(§x)); ",
    "$n = num(§x); ",
    "$a = lists(§x); ",
    "$a[§k] = §e; ",
    "if (§t) { §s} ",
    "if (§t) { §w = §e; } ",
    "if (§t) { §w = §e; } ",
    "if (§t) { S::$refs = [&§w, &§w]; } ",
    "if (§t) { S::$o = $o; } ",
    "if (§t) { unset($r); $r = &§w; } ",
    "foreach (lists(§v) as $k => $v) { §s} ",
    "$j = 0; while ($j++ < 3) { §s} ",
    "$a = lists($a); ",
    "§y",
    "§y",
    "§y",
    "§y",
    "§y",
    "§y",
];

/// Expressions and statements about one part of the language.
type Subject = (&'static [&'static str], &'static [&'static str]);

const SUBJECTS: [Subject; 16] = [
    // Closures that have variables by reference.
    (
        &[
            "$c(§e)",
            "$c($c($i))",
            "$inc()",
            "$inc() + $t + $inc()",
            "$cs[§n & 1](§v)",
            "($o->f)(§v)",
            "(function () use (&$x) { return $x = [$x]; })()",
            "(fn() => $x ?? §v)()",
            "(static function ($v) use (&$n) { return $n = num($v); })(§e)",
            "array_map($c, [1, §v])",
            "(function ($v) { return $this->hid . text($v); })->call($o, §v)",
            "$c->bindTo(null)(§v)",
            "$twice($c, §e)",
        ],
        &[
            "$c = function ($v) use (&$t, &$x) { $t += 1; $x = $v; return $t; }; ",
            "$c = fn($v) => num($v) + $t; ",
            "$c = function ($v) use (&$a, $s) { $a[] = $v; if (count($a) > 6) { $a = [$s]; } return count($a); }; ",
            "$inc = function () use (&$n) { return $n = num($n) + 1; }; ",
            "$o->f = function ($v) use (&$o) { return $o->x = $v; }; $y = ($o->f)(§e); ",
            "$cs[$i & 1] = function ($v = 1) use (&$s) { $s = text($v) . 'c'; return $s; }; ",
            "$rec = function ($q) use (&$rec, &$t) { $t += $q; return $q > 0 ? $rec($q - 1) : $t; }; $y = $rec(§n); ",
            "$c = (function ($v) use ($c) { return is_int($v) ? $c($v + 1) : $v; }); if ($i % 3 == 2) { $c = fn($v) => $v; } ",
            "array_walk($a, function (&$v, $k) use (&$t) { $t++; $v = flat($v); }); ",
            "$twice = fn($f, $v) => $f($f($v)); ",
            "usort($cmp, function ($p, $q) use (&$t) { $t++; return $p <=> $q; }); ",
        ],
    ),
    // First-class callables.
    (
        &[
            "small(...)(§e)",
            "$fc(§v)",
            "$fc(...)(§e)",
            "$o->set(...)(§e)->x",
            "P::bump(...)(§v)",
            "$m(§v)",
            "strlen(...)(text(§v))",
            "$o->nothing(...)(§v, 1)",
            "array_map(small(...), lists(§v))",
            "(new D(§v))->get(...)()",
            "$d(...)(§v)",
            "array_sum(array_map($fc, [1, 2, §v]))",
            "$fcs[§n & 1](§e)",
            "E::of(...)(§v)->flip()",
            "(some(...))(...[§v, 2])",
        ],
        &[
            "$fc = small(...); ",
            "$fc = $o->set(...); ",
            "$fc = strlen(...); if (!is_string(§v)) { $fc = small(...); } ",
            "$fc = 'small'; ",
            "$fc = [$o, 'get']; $y = $fc(); $fc = fn($v) => $v; ",
            "$m = $o->add(...); $y = $m(§n); ",
            "$m = $i & 1 ? $o->get(...) : P::bump(...); ",
            "$fcs = [$o->each(...), some(...), small(...)]; $fcs = [small(...), $fc]; ",
            "$m = (new Q(§v))->get(...); $y = $m(); ",
            "$d = new D(§v, §l); $m = $d(...); $d = new D; $y = $m(§e); ",
            "foreach (['small', 'num', 'flat'] as $q) { $y = $q(§v); $z = $q(...); $t += num($z(§e)); } ",
        ],
    ),
    // Generators with references and delegation.
    (
        &[
            "iterator_to_array(steps(3, §v))",
            "iterator_to_array(both(§v), false)",
            "(steps(2, §e))->current()",
            "[...steps(3, §v)]",
            "count([...both(§v), ...steps(1)])",
            "$ge->current()",
            "$ge?->send(§v)",
            "iterator_count(refs($a))",
            "(function () use (&$x) { $x = 'in'; yield §v; $x = 'out'; })()->current()",
            "(fn() => yield §v)()->send(1)",
        ],
        &[
            "foreach (refs($a) as $k => &$v) { $v = num($v) + 1; if (§t) { break; } } unset($v); ",
            "foreach (through($a) as $k => $v) { $t++; if ($k === 'k') { $a[0] = §e; } } ",
            "$ge = both(§e); ",
            "$ge = steps(4, §v); foreach ($ge as $k => $v) { $t += num($v); if (§t) { continue; } } $y = $ge->getReturn(); $ge = null; ",
            "$ge ??= refs($a); if ($ge->valid()) { $y = $ge->send(§e); } else { $ge = null; } ",
            "if (isset($ge)) { $ge->next(); $y = $ge->key(); } ",
            "$ge = (function () use (&$x, &$ge) { $x = yield 1; $ge = null; yield $x; })(); $ge->current(); $y = $ge->send(§v); ",
            "foreach (new Ag($a) as $k => &$v) { $v = [$k]; } unset($v); ",
            "$g1 = (function () use (&$t) { try { while (true) { $t += num(yield $t); } } finally { $t++; interlude('g'); } })(); $g1->current(); $g1->send(§n); $g1->send($i); $g1 = null; ",
            "try { $g2 = both(§v); $g2->current(); $y = $g2->throw(new DomainException('in')); } finally { $g2 = null; } ",
            "$g3 = (function ($v) { $w = yield from (function () use ($v) { return yield $v; })(); return [$w, $v]; })(§v); $g3->current(); $g3->send(§e); $y = $g3->getReturn(); ",
        ],
    ),
    // match
    (
        &[
            "match (§v) { 1, 2 => §e, 'a', '5' => §x, null => §v, default => $i }",
            "match (true) { is_int(§v) => §v + 1, is_array(§v), §v instanceof D => count(lists(§v)), default => §e }",
            "match ($i & 3) { 0 => §e, 1 => §v, 2 => $t }",
            "match ($s) { 't1', 'text' => 1, 'a' . $i => 2, default => strlen(text($s)) }",
            "match (interlude(§v)) { §v => 'same', §l => 'literal' }",
            "match ($n <=> 2) { -1 => §x, 0 => $a, 1 => [$n] }",
            "match ($o::class) { 'P' => $o->x, 'Q' => $o->y, default => throw new DomainException('match') }",
            "match (E::of(§v)) { E::A => §e, E::B => $i }",
            "match (false) { $x => 1, §v => 2, default => 3 } + $t",
        ],
        &[
            "$y = match ($i % 5) { 0 => $a[] = $i, 1 => $x = §e, 2 => [$x, $y] = [$y, $x], 3 => $n++, default => null }; ",
            "foreach ([1, 'a', null, 1.0, '1'] as $q) { $t += match ($q) { 1 => 1, '1' => 2, 1.0 => 3, null => 4, default => 5 }; } ",
            "try { $y = match ($i) { §n => §e, 6 => §x }; } catch (UnhandledMatchError $q) { $t--; $q = null; } ",
            "echo match (true) { $t > 50 => '+', default => '' }; ",
        ],
    ),
    // try and finally that are left by return, break, throw.
    (
        &[
            "ends($i)",
            "ends(§v)",
            "loops($i)",
            "loops(§n)",
            "(function () use (&$x) { try { return $x; } finally { $x = §e; } })()",
            "(function ($v) { foreach ([1, 2, 3] as $q) { try { if ($q === $v) { return $q; } } finally { $v = $q === 2 ? 3 : $v; } } return 'none'; })(§n)",
            "(function () { try { throw new LogicException('a'); } finally { return §v; } })()",
            "(function ($v) { try { try { return [$v]; } finally { throw new DomainException('b'); } } catch (DomainException $q) { return $v; } })(§e)",
        ],
        &[
            "try { if (§t) { throw new DomainException('t'); } §s} catch (DomainException $q) { $y = $q->getMessage(); $q = null; } finally { $t++; } ",
            "for ($j = 0; $j < 3; $j++) { try { if (§t) { continue; } §s if ($j == 1) { break; } } finally { $n = num($n) + 1; } } ",
            "try { try { $y = ends(§v); } finally { $x = §e; } } catch (LogicException $q) { $t += 2; $q = null; } ",
            "foreach ($a as $k => $v) { try { $d = new D($v, §l); if ($k === 'k') { break; } $d = null; } finally { $t += 3; $d = 5; } } ",
            "try { if ($turn == 7 && §t) { return §e; } } finally { $y = 'left'; if ($turn == 9) { return $y; } } ",
            "do { try { try { if (§t) { break; } §s} finally { interlude(§v); } } catch (DomainException $q) { $y = show($q); $q = null; } finally { $t++; } } while (false); ",
        ],
    ),
    // Static and global variables by reference.
    (
        &[
            "kept(§v)",
            "counted()",
            "counted() + counted()",
            "globally(§v)",
            "$GLOBALS['gn']",
            "$st",
            "$st . text($st2)",
            "S::at('k')",
            "S::$l['k'] ?? §v",
            "S::$n",
            "num(S::$n) + num(interlude(§v)) + num(S::$n)",
            "P::bump(§n) + P::$n",
            "$gx",
            "[$st, interlude(§v), $st]",
        ],
        &[
            "static $st = 1; $st = num($st) + 1; ",
            "static $st2 = ['s']; $st2 = lists($st2); $st2[] = $i; ",
            "$q = &counted(); $q = num($q) + §n; unset($q); ",
            "$q = &S::at(§k); $q = §e; unset($q); ",
            "global $gx; $gx = §e; ",
            "$GLOBALS['gx'] = §v; ",
            "$q = &$st; $q = §e; if (§t) { unset($q); } ",
            "$q = &S::$n; $q = §e; unset($q); ",
            "S::$n = §e; ",
            "S::$l = lists(§e); S::$l[] = $i; ",
            "foreach (S::$l as $k => &$v) { $v = flat($v); interlude($k); } unset($v); ",
            "$q = &$GLOBALS['ga']; $q[] = $i; $q = lists($q); unset($q); ",
            "static $sr; $sr = &$x; $sr = §e; ",
            "P::$n .= 'n'; P::$n = num(P::$n); ",
        ],
    ),
    // Destructors in the middle of expressions.
    (
        &[
            "(new D(§v, §l))->get()",
            "(new D(§v, §e))->x",
            "[new D(1, §v), $a][1]",
            "num($n) + num((new D(§v, 's'))->x) + num($n)",
            "some(new D, $n)",
            "[$a, $d = null, $a]",
            "text($s) . ($d = new D(2, §l)) . text($s)",
            "($d = §e) === ($d = new D(1))",
            "strlen(new D(1, §v)) + $t",
            "(new D(§v))->with(new D(§e, §l))->get()",
            "[$x, $x = new D(3, $i), $x = 1, $x]",
            "(clone ($d ?? $o))->x",
            "$t + count([new D(1, §v)]) + $t",
            "new D(§v, 'n') == new D(§v, §l)",
            "($dd[0] = null) ?? $a",
            "array_pop($dd)?->x",
        ],
        &[
            "$d = new D(§e, §l); ",
            "$d = null; ",
            "$dd = [new D(1, §v), new D(2, §l)]; ",
            "$dd[§n] = new D($i, §e); $dd = array_slice($dd, -3); ",
            "$a[§k] = new D($i, §v); $a[§k] = $i; $a = lists($a); ",
            "$x = new D($i, §l); $x = $x->get(); ",
            "$o->x = new D(1, §v); $o->x = §e; ",
            "[$x, $y] = [new D($y, §l), $x]; $y = 1; ",
            "foreach ([new D(1, §v), new D(2, §l)] as $q) { $t += num($q->x); } $q = null; ",
            "$y = [new D(1, §v)]; $y[0] = $y; $y = null; ",
            "unset($d, $dd[0]); ",
            "new D(§v, §e); ",
            "S::$l['d'] = new D(§v, §l); S::$l = [1]; ",
            "$d = $i & 1 ? new D(§v, §l) : (function () use (&$d) { return $d = 7; })(); ",
        ],
    ),
    // Property hooks.
    (
        &[
            "$hk->x",
            "$hk->x + num(§v)",
            "$hk->v",
            "$hk->l['k'] ?? §v",
            "count($hk->l)",
            "$hk->short",
            "$hk->own()",
            "$hk->inc()",
            "$hk->i++",
            "++$hk->w",
            "$hk->bad ?? §v",
            "isset($hk->x, $hk->l[§k])",
            "$hk->next?->x",
            "[$n, $hk->x, $n]",
            "($hk->x = §e) === $hk->x",
            "$hk->{'x'}",
            "[...$hk->l]",
            "(clone $hk)->x",
            "$hk->x . text(§v) . $hk->w",
        ],
        &[
            "$hk->x = num(§e); ",
            "$hk->x = §e; $hk->x = num($hk->x); ",
            "$hk->x = num($hk->x) + 1; ",
            "$hk->x .= text(§v); $hk->x = 1; ",
            "$hk->l[] = §e; if (count($hk->l) > 5) { $hk = new H; } ",
            "$hk->l['k'] = §v; ",
            "$hk->short = §e; ",
            "$hk->i = §n; $hk->i += §n; ",
            "$hk->i = text(§v); ",
            "$hk->next = new H2; $hk->next->x = $i; ",
            "$hk = $i & 1 ? new H : new H2; ",
            "foreach ($hk as $k => $v) { $y = [$k, flat($v)]; if ($k === 'short') { break; } } ",
            "$hk->x ??= §e; ",
            "foreach ($hk->l as $k => &$v) { $v = $k; } unset($v); ",
            "$q = &$hk->l; $q['r'] = $i; unset($q); ",
            "try { $hk->v = §e; } catch (Error $q) { $t++; $q = null; } ",
            "$hk->x++; $hk->w--; ",
        ],
    ),
    // __get and __set.
    (
        &[
            "$g->a",
            "$g->l[§k] ?? §v",
            "$g->b ?? §e",
            "isset($g->a, $g->l[1])",
            "empty($g->a)",
            "$g->p",
            "$g->{'z' . $i}",
            "num($g->a) + num($gv->a)",
            "$gv->a",
            "$gv->l[§k] ?? 1",
            "++$g->c",
            "$gv->c++",
            "[$x, $g->a, $x]",
            "$g->a . text(§v) . $g->a",
            "$gv->none ?? §v",
            "($g->e = §e)",
        ],
        &[
            "$g->a = §e; ",
            "$g->a = num($g->a) + 1; ",
            "$g->l[] = §v; $g->l = lists($g->l); ",
            "$g->l['k']['x'] = §e; ",
            "$gv->a = §e; ",
            "$gv->a .= text(§v); $gv->a = 1; ",
            "$g->n += §n; ",
            "unset($g->a); ",
            "unset($g->p); $y = $g->p; $g->p = §e; ",
            "unset($gv->p); $y = $gv->p; $gv->p = §v; ",
            "$g->c ??= §e; ",
            "$q = &$g->a; $q = §e; unset($q); ",
            "$g = new G; ",
            "foreach ($g->l as $k => $v) { $t += num($v); } ",
            "unset($g->q); try { $g->q = §v; } catch (TypeError $q) { $t++; $q = null; } ",
            "[$g->a, $gv->b] = [§e, §v]; ",
        ],
    ),
    // Nullsafe chains.
    (
        &[
            "$o?->next?->x",
            "$o?->next?->next?->get()",
            "$nu?->x",
            "$nu?->get(interlude(§v))",
            "$o?->next?->l[§k] ?? §v",
            "isset($o?->next?->x)",
            "empty($nu?->l[0])",
            "$nu?->a->b->c(§e)",
            "\"$s{$o?->x}$nu?->x\"",
            "$o?->next()?->set(§e)->x",
            "$o->next?->add($o->i)",
            "($nu ?? $o)?->x",
            "$nu?->x ?? $o?->x",
            "[$nu?->x, $o?->next?->x]",
            "$o?->get() . text($nu?->s)",
            "$o->next?->next ?? $nu",
        ],
        &[
            "$o->next = new P(§e); ",
            "$o->next = null; ",
            "$o->next ??= new Q($i); ",
            "$nu = $i & 1 ? $o : null; ",
            "$nu = §t ? new P(§v) : null; ",
            "$o?->next?->set(§e); ",
            "$o->next?->each(fn($v) => num($v) + 1); ",
            "unset($o->next?->l[0]); ",
            "foreach ($nu?->l ?? [] as $v) { $t += num($v); } ",
            "$y = $o?->next?->next?->next; ",
            "if ($o?->next?->x === §v) { $t++; } ",
        ],
    ),
    // Spread and named arguments.
    (
        &[
            "named(...lists(§v))",
            "named(two: §e, one: §v)",
            "named(...['three' => §v])",
            "named(1, ...['three' => §e])",
            "named(...[1, 2], three: §x)",
            "some(...[$i, §v], ...lists(§e))",
            "some(...steps(2, §v))",
            "new P(...[§v, $i])",
            "(new P(i: $i, x: §e))->x",
            "new P(...['x' => §v, 'more' => 1])",
            "$o->add(...[§n])",
            "$o->add(n: $i)",
            "[...lists(§v), ...$a]",
            "max(...[1, $i], ...[num(§v)])",
            "call_user_func_array('named', ['two' => §v])",
            "(fn(...$q) => $q)(...$a)",
            "(fn($q, ...$w) => [$q, $w])(1, x: §v, y: $i)",
            "array_slice(array: lists(§v), offset: 1)",
        ],
        &[
            "try { $y = named(four: §v); } catch (Error $q) { $t++; $q = null; } ",
            "try { $y = named(§v, one: $i); } catch (Error $q) { $t++; $q = null; } ",
            "swap(...[&$x, &$y]); ",
            "swap(y: $x, x: $y); ",
            "$h = ['one' => $i, 'two' => §v]; $y = named(...$h); ",
            "$h['three'] = §e; $y = named(...lists($h)); ",
            "into($a, v: §e, k: §k); $a = lists($a); ",
            "$y = [...$a, 'k' => §v, ...['k' => §e]]; ",
            "try { $y = some(...§v); } catch (Error $q) { $t++; $q = null; } ",
        ],
    ),
    // list() with keys and references.
    (
        &[
            "([$x, $y] = [$y, §v])",
            "(['k' => $x] = lists(§v))",
            "([, $x] = [1, §e])",
            "([[$x]] = [[§v]])",
            "count(([$a[§k]] = $a))",
            "([$x, [$y, $x]] = [§v, [1, 2]])",
            "(list(0 => $y) = $a)",
        ],
        &[
            "[$x, $y] = [$y, $x]; ",
            "[0 => &$q, 1 => $y] = $a; $q = §e; unset($q); ",
            "['k' => &$q] = $h; $q = num($q) + 1; unset($q); ",
            "[$a[0], $a[1]] = [$a[1] ?? 1, $a[0] ?? 0]; ",
            "['k' => $x, 0 => $y] = lists(§e); ",
            "[['x' => &$q]] = $b; $q = $i; unset($q); ",
            "foreach ([[1, [§v]], [$i, [2]]] as [$x, [$y]]) { §s} ",
            "foreach ($b as ['x' => $y]) { $t += num($y); } ",
            "foreach ($b as ['x' => &$q]) { $q = num($q) + 1; } unset($q); ",
            "[$o->x, S::$n, $h['k']] = [§e, §v, $i]; ",
            "[$a, $x] = [lists($x), $a]; ",
            "list(interlude('k') => $x) = $h; ",
            "[$x, $y] = §v; ",
            "[$x, , $y] = new A; ",
            "[$a[], $a[]] = [$i, §v]; $a = lists($a); ",
            "[$x, $x] = [§v, [$x]]; ",
            "$b = [['x' => §v], ['x' => $i]]; ",
        ],
    ),
    // foreach by reference over properties.
    (
        &[
            "$o->each(fn($v) => flat($v))->sum()",
            "$o->sum()",
            "$o->l[§k] ?? §v",
            "count($o->list())",
            "(function () use ($o) { foreach ($o->l as $k => &$v) { $v = $k; } return $o->l; })()",
            "array_sum(array_map(num(...), $o->l))",
        ],
        &[
            "foreach ($o->l as $k => &$v) { $v = num($v) + 1; if (§t) { break; } } unset($v); ",
            "foreach ($o->l as &$v) { $v = §e; interlude($v); } unset($v); ",
            "foreach ($o as $k => &$v) { if ($k === 'x') { $v = §e; } } unset($v); ",
            "foreach ($o->l as $k => &$v) { if ($k === 1) { $o->l = [$i, 2]; } $v = 'r'; } unset($v); ",
            "foreach ($o->l as $k => &$v) { if (count($o->l) < 6) { $o->l[] = $k; } } ",
            "foreach ($o->l as $k => $v) { $o->l[$k] = num($v) + 1; } ",
            "foreach ($o->list() as &$v) { $v = flat($v); } unset($v); ",
            "$o->l = [1, §v, 3]; ",
            "$o->each(function ($v) use (&$t) { $t++; return flat($v); }); ",
            "foreach ($o->l as $k => $o->x) { $t += num($o->x); } ",
            "foreach (P::K as $k => $o->l[§n]) { $t++; } $o->l = array_slice($o->l, 0, 4); ",
            "$q = &$o->l[0]; foreach ($o->l as $v) { $q = num($v) + num($q); } unset($q); ",
            "foreach ($o->l as $v) { unset($o->l[0]); } ",
            "if (isset($this)) { foreach ($this->l as $k => &$v) { $v = num($v) + $k; } unset($v); } ",
        ],
    ),
    // Offsets of strings.
    (
        &[
            "$s[0] ?? '-'",
            "$s[-1] ?? §v",
            "$s[§n]",
            "$s[$i % 5] ?? ''",
            "isset($s[§k])",
            "empty($s['0'])",
            "$s['1'] ?? 0",
            "$s[0][0] ?? 1",
            "ord($s[$i & 1] ?? 'a')",
            "isset($s[1][0])",
            "text(§v)[§n] ?? 'n'",
            "\"$s[0]{$s[0]}\"",
            "($s[§n] = text(§e))",
            "substr($s, §n) . ($s[0] ?? '')",
            "'literal'[§n]",
            "'literal'[$i % 7] . $s",
            "$s['x'] ?? §v",
            "$s[1.7] ?? 0",
            "$s[true]",
        ],
        &[
            "$s[§n] = 'z'; ",
            "$s[$i % 4] = text(§e); ",
            "$s[-1] = 'e'; ",
            "$s[$i] = §v; $s = text($s); ",
            "$s = ''; $s[2] = 'a'; ",
            "try { $s[] = 'a'; } catch (Error $q) { $t++; $q = null; } ",
            "try { $s['x'] = 'a'; } catch (Error $q) { $t++; $q = null; } ",
            "try { $q = &$s[0]; } catch (Error $q) { $t++; } unset($q); ",
            "try { $s[0][0] = 'a'; } catch (Error $q) { $t++; $q = null; } ",
            "for ($j = 0; $j < strlen($s); $j++) { $t += ord($s[$j]); } ",
            "for ($j = 0; $j < 3; $j++) { $s[$j] = $s[2 - $j] ?? 'b'; } ",
            "$r2 = &$s; $r2[1] = 'r'; unset($r2); ",
            "$s = text($s . 'abc'); ",
            "$h['k'] = 'word'; $h['k'][§n] = 'x'; ",
            "try { unset($s[0]); } catch (Error $q) { $t++; $q = null; } ",
            "$s2 = $s; $s2[0] = 'c'; $y = $s2 . $s; ",
            "$o->s = 'prop'; $o->s[§n] = 'P'; $y = $o->s[§n] ?? 1; ",
            "try { $s[0] = ''; } catch (Error $q) { $t++; $q = null; } ",
            "$s[0] .= 'a'; ",
        ],
    ),
    // Classes that are iterated, and arrays that are not.
    (
        &[
            "[...new It(§n)]",
            "iterator_to_array(new Ag2(§v))",
            "$aa[§k]",
            "$aa[§k] ?? §v",
            "isset($aa[§k], $aa['k'][0])",
            "empty($aa[0])",
            "count($aa)",
            "$aa['k'][§k] ?? 1",
            "[$x, $aa[0], $x]",
            "iterator_count(new Ag([1, §v]))",
            "num($aa[0]) + num($aa[0])",
            "implode(',', array_map(text(...), [...new Ag($a)]))",
            "$aa[0]++",
        ],
        &[
            "foreach (new It(§n) as $k => $v) { $y = [$k, $v]; §s} ",
            "foreach (new Ag2(§e) as $k => $v) { $t += num($v); } ",
            "foreach (new Ag($a) as $k => $v) { §s if (§t) { break; } } ",
            "$it = new It(3); foreach ($it as $v) { foreach ($it as $w) { $t++; } } ",
            "$aa[] = §e; ",
            "$aa[§k] = §e; ",
            "$aa[0] = num($aa[0]) + 1; ",
            "$aa['k']['n'] = $i; ",
            "unset($aa[§k]); ",
            "$aa[0] .= text(§v); ",
            "$aa = new A; ",
            "foreach (new ArrayIterator($a) as $k => $v) { $a[$k] = flat($v); } ",
            "$ao = new ArrayObject($a); foreach ($ao as $k => &$v) { $v = $k; if ($k === 0) { unset($ao['k']); } } unset($v); ",
            "foreach ($it ?? [] as $it) { $t++; } ",
            "$aa[$i & 1] ??= §e; ",
            "[0 => $x, 'k' => $y] = $aa; ",
        ],
    ),
    // Exceptions that come out of __toString and out of handlers.
    (
        &[
            "$s . $th",
            "\"$s{$th}$i\"",
            "strlen($th)",
            "(string) $th",
            "$th == 'th1'",
            "$un",
            "$a[$un2 ?? 'none']",
            "$a['missing'] . text(§v)",
            "num($n) + num($missing)",
            "[$x, $a['no'], $x]",
            "str_repeat($th, 2)",
            "text(§v) . $a['none'] . text($x)",
            "$th . $th",
            "in_array($th, ['th1', 'th2'])",
            "§v . ''",
            "$o->nope",
            "(int) $o",
            "$s + 1",
            "§v + 1",
            "-§v",
            "$a[$a] ?? 1",
            "$h[§v]",
            "implode($th, [1, 2])",
            "$x[0]",
            "$x->p",
            "[$s . $th, $t]",
            "trim($th) . $s",
        ],
        &[
            "$th = new Th(§n + 1); ",
            "echo $th; ",
            "$s = text($s . $th); ",
            "$s .= $th; $s = text($s); ",
            "$a[(string) $th] = $i; ",
            "$y = [$i, \"$th\", $th . $s]; ",
            "$t += strlen($th . $undefined); ",
            "if ($th == $s) { $t++; } ",
            "switch ($th) { case 'th2': $t++; case 'th3': $y = 1; break; default: $y = 2; } ",
            "$y = $a['absent'][0]; ",
            "$x = $x[§k]; ",
            "$t += $undefined; ",
            "$undefined[§n] = 1; $y = count($undefined); unset($undefined); ",
            "$y = §v . §v; ",
            "$n += §v; $n = num($n); ",
            "$o->x = $o->missing . $th; ",
            "$y = some($th . 'a', $absent); ",
            "$q = (string) $x; ",
        ],
    ),
];

const VALUES: &[&str] = &[
    "$turn",
    "'v'",
    "[$turn, 'k' => [1]]",
    "null",
    "1.5",
    "new D($turn, 5)",
    "'7'",
    "E::B",
    "[]",
    "new P($turn)",
    "new Th(2)",
    "PHP_INT_MAX",
    "new H",
    "fn($v = 1) => $v",
    "\"s$turn\"",
    "[[1, 2], ['x' => $turn]]",
];
const HANDLERS: &[&str] = &[
    "return true;",
    "S::$log .= 'w'; return true;",
    "echo \"! $m\\n\"; return true;",
    "interlude($m); return true;",
    "static $c = 0; if (++$c % 4 == 0) throw new ErrorException($m); return true;",
    "throw new ErrorException($m);",
];

/// The program of a number.
pub fn program(number: u64) -> String {
    let first = number as usize % SUBJECTS.len();
    let second = number as usize / SUBJECTS.len() % SUBJECTS.len();
    let third = number as usize / 7 % SUBJECTS.len();
    let [first, second, third] = [first, second, third].map(|subject| SUBJECTS[subject]);
    let mut parts = skeleton::parts(
        &[EXPRESSIONS],
        &[STATEMENTS],
        VARIABLES,
        &[skeleton::LITERALS, LITERALS],
        PLACES,
    );
    parts.extend([
        part('x', &[first.0, second.0, third.0, VARIABLES]).parenthesised(),
        part('y', &[first.1, second.1, third.1, &["$t++; "]]),
        part('k', &[KEYS]),
    ]);
    Skeleton {
        handlers: HANDLERS,
        before,
        heads: &[
            "$x, $turn = 1",
            "$x, $turn, ...$more",
            "&$x, $turn",
            "$x, int $turn = 1, $f = 0.5",
        ],
        values: VALUES,
        turns: 12..13,
        reset: "S::$n = 1; S::$l = [1, 'k' => 2]; P::$n = 0; if (S::$refs) { S::$refs = []; }",
        after,
        ..Skeleton::usual(
            Templates::new(number ^ 0x7_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

fn before(templates: &mut Templates) {
    let (plan, every) = (templates.random.below(8), 1 + templates.random.below(9));
    // Writing to a string does not fail.
    let _ = write!(
        templates.text,
        "$ga = []; $gn = $gx = 0; S::$plan = {plan}; S::$every = {every};"
    );
}

fn body(templates: &mut Templates) {
    templates.put("$a = [1, 'k' => 2, [3]]; $b = [['x' => 1], ['x' => 2]]; $h = ['k' => 1, 'x' => 'h']; $s = 'abc'; $n = 1; $f ??= 0.5; $y = null; $t = $i = 0; $o = new P($turn); $nu = $d = null; $dd = []; $hk = new H; $g = new G; $gv = new GV; $aa = new A; $th = new Th; $cmp = [3, 1, 2]; $c = fn($v) => $v; $fc = $m = small(...); $cs = [$c, $c]; $fcs = [$fc, $fc]; $inc = function () use (&$t) { return ++$t; }; $twice = fn($q, $v) => $q($v); $o->f = $c; $st = $st2 = $gx = $un = $j = 0; ");
    if templates.random.below(3) == 0 {
        let refs = templates.one_of(&["$x, &$a", "$n, &$s", "$t, &$o", "$a, &$x, &$y", "$s", "$i"]);
        // Writing to a string does not fail.
        let _ = write!(templates.text, "S::$refs = [&{refs}]; ");
    }
    if templates.random.below(3) == 0 {
        templates.put("S::$o = $o; ");
    }
    skeleton::looped(templates, 4..18, 2..6, 25);
    templates.put("S::$refs = []; return [[$x, $y, $t, $n], $s, $a, $h, $o]; ");
}

fn after(templates: &mut Templates) {
    templates.put("set_error_handler(fn() => true); S::$plan = 0; S::$refs = []; S::$o = null; unset($ga, $gx); echo show([S::$log, S::$n, S::$l]); ");
}
