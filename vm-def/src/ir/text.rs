//! The text form of the intermediate form: prints and reads back.

use std::fmt;

use super::intrinsics::Intrinsic;
use super::layout::{Field, NUMBERS, Sequence};
use super::model::{
    BinaryOperation, Block, BlockId, Clause, Instruction, Lowering, Number, Operation,
    OverflowOperation, Place, Reason, Register, Representation, Terminator, UnaryOperation, Value,
    Way,
};
use crate::grammar::OplineField;
use crate::types::TypeMask;

/// A line that is not in the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "malformed micro-operation in line {}", self.line)
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v{}", self.0)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "block{}", self.0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Op1 => formatter.write_str("op1"),
            Place::Op2 => formatter.write_str("op2"),
            Place::Data => formatter.write_str("data"),
            Place::Result => formatter.write_str("result"),
            Place::At(value) => write!(formatter, "[{value}]"),
        }
    }
}

impl fmt::Display for Lowering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "lowering {}", self.opcode)?;
        for clause in &self.clauses {
            write!(formatter, "{clause}")?;
        }
        writeln!(formatter, "interp_one")
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.middle { "middle" } else { "clause" };
        write!(formatter, "{path} {}", self.name.as_deref().unwrap_or("-"))?;
        for (name, types) in [("op1", self.op1), ("op2", self.op2)] {
            if let Some(types) = types {
                write!(formatter, " {name}:{types}")?;
            }
        }
        writeln!(formatter)?;
        for (index, block) in self.blocks.iter().enumerate() {
            writeln!(formatter, "block{index}")?;
            for instruction in &block.instructions {
                writeln!(formatter, "    {instruction}")?;
            }
            writeln!(formatter, "    {}", block.terminator)?;
        }
        Ok(())
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(output) = self.output {
            write!(formatter, "{output} = ")?;
        }
        match &self.operation {
            Operation::GuardType(place, types) => write!(formatter, "guard_type {place} {types}"),
            Operation::Guard(value, Reason::Value) => write!(formatter, "guard {value}"),
            Operation::Guard(value, reason) => {
                write!(formatter, "guard {value} {}", reason.word())
            }
            Operation::GuardUncounted(place) => write!(formatter, "guard_uncounted {place}"),
            Operation::TestType(place, types) => write!(formatter, "test_type {place} {types}"),
            Operation::TypeWord(place) => write!(formatter, "type_word {place}"),
            Operation::Load(place, representation) => {
                write!(formatter, "load_{} {place}", representation.word())
            }
            Operation::Deref(place) => write!(formatter, "deref {place}"),
            Operation::Indirect(place) => write!(formatter, "indirect {place}"),
            Operation::Number(field) => write!(formatter, "number {}", field.word()),
            Operation::Target(field) => write!(formatter, "target {}", field.word()),
            Operation::Register(register) => write!(formatter, "register {}", register.word()),
            Operation::CacheWord(base, index, representation) => {
                let (base, representation) = (base.word(), representation.word());
                write!(formatter, "cache_{representation} {base} {index}")
            }
            Operation::LoadField(field, base) => {
                write!(formatter, "get_field {} {base}", field.word())
            }
            Operation::StoreField(field, base, value) => {
                write!(formatter, "set_field {} {base} {value}", field.word())
            }
            Operation::Element(sequence, base, index) => {
                write!(formatter, "element {} {base} {index}", sequence.word())
            }
            Operation::Named(index) => {
                write!(formatter, "named {}", NUMBERS[usize::from(*index)].0)
            }
            Operation::ConstantLong(value) => write!(formatter, "const_i64 {value}"),
            // The bits, so that every float is read back as it was.
            Operation::ConstantDouble(value) => {
                write!(formatter, "const_f64 {:#018x} ; {value:?}", value.to_bits())
            }
            Operation::ConstantBool(value) => write!(formatter, "const_bool {value}"),
            Operation::Unary(operation, value) => {
                write!(formatter, "{} {value}", operation.word())
            }
            Operation::Binary(operation, left, right) => {
                write!(formatter, "{} {left} {right}", operation.word())
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                write!(formatter, "call {}", intrinsic.name())?;
                arguments
                    .iter()
                    .try_for_each(|argument| write!(formatter, " {argument}"))
            }
            Operation::Store(place, representation, value) => {
                write!(formatter, "store_{} {place} {value}", representation.word())
            }
            Operation::StoreNull(place) => write!(formatter, "store_null {place}"),
            Operation::StoreUndef(place) => write!(formatter, "store_undef {place}"),
            Operation::StoreTyped(place, word, value) => {
                write!(formatter, "store_typed {place} {word:#x} {value}")
            }
            Operation::StoreString(place, value) => {
                write!(formatter, "store_string {place} {value}")
            }
            Operation::Move(place, value) => write!(formatter, "move {place} {value}"),
            Operation::Retain(place) => write!(formatter, "retain {place}"),
            Operation::DropShare(place) => write!(formatter, "drop_share {place}"),
            Operation::Apart => write!(formatter, "apart"),
            Operation::Release(place) => write!(formatter, "release {place}"),
            Operation::Free(place) => write!(formatter, "free {place}"),
        }
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Next => formatter.write_str("next"),
            Terminator::Decide(value) => write!(formatter, "decide {value}"),
            Terminator::Jump(field) => write!(formatter, "jump {}", field.word()),
            Terminator::Goto(opline) => write!(formatter, "goto {opline}"),
            Terminator::Switch {
                frame, opline, way, ..
            } => write!(formatter, "{} {frame} {opline}", way.word()),
            Terminator::Helper(name) => write!(formatter, "helper {name}"),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                write!(formatter, "branch {condition} {then} {otherwise}")
            }
            Terminator::Overflow {
                operation,
                output,
                left,
                right,
                exact,
                overflow,
            } => {
                write!(
                    formatter,
                    "{output} = {} {left} {right} {exact} {overflow}",
                    operation.word()
                )
            }
        }
    }
}

