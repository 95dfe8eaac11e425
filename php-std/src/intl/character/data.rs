//! What ICU says of characters, read where it lies. `data/record_characters.php` writes the file.
//!
//! It begins with the number of tables, the place of the names, and for each table its number, place and length in words.
//! A table of ranges has the first character of each range above eleven bits with the value; a table of pairs has
//! characters, in their order, and what belongs to them. Names are lines: of a property its number and names, below it
//! with a space in front those of its values, and behind `#` the values of numbers.

use std::sync::LazyLock;

type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

static PACK: &[u8] = include_bytes!("../data/characters.pack");

/// Numbers of properties, ICU's as far as it has them.
pub(in crate::intl) mod property {
    pub(in crate::intl) const ALPHABETIC: u32 = 0;
    pub(in crate::intl) const MIRRORED: u32 = 3;
    pub(in crate::intl) const ID_CONTINUE: u32 = 15;
    pub(in crate::intl) const ID_START: u32 = 16;
    pub(in crate::intl) const LOWERCASE: u32 = 22;
    pub(in crate::intl) const UPPERCASE: u32 = 30;
    pub(in crate::intl) const SOFT_DOTTED: u32 = 27;
    pub(in crate::intl) const WHITE_SPACE: u32 = 31;
    pub(in crate::intl) const CASED: u32 = 49;
    pub(in crate::intl) const CASE_IGNORABLE: u32 = 50;
    pub(in crate::intl) const DIRECTION: u32 = 0x1000;
    pub(in crate::intl) const BLOCK: u32 = 0x1001;
    pub(in crate::intl) const COMBINING_CLASS: u32 = 0x1002;
    pub(in crate::intl) const CATEGORY: u32 = 0x1005;
    pub(in crate::intl) const SCRIPT: u32 = 0x100a;
    pub(in crate::intl) const CATEGORY_MASK: u32 = 0x2000;
    /// The number of a numeric value, from 1 on.
    pub(in crate::intl) const NUMBER: u32 = 0x3000;
    /// Sixteen times the major version, and the minor one.
    pub(in crate::intl) const AGE: u32 = 0x8000;
    /// One more than the digit, or 0.
    pub(in crate::intl) const DIGIT: u32 = 0x8001;
    pub(in crate::intl) const TO_UPPER: u32 = 0x8002;
    pub(in crate::intl) const TO_LOWER: u32 = 0x8003;
    pub(in crate::intl) const TO_TITLE: u32 = 0x8004;
    pub(in crate::intl) const FOLDED: u32 = 0x8005;
    pub(in crate::intl) const MIRROR: u32 = 0x8006;
    pub(in crate::intl) const BRACKET: u32 = 0x8007;
}

/// The last code point.
pub(in crate::intl) const LAST: u32 = 0x10_ffff;

fn word(at: usize) -> u32 {
    let bytes = PACK[at..].first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes)
}

/// Words in the file.
#[derive(Clone, Copy)]
pub(in crate::intl) struct Table {
    offset: usize,
    length: usize,
}

impl Table {
    /// The table of a property.
    pub(in crate::intl) fn of(property: u32) -> Option<Table> {
        static ENTRIES: LazyLock<HashMap<u32, Table>> = LazyLock::new(|| {
            let entries = (0..word(0) as usize).map(|entry| 8 + 12 * entry).rev();
            let table = |entry| Table {
                offset: word(entry + 4) as usize,
                length: word(entry + 8) as usize,
            };
            entries.map(|entry| (word(entry), table(entry))).collect()
        });
        ENTRIES.get(&property).copied()
    }

    fn at(self, index: usize) -> u32 {
        word(self.offset + 4 * index)
    }

