//! What only the web server has: the heads of request and response as tables.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::response::{default_type, is_named, response};
use crate::support::functions;

functions! {
    "getallheaders(): array" => getallheaders,
    "apache_request_headers(): array" => getallheaders,
    "apache_response_headers(): array" => apache_response_headers,
}

fn getallheaders(call: &mut Call<'_>) -> PhpResult<Value> {
    let headers = response(call.vm).of_request.clone();
    let mut table = call.vm.new_array();
    for (name, value) in headers {
        let value = call.vm.string(value).into();
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    Ok(table.into())
}

/// The lines of the head as they are sent, by name.
fn apache_response_headers(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut lines = response(call.vm).headers.clone();
    if !lines.iter().any(|line| is_named(line, b"Content-type")) {
        lines.push(default_type(call.vm));
    }
    let mut table = call.vm.new_array();
    for line in lines {
        if let Some(colon) = memchr::memchr(b':', &line) {
            let value = call.vm.string(line[colon + 1..].trim_ascii_start()).into();
            table.make_mut(call.vm).set_bytes(&line[..colon], value);
        }
    }
    Ok(table.into())
}
