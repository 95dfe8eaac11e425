//! The texts of `serialize()` and `unserialize()` of the old interface Serializable.
//!
//! ```text
//! ArrayObject       x:i:FLAGS;STORAGE;m:MEMBERS
//! SplObjectStorage  x:i:COUNT;OBJECT,DATA;...;m:MEMBERS
//! SplDoublyLinkedList  i:FLAGS;:VALUE:VALUE...
//! ```

use vm_runtime::array::{Key, KeyRef};
use vm_runtime::object::write::write_property;
use vm_runtime::object::{PhpObject, unmangled};
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::throw;
use crate::standard::variables::{Sequence, Series};
use crate::support::StringBuilder;

/// Writes the parts of a text, whose values may refer to each other.
pub(super) struct Writer {
    series: Series,
    text: StringBuilder,
}

impl Writer {
    pub(super) fn new(vm: &mut Vm) -> Writer {
        Writer {
            series: Series::new(),
            text: StringBuilder::new(vm, 64),
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.text.push(bytes);
    }

    pub(super) fn value(&mut self, vm: &mut Vm, value: &Value) -> PhpResult<()> {
        self.series.push(vm, &mut self.text, value)
    }

    /// Ends the text with the object's properties.
    pub(super) fn members(mut self, vm: &mut Vm, object: &PhpObject) -> PhpResult<Value> {
        self.bytes(b"m:");
        let members: Value = property_table(vm, object).into();
        self.value(vm, &members)?;
        self.finish(vm)
    }

    pub(super) fn finish(self, vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.text.into_value(vm))
    }
}

/// Reads the parts of a text.
pub(super) struct Reader<'a> {
    data: &'a [u8],
    position: usize,
    values: Sequence<'a>,
    count: i64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(vm: &mut Vm, data: &'a [u8]) -> Reader<'a> {
        let array = vm.new_array();
        Reader {
            data,
            position: 0,
            values: Sequence::new(vm, data, array),
            count: 0,
        }
    }

    /// The byte that comes next; 0 at the end.
    pub(super) fn peek(&self) -> u8 {
        self.data.get(self.position).copied().unwrap_or(0)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.position >= self.data.len()
    }

    /// Steps over a byte that must come next.
    pub(super) fn expect(&mut self, vm: &mut Vm, byte: u8) -> PhpResult<()> {
        if self.peek() != byte || self.is_at_end() {
            return Err(self.error(vm));
        }
        self.position += 1;
        Ok(())
    }

    /// Reads a value.
    pub(super) fn value(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        let key = self.count;
        self.count += 1;
        match self.values.read(vm, self.position, Key::Long(key))? {
            Some(end) => {
                self.position = end;
                Ok(self.values.get(key))
            }
            None => {
                self.position = self.values.position();
                Err(self.error(vm))
            }
        }
    }

    /// Reads a number whose `;` is left for what follows.
    pub(super) fn number(&mut self, vm: &mut Vm) -> PhpResult<i64> {
        let number = self.value(vm)?;
        if number.kind() != vm_runtime::value::LONG {
            return Err(self.error(vm));
        }
        self.position -= 1;
        Ok(number.long())
    }

    /// Reads the object's properties, the end of the text.
    pub(super) fn members(mut self, vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
        self.expect(vm, b'm')?;
        self.expect(vm, b':')?;
        let members = self.value(vm)?;
        match members.array() {
            Some(members) => load_members(vm, object, &members)?,
            None => return Err(self.error(vm)),
        }
        self.finish(vm)
    }

    /// Calls what is to be called when everything has been read.
    pub(super) fn finish(self, vm: &mut Vm) -> PhpResult<()> {
        self.values.finish(vm).map(drop)
    }

    /// What stands here is wrong.
    pub(super) fn error(&self, vm: &mut Vm) -> Thrown {
        let (position, length) = (self.position, self.data.len());
        let message = format!("Error at offset {position} of {length} bytes");
        throw(vm, "UnexpectedValueException", &message)
    }
}

/// Gives an object the properties that it was serialised with.
pub(crate) fn load_members(
    vm: &mut Vm,
    object: &ObjectHandle,
    members: &ArrayHandle,
) -> PhpResult<()> {
    for (key, value) in members.iter() {
        let value = Value::share(value);
        let name = match key {
            KeyRef::String(name) => vm.string(unmangled(name.as_bytes())),
            KeyRef::Long(number) => vm.string(number.to_string()),
        };
        write_property(vm, object.as_ptr(), &name, value, object.class)?;
    }
    Ok(())
}
