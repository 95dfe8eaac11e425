//! What is told on standard error: debugging output, which must not end anything if nobody takes it.

/// As `eprintln!`, which panics if standard error is closed or full: code that was compiled cannot be unwound, so that
/// the process would end.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write;
        // There is nowhere to report a failure to.
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

pub(crate) use tell;
