//! The text form of graphs: prints and reads back.

use std::fmt;
use std::fmt::Write as _;

use vm_def::ir::{BinaryOperation, Field, Intrinsic, OverflowOperation, Sequence, UnaryOperation};
use vm_def::types::TypeMask;

use super::model::{
    Arguments, Constant, Entry, Graph, Held, Instruction, Operation, Place, Released, Slot,
    Snapshot, SnapshotId, Target, Terminator, Type, Value, Where, Write, Written,
};

impl Type {
    const ALL: [(Type, &'static str); 4] = [
        (Type::Long, "long"),
        (Type::Double, "double"),
        (Type::Bool, "bool"),
        (Type::Address, "address"),
    ];

    /// The text form.
    pub fn word(self) -> &'static str {
        Type::ALL[self as usize].1
    }

    fn from_word(word: &str) -> Option<Type> {
        let found = Type::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(of, _)| *of)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v{}", self.0)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s{}", self.0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Slot(slot) => write!(formatter, "{slot}"),
            Place::At(value) => write!(formatter, "[{value}]"),
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Held::Long(value) => write!(formatter, "long {value}"),
            Held::Double(value) => write!(formatter, "double {value}"),
            Held::Bool(value) => write!(formatter, "bool {value}"),
            Held::Null => formatter.write_str("null"),
            Held::Undef => formatter.write_str("undef"),
            Held::Copied(value) => write!(formatter, "copied {value}"),
            Held::Constant(Constant {
                address,
                word,
                payload,
            }) => write!(formatter, "constant {address:#x} {word} {payload:#x}"),
        }
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "exit {:04} {{", self.opline)?;
        for (position, (slot, held)) in self.slots.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(formatter, "{comma}{slot} {held}")?;
        }
        formatter.write_char('}')?;
        for write in &self.writes {
            write!(formatter, " {write}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Write {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field.word();
        write!(formatter, "{field} {} {}", self.base, self.value)
    }
}

impl fmt::Display for Where {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Where::Frame => formatter.write_str("frame"),
            Where::Slot(slot, 0) => write!(formatter, "&{slot}"),
            Where::Slot(slot, offset) => write!(formatter, "&{slot}+{offset}"),
            Where::Address(address) => write!(formatter, "{address:#x}"),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Where(place) => place.fmt(formatter),
            Written::Long(value) => value.fmt(formatter),
            Written::Value(value) => value.fmt(formatter),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "block{}(", self.block.0)?;
        for (position, argument) in self.arguments.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(formatter, "{comma}{argument}")?;
        }
        formatter.write_char(')')
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in &self.entries {
            writeln!(
                formatter,
                "entry {:04} block{}",
                entry.opline, entry.block.0
            )?;
        }
        for (opline, write) in &self.invariants {
            writeln!(formatter, "invariant {opline:04} {write}")?;
        }
        for fact in &self.facts {
            writeln!(formatter, "fact {fact}")?;
        }
        for (value, operation) in self.constants.iter() {
            self.write_instruction(
                formatter,
                &Instruction {
                    output: Some(value),
                    operation: *operation,
                },
            )?;
            formatter.write_char('\n')?;
        }
        for id in self.order() {
            let block = self.at(id);
            write!(formatter, "block{}(", id.0)?;
            for (position, parameter) in block.parameters.iter().enumerate() {
                let comma = if position > 0 { ", " } else { "" };
                let of = self.type_of(*parameter).word();
                write!(formatter, "{comma}{parameter} {of}")?;
            }
            writeln!(formatter, ") ; {:04}", block.opline)?;
            for instruction in &block.instructions {
                formatter.write_str("    ")?;
                self.write_instruction(formatter, instruction)?;
                formatter.write_char('\n')?;
            }
            formatter.write_str("    ")?;
            match &block.terminator {
                Terminator::Jump(target) => writeln!(formatter, "jump {target}")?,
                Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                } => writeln!(formatter, "branch {condition} {then} {otherwise}")?,
                Terminator::Follow(opline) => writeln!(formatter, "follow {opline}")?,
                Terminator::Leave(snapshot) => {
                    writeln!(formatter, "leave {}", self.shown(*snapshot))?;
                }
                Terminator::Unseen(snapshot) => {
                    writeln!(formatter, "unseen {}", self.shown(*snapshot))?;
                }
                Terminator::Helper(address, snapshot) => {
                    let exit = self.shown(*snapshot);
                    writeln!(formatter, "helper {address:#x} {exit}")?;
                }
                Terminator::Switch {
                    frame,
                    opline,
                    snapshot,
                } => writeln!(
                    formatter,
                    "switch {frame} {opline} {}",
                    self.shown(*snapshot)
                )?,
            }
        }
        Ok(())
    }
}

