//! The extension `sockets`: the system's sockets as objects.

mod addresses;
mod messages;
mod multicast;
mod options;
mod select;
mod table;
mod transfer;

use std::any::Any;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::define;

/// The number of the last error, of whatever socket.
#[derive(Debug, Default)]
struct LastError(i32);

/// Where the descriptor of a socket is.
#[derive(Default)]
enum Descriptor {
    #[default]
    Closed,
    Own(OwnedFd),
    /// A stream has it, which is kept.
    OfStream(RawFd),
}

/// The native part of a Socket.
#[derive(Default)]
struct Socket {
    descriptor: Descriptor,
    family: i32,
    error: i32,
    is_blocking: bool,
    /// The stream that it was made of, or that was made of it.
    stream: Value,
}

impl NativeData for Socket {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&self.stream);
    }
}

const FLAGS: u32 =
    class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE;

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class Socket")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("socket_create()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<Socket>::default())),
    &NativeClass::new("final class AddressInfo")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("socket_addrinfo_lookup()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<addresses::Info>::default())),
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(table::FUNCTIONS);
    vm.register_classes(CLASSES);
    define(vm, table::CONSTANTS);
}

fn native(object: &PhpObject) -> &mut Socket {
    object.native::<Socket>().expect("made with the object")
}

fn descriptor(object: &PhpObject) -> Option<RawFd> {
    match &native(object).descriptor {
        Descriptor::Closed => None,
        Descriptor::Own(descriptor) => Some(descriptor.as_raw_fd()),
        Descriptor::OfStream(descriptor) => Some(*descriptor),
    }
}

/// A new object of a descriptor that is ours from now on.
fn make(vm: &mut Vm, descriptor: RawFd, family: i32) -> PhpResult<Value> {
    // SAFETY: the descriptor is new and ours.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let class = vm.linked_class(b"socket").unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    *native(&object) = Socket {
        descriptor: Descriptor::Own(descriptor),
        family,
        is_blocking: true,
        ..Socket::default()
    };
    Ok(object.into())
}

/// The socket in an argument, which is open.
fn opened(call: &mut Call<'_>, index: usize) -> PhpResult<(ObjectHandle, RawFd)> {
    let object = call.object(index);
    match descriptor(&object) {
        Some(descriptor) => Ok((object, descriptor)),
        None => {
            let function = call.function().display_name();
            let message = format!(
                "{function}(): Argument #{} ($socket) has already been closed",
                index + 1
            );
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

fn system_error() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// What an error is called; those of looking up names have numbers below -10000.
fn error_text(error: i32) -> String {
    match error {
        -10001 => "Unknown host".into(),
        -10002 => "Host name lookup failure".into(),
        -10003 => "Unknown server error".into(),
        -10004 => "No address associated with name".into(),
        _ => vm_runtime::interpreter::include::os_error_text(&std::io::Error::from_raw_os_error(
            error,
        )),
    }
}

/// Notes an error of a socket.
fn note(vm: &mut Vm, object: Option<&PhpObject>, error: i32) {
    if let Some(object) = object {
        native(object).error = error;
    }
    vm.extensions.state::<LastError>().0 = error;
}

/// Notes an error and warns of it, unless it only says that there is nothing to do yet.
fn complain(vm: &mut Vm, object: Option<&PhpObject>, what: &str, error: i32) -> PhpResult<Value> {
    note(vm, object, error);
    if !matches!(error, libc::EAGAIN | libc::EINPROGRESS) {
        vm.function_warning(format!("{what} [{error}]: {}", error_text(error)));
        vm.check()?;
    }
    Ok(false.into())
}
