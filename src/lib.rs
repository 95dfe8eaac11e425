//! The embedding API of Opline.
