//! What a certificate may be used for: OpenSSL's rules.

use super::parts::Parts;
use crate::openssl::der::{self, Reader};

/// A use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::openssl) enum Purpose {
    TlsClient = 1,
    TlsServer,
    NetscapeServer,
    MailSigning,
    MailEncryption,
    RevocationLists,
    Any,
    Ocsp,
    TimeStamps,
    CodeSigning,
}

/// All of them with OpenSSL's names.
pub(in crate::openssl) const PURPOSES: [(Purpose, &str); 10] = [
    (Purpose::TlsClient, "sslclient"),
    (Purpose::TlsServer, "sslserver"),
    (Purpose::NetscapeServer, "nssslserver"),
    (Purpose::MailSigning, "smimesign"),
    (Purpose::MailEncryption, "smimeencrypt"),
    (Purpose::RevocationLists, "crlsign"),
    (Purpose::Any, "any"),
    (Purpose::Ocsp, "ocsphelper"),
    (Purpose::TimeStamps, "timestampsign"),
    (Purpose::CodeSigning, "codesign"),
];

/// What scripts call them.
pub(in crate::openssl) const CONSTANTS: &[(&str, i64)] = &[
    ("X509_PURPOSE_SSL_CLIENT", 1),
    ("X509_PURPOSE_SSL_SERVER", 2),
    ("X509_PURPOSE_NS_SSL_SERVER", 3),
    ("X509_PURPOSE_SMIME_SIGN", 4),
    ("X509_PURPOSE_SMIME_ENCRYPT", 5),
    ("X509_PURPOSE_CRL_SIGN", 6),
    ("X509_PURPOSE_ANY", 7),
    ("X509_PURPOSE_OCSP_HELPER", 8),
    ("X509_PURPOSE_TIMESTAMP_SIGN", 9),
];

/// Bits of the extension `keyUsage`, the first one highest.
mod usage {
    pub(super) const DIGITAL_SIGNATURE: u16 = 0x80;
    pub(super) const NON_REPUDIATION: u16 = 0x40;
    pub(super) const KEY_ENCIPHERMENT: u16 = 0x20;
    pub(super) const KEY_AGREEMENT: u16 = 0x08;
    pub(super) const CERTIFICATES: u16 = 0x04;
    pub(super) const LISTS: u16 = 0x02;
}

/// Bits of Netscape's types of certificates.
mod netscape {
    pub(super) const CLIENT: u16 = 0x80;
    pub(super) const SERVER: u16 = 0x40;
    pub(super) const MAIL: u16 = 0x20;
    pub(super) const SERVER_AUTHORITY: u16 = 0x04;
    pub(super) const MAIL_AUTHORITY: u16 = 0x02;
    pub(super) const ANY_AUTHORITY: u16 = 0x07;
}

/// What the extensions of a certificate let it be used for.
#[derive(Debug)]
pub(in crate::openssl) struct Uses {
    key: Option<u16>,
    extended: Option<Vec<String>>,
    is_extended_critical: bool,
    netscape: Option<u16>,
    /// Whether it is an authority's, if it says that.
    is_authority: Option<bool>,
    /// How many authorities may stand between this one and others.
    pub(in crate::openssl) path_length: Option<u64>,
    is_old_root: bool,
}

/// The first two bytes of a string of bits.
pub(super) fn bits(value: &[u8]) -> Option<u16> {
    let content = Reader(value).expect(der::BIT_STRING)?;
    let first = content.get(1).copied().unwrap_or(0);
    let second = content.get(2).copied().unwrap_or(0);
    Some(u16::from(first) | u16::from(second) << 8)
}

/// The identifiers in a sequence.
pub(super) fn identifiers(value: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader(value).sequence()?;
    let mut found = Vec::new();
    while let Some(identifier) = reader.identifier() {
        found.push(identifier);
    }
    Some(found)
}

impl Uses {
    pub(in crate::openssl) fn of(parts: &Parts<'_>) -> Uses {
        let mut uses = Uses {
            key: None,
            extended: None,
            is_extended_critical: false,
            netscape: None,
            is_authority: None,
            path_length: None,
            is_old_root: parts.version == 0 && parts.is_self_issued(),
        };
        for extension in parts.extensions() {
            let value = extension.value;
            match extension.identifier.as_str() {
                "2.5.29.15" => uses.key = bits(value),
                "2.5.29.37" => {
                    uses.extended = identifiers(value);
                    uses.is_extended_critical = extension.is_critical;
                }
                "2.16.840.1.113730.1.1" => uses.netscape = bits(value),
                "2.5.29.19" => {
                    let mut reader = Reader(value).sequence().unwrap_or(Reader(&[]));
                    let flag = reader.expect(der::BOOLEAN);
                    uses.is_authority = Some(flag.is_some_and(|flag| flag != [0]));
                    uses.path_length = reader.integer().map(|digits| {
                        digits.iter().fold(0u64, |all, &digit| {
                            all.saturating_mul(256).saturating_add(u64::from(digit))
                        })
                    });
                }
                _ => {}
            }
        }
        uses
    }

