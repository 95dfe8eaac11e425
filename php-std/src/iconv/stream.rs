//! Conversion of what goes through streams and output buffers: the filters `convert.iconv.*` and
//! `ob_iconv_handler()`.

use vm_runtime::function::Call;
use vm_runtime::output::buffer_flags;
use vm_runtime::value::{PhpResource, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::converter::{Converter, convert};
use super::{configured, tell};
use crate::standard::files::{Buckets, FilterStatus, StreamFilter};
use crate::support::text;
use crate::web::add_header;

/// A filter that converts. Bytes of a character that is not complete wait for more.
#[derive(Debug)]
struct Filter {
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
    converter: Converter,
    /// What the encodings are called.
    names: (String, String),
    kept: Vec<u8>,
}

/// The filter `convert.iconv.FROM/TO`, if there is such a conversion.
pub(crate) fn make_filter(vm: &mut Vm, name: &[u8]) -> Option<Box<dyn StreamFilter>> {
    let names = name.get(b"convert.iconv.".len()..)?;
    let split = names.iter().position(|byte| matches!(byte, b'/' | b'.'))?;
    let (from, to) = (&names[..split], &names[split + 1..]);
    let shown = |name| vm_runtime::message::text(name).into_owned();
    Some(Box::new(Filter {
        vm,
        converter: Converter::open(from, to)?,
        names: (shown(from), shown(to)),
        kept: Vec::new(),
    }))
}

impl StreamFilter for Filter {
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        _stream: *mut PhpResource,
    ) -> (FilterStatus, Buckets, usize) {
        use super::converter::Problem;
        let given = input.iter().map(Vec::len).sum();
        self.kept.extend(input.into_iter().flatten());
        let mut output = Vec::new();
        let (taken, problem) = self.converter.run(Some(&self.kept), &mut output);
        self.kept.drain(..taken);
        let is_broken = match problem {
            None => false,
            // No character is longer.
            Some(Problem::Incomplete) => closing || self.kept.len() > 16,
            Some(_) => true,
        };
        if is_broken {
            let (from, to) = &self.names;
            let message =
                format!("iconv stream filter (\"{from}\"=>\"{to}\"): invalid multibyte sequence");
            // SAFETY: I1: the VM never moves, and outlives its streams.
            unsafe { (*self.vm).function_warning(message) };
            return (FilterStatus::Fatal, Vec::new(), given);
        }
        if closing {
            self.converter.run(None, &mut output);
        }
        if output.is_empty() {
            return (FilterStatus::FeedMe, Vec::new(), given);
        }
        (FilterStatus::PassOn, vec![output], given)
    }
}

pub(super) fn ob_iconv_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let status = call.long(1) as u32;
    let is_text = crate::web::media_type(call.vm)
        .is_none_or(|kind| kind.to_ascii_lowercase().starts_with(b"text/"));
    if !is_text {
        return Ok(call.value(0));
    }
    let from = configured(call.vm, "internal_encoding");
    let to = configured(call.vm, "output_encoding");
    if status & buffer_flags::START != 0 && call.vm.output.started.is_none() {
        let kind = crate::web::media_type(call.vm).unwrap_or_else(|| b"text/html".to_vec());
        // What follows a slash tells the converter what to do with what cannot be written.
        let charset = to.split(|&byte| byte == b'/').next().unwrap_or_default();
        let line = [b"Content-Type:".as_slice(), &kind, b"; charset=", charset].concat();
        add_header(call.vm, &line, true);
    }
    match convert(&from, &to, call.bytes(0)) {
        (converted, None) => text(call.vm, converted),
        (_, Some(problem)) => {
            tell(call.vm, problem, &from, &to)?;
            Ok(call.value(0))
        }
    }
}
