//! What is known of functions, classes and oplines when code is made.
//!
//! It is read while translating and becomes part of the graph, so that passes look at no memory.

use vm_def::ir::{Field, Intrinsic, Structure};
use vm_runtime::class::Class;
use vm_runtime::function::{Function, class_flags};
use vm_runtime::interpreter::intrinsics;
use vm_runtime::op::Op;

use super::Translator;
use crate::graph::{Operation, Type, Where, Write, Written};

impl Translator<'_> {
    /// Notes what the fields of a structure hold that an operation reads, and those of a function that it writes
    /// to a frame.
    pub(super) fn note_structure(&mut self, operation: &Operation) {
        let (structure, address) = match operation {
            Operation::LoadField(field, base) => (field.facts().structure, *base),
            Operation::StoreField(field, _, value) if is_function_of_frame(*field) => {
                (Structure::Function, *value)
            }
            _ => return,
        };
        let held: fn(Field, u64) -> Option<i64> = match structure {
            Structure::Function => held_by_function,
            Structure::Class => held_by_class,
            Structure::Opline => held_by_opline,
            _ => return,
        };
        let Some(address) = self.graph.address(address) else {
            return;
        };
        let base = Where::Address(address);
        if address == 0 || self.graph.facts.iter().any(|fact| fact.base == base) {
            return;
        }
        let facts = Field::of(structure).filter_map(|field| {
            let value = Written::Long(held(field, address)?);
            Some(Write { field, base, value })
        });
        self.graph.facts.extend(facts);
    }

    /// The bytes that the frame of a known function takes for a known number of arguments are known.
    pub(super) fn fold_frame_bytes(&self, operation: &mut Operation) {
        if let Operation::Intrinsic(Intrinsic::FrameBytes, arguments) = operation
            && let [function, count] = arguments.as_slice()
            && let (Some(address), Some(count)) =
                (self.graph.address(*function), self.graph.long(*count))
            && address != 0
        {
            *operation = frame_bytes(address as *const Function, count);
        }
    }
}

/// The bytes that the frame of a function takes for so many arguments.
pub(super) fn frame_bytes(function: *const Function, count: i64) -> Operation {
    // SAFETY: I4: what frames are made for is a function, and functions live.
    Operation::Long(unsafe { intrinsics::frame_bytes(function.cast_mut(), count) })
}

fn is_function_of_frame(field: Field) -> bool {
    field.facts().structure == Structure::Frame && field.facts().name == "function"
}

/// What a field of all closures holds that run the same copy of oplines as the function that they are copies of.
pub(super) fn held_by_closures(field: Field, prototype: *const Function) -> Option<Operation> {
    let facts = field.facts();
    if facts.structure != Structure::Function || facts.name == "cache" {
        return None;
    }
    let value = held_by_function(field, prototype as u64)?;
    Some(match Type::of(facts.kind.representation()) {
        Type::Bool => Operation::Bool(value != 0),
        Type::Address => Operation::Literal(value as u64),
        Type::Long | Type::Double => Operation::Long(value),
    })
}

/// What a field of a function holds that does not change once the function has been called.
fn held_by_function(field: Field, address: u64) -> Option<i64> {
    // SAFETY: I4: what fields of a function are read of is a function, and functions live.
    let function = unsafe { &*(address as *const Function) };
    Some(match field.facts().name {
        "parameters" => i64::from(function.parameter_count),
        "variables" => i64::from(function.variables),
        "flags" => i64::from(function.flags),
        "passing" => i64::from(function.quick_arguments),
        "is_user" => i64::from(function.is_user),
        "scope" => function.scope as i64,
        "cache" if !function.run_time_cache.is_null() => function.run_time_cache as i64,
        // Not before it is the VM's own copy that runs.
        "ops" if !function.run_time_cache.is_null() && is_copied(function) => function.ops as i64,
        _ => return None,
    })
}

/// What a field of a class holds that does not change once it has had an instance. Flags may be added to others, but
/// clauses ask for the one that says so.
fn held_by_class(field: Field, address: u64) -> Option<i64> {
    // SAFETY: I4: what fields of a class are read of is a class, and classes live.
    let class = unsafe { &*(address as *const Class) };
    if class.flags & class_flags::PLAIN_INSTANCES == 0 {
        return None;
    }
    Some(match field.facts().name {
        "flags" => i64::from(class.flags),
        "constructor" => class.magic.construct as i64,
        _ => return None,
    })
}

/// What a field of an opline holds for good.
fn held_by_opline(field: Field, address: u64) -> Option<i64> {
    // SAFETY: I4: what fields of an opline are read of is an opline of the unit, whose code lives as long.
    let opline = unsafe { &*(address as *const Op) };
    (field.facts().name == "opcode").then(|| i64::from(opline.opcode))
}

/// Whether a function runs in the VM's own copy of its oplines, for good.
fn is_copied(function: &Function) -> bool {
    let code = function.code.as_ref();
    code.is_some_and(|code| code.ops() != function.ops)
}
