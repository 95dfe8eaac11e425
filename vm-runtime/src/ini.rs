//! Configuration settings (`-d`, `ini_set`).

/// Settings of a VM.
#[derive(Debug)]
pub struct Ini {
    /// `precision`: significant digits of a `float` as text; -1 for the shortest form.
    pub precision: i64,
    /// `serialize_precision`, for `var_dump`, `var_export`, JSON and `serialize`.
    pub serialize_precision: i64,
}

impl Default for Ini {
    fn default() -> Ini {
        Ini { precision: 14, serialize_precision: -1 }
    }
}
