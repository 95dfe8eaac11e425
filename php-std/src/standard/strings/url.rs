//! URLs and query strings: `parse_url`, `http_build_query`, `parse_str`.

use smallvec::SmallVec;
use vm_runtime::array::{KeyRef, PhpArray, integer_key};
use vm_runtime::class::Class;
use vm_runtime::exceptions::{KnownClass, slot};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::each_visible;
use vm_runtime::operators::{self, float_text};
use vm_runtime::value::{
    ARRAY, ArrayHandle, DOUBLE, FALSE, LONG, NULL, OBJECT, RESOURCE, TRUE, Value, ValueKind, Zval,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::encode::{UrlStyle, decode_url, push_url};
use crate::support::{Append, StringBuilder, define, functions, hold, new_list, string_of, text};

functions! {
    "parse_url(string $url, int $component = -1): int|string|array|null|false" => parse_url,
    "http_build_query(array|object $data, string $numeric_prefix = \"\", ?string $arg_separator = null, int $encoding_type = PHP_QUERY_RFC1738): string" => http_build_query,
    "parse_str(string $string, &$result): void" => parse_str,
}

#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("PHP_URL_SCHEME", 0i64),
            ("PHP_URL_HOST", 1),
            ("PHP_URL_PORT", 2),
            ("PHP_URL_USER", 3),
            ("PHP_URL_PASS", 4),
            ("PHP_URL_PATH", 5),
            ("PHP_URL_QUERY", 6),
            ("PHP_URL_FRAGMENT", 7),
            ("PHP_QUERY_RFC1738", 1),
            ("PHP_QUERY_RFC3986", 2),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

/// The parts of a URL.
#[derive(Debug, Default)]
pub(crate) struct Url<'a> {
    pub(crate) scheme: Option<&'a [u8]>,
    pub(crate) host: Option<&'a [u8]>,
    pub(crate) port: Option<u16>,
    pub(crate) user: Option<&'a [u8]>,
    pub(crate) password: Option<&'a [u8]>,
    pub(crate) path: Option<&'a [u8]>,
    pub(crate) query: Option<&'a [u8]>,
    pub(crate) fragment: Option<&'a [u8]>,
}

/// What to read next.
enum Step {
    Host,
    Path,
    Done,
}

fn starts_relative(rest: &[u8]) -> bool {
    rest.starts_with(b"//")
}

/// Takes a URL apart as PHP does, which accepts much that no standard allows.
pub(crate) fn split_url(url: &[u8]) -> Option<Url<'_>> {
    let mut parts = Url::default();
    let mut rest = url;
    let step = split_scheme(url, &mut rest, &mut parts)?;
    if matches!(step, Step::Host) && !split_host(&mut rest, &mut parts)? {
        return Some(parts);
    }
    if matches!(step, Step::Done) {
        return Some(parts);
    }
    let mut end = rest.len();
    if let Some(at) = memchr::memchr(b'#', rest) {
        parts.fragment = Some(&rest[at + 1..]);
        end = at;
    }
    if let Some(at) = memchr::memchr(b'?', &rest[..end]) {
        parts.query = Some(&rest[at + 1..end]);
        end = at;
    }
    if end > 0 || rest.is_empty() {
        parts.path = Some(&rest[..end]);
    }
    Some(parts)
}

/// Reads the scheme, if there is one; `rest` is what follows.
fn split_scheme<'a>(url: &'a [u8], rest: &mut &'a [u8], parts: &mut Url<'a>) -> Option<Step> {
    let relative = |rest: &mut &'a [u8]| {
        if starts_relative(url) {
            *rest = &url[2..];
            Step::Host
        } else {
            Step::Path
        }
    };
    let Some(colon) = memchr::memchr(b':', url) else {
        return Some(relative(rest));
    };
    if colon == 0 {
        return split_leading_port(url, colon, rest, parts);
    }
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
    if !url[..colon].iter().all(is_scheme) {
        let query = url
            .iter()
            .position(|byte| matches!(byte, b'?' | b'#'))
            .unwrap_or(url.len());
        if colon + 1 < url.len() && colon < query {
            return split_leading_port(url, colon, rest, parts);
        }
        return Some(relative(rest));
    }
    if colon + 1 == url.len() {
        parts.scheme = Some(&url[..colon]);
        return Some(Step::Done);
    }
    let after = &url[colon + 1..];
    if after[0] != b'/' {
        // `a.com:80` is a host with a port; `mailto:x` is a scheme.
        let digits = after
            .iter()
            .take(6)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits < 6 && (digits == after.len() || after[digits] == b'/') {
            return split_leading_port(url, colon, rest, parts);
        }
        parts.scheme = Some(&url[..colon]);
        *rest = after;
        return Some(Step::Path);
    }
    parts.scheme = Some(&url[..colon]);
    if after.get(1) != Some(&b'/') {
        *rest = after;
        return Some(Step::Path);
    }
    *rest = &after[2..];
    if url[..colon].eq_ignore_ascii_case(b"file") && after.get(2) == Some(&b'/') {
        // file:///c:/...
        if after.get(4) == Some(&b':') {
            *rest = &after[3..];
        }
        return Some(Step::Path);
    }
    Some(Step::Host)
}

