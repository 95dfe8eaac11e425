//! Values that are expressions of constants: `error_reporting = E_ALL & ~E_NOTICE`.

/// The value of an expression of numbers and constants with `|`, `&`, `^`, `~`, `!` and parentheses;
/// None if the text is no such expression. The binary operators bind equally, from the left.
pub fn evaluate(text: &[u8], constant: &dyn Fn(&[u8]) -> Option<i64>) -> Option<i64> {
    if !text.iter().any(|byte| b"|&^~!".contains(byte)) {
        // A constant alone; numbers stay as they are written.
        return constant(text.trim_ascii());
    }
    let mut reader = Reader { text, constant };
    let value = reader.binary()?;
    reader.skip_spaces();
    reader.text.is_empty().then_some(value)
}

struct Reader<'t> {
    text: &'t [u8],
    constant: &'t dyn Fn(&[u8]) -> Option<i64>,
}

impl Reader<'_> {
    fn skip_spaces(&mut self) {
        self.text = self.text.trim_ascii_start();
    }

    fn next(&mut self) -> Option<u8> {
        self.skip_spaces();
        self.text.first().copied()
    }

    fn binary(&mut self) -> Option<i64> {
        let mut value = self.unary()?;
        while let Some(operator @ (b'|' | b'&' | b'^')) = self.next() {
            self.text = &self.text[1..];
            let right = self.unary()?;
            value = match operator {
                b'|' => value | right,
                b'&' => value & right,
                _ => value ^ right,
            };
        }
        Some(value)
    }

    fn unary(&mut self) -> Option<i64> {
        if crate::limits::stack_is_low() {
            return None;
        }
        let first = self.next()?;
        if !b"~!(".contains(&first) {
            return self.operand();
        }
        self.text = &self.text[1..];
        match first {
            b'~' => self.unary().map(|value| !value),
            b'!' => self.unary().map(|value| (value == 0) as i64),
            _ => {
                let value = self.binary()?;
                let closed = self.next() == Some(b')');
                self.text = self.text.get(1..)?;
                closed.then_some(value)
            }
        }
    }

    fn operand(&mut self) -> Option<i64> {
        let length = self
            .text
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let (word, rest) = self.text.split_at(length);
        self.text = rest;
        match word.first()? {
            b'0'..=b'9' => std::str::from_utf8(word).ok()?.parse().ok(),
            _ => (self.constant)(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn operators_bind_from_the_left() {
        let constant = |name: &[u8]| match name {
            b"ALL" => Some(30719),
            b"NOTICE" => Some(8),
            _ => None,
        };
        let value = |text: &str| evaluate(text.as_bytes(), &constant);
        assert_eq!(value("ALL & ~NOTICE"), Some(30719 & !8));
        assert_eq!(value("1 | 2 & 1"), Some(1));
        assert_eq!(value("1 | (2 & 3) ^ !0"), Some(2));
        assert_eq!(value("ALL"), Some(30719));
        assert_eq!(value("12"), None);
        assert_eq!(value("a word | UNKNOWN"), None);
        assert_eq!(value("(1 | 2"), None);
    }
}
