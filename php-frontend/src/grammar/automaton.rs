//! An LALR parser that only accepts or fails, run once a source is known to be wrong.
//!
//! Bison's message lists the tokens that the state it failed in has actions for. Default reductions
//! are done before an error is noticed, so that state is not the one a predictive parser is in.

use crate::lexer::tokens::TokenKind;

include!(concat!(env!("OUT_DIR"), "/error_tables.rs"));

/// Bits of an action; shared with `build/emit.rs`.
const REDUCE: u16 = 0x8000;
const ERROR: u16 = 0xffff;

/// Bison lists this many expected tokens, or none.
const MOST_EXPECTED: usize = 4;

/// Where the automaton stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The tokens are a program.
    Accepted,
    /// A token is not allowed, and these are, if they are few.
    Failed {
        index: usize,
        expected: Vec<TokenKind>,
    },
}

/// Runs the automaton over tokens that end with `EndOfFile` or `Error`.
pub(super) fn run(kinds: impl Iterator<Item = TokenKind>) -> Outcome {
    let mut terminal_of = [ERROR; 256];
    for (terminal, &kind) in TERMINALS.iter().enumerate() {
        terminal_of[kind as usize] = terminal as u16;
    }
    let mut stack: Vec<u16> = vec![0];
    for (index, kind) in kinds.enumerate() {
        let terminal = terminal_of[kind as usize];
        loop {
            let state = stack.last().copied().unwrap_or(0);
            let Some(action) = action(state, terminal) else {
                return Outcome::Failed {
                    index,
                    expected: expected(state),
                };
            };
            if action & REDUCE == 0 {
                stack.push(action);
                break;
            }
            let (left, length) = PRODUCTIONS[(action & !REDUCE) as usize];
            stack.truncate(stack.len() - usize::from(length));
            let state = stack.last().copied().unwrap_or(0);
            match goto(state, left) {
                Some(next) => stack.push(next),
                None => return Outcome::Accepted,
            }
        }
        if kind == TokenKind::EndOfFile {
            break;
        }
    }
    Outcome::Accepted
}

fn actions(state: u16) -> &'static [(u16, u16)] {
    let state = usize::from(state);
    &ACTIONS[STATES[state].0 as usize..STATES[state + 1].0 as usize]
}

fn action(state: u16, terminal: u16) -> Option<u16> {
    let row = actions(state);
    let action = match row.binary_search_by_key(&terminal, |&(symbol, _)| symbol) {
        Ok(at) => row[at].1,
        Err(_) => match STATES[usize::from(state)].2 {
            ERROR => ERROR,
            production => production | REDUCE,
        },
    };
    (action != ERROR).then_some(action)
}

fn goto(state: u16, symbol: u16) -> Option<u16> {
    let state = usize::from(state);
    let row = &GOTOS[STATES[state].1 as usize..STATES[state + 1].1 as usize];
    row.binary_search_by_key(&symbol, |&(symbol, _)| symbol)
        .ok()
        .map(|at| row[at].1)
}

fn expected(state: u16) -> Vec<TokenKind> {
    let tokens: Vec<TokenKind> = actions(state)
        .iter()
        .filter(|&&(_, action)| action != ERROR)
        .map(|&(terminal, _)| TERMINALS[usize::from(terminal)])
        .collect();
    if tokens.len() > MOST_EXPECTED {
        Vec::new()
    } else {
        tokens
    }
}
