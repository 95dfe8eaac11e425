//! What OpenSSL would say of a connection that fails.

use rustls::{AlertDescription, Error, PeerIncompatible};

/// The words behind `error:` for what rustls found wrong.
pub(super) fn words(error: &Error) -> String {
    let reason =
        |number: u32, text: &str| format!("{:08X}:SSL routines::{text}", 0x0A00_0000 + number);
    match error {
        Error::InvalidCertificate(_) => reason(0x86, "certificate verify failed"),
        Error::NoCertificatesPresented => reason(0xC7, "peer did not return a certificate"),
        Error::AlertReceived(alert) => {
            let number = u32::from(u8::from(*alert));
            reason(1000 + number, &of_alert(*alert))
        }
        Error::InvalidMessage(_) => reason(0x10B, "wrong version number"),
        Error::PeerIncompatible(
            PeerIncompatible::NoCipherSuitesInCommon | PeerIncompatible::NoKxGroupsInCommon,
        ) => reason(0xC1, "no shared cipher"),
        Error::PeerIncompatible(_) => reason(0x102, "unsupported protocol"),
        Error::NoApplicationProtocol => reason(0xEB, "no application protocol"),
        Error::PeerMisbehaved(_) => reason(0xF4, "unexpected message"),
        Error::DecryptError => reason(0x119, "decryption failed or bad record mac"),
        Error::PeerSentOversizedRecord => reason(0xC6, "packet length too long"),
        _ => reason(0x44, "internal error"),
    }
}

fn of_alert(alert: AlertDescription) -> String {
    let text = match alert {
        AlertDescription::UnexpectedMessage => "ssl/tls alert unexpected message",
        AlertDescription::BadRecordMac => "ssl/tls alert bad record mac",
        AlertDescription::HandshakeFailure => "ssl/tls alert handshake failure",
        AlertDescription::BadCertificate => "ssl/tls alert bad certificate",
        AlertDescription::UnsupportedCertificate => "ssl/tls alert unsupported certificate",
        AlertDescription::CertificateRevoked => "ssl/tls alert certificate revoked",
        AlertDescription::CertificateExpired => "ssl/tls alert certificate expired",
        AlertDescription::CertificateUnknown => "ssl/tls alert certificate unknown",
        AlertDescription::IllegalParameter => "ssl/tls alert illegal parameter",
        AlertDescription::UnknownCA => "tlsv1 alert unknown ca",
        AlertDescription::AccessDenied => "tlsv1 alert access denied",
        AlertDescription::DecodeError => "tlsv1 alert decode error",
        AlertDescription::DecryptError => "tlsv1 alert decrypt error",
        AlertDescription::ProtocolVersion => "tlsv1 alert protocol version",
        AlertDescription::InsufficientSecurity => "tlsv1 alert insufficient security",
        AlertDescription::InternalError => "tlsv1 alert internal error",
        AlertDescription::UserCanceled => "tlsv1 alert user cancelled",
        AlertDescription::NoRenegotiation => "tlsv1 alert no renegotiation",
        AlertDescription::UnsupportedExtension => "tlsv1 unsupported extension",
        AlertDescription::UnrecognisedName => "tlsv1 unrecognized name",
        AlertDescription::CertificateRequired => "tlsv13 alert certificate required",
        AlertDescription::NoApplicationProtocol => "tlsv1 alert no application protocol",
        other => return format!("reason({})", 1000 + u32::from(u8::from(other))),
    };
    text.to_owned()
}
