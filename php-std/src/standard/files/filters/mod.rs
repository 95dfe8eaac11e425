//! Stream filters: what is read or written goes through a chain of them.

mod convert;
mod functions;
mod quoted_printable;
mod text;
mod user;

use std::cell::Cell;
use std::rc::Rc;

use vm_runtime::value::{PhpResource, Value};
use vm_runtime::vm::{PhpResult, Vm};

pub(super) use functions::{add_from_url, find_names};

/// Registers functions, classes and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    functions::register(vm);
    user::register(vm);
}

/// What a filter made of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is output for the next filter.
    PassOn,
    /// It needs more input first.
    FeedMe,
    /// The data cannot be filtered.
    Fatal,
}

/// Pieces of data on their way through a chain.
pub(crate) type Buckets = Vec<Vec<u8>>;

/// One step of a chain.
pub(crate) trait StreamFilter: std::fmt::Debug {
    /// Takes pieces and gives others, and how many bytes it took. With `closing` nothing follows.
    /// `stream` is null until the stream is a resource.
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        stream: *mut PhpResource,
    ) -> (Status, Buckets, usize);

    /// What it holds back, of which the script wants to see as much as there is. `stream` is as above.
    fn flush(&mut self, _stream: *mut PhpResource) -> Vec<u8> {
        Vec::new()
    }
}

/// A filter in a chain.
#[derive(Debug)]
pub(super) struct Attached {
    filter: Box<dyn StreamFilter>,
    number: u64,
    /// Set when it has left its chain: its resource means nothing any more.
    detached: Rc<Cell<bool>>,
}

impl Attached {
    /// True for the filter with this number.
    pub(super) fn is(&self, number: u64) -> bool {
        self.number == number
    }

    /// What it holds back.
    pub(super) fn flush(&mut self, stream: *mut PhpResource) -> Vec<u8> {
        self.filter.flush(stream)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.detached.set(true);
    }
}

/// The chains of a stream.
#[derive(Debug)]
pub(super) struct Chains {
    pub(super) read: Vec<Attached>,
    pub(super) write: Vec<Attached>,
    /// The VM, which never moves and outlives its streams; null while there are no filters.
    pub(super) vm: *mut Vm,
}

impl Default for Chains {
    fn default() -> Chains {
        Chains {
            read: Vec::new(),
            write: Vec::new(),
            vm: std::ptr::null_mut(),
        }
    }
}

/// Sends pieces through filters; the number is what the first took.
pub(super) fn run(
    chain: &mut [Attached],
    mut buckets: Buckets,
    closing: bool,
    stream: *mut PhpResource,
) -> (Status, Buckets, usize) {
    let mut taken = None;
    for attached in chain {
        vm_runtime::limits::poll();
        let (status, output, consumed) = attached.filter.filter(buckets, closing, stream);
        taken.get_or_insert(consumed);
        if status != Status::PassOn {
            return (status, Vec::new(), taken.unwrap_or(0));
        }
        buckets = output;
    }
    (Status::PassOn, buckets, taken.unwrap_or(0))
}

/// A filter by its name; None, after a warning, if there is none.
fn make(vm: &mut Vm, name: &[u8], params: &Value) -> PhpResult<Option<Attached>> {
    let filter = match text::make(name) {
        Some(filter) => Some(filter),
        None if starts_with_any_case(name, b"convert.iconv.") => {
            let Some(filter) = crate::iconv::make_filter(vm, name) else {
                return refused(vm, name);
            };
            Some(filter)
        }
        None if name.starts_with(b"convert.") => {
            let Some(filter) = convert::make(vm, &name.to_ascii_lowercase(), params)? else {
                return refused(vm, name);
            };
            Some(filter)
        }
        #[cfg(feature = "zlib")]
        None if name.starts_with(b"zlib.") => {
            let Some(filter) = crate::zlib::make_filter(vm, &name.to_ascii_lowercase(), params)?
            else {
                return refused(vm, name);
            };
            Some(filter)
        }
        #[cfg(feature = "bz2")]
        None if name.starts_with(b"bzip2.") => {
            let Some(filter) = crate::bz2::make_filter(vm, &name.to_ascii_lowercase(), params)?
            else {
                return refused(vm, name);
            };
            Some(filter)
        }
        None => match user::find(vm, name) {
            Some(class) => {
                match user::make(vm, name, &class, params) {
                    Ok(Some(filter)) => Some(filter),
                    Ok(None) => return refused(vm, name),
                    Err(thrown) => {
                        // PHP says so, too, when something was thrown.
                        refused(vm, name).ok();
                        return Err(thrown);
                    }
                }
            }
            None => None,
        },
    };
    let Some(filter) = filter else {
        let shown = vm_runtime::message::text(name).into_owned();
        vm.function_warning(format!("Unable to locate filter \"{shown}\""));
        vm.check()?;
        return Ok(None);
    };
    let numbers = vm.extensions.state::<Numbers>();
    numbers.next += 1;
    Ok(Some(Attached {
        filter,
        number: numbers.next,
        detached: Rc::default(),
    }))
}

pub(super) fn starts_with_any_case(name: &[u8], start: &[u8]) -> bool {
    let begin = name.get(..start.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

fn refused(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<Attached>> {
    let shown = vm_runtime::message::text(name).into_owned();
    vm.function_warning(format!("Unable to create or locate filter \"{shown}\""));
    vm.check()?;
    Ok(None)
}

/// Numbers of filters.
#[derive(Debug, Default)]
struct Numbers {
    next: u64,
}
