//! The contents of entries: decrypted, decompressed and checked, or the other way round.

use std::fs::File;
use std::io::Write;
use std::rc::Rc;

use crc32fast::Hasher;
use libz_sys as z;
use vm_runtime::limits;

use super::cipher::{self, Aes, Cipher, Traditional};
use super::format::{self, Record, encryption, method};
use super::problem::{Problem, code};
#[cfg(feature = "bz2")]
use crate::bz2::{Compressor, Decompressor, status};
use crate::zlib::{Deflater, Inflater, Parameters};

/// Bytes read and written at once.
pub(super) const PIECE: usize = 1 << 15;

/// Where the bytes of an entry come from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A part of a file.
    File {
        file: Rc<File>,
        at: u64,
        left: u64,
    },
    Memory {
        bytes: Rc<[u8]>,
        at: usize,
    },
}

impl Origin {
    /// The next bytes; none at the end.
    fn next(&mut self, most: usize) -> Result<Vec<u8>, Problem> {
        match self {
            Origin::File { file, at, left } => {
                let length = most.min(usize::try_from(*left).unwrap_or(usize::MAX));
                let bytes = format::read_at(file, *at, length)?;
                *at += bytes.len() as u64;
                *left -= bytes.len() as u64;
                // The file ends before it should.
                if bytes.is_empty() {
                    *left = 0;
                }
                Ok(bytes)
            }
            Origin::Memory { bytes, at } => {
                let length = most.min(bytes.len() - *at);
                let piece = bytes[*at..*at + length].to_vec();
                *at += length;
                Ok(piece)
            }
        }
    }
}

/// How the bytes of an entry become its contents.
#[derive(Debug)]
enum Decoder {
    Plain,
    Inflate(Inflater),
    #[cfg(feature = "bz2")]
    Bzip2(Decompressor),
}

/// Whether entries can be compressed and decompressed in a way.
pub(super) fn is_method_supported(number: i64) -> bool {
    match u16::try_from(number) {
        Ok(method::STORE | method::DEFLATE) => true,
        Ok(method::BZIP2) => cfg!(feature = "bz2"),
        _ => number == -1,
    }
}

/// Reads an entry.
#[derive(Debug)]
pub(super) struct Reader {
    origin: Origin,
    /// Bytes that were not decoded yet, from a place on.
    input: Vec<u8>,
    at: usize,
    decoder: Decoder,
    keys: Option<Cipher>,
    sum: Hasher,
    /// The checksum and the size that the contents should have, if that is known.
    expected: Option<(u32, u64)>,
    /// Bytes given.
    given: u64,
    is_over: bool,
}

impl Reader {
    /// What is not in an archive yet.
    pub(super) fn plain(origin: Origin) -> Reader {
        Reader {
            origin,
            input: Vec::new(),
            at: 0,
            decoder: Decoder::Plain,
            keys: None,
            sum: Hasher::new(),
            expected: None,
            given: 0,
            is_over: false,
        }
    }

    /// The bytes of an entry as they are in the archive.
    pub(super) fn raw(file: &Rc<File>, record: &Record) -> Result<Reader, Problem> {
        Ok(Reader::plain(Origin::File {
            file: file.clone(),
            at: format::body_offset(file, record)?,
            left: record.stored,
        }))
    }

    /// An entry of an archive.
    pub(super) fn open(
        file: &Rc<File>,
        record: &Record,
        password: Option<&[u8]>,
    ) -> Result<Reader, Problem> {
        let decoder = match record.method {
            method::STORE => Decoder::Plain,
            method::DEFLATE => Decoder::Inflate(Inflater::new(-15).ok_or(code::ZLIB)?),
            #[cfg(feature = "bz2")]
            method::BZIP2 => Decoder::Bzip2(Decompressor::new(false)),
            _ => return Err(code::COMPNOTSUPP.into()),
        };
        let mut reader = Reader::raw(file, record)?;
        reader.decoder = decoder;
        reader.expected = Some((record.crc, record.size));
        match record.encryption {
            encryption::NONE => {}
            encryption::TRADITIONAL => reader.unlock(record, password)?,
            kind @ encryption::AES_128..=encryption::AES_256 => {
                let password = password.ok_or(code::NOPASSWD)?;
                let header = reader.origin.next(cipher::header_length(kind))?;
                let keys = Cipher::Aes(Box::new(Aes::unlock(kind, password, &header)?));
                // The seal is no part of the contents.
                if let Origin::File { left, .. } = &mut reader.origin {
                    let rest = left.checked_sub(keys.trailer() as u64);
                    *left = rest.ok_or(code::EOF)?;
                }
                reader.keys = Some(keys);
            }
            _ => return Err(code::ENCRNOTSUPP.into()),
        }
        Ok(reader)
    }

