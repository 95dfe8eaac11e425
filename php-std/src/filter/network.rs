//! Addresses: of hosts, of the Internet Protocol, of mail, and URLs.

use super::constants::flag;
use super::sanitize;
use crate::standard::strings::url::split_url;

/// The longest name of a host.
const LONGEST_DOMAIN: usize = 253;
/// The longest part of one.
const LONGEST_LABEL: usize = 63;

/// True for a domain; `is_hostname` allows letters, digits and inner hyphens only.
pub(super) fn is_domain(text: &[u8], is_hostname: bool) -> bool {
    if text.is_empty() {
        return !is_hostname;
    }
    let text = text.strip_suffix(b".").unwrap_or(text);
    if text.is_empty() || text.len() > LONGEST_DOMAIN {
        return false;
    }
    text.split(|&byte| byte == b'.').all(|label| {
        let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        (1..=LONGEST_LABEL).contains(&label.len())
            && (!is_hostname
                || is_plain(label.first())
                    && is_plain(label.last())
                    && label.iter().all(is_allowed))
    })
}

/// The four numbers of an address like `192.0.2.1`.
pub(crate) fn ipv4(text: &[u8]) -> Option<[u8; 4]> {
    let mut parts = text.split(|&byte| byte == b'.');
    let mut address = [0; 4];
    for number in &mut address {
        let digits = parts.next()?;
        let has_zero = digits.len() > 1 && digits[0] == b'0';
        if has_zero || digits.len() > 3 || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let value = digits
            .iter()
            .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        *number = u8::try_from(value).ok().filter(|_| !digits.is_empty())?;
    }
    parts.next().is_none().then_some(address)
}

/// The eight numbers of an IPv6 address.
pub(super) fn ipv6(text: &[u8]) -> Option<[u16; 8]> {
    let text = std::str::from_utf8(text).ok()?;
    let address: std::net::Ipv6Addr = text.parse().ok()?;
    Some(address.segments())
}

/// What is special about an address.
#[derive(Default)]
struct Ranges {
    is_private: bool,
    is_reserved: bool,
    /// Not reachable everywhere, for further reasons.
    is_local: bool,
}

fn ranges4(address: [u8; 4]) -> Ranges {
    let [a, b, c, _] = address;
    Ranges {
        is_private: matches!((a, b), (10, _) | (172, 16..=31) | (192, 168)),
        is_reserved: matches!((a, b), (0 | 127 | 240.., _) | (169, 254)),
        is_local: matches!(
            (a, b, c),
            (100, 64..=127, _)
                | (192, 0, 0 | 2)
                | (198, 18 | 19, _)
                | (198, 51, 100)
                | (203, 0, 113)
        ),
    }
}

fn ranges6(address: [u16; 8], has_dots: bool) -> Ranges {
    let [a, b, c, d, ..] = address;
    let is_embedded = address[..5] == [0; 5] && matches!(address[5], 0xffff);
    let is_first = address[..7] == [0; 7] && address[7] <= 1;
    Ranges {
        is_private: (0xfc00..=0xfdff).contains(&a),
        is_reserved: is_first || is_embedded || has_dots || (0xfe80..=0xfebf).contains(&a),
        is_local: (a, b, c, d) == (0x100, 0, 0, 0)
            || a == 0x2001 && (b < 0x200 || b == 0xdb8)
            || a == 0x2002,
    }
}

/// True for an address that the flags allow.
pub(super) fn is_address(text: &[u8], flags: i64) -> bool {
    let is_version6 = text.contains(&b':');
    let versions = flags & (flag::IPV4 | flag::IPV6);
    let wanted = if is_version6 { flag::IPV6 } else { flag::IPV4 };
    if versions != 0 && versions & wanted == 0 {
        return false;
    }
    let ranges = if is_version6 {
        ipv6(text).map(|address| ranges6(address, text.contains(&b'.')))
    } else {
        ipv4(text).map(ranges4)
    };
    let Some(ranges) = ranges else {
        return false;
    };
    let is_global = !(ranges.is_private || ranges.is_reserved || ranges.is_local);
    !(flags & flag::GLOBAL_RANGE != 0 && !is_global
        || flags & flag::NO_PRIV_RANGE != 0 && ranges.is_private
        || flags & flag::NO_RES_RANGE != 0 && ranges.is_reserved)
}

