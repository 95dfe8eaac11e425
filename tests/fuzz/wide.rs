//! Whole random programs that use much of the language and its library as they are meant to be used: classes
//! with all kinds of members, enums, closures, generators, references into arrays, `finally`, and builtins with
//! arguments of the types they want (most of the time). `generator.rs` is for code that runs at odd moments.
//!
//! What the letters stand for (`templates.rs`): `i` an integer,
//! `t` a text, `a` an array, `o` an object, `f` something to call, `g` something to iterate, `e` any value,
//! `w` what can be written to, `r` what can be read, too, `p` a property, `m` a method, `k` a class, `q` a key, `u` what a
//! closure uses, `c` a constant expression, `s` statements.

use std::fmt::Write;

use super::skeleton;
use super::templates::{Templates, part};

/// What is the same in all programs.
const PRELUDE: &str = r#"
$fuel = 0;
function burn() { if (++$GLOBALS['fuel'] > 1000) { echo "\nout of fuel\n"; exit; } }
function show($v, $d = 0) {
    burn();
    if (is_array($v)) { if ($d > 3) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 8) { $s .= '..'; break; } $s .= (is_int($k) ? $k : "'$k'") . '=>' . show($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . '@' . $v->getLine() . ($v->getPrevious() ? ' after ' . show($v->getPrevious(), $d + 1) : '') . ')';
    if ($v instanceof UnitEnum) return $v::class . '::' . $v->name;
    if ($v instanceof Closure || $v instanceof Generator) return get_class($v);
    if (is_object($v)) return strtok(get_class($v), "\0") . ($d > 3 ? '' : show((array) $v, $d + 1));
    if (is_string($v)) return strlen($v) > 70 ? strlen($v) . md5($v) : "'" . addcslashes($v, "\0..\37\177..\377") . "'";
    return var_export($v, true);
}
function one($x = 1, ...$r) { burn(); return $r ? [$x, $r] : $x; }
function &byref(array &$x, $q = 'k') { burn(); return $x[$q]; }
function inc(&$x, $by = 1) { burn(); $x = is_int($x) ? $x + $by : $by; return $x; }
function fact(int $n) { burn(); return $n < 2 ? 1 : $n * fact($n - 1); }
function memo($x) { static $seen = []; static $n = 0; burn(); $seen[] = $x; return [count($seen), ++$n]; }
function count_to($n, $step = 1) { for ($i = 0; $i < min($n, 9); $i += max(1, $step)) { burn(); $got = yield "k$i" => $i; if ($got !== null) { echo 'got ', show($got), ' '; } } return "to $n"; }
function outer_of($g) { try { $r = yield from $g; echo 'inner gave ', show($r), ' '; yield $r; } catch (LogicException $x) { yield 'caught ' . $x->getMessage(); } finally { echo 'outer ends '; } }
function named(int $first = 1, string $second = 'two', array|null $third = null, bool ...$others) { return func_get_args(); }
function typed(int|string $x, ?float $y = null): string|int { return $y === null ? $x : $x . $y; }
interface Named { const PREFIX = 'n:'; function name(); }
trait Counts { private static int $made = 0; public $count = 0; static function made() { return ++self::$made; } function up() { burn(); $this->count++; return $this; } abstract function name(); }
trait Tells { protected $told = []; function tell($x = null) { static $calls = 0; $this->told[] = $x; return ++$calls . static::class; } function up() { return 'tells'; } static function create(...$a) { return new static(...$a); } }
enum Level: int implements Named { case Low = 1; case Mid = 5; case High = 10; const BEST = self::High; const LIST = [self::Low, 'k' => self::Mid]; function name() { return self::PREFIX . strtolower($this->name); } static function of($x) { return self::tryFrom((int) $x) ?? self::Low; } function up(): self { return match ($this) { self::Low => self::Mid, self::Mid, self::High => self::High }; } }
enum Unit { case A; case B; static function pick($n) { return self::cases()[$n % 2]; } }
final class Point { public function __construct(public readonly int $x = 0, public readonly int|float $y = 0, protected readonly array $more = []) {} function with(...$c) { return new static(...$c + ['x' => $this->x, 'y' => $this->y]); } function __clone() { $this->more = ['cloned']; } function more() { return $this->more; } }
readonly class Fixed { public array $list; public ?Fixed $next; function __construct(array $list = [], ?Fixed $next = null) { $this->list = $list; $this->next = $next; } function push($v) { return new static([...$this->list, $v], $this); } }
class Hooks { private $log = []; public int $half { get => intdiv($this->whole, 2); set (int|string $v) { $this->whole = 2 * (int) $v; } } public $whole = 10 { set { $this->log[] = $value; $this->whole = $value; } } public string $text = 'text' { get { return strtoupper($this->text); } } public $virtual { get => count($this->log); } public array $items = [1] { &get { return $this->items; } } public private(set) int $own = 3; function own($v) { $this->own = $v; return $this; } }
class Bag implements ArrayAccess, IteratorAggregate, Countable, JsonSerializable { protected $in = []; public function __construct(iterable $in = []) { foreach ($in as $k => $v) $this->in[$k] = $v; }
    function offsetExists(mixed $o): bool { return isset($this->in[$o]); } function &offsetGet(mixed $o): mixed { if (!isset($this->in[$o])) $this->in[$o] = null; return $this->in[$o]; } function offsetSet(mixed $o, mixed $v): void { if ($o === null) $this->in[] = $v; else $this->in[$o] = $v; } function offsetUnset(mixed $o): void { unset($this->in[$o]); }
    function getIterator(): Generator { foreach ($this->in as $k => $v) yield $k => $v; } function count(): int { return count($this->in); } function jsonSerialize(): mixed { return $this->in; } }
class Ends { public $label; function __construct($label = 'e') { $this->label = $label; } function __destruct() { echo '~', is_scalar($this->label) ? $this->label : gettype($this->label), ' '; } }
"#;

const INTEGERS: &[&str] = &[
    "§n",
    "-§n",
    "§n",
    "$i1",
    "$i2",
    "$i1",
    "PHP_INT_MAX",
    "PHP_INT_MIN",
    "0x7f",
    "Level::Mid->value",
    "(§i + §i)",
    "(§i - §i)",
    "(§i * §i)",
    "(§i % §n)",
    "intdiv(§i, §n)",
    "(§i <=> §i)",
    "(§i & §i)",
    "(§i | §i)",
    "(§i ^ §i)",
    "(§i << §n)",
    "(§i >> §n)",
    "~§i",
    "strlen(§t)",
    "count(§a)",
    "$i1++",
    "--$i2",
    "($i1 += §i)",
    "(int) §e",
    "(§i ?: §i)",
    "abs(§i)",
    "max(§i, §i)",
    "min(§a ?: [1])",
    "array_sum(§a)",
    "ord(§t)",
    "fact(§n)",
    "inc($i1)",
    "inc($a1['k'], §i)",
    "strpos(§t, 'a')",
    "substr_count(§t, 'b')",
    "strcmp(§t, §t)",
    "strncasecmp(§t, §t, §n)",
    "similar_text(§t, §t)",
    "levenshtein(§t, §t)",
    "crc32(§t)",
    "array_search(§e, §a)",
    "array_key_last(§a)",
    "array_push($a1, §e)",
    "array_unshift($a2, §e, §e)",
    "bindec('1§n1')",
    "hexdec('f§n')",
    "round(§i / §n, 2)",
    "floor(§i / §n)",
    "(§i / §n)",
    "(§i ** §n)",
    "fmod(§i, §n)",
    "array_product(§a)",
    "str_word_count(§t)",
    "preg_match('/[a-f]+(\\d)?/', §t)",
    "(§o)->§p",
    "(Point::class <=> §t)",
    "iterator_count(§g)",
    "sqrt(abs(§i))",
    "(§t <=> §t)",
    "array_walk($a1, fn(&$v, $k) => $v = [$k])",
];

const TEXTS: &[&str] = &[
    "'abc'",
    "''",
    "'5'",
    "'1e3'",
    "\"a b\\tc\"",
    "'Hello, World'",
    "'é'",
    "$t1",
    "$t2",
    "$t1",
    "'12abc'",
    "' 7 '",
    "\"x\\0y\"",
    "'zz9'",
    "'k'",
    "Point::class",
    "PHP_EOL",
    "'Az'",
    "(§t . §t)",
    "(§t . §i)",
    "\"<$t1 {$i1}>\"",
    "\"[{$a1['k']} $a2[0] {$o1->§p}]\"",
    "($t1 .= §t)",
    "(string) §e",
    "substr(§t, §i)",
    "substr(§t, -§n, §n)",
    "str_repeat(§t, §n)",
    "strrev(§t)",
    "strtoupper(§t)",
    "ucwords(§t)",
    "lcfirst(§t)",
    "trim(§t)",
    "rtrim(§t, 'a..f')",
    "str_pad(§t, §n, §t ?: '-', STR_PAD_BOTH)",
    "implode(§t, §a)",
    "str_replace('a', §t, §t)",
    "str_replace(['a', 'b'], ['b', §t], §t)",
    "strtr(§t, 'abc', 'xyz')",
    "strtr(§t, ['a' => 'bb', 'b' => §t])",
    "sprintf('%05d|%-6s|%+.2f|%x', §i, §t, §i, §i)",
    "sprintf('%2$s-%1$s', §t, §i)",
    "number_format(§i, 2)",
    "number_format(§i / §n, §n, ',', '.')",
    "nl2br(§t)",
    "wordwrap(§t, §n, \"\\n\", true)",
    "chunk_split(§t, §n)",
    "ucfirst(§t)",
    "md5(§t)",
    "bin2hex(§t)",
    "dechex(abs(§i))",
    "base_convert('§n', 10, 2)",
    "htmlspecialchars(§t)",
    "addslashes(§t)",
    "strip_tags('<b>' . §t)",
    "json_encode(§e)",
    "json_encode(§a, JSON_PRETTY_PRINT)",
    "serialize(§e)",
    "var_export(§e, true)",
    "print_r(§e, true)",
    "gettype(§e)",
    "get_debug_type(§e)",
    "$t1[§n]",
    "$t2[-1]",
    "strstr(§t, 'b')",
    "strrchr(§t, 'a')",
    "substr_replace(§t, §t, §i, §n)",
    "ltrim(§t, '0')",
    "preg_replace('/([a-z])(\\d)?/', '<$1>', §t)",
    "preg_replace_callback('/\\w/', fn($m) => ord($m[0]) % 7, §t)",
    "chr(§i)",
    "urlencode(§t)",
    "base64_encode(§t)",
    "similar_text(§t, §t) . 'x'",
    "strval(§i)",
    "(§o)::class",
    "Level::of(§i)->name()",
    "(fn() => static::class)->call(§o)",
    "array_key_first(§a)",
    "ucwords(§t, 'b')",
    "vsprintf('%s %s', [§t, §i])",
    "sprintf('%e %g %G', §i / §n, §i, §i)",
    "\"{$o1?->§p} ${t1}\"",
    "$t1++",
    "nl2br(strrev(§t))",
    "typed(§i, §i)",
    "typed(§t)",
    "http_build_query(§a)",
    "(str_contains(§t, §t) ? 'in' : 'out')",
    "mb_substr(§t, §n)",
    "mb_strtoupper(§t)",
    "quotemeta(§t)",
    "soundex(§t)",
    "metaphone(§t)",
    "date('Y-m-d', abs(§i) % 100000)",
];

const ARRAYS: &[&str] = &[
    "[]",
    "[1, 2, 3]",
    "['k' => 1, 'x' => 'two', 5 => null]",
    "$a1",
    "$a2",
    "$a1",
    "[[1, 2], ['k' => [3]]]",
    "Level::LIST",
    "['b', 'a', 'c']",
    "[3, '10', 1.5, 'x']",
    "[true, null, 'k' => 2]",
    "[§e, §e]",
    "['k' => §e, §q => §e]",
    "[...§a, ...§a]",
    "[§q => §e, ...§a]",
    "[&$i1, 'k' => &$a2]",
    "[&$a1['r'], §e]",
    "array_merge(§a, §a)",
    "(§a + §a)",
    "array_map(§f, §a)",
    "array_map(null, §a, §a)",
    "array_map(fn($x, $y) => [$x, $y], §a, §a)",
    "array_filter(§a)",
    "array_filter(§a, fn($v, $k) => $k !== 'k' && $v, ARRAY_FILTER_USE_BOTH)",
    "array_values(§a)",
    "array_keys(§a)",
    "array_reverse(§a, true)",
    "array_slice(§a, §i, §n)",
    "array_slice(§a, -§n, null, true)",
    "array_flip([§t, §i])",
    "array_combine(['p', 'q'], [§e, §e])",
    "array_fill(§n, §n, §e)",
    "array_fill_keys([§t, §i], §e)",
    "range(§n, -§n, 2)",
    "range('a', 'e')",
    "str_split(§t . 'x', §n)",
    "explode('b', §t)",
    "explode(',', 'a,b,,c', -§n)",
    "array_unique(§a, SORT_REGULAR)",
    "array_diff([1, 2, 'a'], [§i, §t])",
    "array_intersect_key(§a, §a)",
    "array_diff_key(§a, ['k' => 1])",
    "(array_udiff([3, 1], [§n], fn($x, $y) => $x <=> $y))",
    "array_pad(§a, §i % 9, §e)",
    "array_chunk(§a, §n, true)",
    "array_column([['id' => 1, 'v' => §e], ['id' => 2]], 'v', 'id')",
    "array_replace(§a, [§q => §e])",
    "array_merge_recursive(§a, ['k' => [§e]])",
    "array_replace_recursive(§a, ['k' => [§e]])",
    "iterator_to_array(§g)",
    "iterator_to_array(§g, false)",
    "compact('i1', 't1')",
    "(array) §o",
    "get_object_vars(§o)",
    "array_count_values(['a', 'b', 'a', §n])",
    "array_splice($a1, §n, 1, [§e])",
    "sscanf(§t, '%d%s')",
    "preg_split('/[ab]/', §t, -1, PREG_SPLIT_NO_EMPTY)",
    "unserialize(serialize(§a))",
    "json_decode(json_encode(§a), true)",
    "named(§i, §t)",
    "named(second: §t, first: §i)",
    "named(...['third' => §a])",
    "memo(§e)",
    "Level::cases()",
    "one(...§a)",
    "(array_is_list(§a) ? [§e] : ['k' => §e])",
    "array_change_key_case(§a, CASE_UPPER)",
    "(array_walk_recursive($a1, function (&$v, $k) { $v = \"$k\"; }) ? $a1 : [])",
    "str_word_count(§t, 1)",
    "parse_url('http://h/' . §t)",
    "(array_find(§a, fn($v) => is_int($v)) ?? [])",
    "(array_multisort($a2) ? $a2 : [])",
    "(fn() => func_get_args())(§e, §i)",
    "[§i, [§t, [§e]]]",
    "array_reduce(§a, fn($c, $v) => [...(array) $c, $v], [])",
    "(array_any(§a, 'is_string') ? [1] : [0])",
    "mb_str_split(§t)",
    "date_parse('2020-01-0§n')",
    "(array_rand([5 => 1], 1) ? ['r'] : [])",
];

const OBJECTS: &[&str] = &[
    "$o1",
    "$o2",
    "$o1",
    "new Point",
    "new Ends",
    "new Hooks",
    "new §k",
    "Level::Low",
    "Unit::B",
    "new stdClass",
    "new Bag",
    "new Point(§i, §i)",
    "new Fixed(§a)",
    "new Bag(§a)",
    "(object) §a",
    "new Ends(§t)",
    "clone §o",
    "new §k(§e)",
    "§k::create(§e)",
    "Level::of(§i)",
    "Unit::pick(abs(§i))",
    "(new Point(§n))->with(y: §i)",
    "(new Fixed)->push(§e)->push(§e)",
    "new ArrayObject(§a)",
    "new ArrayIterator(§a)",
    "new class(§e) extends Ends { public $extra = [1]; function name() { return 'anonymous'; } }",
    "(new Hooks)->own(§i)",
    "new SplObjectStorage",
    "unserialize(serialize(§o))",
    "(function () { return $this; })->call(§o)",
    "new Exception(§t, §n, new LogicException('inner'))",
    "new SplStack",
    "new SplFixedArray(§n)",
    "json_decode('{\"a\":{\"b\":[1]}}')",
    "new ErrorException('ee')",
    "§f",
];

const CALLABLES: &[&str] = &[
    "'strtoupper'",
    "'one'",
    "fn($x = 1) => [$x]",
    "strlen(...)",
    "one(...)",
    "$f1",
    "$f2",
    "static fn(...$r) => count($r)",
    "function ($x = 2, $y = 3) { burn(); return $y; }",
    "'Level::of'",
    "Point::class . '::nothing'",
    "'is_int'",
    "fn($x = 0) => §e",
    "function ($x = null) use (§u) { burn(); §s return $x; }",
    "function (&$x = null) { burn(); $x = §e; return $x; }",
    "(§o)->§m(...)",
    "§k::create(...)",
    "[§o, '§m']",
    "(fn($f) => fn(...$r) => $f(...$r))(§f)",
    "Closure::fromCallable(§f)",
    "function ($x = null) { static $n = §n; burn(); return [$n++, $x]; }",
    "(function () { return fn() => $this->§p ?? 'none'; })->call(§o)",
    "Closure::bind(fn() => $this::class, §o, null)",
    "function (int $x = §n) { burn(); return $x > 0 ? [$x] : throw new DomainException('x'); }",
    "fn(array|int $x = [], ?string $y = null): array|int|null => $x",
];

const ITERABLES: &[&str] = &[
    "count_to(3)",
    "[1, 2]",
    "new Bag([1, 'k' => 2])",
    "$a1",
    "(fn() => yield from ['k' => 1, 2])()",
    "new ArrayIterator([1, 2])",
    "count_to(§n, §n)",
    "outer_of(count_to(§n))",
    "§a",
    "new Bag(§a)",
    "(function () { $x = yield §e; try { yield $x => §e; } finally { echo 'closed '; } return §e; })()",
    "new ArrayIterator(§a)",
    "new LimitIterator(new ArrayIterator(§a), 0, §n)",
    "(function &() { foreach ([1, 2] as $k => $v) { yield $k => $v; } })()",
    "new CallbackFilterIterator(new ArrayIterator(§a), fn($v) => (bool) $v)",
    "outer_of((function () { yield 1; throw new LogicException('thrown'); })())",
    "(fn() => yield from §g)()",
    "new IteratorIterator(new ArrayIterator(§a))",
    "new RecursiveIteratorIterator(new RecursiveArrayIterator(§a))",
    "new AppendIterator",
    "(function () { foreach (§g as $k => $v) { burn(); yield $k; yield $v; } })()",
];

const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "1.5",
    "NAN",
    "INF",
    "-0.0",
    "$m1",
    "$m2",
    "$m1",
    "$undefined",
    "0.1",
    "1e100",
    "Level::High",
    "__LINE__",
    "Named::PREFIX",
    "§i",
    "§i",
    "§t",
    "§t",
    "§a",
    "§a",
    "§o",
    "§f",
    "(§e ? §e : §e)",
    "(§e ?? §e)",
    "(§e == §e)",
    "(§e === §e)",
    "(§e && §e)",
    "(§e || §e)",
    "!§e",
    "(§o)->§p",
    "(§o)?->§p",
    "(§o)->§m(§e)",
    "§k::§m(§e)",
    "§k::$shared",
    "§k::K",
    "(§f)(§e)",
    "call_user_func(§f, §e)",
    "call_user_func_array(§f, §a)",
    "(match (true) { §e => §e, is_int(§e) => §e, default => §e })",
    "(match (§e) { 1, 'k' => §e, null => §e })",
    "§a[§q]",
    "§a[§q][§q]",
    "(§w = §e)",
    "(§r ??= §e)",
    "isset(§r)",
    "empty(§r)",
    "(§o instanceof §k)",
    "(clone §o)->§p",
    "array_pop($a1)",
    "array_shift($a2)",
    "end($a1)",
    "current($a1)",
    "next($a1)",
    "key($a2)",
    "reset($a2)",
    "(§e <=> §e)",
    "(§e == §t)",
    "(§a == §a)",
    "(§o == §o)",
    "in_array(§e, §a, true)",
    "array_key_exists('k', §a)",
    "is_callable(§f)",
    "is_numeric(§t)",
    "(§t)(§e)",
    "(bool) §e",
    "(float) §t",
    "@§a[§q]",
    "list(, $m1) = [§e, §e]",
    "(throw new LogicException(§t))",
    "constant('Level::Low')",
    "defined('§k::K')",
    "byref($a1, §q)",
    "method_exists(§o, '§m')",
    "property_exists(§o, '§p')",
    "filter_var(§t, FILTER_VALIDATE_INT)",
    "unserialize(serialize(§e))",
    "json_decode(json_encode(§e))",
    "array_reduce(§a, §f)",
    "(function () { try { return §e; } finally { §s } })()",
    "(function () { foreach ([1, 2] as $x) { try { burn(); continue; } finally { if ($x == 2) return §e; } } })()",
    "(fn() => yield §e)()->current()",
    "(print §t)",
    "§g",
    "iterator_apply(new ArrayIterator([1]), fn() => false)",
    "new WeakMap",
    "WeakReference::create(§o)->get()",
    "spl_object_id(§o) > 0",
    "array_find_key(§a, fn($v) => $v === 2)",
    "intdiv(§i, §i)",
    "(§i % §i)",
    "clone §e",
    "(§e . §e)",
    "(§e + §e)",
    "(§e - §e)",
    "(§e * §e)",
    "-§e",
    "(string) §o",
    "get_parent_class(§o)",
    "iterator_count(§g)",
    "is_a(§o, '§k')",
    "array_map(fn($x) => §e, [§e])",
    "memo(§e)[0]",
    "named(§e, §e)",
    "typed(§e)",
    "new Point(§e)",
    "new Fixed(§e)",
    "fact(§e)",
    "count_to(§e)",
    "new DateTime('2020-01-0§n')",
    "date_create('2020-01-31')->modify('+§n month')->format('c')",
    "(new ReflectionFunction(§f))->getNumberOfParameters()",
    "(new ReflectionClass(§o))->getShortName()",
    "new Hooks()->half",
    "new Point()->with()->x",
];

