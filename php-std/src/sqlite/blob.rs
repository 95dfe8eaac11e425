//! Single values of a table as streams.

use std::ffi::c_int;
use std::io;
use std::rc::Rc;

use super::{Database, c_text, sys};
use crate::standard::files::{Backend, Channel, Stream};
use vm_runtime::vm::Vm;

/// An open value.
struct Blob {
    handle: *mut sys::sqlite3_blob,
    /// Keeps the database open.
    _database: Rc<Database>,
    position: usize,
    size: usize,
    writes: bool,
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Blob")
    }
}

/// Opens the value in a column of a row as a stream, or says why not.
pub(crate) fn open_blob(
    vm: &mut Vm,
    database: &Rc<Database>,
    place: [&[u8]; 3],
    row: i64,
    writes: bool,
    kind: &'static str,
) -> Result<Stream, String> {
    let [name, table, column] = place.map(c_text);
    let mut handle = std::ptr::null_mut();
    // SAFETY: the texts end with NUL.
    let code = database.run(|database| unsafe {
        sys::sqlite3_blob_open(
            database,
            name.as_ptr(),
            table.as_ptr(),
            column.as_ptr(),
            row,
            writes as c_int,
            &mut handle,
        )
    });
    if code != sys::SQLITE_OK {
        return Err(database.message());
    }
    // SAFETY: the blob is open.
    let size = unsafe { sys::sqlite3_blob_bytes(handle) } as usize;
    let blob = Blob {
        handle,
        _database: database.clone(),
        position: 0,
        size,
        writes,
        vm,
    };
    let mut stream = Stream::new(Backend::Channel(Box::new(blob)), true, true);
    (stream.kind, stream.wrapper) = (kind, "");
    stream.mode = if writes {
        b"r+b".to_vec()
    } else {
        b"rb".to_vec()
    };
    Ok(stream)
}

impl Blob {
    fn warn(&self, message: &str) -> io::Error {
        // SAFETY: I1: the VM never moves, and outlives its streams.
        unsafe { (*self.vm).function_warning(message) };
        io::Error::other("said already")
    }
}

impl Channel for Blob {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        let count = most.min(self.size - self.position);
        let before = buffer.len();
        buffer.resize(before + count, 0);
        if count > 0 {
            // SAFETY: the blob is open, and the buffer has room.
            let code = unsafe {
                sys::sqlite3_blob_read(
                    self.handle,
                    buffer[before..].as_mut_ptr().cast(),
                    count as c_int,
                    self.position as c_int,
                )
            };
            if code != sys::SQLITE_OK {
                buffer.truncate(before);
                return Err(io::Error::other("cannot be read"));
            }
        }
        self.position += count;
        Ok(self.position >= self.size)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.writes {
            return Err(self.warn("Can't write to blob stream: is open as read only"));
        }
        if self.position + bytes.len() > self.size {
            return Err(self.warn("It is not possible to increase the size of a BLOB"));
        }
        // SAFETY: the blob is open, and has room.
        let code = unsafe {
            sys::sqlite3_blob_write(
                self.handle,
                bytes.as_ptr().cast(),
                bytes.len() as c_int,
                self.position as c_int,
            )
        };
        if code != sys::SQLITE_OK {
            return Err(io::Error::other("cannot be written"));
        }
        self.position += bytes.len();
        Ok(bytes.len())
    }

    fn seek(&mut self, offset: i64, whence: i64) -> Option<u64> {
        let target = match whence {
            0 => offset,
            1 => (self.position as i64).checked_add(offset)?,
            _ => (self.size as i64).checked_add(offset)?,
        };
        let target = usize::try_from(target).ok().filter(|&at| at <= self.size)?;
        self.position = target;
        Some(target as u64)
    }

    fn size(&self) -> Option<u64> {
        Some(self.size as u64)
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        // SAFETY: opened by `open_blob`, closed once.
        unsafe { sys::sqlite3_blob_close(self.handle) };
    }
}
