//! Signals: functions of the script that handle them. The system's handler only notes what came; the
//! functions run when the script asks, or at the next jump or call if it wants that.

use std::os::raw::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::state::interrupt;
use vm_runtime::operators::{to_long, value_name};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::{note, warn};
use crate::support::{Append, hold, new_list};

/// Signals have numbers from 1 up to this.
const LAST: i64 = 64;
/// Signals that are noted at once; older ones are forgotten beyond that.
const NOTED: usize = 128;

/// What is known of a signal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Info {
    signal: i32,
    error: i32,
    code: i32,
    process: i32,
    user: i32,
    status: i32,
    user_time: i64,
    system_time: i64,
    descriptor: i32,
}

impl Info {
    /// What the system tells.
    pub(super) fn of(info: &libc::siginfo_t) -> Info {
        // SAFETY: the fields are read as the signal has them; where it has none they are some
        // numbers of the structure.
        unsafe {
            let is_child = info.si_signo == libc::SIGCHLD;
            Info {
                signal: info.si_signo,
                error: info.si_errno,
                code: info.si_code,
                process: info.si_pid(),
                user: info.si_uid() as i32,
                status: if is_child { info.si_status() } else { 0 },
                user_time: if is_child { info.si_utime() } else { 0 },
                system_time: if is_child { info.si_stime() } else { 0 },
                descriptor: 0,
            }
        }
    }
}

/// A signal as a table.
pub(super) fn info_table(vm: &mut Vm, info: &Info) -> Value {
    let mut table = vm.new_array();
    let mut add = |name: &str, value: Value| {
        table.make_mut(vm).set_bytes(name.as_bytes(), value);
    };
    add("signo", i64::from(info.signal).into());
    add("errno", i64::from(info.error).into());
    add("code", i64::from(info.code).into());
    match info.signal {
        libc::SIGCHLD => {
            add("status", i64::from(info.status).into());
            add("utime", (info.user_time as f64).into());
            add("stime", (info.system_time as f64).into());
            add("pid", i64::from(info.process).into());
            add("uid", i64::from(info.user).into());
        }
        libc::SIGUSR1 | libc::SIGUSR2 => {
            add("pid", i64::from(info.process).into());
            add("uid", i64::from(info.user).into());
        }
        libc::SIGILL | libc::SIGFPE | libc::SIGSEGV | libc::SIGBUS => add("addr", 0.0.into()),
        libc::SIGPOLL => {
            add("band", 0i64.into());
            add("fd", i64::from(info.descriptor).into());
        }
        signal if signal >= libc::SIGRTMIN() => {
            add("pid", i64::from(info.process).into());
            add("uid", i64::from(info.user).into());
        }
        _ => {}
    }
    table.into()
}

/// A place for a signal that came.
struct Slot {
    signal: AtomicI32,
    code: AtomicI32,
    process: AtomicI32,
    user: AtomicI32,
    status: AtomicI32,
}

static SLOTS: [Slot; NOTED] = [const {
    Slot {
        signal: AtomicI32::new(0),
        code: AtomicI32::new(0),
        process: AtomicI32::new(0),
        user: AtomicI32::new(0),
        status: AtomicI32::new(0),
    }
}; NOTED];
/// How many signals came, and how many were handled.
static CAME: AtomicUsize = AtomicUsize::new(0);
static HANDLED: AtomicUsize = AtomicUsize::new(0);
/// The interrupt word of the VM that handles signals: a share that is never given back.
static TARGET: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());
/// Functions run at the next jump or call.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// The system's handler: notes the signal, and does nothing that a signal may not.
unsafe extern "C" fn came(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let slot = &SLOTS[CAME.load(Ordering::Relaxed) % NOTED];
    // SAFETY: the system gives what is known of the signal.
    let known = unsafe { Info::of(&*info) };
    slot.signal.store(signal, Ordering::Relaxed);
    slot.code.store(known.code, Ordering::Relaxed);
    slot.process.store(known.process, Ordering::Relaxed);
    slot.user.store(known.user, Ordering::Relaxed);
    slot.status.store(known.status, Ordering::Relaxed);
    CAME.fetch_add(1, Ordering::Release);
    if AT_ONCE.load(Ordering::Relaxed) {
        wake();
    }
}

