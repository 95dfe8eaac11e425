//! Property hooks.

use vm_runtime::function::{flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_CONST;

use crate::ast::{
    Args, Expr, ExprKind, ExprRef, FunctionBody, FunctionDecl, Modifiers, Name, NameKind, Param,
    Type, TypeKind,
};

use super::errors::message;
use super::functions::{Body, FunctionParts};
use super::names::{ClassFetch, class_fetch};
use super::operand::Operand;
use super::types::CompiledType;
use super::{Compiler, Result};

/// The property whose hooks are compiled.
pub(crate) struct HookedProperty<'a, 'p> {
    pub name: &'a [u8],
    pub flags: u32,
    pub declared_type: Option<&'a Type<'a>>,
    pub compiled: Option<&'p CompiledType<'a>>,
}

impl<'a> Compiler<'a, '_> {
    /// `$this->name`
    pub fn this_property(&self, name: &'a [u8], line: u32) -> ExprRef<'a> {
        let node = |kind| {
            self.arena.alloc(Expr {
                kind,
                line,
                parenthesized: false,
            })
        };
        node(ExprKind::Prop {
            object: node(ExprKind::Variable(b"this")),
            name: node(ExprKind::String(name)),
            nullsafe: false,
        })
    }

    /// Compiles the hooks of the property with this number.
    pub fn compile_hooks(
        &mut self,
        index: usize,
        property: HookedProperty<'a, '_>,
        hooks: &'a [FunctionDecl<'a>],
    ) -> Result<()> {
        if hooks.is_empty() {
            return self.fail("Property hook list must not be empty");
        }
        for hook in hooks {
            self.compile_hook(index, &property, hook)?;
        }
        let class_name = self.class_text();
        let declaration = &self.active_class()?.declaration.properties[index];
        let is_open = |hook: &Option<std::sync::Arc<vm_runtime::op_array::OpArray>>| {
            hook.as_ref()
                .is_some_and(|hook| hook.draft.flags & flags::ABSTRACT != 0)
        };
        let (get, set) = (&declaration.get_hook, &declaration.set_hook);
        if property.flags & flags::ABSTRACT != 0 && !is_open(get) && !is_open(set) {
            return self.fail(message!(
                "Abstract property ",
                class_name,
                "::$",
                property.name,
                " must specify at least one abstract hook"
            ));
        }
        let gives_reference = get
            .as_ref()
            .is_some_and(|get| get.draft.flags & flags::RETURN_REFERENCE != 0);
        if gives_reference && set.is_some() && property.flags & flags::VIRTUAL == 0 {
            return self.fail(message!(
                "Get hook of backed property ",
                class_name,
                "::",
                property.name,
                " with set hook may not return by reference"
            ));
        }
        Ok(())
    }

    fn compile_hook(
        &mut self,
        index: usize,
        property: &HookedProperty<'a, '_>,
        hook: &'a FunctionDecl<'a>,
    ) -> Result<()> {
        let class_name = self.class_text();
        let name = property.name;
        let described = || message!(class_name, "::$", name);
        self.line = hook.start_line;
        let has_body = !matches!(hook.body, FunctionBody::None);
        let is_private = property.flags & flags::PRIVATE != 0;
        let mut hook_flags = if is_private {
            flags::PRIVATE
        } else {
            flags::PUBLIC
        };
        let is_final = hook.modifiers.intersects(Modifiers::FINAL);
        if is_final {
            hook_flags |= flags::FINAL;
        }
        if property.flags & flags::STATIC != 0 {
            return self.fail("Cannot declare hooks for static property");
        }
        if is_final && is_private {
            return self.fail("Property hook cannot be both final and private");
        }
        let in_interface = self.active_class()?.is_interface();
        if in_interface || (property.flags & flags::ABSTRACT != 0 && !has_body) {
            hook_flags |= flags::ABSTRACT;
            if has_body {
                return self.fail("Abstract property hook cannot have body");
            }
            if is_private {
                return self.fail("Property hook cannot be both abstract and private");
            }
            if is_final {
                return self.fail("Property hook cannot be both abstract and final");
            }
            let method = self.intern(&message!("$", name, "::", hook.name));
            let class = self.active_class()?;
            class.declaration.flags |= vm_runtime::function::class_flags::IMPLICIT_ABSTRACT;
            class.abstract_methods.push(method);
        } else if !has_body {
            return self.fail("Non-abstract property hook must have a body");
        }
        let is_get = hook.name.eq_ignore_ascii_case(b"get");
        if !is_get && !hook.name.eq_ignore_ascii_case(b"set") {
            return self.fail(message!(
                "Unknown hook \"",
                hook.name,
                "\" for property ",
                described(),
                ", expected \"get\" or \"set\""
            ));
        }
        let parameters = if is_get {
            if hook.params.is_some() {
                return self.fail(message!(
                    "get hook of property ",
                    described(),
                    " must not have a parameter list"
                ));
            }
            &[]
        } else {
            self.set_hook_parameters(property, hook)?
        };
        let kind: &[u8] = if is_get { b"get" } else { b"set" };
        let function_name = self.intern(&message!("$", name, "::", hook.name));
        let return_type = if is_get {
            property.declared_type
        } else {
            Some(self.void_type(hook))
        };
        let op_array = self.compile_function_parts(
            hook,
            FunctionParts {
                name: function_name,
                display_name: message!(class_name, "::", function_name),
                flags: hook_flags,
                parameters,
                return_type,
                fallback_return: 0,
                body: if is_get {
                    Body::Declared
                } else {
                    Body::AssignTo(name)
                },
                hook: Some((name, !is_get)),
                bound: Vec::new(),
                method: None,
            },
        )?;
        let declaration = &mut self.active_class()?.declaration.properties[index];
        let slot = if is_get {
            &mut declaration.get_hook
        } else {
            &mut declaration.set_hook
        };
        if slot.is_some() {
            return self.fail(message!("Cannot redeclare property hook \"", kind, "\""));
        }
        *slot = Some(op_array);
        Ok(())
    }

    fn void_type(&self, hook: &FunctionDecl<'a>) -> &'a Type<'a> {
        let line = hook.start_line;
        let name = Name {
            bytes: b"void",
            line,
            kind: NameKind::Unqualified,
        };
        self.arena.alloc(Type {
            kind: TypeKind::Named(name),
            line,
        })
    }

    fn set_hook_parameters(
        &mut self,
        property: &HookedProperty<'a, '_>,
        hook: &'a FunctionDecl<'a>,
    ) -> Result<&'a [Param<'a>]> {
        let class_name = self.class_text();
        let name = property.name;
        let described = || message!(class_name, "::$", name);
        let Some(parameters) = hook.params else {
            let parameter = Param {
                name: b"value",
                declared_type: property.declared_type,
                default: None,
                by_ref: false,
                variadic: false,
                modifiers: Modifiers::NONE,
                hooks: None,
                attributes: &[],
                doc_comment: None,
                line: hook.start_line,
            };
            return Ok(self.arena.alloc_slice_copy(&[parameter]));
        };
        let [parameter] = parameters else {
            return self.fail(message!(
                hook.name,
                " hook of property ",
                described(),
                " must accept exactly one parameters"
            ));
        };
        let problem = if parameter.by_ref {
            Some("must not be pass-by-reference")
        } else if parameter.variadic {
            Some("must not be variadic")
        } else if parameter.default.is_some() {
            Some("must not have a default value")
        } else {
            None
        };
        if let Some(problem) = problem {
            return self.fail(message!(
                "Parameter $",
                parameter.name,
                " of ",
                hook.name,
                " hook ",
                described(),
                " ",
                problem
            ));
        }
        if property.declared_type.is_some() != parameter.declared_type.is_some() {
            return self.fail(message!(
                "Type of parameter $",
                parameter.name,
                " of hook ",
                described(),
                "::set must be compatible with property type"
            ));
        }
        if let (Some(declared), Some(known)) = (parameter.declared_type, property.compiled) {
            let compiled = self.compile_type(declared)?;
            let same = compiled.mask == known.mask && compiled.classes == known.classes;
            if !same && !compiled.classes.is_empty() && !known.classes.is_empty() {
                self.active_class()?.has_hook_variance = true;
            } else if !same
                && (known.mask & !compiled.mask != 0
                    || (!known.classes.is_empty() && compiled.mask & type_mask::OBJECT == 0))
            {
                return self.fail(message!(
                    "Type of parameter $",
                    parameter.name,
                    " of hook ",
                    described(),
                    "::set must be compatible with property type"
                ));
            }
        }
        Ok(parameters)
    }

    /// `parent::$property::get()` in a hook.
    pub fn compile_parent_hook_call(
        &mut self,
        expr: ExprRef<'a>,
        class: ExprRef<'a>,
        name: ExprRef<'a>,
        args: &'a Args<'a>,
    ) -> Result<Option<Operand<'a>>> {
        let ExprKind::StaticProp {
            class: parent,
            name: property,
        } = class.kind
        else {
            return Ok(None);
        };
        let (ExprKind::Name(parent), ExprKind::String(hook)) = (parent.kind, name.kind) else {
            return Ok(None);
        };
        let property = match property.kind {
            ExprKind::String(bytes) => bytes,
            ExprKind::Int(number) => self.intern(number.to_string().as_bytes()),
            _ => return Ok(None),
        };
        let is_get = hook.eq_ignore_ascii_case(b"get");
        let is_parent = class_fetch(parent.bytes) == ClassFetch::Parent;
        if class.parenthesized || !is_parent || (!is_get && !hook.eq_ignore_ascii_case(b"set")) {
            return Ok(None);
        }
        if self.class.is_none() {
            return self.fail("Cannot use \"parent\" when no class scope is active");
        }
        let call = || message!("parent::$", property, "::", hook, "()");
        let Some((hooked, is_set)) = self.function.hook else {
            return self.fail(message!(
                "Must not use ",
                call(),
                " outside a property hook"
            ));
        };
        if hooked != property {
            return self.fail(message!(
                "Must not use ",
                call(),
                " in a different property ($",
                hooked,
                ")"
            ));
        }
        if is_set == is_get {
            let word = if is_set { "set" } else { "get" };
            return self.fail(message!(
                "Must not use ",
                call(),
                " in a different property hook (",
                word,
                ")"
            ));
        }
        if args.first_class_callable {
            return self.fail("Cannot create Closure for parent property hook call");
        }
        let number = self.emit_plain(Opcode::INIT_PARENT_PROPERTY_HOOK_CALL);
        let literal = self.add_string_literal(property);
        let op = self.op(number);
        (op.op1_type, op.op1) = (IS_CONST, literal);
        op.op2 = u32::from(!is_get);
        self.compile_call_common(args, None, expr.line).map(Some)
    }
}
