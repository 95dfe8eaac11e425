//! `mb_send_mail`: mail in the charset of the language, its body and headers encoded for it.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::encoding::{self, Encoding};
use super::{convert, mime_header, settings};
use crate::standard::mail;
use crate::support::functions;

functions! {
    "mb_send_mail(path $to, string $subject, string $message, array|string $additional_headers = [], ?string $additional_params = null): bool" => mb_send_mail,
}

/// The value of the header `name`, which stands in lower case, with continued lines.
fn header<'a>(headers: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut lines = headers.split(|&byte| byte == b'\n');
    lines.find_map(|line| {
        let (found, rest) = line.split_at_checked(name.len())?;
        let value = rest.strip_prefix(b":")?;
        found
            .eq_ignore_ascii_case(name.as_bytes())
            .then(|| value.trim_ascii())
    })
}

/// The charset that the value of `Content-Type` names.
fn charset(content_type: &[u8]) -> Option<&[u8]> {
    let mut parameters = content_type.split(|&byte| byte == b';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.trim_ascii().split_at_checked(8)?;
        let value = value.trim_ascii();
        let unquoted = value
            .strip_prefix(b"\"")
            .and_then(|value| value.strip_suffix(b"\""));
        name.eq_ignore_ascii_case(b"charset=")
            .then_some(unquoted.unwrap_or(value))
    })
}

fn named(name: &str) -> &'static Encoding {
    encoding::find(name.as_bytes()).expect("a known encoding")
}

fn mb_send_mail(call: &mut Call<'_>) -> PhpResult<Value> {
    let (mut headers, parameters) = mail::headers_and_parameters(call)?;
    let (subject_charset, subject_is_base64) = settings::mail(call.vm);
    let (mut charset_of_body, mut transfer) = (subject_charset, settings::mail_body(call.vm));
    let content_type = header(&headers, "content-type").map(<[u8]>::to_vec);
    if let Some(name) = content_type.as_deref().and_then(charset) {
        charset_of_body = match encoding::find(name) {
            Some(found) => found,
            None => {
                let name = convert::shown(name);
                call.vm.function_warning(format!(
                    "Unsupported charset \"{name}\" - will be regarded as ascii"
                ));
                call.vm.check()?;
                named("ASCII")
            }
        };
    }
    let given_transfer = header(&headers, "content-transfer-encoding").map(<[u8]>::to_vec);
    if let Some(name) = &given_transfer {
        transfer = match encoding::find(name) {
            Some(found) if matches!(found.name, "BASE64" | "7bit" | "8bit") => found,
            _ => {
                let name = convert::shown(name);
                call.vm.function_warning(format!(
                    "Unsupported transfer encoding \"{name}\" - will be regarded as 8bit"
                ));
                call.vm.check()?;
                named("8bit")
            }
        };
    }
    let source = settings::internal_encoding(call.vm);
    let to = mail::single_line(call.bytes(0));
    let subject = mime_header::encoded_text(
        &source.decode(call.bytes(1)),
        subject_charset,
        subject_is_base64,
    );
    let mut message = convert::convert(call.vm, call.bytes(2), source, charset_of_body);
    if transfer.name == "BASE64" {
        let bytes: Vec<u32> = message.iter().map(|&byte| u32::from(byte)).collect();
        message = convert::encode(call.vm, transfer, &bytes);
    }
    let has_version = header(&headers, "mime-version").is_some();
    let mut add = |line: String| {
        if !headers.is_empty() {
            headers.extend_from_slice(b"\r\n");
        }
        headers.extend_from_slice(line.as_bytes());
    };
    if !has_version {
        add("MIME-Version: 1.0".into());
    }
    if content_type.is_none() {
        let name = charset_of_body.mime.unwrap_or(charset_of_body.name);
        add(format!("Content-Type: text/plain; charset={name}"));
    }
    if given_transfer.is_none() {
        let name = transfer.mime.unwrap_or(transfer.name);
        add(format!("Content-Transfer-Encoding: {name}"));
    }
    let sent = mail::send(call.vm, &to, &subject, &message, headers, &parameters)?;
    Ok(sent.into())
}
