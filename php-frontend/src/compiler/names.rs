//! Namespaces, imports, and what names refer to.

use crate::ast::{Name, NameKind, Use, UseItem, UseKind};

use super::errors::message;
use super::{Compiler, NameMap, Result, Severity};

/// A symbol of this kind was declared in the file.
const SEEN_CLASS: u8 = 1;
const SEEN_FUNCTION: u8 = 2;
const SEEN_CONST: u8 = 4;

/// How a class is named where one is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassFetch {
    Default = 0,
    SelfClass = 1,
    Parent = 2,
    Static = 3,
}

/// Look the class up without autoloading it.
pub(crate) const FETCH_NO_AUTOLOAD: u32 = 0x80;
/// Don't fail if there is no such class.
pub(crate) const FETCH_SILENT: u32 = 0x100;
/// Throw if there is no such class.
pub(crate) const FETCH_EXCEPTION: u32 = 0x200;

/// What a file, or a namespace of it, has imported and declared.
#[derive(Debug, Default)]
pub(crate) struct FileState<'a> {
    pub namespace: Option<&'a [u8]>,
    pub in_namespace: bool,
    pub has_bracketed_namespaces: bool,
    classes: NameMap<'a, &'a [u8]>,
    functions: NameMap<'a, &'a [u8]>,
    constants: NameMap<'a, &'a [u8]>,
    seen: NameMap<'a, u8>,
    pub ticks: i64,
    pub strict_types: bool,
    /// A statement other than `declare` has been compiled.
    pub first_statement_passed: bool,
}

/// Names of types, which no class can have.
const RESERVED_CLASS_NAMES: [&[u8]; 15] = [
    b"bool",
    b"false",
    b"float",
    b"int",
    b"null",
    b"parent",
    b"self",
    b"static",
    b"string",
    b"true",
    b"void",
    b"never",
    b"iterable",
    b"object",
    b"mixed",
];

/// The last part of a qualified name.
pub(crate) fn unqualified(name: &[u8]) -> &[u8] {
    match memchr::memrchr(b'\\', name) {
        Some(at) => &name[at + 1..],
        None => name,
    }
}

/// What `self`, `parent` and `static` are where a class is named.
pub(crate) fn class_fetch(name: &[u8]) -> ClassFetch {
    match name.len() {
        4 if name.eq_ignore_ascii_case(b"self") => ClassFetch::SelfClass,
        6 if name.eq_ignore_ascii_case(b"parent") => ClassFetch::Parent,
        6 if name.eq_ignore_ascii_case(b"static") => ClassFetch::Static,
        _ => ClassFetch::Default,
    }
}

/// Whether no class may have this name.
pub fn is_reserved_class_name(name: &[u8]) -> bool {
    let name = unqualified(name);
    RESERVED_CLASS_NAMES
        .iter()
        .any(|reserved| name.eq_ignore_ascii_case(reserved))
}

impl<'a> FileState<'a> {
    fn reset_imports(&mut self) {
        self.classes.clear();
        self.functions.clear();
        self.constants.clear();
        self.seen.clear();
    }
}