    fn lacks(&self, bits: u16) -> bool {
        self.key.is_some_and(|key| key & bits == 0)
    }

    fn has_extended(&self, identifier: &str) -> bool {
        self.extended
            .as_ref()
            .is_some_and(|all| all.iter().any(|known| known == identifier))
    }

    fn lacks_extended(&self, identifiers: &[&str]) -> bool {
        self.extended.is_some()
            && !identifiers
                .iter()
                .any(|identifier| self.has_extended(identifier))
            && !self.has_extended("2.5.29.37.0")
    }

    fn lacks_netscape(&self, bits: u16) -> bool {
        self.netscape.is_some_and(|types| types & bits == 0)
    }

    /// How sure it is that this is an authority's: 0 if it is none, 1 if it says so.
    fn authority(&self) -> u8 {
        if self.lacks(usage::CERTIFICATES) {
            return 0;
        }
        match self.is_authority {
            Some(is_authority) => u8::from(is_authority),
            None if self.is_old_root => 3,
            None if self.key.is_some() => 4,
            None if self
                .netscape
                .is_some_and(|types| types & netscape::ANY_AUTHORITY != 0) =>
            {
                5
            }
            None => 0,
        }
    }

    fn authority_of(&self, type_bit: u16) -> bool {
        match self.authority() {
            0 => false,
            5 => self.netscape.is_some_and(|types| types & type_bit != 0),
            _ => true,
        }
    }

    /// Whether it may be used for something, as an authority or at the end of a chain.
    pub(in crate::openssl) fn allow(&self, purpose: Purpose, as_authority: bool) -> bool {
        use usage::*;
        match purpose {
            Purpose::Any => true,
            Purpose::TlsClient => {
                if self.lacks_extended(&["1.3.6.1.5.5.7.3.2"]) {
                    return false;
                }
                match as_authority {
                    true => self.authority_of(netscape::SERVER_AUTHORITY),
                    false => {
                        !self.lacks(DIGITAL_SIGNATURE | KEY_AGREEMENT)
                            && !self.lacks_netscape(netscape::CLIENT)
                    }
                }
            }
            Purpose::TlsServer | Purpose::NetscapeServer => {
                let gated = [
                    "1.3.6.1.5.5.7.3.1",
                    "1.3.6.1.4.1.311.10.3.3",
                    "2.16.840.1.113730.4.1",
                ];
                if self.lacks_extended(&gated) {
                    return false;
                }
                match as_authority {
                    true => self.authority_of(netscape::SERVER_AUTHORITY),
                    false => {
                        !self.lacks_netscape(netscape::SERVER)
                            && !self.lacks(DIGITAL_SIGNATURE | KEY_ENCIPHERMENT | KEY_AGREEMENT)
                            && (purpose == Purpose::TlsServer || !self.lacks(KEY_ENCIPHERMENT))
                    }
                }
            }
            Purpose::MailSigning | Purpose::MailEncryption => {
                if self.lacks_extended(&["1.3.6.1.5.5.7.3.4"]) {
                    return false;
                }
                if as_authority {
                    return self.authority_of(netscape::MAIL_AUTHORITY);
                }
                let wanted = match purpose {
                    Purpose::MailSigning => DIGITAL_SIGNATURE | NON_REPUDIATION,
                    _ => KEY_ENCIPHERMENT,
                };
                !self.lacks_netscape(netscape::MAIL | netscape::CLIENT) && !self.lacks(wanted)
            }
            Purpose::RevocationLists => match as_authority {
                true => self.authority() != 0,
                false => !self.lacks(LISTS),
            },
            Purpose::Ocsp => !as_authority || self.authority() != 0,
            Purpose::TimeStamps => {
                if as_authority {
                    return self.authority() != 0;
                }
                let signing = DIGITAL_SIGNATURE | NON_REPUDIATION;
                let is_for_others = self.key.is_some_and(|key| key & !signing != 0);
                let is_alone = self
                    .extended
                    .as_ref()
                    .is_some_and(|all| all.as_slice() == ["1.3.6.1.5.5.7.3.8"]);
                !is_for_others && !self.lacks(signing) && is_alone && self.is_extended_critical
            }
            Purpose::CodeSigning => {
                if as_authority {
                    return self.authority() != 0;
                }
                self.key.is_some_and(|key| {
                    key & DIGITAL_SIGNATURE != 0 && key & (CERTIFICATES | LISTS) == 0
                }) && self.has_extended("1.3.6.1.5.5.7.3.3")
                    && !self.has_extended("2.5.29.37.0")
                    && !self.has_extended("1.3.6.1.5.5.7.3.1")
            }
        }
    }
}
