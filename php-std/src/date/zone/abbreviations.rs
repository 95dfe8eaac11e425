//! Abbreviations of zones: `EST` says an offset, whether it is summer time, and usual regions.

use std::sync::LazyLock;

/// A meaning of an abbreviation.
#[derive(Debug)]
pub(crate) struct Abbreviation {
    pub(crate) name: &'static str,
    pub(crate) is_dst: bool,
    pub(crate) seconds: i64,
    /// Regions, the usual one first; `-` stands for none.
    regions: &'static str,
}

impl Abbreviation {
    /// Names of its regions.
    pub(crate) fn regions(&self) -> impl Iterator<Item = Option<&'static str>> {
        self.regions
            .split(' ')
            .map(|name| (name != "-").then_some(name))
    }
}

/// Every meaning, in order of the names: abbreviation, 1 for summer time, seconds, regions.
static ABBREVIATIONS: LazyLock<Vec<Abbreviation>> = LazyLock::new(|| {
    let parse = |line: &'static str| {
        let mut parts = line.splitn(4, ' ');
        Some(Abbreviation {
            name: parts.next()?,
            is_dst: parts.next()? == "1",
            seconds: parts.next()?.parse().ok()?,
            regions: parts.next()?,
        })
    };
    include_str!("abbreviations.txt")
        .lines()
        .filter_map(parse)
        .collect()
});

/// All meanings.
pub(crate) fn all() -> &'static [Abbreviation] {
    &ABBREVIATIONS
}

/// The usual meaning of an abbreviation.
pub(crate) fn find(name: &[u8]) -> Option<&'static Abbreviation> {
    // Names of regions are mostly longer.
    if name.len() > *LONGEST {
        return None;
    }
    let (all, wanted) = (all(), name.to_ascii_lowercase());
    let name_of = |&place: &usize| all[place].name.as_bytes();
    let first = SORTED.partition_point(|place| name_of(place) < &wanted[..]);
    let &found = SORTED.get(first)?;
    (name_of(&found) == wanted).then(|| &all[found])
}

/// How long the longest name is.
static LONGEST: LazyLock<usize> = LazyLock::new(|| {
    let lengths = ABBREVIATIONS.iter().map(|known| known.name.len());
    lengths.max().unwrap_or_default()
});

/// The places of all meanings, by their names and then as they stand.
static SORTED: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let mut places: Vec<usize> = (0..ABBREVIATIONS.len()).collect();
    places.sort_by_key(|&place| ABBREVIATIONS[place].name);
    places
});
