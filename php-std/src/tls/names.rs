//! Whom a certificate names, and whether that is who was expected: PHP's rules, which are its own.

use crate::openssl::x509::Names;

/// What came of looking for a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Named,
    /// The warning that PHP gives.
    Other(String),
}

/// Whether a certificate names who was expected: among its alternative names, or as its common name if it has none.
pub(super) fn looked_for(expected: &[u8], certificate: &[u8]) -> Outcome {
    let Some(names) = Names::of(certificate) else {
        return Outcome::Other("Unable to locate peer certificate CN".into());
    };
    // A name with a NUL in it is made to deceive.
    let is_dns = |name: &&Vec<u8>| !name.contains(&0) && is_meant(expected, name);
    if names.hosts.iter().any(|name| is_dns(&name)) {
        return Outcome::Named;
    }
    if let Some(address) = std::str::from_utf8(expected)
        .ok()
        .and_then(|text| text.parse::<std::net::IpAddr>().ok())
    {
        let bytes = match address {
            std::net::IpAddr::V4(address) => address.octets().to_vec(),
            std::net::IpAddr::V6(address) => address.octets().to_vec(),
        };
        if names.addresses.contains(&bytes) {
            return Outcome::Named;
        }
    }
    // Who has alternative names is called by no other.
    if !names.hosts.is_empty() || !names.addresses.is_empty() {
        let expected = vm_runtime::message::text(expected);
        return Outcome::Other(format!(
            "Peer certificate subjectAltName did not match expected name `{expected}'"
        ));
    }
    let Some(common) = names.common else {
        return Outcome::Other("Unable to locate peer certificate CN".into());
    };
    let shown = vm_runtime::message::text(&common);
    if common.contains(&0) {
        return Outcome::Other(format!("Peer certificate CN=`{shown}' is malformed"));
    }
    if is_meant(expected, &common) {
        return Outcome::Named;
    }
    let expected = vm_runtime::message::text(expected);
    Outcome::Other(format!(
        "Peer certificate CN=`{shown}' did not match expected CN=`{expected}'"
    ))
}

/// Whether a name in a certificate, which may have a `*` in its first part, means a host.
pub(super) fn is_meant(host: &[u8], name: &[u8]) -> bool {
    if host.eq_ignore_ascii_case(name) {
        return true;
    }
    let Some(star) = memchr::memchr(b'*', name) else {
        return false;
    };
    let (prefix, suffix) = (&name[..star], &name[star + 1..]);
    if prefix.contains(&b'.') || host.len() < prefix.len() + suffix.len() {
        return false;
    }
    let (start, rest) = host.split_at(prefix.len());
    let (middle, end) = rest.split_at(rest.len() - suffix.len());
    start.eq_ignore_ascii_case(prefix)
        && end.eq_ignore_ascii_case(suffix)
        && !middle.contains(&b'.')
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn stars_stand_for_one_part() {
        assert!(is_meant(b"WWW.example.org", b"*.Example.org"));
        assert!(is_meant(b"w3.example.org", b"w*.example.org"));
        assert!(!is_meant(b"a.b.example.org", b"*.example.org"));
        assert!(!is_meant(b"example.org", b"*.example.org"));
        assert!(!is_meant(b"a.b.org", b"a.*.org"));
        assert!(!is_meant(b"ab", b"ab*b"));
    }
}
