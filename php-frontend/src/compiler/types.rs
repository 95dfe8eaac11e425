//! Type declarations.

use vm_runtime::function::{Type, TypeName, type_mask};
use vm_runtime::types::TYPE_WORDS;

use crate::ast::{self, NameKind, TypeKind};

use super::errors::message;
use super::names::{ClassFetch, class_fetch, is_reserved_class_name};
use super::operand::Constant;
use super::{Compiler, Result, Severity};

/// `iterable` without the array it also means.
const ITERABLE_CLASS: &[u8] = b"Traversable";

/// The type of a built-in name.
fn builtin(name: &[u8]) -> Option<u32> {
    const NAMES: [(&[u8], u32); 14] = [
        (b"null", type_mask::NULL),
        (b"true", type_mask::TRUE),
        (b"false", type_mask::FALSE),
        (b"int", type_mask::LONG),
        (b"float", type_mask::DOUBLE),
        (b"string", type_mask::STRING),
        (b"bool", type_mask::BOOL),
        (b"void", type_mask::VOID),
        (b"never", type_mask::NEVER),
        (b"iterable", type_mask::ITERABLE | type_mask::ARRAY),
        (b"object", type_mask::OBJECT),
        (b"mixed", type_mask::ANY),
        (b"array", type_mask::ARRAY),
        (b"callable", type_mask::CALLABLE),
    ];
    if name.len() > 8 {
        return None;
    }
    NAMES
        .iter()
        .find(|entry| name.eq_ignore_ascii_case(entry.0))
        .map(|entry| entry.1)
}

/// Cache slots of a type: some if objects pass it by their class. Closures pass `callable` by their class.
pub(crate) fn cache_slots(declared: &Type) -> u32 {
    match declared.classes.is_empty() && declared.mask & type_mask::CALLABLE == 0 {
        true => 0,
        false => TYPE_WORDS as u32,
    }
}

/// The type mask bit of a constant.
pub(crate) fn type_bit(constant: Constant<'_>) -> u32 {
    match constant {
        Constant::Null => type_mask::NULL,
        Constant::Bool(false) => type_mask::FALSE,
        Constant::Bool(true) => type_mask::TRUE,
        Constant::Long(_) => type_mask::LONG,
        Constant::Double(_) => type_mask::DOUBLE,
        Constant::String(_) => type_mask::STRING,
        Constant::Array(_) => type_mask::ARRAY,
    }
}

/// The type of a constant as messages about parameters and constants name it.
pub(crate) fn type_name(constant: Constant<'_>) -> &'static str {
    match constant {
        Constant::Bool(_) => "bool",
        other => value_name(other),
    }
}

/// The same, but of a bool its value: so in messages about properties.
pub(crate) fn value_name(constant: Constant<'_>) -> &'static str {
    match constant {
        Constant::Null => "null",
        Constant::Bool(true) => "true",
        Constant::Bool(false) => "false",
        Constant::Long(_) => "int",
        Constant::Double(_) => "float",
        Constant::String(_) => "string",
        Constant::Array(_) => "array",
    }
}

/// A type being compiled, with the names of its classes as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledType<'a> {
    pub mask: u32,
    pub classes: Vec<Vec<&'a [u8]>>,
}

impl CompiledType<'_> {
    /// The type as PHP prints it.
    pub fn text(&self) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for classes in &self.classes {
            let joined = classes.join(&b"&"[..]);
            let in_union = self.classes.len() > 1 || self.mask & !type_mask::NULL != 0;
            parts.push(if classes.len() > 1 && (in_union || self.mask != 0) {
                message!("(", joined, ")")
            } else {
                joined
            });
        }
        if self.mask & type_mask::ANY == type_mask::ANY {
            return b"mixed".to_vec();
        }
        let mut mask = self.mask;
        if mask & type_mask::ITERABLE != 0 {
            mask |= type_mask::ARRAY;
        }
        let named: [(u32, &[u8]); 9] = [
            (type_mask::STATIC, b"static"),
            (type_mask::CALLABLE, b"callable"),
            (type_mask::OBJECT, b"object"),
            (type_mask::ARRAY, b"array"),
            (type_mask::STRING, b"string"),
            (type_mask::LONG, b"int"),
            (type_mask::DOUBLE, b"float"),
            (type_mask::VOID, b"void"),
            (type_mask::NEVER, b"never"),
        ];
        for (bit, name) in named {
            if mask & bit != 0 {
                parts.push(name.to_vec());
            }
            if bit == type_mask::DOUBLE {
                match mask & type_mask::BOOL {
                    type_mask::BOOL => parts.push(b"bool".to_vec()),
                    type_mask::FALSE => parts.push(b"false".to_vec()),
                    type_mask::TRUE => parts.push(b"true".to_vec()),
                    _ => {}
                }
            }
        }
        if mask & type_mask::NULL != 0 {
            if parts.len() == 1 && !parts[0].contains(&b'&') {
                return message!("?", parts[0]);
            }
            parts.push(b"null".to_vec());
        }
        parts.join(&b"|"[..])
    }

    /// Whether a constant may be the default of something with this type.
    pub fn accepts(&self, constant: Constant<'_>) -> bool {
        self.mask & type_bit(constant) != 0
            || (self.mask & type_mask::DOUBLE != 0 && matches!(constant, Constant::Long(_)))
    }
}

