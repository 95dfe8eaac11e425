//! Which integers values can be: additions that cannot overflow are not checked, comparisons that can only come out
//! one way are not made.
//!
//! A walk along the dominator tree knows the range of each value where it stands: from what it is made of, and from the
//! branches and guards that lead there. What counts the turns of a loop is bounded by the test that ends it, but for
//! its first value: that is tested in front of the loop, where [`Operation::Loop`] says how to leave.

use vm_def::ir::layout::FieldKind;
use vm_def::ir::{BinaryOperation, Intrinsic, OverflowOperation, UnaryOperation};

use super::loops::{Loops, beginning, entry, headers};
use super::rewrite;
use crate::graph::{
    BlockId, Graph, Operation, Replacements, SnapshotId, Table, Terminator, Type, Value,
};

/// All that a value can be, both ends included; low above high where no execution comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: i64,
    high: i64,
}

const ANY: Range = Range {
    low: i64::MIN,
    high: i64::MAX,
};

/// Takes the checks away that are not needed, and tests in front of loops what makes them so.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let is_checked = |id: &BlockId| {
        let mut instructions = graph.at(*id).instructions.iter();
        instructions.any(|instruction| matches!(instruction.operation, Operation::Checked(..)))
    };
    if !order.iter().any(is_checked) {
        return;
    }
    let headers = headers(graph, &order);
    let (loops, fronts) = Loops::with_fronts(graph, order, &headers);
    let mut ranges = Ranges::of(graph, &loops);
    for (header, front) in headers.into_iter().zip(fronts) {
        bound(graph, &mut ranges, header, front);
    }
    ranges.walk(graph, true);
    let replaced = ranges.replaced;
    if !replaced.is_empty() {
        rewrite(graph, |value| replaced.current(value));
    }
}

/// Bounds the parameters of a loop's beginning by what they can be behind a turn, and tests in front of the loop that
/// they begin so, where that saves a check.
fn bound(graph: &mut Graph, ranges: &mut Ranges<'_>, header: BlockId, front: BlockId) {
    let Some(beginning) = beginning(graph.at(header)) else {
        return;
    };
    let Some(given) = given(graph, front) else {
        return;
    };
    let parameters = graph.at(header).parameters.clone();
    let mut exit = None;
    for (parameter, first) in parameters.into_iter().zip(given) {
        let Some(behind) = ranges.behind.get(parameter).copied() else {
            continue;
        };
        let first_range = ranges.firsts.get(parameter).copied().unwrap_or(ANY);
        let mut all = first_range.union(behind);
        if let Some(step) = ranges.steps.get(parameter).copied()
            && step.without_overflow(behind)
            && !step.without_overflow(all)
        {
            let (comparison, limit) = step.limit();
            let exit = *exit.get_or_insert_with(|| entry(graph, header, front, beginning));
            test(graph, front, (comparison, first, limit), exit);
            all = first_range.that(comparison, limit).union(behind);
        }
        ranges.parameters.insert(parameter, all);
    }
}

/// What a block that leads to one block gives it.
fn given(graph: &Graph, front: BlockId) -> Option<Vec<Value>> {
    match &graph.at(front).terminator {
        Terminator::Jump(target) => Some(target.arguments.clone()),
        _ => None,
    }
}

/// Leaves unless a comparison with a number holds.
fn test(
    graph: &mut Graph,
    block: BlockId,
    (comparison, value, limit): (BinaryOperation, Value, i64),
    exit: SnapshotId,
) {
    let Some(limit) = graph.push(block, Operation::Long(limit)) else {
        return;
    };
    let holds = Operation::Binary(comparison, value, limit);
    if let Some(holds) = graph.push(block, holds) {
        graph.push(block, Operation::Guard(holds, exit));
    }
}

/// What a loop adds to one of its parameters.
#[derive(Clone, Copy, Debug)]
struct Step(OverflowOperation, i64);

impl Step {
    fn without_overflow(self, range: Range) -> bool {
        let number = Range::only(self.1);
        range.low > range.high || range.checked(self.0, number).1
    }

