//! Type numbers of PHP values and sets of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of value types, one bit for each type number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TypeMask(pub u32);

/// The names of the types, at the index of their number.
pub const TYPE_NAMES: [&str; 13] = [
    "undef",
    "null",
    "false",
    "true",
    "long",
    "double",
    "string",
    "array",
    "object",
    "resource",
    "reference",
    "constant_ast",
    "indirect",
];

macro_rules! type_masks {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        impl TypeMask {
            $($(#[$doc])* pub const $name: TypeMask = TypeMask(1 << $number);)*
        }
    };
}

type_masks! {
    /// A variable that was never set.
    UNDEF = 0;
    /// `null`.
    NULL = 1;
    /// `false`.
    FALSE = 2;
    /// `true`.
    TRUE = 3;
    /// A 64-bit integer.
    LONG = 4;
    /// A 64-bit float.
    DOUBLE = 5;
    /// A byte string.
    STRING = 6;
    /// An array.
    ARRAY = 7;
    /// An object.
    OBJECT = 8;
    /// A resource.
    RESOURCE = 9;
    /// A PHP reference.
    REFERENCE = 10;
}

impl TypeMask {
    /// No type at all.
    pub const NONE: TypeMask = TypeMask(0);
    /// `false` or `true`.
    pub const BOOL: TypeMask = TypeMask(Self::FALSE.0 | Self::TRUE.0);
    /// The types of values that a script sees: neither undefined, nor a reference, nor internal.
    pub const PLAIN: TypeMask = TypeMask(((1 << 10) - 1) & !1);
    /// A pointer to a slot elsewhere.
    pub const INDIRECT: TypeMask = TypeMask(1 << 12);
    /// Every type: nothing is known.
    pub const ANY: TypeMask = TypeMask((1 << TYPE_NAMES.len()) - 1);
    /// The types whose values may carry a reference count.
    pub const COUNTED: TypeMask = TypeMask(Self::ANY.0 & !((1 << 6) - 1) & !(1 << 12));
    /// The types whose values all carry one.
    pub const ALWAYS_COUNTED: TypeMask =
        TypeMask(Self::OBJECT.0 | Self::RESOURCE.0 | Self::REFERENCE.0);

    /// The types of both sets.
    pub const fn union(self, other: TypeMask) -> TypeMask {
        TypeMask(self.0 | other.0)
    }

    /// Whether every type of `self` is in `other`.
    pub const fn is_subset_of(self, other: TypeMask) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the two sets have a type in common.
    pub const fn intersects(self, other: TypeMask) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the type with this number is in the set.
    pub const fn has_number(self, number: u8) -> bool {
        number < 32 && self.0 & (1 << number) != 0
    }

    /// The only type number in the set, if there is exactly one.
    pub const fn single(self) -> Option<u8> {
        if self.0.count_ones() == 1 {
            Some(self.0.trailing_zeros() as u8)
        } else {
            None
        }
    }

    /// The type numbers in the set, ascending.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (0..TYPE_NAMES.len() as u8).filter(move |number| self.has_number(*number))
    }

    /// Reads the form that [`fmt::Display`] prints.
    pub fn parse(text: &str) -> Option<TypeMask> {
        if text == "any" {
            return Some(TypeMask::ANY);
        }
        text.split('|').try_fold(TypeMask::NONE, |mask, name| {
            let number = TYPE_NAMES.iter().position(|known| *known == name)?;
            Some(mask.union(TypeMask(1 << number)))
        })
    }
}

impl fmt::Display for TypeMask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == TypeMask::ANY {
            return formatter.write_str("any");
        }
        for (position, number) in self.numbers().enumerate() {
            if position > 0 {
                formatter.write_str("|")?;
            }
            formatter.write_str(TYPE_NAMES[usize::from(number)])?;
        }
        Ok(())
    }
}
