//! Expressions as source text again, for the message of a failed `assert()` and for Reflection.

mod declarations;
mod statements;

use crate::ast::{
    Arg, Args, ArrayItem, ArrayLiteral, BinaryOperator, CastKind, Expr, ExprKind, IncDecOperator,
    IncludeKind, MagicConst, Name, NameKind, StringPart, Type, TypeKind, UnaryOperator,
};

use super::numbers::double_to_string;

/// `assert(...)` with its argument as text.
pub(crate) fn assertion(arg: &Arg<'_>) -> Vec<u8> {
    let mut printer = Printer {
        text: b"assert(".to_vec(),
        names: None,
        depth: 0,
        indent: 0,
    };
    printer.arg(arg);
    printer.text.push(b')');
    printer.text
}

/// A constant expression as text, with names as `names` writes them.
pub(crate) fn constant_expression(expr: &Expr<'_>, names: NameWriter<'_>) -> Vec<u8> {
    let mut printer = Printer {
        text: Vec::new(),
        names: Some(names),
        depth: 0,
        indent: 0,
    };
    printer.expr(expr, 0);
    printer.text
}

/// What a name in a constant expression is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// A class after `new`.
    New,
    /// A class before `::`.
    Class,
    Constant,
}

/// Says how a name is written.
type NameWriter<'n> = &'n mut dyn FnMut(&Name<'_>, NameUse) -> Vec<u8>;

struct Printer<'n> {
    text: Vec<u8>,
    /// How names are written, if not as they stand there.
    names: Option<NameWriter<'n>>,
    depth: u32,
    /// Levels that a new line stands in.
    indent: u32,
}

/// Deeper expressions are cut off.
const MAXIMUM_DEPTH: u32 = 300;

/// Text, precedence, and the least precedence of the sides.
fn binary(operator: BinaryOperator) -> (&'static str, u16, u16, u16) {
    use BinaryOperator as B;
    match operator {
        B::Add => (" + ", 200, 200, 201),
        B::Sub => (" - ", 200, 200, 201),
        B::Mul => (" * ", 210, 210, 211),
        B::Div => (" / ", 210, 210, 211),
        B::Mod => (" % ", 210, 210, 211),
        B::ShiftLeft => (" << ", 190, 190, 191),
        B::ShiftRight => (" >> ", 190, 190, 191),
        B::Concat => (" . ", 185, 185, 186),
        B::BitOr => (" | ", 140, 140, 141),
        B::BitAnd => (" & ", 160, 160, 161),
        B::BitXor => (" ^ ", 150, 150, 151),
        B::Identical => (" === ", 170, 171, 171),
        B::NotIdentical => (" !== ", 170, 171, 171),
        B::Equal => (" == ", 170, 171, 171),
        B::NotEqual => (" != ", 170, 171, 171),
        B::Less => (" < ", 180, 181, 181),
        B::LessEqual => (" <= ", 180, 181, 181),
        B::Greater => (" > ", 180, 181, 181),
        B::GreaterEqual => (" >= ", 180, 181, 181),
        B::Pow => (" ** ", 250, 251, 250),
        B::Xor => (" xor ", 40, 40, 41),
        B::Spaceship => (" <=> ", 180, 181, 181),
    }
}