impl Lowering {
    /// Reads the form that [`fmt::Display`] prints.
    ///
    /// # Errors
    ///
    /// Gives the first line that is not in the form.
    pub fn parse(text: &str) -> Result<Lowering, ParseError> {
        let mut lowering = Lowering::new(String::new(), Vec::new());
        let mut open: Option<Vec<Instruction>> = None;
        for (index, line) in text.lines().enumerate() {
            let error = ParseError { line: index + 1 };
            let line = line.split(';').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            parse_line(&words, &mut lowering, &mut open).ok_or(error)?;
        }
        Ok(Lowering::new(lowering.opcode, lowering.clauses))
    }
}

fn parse_line(
    words: &[&str],
    lowering: &mut Lowering,
    open: &mut Option<Vec<Instruction>>,
) -> Option<()> {
    match words {
        [] | ["interp_one"] => {}
        ["lowering", opcode] => lowering.opcode = (*opcode).to_owned(),
        [path @ ("clause" | "middle"), name, types @ ..] => {
            let mut clause = Clause {
                middle: *path == "middle",
                name: (*name != "-").then(|| (*name).to_owned()),
                op1: None,
                op2: None,
                blocks: Vec::new(),
            };
            for types in types {
                match types.split_once(':')? {
                    ("op1", types) => clause.op1 = Some(TypeMask::parse(types)?),
                    ("op2", types) => clause.op2 = Some(TypeMask::parse(types)?),
                    _ => return None,
                }
            }
            lowering.clauses.push(clause);
        }
        [block] if block.starts_with("block") => {
            let blocks = &lowering.clauses.last()?.blocks;
            if parse_block(block)?.0 as usize != blocks.len() || open.is_some() {
                return None;
            }
            *open = Some(Vec::new());
        }
        _ => match parse_terminator(words) {
            Some(terminator) => {
                let block = Block {
                    instructions: open.take()?,
                    terminator,
                };
                lowering.clauses.last_mut()?.blocks.push(block);
            }
            None => open.as_mut()?.push(parse_instruction(words)?),
        },
    }
    Some(())
}

fn parse_value(word: &str) -> Option<Value> {
    word.strip_prefix('v')?.parse().ok().map(Value)
}

fn parse_place(word: &str) -> Option<Place> {
    Some(match word {
        "op1" => Place::Op1,
        "op2" => Place::Op2,
        "data" => Place::Data,
        "result" => Place::Result,
        _ => Place::At(parse_value(word.strip_prefix('[')?.strip_suffix(']')?)?),
    })
}

fn parse_block(word: &str) -> Option<BlockId> {
    word.strip_prefix("block")?.parse().ok().map(BlockId)
}

fn parse_terminator(words: &[&str]) -> Option<Terminator> {
    Some(match words {
        ["next"] => Terminator::Next,
        ["decide", value] => Terminator::Decide(parse_value(value)?),
        ["jump", field] => Terminator::Jump(OplineField::from_word(field)?),
        ["goto", opline] => Terminator::Goto(parse_value(opline)?),
        ["helper", name] => Terminator::Helper((*name).to_owned()),
        ["branch", condition, then, otherwise] => Terminator::Branch {
            condition: parse_value(condition)?,
            then: parse_block(then)?,
            otherwise: parse_block(otherwise)?,
        },
        [word, frame, opline] if Way::from_word(word).is_some() => Terminator::Switch {
            frame: parse_value(frame)?,
            opline: parse_value(opline)?,
            way: Way::from_word(word)?,
        },
        [output, "=", operation, left, right, exact, overflow] => Terminator::Overflow {
            operation: OverflowOperation::from_word(operation)?,
            output: parse_value(output)?,
            left: parse_value(left)?,
            right: parse_value(right)?,
            exact: parse_block(exact)?,
            overflow: parse_block(overflow)?,
        },
        _ => return None,
    })
}

