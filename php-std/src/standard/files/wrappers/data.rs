//! `data:` URLs: the contents stand in the name.

use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::super::super::strings::encode::{UrlStyle, decode_base64, decode_url};
use super::super::stream::{Backend, Stream};
use super::{Opened, Request, Wrapper};

/// `data:[type/subtype][;name=value]*[;base64],contents`, see RFC 2397.
#[derive(Debug)]
pub(super) struct DataWrapper;

/// A URL, taken apart.
#[derive(Debug, Default)]
struct DataUrl {
    media_type: Option<Vec<u8>>,
    parameters: Vec<(Vec<u8>, Vec<u8>)>,
    is_base64: bool,
    contents: Vec<u8>,
}

impl DataUrl {
    fn parse(url: &[u8]) -> Result<DataUrl, &'static str> {
        let rest = url[b"data:".len()..].strip_prefix(b"//");
        let rest = rest.unwrap_or(&url[b"data:".len()..]);
        let comma = memchr::memchr(b',', rest).ok_or("rfc2397: no comma in URL")?;
        let mut parsed = DataUrl::default();
        let mut words = rest[..comma].split(|&byte| byte == b';').peekable();
        let media_type = words.next().unwrap_or_default();
        match memchr::memchr(b'/', media_type) {
            Some(_) => parsed.media_type = Some(media_type.to_vec()),
            None if media_type.is_empty() => {}
            None => return Err("rfc2397: illegal media type"),
        }
        // Parameters only stand behind a type.
        if parsed.media_type.is_none() && !matches!(&rest[..comma], b"" | b";base64") {
            return Err("rfc2397: illegal media type");
        }
        while let Some(word) = words.next() {
            match memchr::memchr(b'=', word) {
                Some(equals) => {
                    let value = decode_url(&word[equals + 1..], UrlStyle::Raw);
                    parsed.parameters.push((word[..equals].to_vec(), value));
                }
                None if word == b"base64" && words.peek().is_none() => parsed.is_base64 = true,
                None if parsed.media_type.is_none() => return Err("rfc2397: illegal media type"),
                None => return Err("rfc2397: illegal parameter"),
            }
        }
        let contents = &rest[comma + 1..];
        parsed.contents = if parsed.is_base64 {
            let decoded = decode_url(contents, UrlStyle::Raw);
            decode_base64(&decoded, true).ok_or("rfc2397: unable to decode")?
        } else {
            decode_url(contents, UrlStyle::Raw)
        };
        Ok(parsed)
    }
}

impl Wrapper for DataWrapper {
    fn label(&self) -> &'static str {
        "RFC2397"
    }

    fn is_url(&self) -> bool {
        true
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let url = match DataUrl::parse(request.name) {
            Ok(url) => url,
            Err(problem) => return Ok(Err(problem.into())),
        };
        let mut described: Vec<(Vec<u8>, Value)> = Vec::new();
        if let Some(media_type) = url.media_type {
            described.push((b"mediatype".to_vec(), vm.string(media_type).into()));
        }
        for (name, value) in url.parameters {
            described.push((name, vm.string(value).into()));
        }
        described.push((b"base64".to_vec(), url.is_base64.into()));
        let backend = Backend::memory(url.contents);
        let mut stream = Stream::new(backend, true, false);
        (stream.wrapper, stream.kind) = ("RFC2397", "RFC2397");
        stream.uri = request.name.to_vec();
        stream.mode = match request.mode {
            [b'r', b'b', ..] => b"rb".to_vec(),
            [first, ..] => vec![*first],
            [] => Vec::new(),
        };
        stream.described = described;
        Ok(Ok(stream))
    }
}
