//! Dumps of op arrays in the text form of opcache's debug dumps, so that the two can be compared
//! line by line.

use std::fmt::Write;

use vm_def::disassembly::{OperandPrinter, OplineView, print};

use crate::array::KeyRef;
use crate::generated::Opcode;
use crate::op::{IS_CV, IS_VAR};
use crate::op_array::{Draft, LiveKind, OpArray, Script};
use crate::value::{ARRAY, CONSTANT_EXPRESSION, DOUBLE, FALSE, LONG, NULL, STRING, TRUE, Zval};

struct Printer<'a>(&'a Draft);

impl OperandPrinter for Printer<'_> {
    fn literal(&self, field: u32) -> String {
        self.0
            .literals
            .get(field as usize)
            .map_or_else(|| String::from("???"), literal_text)
    }

    fn variable(&self, kind: u8, field: u32) -> String {
        if kind == IS_CV {
            // SAFETY: I4: variable names live as long as the draft's pool.
            let name = unsafe { (*self.0.variables[field as usize]).to_text().into_owned() };
            return format!("CV{field}(${name})");
        }
        let letter = if kind == IS_VAR { 'V' } else { 'T' };
        format!("{letter}{}", self.0.variables.len() as u32 + field)
    }

    fn jump_target(&self, field: u32) -> u32 {
        field
    }

    fn jump_table(&self, field: u32) -> Vec<(String, u32)> {
        let literal = &self.0.literals[field as usize];
        if literal.kind() != ARRAY {
            return Vec::new();
        }
        // SAFETY: I3: a literal array is live as long as its pool.
        let table = unsafe { &*literal.array() };
        table
            .iter()
            .map(|(key, target)| {
                let key = match key {
                    KeyRef::Long(key) => key.to_string(),
                    KeyRef::String(key) => format!("\"{}\"", escape(key.as_bytes())),
                };
                (key, target.long() as u32)
            })
            .collect()
    }

    fn opcode_name(&self, number: u32) -> Option<&'static str> {
        Opcode::from_number(number as u8).map(Opcode::name)
    }

    fn frameless_function(&self, index: u32) -> String {
        let name = self.0.literals.get(index as usize).and_then(Zval::as_bytes);
        String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
    }
}

/// A float as C's `%g` prints it.
fn float(value: f64) -> String {
    const DIGITS: usize = 6;
    if !value.is_finite() {
        return format!("{value}").to_ascii_lowercase();
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= DIGITS as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    trim(&format!(
        "{value:.*}",
        (DIGITS as i32 - 1 - exponent) as usize
    ))
}

/// The part of a name before its NUL: anonymous classes have one.
fn printable(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Bytes as opcache's dump shows them: only backslashes and quotes are escaped.
fn escape(bytes: &[u8]) -> String {
    let mut escaped = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if matches!(byte, b'\\' | b'"') {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    String::from_utf8_lossy(&escaped).into_owned()
}

fn literal_text(value: &Zval) -> String {
    match value.kind() {
        NULL => String::from("null"),
        FALSE => String::from("bool(false)"),
        TRUE => String::from("bool(true)"),
        LONG => format!("int({})", value.long()),
        DOUBLE => format!("float({})", float(value.double())),
        STRING => {
            let bytes = value.as_bytes().unwrap_or_default();
            format!("string(\"{}\")", escape(printable(bytes)))
        }
        ARRAY => String::from("array(...)"),
        CONSTANT_EXPRESSION => String::from("zval(type=11)"),
        kind => format!("zval(type={kind})"),
    }
}

/// The dump of one function.
pub fn function(draft: &Draft, text: &mut String) {
    let name = String::from_utf8_lossy(printable(&draft.display_name));
    let parameters = draft
        .parameters
        .iter()
        .filter(|parameter| !parameter.variadic)
        .count();
    let _ = writeln!(text, "\n{name}:");
    let _ = writeln!(
        text,
        "     ; (lines={}, args={parameters}, vars={}, tmps={})",
        draft.ops.len(),
        draft.variables.len(),
        draft.temporaries
    );
    let _ = writeln!(text, "     ; (before optimizer)");
    // SAFETY: I4: the file name lives as long as the draft's pool.
    let file = unsafe { (*draft.filename).to_text() };
    let _ = writeln!(
        text,
        "     ; {file}:{}-{}",
        draft.line_start, draft.line_end
    );
    let _ = writeln!(text, "     ; return  [] RANGE[0..0]");
    let printer = Printer(draft);
    for (number, op) in draft.ops.iter().enumerate() {
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            continue;
        };
        let view = OplineView {
            facts: opcode.facts(),
            op1: op.op1,
            op2: op.op2,
            result: op.result,
            extended: op.extended_value,
            op1_type: op.op1_type,
            op2_type: op.op2_type,
            result_type: op.result_type,
        };
        let _ = writeln!(text, "{number:04} {}", print(&view, &printer));
    }
    if !draft.live_ranges.is_empty() {
        let _ = writeln!(text, "LIVE RANGES:");
        for range in &draft.live_ranges {
            let kind = match range.kind {
                LiveKind::Temporary => "tmp/var",
                LiveKind::Loop => "loop",
                LiveKind::Silence => "silence",
                LiveKind::Rope => "rope",
                LiveKind::New => "new",
            };
            let variable = draft.variables.len() as u32 + range.variable;
            let _ = writeln!(
                text,
                "     {variable}: {:04} - {:04} ({kind})",
                range.start, range.end
            );
        }
    }
    if !draft.try_catch.is_empty() {
        let _ = writeln!(text, "EXCEPTION TABLE:");
        for entry in &draft.try_catch {
            let _ = write!(text, "     {:04}", entry.try_op);
            for number in [entry.catch_op, entry.finally_op, entry.finally_end] {
                match number {
                    0 => text.push_str(", -"),
                    number => {
                        let _ = write!(text, ", {number:04}");
                    }
                }
            }
            // An element with a finally block ends no line.
            if entry.finally_end == 0 {
                text.push('\n');
            }
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
}

/// The dump of a whole script: top-level code, functions, then classes' methods.
pub fn script(script: &Script) -> String {
    let mut text = String::new();
    all_of(&script.main, &mut text);
    text
}

fn all_of(code: &OpArray, text: &mut String) {
    function(&code.draft, text);
    for nested in &code.draft.functions {
        all_of(nested, text);
    }
    for class in &code.draft.classes {
        for method in &class.methods {
            all_of(method, text);
        }
        for property in &class.properties {
            for hook in [&property.get_hook, &property.set_hook]
                .into_iter()
                .flatten()
            {
                all_of(hook, text);
            }
        }
    }
}
