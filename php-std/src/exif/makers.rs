//! Notes that makers of cameras leave in a form of their own: how they are recognised, and the names of
//! their tags.

use super::values::Order;

/// Tables of tags: a name in brackets, then a number in hexadecimal and a name on each line.
const TABLES: &str = include_str!("makers.txt");

/// What notes of a maker look like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker {
    /// What the tag `Make` says.
    make: &'static str,
    /// What a note begins with.
    mark: &'static [u8],
    /// Where its directory begins.
    pub(super) start: usize,
    /// The order of bytes, where it is not that of the file.
    pub(super) order: Option<Order>,
    /// Whether offsets count from where the note begins.
    pub(super) is_own_area: bool,
    /// The table of its tags.
    table: &'static str,
}

impl Maker {
    const fn new(make: &'static str, mark: &'static [u8], table: &'static str) -> Maker {
        Maker {
            make,
            mark,
            start: mark.len(),
            order: None,
            is_own_area: false,
            table,
        }
    }

    const fn in_order(mut self, order: Order) -> Maker {
        self.order = Some(order);
        self
    }

    const fn in_own_area(mut self) -> Maker {
        self.is_own_area = true;
        self
    }

    const fn starting_at(mut self, start: usize) -> Maker {
        self.start = start;
        self
    }

    /// The name of a tag in such a note.
    pub(super) fn tag(&self, number: u16) -> Option<&'static str> {
        let mut lines = TABLES.lines();
        lines.find(|line| {
            let name = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'));
            name == Some(self.table)
        })?;
        lines
            .take_while(|line| !line.starts_with('['))
            .find_map(|line| {
                let (hexadecimal, name) = line.split_once(' ')?;
                (u16::from_str_radix(hexadecimal, 16) == Ok(number)).then_some(name)
            })
    }
}

static MAKERS: &[Maker] = &[
    Maker::new("Canon", b"", "canon").in_order(Order::Little),
    Maker::new("CASIO", b"", "casio").in_order(Order::Big),
    Maker::new("FUJIFILM", b"FUJIFILM\x0c\0\0\0", "fuji")
        .in_order(Order::Little)
        .in_own_area(),
    Maker::new("NIKON", b"Nikon\0\x01\0", "nikon"),
    Maker::new("NIKON", b"", "nikon-990"),
    Maker::new("OLYMPUS OPTICAL CO.,LTD", b"OLYMP\0\x01\0", "olympus"),
    Maker::new("SAMSUNG", b"", "samsung"),
    Maker::new("Panasonic", b"Panasonic\0\0\0", "panasonic"),
    Maker::new("SONY", b"SONY DSC \0\0\0", "sony"),
    Maker::new("SONY", b"", "sony"),
    Maker::new("PENTAX", b"AOC\0", "pentax").starting_at(6),
    Maker::new("RICOH", b"Ricoh", "ricoh").in_order(Order::Big),
    Maker::new("RICOH", b"RICOH", "ricoh").in_order(Order::Big),
];

/// The maker of a note in a file whose tag `Make` says `make`.
pub(super) fn maker_of(make: &[u8], note: &[u8]) -> Option<&'static Maker> {
    // Marks are compared as text that ends with a NUL.
    MAKERS.iter().find(|maker| {
        let end = memchr::memchr(0, maker.mark).map_or(maker.mark.len(), |end| end + 1);
        let may_be = note.len() < maker.mark.len() || note.starts_with(&maker.mark[..end]);
        maker.make.as_bytes() == make && may_be
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_recognised() {
        let name = |make: &[u8], note: &[u8], tag| maker_of(make, note)?.tag(tag);
        assert_eq!(name(b"Canon", b"", 4), Some("ImageInfo"));
        assert_eq!(name(b"NIKON", b"Nikon\0\x01\0", 4), Some("ColorMode"));
        assert_eq!(
            name(b"NIKON", b"\x01\0\x01\0\x01\0\x01\0", 3),
            Some("ColorMode")
        );
        assert_eq!(name(b"NIKON", b"Nikon\0\x01\0", 0x80), None);
        assert_eq!(name(b"nobody", b"", 4), None);
    }
}
