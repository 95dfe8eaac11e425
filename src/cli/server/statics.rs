//! Files that are sent as they are, and the page for those that are not there.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use super::http::Head;

/// A type a line, and behind a tab its extensions.
static TYPES: &str = include_str!("types.txt");

/// The type of a file with this extension.
fn type_of(extension: &str) -> &'static str {
    let extension = extension.to_ascii_lowercase();
    let found = TYPES.lines().find_map(|line| {
        let (kind, extensions) = line.split_once('\t')?;
        let mut extensions = extensions.split(' ');
        extensions.any(|known| known == extension).then_some(kind)
    });
    found.unwrap_or("application/octet-stream")
}

/// How the pages of the server itself look.
const STYLE: &str = "body { background-color: #fcfcfc; color: #333333; margin: 0; padding: 0; } \
    h1 { font-size: 1.5em; font-weight: normal; background-color: #9999cc; margin: 0; padding: 0.5em; } \
    h1, p { padding-left: 10px; } code.url { background-color: #eeeeee; font-family: monospace; padding: 0 2px; }";

/// Sends a file; gives the status.
pub(super) fn send(stream: &mut TcpStream, head: &Head, file: &Path) -> i64 {
    if !is_readable_by(&head.method) {
        return not_allowed(stream, head);
    }
    let Ok(contents) = std::fs::read(file) else {
        return not_found(stream, head);
    };
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    answer(stream, head, 200, type_of(&extension), &contents)
}

/// Says that there is nothing of that name.
pub(super) fn not_found(stream: &mut TcpStream, head: &Head) -> i64 {
    if !is_readable_by(&head.method) {
        return not_allowed(stream, head);
    }
    let target = head
        .target
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let explanation = format!(
        "The requested resource <code class=\"url\">{target}</code> was not found on this server."
    );
    error_page(stream, head, 404, &explanation)
}

/// Only scripts know what to do with requests that change something.
fn is_readable_by(method: &str) -> bool {
    !matches!(method, "DELETE" | "PUT" | "PATCH")
}

fn not_allowed(stream: &mut TcpStream, head: &Head) -> i64 {
    error_page(stream, head, 405, "Requested method not allowed.")
}

/// Says that the server does not know the method.
pub(super) fn not_implemented(stream: &mut TcpStream, head: &Head) -> i64 {
    let explanation = "Request method not supported.";
    error_page(stream, head, 501, explanation)
}

fn error_page(stream: &mut TcpStream, head: &Head, status: i64, explanation: &str) -> i64 {
    let reason = php_std::web::reason(status);
    let page = format!(
        "<!doctype html><html><head><title>{status} {reason}</title><style>{STYLE}</style>\n\
         </head><body><h1>{reason}</h1><p>{explanation}</p></body></html>"
    );
    let kind = "text/html; charset=UTF-8";
    answer(stream, head, status, kind, page.as_bytes())
}

fn answer(stream: &mut TcpStream, head: &Head, status: i64, kind: &str, contents: &[u8]) -> i64 {
    let host = head
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("Host"))
        .map_or(String::new(), |(_, host)| format!("Host: {host}\r\n"));
    // Pages of the server itself say what made them.
    let made_by = match status {
        200 => String::new(),
        _ => format!("X-Powered-By: PHP/{}\r\n", opline::PHP_VERSION),
    };
    let allowed = match status {
        405 => "Allow: GET, HEAD, POST\r\n",
        _ => "",
    };
    let version = head.version();
    let mut answer = format!(
        "{version} {status} {}\r\n{host}Date: {}\r\nConnection: close\r\n{made_by}\
         Content-Type: {kind}\r\nContent-Length: {}\r\n{allowed}\r\n",
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
