//! Whole random programs. Each ends soon, prints the same every time, and is compiled without a
//! complaint (most of the time).
//!
//! What they are after is user code that runs at odd moments: error handlers, destructors, magic
//! methods, callbacks and generators that throw, or change what is being worked on.

use std::fmt::Write;

use super::random::Random;

/// What is the same in all programs: how values are shown, and classes with code in every hook.
const PRELUDE: &str = r#"
$fuel = 0;
function burn() { if (++$GLOBALS['fuel'] > 400) { echo "\nout of fuel\n"; exit; } }
function show($v, $d = 0) {
    burn();
    if ($d > 4) return '...';
    if (is_array($v)) { $s = '['; foreach ($v as $k => $w) { $s .= (is_int($k) ? $k : "'$k'") . '=>' . show($w, $d + 1) . ','; if (strlen($s) > 400) { $s .= '...'; break; } } return $s . ']'; }
    if ($v instanceof Closure) return 'closure';
    if ($v instanceof Generator) return 'generator';
    if (is_object($v)) return strtok(get_class($v), "\0") . ($v instanceof Throwable ? '(' . $v->getMessage() . '@' . $v->getLine() . ')' : show((array) $v, $d + 1));
    if (is_string($v) && strlen($v) > 60 && preg_match('/trace|#0 /', $v)) return 'a trace';
    if (is_string($v)) return strlen($v) > 60 ? strlen($v) . md5($v) : "'" . addcslashes($v, "\0..\37\177..\377") . "'";
    return var_export($v, true);
}
class Plain { public $p = 1; public $q = [1, 'k' => 2]; protected $r = 'r'; public static $s = [3]; const K = ['c' => 4];
    function m(&$x = 5, ...$rest) { $x = $this->p; return [$x, count($rest)]; }
    function &ref() { return $this->q; }
    static function t($x) { return static::$s[$x] ?? self::K; } }
class Typed extends Plain { public int $i = 1; public ?string $n = null; public array $l = []; public readonly int $o; public int|float $u = 1.5;
    function init() { $this->o = $this->i; return $this; } }
class Magic { public $d = []; public $p = 'mp';
    function __get($n) { burn(); echo "get $n\n"; if ($n === 'boom') throw new LogicException('get'); return $this->d[$n] ?? null; }
    function __set($n, $v) { burn(); echo "set $n\n"; $this->d[$n] = $v; if ($n === 'wipe') $GLOBALS['a'] = 'wiped'; }
    function __isset($n) { burn(); echo "isset $n\n"; return isset($this->d[$n]); }
    function __unset($n) { burn(); echo "unset $n\n"; unset($this->d[$n]); }
    function __call($n, $a) { burn(); return [$n, count($a)]; }
    static function __callStatic($n, $a) { return [$n, $a]; }
    function __toString(): string { burn(); echo "text\n"; $GLOBALS['b'] = [9]; return 'magic'; }
    function __invoke($x = 0) { burn(); return $this->p . gettype($x); }
    function __clone() { $this->d['cloned'] = true; } }
class Dying { public $p; public $to;
    function __construct($p = 0, $to = null) { $this->p = $p; $this->to = $to; }
    function __destruct() { burn(); echo "destroy ", is_scalar($this->p) ? $this->p : gettype($this->p), "\n";
        switch ($this->to) { case 'throw': throw new RuntimeException('destructor'); case 'a': $GLOBALS['a'] = null; break; case 'b': $GLOBALS['b'] = [1, 2]; break; case 'c': unset($GLOBALS['c']); break; case 'keep': $GLOBALS['kept'] = $this; break; case 'd': $GLOBALS['d'][] = 'died'; break; } } }
class Store implements ArrayAccess, IteratorAggregate, Countable { public $i = [1, 'x' => [2]];
    function offsetGet($o): mixed { burn(); echo "offsetGet\n"; if (is_object($o)) return $this; return $this->i[$o ?? 'x'] ?? null; }
    function offsetSet($o, $v): void { burn(); echo "offsetSet\n"; if ($o === null) $this->i[] = $v; elseif (is_scalar($o)) $this->i[$o] = $v; }
    function offsetExists($o): bool { burn(); echo "offsetExists\n"; return is_scalar($o) && isset($this->i[$o]); }
    function offsetUnset($o): void { burn(); echo "offsetUnset\n"; if (is_scalar($o)) unset($this->i[$o]); $GLOBALS['a'] = $this->i; }
    function getIterator(): Iterator { burn(); return new ArrayIterator($this->i); }
    function count(): int { return count($this->i); } }
