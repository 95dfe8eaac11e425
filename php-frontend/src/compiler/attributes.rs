//! Attributes.

use vm_runtime::op_array::AttributeDeclaration;
use vm_runtime::value::Zval;

use crate::ast::Attributes;

use super::errors::message;
use super::{Compiler, Result};

/// What an attribute may stand on.
pub(crate) struct AttributeTarget {
    pub name: &'static str,
    /// A method, or a hook.
    pub is_method: bool,
    pub is_function: bool,
    pub is_class: bool,
    pub is_constant: bool,
}

impl<'a> Compiler<'a, '_> {
    pub fn compile_attributes(
        &mut self,
        groups: Attributes<'a>,
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
        Ok(declarations)
    }

    /// Whether some attribute has this lower-cased name.
    pub fn has_attribute(&mut self, groups: Attributes<'a>, lowercase: &[u8]) -> Result<bool> {
        Ok(self.count_attribute(groups, lowercase)? > 0)
    }

    fn count_attribute(&mut self, groups: Attributes<'a>, lowercase: &[u8]) -> Result<usize> {
        let mut count = 0;
        if groups.is_empty() {
            return Ok(count);
        }
        for attribute in groups.iter().flat_map(|group| group.attributes) {
            let name = self.resolve_class_name(&attribute.name)?;
            count += usize::from(name.eq_ignore_ascii_case(lowercase));
        }
        Ok(count)
    }

    /// Attributes of the engine that stand where they may not.
    pub fn check_attribute_target(
        &mut self,
        groups: Attributes<'a>,
        target: &AttributeTarget,
    ) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let allowed: [(&[u8], &str, bool, &str); 5] = [
            (b"override", "Override", target.is_method, "method"),
            (b"attribute", "Attribute", target.is_class, "class"),
            (
                b"returntypewillchange",
                "ReturnTypeWillChange",
                target.is_method,
                "method",
            ),
            (
                b"allowdynamicproperties",
                "AllowDynamicProperties",
                target.is_class,
                "class",
            ),
            (
                b"deprecated",
                "Deprecated",
                target.is_method || target.is_function || target.is_constant,
                "function, method, class constant",
            ),
        ];
        for (lowercase, name, is_allowed, targets) in allowed {
            let count = self.count_attribute(groups, lowercase)?;
            if count > 1 {
                return self.fail(format!("Attribute \"{name}\" must not be repeated"));
            }
            if !is_allowed && count > 0 {
                return self.fail(format!(
                    "Attribute \"{name}\" cannot target {} (allowed targets: {targets})",
                    target.name
                ));
            }
        }
        Ok(())
    }
}