impl Printer<'_> {
    fn push(&mut self, text: impl AsRef<[u8]>) {
        self.text.extend_from_slice(text.as_ref());
    }

    fn wrapped(&mut self, parenthesized: bool, body: impl FnOnce(&mut Self)) {
        if parenthesized {
            self.push("(");
        }
        body(self);
        if parenthesized {
            self.push(")");
        }
    }

    fn quoted(&mut self, bytes: &[u8]) {
        if bytes.iter().any(|&byte| byte < b' ') {
            return self.quoted_with_escapes(bytes);
        }
        self.push("'");
        for byte in bytes {
            if matches!(byte, b'\'' | b'\\') {
                self.push("\\");
            }
            self.text.push(*byte);
        }
        self.push("'");
    }

    /// A string with control characters.
    fn quoted_with_escapes(&mut self, bytes: &[u8]) {
        self.push("\"");
        self.double_quoted(bytes);
        self.push("\"");
    }

    /// The name of a class.
    fn name(&mut self, name: &Name<'_>) {
        self.name_of(name, NameUse::Class);
    }

    fn name_of(&mut self, name: &Name<'_>, of: NameUse) {
        if let Some(names) = &mut self.names {
            let text = names(name, of);
            return self.push(text);
        }
        match name.kind {
            NameKind::FullyQualified => self.push("\\"),
            NameKind::Relative => self.push("namespace\\"),
            _ => {}
        }
        self.push(name.bytes);
    }

    /// What names a member, function or class: as it is if it is a name, else in braces.
    fn member(&mut self, expr: &Expr<'_>) {
        match expr.kind {
            ExprKind::String(bytes) => self.push(bytes),
            ExprKind::Variable(_) | ExprKind::VariableVariable(_) => self.expr(expr, 0),
            _ => {
                self.push("{");
                self.expr(expr, 0);
                self.push("}");
            }
        }
    }

    fn variable_name(&mut self, bytes: &[u8]) {
        let is_plain = bytes.first().is_some_and(|byte| !byte.is_ascii_digit())
            && bytes
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte > 127);
        if is_plain {
            self.push(bytes);
        } else {
            self.push("{");
            self.quoted(bytes);
            self.push("}");
        }
    }

    fn arg(&mut self, arg: &Arg<'_>) {
        if let Some(name) = arg.name {
            self.push(name);
            self.push(": ");
        }
        if arg.spread {
            self.push("...");
        }
        self.expr(arg.value, 0);
    }

    fn args(&mut self, args: &Args<'_>) {
        self.push("(");
        if args.first_class_callable {
            self.push("...");
        }
        self.list(args.items, |printer, arg| printer.arg(arg));
        self.push(")");
    }

    fn list<T>(&mut self, items: &[T], print: impl Fn(&mut Self, &T)) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    fn array(&mut self, literal: &ArrayLiteral<'_>) {
        self.push("[");
        self.list(literal.items, |printer, item: &Option<ArrayItem<'_>>| {
            let Some(item) = item else {
                return;
            };
            if item.spread {
                printer.push("...");
            }
            if let Some(key) = item.key {
                printer.expr(key, 80);
                printer.push(" => ");
            }
            if item.by_ref {
                printer.push("&");
            }
            printer.expr(item.value, 80);
        });
        self.push("]");
    }

    fn prefix(&mut self, word: &str, operand: &Expr<'_>, own: u16, least: u16) {
        self.wrapped(least > own, |printer| {
            printer.push(word);
            printer.expr(operand, own);
        });
    }

    fn infix(
        &mut self,
        (word, own, left_least, right_least): (&str, u16, u16, u16),
        left: &Expr<'_>,
        right: &Expr<'_>,
        least: u16,
    ) {
        self.wrapped(least > own, |printer| {
            printer.expr(left, left_least);
            printer.push(word);
            printer.expr(right, right_least);
        });
    }

    /// True where nesting ends; then it says so.
    fn is_too_deep(&mut self) -> bool {
        let is_too_deep = self.depth == MAXIMUM_DEPTH;
        if is_too_deep {
            self.push("...");
        }
        is_too_deep
    }

    fn expr(&mut self, expr: &Expr<'_>, least: u16) {
        if self.is_too_deep() {
            return;
        }
        self.depth += 1;
        self.expr_kind(expr, least);
        self.depth -= 1;
    }

    fn expr_kind(&mut self, expr: &Expr<'_>, least: u16) {
        use ExprKind as E;
        match expr.kind {
            E::Int(value) => self.push(value.to_string()),
            E::Float(value) => {
                let text = double_to_string(value, -1);
                let is_integral = !text.contains(['.', 'E', 'N']);
                self.push(text);
                if is_integral {
                    self.push(".0");
                }
            }
            E::String(bytes) => self.quoted(bytes),
            E::Interpolated(parts) => {
                self.push("\"");
                self.parts(parts, Self::double_quoted);
                self.push("\"");
            }
            E::ShellExec(parts) => {
                self.push("`");
                self.parts(parts, |printer, bytes| printer.push(bytes));
                self.push("`");
            }
            E::Name(name) => self.name(&name),
            E::Const(name) => self.name_of(&name, NameUse::Constant),
            E::StaticClass => self.push("static"),
            E::MagicConst(constant) => self.push(magic_name(constant)),
            E::Variable(name) => {
                self.push("$");
                self.variable_name(name);
            }
            E::VariableVariable(inner) => {
                self.push("$");
                match inner.kind {
                    E::Variable(_) | E::VariableVariable(_) => self.expr(inner, 0),
                    E::String(bytes) => self.variable_name(bytes),
                    _ => {
                        self.push("{");
                        self.expr(inner, 0);
                        self.push("}");
                    }
                }
            }
            E::Array(literal) => self.array(&literal),
            E::Dim { base, index } => {
                self.expr(base, 260);
                self.push("[");
                if let Some(index) = index {
                    self.expr(index, 0);
                }
                self.push("]");
            }
            E::Prop {
                object,
                name,
                nullsafe,
            } => {
                self.expr(object, 0);
                self.push(if nullsafe { "?->" } else { "->" });
                self.member(name);
            }
            E::StaticProp { class, name } => {
                self.class(class);
                self.push("::$");
                self.member(name);
            }
            E::ClassConst { class, name } => {
                self.class(class);
                self.push("::");
                self.member(name);
            }
            E::ClassName { class } => {
                self.class(class);
                self.push("::class");
            }
            E::Call { callee, args } => {
                self.callee(callee);
                self.args(args);
            }
            E::MethodCall {
                object,
                name,
                args,
                nullsafe,
            } => {
                self.expr(object, 0);
                self.push(if nullsafe { "?->" } else { "->" });
                self.member(name);
                self.args(args);
            }
            E::StaticCall { class, name, args } => {
                self.class(class);
                self.push("::");
                self.member(name);
                self.args(args);
            }
            E::New { class, args } => {
                self.push("new ");
                match class.kind {
                    E::Name(name) => self.name_of(&name, NameUse::New),
                    _ => self.class(class),
                }
                self.args(args);
            }
            E::NewAnonymous { args, class } => {
                self.push("new ");
                self.attributes(class.attributes, false);
                self.push("class");
                if !args.items.is_empty() {
                    self.args(args);
                }
                self.class_rest(class);
            }
            E::Unary { operator, operand } => match operator {
                UnaryOperator::Not => self.prefix("!", operand, 240, least),
                UnaryOperator::BitNot => self.prefix("~", operand, 240, least),
                UnaryOperator::Plus => self.prefix("+", operand, 240, least),
                UnaryOperator::Minus => self.prefix("-", operand, 240, least),
            },
            E::Binary {
                operator,
                left,
                right,
            } => {
                self.infix(binary(operator), left, right, least);
            }
            E::And { left, right } => {
                self.infix((" && ", 130, 130, 131), left, right, least);
            }
            E::Or { left, right } => self.infix((" || ", 120, 120, 121), left, right, least),
            E::Coalesce { left, right } => self.infix((" ?? ", 110, 111, 110), left, right, least),
            E::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.wrapped(least > 100, |printer| {
                    printer.expr(condition, 100);
                    match then {
                        Some(then) => {
                            printer.push(" ? ");
                            printer.expr(then, 101);
                            printer.push(" : ");
                        }
                        None => printer.push(" ?: "),
                    }
                    printer.expr(otherwise, 101);
                });
            }
            E::Assign { target, value } => self.infix((" = ", 90, 90, 90), target, value, least),
            E::AssignRef { target, value } => {
                self.infix((" =& ", 90, 90, 90), target, value, least);
            }
            E::AssignOp {
                operator,
                target,
                value,
            } => {
                let word = format!(" {}= ", binary(operator).0.trim());
                self.infix((&word, 90, 90, 90), target, value, least);
            }
            E::AssignCoalesce { target, value } => {
                self.infix((" ??= ", 90, 90, 90), target, value, least);
            }
            E::IncDec { operator, target } => match operator {
                IncDecOperator::PreInc => self.prefix("++", target, 240, least),
                IncDecOperator::PreDec => self.prefix("--", target, 240, least),
                IncDecOperator::PostInc => self.postfix("++", target, least),
                IncDecOperator::PostDec => self.postfix("--", target, least),
            },
            E::Cast { kind, operand } => {
                let word = match kind {
                    CastKind::Int => "(int)",
                    CastKind::Float => "(double)",
                    CastKind::String => "(string)",
                    CastKind::Array => "(array)",
                    CastKind::Object => "(object)",
                    CastKind::Bool => "(bool)",
                    CastKind::Unset => "(unset)",
                };
                self.prefix(word, operand, 240, least);
            }
            E::Isset(variable) => self.function("isset", variable),
            E::Empty(variable) => self.function("empty", variable),
            E::Include { kind, operand } => match kind {
                IncludeKind::Eval => self.function("eval", operand),
                IncludeKind::Include => self.function("include", operand),
                IncludeKind::IncludeOnce => self.function("include_once", operand),
                IncludeKind::Require => self.function("require", operand),
                IncludeKind::RequireOnce => self.function("require_once", operand),
            },
            E::Print(value) => self.prefix("print ", value, 60, least),
            E::Clone(value) => self.prefix("clone ", value, 270, least),
            E::Silence(value) => self.prefix("@", value, 240, least),
            E::InstanceOf { value, class } => {
                self.wrapped(least > 230, |printer| {
                    printer.expr(value, 0);
                    printer.push(" instanceof ");
                    printer.class(class);
                });
            }
            E::Yield { key, value } => {
                self.wrapped(least > 70, |printer| {
                    printer.push("yield ");
                    if let Some(value) = value {
                        if let Some(key) = key {
                            printer.expr(key, 70);
                            printer.push(" => ");
                        }
                        printer.expr(value, 70);
                    }
                });
            }
            E::YieldFrom(value) => self.prefix("yield from ", value, 85, least),
            E::Throw(value) => self.prefix("throw ", value, 0, least),
            E::Match { subject, arms } => {
                self.push("match (");
                self.expr(subject, 0);
                self.push(") {\n");
                for arm in arms {
                    self.indented(Self::indentation);
                    match arm.conditions {
                        Some(conditions) => {
                            self.list(conditions, |printer, condition| printer.expr(condition, 0));
                        }
                        None => self.push("default"),
                    }
                    self.push(" => ");
                    // What stands over several lines starts at the margin again.
                    let indent = std::mem::take(&mut self.indent);
                    self.expr(arm.body, 0);
                    self.indent = indent;
                    self.push(",\n");
                }
                self.indentation();
                self.push("}");
            }
            E::Closure(function) | E::ArrowFunction(function) => self.closure(function),
        }
    }

    /// What is called: a name, or any expression as it is.
    fn callee(&mut self, callee: &Expr<'_>) {
        match callee.kind {
            ExprKind::Closure(_) => self.expr(callee, 0),
            _ => self.class(callee),
        }
    }

    /// The parts of a string; a variable stands in braces if it would read on into what follows.
    fn parts(&mut self, parts: &[StringPart<'_>], text: impl Fn(&mut Self, &[u8])) {
        for (position, part) in parts.iter().enumerate() {
            let following = match parts.get(position + 1).map(|part| part.expr.kind) {
                Some(ExprKind::String(bytes)) => bytes.first(),
                _ => None,
            };
            let reads_on = following.is_some_and(|&byte| {
                byte == b'[' || byte == b'_' || byte > 127 || byte.is_ascii_alphanumeric()
            });
            match part.expr.kind {
                ExprKind::String(bytes) => text(self, bytes),
                ExprKind::Variable(_) if !reads_on => self.expr(part.expr, 0),
                _ => {
                    self.push("{");
                    self.expr(part.expr, 0);
                    self.push("}");
                }
            }
        }
    }

    fn postfix(&mut self, word: &str, operand: &Expr<'_>, least: u16) {
        self.wrapped(least > 230, |printer| {
            printer.expr(operand, 231);
            printer.push(word);
        });
    }

    fn function(&mut self, word: &str, operand: &Expr<'_>) {
        self.push(word);
        self.push("(");
        self.expr(operand, 0);
        self.push(")");
    }

    fn class(&mut self, class: &Expr<'_>) {
        match class.kind {
            ExprKind::String(bytes) => self.push(bytes),
            ExprKind::Name(_)
            | ExprKind::StaticClass
            | ExprKind::Variable(_)
            | ExprKind::VariableVariable(_)
            | ExprKind::Dim { .. }
            | ExprKind::Prop { .. }
            | ExprKind::StaticProp { .. }
            | ExprKind::Call { .. }
            | ExprKind::MethodCall { .. }
            | ExprKind::StaticCall { .. } => self.expr(class, 0),
            _ => {
                self.push("(");
                self.expr(class, 0);
                self.push(")");
            }
        }
    }

    fn double_quoted(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.push("\\n"),
                b'\r' => self.push("\\r"),
                b'\t' => self.push("\\t"),
                0x0c => self.push("\\f"),
                0x0b => self.push("\\v"),
                0x1b => self.push("\\e"),
                b'"' | b'$' | b'\\' => {
                    self.push("\\");
                    self.text.push(*byte);
                }
                byte if *byte < b' ' => {
                    self.push(format!("\\0{}{}", byte >> 3, byte & 7));
                }
                byte => self.text.push(*byte),
            }
        }
    }

    fn declared(&mut self, declared: &Type<'_>) {
        match declared.kind {
            TypeKind::Named(name) => self.name(&name),
            TypeKind::Array => self.push("array"),
            TypeKind::Callable => self.push("callable"),
            TypeKind::Static => self.push("static"),
            TypeKind::Nullable(inner) => {
                self.push("?");
                self.declared(inner);
            }
            TypeKind::Union(members) => self.types(members, "|"),
            TypeKind::Intersection(members) => self.types(members, "&"),
        }
    }

    fn types(&mut self, members: &[Type<'_>], separator: &str) {
        for (position, member) in members.iter().enumerate() {
            if position > 0 {
                self.push(separator);
            }
            let nested = matches!(member.kind, TypeKind::Intersection(_));
            self.wrapped(nested, |printer| printer.declared(member));
        }
    }
}

fn magic_name(constant: MagicConst) -> &'static str {
    match constant {
        MagicConst::Line => "__LINE__",
        MagicConst::File => "__FILE__",
        MagicConst::Dir => "__DIR__",
        MagicConst::Function => "__FUNCTION__",
        MagicConst::Method => "__METHOD__",
        MagicConst::Class => "__CLASS__",
        MagicConst::Namespace => "__NAMESPACE__",
        MagicConst::Trait => "__TRAIT__",
        MagicConst::Property => "__PROPERTY__",
    }
}
