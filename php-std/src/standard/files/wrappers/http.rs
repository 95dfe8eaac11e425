//! `http://` and `https://`: what a server answers to a request, as a stream.

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::operators::{to_bool, to_double, to_long};
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::context::{context_argument, context_option};
use super::super::filters::add_from_url;
use super::super::stream::Stream;
use super::{OPERATION_FAILED, Opened, Request, Wrapper, options};
use crate::standard::files::check_path;
use crate::standard::network::sockets::connect_tcp;
use crate::standard::strings::encode::{UrlStyle, decode_url, encode_base64};
use crate::standard::strings::url::split_url;
use crate::standard::symbols::set_caller_variable;
use crate::support::{functions, string_of};

functions! {
    "get_headers(path $url, bool $associative = false, $context = null): array|false" => get_headers,
    "http_get_last_response_headers(): ?array" => last_headers,
    "http_clear_last_response_headers(): void" => clear_headers,
}

/// The schemes `http` and `https`.
#[derive(Debug)]
pub(super) struct HttpWrapper;

/// The header lines of the last answer.
#[derive(Debug, Default)]
struct LastResponse(Option<Vec<Vec<u8>>>);

/// The longest line of a header.
const LONGEST_LINE: usize = 1 << 16;
/// The most lines of a header.
const MOST_LINES: usize = 1 << 12;
/// How often an answer may lead elsewhere, unless the context says so.
const MOST_REDIRECTS: i64 = 20;

impl Wrapper for HttpWrapper {
    fn is_url(&self) -> bool {
        true
    }

    fn label(&self) -> &'static str {
        "http"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        vm.extensions.state::<LastResponse>().0 = None;
        let mut lines = Vec::new();
        let opened = open(vm, request, &mut lines)?;
        if !lines.is_empty() {
            let list = header_list(vm, &lines);
            set_caller_variable(vm, b"http_response_header", list.clone().into());
            vm.extensions.state::<LastResponse>().0 = Some(lines);
            if let Ok(mut stream) = opened {
                stream
                    .described
                    .push((b"wrapper_data".to_vec(), list.into()));
                return Ok(Ok(stream));
            }
        }
        Ok(opened)
    }
}

fn header_list(vm: &mut Vm, lines: &[Vec<u8>]) -> ArrayHandle {
    let mut list = PhpArray::with_capacity(&mut vm.heap, lines.len());
    for line in lines {
        let line = vm.string(line).into();
        drop(list.make_mut(vm).push(line));
    }
    list
}

/// What a request asks of its server; a redirection changes it.
struct Asked {
    method: Vec<u8>,
    content: Vec<u8>,
    /// Header lines of the context, without line ends.
    headers: Vec<Vec<u8>>,
}

impl Asked {
    fn has(&self, name: &[u8]) -> bool {
        self.headers
            .iter()
            .any(|line| value_of(line, name).is_some())
    }
}

/// The value of a header line with that name.
fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let colon = memchr::memchr(b':', line)?;
    line[..colon]
        .eq_ignore_ascii_case(name)
        .then(|| line[colon + 1..].trim_ascii())
}

fn option(request: &Request<'_>, name: &[u8]) -> Option<Value> {
    context_option(request.context?, b"http", name).filter(|value| !value.is_null())
}

/// The header lines that a context asks for: text, or an array of lines.
fn context_headers(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Vec<Vec<u8>>> {
    let mut text = Vec::new();
    match option(request, b"header")
        .as_ref()
        .map(|value| value.view())
    {
        Some(ValueKind::String(header)) => text.extend_from_slice(header),
        Some(ValueKind::Array(headers)) => {
            for (_, header) in headers.iter() {
                if let ValueKind::String(header) = header.deref().view() {
                    text.extend_from_slice(header);
                    text.extend_from_slice(b"\r\n");
                }
            }
        }
        _ => {}
    }
    let _ = vm;
    let lines = text
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii());
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect())
}

