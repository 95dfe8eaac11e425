//! Variables that are added to the links and forms of a page: `output_add_rewrite_var()`, and the
//! session's name where the client keeps no cookies.
//!
//! A page is not parsed. What PHP takes for a tag is a `<` and letters; attributes follow as long as
//! they have the plain form, and anything else ends the tag.

use vm_runtime::function::Call;
use vm_runtime::output::buffer_flags;
use vm_runtime::value::{StringHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::strings::url::{Url, split_url};
use crate::support::{StringBuilder, functions};

functions! {
    "output_add_rewrite_var(string $name, string $value): bool" => output_add_rewrite_var,
    "output_reset_rewrite_vars(): bool" => output_reset_rewrite_vars,
}

/// The name of the buffers in which pages are changed.
const BUFFER: &[u8] = b"URL-Rewriter";

/// Who adds variables. Each has tags, hosts and a buffer of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// `output_add_rewrite_var()`.
    Script,
    /// The session.
    Session,
}

/// Where the reading of a page stands; parts of it come one by one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Plain,
    /// Behind a `<`.
    Tag,
    /// In a tag that is looked for.
    Attributes,
    /// Behind the name of an attribute.
    Assignment,
    /// Behind its `=`.
    Value,
}

/// What one source adds, and where its reading stands.
#[derive(Debug, Default)]
struct Rewriter {
    /// Names and values.
    variables: Vec<(Vec<u8>, Vec<u8>)>,
    is_started: bool,
    place: Place,
    tag: Vec<u8>,
    attribute: Vec<u8>,
    /// The `action` of the last form that had one: it counts for forms without, too.
    action: Vec<u8>,
}

#[derive(Debug, Default)]
struct State {
    script: Rewriter,
    session: Rewriter,
    ends_with_request: bool,
}

fn rewriter(vm: &mut Vm, source: Source) -> &mut Rewriter {
    let state = vm.extensions.state::<State>();
    match source {
        Source::Script => &mut state.script,
        Source::Session => &mut state.session,
    }
}

fn output_add_rewrite_var(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, value) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    Ok(add(call.vm, Source::Script, &name, &value).into())
}

fn output_reset_rewrite_vars(call: &mut Call<'_>) -> PhpResult<Value> {
    reset(call.vm, Source::Script);
    Ok(true.into())
}

/// Adds a variable to what is put out from now on.
pub(crate) fn add(vm: &mut Vm, source: Source, name: &[u8], value: &[u8]) -> bool {
    if !rewriter(vm, source).is_started {
        let handler = match source {
            Source::Script => change_for_script,
            Source::Session => change_for_session,
        };
        if !vm.start_native_buffer(handler, BUFFER, buffer_flags::STANDARD) {
            return false;
        }
        rewriter(vm, source).is_started = true;
        let state = vm.extensions.state::<State>();
        if !std::mem::replace(&mut state.ends_with_request, true) {
            vm.request_end
                .push(|vm| *vm.extensions.state::<State>() = State::default());
        }
    }
    let variable = (name.to_vec(), value.to_vec());
    rewriter(vm, source).variables.push(variable);
    true
}

/// Forgets the variables.
pub(crate) fn reset(vm: &mut Vm, source: Source) {
    rewriter(vm, source).variables.clear();
}

fn change_for_script(vm: &mut Vm, page: &[u8], operation: u32) -> Option<StringHandle> {
    change(vm, Source::Script, page, operation)
}

fn change_for_session(vm: &mut Vm, page: &[u8], operation: u32) -> Option<StringHandle> {
    change(vm, Source::Session, page, operation)
}

/// The handler of the buffers.
fn change(vm: &mut Vm, source: Source, page: &[u8], operation: u32) -> Option<StringHandle> {
    if operation & buffer_flags::CLEAN != 0 {
        rewriter(vm, source).place = Place::Plain;
        return Some(vm.string(""));
    }
    if rewriter(vm, source).variables.is_empty() {
        return Some(vm.string(page));
    }
    let rules = Rules::of(vm, source);
    let mut out = StringBuilder::new(vm, page.len());
    rewriter(vm, source).read(page, &rules, &mut out);
    Some(out.finish(vm))
}

