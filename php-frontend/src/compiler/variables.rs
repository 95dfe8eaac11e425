//! Variables and what is fetched from them, for reading, writing and everything between.

use vm_runtime::generated::Opcode;
use vm_runtime::op::{IS_CONST, IS_TMP_VAR, Op};
use vm_runtime::op_array::late_globals;

use crate::ast::{Expr, ExprKind, ExprRef};

use super::context::OpRef;
use super::operand::{Constant, Operand};
use super::{Compiler, Fetch, Memoize, Result, numbers};

/// FETCH_*: from the global symbol table.
pub(crate) const FETCH_GLOBAL: u32 = 2;
/// FETCH_*: from the local symbol table.
pub(crate) const FETCH_LOCAL: u32 = 4;
/// FETCH_W: from the global symbol table, the name is used again.
pub(crate) const FETCH_GLOBAL_LOCK: u32 = 8;
/// FETCH_OBJ_W, FETCH_STATIC_PROP_W: a reference is made to the result.
pub(crate) const FETCH_REF: u32 = 1;
/// FETCH_OBJ_W, FETCH_STATIC_PROP_W: a dimension of the result is written.
pub(crate) const FETCH_DIM_WRITE: u32 = 2;
/// FETCH_DIM_W: a reference is made to the result.
pub(crate) const FETCH_DIM_REF: u32 = 1;
/// FETCH_DIM_W: a dimension of the result is written.
pub(crate) const FETCH_DIM_DIM: u32 = 2;
/// FETCH_DIM_W: a property of the result is written.
pub(crate) const FETCH_DIM_OBJ: u32 = 3;
/// FETCH_DIM_W: the result is incremented or decremented.
pub(crate) const FETCH_DIM_INCDEC: u32 = 4;
/// JMP_NULL: the chain is read for isset().
pub(crate) const JMP_NULL_ISSET_MODE: u32 = 4;

/// Whether a name is a superglobal.
pub(crate) fn is_auto_global(name: &[u8]) -> bool {
    name.first() == Some(&b'_')
        && matches!(
            name,
            b"_GET"
                | b"_POST"
                | b"_COOKIE"
                | b"_SERVER"
                | b"_ENV"
                | b"_REQUEST"
                | b"_FILES"
                | b"_SESSION"
        )
}

/// The name of a variable that is named directly: `$a`, `${'a'}`.
pub(crate) fn direct_name<'a>(expr: &Expr<'a>) -> Option<&'a [u8]> {
    match expr.kind {
        ExprKind::Variable(name) => Some(name),
        ExprKind::VariableVariable(Expr {
            kind: ExprKind::String(name),
            ..
        }) => Some(name),
        _ => None,
    }
}

pub(crate) fn is_this(expr: &Expr<'_>) -> bool {
    direct_name(expr) == Some(b"this")
}

pub(crate) fn is_globals(expr: &Expr<'_>) -> bool {
    direct_name(expr) == Some(b"GLOBALS")
}

/// `$GLOBALS[...]`
pub(crate) fn is_global_variable(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Dim { base, .. } if is_globals(base))
}

pub(crate) fn is_simple_variable(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Variable(_) | ExprKind::VariableVariable(_)
    )
}

pub(crate) fn is_variable(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Variable(_)
            | ExprKind::VariableVariable(_)
            | ExprKind::Dim { .. }
            | ExprKind::Prop { .. }
            | ExprKind::StaticProp { .. }
    )
}

pub(crate) fn is_call(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Call { .. } | ExprKind::MethodCall { .. } | ExprKind::StaticCall { .. }
    )
}

/// What dimensions and properties are fetched from.
fn fetched_from<'e>(mut expr: &'e Expr<'e>) -> &'e Expr<'e> {
    while let ExprKind::Dim { base, .. }
    | ExprKind::Prop {
        object: base,
        nullsafe: false,
        ..
    } = expr.kind
    {
        expr = base;
    }
    expr
}

/// Whether a dimension or property is fetched from what a call gives, or is the call.
pub(crate) fn is_reached_by_call(expr: &Expr<'_>) -> bool {
    is_call(fetched_from(expr))
}

