//! Which blocks every way to a block leads through.

use super::model::{BlockId, Graph};

/// The dominator tree of a graph, below one root above all entries.
#[derive(Debug)]
pub struct Dominators {
    /// The immediate dominator of each block; the root's number stands for itself.
    parents: Vec<u32>,
    /// Position in reverse postorder, from 1; 0 is the root, `u32::MAX` what is never reached.
    positions: Vec<u32>,
}

impl Dominators {
    /// Computes the tree; `order` is the graph's reverse postorder.
    pub fn of(graph: &Graph, order: &[BlockId]) -> Dominators {
        let mut positions = vec![u32::MAX; graph.blocks.len()];
        for (position, block) in order.iter().enumerate() {
            positions[block.0 as usize] = position as u32 + 1;
        }
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); order.len() + 1];
        for entry in &graph.entries {
            predecessors[positions[entry.block.0 as usize] as usize].push(0);
        }
        for (position, block) in order.iter().enumerate() {
            for target in graph.at(*block).terminator.targets() {
                let to = positions[target.block.0 as usize] as usize;
                predecessors[to].push(position as u32 + 1);
            }
        }
        // Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm".
        let mut parents = vec![u32::MAX; order.len() + 1];
        parents[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..=order.len() {
                let mut parent = u32::MAX;
                for &before in &predecessors[position] {
                    if parents[before as usize] == u32::MAX {
                        continue;
                    }
                    parent = match parent {
                        u32::MAX => before,
                        _ => common(&parents, parent, before),
                    };
                }
                changed |= std::mem::replace(&mut parents[position], parent) != parent;
            }
        }
        Dominators { parents, positions }
    }

    /// Whether every way to `below` leads through `above`; a block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let above = self.positions[above.0 as usize];
        let mut at = self.positions[below.0 as usize];
        if at == u32::MAX {
            return false;
        }
        while at > above {
            at = self.parents[at as usize];
        }
        at == above
    }

    /// The children of each block in the tree, by position; 0 is the root.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.parents.len()];
        for position in 1..self.parents.len() {
            children[self.parents[position] as usize].push(position as u32);
        }
        children
    }
}

fn common(parents: &[u32], mut left: u32, mut right: u32) -> u32 {
    while left != right {
        while left > right {
            left = parents[left as usize];
        }
        while right > left {
            right = parents[right as usize];
        }
    }
    left
}