fn open(vm: &mut Vm, request: &Request<'_>, lines: &mut Vec<Vec<u8>>) -> PhpResult<Opened> {
    if request.mode.iter().any(|byte| b"awx+".contains(byte)) {
        return Ok(Err(
            "HTTP wrapper does not support writeable connections".into()
        ));
    }
    let mut asked = Asked {
        method: match option(request, b"method") {
            Some(method) => string_of(vm, &method)?.to_vec(),
            None => b"GET".to_vec(),
        },
        content: match option(request, b"content") {
            Some(content) => string_of(vm, &content)?.to_vec(),
            None => Vec::new(),
        },
        headers: context_headers(vm, request)?,
    };
    let follows = option(request, b"follow_location").is_none_or(|value| to_bool(&value));
    let ignores_errors = option(request, b"ignore_errors").is_some_and(|value| to_bool(&value));
    let most = match option(request, b"max_redirects") {
        Some(most) => to_long(vm, &most),
        None => MOST_REDIRECTS,
    };
    let mut url = request.name.to_vec();
    let mut redirects = 1;
    loop {
        vm.poll();
        let first = lines.len();
        let mut stream = match exchange(vm, request, &url, &asked, lines)? {
            Ok(stream) => stream,
            Err(reason) => return Ok(Err(reason)),
        };
        let answer = &lines[first..];
        let status = answer.first().map(|line| status_of(line)).unwrap_or(0);
        let location = answer.iter().find_map(|line| value_of(line, b"location"));
        if let (301..=303 | 307 | 308, Some(location), true) = (status, location, follows) {
            let target = absolute(&url, location);
            redirects += 1;
            if redirects > most {
                return Ok(Err("Redirection limit reached, aborting".into()));
            }
            let Some(target) = target else {
                return Ok(Err("Invalid redirect URL!".into()));
            };
            let scheme = split_url(&target).and_then(|target| target.scheme.map(<[u8]>::to_vec));
            let is_known = scheme.is_some_and(|scheme| {
                scheme.eq_ignore_ascii_case(b"http")
                    || cfg!(feature = "tls") && scheme.eq_ignore_ascii_case(b"https")
            });
            if !is_known {
                return Ok(Err(OPERATION_FAILED.into()));
            }
            // The method stays only where the answer says so, or has no body.
            let keeps =
                matches!(status, 307 | 308) || matches!(asked.method.as_slice(), b"GET" | b"HEAD");
            if !keeps {
                asked.method = b"GET".to_vec();
                asked.content.clear();
                asked.headers.retain(|line| {
                    let names: [&[u8]; 2] = [b"content-type", b"content-length"];
                    names.iter().all(|name| value_of(line, name).is_none())
                });
            }
            url = target;
            continue;
        }
        let is_fine = (200..400).contains(&status);
        if !is_fine && !ignores_errors && request.options & ONLY_HEADERS == 0 {
            let line = lines.get(first).cloned().unwrap_or_default();
            lines.truncate(first + 1);
            let line = String::from_utf8_lossy(&line);
            return Ok(Err(format!("HTTP request failed! {line}\r\n")));
        }
        let is_chunked = lines[first..]
            .iter()
            .filter_map(|line| value_of(line, b"transfer-encoding"))
            .any(|value| value.to_ascii_lowercase().starts_with(b"chunked"));
        let decodes = option(request, b"auto_decode").is_none_or(|value| to_bool(&value));
        stream.restart();
        if is_chunked && decodes {
            add_from_url(vm, &mut stream, b"read=dechunk", b"r")?;
        }
        stream.wrapper = "http";
        (stream.uri, stream.mode) = (request.name.to_vec(), request.mode.to_vec());
        stream.writable = false;
        return Ok(Ok(stream));
    }
}

/// Among the options of a request: the body does not matter.
const ONLY_HEADERS: i64 = 0x2_0000;