/// How many signals came that a script handles.
pub(crate) fn count() -> usize {
    CAME.load(Ordering::Acquire)
}

/// Whether a signal came since then that ends calls of the system: their functions ask for it.
pub(super) fn interrupt_since(before: usize) -> bool {
    (before..count()).rev().take(NOTED).any(|number| {
        let signal = SLOTS[number % NOTED].signal.load(Ordering::Relaxed);
        // SAFETY: zeros are a value of the structure; the system fills it.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action) == 0
                && action.sa_flags & libc::SA_RESTART == 0
        }
    })
}

/// Sets the interrupt word of the VM that handles signals.
fn wake() {
    let target = TARGET.load(Ordering::Acquire);
    // SAFETY: null, or a share that is never given back.
    if let Some(word) = unsafe { target.as_ref() } {
        word.fetch_or(interrupt::SIGNAL, Ordering::Relaxed);
    }
}

/// The functions of the script.
#[derive(Debug, Default)]
struct Handlers {
    /// By the number of the signal: a callable, or one of the numbers `SIG_DFL` and `SIG_IGN`.
    functions: Vec<(i64, Value)>,
    is_running: bool,
    is_known: bool,
}

fn handlers(vm: &mut Vm) -> &mut Handlers {
    vm.extensions.state()
}

/// What the system is told to do with a signal.
fn install(signal: i64, action: usize, restarts: bool) -> bool {
    // SAFETY: zeros are a value of the structure; the handler keeps to what a signal may do.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = action;
        libc::sigfillset(&mut new.sa_mask);
        new.sa_flags = libc::SA_ONSTACK;
        if action == came as *const () as usize {
            new.sa_flags |= libc::SA_SIGINFO;
        }
        if restarts && signal != i64::from(libc::SIGALRM) {
            new.sa_flags |= libc::SA_RESTART;
        }
        libc::sigaction(signal as c_int, &new, std::ptr::null_mut()) == 0
    }
}

/// This VM is the one that handles signals, until its request ends.
fn become_target(vm: &mut Vm) {
    if std::mem::replace(&mut handlers(vm).is_known, true) {
        return;
    }
    let word = Arc::into_raw(vm.interrupt.clone()).cast_mut();
    TARGET.store(word, Ordering::Release);
    HANDLED.store(CAME.load(Ordering::Acquire), Ordering::Relaxed);
    vm.on_signal = Some(|vm| {
        // What is thrown stays pending.
        let _ = dispatch(vm);
    });
    vm.request_end.push(|vm| {
        AT_ONCE.store(false, Ordering::Relaxed);
        TARGET.store(std::ptr::null_mut(), Ordering::Release);
        for (signal, _) in std::mem::take(&mut handlers(vm).functions) {
            install(signal, libc::SIG_DFL, true);
        }
        handlers(vm).is_known = false;
    });
    let function = vm.string("pcntl_signal_dispatch").into();
    vm.ticks.register(function, Vec::new());
}

/// Runs the functions for signals that came.
fn dispatch(vm: &mut Vm) -> PhpResult<()> {
    if std::mem::replace(&mut handlers(vm).is_running, true) {
        return Ok(());
    }
    let mut outcome = Ok(());
    loop {
        let next = HANDLED.load(Ordering::Relaxed);
        let came = CAME.load(Ordering::Acquire);
        if next == came {
            break;
        }
        // Older ones were written over.
        let next = next.max(came.saturating_sub(NOTED));
        HANDLED.store(next + 1, Ordering::Relaxed);
        let slot = &SLOTS[next % NOTED];
        let info = Info {
            signal: slot.signal.load(Ordering::Relaxed),
            code: slot.code.load(Ordering::Relaxed),
            process: slot.process.load(Ordering::Relaxed),
            user: slot.user.load(Ordering::Relaxed),
            status: slot.status.load(Ordering::Relaxed),
            ..Info::default()
        };
        let signal = i64::from(info.signal);
        let known = handlers(vm).functions.iter();
        let function = known
            .rev()
            .find(|(number, _)| *number == signal)
            .map(|(_, function)| function.clone());
        let Some(function) =
            function.filter(|function| !matches!(function.view(), ValueKind::Long(_)))
        else {
            continue;
        };
        let table = info_table(vm, &info);
        let called = vm.call(&function, vec![signal.into(), table]);
        if called.is_err() {
            // Those that came before the function threw are forgotten, as PHP does.
            HANDLED.store(CAME.load(Ordering::Acquire), Ordering::Relaxed);
            outcome = called.map(drop);
            break;
        }
    }
    handlers(vm).is_running = false;
    outcome
}

