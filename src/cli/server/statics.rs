//! Files that are sent as they are, and the page for those that are not there.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use super::http::Head;

/// Types by extension.
const TYPES: &[(&str, &str)] = &[
    ("html", "text/html; charset=UTF-8"),
    ("htm", "text/html; charset=UTF-8"),
    ("css", "text/css; charset=UTF-8"),
    ("js", "text/javascript; charset=UTF-8"),
    ("mjs", "text/javascript; charset=UTF-8"),
    ("txt", "text/plain; charset=UTF-8"),
    ("csv", "text/csv; charset=UTF-8"),
    ("xml", "text/xml; charset=UTF-8"),
    ("md", "text/x-markdown"),
    ("json", "application/json"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("wasm", "application/wasm"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("svg", "image/svg+xml"),
    ("ico", "image/x-icon"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("ttf", "font/ttf"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
];

/// Sends a file; gives the status.
pub(super) fn send(stream: &mut TcpStream, head: &Head, file: &Path) -> i64 {
    let Ok(contents) = std::fs::read(file) else {
        return not_found(stream, head);
    };
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let kind = TYPES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(&extension))
        .map_or("application/octet-stream", |(_, kind)| *kind);
    answer(stream, head, 200, kind, &contents)
}

/// Says that there is nothing of that name.
pub(super) fn not_found(stream: &mut TcpStream, head: &Head) -> i64 {
    let target = head
        .target
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let page = format!(
        "<!doctype html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1>\
         <p>The requested resource <code class=\"url\">{target}</code> was not found on this \
         server.</p></body></html>"
    );
    answer(
        stream,
        head,
        404,
        "text/html; charset=UTF-8",
        page.as_bytes(),
    )
}

fn answer(stream: &mut TcpStream, head: &Head, status: i64, kind: &str, contents: &[u8]) -> i64 {
    let host = head
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("Host"))
        .map_or(String::new(), |(_, host)| format!("Host: {host}\r\n"));
    let mut answer = format!(
        "HTTP/1.1 {status} {}\r\n{host}Date: {}\r\nConnection: close\r\nContent-Type: {kind}\r\n\
         Content-Length: {}\r\n\r\n",
        php_std::web::reason(status),
        php_std::http_date(std::time::SystemTime::now()),
        contents.len()
    )
    .into_bytes();
    if head.method != "HEAD" {
        answer.extend_from_slice(contents);
    }
    // Whoever asked may be gone.
    let _ = stream.write_all(&answer);
    status
}
