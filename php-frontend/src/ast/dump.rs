//! The text form of the tree, for tests: `(kind:line child ...)`, one statement a line.

mod decl;
mod expr;
mod stmt;

use super::{Name, NameKind, Program, Type, TypeKind};

/// The tree as text.
pub fn dump(program: &Program<'_>) -> String {
    let mut printer = Printer {
        output: String::new(),
        indentation: 0,
    };
    printer.statements(program.statements);
    if let Some(offset) = program.halt_offset {
        printer.line();
        printer.text(&format!("(data-at {offset})"));
    }
    for warning in program.warnings {
        printer.line();
        printer.text(&format!("(warning:{} {:?})", warning.line, warning.message));
    }
    printer.output.trim_start().to_owned()
}

/// Text being made.
struct Printer {
    output: String,
    indentation: usize,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.output.push_str(text);
    }

    /// Begins a line.
    fn line(&mut self) {
        self.output.push('\n');
        self.output.push_str(&"  ".repeat(self.indentation));
    }

    /// `(head:line ...)`
    fn node(&mut self, head: &str, line: u32, children: impl FnOnce(&mut Self)) {
        self.text(&format!("({head}:{line}"));
        children(self);
        self.text(")");
    }

    /// `(head ...)`, for parts that have no line of their own.
    fn group(&mut self, head: &str, children: impl FnOnce(&mut Self)) {
        self.text(&format!(" ({head}"));
        children(self);
        self.text(")");
    }

    fn word(&mut self, word: &str) {
        self.text(" ");
        self.text(word);
    }

    /// A word if a condition holds.
    fn flag(&mut self, condition: bool, word: &str) {
        if condition {
            self.word(word);
        }
    }

    /// Bytes as text, without quotes.
    fn bytes(&mut self, bytes: &[u8]) {
        self.word(&bytes.escape_ascii().to_string());
    }

    /// Bytes as text, in quotes.
    fn quoted(&mut self, bytes: &[u8]) {
        self.word(&format!("\"{}\"", bytes.escape_ascii()));
    }

    fn doc_comment(&mut self, comment: Option<&[u8]>) {
        if let Some(comment) = comment {
            self.group("doc", |printer| printer.quoted(comment));
        }
    }

    fn name(&mut self, name: Name<'_>) {
        let prefix = match name.kind {
            NameKind::Unqualified | NameKind::Qualified => "",
            NameKind::FullyQualified => "\\",
            NameKind::Relative => "namespace\\",
        };
        self.word(&format!("{prefix}{}", name.bytes.escape_ascii()));
    }

    fn names(&mut self, head: &str, names: &[Name<'_>]) {
        if !names.is_empty() {
            self.group(head, |printer| {
                names.iter().for_each(|&name| printer.name(name))
            });
        }
    }

    fn declared_type(&mut self, declared: Option<&Type<'_>>) {
        if let Some(declared) = declared {
            self.group("type", |printer| printer.type_expression(declared));
        }
    }

    fn type_expression(&mut self, declared: &Type<'_>) {
        match declared.kind {
            TypeKind::Named(name) => self.name(name),
            TypeKind::Array => self.word("array"),
            TypeKind::Callable => self.word("callable"),
            TypeKind::Static => self.word("static"),
            TypeKind::Nullable(inner) => {
                self.group("nullable", |printer| printer.type_expression(inner));
            }
            TypeKind::Union(members) => self.group("union", |printer| {
                members
                    .iter()
                    .for_each(|member| printer.type_expression(member));
            }),
            TypeKind::Intersection(members) => self.group("intersection", |printer| {
                members
                    .iter()
                    .for_each(|member| printer.type_expression(member));
            }),
        }
    }
}
