//! Builds the LALR(1) automaton, with Bison's conflict resolution and default reductions.

use std::collections::{BTreeMap, HashMap};

use crate::grammar::{Associativity, Grammar, Symbol};

/// A production with a place in it.
type Item = (usize, usize);

/// A set of terminals.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Terminals([u64; 4]);

impl Terminals {
    fn insert(&mut self, terminal: usize) {
        self.0[terminal / 64] |= 1 << (terminal % 64);
    }

    fn remove(&mut self, terminal: usize) {
        self.0[terminal / 64] &= !(1 << (terminal % 64));
    }

    fn contains(&self, terminal: usize) -> bool {
        self.0[terminal / 64] >> (terminal % 64) & 1 == 1
    }

    /// Adds a set; says whether that changed anything.
    fn union(&mut self, other: &Self) -> bool {
        let before = *self;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
        *self != before
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..256).filter(|&terminal| self.contains(terminal))
    }
}

/// What to do in a state.
#[derive(Default)]
pub struct State {
    pub shifts: BTreeMap<Symbol, usize>,
    pub gotos: BTreeMap<Symbol, usize>,
    /// Reductions that need a certain token; the production is the value.
    pub reductions: BTreeMap<Symbol, usize>,
    /// The reduction for every other token.
    pub default: Option<usize>,
    /// Tokens that are errors in spite of the default: operators that do not associate.
    pub errors: Vec<Symbol>,
}

/// The automaton; state 0 is the start.
pub struct Tables {
    pub states: Vec<State>,
    pub conflicts: Vec<String>,
}

/// Facts about the rules that every step needs.
struct Analysis<'g> {
    grammar: &'g Grammar,
    /// The productions of each symbol.
    by_left: Vec<Vec<usize>>,
    nullable: Vec<bool>,
    first: Vec<Terminals>,
}

/// Marks a lookahead that comes from the item a closure began with.
const OWN: usize = 255;

/// Builds the automaton of a grammar.
pub fn build(grammar: &Grammar) -> Tables {
    let analysis = analyse(grammar);
    let (kernels, transitions) = automaton(&analysis);
    let lookaheads = lookaheads(&analysis, &kernels, &transitions);
    let mut conflicts = Vec::new();
    let states = (0..kernels.len())
        .map(|number| {
            let kernel: Vec<(Item, Terminals)> = kernels[number]
                .iter()
                .copied()
                .zip(lookaheads[number].iter().copied())
                .collect();
            let reductions = reductions(&analysis, &kernel);
            actions(
                grammar,
                number,
                &transitions[number],
                reductions,
                &mut conflicts,
            )
        })
        .collect();
    Tables { states, conflicts }
}

fn analyse(grammar: &Grammar) -> Analysis<'_> {
    let count = grammar.names.len();
    let mut by_left = vec![Vec::new(); count];
    for (number, production) in grammar.productions.iter().enumerate() {
        by_left[production.left].push(number);
    }
    let mut nullable = vec![false; count];
    let mut first = vec![Terminals::default(); count];
    for (terminal, set) in first.iter_mut().enumerate().take(grammar.terminals.len()) {
        set.insert(terminal);
    }
    loop {
        let mut changed = false;
        for production in &grammar.productions {
            let mut all_nullable = true;
            for &symbol in &production.right {
                let more = first[symbol];
                changed |= first[production.left].union(&more);
                if !nullable[symbol] {
                    all_nullable = false;
                    break;
                }
            }
            if all_nullable && !nullable[production.left] {
                nullable[production.left] = true;
                changed = true;
            }
        }
        if !changed {
            return Analysis {
                grammar,
                by_left,
                nullable,
                first,
            };
        }
    }
}

