//! Reading objects and enum cases.

use vm_runtime::array::Key;
use vm_runtime::class::{Class, ValuesHandler};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{class_flags, flags};
use vm_runtime::object::instantiate;
use vm_runtime::object::write::{allow_dynamic, write_undeclared};
use vm_runtime::operators::float_text::integer;
use vm_runtime::types::verify_property;
use vm_runtime::value::{HEADER_DESTRUCTOR_CALLED, ObjectHandle, StringHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::super::incomplete;
use super::super::nesting::{apart, lend, lent};
use super::super::properties::{Visibility, unmangle};
use super::places::Place;
use super::reader::{Delayed, Failure, Read, Reader};

impl Reader<'_> {
    /// `O:length:"class":count:{...}` and `C:length:"class":length:{...}`
    pub(super) fn object(&mut self, vm: &mut Vm, start: usize, place: Place) -> Read<()> {
        let custom = self.byte(start) == b'C';
        let name = self.quoted(start)?;
        if self.byte(self.position) != b':' {
            return self.fail(self.position);
        }
        let valid =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\\' | 127..);
        if !name.iter().all(valid) {
            return self.fail(start);
        }
        if name.is_empty() {
            return self.fail(start + 2);
        }
        let class = match self.last_class {
            Some((known, class)) if known == name => Some(class),
            _ => self.class(vm, name)?,
        };
        self.last_class = class.map(|class| (name, class));
        if let Some(class) = class {
            may_be_unserialized(vm, class)?;
        }
        if custom {
            return self.custom(vm, class, name, place);
        }
        let object = new_object(vm, class, name)?;
        // SAFETY: I3: containers under construction are live and have one owner.
        unsafe { place.store(object.clone().into()) };
        let (count, end) = self.count(vm, self.position + 1)?;
        if count < 0 || count > self.left(end) || self.byte(end) != b':' {
            return self.fail(end);
        }
        if self.byte(end + 1) != b'{' {
            return self.fail(end + 1);
        }
        self.position = end + 2;
        let count = count as usize;
        if !object.class().magic.unserialize.is_null() {
            let data = vm.new_array();
            let result = self.elements(vm, data.as_ptr(), count);
            // Places refer to it until reading ends.
            self.context.kept.push(data.clone());
            if let Err(failure) = result {
                without_destructor(&object);
                return Err(failure);
            }
            self.context
                .delayed
                .push(Delayed::Unserialize(object, data));
            return self.expect(b'}');
        }
        if is_serializable(vm, object.class()) {
            let name = object.class().display_name();
            vm.warning(format!("Erroneous data format for unserializing '{name}'"));
            vm.check()?;
            without_destructor(&object);
            return self.fail(self.position);
        }
        if let Err(failure) = self.properties(vm, &object, count) {
            without_destructor(&object);
            return Err(failure);
        }
        if object.class().methods.get(b"__wakeup").is_some() {
            self.context.delayed.push(Delayed::WakeUp(object));
        }
        // Without it the object is complete all the same.
        self.expect(b'}')
    }

    /// The class of a name; `None` if there is none, or it must not be used.
    fn class(&mut self, vm: &mut Vm, name: &[u8]) -> PhpResult<Option<*mut Class>> {
        let lowercase = name.to_ascii_lowercase();
        if !self.context.options.allowed.permits(&lowercase) {
            return Ok(None);
        }
        if let Some(class) = vm.class_by_name(name, true)? {
            return Ok(Some(class));
        }
        let callback = vm.ini.text("unserialize_callback_func").to_vec();
        if callback.is_empty() {
            return Ok(None);
        }
        let shown = vm_runtime::message::text(&callback).into_owned();
        let callable: Value = vm.string(&callback).into();
        if vm.resolve_callable(&callable).is_err() {
            vm.function_warning(format!("defined ({shown}) but not found"));
            vm.check()?;
            return Ok(None);
        }
        let argument = vm.string(name).into();
        vm.call(&callable, vec![argument])?;
        let class = vm.class_by_name(name, true)?;
        if class.is_none() {
            vm.function_warning(format!(
                "Function {shown}() hasn't defined the class it was called for"
            ));
            vm.check()?;
        }
        Ok(class)
    }

    /// The data of a class that implements `Serializable`. Only what can be read is made an object of.
    fn custom(
        &mut self,
        vm: &mut Vm,
        class: Option<*mut Class>,
        name: &[u8],
        place: Place,
    ) -> Read<()> {
        let (length, end) = self.count(vm, self.position + 1)?;
        if self.byte(end) != b':' {
            return self.fail(end);
        }
        if self.byte(end + 1) != b'{' {
            return self.fail(end + 1);
        }
        let start = end + 2;
        let left = self.left(start);
        if length < 0 || length >= left {
            vm.warning(format!(
                "Insufficient data for unserializing - {length} required, {left} present"
            ));
            vm.check()?;
            return self.fail(start);
        }
        let length = length as usize;
        if self.byte(start + length) != b'}' {
            return self.fail(start + length);
        }
        // SAFETY: I4: classes live until the VM ends.
        let known = class.map(|class| unsafe { &*class });
        let read = known.and_then(|class| class.handlers?.unserialize_values);
        let by_method = known.is_some_and(|class| is_serializable(vm, class));
        if read.is_none() && !by_method {
            let shown = known.map_or(incomplete::CLASS_NAME.into(), |class| {
                class.display_name().to_string()
            });
            vm.warning(format!("Class {shown} has no unserializer"));
            vm.check()?;
        }
        let object = new_object(vm, class, name)?;
        // SAFETY: I3: containers under construction are live and have one owner.
        unsafe { place.store(object.clone().into()) };
        if by_method && object.class().methods.get(b"unserialize").is_some() {
            let data = vm.string(&self.data[start..start + length]).into();
            lend(vm, std::mem::take(&mut self.context));
            let result = vm.call_method(&object, b"unserialize", vec![data]);
            self.context = lent(vm).unwrap_or_default();
            result?;
        } else if let Some(read) = read {
            self.native_values(vm, &object, start..start + length, read)?;
        }
        self.position = start + length;
        self.expect(b'}')
    }

    /// Values one after the other, of which native code asks for as many as it needs.
    fn native_values(
        &mut self,
        vm: &mut Vm,
        object: &ObjectHandle,
        range: std::ops::Range<usize>,
        read: ValuesHandler,
    ) -> Read<()> {
        let all = self.data;
        self.data = &all[..range.end];
        self.position = range.start;
        let array = vm.new_array();
        // Places refer to it until reading ends.
        self.context.kept.push(array.clone());
        let mut count = 0;
        let result = read(vm, object, &mut |vm| {
            let key = Key::Long(count);
            count += 1;
            match self.value(vm, Place::Element(array.as_ptr(), key)) {
                Ok(()) => Ok(array.get_long(count - 1).map(Value::share)),
                Err(Failure::Malformed) => Ok(None),
                Err(Failure::Thrown) => Err(Thrown),
            }
        });
        self.data = all;
        if result.is_err() {
            without_destructor(object);
        }
        Ok(result?)
    }

    fn properties(&mut self, vm: &mut Vm, object: &ObjectHandle, count: usize) -> Read<()> {
        self.enter(vm)?;
        for _ in 0..count {
            let name = match self.key(vm)? {
                Key::Long(number) => vm.string(integer(number)),
                Key::String(name) => name,
            };
            let place = property_place(vm, object, &name)?;
            self.value(vm, place.clone())?;
            if let Place::Slot(object, slot) = &place {
                check_type(vm, object, *slot)?;
            }
        }
        self.context.depth -= 1;
        Ok(())
    }

    /// `E:length:"Enum:Case";`
    pub(super) fn enum_case(&mut self, vm: &mut Vm, start: usize) -> Read<Value> {
        let text = self.quoted(start)?;
        let end = self.position;
        let Some(colon) = memchr::memchr(b':', text) else {
            let name = vm_runtime::message::text(text).into_owned();
            vm.function_warning(format!("Invalid enum name '{name}' (missing colon)"));
            vm.check()?;
            return self.fail(start);
        };
        let (name, case) = (&text[..colon], &text[colon + 1..]);
        let shown = vm_runtime::message::text(name).into_owned();
        // Which classes are allowed says nothing of enums.
        let class = vm.class_by_name(name, true)?;
        let Some(class) = class else {
            vm.function_warning(format!("Class '{shown}' not found"));
            vm.check()?;
            return self.fail(start);
        };
        // SAFETY: I4: classes live until the VM ends.
        let class_ref = unsafe { &*class };
        if class_ref.flags & class_flags::ENUM == 0 {
            let name = class_ref.display_name();
            vm.function_warning(format!("Class '{name}' is not an enum"));
            vm.check()?;
            return self.fail(start);
        }
        self.position = end;
        self.expect(b';')?;
        let case_text = vm_runtime::message::text(case).into_owned();
        let known = class_ref
            .constants
            .get(case)
            .map(|constant| constant.flags & flags::ENUM_CASE);
        match known {
            Some(0) => {
                vm.function_warning(format!("{shown}::{case_text} is not an enum case"));
                vm.check()?;
                self.fail(self.position)
            }
            None => {
                vm.function_warning(format!("Undefined constant {shown}::{case_text}"));
                vm.check()?;
                self.fail(self.position)
            }
            Some(_) => {
                let value = vm.class_constant(class, case, class)?;
                // SAFETY: I4: constants live as long as their class.
                Ok(Value::share(unsafe { &*value }))
            }
        }
    }

    /// Calls what was put off until everything was read.
    pub(super) fn finish(&mut self, vm: &mut Vm) -> PhpResult<()> {
        let mut delayed = std::mem::take(&mut self.context.delayed).into_iter();
        let mut result = Ok(());
        for call in delayed.by_ref() {
            result = apart(vm, |vm| match call {
                Delayed::WakeUp(ref object) => {
                    vm.call_method(object, b"__wakeup", Vec::new()).map(drop)
                }
                Delayed::Unserialize(ref object, ref data) => {
                    let method = object.class().magic.unserialize;
                    let arguments = vec![data.clone().into()];
                    let this = Some(object.clone());
                    vm.call_function(method, this, object.class, arguments)
                        .map(drop)
                }
            });
            if result.is_err() {
                without_destructor(call.object());
                break;
            }
        }
        for call in delayed {
            without_destructor(call.object());
        }
        result
    }

    /// The delayed calls are not made, and their objects not destructed.
    pub(super) fn abandon(&mut self) {
        for call in self.context.delayed.drain(..) {
            without_destructor(call.object());
        }
    }
}

