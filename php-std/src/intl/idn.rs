//! Names of domains in Unicode and in ASCII, by UTS #46.

use idna_mapping::{LEFT_OR_DUAL_JOINING_MASK, Mapper, RIGHT_OR_DUAL_JOINING_MASK, joining_type};
use unicode_bidi::{BidiClass, bidi_class};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::punycode;
use super::{errors, letters};
use crate::support::functions;

functions! {
    "idn_to_ascii(string $domain, int $flags = IDNA_DEFAULT, int $variant = INTL_IDNA_VARIANT_UTS46, &$idna_info = null): string|false" => idn_to_ascii,
    "idn_to_utf8(string $domain, int $flags = IDNA_DEFAULT, int $variant = INTL_IDNA_VARIANT_UTS46, &$idna_info = null): string|false" => idn_to_utf8,
}

const USE_STD3_RULES: i64 = 2;
const CHECK_BIDI: i64 = 4;
const CHECK_JOINERS: i64 = 8;
const NONTRANSITIONAL_TO_ASCII: i64 = 16;
const NONTRANSITIONAL_TO_UNICODE: i64 = 32;

const EMPTY_LABEL: i64 = 1;
const LABEL_TOO_LONG: i64 = 2;
const NAME_TOO_LONG: i64 = 4;
const LEADING_HYPHEN: i64 = 8;
const TRAILING_HYPHEN: i64 = 16;
const HYPHENS: i64 = 32;
const LEADING_MARK: i64 = 64;
const DISALLOWED: i64 = 128;
const PUNYCODE: i64 = 256;
const LABEL_HAS_DOT: i64 = 512;
const INVALID_ASCII_LABEL: i64 = 1024;
const BIDI: i64 = 2048;
const JOINERS: i64 = 4096;

const VARIANT: i64 = 1;

pub(super) const CONSTANTS: &[(&str, i64)] = &[
    (
        "IDNA_DEFAULT",
        NONTRANSITIONAL_TO_ASCII | NONTRANSITIONAL_TO_UNICODE,
    ),
    ("IDNA_ALLOW_UNASSIGNED", 1),
    ("IDNA_USE_STD3_RULES", USE_STD3_RULES),
    ("IDNA_CHECK_BIDI", CHECK_BIDI),
    ("IDNA_CHECK_CONTEXTJ", CHECK_JOINERS),
    ("IDNA_NONTRANSITIONAL_TO_ASCII", NONTRANSITIONAL_TO_ASCII),
    (
        "IDNA_NONTRANSITIONAL_TO_UNICODE",
        NONTRANSITIONAL_TO_UNICODE,
    ),
    ("INTL_IDNA_VARIANT_UTS46", VARIANT),
    ("IDNA_ERROR_EMPTY_LABEL", EMPTY_LABEL),
    ("IDNA_ERROR_LABEL_TOO_LONG", LABEL_TOO_LONG),
    ("IDNA_ERROR_DOMAIN_NAME_TOO_LONG", NAME_TOO_LONG),
    ("IDNA_ERROR_LEADING_HYPHEN", LEADING_HYPHEN),
    ("IDNA_ERROR_TRAILING_HYPHEN", TRAILING_HYPHEN),
    ("IDNA_ERROR_HYPHEN_3_4", HYPHENS),
    ("IDNA_ERROR_LEADING_COMBINING_MARK", LEADING_MARK),
    ("IDNA_ERROR_DISALLOWED", DISALLOWED),
    ("IDNA_ERROR_PUNYCODE", PUNYCODE),
    ("IDNA_ERROR_LABEL_HAS_DOT", LABEL_HAS_DOT),
    ("IDNA_ERROR_INVALID_ACE_LABEL", INVALID_ASCII_LABEL),
    ("IDNA_ERROR_BIDI", BIDI),
    ("IDNA_ERROR_CONTEXTJ", JOINERS),
];

/// What stands where a character is not allowed.
const REPLACEMENT: char = '\u{fffd}';
const ASCII_PREFIX: &str = "xn--";
const LONGEST_LABEL: usize = 63;
/// Without the dot at the end.
const LONGEST_NAME: usize = 253;
/// The room that there is for a name in ASCII.
const LONGEST_RESULT: usize = 254;
/// The room that there is for a name in Unicode.
const LONGEST_UNICODE: usize = 1_007;

/// What is known of a name.
#[derive(Debug, Default)]
struct Name {
    result: String,
    is_transitional_different: bool,
    errors: i64,
    labels: Vec<Label>,
}

/// A label in Unicode, and as it was if it came in ASCII.
#[derive(Debug)]
struct Label {
    unicode: String,
    ascii: Option<String>,
}

fn is_deviation(letter: char) -> bool {
    matches!(letter, 'ß' | 'ẞ' | 'ς' | '\u{200c}' | '\u{200d}')
}