impl<'a> Compiler<'a, '_> {
    /// Compiles a type.
    pub fn compile_type(&mut self, declared: &ast::Type<'a>) -> Result<CompiledType<'a>> {
        self.compile_type_with(declared, false)
            .map(|compiled| compiled.0)
    }

    /// Compiles a type; one that a null default makes nullable is reported by the flag.
    pub fn compile_type_with(
        &mut self,
        declared: &ast::Type<'a>,
        force_nullable: bool,
    ) -> Result<(CompiledType<'a>, bool)> {
        let (mut result, is_marked_nullable) = match declared.kind {
            TypeKind::Nullable(inner) => (self.single_type(inner)?, true),
            TypeKind::Union(members) => (self.union_type(members)?, false),
            TypeKind::Intersection(members) => {
                let classes = self.intersection_type(members)?;
                (
                    CompiledType {
                        mask: 0,
                        classes: vec![classes],
                    },
                    false,
                )
            }
            _ => (self.single_type(declared)?, false),
        };
        let is_union = matches!(declared.kind, TypeKind::Union(_));
        if !is_union && result.mask == type_mask::ANY && is_marked_nullable {
            return self
                .fail("Type mixed cannot be marked as nullable since mixed already includes null");
        }
        if !is_union && result.mask == type_mask::NULL && is_marked_nullable {
            return self.fail("null cannot be marked as nullable");
        }
        let mut forced = false;
        if force_nullable && !is_marked_nullable && result.mask & type_mask::NULL == 0 {
            forced = true;
        }
        if is_marked_nullable || force_nullable {
            result.mask |= type_mask::NULL;
        }
        for (bit, name) in [(type_mask::VOID, "Void"), (type_mask::NEVER, "never")] {
            if result.mask & bit != 0 && (result.mask != bit || !result.classes.is_empty()) {
                return self.fail(message!(name, " can only be used as a standalone type"));
            }
        }
        // `iterable` brings a class of its own, which counts for nothing here.
        let implied = (result.mask & type_mask::ITERABLE != 0) as usize;
        if result.mask & type_mask::OBJECT != 0
            && result.classes.len() > implied
            && result.mask != type_mask::ANY
        {
            let text = result.text();
            return self.fail(message!(
                "Type ",
                text,
                " contains both object and a class type, which is redundant"
            ));
        }
        if matches!(declared.kind, TypeKind::Union(_)) {
            // Among others it is a class and arrays.
            result.mask &= !type_mask::ITERABLE;
        }
        Ok((result, forced))
    }

    fn single_type(&mut self, declared: &ast::Type<'a>) -> Result<CompiledType<'a>> {
        let mask_only = |mask| CompiledType {
            mask,
            classes: Vec::new(),
        };
        match declared.kind {
            TypeKind::Array => Ok(mask_only(type_mask::ARRAY)),
            TypeKind::Callable => Ok(mask_only(type_mask::CALLABLE)),
            TypeKind::Static => {
                if self.class.is_none() && self.is_scope_known() {
                    return self.fail("Cannot use \"static\" when no class scope is active");
                }
                Ok(mask_only(type_mask::STATIC))
            }
            TypeKind::Named(name) => {
                if let Some(mask) = builtin(name.bytes).filter(|_| !name.bytes.contains(&b'\\')) {
                    if name.kind != NameKind::Unqualified {
                        let lower = self.lowercase(name.bytes);
                        return self.fail(message!(
                            "Type declaration '",
                            lower,
                            "' must be unqualified"
                        ));
                    }
                    if mask & type_mask::ITERABLE != 0 {
                        return Ok(CompiledType {
                            mask,
                            classes: vec![vec![ITERABLE_CLASS]],
                        });
                    }
                    return Ok(mask_only(mask));
                }
                let class = self.type_class(&name)?;
                Ok(CompiledType {
                    mask: 0,
                    classes: vec![vec![class]],
                })
            }
            TypeKind::Nullable(inner) => self.single_type(inner),
            TypeKind::Union(members) => self.union_type(members),
            TypeKind::Intersection(members) => {
                let classes = self.intersection_type(members)?;
                Ok(CompiledType {
                    mask: 0,
                    classes: vec![classes],
                })
            }
        }
    }

    fn type_class(&mut self, name: &ast::Name<'a>) -> Result<&'a [u8]> {
        let fetch = class_fetch(name.bytes);
        if fetch != ClassFetch::Default && name.kind == NameKind::Unqualified {
            self.check_class_fetch(fetch)?;
            return Ok(name.bytes);
        }
        let resolved = self.resolve_class_name(name)?;
        if is_reserved_class_name(resolved) && !resolved.contains(&b'\\') {
            return self.fail(message!(
                "Cannot use \"",
                resolved,
                "\" as a type name as it is reserved"
            ));
        }
        if name.kind == NameKind::Unqualified {
            self.warn_confusable(name.bytes, resolved);
        }
        Ok(resolved)
    }

    fn warn_confusable(&mut self, name: &'a [u8], resolved: &[u8]) {
        let meant: &[u8] = match self.lowercase(name) {
            b"boolean" => b"bool",
            b"integer" => b"int",
            b"double" => b"float",
            b"resource" => b"",
            _ => return,
        };
        if resolved != self.prefix_with_namespace(name) {
            return;
        }
        let hint: &[u8] = if self.file.namespace.is_some() {
            b" or import the class with \"use\""
        } else {
            b""
        };
        let text = if meant.is_empty() {
            message!(
                "\"",
                name,
                "\" is not a supported builtin type and will be interpreted as a class name. \
                 Write \"\\",
                resolved,
                "\"",
                hint,
                " to suppress this warning"
            )
        } else {
            message!(
                "\"",
                name,
                "\" will be interpreted as a class name. Did you mean \"",
                meant,
                "\"? Write \"\\",
                resolved,
                "\"",
                hint,
                " to suppress this warning"
            )
        };
        self.report(Severity::Warning, text);
    }

    fn union_type(&mut self, members: &'a [ast::Type<'a>]) -> Result<CompiledType<'a>> {
        let mut result = CompiledType::default();
        for member in members {
            let single = self.single_type(member)?;
            if single.mask == type_mask::ANY {
                return self.fail("Type mixed can only be used as a standalone type");
            }
            let overlap = single.mask & result.mask & !type_mask::ITERABLE;
            if overlap != 0 {
                let text = CompiledType {
                    mask: overlap,
                    classes: Vec::new(),
                }
                .text();
                let text = text.strip_prefix(b"?").unwrap_or(&text).to_vec();
                return self.fail(message!("Duplicate type ", text, " is redundant"));
            }
            let had_bool = (single.mask | result.mask) & type_mask::BOOL == type_mask::BOOL;
            let each_half = single.mask & type_mask::BOOL != type_mask::BOOL
                && result.mask & type_mask::BOOL != type_mask::BOOL;
            if had_bool && each_half {
                return self.fail("Type contains both true and false, bool must be used instead");
            }
            result.mask |= single.mask;
            for classes in single.classes {
                self.check_redundant_class(&result.classes, &classes)?;
                result.classes.push(classes);
            }
        }
        Ok(result)
    }

    fn check_redundant_class(
        &mut self,
        known: &[Vec<&'a [u8]>],
        classes: &[&'a [u8]],
    ) -> Result<()> {
        let contains =
            |set: &[&[u8]], name: &[u8]| set.iter().any(|other| other.eq_ignore_ascii_case(name));
        for other in known {
            if let ([one], [two]) = (&other[..], classes) {
                if one.eq_ignore_ascii_case(two) {
                    return self.fail(message!("Duplicate type ", two, " is redundant"));
                }
                continue;
            }
            let text = |classes: &[&[u8]]| classes.join(&b"&"[..]);
            if classes.iter().all(|name| contains(other, name)) {
                if other.iter().all(|name| contains(classes, name)) {
                    return self.fail(message!(
                        "Type ",
                        text(classes),
                        " is redundant with type ",
                        text(other)
                    ));
                }
                return self.fail(message!(
                    "Type ",
                    text(other),
                    " is redundant as it is more restrictive than type ",
                    text(classes)
                ));
            }
            if other.iter().all(|name| contains(classes, name)) {
                return self.fail(message!(
                    "Type ",
                    text(classes),
                    " is redundant as it is more restrictive than type ",
                    text(other)
                ));
            }
        }
        Ok(())
    }

    fn intersection_type(&mut self, members: &'a [ast::Type<'a>]) -> Result<Vec<&'a [u8]>> {
        let mut classes: Vec<&'a [u8]> = Vec::new();
        for member in members {
            let single = self.single_type(member)?;
            if single.mask != 0 || single.classes.is_empty() {
                let text = single.text();
                return self.fail(message!(
                    "Type ",
                    text,
                    " cannot be part of an intersection type"
                ));
            }
            for class in single.classes.into_iter().flatten() {
                if class_fetch(class) != ClassFetch::Default {
                    return self.fail(message!(
                        "Type ",
                        class,
                        " cannot be part of an intersection type"
                    ));
                }
                if classes
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(class))
                {
                    return self.fail(message!("Duplicate type ", class, " is redundant"));
                }
                classes.push(class);
            }
        }
        Ok(classes)
    }

    /// The type as op arrays hold it.
    pub fn publish_type(&mut self, compiled: &CompiledType<'a>) -> Type {
        let classes = compiled
            .classes
            .iter()
            .map(|classes| {
                classes
                    .iter()
                    .map(|name| TypeName {
                        name: self.pool.string(name),
                        lowercase: self.pool.string(&name.to_ascii_lowercase()),
                    })
                    .collect()
            })
            .collect();
        Type {
            mask: compiled.mask,
            classes,
        }
    }
}
