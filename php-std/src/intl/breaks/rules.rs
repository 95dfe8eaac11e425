//! Rules of one's own for breaks: `$letter = [a-z]; $letter+ {1};`.
//!
//! Rules are kept as what stands in them, place by place, with the places that may follow each; a text is cut by going
//! through all rules at once, and the longest match counts.

mod read;

use crate::intl::set::Set;

pub(super) use self::read::Problem;

/// A character that a rule takes.
#[derive(Debug)]
struct Place {
    set: Set,
    /// Places that may come next.
    next: Vec<usize>,
    /// The rule that may end here.
    ends: bool,
    rule: usize,
    /// The break lies behind this place if what follows matches as well.
    is_mark: bool,
}

/// A rule.
#[derive(Debug)]
struct Rule {
    first: Vec<usize>,
    status: i64,
    /// No other rule may go on with it.
    stands_alone: bool,
    has_mark: bool,
}

/// Rules that cut a text.
#[derive(Debug)]
pub(super) struct Rules {
    places: Vec<Place>,
    rules: Vec<Rule>,
    /// A rule may begin with the last character of another one.
    chained: bool,
    /// The text without spaces and comments.
    pub(super) text: String,
}

/// Where a match ends, and what the rules that end there say of it.
struct Match {
    end: usize,
    statuses: Vec<i64>,
}

/// A place that a match has come to, and the last mark on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    place: usize,
    mark: Option<usize>,
}

impl Rules {
    /// Reads rules.
    pub(super) fn of(text: &str) -> Result<Rules, Problem> {
        read::read(text)
    }

    /// The longest match at the beginning of a text; the first character if nothing matches.
    fn matched(&self, text: &str) -> Match {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let mut best = Match {
            end: first,
            statuses: vec![0],
        };
        let all = || {
            self.rules
                .iter()
                .flat_map(|rule| rule.first.iter().copied())
        };
        let mut candidates: Vec<Way> = all().map(|place| Way { place, mark: None }).collect();
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            let takes = |place: usize| self.places[place].set.contains(character.into());
            let mut ways: Vec<Way> = Vec::new();
            let mut add = |way: Way| {
                let mark = match self.places[way.place].is_mark {
                    true => Some(end),
                    false => way.mark,
                };
                let way = Way { mark, ..way };
                if !ways.contains(&way) {
                    ways.push(way);
                }
            };
            for way in candidates.iter().filter(|way| takes(way.place)) {
                add(*way);
            }
            let is_end = ways.iter().any(|way| self.places[way.place].ends);
            if self.chained && is_end {
                let others = self.rules.iter().filter(|rule| !rule.stands_alone);
                let others = others.flat_map(|rule| rule.first.iter().copied());
                for place in others.filter(|place| takes(*place)) {
                    let way = Way { place, mark: None };
                    if !ways.contains(&way) {
                        ways.push(way);
                    }
                }
            }
            if ways.is_empty() {
                break;
            }
            let mut statuses: Vec<i64> = Vec::new();
            let mut found = None;
            for way in &ways {
                let place = &self.places[way.place];
                if !place.ends {
                    continue;
                }
                let rule = &self.rules[place.rule];
                statuses.push(rule.status);
                let own = if rule.has_mark {
                    way.mark.unwrap_or(end)
                } else {
                    end
                };
                found = found.max(Some(own));
            }
            if let Some(found) = found {
                statuses.sort_unstable();
                statuses.dedup();
                best = Match {
                    end: found,
                    statuses,
                };
            }
            candidates.clear();
            for way in &ways {
                let next = self.places[way.place].next.iter();
                candidates.extend(next.map(|&place| Way {
                    place,
                    mark: way.mark,
                }));
            }
        }
        best
    }

    /// Cuts a text: the ends of segments and what rules say of each.
    pub(super) fn cut(&self, text: &str) -> Vec<(usize, Vec<i64>)> {
        let mut segments = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let found = self.matched(&text[at..]);
            at += found.end;
            segments.push((at, found.statuses));
        }
        segments
    }
}
