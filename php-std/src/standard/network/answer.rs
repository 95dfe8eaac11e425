//! Answers of name servers, as RFC 1035 has them, taken apart.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a record says.
pub(super) enum Data {
    /// All of it, as it came.
    Raw(Vec<u8>),
    Address(Ipv4Addr),
    LongAddress(Ipv6Addr),
    Target(Vec<u8>),
    Mx {
        priority: u16,
        target: Vec<u8>,
    },
    Machine {
        processor: Vec<u8>,
        system: Vec<u8>,
    },
    Issuer {
        flags: u8,
        tag: Vec<u8>,
        value: Vec<u8>,
    },
    Texts(Vec<Vec<u8>>),
    Authority {
        server: Vec<u8>,
        mailbox: Vec<u8>,
        numbers: [u32; 5],
    },
    Service {
        numbers: [u16; 3],
        target: Vec<u8>,
    },
    Pointer {
        numbers: [u16; 2],
        texts: [Vec<u8>; 3],
        replacement: Vec<u8>,
    },
    Part {
        mask: u8,
        address: Ipv6Addr,
        chain: Vec<u8>,
    },
}

/// A record of an answer.
pub(super) struct Record {
    pub(super) host: Vec<u8>,
    pub(super) kind: u16,
    pub(super) seconds: u32,
    pub(super) data: Data,
}

/// An answer, and how far it was read.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where what is being read ends.
    end: usize,
}

/// The most links that a compressed name may follow.
const MOST_LINKS: usize = 128;

impl<'a> Answer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Answer<'a> {
        Answer {
            bytes,
            at: 0,
            end: bytes.len(),
        }
    }

    /// The number of records that answer the question.
    pub(super) fn count(self) -> u16 {
        self.number_at(6)
    }

    fn number_at(self, at: usize) -> u16 {
        match self.bytes.get(at..at + 2) {
            Some(&[high, low]) => u16::from_be_bytes([high, low]),
            _ => 0,
        }
    }

    /// The records that answer the question; `None` for what is broken, which is the last one.
    pub(super) fn answers(self) -> impl Iterator<Item = Option<Record>> {
        let records = self.records(false);
        records
            .filter(|(section, _)| *section == 0)
            .map(|(_, record)| record)
    }

    /// All records with the number of their section: answers, name servers that know, and others.
    pub(super) fn records(mut self, is_raw: bool) -> impl Iterator<Item = (usize, Option<Record>)> {
        let counts = [6, 8, 10].map(|at| usize::from(self.number_at(at)));
        let questions = self.number_at(4);
        self.at = 12;
        let mut is_whole = (0..questions).all(|_| self.name().is_some() && self.take(4).is_some());
        let sections = counts.into_iter().enumerate();
        let mut sections =
            sections.flat_map(|(section, count)| std::iter::repeat_n(section, count));
        std::iter::from_fn(move || {
            if !is_whole {
                return None;
            }
            let section = sections.next()?;
            let record = self.record(is_raw);
            is_whole = record.is_some();
            Some((section, record))
        })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.end)?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Some(taken)
    }

    fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..self.end];
        self.at = self.end;
        rest
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    fn short(&mut self) -> Option<u16> {
        let taken = self.take(2)?;
        Some(u16::from_be_bytes([taken[0], taken[1]]))
    }

    fn long(&mut self) -> Option<u32> {
        let taken = self.take(4)?.try_into().ok()?;
        Some(u32::from_be_bytes(taken))
    }

    /// Several of a kind.
    fn several<T: Copy + Default, const N: usize>(
        &mut self,
        one: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<[T; N]> {
        let mut all = [T::default(); N];
        for place in &mut all {
            *place = one(self)?;
        }
        Some(all)
    }

    /// A text behind its length.
    fn counted(&mut self) -> Option<Vec<u8>> {
        let length = self.byte()?;
        self.take(length.into()).map(<[u8]>::to_vec)
    }

    /// A name with dots, whose end may stand elsewhere in the answer.
    fn name(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        let mut reader = *self;
        let mut links = 0;
        loop {
            let length = reader.byte()?;
            match length {
                0 => break,
                0xc0.. => {
                    let low = reader.byte()?;
                    if links == 0 {
                        self.at = reader.at;
                    }
                    links += 1;
                    if links > MOST_LINKS {
                        return None;
                    }
                    reader.at = usize::from(length & 0x3f) << 8 | usize::from(low);
                    reader.end = self.bytes.len();
                }
                1..=63 => {
                    if !name.is_empty() {
                        name.push(b'.');
                    }
                    push_label(&mut name, reader.take(length.into())?);
                }
                _ => return None,
            }
        }
        if links == 0 {
            self.at = reader.at;
        }
        Some(name)
    }

    fn record(&mut self, is_raw: bool) -> Option<Record> {
        let host = self.name()?;
        let (kind, _class, seconds) = (self.short()?, self.short()?, self.long()?);
        let length = usize::from(self.short()?);
        let start = self.at;
        self.take(length)?;
        let mut inner = Answer {
            at: start,
            end: start + length,
            ..*self
        };
        let data = match is_raw {
            true => Data::Raw(inner.rest().to_vec()),
            false => inner.data(kind)?,
        };
        Some(Record {
            host,
            kind,
            seconds,
            data,
        })
    }

    fn data(&mut self, kind: u16) -> Option<Data> {
        Some(match kind {
            1 => Data::Address(Ipv4Addr::from(self.long()?)),
            2 | 5 | 12 => Data::Target(self.name()?),
            6 => Data::Authority {
                server: self.name()?,
                mailbox: self.name()?,
                numbers: self.several(Self::long)?,
            },
            13 => Data::Machine {
                processor: self.counted()?,
                system: self.counted()?,
            },
            15 => Data::Mx {
                priority: self.short()?,
                target: self.name()?,
            },
            16 => {
                let mut texts = Vec::new();
                while self.at < self.end {
                    texts.push(self.counted()?);
                }
                Data::Texts(texts)
            }
            28 => Data::LongAddress(self.long_address()?),
            33 => Data::Service {
                numbers: self.several(Self::short)?,
                target: self.name()?,
            },
            35 => Data::Pointer {
                numbers: self.several(Self::short)?,
                texts: [self.counted()?, self.counted()?, self.counted()?],
                replacement: self.name()?,
            },
            38 => {
                let mask = self.byte()?;
                let mut octets = [0; 16];
                let given = self.take(16 - usize::from(mask.min(128)).div_ceil(8))?;
                octets[16 - given.len()..].copy_from_slice(given);
                let chain = if mask > 0 { self.name()? } else { Vec::new() };
                Data::Part {
                    mask,
                    address: octets.into(),
                    chain,
                }
            }
            257 => Data::Issuer {
                flags: self.byte()?,
                tag: self.counted()?,
                value: self.rest().to_vec(),
            },
            _ => Data::Raw(self.rest().to_vec()),
        })
    }

    fn long_address(&mut self) -> Option<Ipv6Addr> {
        let octets: [u8; 16] = self.take(16)?.try_into().ok()?;
        Some(octets.into())
    }
}

