//! Certificates that are made of requests.

use std::time::{SystemTime, UNIX_EPOCH};

use super::extensions::{Subject, of_section};
use super::signed;
use crate::openssl::configuration::Configuration;
use crate::openssl::der::{self, Reader};
use crate::openssl::errors::Failure;
use crate::openssl::keys::Key;
use crate::openssl::x509::Parts;

/// The parts of a request.
pub(super) struct Request<'a> {
    /// What is signed.
    pub(super) body: &'a [u8],
    /// A name with its tag and length.
    pub(super) subject: &'a [u8],
    pub(super) key: &'a [u8],
    pub(super) algorithm: String,
    pub(super) signature: &'a [u8],
}

impl<'a> Request<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Request<'a>> {
        let mut whole = Reader(bytes).sequence()?;
        let body = whole.next()?;
        let mut parts = Reader(body.content);
        parts.expect(der::INTEGER)?;
        Some(Request {
            body: body.whole,
            subject: parts.next()?.whole,
            key: parts.next()?.whole,
            algorithm: whole.sequence()?.identifier()?,
            signature: whole.bits()?,
        })
    }
}

/// Why there is no certificate.
pub(super) enum Refused {
    Extensions,
    Signing(Failure),
}

/// What a certificate is to say besides the request.
pub(super) struct Terms<'a> {
    /// The issuer's certificate; None if the request's own key vouches.
    pub(super) issuer: Option<&'a [u8]>,
    pub(super) key: &'a Key,
    pub(super) days: i64,
    /// Digits in base 256, without sign.
    pub(super) serial: Vec<u8>,
}

/// A time as certificates have it: without a century as long as that is clear.
pub(in crate::openssl) fn time(seconds: i64) -> Vec<u8> {
    // Years that begin in March have their odd day at the end.
    let (days, rest) = (
        seconds.div_euclid(86_400) + 719_468,
        seconds.rem_euclid(86_400),
    );
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    let year = year + era * 400 + i64::from(month <= 2);
    let clock = format!(
        "{month:02}{day:02}{:02}{:02}{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    );
    match year {
        1950..2050 => der::element(
            der::UTC_TIME,
            &[format!("{:02}{clock}", year % 100).as_bytes()],
        ),
        _ => der::element(
            der::GENERALIZED_TIME,
            &[format!("{year:04}{clock}").as_bytes()],
        ),
    }
}

/// The certificate that answers a request.
pub(super) fn certificate(
    request: &Request<'_>,
    request_key: &Key,
    terms: &Terms<'_>,
    configuration: &Configuration,
) -> Result<Vec<u8>, Refused> {
    let issuer = terms.issuer.and_then(Parts::of);
    let subject = Subject {
        key: request_key,
        issuer: issuer.as_ref(),
        issuer_key: terms.key,
    };
    let extensions = match &configuration.certificate_extensions {
        Some(section) => {
            let found = of_section(&configuration.file, section, &subject);
            der::element(0xa3, &[&found.ok_or(Refused::Extensions)?])
        }
        None => Vec::new(),
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_secs() as i64);
    let until = now.saturating_add(terms.days.saturating_mul(86_400));
    let validity = der::sequence(&[&time(now), &time(until)]);
    let version = der::element(0xa0, &[&der::integer(&[2])]);
    let serial = der::integer(&terms.serial);
    let issuer_name = issuer
        .as_ref()
        .map_or(request.subject, |issuer| issuer.issuer_name());
    signed(terms.key, configuration.digest, |algorithm| {
        der::sequence(&[
            &version,
            &serial,
            algorithm,
            issuer_name,
            &validity,
            request.subject,
            request.key,
            &extensions,
        ])
    })
    .map_err(Refused::Signing)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_written_as_certificates_have_them() {
        let text = |seconds| String::from_utf8(time(seconds)[2..].to_vec()).unwrap();
        assert_eq!(text(0), "700101000000Z");
        assert_eq!(text(951_825_600), "000229120000Z");
        assert_eq!(text(1_795_643_460), "261125215100Z");
        assert_eq!(text(4_949_242_821), "21261101214021Z");
    }
}
