//! White space that only indents, which documents may be read without.

use super::parser::{StartTag, TextSource};
use super::tree::{Doctype, Kind, NodeId, Tree};
use super::validate::Declarations;

/// What is known of white space in an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// Nothing was said, and there was no text yet.
    Unknown,
    /// There was text: all that follows is kept.
    HasText,
    /// `xml:space="default"`
    Default,
    /// `xml:space="preserve"`
    Preserved,
}

/// Tells white space that indents from white space that is content, as libxml2 guesses.
#[derive(Debug, Default)]
pub(crate) struct Blanks {
    /// Of the elements that are open.
    open: Vec<Space>,
    declarations: Option<Declarations>,
}

impl Blanks {
    /// Takes what the document type says of elements.
    pub(crate) fn declare(&mut self, doctype: &Doctype) {
        if let Some(subset) = &doctype.subset {
            self.declarations.get_or_insert_default().read(subset);
        }
    }

    /// An element begins.
    pub(crate) fn open(&mut self, tag: &StartTag) {
        let said = tag.attributes.iter().find(|attribute| {
            attribute.prefix.as_deref() == Some(b"xml") && attribute.name == b"space"
        });
        let inherited = match self.open.last() {
            None | Some(Space::HasText) => Space::Unknown,
            Some(&outer) => outer,
        };
        self.open
            .push(match said.map(|attribute| attribute.value.as_slice()) {
                Some(b"preserve") => Space::Preserved,
                Some(b"default") => Space::Default,
                _ => inherited,
            });
    }

    /// An element ends.
    pub(crate) fn close(&mut self) {
        self.open.pop();
    }

    /// True if a text in `parent` is kept. What follows it depends on that.
    pub(crate) fn keeps(&mut self, tree: &Tree, parent: NodeId, source: TextSource<'_>) -> bool {
        if self.indents(tree, parent, source) {
            return false;
        }
        // References to characters are kept, but are not seen as text.
        if let Some(space @ Space::Unknown) = self.open.last_mut()
            && has_plain_text(source.written)
        {
            *space = Space::HasText;
        }
        true
    }

    fn indents(&self, tree: &Tree, parent: NodeId, source: TextSource<'_>) -> bool {
        let is_blank = !source.written.is_empty()
            && source
                .written
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        if !is_blank || matches!(self.open.last(), Some(Space::Preserved | Space::HasText)) {
            return false;
        }
        let node = &tree[parent];
        let declared = self.declarations.as_ref();
        if let Some(has_text) = declared.and_then(|declared| declared.allows_text(&node.name)) {
            return !has_text;
        }
        let is_text = |id: NodeId| tree[id].kind == Kind::Text;
        match (node.first, node.last) {
            _ if source.behind.first() != Some(&b'<') => false,
            (Some(first), Some(last)) => !is_text(first) && !is_text(last),
            _ => source.behind != b"</",
        }
    }
}

/// True if anything but references is written.
fn has_plain_text(written: &[u8]) -> bool {
    let mut rest = written;
    while let Some(reference) = rest.strip_prefix(b"&") {
        let end = memchr::memchr(b';', reference).map_or(reference.len(), |at| at + 1);
        rest = &reference[end..];
    }
    !rest.is_empty()
}
