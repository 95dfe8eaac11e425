//! One op array as the translator sees it: operands, ways on, loops, calls, live temporaries. Oplines and
//! slots have the numbers that they have in it.

use std::collections::BTreeMap;

use smallvec::{SmallVec, smallvec};
use vm_def::facts::OpcodeFacts;
use vm_def::grammar::OplineField;
use vm_def::ir::Lowering;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::flags::{self, HAS_TYPE_HINTS};
use vm_runtime::generated::Opcode;
use vm_runtime::generated::lowering::of_opline;
use vm_runtime::infer;
use vm_runtime::op::{
    IS_CONST, IS_CV, IS_SMART_BRANCH_JMPNZ, IS_SMART_BRANCH_JMPZ, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op,
};
use vm_runtime::op_array::{Draft, OpArray};
use vm_runtime::value::{ARRAY, FALSE, STRING, TRUE, Zval};

use super::unread::{self, Use};
use crate::graph::Slot;

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// There is none, or the field is a number.
    None,
    /// A literal, by its address.
    Literal(*const Zval),
    /// A slot of the frame.
    Slot(Slot),
}

/// Where execution may go on.
pub type Successors = SmallVec<[u32; 4]>;

/// So many oplines at the end of a loop are a short test.
const MOST_TESTED: u32 = 8;

/// The oplines of a function, in the VM's own copy.
#[derive(Debug)]
pub struct Body<'a> {
    ops: &'a [Op],
    array: &'a OpArray,
    /// Whether something jumps there, for each opline.
    leaders: Vec<bool>,
    /// Loops by header: the last opline that jumps back.
    loops: Vec<(u32, u32)>,
    /// Live temporaries before each opline, a bit each.
    live: Vec<u64>,
    live_words: usize,
    /// Calls: where they are prepared and made.
    calls: Vec<(u32, u32)>,
    /// Before each opline, the innermost call that is being prepared, counted from one.
    preparing: Vec<u32>,
    /// What it does with its variables, if they are its own.
    uses: Vec<Use>,
    /// Something gets at its variables by their names.
    has_named_variables: bool,
}

/// The bits of `result_type` that are the kind.
pub const KIND: u8 = 15;

/// The slot of an operand of this kind, if it has one.
pub fn operand_slot(kind: u8, field: u32) -> Option<Slot> {
    matches!(kind, IS_TMP_VAR | IS_VAR | IS_CV)
        .then(|| Slot(field / size_of::<Zval>() as u32 - HEADER_SLOTS))
}

/// The literal that an operand of an opline is.
pub fn literal(op: &Op, field: u32) -> *const Zval {
    let opline = (&raw const *op).cast::<u8>();
    opline.wrapping_offset(field as i32 as isize).cast()
}

/// Whether code runs with an object; none if that depends on the call, as for closures and for functions, which may be
/// made closures that are bound to an object.
pub fn has_this(draft: &Draft) -> Option<bool> {
    let is_method = draft.flags & flags::VISIBILITY != 0 && draft.flags & flags::CLOSURE == 0;
    match draft.flags & flags::STATIC {
        0 => is_method.then_some(true),
        _ => Some(false),
    }
}

