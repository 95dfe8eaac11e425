//! Values on their way between a host program and a VM: they are copied.

use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::Vm as Isolate;

/// Arrays nested deeper than this are not copied: a host must be able to walk and drop what it
/// gets, whatever a script gave.
const DEPTH: usize = 512;

/// An argument or result of a call from the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `float`
    Float(f64),
    /// `string`
    Text(Vec<u8>),
    /// `array`, as a list of values
    List(Vec<Argument>),
    /// Anything else, by the name of its type.
    Other(String),
}

/// The value that a host gave, in a VM. Ends with the VM's fatal error if it is too large.
pub(crate) fn to_value(vm: &mut Isolate, argument: Argument) -> Value {
    match argument {
        Argument::Null | Argument::Other(_) => Value::NULL,
        Argument::Bool(value) => value.into(),
        Argument::Int(value) => value.into(),
        Argument::Float(value) => value.into(),
        Argument::Text(bytes) => vm.string(bytes).into(),
        Argument::List(values) => {
            let mut list = vm.new_array();
            for value in values {
                let value = to_value(vm, value);
                // A fresh list has room for as many elements as fit in memory.
                let _ = list.make_mut(vm).push(value);
            }
            list.into()
        }
    }
}

/// Copies of values for the host. Ends with the VM's fatal error if an array is nested too deeply
/// (it may contain itself), or if the copies would go beyond the memory limit: a small array that
/// holds another one many times has a large copy.
pub(crate) fn from_values(vm: &mut Isolate, values: Vec<Value>) -> Vec<Argument> {
    let mut copier = Copier {
        vm,
        copied: 0,
        depth: 0,
    };
    values.iter().map(|value| copier.copy(value)).collect()
}

struct Copier<'v> {
    vm: &'v mut Isolate,
    /// Bytes of the copies so far.
    copied: usize,
    depth: usize,
}

impl Copier<'_> {
    fn copy(&mut self, value: &Value) -> Argument {
        self.count(size_of::<Argument>());
        match value.as_zval().view() {
            ValueKind::Null => Argument::Null,
            ValueKind::Bool(value) => Argument::Bool(value),
            ValueKind::Long(value) => Argument::Int(value),
            ValueKind::Double(value) => Argument::Float(value),
            ValueKind::String(text) => {
                self.count(text.as_bytes().len());
                Argument::Text(text.as_bytes().to_vec())
            }
            ValueKind::Array(array) => {
                if self.depth == DEPTH {
                    self.vm
                        .fatal_error("Nesting level too deep - recursive dependency?");
                }
                self.depth += 1;
                let elements = array.iter();
                let copies = elements
                    .map(|(_, value)| self.copy(&Value::share(value)))
                    .collect();
                self.depth -= 1;
                Argument::List(copies)
            }
            ValueKind::Object(object) => Argument::Other(object.class().display_name()),
            ValueKind::Resource(_) => Argument::Other(String::from("resource")),
        }
    }

    fn count(&mut self, bytes: usize) {
        self.copied += bytes;
        self.vm.heap.check_limit(self.copied, bytes);
    }
}
