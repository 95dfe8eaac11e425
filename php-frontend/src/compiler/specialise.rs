//! Functions of the engine that compile to oplines of their own.

use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_TMP_VAR;
use vm_runtime::value;

use crate::ast::{Args, ArraySyntax, ExprKind, ExprRef};

use super::calls::{frame_bytes, frameless_arity, has_unpack_or_names};
use super::operand::{Constant, ConstantArray, ConstantKey, Operand};
use super::strings::Rope;
use super::{Compiler, Fetch, KnownFunction, Result, fold, numbers};

/// Longer formats of sprintf() are left alone.
const MAXIMUM_FORMAT: usize = 256;

/// Bit of a type in a type mask.
const fn bit(kind: u8) -> u32 {
    1 << kind
}

const BOOL_MASK: u32 = bit(value::FALSE) | bit(value::TRUE);

/// The types that an `is_*` function checks for.
fn checked_types(name: &[u8]) -> Option<u32> {
    Some(match name {
        b"is_null" => bit(value::NULL),
        b"is_bool" => BOOL_MASK,
        b"is_long" | b"is_int" | b"is_integer" => bit(value::LONG),
        b"is_float" | b"is_double" => bit(value::DOUBLE),
        b"is_string" => bit(value::STRING),
        b"is_array" => bit(value::ARRAY),
        b"is_object" => bit(value::OBJECT),
        b"is_resource" => bit(value::RESOURCE),
        b"is_scalar" => BOOL_MASK | bit(value::LONG) | bit(value::DOUBLE) | bit(value::STRING),
        _ => return None,
    })
}

