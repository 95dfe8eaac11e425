//! `strip_tags`, and the C-style escapes of `addcslashes` and `stripcslashes`.

use smallvec::SmallVec;
use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{ARRAY, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::encode::hex_digit;
use crate::support::{Plain, StringBuilder, direct, functions, string_of};

/// Text in lower case: tags.
type Tags = SmallVec<[u8; 64]>;

functions! {
    "strip_tags(string $string, array|string|null $allowed_tags = null): string" => strip_tags | strip_tags_directly,
    "addcslashes(string $string, string $characters): string" => addcslashes | addcslashes_directly,
    "stripcslashes(string $string): string" => stripcslashes | stripcslashes_directly,
}

/// The tags that stay, in lower case: a list, or names each of which becomes a tag.
fn allowed(call: &mut Call<'_>) -> PhpResult<Tags> {
    if !call.has(1) {
        return Ok(Tags::new());
    }
    if call.argument(1).kind() == ARRAY {
        let names: &PhpArray = call.elements(1);
        let mut tags = Tags::new();
        for (_, value) in names.iter() {
            // All of them may be the same long string.
            call.vm.poll();
            let value = crate::support::hold(value);
            let name = string_of(call.vm, &value)?;
            vm_runtime::limits::reserve(name.len());
            tags.push(b'<');
            tags.extend_from_slice(&name);
            tags.push(b'>');
        }
        return Ok(in_lower_case(tags));
    }
    Ok(in_lower_case(Tags::from_slice(call.bytes(1))))
}

/// Tags that stay: they end at a zero byte.
fn in_lower_case(mut tags: Tags) -> Tags {
    tags.truncate(memchr::memchr(0, &tags).unwrap_or(tags.len()));
    tags.make_ascii_lowercase();
    tags
}

/// A tag as lists of tags have it: `<b>` for `<b class="x">`, `</b>` and `<b/>`. Slashes elsewhere belong to it.
fn plain_tag(tag: &[u8]) -> Tags {
    let mut plain = Tags::from_slice(b"<");
    // A slash begins the name without being part of it: nothing comes behind `</ `.
    let mut begun = false;
    for (at, &byte) in tag.iter().enumerate().skip(1) {
        match byte {
            b'>' => break,
            byte if byte.is_ascii_whitespace() => {
                if begun {
                    break;
                }
            }
            b'/' if tag[at - 1] == b'<' || tag.get(at + 1) == Some(&b'>') => begun = true,
            byte => {
                begun = true;
                plain.push(byte.to_ascii_lowercase());
            }
        }
    }
    plain.push(b'>');
    plain
}

/// After how many bytes limits are looked at.
const POLLED: usize = 4096;

/// Where the machine stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// In `<...>`.
    Tag,
    /// In `<? ... ?>`.
    Php,
    /// In `<!...>`.
    Declaration,
    /// In `<!-- ... -->`.
    Comment,
}

fn strip_tags(call: &mut Call<'_>) -> PhpResult<Value> {
    let allowed = allowed(call)?;
    let stripped = stripped(call.vm, call.bytes(0), allowed);
    Ok(stripped.unwrap_or_else(|| call.value(0)))
}

direct! {
    fn strip_tags_directly(vm; string: &Zval; tags: &[u8] = b"".as_slice()) {
        let stripped = stripped(vm, <&[u8]>::of(string)?, in_lower_case(Tags::from_slice(tags)));
        Some(stripped.unwrap_or_else(|| Value::share(string)))
    }
}

/// A text without tags but the allowed ones; none if there is nothing like one.
fn stripped(vm: &mut Vm, string: &[u8], allowed: Tags) -> Option<Value> {
    memchr::memchr3(b'<', b'>', 0, string)?;
    let mut stripper = Stripper {
        builder: StringBuilder::new(vm, string.len()),
        allowed,
        state: State::Text,
        depth: 0,
        quote: 0,
        previous: 0,
        parentheses: 0,
        tag: Vec::new(),
        looked_at: 0,
    };
    let (mut at, mut end) = (0, 0);
    for piece in string.chunks(POLLED) {
        vm.poll();
        end += piece.len();
        while at < end {
            if stripper.state == State::Text {
                // Text goes over as it stands.
                let rest = &string[at..end];
                let plain = plain_bytes(rest, IN_TEXT);
                stripper.builder.push(&rest[..plain]);
                at += plain;
                if at == end {
                    break;
                }
            } else if stripper.state == State::Tag
                && stripper.allowed.is_empty()
                && stripper.previous != b'<'
            {
                // Nothing but these bytes matters in a tag that goes.
                let plain = plain_bytes(&string[at..end], IN_TAG);
                if plain > 0 {
                    at += plain;
                    stripper.previous = string[at - 1];
                }
                if at == end {
                    break;
                }
            }
            stripper.byte(string, at);
            at += 1;
            if stripper.looked_at >= POLLED {
                stripper.looked_at = 0;
                vm.poll();
            }
        }
    }
    Some(stripper.builder.into_value(vm))
}

