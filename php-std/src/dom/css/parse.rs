//! Reads selectors. What is wrong is told as PHP tells it.

use super::{Combinator, Comparison, Complex, Nth, Selectors, Simple, State};

/// Why a selector is refused.
#[derive(Debug)]
pub(in crate::dom) enum Problem {
    /// The text for the script.
    Invalid(Vec<u8>),
    /// `:blank`
    Blank,
}

/// How deep selectors may be inside of each other.
const DEEPEST: usize = 100;

type Parsed<T> = Result<T, Problem>;

/// Reads a list of selectors.
pub(in crate::dom) fn parse(text: &[u8]) -> Parsed<Selectors> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let list = parser.list(None, false)?;
    match parser.peek() {
        None => Ok(list),
        Some(_) => Err(parser.unexpected()),
    }
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_name(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'-'
}

fn not_supported(name: &[u8]) -> Problem {
    Problem::Invalid([b"Not supported: ", name].concat())
}

fn empty_function(name: &[u8]) -> Problem {
    Problem::Invalid([b"Pseudo function can't be empty: ", name, b"()"].concat())
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Skips white space and comments; true if there was white space.
    fn blanks(&mut self) -> bool {
        let start = self.at;
        let mut found = false;
        loop {
            match self.peek() {
                Some(byte) if is_blank(byte) => {
                    self.at += 1;
                    found = true;
                }
                Some(b'/') if self.rest().starts_with(b"/*") => {
                    let end = memchr::memmem::find(&self.rest()[2..], b"*/");
                    self.at = end.map_or(self.text.len(), |end| self.at + end + 4);
                }
                _ => return found && self.at > start,
            }
        }
    }

    /// Tells the token at the place.
    fn unexpected(&mut self) -> Problem {
        let start = self.at;
        let token: Vec<u8> = match self.peek() {
            None => b"END-OF-FILE".to_vec(),
            Some(byte) if is_blank(byte) => b" ".to_vec(),
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let mut text = self.string(quote).unwrap_or_default();
                text.insert(0, b'"');
                text.push(b'"');
                text
            }
            Some(b'@') => {
                self.at += 1;
                [b"@", self.identifier().unwrap_or_default().as_slice()].concat()
            }
            Some(byte)
                if byte.is_ascii_digit()
                    || byte == b'.' && self.rest().get(1).is_some_and(u8::is_ascii_digit) =>
            {
                let rest = self.rest();
                let length = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
                    .count();
                let number = std::str::from_utf8(&rest[..length]).unwrap_or_default();
                let number: f64 = number.parse().unwrap_or_default();
                number.to_string().into_bytes()
            }
            Some(byte) => match self.identifier() {
                Some(mut name) => {
                    if self.peek() == Some(b'(') {
                        name.push(b'(');
                    }
                    name
                }
                None => vec![byte],
            },
        };
        self.at = start;
        Problem::Invalid([&b"Unexpected token: "[..], &token].concat())
    }

    /// A name with its escapes.
    fn identifier(&mut self) -> Option<Vec<u8>> {
        let rest = self.rest();
        let starts = match rest {
            [b'-', b'-', ..] => true,
            [b'-', second, ..] => is_name_start(*second) || *second == b'\\',
            [b'\\', next, ..] => *next != b'\n',
            [first, ..] => is_name_start(*first),
            [] => false,
        };
        starts.then(|| self.name())
    }

    fn name(&mut self) -> Vec<u8> {
        let mut name = Vec::new();
        while let Some(byte) = self.peek() {
            if is_name(byte) {
                name.push(byte);
                self.at += 1;
            } else if byte == b'\\' && self.rest().get(1).is_some_and(|&next| next != b'\n') {
                self.at += 1;
                self.escape(&mut name);
            } else {
                break;
            }
        }
        name
    }

    /// What is behind a backslash.
    fn escape(&mut self, output: &mut Vec<u8>) {
        let rest = self.rest();
        let length = rest
            .iter()
            .take(6)
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        if length == 0 {
            let text = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
            let Some(character) = text.chars().next() else {
                return;
            };
            output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            self.at += character.len_utf8().min(rest.len());
            return;
        }
        let digits = std::str::from_utf8(&rest[..length]).unwrap_or_default();
        let number = u32::from_str_radix(digits, 16).unwrap_or_default();
        let character = char::from_u32(number)
            .filter(|&character| character != '\0')
            .unwrap_or('\u{fffd}');
        output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += length;
        if self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// A quoted text behind its first mark.
    fn string(&mut self, quote: u8) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'\\' if self.peek() == Some(b'\n') => self.at += 1,
                b'\\' => self.escape(&mut text),
                _ if byte == quote => return Some(text),
                _ => text.push(byte),
            }
        }
    }

    /// Selectors up to the end, or to the `)` of a function.
    fn list(&mut self, function: Option<&[u8]>, is_relative: bool) -> Parsed<Selectors> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unexpected());
        }
        let mut list = Vec::new();
        loop {
            self.blanks();
            if let Some(name) = function
                && self.peek() == Some(b')')
            {
                return Err(empty_function(name));
            }
            list.push(self.complex(is_relative)?);
            self.blanks();
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.depth -= 1;
        Ok(Selectors::new(list))
    }

    fn combinator(&mut self) -> Option<Combinator> {
        let found = match self.peek()? {
            b'>' => Combinator::Child,
            b'+' => Combinator::Next,
            b'~' => Combinator::Following,
            b'|' if self.rest().get(1) == Some(&b'|') => {
                self.at += 1;
                Combinator::Column
            }
            _ => return None,
        };
        self.at += 1;
        self.blanks();
        Some(found)
    }

    fn complex(&mut self, is_relative: bool) -> Parsed<Complex> {
        let mut combinator = Combinator::Descendant;
        if is_relative && let Some(found) = self.combinator() {
            combinator = found;
        }
        let mut compounds = vec![(combinator, self.compound()?)];
        loop {
            let has_blank = self.blanks();
            let combinator = match self.combinator() {
                Some(combinator) => combinator,
                None if has_blank && !matches!(self.peek(), None | Some(b',' | b')')) => {
                    Combinator::Descendant
                }
                None => return Ok(Complex(compounds)),
            };
            compounds.push((combinator, self.compound()?));
        }
    }

    fn compound(&mut self) -> Parsed<Vec<Simple>> {
        let mut parts = Vec::new();
        if let Some(simple) = self.type_selector()? {
            parts.push(simple);
        }
        loop {
            match self.peek() {
                Some(b'#') => {
                    let start = self.at;
                    self.at += 1;
                    if !self
                        .peek()
                        .is_some_and(|byte| is_name(byte) || byte == b'\\')
                    {
                        self.at = start;
                        return Err(self.unexpected());
                    }
                    parts.push(Simple::Id(self.name()));
                }
                Some(b'.') => {
                    if self.rest().get(1).is_some_and(u8::is_ascii_digit) {
                        return Err(self.unexpected());
                    }
                    self.at += 1;
                    match self.identifier() {
                        Some(name) => parts.push(Simple::Class(name)),
                        None => {
                            self.at = self.text.len();
                            return Err(self.unexpected());
                        }
                    }
                }
                Some(b'[') => parts.push(self.attribute()?),
                Some(b':') => parts.push(self.pseudo()?),
                _ => break,
            }
        }
        if parts.is_empty() {
            return Err(self.unexpected());
        }
        Ok(parts)
    }

    /// A type or `*`, with a namespace in front of it that does not count.
    fn type_selector(&mut self) -> Parsed<Option<Simple>> {
        let one = |parser: &mut Parser<'t>| {
            if parser.peek() == Some(b'*') {
                parser.at += 1;
                return Some(Simple::Any);
            }
            parser.identifier().map(Simple::Type)
        };
        let first = one(self);
        // Directly behind a name the first of two bars is taken for that of a namespace.
        if first.is_some() && self.rest().starts_with(b"||") {
            self.at += 1;
            return Err(self.unexpected());
        }
        let is_qualified = self.peek() == Some(b'|') && self.rest().get(1) != Some(&b'|');
        if !is_qualified {
            return Ok(first);
        }
        self.at += 1;
        match one(self) {
            Some(second) => Ok(Some(second)),
            None => Err(self.unexpected()),
        }
    }

    fn attribute(&mut self) -> Parsed<Simple> {
        self.at += 1;
        self.blanks();
        let Some(mut name) = self.identifier() else {
            // The mark in front of `=` was a whole token.
            if self.rest().starts_with(b"~=") {
                self.at += 1;
            }
            return Err(self.unexpected());
        };
        if self.peek() == Some(b'|') && self.rest().get(1) != Some(&b'=') {
            self.at += 1;
            match self.identifier() {
                Some(local) => name = local,
                None => return Err(self.unexpected()),
            }
        }
        self.blanks();
        let comparisons: [(&[u8], Comparison); 6] = [
            (b"=", Comparison::Equals),
            (b"~=", Comparison::HasWord),
            (b"|=", Comparison::HasDash),
            (b"^=", Comparison::Starts),
            (b"$=", Comparison::Ends),
            (b"*=", Comparison::Contains),
        ];
        let found = comparisons
            .iter()
            .find(|(mark, _)| self.rest().starts_with(mark));
        let mut value = Vec::new();
        let mut ignores_case = None;
        let comparison = match found {
            None => Comparison::Exists,
            Some((mark, comparison)) => {
                self.at += mark.len();
                self.blanks();
                value = match self.peek() {
                    Some(quote @ (b'"' | b'\'')) => {
                        self.at += 1;
                        match self.string(quote) {
                            Some(text) => text,
                            None => return Err(self.unexpected()),
                        }
                    }
                    _ => match self.identifier() {
                        Some(name) => name,
                        None => return Err(self.unexpected()),
                    },
                };
                self.blanks();
                let start = self.at;
                if let Some(flag) = self.identifier() {
                    ignores_case = match flag.as_slice() {
                        b"i" | b"I" => Some(true),
                        b"s" | b"S" => Some(false),
                        _ => {
                            self.at = start;
                            return Err(self.unexpected());
                        }
                    };
                    self.blanks();
                }
                *comparison
            }
        };
        if self.peek() != Some(b']') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(Simple::Attribute {
            name,
            comparison,
            value,
            ignores_case,
        })
    }

    fn pseudo(&mut self) -> Parsed<Simple> {
        self.at += 1;
        let is_element = self.peek() == Some(b':');
        if is_element {
            self.at += 1;
        }
        let start = self.at;
        let Some(name) = self.identifier() else {
            return Err(self.unexpected());
        };
        let name = name.to_ascii_lowercase();
        if is_element {
            return Err(self.pseudo_element(&name, start));
        }
        if self.peek() == Some(b'(') {
            self.at += 1;
            return self.function(&name, start);
        }
        let nth = |of_type: bool, from_end: bool| Nth {
            step: 0,
            start: 1,
            of: None,
            of_type,
            from_end,
        };
        Ok(match name.as_slice() {
            b"first-child" => Simple::Nth(nth(false, false)),
            b"last-child" => Simple::Nth(nth(false, true)),
            b"only-child" => Simple::Both(nth(false, false), nth(false, true)),
            b"first-of-type" => Simple::Nth(nth(true, false)),
            b"last-of-type" => Simple::Nth(nth(true, true)),
            b"only-of-type" => Simple::Both(nth(true, false), nth(true, true)),
            b"empty" => Simple::State(State::Empty),
            b"root" => Simple::State(State::Root),
            b"any-link" | b"link" => Simple::State(State::Link),
            b"checked" => Simple::State(State::Checked),
            b"disabled" => Simple::State(State::Disabled),
            b"enabled" => Simple::State(State::Enabled),
            b"optional" => Simple::State(State::Optional),
            b"required" => Simple::State(State::Required),
            b"placeholder-shown" => Simple::State(State::PlaceholderShown),
            b"read-only" => Simple::State(State::ReadOnly),
            b"read-write" => Simple::State(State::ReadWrite),
            b"hover" => Simple::State(State::Hover),
            b"active" => Simple::State(State::Active),
            b"focus" => Simple::State(State::Focus),
            b"blank" => return Err(Problem::Blank),
            b"current" | b"default" | b"focus-visible" | b"focus-within" | b"fullscreen"
            | b"future" | b"in-range" | b"indeterminate" | b"invalid" | b"local-link"
            | b"out-of-range" | b"past" | b"scope" | b"target" | b"target-within"
            | b"user-invalid" | b"valid" | b"visited" | b"warning" => {
                return Err(not_supported(&name));
            }
            _ => {
                self.at = start;
                return Err(self.unexpected());
            }
        })
    }

    fn pseudo_element(&mut self, name: &[u8], start: usize) -> Problem {
        const KNOWN: [&[u8]; 13] = [
            b"after",
            b"backdrop",
            b"before",
            b"first-letter",
            b"first-line",
            b"grammar-error",
            b"inactive-selection",
            b"marker",
            b"placeholder",
            b"selection",
            b"spelling-error",
            b"target-text",
            b"file-selector-button",
        ];
        if KNOWN.contains(&name) {
            return not_supported(name);
        }
        self.at = start;
        self.unexpected()
    }

    /// Behind the `)` of a function; the end of the text closes what is open.
    fn close(&mut self) -> Parsed<()> {
        self.blanks();
        match self.peek() {
            None => Ok(()),
            Some(b')') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.unexpected()),
        }
    }

    fn function(&mut self, name: &[u8], start: usize) -> Parsed<Simple> {
        let simple = match name {
            b"is" | b"where" | b"current" => Simple::Is(self.list(Some(name), false)?),
            b"not" => Simple::Not(self.list(Some(name), false)?),
            b"has" => Simple::Has(self.list(Some(name), true)?),
            b"nth-child" | b"nth-last-child" | b"nth-of-type" | b"nth-last-of-type" => {
                Simple::Nth(self.nth(name)?)
            }
            b"lexbor-contains" => {
                self.blanks();
                let Some(quote @ (b'"' | b'\'')) = self.peek() else {
                    return Err(self.unexpected());
                };
                self.at += 1;
                if self.string(quote).is_none() {
                    return Err(self.unexpected());
                }
                self.blanks();
                if matches!(self.peek(), Some(b'i' | b'I')) {
                    self.at += 1;
                }
                // PHP knows the function, but no element has it.
                Simple::Never
            }
            b"dir" | b"lang" | b"nth-col" | b"nth-last-col" => return Err(not_supported(name)),
            _ => {
                self.at = start;
                return Err(self.unexpected());
            }
        };
        self.close()?;
        Ok(simple)
    }

    /// `an+b`, `even`, `odd`, and `of` some selectors.
    fn nth(&mut self, name: &[u8]) -> Parsed<Nth> {
        self.blanks();
        if self.peek().is_none() {
            return Err(Problem::Invalid(b"End Of File in pseudo function".to_vec()));
        }
        if self.peek() == Some(b')') {
            return Err(empty_function(name));
        }
        let start = self.at;
        let rest = self.rest().to_ascii_lowercase();
        let (step, offset) = if rest.starts_with(b"odd") {
            self.at += 3;
            (2, 1)
        } else if rest.starts_with(b"even") {
            self.at += 4;
            (2, 0)
        } else {
            self.step_and_start(name, start)?
        };
        self.blanks();
        let mut of = None;
        if self.rest().to_ascii_lowercase().starts_with(b"of")
            && self.rest().get(2).copied().is_none_or(is_blank)
        {
            self.at += 2;
            of = Some(self.list(Some(name), false)?);
        }
        Ok(Nth {
            step,
            start: offset,
            of,
            of_type: name.ends_with(b"of-type"),
            from_end: name.starts_with(b"nth-last"),
        })
    }

    fn digits(&mut self) -> Option<i64> {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        self.at += length;
        let digits = std::str::from_utf8(&rest[..length]).ok()?;
        // Beyond all siblings it makes no difference how far.
        Some(
            digits
                .parse()
                .unwrap_or(i64::from(i32::MAX))
                .min(i64::from(i32::MAX)),
        )
    }

    fn step_and_start(&mut self, name: &[u8], start: usize) -> Parsed<(i64, i64)> {
        let sign = |parser: &mut Parser<'t>| match parser.peek() {
            Some(b'-') => {
                parser.at += 1;
                Some(-1)
            }
            Some(b'+') => {
                parser.at += 1;
                Some(1)
            }
            _ => None,
        };
        let first_sign = sign(self);
        let number = self.digits();
        if !matches!(self.peek(), Some(b'n' | b'N')) {
            return match number {
                Some(number) => Ok((0, number * first_sign.unwrap_or(1))),
                None => {
                    self.at = if first_sign.is_some() { self.at } else { start };
                    Err(self.unexpected())
                }
            };
        }
        self.at += 1;
        let step = number.unwrap_or(1) * first_sign.unwrap_or(1);
        let behind = self.at;
        self.blanks();
        let Some(second_sign) = sign(self) else {
            self.at = behind;
            return Ok((step, 0));
        };
        self.blanks();
        match self.digits() {
            Some(number) => Ok((step, number * second_sign)),
            None => Err(empty_function(name)),
        }
    }
}
