//! Where the regions of the database are.

use std::sync::LazyLock;

/// The place a region is named after.
#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) region: &'static str,
    /// ISO 3166 code; `??` for none.
    pub(crate) country: &'static str,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    pub(crate) comments: &'static str,
}

/// Region, country, latitude, longitude, comments; in order of the names. What isn't listed here
/// is kept in the database for older programs.
static LOCATIONS: LazyLock<Vec<Location>> = LazyLock::new(|| {
    let parse = |line: &'static str| {
        let mut parts = line.splitn(5, ' ');
        Some(Location {
            region: parts.next()?,
            country: parts.next()?,
            latitude: parts.next()?.parse().ok()?,
            longitude: parts.next()?.parse().ok()?,
            comments: parts.next().unwrap_or_default(),
        })
    };
    include_str!("locations.txt")
        .lines()
        .filter_map(parse)
        .collect()
});

/// All locations.
pub(crate) fn all() -> &'static [Location] {
    &LOCATIONS
}

/// The location of a region.
pub(crate) fn find(region: &str) -> Option<&'static Location> {
    all().iter().find(|location| location.region == region)
}
