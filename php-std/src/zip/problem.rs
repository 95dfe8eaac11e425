//! What can go wrong with a zip archive: libzip's numbers and texts.

use crate::zlib::status_text;

/// Numbers of problems.
pub(super) mod code {
    pub(in crate::zip) const MULTIDISK: i64 = 1;
    pub(in crate::zip) const RENAME: i64 = 2;
    pub(in crate::zip) const READ: i64 = 5;
    pub(in crate::zip) const WRITE: i64 = 6;
    pub(in crate::zip) const CRC: i64 = 7;
    pub(in crate::zip) const NOENT: i64 = 9;
    pub(in crate::zip) const EXISTS: i64 = 10;
    pub(in crate::zip) const OPEN: i64 = 11;
    pub(in crate::zip) const TMPOPEN: i64 = 12;
    pub(in crate::zip) const ZLIB: i64 = 13;
    pub(in crate::zip) const CHANGED: i64 = 15;
    pub(in crate::zip) const COMPNOTSUPP: i64 = 16;
    pub(in crate::zip) const EOF: i64 = 17;
    pub(in crate::zip) const INVAL: i64 = 18;
    pub(in crate::zip) const NOZIP: i64 = 19;
    pub(in crate::zip) const INCONS: i64 = 21;
    pub(in crate::zip) const REMOVE: i64 = 22;
    pub(in crate::zip) const DELETED: i64 = 23;
    pub(in crate::zip) const ENCRNOTSUPP: i64 = 24;
    pub(in crate::zip) const RDONLY: i64 = 25;
    pub(in crate::zip) const NOPASSWD: i64 = 26;
    pub(in crate::zip) const WRONGPASSWD: i64 = 27;
    pub(in crate::zip) const OPNOTSUPP: i64 = 28;
    pub(in crate::zip) const COMPRESSED_DATA: i64 = 31;
    pub(in crate::zip) const CANCELLED: i64 = 32;
    pub(in crate::zip) const TRUNCATED: i64 = 35;
}

/// Whose text follows that of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Alone,
    System,
    Zlib,
}
use Detail::{Alone, System, Zlib};

/// Texts, by number, and what follows.
const TEXTS: [(&str, Detail); 36] = [
    ("No error", Alone),
    ("Multi-disk zip archives not supported", Alone),
    ("Renaming temporary file failed", System),
    ("Closing zip archive failed", System),
    ("Seek error", System),
    ("Read error", System),
    ("Write error", System),
    ("CRC error", Alone),
    ("Containing zip archive was closed", Alone),
    ("No such file", Alone),
    ("File already exists", Alone),
    ("Can't open file", System),
    ("Failure to create temporary file", System),
    ("Zlib error", Zlib),
    ("Malloc failure", Alone),
    ("Entry has been changed", Alone),
    ("Compression method not supported", Alone),
    ("Premature end of file", Alone),
    ("Invalid argument", Alone),
    ("Not a zip archive", Alone),
    ("Internal error", Alone),
    ("Zip archive inconsistent", Alone),
    ("Can't remove file", System),
    ("Entry has been deleted", Alone),
    ("Encryption method not supported", Alone),
    ("Read-only archive", Alone),
    ("No password provided", Alone),
    ("Wrong password provided", Alone),
    ("Operation not supported", Alone),
    ("Resource still in use", Alone),
    ("Tell error", System),
    ("Compressed data invalid", Alone),
    ("Operation cancelled", Alone),
    ("Unexpected length of data", Alone),
    ("Not allowed in torrentzip", Alone),
    ("Possibly truncated or corrupted zip archive", Alone),
];

/// What went wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Problem {
    /// See [`code`].
    pub(super) code: i64,
    /// The system's number, if it was the system, or zlib's.
    pub(super) system: i32,
}

impl Problem {
    /// What the system did not do.
    pub(super) fn of(code: i64, error: &std::io::Error) -> Problem {
        Problem {
            code,
            system: error.raw_os_error().unwrap_or(libc::EIO),
        }
    }

    /// The text.
    pub(super) fn text(self) -> String {
        let (text, detail) = TEXTS
            .get(self.code as usize)
            .copied()
            .unwrap_or(("Unknown error", Alone));
        match detail {
            System if self.system != 0 => {
                let error = std::io::Error::from_raw_os_error(self.system);
                let detail = vm_runtime::interpreter::include::os_error_text(&error);
                format!("{text}: {detail}")
            }
            Zlib if self.system != 0 => format!("{text}: {}", status_text(self.system)),
            _ => text.into(),
        }
    }
}

impl From<i64> for Problem {
    fn from(code: i64) -> Problem {
        Problem { code, system: 0 }
    }
}
