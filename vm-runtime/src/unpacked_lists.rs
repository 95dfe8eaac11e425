//! Lists that are made to be taken apart at once: `[$a, $b] = [$b, $a]`.
//!
//! The elements go to the temporaries that they would be fetched into, and no array is made, if each is assigned to a
//! variable of its own, which keeps it: what does not is destroyed with the array, behind all assignments. That is how
//! oplines are executed; dumps and bytecode files have them as they were compiled.

use crate::generated::Opcode;
use crate::infer::landings;
use crate::op::{ELEMENT_BY_REFERENCE, IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::op_array::Draft;
use crate::value::LONG;

/// Longer ones are left as they are.
const MOST_ELEMENTS: usize = 16;

/// A list whose elements are all fetched once, in straight code, and nothing else.
struct List {
    /// The oplines that give it its elements.
    elements: Vec<usize>,
    /// The opline that fetches each, and the one that takes what was fetched.
    fetches: Vec<Option<(usize, usize)>>,
    /// The opline that frees it.
    freed: usize,
}

/// Has the elements of such lists go where they are fetched to. Gives the oplines as they were, if any is changed.
pub fn unpack(draft: &mut Draft) -> Option<Vec<Op>> {
    if !draft.ops.iter().any(|op| is(op, Opcode::FETCH_LIST_R)) {
        return None;
    }
    let landings = landings(draft);
    let mut before = None;
    for number in 0..draft.ops.len() {
        let Some(list) = list_at(draft, &landings, number) else {
            continue;
        };
        before.get_or_insert_with(|| draft.ops.clone());
        list.replace(&mut draft.ops);
    }
    before
}

fn is(op: &Op, opcode: Opcode) -> bool {
    op.opcode == opcode as u8
}

/// Whether an opline has something to do with a temporary.
fn mentions(op: &Op, temporary: u32) -> bool {
    let is_it = |kind: u8, number| kind & (IS_TMP_VAR | IS_VAR) != 0 && number == temporary;
    is_it(op.op1_type, op.op1) || is_it(op.op2_type, op.op2) || is_it(op.result_type, op.result)
}

/// Whether an opline begins a list, or adds to one, with an element by value that has no key of its own.
fn is_plain_element(op: &Op) -> bool {
    op.op1_type != IS_UNUSED
        && op.op2_type == IS_UNUSED
        && op.result_type == IS_TMP_VAR
        && op.extended_value & ELEMENT_BY_REFERENCE == 0
}

/// The list that begins at an opline.
fn list_at(draft: &Draft, landings: &[bool], first: usize) -> Option<List> {
    let ops = &draft.ops;
    if !is(&ops[first], Opcode::INIT_ARRAY) || !is_plain_element(&ops[first]) {
        return None;
    }
    let array = ops[first].result;
    let mut elements = vec![first];
    let mut fetches: Vec<Option<(usize, usize)>> = Vec::new();
    for (number, op) in ops.iter().enumerate().skip(first + 1) {
        // Straight code: nothing leads into it, or out.
        if landings[number] {
            return None;
        }
        if !mentions(op, array) {
            continue;
        }
        if is(op, Opcode::FREE) {
            let list = List {
                elements,
                fetches,
                freed: number,
            };
            return list.is_taken_apart(ops).then_some(list);
        }
        if is(op, Opcode::ADD_ARRAY_ELEMENT) && is_plain_element(op) && fetches.is_empty() {
            elements.push(number);
        } else if is(op, Opcode::FETCH_LIST_R) && op.op1 == array && op.op2_type == IS_CONST {
            fetches.resize(elements.len(), None);
            let index = draft.literals.get(op.op2 as usize)?;
            let index = (index.kind() == LONG).then(|| index.long())?;
            let fetch = fetches.get_mut(usize::try_from(index).ok()?)?;
            let taken = taker(ops, number)?;
            if fetch.replace((number, taken)).is_some() {
                return None;
            }
        } else {
            return None;
        }
        if elements.len() > MOST_ELEMENTS {
            return None;
        }
    }
    None
}

/// The opline that assigns what one fetches to a variable: the next that has to do with it.
fn taker(ops: &[Op], fetch: usize) -> Option<usize> {
    let value = ops[fetch].result;
    let rest = ops.iter().enumerate().skip(fetch + 1);
    let (number, op) = rest.into_iter().find(|(_, op)| mentions(op, value))?;
    let is_assigned = is(op, Opcode::ASSIGN) && op.op2_type == IS_VAR && op.op2 == value;
    (is_assigned && op.op1_type == IS_CV).then_some(number)
}

impl List {
    /// Whether each element is fetched and assigned before the list is freed, to a temporary that is free until then.
    fn is_taken_apart(&self, ops: &[Op]) -> bool {
        let first = self.elements[0];
        let assigned = self
            .fetches
            .iter()
            .flatten()
            .map(|&(_, taken)| ops[taken].op1);
        let is_distinct = |(number, variable)| {
            assigned
                .clone()
                .skip(number + 1)
                .all(|other| other != variable)
        };
        self.fetches.len() == self.elements.len()
            && assigned.clone().enumerate().all(is_distinct)
            && self.fetches.iter().all(|fetch| {
                fetch.is_some_and(|(fetch, taken)| {
                    let value = ops[fetch].result;
                    taken < self.freed && !ops[first..fetch].iter().any(|op| mentions(op, value))
                })
            })
    }

    fn replace(&self, ops: &mut [Op]) {
        for (&element, &(fetch, taken)) in self.elements.iter().zip(self.fetches.iter().flatten()) {
            let value = ops[fetch].result;
            let op = &mut ops[element];
            op.opcode = Opcode::QM_ASSIGN as u8;
            op.extended_value = 0;
            op.result = value;
            make_nothing(&mut ops[fetch]);
            ops[taken].op2_type = IS_TMP_VAR;
        }
        make_nothing(&mut ops[self.freed]);
    }
}

fn make_nothing(op: &mut Op) {
    *op = Op {
        opcode: Opcode::NOP as u8,
        op1: 0,
        op2: 0,
        result: 0,
        extended_value: 0,
        op1_type: IS_UNUSED,
        op2_type: IS_UNUSED,
        result_type: IS_UNUSED,
        ..*op
    };
}
