//! Patterns of numbers, such as `#,##0.00;(#)`.

/// Where a number that is too short is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::intl) enum Padding {
    BeforePrefix,
    AfterPrefix,
    BeforeSuffix,
    AfterSuffix,
}

/// What a pattern says, and attributes change. Prefixes and suffixes are as patterns have them, with quotes.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::intl) struct Settings {
    pub(in crate::intl) prefix: String,
    pub(in crate::intl) suffix: String,
    pub(in crate::intl) negative: Option<(String, String)>,
    pub(in crate::intl) least_whole: i32,
    /// No number if there may be any.
    pub(in crate::intl) most_whole: Option<i32>,
    pub(in crate::intl) least_fraction: i32,
    pub(in crate::intl) most_fraction: i32,
    /// How many digits stand together, counted from the point, and further away.
    pub(in crate::intl) group: i32,
    pub(in crate::intl) further_group: i32,
    pub(in crate::intl) is_grouped: bool,
    pub(in crate::intl) always_point: bool,
    /// Digits that count: at least and at most.
    pub(in crate::intl) significant: Option<(i32, i32)>,
    /// Least digits of an exponent, and whether a plus sign is shown.
    pub(in crate::intl) exponent: Option<(i32, bool)>,
    pub(in crate::intl) multiplier: i64,
    /// A number of units of the last digit of the pattern, and the power of that.
    pub(in crate::intl) increment: Option<(u64, i32)>,
    pub(in crate::intl) width: i32,
    pub(in crate::intl) pad: char,
    /// What a number is filled up with was said.
    pub(in crate::intl) has_pad: bool,
    pub(in crate::intl) padding: Padding,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            prefix: String::new(),
            suffix: String::new(),
            negative: None,
            least_whole: 0,
            most_whole: None,
            least_fraction: 0,
            most_fraction: 0,
            group: 0,
            further_group: 0,
            is_grouped: false,
            always_point: false,
            significant: None,
            exponent: None,
            multiplier: 1,
            increment: None,
            width: 0,
            pad: ' ',
            has_pad: false,
            padding: Padding::BeforePrefix,
        }
    }
}

/// The characters of a pattern that are left.
struct Reader<'p> {
    characters: std::iter::Peekable<std::str::Chars<'p>>,
}

/// A pattern that cannot be understood.
pub(in crate::intl) struct Malformed(pub(in crate::intl) i64);

/// How many significant digits a pattern that is made shows.
const MOST_SHOWN: i32 = 100;

/// Codes of ICU for what is wrong with patterns.
const UNQUOTED_SPECIAL: i64 = 65555;
const UNEXPECTED_TOKEN: i64 = 65792;
const MULTIPLE_PADS: i64 = 65798;
const SYNTAX_ERROR: i64 = 65799;

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.characters.peek().copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.characters.next_if_eq(&wanted).is_some()
    }

    /// A prefix or suffix, as it stands.
    fn affix(&mut self) -> Result<String, Malformed> {
        let mut affix = String::new();
        while let Some(character) = self.peek() {
            match character {
                '#' | '@' | ';' | '*' | '.' | ',' | '0'..='9' => break,
                '\'' => {
                    self.characters.next();
                    affix.push('\'');
                    loop {
                        let quoted = self.characters.next().ok_or(Malformed(SYNTAX_ERROR))?;
                        affix.push(quoted);
                        if quoted == '\'' {
                            break;
                        }
                    }
                }
                character => {
                    affix.push(character);
                    self.characters.next();
                }
            }
        }
        Ok(affix)
    }

    fn padding(&mut self, place: Padding, settings: &mut Settings) -> Result<bool, Malformed> {
        if !self.take('*') {
            return Ok(false);
        }
        if settings.has_pad {
            return Err(Malformed(MULTIPLE_PADS));
        }
        settings.pad = self.characters.next().ok_or(Malformed(SYNTAX_ERROR))?;
        if settings.pad == '\'' {
            settings.pad = self.characters.next().ok_or(Malformed(SYNTAX_ERROR))?;
            if settings.pad != '\'' && !self.take('\'') {
                return Err(Malformed(SYNTAX_ERROR));
            }
        }
        settings.padding = place;
        settings.has_pad = true;
        Ok(true)
    }
}

