//! Loops of a graph: where they begin, what is in them, and the block in front of them.

use crate::graph::{
    Block, BlockId, Dominators, Graph, Operation, Snapshot, SnapshotId, Target, Terminator, Value,
};

/// The blocks of an order where loops begin ([`Operation::Loop`]).
pub fn headers(graph: &Graph, order: &[BlockId]) -> Vec<BlockId> {
    let begins = |id: &BlockId| beginning(graph.at(*id)).is_some();
    order.iter().copied().filter(begins).collect()
}

/// How to leave where a loop begins, if one begins at the block.
pub fn beginning(block: &Block) -> Option<SnapshotId> {
    let mut instructions = block.instructions.iter();
    instructions.find_map(|instruction| match instruction.operation {
        Operation::Loop(snapshot) => Some(snapshot),
        _ => None,
    })
}

/// The graph's blocks as far as loops are looked for.
pub struct Loops {
    /// Reverse postorder.
    pub order: Vec<BlockId>,
    /// The dominator tree.
    pub dominators: Dominators,
}

impl Loops {
    /// Of a graph with this reverse postorder.
    pub fn of(graph: &Graph, order: Vec<BlockId>) -> Loops {
        Loops {
            dominators: Dominators::of(graph, &order),
            order,
        }
    }

    /// The same, and the block in front of each of the loops, which is made if there is none.
    pub fn with_fronts(
        graph: &mut Graph,
        order: Vec<BlockId>,
        headers: &[BlockId],
    ) -> (Loops, Vec<BlockId>) {
        let loops = Loops::of(graph, order);
        let blocks = graph.blocks.len();
        let headers = headers.iter();
        let fronts = headers.map(|header| loops.front(graph, *header)).collect();
        match graph.blocks.len() == blocks {
            true => (loops, fronts),
            false => (Loops::of(graph, graph.order()), fronts),
        }
    }

    /// The blocks that lead to a block.
    pub fn leading_to(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let position = self.dominators.position(block);
        let before = self.dominators.predecessors(position).iter();
        before.filter_map(|position| Some(self.order[position.checked_sub(1)? as usize]))
    }

    /// The blocks that lead back to a header.
    pub fn latches(&self, header: BlockId) -> impl Iterator<Item = BlockId> {
        let before = self.leading_to(header);
        before.filter(move |block| self.dominators.dominates(header, *block))
    }

    /// The block in front of a loop that leads nowhere else: a new one, if there is none.
    pub fn front(&self, graph: &mut Graph, header: BlockId) -> BlockId {
        let outside = |block: &BlockId| !self.dominators.dominates(header, *block);
        let before: Vec<BlockId> = self.leading_to(header).filter(outside).collect();
        if let [only] = before.as_slice()
            && matches!(graph.at(*only).terminator, Terminator::Jump(_))
        {
            return *only;
        }
        let front = graph.block(graph.at(header).opline);
        let parameters = graph.at(header).parameters.clone();
        let own: Vec<Value> = parameters
            .iter()
            .map(|parameter| graph.value(graph.type_of(*parameter)))
            .collect();
        let block = graph.at_mut(front);
        block.parameters.clone_from(&own);
        block.terminator = Terminator::Jump(Target {
            block: header,
            arguments: own,
        });
        for block in before {
            for target in graph.at_mut(block).terminator.targets_mut() {
                if target.block == header {
                    target.block = front;
                }
            }
        }
        front
    }

    /// The blocks of the loop that begins at a header, in order; none if it is no loop.
    pub fn body(&self, header: BlockId) -> Vec<BlockId> {
        let mut is_inside = vec![false; self.order.len()];
        let mut waiting: Vec<BlockId> = self.latches(header).collect();
        if !waiting.is_empty() {
            waiting.push(header);
        }
        while let Some(block) = waiting.pop() {
            let position = self.dominators.position(block) as usize - 1;
            let was_inside = std::mem::replace(&mut is_inside[position], true);
            if !was_inside && block != header {
                waiting.extend(self.leading_to(block));
            }
        }
        let both = self.order.iter().zip(is_inside);
        both.filter_map(|(block, is_inside)| is_inside.then_some(*block))
            .collect()
    }

    /// The blocks of a loop that every turn comes through, in that order.
    pub fn always(&self, body: &[BlockId], header: BlockId) -> Vec<BlockId> {
        let latches: Vec<BlockId> = self.latches(header).collect();
        let mut always = body.to_vec();
        always.retain(|block| {
            let mut latches = latches.iter();
            latches.all(|latch| self.dominators.dominates(*block, *latch))
        });
        always
    }
}

/// How to leave in front of a loop, from how to leave where it begins.
pub fn entry(
    graph: &mut Graph,
    header: BlockId,
    front: BlockId,
    beginning: SnapshotId,
) -> SnapshotId {
    let parameters = &graph.at(header).parameters;
    let given = graph.at(front).terminator.targets().next();
    let given = given.map_or(&[][..], |target| &target.arguments);
    let outside = |value: Value| {
        let mut both = parameters.iter().zip(given);
        both.find_map(|(parameter, given)| (*parameter == value).then_some(*given))
            .unwrap_or(value)
    };
    let mut snapshot: Snapshot = graph.snapshots[beginning.0 as usize].clone();
    for (_, held) in &mut snapshot.slots {
        if let Some(value) = held.value() {
            *held = held.with(outside(value));
        }
    }
    graph.snapshot(snapshot)
}