/// A colon that does not end a scheme may start a port.
fn split_leading_port<'a>(
    url: &'a [u8],
    colon: usize,
    rest: &mut &'a [u8],
    parts: &mut Url<'a>,
) -> Option<Step> {
    let after = &url[colon + 1..];
    let digits = after
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits > 0 && digits < 6 && (digits == after.len() || after[digits] == b'/') {
        parts.port = Some(port(&after[..digits])?);
    } else if digits == 0 && after.is_empty() {
        return None;
    } else if !starts_relative(url) {
        return Some(Step::Path);
    }
    if starts_relative(url) {
        *rest = &url[2..];
    }
    Some(Step::Host)
}

fn port(digits: &[u8]) -> Option<u16> {
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&digits[..count]).ok()?.parse().ok()
}

/// Reads `user:password@host:port`; false if nothing follows.
fn split_host<'a>(rest: &mut &'a [u8], parts: &mut Url<'a>) -> Option<bool> {
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
        .unwrap_or(rest.len());
    let mut authority = &rest[..end];
    if let Some(at) = memchr::memrchr(b'@', authority) {
        let login = &authority[..at];
        match memchr::memchr(b':', login) {
            Some(colon) => {
                parts.user = Some(&login[..colon]);
                parts.password = Some(&login[colon + 1..]);
            }
            None => parts.user = Some(login),
        }
        authority = &authority[at + 1..];
    }
    let bracketed = authority.first() == Some(&b'[') && authority.last() == Some(&b']');
    let colon = if bracketed {
        None
    } else {
        memchr::memrchr(b':', authority)
    };
    let mut host = authority;
    if let Some(colon) = colon {
        host = &authority[..colon];
        let digits = &authority[colon + 1..];
        if parts.port.is_none_or(|port| port == 0) {
            if digits.len() > 5 {
                return None;
            }
            if !digits.is_empty() {
                parts.port = Some(port(digits)?);
            }
        }
    }
    if host.is_empty() {
        return None;
    }
    parts.host = Some(host);
    let more = end < rest.len();
    *rest = &rest[end..];
    Some(more)
}

fn parse_url(call: &mut Call<'_>) -> PhpResult<Value> {
    let component = call.long(1);
    let Some(url) = split_url(call.bytes(0)) else {
        return Ok(false.into());
    };
    let vm = &mut *call.vm;
    let mut part = |bytes: Option<&[u8]>| -> Option<Value> {
        let bytes = bytes?;
        if !bytes.iter().any(u8::is_ascii_control) {
            return Some(vm.string(bytes).into());
        }
        let clean: Vec<u8> = bytes
            .iter()
            .map(|&byte| if byte.is_ascii_control() { b'_' } else { byte })
            .collect();
        Some(vm.string(clean).into())
    };
    let parts: [(&'static str, Option<Value>); 8] = [
        ("scheme", part(url.scheme)),
        ("host", part(url.host)),
        ("port", url.port.map(|port| (port as i64).into())),
        ("user", part(url.user)),
        ("pass", part(url.password)),
        ("path", part(url.path)),
        ("query", part(url.query)),
        ("fragment", part(url.fragment)),
    ];
    if component >= 0 {
        return match parts.into_iter().nth(component as usize) {
            Some((_, value)) => Ok(value.unwrap_or(Value::NULL)),
            None => Err(call.value_error(
                1,
                &format!("must be a valid URL component identifier, {component} given"),
            )),
        };
    }
    let mut result = PhpArray::keyed(&mut call.vm.heap, 8);
    let array = result.make_mut(call.vm);
    for (name, value) in parts {
        if let Some(value) = value {
            array.set_new(KeyRef::String(call.vm.static_name(name)), value);
        }
    }
    Ok(result.into())
}

struct Query<'a> {
    builder: StringBuilder,
    separator: &'a [u8],
    style: UrlStyle,
    /// The arrays and objects that are being written.
    open: Vec<usize>,
}

