//! What the generated clause tests need: runs one opline on given values in a real VM.

use std::cell::Cell;
use std::sync::Arc;

use vm_def::facts::{TypeFacts, kind_bits};
use vm_def::grammar::OplineField;
use vm_def::ir::{AbstractValue, Lowering, Machine, Outcome};

use crate::frame::{Frame, HEADER_SLOTS};
use crate::function::Function;
use crate::generated::Opcode;
use crate::generated::lowering::of_opline;
use crate::generated::selection::select;
use crate::op::{Handler, IS_CV, IS_TMP_VAR, IS_VAR, Op};
use crate::op_array::{Draft, LiteralPool};
use crate::value::{ARRAY, DOUBLE, FALSE, LONG, NULL, STRING, TRUE, UNDEF, Value, Zval, release};
use crate::vm::Vm;

mod paths;
mod samples;

pub use paths::compare;

/// Slots of the frame that oplines run in: operands, OP_DATA's and the result, with room.
const SLOTS: usize = 8;
const MEMORY_LIMIT: usize = 64 << 20;

thread_local! {
    /// The opline that was to be executed after the tested one.
    static STOPPED_AT: Cell<*const Op> = const { Cell::new(std::ptr::null()) };
}

/// Stands behind the tested opline and in the handler of exceptions: ends the interpreter.
unsafe extern "C-unwind" fn stop(_: *mut Frame, opline: *const Op, _: *mut Vm) -> *const Op {
    STOPPED_AT.set(opline);
    std::ptr::null()
}

/// Runs single oplines.
pub struct Harness {
    vm: Box<Vm>,
    function: Box<Function>,
    _pool: LiteralPool,
}

impl Harness {
    /// A VM that shows no warnings and stops when something is thrown.
    pub fn new() -> Harness {
        let mut vm = Vm::new(MEMORY_LIMIT);
        vm.ini_set("error_reporting", b"0")
            .expect("a known setting");
        for op in vm.exception_ops.iter_mut() {
            op.handler = stop;
        }
        let mut pool = LiteralPool::new();
        let mut draft = Draft::new(pool.string(b"test.php"));
        draft.variables = ["a", "b", "result", "data"]
            .map(|name| pool.string(name.as_bytes()))
            .into();
        let code = Arc::new(draft.publish(&mut pool).expect("an empty draft"));
        let function = Box::new(Function::for_code(&code, std::ptr::null_mut()));
        Harness {
            vm,
            function,
            _pool: pool,
        }
    }

    /// The lowering of the opline that [`Harness::run`] runs.
    pub fn lowering(&self, opcode: Opcode) -> &'static Lowering {
        of_opline(&opline(opcode), None).expect("an opline with a handler")
    }

    /// Runs the opcode with this handler, or with the one that is selected by the types. What
    /// throws is an exit.
    pub fn run(
        &mut self,
        opcode: Opcode,
        handler: Option<Handler>,
        types: TypeFacts,
        start: &Machine,
    ) -> (Outcome, Machine) {
        let alive = self.vm.heap.live();
        let ended = self.run_once(opcode, handler, types, start);
        // What is kept from the first time on is no leak.
        if self.vm.heap.live() != alive {
            let alive = self.vm.heap.live();
            self.run_once(opcode, handler, types, start);
            assert_eq!(
                self.vm.heap.live(),
                alive,
                "{opcode:?} left something: {start:?}"
            );
        }
        ended
    }

    fn run_once(
        &mut self,
        opcode: Opcode,
        handler: Option<Handler>,
        types: TypeFacts,
        start: &Machine,
    ) -> (Outcome, Machine) {
        let facts = opcode.facts();
        let mut op = opline(opcode);
        op.extended_value = start.extended;
        op.handler = handler
            .or_else(|| select(&op, None, types))
            .expect("a handler");
        if facts.effects.jumps_op2 {
            op.op2 = 2 * size_of::<Op>() as u32;
        }
        // The next opline, and the one that jumps lead to.
        let end = Op {
            handler: stop,
            ..op
        };
        let ops = [op, end, end];
        let mut memory = [Zval::UNDEF; HEADER_SLOTS as usize + SLOTS];
        let frame = memory.as_mut_ptr().cast::<Frame>();
        let vm: *mut Vm = &mut *self.vm;
        // SAFETY: frame, oplines and VM live until the end of this function; the operands own
        // their values as invariant I3 wants it.
        unsafe {
            (*frame).function = &*self.function;
            *(*frame).slot(0) = into_zval(&mut *vm, &start.op1);
            *(*frame).slot(1) = into_zval(&mut *vm, &start.op2);
            (*vm).current_frame = frame;
            STOPPED_AT.set(std::ptr::null());
            let mut opline = ops.as_ptr();
            while !opline.is_null() {
                opline = ((*opline).handler)(frame, opline, vm);
            }
            (*vm).current_frame = std::ptr::null_mut();
            drop((*vm).take_exception());
            let stopped = STOPPED_AT.get();
            let outcome = match ops.iter().position(|op| std::ptr::eq(op, stopped)) {
                Some(1) => Outcome::Next,
                Some(_) => Outcome::Jumped(OplineField::Op2),
                None => Outcome::Exit,
            };
            let machine = Machine {
                // An operand that is only read may have been freed.
                op1: match facts.op1.written {
                    true => from_zval(&*(*frame).slot(0)),
                    false => AbstractValue::Undef,
                },
                op2: AbstractValue::Undef,
                result: from_zval(&*(*frame).slot(2)),
                extended: start.extended,
            };
            let operands = [
                (0, op.op1_type, facts.op1.consumed),
                (1, op.op2_type, facts.op2.consumed),
            ];
            for (number, kind, is_consumed) in operands {
                if kind & (IS_CV | IS_VAR) != 0 || kind == IS_TMP_VAR && !is_consumed {
                    release((*frame).slot(number));
                }
            }
            release((*frame).slot(2));
            (outcome, machine)
        }
    }
}