impl Graph {
    fn shown(&self, snapshot: SnapshotId) -> &dyn fmt::Display {
        match self.snapshots.get(snapshot.0 as usize) {
            Some(snapshot) => snapshot,
            None => &"nowhere",
        }
    }

    fn write_instruction(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        instruction: &Instruction,
    ) -> fmt::Result {
        if let Some(output) = instruction.output {
            write!(formatter, "{output} = ")?;
        }
        match &instruction.operation {
            Operation::Long(value) => write!(formatter, "long {value}"),
            Operation::Double(bits) => {
                write!(
                    formatter,
                    "double {bits:#018x} ; {:?}",
                    f64::from_bits(*bits)
                )
            }
            Operation::Bool(value) => write!(formatter, "bool {value}"),
            Operation::Literal(address) => write!(formatter, "literal {address:#x}"),
            Operation::SlotAddress(slot) => write!(formatter, "address {slot}"),
            Operation::Unary(operation, value) => {
                write!(formatter, "{} {value}", operation.word())
            }
            Operation::Binary(operation, left, right) => {
                write!(formatter, "{} {left} {right}", operation.word())
            }
            Operation::Checked(operation, left, right, snapshot) => {
                let exit = self.shown(*snapshot);
                write!(formatter, "{} {left} {right} {exit}", operation.word())
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                write!(formatter, "call {}", intrinsic.name())?;
                arguments
                    .as_slice()
                    .iter()
                    .try_for_each(|argument| write!(formatter, " {argument}"))
            }
            Operation::Frame => formatter.write_str("frame"),
            Operation::Deref(value) => write!(formatter, "deref {value}"),
            Operation::Load(place, of) => write!(formatter, "load {} {place}", of.word()),
            Operation::TypeWord(place) => write!(formatter, "type_word {place}"),
            Operation::IsKept(place) => write!(formatter, "is_kept {place}"),
            Operation::IsType(place, types) => write!(formatter, "is_type {place} {types}"),
            Operation::LoadField(field, base) => {
                write!(formatter, "get_field {} {base}", field.word())
            }
            Operation::StoreField(field, base, value) => {
                write!(formatter, "set_field {} {base} {value}", field.word())
            }
            Operation::LoadWord(base, offset, of) => {
                write!(formatter, "load_word {} {base} {offset}", of.word())
            }
            Operation::Element(sequence, base, index) => {
                write!(formatter, "element {} {base} {index}", sequence.word())
            }
            Operation::Store(place, held) => write!(formatter, "store {place} {held}"),
            Operation::StoreTyped(place, word, value) => {
                write!(formatter, "store_typed {place} {word:#x} {value}")
            }
            Operation::StoreString(place, value) => {
                write!(formatter, "store_string {place} {value}")
            }
            Operation::Copy(place, from, retained) => {
                let word = if *retained { "copy" } else { "move" };
                write!(formatter, "{word} {place} {from}")
            }
            Operation::Retain(place) => write!(formatter, "retain {place}"),
            Operation::DropShare(place) => write!(formatter, "drop_share {place}"),
            Operation::Release(place, Released::Temporary) => write!(formatter, "free {place}"),
            Operation::Release(place, Released::Shared) => write!(formatter, "release {place}"),
            Operation::Execute(opline, function) => {
                write!(formatter, "execute {opline:04} {function:#x}")
            }
            Operation::GuardType(place, types, snapshot) => {
                let exit = self.shown(*snapshot);
                write!(formatter, "guard_type {place} {types} {exit}")
            }
            Operation::GuardUncounted(place, snapshot) => {
                write!(
                    formatter,
                    "guard_uncounted {place} {}",
                    self.shown(*snapshot)
                )
            }
            Operation::Guard(value, snapshot) => {
                write!(formatter, "guard {value} {}", self.shown(*snapshot))
            }
            Operation::Onward(value, address, behind) => {
                write!(formatter, "onward {value} {address:#x} {behind}")
            }
            Operation::LeaveHead(head) => write!(formatter, "leave_head {head}"),
            Operation::Interrupt => formatter.write_str("interrupt"),
            Operation::Poll(word, snapshot) => {
                write!(formatter, "poll {word} {}", self.shown(*snapshot))
            }
            Operation::Loop(snapshot) => write!(formatter, "loop {}", self.shown(*snapshot)),
        }
    }
}