    /// Takes the header of an encrypted entry, which tells whether the password is right.
    fn unlock(&mut self, record: &Record, password: Option<&[u8]>) -> Result<(), Problem> {
        let mut keys = Traditional::new(password.ok_or(code::NOPASSWD)?);
        let mut header = self.origin.next(cipher::HEADER)?;
        if header.len() < cipher::HEADER {
            return Err(code::EOF.into());
        }
        keys.decrypt(&mut header);
        // What is checked is not known before all was written, then the time stands for it.
        let wanted = match record.flags & format::DESCRIBED_BEHIND {
            0 => (record.crc >> 24) as u8,
            _ => (format::dos_time(record.time) >> 8) as u8,
        };
        if header[cipher::HEADER - 1] != wanted {
            return Err(code::WRONGPASSWD.into());
        }
        self.keys = Some(Cipher::Traditional(keys));
        Ok(())
    }

    /// Appends up to `most` bytes; true at the end, where the contents are checked.
    pub(super) fn read(&mut self, output: &mut Vec<u8>, most: usize) -> Result<bool, Problem> {
        let start = output.len();
        while !self.is_over && output.len() - start < most {
            limits::poll();
            if self.at == self.input.len() {
                self.input = self.origin.next(PIECE)?;
                self.at = 0;
                if let Some(keys) = &mut self.keys {
                    keys.decrypt(&mut self.input);
                }
            }
            let before = output.len();
            let room = (most - (before - start)).min(PIECE);
            self.is_over = self.decode(output, room)?;
            self.sum.update(&output[before..]);
            self.given += (output.len() - before) as u64;
        }
        if self.is_over {
            self.check()?;
        }
        Ok(self.is_over)
    }

    /// Compares what was read with what the archive says of it, once.
    fn check(&mut self) -> Result<(), Problem> {
        let Some((sum, size)) = self.expected.take() else {
            return Ok(());
        };
        let is_sealed = matches!(self.keys, Some(Cipher::Aes(_)));
        let is_summed = !is_sealed || sum != 0;
        if is_summed && self.sum.clone().finalize() != sum || !self.is_seal_right()? {
            return Err(code::CRC.into());
        }
        // How long unpacked contents are is not looked at.
        if self.given != size && matches!(self.decoder, Decoder::Plain) {
            return Err(code::INCONS.into());
        }
        Ok(())
    }

    /// Reads what stands behind contents that AES encrypted; false if it belongs to others.
    fn is_seal_right(&mut self) -> Result<bool, Problem> {
        let Some(keys) = self.keys.as_mut().filter(|keys| keys.trailer() > 0) else {
            return Ok(true);
        };
        // What the decoder did not need is sealed too.
        loop {
            let mut rest = self.origin.next(PIECE)?;
            if rest.is_empty() {
                break;
            }
            keys.decrypt(&mut rest);
        }
        if let Origin::File { left, .. } = &mut self.origin {
            *left = keys.trailer() as u64;
        }
        Ok(self.origin.next(keys.trailer())? == keys.seal())
    }

    /// One step into `room` bytes; true at the end.
    fn decode(&mut self, output: &mut Vec<u8>, room: usize) -> Result<bool, Problem> {
        let rest = &self.input[self.at..];
        let before = output.len();
        let (taken, is_over) = match &mut self.decoder {
            Decoder::Plain => {
                let taken = rest.len().min(room);
                limits::reserve(taken);
                output.extend_from_slice(&rest[..taken]);
                (taken, rest.is_empty())
            }
            Decoder::Inflate(inflater) => {
                let (taken, status) = inflater.step(rest, output, room, z::Z_NO_FLUSH);
                match status {
                    z::Z_STREAM_END => (taken, true),
                    z::Z_OK | z::Z_BUF_ERROR => (taken, false),
                    system => {
                        let code = code::ZLIB;
                        return Err(Problem { code, system });
                    }
                }
            }
            #[cfg(feature = "bz2")]
            Decoder::Bzip2(decompressor) => {
                let (taken, status) = decompressor.step(rest, output, room);
                match status {
                    status::STREAM_END => (taken, true),
                    status::OK => (taken, false),
                    _ => return Err(code::COMPRESSED_DATA.into()),
                }
            }
        };
        if !is_over && rest.is_empty() && output.len() == before {
            return Err(code::EOF.into());
        }
        self.at += taken;
        Ok(is_over)
    }

    /// Up to `most` bytes in all. If that is how many there should be, they are checked.
    pub(super) fn read_most(&mut self, most: usize) -> Result<Vec<u8>, Problem> {
        let mut output = Vec::new();
        while output.len() < most {
            let room = (most - output.len()).min(PIECE);
            limits::reserve(room);
            if self.read(&mut output, room)? {
                return Ok(output);
            }
        }
        if self.expected.is_some_and(|(_, size)| self.given == size) {
            self.check()?;
        }
        Ok(output)
    }

