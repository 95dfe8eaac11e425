//! PHP operators and conversions on values.