/// Bytes that mean something in text.
const IN_TEXT: u8 = 1;
/// Bytes that mean something in a tag behind its first byte.
const IN_TAG: u8 = 2;

/// What bytes mean something in.
static SPECIAL: [u8; 256] = {
    let mut table = [0; 256];
    table[b'<' as usize] = IN_TEXT | IN_TAG;
    table[b'>' as usize] = IN_TEXT | IN_TAG;
    table[0] = IN_TEXT | IN_TAG;
    table[b'"' as usize] = IN_TAG;
    table[b'\'' as usize] = IN_TAG;
    table
};

/// How many bytes stand before the first that means something there.
#[inline]
fn plain_bytes(bytes: &[u8], wanted: u8) -> usize {
    let is_special = |&byte: &u8| SPECIAL[byte as usize] & wanted != 0;
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

struct Stripper {
    builder: StringBuilder,
    allowed: Tags,
    state: State,
    /// `<` inside of a tag that are still open.
    depth: usize,
    /// The quotation mark that is open, or 0.
    quote: u8,
    previous: u8,
    parentheses: i32,
    /// The tag so far, which may turn out to be an allowed one.
    tag: Vec<u8>,
    /// How much of the allowed ones was searched since limits were looked at.
    looked_at: usize,
}

impl Stripper {
    fn byte(&mut self, string: &[u8], at: usize) {
        let byte = string[at];
        let space_follows = || string.get(at + 1).is_some_and(u8::is_ascii_whitespace);
        match (self.state, byte) {
            (_, 0) => {}
            (State::Text, b'<') if !space_follows() => {
                self.state = State::Tag;
                self.previous = b'<';
                self.tag.clear();
                self.note(b'<');
            }
            (State::Text, b'>') if self.depth > 0 => self.depth -= 1,
            (State::Text, _) => self.builder.push_byte(byte),
            (State::Tag, b'<') if self.quote == 0 && !space_follows() => self.depth += 1,
            (State::Tag, b'>') => self.end_of_tag(),
            (State::Tag, b'!') if self.previous == b'<' => {
                self.state = State::Declaration;
                self.previous = byte;
            }
            (State::Tag, b'?') if self.previous == b'<' => {
                (self.state, self.parentheses) = (State::Php, 0);
                self.previous = byte;
            }
            (State::Tag, _) => {
                self.toggle_quote(byte);
                self.previous = byte;
                self.note(byte);
            }
            // What a `<` inside of a tag has opened is closed wherever that is.
            (State::Php | State::Declaration, b'>') if self.depth > 0 => self.depth -= 1,
            (State::Php, b'>')
                if self.quote == 0 && self.parentheses <= 0 && string[at - 1] == b'?' =>
            {
                self.state = State::Text;
            }
            // `<?xml` is no PHP.
            (State::Php, b'l' | b'L')
                if string[..at].len() >= 4 && string[at - 4..at].eq_ignore_ascii_case(b"<?xm") =>
            {
                self.state = State::Tag;
            }
            (State::Php, b'(') if self.quote == 0 => self.parentheses += 1,
            (State::Php, b')') if self.quote == 0 => self.parentheses -= 1,
            (State::Php, _) if string[at - 1] != b'\\' => self.toggle_quote(byte),
            (State::Declaration, b'>') if self.quote == 0 => self.state = State::Text,
            (State::Declaration, b'-') if string[..at].ends_with(b"<!-") => {
                self.state = State::Comment;
            }
            (State::Declaration, _) => self.toggle_quote(byte),
            (State::Comment, b'>') if string[..at].ends_with(b"--") => self.state = State::Text,
            _ => {}
        }
    }

    /// Adds to the tag, if any may stay.
    #[inline]
    fn note(&mut self, byte: u8) {
        if !self.allowed.is_empty() {
            self.tag.push(byte);
        }
    }

    fn toggle_quote(&mut self, byte: u8) {
        if !matches!(byte, b'"' | b'\'') {
            return;
        }
        if self.quote == byte {
            self.quote = 0;
        } else if self.quote == 0 {
            self.quote = byte;
        }
    }

    fn end_of_tag(&mut self) {
        if self.depth > 0 {
            self.depth -= 1;
            return;
        }
        if self.quote != 0 {
            return;
        }
        self.note(b'>');
        self.looked_at += self.allowed.len();
        if !self.allowed.is_empty()
            && super::search::find(&self.allowed, &plain_tag(&self.tag)).is_some()
        {
            self.builder.push(&self.tag);
        }
        self.state = State::Text;
    }
}

fn addcslashes(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    let characters = call.bytes(1);
    if string.is_empty() || characters.is_empty() {
        return Ok(call.value(0));
    }
    let set = super::trim::character_set(call, characters)?;
    Ok(escaped(call.vm, string, &set))
}

direct! {
    fn addcslashes_directly(vm; string: &[u8], characters: &[u8]) {
        let set = super::trim::plain_character_set(characters)?;
        Some(escaped(vm, string, &set))
    }
    fn stripcslashes_directly(vm; string: &[u8]) { unescaped(vm, string) }
}

/// A text with backslashes in front of the bytes of a set.
fn escaped(vm: &mut Vm, string: &[u8], set: &[bool; 256]) -> Value {
    let mut builder = StringBuilder::new(vm, string.len() + 16);
    let mut rest = string;
    while !rest.is_empty() {
        let is_in_set = |&byte: &u8| set[byte as usize];
        let plain = rest.iter().position(is_in_set).unwrap_or(rest.len());
        let (before, behind) = rest.split_at(plain);
        builder.push(before);
        let [byte, after @ ..] = behind else {
            break;
        };
        let byte = *byte;
        rest = after;
        builder.push_byte(b'\\');
        match byte {
            b'\n' => builder.push_byte(b'n'),
            b'\t' => builder.push_byte(b't'),
            b'\r' => builder.push_byte(b'r'),
            0x07 => builder.push_byte(b'a'),
            0x0b => builder.push_byte(b'v'),
            0x08 => builder.push_byte(b'b'),
            0x0c => builder.push_byte(b'f'),
            0..32 | 127.. => builder.push(format!("{byte:03o}").as_bytes()),
            _ => builder.push_byte(byte),
        }
    }
    builder.into_value(vm)
}

fn stripcslashes(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    if memchr::memchr(b'\\', string).is_none() {
        return Ok(call.value(0));
    }
    Ok(unescaped(call.vm, string))
}

/// A text without the backslashes of C.
fn unescaped(vm: &mut Vm, string: &[u8]) -> Value {
    let mut builder = StringBuilder::new(vm, string.len());
    let mut at = 0;
    while at < string.len() {
        let byte = string[at];
        if byte != b'\\' || at + 1 == string.len() {
            builder.push_byte(byte);
            at += 1;
            continue;
        }
        let next = string[at + 1];
        at += 2;
        match next {
            b'n' => builder.push_byte(b'\n'),
            b't' => builder.push_byte(b'\t'),
            b'r' => builder.push_byte(b'\r'),
            b'a' => builder.push_byte(7),
            b'v' => builder.push_byte(0x0b),
            b'b' => builder.push_byte(8),
            b'f' => builder.push_byte(0x0c),
            b'x' if string.get(at).copied().and_then(hex_digit).is_some() => {
                let mut value = 0u8;
                for _ in 0..2 {
                    let Some(digit) = string.get(at).copied().and_then(hex_digit) else {
                        break;
                    };
                    value = value << 4 | digit;
                    at += 1;
                }
                builder.push_byte(value);
            }
            b'0'..=b'7' => {
                let mut value = (next - b'0') as u32;
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = string.get(at).copied() else {
                        break;
                    };
                    value = value << 3 | (digit - b'0') as u32;
                    at += 1;
                }
                builder.push_byte(value as u8);
            }
            other => builder.push_byte(other),
        }
    }
    builder.into_value(vm)
}
