//! What is said of bytes.

use std::rc::Rc;

use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::magic::Database;
use super::magic::matching::{Facts, Search, Wanted};
use super::text::{self, Encoding};
use super::{ENCODING, EXTENSIONS, GOES_ON, TYPE, archive, database};

/// How much is looked at to tell an encoding.
const MOST_TEXT: usize = 1 << 16;

/// What the flags ask for, of bytes.
pub(super) fn answer(
    vm: &mut Vm,
    bytes: &[u8],
    flags: i64,
    rules: Option<Rc<Database>>,
    facts: Facts,
) -> PhpResult<Value> {
    let rules = match rules {
        Some(rules) => rules,
        None => database::common(vm),
    };
    let encoding = match bytes.len() {
        0 | 1 => None,
        _ => text::encoding(&bytes[..bytes.len().min(MOST_TEXT)]),
    };
    let label = encoding
        .as_ref()
        .map_or("binary", |encoding| encoding.label);
    let wanted = match flags {
        _ if flags & EXTENSIONS != 0 && flags & TYPE == 0 => Wanted::Extensions,
        _ if flags & (TYPE | ENCODING) != 0 => Wanted::MediaType,
        _ => Wanted::Description,
    };
    if flags & (TYPE | ENCODING) == ENCODING {
        return crate::support::text(vm, label);
    }
    let source = Source {
        bytes,
        encoding: encoding.as_ref(),
        rules: &rules,
        wanted,
        facts: Facts {
            is_text: encoding.is_some(),
            ..facts
        },
        goes_on: flags & GOES_ON != 0,
    };
    let mut output = source.told(vm);
    if flags & (TYPE | ENCODING) == TYPE | ENCODING {
        output.extend_from_slice(b"; charset=");
        output.extend_from_slice(label.as_bytes());
    }
    crate::support::text(vm, output)
}

/// Bytes and what is asked of them.
struct Source<'a> {
    bytes: &'a [u8],
    encoding: Option<&'a Encoding>,
    rules: &'a Database,
    wanted: Wanted,
    facts: Facts,
    goes_on: bool,
}

impl Source<'_> {
    /// One of three answers; for names of files `???` if there are none.
    fn one_of(&self, description: &str, media_type: &str) -> Vec<u8> {
        let text = match self.wanted {
            Wanted::Description => description,
            Wanted::MediaType => media_type,
            Wanted::Extensions => "???",
        };
        text.as_bytes().to_vec()
    }

    fn told(&self, vm: &mut Vm) -> Vec<u8> {
        match self.bytes.len() {
            0 => return self.one_of("empty", "application/x-empty"),
            1 => return self.one_of("very short file (no magic)", "application/octet-stream"),
            _ => {}
        }
        if let Some((kind, ends)) = archive::tar(self.bytes) {
            return match self.wanted {
                Wanted::Extensions => ends.as_bytes().to_vec(),
                _ => self.one_of(kind, "application/x-tar"),
            };
        }
        let start = self.bytes.trim_ascii_start();
        let is_text = self.encoding.is_some();
        if is_text && matches!(start.first(), Some(b'{' | b'[')) && crate::json::is_json(vm, start)
        {
            return self.one_of("JSON text data", "application/json");
        }
        if let Some(encoding) = self.encoding.filter(|_| text::is_csv(self.bytes)) {
            return self.one_of(&format!("CSV {} text", encoding.name), "text/csv");
        }
        let mut search = Search::new(self.rules, self.wanted, self.facts, self.goes_on);
        if search.run(self.bytes, false) {
            return search.output;
        }
        search.output.clear();
        if let Some(encoding) = self.encoding
            && let Some(characters) = &encoding.characters
        {
            return self.of_text(search, encoding, characters);
        }
        self.one_of("data", "application/octet-stream")
    }

    /// What rules for text say, and what the text is like.
    fn of_text(&self, mut search: Search<'_>, encoding: &Encoding, characters: &[u32]) -> Vec<u8> {
        let found = search.run(&text::as_utf8(characters), true);
        let mut output = search.output;
        match self.wanted {
            Wanted::Extensions if found => return output,
            Wanted::Extensions => return b"???".to_vec(),
            Wanted::MediaType if output.is_empty() => return b"text/plain".to_vec(),
            Wanted::MediaType => return output,
            Wanted::Description => {}
        }
        let mut kind = "text";
        if !output.is_empty() {
            for (end, instead) in [
                (&b" text"[..], "text"),
                (b" text executable", "text executable"),
            ] {
                if output.ends_with(end) {
                    output.truncate(output.len() - end.len());
                    kind = instead;
                    break;
                }
            }
            output.extend_from_slice(b", ");
        }
        output.extend_from_slice(encoding.name.as_bytes());
        output.push(b' ');
        output.extend_from_slice(kind.as_bytes());
        output.extend_from_slice(text::lines(characters).as_bytes());
        output
    }
}
