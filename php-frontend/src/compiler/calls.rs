//! Calls of functions and methods, `new`, and `assert`.

use std::rc::Rc;

use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::flags;
use vm_runtime::generated::Opcode;
use vm_runtime::op::IS_CONST;

use crate::ast::{Arg, Args, ClassDecl, Expr, ExprKind, ExprRef, Name};

use super::arguments::Computed;
use super::names::{ClassFetch, FETCH_EXCEPTION};
use super::operand::{Constant, Operand};
use super::variables::{is_short_circuited, is_this};
use super::{Compiler, Fetch, KnownFunction, Result, export};

/// DO_FCALL: there may be named arguments that no parameter takes.
const MAY_HAVE_EXTRA_NAMED: u32 = 1;

/// Bytes of the frame of a call.
pub(crate) fn frame_bytes(function: &KnownFunction, arguments: u32) -> u32 {
    let mut slots = HEADER_SLOTS + arguments + function.slots;
    if !function.internal {
        slots -= function.parameter_count().min(arguments);
    }
    slots * 16
}

/// The DO_* opcode for a call begun by `init`.
fn call_opcode(init: u8, function: Option<&KnownFunction>) -> Opcode {
    match function {
        Some(function) if init != Opcode::NEW as u8 => {
            let deprecated = function.flags & flags::DEPRECATED != 0;
            if function.internal {
                if init == Opcode::INIT_FCALL as u8 {
                    return if deprecated {
                        Opcode::DO_FCALL_BY_NAME
                    } else {
                        Opcode::DO_ICALL
                    };
                }
                return Opcode::DO_FCALL;
            }
            if deprecated {
                Opcode::DO_FCALL_BY_NAME
            } else {
                Opcode::DO_UCALL
            }
        }
        Some(_) => Opcode::DO_FCALL,
        None if init == Opcode::INIT_FCALL_BY_NAME as u8
            || init == Opcode::INIT_NS_FCALL_BY_NAME as u8 =>
        {
            Opcode::DO_FCALL_BY_NAME
        }
        None => Opcode::DO_FCALL,
    }
}