impl<'a> Body<'a> {
    /// Looks at the oplines of `array` that stand in `ops`.
    pub fn new(array: &'a OpArray, ops: &'a [Op]) -> Body<'a> {
        let (calls, preparing) = calls(ops);
        let mut code = Body {
            ops,
            array,
            leaders: vec![false; ops.len()],
            loops: Vec::new(),
            live: Vec::new(),
            live_words: array.draft.temporaries.div_ceil(64) as usize,
            calls,
            preparing,
            uses: Vec::new(),
            has_named_variables: infer::has_named_variables(&array.draft),
        };
        if code.is_function() && !code.has_named_variables {
            code.uses = unread::uses(ops, code.variables());
        }
        let successors: Vec<Successors> = (0..code.len())
            .map(|number| code.successors(number))
            .collect();
        code.find_jumps(&successors);
        code.find_live(successors);
        code
    }

    /// Number of oplines.
    #[allow(clippy::len_without_is_empty, reason = "an op array is never empty")]
    pub fn len(&self) -> u32 {
        self.ops.len() as u32
    }

    /// The opline with this number.
    pub fn op(&self, number: u32) -> &'a Op {
        &self.ops[number as usize]
    }

    /// Number of compiled variables.
    pub fn variables(&self) -> u32 {
        self.array.draft.variables.len() as u32
    }

    /// Number of slots.
    pub fn slots(&self) -> u32 {
        self.array.slots()
    }

    /// What is known about the opcode.
    pub fn facts(&self, number: u32) -> Option<&'static OpcodeFacts> {
        Opcode::from_number(self.op(number).opcode).map(Opcode::facts)
    }

    /// Where op1 is.
    pub fn op1(&self, number: u32) -> Operand {
        let op = self.op(number);
        self.place(op, op.op1_type, op.op1)
    }

    /// Where op2 is.
    pub fn op2(&self, number: u32) -> Operand {
        let op = self.op(number);
        self.place(op, op.op2_type, op.op2)
    }

    /// Where the operand of OP_DATA is.
    pub fn data(&self, number: u32) -> Operand {
        self.op1(number + 1)
    }

    /// The address of an opline.
    pub fn address(&self, number: u32) -> u64 {
        &raw const self.ops[number as usize] as u64
    }

    /// What the opline means.
    pub fn lowering(&self, number: u32) -> Option<&'static Lowering> {
        let next = self.ops.get(number as usize + 1);
        of_opline(self.op(number), next)
    }

    /// Where the result goes.
    pub fn result(&self, number: u32) -> Operand {
        let op = self.op(number);
        self.place(op, op.result_type & KIND, op.result)
    }

    fn place(&self, op: &Op, kind: u8, field: u32) -> Operand {
        match kind {
            IS_CONST => Operand::Literal(literal(op, field)),
            _ => operand_slot(kind, field).map_or(Operand::None, Operand::Slot),
        }
    }

    /// The opline that a jump field leads to.
    pub fn target(&self, number: u32, field: OplineField) -> u32 {
        let op = self.op(number);
        let offset = match field {
            OplineField::Op1 => op.op1,
            OplineField::Op2 => op.op2,
            OplineField::Extended => op.extended_value,
        };
        self.at_offset(number, offset as i32)
    }

    fn at_offset(&self, number: u32, offset: i32) -> u32 {
        (number as i32 + offset / size_of::<Op>() as i32) as u32
    }

    /// The jump that the opline takes itself: its target, and whether it jumps on true.
    pub fn smart_branch(&self, number: u32) -> Option<(u32, bool)> {
        let kind = self.op(number).result_type;
        if kind & (IS_SMART_BRANCH_JMPZ | IS_SMART_BRANCH_JMPNZ) == 0 {
            return None;
        }
        let target = self.target(number + 1, OplineField::Op2);
        Some((target, kind & IS_SMART_BRANCH_JMPNZ != 0))
    }

    /// Whether the result goes to the variable of the ASSIGN that follows, which is skipped.
    pub fn is_fused(&self, number: u32) -> bool {
        unread::is_fused(self.op(number))
    }

    /// Whether an OP_DATA belongs to the opline.
    pub fn has_data(&self, number: u32) -> bool {
        self.facts(number).is_some_and(|facts| facts.data.is_some())
    }

    /// Whether it has variables that nobody reads.
    pub fn has_unread(&self) -> bool {
        self.uses.iter().any(|of| *of != Use::Read)
    }

    /// Whether something gets at its variables by their names.
    pub fn has_named_variables(&self) -> bool {
        self.has_named_variables
    }

    /// What it does with a slot; others may look at the script's variables.
    pub fn use_of(&self, slot: Slot) -> Use {
        self.uses.get(slot.0 as usize).copied().unwrap_or(Use::Read)
    }

    /// Whether its variables are the script's, which anyone may write.
    pub fn is_top_level(&self) -> bool {
        self.array.draft.name.is_null()
    }

    /// The opline behind this one, its OP_DATA and what it does on behalf of others.
    pub fn following(&self, number: u32) -> u32 {
        let has_data = self.has_data(number);
        let fused = self.is_fused(number) || self.smart_branch(number).is_some();
        number + 1 + u32::from(has_data) + u32::from(fused)
    }

    /// Where execution may go on behind the opline, exceptions aside.
    pub fn successors(&self, number: u32) -> Successors {
        let Some(facts) = self.facts(number) else {
            return Successors::new();
        };
        let op = self.op(number);
        let mut successors = Successors::new();
        if !facts.effects.terminal {
            successors.push(self.following(number));
        }
        if facts.effects.jumps_op1 && op.op1_type == IS_UNUSED {
            successors.push(self.target(number, OplineField::Op1));
        }
        if facts.effects.jumps_op2 && op.op2_type == IS_UNUSED {
            successors.push(self.target(number, OplineField::Op2));
        }
        if facts.effects.jumps_extended {
            successors.push(self.target(number, OplineField::Extended));
            successors.extend(self.jump_table(number));
        }
        if facts.effects.skips_call
            && let Some(next) = self.facts(number + 1)
            && next.effects.closes_call
        {
            successors.push(self.following(number + 1));
        }
        successors.extend(self.smart_branch(number).map(|(target, _)| target));
        successors.retain(|&mut next| next < self.len());
        successors
    }

    fn jump_table(&self, number: u32) -> Vec<u32> {
        let Operand::Literal(literal) = self.op2(number) else {
            return Vec::new();
        };
        // SAFETY: I4: the offset of a CONST operand leads to a literal; I3: its array is live.
        unsafe {
            if (*literal).kind() != ARRAY {
                return Vec::new();
            }
            let table = &*(*literal).array();
            table
                .iter()
                .map(|(_, offset)| self.at_offset(number, offset.long() as i32))
                .collect()
        }
    }

    /// Where calls are prepared and where they are made.
    pub fn calls(&self) -> &[(u32, u32)] {
        &self.calls
    }

    /// Where the innermost call is prepared and made that is being prepared before an opline.
    pub fn preparing(&self, number: u32) -> Option<(u32, u32)> {
        let call = self.preparing.get(number as usize)?.checked_sub(1)?;
        Some(self.calls[call as usize])
    }

    /// The op array.
    pub fn array(&self) -> &'a OpArray {
        self.array
    }

    /// The oplines.
    pub fn ops(&self) -> &'a [Op] {
        self.ops
    }

    fn find_jumps(&mut self, successors: &[Successors]) {
        for (number, successors) in (0..).zip(successors) {
            let following = self.following(number);
            for &target in successors {
                if target != following || target != number + 1 {
                    self.leaders[target as usize] = true;
                }
                if target <= number {
                    self.loops.push((target, number));
                }
            }
        }
        for element in &self.array.draft.try_catch {
            for handler in [element.catch_op, element.finally_op] {
                if let Some(is_leader) = self.leaders.get_mut(handler as usize) {
                    *is_leader = true;
                }
            }
        }
        self.loops.sort_unstable();
        self.loops.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = earlier.1.max(later.1);
            }
            same
        });
    }

    /// Whether several ways may lead to the opline.
    pub fn is_leader(&self, number: u32) -> bool {
        self.leaders.get(number as usize) == Some(&true)
    }

    /// The last opline of the loop that begins at this one.
    pub fn loop_end(&self, number: u32) -> Option<u32> {
        let found = self
            .loops
            .binary_search_by_key(&number, |&(header, _)| header);
        found.ok().map(|index| self.loops[index].1)
    }

    /// The beginning of the loop that is entered behind it on the way from one opline to another, at a short test that
    /// it ends with.
    pub fn entered_loop(&self, from: u32, to: u32) -> Option<u32> {
        let is_entered = |&(first, last): &(u32, u32)| {
            let is_end = first < to && to <= last && last - to < MOST_TESTED;
            is_end && !(first..=last).contains(&from)
        };
        let entered = self.loops.iter().copied().rfind(is_entered)?;
        let has_loop = (to..=entered.1).any(|number| self.loop_end(number).is_some());
        (!has_loop).then_some(entered.0)
    }

    /// Whether an opline stands in a loop that nothing leaves but an exception.
    pub fn is_endless(&self, number: u32) -> bool {
        let goes_on = |inside: u32, (first, last): (u32, u32)| {
            let next = self.likely_successors(inside);
            !next.is_empty() && next.iter().all(|next| (first..=last).contains(next))
        };
        let mut loops = self.loops.iter().copied();
        loops.any(|(first, last)| {
            let is_inside = (first..=last).contains(&number);
            is_inside && (first..=last).all(|inside| goes_on(inside, (first, last)))
        })
    }

    /// Where execution goes on behind an opline, given that a jump may ask for a literal.
    fn likely_successors(&self, number: u32) -> Successors {
        let op = self.op(number);
        let jumps_on = match Opcode::from_number(op.opcode) {
            Some(Opcode::JMPZ) => FALSE,
            Some(Opcode::JMPNZ) => TRUE,
            _ => return self.successors(number),
        };
        let Operand::Literal(literal) = self.op1(number) else {
            return self.successors(number);
        };
        // SAFETY: I4: the offset of a CONST operand leads to a literal.
        match unsafe { (*literal).kind() } {
            kind if kind == jumps_on => smallvec![self.target(number, OplineField::Op2)],
            FALSE | TRUE => smallvec![self.following(number)],
            _ => self.successors(number),
        }
    }

    /// The first oplines of all loops.
    pub fn loop_headers(&self) -> impl Iterator<Item = u32> {
        self.loops.iter().map(|&(header, _)| header)
    }

    /// The first opline behind those that receive arguments: every call executes it.
    pub fn entry(&self) -> u32 {
        first_counted(self.ops)
    }

    /// Whether it has variables of its own, which are not those of who includes it.
    pub fn is_function(&self) -> bool {
        !self.array.draft.name.is_null()
    }

    /// Whether calls begin at the first opline, since arguments have types to be checked.
    pub fn begins_at_first(&self) -> bool {
        self.array.draft.flags & HAS_TYPE_HINTS != 0
    }

    /// The oplines that receive arguments with a default value.
    pub fn defaults(&self) -> Vec<u32> {
        let has_default = |number: &u32| self.op(*number).opcode == Opcode::RECV_INIT as u8;
        (0..self.entry()).filter(has_default).collect()
    }

    /// The variables that are assigned from an opline on before anything else is done with them, as far as one
    /// way leads on, or that of another element.
    pub fn overwritten_from(&self, mut number: u32) -> Vec<Slot> {
        let mut read = Vec::new();
        let mut overwritten = Vec::new();
        loop {
            let opcode = self.op(number).opcode;
            let fetches = opcode == Opcode::FE_FETCH_R as u8;
            let (op1, op2) = (self.op1(number), self.op2(number));
            let (target, operands) = match opcode {
                _ if fetches => (op2, [op1, Operand::None]),
                _ if opcode == Opcode::ASSIGN as u8 => (op1, [op2, Operand::None]),
                _ if self.is_fused(number) => (self.result(number), [op1, op2]),
                _ => (Operand::None, [op1, op2]),
            };
            read.extend(operands);
            if let Operand::Slot(slot) = target
                && slot.0 < self.variables()
                && !read.contains(&target)
            {
                overwritten.push(slot);
            }
            let next = self.following(number);
            if !fetches && self.successors(number).as_slice() != [next] {
                return overwritten;
            }
            number = next;
        }
    }

    /// Whether it runs with an object; none if that depends on the call.
    pub fn has_this(&self) -> Option<bool> {
        has_this(&self.array.draft)
    }

    /// Whether the slot's value matters to what begins at the opline.
    pub fn is_live(&self, slot: Slot, number: u32) -> bool {
        let Some(temporary) = slot.0.checked_sub(self.variables()) else {
            return true;
        };
        let row = number as usize * self.live_words;
        match self.live.get(row + temporary as usize / 64) {
            Some(word) => word >> (temporary % 64) & 1 != 0,
            None => false,
        }
    }

    /// `successors` are those of each opline.
    fn find_live(&mut self, mut successors: Vec<Successors>) {
        let words = self.live_words;
        let mut live = vec![0u64; words * (self.len() as usize + 1)];
        for range in &self.array.live_ranges {
            let slot = range.variable / size_of::<Zval>() as u32 - HEADER_SLOTS;
            let temporary = (slot - self.variables()) as usize;
            for number in range.start..range.end {
                live[number as usize * words + temporary / 64] |= 1 << (temporary % 64);
            }
        }
        // What calls a finally block goes on behind it, with the temporaries that it had.
        let numbers = 0..self.len();
        let calls = numbers.filter(|number| self.op(*number).opcode == Opcode::FAST_CALL as u8);
        let behind_finally: Vec<u32> = calls.map(|number| number + 1).collect();
        for (number, next) in (0..).zip(&mut successors) {
            let behind = (number + 1).min(self.len());
            match self.op(number).opcode {
                opcode if opcode == Opcode::FAST_RET as u8 => {
                    *next = behind_finally.as_slice().into();
                }
                opcode if opcode == Opcode::OP_DATA as u8 => *next = smallvec![behind],
                // The ASSIGN behind it reads a temporary that nobody writes.
                _ if self.is_fused(number) => {}
                // What follows directly is always live: a fused opline may be interpreted.
                _ => next.push(behind),
            }
        }
        let leads_back =
            |(number, next): (u32, &Successors)| next.iter().any(|&next| next <= number);
        let leads_back = (0..).zip(&successors).any(leads_back);
        let mut before = vec![0u64; words];
        let mut changed = true;
        while changed {
            changed = false;
            for number in (0..self.len()).rev() {
                let row = number as usize * words;
                before.fill(0);
                for &next in &successors[number as usize] {
                    let next = next as usize * words;
                    for word in 0..words {
                        before[word] |= live[next + word];
                    }
                }
                self.pass_backwards(number, &mut before);
                for word in 0..words {
                    let joined = live[row + word] | before[word];
                    changed |= std::mem::replace(&mut live[row + word], joined) != joined;
                }
            }
            // Without a way back everything behind an opline is known when it is come to.
            changed &= leads_back;
        }
        self.live = live;
    }

    /// Turns what is live behind an opline into what is live before it.
    fn pass_backwards(&self, number: u32, live: &mut [u64]) {
        let temporary = |place: Operand| match place {
            Operand::Slot(slot) => slot.0.checked_sub(self.variables()).map(|t| t as usize),
            _ => None,
        };
        let same = self
            .facts(number)
            .is_some_and(|facts| facts.result.same_as_before);
        if let Some(result) = temporary(self.result(number))
            && !same
        {
            live[result / 64] &= !(1 << (result % 64));
        }
        for place in [self.op1(number), self.op2(number)] {
            if let Some(used) = temporary(place) {
                live[used / 64] |= 1 << (used % 64);
            }
        }
    }
}

