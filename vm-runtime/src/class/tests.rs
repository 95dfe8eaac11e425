//! Native classes link, and exceptions are made of them.

use crate::exceptions::{KnownClass, slot, slots};
use crate::function::class_flags;
use crate::object::{Access, instantiate, properties_of};
use crate::value::ValueKind;
use crate::vm::Vm;

fn vm() -> Box<Vm> {
    Vm::new(64 << 20)
}

#[test]
fn every_native_class_links() {
    let mut vm = vm();
    vm.link_all_native_classes();
    for &class in &vm.class_state.list {
        // SAFETY: I4: classes live until the VM ends.
        let class = unsafe { &*class };
        assert!(
            class.flags & class_flags::LINKED != 0,
            "{}",
            class.display_name()
        );
    }
}

#[test]
fn interfaces_are_inherited() {
    let mut vm = vm();
    let (error, throwable) = (
        vm.class_of(KnownClass::DivisionByZeroError),
        vm.class_of(KnownClass::Throwable),
    );
    let stringable = vm.class_of(KnownClass::Stringable);
    // SAFETY: I4: as above.
    unsafe {
        assert!((*error).is_subclass_of(throwable));
        assert!((*error).is_subclass_of(stringable));
        assert!((*error).flags & class_flags::THROWABLE != 0);
        assert!(!(*error).magic.to_string.is_null());
    }
}

#[test]
fn thrown_errors_chain() {
    let mut vm = vm();
    vm.throw_error(KnownClass::TypeError, "first");
    vm.throw_error(KnownClass::ValueError, "second");
    let exception = vm.take_exception().expect("an exception is pending");
    assert_eq!(exception.class().display_name(), "ValueError");
    assert_eq!(
        slot(&exception, slots::MESSAGE).as_bytes(),
        Some(&b"second"[..])
    );
    let ValueKind::Object(previous) = slot(&exception, slots::PREVIOUS).view() else {
        panic!("the first exception is the previous one")
    };
    assert_eq!(previous.class().display_name(), "TypeError");
}

#[test]
fn exception_properties_are_in_order() {
    let mut vm = vm();
    let class = vm.class_of(KnownClass::ErrorException);
    let object = instantiate(&mut vm, class).expect("ErrorException can be instantiated");
    let table = properties_of(&mut vm, &object).expect("no code runs");
    let names: Vec<String> = table
        .iter()
        .map(|(key, _)| match key {
            crate::array::KeyRef::String(key) => {
                crate::message::whole_text(key.as_bytes()).replace('\0', "/")
            }
            crate::array::KeyRef::Long(key) => key.to_string(),
        })
        .collect();
    assert_eq!(
        names,
        [
            "/*/message",
            "/Exception/string",
            "/*/code",
            "/*/file",
            "/*/line",
            "/Exception/trace",
            "/Exception/previous",
            "/*/severity"
        ]
    );
}

#[test]
fn interfaces_cannot_be_instantiated() {
    let mut vm = vm();
    let class = vm.class_of(KnownClass::Countable);
    assert!(instantiate(&mut vm, class).is_err());
    let exception = vm.take_exception().expect("an exception is pending");
    assert_eq!(
        slot(&exception, slots::MESSAGE).as_bytes(),
        Some(&b"Cannot instantiate interface Countable"[..])
    );
}

#[test]
fn dynamic_properties_of_std_class() {
    let mut vm = vm();
    let class = vm.class_of(KnownClass::StdClass);
    let object = instantiate(&mut vm, class).expect("stdClass can be instantiated");
    let name = vm.string("name");
    let scope = std::ptr::null();
    let pointer = object.as_ptr();
    crate::object::write::write_property(&mut vm, pointer, &name, 5i64.into(), scope)
        .expect("allowed");
    let value = crate::object::read::read_property(&mut vm, pointer, &name, scope, Access::Read)
        .expect("there");
    assert!(matches!(value.view(), ValueKind::Long(5)));
    crate::object::write::unset_property(&mut vm, pointer, &name, scope).expect("allowed");
    let value = crate::object::read::read_property(&mut vm, pointer, &name, scope, Access::Isset)
        .expect("silent");
    assert!(value.is_null());
}