/// Reads what stands before and behind the digits, and the digits. The number of characters that show how wide a padded
/// number is, is given back.
fn part(reader: &mut Reader<'_>) -> Result<(Settings, bool), Malformed> {
    let mut settings = Settings::default();
    let mut is_padded = reader.padding(Padding::BeforePrefix, &mut settings)?;
    settings.prefix = reader.affix()?;
    is_padded |= reader.padding(Padding::AfterPrefix, &mut settings)?;
    let width = digits(reader, &mut settings)?;
    is_padded |= reader.padding(Padding::BeforeSuffix, &mut settings)?;
    settings.suffix = reader.affix()?;
    is_padded |= reader.padding(Padding::AfterSuffix, &mut settings)?;
    if is_padded {
        settings.width = width + length(&settings.prefix) + length(&settings.suffix);
    }
    Ok((settings, is_padded))
}

/// How many characters a prefix or suffix will have.
fn length(affix: &str) -> i32 {
    super::affix::tokens(affix).len() as i32
}

fn digits(reader: &mut Reader<'_>, settings: &mut Settings) -> Result<i32, Malformed> {
    let mut width = 0;
    let (mut optional, mut required, mut counting, mut counting_more) = (0, 0, 0, 0);
    // Lengths of groups from the last separator on, and before it.
    let mut groups: Vec<i32> = Vec::new();
    let mut since = 0;
    let mut rounded = String::new();
    while let Some(character) = reader.peek() {
        match character {
            ',' => {
                groups.push(since);
                since = 0;
                width += 1;
            }
            '#' if counting > 0 => {
                counting_more += 1;
                since += 1;
            }
            '#' if required == 0 => {
                optional += 1;
                since += 1;
            }
            '@' if required == 0 && counting_more == 0 => {
                counting += 1;
                since += 1;
            }
            '0'..='9' if counting == 0 => {
                required += 1;
                since += 1;
                rounded.push(character);
            }
            '#' | '@' | '0'..='9' => return Err(Malformed(UNEXPECTED_TOKEN)),
            _ => break,
        }
        if character != ',' {
            width += 1;
        }
        reader.characters.next();
    }
    if !groups.is_empty() && since == 0 {
        return Err(Malformed(UNEXPECTED_TOKEN));
    }
    if let [_, rest @ ..] = groups.as_slice() {
        if rest.contains(&0) {
            return Err(Malformed(SYNTAX_ERROR));
        }
        settings.is_grouped = true;
        settings.group = since;
        settings.further_group = rest.last().copied().unwrap_or(-1);
    }
    let (mut least, mut more) = (0, 0);
    if reader.take('.') {
        width += 1;
        settings.always_point = true;
        while let Some(character) = reader.peek() {
            match character {
                '#' => more += 1,
                '0'..='9' if more == 0 => {
                    least += 1;
                    rounded.push(character);
                }
                '0'..='9' => return Err(Malformed(UNEXPECTED_TOKEN)),
                _ => break,
            }
            width += 1;
            reader.characters.next();
        }
    }
    if optional + required + counting + counting_more + least + more == 0 {
        // Nothing at all is as good as `0`.
        required = 1;
    }
    settings.least_whole = required;
    settings.least_fraction = least;
    settings.most_fraction = least + more;
    settings.always_point &= least + more == 0;
    if counting > 0 {
        settings.significant = Some((counting, counting + counting_more));
        settings.least_whole = 1;
    }
    if let Ok(number @ 1..) = rounded.parse::<u64>() {
        settings.increment = Some((number, -least));
    }
    if reader.take('E') {
        width += 1;
        let is_signed = reader.take('+');
        width += i32::from(is_signed);
        let mut count = 0;
        while reader.take('0') {
            count += 1;
        }
        if !groups.is_empty() {
            return Err(Malformed(UNQUOTED_SPECIAL));
        }
        width += count;
        settings.exponent = (count > 0).then_some((count, is_signed));
        if counting == 0 && count > 0 {
            settings.most_whole = Some(optional + required);
        }
    } else if required == 0 && optional > 0 {
        // `#` alone shows a zero.
        settings.least_whole = 1;
    }
    Ok(width)
}

