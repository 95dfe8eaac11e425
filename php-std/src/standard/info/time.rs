//! The clock: reading it and waiting for it.

use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

#[cfg(feature = "pcntl")]
use crate::pcntl::signals_came;
use crate::support::{direct, functions, list, text};

functions! {
    "microtime(bool $as_float = false): string|float" => microtime,
    "hrtime(bool $as_number = false): array|int|float|false" => hrtime,
    "gettimeofday(bool $as_float = false): array|float" => gettimeofday,
    "sleep(int $seconds): int" => sleep,
    "usleep(int $microseconds): void" => usleep,
    "time_nanosleep(int $seconds, int $nanoseconds): array|bool" => time_nanosleep,
    "time_sleep_until(float $timestamp): bool" => time_sleep_until,
    "uniqid(string $prefix = \"\", bool $more_entropy = false): string" => uniqid,
    "getrusage(int $mode = 0): array|false" => getrusage,
    "#[Deprecated(\"8.2\", \"use date_parse_from_format() (for locale-independent parsing), or IntlDateFormatter::parse() (for locale-dependent parsing) instead\")] strptime(string $timestamp, string $format): array|false" => strptime,
}

functions! { DATE_FUNCTIONS:
    "time(): int" => time | time_directly,
}

/// Time since 1970.
fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

direct! {
    fn time_directly(_;) { seconds() }
}

fn time(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(seconds().into())
}

fn seconds() -> i64 {
    now().as_secs() as i64
}

fn microtime(call: &mut Call<'_>) -> PhpResult<Value> {
    let now = now();
    let (seconds, micros) = (now.as_secs(), now.subsec_micros());
    if call.bool(0) {
        return Ok((seconds as f64 + micros as f64 / 1e6).into());
    }
    text(call.vm, format!("0.{micros:06}00 {seconds}"))
}

/// Time of a clock that never goes back.
fn monotonic() -> (i64, i64) {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the struct outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec, time.tv_nsec)
}

fn hrtime(call: &mut Call<'_>) -> PhpResult<Value> {
    let (seconds, nanos) = monotonic();
    if call.bool(0) {
        return Ok((seconds * 1_000_000_000 + nanos).into());
    }
    Ok(list(call.vm, [seconds.into(), nanos.into()]))
}

fn table(vm: &mut Vm, fields: &[(&str, i64)]) -> Value {
    let mut table = vm.new_array();
    let target = table.make_mut(vm);
    for &(name, value) in fields {
        target.set_bytes(name.as_bytes(), value.into());
    }
    table.into()
}

fn gettimeofday(call: &mut Call<'_>) -> PhpResult<Value> {
    let now = now();
    if call.bool(0) {
        return Ok((now.as_secs() as f64 + now.subsec_micros() as f64 / 1e6).into());
    }
    let fields = [
        ("sec", now.as_secs() as i64),
        ("usec", now.subsec_micros() as i64),
        ("minuteswest", 0),
        ("dsttime", 0),
    ];
    Ok(table(call.vm, &fields))
}

/// Waits; what was written before can be read meanwhile. Gives the time that was left when a signal
/// came that the script handles.
fn wait(vm: &mut Vm, time: Duration) -> Duration {
    vm.output.flush();
    let came = signals_came();
    let started = Instant::now();
    vm.wait_until(|_, slice| {
        let left = time.saturating_sub(started.elapsed());
        if signals_came() != came {
            return Some(left);
        }
        std::thread::sleep(left.min(slice));
        (left <= slice).then_some(Duration::ZERO)
    })
}

/// How many signals came that the script handles.
#[cfg(not(feature = "pcntl"))]
fn signals_came() -> usize {
    0
}

fn sleep(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(seconds) = u32::try_from(call.long(0)) else {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    };
    let left = wait(call.vm, Duration::from_secs(seconds.into()));
    call.vm.run_signals()?;
    Ok((left.as_secs_f64().round() as i64).into())
}

fn usleep(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(micros) = u32::try_from(call.long(0)) else {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    };
    wait(call.vm, Duration::from_micros(micros.into()));
    call.vm.run_signals()?;
    Ok(Value::NULL)
}

fn time_nanosleep(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(seconds) = u64::try_from(call.long(0)) else {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    };
    let Ok(nanos) = u64::try_from(call.long(1)) else {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    };
    if nanos > 999_999_999 {
        return Err(call.vm.throw_error(
            KnownClass::ValueError,
            "Nanoseconds was not in the range 0 to 999 999 999 or seconds was negative",
        ));
    }
    let left = wait(call.vm, Duration::new(seconds, nanos as u32));
    call.vm.run_signals()?;
    if left.is_zero() {
        return Ok(true.into());
    }
    let left = [
        ("seconds", left.as_secs() as i64),
        ("nanoseconds", left.subsec_nanos().into()),
    ];
    Ok(table(call.vm, &left))
}

