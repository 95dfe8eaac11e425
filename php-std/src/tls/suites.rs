//! Cipher suites and curves by OpenSSL's names.

use rustls::crypto::SupportedKxGroup;
use rustls::crypto::ring::{cipher_suite, kx_group};
use rustls::{CipherSuite, SupportedCipherSuite};

/// A cipher suite.
pub(super) type Suite = &'static Known;

/// A cipher suite, what OpenSSL calls it, and the bits of its key.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) suite: SupportedCipherSuite,
    pub(super) name: &'static str,
    pub(super) bits: i64,
}

/// All of them, in the order in which PHP prefers them.
static SUITES: [Known; 9] = [
    Known {
        suite: cipher_suite::TLS13_AES_256_GCM_SHA384,
        name: "TLS_AES_256_GCM_SHA384",
        bits: 256,
    },
    Known {
        suite: cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
        name: "TLS_CHACHA20_POLY1305_SHA256",
        bits: 256,
    },
    Known {
        suite: cipher_suite::TLS13_AES_128_GCM_SHA256,
        name: "TLS_AES_128_GCM_SHA256",
        bits: 128,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        name: "ECDHE-RSA-AES128-GCM-SHA256",
        bits: 128,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        name: "ECDHE-ECDSA-AES128-GCM-SHA256",
        bits: 128,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        name: "ECDHE-RSA-AES256-GCM-SHA384",
        bits: 256,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        name: "ECDHE-ECDSA-AES256-GCM-SHA384",
        bits: 256,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        name: "ECDHE-RSA-CHACHA20-POLY1305",
        bits: 256,
    },
    Known {
        suite: cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        name: "ECDHE-ECDSA-CHACHA20-POLY1305",
        bits: 256,
    },
];

pub(super) fn all() -> Vec<Suite> {
    SUITES.iter().collect()
}

pub(super) fn named(suite: CipherSuite) -> Option<Suite> {
    SUITES.iter().find(|known| known.suite.suite() == suite)
}

impl Known {
    fn is_of_1_3(&self) -> bool {
        self.suite.tls13().is_some()
    }

    /// Whether a word of OpenSSL's lists stands for it.
    fn is_meant_by(&self, word: &str) -> bool {
        let has = |part: &str| self.name.contains(part);
        match word {
            "ALL"
            | "DEFAULT"
            | "COMPLEMENTOFDEFAULT"
            | "HIGH"
            | "TLSv1.2"
            | "ECDHE"
            | "EECDH"
            | "kECDHE"
            | "kEECDH" => word != "COMPLEMENTOFDEFAULT",
            "aRSA" | "RSA" => has("-RSA-"),
            "aECDSA" | "ECDSA" => has("-ECDSA-"),
            "AES" => has("AES"),
            "AESGCM" => has("GCM"),
            "AES128" => has("AES128"),
            "AES256" => has("AES256"),
            "CHACHA20" => has("CHACHA20"),
            "SHA256" => has("SHA256"),
            "SHA384" => has("SHA384"),
            name => self.name == name,
        }
    }
}

/// The suites of a list as OpenSSL writes it, with those of TLS 1.3, which no list names. Nothing if none of the
/// others is left.
pub(super) fn listed(list: &[u8]) -> Option<Vec<Suite>> {
    let list = String::from_utf8_lossy(list);
    let mut chosen: Vec<Suite> = Vec::new();
    let mut banned: Vec<&str> = Vec::new();
    for item in list.split([':', ',', ' ']).filter(|item| !item.is_empty()) {
        // Words joined by `+` must all be meant.
        let means =
            |suite: &Suite, words: &str| words.split('+').all(|word| suite.is_meant_by(word));
        match item.as_bytes()[0] {
            b'!' | b'-' => {
                chosen.retain(|suite| !means(suite, &item[1..]));
                banned.extend(item.strip_prefix('!'));
            }
            // These only change the order, and the security level.
            b'+' | b'@' => {}
            _ => {
                for suite in SUITES.iter().filter(|suite| !suite.is_of_1_3()) {
                    let is_new = !chosen.iter().any(|known| known.name == suite.name);
                    if is_new && means(&suite, item) && !banned.iter().any(|ban| means(&suite, ban))
                    {
                        chosen.push(suite);
                    }
                }
            }
        }
    }
    if chosen.is_empty() {
        return None;
    }
    let newest = SUITES.iter().filter(|suite| suite.is_of_1_3());
    Some(newest.chain(chosen).collect())
}

/// The curves of a list of names; nothing if one is not known.
pub(super) fn curves(list: &[u8]) -> Option<Vec<&'static dyn SupportedKxGroup>> {
    let list = String::from_utf8_lossy(list);
    let known = |name: &str| -> Option<&'static dyn SupportedKxGroup> {
        Some(match name {
            "X25519" | "x25519" => kx_group::X25519,
            "prime256v1" | "P-256" => kx_group::SECP256R1,
            "secp384r1" | "P-384" => kx_group::SECP384R1,
            _ => return None,
        })
    };
    list.split(':').map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    fn names(list: &str) -> Vec<&'static str> {
        let found = listed(list.as_bytes()).unwrap_or_default();
        found.iter().skip(3).map(|suite| suite.name).collect()
    }

    #[test]
    fn lists_are_read_as_openssl_does() {
        assert_eq!(
            names("AESGCM+aRSA:!AES256"),
            ["ECDHE-RSA-AES128-GCM-SHA256"]
        );
        assert_eq!(
            names("ECDHE-RSA-AES256-GCM-SHA384:RC4-SHA"),
            ["ECDHE-RSA-AES256-GCM-SHA384"]
        );
        assert_eq!(names("HIGH:!aNULL:!MD5").len(), 6);
        assert_eq!(names("RC4-SHA"), [""; 0]);
        assert_eq!(names("!AES:HIGH").len(), 2);
    }
}
