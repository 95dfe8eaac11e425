//! What is known of the types of operands before a function runs, for the selection of handlers.
//!
//! A forward pass: each block begins with one set of types for each variable, the union of what the ways there
//! leave behind, until nothing changes. Temporaries are followed within a block. A variable that something may
//! reach by another way (a reference, its name, the global scope) is anything from there on. Nothing is
//! assumed that would have to be tested.
//!
//! Integers have two bits. *Small* ones come from literals below 2^60, lengths and the like, and from what
//! cannot outgrow them in the life of a process: a sum with a literal of at most 16, bits of small integers.
//! It takes 2^57 such oplines to get from there to 2^62, which are years. So a counter stays an integer,
//! and the sum of two small integers is one.

use vm_def::facts::{OpcodeFacts, OperandFacts, ResultFacts, TypeFacts, kind_bits};
use vm_def::grammar::ExtendedMeaning;
use vm_def::types::TypeMask;

use crate::function::{Parameter, PassBy, type_mask};
use crate::generated::Opcode;
use crate::op::{ELEMENT_BY_REFERENCE, IS_CONST, IS_CV, IS_TMP_VAR, IS_VAR, Op};
use crate::op_array::Draft;
use crate::string::PhpString;
use crate::value::{LONG, STRING, Zval};

mod blocks;
mod kept;
mod transfer;

use blocks::Blocks;
pub use blocks::landings;
pub use kept::calls_on_kept;

/// A set of types, with a bit of its own for small integers.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Types(u32);

impl Types {
    const NONE: Types = Types(0);
    const UNDEF: Types = Types(TypeMask::UNDEF.0);
    const NULL: Types = Types(TypeMask::NULL.0);
    const BOOL: Types = Types(TypeMask::BOOL.0);
    const LONG: Types = Types(TypeMask::LONG.0);
    const SMALL: Types = Types(1 << 20);
    const DOUBLE: Types = Types(TypeMask::DOUBLE.0);
    const STRING: Types = Types(TypeMask::STRING.0);
    const ARRAY: Types = Types(TypeMask::ARRAY.0);
    const NUMBER: Types = Types(Self::LONG.0 | Self::DOUBLE.0);
    const REFERENCE: Types = Types(TypeMask::REFERENCE.0);
    /// What a variable may hold that is no reference.
    const VALUE: Types = Types(TypeMask::PLAIN.0);
    const ANY: Types = Types(TypeMask::ANY.0);

    fn union(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    fn is_only(self, other: Types) -> bool {
        self.0 & !other.0 == 0
    }

    /// As others know it.
    fn mask(self) -> TypeMask {
        let long = if self.has(Self::SMALL) {
            Self::LONG.0
        } else {
            0
        };
        TypeMask(self.0 & TypeMask::ANY.0 | long)
    }

    /// What the definition says of an opcode's result.
    fn of_result(facts: &ResultFacts) -> Types {
        let types = Types(facts.types.0);
        match facts.small && types.has(Types::LONG) {
            true => types.without(Types::LONG).union(Types::SMALL),
            false => types,
        }
    }

    /// The type of a literal.
    fn of_literal(literal: &Zval) -> Types {
        const LARGEST: i64 = 1 << 60;
        match literal.kind() {
            LONG if (-LARGEST..LARGEST).contains(&literal.long()) => Types::SMALL,
            kind if kind < 10 => Types(1 << kind),
            _ => Types::ANY,
        }
    }
}

/// Whether a function, by its name as called, gets at the variables of who calls it.
fn reaches_variables(name: &[u8]) -> bool {
    const BY_NAME: [&[u8]; 5] = [
        b"compact",
        b"extract",
        b"get_defined_vars",
        b"parse_str",
        b"mb_parse_str",
    ];
    let own = name.rsplit(|byte| *byte == b'\\').next().unwrap_or(name);
    BY_NAME.iter().any(|known| own.eq_ignore_ascii_case(known))
}

/// Whether an opline gets at variables by their names. `literal` gives the literal of a CONST operand.
pub fn names_variables<'a>(op: &Op, literal: impl FnOnce(u32) -> Option<&'a Zval>) -> bool {
    let Some(facts) = facts(op) else { return true };
    let by_name = [ExtendedMeaning::VarFetch, ExtendedMeaning::Eval];
    if by_name
        .into_iter()
        .any(|meaning| facts.extended_is(meaning))
    {
        return true;
    }
    if !facts.effects.opens_call || op.op2_type != IS_CONST {
        return false;
    }
    let name = literal(op.op2).filter(|name| name.kind() == STRING);
    // SAFETY: I3: literals are live.
    name.is_some_and(|name| reaches_variables(unsafe { (*name.string()).as_bytes() }))
}

