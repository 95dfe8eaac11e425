//! Type checks and coercions of arguments, return values and properties; native signatures.
