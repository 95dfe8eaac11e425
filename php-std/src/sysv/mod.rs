//! The extensions `shmop`, `sysvshm`, `sysvsem` and `sysvmsg`: memory, semaphores and queues that processes share by a
//! key, as System V made them. What another process may write there is never trusted.

mod memory;
mod queue;
mod semaphore;
mod shmop;
mod variables;

use std::io;

use vm_runtime::function::class_flags;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::ObjectHandle;
use vm_runtime::vm::{PhpResult, Vm};

pub(crate) use self::queue::register as register_queues;
pub(crate) use self::semaphore::register as register_semaphores;
pub(crate) use self::shmop::register as register_shmop;
pub(crate) use self::variables::register as register_variables;

/// Of all classes here.
const FLAGS: u32 =
    class_flags::NOT_CLONEABLE | class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE;

/// An object of a class of this extension.
fn make(vm: &mut Vm, lowercase: &[u8]) -> PhpResult<ObjectHandle> {
    let class = vm
        .linked_class(lowercase)
        .expect("registered with the functions");
    new_object(vm, class)
}

/// The native part of an object that the signature has checked.
fn native<T: NativeData>(object: &PhpObject) -> &mut T {
    object.native::<T>().expect("made with the object")
}

/// The number of the system's last error.
fn error_number() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// What the system says of an error.
fn error_text(number: i32) -> String {
    let text = io::Error::from_raw_os_error(number).to_string();
    let end = text.rfind(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}