/// Whether a variable, or what it is fetched from, can be written.
pub(crate) fn can_write(expr: &Expr<'_>) -> bool {
    matches!(
        fetched_from(expr).kind,
        ExprKind::Variable(_) | ExprKind::VariableVariable(_) | ExprKind::StaticProp { .. }
    )
}

/// Whether a chain holds a `?->`.
pub(crate) fn is_short_circuited(expr: &Expr<'_>) -> bool {
    let mut expr = expr;
    loop {
        expr = match expr.kind {
            ExprKind::Prop { nullsafe: true, .. } | ExprKind::MethodCall { nullsafe: true, .. } => {
                return true;
            }
            ExprKind::Dim { base, .. } => base,
            ExprKind::Prop { object, .. } | ExprKind::MethodCall { object, .. } => object,
            ExprKind::StaticProp { class, .. }
            | ExprKind::StaticCall { class, .. }
            | ExprKind::ClassConst { class, .. } => class,
            _ => return false,
        };
    }
}

fn is_chain_kind(expr: &Expr<'_>) -> bool {
    matches!(
        expr.kind,
        ExprKind::Dim { .. }
            | ExprKind::Prop { .. }
            | ExprKind::StaticProp { .. }
            | ExprKind::MethodCall { .. }
            | ExprKind::StaticCall { .. }
            | ExprKind::ClassConst { .. }
    )
}

/// The address of a node, by which it is recognised again.
pub(crate) fn address(expr: &Expr<'_>) -> usize {
    std::ptr::from_ref(expr).addr()
}

/// Turns a read fetch into one of another mode.
fn adjust_fetch(op: &mut Op, fetch: Fetch) {
    let factor = if op.opcode == Opcode::FETCH_STATIC_PROP_R as u8 {
        1
    } else {
        3
    };
    let steps = match fetch {
        Fetch::Read => 0,
        Fetch::Write => 1,
        Fetch::ReadWrite => 2,
        Fetch::Isset => 3,
        Fetch::FunctionArgument => 4,
        Fetch::Unset => 5,
    };
    op.opcode += steps * factor;
    if matches!(fetch, Fetch::Read | Fetch::Isset) && op.result_type != 0 {
        op.result_type = IS_TMP_VAR;
    }
}

/// A compiled fetch: its value, and the opline that makes it where the caller may change it.
pub(crate) struct Fetched<'a> {
    pub value: Operand<'a>,
    pub op: Option<OpRef>,
}

impl<'a> Fetched<'a> {
    fn plain(value: Operand<'a>) -> Self {
        Fetched { value, op: None }
    }
}

