//! Closures and arrow functions.

use vm_runtime::function::flags;
use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_CV;

use crate::ast::{FunctionBody, FunctionDecl, FunctionKind};

use super::declarations::{BIND_EXPLICIT, BIND_IMPLICIT, BIND_REF, STATIC_BYTES};
use super::errors::message;
use super::functions::{Body, FunctionParts, closure_flags};
use super::operand::Operand;
use super::variables::is_auto_global;
use super::{Compiler, NameSet, Result, walk};

fn parameter_names<'a>(function: &FunctionDecl<'a>) -> NameSet<'a> {
    let parameters = function.params.unwrap_or(&[]);
    parameters.iter().map(|parameter| parameter.name).collect()
}

impl<'a> Compiler<'a, '_> {
    /// `{closure:f():3}`
    fn closure_name(&self, line: u32) -> &'a [u8] {
        let line = line.to_string();
        let text = match self.function.name {
            None => message!("{closure:", self.filename, ":", line, "}"),
            Some(name) if self.function.draft.flags & flags::CLOSURE != 0 => {
                message!("{closure:", name, ":", line, "}")
            }
            Some(name) => match &self.class {
                Some(class) => message!("{closure:", class.name, "::", name, "():", line, "}"),
                None => message!("{closure:", name, "():", line, "}"),
            },
        };
        self.intern(&text)
    }

    pub fn compile_closure(&mut self, function: &'a FunctionDecl<'a>) -> Result<Operand<'a>> {
        let name = self.closure_name(function.start_line);
        let result = self.emit_tmp(
            Opcode::DECLARE_LAMBDA_FUNCTION,
            Operand::NONE,
            Operand::NONE,
        );
        let number = self.last();
        let index = self.reserve_function();
        self.op(number).op2 = index;
        let is_arrow = function.kind == FunctionKind::ArrowFunction;
        let bound = if is_arrow {
            self.bind_implicit(function, result)
        } else {
            self.bind_uses(function, result)?
        };
        let mut function_flags = closure_flags(function.modifiers);
        if is_arrow {
            function_flags |= flags::ARROW;
        }
        let op_array = self.compile_function_parts(
            function,
            FunctionParts {
                name,
                display_name: name.to_vec(),
                flags: function_flags,
                parameters: function.params.unwrap_or(&[]),
                return_type: function.return_type,
                fallback_return: 0,
                body: Body::Declared,
                hook: None,
                bound,
                method: None,
            },
        )?;
        // What follows in the same expression has the line where the function ended.
        self.line = function.end_line;
        self.function.functions[index as usize] = Some(op_array);
        Ok(result)
    }

    fn emit_bind_lexical(&mut self, closure: Operand<'a>, name: &'a [u8], extended: u32) {
        let number = self.emit(Opcode::BIND_LEXICAL, closure, Operand::NONE);
        let cv = self.lookup_cv(name);
        let op = self.op(number);
        (op.op2_type, op.op2) = (IS_CV, cv);
        op.extended_value = extended;
    }

    /// Binds the variables of `use`; gives them as the closure binds them inside.
    fn bind_uses(
        &mut self,
        function: &'a FunctionDecl<'a>,
        closure: Operand<'a>,
    ) -> Result<Vec<(&'a [u8], u32, u32)>> {
        let mut bound: Vec<(&'a [u8], u32, u32)> = Vec::with_capacity(function.uses.len());
        let mut names = NameSet::default();
        for (position, variable) in function.uses.iter().enumerate() {
            let name = variable.name;
            if name == b"this" {
                return self.fail("Cannot use $this as lexical variable");
            }
            if is_auto_global(name) || name == b"GLOBALS" {
                return self.fail("Cannot use auto-global as lexical variable");
            }
            if !names.insert(name) {
                return self.fail(message!("Cannot use variable $", name, " twice"));
            }
            self.line = variable.line;
            let by_ref = if variable.by_ref { BIND_REF } else { 0 };
            self.emit_bind_lexical(closure, name, (position as u32 * STATIC_BYTES) | by_ref);
            bound.push((name, BIND_EXPLICIT | by_ref, variable.line));
        }
        let parameters = parameter_names(function);
        for (name, _, line) in &bound {
            if parameters.contains(name) {
                self.line = *line;
                return self.fail(message!(
                    "Cannot use lexical variable $",
                    name,
                    " as a parameter name"
                ));
            }
        }
        Ok(bound)
    }

    /// Binds the variables an arrow function uses; gives them as it binds them inside.
    fn bind_implicit(
        &mut self,
        function: &'a FunctionDecl<'a>,
        closure: Operand<'a>,
    ) -> Vec<(&'a [u8], u32, u32)> {
        let mut names = Vec::new();
        if let FunctionBody::Expr(body) = function.body {
            walk::free_variables(body, &mut names);
        }
        let parameters = parameter_names(function);
        names.retain(|name| {
            *name != b"this"
                && *name != b"GLOBALS"
                && !is_auto_global(name)
                && !parameters.contains(name)
        });
        for (position, name) in names.iter().enumerate() {
            let extended = (position as u32 * STATIC_BYTES) | BIND_IMPLICIT;
            self.emit_bind_lexical(closure, name, extended);
        }
        names
            .into_iter()
            .map(|name| (name, BIND_IMPLICIT, 0))
            .collect()
    }
}
