//! What the XML extensions share: the tree of a document, its parser, its serializer, XPath.

pub(crate) mod blanks;
pub(crate) mod builder;
pub(crate) mod canonical;
pub(crate) mod error;
pub(crate) mod html4;
pub(crate) mod html5;
pub(crate) mod loose;
pub(crate) mod named;
pub(crate) mod namespaces;
pub(crate) mod parser;
pub(crate) mod schema;
pub(crate) mod serializer;
pub(crate) mod subset;
pub(crate) mod tree;
pub(crate) mod uri;
pub(crate) mod validate;
pub(crate) mod well_formed;
pub(crate) mod xpath;
