//! Programs about properties that are reached by a name: names in variables, dynamic properties, `__get` and its like (or some of
//! them), properties that are unset and come back, and typed, readonly, private and virtual ones, all at the same place.
//!
//! What the letters stand for (`templates.rs`), besides those of `skeleton::parts`: `o` an object, `p` a property behind an arrow,
//! `f` a name that most objects have, `m` statements within the class.

use super::skeleton::{self, Holder, Skeleton};
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
class S { public static $log = '', $n = 1, $l = [1, 'k' => 2]; public static ?int $t = 2; protected static $hid = 'sh'; }
function note($v) { burn(); S::$log .= $v; if (strlen(S::$log) > 60) S::$log = md5(S::$log); return $v; }
#[AllowDynamicProperties] class P { public $x = 1; public int $i = 2; public ?string $s = 'p'; public array $l = [1, 'k' => 2]; protected $hid = 'h'; private $own = 'o'; public readonly int $r; public readonly array $ra; public int|float $late; public ?P $next = null; public $y;
    function get($n) { return $this->$n; } function set($n, $v) { $this->$n = $v; return $this; } function &ref($n) { return $this->$n; } function has($n) { return isset($this->$n); } function drop($n) { unset($this->$n); return $this; } function add($n, $v = 1) { return $this->$n += $v; } function inc($n) { return $this->$n++; } function push($n, $k, $v) { $this->$n[$k] = $v; return count($this->$n); } function init($v) { $this->r = num($v); $this->ra = lists($v); return $this; }
    function each() { $s = ''; foreach ($this as $k => $v) { $s .= $k; } return $s; } function own($n) { return $this->$n ?? 'none'; } function __clone() { note('c'); $this->y = 'cloned'; } function first() { return $this->x; } function swap($n, $m) { [$this->$n, $this->$m] = [$this->$m, $this->$n]; } }
class Q extends P { private $own = 'q'; public $extra = []; protected $hid = [1]; public $x = 'qx'; function mine($n) { return isset($this->$n) ? $this->$n : parent::get($n); } function own($n) { return $this->$n; } }
class T extends P { public bool $b = true; public float $f = 1.5; public ?array $na = null; public int|string $u = 'u'; public private(set) int $shut = 1; public static $n = 'static'; function shut($v) { return $this->shut = $v; } }
class G extends P { private $d = ['a b' => 1, 'm' => [1]]; function __get($n) { note('g'); return $this->d[$n] ?? $this->$n; } function __set($n, $v) { note('s'); $this->d[$n] = $v; } function __isset($n) { note('i'); return isset($this->d[$n]); } function __unset($n) { note('u'); unset($this->d[$n]); } }
class GR extends P { public $d = ['m' => [1]]; function &__get($n) { note('r'); return $this->d[$n]; } }
class GI extends P { function __isset($n) { note('i'); return $n !== 'x'; } }
class GS extends P { function __set($n, $v) { note('s'); $this->$n = $v; } }
class GT extends P { function __get($n) { note('t'); if ($n === 's') throw new DomainException($n); return $this->$n; } function __unset($n) { note('u'); } }
class Strict { public $x = 1; public int $i = 3; public $l = []; protected $hid = 1; function get($n) { return $this->$n; } function set($n, $v) { $this->$n = $v; return $this; } function first() { return $this->x; } }
final class H { public $x = 1 { get { note('h'); return $this->x; } set { note('h'); $this->x = $value; } } public array $l = [1] { &get => $this->l; } public $v { get => note('v'); } public int $i = 1 { set(int|string $value) { $this->i = (int) $value + 1; } } public $s { set { $this->i = 7; } } function get($n) { return $this->$n; } function set($n, $v) { $this->$n = $v; return $this; } function first() { return $this->x; } }
readonly class R { public int $late; public array $l; function __construct(public int $x = 1, public ?R $next = null) {} function get($n) { return $this->$n; } function set($n, $v) { $this->$n = $v; return $this; } function first() { return $this->x; } function with($n, $v) { $c = clone $this; $c->$n = $v; return $c; } }
class D { public $x = 1; function __construct(public $n = null) {} function __destruct() { note('d'); if ($this->n === 3) throw new LogicException('gone'); if ($this->n instanceof P) unset($this->n->x); } function first() { return $this->n; } }
function place(&$x, $v) { $x = $v; return 1; }
function grow(&$x) { $x[] = 1; return is_array($x) ? count($x) : 0; }
function fresh($k) { return match (num($k) % 9) { 0 => new P, 1 => new Q, 2 => new T, 3 => new G, 4 => (object) ['x' => 1, 'l' => [1], '0' => 'z'], 5 => new GR, 6 => new Strict, 7 => new H, default => new GI }; }
"#;