/// The oplines at which a function is counted: the first one that every call executes, and the
/// headers of loops, with the last opline that jumps back there.
pub fn counted_oplines(ops: &[Op]) -> (u32, Vec<(u32, u32)>) {
    let mut loops = BTreeMap::new();
    for (number, op) in ops.iter().enumerate() {
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            continue;
        };
        let effects = opcode.facts().effects;
        let fields = [
            (effects.jumps_op1 && op.op1_type == IS_UNUSED, op.op1),
            (effects.jumps_op2 && op.op2_type == IS_UNUSED, op.op2),
            (effects.jumps_extended, op.extended_value),
        ];
        for (jumps, offset) in fields {
            let offset = offset as i32;
            if jumps && offset <= 0 {
                let target = number as i64 + i64::from(offset) / size_of::<Op>() as i64;
                loops.insert(target as u32, number as u32);
            }
        }
    }
    (first_counted(ops), loops.into_iter().collect())
}

/// Calls: where they are prepared and where they are made; and before each opline, the innermost one that is being
/// prepared, counted from one.
pub fn calls(ops: &[Op]) -> (Vec<(u32, u32)>, Vec<u32>) {
    let mut calls = Vec::new();
    let mut preparing = Vec::with_capacity(ops.len());
    let mut open: Vec<u32> = Vec::new();
    for (number, op) in (0..).zip(ops) {
        preparing.push(open.last().copied().unwrap_or_default());
        let Some(opcode) = Opcode::from_number(op.opcode) else {
            continue;
        };
        let effects = opcode.facts().effects;
        if effects.opens_call {
            calls.push((number, number));
            open.push(calls.len() as u32);
        } else if effects.closes_call
            && let Some(call) = open.pop()
        {
            calls[call as usize - 1].1 = number;
        }
    }
    (calls, preparing)
}

