//! The op array being built: emitting oplines, literals, variables, temporaries, jumps.

use std::sync::Arc;

use bumpalo::Bump;
use hashbrown::HashMap;
use vm_def::facts::kind_bits;
use vm_def::grammar::{ExtendedMeaning, Unwinding};
use vm_runtime::generated::Opcode;
use vm_runtime::op::{
    IS_CONST, IS_SMART_BRANCH_JMPNZ, IS_SMART_BRANCH_JMPZ, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op,
};
use vm_runtime::op_array::{Draft, LiteralKey, OpArray};
use vm_runtime::value::Zval;

use super::operand::{Constant, ConstantArray, ConstantKey, Operand};
use super::{Compiler, Result};

type NameMap<'a, T> = HashMap<&'a [u8], T, foldhash::fast::FixedState>;

/// What stands on the unwind stack of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LoopVariable {
    /// A loop or switch without a value to release.
    Plain,
    /// A value that leaving the loop releases by this opcode.
    Free {
        opcode: Opcode,
        kind: u8,
        variable: u32,
    },
    /// A `try` with `finally`.
    FastCall { variable: u32, try_catch: u32 },
    /// Inside of a `finally`.
    DiscardException { variable: u32 },
}

/// Where `break` and `continue` of a loop go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BreakContinue {
    /// The enclosing loop.
    pub parent: Option<u32>,
    pub is_switch: bool,
    /// Leaving it releases a value.
    pub has_variable: bool,
    pub continue_target: u32,
    pub break_target: u32,
}

/// A jump whose target is known when the function is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PendingJump<'a> {
    Break {
        opline: u32,
        element: u32,
        depth: u32,
    },
    Continue {
        opline: u32,
        element: u32,
        depth: u32,
    },
    Goto {
        opline: u32,
        label: &'a [u8],
        element: Option<u32>,
        cleanup: u32,
    },
}

/// A `goto` label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub element: Option<u32>,
    pub opline: u32,
}

/// An opline that may still be on the stack of delayed oplines.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpRef {
    Emitted(usize),
    Delayed(usize),
}

/// The function being compiled.
pub(crate) struct FunctionState<'a> {
    pub draft: Draft,
    /// Names of the CVs.
    pub names: Vec<&'a [u8]>,
    index: Option<NameMap<'a, u32>>,
    pub loop_variables: Vec<LoopVariable>,
    pub loops: Vec<BreakContinue>,
    pub current_loop: Option<u32>,
    pub pending: Vec<PendingJump<'a>>,
    pub labels: NameMap<'a, Label>,
    pub last_label: Option<u32>,
    pub fast_call_variable: u32,
    /// Innermost enclosing `try`, `u32::MAX` outside of any.
    pub try_catch: u32,
    pub in_frameless_branch: bool,
    /// Name as `__FUNCTION__` gives it; none in top-level code.
    pub name: Option<&'a [u8]>,
    /// The function around the class whose expressions are being compiled.
    pub around_class: Option<&'a [u8]>,
    /// Name and mode of each static variable.
    pub statics: NameMap<'a, u32>,
    /// The property whose hook is compiled, and which hook.
    pub hook: Option<(&'a [u8], bool)>,
    /// Expressions of a parameter default, constant or property, not statements.
    pub is_constant_expression: bool,
    /// Functions and closures declared inside; their places are taken before they are compiled.
    pub functions: Vec<Option<Arc<OpArray>>>,
    /// Functions declared when the code is entered.
    pub early_functions: Vec<Arc<OpArray>>,
    /// Result number of the last `assert`, and its ASSERT_CHECK.
    pub last_assert: Option<(u32, u32)>,
}

/// Functions with fewer variables are searched without an index.
const LINEAR_LIMIT: usize = 12;

impl<'a> FunctionState<'a> {
    pub fn new(draft: Draft) -> Self {
        FunctionState {
            draft,
            names: Vec::new(),
            index: None,
            loop_variables: Vec::new(),
            loops: Vec::new(),
            current_loop: None,
            pending: Vec::new(),
            labels: NameMap::default(),
            last_label: None,
            fast_call_variable: u32::MAX,
            try_catch: u32::MAX,
            in_frameless_branch: false,
            name: None,
            around_class: None,
            statics: NameMap::default(),
            hook: None,
            is_constant_expression: false,
            functions: Vec::new(),
            early_functions: Vec::new(),
            last_assert: None,
        }
    }

