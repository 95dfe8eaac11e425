//! Transliterators from any script to one: each run of a script is given to that script's own.

use super::registry::{self, Direction};
use super::text::{Position, Text};
use super::{Library, Transliterator};
use crate::intl::character::data::{property, script_name, value, value_named};

/// The scripts of what belongs to all, and of what goes with what is in front of it.
const COMMON: u32 = 0;
const INHERITED: u32 = 1;

#[derive(Debug)]
pub(super) struct Any {
    library: Library,
    target: String,
    variant: String,
    script: u32,
}

impl Any {
    /// The one to a script, if that is known.
    pub(super) fn to(library: &Library, source: &str, target: &str, variant: &str) -> Option<Any> {
        let script = value_named(property::SCRIPT, target)?;
        let name = match variant {
            "" => format!("Any-{target}"),
            variant => format!("Any-{target}/{variant}"),
        };
        let is_known = source.eq_ignore_ascii_case("Any")
            && registry::names().any(|own| own.eq_ignore_ascii_case(&name));
        is_known.then(|| Any {
            library: library.clone(),
            target: target.to_owned(),
            variant: variant.to_owned(),
            script,
        })
    }

    /// What a script is transliterated by.
    fn of(&self, script: u32) -> Option<std::rc::Rc<Transliterator>> {
        if script == self.script || script <= INHERITED {
            return None;
        }
        let source = script_name(script)?;
        let variant = match &*self.variant {
            "" => String::new(),
            variant => format!("/{variant}"),
        };
        let name = format!("{source}-{}{variant}", self.target);
        if let Some(known) = self.library.known(&name) {
            return Some(known);
        }
        let (made, _) = registry::compound(&self.library, &name, Direction::Forward, 1)?;
        Some(self.library.keep(&name, made))
    }

    pub(super) fn transliterate(&self, text: &mut Text, position: &mut Position) {
        let (all_start, mut all_limit) = (position.start, position.limit);
        let mut limit = position.context_start;
        while limit < position.context_limit {
            vm_runtime::limits::poll();
            // What belongs to all scripts goes with both neighbours.
            let mut start = limit;
            while start > position.context_start && script_of(text[start - 1]) <= INHERITED {
                start -= 1;
            }
            let mut script = None;
            while limit < position.context_limit {
                let own = script_of(text[limit]);
                if own > INHERITED {
                    if script.is_some_and(|script| script != own) {
                        break;
                    }
                    script = Some(own);
                }
                limit += 1;
            }
            if limit <= all_start {
                continue;
            }
            match self.of(script.unwrap_or(COMMON)) {
                None => position.start = limit,
                Some(own) => {
                    position.start = start.max(all_start);
                    position.limit = limit.min(all_limit);
                    let before = position.limit;
                    own.transliterate(text, position);
                    let moved = position.limit as isize - before as isize;
                    all_limit = all_limit.saturating_add_signed(moved);
                    limit = limit.saturating_add_signed(moved);
                }
            }
            if limit >= all_limit {
                break;
            }
        }
        position.limit = all_limit;
    }
}

fn script_of(character: char) -> u32 {
    value(property::SCRIPT, character.into())
}
