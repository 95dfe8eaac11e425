//! Which handlers an opcode gets: the variants, their names, and the layout of its selector.

use vm_def::grammar::{OperandKind, SpecOption, UnusedMeaning};

use crate::model::{Opcode, Operand};

/// What a variant does with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultForm {
    /// As the opline says.
    Plain,
    /// Drops it.
    Unused,
    /// Writes it.
    Used,
    /// Jumps over or with the JMPZ that follows.
    Jmpz,
    /// Jumps over or with the JMPNZ that follows.
    Jmpnz,
    /// Assigns it to a compiled variable.
    Cv,
}

/// A property of the opline that a variant is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// None.
    None,
    /// Whether the argument is one of the first twelve.
    QuickArg(bool),
    /// isset() or empty().
    Isset(bool),
    /// The number of a binary operator.
    Operator(u8),
    /// Whether the variable of op1 keeps what it holds until the prepared call has been made.
    KeptOp1(bool),
}

/// One handler of an opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The kind of op1.
    pub op1: OperandKind,
    /// The kind of op2.
    pub op2: OperandKind,
    /// The kind of OP_DATA's operand.
    pub data: Option<OperandKind>,
    /// The result.
    pub form: ResultForm,
    /// The flag.
    pub flag: Flag,
    /// The fast clause whose types are proven.
    pub clause: Option<usize>,
}

/// The dimensions in which an opcode is specialised.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The kinds of op1; empty if op1 is not specialised.
    pub op1: Vec<OperandKind>,
    /// The kinds of op2.
    pub op2: Vec<OperandKind>,
    /// The kinds of OP_DATA's operand.
    pub data: Vec<OperandKind>,
    /// The results.
    pub forms: Vec<ResultForm>,
    /// The flags.
    pub flags: Vec<Flag>,
}

impl Layout {
    /// The layout of an opcode.
    pub fn of(opcode: &Opcode) -> Layout {
        if !opcode.is_specialised() {
            let any = vec![OperandKind::Any];
            return Layout {
                op1: any.clone(),
                op2: any.clone(),
                data: any,
                forms: vec![ResultForm::Plain],
                flags: vec![Flag::None],
            };
        }
        let kinds = |operand: &Operand| operand.kinds.iter().map(|kind| kind.value).collect();
        let mut forms = if opcode.has_spec(SpecOption::Retval) {
            vec![ResultForm::Unused, ResultForm::Used]
        } else {
            vec![ResultForm::Plain]
        };
        if opcode.has_spec(SpecOption::SmartBranch) {
            forms.extend([ResultForm::Jmpz, ResultForm::Jmpnz]);
        }
        if opcode.has_spec(SpecOption::ResultCv) {
            forms.push(ResultForm::Cv);
        }
        let flags = if opcode.has_spec(SpecOption::QuickArg) {
            vec![Flag::QuickArg(false), Flag::QuickArg(true)]
        } else if opcode.has_spec(SpecOption::Isset) {
            vec![Flag::Isset(false), Flag::Isset(true)]
        } else if opcode.has_spec(SpecOption::Operator) {
            (1..=Opcode::OPERATORS as u8).map(Flag::Operator).collect()
        } else if opcode.has_spec(SpecOption::KeptOp1) {
            vec![Flag::KeptOp1(false), Flag::KeptOp1(true)]
        } else {
            vec![Flag::None]
        };
        let data = match &opcode.data {
            Some(data) if opcode.has_spec(SpecOption::OpData) => kinds(data),
            _ => vec![OperandKind::Any],
        };
        Layout {
            op1: kinds(&opcode.op1),
            op2: kinds(&opcode.op2),
            data,
            forms,
            flags,
        }
    }

    /// The number of slots, filled or not.
    pub fn slot_count(&self) -> usize {
        self.op1.len() * self.op2.len() * self.data.len() * self.forms.len() * self.flags.len()
    }

    /// The variant of every slot, for generic code or for one clause; `None` is a hole.
    pub fn slots(&self, opcode: &Opcode, clause: Option<usize>) -> Vec<Option<Variant>> {
        let mut slots = Vec::with_capacity(self.slot_count());
        for op1 in &self.op1 {
            for op2 in &self.op2 {
                for data in &self.data {
                    for form in &self.forms {
                        for flag in &self.flags {
                            let variant = Variant {
                                op1: *op1,
                                op2: *op2,
                                data: opcode.data.as_ref().map(|_| *data),
                                form: *form,
                                flag: *flag,
                                clause,
                            };
                            slots.push(variant.is_wanted(opcode).then_some(variant));
                        }
                    }
                }
            }
        }
        slots
    }
}