fn http_build_query(call: &mut Call<'_>) -> PhpResult<Value> {
    let style = if call.long(3) == 2 {
        UrlStyle::Raw
    } else {
        UrlStyle::Form
    };
    let configured = call.vm.ini.text("arg_separator.output").to_vec();
    let separator = match call.optional_bytes(2) {
        Some(separator) => separator,
        None if configured.is_empty() => b"&",
        None => &configured,
    };
    let prefix = call.bytes(1);
    let data = call.value(0);
    if let Some(class) = enum_of(&data) {
        let problem = format!("must not be an enum, {} given", class.display_name());
        return Err(call.type_error(0, &problem));
    }
    let table = table_of(call.vm, &data)?;
    let builder = StringBuilder::new(call.vm, 64);
    let mut query = Query {
        builder,
        separator,
        style,
        open: vec![identity(&data)],
    };
    query.pairs(call.vm, &table, None, prefix)?;
    Ok(query.builder.into_value(call.vm))
}

/// The enum that a value is a case of.
fn enum_of(value: &Value) -> Option<&Class> {
    let class = match value.view() {
        ValueKind::Object(object) => object.class(),
        _ => return None,
    };
    (class.flags & class_flags::ENUM != 0).then_some(class)
}

/// Elements, or the properties that the running code may see.
fn table_of(vm: &mut Vm, value: &Value) -> PhpResult<ArrayHandle> {
    let Some(object) = value.object() else {
        return Ok(operators::to_array(vm, value));
    };
    let scope = vm.current_scope();
    let mut table = vm.new_array();
    each_visible(vm, &object, scope, false, |vm, property| {
        table
            .make_mut(vm)
            .set_string(&property.name, property.value);
    })?;
    Ok(table)
}

/// What an array or object is known by while it is written.
fn identity(value: &Value) -> usize {
    match value.view() {
        ValueKind::Array(elements) => &raw const *elements as usize,
        ValueKind::Object(object) => &raw const *object as usize,
        _ => 0,
    }
}

/// Appends the name of an element: in brackets behind that of its array, or behind the prefix if it is a number, which is
/// not encoded.
fn push_name(
    builder: &mut StringBuilder,
    key: KeyRef<'_>,
    parent: Option<&[u8]>,
    prefix: &[u8],
    style: UrlStyle,
) {
    if let Some(parent) = parent {
        builder.push_all([parent, b"%5B"]);
    }
    match key {
        KeyRef::String(name) => push_url(builder, name.as_bytes(), style),
        KeyRef::Long(number) => {
            if parent.is_none() {
                builder.push(prefix);
            }
            builder.push_integer(number);
        }
    }
    if parent.is_some() {
        builder.push(b"%5D");
    }
}

impl Query<'_> {
    fn pairs(
        &mut self,
        vm: &mut Vm,
        table: &PhpArray,
        parent: Option<&[u8]>,
        prefix: &[u8],
    ) -> PhpResult<()> {
        vm.check_native_stack()?;
        for (key, value) in table.iter() {
            vm.poll();
            let mut value = hold(value);
            if let Some(class) = enum_of(&value) {
                if class.backing_type == 0 {
                    let name = class.display_name();
                    let message = format!("Unbacked enum {name} cannot be converted to a string");
                    return Err(vm.throw_error(KnownClass::ValueError, message));
                }
                if let Some(case) = value.object() {
                    value = hold(slot(&case, 1));
                }
            }
            if matches!(value.kind(), NULL | RESOURCE) {
                continue;
            }
            // Properties that are not public.
            if matches!(key, KeyRef::String(name) if name.first() == Some(&0)) {
                continue;
            }
            if matches!(value.kind(), ARRAY | OBJECT) {
                let mut encoded = StringBuilder::new(vm, 32);
                push_name(&mut encoded, key, parent, prefix, self.style);
                // What holds itself is written once.
                let identity = identity(&value);
                if !self.open.contains(&identity) {
                    self.open.push(identity);
                    let table = table_of(vm, &value)?;
                    self.pairs(vm, &table, Some(encoded.as_bytes()), prefix)?;
                    self.open.pop();
                }
                continue;
            }
            if self.builder.len() > 0 {
                self.builder.push(self.separator);
            }
            push_name(&mut self.builder, key, parent, prefix, self.style);
            self.builder.push_byte(b'=');
            self.scalar(vm, &value)?;
        }
        Ok(())
    }

    fn scalar(&mut self, vm: &mut Vm, value: &Zval) -> PhpResult<()> {
        match value.kind() {
            FALSE => self.builder.push_byte(b'0'),
            TRUE => self.builder.push_byte(b'1'),
            DOUBLE => {
                let digits = float_text::general(value.double(), vm.ini.precision);
                push_url(&mut self.builder, digits.as_bytes(), self.style);
            }
            LONG => self.builder.push_integer(value.long()),
            _ => {
                let string = string_of(vm, value)?;
                push_url(&mut self.builder, &string, self.style);
            }
        }
        Ok(())
    }
}