const VARIABLES: &[&str] = &[
    "$x", "$x", "$y", "$i", "$n", "$m", "$a", "$s", "$turn", "$r", "$o", "$p",
];
const OBJECTS: &[&str] = &[
    "$o", "$o", "$o", "$p", "$p", "$g", "$std", "$h", "$a['o']", "$o->next",
];
const FIELDS: &[&str] = &[
    "'x'", "'l'", "'i'", "$n", "$n", "$m", "'s'", "'y'", "\"d$i\"",
];
const PROPERTIES: &[&str] = &[
    "x",
    "x",
    "$n",
    "$n",
    "$m",
    "i",
    "l",
    "s",
    "y",
    "r",
    "late",
    "hid",
    "own",
    "dyn",
    "next",
    "u",
    "{'x'}",
    "{\"d$i\"}",
    "{$i & 3}",
    "{'a b'}",
    "{$names[$i % 7]}",
    "{$names[$i & 3]}",
    "{$n . ''}",
    "{$turn}",
    "{§f}",
];
const PLACES: &[&str] = &[
    "§o->§p",
    "§o->§p",
    "§o->§p",
    "§o->§p",
    "§o->l[§n]",
    "§o->§p[§n]",
    "§o->§p['k']",
    "$x",
    "$y",
    "$a['k']",
    "S::$$sn",
    "S::$l[§n]",
    "§o->next->§p",
    "§o->l['k']",
    "§o->{§f}['k'][§n]",
];
const EXPRESSIONS: &[&str] = &[
    "§v",
    "§v",
    "§l",
    "§o->§p",
    "§o->§p",
    "§o->§p",
    "§o->§p",
    "§o->§p",
    "§o->§p ?? §v",
    "§o->§p ?? §v",
    "§o?->§p",
    "§o->next?->§p",
    "isset(§o->§p)",
    "isset(§o->§p, §o->§p)",
    "empty(§o->§p)",
    "isset(§o->§p[§n])",
    "isset(§o->next->§p)",
    "§o->§p[§n] ?? §v",
    "§o->§p['k'] ?? 0",
    "§o->§p[§n]",
    "§o->§p++",
    "++§o->§p",
    "§o->§p--",
    "§o->§p += §n",
    "§o->§p .= §v",
    "§o->§p ??= §e",
    "§o->§p = §e",
    "§o->§p = §o->§p",
    "§o->get(§f)",
    "§o->get(§f)",
    "§o->first()",
    "$o->add(§f, §n)",
    "$o->inc(§f)",
    "$o->has(§f)",
    "$o->own(§f)",
    "$o->push(§f, §n, §e)",
    "$p->set(§f, §e)->§p",
    "num(§o->§p) + num(§o->§p)",
    "text(§o->§p) . text(§e)",
    "place(§o->§p, §e)",
    "grow(§o->§p)",
    "grow(§o->§p['k'])",
    "property_exists(§o, §f)",
    "count(get_object_vars(§o))",
    "array_keys((array) §o)",
    "(array) §o",
    "(clone §o)->§p",
    "[§o->§p, §o->§p]",
    "[§v, §o->§p, §e]",
    "S::$$sn",
    "S::${$names[§n]}",
    "§o::$n",
    "(fn() => $this->own ?? $this->hid ?? 0)->call($o)",
    "(fn($n) => $this->$n)->bindTo($p, P::class)(§f)",
    "$this->§p",
    "$this->§p ?? §v",
    "(function &($n) { return $this->$n; })->call($o, §f)",
    "array_map(fn($n) => $o->$n ?? null, [§f, §f])",
    "§o == §o",
    "$o->$get(§f)",
    "$x = §o->§p",
    "§o->§p === §o->§p",
];
const STATEMENTS: &[&str] = &[
    "§w = §e; ",
    "§w = §e; ",
    "§w = §e; ",
    "§w = §l; ",
    "§e; ",
    "$x = §e; ",
    "$y = §e; ",
    "$t += num(§e); ",
    "$t += num(§o->§p); ",
    "$t += num(§o->§p ?? 1) + num(§o->first()); ",
    "$s = text($s . text(§e)); ",
    "unset(§w); ",
    "unset(§o->§p); ",
    "unset(§o->§p, §o->§p); ",
    "unset(§o->§p); §o->§p = §e; ",
    "unset(§o->§p[§n]); ",
    "§o->§p[] = §e; ",
    "§o->§p['k'][] = §e; ",
    "§o->§p['k']['n'] = §e; ",
    "§o->§p->x = §e; ",
    "§w += §n; ",
    "§w .= 'a'; ",
    "§w ??= §e; ",
    "§w++; ",
    "$n = §f; ",
    "$m = §f; ",
    "$n = $names[$i % §n1]; ",
    "if (§t) { $n = §f; } ",
    "if (§t) { $n = $names[$i % 10]; } ",
    "if (§t) { $o = fresh(§n); } ",
    "if (§t) { $o = fresh($i); } ",
    "if (§t) { $p = fresh($turn); } ",
    "if (§t) { $o = $p; } ",
    "if (§t) { $o = new D(§v); $o = new P; } ",
    "if (§t) { $h = new H; $g = new GT; } ",
    "if (§t) { unset($r); $r = &§w; } ",
    "if (§t) { $r = &§o->§p; } ",
    "if (§t) { §o->§p = &$y; } ",
    "if (§t) { $r = §e; } ",
    "if (§t) { $r = 'ref'; unset($r); } ",
    "if (§t) { $o->init(§v); } ",
    "if (§t) { $o->next = $p; } ",
    "if (§t) { $std = (object) ['x' => $i, 'dyn' => [1]]; } ",
    "if (§t) { $std = new stdClass; } ",
    "if (§t) { §w = §e; } ",
    "if (§t) { §s } ",
    "if (isset(§o->§p)) { §s } ",
    "if (§o->§p ?? false) { $t++; } ",
    "foreach (§o as $k => $v) { $t++; if ($k === $n) { §s } } ",
    "foreach (§o as $k => &$v) { $v = flat($v); } unset($v); ",
    "foreach ($names as $k => $n) { if ($k > 3) break; $y = §o->$n ?? $k; } ",
    "foreach ([$o, $p, $std, $g] as $q) { $y = $q->x ?? 0; $t += num($y); } ",
    "foreach ([$o, $p, $std, $h] as $q) { $q->i = §n; $t += num($q->$n ?? 1); } ",
    "foreach ($names as $o->x) { $t++; } ",
    "foreach ([§f => 1, 'x' => 2] as $o->$n => $k) { $t += $k; } ",
    "[$o->$n, $x] = [§e, §v]; ",
    "['k' => §o->§p] = ['k' => §e]; ",
    "[§o->x, §o->$n] = [§o->$n, §o->x]; ",
    "list(, $x) = §o->§p; ",
    "$x = &$o->ref(§f); $x = §e; unset($x); $x = 1; ",
    "$c = clone §o; $c->$n = §e; $y = $c->first(); ",
    "try { §o->§p = §e; } catch (TypeError $q) { $t++; $q = null; } ",
    "try { $o->r = $i; $o->r++; } catch (Error $q) { $t++; $q = null; } ",
    "$j = 0; while ($j++ < 3) { $y = §o->§p ?? $j; §s } ",
    "for ($j = 0; $j < 4; $j++) { $p->$n = $j; $t += num($p->$n); } ",
    "$o->$set(§f, §e); ",
    "$a['o'] = $o; $a['o']->§p = §v; ",
    "S::$$sn = §e; ",
    "§m",
    "§m",
    "switch (§o->§p ?? 0) { case 1: §s break; case 'p': $t++; default: $y = §e; } ",
];
const MEMBERS: &[&str] = &[
    "$this->x = §e; ",
    "$this->§p = §e; ",
    "$this->$n = §e; ",
    "$y = $this->$n; ",
    "$t += num($this->i) + num($this->§p ?? 2); ",
    "unset($this->§p); ",
    "$this->l[] = $i; if (count($this->l) > 5) { $this->l = []; } ",
    "$this->$n[§n] = §e; ",
    "$r = &$this->§p; ",
    "foreach ($this as $k => $v) { $t++; } ",
    "$this->i++; ",
    "$this->own = §e; $y = $this->own; ",
];
const VALUES: &[&str] = &[
    "'x'",
    "'i'",
    "'dyn'",
    "'l'",
    "0",
    "'s'",
    "''",
    "new P",
    "null",
    "'own'",
    "1.5",
    "'y'",
    "$turn",
    "\"p$turn\"",
    "'hid'",
    "['x']",
    "new Th",
];
const START: &str = "$a = ['k' => 1]; $s = 'abc'; $names = ['x', 'i', 'l', 's', 'dyn', 'y', 'hid', 'own', 'late', 'r', '0', 'a b']; $n = is_string($x) ? $x : 'x'; $m = 'y'; $y = $r = $k = null; $t = $i = $j = 0; $o = fresh($turn); $p = fresh(§n); $g = new G; $std = new stdClass; $h = new H; $a['o'] = new P; $sn = 'n'; $get = 'get'; $set = 'set'; ";

