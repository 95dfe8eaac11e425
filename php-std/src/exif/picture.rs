//! What a file tells of its picture.

use super::tags;

/// The sections of the information, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    File,
    Computed,
    AnyTag,
    Main,
    Thumbnail,
    Comment,
    App0,
    Exif,
    FlashPix,
    Position,
    Relation,
    App12,
    Windows,
    MakerNote,
}

pub(super) const SECTIONS: [(Section, &str); 14] = [
    (Section::File, "FILE"),
    (Section::Computed, "COMPUTED"),
    (Section::AnyTag, "ANY_TAG"),
    (Section::Main, "IFD0"),
    (Section::Thumbnail, "THUMBNAIL"),
    (Section::Comment, "COMMENT"),
    (Section::App0, "APP0"),
    (Section::Exif, "EXIF"),
    (Section::FlashPix, "FPIX"),
    (Section::Position, "GPS"),
    (Section::Relation, "INTEROP"),
    (Section::App12, "APP12"),
    (Section::Windows, "WINXP"),
    (Section::MakerNote, "MAKERNOTE"),
];

impl Section {
    /// The name of a tag in it.
    pub(super) fn tag(self, number: u16) -> Option<&'static str> {
        match self {
            Section::Position => tags::position_tag(number),
            Section::Relation => tags::relation_tag(number),
            _ => tags::image_tag(number),
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    /// Bytes as they are.
    Bytes(Vec<u8>),
    Long(i64),
    Double(f64),
    /// A fraction, as text.
    Text(String),
    List(Vec<Data>),
    Nothing,
}

/// A value in a section; without a name it gets the next number.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) section: Section,
    pub(super) name: Option<String>,
    pub(super) data: Data,
}

/// A small picture beside the main one.
#[derive(Debug, Default)]
pub(super) struct Thumbnail {
    /// The number of its format; 0 if it is unknown.
    pub(super) format: i64,
    pub(super) width: u64,
    pub(super) height: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) data: Option<Vec<u8>>,
}

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) format: i64,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) is_colored: bool,
    /// Whether high bytes come first, if it is known.
    pub(super) big_endian: Option<bool>,
    pub(super) aperture: f64,
    pub(super) distance: f64,
    pub(super) sensor_width: f64,
    pub(super) focal_plane_resolution: f64,
    pub(super) focal_plane_unit: f64,
    pub(super) image_width: f64,
    pub(super) comment: Option<(Vec<u8>, Option<&'static str>)>,
    pub(super) copyright: Option<Vec<u8>>,
    pub(super) photographer_and_editor: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) thumbnail: Thumbnail,
    pub(super) entries: Vec<Entry>,
    found: u32,
}

impl Picture {
    pub(super) fn find(&mut self, section: Section) {
        self.found |= section.bit();
    }

    pub(super) fn has(&self, section: Section) -> bool {
        self.found & section.bit() != 0
    }

    /// The names of the sections that were found.
    pub(super) fn found_names(&self) -> String {
        let found = SECTIONS.iter().filter(|(section, _)| self.has(*section));
        let names: Vec<&str> = found.map(|(_, name)| *name).collect();
        names.join(", ")
    }

    pub(super) fn add(&mut self, section: Section, name: &str, data: Data) {
        self.find(section);
        self.entries.push(Entry {
            section,
            name: Some(name.to_owned()),
            data,
        });
    }

    pub(super) fn add_comment(&mut self, text: &[u8]) {
        self.find(Section::Comment);
        self.entries.push(Entry {
            section: Section::Comment,
            name: None,
            data: Data::Bytes(until_nul(text).to_vec()),
        });
    }
}

/// Bytes before the first NUL.
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())]
}
