//! `switch` and `match`, with jump tables where the cases allow.

use vm_runtime::generated::Opcode;

use crate::ast::{ExprRef, MatchArm, SwitchCase};

use super::operand::{Constant, ConstantArray, ConstantKey, Operand};
use super::{Compiler, Result, numbers};

/// FREE: of the subject of a switch or match.
const FREE_SWITCH: u32 = 2;
/// A switch on integers needs this many cases for a jump table to be worth it.
const LONG_THRESHOLD: usize = 5;
/// A switch on strings needs this many.
const STRING_THRESHOLD: usize = 2;

/// The kind of a jump table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableKind {
    Long,
    String,
}

impl<'a> Compiler<'a, '_> {
    /// The constants of all cases, if they are all integers or all non-numeric strings.
    fn switch_table(
        &mut self,
        cases: &'a [SwitchCase<'a>],
    ) -> Result<Option<(TableKind, Vec<Option<Constant<'a>>>)>> {
        let mut kind = None;
        let mut constants = Vec::with_capacity(cases.len());
        for case in cases {
            let Some(condition) = case.condition else {
                constants.push(None);
                continue;
            };
            let constant = self.fold(condition)?;
            let this = match constant {
                Some(Constant::Long(_)) => TableKind::Long,
                Some(Constant::String(bytes)) if numbers::parse_numeric(bytes).is_none() => {
                    TableKind::String
                }
                _ => return Ok(None),
            };
            if kind.is_some_and(|kind| kind != this) {
                return Ok(None);
            }
            kind = Some(this);
            constants.push(constant);
        }
        let threshold = match kind {
            Some(TableKind::Long) => LONG_THRESHOLD,
            Some(TableKind::String) => STRING_THRESHOLD,
            None => return Ok(None),
        };
        Ok(kind
            .filter(|_| cases.len() >= threshold)
            .map(|kind| (kind, constants)))
    }

    /// Puts a finished jump table where an opline expects it.
    fn set_jump_table(&mut self, number: u32, table: &ConstantArray<'a>) {
        let entries = self.literal_entries(table);
        let table = self.pool.jump_table(&entries);
        let literal = self.op(number).op2 as usize;
        self.function.draft.literals[literal] = table;
    }

    fn free_subject(&mut self, subject: Operand<'a>) {
        if subject.is_temporary() {
            let number = self.emit(Opcode::FREE, subject, Operand::NONE);
            self.op(number).extended_value = FREE_SWITCH;
        }
    }

    pub fn compile_switch(
        &mut self,
        subject: ExprRef<'a>,
        cases: &'a [SwitchCase<'a>],
    ) -> Result<()> {
        let subject = self.compile_expr(subject)?;
        self.begin_loop(Opcode::FREE, subject, true);
        let comparison = Operand::Tmp(self.function.temporary());
        let table = self.switch_table(cases)?;
        let switch = table.as_ref().map(|(kind, _)| {
            let opcode = match kind {
                TableKind::Long => Opcode::SWITCH_LONG,
                TableKind::String => Opcode::SWITCH_STRING,
            };
            self.emit(opcode, subject, Operand::NULL)
        });
        let mut jumps = Vec::with_capacity(cases.len());
        let mut has_default = false;
        for case in cases {
            let Some(condition) = case.condition else {
                if has_default {
                    self.line = case.line;
                    return self.fail("Switch statements may only contain one default clause");
                }
                has_default = true;
                jumps.push(0);
                continue;
            };
            let condition = match switch {
                Some(_) => self.compile_folded(condition)?,
                None => self.compile_expr(condition)?,
            };
            jumps.push(match subject {
                Operand::Const(Constant::Bool(value)) => {
                    let opcode = if value { Opcode::JMPNZ } else { Opcode::JMPZ };
                    self.emit_condition(opcode, condition, 0)
                }
                _ => {
                    let opcode = if subject.is_temporary() {
                        Opcode::CASE
                    } else {
                        Opcode::IS_EQUAL
                    };
                    self.emit_into(comparison, opcode, subject, condition);
                    self.emit_condition(Opcode::JMPNZ, comparison, 0)
                }
            });
        }
        let to_default = self.emit_jump(0);
        let mut targets = ConstantArray::new_in(self.arena);
        for (position, case) in cases.iter().enumerate() {
            let target = self.next();
            if case.condition.is_some() {
                self.jump_here(jumps[position]);
                let constant = table
                    .as_ref()
                    .and_then(|(_, constants)| constants[position]);
                add_target(&mut targets, constant, target);
            } else {
                self.jump_here(to_default);
                if let Some(switch) = switch {
                    self.op(switch).extended_value = target;
                }
            }
            self.compile_block(case.body)?;
        }
        if !has_default {
            self.jump_here(to_default);
            if let Some(switch) = switch {
                let target = self.next();
                self.op(switch).extended_value = target;
            }
        }
        if let Some(switch) = switch {
            self.set_jump_table(switch, &targets);
        }
        let end = self.next();
        self.end_loop(end);
        self.free_subject(subject);
        Ok(())
    }

    /// The constants of all conditions, if they are all integers or strings.
    fn match_table(&mut self, arms: &'a [MatchArm<'a>]) -> Result<Option<Vec<Constant<'a>>>> {
        let mut constants = Vec::new();
        for condition in arms.iter().filter_map(|arm| arm.conditions).flatten() {
            match self.fold(condition)? {
                Some(constant @ (Constant::Long(_) | Constant::String(_))) => {
                    constants.push(constant);
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(constants).filter(|constants| !constants.is_empty()))
    }

    pub fn compile_match(
        &mut self,
        subject: ExprRef<'a>,
        arms: &'a [MatchArm<'a>],
    ) -> Result<Operand<'a>> {
        let subject = self.compile_expr(subject)?;
        let comparison = Operand::Tmp(self.function.temporary());
        let table = self.match_table(arms)?;
        let mut has_default = false;
        for arm in arms.iter().filter(|arm| arm.conditions.is_none()) {
            if has_default {
                self.line = arm.line;
                return self.fail("Match expressions may only contain one default arm");
            }
            has_default = true;
        }
        let mut jumps = Vec::new();
        let mut to_default = 0;
        let opline = if table.is_some() {
            Some(self.emit(Opcode::MATCH, subject, Operand::NULL))
        } else {
            for condition in arms.iter().filter_map(|arm| arm.conditions).flatten() {
                let condition = self.compile_expr(condition)?;
                let opcode = if subject.is_temporary() {
                    Opcode::CASE_STRICT
                } else {
                    Opcode::IS_IDENTICAL
                };
                self.emit_into(comparison, opcode, subject, condition);
                jumps.push(self.emit_condition(Opcode::JMPNZ, comparison, 0));
            }
            to_default = self.emit_jump(0);
            None
        };
        // The error comes first, so that the arms' result isn't live in it.
        if !has_default {
            match opline {
                Some(opline) => {
                    let target = self.next();
                    self.op(opline).extended_value = target;
                }
                None => self.jump_here(to_default),
            }
            let number = self.emit(Opcode::MATCH_ERROR, subject, Operand::NONE);
            if arms.is_empty() {
                self.op(number).extended_value = 1;
            }
        }
        let mut result = None;
        let mut to_end = Vec::with_capacity(arms.len());
        let mut targets = ConstantArray::new_in(self.arena);
        let mut position = 0;
        for arm in arms {
            let target = self.next();
            match arm.conditions {
                Some(conditions) => {
                    for _ in conditions {
                        if let Some(jump) = jumps.get(position) {
                            self.jump_here(*jump);
                        }
                        let constant = table.as_ref().map(|constants| constants[position]);
                        add_target(&mut targets, constant, target);
                        position += 1;
                    }
                }
                None => match opline {
                    Some(opline) => self.op(opline).extended_value = target,
                    None => self.jump_here(to_default),
                },
            }
            let value = self.compile_expr(arm.body)?;
            match result {
                None => {
                    result = Some(self.emit_tmp(Opcode::QM_ASSIGN, value, Operand::NONE));
                }
                Some(result) => {
                    self.emit_into(result, Opcode::QM_ASSIGN, value, Operand::NONE);
                }
            }
            to_end.push(self.emit_jump(0));
        }
        for jump in to_end {
            self.jump_here(jump);
        }
        if let Some(opline) = opline {
            self.set_jump_table(opline, &targets);
        }
        self.free_subject(subject);
        Ok(result.unwrap_or(Operand::NULL))
    }
}

fn add_target<'a>(targets: &mut ConstantArray<'a>, constant: Option<Constant<'a>>, target: u32) {
    let key = match constant {
        Some(Constant::Long(value)) => ConstantKey::Long(value),
        Some(Constant::String(bytes)) => ConstantKey::String(bytes),
        _ => return,
    };
    // The first of equal cases counts.
    if targets.get(key).is_none() {
        targets.update(key, Constant::Long(i64::from(target)));
    }
}
