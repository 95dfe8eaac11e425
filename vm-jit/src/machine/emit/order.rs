//! In which order blocks stand.
//!
//! What leaves stands behind all else. A loop that ends by jumping back to its beginning is turned, so that it ends
//! with the test that may leave it: a turn is one jump then, taken at the test. Blocks that do nothing but go on to
//! others are left out: whoever goes to them goes there.

use regalloc2::{Block, Function, InstOrEdit, Output};

use crate::machine::instruction::Kind;
use crate::machine::lower::Code;

/// For each block the one that does something on the way from it: itself, unless it only goes on to another one. A
/// circle of such blocks is taken as it is.
pub fn beyond(code: &Code, output: &Output) -> Vec<usize> {
    let passes_to: Vec<Option<usize>> = (0..code.block_count())
        .map(|block| passes_to(code, output, block))
        .collect();
    let beyond = |block| {
        let way = std::iter::successors(Some(block), |&block: &usize| passes_to[block]);
        let mut way = way.take(passes_to.len());
        way.find(|&block| passes_to[block].is_none())
            .unwrap_or(block)
    };
    (0..passes_to.len()).map(beyond).collect()
}

/// If a block does nothing but go to another one, that one.
fn passes_to(code: &Code, output: &Output, block: usize) -> Option<usize> {
    let first = output.block_insts_and_edits(code, Block::new(block)).next();
    let Some(InstOrEdit::Inst(instruction)) = first else {
        return None;
    };
    match code.instructions[instruction.index()] {
        Kind::Jump(target) => Some(target.index()),
        _ => None,
    }
}

/// The blocks that are no edges and do something, in the order in which they are to stand. `beyond` is as
/// [`beyond`] gives it.
pub fn of(code: &Code, beyond: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (1..code.first_edge).collect();
    order.sort_by_key(|&block| leaves(code, block));
    let mut positions = vec![usize::MAX; code.block_count()];
    let place = |order: &[usize], positions: &mut [usize]| {
        for (position, &block) in order.iter().enumerate() {
            positions[block] = position;
        }
    };
    place(&order, &mut positions);
    // Inner loops first: they stay in one piece when those around them are turned.
    for header in (1..code.first_edge).rev() {
        let latches = ways_to(code, header).filter(|latch| *latch >= header);
        let Some(end) = latches.map(|latch| positions[latch]).max() else {
            continue;
        };
        let start = positions[header];
        if end <= start || end == usize::MAX {
            continue;
        }
        if let Some(last) = test_at_end(code, &order, &positions, (start, end)) {
            order[start..=end].rotate_left(last + 1 - start);
            place(&order, &mut positions);
        }
    }
    order.retain(|&block| beyond[block] == block);
    order
}

/// The blocks in this order that loops begin with which have no other loop in them: later blocks jump back to them.
pub fn innermost_loops(code: &Code, order: &[usize], beyond: &[usize]) -> Vec<usize> {
    let mut positions = vec![usize::MAX; code.block_count()];
    for (position, &block) in order.iter().enumerate() {
        positions[block] = position;
    }
    let mut starts: Vec<usize> = Vec::new();
    for (end, &block) in order.iter().enumerate() {
        let successors = code.block_succs(Block::new(block)).iter();
        let targets = successors.map(|next| positions[beyond[behind_edge(code, *next)]]);
        let Some(start) = targets.filter(|start| *start <= end).max() else {
            continue;
        };
        if starts.iter().all(|inner| *inner < start) {
            starts.push(start);
        }
    }
    starts.into_iter().map(|start| order[start]).collect()
}

/// Whether compiled code ends with the block.
fn leaves(code: &Code, block: usize) -> bool {
    matches!(last(code, block), Kind::Leave(..) | Kind::Follow)
}

fn last(code: &Code, block: usize) -> &Kind {
    let last = code.block_insns(Block::new(block)).last();
    &code.instructions[last.index()]
}

/// The block behind an edge, or the block itself.
fn behind_edge(code: &Code, block: Block) -> usize {
    match block.index() < code.first_edge {
        true => block.index(),
        false => code.block_succs(block)[0].index(),
    }
}

/// The blocks that lead to one, over edges or not.
fn ways_to(code: &Code, block: usize) -> impl Iterator<Item = usize> {
    let before = code.block_preds(Block::new(block)).iter();
    before.map(|before| match before.index() < code.first_edge {
        true => before.index(),
        false => code.block_preds(*before)[0].index(),
    })
}

/// Of a loop that stands from one position to another and ends by jumping back: the last position of a test that
/// leaves it, or else goes on with the block behind.
fn test_at_end(
    code: &Code,
    order: &[usize],
    positions: &[usize],
    (start, end): (usize, usize),
) -> Option<usize> {
    let Kind::Jump(_) = last(code, order[end]) else {
        return None;
    };
    (start..end).rev().find(|&position| {
        let Kind::Branch(_, then, otherwise) = last(code, order[position]) else {
            return false;
        };
        let ways = [then, otherwise].map(|block| positions[behind_edge(code, *block)]);
        let leaves = |way: usize| way < start || way > end;
        ways.contains(&(position + 1)) && ways.into_iter().any(leaves)
    })
}
