//! Parameters and what receives them.

use std::sync::Arc;

use vm_runtime::function::{Parameter, PassBy, flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CONST, IS_CV};
use vm_runtime::types::{DEFAULT_WORDS, TYPE_WORDS};
use vm_runtime::value::{CONSTANT_EXPRESSION, Zval};

use crate::ast::{Modifiers, Param, Type};

use super::attributes::target;
use super::class_members::member_flags;
use super::errors::message;
use super::operand::{Constant, Operand};
use super::types::{CompiledType, cache_slots, type_name};
use super::variables::is_auto_global;
use super::{Compiler, Result, Severity};

fn is_promoted(parameter: &Param<'_>) -> bool {
    !parameter.modifiers.is_empty() || parameter.hooks.is_some()
}

impl<'a> Compiler<'a, '_> {
    /// The name of the function being compiled, for messages: `f`, `C::m`.
    pub fn function_display_name(&self) -> Vec<u8> {
        let name = self.function.name.unwrap_or(b"{main}");
        match &self.class {
            Some(class) if !name.starts_with(b"{closure") => message!(class.name, "::", name),
            _ => name.to_vec(),
        }
    }

    /// Compiles the parameters and the return type.
    pub fn compile_parameters(
        &mut self,
        parameters: &'a [Param<'a>],
        return_type: Option<&'a Type<'a>>,
        fallback_return: u32,
    ) -> Result<()> {
        if let Some(declared) = return_type {
            let compiled = self.compile_type(declared)?;
            if compiled.mask & type_mask::VOID != 0
                && self.function.draft.flags & flags::RETURN_REFERENCE != 0
            {
                let name = self.function_display_name();
                self.report(
                    Severity::Deprecated,
                    message!(
                        name,
                        "(): Returning by reference from a void function is deprecated"
                    ),
                );
            }
            let published = self.publish_type(&compiled);
            self.set_return_type(published);
            self.check_generator_type(&compiled)?;
        } else if fallback_return != 0 {
            let compiled = CompiledType {
                mask: fallback_return,
                classes: Vec::new(),
            };
            let published = self.publish_type(&compiled);
            self.set_return_type(published);
        }
        let last_required = parameters
            .iter()
            .rposition(|parameter| parameter.default.is_none() && !parameter.variadic);
        for (position, parameter) in parameters.iter().enumerate() {
            let shadow = last_required
                .filter(|last| position < *last)
                .map(|last| parameters[last].name);
            self.compile_parameter(position as u32, parameter, shadow)?;
        }
        for parameter in parameters.iter().filter(|parameter| is_promoted(parameter)) {
            let opcode = if parameter.by_ref {
                Opcode::ASSIGN_OBJ_REF
            } else {
                Opcode::ASSIGN_OBJ
            };
            let name = Operand::Const(Constant::String(parameter.name));
            let number = self.emit(opcode, Operand::NONE, name);
            let slots = self.alloc_cache_slots(3);
            self.op(number).extended_value = slots;
            let cv = Operand::Cv(self.lookup_cv(parameter.name));
            self.emit_op_data(cv);
        }
        Ok(())
    }

    fn set_return_type(&mut self, published: vm_runtime::function::Type) {
        self.function.draft.return_type = Some(published);
        self.function.draft.flags |= flags::HAS_RETURN_TYPE;
    }

    fn check_generator_type(&mut self, declared: &CompiledType<'a>) -> Result<()> {
        if self.function.draft.flags & flags::GENERATOR == 0 {
            return Ok(());
        }
        const BASES: [&[u8]; 3] = [b"traversable", b"iterator", b"generator"];
        let fits = declared.mask & (type_mask::ITERABLE | type_mask::OBJECT) != 0
            || declared.classes.iter().any(|classes| {
                classes
                    .iter()
                    .all(|class| BASES.iter().any(|base| class.eq_ignore_ascii_case(base)))
            });
        if !fits {
            let text = declared.text();
            return self.fail(message!(
                "Generator return type must be a supertype of Generator, ",
                text,
                " given"
            ));
        }
        Ok(())
    }

    fn compile_parameter(
        &mut self,
        position: u32,
        parameter: &'a Param<'a>,
        shadowed_by: Option<&'a [u8]>,
    ) -> Result<()> {
        let name = parameter.name;
        if is_auto_global(name) || name == b"GLOBALS" {
            return self.fail(message!("Cannot re-assign auto-global variable ", name));
        }
        let cv = self.lookup_cv(name);
        if cv != position {
            return self.fail(message!("Redefinition of parameter $", name));
        }
        if name == b"this" {
            return self.fail("Cannot use $this as parameter");
        }
        if self.function.draft.flags & flags::VARIADIC != 0 {
            return self.fail("Only the last parameter can be variadic");
        }
        let mut opcode = Opcode::RECV;
        let mut default = None;
        let mut default_value = Zval::UNDEF;
        if parameter.variadic {
            opcode = Opcode::RECV_VARIADIC;
            self.function.draft.flags |= flags::VARIADIC;
            if parameter.default.is_some() {
                return self.fail("Variadic parameter cannot have a default value");
            }
        } else if let Some(expr) = parameter.default {
            // Constants stay by name, for reflection.
            let outer = std::mem::replace(&mut self.substitute, false);
            let compiled = self.constant_expression(expr, true);
            self.substitute = outer;
            (default, default_value) = compiled?;
            opcode = Opcode::RECV_INIT;
            if shadowed_by.is_some() {
                opcode = Opcode::RECV;
            }
        } else {
            self.function.draft.required_count = position + 1;
        }
        let has_default = parameter.default.is_some();
        let promoted = is_promoted(parameter);
        let mut declared = None;
        let mut is_forced_nullable = false;
        if let Some(type_node) = parameter.declared_type {
            let force_nullable =
                has_default && matches!(default, Some(Constant::Null)) && !promoted;
            self.function.draft.flags |= flags::HAS_TYPE_HINTS;
            let (compiled, forced) = self.compile_type_with(type_node, force_nullable)?;
            is_forced_nullable = forced;
            if forced {
                let function = self.function_display_name();
                self.report(
                    Severity::Deprecated,
                    message!(
                        function,
                        "(): Implicitly marking parameter $",
                        name,
                        " as nullable is deprecated, the explicit nullable type must be used \
                         instead"
                    ),
                );
            }
            for (bit, word) in [(type_mask::VOID, "void"), (type_mask::NEVER, "never")] {
                if compiled.mask & bit != 0 {
                    return self.fail(message!(word, " cannot be used as a parameter type"));
                }
            }
            if let (Some(constant), false) = (default, force_nullable) {
                if !compiled.accepts(constant) {
                    let text = compiled.text();
                    return self.fail(message!(
                        "Cannot use ",
                        type_name(constant),
                        " as default value for parameter $",
                        name,
                        " of type ",
                        text
                    ));
                }
                if let (Constant::Long(value), 0) = (constant, compiled.mask & type_mask::LONG) {
                    default_value = Zval::from_double(value as f64);
                }
            }
            declared = Some(compiled);
        }
        // `int $a = null` before a required parameter is the old way to write `?int $a`.
        if let (Some(required), true, false) = (shadowed_by, has_default, is_forced_nullable) {
            let function = self.function_display_name();
            self.report(
                Severity::Deprecated,
                message!(
                    function,
                    "(): Optional parameter $",
                    name,
                    " declared before required parameter $",
                    required,
                    " is implicitly treated as a required parameter"
                ),
            );
        }
        let number = self.emit(opcode, Operand::Unused(position + 1), Operand::NONE);
        let op = self.op(number);
        (op.result_type, op.result) = (IS_CV, cv);
        if opcode == Opcode::RECV_INIT {
            let literals = &mut self.function.draft.literals;
            literals.push(default_value);
            let literal = literals.len() as u32 - 1;
            let op = self.op(number);
            (op.op2_type, op.op2) = (IS_CONST, literal);
        }
        let published = declared
            .as_ref()
            .map(|declared| self.publish_type(declared));
        let slots = match opcode == Opcode::RECV_INIT && default_value.kind() == CONSTANT_EXPRESSION
        {
            true => (TYPE_WORDS + DEFAULT_WORDS) as u32,
            false => published.as_ref().map_or(0, cache_slots),
        };
        if slots > 0 || published.is_some() {
            self.op(number).extended_value = self.alloc_cache_slots(slots);
        }
        if opcode == Opcode::RECV {
            self.op(number).op2 = published.as_ref().map_or(type_mask::ANY, |ty| ty.mask);
        }
        let sensitive = self.has_attribute(parameter.attributes, b"sensitiveparameter")?;
        let attributes = self.compile_attributes(parameter.attributes, target::PARAMETER)?;
        let name_string = self.pool.string(name);
        let mut promoted_flags = 0;
        if promoted {
            promoted_flags = member_flags(parameter.modifiers) | flags::PROMOTED;
            if promoted_flags & flags::VISIBILITY == 0 {
                promoted_flags |= flags::PUBLIC;
            }
            self.declare_promoted(parameter, declared.as_ref(), attributes.clone())?;
        }
        self.function.draft.parameters.push(Parameter {
            name: name_string,
            declared: published,
            pass_by: if parameter.by_ref {
                PassBy::Reference
            } else {
                PassBy::Value
            },
            variadic: parameter.variadic,
            promoted: promoted_flags,
            default: if opcode == Opcode::RECV_INIT {
                default_value
            } else {
                Zval::UNDEF
            },
            default_source: "",
            sensitive,
            attributes,
        });
        Ok(())
    }

    fn declare_promoted(
        &mut self,
        parameter: &'a Param<'a>,
        declared: Option<&CompiledType<'a>>,
        attributes: Vec<vm_runtime::op_array::AttributeDeclaration>,
    ) -> Result<()> {
        let is_constructor = self
            .function
            .name
            .is_some_and(|name| name.eq_ignore_ascii_case(b"__construct"));
        let Some(class) = self.class.as_ref().filter(|_| is_constructor) else {
            return self.fail("Cannot declare promoted property outside a constructor");
        };
        let class_name = class.name;
        if self.function.draft.flags & flags::ABSTRACT != 0 || class.is_interface() {
            return self.fail("Cannot declare promoted property in an abstract constructor");
        }
        if parameter.variadic {
            return self.fail("Cannot declare variadic promoted property");
        }
        if class.has_property(parameter.name) {
            return self.fail(message!(
                "Cannot redeclare ",
                class_name,
                "::$",
                parameter.name
            ));
        }
        let readonly_class = class.is_readonly();
        if let Some(declared) = declared
            && declared.mask & type_mask::CALLABLE != 0
        {
            let text = declared.text();
            return self.fail(message!(
                "Property ",
                class_name,
                "::$",
                parameter.name,
                " cannot have type ",
                text
            ));
        }
        let mut modifiers = parameter.modifiers;
        if readonly_class {
            modifiers = modifiers.union(Modifiers::READONLY);
        }
        if declared.is_none() && modifiers.intersects(Modifiers::READONLY) {
            return self.fail(message!(
                "Readonly property ",
                class_name,
                "::$",
                parameter.name,
                " must have type"
            ));
        }
        self.declare_property(super::class_members::NewProperty {
            name: parameter.name,
            modifiers,
            extra_flags: flags::PROMOTED,
            declared_type: parameter.declared_type,
            compiled: declared.cloned(),
            default: if declared.is_some() {
                Zval::UNDEF
            } else {
                Zval::NULL
            },
            has_default: false,
            hooks: parameter.hooks,
            doc_comment: parameter.doc_comment,
            attributes,
            line: parameter.line,
        })
    }

    /// The parameters of an op array, shared.
    pub fn shared_parameters(&self) -> Arc<[Parameter]> {
        if self.function.draft.parameters.is_empty() {
            return self.no_parameters.clone();
        }
        self.function.draft.parameters.clone().into()
    }
}
