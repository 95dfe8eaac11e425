//! Exceptions: the Throwable classes, throwing, traces.
