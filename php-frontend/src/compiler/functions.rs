//! Functions: named ones, and what all kinds of function share.

use std::rc::Rc;
use std::sync::Arc;

use vm_runtime::function::{flags, type_mask};
use vm_runtime::generated::Opcode;
use vm_runtime::op_array::{Draft, OpArray};

use crate::ast::{FunctionBody, FunctionDecl, Modifiers, Param, Type};

use super::assignments::Source;
use super::attributes::target;
use super::context::FunctionState;
use super::errors::message;
use super::operand::{Constant, Operand};
use super::{Compiler, KnownFunction, Memoize, Result};

/// What the body of a function comes to.
#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    /// As declared.
    Declared,
    /// `=> expression` of a set hook: it is assigned to the property.
    AssignTo(&'a [u8]),
}

/// What is particular about a function to be compiled.
pub(crate) struct FunctionParts<'a> {
    pub name: &'a [u8],
    pub display_name: Vec<u8>,
    pub flags: u32,
    pub parameters: &'a [Param<'a>],
    pub return_type: Option<&'a Type<'a>>,
    /// Type mask of a return type that isn't written.
    pub fallback_return: u32,
    pub body: Body<'a>,
    /// The property of a hook, and whether it is the set hook.
    pub hook: Option<(&'a [u8], bool)>,
    /// Variables of `use`, or found by an arrow function: name and bind mode.
    pub bound: Vec<(&'a [u8], u32, u32)>,
    /// Lower-cased method name, to be known as soon as the parameters are.
    pub method: Option<&'a [u8]>,
}

impl<'a> Compiler<'a, '_> {
    /// Compiles a named function, declared at once at the top level.
    pub fn compile_function(
        &mut self,
        function: &'a FunctionDecl<'a>,
        top_level: bool,
    ) -> Result<()> {
        let name = self.prefix_with_namespace(function.name);
        let lowercase = self.lowercase(name);
        self.declare_function_name(function.name, name)?;
        if lowercase == b"__autoload" {
            return self
                .fail("__autoload() is no longer supported, use spl_autoload_register() instead");
        }
        if function.name.eq_ignore_ascii_case(b"assert") {
            return self.fail(
                "Defining a custom assert() function is not allowed, as the function has special \
                 semantics",
            );
        }
        let declare = if top_level {
            None
        } else {
            let key = Operand::Const(Constant::String(lowercase));
            let number = self.emit(Opcode::DECLARE_FUNCTION, key, Operand::NONE);
            Some((number, self.reserve_function()))
        };
        // The class around it isn't that of a function.
        let outer_class = self.class.take();
        let result = self.compile_function_parts(
            function,
            FunctionParts {
                name,
                display_name: name.to_vec(),
                flags: if top_level { flags::TOP_LEVEL } else { 0 },
                parameters: function.params.unwrap_or(&[]),
                return_type: function.return_type,
                fallback_return: 0,
                body: Body::Declared,
                hook: None,
                bound: Vec::new(),
                method: None,
            },
        );
        self.class = outer_class;
        let op_array = result?;
        match declare {
            Some((number, index)) => {
                self.op(number).op2 = index;
                self.function.functions[index as usize] = Some(op_array);
            }
            None => {
                self.check_redeclared(function, name, lowercase)?;
                let mut known = self.describe(&op_array);
                known.location = Some((self.filename.to_vec(), op_array.draft.line_start));
                self.functions.insert(lowercase, Rc::new(known));
                self.function.early_functions.push(op_array);
            }
        }
        Ok(())
    }

    /// What callers may know of a function of this source.
    pub fn describe(&self, op_array: &OpArray) -> KnownFunction {
        let draft = &op_array.draft;
        KnownFunction {
            internal: false,
            flags: draft.flags,
            required: draft.required_count,
            parameters: op_array.parameters.clone(),
            slots: op_array.slots(),
            frameless: 0,
            location: None,
        }
    }

    fn check_redeclared(
        &mut self,
        function: &FunctionDecl<'a>,
        name: &[u8],
        lowercase: &'a [u8],
    ) -> Result<()> {
        let Some(known) = self.known_function(lowercase) else {
            return Ok(());
        };
        self.line = function.start_line;
        let text = match &known.location {
            Some((file, line)) => message!(
                "Cannot redeclare function ",
                name,
                "() (previously declared in ",
                file,
                ":",
                line.to_string(),
                ")"
            ),
            None => message!("Cannot redeclare function ", name, "()"),
        };
        self.fail(text)
    }

    /// A place for a function declared inside of the one being compiled.
    pub fn reserve_function(&mut self) -> u32 {
        let functions = &mut self.function.functions;
        functions.push(None);
        functions.len() as u32 - 1
    }

    /// Compiles a function of any kind to its op array.
    pub fn compile_function_parts(
        &mut self,
        function: &'a FunctionDecl<'a>,
        parts: FunctionParts<'a>,
    ) -> Result<Arc<OpArray>> {
        self.enter()?;
        let mut draft = Draft::new(self.filename_string);
        (draft.ops, draft.literals) = self.spare.pop().unwrap_or_default();
        draft.name = self.pool.string(parts.name);
        draft.display_name = parts.display_name.clone();
        draft.flags = parts.flags | self.function.draft.flags & flags::STRICT_TYPES;
        if function.returns_ref {
            draft.flags |= flags::RETURN_REFERENCE;
        }
        if function.is_generator {
            draft.flags |= flags::GENERATOR;
        }
        draft.line_start = function.start_line;
        draft.line_end = function.end_line;
        if let Some(comment) = function.doc_comment {
            draft.doc_comment = self.pool.string(comment);
        }
        if let Some((property, _)) = parts.hook {
            draft.hooked_property = self.pool.string(property);
        }
        let mut state = FunctionState::new(draft);
        state.name = Some(parts.name);
        state.hook = parts.hook;
        let outer = std::mem::replace(&mut self.function, state);
        let outer_delayed = std::mem::take(&mut self.delayed);
        let outer_short_circuits = std::mem::take(&mut self.short_circuits);
        let outer_memoize = std::mem::replace(&mut self.memoize, Memoize::None);
        let outer_memoized = std::mem::take(&mut self.memoized);
        let outer_substitute = std::mem::replace(&mut self.substitute, true);
        let result = self.compile_function_code(function, &parts);
        self.substitute = outer_substitute;
        self.memoized = outer_memoized;
        self.memoize = outer_memoize;
        self.short_circuits = outer_short_circuits;
        self.delayed = outer_delayed;
        self.function = outer;
        result
    }

    fn compile_function_code(
        &mut self,
        function: &'a FunctionDecl<'a>,
        parts: &FunctionParts<'a>,
    ) -> Result<Arc<OpArray>> {
        let target = match parts.method.is_some() || parts.hook.is_some() {
            true => target::METHOD,
            false => target::FUNCTION,
        };
        if self.has_attribute(function.attributes, b"deprecated")? {
            self.function.draft.flags |= flags::DEPRECATED;
        }
        self.function.draft.attributes = self.compile_attributes(function.attributes, target)?;
        self.compile_parameters(parts.parameters, parts.return_type, parts.fallback_return)?;
        if let Some(method) = parts.method {
            self.know_method(method);
        }
        if function.is_generator {
            self.emit_plain(Opcode::GENERATOR_CREATE);
        }
        for (name, mode, line) in &parts.bound {
            if *line != 0 {
                self.line = *line;
            }
            self.bind_static(name, vm_runtime::value::Zval::NULL, *mode)?;
        }
        match (parts.body, function.body) {
            (_, FunctionBody::None) => {}
            (_, FunctionBody::Block(statements)) => self.compile_block(statements)?,
            (Body::AssignTo(property), FunctionBody::Expr(value)) => {
                let target = self.this_property(property, value.line);
                self.line = value.line;
                let result = self.compile_assign(target, Source::Expr(value))?;
                self.free(result);
            }
            (Body::Declared, FunctionBody::Expr(value)) => {
                self.line = value.line;
                let never = self
                    .function
                    .draft
                    .return_type
                    .as_ref()
                    .is_some_and(|declared| declared.mask & type_mask::NEVER != 0);
                if never {
                    let value = self.compile_expr(value)?;
                    self.free(value);
                } else {
                    self.compile_return(Some(value))?;
                }
            }
        }
        if parts.method.is_some() {
            self.line = function.start_line;
            self.check_magic_method()?;
        }
        self.line = function.end_line;
        self.emit_final_return()?;
        self.finish_function()
    }

    fn emit_final_return(&mut self) -> Result<()> {
        let function_flags = self.function.draft.flags;
        if function_flags & flags::HAS_RETURN_TYPE != 0 && function_flags & flags::GENERATOR == 0 {
            let mask = self
                .function
                .draft
                .return_type
                .as_ref()
                .map_or(0, |ty| ty.mask);
            if mask & type_mask::NEVER != 0 {
                self.emit_plain(Opcode::VERIFY_NEVER_TYPE);
                return Ok(());
            }
            self.check_return_type(None, true)?;
        }
        let opcode = if function_flags & flags::RETURN_REFERENCE != 0 {
            Opcode::RETURN_BY_REF
        } else {
            Opcode::RETURN
        };
        let number = self.emit(opcode, Operand::NULL, Operand::NONE);
        self.op(number).extended_value = u32::MAX;
        Ok(())
    }
}

/// The flags of a closure's modifiers.
pub(crate) fn closure_flags(modifiers: Modifiers) -> u32 {
    let mut result = flags::CLOSURE | flags::PUBLIC;
    if modifiers.intersects(Modifiers::STATIC) {
        result |= flags::STATIC;
    }
    result
}