pub(super) fn signal(call: &mut Call<'_>) -> PhpResult<Value> {
    let (signal, function, restarts) = (call.long(0), call.value(1), call.bool(2));
    if signal < 1 {
        return Err(call.value_error(0, "must be greater than or equal to 1"));
    }
    if signal > LAST {
        return Err(call.value_error(0, "must be less than 65"));
    }
    become_target(call.vm);
    let action = match function.view() {
        ValueKind::Long(0) => libc::SIG_DFL,
        ValueKind::Long(1) => libc::SIG_IGN,
        ValueKind::Long(_) => {
            let problem = "must be either SIG_DFL or SIG_IGN when an integer value is given";
            return Err(call.value_error(1, problem));
        }
        _ => {
            if call.vm.resolve_callable(&function).is_err() {
                call.vm.check()?;
                let given = value_name(&function);
                let problem = format!("must be of type callable|int, {given} given");
                return Err(call.type_error(1, &problem));
            }
            came as *const () as usize
        }
    };
    let is_number = matches!(function.view(), ValueKind::Long(_));
    let functions = &mut handlers(call.vm).functions;
    if !install(signal, action, restarts) {
        let error = note(call.vm);
        let reason = super::error_text(error);
        return match is_number {
            true => warn(call.vm, format!("Error assigning signal: {reason}")),
            false => {
                let message = format!("Error installing signal handler for {signal}");
                call.vm.fatal_error(&message)
            }
        };
    }
    let position = functions.iter().position(|(number, _)| *number == signal);
    let before = position.map(|position| functions.remove(position));
    functions.push((signal, function));
    drop(before);
    Ok(true.into())
}

pub(super) fn signal_get_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let signal = call.long(0);
    if !(1..=LAST).contains(&signal) {
        return Err(call.value_error(0, "must be between 1 and 64"));
    }
    let functions = &handlers(call.vm).functions;
    let found = functions.iter().find(|(number, _)| *number == signal);
    Ok(found.map_or(0i64.into(), |(_, function)| function.clone()))
}

pub(super) fn signal_dispatch(call: &mut Call<'_>) -> PhpResult<Value> {
    dispatch(call.vm)?;
    Ok(true.into())
}

pub(super) fn async_signals(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = AT_ONCE.load(Ordering::Relaxed);
    if call.has(0) {
        become_target(call.vm);
        AT_ONCE.store(call.bool(0), Ordering::Relaxed);
        if call.bool(0) && HANDLED.load(Ordering::Relaxed) != CAME.load(Ordering::Acquire) {
            wake();
        }
    }
    Ok(before.into())
}

/// The set of signals in an argument.
fn set(call: &mut Call<'_>, index: usize, may_be_empty: bool) -> PhpResult<libc::sigset_t> {
    let signals = call.elements(index);
    if signals.is_empty() && !may_be_empty {
        return Err(call.value_error(index, "must not be empty"));
    }
    // SAFETY: the set is made empty before it is used.
    let mut set: libc::sigset_t = unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        set
    };
    for (_, value) in signals.iter() {
        let value = hold(value);
        let number = match value.view() {
            ValueKind::Long(_) | ValueKind::Bool(_) | ValueKind::Double(_) => {
                to_long(call.vm, &value)
            }
            ValueKind::String(text)
                if vm_runtime::operators::numeric_string::parse_whole(text.as_bytes())
                    .is_some() =>
            {
                to_long(call.vm, &value)
            }
            _ => {
                let given = value_name(&value);
                let problem = format!("signals must be of type int, {given} given");
                return Err(call.type_error(index, &problem));
            }
        };
        // SAFETY: the set is initialised; the system checks the number.
        let added = (1..=LAST).contains(&number)
            && unsafe { libc::sigaddset(&mut set, number as c_int) } == 0;
        if !added {
            return Err(call.value_error(index, "signals must be between 1 and 64"));
        }
    }
    Ok(set)
}

