//! Requests as they come over the wire.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::time::Duration;

/// A request.
pub(super) struct Head {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) protocol: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Head {
    /// The version that the answer names.
    pub(super) fn version(&self) -> &'static str {
        match self.protocol.as_str() {
            "HTTP/1.0" => "HTTP/1.0",
            _ => "HTTP/1.1",
        }
    }
}

/// Longer lines are no requests.
const LONGEST_LINE: u64 = 64 * 1024;
/// Nor are longer targets.
const LONGEST_TARGET: usize = 16 * 1024;
/// How long a client may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads a request; `None` if the client sent nothing.
pub(super) fn read_request(stream: &mut TcpStream) -> Result<Option<Head>, String> {
    let invalid = || String::from("Invalid request (Malformed HTTP request)");
    stream
        .set_read_timeout(Some(PATIENCE))
        .map_err(|error| error.to_string())?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    if first.is_empty() {
        return Ok(None);
    }
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(protocol)) = (words.next(), words.next(), words.next())
    else {
        return Err(invalid());
    };
    if !protocol.starts_with("HTTP/") || target.len() > LONGEST_TARGET {
        return Err(invalid());
    }
    // What stands in a line without a colon goes to the name in the next one.
    let mut begun = String::new();
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let header = line(&mut reader)?;
        if header.is_empty() {
            if !begun.is_empty() {
                headers.push((begun, String::new()));
            }
            break;
        }
        let Some((name, value)) = header.split_once(':') else {
            begun.push_str(header.trim());
            continue;
        };
        let name = format!("{}{}", std::mem::take(&mut begun), name.trim());
        headers.push((name, value.trim().to_string()));
    }
    let value = |wanted: &str| {
        let found = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.clone())
    };
    if value("Expect").is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue")) {
        use std::io::Write;
        let _ = reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    let chunked = value("Transfer-Encoding").is_some_and(|coding| coding.contains("chunked"));
    let body = if chunked {
        read_chunks(&mut reader)?
    } else {
        let length: u64 = value("Content-Length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        let mut body = Vec::new();
        reader
            .take(length)
            .read_to_end(&mut body)
            .map_err(|error| error.to_string())?;
        body
    };
    Ok(Some(Head {
        method: method.to_string(),
        target: target.to_string(),
        protocol: protocol.to_string(),
        headers,
        body,
    }))
}

/// A line without its end.
fn line(reader: &mut impl BufRead) -> Result<String, String> {
    let mut bytes = Vec::new();
    reader
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut bytes)
        .map_err(|error| error.to_string())?;
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_chunks(reader: &mut impl BufRead) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|error| error.to_string())?;
        reader
            .take(size)
            .read_to_end(&mut body)
            .map_err(|error| error.to_string())?;
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// The path of a target, its escapes decoded.
pub(super) fn decode_path(target: &str) -> String {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let mut decoded = Vec::with_capacity(path.len());
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escape.unwrap_or(bytes[at]));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