impl Analysis<'_> {
    fn after_dot(&self, (production, dot): Item) -> Option<Symbol> {
        self.grammar.productions[production].right.get(dot).copied()
    }

    /// The terminals that can follow the symbol after the dot.
    fn follow_of(&self, (production, dot): Item, own: &Terminals) -> Terminals {
        let mut follow = Terminals::default();
        for &symbol in &self.grammar.productions[production].right[dot + 1..] {
            follow.union(&self.first[symbol]);
            if !self.nullable[symbol] {
                return follow;
            }
        }
        follow.union(own);
        follow
    }

    /// The lookaheads of all productions begun by the items.
    fn closure(&self, kernel: &[(Item, Terminals)]) -> BTreeMap<usize, Terminals> {
        let mut sets: BTreeMap<usize, Terminals> = BTreeMap::new();
        let mut work: Vec<(Symbol, Terminals)> = Vec::new();
        for (item, lookahead) in kernel {
            if let Some(symbol) = self.after_dot(*item) {
                work.push((symbol, self.follow_of(*item, lookahead)));
            }
        }
        while let Some((symbol, lookahead)) = work.pop() {
            for &production in &self.by_left[symbol] {
                let known = sets.contains_key(&production);
                let set = sets.entry(production).or_default();
                if !set.union(&lookahead) && known {
                    continue;
                }
                let set = *set;
                if let Some(next) = self.after_dot((production, 0)) {
                    work.push((next, self.follow_of((production, 0), &set)));
                }
            }
        }
        sets
    }
}

/// The LR(0) automaton: the kernel of each state, and its transitions.
fn automaton(analysis: &Analysis<'_>) -> (Vec<Vec<Item>>, Vec<BTreeMap<Symbol, usize>>) {
    let mut kernels = vec![vec![(0, 0)]];
    let mut numbers: HashMap<Vec<Item>, usize> = HashMap::from([(kernels[0].clone(), 0)]);
    let mut transitions = Vec::new();
    let mut at = 0;
    while at < kernels.len() {
        let mut next: BTreeMap<Symbol, Vec<Item>> = BTreeMap::new();
        let mut seen = vec![false; analysis.grammar.names.len()];
        let mut work = kernels[at].clone();
        while let Some(item) = work.pop() {
            let Some(symbol) = analysis.after_dot(item) else {
                continue;
            };
            next.entry(symbol).or_default().push((item.0, item.1 + 1));
            if !std::mem::replace(&mut seen[symbol], true) {
                work.extend(
                    analysis.by_left[symbol]
                        .iter()
                        .map(|&production| (production, 0)),
                );
            }
        }
        let mut row = BTreeMap::new();
        for (symbol, mut kernel) in next {
            kernel.sort_unstable();
            kernel.dedup();
            let number = *numbers.entry(kernel.clone()).or_insert_with(|| {
                kernels.push(kernel);
                kernels.len() - 1
            });
            row.insert(symbol, number);
        }
        transitions.push(row);
        at += 1;
    }
    (kernels, transitions)
}

/// The lookaheads of each kernel item: those that arise in a state flow along the transitions.
fn lookaheads(
    analysis: &Analysis<'_>,
    kernels: &[Vec<Item>],
    transitions: &[BTreeMap<Symbol, usize>],
) -> Vec<Vec<Terminals>> {
    let mut sets: Vec<Vec<Terminals>> = kernels
        .iter()
        .map(|kernel| vec![Terminals::default(); kernel.len()])
        .collect();
    let mut flows: Vec<Vec<Vec<(usize, usize)>>> = kernels
        .iter()
        .map(|kernel| vec![Vec::new(); kernel.len()])
        .collect();
    let place = |state: usize, item: Item| {
        kernels[state]
            .binary_search(&item)
            .unwrap_or_else(|_| panic!("no item {item:?}"))
    };
    for (state, kernel) in kernels.iter().enumerate() {
        for (number, &item) in kernel.iter().enumerate() {
            let mut own = Terminals::default();
            own.insert(OWN);
            if let Some(symbol) = analysis.after_dot(item) {
                let target = transitions[state][&symbol];
                flows[state][number].push((target, place(target, (item.0, item.1 + 1))));
            }
            for (production, mut lookahead) in analysis.closure(&[(item, own)]) {
                let Some(symbol) = analysis.after_dot((production, 0)) else {
                    continue;
                };
                let target = transitions[state][&symbol];
                let to = (target, place(target, (production, 1)));
                if lookahead.contains(OWN) {
                    lookahead.remove(OWN);
                    flows[state][number].push(to);
                }
                sets[to.0][to.1].union(&lookahead);
            }
        }
    }
    let mut work: Vec<(usize, usize)> = (0..kernels.len())
        .flat_map(|state| (0..kernels[state].len()).map(move |number| (state, number)))
        .collect();
    while let Some((state, number)) = work.pop() {
        let set = sets[state][number];
        for &(target, place) in &flows[state][number] {
            if sets[target][place].union(&set) {
                work.push((target, place));
            }
        }
    }
    sets
}

