//! Errors in definitions: collected, never fatal one by one, shown with source and caret.

use std::fmt;
use std::sync::Arc;

use proc_macro2::Span;

use crate::sources::Source;

/// A place in a definition file.
#[derive(Clone)]
pub struct Location {
    /// The file.
    pub source: Arc<Source>,
    /// The tokens.
    pub span: Span,
}

impl Location {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.span.start().line
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.source.path, self.line())
    }
}

/// One error.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What is wrong, a lower-case phrase.
    pub message: String,
    /// Where.
    pub location: Location,
    /// What the caret's label says.
    pub label: String,
    /// A hint or the reason.
    pub note: Option<String>,
}

/// All errors of a run.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The errors, in the order of the files and lines.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Adds an error, unless the same text was already reported for the same place.
    pub fn report(
        &mut self,
        location: &Location,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        let diagnostic = Diagnostic {
            message: message.into(),
            location: location.clone(),
            label: label.into(),
            note: None,
        };
        let known = self.list.iter().position(|other| {
            other.message == diagnostic.message && other.place() == diagnostic.place()
        });
        let index = known.unwrap_or_else(|| {
            self.list.push(diagnostic);
            self.list.len() - 1
        });
        &mut self.list[index]
    }

    /// Whether something was already reported for the line: what follows from it is not.
    pub fn has_on_line(&self, location: &Location) -> bool {
        self.list.iter().any(|diagnostic| {
            diagnostic.location.line() == location.line()
                && diagnostic.location.source.name == location.source.name
        })
    }

    /// Adds an error of the parser.
    pub(crate) fn report_syntax(&mut self, source: &Arc<Source>, error: &syn::Error) {
        for error in error.clone() {
            let location = Location {
                source: source.clone(),
                span: error.span(),
            };
            self.report(&location, error.to_string(), "");
        }
    }

    /// Puts the errors in the order of their places.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(Diagnostic::place);
    }
}

impl Diagnostic {
    /// Adds a hint.
    pub fn note(&mut self, note: impl Into<String>) {
        self.note = Some(note.into());
    }

    fn place(&self) -> (String, usize, usize) {
        let start = self.location.span.start();
        (self.location.source.path.clone(), start.line, start.column)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.location.span.start(), self.location.span.end());
        let line = self
            .location
            .source
            .text
            .lines()
            .nth(start.line.saturating_sub(1));
        let line = line.unwrap_or_default();
        let number = start.line.to_string();
        let margin = " ".repeat(number.len());
        let length = line.chars().count();
        let stop = if end.line == start.line {
            end.column
        } else {
            length
        };
        let width = stop.saturating_sub(start.column).max(1);
        writeln!(formatter, "error: {}", self.message)?;
        let file = &self.location.source.path;
        writeln!(
            formatter,
            "{margin}--> {file}:{}:{}",
            start.line,
            start.column + 1
        )?;
        writeln!(formatter, "{margin} |")?;
        writeln!(formatter, "{number} | {line}")?;
        let caret = format!("{}{}", " ".repeat(start.column), "^".repeat(width));
        writeln!(
            formatter,
            "{}",
            format!("{margin} | {caret} {}", self.label).trim_end()
        )?;
        if let Some(note) = &self.note {
            writeln!(formatter, "{margin} = note: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            writeln!(formatter, "{diagnostic}")?;
        }
        let count = self.list.len();
        let noun = if count == 1 { "error" } else { "errors" };
        writeln!(formatter, "{count} {noun} in the opcode definitions")
    }
}

impl std::error::Error for Diagnostics {}