fn parse_str(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    // The text ends at a zero byte.
    let end = memchr::memchr(0, string).unwrap_or(string.len());
    let result = parse_query(call.vm, &string[..end])?;
    call.assign(1, result.into());
    Ok(Value::NULL)
}

/// The variables of a query string.
pub(crate) fn parse_query(vm: &mut Vm, string: &[u8]) -> PhpResult<ArrayHandle> {
    let mut result = new_list(vm, 8);
    for (mut name, value) in query_pairs(vm, string) {
        let value = text(vm, value)?;
        register_variable(vm, &mut result, &mut name, value);
    }
    Ok(result)
}

/// The decoded names and values of a query string, as many as the settings allow.
pub(crate) fn query_pairs(vm: &mut Vm, string: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let most = vm.ini.long("max_input_vars");
    let separators = vm.ini.text("arg_separator.input").to_vec();
    let mut pairs = Vec::new();
    for pair in string.split(|byte| separators.contains(byte)) {
        if pair.is_empty() {
            continue;
        }
        if pairs.len() as i64 >= most {
            vm.function_warning(format!(
                "Input variables exceeded {most}. To increase the limit change max_input_vars in php.ini."
            ));
            break;
        }
        let (name, value) = match memchr::memchr(b'=', pair) {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &b""[..]),
        };
        pairs.push((
            decode_url(name, UrlStyle::Form),
            decode_url(value, UrlStyle::Form),
        ));
    }
    pairs
}

/// A part of the name of a variable.
type Name = SmallVec<[u8; 32]>;

/// Sets a variable as a query string names it: `a`, `a[b]`, `a[][c]`; what PHP does not allow in
/// the name of a variable becomes `_`.
pub(crate) fn register_variable(
    vm: &mut Vm,
    table: &mut ArrayHandle,
    name: &mut [u8],
    value: Value,
) {
    let start = name
        .iter()
        .position(|&byte| byte != b' ')
        .unwrap_or(name.len());
    let name = &mut name[start..];
    let end = memchr::memchr(0, name).unwrap_or(name.len());
    let name = &mut name[..end];
    let bracket = memchr::memchr(b'[', name).unwrap_or(name.len());
    for byte in &mut name[..bracket] {
        if matches!(byte, b' ' | b'.') {
            *byte = b'_';
        }
    }
    if bracket == 0 {
        return;
    }
    if bracket == name.len() {
        return set_key(vm, table, name, value);
    }
    let mut keys: SmallVec<[Option<Name>; 4]> = SmallVec::new();
    keys.push(Some(Name::from_slice(&name[..bracket])));
    let mut at = bracket;
    while at < name.len() && name[at] == b'[' {
        let inner = at + 1;
        let skip = name.get(inner).is_some_and(u8::is_ascii_whitespace) as usize;
        if name.get(inner + skip) == Some(&b']') {
            keys.push(None);
            at = inner + skip + 1;
            continue;
        }
        match memchr::memchr(b']', &name[inner..]) {
            Some(length) => {
                keys.push(Some(Name::from_slice(&name[inner..inner + length])));
                at = inner + length + 1;
            }
            None => {
                // An index that does not end belongs to the name before it.
                if let [Some(last)] = keys.as_mut_slice() {
                    last.push(b'_');
                    let rest = name[inner..].iter();
                    last.extend(rest.map(|byte| {
                        if matches!(byte, b' ' | b'.' | b'[') {
                            b'_'
                        } else {
                            *byte
                        }
                    }));
                }
                break;
            }
        }
    }
    if keys.len() > 64 {
        return;
    }
    set_nested(vm, table, &keys, value);
}

fn set_nested(vm: &mut Vm, table: &mut ArrayHandle, keys: &[Option<Name>], value: Value) {
    let Some((key, rest)) = keys.split_first() else {
        return;
    };
    let value = if rest.is_empty() {
        value
    } else {
        let existing = key.as_deref().and_then(|key| match integer_key(key) {
            Some(number) => table.get_long(number),
            None => table.get_bytes(key),
        });
        let mut inner = existing
            .and_then(|value| hold(value).array())
            .unwrap_or_else(|| new_list(vm, 0));
        // The table's own share goes while the inner array is changed in place.
        if let Some(key) = key
            && inner.refcount() > 1
        {
            set_key(vm, table, key, Value::NULL);
        }
        set_nested(vm, &mut inner, rest, value);
        inner.into()
    };
    match key {
        Some(key) => set_key(vm, table, key, value),
        None => table.make_mut(vm).append(value),
    }
}

fn set_key(vm: &mut Vm, table: &mut ArrayHandle, key: &[u8], value: Value) {
    match integer_key(key) {
        Some(number) => table.make_mut(vm).set_long(number, value),
        None => table.make_mut(vm).set_bytes(key, value),
    }
}
