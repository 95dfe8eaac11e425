//! The operations on strings and arrays that a fast clause may use.

use super::model::Representation;
use crate::types::TypeMask;

/// What an intrinsic takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An unboxed value.
    Plain(Representation),
    /// A value of one of these types, by its address.
    Typed(TypeMask),
}

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident $name:ident ( $($argument:expr),* ) -> $result:ident $(or $exit:ident)?;)*) => {
        /// The table of intrinsics. The runtime has a function of the same name for each in
        /// `interpreter::intrinsics`; one that may exit returns an `Option`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Intrinsic { $($(#[$doc])* $variant,)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// Its name in definitions, in the text form and in the runtime.
            pub const fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => stringify!($name),)* }
            }

            /// The intrinsic with this name.
            pub fn from_name(name: &str) -> Option<Intrinsic> {
                match name { $(stringify!($name) => Some(Intrinsic::$variant),)* _ => None }
            }

            /// What it takes.
            pub const fn arguments(self) -> &'static [Argument] {
                use Argument::*;
                use Representation::Long;
                match self { $(Intrinsic::$variant => &[$($argument),*],)* }
            }

            /// What it gives.
            pub const fn result(self) -> Representation {
                match self { $(Intrinsic::$variant => Representation::$result,)* }
            }

            /// Whether it may refuse, which is an exit.
            pub const fn may_exit(self) -> bool {
                match self { $(Intrinsic::$variant => intrinsics!(@exit $($exit)?),)* }
            }
        }
    };
    (@exit exit) => { true };
    (@exit) => { false };
}

intrinsics! {
    /// The number of elements of an array.
    ArrayCount array_count(Typed(TypeMask::ARRAY)) -> Long;
    /// The element of a packed array at an index; exits if the array is not packed, the index is out
    /// of range or the slot is empty. References are followed.
    PackedElement packed_element(Typed(TypeMask::ARRAY), Plain(Long)) -> Boxed or exit;
    /// The length of a string in bytes.
    StringLength string_length(Typed(TypeMask::STRING)) -> Long;
    /// The byte of a string at an index; exits if the index is out of range.
    StringByte string_byte(Typed(TypeMask::STRING), Plain(Long)) -> Long or exit;
    /// The shared string of one byte.
    SingleByteString single_byte_string(Plain(Long)) -> Boxed;
    /// Whether two strings are the same allocation; false says nothing about their bytes.
    SameString same_string(Typed(TypeMask::STRING), Typed(TypeMask::STRING)) -> Bool;
    /// Whether two strings have the same bytes.
    EqualText equal_text(Typed(TypeMask::STRING), Typed(TypeMask::STRING)) -> Bool;
    /// Whether one of two strings cannot be a number, judged by its first byte; false says nothing.
    NotBothNumbers not_both_numbers(Typed(TypeMask::STRING), Typed(TypeMask::STRING)) -> Bool;
    /// Whether a string is empty or "0".
    StringIsFalsy string_is_falsy(Typed(TypeMask::STRING)) -> Bool;
    /// The type number of a value.
    KindOf kind_of(Typed(TypeMask::ANY)) -> Long;
}
