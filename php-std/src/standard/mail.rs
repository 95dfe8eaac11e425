//! `mail`: hands a message to the program that the setting `sendmail_path` names.

use std::io::Write;

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::processes::{escaped_command, run_with_input};
use crate::support::{functions, hold};

functions! {
    "mail(path $to, string $subject, string $message, array|string $additional_headers = [], string $additional_params = \"\"): bool" => mail,
}

/// Headers that can stand only once.
const SINGLE: [&str; 11] = [
    "orig-date",
    "from",
    "sender",
    "reply-to",
    "to",
    "bcc",
    "cc",
    "message-id",
    "references",
    "in-reply-to",
    "subject",
];

/// The headers and the parameters of the command that a call of `mail` or `mb_send_mail` has.
pub(crate) fn headers_and_parameters(call: &mut Call<'_>) -> PhpResult<(Vec<u8>, Vec<u8>)> {
    for index in 0..call.count() {
        if let ValueKind::String(text) = call.argument(index).deref().view()
            && memchr::memchr(0, text.as_bytes()).is_some()
        {
            return Err(call.value_error(index, "must not contain any null bytes"));
        }
    }
    let mut headers = match call.value(3).array() {
        Some(headers) => {
            let mut text = Vec::new();
            for (key, value) in headers.iter() {
                header_lines(call.vm, key, value, &mut text)?;
            }
            text
        }
        None => match call.argument(3).deref().view() {
            ValueKind::String(text) => text.as_bytes().to_vec(),
            _ => Vec::new(),
        },
    };
    let kept = headers.trim_ascii_end().len();
    headers.truncate(kept);
    let parameters = match call.vm.ini.text("mail.force_extra_parameters") {
        b"" => call.optional_bytes(4).unwrap_or_default().to_vec(),
        forced => forced.to_vec(),
    };
    Ok((headers, parameters))
}

fn mail(call: &mut Call<'_>) -> PhpResult<Value> {
    let (headers, parameters) = headers_and_parameters(call)?;
    let (to, subject) = (single_line(call.bytes(0)), single_line(call.bytes(1)));
    let sent = send(call.vm, &to, &subject, call.bytes(2), headers, &parameters)?;
    Ok(sent.into())
}

/// Sends a message; false if that failed.
pub(crate) fn send(
    vm: &mut Vm,
    to: &[u8],
    subject: &[u8],
    message: &[u8],
    mut headers: Vec<u8>,
    parameters: &[u8],
) -> PhpResult<bool> {
    log(vm, to, &headers, subject);
    if vm.ini.bool("mail.add_x_header") {
        let file = vm.current_file();
        let name = super::files::base_name(&file);
        // SAFETY: tells who runs the process.
        let user = unsafe { libc::getuid() };
        let mut line = format!("X-PHP-Originating-Script: {user}:").into_bytes();
        line.extend_from_slice(name);
        if !headers.is_empty() {
            line.extend_from_slice(b"\r\n");
        }
        line.append(&mut headers);
        headers = line;
    }
    if is_malformed(&headers) {
        vm.function_warning("Multiple or malformed newlines found in additional_header");
        vm.check()?;
        return Ok(false);
    }
    let mut command = match vm.ini.text("sendmail_path") {
        b"" => b"/usr/sbin/sendmail -t -i".to_vec(),
        path => path.to_vec(),
    };
    if !parameters.is_empty() {
        command.push(b' ');
        command.extend_from_slice(&escaped_command(parameters));
    }
    let end: &[u8] = match vm.ini.bool("mail.mixed_lf_and_crlf") {
        true => b"\n",
        false => b"\r\n",
    };
    let mut text = Vec::new();
    for part in [b"To: ", to, end, b"Subject: ", subject, end] {
        text.extend_from_slice(part);
    }
    if !headers.is_empty() {
        text.extend_from_slice(&headers);
        text.extend_from_slice(end);
    }
    for part in [end, message, end] {
        text.extend_from_slice(part);
    }
    // Done, or put off.
    Ok(matches!(run_with_input(vm, &command, &text), Some(0 | 75)))
}

/// Without line breaks and other control bytes, which would begin another header; a folded line stays.
pub(crate) fn single_line(text: &[u8]) -> Vec<u8> {
    let text = text.trim_ascii_end();
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let [b'\r', b'\n', b' ' | b'\t', ..] = text[at..] {
            let folded = 2 + text[at + 2..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
            result.extend_from_slice(&text[at..at + folded]);
            at += folded;
            continue;
        }
        result.push(if text[at].is_ascii_control() {
            b' '
        } else {
            text[at]
        });
        at += 1;
    }
    result
}

/// True if headers begin with a line break, or if there is an empty line among them.
fn is_malformed(headers: &[u8]) -> bool {
    if headers.is_empty() {
        return false;
    }
    if !(33..=126).contains(&headers[0]) || headers[0] == b':' {
        return true;
    }
    let mut rest = headers;
    while let [first, after @ ..] = rest {
        let (is_break, behind) = match (first, after) {
            (b'\r', [b'\n', behind @ ..]) => (true, behind),
            (b'\r' | b'\n', _) => (true, after),
            _ => (false, after),
        };
        if is_break && matches!(behind, [] | [b'\r' | b'\n' | 0, ..]) {
            return true;
        }
        rest = behind;
    }
    false
}