impl Variant {
    fn is_wanted(&self, opcode: &Opcode) -> bool {
        if self
            .clause
            .is_some_and(|clause| !self.takes_clause(opcode, clause))
        {
            return false;
        }
        let both_const = self.op1 == OperandKind::Const && self.op2 == OperandKind::Const;
        if both_const && (opcode.has_spec(SpecOption::NoConstConst) || self.clause.is_some()) {
            return false;
        }
        if opcode.has_spec(SpecOption::Commutative) && !in_order(self.op1, self.op2) {
            return false;
        }
        match self.flag {
            // A named argument has no position.
            Flag::QuickArg(true) => self.op2 != OperandKind::Const,
            Flag::KeptOp1(true) => self.op1 == OperandKind::Cv,
            _ => true,
        }
    }

    /// Whether the operands that the clause looks at are values in this variant, of the kinds that
    /// it is for.
    pub fn takes_clause(&self, opcode: &Opcode, clause: usize) -> bool {
        let data = opcode.data.as_ref();
        let operands = [
            (Some(self.op1), Some(&opcode.op1)),
            (Some(self.op2), Some(&opcode.op2)),
            (self.data, data),
        ];
        let clause = &opcode.fast[clause];
        clause
            .parameters
            .iter()
            .zip(operands)
            .all(|(parameter, operand)| {
                let (Some(kind), Some(operand)) = operand else {
                    return false;
                };
                let is_value =
                    kind != OperandKind::Unused || operand.meaning == UnusedMeaning::This;
                let is_named = !parameter.name.value.is_empty();
                (is_value || !is_named)
                    && (parameter.kinds.is_empty() || parameter.kinds.contains(&kind))
            })
    }

    /// The number of the binary operator that the variant is made for.
    pub fn operator(&self) -> Option<u32> {
        match self.flag {
            Flag::Operator(number) => Some(u32::from(number)),
            _ => None,
        }
    }

    /// The name of the handler function.
    pub fn function_name(&self, opcode: &Opcode) -> String {
        if !opcode.is_specialised() {
            return format!("{}__slow", opcode.function_name());
        }
        let mut parts = Vec::new();
        for (operand, kind) in [(&opcode.op1, self.op1), (&opcode.op2, self.op2)] {
            if operand.declared && !(operand.kinds.len() == 1 && kind == OperandKind::Unused) {
                parts.push(kind.word().to_lowercase());
            }
        }
        if let Some(data) = self.data.filter(|data| *data != OperandKind::Any) {
            parts.push(format!("data_{}", data.word().to_lowercase()));
        }
        match self.form {
            ResultForm::Plain => {}
            ResultForm::Unused => parts.push("unused".into()),
            ResultForm::Used => parts.push("used".into()),
            ResultForm::Jmpz => parts.push("jmpz".into()),
            ResultForm::Jmpnz => parts.push("jmpnz".into()),
            ResultForm::Cv => parts.push("result_cv".into()),
        }
        match self.flag {
            Flag::None => {}
            Flag::QuickArg(quick) => parts.push(if quick { "quick" } else { "any_arg" }.into()),
            Flag::Isset(isset) => parts.push(if isset { "isset" } else { "empty" }.into()),
            Flag::Operator(number) => parts.push(format!("operator{number}")),
            Flag::KeptOp1(true) => parts.push("kept".into()),
            Flag::KeptOp1(false) => {}
        }
        let mut name = opcode.function_name();
        if let Some(clause) = self
            .clause
            .and_then(|clause| opcode.fast[clause].name.as_ref())
        {
            name = format!("{name}_{}", clause.value.to_lowercase());
        }
        if parts.is_empty() {
            name + "__any"
        } else {
            format!("{name}__{}", parts.join("_"))
        }
    }
}

/// Whether some opline with these kinds has its operands in the order of `normalise`.
fn in_order(op1: OperandKind, op2: OperandKind) -> bool {
    let highest = op1.codes().iter().max();
    let lowest = op2.codes().iter().min();
    highest >= lowest
}
