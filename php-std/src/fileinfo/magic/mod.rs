//! Databases of magic: rules that tell what bytes are, in the language of `magic(5)`.

pub(super) mod format;
pub(super) mod matching;
pub(super) mod parse;
mod pattern;
mod strength;
mod values;

use std::cell::OnceCell;
use std::rc::Rc;

use crate::pcre::Regex;

/// What a rule looks at; the numbers are those of the compiled form, by which rules are ordered.
pub(super) mod kind {
    pub(crate) const BYTE: u8 = 1;
    pub(crate) const SHORT: u8 = 2;
    pub(crate) const DEFAULT: u8 = 3;
    pub(crate) const LONG: u8 = 4;
    pub(crate) const STRING: u8 = 5;
    pub(crate) const DATE: u8 = 6;
    pub(crate) const PASCAL: u8 = 13;
    pub(crate) const REGEX: u8 = 17;
    pub(crate) const BIG_STRING16: u8 = 18;
    pub(crate) const LITTLE_STRING16: u8 = 19;
    pub(crate) const SEARCH: u8 = 20;
    pub(crate) const QUAD: u8 = 24;
    pub(crate) const FLOAT: u8 = 33;
    pub(crate) const DOUBLE: u8 = 36;
    pub(crate) const INDIRECT: u8 = 41;
    pub(crate) const NAME: u8 = 45;
    pub(crate) const USE: u8 = 46;
    pub(crate) const CLEAR: u8 = 47;
    pub(crate) const DER: u8 = 48;
    pub(crate) const GUID: u8 = 49;
    pub(crate) const OFFSET: u8 = 50;
    pub(crate) const DOS_DATE: u8 = 53;
}

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
    /// That of the PDP-11: words with the high one first.
    Middle,
}

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Integer,
    Real,
    /// A time; in the zone of the machine or not.
    Time {
        is_local: bool,
    },
    /// A time of Windows.
    WindowsTime,
    DosDate,
    DosTime,
}

/// A type of rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    pub(super) kind: u8,
    /// Bytes of a number; 0 for what is none.
    pub(super) size: usize,
    pub(super) order: Order,
    pub(super) form: Form,
}

/// How text is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) compacts_blanks: bool,
    pub(super) ignores_blanks: bool,
    pub(super) ignores_lower: bool,
    pub(super) ignores_upper: bool,
    pub(super) is_for_text: bool,
    pub(super) is_for_binary: bool,
    pub(super) is_trimmed: bool,
    pub(super) is_word: bool,
    /// What follows counts from where the match begins.
    pub(super) stays_at_start: bool,
    /// The range of a pattern is one of lines.
    pub(super) counts_lines: bool,
    /// Bytes of a Pascal string's length and their order; it may count itself.
    pub(super) length: (usize, Option<Order>, bool),
}

/// An offset that is read from the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indirect {
    pub(super) size: usize,
    pub(super) order: Order,
    pub(super) is_signed: bool,
    /// What is done with the number, and by what.
    pub(super) operation: Option<(u8, i64)>,
    /// The second number is read from the file, too, so far from the first.
    pub(super) is_nested: bool,
    /// The number of an ID3 tag: seven bits a byte.
    pub(super) is_id3: bool,
    /// Digits of an octal number.
    pub(super) is_octal: bool,
}

/// Where a rule looks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) offset: i64,
    /// Counted from the end of the file.
    pub(super) from_end: bool,
    /// Counted from where the rule above ended.
    pub(super) is_relative: bool,
    /// What was read counts from there.
    pub(super) result_is_relative: bool,
    pub(super) indirect: Option<Indirect>,
}

/// What a rule compares with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Number(u64),
    Real(f64),
    Text(Vec<u8>),
}

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) level: usize,
    pub(super) place: Place,
    pub(super) kind: Type,
    pub(super) is_unsigned: bool,
    /// An operator and a number that a number is changed by first; and whether its bits are turned.
    pub(super) mask: Option<(u8, u64)>,
    pub(super) is_inverted: bool,
    pub(super) flags: Flags,
    /// How far text is searched for.
    pub(super) range: usize,
    pub(super) relation: u8,
    pub(super) operand: Operand,
    pub(super) description: Vec<u8>,
    /// No blank in front of the description.
    pub(super) is_joined: bool,
    pub(super) media_type: Vec<u8>,
    pub(super) extensions: Vec<u8>,
    /// An operator and a number for the strength.
    pub(super) factor: Option<(u8, i64)>,
    pub(super) line: usize,
    regex: OnceCell<Option<Rc<Regex>>>,
}

impl Rule {
    /// The text that is compared with.
    pub(super) fn text(&self) -> &[u8] {
        match &self.operand {
            Operand::Text(text) => text,
            _ => b"",
        }
    }

    /// True for a rule that tells text from other text.
    pub(super) fn is_for_text(&self) -> bool {
        match self.kind.kind {
            kind::REGEX | kind::SEARCH => {
                !self.flags.is_for_binary
                    && (self.flags.is_for_text || super::text::is_plain(self.text()))
            }
            _ => self.flags.is_for_text,
        }
    }
}

/// A rule and those that go on where it matches.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) rules: Vec<Rule>,
    pub(super) is_for_text: bool,
}

/// All rules, the strongest first.
#[derive(Debug, Default)]
pub(super) struct Database {
    pub(super) groups: Vec<Group>,
    /// Those that are used by their names.
    pub(super) named: Vec<(Vec<u8>, Group)>,
}

impl Database {
    /// Orders rules that were read.
    pub(super) fn new(groups: Vec<Group>) -> Database {
        let mut database = Database::default();
        for group in groups {
            match group.rules.first() {
                Some(first) if first.kind.kind == kind::NAME => {
                    database.named.push((first.text().to_vec(), group));
                }
                Some(_) => database.groups.push(group),
                None => {}
            }
        }
        database
            .groups
            .sort_by_cached_key(|group| std::cmp::Reverse(strength::order(group)));
        database
    }
}
