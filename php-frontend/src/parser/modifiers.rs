//! Modifiers, and the errors PHP raises about them while it parses.

use super::{Parser, Result, T};
use crate::ast::Modifiers as M;

/// What modifiers are written for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Class,
    AnonymousClass,
    Property,
    Method,
    Constant,
    Parameter,
    PropertyHook,
}

impl Target {
    fn text(self) -> &'static str {
        match self {
            Target::Class => "class",
            Target::AnonymousClass => "anonymous class",
            Target::Property => "property",
            Target::Method => "method",
            Target::Constant => "class constant",
            Target::Parameter => "parameter",
            Target::PropertyHook => "property hook",
        }
    }

    fn article(self) -> &'static str {
        if self == Target::AnonymousClass {
            "an"
        } else {
            "a"
        }
    }

    fn allowed(self) -> M {
        let visibility = M::VISIBILITY;
        match self {
            Target::Class => M::FINAL.union(M::ABSTRACT).union(M::READONLY),
            Target::AnonymousClass => M::READONLY,
            Target::Property => M(u16::MAX),
            Target::Method => visibility
                .union(M::STATIC)
                .union(M::FINAL)
                .union(M::ABSTRACT),
            Target::Constant => visibility.union(M::FINAL),
            Target::Parameter => visibility.union(M::SET_VISIBILITY).union(M::READONLY),
            Target::PropertyHook => M::FINAL,
        }
    }
}

/// The modifier a token is.
pub(super) fn modifier(kind: T) -> Option<M> {
    Some(match kind {
        T::Public => M::PUBLIC,
        T::Protected => M::PROTECTED,
        T::Private => M::PRIVATE,
        T::PublicSet => M::PUBLIC_SET,
        T::ProtectedSet => M::PROTECTED_SET,
        T::PrivateSet => M::PRIVATE_SET,
        T::Static => M::STATIC,
        T::Final => M::FINAL,
        T::Abstract => M::ABSTRACT,
        T::Readonly => M::READONLY,
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// The modifiers before a member, unchecked: what they may be depends on what follows.
    pub(super) fn member_modifiers(&mut self) -> Result<Vec<T>> {
        let mut modifiers = Vec::new();
        while modifier(self.kind()).is_some() {
            modifiers.push(self.bump().kind);
        }
        Ok(modifiers)
    }

    /// Makes a set of modifiers written for the target.
    pub(super) fn check_modifiers(&self, list: &[T], target: Target) -> Result<M> {
        let mut set = M::NONE;
        for &kind in list {
            set = self.add_modifier(set, kind, target)?;
        }
        Ok(set)
    }

    /// Adds one modifier to a set.
    pub(super) fn add_modifier(&self, set: M, kind: T, target: Target) -> Result<M> {
        let Some(flag) = modifier(kind) else {
            return self.syntax();
        };
        if !target.allowed().intersects(flag) {
            let (article, text) = (target.article(), target.text());
            let message = format!(
                "Cannot use the {} modifier on {article} {text}",
                kind.text()
            );
            return self.fatal(message, self.line());
        }
        let repeated = [
            (M::VISIBILITY, "access type"),
            (M::SET_VISIBILITY, "access type"),
            (M::ABSTRACT, "abstract"),
            (M::STATIC, "static"),
            (M::FINAL, "final"),
            (M::READONLY, "readonly"),
        ];
        for (group, name) in repeated {
            if set.intersects(group) && group.intersects(flag) {
                let message = format!("Multiple {name} modifiers are not allowed");
                return self.fatal(message, self.line());
            }
        }
        let both = set.union(flag);
        if both.intersects(M::FINAL) && both.intersects(M::ABSTRACT) {
            let message = format!(
                "Cannot use the final modifier on an abstract {}",
                target.text()
            );
            return self.fatal(message, self.line());
        }
        Ok(both)
    }
}