const PLACES: &[&str] = &[
    "$m1",
    "$m2",
    "$a1['k']",
    "$a2[0]",
    "$i1",
    "$t1",
    "$a1",
    "$o1",
    "$o2",
    "$f1",
    "$t1[1]",
    "$r1",
    "$a1[§q]",
    "$a2[§q][§q]",
    "$o1->§p",
    "$o2->§p",
    "$o1->§p[§q]",
    "§k::$shared",
    "§k::$shared[§q]",
    "$m1[§q]",
    "$m1->§p",
    "$o1[§q]",
    "$o1->§p->§p",
    "${'m' . §n}",
    "$o1->{'§p'}",
    "$r1[§q]",
    "$GLOBALS['m1']",
];
const WRITTEN_PLACES: &[&str] = &["$a1[]", "$a1['k'][]", "$o2[]", "byref($a1, 'k')[§q]"];

const STATEMENTS: &[&str] = &[
    "echo show(§e), \"\\n\";",
    "echo show(§a), \"\\n\";",
    "echo show(§t), \"\\n\";",
    "§w = §e;",
    "$a1 = §a;",
    "$a2 = §a;",
    "$t1 = §t;",
    "$i1 = §i;",
    "$o1 = §o;",
    "$o2 = §o;",
    "$f1 = §f;",
    "$m1 = §e;",
    "echo show(§i), \"\\n\";",
    "§w = &§w;",
    "$r1 = &§w;",
    "$a1[§q] = &§w;",
    "unset(§r);",
    "unset($a1[§q]);",
    "unset($r1);",
    "§r .= §t;",
    "§r += §i;",
    "§r[] = §e;",
    "§r++;",
    "§r ??= §e;",
    "§r *= §i;",
    "§r -= §e;",
    "§r %= §n;",
    "[§w, §w] = §a;",
    "['k' => §w, 0 => [§w]] = §a;",
    "[$i1, $i2] = [$i2, $i1];",
    "[, &$r1] = $a1;",
    "foreach (§a as [$x, $y]) { burn(); echo show([$x, $y]); }",
    "foreach (§g as $k => $v) { burn(); echo show([$k, $v]), ' '; §s }",
    "foreach (§a as $k => $v) { burn(); §s }",
    "foreach ($a1 as &$v) { burn(); $v = §e; §s } unset($v);",
    "foreach ($a1 as $k => &$r1) { burn(); if ($k === 'k') $a1[] = §e; }",
    "foreach (§o as $k => $v) { burn(); echo $k, show($v); }",
    "for ($i = 0; $i < §n; $i++) { burn(); §s if ($i == 2) continue; §s }",
    "$j = §n; while ($j-- > 0) { burn(); §s if (§e) break; }",
    "do { burn(); §s } while ($i1-- > 5 && $i1 < 9);",
    "if (§e) { §s } elseif (§e) { §s } else { §s }",
    "switch (§e) { case 1: §s case 'k': §s break; default: §s }",
    "switch (§t) { case 'abc': case '5': §s break; case §t: §s }",
    "try { §s throw new LogicException(§t); } catch (DomainException | LogicException $x) { echo show($x); §s } finally { §s }",
    "try { §s } catch (TypeError $x) { echo show($x); } finally { echo 'finally '; §s }",
    "try { try { §s throw new Exception('a'); } finally { throw new RuntimeException('b'); } } catch (Exception $x) { echo show($x), \"\\n\"; }",
    "$g1 = §g; if ($g1 instanceof Generator) { echo show($g1->current()), show($g1->key()), show($g1->send(§e)), show($g1->valid()); $g1->next(); if (!$g1->valid()) echo show($g1->getReturn()); }",
    "$g1 = count_to(§n); foreach ($g1 as $v) { burn(); if ($v == 1) break; } echo show($g1->current()); unset($g1);",
    "$g1 = outer_of(count_to(§n)); $g1->current(); echo show($g1->throw(new LogicException(§t)));",
    "usort($a1, fn($x, $y) => show($x) <=> show($y));",
    "sort($a2);",
    "ksort($a1);",
    "asort($a2);",
    "rsort($a1, SORT_STRING);",
    "uksort($a2, fn($x, $y) => \"$y\" <=> \"$x\");",
    "natsort($a1);",
    "arsort($a1, SORT_NUMERIC);",
    "krsort($a2);",
    "(function () { §s })->call($o1);",
    "(function () use (§u) { §s echo show($m1 ?? 'unset'); })();",
    "(static function (&$x) { $x = §e; })($m1);",
    "list('k' => $m1, 'x' => $m2) = §a;",
    "$copy = $a1; $copy['k'] = §e; echo show([$copy, $a1]);",
    "extract(['m1' => §e, 'i1' => §i]);",
    "echo §t, \"\\n\";",
    "var_dump(§e);",
    "var_dump(§i, §t);",
    "printf(\"%s %d\\n\", §t, §i);",
    "echo json_encode(§e), \"\\n\";",
    "static $once§#; $once§#[] = §i; echo count($once§#);",
    "global $m1; $m1 = §e;",
    "echo <<<X\n  a $t1\n   {$i1}b\n  X . \"\\n\";",
    "goto end§#; echo 'skipped'; end§#: echo 'there ';",
    "if (§e): §s else: §s endif;",
    "$o1 = null;",
    "$o2 = $o1;",
    "$m1 = $m2 = §e;",
    "array_walk($a1, function (&$v, $k, $x) { burn(); $v = [$x => $v]; }, 'x');",
    "ob_start(); §s $m1 = ob_get_clean();",
    "ob_start(fn($b) => strtoupper($b)); echo §t; ob_end_flush();",
    "$s = new SplObjectStorage; $s[§o] = §e; foreach ($s as $x) { echo show($x), show($s[$x]); }",
    "$m = new WeakMap; $m[$o1] = §e; $o1 = null; echo count($m);",
    "assert(true);",
    "declare(ticks=1) { §s }",
    "define('C§#', §n); echo C§#;",
    "{ §s }",
    "set_error_handler(null);",
    "echo intdiv(§n, §n), PHP_EOL;",
];

