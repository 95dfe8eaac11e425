//! The order of elements: content models as automata.

use std::rc::Rc;

use super::{ElementId, Name, Particle, Processing, Schema, Term, shown};

/// The most states of an automaton: what is beyond comes of enormous numbers of repetitions.
const MOST_STATES: usize = 50_000;

/// A content model.
#[derive(Debug)]
pub(super) enum Automaton {
    States(Vec<State>),
    /// Elements in any order, each at most once, and whether it must be there.
    Unordered(Vec<(ElementId, bool)>),
}

#[derive(Debug, Default)]
pub(super) struct State {
    edges: Vec<(Rc<Particle>, usize)>,
    /// States that are reached without an element.
    free: Vec<usize>,
    /// What comes so many times at most comes once more: messages leave that out.
    is_again: bool,
}

/// The number of the last state.
const END: usize = 1;

/// How far an element's children have come.
#[derive(Debug)]
pub(super) enum Progress {
    States(Vec<usize>),
    Unordered(Vec<bool>),
}

/// What an element is validated by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Element(ElementId),
    Wildcard(Processing),
}

impl Automaton {
    /// The automaton of a content model; None if it would be too large.
    pub(super) fn new(particle: &Rc<Particle>) -> Option<Automaton> {
        if let Term::All(members) = &particle.term {
            let members = members.iter().filter_map(|member| match member.term {
                Term::Element(element) => Some((element, member.least > 0 && particle.least > 0)),
                _ => None,
            });
            return Some(Automaton::Unordered(members.collect()));
        }
        let mut states = vec![State::default(), State::default()];
        let end = add(&mut states, particle, 0)?;
        states[end].free.push(END);
        Some(Automaton::States(states))
    }

    pub(super) fn start(&self) -> Progress {
        match self {
            Automaton::States(_) => Progress::States(vec![0]),
            Automaton::Unordered(members) => Progress::Unordered(vec![false; members.len()]),
        }
    }

    /// Takes an element; None if it may not stand here.
    pub(super) fn take(
        &self,
        schema: &Schema,
        progress: &mut Progress,
        name: &Name,
    ) -> Option<Found> {
        match (self, progress) {
            (Automaton::States(states), Progress::States(at)) => {
                let mut next = Vec::new();
                let mut found = None;
                for state in reachable(states, at) {
                    for (particle, target) in &states[state].edges {
                        let Some(matched) = matched(schema, &particle.term, name) else {
                            continue;
                        };
                        // A declaration says more than a wildcard.
                        match (found, matched) {
                            (None | Some(Found::Wildcard(_)), Found::Element(_)) | (None, _) => {
                                found = Some(matched);
                            }
                            _ => {}
                        }
                        if !next.contains(target) {
                            next.push(*target);
                        }
                    }
                }
                if found.is_some() {
                    *at = next;
                }
                found
            }
            (Automaton::Unordered(members), Progress::Unordered(seen)) => {
                let find = |&(element, _): &(ElementId, bool)| {
                    matched(schema, &Term::Element(element), name)
                };
                let mut places = members.iter().map(find).enumerate();
                let (place, found) = places.find_map(|(place, found)| Some((place, found?)))?;
                if std::mem::replace(&mut seen[place], true) {
                    return None;
                }
                Some(found)
            }
            _ => None,
        }
    }

    /// Whether nothing more has to come.
    pub(super) fn is_complete(&self, progress: &Progress) -> bool {
        match (self, progress) {
            (Automaton::States(states), Progress::States(at)) => {
                reachable(states, at).contains(&END)
            }
            (Automaton::Unordered(members), Progress::Unordered(seen)) => {
                let missing =
                    |(&(_, is_required), &seen): (&(ElementId, bool), &bool)| is_required && !seen;
                // Nothing at all is complete if everything may be missing.
                !members.iter().zip(seen).any(missing)
            }
            _ => true,
        }
    }

