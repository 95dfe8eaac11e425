//! Calling native functions from tests, without an interpreter.

use vm_runtime::function::Call;
use vm_runtime::output::Sink;
use vm_runtime::types::prepare_native_call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

/// A VM with the whole library, whose output is kept.
pub(crate) fn vm() -> Box<Vm> {
    let mut vm = Vm::new(128 << 20);
    vm.output.set_sink(Sink::Capture(Vec::new()));
    crate::register(&mut vm);
    vm
}

/// Calls a native function.
pub(crate) fn call(vm: &mut Vm, name: &str, arguments: &[Value]) -> PhpResult<Value> {
    let function = vm
        .find_function(name.as_bytes())
        .unwrap_or_else(|| panic!("no {name}"));
    // SAFETY: a frame with room for all arguments and parameters, as the interpreter makes it; its
    // slots are initialised, and released at the end.
    unsafe {
        let slots = arguments.len() + (*function).parameter_count as usize;
        let frame = vm.stack.top.cast::<vm_runtime::frame::Frame>();
        let header = vm_runtime::frame::HEADER_SLOTS as usize;
        vm.stack.top = vm.stack.top.add(header + slots);
        for slot in 0..header + slots {
            frame.cast::<Zval>().add(slot).write(Zval::UNDEF);
        }
        (*frame).function = function;
        (*frame).this.extra = arguments.len() as u32;
        (*frame).previous = vm.current_frame;
        for (index, argument) in arguments.iter().enumerate() {
            (*frame).slot(index as u32).write(argument.share());
        }
        vm.current_frame = frame;
        let result = match prepare_native_call(vm, frame) {
            Ok(()) => (*function).native.expect("native code")(&mut Call { vm, frame }),
            Err(thrown) => Err(thrown),
        };
        vm.current_frame = (*frame).previous;
        for slot in 0..slots {
            vm_runtime::value::release((*frame).slot(slot as u32));
        }
        vm.stack.top = frame.cast();
        result
    }
}

/// Calls a native function on numbers written as PHP has them, and shows the result as
/// `var_export` does (strings without quotes).
pub(crate) fn call_text(vm: &mut Vm, name: &str, arguments: &[&str]) -> String {
    let arguments: Vec<Value> = arguments.iter().map(|text| parse(vm, text)).collect();
    let result = call(vm, name, &arguments).expect("no exception");
    show(&result)
}

fn parse(vm: &mut Vm, text: &str) -> Value {
    match text {
        "null" => return Value::NULL,
        "true" => return true.into(),
        "false" => return false.into(),
        "NAN" => return f64::NAN.into(),
        "INF" => return f64::INFINITY.into(),
        _ => {}
    }
    if let Some(string) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        return vm.string(string).into();
    }
    match text.parse::<i64>() {
        Ok(value) => value.into(),
        Err(_) => text.parse::<f64>().expect("a number").into(),
    }
}

/// A value as `var_export` shows it, strings without quotes.
pub(crate) fn show(value: &Value) -> String {
    use vm_runtime::value::ValueKind;
    match value.view() {
        ValueKind::Null => "NULL".into(),
        ValueKind::Bool(value) => value.to_string(),
        ValueKind::Long(value) => value.to_string(),
        ValueKind::Double(value) => {
            vm_runtime::operators::float_text::with_fraction(value, -1).to_string()
        }
        ValueKind::String(value) => value.to_text().into_owned(),
        ValueKind::Array(array) => {
            let elements: Vec<String> = array
                .iter()
                .map(|(_, value)| show(&Value::share(value)))
                .collect();
            format!("[{}]", elements.join(", "))
        }
        _ => "object".into(),
    }
}
