//! What the client is told: the cookie with the session's name, and how long to keep pages.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use vm_runtime::vm::{PhpResult, Vm};

use super::state;
use crate::web::add_header;

/// A date in the past.
const EXPIRED: &str = "Expires: Thu, 19 Nov 1981 08:52:00 GMT";

/// Sends the cookie.
pub(super) fn send(vm: &mut Vm) -> PhpResult<()> {
    if vm.output.started.is_some() {
        vm.function_warning("Session cookie cannot be sent after headers have already been sent");
        return vm.check();
    }
    let text = |vm: &Vm, name: &str| String::from_utf8_lossy(vm.ini.text(name)).into_owned();
    let name = text(vm, "session.name");
    let id = state(vm).id.clone().unwrap_or_default();
    let id: String = id
        .iter()
        .map(|&byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                (byte as char).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let mut line = format!("Set-Cookie: {name}={id}");
    let lifetime = vm.ini.long("session.cookie_lifetime");
    if lifetime > 0 {
        let until = SystemTime::now() + Duration::from_secs(lifetime as u64);
        let until = crate::date::http_date(until);
        line.push_str(&format!("; expires={until}; Max-Age={lifetime}"));
    }
    for (shown, setting) in [
        ("path", "session.cookie_path"),
        ("domain", "session.cookie_domain"),
    ] {
        let value = text(vm, setting);
        if !value.is_empty() {
            line.push_str(&format!("; {shown}={value}"));
        }
    }
    if vm.ini.bool("session.cookie_secure") {
        line.push_str("; secure");
    }
    if vm.ini.bool("session.cookie_httponly") {
        line.push_str("; HttpOnly");
    }
    let same_site = text(vm, "session.cookie_samesite");
    if !same_site.is_empty() {
        line.push_str(&format!("; SameSite={same_site}"));
    }
    add_header(vm, line.as_bytes(), false);
    Ok(())
}

/// Sends the headers that `session.cache_limiter` stands for.
pub(super) fn send_cache_headers(vm: &mut Vm) -> PhpResult<()> {
    let limiter = vm.ini.text("session.cache_limiter").to_vec();
    if limiter.is_empty() {
        return Ok(());
    }
    if vm.output.started.is_some() {
        vm.function_warning(
            "Session cache limiter cannot be sent after headers have already been sent",
        );
        return vm.check();
    }
    let seconds = vm.ini.long("session.cache_expire").saturating_mul(60);
    let kept = format!("max-age={seconds}");
    let modified = last_modified(vm);
    let mut lines: Vec<String> = Vec::new();
    match limiter.as_slice() {
        b"nocache" => lines.extend([
            EXPIRED.into(),
            "Cache-Control: no-store, no-cache, must-revalidate".into(),
            "Pragma: no-cache".into(),
        ]),
        b"public" => {
            let until = SystemTime::now() + Duration::from_secs(seconds.max(0) as u64);
            lines.push(format!("Expires: {}", crate::date::http_date(until)));
            lines.push(format!("Cache-Control: public, {kept}"));
            lines.extend(modified);
        }
        b"private" => {
            lines.extend([EXPIRED.into(), format!("Cache-Control: private, {kept}")]);
            lines.extend(modified);
        }
        b"private_no_expire" => {
            lines.push(format!("Cache-Control: private, {kept}"));
            lines.extend(modified);
        }
        _ => {}
    }
    for line in lines {
        add_header(vm, line.as_bytes(), true);
    }
    Ok(())
}

/// When the script was changed.
fn last_modified(vm: &mut Vm) -> Option<String> {
    let server = vm.global(b"_SERVER")?.array()?;
    let script = server.get_bytes(b"SCRIPT_FILENAME")?.as_bytes()?;
    let metadata = std::fs::metadata(crate::standard::files::path(script)).ok()?;
    let modified = metadata.modified().ok().filter(|time| *time > UNIX_EPOCH)?;
    Some(format!(
        "Last-Modified: {}",
        crate::date::http_date(modified)
    ))
}