/// Whether a function calls itself by its name, or a method itself on `$this`.
pub fn calls_itself(array: &OpArray) -> bool {
    // SAFETY: I3: names and literals of op arrays are live, and an op array begins with its oplines.
    let (own, ops) = unsafe {
        let ops = std::slice::from_raw_parts(array.ops(), array.len());
        (array.draft.name.as_ref(), ops)
    };
    let Some(own) = own else { return false };
    let is_method = array.draft.flags & flags::VISIBILITY != 0;
    ops.iter().any(|op| {
        let may_call_it = match Opcode::from_number(op.opcode) {
            Some(Opcode::INIT_METHOD_CALL) => is_method && op.op1_type == IS_UNUSED,
            Some(
                Opcode::INIT_FCALL | Opcode::INIT_FCALL_BY_NAME | Opcode::INIT_NS_FCALL_BY_NAME,
            ) => !is_method,
            _ => false,
        };
        if !may_call_it || op.op2_type != IS_CONST {
            return false;
        }
        // SAFETY: as above; the operand is a literal.
        unsafe {
            let name = literal(op, op.op2);
            (*name).kind() == STRING
                && (*(*name).string())
                    .as_bytes()
                    .eq_ignore_ascii_case(own.as_bytes())
        }
    })
}

/// The first opline behind those that receive arguments: every call executes it.
fn first_counted(ops: &[Op]) -> u32 {
    let receives = |op: &&Op| {
        let opcode = Opcode::from_number(op.opcode);
        opcode.is_some_and(|opcode| opcode.facts().effects.receives)
    };
    ops.iter().take_while(receives).count() as u32
}
