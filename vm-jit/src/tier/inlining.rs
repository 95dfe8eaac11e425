//! Which calls are inlined into a unit.

use hashbrown::HashMap;
use vm_def::facts::ResultPlace;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::flags;
use vm_runtime::generated::Opcode;
use vm_runtime::interpreter::MOST_INLINED_SLOTS;
use vm_runtime::op::{IS_CONST, Op};
use vm_runtime::op_array::OpArray;

use super::Unit;
use super::units::Units;
use crate::graph::Slot;
use crate::translate::{self, Body, Call, Called, Code, is_compiled};

/// Oplines of a function that is inlined, those aside that were never executed.
const MOST_INLINED: usize = 40;
/// Oplines of all functions that are inlined into a unit.
const MOST_TOGETHER: usize = 240;
/// A function that calls itself stands in itself so often, one within the other.
const MOST_WITHIN: usize = 1;

/// The code of a unit with the functions that are inlined, and the unit of each part.
pub fn with_inlined<'u>(
    units: &'u Units,
    by_code: &HashMap<*const OpArray, u32>,
    number: u32,
    cache: *const u8,
) -> (Code<'u>, Vec<u32>) {
    let unit = &units[number as usize];
    let mut code = Code::new(&unit.code, unit.copy.slice(), &unit.profile, cache);
    let mut members = vec![number];
    let own = unit.code.slots();
    let mut room = MOST_TOGETHER;
    let mut part = 0;
    while part < members.len() {
        for (prepared, made) in code.body(part).calls().to_vec() {
            let caller = &units[members[part] as usize];
            let Some((call, callee)) = find(units, by_code, caller, (prepared, made)) else {
                continue;
            };
            let unit = &units[callee as usize];
            let executed = unit.executed();
            if executed > MOST_INLINED.min(room)
                || around(&code, &members, part, callee) > MOST_WITHIN
            {
                continue;
            }
            // From the unit's frame on.
            let frame = match code.call(part) {
                Some(own) => own.frame.0 + call.frame.0,
                None => call.frame.0 - HEADER_SLOTS,
            };
            let frame = Slot(frame);
            let end = frame.0 + HEADER_SLOTS + unit.code.slots();
            if end > own + MOST_INLINED_SLOTS {
                continue;
            }
            let body = Body::new(&unit.code, unit.copy.slice());
            let call = Call { frame, ..call };
            if code.inline(part, call, body, &unit.profile).is_some() {
                members.push(callee);
                room -= executed;
            }
        }
        part += 1;
    }
    (code, members)
}

/// The oplines of a unit that make calls of others which would be inlined, and the units that are called.
pub fn inlined_calls(
    units: &Units,
    by_code: &HashMap<*const OpArray, u32>,
    number: u32,
) -> Vec<(u32, u32)> {
    let unit = &units[number as usize];
    let (calls, _) = translate::calls(unit.copy.slice());
    let inlined = calls.into_iter().filter_map(|call| {
        let (_, callee) = find(units, by_code, unit, call)?;
        let is_small = callee != number && units[callee as usize].executed() <= MOST_INLINED;
        is_small.then_some((call.1, callee))
    });
    inlined.collect()
}

/// How often a function is among those that call each other up to a part.
fn around(code: &Code<'_>, members: &[u32], part: usize, callee: u32) -> usize {
    let callers = std::iter::successors(Some(part), |part| code.caller(*part));
    callers.filter(|part| members[*part] == callee).count()
}

/// The call between two oplines, its frame counted from the caller's, and the unit of the function. None if
/// it is not to be inlined.
fn find(
    units: &Units,
    by_code: &HashMap<*const OpArray, u32>,
    caller: &Unit,
    (prepared, made): (u32, u32),
) -> Option<(Call, u32)> {
    let Called {
        function,
        distance,
        closure,
    } = caller.profile.callee(made)?;
    if caller.profile.is_weak(prepared) || caller.profile.is_weak(made) {
        return None;
    }
    // SAFETY: I4: functions that were called by their name live as long as the VM; others are kept by the profile.
    let called = unsafe { &*function };
    let number = *by_code.get(&called.code.as_ref().map(std::sync::Arc::as_ptr)?)?;
    let callee = &units[number as usize];
    let ops = caller.copy.slice();
    let arguments = ops[prepared as usize].extended_value;
    // A literal as the second operand names the parameter.
    let is_uncounted = |op: &Op| {
        let facts = Opcode::from_number(op.opcode).map(Opcode::facts);
        let sends = facts.is_some_and(|facts| facts.result.place == ResultPlace::Argument);
        let sends_more = facts.is_some_and(|facts| facts.effects.moves_call);
        sends_more || sends && op.op2_type == IS_CONST
    };
    let fits = called.ops == callee.copy.ops()
        // The frame of a generator is taken over by it.
        && called.flags & flags::GENERATOR == 0
        && !called.run_time_cache.is_null()
        && callee.profile.is_observed()
        && callee.loops.is_empty()
        && callee.code.draft.try_catch.is_empty()
        && arguments <= called.parameter_count
        && (HEADER_SLOTS..HEADER_SLOTS + caller.code.slots() + MOST_INLINED_SLOTS).contains(&distance)
        && !ops[prepared as usize..made as usize]
            .iter()
            .any(is_uncounted);
    if !fits || !callee.is_all_compiled() {
        return None;
    }
    let call = Call {
        prepared,
        made,
        function,
        closure,
        arguments,
        frame: Slot(distance),
    };
    Some((call, number))
}

impl Unit {
    /// How many of its oplines have been executed, those aside that are passed.
    pub(super) fn executed(&self) -> usize {
        let numbers = self.passed..self.code.len() as u32;
        numbers
            .filter(|number| self.profile.is_seen(*number))
            .count()
    }

    /// Whether compiled code does all that has been executed without the interpreter.
    fn is_all_compiled(&self) -> bool {
        let ops = self.copy.slice();
        let mut numbers =
            (0..self.code.len() as u32).filter(|number| self.profile.is_seen(*number));
        numbers.all(|number| is_compiled(&ops[number as usize], ops.get(number as usize + 1)))
    }
}
