//! `stream_wrapper_register()` and its kin.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{NATIVE, Wrappers, is_scheme_byte};
use crate::support::{functions, list};

functions! {
    "stream_wrapper_register(string $protocol, class_name $class, int $flags = 0): bool" => stream_wrapper_register,
    "stream_register_wrapper(string $protocol, class_name $class, int $flags = 0): bool" => stream_wrapper_register,
    "stream_wrapper_unregister(string $protocol): bool" => stream_wrapper_unregister,
    "stream_wrapper_restore(string $protocol): bool" => stream_wrapper_restore,
    "stream_get_wrappers(): array" => stream_get_wrappers,
}

/// The native scheme of a name.
fn native_name(protocol: &[u8]) -> Option<&'static str> {
    NATIVE
        .iter()
        .map(|(known, _)| *known)
        .find(|known| known.as_bytes().eq_ignore_ascii_case(protocol))
}

fn stream_wrapper_register(call: &mut Call<'_>) -> PhpResult<Value> {
    let (protocol, class_name) = (call.bytes(0), call.bytes(1));
    let Some(class) = call.vm.class_by_name(class_name, true)? else {
        let shown = vm_runtime::message::text(class_name);
        let problem = format!("must be a valid class name, {shown} given");
        return Err(call.type_error(1, &problem));
    };
    let shown = vm_runtime::message::text(protocol).into_owned();
    // The empty name passes for one.
    if !protocol.iter().all(|&byte| is_scheme_byte(byte)) {
        // SAFETY: I4: classes live until the VM ends.
        let class = unsafe { (*class).display_name() };
        call.vm.function_warning(format!(
            "Invalid protocol scheme specified. Unable to register wrapper class {class} to {shown}://"
        ));
        return Ok(false.into());
    }
    let is_url = call.long(2) & 1 != 0;
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let is_native = native_name(protocol).is_some_and(|known| !wrappers.removed.contains(&known));
    let mut known = wrappers.user.iter();
    if is_native || known.any(|known| known.scheme.eq_ignore_ascii_case(protocol)) {
        call.vm
            .function_warning(format!("Protocol {shown}:// is already defined."));
        return Ok(false.into());
    }
    wrappers.user.push(super::UserWrapper {
        scheme: protocol.into(),
        class,
        is_url,
    });
    Ok(true.into())
}

fn stream_wrapper_unregister(call: &mut Call<'_>) -> PhpResult<Value> {
    let protocol = call.bytes(0);
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let before = wrappers.user.len();
    wrappers
        .user
        .retain(|known| !known.scheme.eq_ignore_ascii_case(protocol));
    if wrappers.user.len() < before {
        return Ok(true.into());
    }
    match native_name(protocol) {
        Some(native) if !wrappers.removed.contains(&native) => {
            wrappers.removed.push(native);
            Ok(true.into())
        }
        _ => {
            let shown = vm_runtime::message::text(protocol).into_owned();
            call.vm
                .function_warning(format!("Unable to unregister protocol {shown}://"));
            Ok(false.into())
        }
    }
}

fn stream_wrapper_restore(call: &mut Call<'_>) -> PhpResult<Value> {
    let protocol = call.bytes(0);
    let shown = vm_runtime::message::text(protocol).into_owned();
    let Some(native) = native_name(protocol) else {
        call.vm
            .function_warning(format!("{shown}:// never existed, nothing to restore"));
        return Ok(false.into());
    };
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let replaced = wrappers.user.len();
    wrappers
        .user
        .retain(|known| !known.scheme.eq_ignore_ascii_case(protocol));
    let removed = wrappers.removed.len();
    wrappers.removed.retain(|known| *known != native);
    if wrappers.user.len() == replaced && wrappers.removed.len() == removed {
        call.vm
            .function_notice(format!("{shown}:// was never changed, nothing to restore"));
    }
    Ok(true.into())
}

fn stream_get_wrappers(call: &mut Call<'_>) -> PhpResult<Value> {
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let native = NATIVE.iter().map(|(name, _)| *name);
    let there = native.filter(|name| !wrappers.removed.contains(name));
    let mut names: Vec<Vec<u8>> = there.map(|name| name.as_bytes().to_vec()).collect();
    names.extend(wrappers.user.iter().map(|known| known.scheme.to_vec()));
    let names: Vec<Value> = names
        .into_iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}