const PROPERTIES: &[&str] = &[
    "p0", "p0", "p1", "p2", "p3", "x", "y", "label", "whole", "half", "text", "list", "items",
    "virtual", "own", "count", "name", "value", "p4", "missing", "shared",
];
const METHODS: &[&str] = &[
    "m0",
    "m1",
    "m2",
    "name",
    "up",
    "tell",
    "create",
    "made",
    "with",
    "push",
    "own",
    "count",
    "getIterator",
    "offsetGet",
    "more",
    "nothing",
];
const KEYS: &[&str] = &[
    "0", "1", "2", "'k'", "'x'", "'r'", "-1", "'0'", "null", "true", "1.5", "$i1", "$t1", "'p0'",
    "§i", "§t", "$m1", "[]",
];
const USES: &[&str] = &["$m1", "&$m1", "$a1, &$a2", "&$i1", "$o1, $t1", "&$r1"];

/// Members of classes: they go with all of their kind in classes above.
const PROPERTY_MEMBERS: &[&str] = &[
    "public $p0 = §c;",
    "public int $p1 = §n;",
    "public ?array $p2 = null;",
    "public string $p3 = 'p3' { get => $this->p3 . '!'; set => strtolower($value); }",
    "public int|string|null $p4 = §n;",
    "protected $hidden = §c;",
    "private $own§# = §c;",
    "public static $shared = §c;",
];
const METHOD_MEMBERS: &[&str] = &[
    "function m0($x = null, ...$r) { burn(); $this->p0 = $x; return $this; }",
    "function m0($x = null, ...$r) { burn(); §s return $x; }",
    "function m1($x = null, ...$r) { burn(); yield $this->p0 ?? 0; yield from (array) $x; }",
    "static function m2($x = null, ...$r) { burn(); static::$shared = [$x]; return [static::class, self::class, $x]; }",
    "function m1($x = null, ...$r) { burn(); return isset($this->p1) ? $this->p1++ : parent::class; }",
    "function __get($n) { echo \"get $n \"; return $this->more[$n] ?? null; } private $more = [];",
    "function __set($n, $v) { echo \"set $n \"; $this->other = $v; } public $other;",
    "function __isset($n) { echo \"isset $n \"; return $n === 'missing'; }",
    "function __unset($n) { echo \"unset $n \"; }",
    "function __call($n, $r) { echo \"call $n \"; return $r; }",
    "static function __callStatic($n, $r) { return [$n, count($r)]; }",
    "function __toString(): string { return static::class . '!'; }",
    "function __invoke($x = null) { burn(); return [$x, $this->p0 ?? null]; }",
    "function __clone() { echo 'clone '; $this->p0 = [$this->p0 ?? null]; }",
    "function __destruct() { echo 'gone ', static::class, ' '; }",
    "function __serialize(): array { return ['p0' => 1]; } function __unserialize(array $d): void { $this->p0 = $d; }",
    "function __debugInfo() { return ['debug' => 1]; }",
    "function &ref() { return $this->p0; }",
    "const Z§# = self::K . 'z';",
    "function m0($x = null, ...$r) { burn(); return parent::m0($x, ...$r); }",
    "function name() { return 'named ' . static::K; }",
    "#[Attr(1)] function attributed(#[Arg] $x = new Ends('default')) { return $x; }",
    "function __construct(public $p0 = §c, protected readonly int|array|string $ro = 1) { echo 'made '; }",
];
const CONSTANTS: &[&str] = &[
    "1",
    "'c'",
    "[1, 'k' => [2]]",
    "null",
    "self::K",
    "Level::Low",
    "2.5",
    "[Level::Mid, -1]",
    "1 + 2 * 3",
    "'a' . self::K",
];

