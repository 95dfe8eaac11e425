//! How `$_SESSION` is written: the serializers `php`, `php_binary` and `php_serialize`.

use vm_runtime::array::{Key, KeyRef, integer_key};
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::variables::{Sequence, Series};
use crate::support::StringBuilder;

/// The forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name|value` one after the other.
    Php,
    /// A byte with the length of the name, the name, the value.
    Binary,
    /// The array as `serialize()` writes it.
    Serialize,
}

impl Form {
    pub(super) fn by_name(name: &[u8]) -> Option<Form> {
        match name {
            b"php" => Some(Form::Php),
            b"php_binary" => Some(Form::Binary),
            b"php_serialize" => Some(Form::Serialize),
            _ => None,
        }
    }

    fn current(vm: &Vm) -> Form {
        Form::by_name(vm.ini.text("session.serialize_handler")).unwrap_or(Form::Php)
    }
}

/// What separates name and value.
const BAR: u8 = b'|';
/// The longest name of the binary form.
const LONGEST: usize = 127;

/// The variables as text; None if they cannot be written.
pub(super) fn encode(vm: &mut Vm, variables: &ArrayHandle) -> PhpResult<Option<Vec<u8>>> {
    let form = Form::current(vm);
    if form == Form::Serialize {
        let value: Value = variables.clone().into();
        let text = crate::standard::variables::serialized(vm, &value)?;
        return Ok(Some(text.as_bytes().to_vec()));
    }
    let mut out = StringBuilder::new(vm, 64);
    let mut series = Series::new();
    for (key, value) in variables.iter() {
        let name = match key {
            KeyRef::Long(number) => {
                vm.function_warning(format!("Skipping numeric key {number}"));
                vm.check()?;
                continue;
            }
            KeyRef::String(name) => name.as_bytes(),
        };
        match form {
            Form::Php => {
                if name.contains(&BAR) {
                    return Ok(None);
                }
                out.push(name);
                out.push_byte(BAR);
            }
            _ => {
                if name.len() > LONGEST {
                    continue;
                }
                out.push_byte(name.len() as u8);
                out.push(name);
            }
        }
        series.push(vm, &mut out, value)?;
    }
    Ok(Some(out.as_bytes().to_vec()))
}

/// Why text is not read.
#[derive(Debug)]
pub(super) enum Failure {
    Malformed,
    Thrown,
}

/// The variables that text stands for, added to those there are.
pub(super) fn decode(
    vm: &mut Vm,
    text: &[u8],
    variables: ArrayHandle,
) -> Result<ArrayHandle, Failure> {
    let form = Form::current(vm);
    if form == Form::Serialize {
        if text.is_empty() {
            return Ok(vm.new_array());
        }
        let Ok(value) = crate::standard::variables::unserialized(vm, text) else {
            return Err(Failure::Thrown);
        };
        return Ok(value.array().unwrap_or_else(|| vm.new_array()));
    }
    let mut sequence = Sequence::new(vm, text, variables);
    let mut at = 0;
    let mut outcome = Ok(());
    while at < text.len() {
        let (name, start) = match form {
            Form::Php => match memchr::memchr(BAR, &text[at..]) {
                Some(length) => (&text[at..at + length], at + length + 1),
                None => {
                    outcome = Err(Failure::Malformed);
                    break;
                }
            },
            _ => {
                let length = (text[at] & 0x7f) as usize;
                match text.get(at + 1..at + 1 + length) {
                    Some(name) => (name, at + 1 + length),
                    None => {
                        outcome = Err(Failure::Malformed);
                        break;
                    }
                }
            }
        };
        let name = vm.string(name);
        let key = integer_key(&name).map_or(Key::String(name), Key::Long);
        match sequence.read(vm, start, key) {
            Ok(Some(end)) => at = end,
            Ok(None) => {
                outcome = Err(Failure::Malformed);
                break;
            }
            Err(_) => {
                outcome = Err(Failure::Thrown);
                break;
            }
        }
    }
    match (outcome, sequence.finish(vm)) {
        (Ok(()), Ok(variables)) => Ok(variables),
        (Ok(()), Err(_)) => Err(Failure::Thrown),
        (Err(failure), _) => Err(failure),
    }
}
