//! Versions of blocks: the same oplines, translated for what is known where they are reached.
//!
//! An edge looks for a version whose shape its state has; if there is none, a new one is made, and
//! translated later. So the first pass through a loop, where types are still tested, and the
//! following ones, where they are known, become two versions. Their number is capped.

use hashbrown::HashMap;

use vm_def::types::TypeMask;

use super::state::{Callee, Prepared, Shape, SlotState, State, UNKNOWN};
use crate::graph::{BlockId, Graph, Held, Operation, Place, Slot, SnapshotId, Target, Type, Value};

/// How many versions there may be of a loop header, the general one aside.
pub const LOOP_VERSIONS: usize = 2;
/// The same for other blocks.
pub const BLOCK_VERSIONS: usize = 1;
/// How many kinds of knowledge about calls are told apart; where there are more, nothing is known of them.
const MOST_CALLEES: usize = 2;

#[derive(Debug)]
struct Version {
    block: BlockId,
    shapes: Shapes,
}

/// How an edge chooses its version.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// How many versions there may be, the general one aside.
    pub cap: usize,
    /// A loop begins here.
    pub is_loop: bool,
    /// What is seldom reached tests what it does not know, and leaves here, rather than have a version of its own.
    pub exit: Option<SnapshotId>,
}

/// What code may rely on, for the slots of which it relies on something, in order.
type Shapes = Vec<(Slot, Shape)>;

/// Nothing to rely on.
const ANYTHING: Shape = Shape::Memory {
    types: TypeMask::ANY,
    uncounted: false,
};

/// The versions made so far, by opline, known frames of inlined calls, the loop that is being entered, and what is known
/// of other calls.
#[derive(Debug, Default)]
pub struct Versions {
    made: HashMap<(u32, u32, Option<u32>), Vec<Alike>>,
}

