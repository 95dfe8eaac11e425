//! `sysvmsg`: queues of messages.

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::NativeData;
use vm_runtime::operators::{to_string, value_name};
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{FLAGS, error_number, error_text, make, native};
use crate::standard::variables::{serialize::serialized, unserialize::unserialized_quietly};
use crate::support::{define, functions};

functions! {
    "msg_get_queue(int $key, int $permissions = 0666): SysvMessageQueue|false" => get,
    "msg_send(SysvMessageQueue $queue, int $message_type, $message, bool $serialize = true, bool $blocking = true, &$error_code = null): bool" => send,
    "msg_receive(SysvMessageQueue $queue, int $desired_message_type, &$received_message_type, int $max_message_size, mixed &$message, bool $unserialize = true, int $flags = 0, &$error_code = null): bool" => receive,
    "msg_remove_queue(SysvMessageQueue $queue): bool" => remove,
    "msg_stat_queue(SysvMessageQueue $queue): array|false" => stat,
    "msg_set_queue(SysvMessageQueue $queue, array $data): bool" => set,
    "msg_queue_exists(int $key): bool" => exists,
}

/// Flags of scripts, which are not the system's.
const NOT_WAITING: i64 = 1;
const CUT: i64 = 2;
const EXCEPT: i64 = 4;

/// Size of the type that stands before each message.
const TYPE: usize = size_of::<libc::c_long>();

#[derive(Default)]
struct State {
    id: i32,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class SysvMessageQueue")
    .flags(FLAGS)
    .handlers(&NativeHandlers {
        made_by: Some("msg_get_queue()"),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::<State>::default()))];

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    define(
        vm,
        &[
            ("MSG_IPC_NOWAIT", NOT_WAITING),
            ("MSG_EAGAIN", libc::EAGAIN as i64),
            ("MSG_ENOMSG", libc::ENOMSG as i64),
            ("MSG_NOERROR", CUT),
            ("MSG_EXCEPT", EXCEPT),
        ],
    );
}

fn id(call: &Call<'_>) -> i32 {
    native::<State>(&call.object(0)).id
}

fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (key, permissions) = (call.long(0) as i32, call.long(1) as i32);
    // SAFETY: the system checks the numbers.
    let mut id = unsafe { libc::msgget(key, 0) };
    if id < 0 {
        // SAFETY: as above.
        id = unsafe { libc::msgget(key, libc::IPC_CREAT | libc::IPC_EXCL | permissions) };
        if id < 0 {
            let (key, error) = (key as u32, error_text(error_number()));
            call.vm
                .function_warning(format!("Failed for key 0x{key:x}: {error}"));
            return Ok(false.into());
        }
    }
    let object = make(call.vm, b"sysvmessagequeue")?;
    native::<State>(&object).id = id;
    Ok(object.into())
}

fn exists(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system checks the number.
    Ok((unsafe { libc::msgget(call.long(0) as i32, 0) } >= 0).into())
}

fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system checks the number.
    let outcome = unsafe { libc::msgctl(id(call), libc::IPC_RMID, std::ptr::null_mut()) };
    Ok((outcome == 0).into())
}

/// What the system says about a queue.
fn about(id: i32) -> Option<libc::msqid_ds> {
    // SAFETY: the structure is for the system to fill.
    unsafe {
        let mut about: libc::msqid_ds = std::mem::zeroed();
        (libc::msgctl(id, libc::IPC_STAT, &mut about) == 0).then_some(about)
    }
}

fn stat(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(about) = about(id(call)) else {
        return Ok(false.into());
    };
    let mut table = call.vm.new_array();
    let entries: [(&str, i64); 10] = [
        ("msg_perm.uid", i64::from(about.msg_perm.uid)),
        ("msg_perm.gid", i64::from(about.msg_perm.gid)),
        ("msg_perm.mode", i64::from(about.msg_perm.mode)),
        ("msg_stime", about.msg_stime),
        ("msg_rtime", about.msg_rtime),
        ("msg_ctime", about.msg_ctime),
        ("msg_qnum", about.msg_qnum as i64),
        ("msg_qbytes", about.msg_qbytes as i64),
        ("msg_lspid", i64::from(about.msg_lspid)),
        ("msg_lrpid", i64::from(about.msg_lrpid)),
    ];
    for (name, number) in entries {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), number.into());
    }
    Ok(table.into())
}