/// Error handlers.
const HANDLERS: [&str; 5] = [
    "echo \"! $m\\n\"; return true;",
    "echo \"! $m\\n\"; return true;",
    "throw new ErrorException($m, 0, $c, '', 7);",
    "static $c = 0; if (++$c % 4 == 0) throw new ErrorException($m); return true;",
    "return false;",
];

/// Makes the text of a program.
#[derive(Debug)]
pub struct Wide {
    templates: Templates,
    classes: usize,
}

impl Wide {
    /// The program of a number.
    pub fn program(number: u64) -> String {
        let parts = vec![
            part('i', &[INTEGERS]),
            part('t', &[TEXTS]),
            part('a', &[ARRAYS]),
            part('o', &[OBJECTS]),
            part('f', &[CALLABLES]),
            part('g', &[ITERABLES]),
            part('e', &[VALUES]),
            part('r', &[PLACES]),
            part('w', &[PLACES, WRITTEN_PLACES]),
            part('p', &[PROPERTIES]),
            part('m', &[METHODS]),
            part('q', &[KEYS]),
            part('u', &[USES]),
            part('c', &[CONSTANTS]),
            part('k', &[&["Ends", "Bag", "Point"]]),
            part('s', &[STATEMENTS]).several(),
        ];
        let mut wide = Wide {
            templates: Templates::new(number ^ 0x51ed_270b, 1..7, parts),
            classes: 0,
        };
        wide.write();
        wide.templates.text
    }