impl<'a> Compiler<'a, '_> {
    /// Compiles a call of an engine function without calling it, if it can be done.
    pub fn compile_special(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
        function: &KnownFunction,
        fetch: Fetch,
        line: u32,
    ) -> Result<Option<Operand<'a>>> {
        if has_unpack_or_names(args) {
            return Ok(None);
        }
        let special = self.compile_special_function(name, args)?;
        if special.is_some() {
            return Ok(special);
        }
        if let Some(arity) = frameless_arity(function, args, fetch) {
            self.line = line;
            let number = self.compile_frameless_call(function, arity, name, args)?;
            return Ok(Some(self.make_result(number, IS_TMP_VAR)));
        }
        Ok(None)
    }

    fn compile_special_function(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
    ) -> Result<Option<Operand<'a>>> {
        let items = args.items;
        let in_function = self.function.name.is_some();
        if let Some(types) = checked_types(name) {
            let [arg] = items else {
                return Ok(None);
            };
            return self
                .operation(Opcode::TYPE_CHECK, arg.value, types)
                .map(Some);
        }
        match (name, items) {
            (b"strlen", [arg]) => {
                let value = self.compile_expr(arg.value)?;
                if let Operand::Const(Constant::String(bytes)) = value {
                    return Ok(Some(Operand::Const(Constant::Long(bytes.len() as i64))));
                }
                Ok(Some(self.emit_tmp(Opcode::STRLEN, value, Operand::NONE)))
            }
            (b"boolval", [arg]) => self.operation(Opcode::BOOL, arg.value, 0).map(Some),
            (b"intval", [arg]) => self.cast(arg.value, value::LONG),
            (b"floatval" | b"doubleval", [arg]) => self.cast(arg.value, value::DOUBLE),
            (b"strval", [arg]) => self.cast(arg.value, value::STRING),
            (b"defined", [arg]) => self.compile_defined(arg.value),
            (b"chr", [arg]) => Ok(match arg.value.kind {
                ExprKind::Int(value) => {
                    let byte = self.intern(&[(value & 0xff) as u8]);
                    Some(Operand::Const(Constant::String(byte)))
                }
                _ => None,
            }),
            (b"ord", [arg]) => Ok(match arg.value.kind {
                ExprKind::String(bytes) => {
                    let byte = bytes.first().copied().unwrap_or(0);
                    Some(Operand::Const(Constant::Long(i64::from(byte))))
                }
                _ => None,
            }),
            (b"call_user_func_array", [_, _]) => self.compile_call_user_func_array(name, args),
            (b"call_user_func", [_, ..]) => self.compile_call_user_func(name, args),
            (b"in_array", _) => self.compile_in_array(args),
            (b"count" | b"sizeof", [arg]) => {
                let extended = u32::from(name == b"sizeof");
                self.operation(Opcode::COUNT, arg.value, extended).map(Some)
            }
            (b"get_class", []) => Ok(Some(self.emit_tmp(
                Opcode::GET_CLASS,
                Operand::NONE,
                Operand::NONE,
            ))),
            (b"get_class", [arg]) => self.operation(Opcode::GET_CLASS, arg.value, 0).map(Some),
            (b"get_called_class", []) => Ok(Some(self.emit_tmp(
                Opcode::GET_CALLED_CLASS,
                Operand::NONE,
                Operand::NONE,
            ))),
            (b"gettype", [arg]) => self.operation(Opcode::GET_TYPE, arg.value, 0).map(Some),
            (b"func_num_args", []) if in_function => Ok(Some(self.emit_tmp(
                Opcode::FUNC_NUM_ARGS,
                Operand::NONE,
                Operand::NONE,
            ))),
            (b"func_get_args", []) if in_function => Ok(Some(self.emit_tmp(
                Opcode::FUNC_GET_ARGS,
                Operand::NONE,
                Operand::NONE,
            ))),
            (b"array_slice", [list, skip]) if in_function => {
                let inner = self.simple_call(list.value, b"func_get_args");
                let (Some([]), ExprKind::Int(skip)) = (inner, skip.value.kind) else {
                    return Ok(None);
                };
                if skip < 0 {
                    return Ok(None);
                }
                let skip = Operand::Const(Constant::Long(skip));
                Ok(Some(self.emit_tmp(
                    Opcode::FUNC_GET_ARGS,
                    skip,
                    Operand::NONE,
                )))
            }
            (b"array_key_exists", [key, array]) => {
                let key = self.compile_expr(key.value)?;
                let array = self.compile_expr(array.value)?;
                Ok(Some(self.emit_tmp(Opcode::ARRAY_KEY_EXISTS, key, array)))
            }
            (b"sprintf", [_, ..]) => self.compile_sprintf(args),
            _ => Ok(None),
        }
    }

    fn operation(
        &mut self,
        opcode: Opcode,
        argument: ExprRef<'a>,
        extended: u32,
    ) -> Result<Operand<'a>> {
        let value = self.compile_expr(argument)?;
        let result = self.emit_tmp(opcode, value, Operand::NONE);
        let number = self.last();
        self.op(number).extended_value = extended;
        Ok(result)
    }

    fn cast(&mut self, argument: ExprRef<'a>, kind: u8) -> Result<Option<Operand<'a>>> {
        self.operation(Opcode::CAST, argument, u32::from(kind))
            .map(Some)
    }

    /// The arguments of a call of one named function, without spreads and names.
    fn simple_call(&self, expr: ExprRef<'a>, name: &[u8]) -> Option<&'a [crate::ast::Arg<'a>]> {
        let ExprKind::Call { callee, args } = expr.kind else {
            return None;
        };
        let ExprKind::Name(callee) = callee.kind else {
            return None;
        };
        let resolved = self.resolve_function_name(&callee).0;
        let fits = resolved.eq_ignore_ascii_case(name)
            && !args.first_class_callable
            && !has_unpack_or_names(args);
        fits.then_some(args.items)
    }

    fn compile_defined(&mut self, argument: ExprRef<'a>) -> Result<Option<Operand<'a>>> {
        let ExprKind::String(name) = argument.kind else {
            return Ok(None);
        };
        if name.contains(&b'\\') || name.contains(&b':') {
            return Ok(None);
        }
        if self.substitute_constant(name, false).is_some() {
            return Ok(Some(Operand::TRUE));
        }
        let name = Operand::Const(Constant::String(name));
        let result = self.emit_tmp(Opcode::DEFINED, name, Operand::NONE);
        let number = self.last();
        let slots = self.alloc_cache_slots(1);
        self.op(number).extended_value = slots;
        Ok(Some(result))
    }

    fn emit_init_user_call(
        &mut self,
        name: &'a [u8],
        callee: ExprRef<'a>,
        count: u32,
    ) -> Result<()> {
        if let ExprKind::String(bytes) = callee.kind {
            let bytes = bytes.strip_prefix(b"\\").unwrap_or(bytes);
            let lowercase = self.lowercase(bytes);
            if let Some(function) = self.known_function(lowercase) {
                let number = self.emit_init_fcall(lowercase);
                let op = self.op(number);
                op.op1 = frame_bytes(&function, count);
                op.extended_value = count;
                return Ok(());
            }
        }
        let callee = self.compile_expr(callee)?;
        let name = Operand::Const(Constant::String(name));
        let number = self.emit(Opcode::INIT_USER_CALL, name, callee);
        self.op(number).extended_value = count;
        Ok(())
    }

    fn compile_call_user_func_array(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
    ) -> Result<Option<Operand<'a>>> {
        self.emit_init_user_call(name, args.items[0].value, 0)?;
        let list = args.items[1].value;
        if let Some([array, skip, length]) = self.simple_call(list, b"array_slice")
            && let ExprKind::Int(skip @ 0..=0x7fff_ffff) = skip.value.kind
        {
            let array = self.compile_expr(array.value)?;
            let length = self.compile_expr(length.value)?;
            let number = self.emit(Opcode::SEND_ARRAY, array, length);
            self.op(number).extended_value = skip as u32;
            return Ok(Some(self.emit_var(
                Opcode::DO_FCALL,
                Operand::NONE,
                Operand::NONE,
            )));
        }
        let list = self.compile_expr(list)?;
        self.emit(Opcode::SEND_ARRAY, list, Operand::NONE);
        self.emit_plain(Opcode::CHECK_UNDEF_ARGS);
        let result = self.emit_var(Opcode::DO_FCALL, Operand::NONE, Operand::NONE);
        let number = self.last();
        self.op(number).extended_value = 1;
        Ok(Some(result))
    }

    fn compile_call_user_func(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
    ) -> Result<Option<Operand<'a>>> {
        let count = args.items.len() as u32 - 1;
        self.emit_init_user_call(name, args.items[0].value, count)?;
        for (position, arg) in args.items.iter().enumerate().skip(1) {
            let value = self.compile_expr(arg.value)?;
            let position = position as u32;
            let number = self.emit(Opcode::SEND_USER, value, Operand::Unused(position));
            self.op(number).result = (vm_runtime::frame::HEADER_SLOTS + position - 1) * 16;
        }
        Ok(Some(self.emit_var(
            Opcode::DO_FCALL,
            Operand::NONE,
            Operand::NONE,
        )))
    }

    /// `in_array()` of a literal array becomes a look-up.
    fn compile_in_array(&mut self, args: &'a Args<'a>) -> Result<Option<Operand<'a>>> {
        let strict = match args.items {
            [_, _] => false,
            [_, _, strict] => match strict.value.kind {
                ExprKind::Const(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::String(_) => match self.fold(strict.value)? {
                    Some(constant) => fold::to_bool(constant),
                    None => return Ok(None),
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let ExprKind::Array(literal) = args.items[1].value.kind else {
            return Ok(None);
        };
        if literal.syntax == ArraySyntax::List {
            return Ok(None);
        }
        let Some(Constant::Array(array)) = self.fold_array(&literal)? else {
            return Ok(None);
        };
        let mut set = ConstantArray::new_in(self.arena);
        for (_, value) in &array.entries {
            let key = match value {
                Constant::String(bytes) if strict || numbers::parse_numeric(bytes).is_none() => {
                    ConstantKey::String(bytes)
                }
                Constant::Long(value) if strict => ConstantKey::Long(*value),
                _ => return Ok(None),
            };
            set.update(key, Constant::Bool(true));
        }
        let needle = self.compile_expr(args.items[0].value)?;
        let set = Operand::Const(Constant::Array(self.arena.alloc(set)));
        let result = self.emit_tmp(Opcode::IN_ARRAY, needle, set);
        let number = self.last();
        self.op(number).extended_value = u32::from(strict);
        Ok(Some(result))
    }

    /// `sprintf()` of a literal format with `%s` and `%d` only becomes a rope.
    fn compile_sprintf(&mut self, args: &'a Args<'a>) -> Result<Option<Operand<'a>>> {
        let Some(Constant::String(format)) = self.fold(args.items[0].value)? else {
            return Ok(None);
        };
        if format.len() >= MAXIMUM_FORMAT {
            return Ok(None);
        }
        let Some(parts) = parse_format(format) else {
            return Ok(None);
        };
        let count = parts
            .iter()
            .filter(|part| !matches!(part, FormatPart::Text(_)))
            .count();
        if count != args.items.len() - 1 {
            return Ok(None);
        }
        if format.is_empty() {
            return Ok(Some(Operand::Const(Constant::String(b""))));
        }
        let mut values = Vec::with_capacity(count);
        for arg in &args.items[1..] {
            values.push(self.compile_expr(arg.value)?);
        }
        let mut values = values.into_iter();
        let mut rope = Rope::new();
        for part in &parts {
            let element = match part {
                FormatPart::Text(text) => Operand::Const(Constant::String(text)),
                FormatPart::String => {
                    let value = values.next().unwrap_or(Operand::NULL);
                    self.concat_operand(value)
                }
                FormatPart::Integer => {
                    let value = values.next().unwrap_or(Operand::NULL);
                    let result = self.emit_tmp(Opcode::CAST, value, Operand::NONE);
                    let number = self.last();
                    self.op(number).extended_value = u32::from(value::LONG);
                    result
                }
            };
            self.rope_add(&mut rope, element, None);
            if let (1, Operand::Const(constant)) = (parts.len(), element) {
                let number = self.last();
                self.make_nop(number);
                return Ok(Some(Operand::Const(constant)));
            }
        }
        Ok(Some(self.rope_end(&rope)))
    }
}

/// A part of a format.
enum FormatPart<'a> {
    Text(&'a [u8]),
    String,
    Integer,
}

/// The parts of a format that holds `%s`, `%d` and `%%` only.
fn parse_format(format: &[u8]) -> Option<Vec<FormatPart<'_>>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &format[at..]) {
        let percent = at + found;
        let part = match format.get(percent + 1)? {
            b's' => Some(FormatPart::String),
            b'd' => Some(FormatPart::Integer),
            b'%' => None,
            _ => return None,
        };
        let end = if part.is_some() { percent } else { percent + 1 };
        if end > start {
            parts.push(FormatPart::Text(&format[start..end]));
        }
        parts.extend(part);
        at = percent + 2;
        start = at;
    }
    if start < format.len() {
        parts.push(FormatPart::Text(&format[start..]));
    }
    Some(parts)
}