/// The variable that the library assigns to where a function has one.
const ASSIGNED_BY_LIBRARY: &[u8] = b"http_response_header";

/// Whether something gets at the variables of a function by their names: itself, or the library that it calls.
/// Nothing else ever gives its frames a symbol table.
pub fn has_named_variables(draft: &Draft) -> bool {
    let names = |op| names_variables(op, |number| draft.literals.get(number as usize));
    // SAFETY: I3: names of variables are live literals.
    let is_assigned = |name: &*mut PhpString| unsafe { (**name).as_bytes() } == ASSIGNED_BY_LIBRARY;
    draft.ops.iter().any(names) || draft.variables.iter().any(is_assigned)
}

/// What is proven for the operands of each opline of a finished draft; only of literals where nothing is to
/// be known of variables.
pub fn operand_types(draft: &Draft) -> Vec<TypeFacts> {
    let blocks = if hides_nothing(draft) {
        Blocks::of(draft)
    } else {
        None
    };
    let mut pass = Pass {
        draft,
        variables: vec![Types::ANY; draft.variables.len()],
        temporaries: vec![(0, Types::ANY); draft.temporaries as usize],
        visit: 0,
    };
    let starts = blocks.and_then(|blocks| blocks.settle(&mut pass));
    let mut facts = Vec::with_capacity(draft.ops.len());
    for (number, op) in draft.ops.iter().enumerate() {
        if let Some(start) = starts.as_ref().and_then(|starts| starts.at(number)) {
            pass.enter(start);
        }
        let known = |kind: u8, operand: u32| match starts.is_some() || kind == IS_CONST {
            true => pass.operand(kind, operand).mask(),
            false => TypeMask::ANY,
        };
        facts.push(TypeFacts {
            op1: known(op.op1_type, op.op1),
            op2: known(op.op2_type, op.op2),
        });
        if starts.is_some() {
            pass.execute(number, op);
        }
    }
    facts
}

/// Whether all that happens to variables is in the oplines, in an order that the blocks tell: top-level code has
/// the variables of everyone, and a `finally` block is run from where it does not stand.
fn hides_nothing(draft: &Draft) -> bool {
    let is_global = draft.name.is_null();
    let has_finally = draft
        .try_catch
        .iter()
        .any(|element| element.finally_op != 0);
    !is_global && !has_finally && !has_named_variables(draft)
}

fn facts(op: &Op) -> Option<&'static OpcodeFacts> {
    Opcode::from_number(op.opcode).map(Opcode::facts)
}

/// What is known at an opline.
struct Pass<'a> {
    draft: &'a Draft,
    variables: Vec<Types>,
    /// With the visit of a block in which it was written.
    temporaries: Vec<(u32, Types)>,
    visit: u32,
}

