//! What a stream's filters make of what is read and written.

use std::io;

use vm_runtime::value::PhpResource;

use super::super::filters::{self, Attached, Buckets, Chains, Status};
use super::{Backend, Stream};

/// Which of a stream's chains of filters.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Read,
    Write,
}

impl Stream {
    /// Reads ahead through the filters, until there are `wanted` bytes or nothing is left.
    pub(super) fn fill_filtered(&mut self, wanted: usize) -> io::Result<bool> {
        let mut filled = 0;
        while !self.end && self.buffered().len() < wanted {
            let mut raw = Vec::new();
            let read = self.read_backend(&mut raw)?;
            self.end |= self.ends_early() && read < self.chunk;
            if read == 0 && !self.end {
                break;
            }
            let buckets = if read > 0 { vec![raw] } else { Vec::new() };
            let (status, output, _) = self.run_filters(Side::Read, 0, buckets, self.end);
            match status {
                Status::PassOn => {
                    let output = output.concat();
                    filled += output.len();
                    self.buffer.extend_from_slice(&output);
                }
                Status::FeedMe if read == 0 => break,
                Status::FeedMe => {}
                Status::Fatal => {
                    self.end = true;
                    return Err(io::Error::other("a filter failed"));
                }
            }
        }
        Ok(filled > 0)
    }

    /// Sends pieces through a chain from its filter number `from` on. The chain is out of the
    /// stream meanwhile, for filters may be code of the script.
    pub(super) fn run_filters(
        &mut self,
        side: Side,
        from: usize,
        buckets: Buckets,
        closing: bool,
    ) -> (Status, Buckets, usize) {
        self.with_chain(side, |chain, stream| {
            filters::run(&mut chain[from..], buckets, closing, stream)
        })
    }

    /// Does something with the filters of a side. Meanwhile the stream has none there, and is not closed: what they call
    /// may do either.
    pub(super) fn with_chain<T>(
        &mut self,
        side: Side,
        work: impl FnOnce(&mut Vec<Attached>, *mut PhpResource) -> T,
    ) -> T {
        let side = |filters: &mut Chains| match side {
            Side::Read => &raw mut filters.read,
            Side::Write => &raw mut filters.write,
        };
        // SAFETY: the chain belongs to the stream, which is not closed while it is busy.
        let mut chain = std::mem::take(unsafe { &mut *side(&mut self.filters) });
        let at_work = self.busy.enter();
        let outcome = work(&mut chain, self.resource);
        drop(at_work);
        // SAFETY: as above.
        let list = unsafe { &mut *side(&mut self.filters) };
        chain.append(list);
        *list = chain;
        outcome
    }

    /// Sends what was read ahead through a filter that was just added. False if it refuses.
    pub(in crate::standard::files) fn filter_buffered(&mut self, at: usize) -> bool {
        if self.buffered().is_empty() {
            return true;
        }
        let mut behind = self.filters.read.split_off(at + 1);
        let ahead = self.buffered().to_vec();
        let (status, output, _) = self.run_filters(Side::Read, at, vec![ahead], false);
        self.filters.read.append(&mut behind);
        if status == Status::Fatal {
            return false;
        }
        self.buffer = output.concat();
        self.start = 0;
        true
    }

    /// Tells the filters that nothing more is written, and lets them go.
    pub(in crate::standard::files) fn finish(&mut self) {
        if !self.filters.write.is_empty() && !std::thread::panicking() {
            let (status, output, _) = self.run_filters(Side::Write, 0, Vec::new(), true);
            if status == Status::PassOn {
                // Nobody is told if that fails.
                let _ = self.write_backend(&output.concat());
            }
        }
        // What a filter does when it is let go finds a stream without filters, which is not closed again.
        let at_work = self.busy.enter();
        let read = std::mem::take(&mut self.filters.read);
        let write = std::mem::take(&mut self.filters.write);
        drop((read, write));
        drop(at_work);
        if let Backend::Channel(channel) = &mut self.backend
            && !std::mem::replace(&mut self.closed, true)
        {
            channel.close();
        }
    }

    /// Has filters that hold back what was written send it on, though more may follow.
    pub(super) fn flush_filters(&mut self) {
        let mut next = 0;
        // What is written may have filters taken away.
        while let Some(held) = self.with_chain(Side::Write, |chain, stream| {
            chain.get_mut(next).map(|filter| filter.flush(stream))
        }) {
            let at = next;
            next += 1;
            if held.is_empty() {
                continue;
            }
            let (status, output, _) = self.run_filters(Side::Write, at + 1, vec![held], false);
            if status == Status::PassOn {
                // Nobody is told if that fails.
                let _ = self.write_backend(&output.concat());
            }
        }
    }

    /// What a filter kept back, sent through those behind it.
    pub(super) fn flush_filter(&mut self, side: Side, at: usize) -> Buckets {
        let chain = match side {
            Side::Read => &mut self.filters.read,
            Side::Write => &mut self.filters.write,
        };
        let mut behind = chain.split_off(at + 1);
        let (status, mut output, _) = self.run_filters(side, at, Vec::new(), true);
        if status == Status::PassOn {
            let at_work = self.busy.enter();
            output = filters::run(&mut behind, output, false, self.resource).1;
            drop(at_work);
        }
        match side {
            Side::Read => self.filters.read.append(&mut behind),
            Side::Write => self.filters.write.append(&mut behind),
        }
        output
    }

    /// Takes a filter out of its chain; what it kept back goes on its way first.
    pub(in crate::standard::files) fn remove_filter(&mut self, number: u64) -> Option<Attached> {
        for side in [Side::Read, Side::Write] {
            let chain = match side {
                Side::Read => &self.filters.read,
                Side::Write => &self.filters.write,
            };
            let Some(at) = chain.iter().position(|attached| attached.is(number)) else {
                continue;
            };
            let output = self.flush_filter(side, at).concat();
            let chain = match side {
                Side::Read => {
                    self.buffer.extend_from_slice(&output);
                    &mut self.filters.read
                }
                Side::Write => {
                    // Nobody is told if that fails.
                    let _ = self.write_backend(&output);
                    &mut self.filters.write
                }
            };
            // What it kept back may have had it taken out.
            let at = chain.iter().position(|attached| attached.is(number))?;
            return Some(chain.remove(at));
        }
        None
    }
}
