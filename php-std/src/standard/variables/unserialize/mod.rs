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

use super::nesting::{lend, lent};
use crate::support::functions;
pub(super) use reader::Context;
use reader::Reader;

functions! {
    "unserialize(string $data, array $options = []): mixed" => unserialize,
}

/// Which classes may be instantiated.
#[derive(Debug, Clone, Default)]
pub(super) enum Allowed {
    #[default]
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
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    allowed: Allowed,
    /// Deepest nesting; 0 for no limit, nothing for that of the outer call or of the settings.
    maximum_depth: Option<i64>,
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = match call.count() > 1 {
        true => Some(options(call, 1)?),
        false => None,
    };
    let data = call.string(0);
    if data.is_empty() {
        return Ok(false.into());
    }
    read(call.vm, &data, options)
}

/// Reads one value; warns and gives `false` if there is an error in it.
/// Without options it is what the settings say, or the outer call.
pub(super) fn read(vm: &mut Vm, data: &[u8], options: Option<Options>) -> PhpResult<Value> {
    // Inside a method of Serializable the numbers go on, and what is put off is put off further.
    if let Some(context) = lent::<Context>(vm) {
        return read_inside(vm, data, options, context);
    }
    let mut options = options.unwrap_or_default();
    options
        .maximum_depth
        .get_or_insert(vm.ini.unserialize_max_depth);
    let mut reader = Reader::new(data, options);
    let result = reader.root(vm);
    let position = reader.position();
    match result {
        Ok(root) => {
            reader.finish(vm)?;
            // What refers to the whole may have changed it in the end.
            outcome(vm, data, Ok(Value::share(&root)), position)
        }
        // Objects that were complete before the error are woken all the same.
        Err(failure) => match outcome(vm, data, Err(failure), position) {
            Ok(value) => reader.finish(vm).map(|()| value),
            Err(thrown) => {
                reader.abandon();
                Err(thrown)
            }
        },
    }
}

/// As [`read`], as part of a call that lends its context.
fn read_inside(
    vm: &mut Vm,
    data: &[u8],
    options: Option<Options>,
    mut context: Context,
) -> PhpResult<Value> {
    let outer = context.options.clone();
    let depth = context.depth;
    if let Some(options) = options {
        context.options = options;
        match context.options.maximum_depth {
            // A limit of its own counts from here.
            Some(_) => context.depth = 0,
            None => context.options.maximum_depth = outer.maximum_depth,
        }
    }
    let mut reader = Reader::inside(data, context);
    let result = reader.inner(vm);
    let position = reader.position();
    reader.context.options = outer;
    reader.context.depth = depth;
    lend(vm, reader.context);
    outcome(vm, data, result, position)
}

/// The value that was read, with what is to be said of the text.
fn outcome(
    vm: &mut Vm,
    data: &[u8],
    result: reader::Read<Value>,
    position: usize,
) -> PhpResult<Value> {
    match result {
        Ok(value) => {
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
    read(vm, data, None)
}

/// As [`unserialized`], but none without a warning if there is an error in it.
#[cfg(feature = "sysv")]
pub(crate) fn unserialized_quietly(vm: &mut Vm, data: &[u8]) -> PhpResult<Option<Value>> {
    let options = Options {
        maximum_depth: Some(vm.ini.unserialize_max_depth),
        ..Options::default()
    };
    let mut reader = Reader::new(data, options);
    let value = reader.root(vm).ok();
    if let Err(thrown) = vm.check() {
        reader.abandon();
        return Err(thrown);
    }
    reader.finish(vm)?;
    Ok(value)
}

/// As [`unserialized`], with the options in argument `index`.
#[cfg(feature = "phar")]
pub(crate) fn unserialized_with(
    call: &mut Call<'_>,
    data: &[u8],
    index: usize,
) -> PhpResult<Value> {
    let options = options(call, index)?;
    read(call.vm, data, Some(options))
}

/// Values that stand one after the other in a text, with something in between, and may refer to
/// each other, and to those of the text that this one is part of. They become elements of an array.
pub(crate) struct Sequence<'a> {
    reader: Reader<'a>,
    /// Has one owner while it is filled.
    array: ArrayHandle,
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
        let context = lent::<Context>(vm);
        if let Some(mut context) = context {
            // What comes after this text may still refer to the elements.
            context.kept.push(own.clone());
            lend(vm, context);
        }
        let options = Options::of_settings(vm);
        Sequence {
            reader: Reader::new(data, options),
            array: own,
        }
    }

    /// Reads the value at `start`; gives where it ends, or nothing if there is an error in it.
    pub(crate) fn read(&mut self, vm: &mut Vm, start: usize, key: Key) -> PhpResult<Option<usize>> {
        let context = lent::<Context>(vm);
        let is_part = context.is_some();
        if let Some(context) = context {
            self.reader.context = context;
        }
        let end = self.reader.element(vm, &self.array, start, key);
        if is_part {
            lend(vm, std::mem::take(&mut self.reader.context));
        }
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
        match vm.check() {
            Ok(()) => self.reader.finish(vm)?,
            Err(thrown) => {
                self.reader.abandon();
                return Err(thrown);
            }
        }
        Ok(self.array)
    }
}

impl Options {
    /// Everything is allowed, as deep as the settings allow.
    fn of_settings(vm: &Vm) -> Options {
        Options {
            allowed: Allowed::All,
            maximum_depth: Some(vm.ini.unserialize_max_depth),
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
                        vm_runtime::message::text(&name[..end])
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
        None => None,
        Some(ValueKind::Long(depth)) if depth >= 0 => Some(depth),
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