/// Versions for which the same is known of the calls that are being prepared.
#[derive(Debug)]
struct Alike {
    calls: Vec<Callee>,
    versions: Vec<Version>,
    /// There is one more than may be, for numbers of the other kind.
    has_other_numbers: bool,
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
    /// Leads from the end of `from`, where `state` is known, to a version of the code at `opline`, of which
    /// there are as many as the [`Choice`] allows, the general one aside. The second value is the version, if it
    /// is new.
    pub fn connect(
        &mut self,
        graph: &mut Graph,
        from: BlockId,
        state: &mut State,
        opline: u32,
        choice: Choice,
    ) -> (Target, Option<Pending>) {
        let Choice { cap, is_loop, exit } = choice;
        let place = (opline, state.frames, state.entering);
        let made = self.made.entry(place).or_default();
        let Alike {
            versions,
            has_other_numbers,
            ..
        } = alike(made, state);
        // What begins as an integer and is a float from then on, or the other way round: of both nothing could be said,
        // and a test for what was seen most would fail each time that it begins.
        if !is_loop
            && cap > 0
            && versions.len() == cap
            && versions
                .iter()
                .all(|version| has_other_number(state, &version.shapes))
        {
            *has_other_numbers = true;
        }
        let cap = cap + usize::from(*has_other_numbers);
        let mut best: Option<(usize, u32)> = None;
        for (index, version) in versions.iter().enumerate() {
            if let Some(cost) = cost(state, &version.shapes)
                && best.is_none_or(|(_, least)| cost < least)
            {
                best = Some((index, cost));
            }
        }
        if let (None, Some(exit)) = (best, exit) {
            let tested = |version: &Version| tests(state, &version.shapes);
            let mut numbered = versions.iter().enumerate();
            if let Some((index, tests)) =
                numbered.find_map(|(index, version)| Some((index, tested(version)?)))
            {
                expect(graph, from, state, &tests, exit);
                best = Some((index, 0));
            }
        }
        let mut pending = None;
        let index = match best {
            Some((index, 0)) => index,
            Some((index, _)) if versions.len() >= cap => index,
            _ => {
                let mut shapes = match versions.len() <= cap {
                    true => shapes(state, is_loop),
                    false => Shapes::new(),
                };
                if versions.len() == cap {
                    // What holds in all versions will in those to come.
                    shapes = versions
                        .iter()
                        .fold(shapes, |shapes, version| common(shapes, &version.shapes));
                }
                let block = graph.block(opline);
                let inside = enter(graph, block, &shapes, state);
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
        let mut arguments: Vec<Value> = state.calls.iter().map(|call| call.frame).collect();
        for (slot, state, shape) in pairs(state, &version.shapes) {
            match (state, shape) {
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
                (SlotState::Borrowed { address, .. }, Shape::Borrowed(_)) => {
                    arguments.push(address);
                }
                (SlotState::Borrowed { address, .. }, Shape::Memory { .. }) => {
                    graph.push(from, Operation::Copy(Place::Slot(slot), address, true));
                }
                _ => {}
            }
        }
        let block = version.block;
        (Target { block, arguments }, pending)
    }
}

/// What has to be tested for a state to have such shapes: types of slots, and whether they are not counted. None
/// if no tests tell.
fn tests(state: &State, shapes: &Shapes) -> Option<Vec<(Slot, TypeMask, bool)>> {
    let mut tests = Vec::new();
    for (slot, state, shape) in pairs(state, shapes) {
        if state.cost(shape).is_some() {
            continue;
        }
        let SlotState::Memory { types: may_be, .. } = state else {
            return None;
        };
        let (types, uncounted) = match shape {
            Shape::Memory { types, uncounted } => (types, uncounted),
            Shape::Parameter { of, .. } => (of.types(), true),
            Shape::Null => (TypeMask::NULL, true),
            Shape::Undef => (TypeMask::UNDEF, true),
            Shape::Constant(_) | Shape::Borrowed(_) => return None,
        };
        let types = TypeMask(types.0 & may_be.0);
        if types == TypeMask::NONE {
            return None;
        }
        tests.push((slot, types, uncounted));
    }
    Some(tests)
}

/// Leaves unless the tests pass.
fn expect(
    graph: &mut Graph,
    from: BlockId,
    state: &mut State,
    tests: &[(Slot, TypeMask, bool)],
    exit: SnapshotId,
) {
    for &(slot, types, uncounted) in tests {
        let place = Place::Slot(slot);
        if !state.at(slot).types().is_subset_of(types) {
            graph.push(from, Operation::GuardType(place, types, exit));
        }
        if uncounted && types.intersects(TypeMask::COUNTED) {
            graph.push(from, Operation::GuardUncounted(place, exit));
        }
        let uncounted = uncounted || !types.intersects(TypeMask::COUNTED);
        let nothing = match types {
            TypeMask::NULL => Some(Held::Null),
            TypeMask::UNDEF => Some(Held::Undef),
            _ => None,
        };
        let dirty = false;
        state.set(
            slot,
            match nothing {
                Some(held) => SlotState::Held { held, dirty },
                None => SlotState::Memory { types, uncounted },
            },
        );
    }
}

/// The shapes of a state.
fn shapes(state: &State, in_loop: bool) -> Shapes {
    let shapes = state
        .iter()
        .map(|(slot, state)| (slot, state.shape(in_loop)));
    shapes.filter(|(_, shape)| *shape != ANYTHING).collect()
}

/// What holds wherever one or the other does.
fn common(mut shapes: Shapes, others: &Shapes) -> Shapes {
    shapes.retain_mut(|(slot, shape)| {
        let other = others.binary_search_by_key(&slot.0, |(slot, _)| slot.0);
        *shape = match other {
            Ok(index) => shape.or(others[index].1),
            Err(_) => ANYTHING,
        };
        *shape != ANYTHING
    });
    shapes
}

/// The slots of which something is known or relied on, in order, with both.
fn pairs(state: &State, shapes: &Shapes) -> impl Iterator<Item = (Slot, SlotState, Shape)> {
    let (mut known, mut relied) = (state.known(), shapes.as_slice());
    std::iter::from_fn(move || {
        let next = match (known.first(), relied.first()) {
            (Some(&(slot, state)), Some(&(same, shape))) if slot == same => (slot, state, shape),
            (Some(&(slot, state)), relied) if relied.is_none_or(|(relied, _)| slot < *relied) => {
                (slot, state, ANYTHING)
            }
            (_, Some(&(slot, shape))) => (slot, UNKNOWN, shape),
            _ => return None,
        };
        let slot = next.0;
        known = &known[usize::from(known.first().is_some_and(|(known, _)| *known == slot))..];
        relied = &relied[usize::from(relied.first().is_some_and(|(relied, _)| *relied == slot))..];
        Some(next)
    })
}

fn cost(state: &State, shapes: &Shapes) -> Option<u32> {
    pairs(state, shapes)
        .map(|(_, state, shape)| state.cost(shape))
        .try_fold(0, |sum, cost| Some(sum + cost?))
}

/// Whether a slot holds a number of one kind where the shapes ask for the other.
fn has_other_number(state: &State, shapes: &Shapes) -> bool {
    pairs(state, shapes).any(|(_, state, shape)| {
        let (SlotState::Held { held, .. }, Shape::Parameter { of, .. }) = (state, shape) else {
            return false;
        };
        matches!(
            (held, of),
            (Held::Long(_), Type::Double) | (Held::Double(_), Type::Long)
        )
    })
}

/// The versions for what a state knows of calls. If there are too many such, less is known.
fn alike<'v>(made: &'v mut Vec<Alike>, state: &mut State) -> &'v mut Alike {
    let position = |made: &[Alike], state: &State| {
        let mut made = made.iter();
        made.position(|alike| state.calls.iter().map(|call| &call.call).eq(&alike.calls))
    };
    if position(made, state).is_none() && made.len() >= MOST_CALLEES {
        state.calls.clear();
    }
    let index = position(made, state).unwrap_or_else(|| {
        made.push(Alike {
            calls: state.calls.iter().map(|call| call.call).collect(),
            versions: Vec::new(),
            has_other_numbers: false,
        });
        made.len() - 1
    });
    &mut made[index]
}