    fn find_name(&self, name: &[u8]) -> Option<u32> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self
                .names
                .iter()
                .position(|known| *known == name)
                .map(|number| number as u32),
        }
    }

    /// A new temporary.
    #[inline]
    pub fn temporary(&mut self) -> u32 {
        let number = self.draft.temporaries;
        self.draft.temporaries += 1;
        number
    }

    /// Byte offset of `slots` new slots of the runtime cache.
    #[inline]
    pub fn cache_slots(&mut self, slots: u32) -> u32 {
        let offset = self.draft.cache_size;
        self.draft.cache_size += slots * 8;
        offset
    }

    /// Number of the next opline.
    #[inline]
    pub fn next(&self) -> u32 {
        self.draft.ops.len() as u32
    }

    #[inline]
    pub fn op(&mut self, number: u32) -> &mut Op {
        &mut self.draft.ops[number as usize]
    }
}

/// The bytes in the arena.
pub(crate) fn copy<'a>(arena: &'a Bump, bytes: &[u8]) -> &'a [u8] {
    arena.alloc_slice_copy(bytes)
}

impl<'a> Compiler<'a, '_> {
    /// The number of a CV, new if the name is.
    pub fn lookup_cv(&mut self, name: &'a [u8]) -> u32 {
        let function = &mut self.function;
        if let Some(number) = function.find_name(name) {
            return number;
        }
        let number = function.names.len() as u32;
        function.names.push(name);
        let string = self.pool.string(name);
        function.draft.variables.push(string);
        match &mut function.index {
            Some(index) => {
                index.insert(name, number);
            }
            None if function.names.len() > LINEAR_LIMIT => {
                let names = function.names.iter().enumerate();
                function.index = Some(names.map(|(number, name)| (*name, number as u32)).collect());
            }
            None => {}
        }
        number
    }

    /// The literal value of a constant.
    pub fn literal_value(&mut self, constant: Constant<'a>) -> Zval {
        match constant {
            Constant::Null => Zval::NULL,
            Constant::Bool(value) => Zval::from_bool(value),
            Constant::Long(value) => Zval::from_long(value),
            Constant::Double(value) => Zval::from_double(value),
            Constant::String(bytes) => self.pool.string_value(bytes),
            Constant::Array(array) => {
                let entries = self.literal_entries(array);
                self.pool.array_value(&entries)
            }
        }
    }

    /// The entries of a constant array as literals.
    pub fn literal_entries(&mut self, array: &ConstantArray<'a>) -> Vec<(LiteralKey, Zval)> {
        let entries = array.entries.iter();
        entries
            .map(|(key, value)| {
                let key = match key {
                    ConstantKey::Long(key) => LiteralKey::Long(*key),
                    ConstantKey::String(key) => LiteralKey::String(self.pool.string(key)),
                };
                (key, self.literal_value(*value))
            })
            .collect()
    }

    /// Adds a literal and gives its number.
    pub fn add_literal(&mut self, constant: Constant<'a>) -> u32 {
        let value = self.literal_value(constant);
        let literals = &mut self.function.draft.literals;
        literals.push(value);
        literals.len() as u32 - 1
    }

    pub fn add_string_literal(&mut self, bytes: &[u8]) -> u32 {
        let value = self.pool.string_value(bytes);
        let literals = &mut self.function.draft.literals;
        literals.push(value);
        literals.len() as u32 - 1
    }

    #[inline]
    fn node(&mut self, operand: Operand<'a>) -> (u8, u32) {
        match operand {
            Operand::Const(constant) => (IS_CONST, self.add_literal(constant)),
            other => other.parts(),
        }
    }

    #[inline]
    fn build(&mut self, opcode: Opcode, op1: Operand<'a>, op2: Operand<'a>) -> Op {
        let mut op = Op::new(opcode as u8, self.line);
        (op.op1_type, op.op1) = self.node(op1);
        (op.op2_type, op.op2) = self.node(op2);
        op
    }

    /// Emits an opline without result; gives its number.
    #[inline]
    pub fn emit(&mut self, opcode: Opcode, op1: Operand<'a>, op2: Operand<'a>) -> u32 {
        let op = self.build(opcode, op1, op2);
        let number = self.function.next();
        self.function.draft.ops.push(op);
        number
    }

    /// Emits an opline without operands.
    #[inline]
    pub fn emit_plain(&mut self, opcode: Opcode) -> u32 {
        self.emit(opcode, Operand::NONE, Operand::NONE)
    }

    /// Emits an opline with a TMP result.
    #[inline]
    pub fn emit_tmp(&mut self, opcode: Opcode, op1: Operand<'a>, op2: Operand<'a>) -> Operand<'a> {
        let number = self.emit(opcode, op1, op2);
        self.make_result(number, IS_TMP_VAR)
    }

    /// Emits an opline with a VAR result.
    #[inline]
    pub fn emit_var(&mut self, opcode: Opcode, op1: Operand<'a>, op2: Operand<'a>) -> Operand<'a> {
        let number = self.emit(opcode, op1, op2);
        self.make_result(number, IS_VAR)
    }

    /// Gives an opline a new temporary as result.
    pub fn make_result(&mut self, number: u32, kind: u8) -> Operand<'a> {
        let variable = self.function.temporary();
        let op = self.function.op(number);
        op.result_type = kind;
        op.result = variable;
        Operand::from_parts(kind, variable)
    }

    /// Emits an opline whose result goes where another one's went.
    pub fn emit_into(
        &mut self,
        result: Operand<'a>,
        opcode: Opcode,
        op1: Operand<'a>,
        op2: Operand<'a>,
    ) -> u32 {
        let number = self.emit(opcode, op1, op2);
        self.set_result(number, result);
        number
    }

    pub fn set_result(&mut self, number: u32, result: Operand<'a>) {
        let parts = self.node(result);
        let op = self.function.op(number);
        (op.result_type, op.result) = parts;
    }

    pub fn emit_op_data(&mut self, value: Operand<'a>) -> u32 {
        self.emit(Opcode::OP_DATA, value, Operand::NONE)
    }

    #[inline]
    pub fn op(&mut self, number: u32) -> &mut Op {
        self.function.op(number)
    }

    /// Number of the last opline.
    pub fn last(&self) -> u32 {
        self.function.next() - 1
    }

    #[inline]
    pub fn next(&self) -> u32 {
        self.function.next()
    }

    /// The last opline is of this opcode and has this result.
    pub fn last_op_is(&self, opcode: Opcode) -> bool {
        self.function
            .draft
            .ops
            .last()
            .is_some_and(|op| op.opcode == opcode as u8)
    }

    pub fn alloc_cache_slots(&mut self, slots: u32) -> u32 {
        self.function.cache_slots(slots)
    }

    /// Emits a JMP.
    pub fn emit_jump(&mut self, target: u32) -> u32 {
        self.emit(Opcode::JMP, Operand::Unused(target), Operand::NONE)
    }

    /// Emits a JMPZ or JMPNZ, fused with the comparison before it where that can be.
    pub fn emit_condition(&mut self, opcode: Opcode, condition: Operand<'a>, target: u32) -> u32 {
        if let Operand::Tmp(variable) = condition
            && let Some(op) = self.function.draft.ops.last_mut()
            && op.result_type == IS_TMP_VAR
            && op.result == variable
            && vm_runtime::generated::may_branch(op.opcode)
        {
            op.result_type |= if opcode == Opcode::JMPZ {
                IS_SMART_BRANCH_JMPZ
            } else {
                IS_SMART_BRANCH_JMPNZ
            };
        }
        self.emit(opcode, condition, Operand::Unused(target))
    }

    /// Lets a jump go to `target`.
    pub fn set_jump_target(&mut self, number: u32, target: u32) {
        let op = self.function.op(number);
        if op.opcode == Opcode::JMP as u8 {
            op.op1 = target;
        } else {
            op.op2 = target;
        }
    }

    /// Lets a jump go to the next opline.
    pub fn jump_here(&mut self, number: u32) {
        let target = self.next();
        self.set_jump_target(number, target);
    }

    /// Replaces an opline by NOP.
    pub fn make_nop(&mut self, number: u32) {
        let op = self.function.op(number);
        *op = Op::new(Opcode::NOP as u8, op.lineno);
    }

    /// An opline that is emitted when the variable around it is complete.
    pub fn delay(&mut self, opcode: Opcode, op1: Operand<'a>, op2: Operand<'a>) -> OpRef {
        let op = self.build(opcode, op1, op2);
        self.delayed.push(op);
        OpRef::Delayed(self.delayed.len() - 1)
    }

    pub fn op_ref(&mut self, reference: OpRef) -> &mut Op {
        match reference {
            OpRef::Emitted(number) => &mut self.function.draft.ops[number],
            OpRef::Delayed(number) => &mut self.delayed[number],
        }
    }

    /// Emits the oplines delayed since there were `start` of them; gives the last one.
    pub fn flush_delayed(&mut self, start: usize) -> Option<u32> {
        let mut last = None;
        for number in start..self.delayed.len() {
            let op = self.delayed[number];
            if op.opcode == Opcode::NOP as u8 {
                last = Some(op.extended_value);
            } else {
                last = Some(self.function.next());
                self.function.draft.ops.push(op);
            }
        }
        self.delayed.truncate(start);
        last
    }

    /// Releases a value that is not used; an opline that made it for this gives it up instead.
    pub fn free(&mut self, value: Operand<'a>) {
        let ops = &self.function.draft.ops;
        let skip =
            |op: &&Op| op.opcode == Opcode::END_SILENCE as u8 || op.opcode == Opcode::OP_DATA as u8;
        let skipped = ops.iter().rev().take_while(skip).count();
        let last = (ops.len()).checked_sub(skipped + 1);
        match value {
            Operand::Tmp(variable) => {
                if let Some(last) = last {
                    let op = &mut self.function.draft.ops[last];
                    if op.result_type == IS_TMP_VAR && op.result == variable && discard_result(op) {
                        return;
                    }
                }
                self.emit(Opcode::FREE, value, Operand::NONE);
            }
            Operand::Var(variable) => self.free_variable(value, variable, last),
            _ => {}
        }
    }

    fn free_variable(&mut self, value: Operand<'a>, variable: u32, last: Option<usize>) {
        let Some(last) = last else {
            return;
        };
        let op = &mut self.function.draft.ops[last];
        if op.result_type == IS_VAR && op.result == variable {
            let facts = vm_runtime::generated::facts::facts(op.opcode);
            if facts.is_some_and(|facts| facts.extended_is(ExtendedMeaning::Frameless)) {
                self.emit(Opcode::FREE, value, Operand::NONE);
                return;
            }
            if op.opcode == Opcode::FETCH_THIS as u8 {
                op.opcode = Opcode::NOP as u8;
            }
            op.result_type = IS_UNUSED;
            op.result = 0;
            if let Some((result, check)) = self.function.last_assert
                && result == variable
            {
                let op = self.function.op(check);
                op.result_type = IS_UNUSED;
                op.result = 0;
            }
            return;
        }
        for op in self.function.draft.ops[..=last].iter().rev() {
            let keeps =
                op.opcode == Opcode::FETCH_LIST_R as u8 || op.opcode == Opcode::FETCH_LIST_W as u8;
            if keeps && op.op1_type == IS_VAR && op.op1 == variable {
                self.emit(Opcode::FREE, value, Operand::NONE);
                return;
            }
            if op.result_type == IS_VAR && op.result == variable {
                if op.opcode == Opcode::NEW as u8 {
                    self.emit(Opcode::FREE, value, Operand::NONE);
                }
                return;
            }
        }
    }

    /// Adds the literals of a function name: as written, lower-cased.
    pub fn add_function_name(&mut self, name: &[u8]) -> u32 {
        let number = self.add_string_literal(name);
        if name.iter().any(u8::is_ascii_uppercase) {
            let mut scratch = std::mem::take(&mut self.scratch);
            scratch.clear();
            scratch.extend(name.iter().map(u8::to_ascii_lowercase));
            self.add_string_literal(&scratch);
            self.scratch = scratch;
        } else {
            let literals = &mut self.function.draft.literals;
            let same = literals[number as usize];
            literals.push(same);
        }
        number
    }

    /// Adds the literals of an unqualified function name in a namespace.
    pub fn add_namespaced_function_name(&mut self, name: &[u8]) -> u32 {
        let number = self.add_string_literal(name);
        let lowercase = name.to_ascii_lowercase();
        self.add_string_literal(&lowercase);
        let unqualified = lowercase.iter().rposition(|byte| *byte == b'\\');
        self.add_string_literal(unqualified.map_or(&lowercase[..], |at| &lowercase[at + 1..]));
        number
    }

    /// Adds the literals of a class name: as written, lower-cased.
    pub fn add_class_name(&mut self, name: &[u8]) -> u32 {
        self.add_function_name(name)
    }

    /// Adds the literals of a constant's name: as written, with the namespace lower-cased, and
    /// without it where the constant may be a global one.
    pub fn add_constant_name(&mut self, name: &[u8], unqualified: bool) -> u32 {
        let number = self.add_string_literal(name);
        let mut rest = name;
        if let Some(at) = name.iter().rposition(|byte| *byte == b'\\') {
            let mut lowercase = name.to_vec();
            lowercase[..at].make_ascii_lowercase();
            self.add_string_literal(&lowercase);
            if !unqualified {
                return number;
            }
            rest = &name[at + 1..];
        }
        self.add_string_literal(rest);
        number
    }

    /// Sets op1 of an opline to a class operand.
    pub fn set_class_op1(&mut self, number: u32, class: Operand<'a>) {
        let parts = match class {
            Operand::Const(Constant::String(name)) => (IS_CONST, self.add_class_name(name)),
            other => self.node(other),
        };
        let op = self.function.op(number);
        (op.op1_type, op.op1) = parts;
    }

    /// Fails with a fatal error at the current line.
    pub fn fail<T>(&mut self, message: impl AsRef<[u8]>) -> Result<T> {
        Err(Box::new(super::CompileError {
            is_syntax: false,
            message: message.as_ref().to_vec(),
            line: self.line,
            diagnostics: std::mem::take(&mut self.diagnostics),
        }))
    }

    /// Reports something that does not stop compilation.
    pub fn report(&mut self, severity: super::Severity, message: impl AsRef<[u8]>) {
        let line = self.line;
        self.diagnostics.push(super::Diagnostic {
            severity,
            message: message.as_ref().to_vec(),
            line,
        });
    }
}

/// Lets an opline not make its result; false if it can't do without.
fn discard_result(op: &mut Op) -> bool {
    use Opcode as O;
    let Some(opcode) = Opcode::from_number(op.opcode) else {
        return false;
    };
    let result = opcode.facts().result;
    match opcode {
        // What it makes has to be given up by nobody.
        _ if result.unwound == Unwinding::Nothing => return true,
        O::JMP_SET => return true,
        // The old value is what nobody wants: the same without it.
        O::POST_INC_STATIC_PROP => op.opcode = O::PRE_INC_STATIC_PROP as u8,
        O::POST_DEC_STATIC_PROP => op.opcode = O::PRE_DEC_STATIC_PROP as u8,
        O::POST_INC_OBJ => op.opcode = O::PRE_INC_OBJ as u8,
        O::POST_DEC_OBJ => op.opcode = O::PRE_DEC_OBJ as u8,
        O::POST_INC => op.opcode = O::PRE_INC as u8,
        O::POST_DEC => op.opcode = O::PRE_DEC as u8,
        _ if result.kinds & kind_bits::UNUSED == 0 => return false,
        _ => {}
    }
    op.result_type = IS_UNUSED;
    op.result = 0;
    true
}
