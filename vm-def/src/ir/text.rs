//! The text form of the intermediate form: prints and reads back.

use std::fmt;

use super::intrinsics::Intrinsic;
use super::model::{
    BinaryOperation, Block, BlockId, Clause, Instruction, Lowering, Operation, OverflowOperation,
    Place, Representation, Terminator, UnaryOperation, Value,
};
use crate::grammar::JumpField;
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
        write!(formatter, "clause {}", self.name.as_deref().unwrap_or("-"))?;
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
            Operation::GuardType(place, types) => {
                write!(formatter, "guard_type {} {types}", place.word())
            }
            Operation::Guard(value) => write!(formatter, "guard {value}"),
            Operation::Load(place, representation) => {
                write!(formatter, "load_{} {}", representation.word(), place.word())
            }
            Operation::LoadExtended => formatter.write_str("load_extended"),
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
                write!(
                    formatter,
                    "store_{} {} {value}",
                    representation.word(),
                    place.word()
                )
            }
            Operation::StoreNull(place) => write!(formatter, "store_null {}", place.word()),
        }
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Next => formatter.write_str("next"),
            Terminator::Decide(value) => write!(formatter, "decide {value}"),
            Terminator::Jump(field) => write!(formatter, "jump {}", field.word()),
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
        let mut lowering = Lowering {
            opcode: String::new(),
            clauses: Vec::new(),
        };
        let mut open: Option<Vec<Instruction>> = None;
        for (index, line) in text.lines().enumerate() {
            let error = ParseError { line: index + 1 };
            let line = line.split(';').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            parse_line(&words, &mut lowering, &mut open).ok_or(error)?;
        }
        Ok(lowering)
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
        ["clause", name, types @ ..] => {
            let mut clause = Clause {
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

fn parse_block(word: &str) -> Option<BlockId> {
    word.strip_prefix("block")?.parse().ok().map(BlockId)
}

fn parse_terminator(words: &[&str]) -> Option<Terminator> {
    Some(match words {
        ["next"] => Terminator::Next,
        ["decide", value] => Terminator::Decide(parse_value(value)?),
        ["jump", field] => Terminator::Jump(JumpField::from_word(field)?),
        ["branch", condition, then, otherwise] => Terminator::Branch {
            condition: parse_value(condition)?,
            then: parse_block(then)?,
            otherwise: parse_block(otherwise)?,
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
            Operation::GuardType(Place::from_word(place)?, TypeMask::parse(types)?)
        }
        ["guard", value] => Operation::Guard(parse_value(value)?),
        ["load_extended"] => Operation::LoadExtended,
        ["const_i64", value] => Operation::ConstantLong(value.parse().ok()?),
        ["const_f64", bits] => {
            let bits = u64::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?;
            Operation::ConstantDouble(f64::from_bits(bits))
        }
        ["const_bool", value] => Operation::ConstantBool(value.parse().ok()?),
        ["store_null", place] => Operation::StoreNull(Place::from_word(place)?),
        ["call", name, arguments @ ..] => {
            let arguments: Option<Vec<Value>> =
                arguments.iter().map(|word| parse_value(word)).collect();
            Operation::Intrinsic(Intrinsic::from_name(name)?, arguments?)
        }
        [word, place] if word.starts_with("load_") => Operation::Load(
            Place::from_word(place)?,
            Representation::from_word(word.strip_prefix("load_")?)?,
        ),
        [word, place, value] if word.starts_with("store_") => Operation::Store(
            Place::from_word(place)?,
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
