//! Object identifiers and what OpenSSL calls them.

/// An object: its identifier, its short name and its long one.
pub(in crate::openssl) struct Known {
    pub(in crate::openssl) identifier: &'static str,
    pub(in crate::openssl) short: &'static str,
    pub(in crate::openssl) long: &'static str,
}

const fn known(identifier: &'static str, short: &'static str, long: &'static str) -> Known {
    Known {
        identifier,
        short,
        long,
    }
}

static OBJECTS: &[Known] = &[
    // What names are made of.
    known("2.5.4.3", "CN", "commonName"),
    known("2.5.4.4", "SN", "surname"),
    known("2.5.4.5", "serialNumber", "serialNumber"),
    known("2.5.4.6", "C", "countryName"),
    known("2.5.4.7", "L", "localityName"),
    known("2.5.4.8", "ST", "stateOrProvinceName"),
    known("2.5.4.9", "street", "streetAddress"),
    known("2.5.4.10", "O", "organizationName"),
    known("2.5.4.11", "OU", "organizationalUnitName"),
    known("2.5.4.12", "title", "title"),
    known("2.5.4.13", "description", "description"),
    known("2.5.4.15", "businessCategory", "businessCategory"),
    known("2.5.4.16", "postalAddress", "postalAddress"),
    known("2.5.4.17", "postalCode", "postalCode"),
    known("2.5.4.18", "postOfficeBox", "postOfficeBox"),
    known("2.5.4.20", "telephoneNumber", "telephoneNumber"),
    known("2.5.4.41", "name", "name"),
    known("2.5.4.42", "GN", "givenName"),
    known("2.5.4.43", "initials", "initials"),
    known("2.5.4.44", "generationQualifier", "generationQualifier"),
    known("2.5.4.45", "x500UniqueIdentifier", "x500UniqueIdentifier"),
    known("2.5.4.46", "dnQualifier", "dnQualifier"),
    known("2.5.4.65", "pseudonym", "pseudonym"),
    known(
        "2.5.4.97",
        "organizationIdentifier",
        "organizationIdentifier",
    ),
    known("1.2.840.113549.1.9.1", "emailAddress", "emailAddress"),
    known(
        "1.2.840.113549.1.9.2",
        "unstructuredName",
        "unstructuredName",
    ),
    known(
        "1.2.840.113549.1.9.7",
        "challengePassword",
        "challengePassword",
    ),
    known("0.9.2342.19200300.100.1.1", "UID", "userId"),
    known("0.9.2342.19200300.100.1.25", "DC", "domainComponent"),
    known(
        "1.3.6.1.4.1.311.60.2.1.1",
        "jurisdictionL",
        "jurisdictionLocalityName",
    ),
    known(
        "1.3.6.1.4.1.311.60.2.1.2",
        "jurisdictionST",
        "jurisdictionStateOrProvinceName",
    ),
    known(
        "1.3.6.1.4.1.311.60.2.1.3",
        "jurisdictionC",
        "jurisdictionCountryName",
    ),
    // Extensions.
    known(
        "2.5.29.14",
        "subjectKeyIdentifier",
        "X509v3 Subject Key Identifier",
    ),
    known("2.5.29.15", "keyUsage", "X509v3 Key Usage"),
    known(
        "2.5.29.17",
        "subjectAltName",
        "X509v3 Subject Alternative Name",
    ),
    known(
        "2.5.29.18",
        "issuerAltName",
        "X509v3 Issuer Alternative Name",
    ),
    known("2.5.29.19", "basicConstraints", "X509v3 Basic Constraints"),
    known("2.5.29.30", "nameConstraints", "X509v3 Name Constraints"),
    known(
        "2.5.29.31",
        "crlDistributionPoints",
        "X509v3 CRL Distribution Points",
    ),
    known(
        "2.5.29.32",
        "certificatePolicies",
        "X509v3 Certificate Policies",
    ),
    known("2.5.29.32.0", "anyPolicy", "X509v3 Any Policy"),
    known(
        "2.5.29.35",
        "authorityKeyIdentifier",
        "X509v3 Authority Key Identifier",
    ),
    known(
        "2.5.29.36",
        "policyConstraints",
        "X509v3 Policy Constraints",
    ),
    known("2.5.29.37", "extendedKeyUsage", "X509v3 Extended Key Usage"),
    known(
        "2.5.29.37.0",
        "anyExtendedKeyUsage",
        "Any Extended Key Usage",
    ),
    known(
        "1.3.6.1.5.5.7.1.1",
        "authorityInfoAccess",
        "Authority Information Access",
    ),
    known("1.3.6.1.5.5.7.1.24", "tlsfeature", "TLS Feature"),
    known(
        "1.3.6.1.4.1.11129.2.4.2",
        "ct_precert_scts",
        "CT Precertificate SCTs",
    ),
    known("2.16.840.1.113730.1.1", "nsCertType", "Netscape Cert Type"),
    known("2.16.840.1.113730.1.2", "nsBaseUrl", "Netscape Base Url"),
    known("2.16.840.1.113730.1.13", "nsComment", "Netscape Comment"),
    // What keys are for.
    known(
        "1.3.6.1.5.5.7.3.1",
        "serverAuth",
        "TLS Web Server Authentication",
    ),
    known(
        "1.3.6.1.5.5.7.3.2",
        "clientAuth",
        "TLS Web Client Authentication",
    ),
    known("1.3.6.1.5.5.7.3.3", "codeSigning", "Code Signing"),
    known("1.3.6.1.5.5.7.3.4", "emailProtection", "E-mail Protection"),
    known("1.3.6.1.5.5.7.3.8", "timeStamping", "Time Stamping"),
    known("1.3.6.1.5.5.7.3.9", "OCSPSigning", "OCSP Signing"),
    known("1.3.6.1.5.5.7.48.1", "OCSP", "OCSP"),
    known("1.3.6.1.5.5.7.48.2", "caIssuers", "CA Issuers"),
    known(
        "1.3.6.1.4.1.311.10.3.3",
        "msSGC",
        "Microsoft Server Gated Crypto",
    ),
    known(
        "2.16.840.1.113730.4.1",
        "nsSGC",
        "Netscape Server Gated Crypto",
    ),
];

