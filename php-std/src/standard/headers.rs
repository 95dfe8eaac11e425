//! HTTP headers. The command line sends none, but the functions and their warnings are there.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::functions;

functions! {
    "header(string $header, bool $replace = true, int $response_code = 0): void" => header,
    "header_remove(?string $name = null): void" => header_remove,
    "headers_list(): array" => headers_list,
    "headers_sent(&$filename = null, &$line = null): bool" => headers_sent,
    "http_response_code(int $response_code = 0): int|bool" => http_response_code,
    "header_register_callback(callable $callback): bool" => header_register_callback,
    "setcookie(string $name, string $value = '', array|int $expires_or_options = 0, string $path = '', string $domain = '', bool $secure = false, bool $httponly = false): bool" => setcookie,
    "setrawcookie(string $name, string $value = '', array|int $expires_or_options = 0, string $path = '', string $domain = '', bool $secure = false, bool $httponly = false): bool" => setcookie,
}

/// Status of the response; 0 while it was not set.
#[derive(Debug, Default)]
struct Response {
    code: i64,
}

fn response(vm: &mut Vm) -> &mut Response {
    vm.extensions.state()
}

/// Warns if output has begun; true if headers can still be set.
fn can_set(vm: &mut Vm) -> PhpResult<bool> {
    let Some((file, line)) = &vm.output.started else {
        return Ok(true);
    };
    let message = format!(
        "Cannot modify header information - headers already sent by (output started at {}:{line})",
        file.to_text()
    );
    vm.warning(message);
    vm.check()?;
    Ok(false)
}

fn header(call: &mut Call<'_>) -> PhpResult<Value> {
    if !can_set(call.vm)? {
        return Ok(Value::NULL);
    }
    let line = call.bytes(0).trim_ascii_end();
    if line.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
        call.vm
            .warning("Header may not contain more than a single header, new line detected");
        call.vm.check()?;
        return Ok(Value::NULL);
    }
    if line.contains(&0) {
        call.vm.warning("Header may not contain NUL bytes");
        call.vm.check()?;
        return Ok(Value::NULL);
    }
    let code = call.long(2);
    let response = response(call.vm);
    if line.len() > 5 && line[..5].eq_ignore_ascii_case(b"HTTP/") {
        let status = line
            .split(|&byte| byte == b' ')
            .find(|part| !part.is_empty() && part[0] != b'H');
        response.code = status.map_or(200, vm_runtime::operators::numeric_string::to_long);
    } else if line.len() > 9 && line[..9].eq_ignore_ascii_case(b"Location:") {
        let redirects = matches!(response.code, 201 | 300..=399);
        if !redirects {
            response.code = 302;
        }
    }
    if code != 0 {
        response.code = code;
    }
    Ok(Value::NULL)
}

fn header_remove(call: &mut Call<'_>) -> PhpResult<Value> {
    can_set(call.vm)?;
    Ok(Value::NULL)
}

fn headers_list(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.new_array().into())
}

fn headers_sent(call: &mut Call<'_>) -> PhpResult<Value> {
    let started = call.vm.output.started.clone();
    let sent = started.is_some();
    let (file, line) = started.unwrap_or_else(|| (call.vm.string(""), 0));
    call.assign(0, file.into());
    call.assign(1, (line as i64).into());
    Ok(sent.into())
}

fn http_response_code(call: &mut Call<'_>) -> PhpResult<Value> {
    let code = call.long(0);
    if code != 0 && !can_set(call.vm)? {
        return Ok(false.into());
    }
    let response = response(call.vm);
    let before = response.code;
    if code != 0 {
        response.code = code;
        return Ok(if before == 0 {
            true.into()
        } else {
            before.into()
        });
    }
    Ok(if before == 0 {
        false.into()
    } else {
        before.into()
    })
}

fn header_register_callback(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(true.into())
}

fn setcookie(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if name.iter().any(|byte| b"=,; \t\r\n\x0b\x0c".contains(byte)) {
        let problem = "cannot contain \"=\", \",\", \";\", \" \", \"\\t\", \"\\r\", \"\\n\", \
                       \"\\013\", or \"\\014\"";
        return Err(call.value_error(0, problem));
    }
    Ok(can_set(call.vm)?.into())
}