/// What the settings say, and what is added in links and in forms.
struct Rules {
    /// Tags in lower case and the attributes that hold their addresses.
    tags: Vec<(Vec<u8>, Vec<u8>)>,
    /// Hosts that may get the variables; with none, the one that was asked for the page.
    hosts: Vec<Vec<u8>>,
    own_host: Option<Vec<u8>>,
    separator: Vec<u8>,
    in_links: Vec<u8>,
    in_forms: Vec<u8>,
}

impl Rules {
    fn of(vm: &mut Vm, source: Source) -> Rules {
        let (tags, hosts) = match source {
            Source::Script => ("url_rewriter.tags", "url_rewriter.hosts"),
            Source::Session => ("session.trans_sid_tags", "session.trans_sid_hosts"),
        };
        let tags = vm.ini.text(tags).to_ascii_lowercase();
        let tags = tags.split(|&byte| byte == b',').filter_map(|pair| {
            let equals = memchr::memchr(b'=', pair)?;
            Some((pair[..equals].to_vec(), pair[equals + 1..].to_vec()))
        });
        let hosts = vm.ini.text(hosts).to_ascii_lowercase();
        let hosts = hosts
            .split(|&byte| byte == b',')
            .map(|host| host.trim_ascii().to_vec())
            .filter(|host| !host.is_empty());
        let separator = vm.ini.text("arg_separator.output").to_vec();
        let (mut in_links, mut in_forms) = (Vec::new(), Vec::new());
        let own_host = vm
            .global(b"_SERVER")
            .and_then(|server| server.array())
            .and_then(|server| {
                let host = Value::share(server.get_bytes(b"HTTP_HOST")?.deref());
                let host = host.as_bytes()?;
                Some(host.split(|&byte| byte == b':').next()?.to_vec())
            });
        let (tags, hosts) = (tags.collect(), hosts.collect());
        for (index, (name, value)) in rewriter(vm, source).variables.iter().enumerate() {
            if index > 0 {
                in_links.extend_from_slice(&separator);
            }
            push_url(&mut in_links, name);
            in_links.push(b'=');
            push_url(&mut in_links, value);
            in_forms.extend_from_slice(b"<input type=\"hidden\" name=\"");
            push_html(&mut in_forms, name);
            in_forms.extend_from_slice(b"\" value=\"");
            push_html(&mut in_forms, value);
            in_forms.extend_from_slice(b"\" />");
        }
        Rules {
            tags,
            hosts,
            own_host,
            separator,
            in_links,
            in_forms,
        }
    }

    /// True if an address leads to a place that may get the variables.
    fn allow(&self, url: &Url<'_>) -> bool {
        let of_web = url.scheme.is_none_or(|scheme| {
            scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
        });
        let Some(host) = url.host.filter(|_| of_web) else {
            return of_web;
        };
        match &self.own_host {
            Some(own) if self.hosts.is_empty() => own.eq_ignore_ascii_case(host),
            _ => self.hosts.contains(&host.to_ascii_lowercase()),
        }
    }

    /// An address with the variables, if it may get them.
    fn extend(&self, address: &[u8]) -> Option<Vec<u8>> {
        let clean: Vec<u8> = address
            .iter()
            .map(|&byte| if byte.is_ascii_control() { b'_' } else { byte })
            .collect();
        let url = split_url(&clean)?;
        if address.starts_with(b"#") || !self.allow(&url) {
            return None;
        }
        let mut out = Vec::with_capacity(address.len() + self.in_links.len() + 2);
        if let Some(scheme) = url.scheme {
            out.extend_from_slice(scheme);
            out.extend_from_slice(b"://");
        } else if clean.starts_with(b"//") {
            out.extend_from_slice(b"//");
        }
        if let Some(user) = url.user {
            // PHP puts the password before the colon.
            out.extend_from_slice(user);
            if let Some(password) = url.password {
                out.extend_from_slice(password);
                out.push(b':');
            }
            out.push(b'@');
        }
        if let Some(host) = url.host {
            out.extend_from_slice(host);
        }
        if let Some(port) = url.port {
            out.extend_from_slice(format!(":{port}").as_bytes());
        }
        match url.path {
            Some(path) => out.extend_from_slice(path),
            None if url.host.is_some() && url.query.is_none() => out.push(b'/'),
            None => {}
        }
        out.push(b'?');
        if let Some(query) = url.query {
            out.extend_from_slice(query);
            out.extend_from_slice(&self.separator);
        }
        out.extend_from_slice(&self.in_links);
        if let Some(fragment) = url.fragment {
            out.push(b'#');
            out.extend_from_slice(fragment);
        }
        Some(out)
    }
}