/// Algorithms of signatures, with OpenSSL's numbers.
static SIGNATURES: &[(Known, i64)] = &[
    (
        known("1.2.840.113549.1.1.4", "RSA-MD5", "md5WithRSAEncryption"),
        8,
    ),
    (
        known("1.2.840.113549.1.1.5", "RSA-SHA1", "sha1WithRSAEncryption"),
        65,
    ),
    (
        known("1.2.840.113549.1.1.10", "RSASSA-PSS", "rsassaPss"),
        912,
    ),
    (
        known(
            "1.2.840.113549.1.1.11",
            "RSA-SHA256",
            "sha256WithRSAEncryption",
        ),
        668,
    ),
    (
        known(
            "1.2.840.113549.1.1.12",
            "RSA-SHA384",
            "sha384WithRSAEncryption",
        ),
        669,
    ),
    (
        known(
            "1.2.840.113549.1.1.13",
            "RSA-SHA512",
            "sha512WithRSAEncryption",
        ),
        670,
    ),
    (
        known(
            "1.2.840.113549.1.1.14",
            "RSA-SHA224",
            "sha224WithRSAEncryption",
        ),
        671,
    ),
    (known("1.2.840.10040.4.3", "DSA-SHA1", "dsaWithSHA1"), 113),
    (
        known(
            "2.16.840.1.101.3.4.3.2",
            "dsa_with_SHA256",
            "dsa_with_SHA256",
        ),
        803,
    ),
    (
        known("1.2.840.10045.4.1", "ecdsa-with-SHA1", "ecdsa-with-SHA1"),
        416,
    ),
    (
        known(
            "1.2.840.10045.4.3.1",
            "ecdsa-with-SHA224",
            "ecdsa-with-SHA224",
        ),
        793,
    ),
    (
        known(
            "1.2.840.10045.4.3.2",
            "ecdsa-with-SHA256",
            "ecdsa-with-SHA256",
        ),
        794,
    ),
    (
        known(
            "1.2.840.10045.4.3.3",
            "ecdsa-with-SHA384",
            "ecdsa-with-SHA384",
        ),
        795,
    ),
    (
        known(
            "1.2.840.10045.4.3.4",
            "ecdsa-with-SHA512",
            "ecdsa-with-SHA512",
        ),
        796,
    ),
    (known("1.3.101.112", "ED25519", "ED25519"), 1087),
    (known("1.3.101.113", "ED448", "ED448"), 1088),
];

/// What an identifier means.
pub(in crate::openssl) fn identified(identifier: &str) -> Option<&'static Known> {
    OBJECTS.iter().find(|known| known.identifier == identifier)
}

/// The object of a name, short or long.
pub(in crate::openssl) fn named(name: &str) -> Option<&'static Known> {
    let mut all = OBJECTS.iter();
    all.find(|known| known.short == name || known.long == name)
}

/// An algorithm of signatures, and its number.
pub(in crate::openssl) fn signature(identifier: &str) -> Option<&'static (Known, i64)> {
    let mut all = SIGNATURES.iter();
    all.find(|(known, _)| known.identifier == identifier)
}

/// The long name of an object, or its numbers.
pub(super) fn long_name(identifier: &str) -> String {
    identified(identifier)
        .map_or(identifier, |known| known.long)
        .to_owned()
}