    /// How many of the words, taken by so many at once, are at most this one, which the first one is.
    fn count_up_to(self, step: usize, most: u32) -> usize {
        let (mut low, mut high) = (0, self.length / step);
        while low < high {
            let middle = (low + high) / 2;
            match self.at(middle * step) <= most {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The value of a character, in a table of ranges.
    pub(in crate::intl) fn value(self, character: u32) -> u32 {
        let most = character.min(LAST) << 11 | 0x7ff;
        self.at(self.count_up_to(1, most).saturating_sub(1)) & 0x7ff
    }

    /// First and last characters of the ranges, and their values.
    pub(in crate::intl) fn ranges(self) -> impl Iterator<Item = (u32, u32, u32)> {
        (0..self.length).map(move |index| {
            let own = self.at(index);
            let last = match index + 1 < self.length {
                true => (self.at(index + 1) >> 11) - 1,
                false => LAST,
            };
            (own >> 11, last, own & 0x7ff)
        })
    }

    /// What belongs to a character, in a table of pairs; itself if that says nothing.
    fn other(self, character: u32) -> u32 {
        let count = self.count_up_to(2, character);
        match count.checked_sub(1).map(|last| 2 * last) {
            Some(last) if self.at(last) == character => self.at(last + 1),
            _ => character,
        }
    }
}

/// A value of a property; 0 of one that is not known.
pub(in crate::intl) fn value(property: u32, character: u32) -> u32 {
    Table::of(property).map_or(0, |table| table.value(character))
}

/// The general category, as a bit.
pub(in crate::intl) fn category_bit(character: u32) -> u32 {
    1 << value(property::CATEGORY, character)
}

/// What a character becomes by one of the tables of pairs.
pub(in crate::intl) fn other(table: u32, character: u32) -> u32 {
    Table::of(table).map_or(character, |table| table.other(character))
}

/// The numeric value of a character.
pub(super) fn number(character: u32) -> Option<f64> {
    let index = value(property::NUMBER, character).checked_sub(1)?;
    let numbers = names().lines().find_map(|line| line.strip_prefix('#'))?;
    numbers.split(':').nth(index as usize)?.parse().ok()
}

fn names() -> &'static str {
    std::str::from_utf8(&PACK[word(4) as usize..]).unwrap_or_default()
}

/// Names are alike that differ in case, spaces and lines.
fn is_alike(one: &str, other: &str) -> bool {
    let plain = |byte: &u8| !matches!(byte, b' ' | b'-' | b'_' | b'\t'..=b'\r');
    let one = one
        .bytes()
        .filter(plain)
        .map(|byte| byte.to_ascii_lowercase());
    one.eq(other
        .bytes()
        .filter(plain)
        .map(|byte| byte.to_ascii_lowercase()))
}

/// A number and the names that it has.
type Line = (u32, std::str::Split<'static, char>);

fn read_line(line: &'static str) -> Option<Line> {
    let (number, names) = line.trim_start().split_once(':')?;
    Some((u32::from_str_radix(number, 16).ok()?, names.split(':')))
}

fn properties() -> impl Iterator<Item = Line> {
    let lines = names().lines().filter(|line| !line.starts_with([' ', '#']));
    lines.filter_map(read_line)
}

fn values_of(property: u32) -> impl Iterator<Item = Line> {
    let own = move |line: &&'static str| {
        !line.starts_with(' ') && read_line(line).is_some_and(|(own, _)| own == property)
    };
    let lines = names().lines().skip_while(move |line| !own(line)).skip(1);
    lines
        .take_while(|line| line.starts_with(' '))
        .filter_map(read_line)
}

fn number_of(mut lines: impl Iterator<Item = Line>, name: &str) -> Option<u32> {
    let found = lines.find(|(_, names)| {
        names
            .clone()
            .any(|own| !own.is_empty() && is_alike(own, name))
    });
    found.map(|(number, _)| number)
}

fn name_of(
    mut lines: impl Iterator<Item = Line>,
    number: u32,
    choice: usize,
) -> Option<&'static str> {
    let (_, mut names) = lines.find(|(own, _)| *own == number)?;
    names.nth(choice).filter(|name| !name.is_empty())
}

/// The number of the property that has this name.
pub(in crate::intl) fn property_named(name: &str) -> Option<u32> {
    number_of(properties(), name)
}

/// The short (0), long (1) or another name of a property.
pub(super) fn property_name(property: u32, choice: usize) -> Option<&'static str> {
    name_of(properties(), property, choice)
}

/// The number of the value of a property that has this name.
pub(in crate::intl) fn value_named(property: u32, name: &str) -> Option<u32> {
    // Combining classes are numbers as well.
    let number = || {
        (property == property::COMBINING_CLASS)
            .then(|| name.trim().parse().ok())
            .flatten()
    };
    number_of(values_of(property), name).or_else(number)
}

/// The short (0), long (1) or another name of a value.
pub(super) fn value_name(property: u32, value: u32, choice: usize) -> Option<&'static str> {
    name_of(values_of(property), value, choice)
}

/// The long name of a script.
pub(in crate::intl) fn script_name(script: u32) -> Option<&'static str> {
    value_name(property::SCRIPT, script, 1)
}

/// The largest value of a property.
pub(super) fn largest(property: u32) -> Option<u32> {
    // Combining classes are bytes.
    if matches!(property, property::COMBINING_CLASS | 0x1010 | 0x1011) {
        return Some(0xff);
    }
    Table::of(property)?
        .ranges()
        .map(|(_, _, value)| value)
        .max()
}
