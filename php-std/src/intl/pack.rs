//! What ICU's resource bundles say of locales, read where it lies: nothing is loaded, and only what is looked up is
//! touched. `data/record.php` writes the file.
//!
//! The file begins with its version, its root and the table of keys. A node is a word: its kind in the upper four bits,
//! below them an offset. A text is a length (seven bits a byte) and UTF-8. A table has the number of its entries, that
//! many numbers of keys in ascending order (16 bits, up to a multiple of four bytes), and that many nodes. A list has
//! the number of its nodes and the nodes. A number stands in the word itself.

static PACK: &[u8] = include_bytes!("data/locales.pack");

const TEXT: u32 = 0;
const TABLE: u32 = 1;
const LIST: u32 = 2;
const NUMBER: u32 = 3;

/// A value in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u32);

fn word(at: usize) -> u32 {
    let bytes = PACK[at..].first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes)
}

/// All that the file has.
pub(super) fn root() -> Node {
    Node(word(4))
}

impl Node {
    fn kind(self) -> u32 {
        self.0 >> 28
    }

    fn offset(self) -> usize {
        (self.0 & 0x0fff_ffff) as usize
    }

    /// The text that this is.
    pub(super) fn text(self) -> Option<&'static str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The bytes of the text that this is.
    fn bytes(self) -> Option<&'static [u8]> {
        if self.kind() != TEXT {
            return None;
        }
        let (mut length, mut shift, mut at) = (0, 0, self.offset());
        loop {
            let byte = PACK[at];
            at += 1;
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        Some(&PACK[at..at + length])
    }

    /// The number that this is.
    pub(super) fn number(self) -> Option<i64> {
        (self.kind() == NUMBER).then_some(i64::from((self.0 << 4) as i32 >> 4))
    }

    /// How many parts this has.
    pub(super) fn len(self) -> usize {
        match self.kind() {
            TABLE | LIST => word(self.offset()) as usize,
            _ => 0,
        }
    }

    /// Where the nodes of a table or list begin.
    fn nodes(self) -> usize {
        let start = self.offset() + 4;
        match self.kind() {
            TABLE => start + (self.len() * 2).next_multiple_of(4),
            _ => start,
        }
    }

    /// A part by its number.
    pub(super) fn at(self, index: usize) -> Option<Node> {
        (index < self.len()).then(|| Node(word(self.nodes() + index * 4)))
    }

    /// The number of an entry's key.
    fn key_at(self, index: usize) -> usize {
        let bytes = PACK[self.offset() + 4 + index * 2..].first_chunk();
        u16::from_le_bytes(*bytes.expect("two bytes")).into()
    }

    /// An entry of a table.
    pub(super) fn get(self, key: &str) -> Option<Node> {
        if self.kind() != TABLE {
            return None;
        }
        // The keys are sorted, and so are their numbers.
        let keys = Node(word(8));
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match keys.at(self.key_at(middle))?.bytes()?.cmp(key.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.at(middle),
            }
        }
        None
    }

    /// An entry of tables in tables.
    pub(super) fn find(self, path: &[&str]) -> Option<Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a table.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'static str, Node)> {
        let count = if self.kind() == TABLE { self.len() } else { 0 };
        (0..count).filter_map(move |index| {
            let key = Node(word(8)).at(self.key_at(index))?.text()?;
            Some((key, self.at(index)?))
        })
    }

    /// The parts of a list.
    pub(super) fn items(self) -> impl Iterator<Item = Node> {
        (0..self.len()).filter_map(move |index| self.at(index))
    }
}