impl Pass<'_> {
    /// Begins a block.
    fn enter(&mut self, variables: &[Types]) {
        self.variables.copy_from_slice(variables);
        self.visit += 1;
    }

    /// The types that an operand may have.
    fn operand(&self, kind: u8, operand: u32) -> Types {
        let place = operand as usize;
        let known = match kind {
            IS_CONST => self.draft.literals.get(place).map(Types::of_literal),
            IS_CV => self.variables.get(place).copied(),
            IS_TMP_VAR | IS_VAR => {
                let written = self.temporaries.get(place);
                written
                    .filter(|(visit, _)| *visit == self.visit)
                    .map(|(_, types)| *types)
            }
            _ => None,
        };
        known.unwrap_or(Types::ANY)
    }

    /// Writes a variable; through the reference, if it may be one.
    fn assign(&mut self, variable: u32, types: Types) {
        if let Some(known) = self.variables.get_mut(variable as usize)
            && !known.has(Types::REFERENCE)
        {
            *known = types;
        }
    }

    /// A variable may have become anything.
    fn forget(&mut self, variable: u32) {
        if let Some(known) = self.variables.get_mut(variable as usize) {
            *known = Types::ANY;
        }
    }

    /// Notes what an opline writes.
    fn execute(&mut self, number: usize, op: &Op) {
        let Some(facts) = facts(op) else {
            self.variables.fill(Types::ANY);
            return;
        };
        if op.opcode == Opcode::OP_DATA as u8 {
            if op.op1_type == IS_CV && !is_data_read(&self.draft.ops, number) {
                self.forget(op.op1);
            }
            return;
        }
        let left = self.operand(op.op1_type, op.op1);
        let right = self.operand(op.op2_type, op.op2);
        let outcome = self.outcome(op, left, right);
        if op.op1_type == IS_CV && !is_read(op, facts, &facts.op1) {
            match outcome.variable {
                Some(types) => self.assign(op.op1, types),
                None => self.forget(op.op1),
            }
        }
        if op.op2_type == IS_CV && !facts.op2.read {
            match Opcode::from_number(op.opcode) {
                Some(Opcode::FE_FETCH_R) => self.assign(op.op2, Types::VALUE),
                _ => self.forget(op.op2),
            }
        }
        match op.result_type & 15 {
            IS_CV if matches!(Opcode::from_number(op.opcode), Some(Opcode::CATCH)) => {
                self.assign(op.result, outcome.result);
            }
            // An argument stands there without a variable before.
            IS_CV => {
                if let Some(known) = self.variables.get_mut(op.result as usize) {
                    *known = outcome.result;
                }
            }
            IS_TMP_VAR | IS_VAR => self.note(op.result, outcome.result),
            _ => {}
        }
        if facts.op2.defined && matches!(op.op2_type, IS_TMP_VAR | IS_VAR) {
            self.note(op.op2, Types::ANY);
        }
    }

    fn note(&mut self, temporary: u32, types: Types) {
        if let Some(known) = self.temporaries.get_mut(temporary as usize) {
            *known = (self.visit, types);
        }
    }

    /// What a parameter is once it was checked.
    fn parameter(&self, number: u32) -> Types {
        let parameters = &self.draft.parameters;
        let Some(parameter) = (number as usize)
            .checked_sub(1)
            .and_then(|at| parameters.get(at))
        else {
            return Types::ANY;
        };
        let Parameter {
            declared,
            pass_by,
            variadic,
            ..
        } = parameter;
        if *pass_by != PassBy::Value || *variadic {
            return Types::ANY;
        }
        // Neither `callable` nor `iterable` nor a class.
        let simple = type_mask::ANY;
        match declared {
            Some(declared)
                if declared.classes.is_empty()
                    && declared.mask != 0
                    && declared.mask & !simple == 0 =>
            {
                Types(declared.mask)
            }
            _ => Types::VALUE,
        }
    }
}

/// Whether the operand of an OP_DATA is only read, by the opline in front of it.
fn is_data_read(ops: &[Op], number: usize) -> bool {
    let before = number.checked_sub(1).map(|before| &ops[before]);
    let data = before.and_then(|op| facts(op)?.data);
    data.is_some_and(|data| data.read)
}

/// Whether op1 of an opline is only read: elements of array literals are, unless by reference.
fn is_read(op: &Op, facts: &OpcodeFacts, operand: &OperandFacts) -> bool {
    let is_element = facts.extended.contains(&ExtendedMeaning::Ref)
        && operand.kinds & kind_bits::CONST != 0
        && op.extended_value & ELEMENT_BY_REFERENCE == 0;
    operand.read || is_element
}