impl<'a> Compiler<'a, '_> {
    pub fn compile_any_call(&mut self, expr: ExprRef<'a>, fetch: Fetch) -> Result<Operand<'a>> {
        match expr.kind {
            ExprKind::Call { callee, args } => self.compile_call(expr, callee, args, fetch),
            ExprKind::MethodCall {
                object,
                name,
                args,
                nullsafe,
            } => self.compile_method_call(object, name, args, (fetch, nullsafe)),
            ExprKind::StaticCall { class, name, args } => {
                self.compile_static_call(expr, class, name, args)
            }
            _ => self.compile_expr(expr),
        }
    }

    fn compile_call(
        &mut self,
        expr: ExprRef<'a>,
        callee: ExprRef<'a>,
        args: &'a Args<'a>,
        fetch: Fetch,
    ) -> Result<Operand<'a>> {
        let name = match callee.kind {
            ExprKind::Name(name) => name,
            ExprKind::String(bytes) => {
                let bytes = bytes.strip_prefix(b"\\").unwrap_or(bytes);
                let kind = crate::ast::NameKind::FullyQualified;
                Name {
                    bytes,
                    line: callee.line,
                    kind,
                }
            }
            _ => {
                let callee = self.compile_expr(callee)?;
                if let Operand::Const(Constant::String(bytes)) = callee {
                    let name = self.lowercase(bytes.strip_prefix(b"\\").unwrap_or(bytes));
                    if let Some(function) = self.known_function(name) {
                        return self.compile_known_call(name, &function, args, expr.line);
                    }
                }
                return self.compile_dynamic_call(callee, args, expr.line);
            }
        };
        let (resolved, is_qualified) = self.resolve_function_name(&name);
        if !is_qualified && self.file.namespace.is_some() {
            if name.bytes.eq_ignore_ascii_case(b"assert") && !args.first_class_callable {
                return self.compile_assert(args, resolved, None, expr.line);
            }
            return self.compile_namespaced_call(resolved, args, expr.line, fetch);
        }
        let lowercase = self.lowercase(resolved);
        let function = self.known_function(lowercase);
        if lowercase == b"assert" && !args.first_class_callable {
            return self.compile_assert(args, resolved, function, expr.line);
        }
        let Some(function) = function else {
            let name = Operand::Const(Constant::String(resolved));
            return self.compile_dynamic_call(name, args, expr.line);
        };
        if !args.first_class_callable && function.internal {
            let special = self.compile_special(lowercase, args, &function, fetch, expr.line)?;
            if let Some(value) = special {
                return Ok(value);
            }
        }
        self.compile_known_call(lowercase, &function, args, expr.line)
    }

    /// Calls a function of the engine by its lower-cased name.
    pub fn call_named(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
        line: u32,
    ) -> Result<Operand<'a>> {
        match self.known_function(name) {
            Some(function) => self.compile_known_call(name, &function, args, line),
            None => {
                let name = Operand::Const(Constant::String(name));
                self.compile_dynamic_call(name, args, line)
            }
        }
    }

    /// Calls a function that is known while compiling.
    fn compile_known_call(
        &mut self,
        lowercase: &'a [u8],
        function: &KnownFunction,
        args: &'a Args<'a>,
        line: u32,
    ) -> Result<Operand<'a>> {
        let before = self.line;
        let computed = self.compute_first_arguments(args, function)?;
        self.line = before;
        self.emit_init_fcall(lowercase);
        self.send_and_call(args, computed, Some(function), line)
    }

    pub fn emit_init_fcall(&mut self, lowercase: &'a [u8]) -> u32 {
        let name = Operand::Const(Constant::String(lowercase));
        let number = self.emit(Opcode::INIT_FCALL, Operand::NONE, name);
        let slots = self.alloc_cache_slots(1);
        self.op(number).result = slots;
        number
    }

    /// Calls what a value names.
    fn compile_dynamic_call(
        &mut self,
        callee: Operand<'a>,
        args: &'a Args<'a>,
        line: u32,
    ) -> Result<Operand<'a>> {
        if let Operand::Const(Constant::String(name)) = callee {
            let colon = memchr::memrchr(b':', name);
            if let Some(at) = colon.filter(|at| *at > 0 && name[at - 1] == b':') {
                let number = self.emit_plain(Opcode::INIT_STATIC_METHOD_CALL);
                let class = self.add_class_name(&name[..at - 1]);
                let method = self.add_function_name(&name[at + 1..]);
                let slots = self.alloc_cache_slots(2);
                let op = self.op(number);
                (op.op1_type, op.op1) = (IS_CONST, class);
                (op.op2_type, op.op2) = (IS_CONST, method);
                op.result = slots;
            } else {
                let number = self.emit_plain(Opcode::INIT_FCALL_BY_NAME);
                let literal = self.add_function_name(name);
                let slots = self.alloc_cache_slots(1);
                let op = self.op(number);
                (op.op2_type, op.op2) = (IS_CONST, literal);
                op.result = slots;
            }
        } else {
            self.emit(Opcode::INIT_DYNAMIC_CALL, Operand::NONE, callee);
        }
        self.compile_call_common(args, None, line)
    }

    /// Calls a function that may be one of the namespace or a global one; a global one with a
    /// frameless form gets a branch of its own.
    fn compile_namespaced_call(
        &mut self,
        name: &'a [u8],
        args: &'a Args<'a>,
        line: u32,
        fetch: Fetch,
    ) -> Result<Operand<'a>> {
        let literal = self.add_namespaced_function_name(name);
        let lowercase = self.lowercase(name);
        let mut frameless = None;
        if !args.first_class_callable
            && !has_unpack_or_names(args)
            && !self.function.in_frameless_branch
        {
            let global = super::names::unqualified(lowercase);
            if let Some(function) = self.known_function(global)
                && let Some(arity) = frameless_arity(&function, args, fetch)
            {
                self.function.in_frameless_branch = true;
                let guard = Operand::Const(Constant::String(lowercase));
                let jump = self.emit(Opcode::JMP_FRAMELESS, guard, Operand::NONE);
                frameless = Some((function, arity, global, jump));
            }
        }
        let number = self.emit_plain(Opcode::INIT_NS_FCALL_BY_NAME);
        let slots = self.alloc_cache_slots(1);
        let op = self.op(number);
        (op.op2_type, op.op2) = (IS_CONST, literal);
        op.result = slots;
        let result = self.compile_call_common(args, None, line)?;
        if let Some((function, arity, global, jump)) = frameless {
            self.line = line;
            let to_end = self.emit_jump(0);
            let target = self.next();
            let call = self.compile_frameless_call(&function, arity, global, args)?;
            let slots = self.alloc_cache_slots(1);
            let op = self.op(jump);
            op.op2 = target;
            op.extended_value = slots;
            self.set_result(call, result);
            self.jump_here(to_end);
            self.function.in_frameless_branch = false;
        }
        Ok(result)
    }

    /// Compiles a frameless call without result, for the caller to set; gives its number.
    pub fn compile_frameless_call(
        &mut self,
        function: &KnownFunction,
        arity: u32,
        name: &'a [u8],
        args: &'a Args<'a>,
    ) -> Result<u32> {
        let mut values = [Operand::NONE; 3];
        for (number, value) in values.iter_mut().enumerate().take(arity as usize) {
            *value = match args.items.get(number) {
                Some(arg) => self.compile_expr(arg.value)?,
                None => {
                    let default = function.parameters[number].default;
                    Operand::Const(self.constant_of(&default).unwrap_or(Constant::Null))
                }
            };
        }
        let opcode = match arity {
            0 => Opcode::FRAMELESS_ICALL_0,
            1 => Opcode::FRAMELESS_ICALL_1,
            2 => Opcode::FRAMELESS_ICALL_2,
            _ => Opcode::FRAMELESS_ICALL_3,
        };
        let number = self.emit(opcode, values[0], values[1]);
        let literal = self.add_string_literal(name);
        self.op(number).extended_value = literal;
        if arity >= 3 {
            self.emit_op_data(values[2]);
        }
        Ok(number)
    }

    /// Sends the arguments of a call whose INIT is the last opline, and does it.
    pub fn compile_call_common(
        &mut self,
        args: &'a Args<'a>,
        function: Option<&KnownFunction>,
        line: u32,
    ) -> Result<Operand<'a>> {
        self.send_and_call(args, Vec::new(), function, line)
    }

    /// The same, with the first arguments computed before.
    fn send_and_call(
        &mut self,
        args: &'a Args<'a>,
        computed: Vec<Computed<'a>>,
        function: Option<&KnownFunction>,
        line: u32,
    ) -> Result<Operand<'a>> {
        let init = self.last();
        if args.first_class_callable {
            let op = self.op(init);
            op.extended_value = 0;
            if op.opcode == Opcode::NEW as u8 {
                return self.fail("Cannot create Closure for new expression");
            }
            if let (true, Some(function)) = (op.opcode == Opcode::INIT_FCALL as u8, function) {
                op.op1 = frame_bytes(function, 0);
            }
            return Ok(self.emit_tmp(Opcode::CALLABLE_CONVERT, Operand::NONE, Operand::NONE));
        }
        let sent = self.compile_arguments(args, function, computed)?;
        let op = self.op(init);
        op.extended_value = sent.count;
        if let (true, Some(function)) = (op.opcode == Opcode::INIT_FCALL as u8, function) {
            op.op1 = frame_bytes(function, sent.count);
        }
        let opcode = call_opcode(op.opcode, function);
        let result = self.emit_var(opcode, Operand::NONE, Operand::NONE);
        let number = self.last();
        let op = self.op(number);
        if sent.may_have_extra_named {
            op.extended_value = MAY_HAVE_EXTRA_NAMED;
        }
        op.lineno = line;
        Ok(result)
    }

    fn compile_method_call(
        &mut self,
        object: ExprRef<'a>,
        name: ExprRef<'a>,
        args: &'a Args<'a>,
        (fetch, nullsafe): (Fetch, bool),
    ) -> Result<Operand<'a>> {
        let target = if is_this(object) {
            self.function.draft.flags |= flags::USES_THIS;
            if self.this_is_guaranteed() {
                Operand::NONE
            } else {
                self.emit_var(Opcode::FETCH_THIS, Operand::NONE, Operand::NONE)
            }
        } else {
            if args.first_class_callable && (nullsafe || is_short_circuited(object)) {
                return self.fail("Cannot combine nullsafe operator with Closure creation");
            }
            self.mark_inner(object);
            let value = self.compile_expr(object)?;
            if nullsafe {
                let number = self.emit(Opcode::JMP_NULL, value, Operand::NONE);
                if fetch == Fetch::Isset {
                    self.op(number).extended_value |= super::variables::JMP_NULL_ISSET_MODE;
                }
                self.short_circuits.push(number);
            }
            value
        };
        let method = self.compile_expr(name)?;
        let number = self.emit(Opcode::INIT_METHOD_CALL, target, Operand::NONE);
        let is_this_call = matches!(target, Operand::Unused(_));
        let mut function = None;
        match method {
            Operand::Const(Constant::String(name)) => {
                let literal = self.add_function_name(name);
                let slots = self.alloc_cache_slots(2);
                let op = self.op(number);
                (op.op2_type, op.op2) = (IS_CONST, literal);
                op.result = slots;
                if is_this_call && self.class.is_some() && self.is_scope_known() {
                    let name = self.lowercase(name);
                    let known = self.known_method_of_active_class(name);
                    // Any other method may be overridden.
                    function =
                        known.filter(|known| known.flags & (flags::PRIVATE | flags::FINAL) != 0);
                }
            }
            Operand::Const(_) => return self.fail("Method name must be a string"),
            method => {
                let parts = method.parts();
                let op = self.op(number);
                (op.op2_type, op.op2) = parts;
            }
        }
        self.compile_call_common(args, function.as_deref(), name.line)
    }

    fn compile_static_call(
        &mut self,
        expr: ExprRef<'a>,
        class: ExprRef<'a>,
        name: ExprRef<'a>,
        args: &'a Args<'a>,
    ) -> Result<Operand<'a>> {
        if let Some(result) = self.compile_parent_hook_call(expr, class, name, args)? {
            return Ok(result);
        }
        self.mark_inner(class);
        let class = self.compile_class_ref(class, FETCH_EXCEPTION)?;
        let mut method = self.compile_expr(name)?;
        if let Operand::Const(constant) = method {
            let Constant::String(name) = constant else {
                return self.fail("Method name must be a string");
            };
            if name.eq_ignore_ascii_case(b"__construct") {
                method = Operand::NONE;
            }
        }
        let number = self.emit_plain(Opcode::INIT_STATIC_METHOD_CALL);
        self.set_class_op1(number, class);
        let mut function = None;
        match method {
            Operand::Const(Constant::String(method)) => {
                let literal = self.add_function_name(method);
                let slots = self.alloc_cache_slots(2);
                let op = self.op(number);
                (op.op2_type, op.op2) = (IS_CONST, literal);
                op.result = slots;
                let method = self.lowercase(method);
                function = self.known_static_target(class, method);
            }
            method => {
                let slots = match class {
                    Operand::Const(_) => Some(self.alloc_cache_slots(1)),
                    _ => None,
                };
                let parts = method.parts();
                let op = self.op(number);
                (op.op2_type, op.op2) = parts;
                op.result = slots.unwrap_or(0);
            }
        }
        self.compile_call_common(args, function.as_deref(), name.line)
    }

    /// The method that `Class::name()` reaches, if that is known.
    fn known_static_target(
        &mut self,
        class: Operand<'a>,
        method: &'a [u8],
    ) -> Option<Rc<KnownFunction>> {
        match class {
            Operand::Const(Constant::String(name)) => {
                let lowercase = self.lowercase(name);
                if let Some(info) = self.classes.get(lowercase).cloned() {
                    return self.compatible_method(&info, method);
                }
                if self
                    .class
                    .as_ref()
                    .is_some_and(|class| class.lowercase == lowercase)
                {
                    return self.known_method_of_active_class(method);
                }
                let known = self.options.environment.class(lowercase)?;
                if !known.internal {
                    return None;
                }
                let function = self.options.environment.method(lowercase, method)?;
                (function.flags & flags::PUBLIC != 0).then(|| Rc::new(function))
            }
            Operand::Unused(fetch)
                if fetch & 0xf == ClassFetch::SelfClass as u32 && self.is_scope_known() =>
            {
                self.known_method_of_active_class(method)
            }
            _ => None,
        }
    }

    pub fn compile_new(
        &mut self,
        expr: ExprRef<'a>,
        class: ExprRef<'a>,
        args: &'a Args<'a>,
    ) -> Result<Operand<'a>> {
        let class = self.compile_class_ref(class, FETCH_EXCEPTION)?;
        self.emit_new(class, args, expr.line)
    }

    pub fn compile_new_anonymous(
        &mut self,
        expr: ExprRef<'a>,
        class: &'a ClassDecl<'a>,
        args: &'a Args<'a>,
    ) -> Result<Operand<'a>> {
        let class = self.compile_anonymous_class(class)?;
        self.emit_new(class, args, expr.line)
    }

    fn emit_new(
        &mut self,
        class: Operand<'a>,
        args: &'a Args<'a>,
        line: u32,
    ) -> Result<Operand<'a>> {
        let result = self.emit_var(Opcode::NEW, Operand::NONE, Operand::NONE);
        let number = self.last();
        self.set_class_op1(number, class);
        if matches!(class, Operand::Const(_)) {
            let slots = self.alloc_cache_slots(1);
            self.op(number).op2 = slots;
        }
        let constructed = self.compile_call_common(args, None, line)?;
        self.free(constructed);
        Ok(result)
    }

    /// `assert()`: skipped at run time by a check of its own, its text kept for the message.
    fn compile_assert(
        &mut self,
        args: &'a Args<'a>,
        name: &'a [u8],
        function: Option<Rc<KnownFunction>>,
        line: u32,
    ) -> Result<Operand<'a>> {
        if !self.options.assertions {
            return Ok(Operand::TRUE);
        }
        let check = self.emit_plain(Opcode::ASSERT_CHECK);
        if function.is_some() {
            self.emit_init_fcall(b"assert");
        } else {
            let number = self.emit_plain(Opcode::INIT_NS_FCALL_BY_NAME);
            let literal = self.add_namespaced_function_name(name);
            let slots = self.alloc_cache_slots(1);
            let op = self.op(number);
            (op.op2_type, op.op2) = (IS_CONST, literal);
            op.result = slots;
        }
        let args = match args.items {
            [arg] if !arg.spread => {
                let text = export::assertion(arg);
                let kind = ExprKind::String(self.intern(&text));
                let value = self.arena.alloc(Expr {
                    kind,
                    line: self.line,
                    parenthesized: false,
                });
                let name = arg.name.map(|_| &b"description"[..]);
                let description = Arg {
                    value,
                    name,
                    spread: false,
                    line: arg.line,
                };
                self.arena.alloc(Args {
                    items: self.arena.alloc_slice_copy(&[*arg, description]),
                    line: args.line,
                    first_class_callable: false,
                })
            }
            _ => args,
        };
        let result = self.compile_call_common(args, function.as_deref(), line)?;
        self.jump_here(check);
        self.set_result(check, result);
        if let Operand::Var(variable) = result {
            self.function.last_assert = Some((variable, check));
        }
        Ok(result)
    }
}

/// Whether some argument is spread or named.
pub(crate) fn has_unpack_or_names(args: &Args<'_>) -> bool {
    args.items
        .iter()
        .any(|arg| arg.spread || arg.name.is_some())
}

/// The arity of the frameless form that serves a call.
pub(crate) fn frameless_arity(
    function: &KnownFunction,
    args: &Args<'_>,
    fetch: Fetch,
) -> Option<u32> {
    let count = args.items.len() as u32;
    if fetch != Fetch::Read || !function.internal || function.frameless == 0 || count > 3 {
        return None;
    }
    let is_variadic = function.flags & flags::VARIADIC != 0;
    (0..4).find(|arity| {
        function.frameless & (1 << arity) != 0
            && *arity >= count
            && function.required <= count
            && (!is_variadic || *arity == count)
    })
}