impl<'a> Compiler<'a, '_> {
    fn concatenate(&self, parts: &[&[u8]]) -> &'a [u8] {
        let length = parts.iter().map(|part| part.len()).sum();
        let bytes = self.arena.alloc_slice_fill_copy(length, 0u8);
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        bytes
    }

    /// The name in the current namespace.
    pub fn prefix_with_namespace(&self, name: &'a [u8]) -> &'a [u8] {
        match self.file.namespace {
            Some(namespace) => self.concatenate(&[namespace, b"\\", name]),
            None => name,
        }
    }

    /// Resolves a class name; `self`, `parent` and `static` are left alone.
    pub fn resolve_class_name(&mut self, name: &Name<'a>) -> Result<&'a [u8]> {
        self.resolve_class(name.bytes, name.kind)
    }

    fn resolve_class(&mut self, name: &'a [u8], kind: NameKind) -> Result<&'a [u8]> {
        if class_fetch(name) != ClassFetch::Default {
            return match kind {
                NameKind::FullyQualified => {
                    self.fail(message!("'\\", name, "' is an invalid class name"))
                }
                NameKind::Relative => {
                    self.fail(message!("'namespace\\", name, "' is an invalid class name"))
                }
                _ => Ok(name),
            };
        }
        match kind {
            NameKind::Relative => return Ok(self.prefix_with_namespace(name)),
            NameKind::FullyQualified => return Ok(name),
            _ => {}
        }
        if !self.file.classes.is_empty() {
            if let Some(at) = memchr::memchr(b'\\', name) {
                if let Some(import) = self.file.classes.get(self.lowercase(&name[..at])) {
                    return Ok(self.concatenate(&[import, &name[at..]]));
                }
            } else if let Some(import) = self.file.classes.get(self.lowercase(name)) {
                return Ok(import);
            }
        }
        Ok(self.prefix_with_namespace(name))
    }

    fn resolve_other(
        &self,
        name: &Name<'a>,
        imports: &NameMap<'a, &'a [u8]>,
        case_sensitive: bool,
    ) -> (&'a [u8], bool) {
        let bytes = name.bytes;
        match name.kind {
            NameKind::FullyQualified => return (bytes, true),
            NameKind::Relative => return (self.prefix_with_namespace(bytes), true),
            NameKind::Unqualified if !imports.is_empty() => {
                let key = if case_sensitive {
                    bytes
                } else {
                    self.lowercase(bytes)
                };
                if let Some(import) = imports.get(key) {
                    return (import, true);
                }
            }
            _ => {}
        }
        let compound = memchr::memchr(b'\\', bytes);
        if let Some(at) = compound
            && let Some(import) = self.file.classes.get(self.lowercase(&bytes[..at]))
        {
            return (self.concatenate(&[import, &bytes[at..]]), true);
        }
        (self.prefix_with_namespace(bytes), compound.is_some())
    }

    /// Resolves a function name; whether the result is the only one that can be meant.
    pub fn resolve_function_name(&self, name: &Name<'a>) -> (&'a [u8], bool) {
        self.resolve_other(name, &self.file.functions, false)
    }

    /// Resolves a constant name; whether the result is the only one that can be meant.
    pub fn resolve_constant_name(&self, name: &Name<'a>) -> (&'a [u8], bool) {
        self.resolve_other(name, &self.file.constants, true)
    }

    fn see(&mut self, name: &'a [u8], kind: u8) {
        *self.file.seen.entry(name).or_insert(0) |= kind;
    }

    /// Checks a class declaration against the imports, and notes its name.
    pub fn declare_class_name(&mut self, unqualified: &'a [u8], name: &'a [u8]) -> Result<()> {
        let lowercase = self.lowercase(name);
        if let Some(import) = self.file.classes.get(self.lowercase(unqualified))
            && !import.eq_ignore_ascii_case(lowercase)
        {
            return self.fail(message!(
                "Cannot redeclare class ",
                name,
                " (previously declared as local import)"
            ));
        }
        self.see(lowercase, SEEN_CLASS);
        Ok(())
    }

    /// Checks a function declaration against the imports, and notes its name.
    pub fn declare_function_name(&mut self, unqualified: &'a [u8], name: &'a [u8]) -> Result<()> {
        let lowercase = self.lowercase(name);
        if let Some(import) = self.file.functions.get(self.lowercase(unqualified))
            && !import.eq_ignore_ascii_case(lowercase)
        {
            return self.fail(message!(
                "Cannot redeclare function ",
                name,
                "() (previously declared as local import)"
            ));
        }
        self.see(lowercase, SEEN_FUNCTION);
        Ok(())
    }

    /// Checks a constant declaration against the imports, and notes its name.
    pub fn declare_constant_name(&mut self, unqualified: &'a [u8], name: &'a [u8]) -> Result<()> {
        if let Some(import) = self.file.constants.get(unqualified)
            && *import != name
        {
            return self.fail(message!(
                "Cannot declare const ",
                unqualified,
                " because the name is already in use"
            ));
        }
        self.see(name, SEEN_CONST);
        Ok(())
    }

    /// `namespace A;`, and the head of `namespace A { ... }`.
    pub fn begin_namespace(&mut self, name: Option<&Name<'a>>, bracketed: bool) -> Result<()> {
        if !self.file.has_bracketed_namespaces {
            if self.file.namespace.is_some() && bracketed {
                return self.fail(
                    "Cannot mix bracketed namespace declarations with unbracketed namespace \
                     declarations",
                );
            }
        } else if !bracketed {
            return self.fail(
                "Cannot mix bracketed namespace declarations with unbracketed namespace \
                 declarations",
            );
        } else if self.file.namespace.is_some() || self.file.in_namespace {
            return self.fail("Namespace declarations cannot be nested");
        }
        let is_first = (!bracketed && self.file.namespace.is_none())
            || (bracketed && !self.file.has_bracketed_namespaces);
        if is_first && self.file.first_statement_passed {
            return self.fail(
                "Namespace declaration statement has to be the very first statement or after any \
                 declare call in the script",
            );
        }
        if let Some(name) = name
            && name.bytes.eq_ignore_ascii_case(b"namespace")
        {
            return self.fail(message!("Cannot use '", name.bytes, "' as namespace name"));
        }
        self.file.namespace = name.map(|name| name.bytes);
        self.file.reset_imports();
        self.file.in_namespace = true;
        self.file.has_bracketed_namespaces |= bracketed;
        Ok(())
    }

    /// The end of `namespace A { ... }`.
    pub fn end_namespace(&mut self) {
        self.file.in_namespace = false;
        self.file.reset_imports();
        self.file.namespace = None;
    }

    /// Code between bracketed namespaces is an error.
    pub fn verify_namespace(&mut self) -> Result<()> {
        if self.file.has_bracketed_namespaces && !self.file.in_namespace {
            return self.fail("No code may exist outside of namespace {}");
        }
        Ok(())
    }

    /// `use A\B;` and its relatives.
    pub fn compile_use(&mut self, import: &Use<'a>) -> Result<()> {
        for item in import.items {
            let kind = item.kind.unwrap_or(import.kind);
            let name = match &import.prefix {
                Some(prefix) => self.concatenate(&[prefix.bytes, b"\\", item.name.bytes]),
                None => item.name.bytes,
            };
            self.compile_use_item(kind, name, item, import.prefix.is_some())?;
        }
        Ok(())
    }

    fn compile_use_item(
        &mut self,
        kind: UseKind,
        name: &'a [u8],
        item: &UseItem<'a>,
        in_group: bool,
    ) -> Result<()> {
        let alias = match item.alias {
            Some(alias) => alias,
            None => {
                let last = unqualified(name);
                if last.len() == name.len() && !in_group && self.file.namespace.is_none() {
                    self.report(
                        Severity::Warning,
                        message!(
                            "The use statement with non-compound name '",
                            name,
                            "' has no effect"
                        ),
                    );
                }
                last
            }
        };
        let type_text: &[u8] = match kind {
            UseKind::Class => b"",
            UseKind::Function => b" function",
            UseKind::Const => b" const",
        };
        let lookup = if kind == UseKind::Const {
            alias
        } else {
            self.lowercase(alias)
        };
        if kind == UseKind::Class && is_reserved_class_name(alias) {
            return self.fail(message!(
                "Cannot use ",
                name,
                " as ",
                alias,
                " because '",
                alias,
                "' is a special class name"
            ));
        }
        let in_use = |text: &[u8]| {
            message!(
                "Cannot use",
                type_text,
                " ",
                name,
                " as ",
                text,
                " because the name is already in use"
            )
        };
        let declared = match self.file.namespace {
            Some(namespace) => {
                let namespace = self.lowercase(namespace);
                self.concatenate(&[namespace, b"\\", lookup])
            }
            None => lookup,
        };
        let bit = match kind {
            UseKind::Class => SEEN_CLASS,
            UseKind::Function => SEEN_FUNCTION,
            UseKind::Const => SEEN_CONST,
        };
        let clashes = match kind {
            UseKind::Const => name != declared,
            _ => !name.eq_ignore_ascii_case(declared),
        };
        if clashes
            && self
                .file
                .seen
                .get(declared)
                .is_some_and(|seen| seen & bit != 0)
        {
            return self.fail(in_use(alias));
        }
        let imports = match kind {
            UseKind::Class => &mut self.file.classes,
            UseKind::Function => &mut self.file.functions,
            UseKind::Const => &mut self.file.constants,
        };
        if imports.contains_key(lookup) {
            return self.fail(in_use(alias));
        }
        imports.insert(lookup, name);
        Ok(())
    }
}
