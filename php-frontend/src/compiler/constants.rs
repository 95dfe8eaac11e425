//! Constants, class constants, `::class`, and constant expressions.

use std::sync::Arc;

use vm_runtime::generated::Opcode;
use vm_runtime::op_array::Draft;
use vm_runtime::value::{ValueKind, Zval};

use crate::ast::{Expr, ExprKind, ExprRef, MagicConst, Name, NameKind};

use super::context::FunctionState;
use super::errors::message;
use super::export::NameUse;
use super::names::{ClassFetch, FETCH_EXCEPTION, class_fetch};
use super::operand::{Constant, Operand};
use super::{Compiler, Memoize, Result};

/// What backtraces call a constant expression.
const CONSTANT_EXPRESSION: &[u8] = b"[constant expression]";
/// FETCH_CONSTANT: the name is unqualified and stands in a namespace.
const UNQUALIFIED_IN_NAMESPACE: u32 = 0x100;

/// `null`, `true` and `false`, however they are written.
pub(crate) fn special_constant<'a>(name: &[u8]) -> Option<Constant<'a>> {
    match name.len() {
        4 if name.eq_ignore_ascii_case(b"null") => Some(Constant::Null),
        4 if name.eq_ignore_ascii_case(b"true") => Some(Constant::Bool(true)),
        5 if name.eq_ignore_ascii_case(b"false") => Some(Constant::Bool(false)),
        _ => None,
    }
}

