//! Names of compiled code for profilers: the file that Linux's `perf` reads for code that is made while a process runs
//! (`tools/perf/Documentation/jit-interface.txt` in its sources), `/tmp/perf-PID.map`.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

/// The file, to which a line is added for each piece of code. It stays when the process ends: `perf report` reads it
/// then. Where code takes the place of other code, the later line holds.
#[derive(Debug)]
pub struct PerfMap(File);

impl PerfMap {
    /// Begins the file of this process. What stands there is of a process that had the same number.
    pub fn begin() -> io::Result<PerfMap> {
        let path = format!("/tmp/perf-{}.map", std::process::id());
        // If it is not there or belongs to someone else, making it tells.
        let _ = remove_file(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        options.open(path).map(PerfMap)
    }

    /// Names a piece of code. A line that cannot be written is a name that is missing.
    pub fn note(&mut self, start: usize, bytes: usize, name: &str) {
        let line = format!("{start:x} {bytes:x} {}\n", name.replace('\n', " "));
        let _ = self.0.write_all(line.as_bytes());
    }
}