class Walk implements Iterator { public $n = 0; function __construct(public $end = 3, public $fail = -1) {}
    function current(): mixed { burn(); return [$this->n]; } function key(): mixed { return $this->n % 2 ? "k$this->n" : $this->n; }
    function next(): void { if (++$this->n === $this->fail) throw new DomainException('next'); } function rewind(): void { $this->n = 0; } function valid(): bool { burn(); return $this->n < $this->end; } }
class Hooked { public $raw = 1; public $w { get { burn(); echo "hook get\n"; return $this->raw; } set { burn(); echo "hook set\n"; $this->raw = [$value]; } } public string $c { get => 'c' . gettype($this->raw); } }
enum Suit: string { case A = 'a'; case B = 'b'; const D = self::A; function other() { return $this === self::A ? self::B : self::A; } }
"#;

/// What destructors in the [`PRELUDE`] do to the variables of the program.
const CHANGES_OF_DESTRUCTORS: &str = r#" case 'a': $GLOBALS['a'] = null; break; case 'b': $GLOBALS['b'] = [1, 2]; break; case 'c': unset($GLOBALS['c']); break; case 'keep': $GLOBALS['kept'] = $this; break; case 'd': $GLOBALS['d'][] = 'died'; break;"#;

/// What other methods in the [`PRELUDE`] do to them.
const CHANGES_OF_METHODS: [&str; 3] = [
    " if ($n === 'wipe') $GLOBALS['a'] = 'wiped';",
    " $GLOBALS['b'] = [9];",
    " $GLOBALS['a'] = $this->i;",
];

/// Error handlers: what they do besides returning.
const HANDLERS: [&str; 9] = [
    "",
    "throw new ErrorException($m);",
    "if ($fuel % 3 == 0) throw new ErrorException($m);",
    "$a = 'over';",
    "$a = []; $b = null;",
    "unset($a, $c); $b = [[]];",
    "$a = new Plain; $c = &$b;",
    "$d = [$a, $d]; $a = 1.5;",
    "$b = new Dying('handler', 'a'); $b = 2;",
];

const VARIABLES: [&str; 6] = ["$a", "$b", "$c", "$d", "$e", "$x"];
const PROPERTIES: [&str; 9] = ["p", "q", "d", "i", "n", "boom", "wipe", "w", "raw"];
const BINARY: [&str; 25] = [
    "+", "-", "*", ".", ".", "%", "/", "**", "|", "&", "^", "<<", ">>", "==", "===", "<", "<=>",
    "!=", "&&", "||", "xor", "??", ">=", "+", "!==",
];
const COMPOUND: [&str; 11] = [
    "+=", "-=", "*=", ".=", ".=", "??=", "|=", "%=", "/=", "<<=", "**=",
];
/// Functions and how many arguments they take; none of them waits, or tells of the world outside.
const FUNCTIONS: [(&str, usize); 53] = [
    ("strlen", 1),
    ("count", 1),
    ("join", 2),
    ("array_merge", 2),
    ("array_keys", 1),
    ("array_values", 1),
    ("substr", 2),
    ("str_repeat", 0),
    ("strrev", 1),
    ("in_array", 2),
    ("array_slice", 2),
    ("array_reverse", 1),
    ("array_unique", 1),
    ("range", 0),
    ("array_sum", 1),
    ("max", 2),
    ("min", 2),
    ("is_callable", 1),
    ("gettype", 1),
    ("intdiv", 2),
    ("abs", 1),
    ("str_replace", 3),
    ("ucfirst", 1),
    ("array_flip", 1),
    ("array_combine", 2),
    ("array_fill_keys", 2),
    ("array_diff", 2),
    ("array_intersect_key", 2),
    ("iterator_to_array", 1),
    ("sprintf", 2),
    ("serialize", 1),
    ("var_export_", 1),
    ("json_encode_", 1),
    ("print_r_", 1),
    ("array_chunk", 2),
    ("array_pad", 0),
    ("array_product", 1),
    ("str_split", 1),
    ("explode", 2),
    ("trim", 1),
    ("intval", 1),
    ("settype_", 1),
    ("array_search", 2),
    ("array_key_exists", 2),
    ("is_iterable", 1),
    ("get_object_vars_", 1),
    ("array_replace", 2),
    ("array_column", 2),
    ("nl2br", 1),
    ("ctype_", 1),
    ("array_count_values", 1),
    ("strcmp", 2),
    ("levenshtein", 2),
];

