//! Stream contexts: options by wrapper. Plain files have no use for them.

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::open::new_resource;
use crate::support::{functions, hold, new_list};

functions! {
    "stream_context_create(?array $options = null, ?array $params = null)" => stream_context_create,
    "stream_context_get_options($stream_or_context): array" => stream_context_get_options,
    "stream_context_set_options(resource $context, array $options): true" => stream_context_set_options,
    "stream_context_set_option(resource $context, array|string $wrapper_or_options, ?string $option_name = null, mixed $value = UNKNOWN): true" => stream_context_set_option,
    "stream_context_get_default(?array $options = null)" => stream_context_get_default,
    "stream_context_set_default(array $options)" => stream_context_set_default,
    "stream_context_get_params($context): array" => stream_context_get_params,
    "stream_context_set_params(resource $context, array $params): true" => stream_context_set_params,
    "stream_is_local($stream): bool" => stream_is_local,
}

/// Options by wrapper, and parameters.
#[derive(Debug)]
struct Context {
    options: ArrayHandle,
    params: ArrayHandle,
}

/// The context that calls without one use.
#[derive(Debug, Default)]
struct DefaultContext(Option<Value>);

fn make(vm: &mut Vm) -> Value {
    let (options, params) = (vm.new_array(), vm.new_array());
    new_resource(vm, "stream-context", Box::new(Context { options, params }))
}

/// The context in argument #1, or that of the stream there, which gets one if it has none.
fn context<'a>(call: &mut Call<'a>) -> PhpResult<Option<&'a mut Context>> {
    let value = call.argument(0).deref();
    if let ValueKind::Resource(_) = value.view() {
        let mut resource = value.resource();
        // SAFETY: I3: the argument keeps the stream alive during the call.
        if let Some(stream) = unsafe { super::stream_in(value) } {
            let context = stream.context.get_or_insert_with(|| make(call.vm));
            resource = context.resource();
        }
        // SAFETY: I3: the argument keeps the resource alive during the call, or the stream does; natives of one
        // VM run on one thread and do not hold two borrows of a context.
        let resource = unsafe { &mut *resource };
        let context = resource
            .payload
            .as_mut()
            .and_then(|payload| payload.downcast_mut());
        return match context {
            Some(context) => Ok(Some(context)),
            None => Err(call.type_error(0, "must be a valid stream/context")),
        };
    }
    let name = vm_runtime::operators::value_name(value);
    Err(call.type_error(0, &format!("must be of type resource, {name} given")))
}

/// Adds options, which are arrays by wrapper.
fn add_options(call: &mut Call<'_>, context: &mut Context, options: &PhpArray) -> PhpResult<()> {
    for (key, value) in options.iter() {
        let named = matches!(key, vm_runtime::array::KeyRef::String(_));
        let Some(inner) = hold(value).array().filter(|_| named) else {
            return Err(call.vm.throw_error(
                KnownClass::ValueError,
                "Options should have the form [\"wrappername\"][\"optionname\"] = $value",
            ));
        };
        let mut merged = match context
            .options
            .get(key)
            .map(hold)
            .and_then(|old| old.array())
        {
            Some(old) => old,
            None => new_list(call.vm, inner.len()),
        };
        for (name, value) in inner.iter() {
            merged.make_mut(call.vm).set(name, hold(value));
        }
        context.options.make_mut(call.vm).set(key, merged.into());
    }
    Ok(())
}

fn add_params(call: &mut Call<'_>, context: &mut Context, params: &PhpArray) -> PhpResult<()> {
    for (key, value) in params.iter() {
        let is_options = matches!(
            key,
            vm_runtime::array::KeyRef::String(name) if name.as_bytes() == b"options"
        );
        if !is_options {
            context.params.make_mut(call.vm).set(key, hold(value));
            continue;
        }
        let Some(options) = hold(value).array() else {
            return Err(call
                .vm
                .throw_error(KnownClass::TypeError, "Invalid stream/context parameter"));
        };
        add_options(call, context, &options)?;
    }
    Ok(())
}

fn with_payload<T>(value: &Value, change: impl FnOnce(&mut Context) -> T) -> Option<T> {
    // SAFETY: I3: the value keeps the resource alive; see `context`.
    let resource = unsafe { &mut *value.resource() };
    resource
        .payload
        .as_mut()
        .and_then(|payload| payload.downcast_mut())
        .map(change)
}