    fn write(&mut self) {
        self.templates.put(PRELUDE);
        skeleton::handle(&mut self.templates, &HANDLERS);
        for _ in 0..3 {
            self.class();
        }
        self.templates.put("$i1 = 7; $i2 = -3; $t1 = 'abc'; $t2 = 'Text 12'; $a1 = [1, 'k' => [2, 3], 'x' => 'y']; $a2 = [5, 4, 'k' => 'v']; $m1 = null; $m2 = 2.5; $f1 = fn($x = 1) => $x; $f2 = 'one'; $r1 = 0; $o1 = new K0; $o2 = new Bag([1, 'k' => [2]]);\n");
        for _ in 0..4 + self.templates.random.below(8) {
            self.templates.put("try { ");
            for _ in 0..1 + self.templates.random.below(4) {
                self.templates.write("§s", 24, 4);
            }
            self.templates
                .put(" } catch (Throwable $t) { echo show($t), \"\\n\"; unset($t); }\n");
            if self.templates.random.below(3) == 0 {
                self.templates.put("echo show([$i1 ?? 0, $t1 ?? 0, $a1 ?? 0, $a2 ?? 0, $m1 ?? 0, $o1 ?? 0, $o2 ?? 0, $r1 ?? 0]), \"\\n\";\n");
            }
        }
        self.templates.put("echo \"end\\n\";\n");
    }

