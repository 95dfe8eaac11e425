//! Names of types and of values' types, as error texts have them.

use std::borrow::Cow;
use std::fmt::{Display, Formatter, Result, Write};

use crate::class::Class;
use crate::function::{Type, TypeName, type_mask};
use crate::string::PhpString;

/// Built-in alternatives in the order PHP prints them.
const BUILT_IN: [(u32, &str); 13] = [
    (type_mask::STATIC, "static"),
    (type_mask::CALLABLE, "callable"),
    (type_mask::OBJECT, "object"),
    (type_mask::RESOURCE, "resource"),
    (type_mask::ARRAY, "array"),
    (type_mask::STRING, "string"),
    (type_mask::LONG, "int"),
    (type_mask::DOUBLE, "float"),
    (type_mask::BOOL, "bool"),
    (type_mask::FALSE, "false"),
    (type_mask::TRUE, "true"),
    (type_mask::VOID, "void"),
    (type_mask::NEVER, "never"),
];

impl Type {
    /// The type as PHP prints it: `?int`, `string|int|null`, `(A&B)|null`.
    pub fn display(&self) -> String {
        self.to_string()
    }

    /// The type with `self` and `parent` replaced by the classes they stand for.
    pub fn display_resolved(&self, scope: *const Class) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text, scope);
        text
    }

    /// True if this is `mixed`.
    pub fn is_mixed(&self) -> bool {
        self.mask & type_mask::ANY == type_mask::ANY
    }

    fn write(&self, out: &mut dyn Write, scope: *const Class) -> Result {
        if self.is_mixed() {
            return out.write_str("mixed");
        }
        let nullable = self.mask & type_mask::NULL != 0;
        let mut parts = Vec::new();
        let iterable = self.mask & type_mask::ITERABLE != 0;
        // SAFETY: I4: type names live as long as the function or class they belong to.
        let names_traversable =
            |name: &TypeName| unsafe { (*name.lowercase).as_bytes() == b"traversable" };
        if iterable
            && !self
                .classes
                .iter()
                .any(|class| class.iter().any(names_traversable))
        {
            parts.push(Cow::Borrowed("Traversable"));
        }
        let single = self.classes.len() == 1 && self.mask & !type_mask::ITERABLE == 0;
        for intersection in &self.classes {
            parts.push(Cow::Owned(intersection_name(intersection, scope, single)));
        }
        let mut mask = self.mask | if iterable { type_mask::ARRAY } else { 0 };
        for (bits, name) in BUILT_IN {
            if mask & bits == bits {
                mask &= !bits;
                if bits == type_mask::STATIC && !scope.is_null() {
                    parts.push(Cow::Owned(class_name(scope)));
                } else {
                    parts.push(Cow::Borrowed(name));
                }
            }
        }
        match parts.as_slice() {
            [] => return out.write_str("null"),
            [part] if nullable && !part.starts_with('(') => return write!(out, "?{part}"),
            _ => out.write_str(&parts.join("|"))?,
        }
        if nullable {
            out.write_str("|null")
        } else {
            Ok(())
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.write(f, std::ptr::null())
    }
}

fn intersection_name(names: &[TypeName], scope: *const Class, alone: bool) -> String {
    let joined = names
        .iter()
        .map(|name| resolved_name(name, scope))
        .collect::<Vec<_>>()
        .join("&");
    if names.len() > 1 && !alone {
        format!("({joined})")
    } else {
        joined
    }
}

fn resolved_name(name: &TypeName, scope: *const Class) -> String {
    // SAFETY: I4: type names and classes live as long as what refers to them.
    unsafe {
        if !scope.is_null() {
            match (*name.lowercase).as_bytes() {
                b"self" => return class_name(scope),
                b"parent" if !(*scope).parent.is_null() => return class_name((*scope).parent),
                _ => {}
            }
        }
        (*name.name).to_text().into_owned()
    }
}

fn class_name(class: *const Class) -> String {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { (*class).display_name() }
}

/// A name as text.
pub(super) fn text(name: *const PhpString) -> Cow<'static, str> {
    // SAFETY: I4: names of functions, classes and parameters live as long as those.
    unsafe { (*name).to_text() }
}