/// Maps letters and brings them into their normal form; what is not allowed is replaced.
fn mapped(source: &str, is_transitional: bool) -> String {
    let mut plain = String::with_capacity(source.len());
    for letter in letters(source) {
        match letter {
            'ß' | 'ẞ' if is_transitional => plain.push_str("ss"),
            'ς' if is_transitional => plain.push('σ'),
            '\u{200c}' | '\u{200d}' if is_transitional => {}
            letter => plain.push(letter),
        }
    }
    Mapper::new(letters(&plain), false).nfc().collect()
}

fn is_plain(letter: char) -> bool {
    matches!(letter, 'a'..='z' | '0'..='9' | '-')
}

impl Name {
    fn of(source: &str, flags: i64, to_ascii: bool) -> Name {
        let nontransitional = match to_ascii {
            true => NONTRANSITIONAL_TO_ASCII,
            false => NONTRANSITIONAL_TO_UNICODE,
        };
        let mut name = Name {
            is_transitional_different: source.contains(is_deviation),
            ..Name::default()
        };
        let whole = mapped(source, flags & nontransitional == 0);
        let labels: Vec<&str> = whole.split('.').collect();
        for (index, &label) in labels.iter().enumerate() {
            vm_runtime::limits::poll();
            if !label.is_empty() {
                name.add(label, flags, to_ascii);
                continue;
            }
            // The root, behind the last dot, may be empty.
            if index == 0 && !source.is_ascii() && labels.len() == 1
                || index > 0 && index + 1 == labels.len()
            {
                name.push(String::new(), None);
                continue;
            }
            name.errors |= EMPTY_LABEL;
            name.push(String::new(), None);
        }
        if flags & CHECK_BIDI != 0 {
            name.check_directions();
        }
        name.finish(to_ascii);
        name
    }

    fn push(&mut self, unicode: String, ascii: Option<String>) {
        self.labels.push(Label { unicode, ascii });
    }

    /// Checks a label, which is not empty.
    fn add(&mut self, label: &str, flags: i64, to_ascii: bool) {
        let Some(encoded) = label.strip_prefix(ASCII_PREFIX) else {
            let checked = self.check(label, flags);
            return self.push(checked, None);
        };
        let Some(decoded) = punycode::decode(encoded) else {
            self.errors |= PUNYCODE;
            return self.add_bad(label, flags, to_ascii);
        };
        let is_normal = mapped(&decoded, false) == decoded;
        if decoded.is_ascii() || !is_normal || decoded.contains(REPLACEMENT) {
            self.errors |= INVALID_ASCII_LABEL;
            return self.add_bad(label, flags, to_ascii);
        }
        let checked = self.check(&decoded, flags);
        let is_same = checked == decoded;
        self.push(checked, is_same.then(|| label.to_owned()));
    }

    /// A label that only looks as if it were of Punycode, marked so that nobody takes it.
    fn add_bad(&mut self, label: &str, flags: i64, to_ascii: bool) {
        let forbids = flags & USE_STD3_RULES != 0;
        let is_plain_label = label.chars().all(is_plain);
        let mut marked: String = label
            .chars()
            .map(|letter| match letter {
                letter if forbids && letter.is_ascii() && !is_plain(letter) => REPLACEMENT,
                letter => letter,
            })
            .collect();
        if is_plain_label {
            marked.push(REPLACEMENT);
        } else if to_ascii && marked.is_ascii() && marked.len() > LONGEST_LABEL {
            self.errors |= LABEL_TOO_LONG;
        }
        let whole = marked.clone();
        self.push(marked, Some(whole));
    }

    /// Notes what is wrong with a label; gives it with replacements.
    fn check(&mut self, label: &str, flags: i64) -> String {
        let forbids = flags & USE_STD3_RULES != 0;
        let mut letters: Vec<char> = label.chars().collect();
        if let [_, _, '-', '-', ..] = letters[..] {
            self.errors |= HYPHENS;
        }
        if letters[0] == '-' {
            self.errors |= LEADING_HYPHEN;
        }
        if letters.last() == Some(&'-') {
            self.errors |= TRAILING_HYPHEN;
        }
        for letter in &mut letters {
            if *letter == '.' {
                *letter = REPLACEMENT;
                self.errors |= LABEL_HAS_DOT;
            } else if *letter == REPLACEMENT || forbids && letter.is_ascii() && !is_plain(*letter) {
                *letter = REPLACEMENT;
                self.errors |= DISALLOWED;
            }
        }
        if is_combining_mark(letters[0]) {
            letters[0] = REPLACEMENT;
            self.errors |= LEADING_MARK;
        }
        if flags & CHECK_JOINERS != 0 && !are_joiners_right(&letters) {
            self.errors |= JOINERS;
        }
        letters.into_iter().collect()
    }