fn parse_instruction(words: &[&str]) -> Option<Instruction> {
    let (output, words) = match words {
        [output, "=", rest @ ..] => (Some(parse_value(output)?), rest),
        _ => (None, words),
    };
    let operation = match words {
        ["guard_type", place, types] => {
            Operation::GuardType(parse_place(place)?, TypeMask::parse(types)?)
        }
        ["guard", value] => Operation::Guard(parse_value(value)?, Reason::Value),
        ["guard", value, reason] => {
            Operation::Guard(parse_value(value)?, Reason::from_word(reason)?)
        }
        ["guard_uncounted", place] => Operation::GuardUncounted(parse_place(place)?),
        ["test_type", place, types] => {
            Operation::TestType(parse_place(place)?, TypeMask::parse(types)?)
        }
        ["type_word", place] => Operation::TypeWord(parse_place(place)?),
        ["deref", place] => Operation::Deref(parse_place(place)?),
        ["indirect", place] => Operation::Indirect(parse_place(place)?),
        ["number", field] => Operation::Number(Number::from_word(field)?),
        ["target", field] => Operation::Target(OplineField::from_word(field)?),
        ["register", name] => Operation::Register(Register::from_word(name)?),
        [word, base, index] if word.starts_with("cache_") => Operation::CacheWord(
            Number::from_word(base)?,
            index.parse().ok()?,
            Representation::from_word(word.strip_prefix("cache_")?)?,
        ),
        ["get_field", field, base] => {
            Operation::LoadField(Field::from_word(field)?, parse_value(base)?)
        }
        ["set_field", field, base, value] => Operation::StoreField(
            Field::from_word(field)?,
            parse_value(base)?,
            parse_value(value)?,
        ),
        ["element", sequence, base, index] => Operation::Element(
            Sequence::from_word(sequence)?,
            parse_value(base)?,
            parse_value(index)?,
        ),
        ["named", name] => {
            let index = NUMBERS.iter().position(|(known, _)| known == name)?;
            Operation::Named(index as u16)
        }
        ["const_i64", value] => Operation::ConstantLong(value.parse().ok()?),
        ["const_f64", bits] => {
            let bits = u64::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?;
            Operation::ConstantDouble(f64::from_bits(bits))
        }
        ["const_bool", value] => Operation::ConstantBool(value.parse().ok()?),
        ["store_null", place] => Operation::StoreNull(parse_place(place)?),
        ["store_undef", place] => Operation::StoreUndef(parse_place(place)?),
        ["store_typed", place, word, value] => Operation::StoreTyped(
            parse_place(place)?,
            u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()?,
            parse_value(value)?,
        ),
        ["store_string", place, value] => {
            Operation::StoreString(parse_place(place)?, parse_value(value)?)
        }
        ["move", place, value] => Operation::Move(parse_place(place)?, parse_value(value)?),
        ["retain", place] => Operation::Retain(parse_place(place)?),
        ["drop_share", place] => Operation::DropShare(parse_place(place)?),
        ["apart"] => Operation::Apart,
        ["release", place] => Operation::Release(parse_place(place)?),
        ["free", place] => Operation::Free(parse_place(place)?),
        ["call", name, arguments @ ..] => {
            let arguments: Option<Vec<Value>> =
                arguments.iter().map(|word| parse_value(word)).collect();
            Operation::Intrinsic(Intrinsic::from_name(name)?, arguments?)
        }
        [word, place] if word.starts_with("load_") => Operation::Load(
            parse_place(place)?,
            Representation::from_word(word.strip_prefix("load_")?)?,
        ),
        [word, place, value] if word.starts_with("store_") => Operation::Store(
            parse_place(place)?,
            Representation::from_word(word.strip_prefix("store_")?)?,
            parse_value(value)?,
        ),
        [operation, value] => {
            Operation::Unary(UnaryOperation::from_word(operation)?, parse_value(value)?)
        }
        [operation, left, right] => Operation::Binary(
            BinaryOperation::from_word(operation)?,
            parse_value(left)?,
            parse_value(right)?,
        ),
        _ => return None,
    };
    Some(Instruction { output, operation })
}
