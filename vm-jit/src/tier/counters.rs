//! What `opline.jit_stats` shows.

use std::time::Duration;

use crate::machine::ArenaError;

/// Counts of what the tier did.
#[derive(Debug, Default)]
pub struct Counters {
    /// They are printed at the end.
    pub wanted: bool,
    /// Why nothing is compiled.
    pub refused: Option<ArenaError>,
    /// Functions compiled, again or for the first time.
    pub compiled: u32,
    /// Functions that were not worth it.
    pub refusals: u32,
    /// Oplines of compiled functions.
    pub oplines: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// Functions compiled anew because guards left too often.
    pub exhausted: u32,
    /// Time spent compiling.
    pub time: Duration,
}

impl Counters {
    /// Prints the counters to standard error, if they are wanted.
    pub fn print(&self) {
        if !self.wanted {
            return;
        }
        if let Some(error) = self.refused {
            eprintln!("jit: no executable memory ({error:?}): everything is interpreted");
            return;
        }
        eprintln!(
            "jit: {} compiled ({} anew), {} not worth it, {} oplines, {} bytes, {:.3} ms",
            self.compiled,
            self.exhausted,
            self.refusals,
            self.oplines,
            self.bytes,
            self.time.as_secs_f64() * 1000.0,
        );
    }
}