    /// The rule of RFC 5893: labels from right to left must not be mistaken.
    fn check_directions(&mut self) {
        let is_bidirectional = self.labels.iter().any(|label| {
            let mut classes = label.unicode.chars().map(bidi_class);
            classes.any(|class| matches!(class, BidiClass::R | BidiClass::AL | BidiClass::AN))
        });
        if is_bidirectional
            && !self
                .labels
                .iter()
                .all(|label| is_direction_right(&label.unicode))
        {
            self.errors |= BIDI;
        }
    }

    /// Puts the labels together.
    fn finish(&mut self, to_ascii: bool) {
        let labels = std::mem::take(&mut self.labels);
        for (index, label) in labels.iter().enumerate() {
            if index > 0 {
                self.result.push('.');
            }
            if !to_ascii {
                self.result.push_str(&label.unicode);
                continue;
            }
            let ascii = match &label.ascii {
                Some(ascii) => ascii.clone(),
                None if label.unicode.is_ascii() || label.unicode.contains(REPLACEMENT) => {
                    label.unicode.clone()
                }
                None => format!("{ASCII_PREFIX}{}", punycode::encode(&label.unicode)),
            };
            if ascii.is_ascii() && ascii.len() > LONGEST_LABEL {
                self.errors |= LABEL_TOO_LONG;
            }
            self.result.push_str(&ascii);
        }
        let length = self.result.strip_suffix('.').unwrap_or(&self.result).len();
        if to_ascii && self.result.is_ascii() && length > LONGEST_NAME {
            self.errors |= NAME_TOO_LONG;
        }
    }
}

/// True if each joiner stands where scripts need one: RFC 5892, appendix A.
fn are_joiners_right(letters: &[char]) -> bool {
    const VIRAMA: u8 = 9;
    letters.iter().enumerate().all(|(at, &letter)| {
        if !matches!(letter, '\u{200c}' | '\u{200d}') {
            return true;
        }
        let Some(&before) = letters[..at].last() else {
            return false;
        };
        if canonical_combining_class(before) == VIRAMA {
            return true;
        }
        let joins = |mut others: Box<dyn Iterator<Item = &char> + '_>, mask| {
            let other = others.find(|&&other| !joining_type(other).is_transparent());
            other.is_some_and(|&other| joining_type(other).to_mask().intersects(mask))
        };
        letter == '\u{200c}'
            && joins(
                Box::new(letters[..at].iter().rev()),
                LEFT_OR_DUAL_JOINING_MASK,
            )
            && joins(
                Box::new(letters[at + 1..].iter()),
                RIGHT_OR_DUAL_JOINING_MASK,
            )
    })
}

/// True if a label keeps the rule for names with labels from right to left.
fn is_direction_right(label: &str) -> bool {
    use BidiClass::{AL, AN, BN, CS, EN, ES, ET, L, NSM, ON, R};
    let classes: Vec<BidiClass> = label.chars().map(bidi_class).collect();
    let Some(first) = classes.first() else {
        return true;
    };
    let last = classes.iter().rev().find(|class| **class != NSM);
    let has = |wanted| classes.contains(&wanted);
    match first {
        L => {
            let is_allowed =
                |class: &BidiClass| matches!(class, L | EN | ES | CS | ET | ON | BN | NSM);
            classes.iter().all(is_allowed) && matches!(last, Some(L | EN))
        }
        R | AL => {
            let is_allowed = |class: &BidiClass| {
                matches!(class, R | AL | AN | EN | ES | CS | ET | ON | BN | NSM)
            };
            classes.iter().all(is_allowed)
                && matches!(last, Some(R | AL | EN | AN))
                && !(has(EN) && has(AN))
        }
        _ => false,
    }
}

fn convert(call: &mut Call<'_>, to_ascii: bool) -> PhpResult<Value> {
    errors::clear(call.vm);
    let (bytes, flags) = (call.bytes(0), call.long(1));
    if bytes.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if call.long(2) != VARIANT {
        return Err(call.value_error(1, "must be INTL_IDNA_VARIANT_UTS46"));
    }
    let lossy = String::from_utf8_lossy(bytes);
    let name = Name::of(&lossy, flags, to_ascii);
    let mut info = call.vm.new_array();
    let longest = match to_ascii {
        true => LONGEST_RESULT,
        false => LONGEST_UNICODE,
    };
    if name.result.len() > longest {
        call.assign(3, info.into());
        return Ok(false.into());
    }
    let result = call.vm.string(&name.result);
    let table = info.make_mut(call.vm);
    table.set_bytes(b"result", result.clone().into());
    table.set_bytes(
        b"isTransitionalDifferent",
        name.is_transitional_different.into(),
    );
    table.set_bytes(b"errors", name.errors.into());
    call.assign(3, info.into());
    Ok(match name.errors {
        0 => result.into(),
        _ => false.into(),
    })
}

fn idn_to_ascii(call: &mut Call<'_>) -> PhpResult<Value> {
    convert(call, true)
}

fn idn_to_utf8(call: &mut Call<'_>) -> PhpResult<Value> {
    convert(call, false)
}