/// The lines of one entry of an array of headers.
fn header_lines(vm: &mut Vm, key: KeyRef<'_>, value: &Zval, lines: &mut Vec<u8>) -> PhpResult<()> {
    let name = match key {
        KeyRef::Long(number) => {
            let message = format!("Header name cannot be numeric, {number} given");
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
        KeyRef::String(name) => String::from_utf8_lossy(name.as_bytes()).into_owned(),
    };
    let lower = name.to_ascii_lowercase();
    if lower == "to" || lower == "subject" {
        let shown = if lower == "to" { "To" } else { "Subject" };
        let message = format!("The additional headers cannot contain the \"{shown}\" header");
        return Err(vm.throw_error(KnownClass::ValueError, message));
    }
    let type_error = |vm: &mut Vm, expected: &str, value: &Zval| -> Thrown {
        let given = value_name(value);
        let shown = if SINGLE.contains(&&*lower) {
            &lower
        } else {
            &name
        };
        let message = format!("Header \"{shown}\" must be of type {expected}, {given} given");
        vm.throw_error(KnownClass::TypeError, message)
    };
    match value.deref().view() {
        ValueKind::String(text) => header_line(vm, &name, text.as_bytes(), lines),
        ValueKind::Array(_) if SINGLE.contains(&&*lower) => Err(type_error(vm, "string", value)),
        ValueKind::Array(array) => {
            let values: Vec<_> = array.iter().map(|(_, value)| hold(value)).collect();
            let named = array.iter().find_map(|(key, _)| match key {
                KeyRef::String(key) => Some(String::from_utf8_lossy(key.as_bytes()).into_owned()),
                KeyRef::Long(_) => None,
            });
            if let Some(key) = named {
                let message =
                    format!("Header \"{name}\" must only contain numeric keys, \"{key}\" found");
                return Err(vm.throw_error(KnownClass::TypeError, message));
            }
            for value in values {
                let ValueKind::String(text) = value.view() else {
                    let given = value_name(&value);
                    let message = format!(
                        "Header \"{name}\" must only contain values of type string, {given} found"
                    );
                    return Err(vm.throw_error(KnownClass::TypeError, message));
                };
                header_line(vm, &name, text.as_bytes(), lines)?;
            }
            Ok(())
        }
        _ => Err(type_error(vm, "array|string", value)),
    }
}

fn header_line(vm: &mut Vm, name: &str, value: &[u8], lines: &mut Vec<u8>) -> PhpResult<()> {
    if !name
        .bytes()
        .all(|byte| (33..=126).contains(&byte) && byte != b':')
    {
        let message = format!("Header name \"{name}\" contains invalid characters");
        return Err(vm.throw_error(KnownClass::ValueError, message));
    }
    let mut rest = value;
    while let [first, after @ ..] = rest {
        let problem = match (first, after) {
            // A folded line.
            (b'\r', [b'\n', b' ' | b'\t', ..]) => {
                rest = &after[2..];
                continue;
            }
            (b'\r', [b'\n', ..]) => {
                "CRLF characters that are used as a line separator and are not allowed in the header"
            }
            (b'\r', _) => "CR character that is not allowed in the header",
            (b'\n', _) => "LF character that is not allowed in the header",
            (0, _) => "NULL character that is not allowed in the header",
            _ => {
                rest = after;
                continue;
            }
        };
        let message = format!("Header \"{name}\" contains {problem}");
        return Err(vm.throw_error(KnownClass::ValueError, message));
    }
    lines.extend_from_slice(name.as_bytes());
    lines.extend_from_slice(b": ");
    lines.extend_from_slice(value);
    lines.extend_from_slice(b"\r\n");
    Ok(())
}

/// A line for the file that the setting `mail.log` names.
fn log(vm: &mut Vm, to: &[u8], headers: &[u8], subject: &[u8]) {
    let target = vm.ini.text("mail.log").to_vec();
    if target.is_empty() {
        return;
    }
    let file = vm.current_file();
    let mut line = format!(
        "mail() on [{}:{}]: To: ",
        String::from_utf8_lossy(&file),
        vm.current_line()
    )
    .into_bytes();
    for part in [to, b" -- Headers: ", headers, b" -- Subject: ", subject] {
        line.extend_from_slice(part);
    }
    for byte in &mut line {
        if matches!(byte, b'\r' | b'\n') {
            *byte = b' ';
        }
    }
    if target == b"syslog" {
        vm_runtime::diagnostics::write_syslog(libc::LOG_NOTICE, &line);
        return;
    }
    let mut text = format!("[{}] ", vm_runtime::diagnostics::log_time()).into_bytes();
    text.extend_from_slice(&line);
    text.push(b'\n');
    let opened = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(super::files::path(&target));
    if let Ok(mut file) = opened {
        // A log that cannot be written is given up.
        let _ = file.write_all(&text);
    }
}
