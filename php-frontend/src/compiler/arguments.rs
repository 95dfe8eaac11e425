//! Sending arguments.

use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::{PassBy, flags};
use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_CONST;

use crate::ast::{Args, ExprRef};

use super::operand::Operand;
use super::variables::{
    is_call, is_globals, is_short_circuited, is_simple_variable, is_this, is_variable,
};
use super::{Compiler, Fetch, KnownFunction, Result};

/// What was sent.
pub(crate) struct Sent {
    /// Positional arguments.
    pub count: u32,
    pub may_have_extra_named: bool,
}

/// An argument whose value is computed: what sends it, and on which line.
pub(crate) struct Computed<'a> {
    value: Operand<'a>,
    opcode: Opcode,
    line: u32,
}

/// The frame offset of an argument's slot.
fn argument_slot(number: u32) -> u32 {
    (HEADER_SLOTS + number).wrapping_sub(1).wrapping_mul(16)
}

/// The parameter an argument goes to, as far as it is known.
#[derive(Clone, Copy)]
struct Parameter<'a, 'f> {
    function: Option<&'f KnownFunction>,
    /// Its number, 1-based; none if the name leaves it open.
    number: Option<u32>,
    /// The name it is sent by.
    name: Option<&'a [u8]>,
}

impl Parameter<'_, '_> {
    /// How the parameter takes its argument; none if that is known at run time only.
    fn pass_by(&self) -> Option<PassBy> {
        Some(self.function?.pass_by(self.number?))
    }
}