/// Reads the form that graphs are printed in. None if the text is not in the form.
pub fn parse(text: &str) -> Option<Graph> {
    let mut graph = Graph::default();
    let mut open = None;
    for line in text.lines() {
        let (line, opline) = match line.split_once(';') {
            Some((line, rest)) => (line, rest.trim().parse().ok()),
            None => (line, None),
        };
        let separated = line.replace([',', '(', ')', '{', '}'], " ");
        let words: Vec<&str> = separated.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["entry", opline, block] => graph.entries.push(Entry {
                opline: opline.parse().ok()?,
                block: super::BlockId(block.strip_prefix("block")?.parse().ok()?),
            }),
            ["invariant", opline, field, base, value] => {
                let write = parse_write(field, base, value)?;
                graph.invariants.push((opline.parse().ok()?, write));
            }
            ["fact", field, base, value] => graph.facts.push(parse_write(field, base, value)?),
            [block, parameters @ ..] if block.starts_with("block") => {
                let id = block.strip_prefix("block")?.parse::<u32>().ok()?;
                while graph.blocks.len() <= id as usize {
                    graph.block(0);
                }
                let id = super::BlockId(id);
                graph.at_mut(id).opline = opline?;
                for parameter in parameters.chunks(2) {
                    let [value, of] = parameter else { return None };
                    let value = define(&mut graph, value, Type::from_word(of)?)?;
                    graph.at_mut(id).parameters.push(value);
                }
                open = Some(id);
            }
            [
                "jump" | "branch" | "leave" | "unseen" | "follow" | "switch" | "helper",
                ..,
            ] => {
                let terminator = parse_terminator(&mut graph, &words, line)?;
                graph.at_mut(open.take()?).terminator = terminator;
            }
            [output, "=", rest @ ..] => {
                let operation = parse_operation(&mut graph, rest)?;
                let output = define(&mut graph, output, operation.result_type()?)?;
                let Some(open) = open else {
                    graph.constants.insert(output, operation);
                    continue;
                };
                graph.at_mut(open).instructions.push(Instruction {
                    output: Some(output),
                    operation,
                });
            }
            rest => {
                let operation = parse_operation(&mut graph, rest)?;
                let output = None;
                let block = graph.at_mut(open?);
                block.instructions.push(Instruction { output, operation });
            }
        }
    }
    Some(graph)
}