fn time_sleep_until(call: &mut Call<'_>) -> PhpResult<Value> {
    // Microseconds are counted in 64 bits.
    const MOST: f64 = 18_446_744_073.0;
    if !(0.0..MOST).contains(&call.double(0)) {
        return Err(call.value_error(0, &format!("must be between 0 and {MOST:.0}")));
    }
    let target = Duration::try_from_secs_f64(call.double(0)).unwrap_or_default();
    let Some(time) = target.checked_sub(now()).filter(|time| !time.is_zero()) else {
        call.vm.function_warning(
            "Argument #1 ($timestamp) must be greater than or equal to the current time",
        );
        return Ok(false.into());
    };
    // It goes on after a signal.
    call.vm.wait(time);
    call.vm.run_signals()?;
    Ok(true.into())
}

fn uniqid(call: &mut Call<'_>) -> PhpResult<Value> {
    /// The microsecond of the last call.
    static LAST: AtomicU64 = AtomicU64::new(0);
    // Two calls never see the same one.
    let now = loop {
        let now = now();
        let microsecond = now.as_micros() as u64;
        if LAST.swap(microsecond, Ordering::Relaxed) != microsecond {
            break now;
        }
        std::hint::spin_loop();
    };
    let mut id = call.bytes(0).to_vec();
    id.extend_from_slice(format!("{:08x}{:05x}", now.as_secs(), now.subsec_micros()).as_bytes());
    if call.bool(1) {
        let random = crate::random::combined_lcg(call.vm) * 10.0;
        id.extend_from_slice(format!("{random:.8}").as_bytes());
    }
    text(call.vm, id)
}

fn getrusage(call: &mut Call<'_>) -> PhpResult<Value> {
    let who = if call.long(0) == 1 {
        libc::RUSAGE_CHILDREN
    } else {
        libc::RUSAGE_SELF
    };
    // SAFETY: all fields are plain numbers, for which zero is valid; the struct outlives the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        if libc::getrusage(who, &mut usage) != 0 {
            return Ok(false.into());
        }
        usage
    };
    Ok(usage_table(call.vm, &usage))
}

/// A table of what a process used.
pub(crate) fn usage_table(vm: &mut Vm, usage: &libc::rusage) -> Value {
    let fields = [
        ("ru_oublock", usage.ru_oublock),
        ("ru_inblock", usage.ru_inblock),
        ("ru_msgsnd", usage.ru_msgsnd),
        ("ru_msgrcv", usage.ru_msgrcv),
        ("ru_maxrss", usage.ru_maxrss),
        ("ru_ixrss", usage.ru_ixrss),
        ("ru_idrss", usage.ru_idrss),
        ("ru_minflt", usage.ru_minflt),
        ("ru_majflt", usage.ru_majflt),
        ("ru_nsignals", usage.ru_nsignals),
        ("ru_nvcsw", usage.ru_nvcsw),
        ("ru_nivcsw", usage.ru_nivcsw),
        ("ru_nswap", usage.ru_nswap),
        ("ru_utime.tv_usec", usage.ru_utime.tv_usec),
        ("ru_utime.tv_sec", usage.ru_utime.tv_sec),
        ("ru_stime.tv_usec", usage.ru_stime.tv_usec),
        ("ru_stime.tv_sec", usage.ru_stime.tv_sec),
    ];
    table(vm, &fields)
}

/// `strptime()`: what a text says of a time, in the language that is set.
fn strptime(call: &mut Call<'_>) -> PhpResult<Value> {
    let (Ok(source), Ok(format)) = (CString::new(call.bytes(0)), CString::new(call.bytes(1)))
    else {
        return Ok(false.into());
    };
    // SAFETY: zeros are a value of the structure; the texts end with NUL and outlive the call, and
    // what is given back points into the first or is null.
    let (parsed, rest) = unsafe {
        let mut parsed: libc::tm = std::mem::zeroed();
        let end = libc::strptime(source.as_ptr(), format.as_ptr(), &mut parsed);
        if end.is_null() {
            return Ok(false.into());
        }
        (parsed, CStr::from_ptr(end).to_bytes().to_vec())
    };
    let fields = [
        ("tm_sec", parsed.tm_sec),
        ("tm_min", parsed.tm_min),
        ("tm_hour", parsed.tm_hour),
        ("tm_mday", parsed.tm_mday),
        ("tm_mon", parsed.tm_mon),
        ("tm_year", parsed.tm_year),
        ("tm_wday", parsed.tm_wday),
        ("tm_yday", parsed.tm_yday),
    ];
    let fields = fields.map(|(name, value)| (name, i64::from(value)));
    let mut result = table(call.vm, &fields);
    let rest = call.vm.string(rest).into();
    if let Some(mut array) = result.array() {
        drop(result);
        array.make_mut(call.vm).set_bytes(b"unparsed", rest);
        result = array.into();
    }
    Ok(result)
}