    /// The comparison that values must pass not to overflow.
    fn limit(self) -> (BinaryOperation, i64) {
        let Step(operation, number) = self;
        let grows = (number > 0) == (operation == OverflowOperation::Add);
        let number = number.unsigned_abs() as i64;
        match grows {
            true => (BinaryOperation::LeLong, i64::MAX.wrapping_sub(number)),
            false => (BinaryOperation::GeLong, i64::MIN.wrapping_add(number)),
        }
    }
}

impl Range {
    fn only(value: i64) -> Range {
        Range {
            low: value,
            high: value,
        }
    }

    fn union(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn meet(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    fn is_natural(self) -> bool {
        self.low >= 0
    }

    /// What an operation that leaves on overflow gives, and whether it never does.
    fn checked(self, operation: OverflowOperation, other: Range) -> (Range, bool) {
        let [a, b, c, d] = [self.low, self.high, other.low, other.high].map(i128::from);
        let ends = match operation {
            OverflowOperation::Add => [a + c, b + d, a + c, b + d],
            OverflowOperation::Sub => [a - d, b - c, a - d, b - c],
            OverflowOperation::Mul => [a * c, a * d, b * c, b * d],
        };
        let (low, high) = ends
            .iter()
            .fold((i128::MAX, i128::MIN), |(low, high), end| {
                (low.min(*end), high.max(*end))
            });
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        let range = Range {
            low: low.clamp(least, most) as i64,
            high: high.clamp(least, most) as i64,
        };
        (range, least <= low && high <= most)
    }

    /// Those of its values for which a comparison with a number holds.
    fn that(self, comparison: BinaryOperation, number: i64) -> Range {
        self.compared(comparison, Range::only(number))
    }

    /// Those of its values for which a comparison with a value of another range may hold.
    fn compared(self, comparison: BinaryOperation, other: Range) -> Range {
        use BinaryOperation::*;
        let (low, high) = match comparison {
            LtLong => (i64::MIN, other.high.saturating_sub(1)),
            LeLong => (i64::MIN, other.high),
            GtLong => (other.low.saturating_add(1), i64::MAX),
            GeLong => (other.low, i64::MAX),
            EqLong => (other.low, other.high),
            WithinLong if other.is_natural() => (0, other.high.saturating_sub(1)),
            _ => return self,
        };
        self.meet(Range { low, high })
    }

    /// What a comparison of values of two ranges gives, if it can give only that.
    fn decided(self, comparison: BinaryOperation, other: Range) -> Option<bool> {
        let never = |comparison| {
            let left = self.compared(comparison, other);
            left.low > left.high
        };
        let opposite = opposite(comparison)?;
        match (never(comparison), never(opposite)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }
}

/// The comparison that holds where another one does not.
fn opposite(comparison: BinaryOperation) -> Option<BinaryOperation> {
    use BinaryOperation::*;
    Some(match comparison {
        LtLong => GeLong,
        LeLong => GtLong,
        GtLong => LeLong,
        GeLong => LtLong,
        EqLong => NeLong,
        NeLong => EqLong,
        _ => return None,
    })
}

/// The comparison that holds for exchanged operands.
fn exchanged(comparison: BinaryOperation) -> Option<BinaryOperation> {
    use BinaryOperation::*;
    Some(match comparison {
        LtLong => GtLong,
        LeLong => GeLong,
        GtLong => LtLong,
        GeLong => LeLong,
        EqLong => EqLong,
        _ => return None,
    })
}

/// The operation without its check.
fn unchecked(operation: OverflowOperation) -> BinaryOperation {
    match operation {
        OverflowOperation::Add => BinaryOperation::AddLong,
        OverflowOperation::Sub => BinaryOperation::SubLong,
        OverflowOperation::Mul => BinaryOperation::MulLong,
    }
}

struct Ranges<'l> {
    loops: &'l Loops,
    definitions: Table<Value, Operation>,
    /// What is known where the walk is.
    current: Table<Value, Range>,
    /// What the walk has to take back: the value and what was known of it before.
    undone: Vec<(Value, Option<Range>)>,
    /// What is known of parameters from the beginning.
    parameters: Table<Value, Range>,
    /// What parameters of loops can be behind a turn.
    behind: Table<Value, Range>,
    /// What loops add to them, if that is checked.
    steps: Table<Value, Step>,
    /// What they can be in front of the loop.
    firsts: Table<Value, Range>,
    /// Comparisons that can only come out one way.
    replaced: Replacements,
}

/// Where the walk along the dominator tree goes on.
enum Next {
    Enter(u32),
    /// So much was to be taken back before the block was entered.
    Leave(usize),
}

impl<'l> Ranges<'l> {
    /// With nothing known of parameters.
    fn of(graph: &mut Graph, loops: &'l Loops) -> Ranges<'l> {
        let mut ranges = Ranges {
            loops,
            definitions: graph.definitions(&[]),
            current: Table::with_room(graph.types.len()),
            undone: Vec::new(),
            parameters: Table::default(),
            behind: Table::default(),
            steps: Table::default(),
            firsts: Table::default(),
            replaced: Replacements::default(),
        };
        ranges.walk(graph, false);
        ranges
    }

    /// Finds the ranges of all values. The last walk changes what they tell about.
    fn walk(&mut self, graph: &mut Graph, is_last: bool) {
        for (value, operation) in graph.constants.iter() {
            if let Operation::Long(number) = operation {
                self.current.insert(value, Range::only(*number));
            }
        }
        let children = self.loops.dominators.children();
        let enter = |position: &u32| Next::Enter(*position);
        let mut waiting: Vec<Next> = children.of_one(0).iter().map(enter).collect();
        while let Some(next) = waiting.pop() {
            match next {
                Next::Enter(position) => {
                    waiting.push(Next::Leave(self.undone.len()));
                    let block = self.loops.order[position as usize - 1];
                    self.enter(graph, block);
                    self.block(graph, block, is_last);
                    waiting.extend(children.of_one(position).iter().map(enter));
                }
                Next::Leave(length) => {
                    for (value, before) in self.undone.drain(length..).rev() {
                        *self.current.slot(value) = before;
                    }
                }
            }
        }
    }

    /// Notes what the way to a block tells, if there is only one.
    fn enter(&mut self, graph: &Graph, block: BlockId) {
        for &parameter in &graph.at(block).parameters {
            if let Some(range) = self.parameters.get(parameter).copied() {
                self.note(parameter, range);
            }
        }
        let mut before = self.loops.leading_to(block);
        let (Some(only), None) = (before.next(), before.next()) else {
            return;
        };
        if let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &graph.at(only).terminator
            && then.block != otherwise.block
        {
            self.learn(*condition, then.block == block);
        }
    }

    fn note(&mut self, value: Value, range: Range) {
        let before = self.current.slot(value).replace(range);
        self.undone.push((value, before));
    }

    fn range(&self, value: Value) -> Range {
        self.current.get(value).copied().unwrap_or(ANY)
    }

    /// Notes that a condition is true, or false.
    fn learn(&mut self, condition: Value, holds: bool) {
        let Some(&definition) = self.definitions.get(condition) else {
            return;
        };
        match definition {
            Operation::Unary(UnaryOperation::NotBool, value) => self.learn(value, !holds),
            Operation::Binary(BinaryOperation::AndBool, left, right) if holds => {
                self.learn(left, true);
                self.learn(right, true);
            }
            Operation::Binary(BinaryOperation::OrBool, left, right) if !holds => {
                self.learn(left, false);
                self.learn(right, false);
            }
            Operation::Binary(comparison, left, right) => {
                let comparison = match holds {
                    true => Some(comparison),
                    false => opposite(comparison),
                };
                let Some(comparison) = comparison else { return };
                let (first, second) = (self.range(left), self.range(right));
                let narrowed = first.compared(comparison, second);
                if narrowed != first {
                    self.note(left, narrowed);
                }
                if let Some(comparison) = exchanged(comparison) {
                    let narrowed = second.compared(comparison, first);
                    if narrowed != second {
                        self.note(right, narrowed);
                    }
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, graph: &mut Graph, block: BlockId, is_last: bool) {
        let mut instructions = std::mem::take(&mut graph.at_mut(block).instructions);
        instructions.retain_mut(|instruction| {
            if let Operation::Guard(condition, _) = instruction.operation {
                self.learn(condition, true);
            }
            let Some(output) = instruction.output else {
                return true;
            };
            if is_last {
                if let Some(truth) = self.simplify(&mut instruction.operation) {
                    let truth = graph.constant(Operation::Bool(truth));
                    self.replaced.insert(output, truth);
                    return false;
                }
            } else {
                self.definitions.insert(output, instruction.operation);
                self.see_step(&instruction.operation);
            }
            let range = self.of_operation(&instruction.operation);
            if range != ANY {
                self.note(output, range);
            }
            true
        });
        graph.at_mut(block).instructions = instructions;
        if !is_last {
            self.see_ways(graph, block);
        }
    }

    /// Notes what a parameter is counted up or down by.
    fn see_step(&mut self, operation: &Operation) {
        if let Operation::Checked(operation, value, number, _) = *operation
            && operation != OverflowOperation::Mul
            && let Some(Operation::Long(number)) = self.definitions.get(number)
            && *number != 0
            && !self.definitions.contains(value)
        {
            let step = Step(operation, *number);
            self.steps.slot(value).get_or_insert(step);
        }
    }

    /// Notes what a block gives to the beginnings of loops.
    fn see_ways(&mut self, graph: &Graph, block: BlockId) {
        for target in graph.at(block).terminator.targets() {
            if beginning(graph.at(target.block)).is_none() {
                continue;
            }
            let leads_back = self.loops.dominators.dominates(target.block, block);
            let parameters = &graph.at(target.block).parameters;
            for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                if graph.type_of(*parameter) != Type::Long {
                    continue;
                }
                // What is given back unchanged tells nothing.
                if leads_back && argument == parameter {
                    continue;
                }
                let range = self.range(*argument);
                let known = match leads_back {
                    true => self.behind.slot(*parameter),
                    false => self.firsts.slot(*parameter),
                };
                *known = Some(known.map_or(range, |known| known.union(range)));
            }
        }
    }

    fn of_operation(&self, operation: &Operation) -> Range {
        use BinaryOperation::*;
        match *operation {
            Operation::Checked(operation, left, right, _) => {
                let (left, right) = (self.range(left), self.range(right));
                left.checked(operation, right).0
            }
            Operation::Binary(operation @ (AddLong | SubLong | MulLong), left, right) => {
                let operation = match operation {
                    AddLong => OverflowOperation::Add,
                    SubLong => OverflowOperation::Sub,
                    _ => OverflowOperation::Mul,
                };
                match self.range(left).checked(operation, self.range(right)) {
                    (range, true) => range,
                    (_, false) => ANY,
                }
            }
            Operation::Binary(AndLong, left, right) => {
                let (left, right) = (self.range(left), self.range(right));
                let ends = [left, right].into_iter().filter(|range| range.is_natural());
                match ends.map(|range| range.high).min() {
                    Some(high) => Range { low: 0, high },
                    None => ANY,
                }
            }
            Operation::Binary(RemLong, left, right) => {
                let (left, right) = (self.range(left), self.range(right));
                // Where conditions contradict each other a range is empty.
                if right.low <= 0 || right.high < right.low {
                    return ANY;
                }
                let most = right.high - 1;
                Range {
                    low: left.low.clamp(-most, 0),
                    high: left.high.clamp(0, most),
                }
            }
            Operation::Binary(ShrLong, left, right) => {
                let (left, by) = (self.range(left), self.range(right));
                match by.low == by.high && (0..64).contains(&by.low) {
                    true => Range {
                        low: left.low >> by.low,
                        high: left.high >> by.low,
                    },
                    false => ANY,
                }
            }
            Operation::Unary(UnaryOperation::BoolToLong, _) => Range { low: 0, high: 1 },
            Operation::LoadField(field, _) => match field.facts().kind {
                FieldKind::Byte => Range { low: 0, high: 255 },
                FieldKind::Unsigned => Range {
                    low: 0,
                    high: i64::from(u32::MAX),
                },
                _ => ANY,
            },
            Operation::Intrinsic(Intrinsic::StringByte, _) => Range { low: 0, high: 255 },
            _ => ANY,
        }
    }

    /// Does without what the ranges of the operands tell. Gives the truth value that the operation has if that is known.
    fn simplify(&self, operation: &mut Operation) -> Option<bool> {
        match *operation {
            Operation::Checked(checked, left, right, _) => {
                let (_, never) = self.range(left).checked(checked, self.range(right));
                if never {
                    *operation = Operation::Binary(unchecked(checked), left, right);
                }
                None
            }
            Operation::Binary(comparison, left, right) => {
                self.range(left).decided(comparison, self.range(right))
            }
            _ => None,
        }
    }
}