/// Makes the text of a program.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    text: String,
    /// Loops around, of the same function.
    loops: u32,
    /// Loops so far: each has a counter of its own.
    counters: u32,
    /// Number of the function being written; it calls only those before it.
    function: u32,
    in_generator: bool,
    in_finally: bool,
    /// Nodes that may still be written.
    budget: i32,
    /// Error handlers and destructors leave the variables alone that are being worked on.
    tame: bool,
}

impl Generator {
    /// The program of a number.
    pub fn program(number: u64) -> String {
        Generator::write_program(number, false)
    }

    /// The same, but that error handlers and destructors only say that they ran, or throw.
    pub fn tame(number: u64) -> String {
        Generator::write_program(number, true)
    }

    fn write_program(number: u64, tame: bool) -> String {
        let mut generator = Generator {
            random: Random::of_case(number),
            text: String::from("<?php"),
            loops: 0,
            counters: 0,
            function: 0,
            in_generator: false,
            in_finally: false,
            budget: 0,
            tame,
        };
        generator.write();
        generator.text
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn put_one(&mut self, texts: &[&str]) {
        let text = *self.random.choose(texts);
        self.put(text);
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn variable(&mut self) -> &'static str {
        let number = self.random.below(VARIABLES.len() + 6);
        VARIABLES[if number < VARIABLES.len() {
            number
        } else {
            number % 3
        }]
    }

    fn write(&mut self) {
        let mut handler = *self.random.choose(&HANDLERS);
        if self.tame {
            let changes = std::iter::once(CHANGES_OF_DESTRUCTORS).chain(CHANGES_OF_METHODS);
            let prelude = changes.fold(PRELUDE.to_owned(), |text, change| text.replace(change, ""));
            self.put(&prelude);
            if !handler.contains("throw") {
                handler = "";
            }
        } else {
            self.put(PRELUDE);
        }
        // What is global somewhere is a reference from then on.
        let globals = if self.tame { "" } else { "$a, $b, $c, $d, " };
        // Writing to a string does not fail.
        let _ = writeln!(
            self.text,
            "set_error_handler(function ($n, $m) {{ global {globals}$fuel; burn(); echo \"! $m\\n\"; {handler} return true; }});"
        );
        for number in 0..3 {
            self.function = number;
            self.write_function();
        }
        self.function = 3;
        self.put("$a = ");
        self.initial();
        self.put("$b = ");
        self.initial();
        self.put("$c = ");
        self.initial();
        self.put("$d = [1, 'k' => [2, 3], 5 => 'five']; $e = 'text'; $x = 7;\n");
        for _ in 0..3 + self.random.below(6) {
            self.budget = 40;
            self.put("try { ");
            self.statements(3);
            self.put(" } catch (Throwable $t) { echo show($t), \"\\n\"; unset($t); }\n");
            self.put("echo show([$a ?? null, $b ?? null, $c ?? null, $d ?? null]), \"\\n\";\n");
        }
        self.put("restore_error_handler(); set_error_handler(fn() => true);\nunset($a, $b, $c, $d, $e, $x); echo \"end\\n\";\n");
    }

    fn initial(&mut self) {
        let values = [
            "[1, [2, 'x' => [3]], 'k' => 'v']",
            "'abc'",
            "new Plain",
            "new Typed",
            "new Magic",
            "new Dying(1, 'a')",
            "new Dying(2, 'throw')",
            "new Store",
            "new Walk(3, 2)",
            "new Hooked",
            "5",
            "1.5",
            "null",
            "[new Dying(3, 'b'), new Dying(4, 'c')]",
            "(object) ['p' => 1, 'q' => []]",
            "Suit::A",
            "range(0, 5)",
            "new ArrayObject([1, [2]])",
            "str_repeat('ab', 3)",
            "f0(1)",
        ];
        let value = *self.random.choose(&values);
        self.put(value);
        self.put("; ");
    }

    fn write_function(&mut self) {
        let number = self.function;
        let by_reference = self.chance(20);
        let generator = number == 1 || self.chance(20);
        let reference = if by_reference && !generator { "&" } else { "" };
        let argument = *self.random.choose(&[
            "$a = 1",
            "&$a = null",
            "$a = [1]",
            "int|array|null $a = 3",
            "?Plain $a = null",
        ]);
        let _ = write!(
            self.text,
            "function {reference}f{number}({argument}, $b = 'two', ...$c) {{ burn(); "
        );
        if self.chance(30) {
            self.put("static $d = 0; ");
        } else if self.chance(20) {
            self.put("global $d, $e; ");
        }
        self.in_generator = generator;
        self.budget = 25;
        if generator {
            self.put("$s = yield 0; ");
        }
        self.statements(2);
        self.put(" return $a; }\n");
        self.in_generator = false;
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        self.budget -= 1;
        let choice = if depth == 0 || self.budget < 0 {
            self.random.below(40)
        } else {
            self.random.below(76)
        };
        match choice {
            0..=7 => {
                self.place_of(2, true);
                self.put(" = ");
                self.expression(3);
                self.put("; ");
            }
            8..=10 => {
                self.place(2);
                let operator = *self.random.choose(&COMPOUND);
                let _ = write!(self.text, " {operator} ");
                self.expression(2);
                self.put("; ");
            }
            11..=15 => {
                self.put("echo show(");
                self.expression(3);
                self.put("), \"\\n\"; ");
            }
            16..=19 => {
                self.place_of(2, true);
                self.put(" = &");
                self.place_of(2, true);
                self.put("; ");
            }
            20..=22 => {
                self.put("unset(");
                self.unsettable(2);
                self.put("); ");
            }
            23..=25 => {
                self.expression(3);
                self.put("; ");
            }
            26..=27 => {
                self.place(1);
                let operator = *self.random.choose(&["++; ", "--; "]);
                self.put(operator);
            }
            28..=29 => self.destructuring(),
            30 => {
                self.put("throw new ");
                let class = *self.random.choose(&[
                    "Exception",
                    "LogicException",
                    "TypeError",
                    "DomainException",
                ]);
                let _ = write!(self.text, "{class}('t{}'); ", self.random.below(9));
            }
            31..=32 if self.loops > 0 && !self.in_finally => {
                let level = 1 + self.random.below(self.loops as usize);
                let word = *self.random.choose(&["break", "continue"]);
                let _ = write!(self.text, "if (++$fuel % 3 == 0) {{ {word} {level}; }} ");
            }
            33 if self.function < 3 => {
                self.put("if (++$GLOBALS['fuel'] % 4 == 0) return ");
                self.put_one(&["$a; ", "$b; "]);
            }
            34 if self.function < 3 => {
                let variable = self.variable();
                let _ = write!(self.text, "global {variable}; ");
            }
            35..=36 if self.in_generator => {
                self.put("$s = yield ");
                self.expression(1);
                self.put("; ");
            }
            37..=39 => self.sort(),
            40..=46 => {
                self.put("if (");
                self.expression(2);
                self.put(") { ");
                self.statements(depth - 1);
                self.put("} else { ");
                self.statements(depth - 1);
                self.put("} ");
            }
            47..=50 => self.counted_loop(depth),
            51..=60 => self.foreach(depth),
            61..=70 => self.try_block(depth),
            71..=73 => {
                self.put("switch (");
                self.expression(1);
                self.put(") { case 1: ");
                self.loops += 1;
                self.statements(depth - 1);
                self.put("break; case 'k': case null: ");
                self.statements(depth - 1);
                self.put("default: ");
                self.statements(depth - 1);
                self.loops -= 1;
                self.put("} ");
            }
            _ => {
                self.put("$gen = f1(");
                self.expression(1);
                self.put("); ");
                let uses = [
                    "foreach ($gen as $k => $v) { burn(); echo show([$k, $v]); if ($fuel % 5 == 0) break; } unset($gen); ",
                    "echo show($gen->current()), show($gen->send($a)), show($gen->key()); $gen = null; ",
                    "try { $gen->current(); $gen->throw(new LogicException('in')); } finally { echo 'f'; } ",
                    "$b = [$gen->valid(), $gen]; unset($gen); $gen = (function ($g) { $r = yield from $g; return [$r]; })($b[1]); foreach ($gen as $v) { burn(); } ",
                    "$gen->current(); unset($gen); ",
                    "$a = $gen; ",
                ];
                let chosen = *self.random.choose(&uses);
                self.put(chosen);
            }
        }
    }

    fn sort(&mut self) {
        let uses = [
            "if (is_array($a)) usort($a, function ($p, $q) { burn(); $GLOBALS['a'] = 'sorting'; return $p <=> $q; }); ",
            "if (is_array($d)) { uasort($d, fn($p, $q) => $p <=> $q); } ",
            "if (is_array($b)) array_walk($b, function (&$v, $k) { burn(); global $b, $a; $v = [$v]; if ($k === 1) { $b = $a; } }); ",
            "if (is_array($a)) { $c = array_map(function ($v) { burn(); $GLOBALS['a'][] = 1; return [$v]; }, $a); } ",
            "if (is_array($d)) { $d = array_filter($d, function ($v) { burn(); unset($GLOBALS['d']['k']); return $v; }); } ",
            "if (is_array($a)) { ksort($a); $a += [9 => 9]; } ",
            "if (is_array($b)) { array_splice($b, 1, 1, [[7], 8]); } ",
            "if (is_array($a)) { array_push($a, $b); echo show(array_shift($a)); } ",
            "$c = array_reduce([1, 2, 3], function ($q, $v) { burn(); $GLOBALS['a'] = $q; return [$q, $v]; }); ",
            "if (is_string($e)) { $e = preg_replace_callback('/[a-t]/', function ($m) { burn(); $GLOBALS['e'] = 5; return $m[0] . 'z'; }, $e); } ",
            "if (is_array($a) && $a) { echo show(end($a)), show(key($a)), show(prev($a)), show(current($a)); } ",
            "$v = compact('a', 'b'); extract(['c' => $v, 'x' => 3], EXTR_REFS); ",
        ];
        let chosen = *self.random.choose(&uses);
        self.put(chosen);
    }

    fn destructuring(&mut self) {
        let patterns = [
            "[%, %] = ",
            "['k' => %, 1 => %] = ",
            "[, [%], %] = ",
            "list('x' => list(%), 0 => %) = ",
            "[% , [%, %]] = ",
        ];
        let pattern = *self.random.choose(&patterns);
        for part in pattern.split_inclusive('%') {
            match part.strip_suffix('%') {
                Some(before) => {
                    self.put(before);
                    self.place_of(1, true);
                }
                None => self.put(part),
            }
        }
        self.expression(2);
        self.put("; ");
    }

    fn counted_loop(&mut self, depth: u32) {
        self.counters += 1;
        let counter = format!("$i{}", self.counters);
        let times = 1 + self.random.below(4);
        let (head, tail) = match self.random.below(3) {
            0 => (
                format!("for ({counter} = 0; {counter} < {times}; {counter}++) {{ burn(); "),
                String::from("} "),
            ),
            1 => (
                format!("{counter} = {times}; while ({counter}-- > 0) {{ burn(); "),
                String::from("} "),
            ),
            _ => (
                format!("{counter} = 0; do {{ burn(); "),
                format!("}} while (++{counter} < {times}); "),
            ),
        };
        self.put(&head);
        self.looped(depth);
        self.put(&tail);
    }

    fn looped(&mut self, depth: u32) {
        self.loops += 1;
        let finally = std::mem::replace(&mut self.in_finally, false);
        self.statements(depth - 1);
        self.in_finally = finally;
        self.loops -= 1;
    }

    fn foreach(&mut self, depth: u32) {
        self.put("foreach (");
        let by_reference = self.chance(35);
        if by_reference {
            self.place(1);
        } else {
            match self.random.below(8) {
                0 => self.put("new Walk(3, 2)"),
                1 if self.function > 1 => self.put("f1($a)"),
                2 => self.put("(function () { try { yield 1; yield 'k' => [2]; yield 3; } finally { echo 'closed'; } })()"),
                3 => self.expression(1),
                _ => self.place(1),
            }
        }
        self.put(" as ");
        if self.chance(50) {
            self.place(0);
            self.put(" => ");
        }
        if by_reference {
            self.put("&");
            self.put_one(&["$v", "$w", "$a", "$b", "$d['r']"]);
        } else if self.chance(15) {
            self.put("[$v, $w]");
        } else if self.chance(15) {
            self.place(1);
        } else {
            self.put("$v");
        }
        self.put(") { burn(); ");
        if self.chance(60) {
            self.put("echo show($v ?? 0); ");
        }
        self.looped(depth);
        self.put("} ");
        if self.chance(40) {
            self.put("unset($v); ");
        }
    }

    fn try_block(&mut self, depth: u32) {
        self.put("try { ");
        self.statements(depth - 1);
        self.put("} ");
        let catches = self.chance(70);
        if catches {
            let head = *self.random.choose(&[
                "catch (Exception $t) { echo show($t); ",
                "catch (LogicException | Error $t) { echo $t->getLine(); ",
                "catch (Throwable) { ",
                "catch (TypeError $a) { ",
            ]);
            self.put(head);
            self.statements(depth - 1);
            self.put("} ");
        }
        if !catches || self.chance(40) {
            self.put("finally { echo 'finally '; ");
            let outer = std::mem::replace(&mut self.in_finally, true);
            let loops = std::mem::replace(&mut self.loops, 0);
            self.statements(depth - 1);
            self.loops = loops;
            self.in_finally = outer;
            self.put("} ");
        }
    }

    /// What can be assigned to, and read first.
    fn place(&mut self, depth: u32) {
        self.place_of(depth, false);
    }

    /// What can be assigned to; with `appends`, also a new element.
    fn place_of(&mut self, depth: u32, appends: bool) {
        self.budget -= 1;
        let variable = self.variable();
        match if depth == 0 || self.budget < 0 {
            0
        } else {
            self.random.below(15)
        } {
            0..=4 => self.put(variable),
            5..=7 => {
                self.place_of(depth - 1, appends);
                self.put("[");
                self.key();
                self.put("]");
            }
            8 if appends => {
                self.place_of(depth - 1, appends);
                self.put("[]");
            }
            9..=11 => {
                self.place_of(depth - 1, appends);
                let property = *self.random.choose(&PROPERTIES);
                let _ = write!(self.text, "->{property}");
            }
            12 => self.put_one(&["Plain::$s", "Typed::$s[0]", "$$e", "$GLOBALS['a']"]),
            _ => {
                self.put(variable);
                self.put_one(&[
                    "[1]['x']",
                    "['k']",
                    "->q[0]",
                    "[0]->p",
                    "->l['y']",
                    "->i",
                    "->p['n'][0]",
                ]);
            }
        }
    }

    fn unsettable(&mut self, depth: u32) {
        let variable = self.variable();
        self.put(variable);
        for _ in 0..self.random.below(depth as usize + 1) {
            if self.chance(60) {
                self.put("[");
                self.key();
                self.put("]");
            } else {
                let property = *self.random.choose(&PROPERTIES);
                let _ = write!(self.text, "->{property}");
            }
        }
    }

    fn key(&mut self) {
        match self.random.below(12) {
            0..=2 => {
                let key = self.random.below(4);
                let _ = write!(self.text, "{key}");
            }
            3..=5 => self.put("'k'"),
            6 => self.put("'x'"),
            7 => self.put("$x"),
            8 => self.put("$undefined"),
            9 => self.expression(1),
            _ => self.put_one(&[
                "1.7",
                "null",
                "true",
                "'3'",
                "-1",
                "[]",
                "new Magic",
                "'p' . 'q'",
            ]),
        }
    }

    /// A value.
    fn expression(&mut self, depth: u32) {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 {
            return self.leaf();
        }
        match self.random.below(44) {
            0..=6 => self.leaf(),
            7..=13 => {
                self.put("(");
                self.expression(depth - 1);
                let operator = *self.random.choose(&BINARY);
                let _ = write!(self.text, " {operator} ");
                self.expression(depth - 1);
                self.put(")");
            }
            14..=15 => self.read(depth),
            16..=17 => {
                self.put("(");
                self.place(1);
                let operator = *self.random.choose(&[" = ", " .= ", " += ", " ??= ", " = "]);
                self.put(operator);
                self.expression(depth - 1);
                self.put(")");
            }
            18 => {
                let operator = *self.random.choose(&["++", "--"]);
                self.put(operator);
                self.place(1);
            }
            19 => {
                self.place(1);
                let operator = *self.random.choose(&["++", "--"]);
                self.put(operator);
            }
            20..=22 => {
                self.put("[");
                for _ in 0..self.random.below(4) {
                    match self.random.below(6) {
                        0 => {
                            self.key();
                            self.put(" => ");
                            self.expression(depth - 1);
                        }
                        1 => {
                            self.put("&");
                            self.place_of(1, true);
                        }
                        2 => {
                            self.put("...");
                            self.put_one(&["$d", "[1, 2]", "(array) $a", "new Walk(2)"]);
                        }
                        _ => self.expression(depth - 1),
                    }
                    self.put(", ");
                }
                self.put("]");
            }
            23..=26 => self.call(depth),
            27..=29 => self.builtin(depth),
            30 => {
                self.put("(");
                self.expression(depth - 1);
                self.put(" ? ");
                self.expression(depth - 1);
                self.put(" : ");
                self.expression(depth - 1);
                self.put(")");
            }
            31 => {
                let head = *self.random.choose(&["isset(", "empty("]);
                self.put(head);
                self.unsettable(2);
                self.put(")");
            }
            32 => {
                let cast = *self.random.choose(&[
                    "(int) ",
                    "(string) ",
                    "(array) ",
                    "(bool) ",
                    "(object) ",
                    "!",
                    "-",
                    "~",
                    "(float) ",
                    "@",
                ]);
                self.put("(");
                self.put(cast);
                self.expression(depth - 1);
                self.put(")");
            }
            33 => {
                self.put("\"<$a[0] {$b} $e $x->p {$d['k'][0]}>\"");
            }
            34 => {
                self.put("(match (");
                self.expression(depth - 1);
                self.put(") { 1, 2 => ");
                self.expression(depth - 1);
                self.put(", 'k', null => ");
                self.expression(depth - 1);
                if self.chance(60) {
                    self.put(", default => 0");
                }
                self.put(" })");
            }
            35..=36 => {
                self.put("(function ($p = 1) use (");
                let by_reference = if self.chance(50) { "&" } else { "" };
                let variable = self.variable();
                let _ = write!(
                    self.text,
                    "{by_reference}{variable}) {{ burn(); return [$p, {variable} = "
                );
                // Its own variables are few.
                self.put_one(&["$p", "[$p]", "null", "new Dying(9, 'b')"]);
                self.put("]; })(");
                self.expression(depth - 1);
                self.put(")");
            }
            37 => {
                self.put("(fn($p) => [$p, ");
                self.expression(depth - 1);
                self.put("])(1)");
            }
            38..=39 => {
                let value = *self.random.choose(&[
                    "new Dying(5, 'throw')", "new Dying(6, 'a')", "new Dying(7, 'keep')", "new Dying($a)", "new Plain", "(new Typed)->init()",
                    "new Magic", "new Store", "new Walk(2)", "new Hooked", "new ArrayObject($d ?? [])", "new ArrayIterator([1, 2, 3])",
                    "new class($a) extends Plain { function __construct(public $z) {} function __destruct() { echo 'anonymous '; } }",
                    "Suit::from('b')->other()", "Suit::tryFrom('z')", "new SplStack", "new DateTime('2020-01-01')", "WeakReference::create(new Plain)->get()",
                ]);
                self.put(value);
            }
            40 => {
                self.put("clone ");
                let variable = self.variable();
                self.put(variable);
            }
            41 => {
                self.put("(");
                self.expression(depth - 1);
                let class = *self
                    .random
                    .choose(&["Plain", "Magic", "Closure", "ArrayAccess"]);
                let _ = write!(self.text, " instanceof {class})");
            }
            42 => {
                let variable = self.variable();
                let _ = write!(self.text, "{variable}?->");
                self.put_one(&["p", "q['k']", "m(1)", "boom", "c"]);
            }
            _ if self.in_generator => {
                self.put("(yield ");
                self.expression(depth - 1);
                self.put(")");
            }
            _ => {
                self.put("($a ?? throw new Exception('none'))");
            }
        }
    }

    fn read(&mut self, depth: u32) {
        let variable = self.variable();
        self.put(variable);
        for _ in 0..1 + self.random.below(depth as usize) {
            if self.chance(55) {
                self.put("[");
                self.key();
                self.put("]");
            } else {
                let property = *self.random.choose(&PROPERTIES);
                let _ = write!(self.text, "->{property}");
            }
        }
    }

    fn leaf(&mut self) {
        if self.chance(50) {
            let variable = self.variable();
            return self.put(variable);
        }
        let value = *self.random.choose(&[
            "0",
            "1",
            "-1",
            "2.5",
            "'abc'",
            "''",
            "'5'",
            "'1e2'",
            "null",
            "true",
            "false",
            "[]",
            "[1, 2]",
            "['k' => 'v']",
            "PHP_INT_MAX",
            "'k'",
            "$undefined",
            "NAN",
            "' 7'",
            "'5 apples'",
            "PHP_INT_MIN",
            "-0.0",
            "Plain::K",
            "Suit::D",
            "[[1], [2]]",
        ]);
        self.put(value);
    }

    fn call(&mut self, depth: u32) {
        match self.random.below(9) {
            0..=3 if self.function > 0 => {
                let number = self.random.below(self.function as usize);
                let _ = write!(self.text, "f{number}(");
                match self.random.below(4) {
                    0 => self.put("..."),
                    1 => self.put("b: "),
                    _ => {}
                }
                if self.text.ends_with("...") {
                    self.put_one(&["[$a, 2]", "['b' => 1]", "$d"]);
                } else if self.text.ends_with("b: ") {
                    self.expression(depth - 1);
                } else {
                    self.place(1);
                    self.put(", ");
                    self.expression(depth - 1);
                }
                self.put(")");
            }
            4..=6 => {
                let variable = self.variable();
                let method = *self.random.choose(&[
                    "m",
                    "ref",
                    "nothing",
                    "init",
                    "count",
                    "getIterator",
                    "offsetGet",
                    "current",
                    "next",
                ]);
                let _ = write!(self.text, "{variable}->{method}(");
                if self.chance(60) {
                    self.place(1);
                }
                self.put(")");
            }
            7 => {
                self.put_one(&[
                    "Plain::t(",
                    "Magic::any(",
                    "Typed::t(",
                    "call_user_func('f0', ",
                    "is_callable($a) && $a(",
                ]);
                self.expression(depth - 1);
                self.put(")");
            }
            _ => {
                self.put("array_map(fn($p) => [$p, ");
                self.expression(depth - 1);
                self.put("], [1, 2])");
            }
        }
    }

    fn builtin(&mut self, depth: u32) {
        let (name, count) = *self.random.choose(&FUNCTIONS);
        match name {
            "str_repeat" => return self.put("str_repeat('ab', 5)"),
            "range" => return self.put("range(1, 4)"),
            "array_pad" => return self.put("array_pad([1], 4, $a)"),
            "var_export_" => {
                self.put("@var_export(");
                self.leaf();
                return self.put(", true)");
            }
            "json_encode_" => {
                self.put("json_encode(");
                self.expression(depth - 1);
                return self.put(", JSON_PARTIAL_OUTPUT_ON_ERROR)");
            }
            "print_r_" => {
                self.put("print_r(");
                self.expression(depth - 1);
                return self.put(", true)");
            }
            "settype_" => return self.put("settype($x, 'string')"),
            "get_object_vars_" => return self.put("(is_object($a) ? get_object_vars($a) : 0)"),
            "ctype_" => return self.put("ctype_digit('' . $x)"),
            _ => {}
        }
        let _ = write!(self.text, "{name}(");
        for number in 0..count {
            if number > 0 {
                self.put(", ");
            }
            self.expression(depth - 1);
        }
        self.put(")");
    }
}