/// The productions complete in a state, in order, with their lookaheads.
fn reductions(analysis: &Analysis<'_>, kernel: &[(Item, Terminals)]) -> BTreeMap<usize, Terminals> {
    let mut complete: BTreeMap<usize, Terminals> = BTreeMap::new();
    for (item, lookahead) in kernel {
        if analysis.after_dot(*item).is_none() {
            complete.entry(item.0).or_default().union(lookahead);
        }
    }
    for (production, lookahead) in analysis.closure(kernel) {
        if analysis.after_dot((production, 0)).is_none() {
            complete.entry(production).or_default().union(&lookahead);
        }
    }
    complete
}

/// Decides between shifting and reducing, and chooses the default.
fn actions(
    grammar: &Grammar,
    number: usize,
    transitions: &BTreeMap<Symbol, usize>,
    mut reductions: BTreeMap<usize, Terminals>,
    conflicts: &mut Vec<String>,
) -> State {
    let mut state = State::default();
    for (&symbol, &target) in transitions {
        let table = if grammar.is_terminal(symbol) {
            &mut state.shifts
        } else {
            &mut state.gotos
        };
        table.insert(symbol, target);
    }
    // A state that can only reduce one thing does it without looking.
    if state.shifts.is_empty() && reductions.len() == 1 {
        state.default = reductions.keys().next().copied();
        return state;
    }
    for (&production, lookahead) in &mut reductions {
        let level = grammar.productions[production].precedence;
        for terminal in lookahead.iter().collect::<Vec<_>>() {
            if !state.shifts.contains_key(&terminal) {
                continue;
            }
            let (Some((own, _)), Some((other, associativity))) =
                (level, grammar.precedence.get(terminal).copied().flatten())
            else {
                let name = &grammar.names[terminal];
                let rule = &grammar.names[grammar.productions[production].left];
                conflicts.push(format!(
                    "state {number}: {rule} before '{name}', shift or reduce"
                ));
                lookahead.remove(terminal);
                continue;
            };
            let reduce = own > other || own == other && associativity == Associativity::Left;
            let shift = own < other || own == other && associativity == Associativity::Right;
            if !reduce {
                lookahead.remove(terminal);
            }
            if !shift {
                state.shifts.remove(&terminal);
            }
            if !reduce && !shift {
                state.errors.push(terminal);
            }
        }
    }
    for (&production, lookahead) in &reductions {
        for terminal in lookahead.iter() {
            let taken = state.reductions.contains_key(&terminal);
            if taken {
                let name = &grammar.names[terminal];
                conflicts.push(format!("state {number}: two reductions before '{name}'"));
            } else {
                state.reductions.insert(terminal, production);
            }
        }
    }
    let mut best = 0;
    for &production in reductions.keys() {
        let count = state
            .reductions
            .values()
            .filter(|&&other| other == production)
            .count();
        if count > best {
            best = count;
            state.default = Some(production);
        }
    }
    state
        .reductions
        .retain(|_, production| Some(*production) != state.default);
    state
}
