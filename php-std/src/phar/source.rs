//! The bytes that an archive was read from: a file, or memory if the whole of it is compressed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;

use vm_runtime::limits;

/// Bytes read at once where all of them are looked at.
const PIECE: usize = 1 << 16;

/// Where an archive's bytes are.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A file that stays open: what is written to its name later is another matter.
    File {
        /// The file.
        file: Rc<File>,
        /// Its length when it was opened.
        length: u64,
    },
    /// Decompressed, or just written.
    Memory(Rc<Vec<u8>>),
}

impl Source {
    /// Nothing yet.
    pub(super) fn nothing() -> Source {
        Source::Memory(Rc::default())
    }

    /// Opens a file.
    pub(super) fn open(path: &Path) -> io::Result<Source> {
        let file = limits::open(File::options().read(true), path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        Ok(Source::File {
            file: Rc::new(file),
            length: metadata.len(),
        })
    }

    /// Bytes in it.
    pub(super) fn length(&self) -> u64 {
        match self {
            Source::File { length, .. } => *length,
            Source::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Bytes from a place on; none if there are not as many.
    pub(super) fn read(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        if offset.checked_add(length)? > self.length() {
            return None;
        }
        let size = usize::try_from(length).ok()?;
        limits::reserve(size);
        match self {
            Source::File { file, .. } => {
                let mut bytes = vec![0; size];
                file.read_exact_at(&mut bytes, offset).ok()?;
                Some(bytes)
            }
            Source::Memory(bytes) => Some(bytes[offset as usize..][..size].to_vec()),
        }
    }

    /// As [`Source::read`], or what there is.
    pub(super) fn read_most(&self, offset: u64, length: u64) -> Vec<u8> {
        let left = self.length().saturating_sub(offset);
        self.read(offset, length.min(left)).unwrap_or_default()
    }

    /// Shows all bytes of a range, piece by piece. False if they are not there.
    pub(super) fn each_piece(&self, mut from: u64, to: u64, mut see: impl FnMut(&[u8])) -> bool {
        while from < to {
            limits::poll();
            let piece = (to - from).min(PIECE as u64);
            let Some(bytes) = self.read(from, piece) else {
                return false;
            };
            see(&bytes);
            from += piece;
        }
        true
    }

    /// Where some bytes stand first, in any case; they are given in lower case.
    pub(super) fn find(&self, wanted: &[u8]) -> Option<u64> {
        let mut offset = 0;
        loop {
            limits::poll();
            let mut bytes = self.read_most(offset, (PIECE + wanted.len()) as u64);
            bytes.make_ascii_lowercase();
            if let Some(at) = memchr::memmem::find(&bytes, wanted) {
                return Some(offset + at as u64);
            }
            if bytes.len() <= PIECE {
                return None;
            }
            offset += PIECE as u64;
        }
    }
}
