//! Patterns of dates, such as `d. MMMM y 'um' HH:mm`.

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// A letter, so often.
    Field(char, usize),
}

/// The parts of a pattern; nothing if a letter has no meaning.
pub(super) fn parts(pattern: &str) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut characters = pattern.chars().peekable();
    let mut is_quoted = false;
    let push = |parts: &mut Vec<Part>, character| match parts.last_mut() {
        Some(Part::Text(text)) => text.push(character),
        _ => parts.push(Part::Text(character.to_string())),
    };
    while let Some(character) = characters.next() {
        match character {
            '\'' if characters.peek() == Some(&'\'') => {
                characters.next();
                push(&mut parts, '\'');
            }
            '\'' => is_quoted = !is_quoted,
            letter if !is_quoted && letter.is_ascii_alphabetic() => {
                let mut count = 1;
                while characters.next_if_eq(&letter).is_some() {
                    count += 1;
                }
                if !"GyYuUrQqMLlwWdDFgEecabBhHKkmsSAzZOvVXx".contains(letter) {
                    return None;
                }
                parts.push(Part::Field(letter, count));
            }
            character => push(&mut parts, character),
        }
    }
    Some(parts)
}