impl<'a> Compiler<'a, '_> {
    /// Computes the first arguments of a native function, for [`Compiler::compile_arguments`] to send, if that is wanted
    /// ([`super::CompileOptions::computes_arguments_first`]): nothing that is executed can tell that the call is prepared behind
    /// them. An argument that is a variable ends them, for what is computed behind it may change it.
    pub fn compute_first_arguments(
        &mut self,
        args: &'a Args<'a>,
        function: &KnownFunction,
    ) -> Result<Vec<Computed<'a>>> {
        let mut computed = Vec::new();
        let is_wanted = self.options.computes_arguments_first && function.internal;
        if !is_wanted || args.first_class_callable {
            return Ok(computed);
        }
        for (number, arg) in (1..).zip(args.items) {
            let parameter = Parameter {
                function: Some(function),
                number: Some(number),
                name: None,
            };
            let is_by_value = matches!(parameter.pass_by(), Some(PassBy::Value));
            if arg.spread || arg.name.is_some() || !is_by_value {
                break;
            }
            let argument = self.compute_argument(arg.value, &parameter, args.line)?;
            let is_variable = matches!(argument.value, Operand::Cv(_));
            computed.push(argument);
            if is_variable {
                break;
            }
        }
        Ok(computed)
    }

    /// Sends arguments; the first ones may have been computed.
    pub fn compile_arguments(
        &mut self,
        args: &'a Args<'a>,
        function: Option<&KnownFunction>,
        computed: Vec<Computed<'a>>,
    ) -> Result<Sent> {
        let mut computed = computed.into_iter();
        let mut function = function;
        let mut sent = Sent {
            count: 0,
            may_have_extra_named: false,
        };
        let mut uses_unpack = false;
        let mut uses_names = false;
        let mut may_have_holes = false;
        for (position, arg) in args.items.iter().enumerate() {
            let mut parameter = Parameter {
                function,
                number: Some(position as u32 + 1),
                name: None,
            };
            if arg.spread {
                if uses_names {
                    return self.fail("Cannot use argument unpacking after named arguments");
                }
                may_have_holes = true;
                sent.may_have_extra_named |=
                    function.is_none_or(|function| function.flags & flags::VARIADIC != 0);
                uses_unpack = true;
                function = None;
                let value = self.compile_expr(arg.value)?;
                let number = self.emit(Opcode::SEND_UNPACK, value, Operand::Unused(sent.count));
                self.op(number).result = argument_slot(sent.count);
                continue;
            }
            if let Some(name) = arg.name {
                uses_names = true;
                parameter.name = Some(name);
                match function {
                    Some(known) if !uses_unpack => {
                        parameter.number = known.parameter_number(name);
                        if parameter.number == Some(sent.count + 1) && !may_have_holes {
                            parameter.name = None;
                            sent.count += 1;
                        } else {
                            may_have_holes = true;
                            sent.may_have_extra_named |=
                                parameter.number.is_none() && known.flags & flags::VARIADIC != 0;
                        }
                    }
                    _ => {
                        parameter.number = None;
                        may_have_holes = true;
                        sent.may_have_extra_named = true;
                    }
                }
            } else {
                if uses_unpack {
                    return self.fail("Cannot use positional argument after argument unpacking");
                }
                if uses_names {
                    return self.fail("Cannot use positional argument after named argument");
                }
                sent.count += 1;
            }
            let argument = match computed.next() {
                Some(argument) => argument,
                None => self.compute_argument(arg.value, &parameter, args.line)?,
            };
            self.line = argument.line;
            let number = self.emit(argument.opcode, argument.value, Operand::NONE);
            self.set_argument(number, &parameter, true);
        }
        if may_have_holes {
            self.emit_plain(Opcode::CHECK_UNDEF_ARGS);
        }
        Ok(sent)
    }

    fn compute_argument(
        &mut self,
        expr: ExprRef<'a>,
        parameter: &Parameter<'a, '_>,
        line: u32,
    ) -> Result<Computed<'a>> {
        let pass_by = parameter.pass_by();
        let (value, opcode) = if is_call(expr) || is_globals(expr) {
            let value = self.compile_var(expr, Fetch::Read, false)?.value;
            let opcode = match (value, pass_by) {
                (Operand::Const(_) | Operand::Tmp(_), None | Some(PassBy::Reference)) => {
                    Opcode::SEND_VAL_EX
                }
                (Operand::Const(_) | Operand::Tmp(_), Some(_)) => Opcode::SEND_VAL,
                (_, Some(PassBy::Reference)) => Opcode::SEND_VAR_NO_REF,
                (_, Some(PassBy::PreferReference)) => Opcode::SEND_VAL,
                (_, Some(PassBy::Value)) => Opcode::SEND_VAR,
                (_, None) => Opcode::SEND_VAR_NO_REF_EX,
            };
            (value, opcode)
        } else if is_variable(expr) && !is_short_circuited(expr) {
            match pass_by {
                Some(PassBy::Value) => {
                    let value = self.compile_var(expr, Fetch::Read, false)?.value;
                    let is_value = matches!(value, Operand::Tmp(_) | Operand::Const(_));
                    (
                        value,
                        if is_value {
                            Opcode::SEND_VAL
                        } else {
                            Opcode::SEND_VAR
                        },
                    )
                }
                Some(_) => {
                    let value = self.compile_var(expr, Fetch::Write, true)?.value;
                    (value, Opcode::SEND_REF)
                }
                None => self.compile_unknown_argument(expr, parameter, line)?,
            }
        } else {
            let value = self.compile_expr(expr)?;
            let opcode = match (value, pass_by) {
                (Operand::Var(_), Some(PassBy::Reference)) => Opcode::SEND_VAR_NO_REF,
                (Operand::Var(_), Some(PassBy::PreferReference)) => Opcode::SEND_VAL,
                (Operand::Var(_), Some(PassBy::Value)) => Opcode::SEND_VAR,
                (Operand::Var(_), None) => Opcode::SEND_VAR_NO_REF_EX,
                (Operand::Cv(_), Some(PassBy::Value)) => Opcode::SEND_VAR,
                (Operand::Cv(_), Some(_)) => Opcode::SEND_REF,
                (Operand::Cv(_), None) => Opcode::SEND_VAR_EX,
                (_, None | Some(PassBy::Reference)) => Opcode::SEND_VAL_EX,
                (_, Some(_)) => Opcode::SEND_VAL,
            };
            (value, opcode)
        };
        Ok(Computed {
            value,
            opcode,
            line: self.line,
        })
    }

    /// A variable for a parameter that may take a reference.
    fn compile_unknown_argument(
        &mut self,
        expr: ExprRef<'a>,
        parameter: &Parameter<'a, '_>,
        line: u32,
    ) -> Result<(Operand<'a>, Opcode)> {
        if is_simple_variable(expr) {
            self.line = line;
            if is_this(expr) {
                self.function.draft.flags |= flags::USES_THIS;
                let value = self.emit_var(Opcode::FETCH_THIS, Operand::NONE, Operand::NONE);
                return Ok((value, Opcode::SEND_VAR_EX));
            }
            if let Some(cv) = self.try_cv(expr) {
                return Ok((cv, Opcode::SEND_VAR_EX));
            }
        }
        let number = self.emit_plain(Opcode::CHECK_FUNC_ARG);
        self.set_argument(number, parameter, false);
        let value = self.compile_var(expr, Fetch::FunctionArgument, true)?.value;
        Ok((value, Opcode::SEND_FUNC_ARG))
    }

    /// Names the argument that an opline sends or asks about.
    fn set_argument(&mut self, number: u32, parameter: &Parameter<'a, '_>, is_send: bool) {
        if let Some(name) = parameter.name {
            let literal = self.add_string_literal(name);
            let slots = self.alloc_cache_slots(2);
            let op = self.op(number);
            (op.op2_type, op.op2) = (IS_CONST, literal);
            op.result = slots;
        } else {
            let position = parameter.number.unwrap_or_default();
            let op = self.op(number);
            op.op2 = position;
            if is_send {
                op.result = argument_slot(position);
            }
        }
    }
}