/// The number in `HTTP/1.1 200 OK`.
fn status_of(line: &[u8]) -> u32 {
    let number = line.split(|&byte| byte == b' ').nth(1).unwrap_or_default();
    std::str::from_utf8(number)
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// Where an answer leads, from where it came.
fn absolute(url: &[u8], location: &[u8]) -> Option<Vec<u8>> {
    if location.contains(&b':') && split_url(location).is_some_and(|url| url.scheme.is_some()) {
        return Some(location.to_vec());
    }
    let base = split_url(url)?;
    let mut target = [base.scheme?, b"://", base.host?].concat();
    if let Some(port) = base.port {
        target.extend_from_slice(format!(":{port}").as_bytes());
    }
    if !location.starts_with(b"/") {
        let path = base.path.unwrap_or(b"/");
        let end = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
        target.extend_from_slice(if end == 0 { b"/" } else { &path[..end] });
    }
    target.extend_from_slice(location);
    Some(target)
}

/// Sends a request and reads the header of its answer.
fn exchange(
    vm: &mut Vm,
    request: &Request<'_>,
    url: &[u8],
    asked: &Asked,
    lines: &mut Vec<Vec<u8>>,
) -> PhpResult<Opened> {
    let Some(parts) = split_url(url) else {
        return Ok(Err(OPERATION_FAILED.into()));
    };
    let Some(host) = parts.host.filter(|host| !host.is_empty()) else {
        return Ok(Err(OPERATION_FAILED.into()));
    };
    let is_encrypted = parts
        .scheme
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"https"));
    let usual_port = if is_encrypted { 443 } else { 80 };
    let port = parts.port.unwrap_or(usual_port);
    let host_and_port = [host, format!(":{port}").as_bytes()].concat();
    let proxy = match option(request, b"proxy") {
        Some(proxy) => Some(string_of(vm, &proxy)?.to_vec()),
        None => None,
    };
    let address = match &proxy {
        Some(proxy) => proxy.clone(),
        None if is_encrypted => [b"ssl://", host_and_port.as_slice()].concat(),
        None => [b"tcp://", host_and_port.as_slice()].concat(),
    };
    let timeout = option(request, b"timeout").map(|timeout| to_double(vm, &timeout));
    let mut stream = match connect_tcp(vm, &address, timeout, request.context) {
        Ok(stream) => stream,
        Err((reason, is_lookup)) => {
            vm.check()?;
            if is_lookup {
                vm.warning(format!("{}(): {reason}", request.function));
                vm.check()?;
            }
            return Ok(Err(match reason.is_empty() {
                true => OPERATION_FAILED.into(),
                false => reason,
            }));
        }
    };
    #[cfg(feature = "tls")]
    if is_encrypted
        && proxy.is_some()
        && !super::tunnel::dig(vm, &mut stream, &host_and_port, &asked.headers)?
    {
        return Ok(Err("Cannot connect to HTTPS server through proxy".into()));
    }

    let mut text = asked.method.clone();
    text.push(b' ');
    let is_full = option(request, b"request_fulluri").is_some_and(|value| to_bool(&value));
    if is_full {
        text.extend_from_slice(url);
    } else {
        text.extend_from_slice(parts.path.filter(|path| !path.is_empty()).unwrap_or(b"/"));
        if let Some(query) = parts.query {
            text.push(b'?');
            text.extend_from_slice(query);
        }
    }
    let version = match option(request, b"protocol_version") {
        Some(version) => to_double(vm, &version),
        None => 1.1,
    };
    text.extend_from_slice(format!(" HTTP/{version:.1}\r\n").as_bytes());
    let mut header = |name: &[u8], value: &[u8]| {
        if !asked.has(name) {
            text.extend_from_slice(&[name, b": ", value, b"\r\n"].concat());
        }
    };
    if let Some(user) = parts.user {
        let user = decode_url(user, UrlStyle::Form);
        let password = decode_url(parts.password.unwrap_or_default(), UrlStyle::Form);
        let both = [user.as_slice(), b":", &password].concat();
        let value = [b"Basic ".to_vec(), encode_base64(&both)].concat();
        header(b"Authorization", &value);
    }
    match port == usual_port {
        true => header(b"Host", host),
        false => header(b"Host", &host_and_port),
    }
    header(b"Connection", b"close");
    let agent = match option(request, b"user_agent") {
        Some(agent) => string_of(vm, &agent)?.to_vec(),
        None => vm.ini.text("user_agent").to_vec(),
    };
    if !agent.is_empty() {
        header(b"User-Agent", &agent);
    }
    if !asked.content.is_empty() {
        header(
            b"Content-Length",
            asked.content.len().to_string().as_bytes(),
        );
    }
    for line in &asked.headers {
        text.extend_from_slice(line);
        text.extend_from_slice(b"\r\n");
    }
    if !asked.content.is_empty() && !asked.has(b"content-type") {
        text.extend_from_slice(b"Content-Type: application/x-www-form-urlencoded\r\n");
        vm.notice(format!(
            "{}(): Content-type not specified assuming application/x-www-form-urlencoded",
            request.function
        ));
        vm.check()?;
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&asked.content);
    let sent = stream.write(vm, &text);
    let first = lines.len();
    if sent.is_ok() {
        read_header(&mut stream, lines);
    }
    if lines
        .get(first)
        .is_none_or(|line| !line.starts_with(b"HTTP/"))
    {
        lines.truncate(first);
        return Ok(Err("HTTP request failed!".into()));
    }
    Ok(Ok(stream))
}