/// Refuses classes that must not be unserialized; those that have no objects are told of where one is made.
fn may_be_unserialized(vm: &mut Vm, class: *mut Class) -> PhpResult<()> {
    // SAFETY: I4: classes live until the VM ends.
    let class = unsafe { &*class };
    let refused = class_flags::NOT_SERIALIZABLE | class_flags::ANONYMOUS;
    if class.flags & class_flags::ENUM == 0 && class.flags & refused != 0 {
        let message = format!(
            "Unserialization of '{}' is not allowed",
            class.display_name()
        );
        return Err(vm.throw_error(KnownClass::Exception, message));
    }
    Ok(())
}

/// An object of a class, or what stands in for one whose class is missing.
fn new_object(vm: &mut Vm, class: Option<*mut Class>, name: &[u8]) -> PhpResult<ObjectHandle> {
    match class {
        Some(class) => instantiate(vm, class),
        None => incomplete::stand_in(vm, name),
    }
}

/// True if a class brings what it writes and reads by `Serializable`.
fn is_serializable(vm: &mut Vm, class: &Class) -> bool {
    let interface = vm.linked_class(b"serializable");
    interface.is_some_and(|interface| class.is_subclass_of(interface))
}

fn without_destructor(object: &ObjectHandle) {
    // SAFETY: I3: the handle's target is live.
    unsafe { (*object.as_ptr()).header.type_info |= HEADER_DESTRUCTOR_CALLED };
}