fn set(call: &mut Call<'_>) -> PhpResult<Value> {
    let (id, data) = (id(call), call.array(1));
    let Some(mut about) = about(id) else {
        return Ok(false.into());
    };
    let mut given = |name: &str| {
        let value = data.get_bytes(name.as_bytes()).map(Value::share);
        value.map(|value| value.to_long(call.vm))
    };
    if let Some(user) = given("msg_perm.uid") {
        about.msg_perm.uid = user as u32;
    }
    if let Some(group) = given("msg_perm.gid") {
        about.msg_perm.gid = group as u32;
    }
    if let Some(mode) = given("msg_perm.mode") {
        about.msg_perm.mode = mode as _;
    }
    if let Some(bytes) = given("msg_qbytes") {
        about.msg_qbytes = bytes as _;
    }
    // SAFETY: the system reads the structure.
    Ok((unsafe { libc::msgctl(id, libc::IPC_SET, &mut about) } == 0).into())
}

fn send(call: &mut Call<'_>) -> PhpResult<Value> {
    let (queue, kind, message) = (id(call), call.long(1), call.value(2));
    let (serializes, is_waiting) = (call.bool(3), call.bool(4));
    let text = if serializes {
        serialized(call.vm, &message)?
    } else {
        match message.view() {
            ValueKind::String(_) | ValueKind::Long(_) | ValueKind::Bool(_) => {
                to_string(call.vm, &message)?
            }
            // As C writes it.
            ValueKind::Double(number) => call.vm.string(format!("{number:.6}")),
            _ => {
                let given = value_name(&message);
                let message = format!(
                    "msg_send(): Argument #3 ($message) must be of type string|int|float|bool, {given} given"
                );
                return Err(call.vm.throw_error(KnownClass::TypeError, message));
            }
        }
    };
    let bytes = [&kind.to_ne_bytes()[..], text.as_bytes()].concat();
    let length = bytes.len() - TYPE;
    let error = call.vm.wait_until(|_, slice| {
        // SAFETY: a type and so many bytes stand there.
        let outcome =
            unsafe { libc::msgsnd(queue, bytes.as_ptr().cast(), length, libc::IPC_NOWAIT) };
        match (outcome, error_number()) {
            (0, _) => Some(None),
            (_, libc::EAGAIN | libc::EINTR) if is_waiting => {
                std::thread::sleep(slice.min(std::time::Duration::from_millis(1)));
                None
            }
            (_, error) => Some(Some(error)),
        }
    });
    let Some(error) = error else {
        return Ok(true.into());
    };
    let text = error_text(error);
    call.vm.function_warning(format!("msgsnd failed: {text}"));
    if call.count() > 5 {
        call.assign(5, i64::from(error).into());
    }
    Ok(false.into())
}

fn receive(call: &mut Call<'_>) -> PhpResult<Value> {
    let (queue, wanted, most) = (id(call), call.long(1), call.long(3));
    let (unserializes, given) = (call.bool(5), call.long(6));
    if most <= 0 {
        return Err(call.value_error(3, "must be greater than 0"));
    }
    let mut flags = libc::IPC_NOWAIT;
    if given & CUT != 0 {
        flags |= libc::MSG_NOERROR;
    }
    if given & EXCEPT != 0 {
        flags |= libc::MSG_EXCEPT;
    }
    let is_waiting = given & NOT_WAITING == 0;
    let size = (most as usize).saturating_add(TYPE);
    vm_runtime::limits::reserve(size);
    let mut bytes = vec![0u8; size];
    let outcome = call.vm.wait_until(|_, slice| {
        // SAFETY: there is room for a type and so many bytes.
        let count = unsafe {
            libc::msgrcv(
                queue,
                bytes.as_mut_ptr().cast(),
                most as usize,
                wanted,
                flags,
            )
        };
        match (usize::try_from(count), error_number()) {
            (Ok(count), _) => Some(Ok(count)),
            (_, libc::ENOMSG | libc::EAGAIN | libc::EINTR) if is_waiting => {
                std::thread::sleep(slice.min(std::time::Duration::from_millis(1)));
                None
            }
            (_, error) => Some(Err(error)),
        }
    });
    let note = |call: &mut Call<'_>, kind: i64, message: Value, error: i32| {
        call.assign(2, kind.into());
        call.assign(4, message);
        if call.count() > 7 {
            call.assign(7, i64::from(error).into());
        }
    };
    let count = match outcome {
        Ok(count) => count,
        Err(error) => {
            note(call, 0, false.into(), error);
            return Ok(false.into());
        }
    };
    let (kind, message) = bytes[..TYPE + count].split_at(TYPE);
    let kind = kind.try_into().map_or(0, i64::from_ne_bytes);
    if !unserializes {
        let message = call.vm.string(message).into();
        note(call, kind, message, 0);
        return Ok(true.into());
    }
    match unserialized_quietly(call.vm, message)? {
        Some(value) => {
            note(call, kind, value, 0);
            Ok(true.into())
        }
        None => {
            call.vm.function_warning("Message corrupted");
            note(call, kind, false.into(), 0);
            Ok(false.into())
        }
    }
}
