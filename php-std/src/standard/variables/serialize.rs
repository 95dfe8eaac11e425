//! `serialize`.
//!
//! ```text
//! N;  b:1;  i:5;  d:0.5;  s:3:"abc";  a:1:{key value}  O:1:"C":1:{name value}  E:3:"E:A";
//! C:1:"C":4:{data}   by the interface Serializable
//! r:2;  the object that value number 2 is        R:2;  a reference to value number 2
//! ```

use hashbrown::HashMap;
use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::message::Message;
use vm_runtime::object::{lazy, properties_of};
use vm_runtime::operators::float_text::{Text, general, layout_general, significant_digits};
use vm_runtime::value::{ArrayHandle, NULL, OBJECT, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::incomplete;
use super::nesting::{apart, lend, lent};
use super::properties::case_name;
use crate::support::{StringBuilder, functions};

functions! {
    "serialize(mixed $value): string" => serialize,
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let text = to_builder(call.vm, &value)?;
    Ok(text.into_value(call.vm))
}

/// A value, serialised.
pub(crate) fn to_builder(vm: &mut Vm, value: &Zval) -> PhpResult<StringBuilder> {
    let mut out = StringBuilder::new(vm, 256);
    // Inside a method of Serializable the numbers go on.
    let lent = lent::<Serializer>(vm);
    let is_inside = lent.is_some();
    let mut serializer = lent.unwrap_or_default();
    let result = serializer.value(vm, &mut out, value);
    if is_inside {
        lend(vm, serializer);
    }
    result.map(|()| out)
}

/// A value, serialised, as a string.
pub(crate) fn serialized(vm: &mut Vm, value: &Zval) -> PhpResult<vm_runtime::value::StringHandle> {
    let text = to_builder(vm, value)?;
    Ok(text.finish(vm))
}

/// Values that are serialised one after the other and may refer to each other.
pub(crate) struct Series(Serializer);

impl Series {
    pub(crate) fn new() -> Series {
        Series(Serializer::default())
    }

    /// Adds a value to the text.
    pub(crate) fn push(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        value: &Zval,
    ) -> PhpResult<()> {
        self.0.value(vm, out, value)
    }
}

/// In place of the number of an object that was serialised as null.
const FAILED: i64 = -1;

pub(super) struct Serializer {
    /// Values so far; back references name them by this number.
    count: i64,
    /// Number of each object and reference. The shares keep their addresses from being used again.
    seen: HashMap<usize, (i64, Value)>,
    /// The last class whose objects are serialised by their properties.
    plain: *const Class,
    /// Arrays that are being serialised and stand in others.
    open: Vec<*const PhpArray>,
    /// How many arrays are being serialised.
    depth: usize,
}

impl Default for Serializer {
    fn default() -> Serializer {
        Serializer {
            count: 0,
            seen: HashMap::new(),
            plain: std::ptr::null(),
            open: Vec::new(),
            depth: 0,
        }
    }
}

/// The properties as they are stored; a lazy object is initialised first, unless it is not to be.
fn serialised_properties(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    if lazy::serialises_uninitialised(vm, object) {
        return Ok(vm_runtime::operators::convert::property_table(vm, object));
    }
    properties_of(vm, object)
}

/// A reference without other owners is the value behind it, as for a copy of the array that it is in.
fn is_shared_reference(value: &Zval) -> bool {
    // SAFETY: I3: a reference payload is live.
    value.is_reference() && unsafe { (*value.counted()).refcount } > 1
}

impl Serializer {
    /// Numbers a value; returns the number of the one it refers back to, if it was met before.
    fn note(&mut self, value: &Zval) -> Option<i64> {
        self.count += 1;
        // A reference to an object counts as the object.
        let object = value.deref().kind() == OBJECT;
        if !object && !is_shared_reference(value) {
            return None;
        }
        if self.seen.is_empty() {
            self.seen.reserve(14);
        }
        let target = if object { value.deref() } else { value };
        let address = target.counted().addr();
        if let Some((number, _)) = self.seen.get(&address) {
            if is_shared_reference(value) && *number != FAILED {
                // A reference is a number of its own only once.
                self.count -= 1;
            }
            return Some(*number);
        }
        // SAFETY: I3: the new share belongs to the new value.
        let share = unsafe { Value::from_zval(target.share()) };
        self.seen.insert(address, (self.count, share));
        None
    }

    fn value(&mut self, vm: &mut Vm, out: &mut StringBuilder, value: &Zval) -> PhpResult<()> {
        if let Some(number) = self.note(value) {
            if number == FAILED {
                out.push(b"N;");
                return Ok(());
            }
            out.push(match is_shared_reference(value) {
                true => b"R:",
                false => b"r:",
            });
            out.push_integer(number);
            out.push_byte(b';');
            return Ok(());
        }
        match value.view() {
            ValueKind::Null => out.push(b"N;"),
            ValueKind::Bool(value) => out.push(if value { b"b:1;" } else { b"b:0;" }),
            ValueKind::Long(value) => integer(out, value),
            ValueKind::Double(value) => {
                out.push(b"d:");
                out.push(serialized_float(value, vm.ini.serialize_precision).as_bytes());
                out.push_byte(b';');
            }
            ValueKind::String(value) => string(out, b's', value, b';'),
            ValueKind::Array(array) => {
                self.depth += 1;
                // SAFETY: I3: live; the share keeps it as it is.
                let array = unsafe { ArrayHandle::share_raw((&raw const *array).cast_mut()) };
                out.push(b"a:");
                let result = self.elements(vm, out, &array);
                self.depth -= 1;
                result?;
            }
            ValueKind::Object(object) => {
                // SAFETY: I3: live.
                let object = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
                self.object(vm, out, &object)?;
            }
            // As an integer nobody can use.
            ValueKind::Resource(_) => out.push(b"i:0;"),
        }
        Ok(())
    }

    /// `count:{key value ...}`
    fn elements(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        array: &ArrayHandle,
    ) -> PhpResult<()> {
        vm.check_native_stack()?;
        out.push_integer(array.len() as i64);
        out.push(b":{");
        for (key, value) in array.iter() {
            match key {
                KeyRef::Long(key) => integer(out, key),
                KeyRef::String(key) => string(out, b's', key, b';'),
            }
            self.element(vm, out, value, array)?;
        }
        out.push_byte(b'}');
        Ok(())
    }

    /// An element of an array. An array that stands in itself is null, unless a reference with other owners leads there,
    /// which is a number.
    fn element(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        value: &Zval,
        parent: &PhpArray,
    ) -> PhpResult<()> {
        let ValueKind::Array(array) = value.view() else {
            return self.value(vm, out, value);
        };
        // What has one owner, or is a literal, does not stand in itself.
        // SAFETY: I3: a counted payload is live.
        let has_owners = value.is_refcounted() && unsafe { (*value.counted()).refcount } > 1;
        if !value.is_reference() && !has_owners {
            return self.value(vm, out, value);
        }
        let array: *const PhpArray = array;
        // SAFETY: I3: a reference payload is live.
        let is_shared = value.is_reference() && unsafe { (*value.counted()).refcount } > 1;
        let is_parent = std::ptr::eq(array, parent) && !is_shared;
        if is_parent || !value.is_reference() && self.open.contains(&array) {
            self.count += 1;
            out.push(b"N;");
            return Ok(());
        }
        if value.is_reference() {
            return self.value(vm, out, value);
        }
        self.open.push(array);
        let result = self.value(vm, out, value);
        self.open.pop();
        result
    }

    fn object(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        object: &ObjectHandle,
    ) -> PhpResult<()> {
        let class = object.class();
        if std::ptr::eq(self.plain, class) {
            return self.plainly(vm, out, object);
        }
        if class.flags & (class_flags::NOT_SERIALIZABLE | class_flags::ANONYMOUS) != 0 {
            let message = format!("Serialization of '{}' is not allowed", class.display_name());
            return Err(vm.throw_error(KnownClass::Exception, message));
        }
        // SAFETY: I4: a class's name lives as long as it does.
        let name = unsafe { (*class.name).as_bytes() };
        if class.flags & class_flags::ENUM != 0 {
            let case = [name, b":", &case_name(object).message()].concat();
            string(out, b'E', &case, b';');
            return Ok(());
        }
        if !class.magic.serialize.is_null() {
            let this = Some(object.clone());
            let data = apart(vm, |vm| {
                vm.call_function(class.magic.serialize, this, object.class, vec![])
            })?;
            let Some(data) = data.array() else {
                let message = format!(
                    "{}::__serialize() must return an array",
                    class.display_name()
                );
                return Err(vm.throw_error(KnownClass::TypeError, message));
            };
            return self.properties(vm, out, name, &data);
        }
        if class.is_subclass_of(vm.known_class(KnownClass::Serializable))
            && class.methods.get(b"serialize").is_some()
        {
            return self.custom(vm, out, object, name);
        }
        if class.methods.get(b"__sleep").is_some() {
            return self.sleep(vm, out, object, name);
        }
        self.plain = class;
        self.plainly(vm, out, object)
    }

    /// By its properties.
    fn plainly(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        object: &ObjectHandle,
    ) -> PhpResult<()> {
        let table = serialised_properties(vm, object)?;
        if let Some((name, table)) = incomplete::original(vm, object, &table) {
            return self.properties(vm, out, &name, &table);
        }
        // SAFETY: I4: a class's name lives as long as it does.
        let name = unsafe { (*object.class().name).as_bytes() };
        self.properties(vm, out, name, &table)
    }

    fn properties(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        class: &[u8],
        table: &ArrayHandle,
    ) -> PhpResult<()> {
        string(out, b'O', class, b':');
        self.elements(vm, out, table)
    }

    /// By `Serializable::serialize`.
    fn custom(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        object: &ObjectHandle,
        name: &[u8],
    ) -> PhpResult<()> {
        lend(vm, std::mem::take(self));
        let data = vm.call_method(object, b"serialize", Vec::new());
        *self = lent(vm).unwrap_or_default();
        let data = data?;
        if data.deref().kind() == NULL {
            // Later references to the object are null as well.
            if let Some((number, _)) = self.seen.get_mut(&object.as_ptr().addr()) {
                *number = FAILED;
            }
            out.push(b"N;");
            return Ok(());
        }
        let Some(data) = data.string() else {
            let class = object.class().display_name();
            let message = format!("{class}::serialize() must return a string or NULL");
            return Err(vm.throw_error(KnownClass::Exception, message));
        };
        string(out, b'C', name, b':');
        out.push(format!("{}:{{", data.len()).as_bytes());
        out.push(&data);
        out.push_byte(b'}');
        Ok(())
    }

    /// The properties that `__sleep` names.
    fn sleep(
        &mut self,
        vm: &mut Vm,
        out: &mut StringBuilder,
        object: &ObjectHandle,
        class: &[u8],
    ) -> PhpResult<()> {
        let names = apart(vm, |vm| vm.call_method(object, b"__sleep", Vec::new()))?;
        let display_name = object.class().display_name();
        let complaint = format!(
            "{display_name}::__sleep() should return an array only containing the names of \
             instance-variables to serialize"
        );
        let Some(names) = names.array() else {
            vm.function_warning(complaint);
            vm.check()?;
            out.push(b"N;");
            return Ok(());
        };
        let table = serialised_properties(vm, object)?;
        let mut chosen = vm.new_array();
        for (_, name) in names.iter() {
            if !matches!(name.view(), ValueKind::String(_)) {
                vm.function_warning(&complaint);
                vm.check()?;
            }
            let name = vm_runtime::operators::to_string(vm, name)?;
            let private = [b"\0", class, b"\0", &name[..]].concat();
            let protected = [b"\0*\0", &name[..]].concat();
            let found = [&name[..], &private, &protected]
                .into_iter()
                .find_map(|key| Some((key, table.get_bytes(key)?)));
            if let Some((key, value)) = found {
                if chosen.get_bytes(key).is_some() {
                    vm.function_warning(format!(
                        "\"{}\" is returned from __sleep() multiple times",
                        name.to_text()
                    ));
                    vm.check()?;
                    continue;
                }
                // SAFETY: I3: the new share belongs to the new value.
                let value = unsafe { Value::from_zval(value.share()) };
                chosen.make_mut(vm).set_bytes(key, value);
                continue;
            }
            let declared = object.class().properties.get(&name);
            if declared.is_some_and(|info| info.declared.is_some()) {
                // It was not initialised.
                continue;
            }
            vm.function_warning(format!(
                "\"{}\" returned as member variable from __sleep() but does not exist",
                name.to_text()
            ));
            vm.check()?;
        }
        self.properties(vm, out, class, &chosen)
    }
}

/// A `float`; with precision 0 as one digit and an exponent.
fn serialized_float(value: f64, precision: i64) -> Text {
    if precision == 0 && value.is_finite() {
        return layout_general(&significant_digits(value, 1), 0, b'E');
    }
    general(value, precision)
}

/// `s:3:"abc"` and what ends it, and the same with another letter.
#[inline]
fn string(out: &mut StringBuilder, letter: u8, bytes: &[u8], end: u8) {
    if bytes.len() < 10 {
        let mut tail = out.tail(bytes.len() + 7);
        tail.put([letter, b':', b'0' + bytes.len() as u8, b':', b'"']);
        tail.push(bytes);
        tail.put([b'"', end]);
        return;
    }
    out.push(&[letter, b':']);
    out.push_integer(bytes.len() as i64);
    out.push_all([b":\"", bytes, &[b'"', end]]);
}

/// `i:3;`
#[inline]
fn integer(out: &mut StringBuilder, value: i64) {
    if (0..10).contains(&value) {
        return out.push(&[b'i', b':', b'0' + value as u8, b';']);
    }
    out.push(b"i:");
    out.push_integer(value);
    out.push_byte(b';');
}