/// True for a hardware address; `separator` is the only one that is allowed.
pub(super) fn is_mac(text: &[u8], separator: Option<u8>) -> bool {
    let (between, digits) = match (text.len(), text.get(2), text.get(4)) {
        (17, Some(&byte @ (b'-' | b':')), _) => (byte, 2),
        (14, _, Some(b'.')) => (b'.', 4),
        _ => return false,
    };
    separator.is_none_or(|wanted| wanted == between)
        && text
            .split(|&byte| byte == between)
            .all(|part| part.len() == digits && part.iter().all(u8::is_ascii_hexdigit))
}

/// True if a part of a URL in front of the host has only characters that may be there.
fn is_userinfo(text: &[u8]) -> bool {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'%' => match after {
                [high, low, tail @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    rest = tail;
                }
                _ => return false,
            },
            byte if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:".contains(byte) => {}
            _ => return false,
        }
    }
    true
}

/// True for a URL with the parts that flags ask for.
pub(super) fn is_url(text: &[u8], flags: i64) -> bool {
    if sanitize::url(text).len() != text.len() {
        return false;
    }
    let Some(url) = split_url(text) else {
        return false;
    };
    let Some(scheme) = url.scheme else {
        return false;
    };
    if scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https") {
        let Some(host) = url.host else {
            return false;
        };
        let literal = host
            .strip_prefix(b"[")
            .and_then(|host| host.strip_suffix(b"]"));
        let is_good = match literal {
            Some(literal) => ipv6(literal).is_some(),
            None => is_domain(host, true),
        };
        if !is_good {
            return false;
        }
    }
    let needs_no_host = [&b"mailto"[..], b"news", b"file"].contains(&scheme);
    (url.host.is_some() || needs_no_host)
        && url.user.is_none_or(is_userinfo)
        && url.password.is_none_or(is_userinfo)
        && (flags & flag::PATH_REQUIRED == 0 || url.path.is_some())
        && (flags & flag::QUERY_REQUIRED == 0 || url.query.is_some())
}

/// The longest address of mail, and the longest part before the `@`.
const LONGEST_EMAIL: usize = 320;
const LONGEST_MAILBOX: usize = 64;
const LONGEST_ADDRESS: usize = 254;

/// True for an address of mail. With `unicode`, the part before the `@` may have letters and
/// digits of all scripts.
pub(super) fn is_email(text: &[u8], unicode: bool) -> bool {
    if text.len() > LONGEST_EMAIL {
        return false;
    }
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let characters = text.chars().count();
    characters <= LONGEST_ADDRESS
        && local.chars().count() <= LONGEST_MAILBOX
        && is_mailbox(local, unicode)
        && is_mail_domain(domain)
}

/// Atoms and quoted strings, with dots between them.
fn is_mailbox(text: &str, unicode: bool) -> bool {
    let is_atom = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "!#$%&'*+-/=?^_`{|}~".contains(letter)
            || unicode && letter.is_alphanumeric()
    };
    let mut rest = text;
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some(after) = behind_quoted(quoted, unicode) else {
                return false;
            };
            rest = after;
        } else {
            let after = rest.trim_start_matches(is_atom);
            if after.len() == rest.len() {
                return false;
            }
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None => return rest.is_empty(),
        }
    }
}

/// What stands behind the closing quotation mark.
fn behind_quoted(text: &str, unicode: bool) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some(&text[at + 1..]),
            '\\' => drop(letters.next().filter(|(_, letter)| letter.is_ascii())?),
            '\0' | '\t' | '\n' | '\r' | ' ' => return None,
            letter if !(letter.is_ascii() || unicode && letter.is_alphanumeric()) => return None,
            _ => {}
        }
    }
    None
}

fn is_mail_domain(text: &str) -> bool {
    if let Some(literal) = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        let address = literal.as_bytes();
        return match literal
            .get(..5)
            .filter(|start| start.eq_ignore_ascii_case("IPv6:"))
        {
            Some(_) => ipv6(&address[5..]).is_some(),
            None => ipv4(address).is_some(),
        };
    }
    let labels: Vec<&[u8]> = text.as_bytes().split(|&byte| byte == b'.').collect();
    let is_top = |label: &[u8]| label.first().is_some_and(u8::is_ascii_alphabetic);
    labels.len() > 1
        && is_domain(text.as_bytes(), true)
        && !text.ends_with('.')
        && is_top(labels[labels.len() - 1])
}