/// Gives a block parameters for the frames of calls and for the shapes, and what is known inside of it.
fn enter(graph: &mut Graph, block: BlockId, shapes: &Shapes, outside: &State) -> State {
    let calls = outside.calls.iter().map(|call| {
        let frame = graph.value(Type::Address);
        graph.at_mut(block).parameters.push(frame);
        Prepared { frame, ..*call }
    });
    let calls: Vec<Prepared> = calls.collect();
    let states = shapes.iter().map(|&(slot, shape)| {
        let state = match shape {
            Shape::Memory { types, uncounted } => SlotState::Memory { types, uncounted },
            Shape::Null => SlotState::Held {
                held: Held::Null,
                dirty: true,
            },
            Shape::Undef => SlotState::Held {
                held: Held::Undef,
                dirty: true,
            },
            Shape::Constant(constant) => SlotState::Held {
                held: Held::Constant(constant),
                dirty: true,
            },
            Shape::Borrowed(types) => {
                let address = graph.value(Type::Address);
                graph.at_mut(block).parameters.push(address);
                SlotState::Borrowed { address, types }
            }
            Shape::Parameter { of, dirty } => {
                debug_assert_ne!(of, Type::Address, "slots hold no addresses");
                let parameter = graph.value(of);
                graph.at_mut(block).parameters.push(parameter);
                SlotState::Held {
                    held: of.hold(parameter),
                    dirty,
                }
            }
        };
        (slot, state)
    });
    let mut inside = State::new(states.collect(), outside.frames);
    inside.entering = outside.entering;
    inside.calls = calls;
    inside
}
