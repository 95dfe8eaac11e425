//! The filters `convert.*`: base64 and quoted-printable, to and from.

use vm_runtime::operators::{to_bool, to_long};
use vm_runtime::value::{ArrayHandle, PhpResource, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::quoted_printable::{Decoder, Encoder};
use super::{Buckets, Status, StreamFilter};
use crate::standard::strings::encode::encode_base64;
use crate::support::{hold, string_of};

/// A filter of this module.
pub(super) fn make(
    vm: &mut Vm,
    name: &[u8],
    params: &Value,
) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    let options = params.array();
    let breaks = line_breaks(vm, options.as_ref())?;
    let coder: Box<dyn Coder> = match name {
        b"convert.base64-encode" => Box::new(Encode64 {
            kept: Vec::new(),
            breaks,
            column: 0,
        }),
        b"convert.base64-decode" => Box::new(Decode64::default()),
        b"convert.quoted-printable-encode" => {
            let flag = |name: &[u8]| {
                let value = options.as_ref()?.get_bytes(name)?;
                Some(to_bool(value.deref()))
            };
            Box::new(Encoder::new(
                breaks,
                flag(b"binary").unwrap_or(false),
                flag(b"force-encode-first").unwrap_or(false),
            ))
        }
        b"convert.quoted-printable-decode" => Box::new(Decoder::default()),
        _ => return Ok(None),
    };
    Ok(Some(Box::new(Convert {
        vm,
        name: vm_runtime::message::text(name).into_owned(),
        coder,
    })))
}

/// How long lines may be, and what stands between them.
#[derive(Debug)]
pub(super) struct LineBreaks {
    pub(super) length: usize,
    pub(super) text: Vec<u8>,
}

fn line_breaks(vm: &mut Vm, options: Option<&ArrayHandle>) -> PhpResult<Option<LineBreaks>> {
    let option = |name: &[u8]| {
        options
            .and_then(|options| options.get_bytes(name))
            .map(hold)
    };
    let Some(length) = option(b"line-length") else {
        return Ok(None);
    };
    let length = to_long(vm, &length);
    let text = match option(b"line-break-chars") {
        Some(text) => string_of(vm, &text)?.to_vec(),
        None => b"\r\n".to_vec(),
    };
    let length = usize::try_from(length).unwrap_or(0);
    Ok((length > 0).then_some(LineBreaks { length, text }))
}

/// Bytes that cannot be decoded.
#[derive(Debug)]
pub(super) struct Invalid;

/// A conversion that may keep bytes back until more come.
pub(super) trait Coder: std::fmt::Debug {
    /// Converts more.
    fn convert(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Invalid>;
    /// Gives what was kept back.
    fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Invalid>;
}

#[derive(Debug)]
struct Convert {
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
    name: String,
    coder: Box<dyn Coder>,
}

impl StreamFilter for Convert {
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        _stream: *mut PhpResource,
    ) -> (Status, Buckets, usize) {
        let mut output = Vec::new();
        let taken = input.iter().map(Vec::len).sum();
        let mut converted = input
            .iter()
            .try_for_each(|bucket| self.coder.convert(bucket, &mut output));
        if converted.is_ok() && closing {
            converted = self.coder.finish(&mut output);
        }
        if converted.is_err() {
            let message = format!("Stream filter ({}): invalid byte sequence", self.name);
            // SAFETY: I1: the VM never moves, and outlives its streams.
            unsafe { (*self.vm).function_warning(message) };
            return (Status::Fatal, Vec::new(), taken);
        }
        if output.is_empty() {
            return (Status::FeedMe, Vec::new(), taken);
        }
        (Status::PassOn, vec![output], taken)
    }
}

/// To base64: three bytes become four.
#[derive(Debug)]
struct Encode64 {
    kept: Vec<u8>,
    breaks: Option<LineBreaks>,
    column: usize,
}

impl Encode64 {
    fn put(&mut self, encoded: &[u8], output: &mut Vec<u8>) {
        let Some(breaks) = &self.breaks else {
            output.extend_from_slice(encoded);
            return;
        };
        for &byte in encoded {
            if self.column == breaks.length {
                output.extend_from_slice(&breaks.text);
                self.column = 0;
            }
            output.push(byte);
            self.column += 1;
        }
    }
}

impl Coder for Encode64 {
    fn convert(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Invalid> {
        self.kept.extend_from_slice(input);
        let whole = self.kept.len() / 3 * 3;
        let encoded = encode_base64(&self.kept[..whole]);
        self.kept.drain(..whole);
        self.put(&encoded, output);
        Ok(())
    }

    fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Invalid> {
        let encoded = encode_base64(&std::mem::take(&mut self.kept));
        self.put(&encoded, output);
        Ok(())
    }
}

/// From base64. What is no digit is skipped.
#[derive(Debug, Default)]
struct Decode64 {
    bits: u32,
    digits: u8,
    padding: Padding,
}

/// Whether `=` has come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Padding {
    #[default]
    None,
    /// Nothing may follow.
    Right,
    /// It came where no byte had begun; nothing is right after that.
    Wrong,
}

impl Coder for Decode64 {
    fn convert(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Invalid> {
        for &byte in input {
            if self.padding == Padding::Wrong {
                return Err(Invalid);
            }
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => {
                    if self.padding == Padding::None && self.digits < 2 {
                        self.padding = Padding::Wrong;
                        return Err(Invalid);
                    }
                    self.padding = Padding::Right;
                    continue;
                }
                _ => continue,
            };
            if self.padding == Padding::Right {
                return Err(Invalid);
            }
            self.bits = (self.bits << 6 | digit as u32) & 0xff_ffff;
            self.digits += 1;
            match self.digits {
                2 => output.push((self.bits >> 4) as u8),
                3 => output.push((self.bits >> 2) as u8),
                4 => {
                    output.push(self.bits as u8);
                    self.digits = 0;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(&mut self, _output: &mut Vec<u8>) -> Result<(), Invalid> {
        Ok(())
    }
}
