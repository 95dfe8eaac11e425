//! Type checks and coercions of arguments, return values and properties; native signatures.
//!
//! A native function states its signature once, in PHP's own syntax. At start-up only its name is
//! read ([`registry`]); the rest is parsed when the function is first looked up ([`signature`]).
//! Calls are checked against it by [`arguments`]; the rules of single values, which user functions
//! and typed properties share, are in [`coercion`], the error texts' type names in [`display`].

mod arguments;
mod coercion;
mod display;
mod registry;
mod signature;
mod verify;

pub use crate::operators::value_name;
pub use arguments::{
    argument_error, argument_type_error, argument_value_error, callable_problem, convert_argument,
    prepare_native_call,
};
pub(crate) use coercion::coerce_scalar;
pub use coercion::{FoundTypes, TypeContext, coerce, instance_of_name, matches, scalar_to_long};
pub(crate) use registry::deprecation_suffix;
pub use registry::{NativeIndex, deprecation_message, frameless_arities, native_function};
pub(crate) use signature::split_marker;
pub use signature::{Signature, parse_signature, parse_type, signature_name};
pub use verify::{
    ACCEPTED_BITS, DEFAULT_WORDS, TYPE_WORDS, called_in, knows_to_pass, passes_cached,
    property_overflow, reference_overflow, verify_argument, verify_bound_reference,
    verify_class_constant, verify_getter, verify_missing_return, verify_property, verify_reference,
    verify_return,
};
pub(crate) use verify::{is_strict, verify_reference_as};
