//! Rules of one's own for breaks: `$letter = [a-z]; $letter+ {1};`.
//!
//! Rules are kept as what stands in them, place by place, with the places that may follow each; a text is cut by going
//! through all rules at once, and the longest match counts.

mod read;

use vm_runtime::limits;

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

/// Places that matches have come to, each with how far its match reaches.
///
/// Where a place has been come to in several ways, the one that reaches farthest counts: whatever follows, it stays
/// the farthest.
#[derive(Debug)]
struct Ways {
    places: Vec<usize>,
    /// For each place of the rules: 0 if no match has come to it, the last mark on the way there, or [`NO_MARK`].
    reach: Vec<usize>,
}

/// The match reaches as far as it goes.
const NO_MARK: usize = usize::MAX;

impl Ways {
    fn new(places: usize) -> Ways {
        Ways {
            places: Vec::new(),
            reach: vec![0; places],
        }
    }

    fn add(&mut self, place: usize, reach: usize) {
        let known = &mut self.reach[place];
        if *known == 0 {
            self.places.push(place);
        }
        *known = reach.max(*known);
    }

    fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.reach[place] = 0;
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.places.iter().map(|&place| (place, self.reach[place]))
    }
}

impl Rules {
    /// Reads rules.
    pub(super) fn of(text: &str) -> Result<Rules, Problem> {
        read::read(text)
    }

    /// Where the rules begin.
    fn first<'r>(rules: impl Iterator<Item = &'r Rule>) -> impl Iterator<Item = usize> {
        rules.flat_map(|rule| rule.first.iter().copied())
    }

    /// The longest match at the beginning of a text; the first character if nothing matches.
    fn matched(&self, text: &str, candidates: &mut Ways, ways: &mut Ways) -> Match {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let mut best = Match {
            end: first,
            statuses: vec![0],
        };
        candidates.clear();
        for place in Rules::first(self.rules.iter()) {
            candidates.add(place, NO_MARK);
        }
        for (start, character) in text.char_indices() {
            limits::poll();
            let end = start + character.len_utf8();
            let takes = |place: usize| self.places[place].set.contains(character.into());
            ways.clear();
            for (place, reach) in candidates.iter().filter(|(place, _)| takes(*place)) {
                let is_mark = self.places[place].is_mark;
                ways.add(place, if is_mark { end } else { reach });
            }
            let is_end = ways.places.iter().any(|&place| self.places[place].ends);
            if self.chained && is_end {
                let others = self.rules.iter().filter(|rule| !rule.stands_alone);
                for place in Rules::first(others).filter(|place| takes(*place)) {
                    ways.add(place, NO_MARK);
                }
            }
            if ways.places.is_empty() {
                break;
            }
            let mut statuses: Vec<i64> = Vec::new();
            let mut found = None;
            for (place, reach) in ways.iter() {
                let place = &self.places[place];
                if !place.ends {
                    continue;
                }
                let rule = &self.rules[place.rule];
                statuses.push(rule.status);
                let own = if rule.has_mark { reach.min(end) } else { end };
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
            for (place, reach) in ways.iter() {
                limits::poll();
                for &next in &self.places[place].next {
                    candidates.add(next, reach);
                }
            }
        }
        best
    }

    /// Cuts a text: the ends of segments and what rules say of each.
    pub(super) fn cut(&self, text: &str) -> Vec<(usize, Vec<i64>)> {
        let mut segments = Vec::new();
        let [mut candidates, mut ways] = [(); 2].map(|()| Ways::new(self.places.len()));
        let mut at = 0;
        while at < text.len() {
            let found = self.matched(&text[at..], &mut candidates, &mut ways);
            at += found.end;
            segments.push((at, found.statuses));
        }
        segments
    }
}
