//! What random programs of several kinds have in common: functions, methods and closures that are called again and again, with
//! values of one type at first and then with others, and an error handler. A kind says what stands in them.

use std::fmt::Write;
use std::ops::Range;

use super::templates::{Part, Templates};

/// What the text of a program begins with: an end for those that have none, values as text, and values of a type.
pub const PRELUDE: &str = r#"
$fuel = 0;
function burn() { if (++$GLOBALS['fuel'] > 7000) { echo "\nout of fuel\n"; exit; } }
function show($v, $d = 0) {
    if (is_array($v)) { if ($d > 3) return '[..]'; $s = '['; $n = 0; foreach ($v as $k => $w) { if (++$n > 6) { $s .= '..' . count($v); break; } $s .= "$k=>" . show($w, $d + 1) . ','; } return $s . ']'; }
    if ($v instanceof Throwable) return get_class($v) . '(' . $v->getMessage() . '@' . $v->getLine() . ($v->getPrevious() ? '<' . $v->getPrevious()->getMessage() : '') . ')';
    if ($v instanceof UnitEnum) return $v::class . '::' . $v->name;
    if ($v instanceof Closure || $v instanceof Generator || $v instanceof Fiber) return get_class($v);
    if (is_object($v)) return strtok(get_class($v), "\0") . ($d > 2 ? '' : show(array_slice(get_mangled_object_vars($v), 0, 6), $d + 1));
    if (is_string($v)) return strlen($v) > 40 ? strlen($v) . md5($v) : "'" . addcslashes($v, "\0..\37\177..\377") . "'";
    return var_export($v, true);
}
function flat($v) { return is_array($v) || is_object($v) ? 1 : $v; }
function num($v) { return is_int($v) || is_float($v) ? $v : 3; }
function text($v) { return is_string($v) ? substr($v, 0, 9) : (is_scalar($v) ? "t$v" : 'text'); }
function lists($v) { return is_array($v) ? array_slice($v, 0, 7, true) : [$v, 'k' => 'v', 4]; }
"#;

/// What a function stands in.
#[derive(Debug, Clone, Copy)]
pub enum Holder {
    /// A class with this parent, and these members besides.
    Class(&'static str, &'static str),
    /// The same; the function is static.
    StaticClass(&'static str),
    Closure,
    Nothing,
}

/// A kind of program.
pub struct Skeleton {
    pub templates: Templates,
    /// What stands behind [`PRELUDE`].
    pub prelude: &'static str,
    /// One in so many programs has strict types; none if it is 0.
    pub strict: usize,
    pub handlers: &'static [&'static str],
    /// Writes what stands in front of the functions.
    pub before: fn(&mut Templates),
    pub functions: Range<usize>,
    pub holders: &'static [Holder],
    /// Parameters.
    pub heads: &'static [&'static str],
    /// Writes what the functions do.
    pub body: fn(&mut Templates),
    /// What they are called with, `$turn` times.
    pub values: &'static [&'static str],
    pub turns: Range<usize>,
    /// Their arguments; the value is `$vb`.
    pub arguments: &'static [&'static str],
    /// The function that makes a text of what they give.
    pub shown: &'static str,
    /// What happens after each call.
    pub reset: &'static str,
    /// Writes the end.
    pub after: fn(&mut Templates),
}

impl Skeleton {
    /// What most kinds have in common; each says what it has of its own.
    pub fn usual(
        templates: Templates,
        prelude: &'static str,
        body: fn(&mut Templates),
    ) -> Skeleton {
        Skeleton {
            templates,
            prelude,
            strict: 0,
            handlers: HANDLERS,
            before: |_| (),
            functions: 1..4,
            holders: &[
                Holder::Class("P", ""),
                Holder::StaticClass("Q"),
                Holder::Closure,
                Holder::Nothing,
                Holder::Nothing,
            ],
            heads: &["$x, $turn = 1", "$x, $turn, ...$more", "&$x, $turn"],
            body,
            values: LITERALS,
            turns: 6..14,
            arguments: &["$vb, $turn"],
            shown: "show",
            reset: "",
            after: |_| (),
        }
    }

    /// The text of a program.
    pub fn program(mut self) -> String {
        if self.strict > 0 && self.templates.random.below(self.strict) == 0 {
            self.templates.put(" declare(strict_types=1);");
        }
        self.templates.put(PRELUDE);
        self.templates.put(self.prelude.trim_start());
        handle(&mut self.templates, self.handlers);
        (self.before)(&mut self.templates);
        self.templates.put("\n");
        let functions = within(&mut self.templates, &self.functions);
        for number in 0..functions {
            self.function(number);
        }
        for number in 0..functions {
            self.drive(number);
        }
        self.templates
            .put("restore_error_handler(); unset($va, $vb, $ex); ");
        (self.after)(&mut self.templates);
        self.templates.put("echo \"end\\n\";\n");
        self.templates.text
    }

