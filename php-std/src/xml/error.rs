//! What is wrong with a document: levels, codes and texts are those of libxml2.

/// Levels.
pub(crate) mod level {
    /// Worth a word.
    pub(crate) const WARNING: i64 = 1;
    /// An error that parsing goes on after.
    pub(crate) const ERROR: i64 = 2;
    /// The document is not well-formed.
    pub(crate) const FATAL: i64 = 3;
}

/// An error in a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct XmlError {
    /// See [`level`].
    pub(crate) level: i64,
    /// The number of libxml2's `xmlParserErrors`.
    pub(crate) code: i64,
    /// From 1 on.
    pub(crate) line: u32,
    /// From 1 on, in bytes.
    pub(crate) column: u32,
    /// The text with a newline at its end.
    pub(crate) message: Vec<u8>,
    /// The name of the file; empty for a string.
    pub(crate) file: Vec<u8>,
}
