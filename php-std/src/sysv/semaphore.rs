//! `sysvsem`: semaphores, as PHP has them: a set of three, the semaphore itself, how many use it, and a lock for making it.

use std::any::Any;
use std::time::Duration;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::function::Call;
use vm_runtime::object::NativeData;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{FLAGS, error_number, error_text, make, native};
use crate::support::functions;

functions! {
    "sem_get(int $key, int $max_acquire = 1, int $permissions = 0666, bool $auto_release = true): SysvSemaphore|false" => get,
    "sem_acquire(SysvSemaphore $semaphore, bool $non_blocking = false): bool" => acquire,
    "sem_release(SysvSemaphore $semaphore): bool" => release,
    "sem_remove(SysvSemaphore $semaphore): bool" => remove,
}

/// Numbers in the set.
const ITSELF: u16 = 0;
const USERS: u16 = 1;
const LOCK: u16 = 2;

#[derive(Default)]
struct State {
    id: Option<i32>,
    key: i32,
    /// How often this object acquired it and did not release it.
    count: u32,
    releases: bool,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

impl Drop for State {
    fn drop(&mut self) {
        // What was acquired is released, unless the script did not want that.
        let Some(id) = self.id.filter(|_| self.releases) else {
            return;
        };
        let mut steps = vec![step(USERS, -1, libc::SEM_UNDO)];
        if self.count > 0 {
            steps.push(step(ITSELF, self.count as i16, libc::SEM_UNDO));
        }
        operate(id, &mut steps);
    }
}

static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class SysvSemaphore")
    .flags(FLAGS)
    .handlers(&NativeHandlers {
        made_by: Some("sem_get()"),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::<State>::default()))];

/// Registers the extension.
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
}

fn step(number: u16, change: i16, flags: i32) -> libc::sembuf {
    libc::sembuf {
        sem_num: number,
        sem_op: change,
        sem_flg: flags as i16,
    }
}

/// Does steps all at once; the number of an error if that fails. They never wait if they say so.
fn operate(id: i32, steps: &mut [libc::sembuf]) -> Option<i32> {
    // SAFETY: the steps live while the system reads them.
    let outcome = unsafe { libc::semop(id, steps.as_mut_ptr(), steps.len()) };
    (outcome != 0).then(error_number)
}

/// As [`operate`], waiting until it can be done, with an eye on the limits.
fn wait(vm: &mut Vm, id: i32, steps: &mut [libc::sembuf]) -> Option<i32> {
    for step in steps.iter_mut() {
        step.sem_flg |= libc::IPC_NOWAIT as i16;
    }
    vm.wait_until(|_, slice| match operate(id, steps) {
        Some(libc::EAGAIN | libc::EINTR) => {
            std::thread::sleep(slice.min(Duration::from_millis(1)));
            None
        }
        outcome => Some(outcome),
    })
}

/// Warns of an error of the system; `false`.
fn failed(vm: &mut Vm, what: &str, key: i32, error: i32) -> Value {
    let (key, error) = (key as u32, error_text(error));
    vm.function_warning(format!("{what} key 0x{key:x}: {error}"));
    false.into()
}

fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (key, permissions) = (call.long(0) as i32, call.long(2) as i32);
    let (maximum, releases) = (call.long(1), call.bool(3));
    // SAFETY: the system checks the numbers.
    let id = unsafe { libc::semget(key, 3, permissions | libc::IPC_CREAT) };
    if id < 0 {
        return Ok(failed(call.vm, "Failed for", key, error_number()));
    }
    // Whoever makes it sets how often it can be acquired; the others wait for that.
    let mut steps = [
        step(LOCK, 0, 0),
        step(LOCK, 1, libc::SEM_UNDO),
        step(USERS, 1, libc::SEM_UNDO),
    ];
    if let Some(error) = wait(call.vm, id, &mut steps) {
        return Ok(failed(
            call.vm,
            "Failed acquiring SYSVSEM_SETVAL for",
            key,
            error,
        ));
    }
    // SAFETY: the system checks the numbers.
    let users = unsafe { libc::semctl(id, i32::from(USERS), libc::GETVAL) };
    if users < 0 {
        failed(call.vm, "Failed for", key, error_number());
    } else if users == 1 {
        // SAFETY: as above.
        let set = unsafe { libc::semctl(id, i32::from(ITSELF), libc::SETVAL, maximum as i32) };
        if set < 0 {
            failed(call.vm, "Failed for", key, error_number());
        }
    }
    if let Some(error) = operate(id, &mut [step(LOCK, -1, libc::SEM_UNDO)]) {
        failed(call.vm, "Failed releasing SYSVSEM_SETVAL for", key, error);
    }
    let object = make(call.vm, b"sysvsemaphore")?;
    *native::<State>(&object) = State {
        id: Some(id),
        key,
        count: 0,
        releases,
    };
    Ok(object.into())
}

fn acquire(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, only_now) = (call.object(0), call.bool(1));
    let state: &mut State = native(&object);
    let (id, key) = (state.id.unwrap_or(-1), state.key);
    let mut steps = [step(ITSELF, -1, libc::SEM_UNDO)];
    let error = if only_now {
        steps[0].sem_flg |= libc::IPC_NOWAIT as i16;
        operate(id, &mut steps)
    } else {
        wait(call.vm, id, &mut steps)
    };
    match error {
        None => {
            native::<State>(&object).count += 1;
            Ok(true.into())
        }
        Some(libc::EAGAIN) => Ok(false.into()),
        Some(error) => Ok(failed(call.vm, "Failed to acquire", key, error)),
    }
}

fn release(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let state: &mut State = native(&object);
    if state.count == 0 {
        let key = state.key as u32;
        call.vm.function_warning(format!(
            "SysV semaphore for key 0x{key:x} is not currently acquired"
        ));
        return Ok(false.into());
    }
    match operate(
        state.id.unwrap_or(-1),
        &mut [step(ITSELF, 1, libc::SEM_UNDO)],
    ) {
        None => {
            state.count -= 1;
            Ok(true.into())
        }
        Some(error) => Ok(failed(call.vm, "Failed to release", state.key, error)),
    }
}

fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let state: &mut State = native(&object);
    let (id, key) = (state.id.unwrap_or(-1), state.key as u32);
    // SAFETY: the system checks the number, and fills the structure.
    let (exists, is_removed) = unsafe {
        let mut about: libc::semid_ds = std::mem::zeroed();
        let exists = libc::semctl(id, 0, libc::IPC_STAT, &mut about) >= 0;
        (exists, exists && libc::semctl(id, 0, libc::IPC_RMID) >= 0)
    };
    if !exists {
        call.vm.function_warning(format!(
            "SysV semaphore for key 0x{key:x} does not (any longer) exist"
        ));
        return Ok(false.into());
    }
    if !is_removed {
        return Ok(failed(
            call.vm,
            "Failed for SysV semaphore for",
            key as i32,
            error_number(),
        ));
    }
    // There is nothing left to release.
    state.count = u32::MAX;
    state.releases = false;
    Ok(true.into())
}