impl<'a> Compiler<'a, '_> {
    /// The CV of a directly named variable.
    pub fn try_cv(&mut self, expr: &Expr<'a>) -> Option<Operand<'a>> {
        let name = match expr.kind {
            ExprKind::VariableVariable(Expr {
                kind: ExprKind::Int(value),
                ..
            }) => self.intern(value.to_string().as_bytes()),
            ExprKind::VariableVariable(Expr {
                kind: ExprKind::Float(value),
                ..
            }) => {
                let text = numbers::double_to_string(*value, self.options.precision);
                self.intern(text.as_bytes())
            }
            _ => direct_name(expr)?,
        };
        if is_auto_global(name) || name == b"GLOBALS" {
            return None;
        }
        Some(Operand::Cv(self.lookup_cv(name)))
    }

    /// Marks a node as the inner part of a chain: the outermost one ends its short circuits.
    pub fn mark_inner(&mut self, expr: &Expr<'a>) {
        if is_chain_kind(expr) {
            self.inner_mark = address(expr);
        }
    }

    pub fn is_marked_inner(&self, expr: &Expr<'a>) -> bool {
        self.inner_mark == address(expr)
    }

    /// Ends the short circuits begun since `checkpoint`.
    pub fn commit_short_circuits(&mut self, checkpoint: usize, result: Operand<'a>, chain: u32) {
        while self.short_circuits.len() > checkpoint {
            let Some(number) = self.short_circuits.pop() else {
                return;
            };
            let target = self.next();
            self.set_result(number, result);
            let op = self.op(number);
            op.op2 = target;
            op.extended_value |= chain;
        }
    }

    fn emit_jump_null(&mut self, object: Operand<'a>, fetch: Fetch) {
        let number = self.emit(Opcode::JMP_NULL, object, Operand::NONE);
        if fetch == Fetch::Isset {
            self.op(number).extended_value |= JMP_NULL_ISSET_MODE;
        }
        self.short_circuits.push(number);
    }

    /// Compiles a variable or a call for a fetch.
    pub fn compile_var(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
    ) -> Result<Fetched<'a>> {
        let inner = self.is_marked_inner(expr);
        let checkpoint = self.short_circuits.len();
        let fetched = self.compile_var_inner(expr, fetch, by_ref)?;
        if is_chain_kind(expr) && !inner {
            self.commit_short_circuits(checkpoint, fetched.value, 0);
        }
        Ok(fetched)
    }

    fn compile_var_inner(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
    ) -> Result<Fetched<'a>> {
        self.line = expr.line;
        if self.memoize != Memoize::None && is_call(expr) {
            return Ok(Fetched::plain(self.compile_memoized(expr)?));
        }
        match expr.kind {
            ExprKind::Variable(_) | ExprKind::VariableVariable(_) => {
                self.compile_simple_variable(expr, fetch, false)
            }
            ExprKind::Dim { base, index } => {
                self.enter()?;
                let start = self.delayed.len();
                let value = self.delayed_dim(base, index, fetch, by_ref)?.value;
                let op = self.flush_delayed(start);
                Ok(Fetched {
                    value,
                    op: op.map(|number| OpRef::Emitted(number as usize)),
                })
            }
            ExprKind::Prop { .. } => {
                self.enter()?;
                let value = self.compile_property(expr, fetch, by_ref)?;
                Ok(value)
            }
            ExprKind::StaticProp { .. } => self.compile_static_property(expr, fetch, by_ref, false),
            ExprKind::Call { .. } | ExprKind::MethodCall { .. } | ExprKind::StaticCall { .. } => {
                self.enter()?;
                let value = self.compile_any_call(expr, fetch)?;
                Ok(Fetched::plain(value))
            }
            _ => {
                if matches!(fetch, Fetch::Write | Fetch::ReadWrite | Fetch::Unset) {
                    return self.fail("Cannot use temporary expression in write context");
                }
                Ok(Fetched::plain(self.compile_expr(expr)?))
            }
        }
    }

    /// Compiles a variable whose last fetches are delayed.
    pub fn delayed_var(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
    ) -> Result<Fetched<'a>> {
        match expr.kind {
            ExprKind::Variable(_) | ExprKind::VariableVariable(_) => {
                self.compile_simple_variable(expr, fetch, true)
            }
            ExprKind::Dim { base, index } => {
                self.enter()?;

                self.delayed_dim(base, index, fetch, by_ref)
            }
            ExprKind::Prop { .. } => {
                self.enter()?;
                let fetched = self.delayed_property(expr, fetch, true)?;
                if by_ref && let Some(op) = fetched.op {
                    self.op_ref(op).extended_value |= FETCH_REF;
                }
                Ok(fetched)
            }
            ExprKind::StaticProp { .. } => self.compile_static_property(expr, fetch, by_ref, true),
            _ => self.compile_var(expr, fetch, false),
        }
    }

    fn compile_simple_variable(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        delayed: bool,
    ) -> Result<Fetched<'a>> {
        let name = direct_name(expr);
        let special = match name {
            Some(b"this") => Opcode::FETCH_THIS,
            Some(b"GLOBALS") => Opcode::FETCH_GLOBALS,
            _ => {
                return match self.try_cv(expr) {
                    Some(cv) => Ok(Fetched::plain(cv)),
                    None => self.compile_named_variable(expr, fetch, delayed, true),
                };
            }
        };
        if special == Opcode::FETCH_THIS {
            self.function.draft.flags |= vm_runtime::function::flags::USES_THIS;
        }
        let value = if matches!(fetch, Fetch::Read | Fetch::Isset) {
            self.emit_tmp(special, Operand::NONE, Operand::NONE)
        } else {
            self.emit_var(special, Operand::NONE, Operand::NONE)
        };
        Ok(Fetched {
            value,
            op: Some(OpRef::Emitted(self.last() as usize)),
        })
    }

    /// Compiles a variable that is looked up by name at run time.
    pub fn compile_named_variable(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        delayed: bool,
        with_result: bool,
    ) -> Result<Fetched<'a>> {
        let name = match expr.kind {
            ExprKind::Variable(name) => Operand::Const(Constant::String(name)),
            ExprKind::VariableVariable(inner) => self.compile_expr(inner)?,
            _ => self.compile_expr(expr)?,
        };
        self.fetch_by_name(name, fetch, delayed, with_result)
    }

    /// Fetches the variable with a name.
    pub fn fetch_by_name(
        &mut self,
        name: Operand<'a>,
        fetch: Fetch,
        delayed: bool,
        with_result: bool,
    ) -> Result<Fetched<'a>> {
        let name = self.constant_to_string(name);
        let mut mode = FETCH_LOCAL;
        if let Operand::Const(Constant::String(bytes)) = name {
            if is_auto_global(bytes) {
                mode = FETCH_GLOBAL;
                self.late_globals |= late_globals::bit(bytes);
            } else if bytes == b"this" && fetch == Fetch::Write {
                return self.fail("Cannot re-assign $this");
            }
        }
        let (op, value) = self.fetch_op(
            Opcode::FETCH_R,
            name,
            Operand::NONE,
            fetch,
            delayed,
            with_result,
        );
        self.op_ref(op).extended_value = mode;
        Ok(Fetched {
            value,
            op: Some(op),
        })
    }

    /// Emits or delays a fetch in some mode.
    fn fetch_op(
        &mut self,
        opcode: Opcode,
        op1: Operand<'a>,
        op2: Operand<'a>,
        fetch: Fetch,
        delayed: bool,
        with_result: bool,
    ) -> (OpRef, Operand<'a>) {
        let reference = if delayed {
            self.delay(opcode, op1, op2)
        } else {
            OpRef::Emitted(self.emit(opcode, op1, op2) as usize)
        };
        let mut value = Operand::NONE;
        if with_result {
            let variable = self.function.temporary();
            let is_temporary = matches!(fetch, Fetch::Read | Fetch::Isset);
            value = if is_temporary {
                Operand::Tmp(variable)
            } else {
                Operand::Var(variable)
            };
            let op = self.op_ref(reference);
            (op.result_type, op.result) = value.parts();
        }
        adjust_fetch(self.op_ref(reference), fetch);
        (reference, value)
    }

    /// What a call returned must be separated before it is written to.
    pub fn separate_if_call(
        &mut self,
        value: Operand<'a>,
        expr: &Expr<'a>,
        fetch: Fetch,
    ) -> Result<()> {
        if matches!(fetch, Fetch::Read | Fetch::Isset | Fetch::FunctionArgument) || !is_call(expr) {
            return Ok(());
        }
        if !matches!(value, Operand::Var(_)) {
            return self.fail("Cannot use result of built-in function in write context");
        }
        self.emit_into(value, Opcode::SEPARATE, value, Operand::NONE);
        Ok(())
    }

    fn op_opcode(&mut self, op: Option<OpRef>) -> Option<Opcode> {
        let op = op?;
        Opcode::from_number(self.op_ref(op).opcode)
    }

    pub fn delayed_dim(
        &mut self,
        base: ExprRef<'a>,
        index: Option<ExprRef<'a>>,
        fetch: Fetch,
        by_ref: bool,
    ) -> Result<Fetched<'a>> {
        self.delayed_dim_with(base, index, fetch, by_ref, true)
    }

    pub fn delayed_dim_with(
        &mut self,
        base: ExprRef<'a>,
        index: Option<ExprRef<'a>>,
        fetch: Fetch,
        by_ref: bool,
        with_result: bool,
    ) -> Result<Fetched<'a>> {
        if is_globals(base) {
            let Some(index) = index else {
                return self.fail("Cannot append to $GLOBALS");
            };
            let name = self.compile_expr(index)?;
            let name = self.constant_to_string(name);
            let (op, value) = self.fetch_op(
                Opcode::FETCH_R,
                name,
                Operand::NONE,
                fetch,
                true,
                with_result,
            );
            self.op_ref(op).extended_value = FETCH_GLOBAL;
            return Ok(Fetched {
                value,
                op: Some(op),
            });
        }
        self.mark_inner(base);
        let container = self.delayed_var(base, fetch, false)?;
        if let (Some(op), Some(opcode)) = (container.op, self.op_opcode(container.op)) {
            match opcode {
                Opcode::FETCH_STATIC_PROP_W | Opcode::FETCH_OBJ_W if fetch == Fetch::Write => {
                    self.op_ref(op).extended_value |= FETCH_DIM_WRITE;
                }
                Opcode::FETCH_DIM_W
                | Opcode::FETCH_DIM_RW
                | Opcode::FETCH_DIM_FUNC_ARG
                | Opcode::FETCH_DIM_UNSET => {
                    self.op_ref(op).extended_value = FETCH_DIM_DIM;
                }
                _ => {}
            }
        }
        self.separate_if_call(container.value, base, fetch)?;
        let dim = match index {
            Some(index) => self.compile_expr(index)?,
            None => {
                if matches!(fetch, Fetch::Read | Fetch::Isset) {
                    return self.fail("Cannot use [] for reading");
                }
                if fetch == Fetch::Unset {
                    return self.fail("Cannot use [] for unsetting");
                }
                Operand::NONE
            }
        };
        let (op, value) = self.fetch_op(
            Opcode::FETCH_DIM_R,
            container.value,
            dim,
            fetch,
            true,
            with_result,
        );
        if by_ref {
            self.op_ref(op).extended_value = FETCH_DIM_REF;
        }
        self.numeric_dim(op, dim);
        Ok(Fetched {
            value,
            op: Some(op),
        })
    }

    /// A numeric string key becomes an integer; the string follows it for `ArrayAccess`.
    pub fn numeric_dim(&mut self, op: OpRef, dim: Operand<'a>) {
        let Operand::Const(Constant::String(bytes)) = dim else {
            return;
        };
        let Some(key) = numbers::integer_key(bytes) else {
            return;
        };
        let literal = self.op_ref(op).op2 as usize;
        let literals = &mut self.function.draft.literals;
        debug_assert_eq!(literal + 1, literals.len());
        let original = literals[literal];
        literals[literal] = vm_runtime::value::Zval::from_long(key);
        literals[literal].extra = 1;
        literals.push(original);
    }

    /// Compiles a property fetch at once.
    fn compile_property(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
    ) -> Result<Fetched<'a>> {
        let start = self.delayed.len();
        let fetched = self.delayed_property(expr, fetch, true)?;
        if by_ref && let Some(op) = fetched.op {
            self.op_ref(op).extended_value |= FETCH_REF;
        }
        let op = self.flush_delayed(start);
        Ok(Fetched {
            value: fetched.value,
            op: op.map(|number| OpRef::Emitted(number as usize)),
        })
    }

    /// Compiles the fetch of a dimension or property without result, for the caller to turn into
    /// an operation on it; gives its number.
    pub fn compile_operation_fetch(&mut self, expr: ExprRef<'a>, fetch: Fetch) -> Result<u32> {
        let start = self.delayed.len();
        match expr.kind {
            ExprKind::Dim { base, index } => {
                self.delayed_dim_with(base, index, fetch, false, false)?;
            }
            _ => {
                self.delayed_property(expr, fetch, false)?;
            }
        }
        Ok(self.flush_delayed(start).unwrap_or_default())
    }

    /// True where `$this` can't be missing.
    pub fn this_is_guaranteed(&self) -> bool {
        use vm_runtime::function::flags;
        if self.class.is_none() {
            return false;
        }
        let function = &self.function;
        // Top-level code of a class body does not exist; constant expressions have no $this.
        function.draft.flags & flags::STATIC == 0
            && function.name.is_some()
            && !function.is_constant_expression
    }

    pub fn delayed_property(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        with_result: bool,
    ) -> Result<Fetched<'a>> {
        let ExprKind::Prop {
            object,
            name,
            nullsafe,
        } = expr.kind
        else {
            return self.compile_var(expr, fetch, false);
        };
        let container = if is_this(object) {
            self.function.draft.flags |= vm_runtime::function::flags::USES_THIS;
            if self.this_is_guaranteed() {
                Operand::NONE
            } else {
                self.emit_var(Opcode::FETCH_THIS, Operand::NONE, Operand::NONE)
            }
        } else {
            self.mark_inner(object);
            let container = self.delayed_var(object, fetch, false)?;
            if let (Some(op), Some(opcode)) = (container.op, self.op_opcode(container.op))
                && matches!(
                    opcode,
                    Opcode::FETCH_DIM_W
                        | Opcode::FETCH_DIM_RW
                        | Opcode::FETCH_DIM_FUNC_ARG
                        | Opcode::FETCH_DIM_UNSET
                )
            {
                self.op_ref(op).extended_value = FETCH_DIM_OBJ;
            }
            self.separate_if_call(container.value, object, fetch)?;
            if nullsafe {
                if let Operand::Tmp(variable) = container.value {
                    self.flush_delayed_chain(variable);
                }
                self.emit_jump_null(container.value, fetch);
            }
            container.value
        };
        let property = self.compile_expr(name)?;
        let property = self.constant_to_string(property);
        let (op, value) = self.fetch_op(
            Opcode::FETCH_OBJ_R,
            container,
            property,
            fetch,
            true,
            with_result,
        );
        if matches!(property, Operand::Const(_)) {
            let slots = self.alloc_cache_slots(3);
            self.op_ref(op).extended_value = slots;
        }
        Ok(Fetched {
            value,
            op: Some(op),
        })
    }

    /// Emits the delayed oplines that make a temporary, so that it can be tested.
    fn flush_delayed_chain(&mut self, variable: u32) {
        let mut variable = variable;
        let count = self.delayed.len();
        let mut first = count;
        while first > 0
            && self.delayed[first - 1].result_type == IS_TMP_VAR
            && self.delayed[first - 1].result == variable
        {
            first -= 1;
            if self.delayed[first].op1_type == IS_TMP_VAR {
                variable = self.delayed[first].op1;
            } else {
                break;
            }
        }
        for number in first..count {
            if self.delayed[number].opcode != Opcode::NOP as u8 {
                let emitted = self.function.next();
                let op = self.delayed[number];
                self.function.draft.ops.push(op);
                self.delayed[number].opcode = Opcode::NOP as u8;
                self.delayed[number].extended_value = emitted;
            }
        }
    }

    pub fn compile_static_property(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
        delayed: bool,
    ) -> Result<Fetched<'a>> {
        self.static_property(expr, fetch, by_ref, delayed, true)
    }

    pub fn static_property(
        &mut self,
        expr: ExprRef<'a>,
        fetch: Fetch,
        by_ref: bool,
        delayed: bool,
        with_result: bool,
    ) -> Result<Fetched<'a>> {
        let ExprKind::StaticProp { class, name } = expr.kind else {
            return self.compile_var(expr, fetch, by_ref);
        };
        self.mark_inner(class);
        let class = self.compile_class_ref(class, super::names::FETCH_EXCEPTION)?;
        let property = self.compile_expr(name)?;
        let property = self.constant_to_string(property);
        let reference = if delayed {
            self.delay(Opcode::FETCH_STATIC_PROP_R, property, Operand::NONE)
        } else {
            let number = self.emit(Opcode::FETCH_STATIC_PROP_R, property, Operand::NONE);
            OpRef::Emitted(number as usize)
        };
        let mut value = Operand::NONE;
        if with_result {
            let variable = self.function.temporary();
            let is_temporary = matches!(fetch, Fetch::Read | Fetch::Isset);
            value = if is_temporary {
                Operand::Tmp(variable)
            } else {
                Operand::Var(variable)
            };
        }
        let is_constant = matches!(property, Operand::Const(_));
        let mut extended = if is_constant {
            self.alloc_cache_slots(3)
        } else {
            0
        };
        let op2 = match class {
            Operand::Const(Constant::String(name)) => {
                let literal = self.add_class_name(name);
                if !is_constant {
                    extended = self.alloc_cache_slots(1);
                }
                (IS_CONST, literal)
            }
            other => other.parts(),
        };
        if by_ref && matches!(fetch, Fetch::Write | Fetch::FunctionArgument) {
            extended |= FETCH_REF;
        }
        let op = self.op_ref(reference);
        (op.op2_type, op.op2) = op2;
        op.extended_value = extended;
        (op.result_type, op.result) = value.parts();
        adjust_fetch(op, fetch);
        Ok(Fetched {
            value,
            op: Some(reference),
        })
    }
}
