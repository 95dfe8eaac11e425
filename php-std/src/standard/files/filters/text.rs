//! Filters that map bytes: `string.rot13`, `string.toupper`, `string.tolower`; and `dechunk`.

use vm_runtime::value::PhpResource;

use super::{Buckets, Status, StreamFilter};

/// A filter of this module.
pub(super) fn make(name: &[u8]) -> Option<Box<dyn StreamFilter>> {
    let map: fn(u8) -> u8 = match name {
        b"string.rot13" => |byte| match byte {
            b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
            b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
            _ => byte,
        },
        b"string.toupper" => |byte| byte.to_ascii_uppercase(),
        b"string.tolower" => |byte| byte.to_ascii_lowercase(),
        b"dechunk" => return Some(Box::new(Dechunk::Start)),
        _ => return None,
    };
    Some(Box::new(Map(map)))
}

#[derive(Debug)]
struct Map(fn(u8) -> u8);

impl StreamFilter for Map {
    fn filter(
        &mut self,
        mut input: Buckets,
        _closing: bool,
        _stream: *mut PhpResource,
    ) -> (Status, Buckets, usize) {
        let mut taken = 0;
        for bucket in &mut input {
            taken += bucket.len();
            bucket.iter_mut().for_each(|byte| *byte = self.0(*byte));
        }
        (Status::PassOn, input, taken)
    }
}

/// Takes the `chunked` transfer encoding of HTTP off.
#[derive(Debug)]
enum Dechunk {
    /// Before a chunk's size.
    Start,
    /// In a chunk's size, of which this was read.
    Size(usize),
    /// Behind the size, before the line feed.
    Extension(usize),
    /// That many bytes of the chunk are to come.
    Body(usize),
    /// Behind a chunk, where its line ends.
    End,
    /// Behind the last chunk.
    Done,
    /// What comes is not chunked: it is given as it is.
    Plain,
}

impl Dechunk {
    fn take(&mut self, bytes: &[u8], output: &mut Vec<u8>) {
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            let digit = (byte as char).to_digit(16).map(|digit| digit as usize);
            match (&mut *self, digit, byte) {
                (Dechunk::Start, Some(digit), _) => *self = Dechunk::Size(digit),
                (Dechunk::Size(size), Some(digit), _) => {
                    *size = size.wrapping_mul(16).wrapping_add(digit);
                }
                (&mut (Dechunk::Size(size) | Dechunk::Extension(size)), _, b'\n') => {
                    *self = match size {
                        0 => Dechunk::Done,
                        size => Dechunk::Body(size),
                    };
                }
                (&mut Dechunk::Size(size), None, _) => *self = Dechunk::Extension(size),
                (Dechunk::Extension(_), ..) | (Dechunk::End, _, b'\r') => {}
                (Dechunk::End, _, b'\n') => *self = Dechunk::Start,
                (Dechunk::Body(left), ..) => {
                    let now = rest.len().min(*left);
                    output.extend_from_slice(&rest[..now]);
                    *left -= now;
                    if *left == 0 {
                        *self = Dechunk::End;
                    }
                    rest = &rest[now..];
                    continue;
                }
                (Dechunk::Start | Dechunk::End, ..) => {
                    *self = Dechunk::Plain;
                    continue;
                }
                (Dechunk::Done, ..) => return,
                (Dechunk::Plain, ..) => {
                    output.extend_from_slice(rest);
                    return;
                }
            }
            rest = behind;
        }
    }
}

impl StreamFilter for Dechunk {
    fn filter(
        &mut self,
        input: Buckets,
        _closing: bool,
        _stream: *mut PhpResource,
    ) -> (Status, Buckets, usize) {
        let mut output = Vec::new();
        let mut taken = 0;
        for bucket in input {
            taken += bucket.len();
            self.take(&bucket, &mut output);
        }
        (Status::PassOn, vec![output], taken)
    }
}
