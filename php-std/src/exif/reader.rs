//! Reading the tags in a file: directories of entries in TIFF's form, alone or in a JPEG file.

use super::MOST_PROBLEMS;
use super::makers::{self, Maker};
use super::picture::{Data, Picture, Section, until_nul};
use super::values::{self, Encodings, Format, Order};

pub(super) const JPEG: i64 = 2;
pub(super) const TIFF_LITTLE_ENDIAN: i64 = 7;
pub(super) const TIFF_BIG_ENDIAN: i64 = 8;

/// Directories, and entries, in which something stands.
const MOST_NESTED: u32 = 10;
/// Entries of all directories; the directories of TIFF files are counted with them.
const MOST_ENTRIES: u32 = 1000;

const EXIF_POINTER: u16 = 0x8769;
const POSITION_POINTER: u16 = 0x8825;
const RELATION_POINTER: u16 = 0xa005;
const SUB_DIRECTORY: u16 = 0x014a;
const MAKE: u16 = 0x010f;
const MAKER_NOTE: u16 = 0x927c;

/// Where bytes and offsets are counted from: a file, or the part of a JPEG file that is written like one.
#[derive(Clone, Copy)]
struct Area<'a> {
    bytes: &'a [u8],
    /// Where it begins in the file.
    start: usize,
    order: Order,
}

/// What is wrong with a file.
pub(super) struct Problem {
    pub(super) text: String,
    /// What is wrong, but of no consequence.
    pub(super) is_notice: bool,
}

