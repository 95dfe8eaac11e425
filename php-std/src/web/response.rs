//! The head of a response: `header()` and its kin. On the command line there is none to send, but
//! the functions and their warnings are there.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::{to_bool, to_long};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::strings::encode::{UrlStyle, push_url};
use crate::support::{StringBuilder, functions, hold, list, string_of};

functions! {
    "header(string $header, bool $replace = true, int $response_code = 0): void" => header,
    "header_remove(?string $name = null): void" => header_remove,
    "headers_list(): array" => headers_list,
    "headers_sent(&$filename = null, &$line = null): bool" => headers_sent,
    "http_response_code(int $response_code = 0): int|bool" => http_response_code,
    "header_register_callback(callable $callback): bool" => header_register_callback,
    "setcookie(string $name, string $value = \"\", array|int $expires_or_options = 0, string $path = \"\", string $domain = \"\", bool $secure = false, bool $httponly = false): bool" => setcookie,
    "setrawcookie(string $name, string $value = \"\", array|int $expires_or_options = 0, string $path = \"\", string $domain = \"\", bool $secure = false, bool $httponly = false): bool" => setrawcookie,
}

/// The head of the response.
#[derive(Debug, Default)]
pub(crate) struct Response {
    /// There is somebody to send it to.
    is_sent_at_all: bool,
    was_sent: bool,
    /// Status; 0 while it was not set.
    code: i64,
    /// The status line, if the script gave one itself.
    status_line: Option<Vec<u8>>,
    pub(super) headers: Vec<Vec<u8>>,
    callback: Option<Value>,
    /// What the script said that it sends.
    pub(crate) media_type: Option<Vec<u8>>,
    /// The request was of HTTP 1.0.
    is_old: bool,
    /// The script ended with an error that nobody sees.
    failed: bool,
    /// Headers of the request, for `getallheaders()`.
    pub(crate) of_request: Vec<(String, String)>,
}

impl Response {
    /// The status that is sent.
    pub(crate) fn status(&self) -> i64 {
        if self.code == 0 { 200 } else { self.code }
    }

    /// Sets the status; a line of its own that the script gave for another one is gone.
    fn set_code(&mut self, code: i64) {
        if self.code != code {
            (self.code, self.status_line) = (code, None);
        }
    }
}

pub(crate) fn response(vm: &mut Vm) -> &mut Response {
    vm.extensions.state()
}

/// From now on headers are kept, and sent before the first output.
pub(super) fn begin(vm: &mut Vm, of_request: Vec<(String, String)>, is_old: bool) {
    let mut headers = Vec::new();
    if vm.ini.bool("expose_php") {
        headers.push(format!("X-Powered-By: PHP/{}", crate::PHP_VERSION).into_bytes());
    }
    *response(vm) = Response {
        is_sent_at_all: true,
        headers,
        of_request,
        is_old,
        ..Response::default()
    };
    vm.output.before_first = Some(send);
}

/// Answers with an error if the script ended with one that it does not show.
pub(super) fn fail(vm: &mut Vm) {
    let shows = vm.ini.bool("display_errors");
    let response = response(vm);
    if !shows && !response.was_sent && matches!(response.code, 0 | 200) {
        (response.code, response.status_line, response.failed) = (500, None, true);
    }
}

/// Calls what wants to know that the head is about to be sent, which it may still change. What it prints comes
/// after the head, which is sent in its middle then.
fn announce(vm: &mut Vm) {
    let Some(callback) = response(vm).callback.take() else {
        return;
    };
    let started = vm.output.started.take();
    vm.output.before_first = Some(send);
    // An exception of it is for whoever asked for output.
    let _ = vm.call(&callback, Vec::new());
    if vm.output.started.is_none() {
        (vm.output.started, vm.output.before_first) = (started, None);
    }
}

/// The type that is sent if the script does not say any.
pub(super) fn default_type(vm: &mut Vm) -> Vec<u8> {
    let charset = vm.ini.text("default_charset");
    let kind = vm.ini.text("default_mimetype");
    let mut line = [b"Content-type: ".as_slice(), kind].concat();
    if !charset.is_empty() && kind.starts_with(b"text/") {
        line.extend_from_slice(b"; charset=");
        line.extend_from_slice(charset);
    }
    line
}

