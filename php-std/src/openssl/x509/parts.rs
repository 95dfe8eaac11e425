//! The parts of a certificate: whose it is, who says so, until when, and what is said besides.

use crate::openssl::der::{self, Element, Reader};

/// The parts of a certificate, which still stand in its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// 0 for the first version.
    pub(in crate::openssl) version: u8,
    /// A number with sign, in two's complement.
    pub(in crate::openssl) serial: &'a [u8],
    pub(in crate::openssl) algorithm: &'a [u8],
    pub(in crate::openssl) issuer: Element<'a>,
    pub(in crate::openssl) from: Element<'a>,
    pub(in crate::openssl) until: Element<'a>,
    pub(in crate::openssl) subject: Element<'a>,
    /// A sequence, empty if there are none.
    extensions: &'a [u8],
}

/// What a certificate says besides.
#[derive(Debug, Clone)]
pub(in crate::openssl) struct Extension<'a> {
    pub(in crate::openssl) identifier: String,
    pub(in crate::openssl) is_critical: bool,
    pub(in crate::openssl) value: &'a [u8],
}

/// The common name in a distinguished name.
#[cfg(feature = "tls")]
const COMMON_NAME: &str = "2.5.4.3";
#[cfg(feature = "tls")]
const ALTERNATIVE_NAMES: &str = "2.5.29.17";

impl<'a> Parts<'a> {
    pub(crate) fn of(certificate: &'a [u8]) -> Option<Parts<'a>> {
        let mut whole = Reader(certificate).sequence()?;
        let mut body = whole.sequence()?;
        let version = match body.expect(0xa0) {
            Some(version) => *Reader(version).expect(der::INTEGER)?.last()?,
            None => 0,
        };
        let serial = body.expect(der::INTEGER)?;
        let algorithm = body.expect(der::SEQUENCE)?;
        let issuer = body.next()?;
        let mut validity = body.sequence()?;
        let (from, until) = (validity.next()?, validity.next()?);
        let subject = body.next()?;
        let _key = body.next()?;
        let mut extensions: &[u8] = &[];
        while let Some(more) = body.next() {
            if more.tag == 0xa3 {
                extensions = Reader(more.content).expect(der::SEQUENCE)?;
            }
        }
        Some(Parts {
            version,
            serial,
            algorithm,
            issuer,
            from,
            until,
            subject,
            extensions,
        })
    }

    /// Whether it names itself as who says so.
    pub(crate) fn is_self_issued(&self) -> bool {
        self.issuer.whole == self.subject.whole
    }

    /// Whether a time, in seconds since 1970, is one in which it is valid.
    pub(crate) fn is_valid_at(&self, time: i64) -> bool {
        let limits = (seconds(&self.from), seconds(&self.until));
        matches!(limits, (Some(from), Some(until)) if (from..=until).contains(&time))
    }

    /// The subject's name with its tag and length, as those that it issues name their issuer.
    pub(in crate::openssl) fn issuer_name(&self) -> &'a [u8] {
        self.subject.whole
    }

    pub(in crate::openssl) fn extensions(&self) -> Vec<Extension<'a>> {
        extensions_in(self.extensions)
    }

    pub(in crate::openssl) fn extension(&self, identifier: &str) -> Option<&'a [u8]> {
        let mut all = self.extensions().into_iter();
        all.find(|extension| extension.identifier == identifier)
            .map(|extension| extension.value)
    }
}

/// The extensions in a sequence.
pub(in crate::openssl) fn extensions_in(sequence: &[u8]) -> Vec<Extension<'_>> {
    let mut reader = Reader(sequence);
    let mut found = Vec::new();
    while let Some(mut one) = reader.sequence() {
        let Some(identifier) = one.identifier() else {
            break;
        };
        let is_critical = one.expect(der::BOOLEAN).is_some_and(|value| value != [0]);
        let Some(value) = one.expect(der::OCTET_STRING) else {
            break;
        };
        found.push(Extension {
            identifier,
            is_critical,
            value,
        });
    }
    found
}

