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
        b"dechunk" => return Some(Box::new(Dechunk::Size(Vec::new()))),
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
    /// In the line that tells a chunk's size, of which this was read.
    Size(Vec<u8>),
    /// That many bytes of the chunk are to come.
    Body(usize),
    /// In the line end behind a chunk.
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
            match self {
                Dechunk::Size(line) => {
                    rest = behind;
                    if byte != b'\n' {
                        line.push(byte);
                        continue;
                    }
                    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
                    let digits: String = digits.map(|&byte| byte as char).collect();
                    match usize::from_str_radix(&digits, 16) {
                        Ok(0) => *self = Dechunk::Done,
                        Ok(size) => *self = Dechunk::Body(size),
                        Err(_) => {
                            output.append(line);
                            output.push(b'\n');
                            *self = Dechunk::Plain;
                        }
                    }
                }
                Dechunk::Body(left) => {
                    let now = rest.len().min(*left);
                    output.extend_from_slice(&rest[..now]);
                    rest = &rest[now..];
                    *left -= now;
                    if *left == 0 {
                        *self = Dechunk::End;
                    }
                }
                Dechunk::End => {
                    rest = behind;
                    if byte == b'\n' {
                        *self = Dechunk::Size(Vec::new());
                    }
                }
                Dechunk::Done => return,
                Dechunk::Plain => {
                    output.extend_from_slice(rest);
                    return;
                }
            }
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
