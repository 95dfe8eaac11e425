//! Prefixes and suffixes of numbers: texts in which some characters stand for symbols.

/// A character, or what stands for a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::intl) enum Token {
    Character(char),
    Minus,
    Plus,
    Percent,
    PerMille,
    /// So many signs of a currency.
    Currency(usize),
}

/// The parts of a prefix or suffix as a pattern has it.
pub(in crate::intl) fn tokens(affix: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut characters = affix.chars().peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' if characters.peek() == Some(&'\'') => {
                characters.next();
                tokens.push(Token::Character('\''));
            }
            '\'' => is_quoted = !is_quoted,
            character if is_quoted => tokens.push(Token::Character(character)),
            '-' => tokens.push(Token::Minus),
            '+' => tokens.push(Token::Plus),
            '%' => tokens.push(Token::Percent),
            '‰' => tokens.push(Token::PerMille),
            '¤' => {
                let mut count = 1;
                while characters.next_if_eq(&'¤').is_some() {
                    count += 1;
                }
                tokens.push(Token::Currency(count));
            }
            character => tokens.push(Token::Character(character)),
        }
    }
    tokens
}

/// True if a sign that stands for a symbol is there.
pub(in crate::intl) fn has(affix: &str, sign: char) -> bool {
    tokens(affix).iter().any(|token| match token {
        Token::Percent => sign == '%',
        Token::PerMille => sign == '‰',
        Token::Currency(_) => sign == '¤',
        Token::Minus => sign == '-',
        Token::Plus => sign == '+',
        Token::Character(_) => false,
    })
}

/// The prefix or suffix that says a text as it is.
pub(in crate::intl) fn quoted(text: &str) -> String {
    let mut affix = String::new();
    let mut is_quoted = false;
    for character in text.chars() {
        let needs = matches!(character, '-' | '+' | '%' | '‰' | '¤');
        if needs != is_quoted && character != '\'' {
            affix.push('\'');
            is_quoted = needs;
        }
        match character {
            '\'' => affix.push_str("''"),
            character => affix.push(character),
        }
    }
    if is_quoted {
        affix.push('\'');
    }
    affix
}