/// The parts of a distinguished name: identifiers and texts.
pub(in crate::openssl) fn name_parts(name: &[u8]) -> Vec<(String, Element<'_>)> {
    let mut sets = Reader(name);
    let mut found = Vec::new();
    while let Some(set) = sets.expect(der::SET) {
        let mut pairs = Reader(set);
        while let Some(mut pair) = pairs.sequence() {
            if let (Some(identifier), Some(text)) = (pair.identifier(), pair.next()) {
                found.push((identifier, text));
            }
        }
    }
    found
}

/// A text in UTF-8, whatever its type says.
pub(in crate::openssl) fn text_in(element: &Element<'_>) -> Vec<u8> {
    let content = element.content;
    match element.tag {
        der::BMP_STRING => {
            let units = content
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            let text: String = char::decode_utf16(units)
                .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            text.into_bytes()
        }
        der::UNIVERSAL_STRING => {
            let text: String = content
                .chunks_exact(4)
                .map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
                .map(|number| char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            text.into_bytes()
        }
        // Latin 1, as far as anybody uses it.
        der::TELETEX_STRING => {
            let text: String = content.iter().map(|&byte| char::from(byte)).collect();
            text.into_bytes()
        }
        _ => content.to_vec(),
    }
}

/// The names that a certificate is for.
#[cfg(feature = "tls")]
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) hosts: Vec<Vec<u8>>,
    /// Four bytes or sixteen.
    pub(crate) addresses: Vec<Vec<u8>>,
    pub(crate) common: Option<Vec<u8>>,
}

#[cfg(feature = "tls")]
impl Names {
    pub(crate) fn of(certificate: &[u8]) -> Option<Names> {
        let parts = Parts::of(certificate)?;
        let mut names = Names::default();
        if let Some(mut all) = parts
            .extension(ALTERNATIVE_NAMES)
            .and_then(|value| Reader(value).sequence())
        {
            while let Some(name) = all.next() {
                match name.tag {
                    0x82 => names.hosts.push(name.content.to_vec()),
                    0x87 => names.addresses.push(name.content.to_vec()),
                    _ => {}
                }
            }
        }
        names.common = name_parts(parts.subject.content)
            .iter()
            .find(|(identifier, _)| identifier == COMMON_NAME)
            .map(|(_, text)| text_in(text));
        Some(names)
    }
}

/// A time in seconds since 1970.
pub(in crate::openssl) fn seconds(time: &Element<'_>) -> Option<i64> {
    let text = std::str::from_utf8(time.content).ok()?;
    let (year, rest) = match time.tag {
        der::UTC_TIME => {
            let year: i64 = text.get(..2)?.parse().ok()?;
            (
                if year < 50 { 2000 + year } else { 1900 + year },
                text.get(2..)?,
            )
        }
        der::GENERALIZED_TIME => (text.get(..4)?.parse().ok()?, text.get(4..)?),
        _ => return None,
    };
    let digits = rest.strip_suffix('Z')?;
    let part = |at: usize| digits.get(at..at + 2)?.parse::<i64>().ok();
    let (month, day, hour, minute) = (part(0)?, part(2)?, part(4)?, part(6)?);
    let second = part(8).unwrap_or(0);
    if !(1..=12).contains(&month) {
        return None;
    }
    // Years that begin in March have their odd day at the end.
    let shifted = (month + 9) % 12;
    let year = year - i64::from(month <= 2);
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (shifted * 306 + 5) / 10
        + day
        - 1
        - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        let time = |tag, text: &'static str| {
            let content = text.as_bytes();
            seconds(&Element {
                tag,
                content,
                whole: content,
            })
        };
        assert_eq!(time(der::UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(time(der::UTC_TIME, "000229120000Z"), Some(951_825_600));
        assert_eq!(
            time(der::GENERALIZED_TIME, "20260301000001Z"),
            Some(1_772_323_201)
        );
        assert_eq!(time(der::UTC_TIME, "261301000000Z"), None);
    }
}
