//! Versions of blocks: the same oplines, translated for what is known where they are reached.
//!
//! An edge looks for a version whose shape its state has; if there is none, a new one is made, and
//! translated later. So the first pass through a loop, where types are still tested, and the
//! following ones, where they are known, become two versions. Their number is capped.

use hashbrown::HashMap;

use super::state::{Shape, SlotState, State};
use crate::graph::{BlockId, Graph, Held, Operation, Place, Target, Type};

/// How many versions there may be of a loop header, the general one aside.
const LOOP_VERSIONS: usize = 2;
/// The same for other blocks.
const BLOCK_VERSIONS: usize = 1;

#[derive(Debug)]
struct Version {
    block: BlockId,
    shapes: Vec<Shape>,
}

/// The versions made so far, by opline and known frames of inlined calls.
#[derive(Debug, Default)]
pub struct Versions {
    made: HashMap<(u32, u32), Vec<Version>>,
}

/// A version that has to be translated.
#[derive(Debug)]
pub struct Pending {
    /// The opline.
    pub opline: u32,
    /// Its block.
    pub block: BlockId,
    /// What is known there.
    pub state: State,
}

impl Versions {
    /// Leads from the end of `from`, where `state` is known, to a version of the code at `opline`.
    /// The second value is the version, if it is new.
    pub fn connect(
        &mut self,
        graph: &mut Graph,
        from: BlockId,
        state: &State,
        opline: u32,
        is_loop: bool,
    ) -> (Target, Option<Pending>) {
        let versions = self.made.entry((opline, state.frames)).or_default();
        let mut best: Option<(usize, u32)> = None;
        for (index, version) in versions.iter().enumerate() {
            if let Some(cost) = cost(state, &version.shapes)
                && best.is_none_or(|(_, least)| cost < least)
            {
                best = Some((index, cost));
            }
        }
        let cap = if is_loop {
            LOOP_VERSIONS
        } else {
            BLOCK_VERSIONS
        };
        let mut pending = None;
        let index = match best {
            Some((index, 0)) => index,
            Some((index, _)) if versions.len() >= cap => index,
            _ => {
                let unknown = super::state::UNKNOWN.shape(false);
                let mut shapes: Vec<Shape> = match versions.len() <= cap {
                    true => state
                        .slots
                        .iter()
                        .map(|state| state.shape(is_loop))
                        .collect(),
                    false => vec![unknown; state.slots.len()],
                };
                if versions.len() == cap {
                    // What is the same in all versions will be in those to come.
                    for (slot, shape) in shapes.iter_mut().enumerate() {
                        if versions
                            .iter()
                            .any(|version| version.shapes[slot] != *shape)
                        {
                            *shape = unknown;
                        }
                    }
                }
                let block = graph.block(opline);
                let inside = enter(graph, block, &shapes, state.frames);
                pending = Some(Pending {
                    opline,
                    block,
                    state: inside,
                });
                versions.push(Version { block, shapes });
                versions.len() - 1
            }
        };
        let version = &versions[index];
        let mut arguments = Vec::new();
        for ((slot, state), shape) in state.iter().zip(&version.shapes) {
            match (state, *shape) {
                (SlotState::Held { held, dirty: true }, Shape::Memory { .. })
                | (SlotState::Held { held, dirty: true }, Shape::Parameter { dirty: false, .. }) => {
                    graph.push(from, Operation::Store(Place::Slot(slot), held));
                    if let Shape::Parameter { .. } = shape {
                        arguments.extend(held.value());
                    }
                }
                (SlotState::Held { held, .. }, Shape::Parameter { .. }) => {
                    arguments.extend(held.value());
                }
                (SlotState::Memory { .. }, Shape::Parameter { of, .. }) => {
                    arguments.extend(graph.push(from, Operation::Load(Place::Slot(slot), of)));
                }
                _ => {}
            }
        }
        let block = version.block;
        (Target { block, arguments }, pending)
    }
}

fn cost(state: &State, shapes: &[Shape]) -> Option<u32> {
    let pairs = state.slots.iter().zip(shapes);
    pairs
        .map(|(state, shape)| state.cost(*shape))
        .try_fold(0, |sum, cost| Some(sum + cost?))
}

/// Gives a block parameters for the shapes and what is known inside of it.
fn enter(graph: &mut Graph, block: BlockId, shapes: &[Shape], frames: u32) -> State {
    let states = shapes.iter().map(|shape| match *shape {
        Shape::Memory { types, uncounted } => SlotState::Memory { types, uncounted },
        Shape::Null => SlotState::Held {
            held: Held::Null,
            dirty: true,
        },
        Shape::Undef => SlotState::Held {
            held: Held::Undef,
            dirty: true,
        },
        Shape::Parameter { of, dirty } => {
            debug_assert_ne!(of, Type::Address, "slots hold no addresses");
            let parameter = graph.value(of);
            graph.at_mut(block).parameters.push(parameter);
            SlotState::Held {
                held: of.hold(parameter),
                dirty,
            }
        }
    });
    State {
        slots: states.collect(),
        frames,
    }
}