/// Sends the head if that was not done yet.
pub(super) fn send(vm: &mut Vm) {
    announce(vm);
    if response(vm).was_sent || !response(vm).is_sent_at_all {
        return;
    }
    let kind = default_type(vm);
    let response = response(vm);
    response.was_sent = true;
    let is_empty = response.status() == 304;
    if is_empty {
        response
            .headers
            .retain(|line| !is_named(line, b"Content-type"));
    } else if !response
        .headers
        .iter()
        .any(|line| is_named(line, b"Content-type"))
    {
        response.headers.push(kind);
    }
    let version = match response.is_old || response.failed {
        true => "HTTP/1.0",
        false => "HTTP/1.1",
    };
    let mut head = match response.status_line.take() {
        Some(line) => line,
        None => {
            let status = response.status();
            format!("{version} {status} {}", reason(status)).into_bytes()
        }
    };
    head.extend_from_slice(b"\r\n");
    let host = response
        .of_request
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("Host"));
    if let Some((_, host)) = host {
        head.extend_from_slice(format!("Host: {host}\r\n").as_bytes());
    }
    if !response.headers.iter().any(|line| is_named(line, b"Date")) {
        let date = crate::date::http_date(std::time::SystemTime::now());
        head.extend_from_slice(format!("Date: {date}\r\n").as_bytes());
    }
    head.extend_from_slice(b"Connection: close\r\n");
    for line in &response.headers {
        head.extend_from_slice(line);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    vm.output.put(&head);
    vm.output.flush();
}

/// What a status means.
pub fn reason(status: i64) -> &'static str {
    match status {
        100 => "Continue",
        101 => "Switching Protocols",
        103 => "Early Hints",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        207 => "Multi-Status",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Request Entity Too Large",
        414 => "Request-URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Requested Range Not Satisfiable",
        417 => "Expectation Failed",
        422 => "Unprocessable Entity",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        511 => "Network Authentication Required",
        _ => "Unknown Status Code",
    }
}

/// True if a header line has this name.
pub(super) fn is_named(line: &[u8], name: &[u8]) -> bool {
    line.len() > name.len()
        && line[..name.len()].eq_ignore_ascii_case(name)
        && line[name.len()] == b':'
}

/// `PHP_AUTH_USER` and its like of the header `Authorization`.
pub(super) fn credentials(header: &str) -> Vec<(String, String)> {
    let (scheme, rest) = header.split_once(' ').unwrap_or((header, ""));
    if scheme.eq_ignore_ascii_case("digest") {
        return vec![("PHP_AUTH_DIGEST".into(), rest.into())];
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Vec::new();
    }
    let decoded = crate::standard::strings::encode::decode_base64(rest.as_bytes(), false);
    let decoded = String::from_utf8_lossy(&decoded.unwrap_or_default()).into_owned();
    match decoded.split_once(':') {
        Some((user, password)) => vec![
            ("PHP_AUTH_USER".into(), user.into()),
            ("PHP_AUTH_PW".into(), password.into()),
        ],
        None => Vec::new(),
    }
}

const NO_HEADER: &str = "Cannot modify header information - headers already sent by";
const NO_STATUS: &str = "Cannot set response code - headers already sent";

/// Warns with `problem` if output has begun; true if the head can still be changed.
fn can_set(vm: &mut Vm, problem: &str) -> PhpResult<bool> {
    let Some((file, line)) = &vm.output.started else {
        return Ok(true);
    };
    let place = format!("(output started at {}:{line})", file.to_text());
    if problem == NO_STATUS {
        vm.function_warning(format!("{problem} {place}"));
    } else {
        vm.warning(format!("{problem} {place}"));
    }
    vm.check()?;
    Ok(false)
}

fn header(call: &mut Call<'_>) -> PhpResult<Value> {
    if !can_set(call.vm, NO_HEADER)? {
        return Ok(Value::NULL);
    }
    let line = call.bytes(0).trim_ascii_end();
    let problem = if line.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
        Some("Header may not contain more than a single header, new line detected")
    } else if line.contains(&0) {
        Some("Header may not contain NUL bytes")
    } else {
        None
    };
    if let Some(problem) = problem {
        call.vm.warning(problem);
        call.vm.check()?;
        return Ok(Value::NULL);
    }
    let (replace, code) = (call.bool(1), call.long(2));
    let with_charset = with_charset(call.vm, line);
    let line = with_charset.as_deref().unwrap_or(line);
    let response = response(call.vm);
    if line.len() > 5 && line[..5].eq_ignore_ascii_case(b"HTTP/") {
        let mut parts = line.splitn(2, |&byte| byte == b' ');
        let rest = parts.nth(1).unwrap_or_default();
        let status = rest
            .split(|&byte| byte == b' ')
            .find(|part| !part.is_empty());
        response.code = status.map_or(200, vm_runtime::operators::numeric_string::to_long);
        response.status_line = Some(line.to_vec());
    } else if let Some(colon) = memchr::memchr(b':', line) {
        let name = &line[..colon];
        if name.eq_ignore_ascii_case(b"Content-Type") {
            response.media_type = Some(line[colon + 1..].trim_ascii().to_vec());
        }
        if name.eq_ignore_ascii_case(b"WWW-Authenticate") {
            response.set_code(401);
        }
        if name.eq_ignore_ascii_case(b"Location") && !matches!(response.code, 201 | 300..=399) {
            response.set_code(302);
        }
        if response.is_sent_at_all {
            if replace {
                response.headers.retain(|known| !is_named(known, name));
            }
            response.headers.push(line.to_vec());
        }
    }
    if code != 0 {
        response.set_code(code);
    }
    // Whoever says how much there is to come does not want it compressed.
    if is_named(line, b"Content-Length") {
        let _ = call.vm.ini_set("zlib.output_compression", b"0");
    }
    Ok(Value::NULL)
}