    /// A function, and something in `$f` and its number that calls it.
    fn function(&mut self, number: usize) {
        let head = self.templates.one_of(self.heads);
        let holder = *self.templates.random.choose(self.holders);
        let (before, behind) = match holder {
            Holder::Class(parent, members) => (
                format!("class C{number} extends {parent} {{ {members}function run"),
                format!(" }}\n$f{number} = (new C{number})->run(...);\n"),
            ),
            Holder::StaticClass(parent) => (
                format!("class C{number} extends {parent} {{ static function run"),
                format!(" }}\n$f{number} = C{number}::run(...);\n"),
            ),
            Holder::Closure => (format!("$f{number} = function "), String::from(";\n")),
            Holder::Nothing => (
                format!("function f{number}"),
                format!("\n$f{number} = f{number}(...);\n"),
            ),
        };
        self.templates.put(&format!("{before}({head}) {{ burn(); "));
        (self.body)(&mut self.templates);
        self.templates.put("}");
        self.templates.put(&behind);
    }

    /// Calls a function with values of different types.
    fn drive(&mut self, number: usize) {
        let [first, other, more] = [(); 3].map(|()| self.templates.one_of(self.values));
        let turns = within(&mut self.templates, &self.turns);
        let same = self.templates.random.below(turns + 1);
        let arguments = self.templates.one_of(self.arguments);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.templates.text,
            "$va = 1; for ($turn = 0; $turn < {turns}; $turn++) {{ try {{ $va = $turn < {same} ? {first} : ($turn & 1 ? {other} : {more}); $vb = $va; echo {}($f{number}({arguments})), \"\\n\"; }} catch (Throwable $ex) {{ echo show($ex), \"\\n\"; $ex = null; }} {} }}",
            self.shown, self.reset
        );
    }
}

/// Writes an error handler.
pub fn handle(templates: &mut Templates, handlers: &[&'static str]) {
    let handler = templates.one_of(handlers);
    // Writing to a string does not fail.
    let _ = writeln!(
        templates.text,
        "set_error_handler(function ($c, $m) {{ burn(); {handler} }});"
    );
}

/// Writes some statements, with others in them. So many of ten go on behind an error, with what is done then.
pub fn statements(
    templates: &mut Templates,
    count: Range<usize>,
    budget: i32,
    guarded: usize,
    caught: &str,
) {
    for _ in 0..within(templates, &count) {
        let goes_on = templates.random.below(10) < guarded;
        if goes_on {
            templates.put("try { ");
        }
        templates.write("§s", budget, 3);
        if goes_on {
            templates.put("} catch (");
            templates.put(caught);
            templates.put(" } ");
        }
    }
}

/// Writes a loop of statements, round which a counter goes that they may change.
pub fn looped(templates: &mut Templates, turns: Range<usize>, count: Range<usize>, budget: i32) {
    let turns = within(templates, &turns);
    // Writing to a string does not fail.
    let _ = write!(
        templates.text,
        "for ($i = 0; $i < {turns}; $i++) {{ burn(); "
    );
    let caught = "Exception | Error $q) { $t += strlen($q->getMessage()); $q = null;";
    statements(templates, count, budget, 7, caught);
    templates.put(
        "$i = is_int($i) ? $i : 20; if (!is_int($t) || $t > 1000000 || $t < -1000000) $t = 7; } ",
    );
}

/// Error handlers, for programs that have a `note()`.
const HANDLERS: &[&str] = &[
    "return true;",
    "note('w'); return true;",
    "echo \"! $m\\n\"; return true;",
    "static $k = 0; if (++$k % 5 == 0) throw new ErrorException($m); return true;",
];

/// What the letters of all programs stand for that are made of statements (`s`), places that can be written to (`w`), and
/// expressions (`e`): variables (`v`), literals (`l`) and times (`t`).
pub fn parts(
    expressions: &[&[&str]],
    statements: &[&[&str]],
    variables: &[&str],
    literals: &[&[&str]],
    places: &[&str],
) -> Vec<Part> {
    use super::templates::part;
    vec![
        part('e', expressions).parenthesised(),
        part('s', statements).several(),
        part('v', &[variables]),
        part('l', literals),
        part('w', &[places]),
        part('t', &[TIMES]),
    ]
}

/// When something happens seldom.
const TIMES: &[&str] = &[
    "$i == §n",
    "$i % 4 == 3",
    "$i > 8",
    "$turn == §n",
    "$i & 1",
    "$turn == 6 && $i == 2",
];

/// Literals of all types.
pub const LITERALS: &[&str] = &[
    "0",
    "1",
    "2",
    "5",
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
    "['k' => [3], 1]",
    "PHP_INT_MAX",
    "'k'",
    "'text and more'",
];

fn within(templates: &mut Templates, range: &Range<usize>) -> usize {
    range.start + templates.random.below(range.len())
}
