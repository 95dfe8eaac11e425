//! What is not computed into a register: tests that are done where they decide.

use vm_def::ir::{BinaryOperation, Field, FieldKind, Representation, UnaryOperation};

use crate::graph::{BlockId, Graph, Operation, SnapshotId, Table, Terminator, Value};

/// A condition is made of so many tests at most: what they look at has to be in registers at once.
const MOST_TESTS: usize = 4;

/// What is asked of a field in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OfField {
    /// Whether it is true.
    IsTrue,
    /// Whether it has any of these bits.
    HasAny(i32),
    /// How it compares with a number.
    Compares(BinaryOperation, i32),
}

/// A test of a field that the processor does in memory.
#[derive(Clone, Copy, Debug)]
pub struct FieldTest {
    /// The field.
    pub field: Field,
    /// What has it.
    pub base: Value,
    /// What is asked.
    pub of: OfField,
    /// Whether it must be false.
    pub negated: bool,
}

/// What the values of a graph are that need no register.
#[derive(Debug)]
pub struct Survey<'g> {
    graph: &'g Graph,
    /// Tests that only the branch or guard behind them wants, and what only they want.
    pub fused: Table<Value, &'g Operation>,
    /// Those of them that look at a field in memory.
    pub fields: Table<Value, FieldTest>,
}

impl<'g> Survey<'g> {
    /// Looks at a graph, whose blocks are given.
    pub fn of(graph: &'g Graph, order: &[BlockId]) -> Survey<'g> {
        let mut survey = Survey {
            graph,
            fused: Table::with_room(graph.types.len()),
            fields: Table::with_room(graph.types.len()),
        };
        let mut seen = Seen::of(graph, order);
        for &id in order {
            survey.block(graph, id, &mut seen);
        }
        survey
    }

    /// Whether nothing is to be computed where a value is defined.
    pub fn is_made_where_needed(&self, value: Value) -> bool {
        self.fused.contains(value)
    }

    fn block(&mut self, graph: &'g Graph, id: BlockId, seen: &mut Seen<'g>) {
        let block = graph.at(id);
        // Reads of fields since memory was last written.
        let mut reads = Vec::new();
        for instruction in &block.instructions {
            let operation = &instruction.operation;
            if operation.has_effect() {
                reads.clear();
            }
            if let Operation::Guard(condition, _) = operation {
                self.fuse(*condition, &reads, seen);
            }
            let Some(output) = instruction.output else {
                continue;
            };
            if seen.is_used_once(output) {
                seen.definitions.insert(output, operation);
            }
            match operation {
                Operation::LoadField(..) | Operation::IsType(..) | Operation::IsKept(_) => {
                    reads.push(output);
                }
                _ => {}
            }
        }
        if let Terminator::Branch { condition, .. } = &block.terminator {
            self.fuse(*condition, &reads, seen);
        }
    }

    /// Lets a condition be tested where it decides, if nothing else wants it.
    fn fuse(&mut self, condition: Value, reads: &[Value], seen: &Seen<'g>) {
        if seen.decides_once(condition) {
            let mut most_tests = MOST_TESTS;
            self.fuse_tests(condition, &mut most_tests, reads, seen);
        }
    }

    /// Lets a value that is used once be tested instead of computed, and what it is made of.
    fn fuse_tests(
        &mut self,
        value: Value,
        most_tests: &mut usize,
        reads: &[Value],
        seen: &Seen<'g>,
    ) {
        use BinaryOperation::{AndBool, AndLong, EqLong, NeLong, OrBool};
        if let Some((test, used)) = self.field_test(value, reads, seen) {
            for value in used {
                if let Some(operation) = seen.definitions.get(value) {
                    self.fused.insert(value, operation);
                }
            }
            self.fields.insert(value, test);
            return;
        }
        let Some(&operation) = seen.definitions.get(value) else {
            return;
        };
        match *operation {
            Operation::Binary(AndBool | OrBool, left, right) if *most_tests > 1 => {
                *most_tests -= 1;
                self.fused.insert(value, operation);
                self.fuse_tests(left, most_tests, reads, seen);
                self.fuse_tests(right, most_tests, reads, seen);
            }
            Operation::Binary(EqLong | NeLong, left, right) if self.small(right) == Some(0) => {
                self.fused.insert(value, operation);
                if let Some(&masked) = seen.definitions.get(left)
                    && let Operation::Binary(AndLong, _, mask) = *masked
                    && self.small(mask).is_some_and(|mask| mask >= 0)
                {
                    self.fused.insert(left, masked);
                }
            }
            Operation::Binary(comparison, ..) => {
                let (of, result) = comparison.signature();
                if result == Representation::Bool && of != Representation::Bool {
                    self.fused.insert(value, operation);
                }
            }
            Operation::Unary(UnaryOperation::NotBool, inner) => {
                self.fused.insert(value, operation);
                self.fuse_tests(inner, most_tests, reads, seen);
            }
            Operation::Unary(UnaryOperation::IsNull, _) => {
                self.fused.insert(value, operation);
            }
            // What it reads must not have changed.
            Operation::IsType(..) | Operation::IsKept(_) if reads.contains(&value) => {
                self.fused.insert(value, operation);
            }
            _ => {}
        }
    }

    /// The test of a field that a condition is, and the values that only it is made of.
    fn field_test(
        &self,
        condition: Value,
        reads: &[Value],
        seen: &Seen<'g>,
    ) -> Option<(FieldTest, Vec<Value>)> {
        use BinaryOperation::{AndLong, EqLong, NeLong};
        let read = |value: Value| match seen.definitions.get(value)? {
            Operation::LoadField(field, base) if reads.contains(&value) => Some((*field, *base)),
            _ => None,
        };
        let test = |(field, base), of, negated| FieldTest {
            field,
            base,
            of,
            negated,
        };
        if let Some(truth) = read(condition) {
            return Some((test(truth, OfField::IsTrue, false), vec![condition]));
        }
        match **seen.definitions.get(condition)? {
            Operation::Unary(UnaryOperation::NotBool, truth) => Some((
                test(read(truth)?, OfField::IsTrue, true),
                vec![condition, truth],
            )),
            Operation::Unary(UnaryOperation::IsNull, pointer) => Some((
                test(read(pointer)?, OfField::Compares(EqLong, 0), false),
                vec![condition, pointer],
            )),
            Operation::Binary(comparison, left, right) => {
                let number = self.small(right)?;
                if let Some(place) = read(left) {
                    let fits = match place.0.facts().kind {
                        // The comparison is one of numbers without a sign.
                        FieldKind::Unsigned => number >= 0,
                        FieldKind::Word | FieldKind::Pointer(_) => true,
                        FieldKind::Bool | FieldKind::Byte | FieldKind::Value => false,
                    };
                    let of = OfField::Compares(comparison, number);
                    return fits.then(|| (test(place, of, false), vec![condition, left]));
                }
                let Operation::Binary(AndLong, bits, mask) = **seen.definitions.get(left)? else {
                    return None;
                };
                let (place, mask) = (read(bits)?, self.small(mask)?);
                let is_plain = matches!(comparison, EqLong | NeLong) && number == 0 && mask >= 0;
                let is_word = matches!(place.0.facts().kind, FieldKind::Unsigned | FieldKind::Word);
                let of = OfField::HasAny(mask);
                (is_plain && is_word).then(|| {
                    (
                        test(place, of, comparison == EqLong),
                        vec![condition, left, bits],
                    )
                })
            }
            _ => None,
        }
    }

    /// What a value masks and the mask, if it is only compared with 0.
    pub fn bits(&self, value: Value) -> Option<(Value, i32)> {
        match self.fused.get(value)? {
            Operation::Binary(BinaryOperation::AndLong, bits, mask) => {
                Some((*bits, self.small(*mask)?))
            }
            _ => None,
        }
    }

    /// A number that is known and small.
    fn small(&self, value: Value) -> Option<i32> {
        i32::try_from(self.graph.long(value)?).ok()
    }
}

/// What is known of values on the way through the blocks.
struct Seen<'g> {
    /// How often each value is used: in all, and by what decides.
    uses: Vec<(u32, u32)>,
    /// What defines the values that are used once.
    definitions: Table<Value, &'g Operation>,
}