/// The line of a type of text that names no encoding, with the default one.
fn with_charset(vm: &Vm, line: &[u8]) -> Option<Vec<u8>> {
    let charset = vm.ini.text("default_charset");
    let colon = memchr::memchr(b':', line)?;
    let kind = line[colon + 1..].trim_ascii();
    let is_bare = line[..colon].eq_ignore_ascii_case(b"Content-Type")
        && kind.starts_with(b"text/")
        && memchr::memmem::find(kind, b"charset=").is_none();
    (is_bare && !charset.is_empty())
        .then(|| [b"Content-type: ".as_slice(), kind, b";charset=", charset].concat())
}

/// Adds a line to the head, if there is one: `replace` takes away those of its name.
pub(crate) fn add_header(vm: &mut Vm, line: &[u8], replace: bool) {
    let response = response(vm);
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    if response.is_sent_at_all {
        if replace {
            response.headers.retain(|known| !is_named(known, name));
        }
        response.headers.push(line.to_vec());
    }
}

fn header_remove(call: &mut Call<'_>) -> PhpResult<Value> {
    if can_set(call.vm, NO_HEADER)? {
        let name = call.optional_bytes(0);
        response(call.vm)
            .headers
            .retain(|line| name.is_some_and(|name| !is_named(line, name)));
    }
    Ok(Value::NULL)
}

fn headers_list(call: &mut Call<'_>) -> PhpResult<Value> {
    let lines = response(call.vm).headers.clone();
    let lines: Vec<Value> = lines
        .into_iter()
        .map(|line| call.vm.string(line).into())
        .collect();
    Ok(list(call.vm, lines))
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
    if code != 0 && !can_set(call.vm, NO_STATUS)? {
        return Ok(false.into());
    }
    let response = response(call.vm);
    let before = match response.code {
        0 if response.is_sent_at_all => 200,
        before => before,
    };
    if code != 0 {
        // A line that a script wrote itself stays.
        response.code = code;
    }
    Ok(match before {
        0 => (code != 0).into(),
        before => before.into(),
    })
}

fn header_register_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.value(0);
    let before = response(call.vm).callback.replace(callback);
    if before.is_none() && !response(call.vm).is_sent_at_all && call.vm.output.started.is_none() {
        // Nobody gets a head, but there is a moment when it would be sent: at the end, if nothing is printed.
        call.vm.output.before_first = Some(send);
        call.vm.request_end.push(|vm| {
            if vm.output.started.is_none() {
                announce(vm);
            }
            let left = response(vm).callback.take();
            drop(left);
        });
    }
    drop(before);
    Ok(true.into())
}

/// What a cookie is sent with.
#[derive(Debug, Default)]
struct Cookie {
    expires: i64,
    path: Vec<u8>,
    domain: Vec<u8>,
    secure: bool,
    http_only: bool,
    same_site: Vec<u8>,
}

