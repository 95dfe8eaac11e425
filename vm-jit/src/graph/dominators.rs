//! Which blocks lead to each block, and which ones every way to it leads through.

use super::model::{BlockId, Graph};

/// The dominator tree of a graph, below one root above all entries. Blocks have positions in reverse postorder, from
/// 1; 0 is the root, the world outside.
#[derive(Debug)]
pub struct Dominators {
    /// The immediate dominator of each block; the root's number stands for itself.
    parents: Vec<u32>,
    /// By block; `u32::MAX` is what is never reached.
    positions: Vec<u32>,
    predecessors: Lists,
}

impl Dominators {
    /// Computes the tree; `order` is the graph's reverse postorder.
    pub fn of(graph: &Graph, order: &[BlockId]) -> Dominators {
        let mut positions = vec![u32::MAX; graph.blocks.len()];
        for (position, block) in (1..).zip(order) {
            positions[block.0 as usize] = position;
        }
        let at = |block: BlockId| positions[block.0 as usize];
        let entries = graph.entries.iter();
        let mut ways: Vec<(u32, u32)> = entries.map(|entry| (at(entry.block), 0)).collect();
        for (position, block) in (1..).zip(order) {
            let targets = graph.at(*block).terminator.targets();
            ways.extend(targets.map(|target| (at(target.block), position)));
        }
        let predecessors = Lists::of(order.len() + 1, ways.iter().copied());
        // Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm".
        let mut parents = vec![u32::MAX; order.len() + 1];
        parents[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..=order.len() as u32 {
                let mut parent = u32::MAX;
                for &before in predecessors.of_one(position) {
                    if parents[before as usize] == u32::MAX {
                        continue;
                    }
                    parent = match parent {
                        u32::MAX => before,
                        _ => common(&parents, parent, before),
                    };
                }
                changed |= std::mem::replace(&mut parents[position as usize], parent) != parent;
            }
        }
        Dominators {
            parents,
            positions,
            predecessors,
        }
    }

    /// The position of a block that is reached.
    pub fn position(&self, block: BlockId) -> u32 {
        self.positions[block.0 as usize]
    }

    /// The positions of what leads to the block at a position, once for each way.
    pub fn predecessors(&self, position: u32) -> &[u32] {
        self.predecessors.of_one(position)
    }

    /// Whether every way to `below` leads through `above`; a block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let above = self.position(above);
        let mut at = self.position(below);
        if at == u32::MAX {
            return false;
        }
        while at > above {
            at = self.parents[at as usize];
        }
        at == above
    }

    /// The children of each block in the tree, by position.
    pub fn children(&self) -> Lists {
        let children = (0..).zip(&self.parents).skip(1);
        Lists::of(
            self.parents.len(),
            children.map(|(child, &parent)| (parent, child)),
        )
    }
}

/// Lists of positions, one for each position.
#[derive(Debug)]
pub struct Lists {
    /// By position: where its list begins; the last one is where the last list ends.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Lists {
    /// Lists for so many positions, of pairs: whose list, and what is in it.
    pub fn of(positions: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0; positions + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut members = vec![0; end as usize];
        for (list, member) in pairs {
            let at = &mut starts[list as usize];
            *at -= 1;
            members[*at as usize] = member;
        }
        Lists { starts, members }
    }

    /// The list of a position.
    pub fn of_one(&self, position: u32) -> &[u32] {
        let position = position as usize;
        &self.members[self.starts[position] as usize..self.starts[position + 1] as usize]
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
