//! `request_parse_body()`: what PHP reads by itself of POST requests, for all others.

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::ini::{access, parse_quantity};
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::{form, query_table, response};
use crate::spl::throw;
use crate::standard::files::RequestBody;
use crate::support::{functions, list};

functions! {
    "request_parse_body(?array $options = null): array" => request_parse_body,
}

/// The settings that may be given for one call.
const OPTIONS: [&str; 5] = [
    "max_file_uploads",
    "max_input_vars",
    "max_multipart_body_parts",
    "post_max_size",
    "upload_max_filesize",
];

fn invalid(vm: &mut Vm, what: String) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::ValueError, what)
}

/// Checks the options: settings and their values.
fn options(call: &mut Call<'_>) -> PhpResult<Vec<(&'static str, i64)>> {
    let mut settings = Vec::new();
    let Some(given) = call.value(0).array() else {
        return Ok(settings);
    };
    for (key, value) in given.iter() {
        let KeyRef::String(name) = key else {
            return Err(invalid(
                call.vm,
                "Invalid integer key in $options argument".into(),
            ));
        };
        let known = OPTIONS
            .iter()
            .find(|known| known.as_bytes() == &*name.to_vec());
        let Some(known) = known else {
            let name = String::from_utf8_lossy(name).into_owned();
            let message = format!("Invalid key \"{name}\" in $options argument");
            return Err(invalid(call.vm, message));
        };
        let number = match value.deref().view() {
            ValueKind::Long(number) => number,
            ValueKind::String(text) => {
                let (number, problem) = parse_quantity(text.as_bytes());
                if let Some(problem) = problem {
                    call.vm.warning(problem);
                    call.vm.check()?;
                }
                number
            }
            _ => {
                let kind = value_name(value.deref());
                let message = format!("Invalid {kind} value in $options argument");
                return Err(invalid(call.vm, message));
            }
        };
        settings.push((*known, number));
    }
    Ok(settings)
}

fn request_parse_body(call: &mut Call<'_>) -> PhpResult<Value> {
    let settings = options(call)?;
    let vm = &mut *call.vm;
    let headers = &response(vm).of_request;
    let kind = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("Content-Type"))
        .map(|(_, kind)| kind.clone());
    let Some(kind) = kind else {
        let message = "Request does not provide a content type";
        return Err(throw(vm, "RequestParseBodyException", message));
    };
    let plain_kind = kind.split(';').next().unwrap_or_default().trim();
    let body = std::mem::take(&mut vm.extensions.state::<RequestBody>().0);
    let mut before = Vec::new();
    for (name, number) in settings {
        before.push((name, vm.ini.text(name).to_vec()));
        // What a setting refuses stays as it was.
        let _ = vm.ini_change(name.as_bytes(), number.to_string().as_bytes(), access::ALL);
    }
    let (mut post, mut files) = (vm.new_array(), vm.new_array());
    let is_known = if plain_kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        post = query_table(vm, &body);
        true
    } else if plain_kind.eq_ignore_ascii_case("multipart/form-data") {
        form::read(vm, &kind, &body, &mut post, &mut files);
        true
    } else {
        false
    };
    for (name, value) in before {
        let _ = vm.ini_change(name.as_bytes(), &value, access::ALL);
    }
    vm.check()?;
    if !is_known {
        vm.extensions.state::<RequestBody>().0 = body;
        let message = format!("Content-Type \"{plain_kind}\" is not supported");
        return Err(throw(vm, "InvalidArgumentException", &message));
    }
    Ok(list(vm, [post.into(), files.into()]))
}