impl Cookie {
    fn from_arguments(call: &mut Call<'_>) -> PhpResult<Cookie> {
        let given = call.value(2);
        let Some(options) = given.array() else {
            return Ok(Cookie {
                expires: call.long(2),
                path: call.bytes(3).to_vec(),
                domain: call.bytes(4).to_vec(),
                secure: call.bool(5),
                http_only: call.bool(6),
                same_site: Vec::new(),
            });
        };
        if call.count() > 3 {
            let name = call.function().display_name();
            let message = format!(
                "{name}(): Expects exactly 3 arguments when argument #3 ($expires_or_options) is an array"
            );
            return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
        }
        let mut cookie = Cookie::default();
        for (key, value) in options.iter() {
            let vm_runtime::array::KeyRef::String(key) = key else {
                let name = call.function().display_name();
                let message = format!("{name}(): option array cannot have numeric keys");
                return Err(call.vm.throw_error(KnownClass::ValueError, message));
            };
            let (key, value) = (key.as_bytes().to_ascii_lowercase(), hold(value));
            match key.as_slice() {
                b"expires" => cookie.expires = to_long(call.vm, &value),
                b"path" => cookie.path = string_of(call.vm, &value)?.to_vec(),
                b"domain" => cookie.domain = string_of(call.vm, &value)?.to_vec(),
                b"secure" => cookie.secure = to_bool(&value),
                b"httponly" => cookie.http_only = to_bool(&value),
                b"samesite" => cookie.same_site = string_of(call.vm, &value)?.to_vec(),
                _ => {
                    let name = call.function().display_name();
                    let key = vm_runtime::message::text(&key).into_owned();
                    let message = format!("{name}(): option \"{key}\" is invalid");
                    return Err(call.vm.throw_error(KnownClass::ValueError, message));
                }
            }
        }
        Ok(cookie)
    }

    /// Whether path and domain hold nothing that would end them, and the year can be written. What is wrong is called
    /// an option even if it was an argument.
    fn check(&self, call: &mut Call<'_>) -> PhpResult<()> {
        let is_illegal = |text: &[u8]| text.iter().any(|byte| b",; \t\r\n\x0b\x0c".contains(byte));
        let problem = match self {
            _ if is_illegal(&self.path) => ("path", ILLEGAL_VALUE),
            _ if is_illegal(&self.domain) => ("domain", ILLEGAL_VALUE),
            _ if self.expires > LAST_SECOND => ("expires", "cannot have a year greater than 9999"),
            _ => return Ok(()),
        };
        let function = call.function().display_name();
        let message = format!("{function}(): \"{}\" option {}", problem.0, problem.1);
        Err(call.vm.throw_error(KnownClass::ValueError, message))
    }
}

/// The last second of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;
const ILLEGAL_NAME: &str =
    r#"cannot contain "=", ",", ";", " ", "\t", "\r", "\n", "\013", or "\014""#;
const ILLEGAL_VALUE: &str = r#"cannot contain ",", ";", " ", "\t", "\r", "\n", "\013", or "\014""#;

fn setcookie(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut encoded = StringBuilder::new(call.vm, call.bytes(1).len());
    push_url(&mut encoded, call.bytes(1), UrlStyle::Raw);
    set_cookie(call, encoded.as_bytes())
}

fn setrawcookie(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.bytes(1);
    if value.iter().any(|byte| b",; \t\r\n\x0b\x0c".contains(byte)) {
        return Err(call.value_error(1, ILLEGAL_VALUE));
    }
    set_cookie(call, value)
}

fn set_cookie(call: &mut Call<'_>, value: &[u8]) -> PhpResult<Value> {
    let name = call.bytes(0);
    let cookie = Cookie::from_arguments(call)?;
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if name.iter().any(|byte| b"=,; \t\r\n\x0b\x0c".contains(byte)) {
        return Err(call.value_error(0, ILLEGAL_NAME));
    }
    cookie.check(call)?;
    let mut line = [b"Set-Cookie: ".as_slice(), name, b"="].concat();
    let date = |seconds: i64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds.max(0) as u64);
        crate::date::http_date(time)
    };
    if value.is_empty() {
        line.extend_from_slice(format!("deleted; expires={}; Max-Age=0", date(1)).as_bytes());
    } else {
        line.extend_from_slice(value);
        if cookie.expires > 0 {
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |now| now.as_secs() as i64);
            let left = (cookie.expires - now).max(0);
            let shown = date(cookie.expires);
            line.extend_from_slice(format!("; expires={shown}; Max-Age={left}").as_bytes());
        }
    }
    for (name, value) in [("path", &cookie.path), ("domain", &cookie.domain)] {
        if !value.is_empty() {
            line.extend_from_slice(format!("; {name}=").as_bytes());
            line.extend_from_slice(value);
        }
    }
    if cookie.secure {
        line.extend_from_slice(b"; secure");
    }
    if cookie.http_only {
        line.extend_from_slice(b"; HttpOnly");
    }
    if !cookie.same_site.is_empty() {
        line.extend_from_slice(b"; SameSite=");
        line.extend_from_slice(&cookie.same_site);
    }
    if !can_set(call.vm, NO_HEADER)? {
        return Ok(false.into());
    }
    let response = response(call.vm);
    if response.is_sent_at_all {
        response.headers.push(line);
    }
    Ok(true.into())
}
