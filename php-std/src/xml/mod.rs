//! What the XML extensions share: the tree of a document, its parser, its serializer, XPath.

pub(crate) mod builder;
pub(crate) mod canonical;
pub(crate) mod error;
pub(crate) mod html;
pub(crate) mod parser;
pub(crate) mod serializer;
pub(crate) mod tree;
pub(crate) mod xpath;