    /// The end of a message that says what may come: ` Expected is ( a ).`
    pub(super) fn expectation(&self, schema: &Schema, progress: &Progress) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        let mut add_term = |term: &Term| match term {
            Term::Element(element) => {
                for element in schema.with_substitutes(*element) {
                    add(shown(&schema.elements[element].name));
                }
            }
            Term::Any(wildcard) => add(super::simple::wildcard_text(wildcard)),
            _ => {}
        };
        match (self, progress) {
            (Automaton::States(states), Progress::States(at)) => {
                for state in reached(states, at, false) {
                    for (particle, _) in &states[state].edges {
                        add_term(&particle.term);
                    }
                }
            }
            (Automaton::Unordered(members), Progress::Unordered(seen))
                if !self.is_complete(progress) =>
            {
                for (&(element, _), _) in members.iter().zip(seen).filter(|(_, seen)| !**seen) {
                    add_term(&Term::Element(element));
                }
            }
            _ => {}
        }
        names.truncate(10);
        match names.as_slice() {
            [] => String::new(),
            [name] => format!(" Expected is ( {name} )."),
            names => format!(" Expected is one of ( {} ).", names.join(", ")),
        }
    }
}

/// What a term says to an element of that name.
fn matched(schema: &Schema, term: &Term, name: &Name) -> Option<Found> {
    match term {
        Term::Element(element) => {
            if schema.elements[*element].name == *name {
                return Some(Found::Element(*element));
            }
            if !schema.substitutes.contains_key(element) {
                return None;
            }
            let mut all = schema.with_substitutes(*element).into_iter();
            let found = all.find(|&member| schema.elements[member].name == *name);
            found.map(Found::Element)
        }
        Term::Any(wildcard) => {
            let takes = wildcard.takes(name.0.as_deref());
            takes.then_some(Found::Wildcard(wildcard.how))
        }
        _ => None,
    }
}

/// All states that are reached without an element, in the order of the schema.
fn reachable(states: &[State], from: &[usize]) -> Vec<usize> {
    reached(states, from, true)
}

/// As [`reachable`], with what comes once more or without it.
fn reached(states: &[State], from: &[usize], again: bool) -> Vec<usize> {
    let mut seen = vec![false; states.len()];
    let mut output = Vec::new();
    let mut open: Vec<usize> = from.iter().rev().copied().collect();
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut seen[state], true) && (again || !states[state].is_again) {
            output.push(state);
            open.extend(states[state].free.iter().rev());
        }
    }
    output
}

fn new_state(states: &mut Vec<State>) -> Option<usize> {
    if states.len() >= MOST_STATES {
        return None;
    }
    states.push(State::default());
    Some(states.len() - 1)
}

/// Adds a particle behind a state, as often as it may come, and gives the state behind it.
fn add(states: &mut Vec<State>, particle: &Rc<Particle>, from: usize) -> Option<usize> {
    let (Term::Sequence(parts) | Term::Choice(parts) | Term::All(parts)) = &particle.term else {
        return add_often(states, particle, from);
    };
    // What has no elements in it is not repeated.
    if parts.is_empty() {
        Some(from)
    } else {
        add_often(states, particle, from)
    }
}

fn add_often(states: &mut Vec<State>, particle: &Rc<Particle>, from: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..particle.least {
        at = add_once(states, particle, at)?;
    }
    let Some(most) = particle.most else {
        // A loop of its own, so that nothing that comes before is repeated with it.
        let start = new_state(states)?;
        states[at].free.push(start);
        let end = add_once(states, particle, start)?;
        states[end].free.push(start);
        let after = new_state(states)?;
        states[start].free.push(after);
        return Some(after);
    };
    let after = new_state(states)?;
    for count in particle.least..most {
        let start = new_state(states)?;
        states[start].is_again = count > 0;
        states[at].free.push(start);
        states[at].free.push(after);
        at = add_once(states, particle, start)?;
    }
    states[at].free.push(after);
    Some(after)
}

fn add_once(states: &mut Vec<State>, particle: &Rc<Particle>, from: usize) -> Option<usize> {
    match &particle.term {
        Term::Element(_) | Term::Any(_) => {
            let after = new_state(states)?;
            states[from].edges.push((particle.clone(), after));
            Some(after)
        }
        Term::Sequence(parts) | Term::All(parts) => {
            let mut at = from;
            for part in parts {
                at = add(states, part, at)?;
            }
            Some(at)
        }
        Term::Choice(parts) => {
            let after = new_state(states)?;
            for part in parts {
                let start = new_state(states)?;
                states[from].free.push(start);
                let end = add(states, part, start)?;
                states[end].free.push(after);
            }
            Some(after)
        }
    }
}