/// The context in argument `index`, or the default one.
pub(crate) fn context_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Value> {
    if !call.has(index) {
        return Ok(default_context(call.vm));
    }
    let value = call.value(index);
    if let ValueKind::Resource(resource) = value.view() {
        let payload = resource.payload.as_ref();
        if payload.is_some_and(|payload| payload.is::<Context>()) {
            return Ok(value);
        }
        let name = call.function().display_name();
        let message = format!("{name}(): supplied resource is not a valid Stream-Context resource");
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    let name = vm_runtime::operators::value_name(&value);
    let problem = format!("must be of type resource or null, {name} given");
    Err(call.type_error(index, &problem))
}

/// An option of a context.
pub(crate) fn context_option(context: &Value, wrapper: &[u8], name: &[u8]) -> Option<Value> {
    let ValueKind::Resource(_) = context.view() else {
        return None;
    };
    with_payload(context, |context| {
        let options = hold(context.options.get_bytes(wrapper)?).array()?;
        options.get_bytes(name).map(hold)
    })?
}

/// Sets an option of a context.
#[cfg(feature = "tls")]
pub(crate) fn set_context_option(
    vm: &mut Vm,
    context: &Value,
    wrapper: &[u8],
    name: &[u8],
    value: Value,
) {
    let ValueKind::Resource(_) = context.view() else {
        return;
    };
    let before = with_payload(context, |context| {
        let known = context.options.get_bytes(wrapper).map(hold);
        let mut options = match known.and_then(|known| known.array()) {
            Some(known) => known,
            None => new_list(vm, 1),
        };
        options.make_mut(vm).set_bytes(name, value);
        let before = std::mem::replace(&mut context.options, vm.new_array());
        context.options = before.clone();
        context
            .options
            .make_mut(vm)
            .set_bytes(wrapper, options.into());
        before
    });
    // What stood there goes when nobody holds the context any more.
    drop(before);
}

fn stream_context_create(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = make(call.vm);
    let (options, params) = (call.value(0).array(), call.value(1).array());
    let added = with_payload(&value, |context| {
        if let Some(options) = &options {
            add_options(call, context, options)?;
        }
        if let Some(params) = &params {
            add_params(call, context, params)?;
        }
        Ok(())
    });
    added.unwrap_or(Ok(()))?;
    Ok(value)
}

fn stream_context_get_options(call: &mut Call<'_>) -> PhpResult<Value> {
    match context(call)? {
        Some(context) => Ok(context.options.clone().into()),
        None => Ok(call.vm.new_array().into()),
    }
}

fn stream_context_set_options(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = call.array(1);
    let Some(context) = context(call)? else {
        return Ok(false.into());
    };
    add_options(call, context, &options)?;
    Ok(true.into())
}

fn stream_context_set_option(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(context) = context(call)? else {
        return Ok(false.into());
    };
    if call.count() < 3 {
        call.vm.deprecated(
            "Calling stream_context_set_option() with 2 arguments is deprecated, use stream_context_set_options() instead",
        );
        call.vm.check()?;
    }
    if let Some(options) = call.value(1).array() {
        if call.has(2) {
            return Err(call.value_error(
                2,
                "must be null when argument #2 ($wrapper_or_options) is an array",
            ));
        }
        if call.count() > 3 {
            return Err(call.value_error(
                3,
                "cannot be provided when argument #2 ($wrapper_or_options) is an array",
            ));
        }
        add_options(call, context, &options)?;
        return Ok(true.into());
    }
    if !call.has(2) {
        return Err(call.value_error(
            2,
            "cannot be null when argument #2 ($wrapper_or_options) is a string",
        ));
    }
    if call.argument(3).is_undef() {
        return Err(call.value_error(
            3,
            "must be provided when argument #2 ($wrapper_or_options) is a string",
        ));
    }
    let (wrapper, name, value) = (call.string(1), call.string(2), call.value(3));
    let mut options = match context
        .options
        .get_string(&wrapper)
        .map(hold)
        .and_then(|old| old.array())
    {
        Some(old) => old,
        None => new_list(call.vm, 1),
    };
    options.make_mut(call.vm).set_string(&name, value);
    context
        .options
        .make_mut(call.vm)
        .set_string(&wrapper, options.into());
    Ok(true.into())
}

fn default_context(vm: &mut Vm) -> Value {
    if let Some(value) = &vm.extensions.state::<DefaultContext>().0 {
        return value.clone();
    }
    let value = make(vm);
    let default = &mut vm.extensions.state::<DefaultContext>().0;
    drop(default.replace(value.clone()));
    value
}

fn stream_context_get_default(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = default_context(call.vm);
    if let Some(options) = call.value(0).array() {
        with_payload(&value, |context| add_options(call, context, &options)).unwrap_or(Ok(()))?;
    }
    Ok(value)
}

fn stream_context_set_default(call: &mut Call<'_>) -> PhpResult<Value> {
    stream_context_get_default(call)
}

fn stream_context_get_params(call: &mut Call<'_>) -> PhpResult<Value> {
    let (mut params, options) = match context(call)? {
        Some(context) => (context.params.clone(), context.options.clone()),
        None => (call.vm.new_array(), call.vm.new_array()),
    };
    params
        .make_mut(call.vm)
        .set_bytes(b"options", options.into());
    Ok(params.into())
}

fn stream_context_set_params(call: &mut Call<'_>) -> PhpResult<Value> {
    let params = call.array(1);
    let Some(context) = context(call)? else {
        return Ok(false.into());
    };
    add_params(call, context, &params)?;
    Ok(true.into())
}

fn stream_is_local(call: &mut Call<'_>) -> PhpResult<Value> {
    if let ValueKind::Resource(_) = call.argument(0).deref().view() {
        let target = super::open::stream(call, 0)?;
        return Ok((!target.wrapper_is_url()).into());
    }
    let name = call.value(0).to_string(call.vm)?;
    let is_url = super::wrappers::is_url(call.vm, name.as_bytes())?;
    Ok((!is_url).into())
}