/// A label as text: what stands for something in names has a backslash, what cannot be printed is a number.
fn push_label(name: &mut Vec<u8>, label: &[u8]) {
    for &byte in label {
        match byte {
            b'"' | b'.' | b';' | b'\\' | b'(' | b')' | b'@' | b'$' => {
                name.extend([b'\\', byte]);
            }
            0x21..=0x7e => name.push(byte),
            _ => name.extend(format!("\\{byte:03}").into_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with one question for `a.bc` and the numbers of records.
    fn message(counts: [u8; 3], records: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 1, 0x81, 0x80, 0, 1];
        for count in counts {
            bytes.extend([0, count]);
        }
        bytes.extend(b"\x01a\x02bc\x00\x00\x01\x00\x01");
        bytes.extend(records);
        bytes
    }

    #[test]
    fn names_are_followed_and_their_ends_found() {
        let bytes = message([1, 0, 1], b"\xc0\x0c\x00\x0f\x00\x01\x00\x00\x00\x3c\x00\x09\x00\x0a\x04mail\xc0\x0c\xc0\x0e\x00\x01\x00\x01\x00\x00\x00\x05\x00\x04\x01\x02\x03\x04");
        let records: Vec<_> = Answer::new(&bytes).records(false).collect();
        assert_eq!(records.len(), 2);
        let (0, Some(first)) = &records[0] else {
            panic!("an answer")
        };
        assert_eq!(
            (first.host.as_slice(), first.seconds),
            (b"a.bc".as_slice(), 60)
        );
        assert!(matches!(&first.data, Data::Mx { priority: 10, target } if target == b"mail.a.bc"));
        let (2, Some(second)) = &records[1] else {
            panic!("an additional record")
        };
        assert_eq!(second.host, b"bc");
        assert!(
            matches!(second.data, Data::Address(address) if address == Ipv4Addr::new(1, 2, 3, 4))
        );
    }

    #[test]
    fn what_is_cut_off_or_leads_to_itself_ends() {
        let whole = message(
            [1, 0, 0],
            b"\xc0\x0c\x00\x10\x00\x01\x00\x00\x00\x00\x00\x04\x03abc",
        );
        for length in 0..whole.len() {
            let records: Vec<_> = Answer::new(&whole[..length]).records(false).collect();
            assert!(
                records.iter().all(|(_, record)| record.is_none()),
                "{length}"
            );
        }
        assert!(Answer::new(&whole).answers().all(|record| record.is_some()));
        let looping = message(
            [1, 0, 0],
            b"\xc0\x15\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00",
        );
        assert!(
            Answer::new(&looping)
                .answers()
                .all(|record| record.is_none())
        );
    }
}
