//! Encodings by their names.

use super::{ENCODINGS, Encoding};

/// More than twice as many as there are names.
const PLACES: usize = 2048;
/// An encoding has fewer names than this.
const MOST_NAMES: usize = 32;

/// Which name stands at each place, 0 for none: the number of its encoding, counted from 1, and which of its names it
/// is. What two encodings are called is the name of one of them rather than its MIME name, and that rather than an alias.
static NAMES: [u16; PLACES] = {
    let mut table = [0; PLACES];
    let mut which = 0;
    while which < MOST_NAMES {
        let mut number = 0;
        while number < ENCODINGS.len() {
            if let Some(name) = name_of(&ENCODINGS[number], which) {
                let place = place_of(&table, name.as_bytes());
                if table[place] == 0 {
                    table[place] = ((number + 1) * MOST_NAMES + which) as u16;
                }
            }
            number += 1;
        }
        which += 1;
    }
    table
};

/// A name of an encoding: its own, that in MIME headers, then its aliases.
const fn name_of(encoding: &Encoding, which: usize) -> Option<&'static str> {
    match which {
        0 => Some(encoding.name),
        1 => encoding.mime,
        _ if which - 2 < encoding.aliases.len() => Some(encoding.aliases[which - 2]),
        _ => None,
    }
}

/// A hash of the ends and the length of a name: the whole of most. The bit that tells upper from lower case is not in it.
const fn hash_of(name: &[u8]) -> u64 {
    const FOLD: u64 = 0x2020_2020_2020_2020;
    let (first, last) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(first), Some(last)) => (
                u32::from_le_bytes(*first) as u64,
                u32::from_le_bytes(*last) as u64,
            ),
            _ if name.is_empty() => (0, 0),
            _ => (
                name[0] as u64,
                (name[name.len() - 1] as u64) << 8 | name[name.len() / 2] as u64,
            ),
        },
    };
    let mixed = ((first | FOLD) ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed.rotate_left(32) ^ (last | FOLD)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Where a name stands in a table, in any case, or where there is room for it.
const fn place_of(table: &[u16; PLACES], name: &[u8]) -> usize {
    let hash = hash_of(name);
    let mut place = (hash >> 48) as usize % PLACES;
    while table[place] != 0 {
        let (number, which) = entry(table[place]);
        if let Some(known) = name_of(&ENCODINGS[number], which)
            && known.as_bytes().eq_ignore_ascii_case(name)
        {
            break;
        }
        place = (place + 1) % PLACES;
    }
    place
}

/// The number of an encoding, and which of its names is meant.
const fn entry(entry: u16) -> (usize, usize) {
    (entry as usize / MOST_NAMES - 1, entry as usize % MOST_NAMES)
}

/// The encoding of a name, MIME name or alias, in any case.
pub(crate) fn find(name: &[u8]) -> Option<&'static Encoding> {
    match NAMES[place_of(&NAMES, name)] {
        0 => None,
        found => Some(&ENCODINGS[entry(found).0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_found() {
        for which in 0..MOST_NAMES {
            for encoding in ENCODINGS {
                let Some(name) = name_of(encoding, which) else {
                    continue;
                };
                let found = find(name.to_ascii_uppercase().as_bytes()).expect("is known");
                // Where several have it, the one to which it means most, and of these the first.
                let first = (0..=which)
                    .flat_map(|which| ENCODINGS.iter().map(move |other| (other, which)))
                    .find(|&(other, which)| {
                        name_of(other, which).is_some_and(|known| known.eq_ignore_ascii_case(name))
                    });
                assert_eq!(
                    Some(found.name),
                    first.map(|(first, _)| first.name),
                    "{name}"
                );
            }
        }
        assert!(find(b"").is_none() && find(b"UTF-9").is_none());
        assert!(
            ENCODINGS
                .iter()
                .all(|encoding| encoding.aliases.len() + 2 <= MOST_NAMES)
        );
    }
}
