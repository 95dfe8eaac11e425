//! Where resources come from: files of a folder, or what this extension knows of locales itself.

use std::path::Path;
use std::rc::Rc;

use super::file::{Content, File, Resource};
use crate::intl::ident::{Ident, available, parent};
use crate::intl::pack;

/// A resource of a bundle.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Known(pack::Node),
    Read(Rc<File>, Resource),
}

impl Node {
    pub(super) fn content(&self) -> Option<Content> {
        match self {
            Node::Read(file, resource) => file.content(*resource),
            Node::Known(node) => Some(match (node.text(), node.number()) {
                (Some(text), _) => Content::Text(text.to_owned()),
                (_, Some(number)) => Content::Number(number),
                _ => {
                    // A list of numbers alone.
                    let numbers = node.items().map(pack::Node::number);
                    let is_list = node.at(0).is_some() && node.entries().next().is_none();
                    match numbers.collect::<Option<Vec<_>>>() {
                        Some(numbers) if is_list => Content::Numbers(numbers),
                        _ => Content::Parts,
                    }
                }
            }),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Node::Read(file, resource) => file.count(*resource),
            Node::Known(node) => node.len(),
        }
    }

    /// A part by its number, and its key if it has one.
    pub(super) fn part(&self, index: usize) -> Option<(Option<String>, Node)> {
        match self {
            Node::Read(file, resource) => {
                let (key, part) = file.part(*resource, index)?;
                Some((key, Node::Read(file.clone(), part)))
            }
            Node::Known(node) => {
                let part = node.at(index)?;
                let key = node.entries().nth(index).map(|(key, _)| key.to_owned());
                Some((key, Node::Known(part)))
            }
        }
    }

    /// A part by its key.
    fn keyed(&self, key: &str) -> Option<Node> {
        if let Node::Known(node) = self {
            return node.get(key).map(Node::Known);
        }
        (0..self.count()).find_map(|index| {
            let (known, part) = self.part(index)?;
            (known.as_deref() == Some(key)).then_some(part)
        })
    }
}

/// How the bundle that was asked for was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Exactly,
    /// That of a less special locale.
    Parent,
    /// That of the default locale, or of all.
    Default,
}

/// Bundles of one name.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Folder(Rc<Path>),
    /// A part of what is known of locales.
    Known(&'static str),
}

/// What belongs to no locale stands with the locales of the first of these.
const MAIN: &str = "ICUDATA";

impl Source {
    /// The bundles of a name: a path, or one that ICU has for its own data.
    pub(super) fn named(name: Option<&[u8]>) -> Option<Source> {
        let Some(name) = name else {
            return Some(Source::Known("main"));
        };
        let text = std::str::from_utf8(name).unwrap_or_default();
        if text == MAIN {
            return Some(Source::Known("main"));
        }
        match text.strip_prefix("ICUDATA-") {
            Some(part) => {
                let parts = ["curr", "lang", "region", "zone", "rbnf"];
                let known = parts.into_iter().find(|known| *known == part)?;
                Some(Source::Known(known))
            }
            None if name.is_empty() || name.contains(&0) => None,
            None => Some(Source::Folder(crate::standard::files::path(name).into())),
        }
    }

    /// The bundle of a locale itself.
    fn bundle(&self, locale: &str) -> Option<Node> {
        match self {
            Source::Folder(folder) => {
                let file = File::open(&folder.join(format!("{locale}.res")))?;
                let root = file.root();
                Some(Node::Read(Rc::new(file), root))
            }
            Source::Known(part) => {
                let of_locale = pack::root().find(&[part, locale]);
                // These are no locales.
                let other = || pack::root().get(locale).filter(|_| *part == "main");
                of_locale.or_else(other).map(Node::Known)
            }
        }
    }

    /// The locale whose bundle follows that of a locale.
    fn parent(&self, locale: &str) -> Option<String> {
        match self {
            Source::Known(_) => parent(locale).map(str::to_owned),
            Source::Folder(_) if locale == "root" => None,
            Source::Folder(_) => Some(
                locale
                    .rfind('_')
                    .map_or("root", |at| locale[..at].trim_end_matches('_'))
                    .to_owned(),
            ),
        }
    }

    /// The first bundle of a locale and those that it falls back on, but for that of all.
    fn first(&self, locale: &str) -> Option<(String, Node)> {
        let mut name = locale.to_owned();
        while name != "root" {
            if let Some(bundle) = self.bundle(&name) {
                return Some((name, bundle));
            }
            name = self.parent(&name)?;
        }
        None
    }

    /// The bundle for a locale, the locale that it is of, and how it was found.
    pub(super) fn open(
        &self,
        locale: &str,
        default: &str,
        falls_back: bool,
    ) -> Option<(String, Node, Found)> {
        let ident = Ident::of(locale);
        // Names of what is no locale stay as they are.
        let mut name = match self.bundle(locale) {
            Some(_) => locale.to_owned(),
            None => ident.base(),
        };
        if name.is_empty() {
            name = "root".to_owned();
        }
        if let Source::Known("main") = self
            && self.bundle(&name).is_none()
            && let Some(alias) =
                available(&name).filter(|_| pack::root().find(&["aliases", &name]).is_some())
        {
            name = alias;
        }
        if let Some(bundle) = self.bundle(&name) {
            return Some((name, bundle, Found::Exactly));
        }
        if !falls_back {
            return None;
        }
        if let Some((name, bundle)) = self.first(&name) {
            return Some((name, bundle, Found::Parent));
        }
        let of_default = self.first(&Ident::of(default).base());
        let of_all = || Some(("root".to_owned(), self.bundle("root")?));
        let (name, bundle) = of_default.or_else(of_all)?;
        Some((name, bundle, Found::Default))
    }

    /// A resource by the path to it, of a locale or of those that it falls back on.
    pub(super) fn find(&self, locale: &str, path: &[String]) -> Option<(String, Node)> {
        let mut name = locale.to_owned();
        loop {
            let found = self
                .bundle(&name)
                .and_then(|bundle| path.iter().try_fold(bundle, |node, key| node.keyed(key)));
            if let Some(found) = found {
                return Some((name, found));
            }
            name = self.parent(&name)?;
        }
    }

    /// The locales that there are bundles for.
    pub(super) fn locales(&self) -> Option<Vec<String>> {
        match self {
            Source::Folder(_) => {
                let index = self.bundle("res_index")?;
                let list = index.keyed("InstalledLocales")?;
                let names = (0..list.count()).filter_map(|index| list.part(index)?.0);
                Some(names.collect())
            }
            Source::Known(part) => {
                let known = pack::root().get(part)?;
                let names = known.entries().map(|(name, _)| name.to_owned());
                Some(names.filter(|name| name != "root").collect())
            }
        }
    }
}
