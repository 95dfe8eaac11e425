//! What can go wrong with a zip archive: libzip's numbers and texts.

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

/// Texts, by number, and whether one of the system follows.
const TEXTS: [(&str, bool); 36] = [
    ("No error", false),
    ("Multi-disk zip archives not supported", false),
    ("Renaming temporary file failed", true),
    ("Closing zip archive failed", true),
    ("Seek error", true),
    ("Read error", true),
    ("Write error", true),
    ("CRC error", false),
    ("Containing zip archive was closed", false),
    ("No such file", false),
    ("File already exists", false),
    ("Can't open file", true),
    ("Failure to create temporary file", true),
    ("Zlib error", false),
    ("Malloc failure", false),
    ("Entry has been changed", false),
    ("Compression method not supported", false),
    ("Premature end of file", false),
    ("Invalid argument", false),
    ("Not a zip archive", false),
    ("Internal error", false),
    ("Zip archive inconsistent", false),
    ("Can't remove file", true),
    ("Entry has been deleted", false),
    ("Encryption method not supported", false),
    ("Read-only archive", false),
    ("No password provided", false),
    ("Wrong password provided", false),
    ("Operation not supported", false),
    ("Resource still in use", false),
    ("Tell error", true),
    ("Compressed data invalid", false),
    ("Operation cancelled", false),
    ("Unexpected length of data", false),
    ("Not allowed in torrentzip", false),
    ("Possibly truncated or corrupted zip archive", false),
];

/// What went wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Problem {
    /// See [`code`].
    pub(super) code: i64,
    /// The system's number, if it was the system.
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
        let (text, is_system) = TEXTS
            .get(self.code as usize)
            .copied()
            .unwrap_or(("Unknown error", false));
        if !is_system || self.system == 0 {
            return text.into();
        }
        let error = std::io::Error::from_raw_os_error(self.system);
        format!(
            "{text}: {}",
            vm_runtime::interpreter::include::os_error_text(&error)
        )
    }
}

impl From<i64> for Problem {
    fn from(code: i64) -> Problem {
        Problem { code, system: 0 }
    }
}