/// The reader of a file.
pub(super) struct Reader<'a> {
    file: &'a [u8],
    pub(super) picture: Picture,
    pub(super) problems: Vec<Problem>,
    /// What the tag `Make` says.
    make: Vec<u8>,
    /// Whose notes are being read.
    maker: Option<&'static Maker>,
    wants_thumbnail: bool,
    encodings: Encodings,
    nested: u32,
    entries: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a [u8], wants_thumbnail: bool, encodings: Encodings) -> Reader<'a> {
        Reader {
            file,
            picture: Picture::default(),
            problems: Vec::new(),
            make: Vec::new(),
            maker: None,
            wants_thumbnail,
            encodings,
            nested: 0,
            entries: 0,
        }
    }

    fn problem(&mut self, text: impl Into<String>) -> bool {
        self.keep(text.into(), false);
        false
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.keep(text.into(), true);
    }

    fn keep(&mut self, text: String, is_notice: bool) {
        // One more than is told shows that there were others.
        if self.problems.len() <= MOST_PROBLEMS {
            self.problems.push(Problem { text, is_notice });
        }
    }

    /// The name of a tag in a section.
    fn tag(&self, section: Section, number: u16) -> Option<&'static str> {
        match (section, self.maker) {
            (Section::MakerNote, Some(maker)) => maker.tag(number),
            _ => section.tag(number),
        }
    }

    /// Reads the file; false if it is none that is understood.
    pub(super) fn read(&mut self) -> bool {
        let file = self.file;
        if file.starts_with(&[0xff, 0xd8]) {
            self.picture.format = JPEG;
            return self.jpeg() || self.problem("Invalid JPEG file");
        }
        if file.len() < 2 {
            return self.problem(format!("File too small ({})", file.len()));
        }
        if file.len() < 8 {
            return self.problem("File not supported");
        }
        let (format, order) = match &file[..4] {
            b"II*\0" => (TIFF_LITTLE_ENDIAN, Order::Little),
            b"MM\0*" => (TIFF_BIG_ENDIAN, Order::Big),
            _ => return self.problem("File not supported"),
        };
        self.picture.format = format;
        self.picture.big_endian = Some(order == Order::Big);
        self.picture.find(Section::Main);
        let area = Area {
            bytes: file,
            start: 0,
            order,
        };
        let start = order.u32(&file[4..]).into();
        let read = self.file_directory(area, start, Section::Main);
        self.sensor();
        read || self.problem("Invalid TIFF file")
    }

    /// The segments of a JPEG file up to the scan.
    fn jpeg(&mut self) -> bool {
        let file = self.file;
        let mut position = 2;
        loop {
            let mut marker = None;
            for _ in 0..10 {
                marker = file.get(position).copied();
                position += 1;
                if marker != Some(0xff) {
                    break;
                }
            }
            let Some(marker) = marker else {
                return self.problem("File structure corrupted");
            };
            if marker == 0xff {
                return self.problem("too many padding bytes");
            }
            let Some(length) = file.get(position..position + 2) else {
                return self.problem("File structure corrupted");
            };
            let length = usize::from(length[0]) << 8 | usize::from(length[1]);
            if length < 2 {
                return self.problem("File structure corrupted");
            }
            let wanted = length - 2;
            let rest = &file[position + 2..];
            if rest.len() < wanted {
                let got = rest.len();
                return self.problem(format!(
                    "Error reading from file: got=x{got:04X}(={got}) != itemlen-2=x{wanted:04X}(={wanted})"
                ));
            }
            let contents = &rest[..wanted];
            match marker {
                // The scan.
                0xda => return true,
                // The end.
                0xd9 => return !self.picture.entries.is_empty(),
                0xfe => self.picture.add_comment(contents),
                0xe1 if !self.picture.has(Section::Main) => self.segment(contents, position + 2),
                0xec => self.company(contents),
                0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                    if wanted < 6 {
                        return self.problem("File structure corrupted");
                    }
                    self.picture.height = i64::from(Order::Big.u16(&contents[1..]));
                    self.picture.width = i64::from(Order::Big.u16(&contents[3..]));
                    self.picture.is_colored = contents[5] == 3;
                }
                _ => {}
            }
            position += length;
        }
    }

    /// The segment APP12: a company and what it says.
    fn company(&mut self, contents: &[u8]) {
        let company = until_nul(contents);
        if company.is_empty() {
            return;
        }
        let data = Data::Bytes(company.to_vec());
        self.picture.add(Section::App12, "Company", data);
        if let Some(rest) = contents.get(company.len() + 1..)
            && !rest.is_empty()
        {
            let data = Data::Bytes(until_nul(rest).to_vec());
            self.picture.add(Section::App12, "Info", data);
        }
    }

    /// The segment APP1.
    fn segment(&mut self, contents: &'a [u8], position: usize) {
        let Some(bytes) = contents.strip_prefix(b"Exif\0\0") else {
            self.problem("Incorrect APP1 Exif Identifier Code");
            return;
        };
        let order = match bytes {
            [b'I', b'I', ..] => Order::Little,
            [b'M', b'M', ..] => Order::Big,
            _ => {
                self.problem("Invalid TIFF alignment marker");
                return;
            }
        };
        self.picture.big_endian = Some(order == Order::Big);
        if bytes.len() < 8 || order.u16(&bytes[2..]) != 0x2a {
            self.problem("Invalid TIFF start (1)");
            return;
        }
        let directory = order.u32(&bytes[4..]) as usize;
        if directory < 8 || directory > bytes.len() {
            self.problem("Invalid IFD start");
            return;
        }
        let area = Area {
            bytes,
            start: position + contents.len() - bytes.len(),
            order,
        };
        self.picture.find(Section::Main);
        self.segment_directory(area, directory, Section::Main);
        self.sensor();
    }

    /// The width of the sensor, from its resolution.
    fn sensor(&mut self) {
        let picture = &mut self.picture;
        if picture.focal_plane_resolution != 0.0 {
            picture.sensor_width =
                picture.image_width * picture.focal_plane_unit / picture.focal_plane_resolution;
        }
    }

    /// Counts what is entered; false if that is too much. Of directories in TIFF files PHP does not tell so.
    fn enter(&mut self, is_told: bool) -> bool {
        let problem = if self.entries > MOST_ENTRIES {
            "corrupt EXIF header: maximum IFD tag count reached"
        } else if self.nested > MOST_NESTED {
            "corrupt EXIF header: maximum directory nesting level reached"
        } else {
            self.entries += 1;
            self.nested += 1;
            return true;
        };
        if is_told {
            self.problem(problem);
        }
        false
    }

    /// A directory in a segment, and the one behind it.
    fn segment_directory(&mut self, area: Area<'a>, start: usize, section: Section) -> bool {
        if section != Section::Thumbnail {
            self.picture.find(section);
        }
        let Some(head) = area.bytes.get(start..start + 2) else {
            return self.problem("Illegal IFD size");
        };
        let count = usize::from(area.order.u16(head));
        let (end, length) = (start + 2 + count * 12, area.bytes.len());
        if end > length {
            return self.problem(format!(
                "Illegal IFD size: x{start:04X} + 2 + x{count:04X}*12 = x{end:04X} > x{length:04X}"
            ));
        }
        for index in 0..count {
            if !self.entry(area, start + 2 + index * 12, section) {
                return false;
            }
        }
        if section != Section::Main {
            return true;
        }
        let Some(next) = area.bytes.get(end..end + 4) else {
            return false;
        };
        let next = area.order.u32(next) as usize;
        if next == 0 {
            return true;
        }
        if next > length {
            return self.problem("Illegal IFD offset");
        }
        if !self.segment_directory(area, next, Section::Thumbnail) {
            return false;
        }
        self.extract(area);
        true
    }

    /// Takes the small picture out of its place.
    fn extract(&mut self, area: Area<'a>) {
        let thumbnail = &mut self.picture.thumbnail;
        if !self.wants_thumbnail || thumbnail.format == 0 || thumbnail.size == 0 {
            return;
        }
        let start = thumbnail.offset as usize;
        let end = start.saturating_add(thumbnail.size as usize);
        match area.bytes.get(start..end) {
            Some(bytes) if start != 0 => thumbnail.data = Some(bytes.to_vec()),
            Some(_) => {}
            None => {
                self.problem("Thumbnail goes IFD boundary or end of file reached");
            }
        }
    }

    /// A directory in a file of TIFF, those in it and the one behind it.
    fn file_directory(&mut self, area: Area<'a>, start: u64, section: Section) -> bool {
        if !self.enter(false) {
            return false;
        }
        let read = self.file_entries(area, start, section);
        self.nested -= 1;
        read
    }

    fn file_entries(&mut self, area: Area<'a>, start: u64, section: Section) -> bool {
        let size = area.bytes.len();
        let start = start as usize;
        let Some(head) = area.bytes.get(start..start + 2) else {
            let end = start + 2;
            return self.problem(format!(
                "Error in TIFF: filesize(x{size:04X}) less than start of IFD dir(x{end:04X})"
            ));
        };
        let count = usize::from(area.order.u16(head));
        let end = start + 2 + count * 12 + 4;
        if end > size {
            return self.problem(format!(
                "Error in TIFF: filesize(x{size:04X}) less than size of IFD dir(x{end:04X})"
            ));
        }
        if section != Section::Thumbnail {
            self.picture.find(section);
        }
        let entries = (0..count).map(|index| start + 2 + index * 12);
        let mut value = 0;
        for entry in entries.clone() {
            self.measure(area, entry, section, &mut value);
        }
        for entry in entries {
            let tag = area.order.u16(&area.bytes[entry..]);
            let inner = match tag {
                EXIF_POINTER => Section::Exif,
                POSITION_POINTER => Section::Position,
                RELATION_POINTER => Section::Relation,
                SUB_DIRECTORY => Section::Thumbnail,
                _ => {
                    if !self.entry(area, entry, section) {
                        return false;
                    }
                    continue;
                }
            };
            let offset = area.order.u32(&area.bytes[entry + 8..]);
            // What is wrong in there has been told, and counts no further.
            self.picture.find(inner);
            self.file_directory(area, offset.into(), inner);
            if inner == Section::Thumbnail {
                self.extract(area);
            }
        }
        let next = area.order.u32(&area.bytes[end - 4..]);
        if next != 0
            && section != Section::Thumbnail
            && !self.picture.has(Section::Thumbnail)
            && self.file_directory(area, next.into(), Section::Thumbnail)
        {
            self.extract(area);
        }
        true
    }

    /// Size and colours, which other parts of a TIFF file do not tell. An entry that is no number of 16 or 32
    /// bits has the value of the one before.
    fn measure(&mut self, area: Area<'a>, entry: usize, section: Section, value: &mut i64) {
        let bytes = &area.bytes[entry..entry + 12];
        let (tag, format) = (area.order.u16(bytes), area.order.u16(&bytes[2..]));
        if Format::of(format).is_none() && format != 0 {
            let shown = section.tag(tag).unwrap_or("UndefinedTag");
            self.notice(format!(
                "Read from TIFF: tag(0x{tag:04X},{shown:>12}): Illegal format code 0x{format:04X}, switching to BYTE"
            ));
        }
        *value = match Format::of(format) {
            Some(Format::UnsignedShort) => i64::from(area.order.u16(&bytes[8..])),
            Some(Format::SignedShort) => i64::from(area.order.u16(&bytes[8..]) as i16),
            Some(Format::UnsignedLong) => i64::from(area.order.u32(&bytes[8..])),
            Some(Format::SignedLong) => i64::from(area.order.u32(&bytes[8..]) as i32),
            _ => *value,
        };
        let value = *value;
        match tag {
            0x0100 | 0xa002 => self.picture.width = value,
            0x0101 | 0xa003 => self.picture.height = value,
            // Black and white is what 0 and 1 mean.
            0x0106 => self.picture.is_colored = matches!(value, 2 | 3 | 5 | 6 | 8),
            _ => {}
        }
    }

    /// An entry; false if no other can be read.
    fn entry(&mut self, area: Area<'a>, at: usize, section: Section) -> bool {
        if !self.enter(true) {
            return false;
        }
        let read = self.entry_and_what_it_holds(area, at, section);
        self.nested -= 1;
        read
    }

    fn entry_and_what_it_holds(&mut self, area: Area<'a>, at: usize, section: Section) -> bool {
        let order = area.order;
        let bytes = &area.bytes[at..at + 12];
        let tag = order.u16(bytes);
        let shown = self.tag(section, tag).unwrap_or("UndefinedTag");
        let number = order.u16(&bytes[2..]);
        let format = match Format::of(number) {
            Some(format) => format,
            None => {
                self.problem(format!(
                    "Process tag(x{tag:04X}={shown}): Illegal format code 0x{number:04X}, suppose BYTE"
                ));
                Format::Byte
            }
        };
        let count = order.u32(&bytes[4..]) as usize;
        let size = count.saturating_mul(format.size());
        if size > i32::MAX as usize {
            return self.problem(format!(
                "Process tag(x{tag:04X}={shown}): Illegal byte_count"
            ));
        }
        let mut place = area.start + at + 8;
        let value = if size <= 4 {
            &bytes[8..12][..size]
        } else {
            let offset = order.u32(&bytes[8..]) as usize;
            // What lies behind a segment is found in the file.
            let file = self.file;
            let start = area.start + offset;
            place = start;
            match file.get(start..start.saturating_add(size)) {
                Some(value) => value,
                None => {
                    let (end, length) = (offset + size, self.file.len());
                    return self.problem(format!(
                        "Process tag(x{tag:04X}={shown}): Illegal pointer offset(x{offset:04X} + x{size:04X} = x{end:04X} > x{length:04X})"
                    ));
                }
            }
        };
        self.picture.find(Section::AnyTag);
        let data = match (tag, format) {
            // Of such notes only what they begin with is shown.
            (MAKER_NOTE, Format::Undefined) => match until_nul(value) {
                b"" => Data::Nothing,
                text => Data::Bytes(text.to_vec()),
            },
            _ => values::data(format, order, count, value),
        };
        match section {
            Section::Thumbnail if !self.thumbnail_entry(tag, shown, &data) => return false,
            Section::Thumbnail => {}
            Section::Main | Section::Exif => {
                let inner = match tag {
                    EXIF_POINTER => Some(Section::Exif),
                    POSITION_POINTER => Some(Section::Position),
                    RELATION_POINTER => Some(Section::Relation),
                    _ => None,
                };
                if let Some(inner) = inner {
                    self.named(section, tag, data);
                    let start = values::number(order, &bytes[8..]);
                    if start > area.bytes.len() {
                        return self.problem("Illegal IFD Pointer");
                    }
                    return self.segment_directory(area, start, inner);
                }
                if !self.main_entry(tag, shown, order, value, &data) {
                    return false;
                }
                match tag {
                    MAKE => self.make = until_nul(value).to_vec(),
                    MAKER_NOTE if !self.note(area, value, place) => return false,
                    _ => {}
                }
            }
            _ => {}
        }
        self.named(section, tag, data);
        true
    }

    /// The directory in a maker's note that stands at `place` in the file.
    fn note(&mut self, area: Area<'a>, note: &'a [u8], place: usize) -> bool {
        let Some(maker) = makers::maker_of(&self.make, note) else {
            return true;
        };
        let (start, length) = (maker.start, note.len());
        if length < 2 || start >= length - 1 {
            self.problem(format!(
                "IFD data too short: 0x{length:04X} offset 0x{start:04X}"
            ));
            return true;
        }
        self.picture.find(Section::MakerNote);
        let mut order = maker.order.unwrap_or(area.order);
        let mut count = usize::from(order.u16(&note[start..]));
        if 2 + count * 12 > length {
            self.notice("Potentially invalid endianess, trying again with different endianness before imminent failure.");
            order = order.other();
            count = usize::from(order.u16(&note[start..]));
        }
        let size = 2 + count * 12;
        if size > length {
            return self.problem(format!(
                "Illegal IFD size: 2 + 0x{count:04X}*12 = 0x{size:04X} > 0x{length:04X}"
            ));
        }
        if start > length - size {
            let end = start + size;
            return self.problem(format!("Illegal IFD size: 0x{end:04X} > 0x{length:04X}"));
        }
        let inner = Area {
            bytes: note,
            start: if maker.is_own_area { place } else { area.start },
            order,
        };
        let outer = self.maker.replace(maker);
        let mut entries = (0..count).map(|index| start + 2 + index * 12);
        let is_read = entries.all(|entry| self.entry(inner, entry, Section::MakerNote));
        self.maker = outer;
        is_read
    }

    fn named(&mut self, section: Section, tag: u16, data: Data) {
        match self.tag(section, tag) {
            Some(name) => self.picture.add(section, name, data),
            None => {
                let name = format!("UndefinedTag:0x{tag:04X}");
                self.picture.add(section, &name, data);
            }
        }
    }

    fn is_empty(&mut self, tag: u16, shown: &str, data: &Data) -> bool {
        let is_empty = *data == Data::Nothing;
        if is_empty {
            self.problem(format!("Process tag(x{tag:04X}={shown}): Cannot be empty"));
        }
        is_empty
    }

    fn thumbnail_entry(&mut self, tag: u16, shown: &str, data: &Data) -> bool {
        let is_known = matches!(
            tag,
            0x0100 | 0xa002 | 0x0101 | 0xa003 | 0x0111 | 0x0117 | 0x0201 | 0x0202
        );
        if !is_known {
            return true;
        }
        if self.is_empty(tag, shown, data) {
            return false;
        }
        let value = values::to_double(data).clamp(0.0, u32::MAX.into()) as u64;
        let is_tiff = self.picture.format != JPEG;
        let format = self.picture.format;
        let thumbnail = &mut self.picture.thumbnail;
        match tag {
            0x0100 | 0xa002 => thumbnail.width = value,
            0x0101 | 0xa003 => thumbnail.height = value,
            0x0111 | 0x0201 => thumbnail.offset = value,
            0x0117 => {
                thumbnail.format = if is_tiff { format } else { TIFF_LITTLE_ENDIAN };
                thumbnail.size = value;
            }
            _ if thumbnail.format == 0 => {
                thumbnail.format = JPEG;
                thumbnail.size = value;
            }
            _ => {}
        }
        true
    }

    /// What is made of some tags.
    fn main_entry(
        &mut self,
        tag: u16,
        shown: &str,
        order: Order,
        value: &[u8],
        data: &Data,
    ) -> bool {
        let is_number = matches!(
            tag,
            0x829d | 0x9202 | 0x9205 | 0x9206 | 0xa002 | 0xa20e | 0xa210
        );
        if is_number && self.is_empty(tag, shown, data) {
            return false;
        }
        let double = values::to_double(data);
        let picture = &mut self.picture;
        match tag {
            0x8298 => {
                let first = until_nul(value);
                if value.len() <= 1 || first.is_empty() {
                } else if first.len() + 1 < value.len() {
                    let second = until_nul(&value[first.len() + 1..]);
                    picture.copyright = Some([first, b", ", second].concat());
                    picture.photographer_and_editor = Some((first.to_vec(), second.to_vec()));
                } else {
                    picture.copyright = Some(first.to_vec());
                }
            }
            0x9286 => picture.comment = Some(self.encodings.comment(order, value)),
            0x9c9b..=0x9c9f => {
                let text = self.encodings.unicode(order, value);
                let name = tags_name(tag);
                picture.add(
                    Section::Windows,
                    name,
                    Data::Bytes(until_nul(&text).to_vec()),
                );
            }
            0x829d => picture.aperture = double,
            0x9202 | 0x9205 if picture.aperture == 0.0 => {
                picture.aperture = (double * std::f64::consts::LN_2 * 0.5).exp();
            }
            0xa002 => picture.image_width = double.trunc(),
            0xa20e => picture.focal_plane_resolution = double,
            0x9206 => picture.distance = double,
            0xa210 => {
                picture.focal_plane_unit = match double as i64 {
                    1 | 2 => 25.4,
                    3 => 10.0,
                    4 => 1.0,
                    5 => 0.001,
                    _ => picture.focal_plane_unit,
                };
            }
            _ => {}
        }
        true
    }
}

fn tags_name(tag: u16) -> &'static str {
    Section::Windows.tag(tag).unwrap_or("UndefinedTag")
}
