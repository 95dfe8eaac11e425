//! The extension `SPL`: autoloading, iterators, data structures, further exceptions.

mod array;
mod autoload;
mod exceptions;
pub(crate) mod files;
mod fixed_array;
mod functions;
mod heap;
mod interfaces;
mod iterators;
mod legacy;
mod linked_list;
mod object_storage;

#[cfg(feature = "gmp")]
pub(crate) use legacy::load_members;
use vm_runtime::function::Call;
use vm_runtime::value::ObjectHandle;
use vm_runtime::vm::{Thrown, Vm};

/// Registers the extension.
#[cold]
pub fn register(vm: &mut Vm) {
    vm.register_functions(autoload::FUNCTIONS);
    vm.register_functions(functions::FUNCTIONS);
    vm.register_classes(array::CLASSES);
    vm.register_classes(exceptions::CLASSES);
    for classes in files::CLASSES {
        vm.register_classes(classes);
    }
    vm.register_classes(fixed_array::CLASSES);
    vm.register_classes(heap::CLASSES);
    vm.register_classes(interfaces::CLASSES);
    iterators::register(vm);
    vm.register_classes(linked_list::CLASSES);
    vm.register_classes(object_storage::CLASSES);
}

/// `$this` of a native method.
pub(crate) fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: methods that are not static have a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

/// Throws an exception of a class of this extension.
pub(crate) fn throw(vm: &mut Vm, class: &str, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(class.to_ascii_lowercase().as_bytes()) else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, 0);
    vm.throw_object(object)
}

#[cfg(test)]
mod tests {
    use vm_runtime::vm::Vm;

    #[test]
    fn every_class_links() {
        let mut vm = Vm::new(64 << 20);
        crate::register(&mut vm);
        vm.link_all_native_classes();
        assert!(vm.linked_class(b"splpriorityqueue").is_some());
    }
}
