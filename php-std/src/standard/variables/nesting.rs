//! What calls of `serialize` and `unserialize` inside the methods of a `Serializable` class share
//! with the call that they are part of: the numbers of values. Methods that are called otherwise
//! (`__serialize`, `__sleep`, `__unserialize`, `__wakeup`) start anew.

use vm_runtime::vm::Vm;

use super::serialize::Serializer;
use super::unserialize::Context;

/// States that are lent to calls inside, at most one for each fiber: in a fiber calls end in the
/// order that lends and gives back.
struct Lent<T>(Vec<(usize, T)>);

impl<T> Default for Lent<T> {
    fn default() -> Lent<T> {
        Lent(Vec::new())
    }
}

/// Takes the state that is lent to calls of the running fiber.
pub(super) fn lent<T: 'static>(vm: &mut Vm) -> Option<T> {
    let fiber = vm.fiber.addr();
    let states = &mut vm.extensions.state::<Lent<T>>().0;
    let place = states.iter().position(|(owner, _)| *owner == fiber)?;
    Some(states.swap_remove(place).1)
}

/// Lends a state to calls of the running fiber.
pub(super) fn lend<T: 'static>(vm: &mut Vm, state: T) {
    let fiber = vm.fiber.addr();
    vm.extensions.state::<Lent<T>>().0.push((fiber, state));
}

/// Runs a method whose calls have numbers of their own.
pub(super) fn apart<T>(vm: &mut Vm, run: impl FnOnce(&mut Vm) -> T) -> T {
    let (serializer, context) = (lent::<Serializer>(vm), lent::<Context>(vm));
    let result = run(vm);
    if let Some(serializer) = serializer {
        lend(vm, serializer);
    }
    if let Some(context) = context {
        lend(vm, context);
    }
    result
}