impl Seen<'_> {
    fn of<'g>(graph: &'g Graph, order: &[BlockId]) -> Seen<'g> {
        let mut uses = vec![(0, 0); graph.types.len()];
        let count_snapshot = |snapshot: Option<SnapshotId>, uses: &mut Vec<(u32, u32)>| {
            if let Some(snapshot) = snapshot {
                graph.for_saved(snapshot, |value| uses[value.0 as usize].0 += 1);
            }
        };
        for &id in order {
            let block = graph.at(id);
            for instruction in &block.instructions {
                let decides = matches!(instruction.operation, Operation::Guard(..));
                instruction.operation.for_operands(|value| {
                    let count: &mut (u32, u32) = &mut uses[value.0 as usize];
                    count.0 += 1;
                    count.1 += u32::from(decides);
                });
                count_snapshot(instruction.operation.snapshot(), &mut uses);
            }
            let decides = matches!(block.terminator, Terminator::Branch { .. });
            block.terminator.for_operands(|value| {
                let count = &mut uses[value.0 as usize];
                count.0 += 1;
                count.1 += u32::from(decides);
            });
            count_snapshot(block.terminator.snapshot(), &mut uses);
            for target in block.terminator.targets() {
                for argument in &target.arguments {
                    uses[argument.0 as usize].0 += 1;
                }
            }
        }
        Seen {
            uses,
            definitions: Table::with_room(graph.types.len()),
        }
    }

    fn is_used_once(&self, value: Value) -> bool {
        self.uses[value.0 as usize].0 == 1
    }

    fn decides_once(&self, value: Value) -> bool {
        self.uses[value.0 as usize] == (1, 1)
    }
}