/// Reads header lines until the empty one.
fn read_header(stream: &mut Stream, lines: &mut Vec<Vec<u8>>) {
    let mut is_interim = false;
    for _ in 0..MOST_LINES {
        let Ok(Some(line)) = stream.read_line(b'\n', LONGEST_LINE) else {
            return;
        };
        let line = line.trim_ascii_end().to_vec();
        if line.is_empty() {
            if is_interim {
                is_interim = false;
                continue;
            }
            return;
        }
        // What comes before the answer is not part of it.
        is_interim |= line.starts_with(b"HTTP/") && matches!(status_of(&line), 100..200);
        if !is_interim {
            lines.push(line);
        }
    }
}

fn get_headers(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let context = context_argument(call, 2)?;
    let by_name = call.bool(1);
    let name = call.string(0);
    if memchr::memmem::find(&name, b"://").is_none() {
        call.vm
            .function_warning("This function may only be used against URLs");
        return Ok(false.into());
    }
    let function = call.function().display_name();
    let request = Request {
        name: &name,
        mode: b"r",
        options: options::REPORT_ERRORS | ONLY_HEADERS,
        context: Some(&context),
        function: &function,
    };
    let Some(stream) = super::open_request(call.vm, &request)? else {
        return Ok(false.into());
    };
    drop(stream);
    let lines = call.vm.extensions.state::<LastResponse>().0.clone();
    let lines = lines.unwrap_or_default();
    if !by_name {
        return Ok(header_list(call.vm, &lines).into());
    }
    let mut result = call.vm.new_array();
    for line in &lines {
        let Some(colon) = memchr::memchr(b':', line) else {
            let line = call.vm.string(line).into();
            drop(result.make_mut(call.vm).push(line));
            continue;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii_start());
        let value: Value = call.vm.string(value).into();
        let known = result.get_bytes(name).map(Value::share);
        let value = match known {
            None => value,
            Some(known) => {
                let mut list = match known.array() {
                    Some(list) => list,
                    None => {
                        let mut list = call.vm.new_array();
                        drop(list.make_mut(call.vm).push(known));
                        list
                    }
                };
                drop(list.make_mut(call.vm).push(value));
                list.into()
            }
        };
        result.make_mut(call.vm).set_bytes(name, value);
    }
    Ok(result.into())
}

fn last_headers(call: &mut Call<'_>) -> PhpResult<Value> {
    match call.vm.extensions.state::<LastResponse>().0.clone() {
        Some(lines) => Ok(header_list(call.vm, &lines).into()),
        None => Ok(Value::NULL),
    }
}

fn clear_headers(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.extensions.state::<LastResponse>().0 = None;
    Ok(Value::NULL)
}
