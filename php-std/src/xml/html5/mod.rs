//! HTML as the living standard has it: html5ever parses it into our tree, and it is written as
//! browsers do.

pub(crate) mod encoding;
mod problems;
pub(crate) mod serialize;
mod sink;

use html5ever::TokenizerResult;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::error::XmlError;
use super::tree::{Document, Kind, NodeId, ROOT, Tree};
use problems::{Position, Watch};
use sink::Sink;

/// Elements are in no namespace.
pub(crate) const NO_DEFAULT_NAMESPACE: i64 = 1 << 31;
/// Elements that only the parser adds are left out.
pub(crate) const NO_IMPLIED: i64 = 8192;

/// What parsing needs besides the text.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// See [`NO_DEFAULT_NAMESPACE`] and [`NO_IMPLIED`].
    pub(crate) options: i64,
    pub(crate) file: &'a [u8],
    /// Errors are asked for: without, nothing looks where they are.
    pub(crate) tells_errors: bool,
}

/// Parses a document into an empty one.
pub(crate) fn parse(document: &Document, text: &str, request: Request<'_>) -> Vec<XmlError> {
    let position = Position::new(text, request);
    let mut tree = document.write();
    let sink = Sink::new(&mut tree, request.options, &position);
    let options = builder_options(request);
    let watch = Watch::new(TreeBuilder::new(sink, options), &position);
    let explicit = run(watch, text, TokenizerOpts::default(), request, &position);
    if request.options & NO_IMPLIED != 0 {
        drop_implied(&mut tree, explicit);
    }
    drop(tree);
    position.into_errors()
}

fn builder_options(request: Request<'_>) -> TreeBuilderOpts {
    TreeBuilderOpts {
        exact_errors: request.tells_errors,
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    }
}

/// Parses the content of an element; gives a document whose document element has it.
pub(crate) fn parse_fragment(
    text: &str,
    context: (&Tree, NodeId),
    is_quirks: bool,
) -> (Document, NodeId) {
    let document = Document::new(Kind::HtmlDocument);
    let request = Request {
        options: 0,
        file: b"",
        tells_errors: false,
    };
    let position = Position::new(text, request);
    {
        let mut tree = document.write();
        tree.is_modern = true;
        let sink = Sink::new(&mut tree, 0, &position);
        let element = sink.context(context.0, context.1);
        let options = TreeBuilderOpts {
            quirks_mode: if is_quirks {
                html5ever::tree_builder::QuirksMode::Quirks
            } else {
                html5ever::tree_builder::QuirksMode::NoQuirks
            },
            ..builder_options(request)
        };
        let builder = TreeBuilder::new_for_fragment(sink, element, None, options);
        let options = TokenizerOpts {
            initial_state: Some(builder.tokenizer_state_for_context_elem(false)),
            ..TokenizerOpts::default()
        };
        run(
            Watch::new(builder, &position),
            text,
            options,
            request,
            &position,
        );
    }
    let root = document.read().document_element().unwrap_or(ROOT);
    (document, root)
}

/// Which of `html`, `head` and `body` the text itself has.
type Explicit = [bool; 3];

/// Feeds the text; in small pieces if places are asked for, since only what was fed tells them.
fn run(
    watch: Watch<'_, '_>,
    text: &str,
    options: TokenizerOpts,
    request: Request<'_>,
    position: &Position<'_>,
) -> Explicit {
    let tokenizer = Tokenizer::new(watch, options);
    let queue = BufferQueue::default();
    let feed = |piece: &str| {
        queue.push_back(piece.into());
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    };
    let mut rest = text;
    while !rest.is_empty() {
        let length = if request.tells_errors {
            position.piece(rest)
        } else {
            // Lines of nodes are told by the tokenizer.
            let mut length = rest.len().min(1 << 12);
            while !rest.is_char_boundary(length) {
                length += 1;
            }
            length
        };
        let (piece, behind) = rest.split_at(length);
        position.fed(length);
        vm_runtime::limits::poll();
        if vm_runtime::limits::is_ending() {
            break;
        }
        feed(piece);
        rest = behind;
    }
    position.end();
    tokenizer.end();
    tokenizer.sink.explicit.get()
}

/// Takes out the elements that the text does not have; what is in them stays.
fn drop_implied(tree: &mut Tree, explicit: Explicit) {
    let Some(html) = tree.document_element() else {
        return;
    };
    let parts: Vec<NodeId> = tree.children(html).collect();
    for part in parts {
        let is_implied = match &*tree[part].name {
            b"head" => !explicit[1],
            b"body" => !explicit[2],
            _ => false,
        };
        if is_implied {
            unwrap(tree, part);
        }
    }
    if !explicit[0] {
        unwrap(tree, html);
    }
}

/// Puts the children of a node in its place.
fn unwrap(tree: &mut Tree, id: NodeId) {
    let Some(parent) = tree[id].parent else {
        return;
    };
    let children: Vec<NodeId> = tree.children(id).collect();
    for child in children {
        tree.detach(child);
        tree.insert(parent, child, Some(id));
    }
    tree.detach(id);
}