    fn class(&mut self) {
        let number = self.classes;
        let parent = match self.templates.random.below(4) {
            0 if number > 0 => format!(" extends K{}", self.templates.random.below(number)),
            1 => String::from(" extends Ends"),
            2 => String::from(" implements Named"),
            _ => String::new(),
        };
        let _ = write!(self.templates.text, "class K{number}{parent} {{ const K = ");
        let constant = *self.templates.random.choose(&["1", "'k'", "[1, 2]"]);
        self.templates.put(constant);
        self.templates.put("; ");
        let uses = [
            "use Tells; ",
            "use Counts, Tells { Counts::up insteadof Tells; Tells::up as protected upTell; } ",
            "use Tells { tell as public say; create as m9; } ",
        ];
        let chosen = *self.templates.random.choose(&uses);
        self.templates.put(chosen);
        let mut members: Vec<&str> = Vec::new();
        for _ in 0..2 + self.templates.random.below(5) {
            members.push(*self.templates.random.choose(PROPERTY_MEMBERS));
        }
        for _ in 0..2 + self.templates.random.below(6) {
            let member = *self.templates.random.choose(METHOD_MEMBERS);
            if !member.contains("parent::") || !parent.is_empty() && !parent.contains("implements")
            {
                members.push(member);
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for member in members {
            let name = name_of(member);
            let is_again = names.contains(&name)
                || (name == "p0" && names.contains(&"__construct"))
                || (name == "__construct" && names.contains(&"p0"));
            if is_again && !(member.contains("§#")) {
                continue;
            }
            names.push(name);
            self.templates.write(member, 6, 2);
            self.templates.text.push(' ');
        }
        if !names.contains(&"shared") {
            self.templates.put("public static $shared = []; ");
        }
        if !names.contains(&"name") {
            self.templates.put("function name() { return 'n'; } ");
        }
        if !names.contains(&"m0") {
            self.templates
                .put("function m0($x = null, ...$r) { return $r; } ");
        }
        self.templates.put("}\n");
        self.templates.add('k', format!("K{number}"));
        self.classes += 1;
    }
}

/// What a member is called; members of the same name are not repeated.
fn name_of(member: &str) -> &str {
    let from = member
        .find("function ")
        .map(|at| &member[at + 9..])
        .or_else(|| member.find('$').map(|at| &member[at + 1..]))
        .unwrap_or(member);
    let end = from
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(from.len());
    &from[..end]
}