/// The program of a number.
pub fn program(number: u64) -> String {
    let members = match number / 12 % 3 {
        0 => &["$t++; "],
        _ => MEMBERS,
    };
    let mut parts = skeleton::parts(
        &[EXPRESSIONS],
        &[STATEMENTS],
        VARIABLES,
        &[skeleton::LITERALS],
        PLACES,
    );
    parts.extend([
        part('o', &[OBJECTS]),
        part('p', &[PROPERTIES]),
        part('f', &[FIELDS]),
        part('m', &[members]),
    ]);
    let in_class: &[Holder] = &[
        Holder::Class("P", "public $mine = 1; "),
        Holder::Class("Q", ""),
        Holder::Class("T", ""),
        Holder::Class("G", ""),
        Holder::Class("GI", "private $own = 'c'; "),
    ];
    Skeleton {
        strict: 10,
        before: |templates| {
            templates.put("class Th { function __toString(): string { return 'x'; } }")
        },
        holders: if (number / 12).is_multiple_of(3) {
            OUTSIDE
        } else {
            in_class
        },
        values: VALUES,
        reset: "S::$n = 1; S::$l = [1, 'k' => 2]; ",
        after: |templates| templates.put("echo show([S::$log, S::$n, S::$l]); "),
        ..Skeleton::usual(
            Templates::new(number ^ 0x8_0000_0000, 0..5, parts),
            PRELUDE,
            body,
        )
    }
    .program()
}

const OUTSIDE: &[Holder] = &[Holder::Nothing, Holder::Closure, Holder::StaticClass("P")];

fn body(templates: &mut Templates) {
    templates.write(START, 5, 1);
    skeleton::looped(templates, 5..18, 2..6, 25);
    templates.put("return [[$x, $y, $t, $n, $s], [$o, $p], [$std, $g, $h]]; ");
}