    /// True where nothing is compressed or encrypted.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.decoder, Decoder::Plain) && self.keys.is_none()
    }

    /// Goes to a place of the contents; false where they are compressed or encrypted.
    pub(super) fn seek(&mut self, target: u64) -> bool {
        if !self.is_plain() {
            return false;
        }
        // Of what is not read from its start to its end there is no checksum.
        self.expected = None;
        self.is_over = false;
        let consumed = self.given + (self.input.len() - self.at) as u64;
        match &mut self.origin {
            Origin::File { at, left, .. } => {
                let (start, end) = (at.saturating_sub(consumed), at.saturating_add(*left));
                *at = start.saturating_add(target).min(end);
                *left = end - *at;
            }
            Origin::Memory { bytes, at } => {
                *at = usize::try_from(target)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
            }
        }
        self.input.clear();
        (self.at, self.given) = (0, target);
        true
    }
}

/// How contents become the bytes of an entry.
enum Encoder {
    Plain,
    Deflate(Deflater),
    #[cfg(feature = "bz2")]
    Bzip2(Option<Compressor>),
}

/// What became of contents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed {
    pub(super) crc: u32,
    pub(super) size: u64,
    pub(super) stored: u64,
}

/// How contents are to be packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing<'a> {
    pub(super) method: u16,
    /// 1 to 9; anything else is the best.
    pub(super) level: u32,
    pub(super) is_torrent: bool,
    /// The password, the kind of encryption, and the header's last byte for the traditional one.
    pub(super) secret: Option<(&'a [u8], u16, u8)>,
}

/// Packs the contents of an entry into a file. `progress` is told of every piece, and may put an
/// end to it.
pub(super) fn pack(
    reader: &mut Reader,
    packing: Packing<'_>,
    file: &mut File,
    progress: &mut dyn FnMut(u64) -> Result<(), Problem>,
) -> Result<Packed, Problem> {
    let level = match packing.level {
        level @ 1..=9 => level,
        _ => 9,
    };
    let mut encoder = match packing.method {
        method::DEFLATE => Encoder::Deflate(
            Deflater::new(Parameters {
                level: i64::from(level),
                window: -15,
                memory: if packing.is_torrent { 8 } else { 9 },
                strategy: 0,
            })
            .ok_or(code::ZLIB)?,
        ),
        #[cfg(feature = "bz2")]
        method::BZIP2 => Encoder::Bzip2(Some(Compressor::of_level(level))),
        _ => Encoder::Plain,
    };
    let mut stored = 0;
    let mut keys = None;
    if let Some((password, kind, last)) = packing.secret {
        let (cipher, header) = match kind {
            encryption::TRADITIONAL => {
                let mut header = [0; cipher::HEADER];
                getrandom::fill(&mut header).map_err(|_| code::ENCRNOTSUPP)?;
                header[cipher::HEADER - 1] = last;
                let mut keys = Traditional::new(password);
                keys.encrypt(&mut header);
                (Cipher::Traditional(keys), header.to_vec())
            }
            kind => {
                let (aes, header) = Aes::lock(kind, password)?;
                (Cipher::Aes(Box::new(aes)), header)
            }
        };
        keys = Some(cipher);
        let written = file.write_all(&header);
        written.map_err(|error| Problem::of(code::WRITE, &error))?;
        stored += header.len() as u64;
    }
    let put = |file: &mut File, keys: &mut Option<Cipher>, bytes: &mut [u8]| {
        if let Some(keys) = keys {
            keys.encrypt(bytes);
        }
        let written = file.write_all(bytes);
        written.map_err(|error| Problem::of(code::WRITE, &error))
    };
    let (mut input, mut output) = (Vec::new(), Vec::new());
    loop {
        input.clear();
        output.clear();
        let is_over = reader.read(&mut input, PIECE)?;
        match &mut encoder {
            Encoder::Plain => output.append(&mut input),
            Encoder::Deflate(deflater) => {
                let flush = if is_over { z::Z_FINISH } else { z::Z_NO_FLUSH };
                deflater.run(&input, &mut output, flush);
            }
            #[cfg(feature = "bz2")]
            Encoder::Bzip2(compressor) => {
                if let Some(compressor) = compressor {
                    compressor.run(&input, &mut output);
                }
                if is_over && let Some(mut compressor) = compressor.take() {
                    compressor.finish(&mut output);
                }
            }
        }
        put(file, &mut keys, &mut output)?;
        stored += output.len() as u64;
        progress(reader.given)?;
        if is_over {
            break;
        }
    }
    if let Some(keys) = &keys {
        let seal = keys.seal();
        let written = file.write_all(&seal);
        written.map_err(|error| Problem::of(code::WRITE, &error))?;
        stored += seal.len() as u64;
    }
    Ok(Packed {
        crc: reader.sum.clone().finalize(),
        size: reader.given,
        stored,
    })
}
