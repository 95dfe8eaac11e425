//! Reading arguments out of messages.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::pattern::{Kind, Part, Simple};
use super::{Formatter, MESSAGE_PARSE_ERROR};
use crate::intl::native::failed;
use crate::intl::number;
use crate::support::text;

/// A value that was read.
enum Found {
    Text(String),
    Number(f64, Option<i64>),
}

pub(super) fn parsed(
    call: &mut Call<'_>,
    formatter: &mut Formatter,
    index: usize,
) -> PhpResult<Value> {
    let source = String::from_utf8_lossy(call.bytes(index)).into_owned();
    let Some(values) = values(call, formatter, &source) else {
        return failed(call.vm, formatter, MESSAGE_PARSE_ERROR, "Parsing failed");
    };
    let mut result = call.vm.new_array();
    for (name, value) in values {
        let value = match value {
            Found::Text(found) => text(call.vm, found)?,
            Found::Number(_, Some(whole)) => whole.into(),
            Found::Number(number, None) => number.into(),
        };
        let target = result.make_mut(call.vm);
        match name.parse::<i64>() {
            Ok(number) => target.set_long(number, value),
            Err(_) => target.set_bytes(name.as_bytes(), value),
        }
    }
    Ok(result.into())
}

/// What stands in a text where a message has its arguments; nothing if the text is no such message.
fn values(
    call: &mut Call<'_>,
    formatter: &Formatter,
    source: &str,
) -> Option<Vec<(String, Found)>> {
    let mut found = Vec::new();
    let mut rest = source;
    for (index, part) in formatter.parts.iter().enumerate() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text.as_str())?,
            Part::Argument(name, Kind::Plain) => {
                // Up to the text that follows, or to the end.
                let end = match formatter.parts.get(index + 1) {
                    Some(Part::Text(text)) => rest.find(text.as_str())?,
                    _ => rest.len(),
                };
                found.push((name.clone(), Found::Text(rest[..end].to_owned())));
                rest = &rest[end..];
            }
            Part::Argument(name, Kind::Simple(Simple::Number, style))
                if !style.starts_with("::") =>
            {
                let (kind, pattern) = match style.as_str() {
                    "" | "integer" => (number::DECIMAL, ""),
                    "percent" => (number::PERCENT, ""),
                    "currency" => (number::STYLE_CURRENCY, ""),
                    pattern => (number::PATTERN_DECIMAL, pattern),
                };
                let reader =
                    number::Formatter::new(call.vm, &formatter.locale, kind, pattern).ok()?;
                let (number, whole, length) = reader.read(rest)?;
                found.push((name.clone(), Found::Number(number, whole)));
                rest = &rest[length..];
            }
            // Dates, plurals and choices are not read.
            _ => return None,
        }
    }
    Some(found)
}