fn push_url(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
}

fn push_html(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#039;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            _ => out.push(byte),
        }
    }
}

/// How many bytes at the start are of a kind.
fn run(text: &[u8], is: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&byte| is(byte)).count()
}

/// A value at the start: with its quotes, and without.
fn value_at(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(&quote @ (b'"' | b'\'')) = text.first() {
        let length = run(&text[1..], |byte| byte != quote && byte != b'>');
        let ends = text.get(length + 1) == Some(&quote);
        return ends.then(|| (&text[..length + 2], &text[1..length + 1]));
    }
    let length = run(text, |byte| {
        !matches!(byte, b' ' | b'\r' | b'\n' | b'\t' | b'>' | b'\'' | b'"')
    });
    (length > 0).then(|| (&text[..length], &text[..length]))
}

impl Rewriter {
    /// Reads a part of a page, and writes it with the variables.
    fn read(&mut self, page: &[u8], rules: &Rules, out: &mut StringBuilder) {
        let mut rest = page;
        while !rest.is_empty() {
            let taken = self.step(rest, rules, out);
            if taken == 0 {
                self.place = Place::Plain;
            }
            rest = &rest[taken..];
        }
    }

    /// Takes what comes next; nothing if it does not belong where the reading stands.
    fn step(&mut self, rest: &[u8], rules: &Rules, out: &mut StringBuilder) -> usize {
        let taken = match self.place {
            Place::Plain => {
                let start = memchr::memchr(b'<', rest);
                if start.is_some() {
                    self.place = Place::Tag;
                }
                start.map_or(rest.len(), |start| start + 1)
            }
            Place::Tag => {
                let length = run(rest, |byte| byte.is_ascii_alphabetic());
                self.tag = rest[..length].to_ascii_lowercase();
                let known = rules.tags.iter().any(|(tag, _)| *tag == self.tag);
                self.place = match known && length > 0 {
                    true => Place::Attributes,
                    false => Place::Plain,
                };
                length
            }
            Place::Attributes => return self.attributes(rest, rules, out),
            Place::Assignment => {
                let spaces = run(rest, |byte| byte == b' ');
                if rest.get(spaces) == Some(&b'=') {
                    self.place = Place::Value;
                    spaces + 1 + run(&rest[spaces + 1..], |byte| byte == b' ')
                } else {
                    self.place = Place::Attributes;
                    return self.attributes(rest, rules, out);
                }
            }
            Place::Value => {
                self.place = Place::Attributes;
                let Some((whole, value)) = value_at(rest) else {
                    out.push(&rest[..1]);
                    return 1;
                };
                self.value(whole, value, rules, out);
                return whole.len();
            }
        };
        out.push(&rest[..taken]);
        taken
    }

    fn attributes(&mut self, rest: &[u8], rules: &Rules, out: &mut StringBuilder) -> usize {
        let ends = rest.strip_prefix(b"/").unwrap_or(rest).first() == Some(&b'>');
        let taken = if ends {
            self.place = Place::Plain;
            run(rest, |byte| byte == b'/') + 1
        } else if rest[0].is_ascii_alphabetic() {
            let is_name = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
            let length = run(rest, is_name);
            self.attribute = rest[..length].to_ascii_lowercase();
            self.place = Place::Assignment;
            length
        } else {
            let blanks = run(rest, |byte| {
                matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b)
            });
            if blanks == 0 {
                self.place = Place::Plain;
            }
            blanks.max(1)
        };
        out.push(&rest[..taken]);
        if ends && self.tag == b"form" {
            let url = split_url(&self.action);
            if url.is_some_and(|url| rules.allow(&url)) {
                out.push(&rules.in_forms);
            }
        }
        taken
    }

    fn value(&mut self, whole: &[u8], value: &[u8], rules: &Rules, out: &mut StringBuilder) {
        if self.tag == b"form" && self.attribute == b"action" {
            self.action = value.to_vec();
        }
        let mut tags = rules.tags.iter();
        let holds_address =
            tags.any(|(tag, attribute)| *tag == self.tag && *attribute == self.attribute);
        let extended = match holds_address {
            true => rules.extend(value),
            false => None,
        };
        let Some(extended) = extended else {
            return out.push(whole);
        };
        let quote = &whole[..(whole.len() - value.len()) / 2];
        out.push(quote);
        out.push(&extended);
        out.push(quote);
    }
}