/// The tested opline: two operands and the result in slots, as far as the opcode allows.
fn opline(opcode: Opcode) -> Op {
    let facts = opcode.facts();
    let kind = |kinds: u8| {
        let order = [
            kind_bits::TMP,
            kind_bits::CV,
            kind_bits::VAR,
            kind_bits::CONST,
        ];
        order.into_iter().find(|bit| kinds & bit != 0).unwrap_or(0)
    };
    let offset = |slot: u32| (HEADER_SLOTS + slot) * size_of::<Zval>() as u32;
    Op {
        handler: stop,
        op1: offset(0),
        op2: offset(1),
        result: offset(2),
        extended_value: 0,
        lineno: 1,
        opcode: opcode as u8,
        op1_type: kind(facts.op1.kinds),
        op2_type: kind(facts.op2.kinds),
        result_type: kind(facts.result.kinds),
    }
}

/// A value that the slot owns.
fn into_zval(vm: &mut Vm, value: &AbstractValue) -> Zval {
    let value: Value = match value {
        AbstractValue::Undef | AbstractValue::Opaque(_) => return Zval::UNDEF,
        AbstractValue::Null => Value::NULL,
        AbstractValue::Bool(value) => (*value).into(),
        AbstractValue::Long(value) => (*value).into(),
        AbstractValue::Double(value) => (*value).into(),
        AbstractValue::String(bytes) => vm.string(bytes).into(),
        AbstractValue::Array(elements) => {
            let mut array = vm.new_array();
            for element in elements {
                // SAFETY: the fresh value's only share goes to the array.
                let element = unsafe { Value::from_zval(into_zval(vm, element)) };
                array.make_mut(vm).push(element).expect("a short array");
            }
            array.into()
        }
    };
    value.into_zval()
}

fn from_zval(value: &Zval) -> AbstractValue {
    match value.kind() {
        UNDEF => AbstractValue::Undef,
        NULL => AbstractValue::Null,
        FALSE => AbstractValue::Bool(false),
        TRUE => AbstractValue::Bool(true),
        LONG => AbstractValue::Long(value.long()),
        DOUBLE => AbstractValue::Double(value.double()),
        STRING => AbstractValue::String(value.as_bytes().unwrap_or_default().to_vec()),
        // SAFETY: I3: the slot owns a live array.
        ARRAY => AbstractValue::Array(
            unsafe { (*value.array()).iter() }
                .map(|(_, element)| from_zval(element))
                .collect(),
        ),
        kind => AbstractValue::Opaque(kind),
    }
}
