//! A text that is being transliterated, and where.

/// The text.
pub(super) type Text = Vec<char>;

/// Which part of a text is looked at, and which is changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub(super) context_start: usize,
    pub(super) context_limit: usize,
    pub(super) start: usize,
    pub(super) limit: usize,
}

impl Position {
    /// All of a text.
    pub(super) fn all(text: &Text) -> Position {
        Position::between(0, text.len())
    }

    /// A part of a text, of which nothing around it is seen.
    pub(super) fn between(start: usize, limit: usize) -> Position {
        Position {
            context_start: start,
            context_limit: limit,
            start,
            limit,
        }
    }

    /// Replaces what lies between `from` and `to`; what is behind it moves.
    pub(super) fn replace(&mut self, text: &mut Text, from: usize, to: usize, new: &[char]) {
        text.splice(from..to, new.iter().copied());
        self.limit = self.limit + new.len() - (to - from);
        self.context_limit = self.context_limit + new.len() - (to - from);
    }
}