impl<'a> Compiler<'a, '_> {
    /// The constant a scalar value is.
    pub fn constant_of(&self, value: &Zval) -> Option<Constant<'a>> {
        Some(match value.view() {
            ValueKind::Null => Constant::Null,
            ValueKind::Bool(value) => Constant::Bool(value),
            ValueKind::Long(value) => Constant::Long(value),
            ValueKind::Double(value) => Constant::Double(value),
            ValueKind::String(value) => Constant::String(self.intern(value.as_bytes())),
            _ => return None,
        })
    }

    /// The value of a constant that is substituted at compile time.
    pub fn substitute_constant(
        &mut self,
        name: &'a [u8],
        is_qualified: bool,
    ) -> Option<Constant<'a>> {
        let lookup = if is_qualified {
            name
        } else {
            super::names::unqualified(name)
        };
        if let Some(constant) = special_constant(lookup) {
            return Some(constant);
        }
        if !self.substitute {
            return None;
        }
        let value = self.options.environment.constant(name)?;
        self.constant_of(&value)
    }

    fn halt_offset_of(&self, name: &Name<'a>, resolved: &[u8]) -> Option<i64> {
        const NAME: &[u8] = b"__COMPILER_HALT_OFFSET__";
        let is_halt = resolved == NAME || (name.kind != NameKind::Relative && name.bytes == NAME);
        self.halt_offset
            .filter(|_| is_halt)
            .map(|offset| offset as i64)
    }

    pub fn fold_constant(&mut self, name: &Name<'a>) -> Result<Option<Constant<'a>>> {
        let (resolved, is_qualified) = self.resolve_constant_name(name);
        if let Some(offset) = self.halt_offset_of(name, resolved) {
            return Ok(Some(Constant::Long(offset)));
        }
        Ok(self.substitute_constant(resolved, is_qualified))
    }

    pub fn compile_constant(&mut self, name: &Name<'a>) -> Result<Operand<'a>> {
        if let Some(constant) = self.fold_constant(name)? {
            return Ok(Operand::Const(constant));
        }
        let (resolved, is_qualified) = self.resolve_constant_name(name);
        let result = self.emit_tmp(Opcode::FETCH_CONSTANT, Operand::NONE, Operand::NONE);
        let number = self.last();
        let unqualified = !is_qualified && self.file.namespace.is_some();
        let literal = self.add_constant_name(resolved, unqualified);
        let slots = self.alloc_cache_slots(1);
        let op = self.op(number);
        op.op1 = if unqualified {
            UNQUALIFIED_IN_NAMESPACE
        } else {
            0
        };
        op.op2_type = vm_runtime::op::IS_CONST;
        op.op2 = literal;
        op.extended_value = slots;
        Ok(result)
    }

    /// The value of `__LINE__` and such; none for `__CLASS__` where the class isn't known.
    pub fn fold_magic_constant(&mut self, constant: MagicConst, line: u32) -> Option<Constant<'a>> {
        let function = self.function.name;
        let class = self.class.as_ref().map(|class| class.name);
        Some(match constant {
            MagicConst::Line => Constant::Long(i64::from(line)),
            MagicConst::File => Constant::String(self.filename),
            MagicConst::Dir => Constant::String(match directory(self.filename) {
                // Code that is in no file is where the process is.
                b"." => self.intern(&self.options.environment.working_directory()),
                folder => folder,
            }),
            MagicConst::Function => Constant::String(self.magic_function_name()),
            MagicConst::Method => Constant::String(match (class, function) {
                (Some(_), Some(name)) if name.starts_with(b"{closure:") => name,
                (Some(class), Some(name)) => self.intern(&message!(class, "::", name)),
                (None, Some(name)) => name,
                // Directly in a class there is no function.
                (_, None) => b"",
            }),
            MagicConst::Class => match &self.class {
                Some(class) if class.is_trait() => return None,
                Some(class) => Constant::String(class.name),
                None => Constant::String(b""),
            },
            MagicConst::Trait => match &self.class {
                Some(class) if class.is_trait() => Constant::String(class.name),
                _ => Constant::String(b""),
            },
            MagicConst::Namespace => Constant::String(self.file.namespace.unwrap_or(b"")),
            MagicConst::Property => {
                let hooked = self.function.hook.map(|(property, _)| property);
                Constant::String(hooked.or(self.property).unwrap_or(b""))
            }
        })
    }

    fn magic_function_name(&self) -> &'a [u8] {
        let function = &self.function;
        function.name.or(function.around_class).unwrap_or(b"")
    }

    pub fn compile_magic_constant(
        &mut self,
        constant: MagicConst,
        line: u32,
    ) -> Result<Operand<'a>> {
        if let Some(value) = self.fold_magic_constant(constant, line) {
            return Ok(Operand::Const(value));
        }
        let result = self.emit_tmp(Opcode::FETCH_CLASS_NAME, Operand::NONE, Operand::NONE);
        let number = self.last();
        self.op(number).op1 = ClassFetch::SelfClass as u32;
        Ok(result)
    }

    /// `self`, `parent` and `static` need a class; what is known of it at compile time is checked.
    pub fn check_class_fetch(&mut self, fetch: ClassFetch) -> Result<()> {
        let at_run_time = self.function.is_constant_expression || !self.is_scope_known();
        if fetch == ClassFetch::Default || at_run_time {
            return Ok(());
        }
        let Some(class) = &self.class else {
            let name = match fetch {
                ClassFetch::SelfClass => "self",
                ClassFetch::Parent => "parent",
                _ => "static",
            };
            return self.fail(message!(
                "Cannot use \"",
                name,
                "\" when no class scope is active"
            ));
        };
        if fetch == ClassFetch::Parent && class.parent.is_none() {
            return self.fail("Cannot use \"parent\" when current class scope has no parent");
        }
        Ok(())
    }

    /// Whether the class of the code is known: closures can be rebound, traits are copied.
    pub fn is_scope_known(&self) -> bool {
        if self.function.draft.flags & vm_runtime::function::flags::CLOSURE != 0 {
            return false;
        }
        match &self.class {
            None => self.function.name.is_some(),
            Some(class) => !class.is_trait(),
        }
    }

    /// Compiles what names a class.
    pub fn compile_class_ref(&mut self, class: ExprRef<'a>, flags: u32) -> Result<Operand<'a>> {
        match class.kind {
            ExprKind::Name(name) => {
                let fetch = class_fetch(name.bytes);
                if fetch == ClassFetch::Default || name.kind == NameKind::FullyQualified {
                    let name = self.resolve_class_name(&name)?;
                    return Ok(Operand::Const(Constant::String(name)));
                }
                if name.kind == NameKind::Relative {
                    self.resolve_class_name(&name)?;
                }
                self.check_class_fetch(fetch)?;
                Ok(Operand::Unused(fetch as u32 | flags))
            }
            ExprKind::StaticClass => {
                self.check_class_fetch(ClassFetch::Static)?;
                Ok(Operand::Unused(ClassFetch::Static as u32 | flags))
            }
            ExprKind::String(bytes) => {
                let name = bytes.strip_prefix(b"\\").unwrap_or(bytes);
                Ok(Operand::Const(Constant::String(name)))
            }
            _ => {
                let value = self.compile_expr(class)?;
                match value {
                    Operand::Const(constant) => self.class_of_constant(constant, flags),
                    value => {
                        let result = self.emit_var(Opcode::FETCH_CLASS, Operand::NONE, value);
                        let number = self.last();
                        self.op(number).op1 = flags;
                        Ok(result)
                    }
                }
            }
        }
    }

    /// The class a constant names.
    fn class_of_constant(&mut self, constant: Constant<'a>, flags: u32) -> Result<Operand<'a>> {
        let Constant::String(bytes) = constant else {
            return self.fail("Illegal class name");
        };
        let fetch = class_fetch(bytes);
        if fetch == ClassFetch::Default {
            let name = bytes.strip_prefix(b"\\").unwrap_or(bytes);
            return Ok(Operand::Const(Constant::String(name)));
        }
        self.check_class_fetch(fetch)?;
        Ok(Operand::Unused(fetch as u32 | flags))
    }

    /// An expression without the parts that constants decide: `null ?? a` is `a`.
    pub fn simplify(&mut self, expr: ExprRef<'a>) -> Result<ExprRef<'a>> {
        let mut expr = expr;
        loop {
            expr = match expr.kind {
                ExprKind::Coalesce { left, right } => match self.fold(left)? {
                    Some(Constant::Null) => right,
                    _ => return Ok(expr),
                },
                ExprKind::Conditional {
                    condition,
                    then: Some(then),
                    otherwise,
                } => match self.fold(condition)? {
                    Some(constant) if super::fold::to_bool(constant) => then,
                    Some(_) => otherwise,
                    None => return Ok(expr),
                },
                _ => return Ok(expr),
            };
        }
    }

    /// The value of a constant of the class being compiled.
    pub fn fold_class_constant(
        &mut self,
        class: &Expr<'a>,
        name: &Expr<'a>,
    ) -> Result<Option<Constant<'a>>> {
        let ExprKind::Name(class) = class.kind else {
            return Ok(None);
        };
        let Some(Constant::String(name)) = self.fold(name)? else {
            return Ok(None);
        };
        if !self.substitute {
            return Ok(None);
        }
        let resolved = self.resolve_class_name(&class)?;
        let scope_known = self.is_scope_known();
        let Some(active) = &self.class else {
            return Ok(None);
        };
        let is_active = match class_fetch(resolved) {
            ClassFetch::SelfClass => scope_known,
            // A trait's constants cannot be had by its name, which is found at run time.
            ClassFetch::Default => !active.is_trait() && resolved.eq_ignore_ascii_case(active.name),
            _ => false,
        };
        if !is_active {
            return Ok(None);
        }
        Ok(active.constants.get(name).copied().flatten())
    }

    pub fn compile_class_constant(
        &mut self,
        class: ExprRef<'a>,
        name: ExprRef<'a>,
    ) -> Result<Operand<'a>> {
        if let Some(constant) = self.fold_class_constant(class, name)? {
            return Ok(Operand::Const(constant));
        }
        self.mark_inner(class);
        let folded = match class.kind {
            ExprKind::Name(_) | ExprKind::StaticClass => None,
            _ => self.fold(class)?,
        };
        let class = match folded {
            Some(constant) => self.class_of_constant(constant, FETCH_EXCEPTION)?,
            None => self.compile_class_ref(class, FETCH_EXCEPTION)?,
        };
        let name = self.compile_folded(name)?;
        let result = self.emit_tmp(Opcode::FETCH_CLASS_CONSTANT, Operand::NONE, name);
        let number = self.last();
        self.set_class_op1(number, class);
        let op = self.op(number);
        let is_const = |kind: u8| kind == vm_runtime::op::IS_CONST;
        if is_const(op.op1_type) || is_const(op.op2_type) {
            let slots = self.alloc_cache_slots(2);
            self.op(number).extended_value = slots;
        }
        Ok(result)
    }

    /// The name `X::class` stands for, where it is known.
    pub fn fold_class_name(&mut self, class: &Expr<'a>) -> Result<Option<&'a [u8]>> {
        let name = match class.kind {
            ExprKind::Name(name) => name,
            ExprKind::StaticClass => {
                self.check_class_fetch(ClassFetch::Static)?;
                return Ok(None);
            }
            ExprKind::String(bytes) => return Ok(Some(bytes)),
            ExprKind::Int(_) | ExprKind::Float(_) => return self.fail("Illegal class name"),
            _ => return Ok(None),
        };
        let fetch = class_fetch(name.bytes);
        self.check_class_fetch(fetch)?;
        let known = self.is_scope_known();
        let active = self.class.as_ref().filter(|_| known);
        match fetch {
            ClassFetch::SelfClass => Ok(active.map(|class| class.name)),
            ClassFetch::Parent => Ok(active.and_then(|class| class.parent)),
            ClassFetch::Static => Ok(None),
            ClassFetch::Default => self.resolve_class_name(&name).map(Some),
        }
    }

    pub fn compile_class_name(&mut self, class: ExprRef<'a>) -> Result<Operand<'a>> {
        if let Some(name) = self.fold_class_name(class)? {
            return Ok(Operand::Const(Constant::String(name)));
        }
        let fetch = match class.kind {
            ExprKind::Name(name) => class_fetch(name.bytes),
            ExprKind::StaticClass => ClassFetch::Static,
            _ => {
                let value = self.compile_expr(class)?;
                if let Operand::Const(constant) = value {
                    let name = super::types::value_name(constant);
                    return self.fail(message!("Cannot use \"::class\" on ", name));
                }
                return Ok(self.emit_tmp(Opcode::FETCH_CLASS_NAME, value, Operand::NONE));
            }
        };
        let result = self.emit_tmp(Opcode::FETCH_CLASS_NAME, Operand::NONE, Operand::NONE);
        let number = self.last();
        self.op(number).op1 = fetch as u32;
        Ok(result)
    }

    /// Compiles a constant expression: a literal where it can be folded, else an op array that
    /// returns its value.
    pub fn constant_expression(
        &mut self,
        expr: ExprRef<'a>,
        allow_new: bool,
    ) -> Result<(Option<Constant<'a>>, Zval)> {
        if let Some(constant) = self.fold(expr)? {
            return Ok((Some(constant), self.literal_value(constant)));
        }
        let expr = self.simplify(expr)?;
        self.check_constant_expression(expr, allow_new)?;
        let mut draft = Draft::new(self.filename_string);
        (draft.ops, draft.literals) = self.spare.pop().unwrap_or_default();
        draft.flags = self.function.draft.flags
            & (vm_runtime::function::flags::CLOSURE | vm_runtime::function::flags::STRICT_TYPES);
        draft.line_start = expr.line;
        draft.line_end = expr.line;
        draft.name = self.pool.string(CONSTANT_EXPRESSION);
        draft.display_name = CONSTANT_EXPRESSION.to_vec();
        draft.expression_text = self.expression_text(expr);
        let mut state = FunctionState::new(draft);
        state.name = self.function.name;
        state.around_class = self.function.around_class;
        state.hook = self.function.hook;
        state.is_constant_expression = true;
        let outer = std::mem::replace(&mut self.function, state);
        let outer_memoize = std::mem::replace(&mut self.memoize, Memoize::None);
        let outer_delayed = std::mem::take(&mut self.delayed);
        let line = self.line;
        let result = self.compile_expr(expr).and_then(|value| {
            self.emit(Opcode::RETURN, value, Operand::NONE);
            self.publish_function()
        });
        self.line = line;
        self.delayed = outer_delayed;
        self.memoize = outer_memoize;
        self.function = outer;
        let op_array: Arc<_> = result?;
        Ok((None, self.pool.expression_value(op_array)))
    }

    /// A constant expression as Reflection shows it.
    fn expression_text(&mut self, expr: ExprRef<'a>) -> Vec<u8> {
        super::export::constant_expression(expr, &mut |name, of| {
            let bytes = self.intern(name.bytes);
            let name = Name { bytes, ..*name };
            if of == NameUse::Constant {
                if special_constant(bytes).is_some() {
                    return bytes.to_ascii_lowercase();
                }
                return self.resolve_constant_name(&name).0.to_vec();
            }
            if class_fetch(bytes) != ClassFetch::Default {
                return bytes.to_vec();
            }
            let resolved = self.resolve_class_name(&name).unwrap_or(bytes);
            // What resolves to itself stands as it was written, but not after `new`.
            let is_as_written =
                of == NameUse::Class && name.kind != NameKind::FullyQualified && resolved == bytes;
            if is_as_written {
                return bytes.to_vec();
            }
            message!("\\", resolved)
        })
    }

    /// Fails if an expression holds what a constant expression may not.
    fn check_constant_expression(&mut self, expr: &Expr<'a>, allow_new: bool) -> Result<()> {
        self.enter()?;
        match expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Const(_)
            | ExprKind::MagicConst(_) => {}
            ExprKind::Unary { operand, .. } => {
                self.check_constant_expression(operand, allow_new)?;
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::And { left, right }
            | ExprKind::Or { left, right }
            | ExprKind::Coalesce { left, right } => {
                self.check_constant_expression(left, allow_new)?;
                self.check_constant_expression(right, allow_new)?;
            }
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.check_constant_expression(condition, allow_new)?;
                if let Some(then) = then {
                    self.check_constant_expression(then, allow_new)?;
                }
                self.check_constant_expression(otherwise, allow_new)?;
            }
            ExprKind::Dim { base, index } => {
                self.check_constant_expression(base, allow_new)?;
                match index {
                    Some(index) => self.check_constant_expression(index, allow_new)?,
                    None => return self.fail("Cannot use [] for reading"),
                }
            }
            ExprKind::Prop { object, name, .. } => {
                self.check_constant_expression(object, allow_new)?;
                self.check_constant_expression(name, allow_new)?;
            }
            ExprKind::Array(literal) => {
                for item in literal.items.iter().flatten() {
                    if item.by_ref {
                        return self.fail("Constant expression contains invalid operations");
                    }
                    if let Some(key) = item.key {
                        self.check_constant_expression(key, allow_new)?;
                    }
                    self.check_constant_expression(item.value, allow_new)?;
                }
            }
            ExprKind::ClassConst { class, name } => {
                let fetch = match class.kind {
                    ExprKind::Name(name) => class_fetch(name.bytes),
                    ExprKind::StaticClass => ClassFetch::Static,
                    ExprKind::String(_) => ClassFetch::Default,
                    _ => {
                        return self.fail(
                            "Dynamic class names are not allowed in compile-time class constant \
                             references",
                        );
                    }
                };
                if fetch == ClassFetch::Static {
                    return self.fail("\"static::\" is not allowed in compile-time constants");
                }
                self.check_constant_expression(name, allow_new)?;
            }
            ExprKind::ClassName { class } => match class.kind {
                ExprKind::StaticClass => {
                    return self.fail(
                        "static::class cannot be used for compile-time class name resolution",
                    );
                }
                ExprKind::Name(_) => {}
                _ => {
                    return self.fail("(expression)::class cannot be used in constant expressions");
                }
            },
            ExprKind::New { class, args } => {
                if !allow_new {
                    return self.fail("New expressions are not supported in this context");
                }
                match class.kind {
                    ExprKind::Name(_) => {}
                    ExprKind::StaticClass => {
                        return self.fail("\"static\" is not allowed in compile-time constants");
                    }
                    _ => {
                        return self.fail("Cannot use dynamic class name in constant expression");
                    }
                }
                if args.first_class_callable {
                    return self.fail("Cannot create Closure for new expression");
                }
                for arg in args.items {
                    if arg.spread {
                        return self
                            .fail("Argument unpacking in constant expressions is not supported");
                    }
                    self.check_constant_expression(arg.value, allow_new)?;
                }
            }
            ExprKind::NewAnonymous { .. } => {
                if !allow_new {
                    return self.fail("New expressions are not supported in this context");
                }
                return self.fail("Cannot use anonymous class in constant expression");
            }
            _ => return self.fail("Constant expression contains invalid operations"),
        }
        Ok(())
    }
}

/// The directory part of a path.
fn directory(path: &[u8]) -> &[u8] {
    match memchr::memrchr(b'/', path) {
        Some(0) => b"/",
        Some(at) => &path[..at],
        None => b".",
    }
}
