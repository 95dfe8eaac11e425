//! Encodings of sources: `zend.multibyte`, `zend.script_encoding` and `declare(encoding=...)`.
//!
//! A source that is not in the internal encoding is converted before it is read. If the internal
//! encoding has bytes of ASCII within characters, the source is read in its own or in UTF-8 and its
//! literals are converted.

use php_frontend::{LiteralEncoder, Multibyte};
use vm_runtime::vm::Vm;

use super::encoding::{self, Encoding, Substitute, utf8_encoding};
use super::{detect, settings};

/// A source as it is to be read.
#[derive(Debug)]
pub struct Source {
    /// The converted text, if it had to be converted.
    pub text: Option<Vec<u8>>,
    /// How it is read.
    pub multibyte: Multibyte,
    encoding: &'static Encoding,
    target: &'static Encoding,
}

impl Source {
    /// Where in the file what stands at an offset of the converted text is.
    pub fn place_in_file(&self, file: &[u8], offset: usize) -> usize {
        if self.text.is_none() {
            return offset;
        }
        let (mut low, mut high) = (0, file.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let length = convert(&file[..middle], self.encoding, self.target).len();
            if length < offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// How a source is read if `zend.multibyte` is on.
pub fn prepare(vm: &mut Vm, source: &[u8]) -> Option<Source> {
    if !vm.ini.bool("zend.multibyte") {
        return None;
    }
    let (source, mark) = match marked(source) {
        Some((encoding, length)) => (&source[length..], Some((encoding, length))),
        None => (source, None),
    };
    let internal = settings::internal_encoding(vm);
    let encoding = declared(source)
        .or(mark.map(|(encoding, _)| encoding))
        .or_else(|| configured(vm, source))
        .unwrap_or(internal);
    // What cannot be read as it is to be in the end is read in UTF-8.
    let target = match is_readable(internal) {
        true => internal,
        false => utf8_encoding(),
    };
    let text = (encoding != target).then(|| convert(source, encoding, target));
    let text = text.or_else(|| mark.map(|_| source.to_vec()));
    let literals = (target != internal).then_some((from_utf8 as LiteralEncoder, internal.name));
    Some(Source {
        text,
        multibyte: Multibyte {
            knows: |name| encoding::find(name).is_some(),
            literals,
        },
        encoding,
        target,
    })
}

fn convert(bytes: &[u8], from: &Encoding, to: &Encoding) -> Vec<u8> {
    let substitute = Substitute::Character(u32::from(b'?'));
    to.encode(&from.decode(bytes), substitute).0
}

fn from_utf8(text: &[u8], encoding: &'static str) -> Vec<u8> {
    match encoding::find(encoding.as_bytes()) {
        Some(encoding) => convert(text, utf8_encoding(), encoding),
        None => text.to_vec(),
    }
}

/// True if bytes of ASCII always are characters of ASCII.
fn is_readable(encoding: &Encoding) -> bool {
    const NOT: &[&str] = &[
        "SJIS", "CP932", "BIG-5", "CP936", "CP950", "GB18030", "UHC", "UTF-16", "UTF-32", "UTF-7",
        "UTF7", "UCS-", "JIS", "ISO-2022", "CP5022", "HZ",
    ];
    !encoding.is_transfer() && !NOT.iter().any(|start| encoding.name.starts_with(start))
}

/// The encoding that a mark at the start tells, and how long the mark is.
fn marked(source: &[u8]) -> Option<(&'static Encoding, usize)> {
    let marks: [(&[u8], &str); 5] = [
        (b"\xff\xfe\0\0", "UTF-32LE"),
        (b"\0\0\xfe\xff", "UTF-32BE"),
        (b"\xff\xfe", "UTF-16LE"),
        (b"\xfe\xff", "UTF-16BE"),
        (b"\xef\xbb\xbf", "UTF-8"),
    ];
    let (mark, name) = marks.iter().find(|(mark, _)| source.starts_with(mark))?;
    Some((encoding::find(name.as_bytes())?, mark.len()))
}

/// The encoding of `zend.script_encoding`, which may list several.
fn configured(vm: &mut Vm, source: &[u8]) -> Option<&'static Encoding> {
    let names = vm.ini.text("zend.script_encoding").to_vec();
    let known = names
        .split(|&byte| byte == b',')
        .filter_map(|name| encoding::find(name.trim_ascii()));
    let known: Vec<&'static Encoding> = known.collect();
    match known.as_slice() {
        [] => None,
        [only] => Some(only),
        several => detect::detect(&[source], several, true, true),
    }
}

/// The encoding of the first `declare(encoding=...)`, if that is the first statement.
fn declared(source: &[u8]) -> Option<&'static Encoding> {
    let start = memchr::memmem::find(source, b"<?php")?;
    let mut rest = skip_blanks(&source[start + 5..]);
    for word in [b"declare".as_slice(), b"(", b"encoding", b"="] {
        let begin = rest.get(..word.len())?;
        if !begin.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = skip_blanks(&rest[word.len()..]);
    }
    let quote = *rest
        .first()
        .filter(|&&quote| matches!(quote, b'"' | b'\''))?;
    let end = memchr::memchr(quote, &rest[1..])?;
    encoding::find(&rest[1..=end])
}

/// What follows blanks and comments.
fn skip_blanks(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = rest.trim_ascii_start();
        let length = if rest.starts_with(b"#") || rest.starts_with(b"//") {
            memchr::memchr(b'\n', rest)
        } else if rest.starts_with(b"/*") {
            memchr::memmem::find(rest, b"*/").map(|end| end + 2)
        } else {
            return rest;
        };
        rest = &rest[length.unwrap_or(rest.len())..];
    }
}
