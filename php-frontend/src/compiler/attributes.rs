//! Attributes.

use vm_runtime::op_array::AttributeDeclaration;
use vm_runtime::value::Zval;

use crate::ast::Attributes;

use super::errors::message;
use super::{Compiler, Result};

/// What an attribute may stand on; the numbers are those of `Attribute::TARGET_*`.
pub(crate) mod target {
    pub const CLASS: u8 = 1;
    pub const FUNCTION: u8 = 2;
    /// A method, or a hook.
    pub const METHOD: u8 = 4;
    pub const PROPERTY: u8 = 8;
    pub const CLASS_CONSTANT: u8 = 16;
    pub const PARAMETER: u8 = 32;
}

/// The names of targets, by bit.
const TARGET_NAMES: [&str; 6] = [
    "class",
    "function",
    "method",
    "property",
    "class constant",
    "parameter",
];

/// The attributes of the engine, by lower-cased name, each with its targets. None may be repeated.
const ENGINE_ATTRIBUTES: [(&[u8], u8); 6] = [
    (b"allowdynamicproperties", target::CLASS),
    (b"attribute", target::CLASS),
    (
        b"deprecated",
        target::FUNCTION | target::METHOD | target::CLASS_CONSTANT,
    ),
    (b"override", target::METHOD),
    (b"returntypewillchange", target::METHOD),
    (b"sensitiveparameter", target::PARAMETER),
];

fn target_names(targets: u8) -> String {
    let named = TARGET_NAMES.iter().enumerate();
    let names: Vec<&str> = named
        .filter(|(bit, _)| targets & 1 << bit != 0)
        .map(|(_, name)| *name)
        .collect();
    names.join(", ")
}

impl<'a> Compiler<'a, '_> {
    /// Attributes that stand on a `target`; those of the engine have to be allowed there.
    pub fn compile_attributes(
        &mut self,
        groups: Attributes<'a>,
        target: u8,
    ) -> Result<Vec<AttributeDeclaration>> {
        let mut declarations = Vec::new();
        if groups.is_empty() {
            return Ok(declarations);
        }
        for attribute in groups.iter().flat_map(|group| group.attributes) {
            let name = self.resolve_class_name(&attribute.name)?;
            let mut arguments = Vec::new();
            let mut uses_names = false;
            for arg in attribute.args.iter().flat_map(|args| args.items) {
                if arg.spread {
                    return self.fail("Cannot use unpacking in attribute argument list");
                }
                let argument_name = match arg.name {
                    Some(name) => {
                        uses_names = true;
                        let name_string = self.pool.string(name);
                        if arguments.iter().any(|(known, _)| *known == name_string) {
                            return self.fail(message!("Duplicate named parameter $", name));
                        }
                        name_string
                    }
                    None if uses_names => {
                        return self.fail("Cannot use positional argument after named argument");
                    }
                    None => std::ptr::null_mut(),
                };
                let (_, value): (_, Zval) = self.constant_expression(arg.value, true)?;
                arguments.push((argument_name, value));
            }
            if attribute.args.is_some_and(|args| args.first_class_callable) {
                return self.fail("Cannot create Closure as attribute argument");
            }
            declarations.push(AttributeDeclaration {
                name: self.pool.string(name),
                lowercase: self.pool.string(&name.to_ascii_lowercase()),
                arguments,
                filename: self.filename_string,
                line: attribute.line,
                strict: self.file.strict_types,
            });
        }
        self.check_engine_attributes(&declarations, target)?;
        Ok(declarations)
    }

    fn check_engine_attributes(
        &mut self,
        declarations: &[AttributeDeclaration],
        target: u8,
    ) -> Result<()> {
        for declaration in declarations {
            let lowercase = declaration.lowercase_bytes();
            let mut known = ENGINE_ATTRIBUTES.iter();
            let Some((_, allowed)) = known.find(|(name, _)| *name == lowercase) else {
                continue;
            };
            let name = declaration.name_bytes();
            if allowed & target == 0 {
                return self.fail(message!(
                    "Attribute \"",
                    name,
                    "\" cannot target ",
                    target_names(target),
                    " (allowed targets: ",
                    target_names(*allowed),
                    ")"
                ));
            }
            let mut same = declarations.iter();
            if same.any(|other| {
                !std::ptr::eq(other, declaration) && other.lowercase_bytes() == lowercase
            }) {
                return self.fail(message!("Attribute \"", name, "\" must not be repeated"));
            }
        }
        Ok(())
    }

    /// Whether some attribute has this lower-cased name.
    pub fn has_attribute(&mut self, groups: Attributes<'a>, lowercase: &[u8]) -> Result<bool> {
        for attribute in groups.iter().flat_map(|group| group.attributes) {
            let name = self.resolve_class_name(&attribute.name)?;
            if name.eq_ignore_ascii_case(lowercase) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