pub(super) fn sigprocmask(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(0) as c_int;
    if !matches!(how, libc::SIG_BLOCK | libc::SIG_UNBLOCK | libc::SIG_SETMASK) {
        let problem = "must be one of SIG_BLOCK, SIG_UNBLOCK, or SIG_SETMASK";
        return Err(call.value_error(0, problem));
    }
    let set = set(call, 1, how == libc::SIG_SETMASK)?;
    // SAFETY: both sets are initialised or filled by the system.
    let (outcome, before) = unsafe {
        let mut before = std::mem::zeroed();
        let outcome = libc::pthread_sigmask(how, &set, &mut before);
        (outcome, before)
    };
    if outcome != 0 {
        let error = note(call.vm);
        return warn(call.vm, super::error_text(error));
    }
    if call.count() > 2 {
        let mut members = new_list(call.vm, 4);
        for signal in 1..=LAST {
            // SAFETY: the set was filled.
            if unsafe { libc::sigismember(&before, signal as c_int) } == 1 {
                members.make_mut(call.vm).append(signal.into());
            }
        }
        call.assign(2, members.into());
    }
    Ok(true.into())
}

/// Waits for one of the signals in argument #1.
fn wait(call: &mut Call<'_>, limit: Option<libc::timespec>) -> PhpResult<Value> {
    let set = set(call, 0, false)?;
    let limit = limit.map(|limit| Duration::new(limit.tv_sec as u64, limit.tv_nsec as u32));
    let started = Instant::now();
    // SAFETY: zeros are a value of the structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let signal = call.vm.wait_until(|_, slice| {
        let left = limit.map(|limit| limit.saturating_sub(started.elapsed()));
        let time = left.map_or(slice, |left| left.min(slice));
        let time = libc::timespec {
            tv_sec: 0,
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        // SAFETY: the set is initialised; the system fills the structure.
        let signal = unsafe { libc::sigtimedwait(&set, &mut info, &time) };
        let has_time = left.is_none_or(|left| !left.is_zero());
        let waits = signal < 0
            && has_time
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN);
        (!waits).then_some(signal)
    });
    if signal < 0 {
        let error = note(call.vm);
        if error == libc::EAGAIN {
            return Ok(false.into());
        }
        return warn(call.vm, super::error_text(error));
    }
    if call.count() > 1 {
        let table = info_table(call.vm, &Info::of(&info));
        call.assign(1, table);
    }
    Ok(i64::from(signal).into())
}

pub(super) fn sigwaitinfo(call: &mut Call<'_>) -> PhpResult<Value> {
    wait(call, None)
}

pub(super) fn sigtimedwait(call: &mut Call<'_>) -> PhpResult<Value> {
    let (seconds, nanoseconds) = (call.long(2), call.long(3));
    if call.elements(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if seconds < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    if !(0..1_000_000_000).contains(&nanoseconds) {
        return Err(call.value_error(3, "must be between 0 and 1e9"));
    }
    if seconds == 0 && nanoseconds == 0 {
        let message = "pcntl_sigtimedwait(): At least one of argument #3 ($seconds) or argument \
                       #4 ($nanoseconds) must be greater than 0";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let limit = libc::timespec {
        tv_sec: seconds,
        tv_nsec: nanoseconds,
    };
    wait(call, Some(limit))
}

pub(super) fn alarm(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system takes any number.
    Ok(i64::from(unsafe { libc::alarm(call.long(0) as u32) }).into())
}