fn define(graph: &mut Graph, word: &str, of: Type) -> Option<Value> {
    let value = parse_value(word)?;
    while graph.types.len() <= value.0 as usize {
        graph.types.push(Type::Long);
    }
    graph.types[value.0 as usize] = of;
    Some(value)
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

fn parse_value(word: &str) -> Option<Value> {
    word.strip_prefix('v')?.parse().ok().map(Value)
}

fn parse_slot(word: &str) -> Option<Slot> {
    word.strip_prefix('s')?.parse().ok().map(Slot)
}

fn parse_place(word: &str) -> Option<Place> {
    let inside = word
        .strip_prefix('[')
        .and_then(|word| word.strip_suffix(']'));
    match inside {
        Some(value) => parse_value(value).map(Place::At),
        None => parse_slot(word).map(Place::Slot),
    }
}

fn parse_held(words: &[&str]) -> Option<Held> {
    Some(match words {
        ["null"] => Held::Null,
        ["undef"] => Held::Undef,
        ["copied", value] => Held::Copied(parse_value(value)?),
        ["constant", address, word, payload] => Held::Constant(Constant {
            address: hexadecimal(address)?,
            word: word.parse().ok()?,
            payload: hexadecimal(payload)?,
        }),
        ["long", value] => Held::Long(parse_value(value)?),
        ["double", value] => Held::Double(parse_value(value)?),
        ["bool", value] => Held::Bool(parse_value(value)?),
        _ => return None,
    })
}

fn parse_exit(graph: &mut Graph, words: &[&str]) -> Option<SnapshotId> {
    let ["exit", opline, rest @ ..] = words else {
        return None;
    };
    let (mut slots, mut writes) = (Vec::new(), Vec::new());
    let mut rest = rest;
    while let [slot, kind, tail @ ..] = rest {
        if Field::from_word(slot).is_some() {
            writes.push(parse_write(slot, kind, tail.first()?)?);
            rest = &tail[1..];
            continue;
        }
        let slot = parse_slot(slot)?;
        let (words, tail) = match *kind {
            "null" | "undef" => (vec![*kind], tail),
            _ => (vec![*kind, *tail.first()?], &tail[1..]),
        };
        let held = parse_held(&words)?;
        slots.push((slot, held));
        rest = tail;
    }
    let opline = opline.parse().ok()?;
    rest.is_empty().then(|| {
        graph.snapshot(Snapshot {
            opline,
            slots,
            writes,
        })
    })
}

fn parse_write(field: &str, base: &str, value: &str) -> Option<Write> {
    Some(Write {
        field: Field::from_word(field)?,
        base: parse_where(base)?,
        value: parse_written(value)?,
    })
}

fn parse_where(word: &str) -> Option<Where> {
    if word == "frame" {
        return Some(Where::Frame);
    }
    if let Some(slot) = word.strip_prefix('&') {
        let (slot, offset) = slot.split_once('+').unwrap_or((slot, "0"));
        return Some(Where::Slot(parse_slot(slot)?, offset.parse().ok()?));
    }
    let address = hexadecimal(word)?;
    Some(Where::Address(address))
}

fn parse_written(word: &str) -> Option<Written> {
    let place = parse_where(word).map(Written::Where);
    let value = || parse_value(word).map(Written::Value);
    let long = || word.parse().ok().map(Written::Long);
    place.or_else(value).or_else(long)
}

fn parse_terminator(graph: &mut Graph, words: &[&str], line: &str) -> Option<Terminator> {
    if let ["leave", exit @ ..] = words {
        return Some(Terminator::Leave(parse_exit(graph, exit)?));
    }
    if let ["unseen", exit @ ..] = words {
        return Some(Terminator::Unseen(parse_exit(graph, exit)?));
    }
    if let ["follow", opline] = words {
        return Some(Terminator::Follow(parse_value(opline)?));
    }
    if let ["helper", address, exit @ ..] = words {
        let address = hexadecimal(address)?;
        return Some(Terminator::Helper(address, parse_exit(graph, exit)?));
    }
    if let ["switch", frame, opline, exit @ ..] = words {
        return Some(Terminator::Switch {
            frame: parse_value(frame)?,
            opline: parse_value(opline)?,
            snapshot: parse_exit(graph, exit)?,
        });
    }
    let mut targets = line.split(')').filter_map(|part| {
        let (head, arguments) = part.split_once('(')?;
        let block = head.split_whitespace().last()?.strip_prefix("block")?;
        let arguments = arguments.split(',').map(str::trim);
        let arguments: Option<Vec<Value>> = arguments
            .filter(|word| !word.is_empty())
            .map(parse_value)
            .collect();
        Some(Target {
            block: super::BlockId(block.parse().ok()?),
            arguments: arguments?,
        })
    });
    Some(match words {
        ["jump", ..] => Terminator::Jump(targets.next()?),
        ["branch", condition, ..] => Terminator::Branch {
            condition: parse_value(condition)?,
            then: targets.next()?,
            otherwise: targets.next()?,
        },
        _ => return None,
    })
}

fn parse_operation(graph: &mut Graph, words: &[&str]) -> Option<Operation> {
    Some(match words {
        ["long", value] => Operation::Long(value.parse().ok()?),
        ["double", bits] => Operation::Double(hexadecimal(bits)?),
        ["bool", value] => Operation::Bool(value.parse().ok()?),
        ["literal", address] => Operation::Literal(hexadecimal(address)?),
        ["address", slot] => Operation::SlotAddress(parse_slot(slot)?),
        ["call", name, arguments @ ..] => {
            let arguments: Option<Vec<Value>> =
                arguments.iter().map(|word| parse_value(word)).collect();
            Operation::Intrinsic(Intrinsic::from_name(name)?, Arguments::new(&arguments?)?)
        }
        ["frame"] => Operation::Frame,
        ["deref", value] => Operation::Deref(parse_value(value)?),
        ["load", of, place] => Operation::Load(parse_place(place)?, Type::from_word(of)?),
        ["type_word", place] => Operation::TypeWord(parse_place(place)?),
        ["is_kept", place] => Operation::IsKept(parse_place(place)?),
        ["is_type", place, types] => {
            Operation::IsType(parse_place(place)?, TypeMask::parse(types)?)
        }
        ["get_field", field, base] => {
            Operation::LoadField(Field::from_word(field)?, parse_value(base)?)
        }
        ["set_field", field, base, value] => Operation::StoreField(
            Field::from_word(field)?,
            parse_value(base)?,
            parse_value(value)?,
        ),
        ["leave_head", head] => Operation::LeaveHead(parse_value(head)?),
        ["load_word", of, base, offset] => Operation::LoadWord(
            parse_value(base)?,
            offset.parse().ok()?,
            Type::from_word(of)?,
        ),
        ["element", sequence, base, index] => Operation::Element(
            Sequence::from_word(sequence)?,
            parse_value(base)?,
            parse_value(index)?,
        ),
        ["store", place, held @ ..] => Operation::Store(parse_place(place)?, parse_held(held)?),
        ["store_typed", place, word, value] => Operation::StoreTyped(
            parse_place(place)?,
            u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()?,
            parse_value(value)?,
        ),
        ["store_string", place, value] => {
            Operation::StoreString(parse_place(place)?, parse_value(value)?)
        }
        [word @ ("copy" | "move"), place, from] => {
            Operation::Copy(parse_place(place)?, parse_value(from)?, *word == "copy")
        }
        ["retain", place] => Operation::Retain(parse_place(place)?),
        ["drop_share", place] => Operation::DropShare(parse_place(place)?),
        ["free", place] => Operation::Release(parse_place(place)?, Released::Temporary),
        ["release", place] => Operation::Release(parse_place(place)?, Released::Shared),
        ["execute", opline, function] => {
            Operation::Execute(opline.parse().ok()?, hexadecimal(function)?)
        }
        ["guard_type", place, types, exit @ ..] => Operation::GuardType(
            parse_place(place)?,
            TypeMask::parse(types)?,
            parse_exit(graph, exit)?,
        ),
        ["guard_uncounted", place, exit @ ..] => {
            Operation::GuardUncounted(parse_place(place)?, parse_exit(graph, exit)?)
        }
        ["guard", value, exit @ ..] => {
            Operation::Guard(parse_value(value)?, parse_exit(graph, exit)?)
        }
        ["onward", value, address, behind] => Operation::Onward(
            parse_value(value)?,
            hexadecimal(address)?,
            behind.parse().ok()?,
        ),
        ["interrupt"] => Operation::Interrupt,
        ["poll", word, exit @ ..] => Operation::Poll(parse_value(word)?, parse_exit(graph, exit)?),
        ["loop", exit @ ..] => Operation::Loop(parse_exit(graph, exit)?),
        [operation, value] => {
            Operation::Unary(UnaryOperation::from_word(operation)?, parse_value(value)?)
        }
        [operation, left, right] => Operation::Binary(
            BinaryOperation::from_word(operation)?,
            parse_value(left)?,
            parse_value(right)?,
        ),
        [operation, left, right, exit @ ..] => Operation::Checked(
            OverflowOperation::from_word(operation)?,
            parse_value(left)?,
            parse_value(right)?,
            parse_exit(graph, exit)?,
        ),
        _ => return None,
    })
}
