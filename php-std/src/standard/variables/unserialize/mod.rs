//! `unserialize`: the reader of what [`super::serialize`] writes.

mod objects;
mod places;
mod reader;

use vm_runtime::array::Key;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::functions;
use reader::Reader;

functions! {
    "unserialize(string $data, array $options = []): mixed" => unserialize,
}

/// Which classes may be instantiated.
#[derive(Debug, Clone)]
pub(super) enum Allowed {
    All,
    None,
    /// These, by lower-cased name.
    Some(Vec<Vec<u8>>),
}

impl Allowed {
    fn permits(&self, lowercase: &[u8]) -> bool {
        match self {
            Allowed::All => true,
            Allowed::None => false,
            Allowed::Some(names) => names.iter().any(|name| name == lowercase),
        }
    }
}

/// What `unserialize`'s second argument says.
#[derive(Debug, Clone)]
pub(super) struct Options {
    allowed: Allowed,
    /// Deepest nesting; 0 for no limit.
    maximum_depth: i64,
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call, 1)?;
    let data = call.string(0);
    if data.is_empty() {
        return Ok(false.into());
    }
    read(call.vm, &data, options)
}

/// Reads one value; warns and gives `false` if there is an error in it.
pub(super) fn read(vm: &mut Vm, data: &[u8], options: Options) -> PhpResult<Value> {
    let mut reader = Reader::new(data, options);
    let result = reader.root(vm);
    let position = reader.position();
    match result {
        Ok(value) => {
            reader.finish(vm)?;
            if position < data.len() {
                vm.function_warning(format!(
                    "Extra data starting at offset {position} of {} bytes",
                    data.len()
                ));
                vm.check()?;
            }
            Ok(value)
        }
        Err(failure) => {
            reader.abandon();
            vm.check()?;
            debug_assert!(matches!(failure, reader::Failure::Malformed));
            vm.function_warning(format!(
                "Error at offset {position} of {} bytes",
                data.len()
            ));
            vm.check()?;
            Ok(false.into())
        }
    }
}

/// The value that a text stands for; warns and gives `false` if there is an error in it.
pub(crate) fn unserialized(vm: &mut Vm, data: &[u8]) -> PhpResult<Value> {
    let options = Options::of_settings(vm);
    read(vm, data, options)
}

/// As [`unserialized`], with the options in argument `index`.
#[cfg(feature = "phar")]
pub(crate) fn unserialized_with(
    call: &mut Call<'_>,
    data: &[u8],
    index: usize,
) -> PhpResult<Value> {
    let options = options(call, index)?;
    read(call.vm, data, options)
}

/// Values that stand one after the other in a text, with something in between, and may refer to
/// each other. They become elements of an array.
pub(crate) struct Sequence<'a> {
    reader: Reader<'a>,
    /// Has one owner while it is filled.
    array: ArrayHandle,
    failed: bool,
}

impl<'a> Sequence<'a> {
    /// Adds to the elements of an array.
    pub(crate) fn new(vm: &mut Vm, data: &'a [u8], mut array: ArrayHandle) -> Sequence<'a> {
        // A copy of our own: the elements' places are remembered while the text is read.
        let mut own = vm.new_array();
        for (key, value) in array.make_mut(vm).iter() {
            // SAFETY: I3: the share belongs to the new value.
            let value = unsafe { Value::from_zval(value.share()) };
            own.make_mut(vm).set(key, value);
        }
        let options = Options::of_settings(vm);
        Sequence {
            reader: Reader::new(data, options),
            array: own,
            failed: false,
        }
    }

    /// Reads the value at `start`; gives where it ends, or nothing if there is an error in it.
    pub(crate) fn read(&mut self, vm: &mut Vm, start: usize, key: Key) -> PhpResult<Option<usize>> {
        let end = self.reader.element(vm, &mut self.array, start, key);
        self.failed |= end.is_err();
        match end {
            Ok(end) => Ok(Some(end)),
            Err(_) => vm.check().map(|()| None),
        }
    }

    /// How far it was read, or where the error is.
    pub(crate) fn position(&self) -> usize {
        self.reader.position()
    }

    /// A value that was read, by its number.
    pub(crate) fn get(&self, number: i64) -> Value {
        let value = self.array.get_long(number);
        value.map_or(Value::NULL, Value::share)
    }

    /// Calls what is to be called when everything has been read; gives the array.
    pub(crate) fn finish(mut self, vm: &mut Vm) -> PhpResult<ArrayHandle> {
        if self.failed {
            self.reader.abandon();
        } else {
            self.reader.finish(vm)?;
        }
        Ok(self.array)
    }
}

impl Options {
    /// Everything is allowed, as deep as the settings allow.
    fn of_settings(vm: &Vm) -> Options {
        Options {
            allowed: Allowed::All,
            maximum_depth: vm.ini.unserialize_max_depth,
        }
    }
}

fn options(call: &mut Call<'_>, index: usize) -> PhpResult<Options> {
    let array = call.elements(index);
    let allowed = match array
        .get_bytes(b"allowed_classes")
        .map(|value| value.view())
    {
        None | Some(ValueKind::Bool(true)) => Allowed::All,
        Some(ValueKind::Bool(false)) => Allowed::None,
        Some(ValueKind::Array(names)) => {
            let mut list = Vec::with_capacity(names.len());
            for (_, name) in names.iter() {
                let name = vm_runtime::operators::to_string(call.vm, name)?;
                let valid = |byte: &u8| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\\' | 128..)
                };
                if !name.iter().all(valid) {
                    let end = memchr::memchr(0, &name).unwrap_or(name.len());
                    let message = format!(
                        "unserialize(): Option \"allowed_classes\" must be an array of class names, \
                         \"{}\" given",
                        String::from_utf8_lossy(&name[..end])
                    );
                    return Err(call.vm.throw_error(KnownClass::ValueError, message));
                }
                list.push(name.to_ascii_lowercase());
            }
            Allowed::Some(list)
        }
        Some(_) => {
            let given = array
                .get_bytes(b"allowed_classes")
                .map(value_name)
                .unwrap_or_default();
            return Err(option_error(
                call.vm,
                KnownClass::TypeError,
                "allowed_classes",
                &format!("of type array|bool, {given} given"),
            ));
        }
    };
    let maximum_depth = match array.get_bytes(b"max_depth").map(|value| value.view()) {
        None => call.vm.ini.unserialize_max_depth,
        Some(ValueKind::Long(depth)) if depth >= 0 => depth,
        Some(ValueKind::Long(_)) => {
            return Err(option_error(
                call.vm,
                KnownClass::ValueError,
                "max_depth",
                "greater than or equal to 0",
            ));
        }
        Some(_) => {
            let given = array
                .get_bytes(b"max_depth")
                .map(value_name)
                .unwrap_or_default();
            return Err(option_error(
                call.vm,
                KnownClass::TypeError,
                "max_depth",
                &format!("of type int, {given} given"),
            ));
        }
    };
    Ok(Options {
        allowed,
        maximum_depth,
    })
}

fn option_error(
    vm: &mut Vm,
    class: KnownClass,
    option: &str,
    problem: &str,
) -> vm_runtime::vm::Thrown {
    vm.throw_error(
        class,
        format!("unserialize(): Option \"{option}\" must be {problem}"),
    )
}

#[cfg(test)]
mod tests;