/// Where a property of this, possibly mangled, name stands.
fn property_place(vm: &mut Vm, object: &ObjectHandle, name: &StringHandle) -> PhpResult<Place> {
    let class = object.class();
    let (visibility, plain) = unmangle(name);
    for (slot, info) in class.slot_properties.iter().enumerate() {
        // SAFETY: I4: infos are null or live, with their names and classes.
        let Some(info) = (unsafe { info.as_ref() }) else {
            continue;
        };
        // SAFETY: I4: as above.
        let (declared, owner) =
            unsafe { ((*info.name).as_bytes(), (*(*info.class).name).as_bytes()) };
        if declared != plain {
            continue;
        }
        let current = class
            .properties
            .get(plain)
            .is_some_and(|own| std::ptr::eq(&raw const **own, info));
        let fits = match visibility {
            Visibility::Private(named) => named == owner,
            // Data of an older declaration finds the property whatever its visibility is now.
            Visibility::Public | Visibility::Protected => current,
        };
        if fits {
            return Ok(Place::Slot(object.clone(), slot as u32));
        }
    }
    // SAFETY: I4: the class and its name are live.
    let own = unsafe { (*class.name).as_bytes() };
    let is_own = !matches!(visibility, Visibility::Private(named) if named != own);
    let (plain, name) = match class.properties.get(plain) {
        // A static property's name is taken as it is declared, and PHP does not complain.
        Some(info) if is_own && info.flags & flags::STATIC != 0 => {
            // SAFETY: I4: a property's names live as long as its class.
            (None, vm.string(unsafe { (*info.mangled).as_bytes() }))
        }
        // Nor of one that a native class computes.
        Some(info) if is_own && info.flags & flags::VIRTUAL != 0 && !info.has_hooks() => {
            (None, name.clone())
        }
        _ => (Some(vm.string(plain)), name.clone()),
    };
    if let Some(plain) = plain {
        allow_dynamic(vm, object.as_ptr(), &plain, 0)?;
    }
    write_undeclared(vm, object.as_ptr(), &name, Value::NULL);
    Ok(Place::Dynamic(object.clone(), name))
}

/// Checks the value that was read into a typed property.
fn check_type(vm: &mut Vm, object: &ObjectHandle, slot: u32) -> PhpResult<()> {
    let Some(&info) = object.class().slot_properties.get(slot as usize) else {
        return Ok(());
    };
    // SAFETY: I4: infos are null or live; the slot is below the count.
    unsafe {
        let Some(info) = info.as_ref() else {
            return Ok(());
        };
        if (*object.slot(slot)).is_undef() {
            // A script has unset it meanwhile.
            return Ok(());
        }
        let value = (*object.slot(slot)).deref_mut();
        let checked = verify_property(vm, info, value, true);
        if checked.is_err() {
            let old = *object.slot(slot);
            (*object.slot(slot)).set_undef();
            vm_runtime::value::release(&old);
        }
        checked
    }
}