impl Settings {
    /// What a pattern says.
    pub(in crate::intl) fn of(pattern: &str) -> Result<Settings, Malformed> {
        let mut reader = Reader {
            characters: pattern.chars().peekable(),
        };
        if pattern.is_empty() {
            return Ok(Settings {
                most_fraction: i32::MAX,
                ..Settings::default()
            });
        }
        let (mut settings, _) = part(&mut reader)?;
        if reader.take(';') && reader.peek().is_some() {
            let (negative, _) = part(&mut reader)?;
            settings.negative = Some((negative.prefix, negative.suffix));
        }
        if reader.peek().is_some() {
            return Err(Malformed(UNQUOTED_SPECIAL));
        }
        let sign = |symbol| {
            [&settings.prefix, &settings.suffix]
                .iter()
                .any(|affix| super::affix::has(affix, symbol))
        };
        settings.multiplier = if sign('%') {
            100
        } else if sign('‰') {
            1000
        } else {
            1
        };
        Ok(settings)
    }

    /// The pattern that says this.
    pub(in crate::intl) fn pattern(&self) -> String {
        let number = self.digits_pattern();
        let mut pattern = String::new();
        let pad = |place: Padding| {
            let is_here = self.width > 0 && self.has_pad && self.padding == place;
            let quoted = if self.pad == '\'' {
                "*''".to_owned()
            } else {
                format!("*{}", self.pad)
            };
            if is_here { quoted } else { String::new() }
        };
        let mut number = number;
        let length = length(&self.prefix) + length(&self.suffix) + number.chars().count() as i32;
        for _ in length..if self.has_pad { self.width } else { 0 } {
            number.insert(0, '#');
        }
        for piece in [
            &pad(Padding::BeforePrefix),
            &self.prefix,
            &pad(Padding::AfterPrefix),
            &number,
            &pad(Padding::BeforeSuffix),
            &self.suffix,
            &pad(Padding::AfterSuffix),
        ] {
            pattern.push_str(piece);
        }
        if let Some((prefix, suffix)) = &self.negative {
            let is_usual = *suffix == self.suffix && *prefix == format!("-{}", self.prefix);
            if !is_usual {
                pattern.push_str(&format!(";{prefix}{number}{suffix}"));
            }
        }
        pattern
    }

    fn digits_pattern(&self) -> String {
        let (near, far) = match (self.is_grouped, self.group, self.further_group) {
            (false, ..) | (_, ..=0, _) => (0, 0),
            (_, near, far) if far > 0 && far != near => (near, far),
            (_, near, _) => (near, 0),
        };
        // The digits that must be there, and the power of the last of them.
        let (mut digits, mut lowest) = (String::new(), 0);
        if let Some((least, most)) = self.significant {
            // As many as ICU shows.
            let (least, most) = (least.min(MOST_SHOWN), most.min(MOST_SHOWN));
            digits = "@".repeat(least as usize) + &"#".repeat((most - least).max(0) as usize);
        } else if let Some((increment, power)) = self.increment {
            digits = increment.to_string();
            lowest = power;
        }
        while (digits.len() as i32) + lowest < self.least_whole {
            digits.insert(0, '0');
        }
        while self.significant.is_none() && -lowest < self.least_fraction {
            digits.push('0');
            lowest -= 1;
        }
        let whole = (near + far + 1).max(digits.len() as i32 + lowest);
        let highest = self.most_whole.map_or(whole, |most| most.max(whole)) - 1;
        let last = match self.significant {
            Some(_) => lowest,
            None if self.most_fraction > 340 => lowest,
            None => lowest.min(-self.most_fraction),
        };
        let mut pattern = String::new();
        for power in (last..=highest).rev() {
            let at = digits.len() as i32 + lowest - power - 1;
            let digit = usize::try_from(at)
                .ok()
                .and_then(|at| digits.as_bytes().get(at));
            pattern.push(digit.map_or('#', |&digit| digit.into()));
            if power == 0 && (self.always_point || last < 0) {
                pattern.push('.');
            }
            let beyond = power - near;
            if near > 0 && power > 0 && (beyond == 0 || far > 0 && beyond > 0 && beyond % far == 0)
            {
                pattern.push(',');
            }
        }
        if let Some((count, is_signed)) = self.exponent {
            pattern.push('E');
            if is_signed {
                pattern.push('+');
            }
            pattern.push_str(&"0".repeat(count as usize));
        }
        pattern
    }
}
