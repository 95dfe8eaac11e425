//! PHP's standard library for Opline.
