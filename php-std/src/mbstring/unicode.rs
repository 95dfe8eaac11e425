//! Properties of characters that Rust does not tell, or tells of a later Unicode than PHP 8.4's.

use std::collections::HashMap;
use std::sync::OnceLock;

static DATA: &str = include_str!("unicode.txt");

/// Case mappings, in the order of PHP's `MB_CASE_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mapping {
    Upper,
    Lower,
    Title,
    Fold,
    UpperSimple,
    LowerSimple,
    TitleSimple,
    FoldSimple,
}

/// The sections of [`DATA`], in the order of [`Mapping`].
const MAPPINGS: [&str; 8] = [
    "upper",
    "lower",
    "title",
    "fold",
    "upper_simple",
    "lower_simple",
    "title_simple",
    "fold_simple",
];

type Exceptions = HashMap<u32, Vec<u32>, foldhash::fast::FixedState>;
type Ranges = Vec<(u32, u32)>;

struct Data {
    exceptions: [Exceptions; 8],
    cased: Set,
    ignorable: Set,
    wide: Set,
}

/// A set of characters.
struct Set {
    /// A bit for each character of ASCII.
    ascii: u128,
    ranges: Ranges,
}

impl Set {
    fn new(ranges: Ranges) -> Set {
        let ascii = (0..128).filter(|&character| is_in(&ranges, character));
        Set {
            ascii: ascii.fold(0, |bits, character| bits | 1 << character),
            ranges,
        }
    }

    fn contains(&self, character: u32) -> bool {
        match character {
            0..128 => self.ascii >> character & 1 != 0,
            _ => is_in(&self.ranges, character),
        }
    }
}

fn number(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap_or_default()
}

fn range(text: &str) -> (u32, u32) {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    (number(first), number(last))
}

fn data() -> &'static Data {
    static MADE: OnceLock<Data> = OnceLock::new();
    MADE.get_or_init(|| {
        let section = |name: &str| {
            let line = DATA.lines().find_map(|line| {
                let (known, entries) = line.split_once(' ')?;
                (known == name).then_some(entries)
            });
            line.unwrap_or_default().split_ascii_whitespace()
        };
        let set = |name: &str| Set::new(section(name).map(range).collect());
        let exceptions = |name: &str| {
            let mut table = Exceptions::default();
            for (characters, mapping) in section(name).filter_map(|entry| entry.split_once('=')) {
                let (first, last) = range(characters);
                let mapping: Vec<u32> = mapping.split('+').map(number).collect();
                for character in first..=last {
                    let mut mapping = mapping.clone();
                    mapping[0] += character - first;
                    table.insert(character, mapping);
                }
            }
            table
        };
        Data {
            exceptions: MAPPINGS.map(exceptions),
            cased: set("cased"),
            ignorable: set("ignorable"),
            wide: set("wide"),
        }
    })
}

fn is_in(ranges: &Ranges, character: u32) -> bool {
    let place = ranges.partition_point(|range| range.1 < character);
    ranges.get(place).is_some_and(|range| range.0 <= character)
}

/// True for a letter that is upper, lower or title case.
pub(super) fn is_cased(character: u32) -> bool {
    data().cased.contains(character)
}

/// True for a character that is passed over when the case of its neighbours is looked at.
pub(super) fn is_case_ignorable(character: u32) -> bool {
    data().ignorable.contains(character)
}

/// The columns that a character takes in a terminal: 1 or 2.
pub(super) fn width(character: u32) -> usize {
    // The first wide character is U+1100.
    1 + usize::from(character >= 0x1100 && data().wide.contains(character))
}

/// Appends the mapping of a character, without regard to its neighbours.
pub(crate) fn map(mapping: Mapping, character: u32, output: &mut Vec<u32>) {
    if character < 0x80 {
        let byte = character as u8;
        output.push(u32::from(match mapping {
            Mapping::Upper | Mapping::UpperSimple | Mapping::Title | Mapping::TitleSimple => {
                byte.to_ascii_uppercase()
            }
            _ => byte.to_ascii_lowercase(),
        }));
        return;
    }
    if let Some(exception) = data().exceptions[mapping as usize].get(&character) {
        output.extend_from_slice(exception);
        return;
    }
    let Some(letter) = char::from_u32(character) else {
        return output.push(character);
    };
    match mapping {
        Mapping::Upper => output.extend(letter.to_uppercase().map(u32::from)),
        Mapping::Lower => output.extend(letter.to_lowercase().map(u32::from)),
        // Title case is upper case, and folded is lower case, but for the exceptions.
        Mapping::Title => map(Mapping::Upper, character, output),
        Mapping::Fold => map(Mapping::Lower, character, output),
        Mapping::TitleSimple => map(Mapping::UpperSimple, character, output),
        Mapping::FoldSimple => map(Mapping::LowerSimple, character, output),
        Mapping::UpperSimple => output.push(single(letter.to_uppercase(), character)),
        Mapping::LowerSimple => output.push(single(letter.to_lowercase(), character)),
    }
}

/// The only character of a mapping; the character itself if there are more.
fn single(mut mapping: impl ExactSizeIterator<Item = char>, character: u32) -> u32 {
    if mapping.len() != 1 {
        return character;
    }
    mapping.next().map_or(character, u32::from)
}
