//! The status that was found last, which PHP takes for that of the same name until something may have changed it.

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::status::Status;

/// What is known of the name that was asked for last.
#[derive(Debug, Default)]
struct Place {
    /// Empty if nothing is known.
    name: Vec<u8>,
    status: Status,
    /// [`limits::file_accesses`] when it was found.
    accesses: u64,
}

impl Place {
    fn fill(&mut self, name: &[u8], status: Status) {
        self.name.clear();
        self.name.extend_from_slice(name);
        (self.status, self.accesses) = (status, limits::file_accesses());
    }
}

#[derive(Debug, Default)]
struct KnownStatus {
    /// Where links lead, and of links themselves.
    places: [Place; 2],
}

/// What is known of a name, of a link itself if `link`, and still holds: no file was opened, read or written since.
pub(super) fn known_status(vm: &mut Vm, name: &[u8], link: bool) -> Option<Status> {
    let place = &vm.extensions.state::<KnownStatus>().places[usize::from(link)];
    let holds = *place.name == *name && !name.is_empty();
    (holds && place.accesses == limits::file_accesses()).then_some(place.status)
}

/// Remembers what was found. What is no link has the same status both ways.
pub(super) fn remember_status(vm: &mut Vm, name: &[u8], link: bool, status: Status) {
    let places = &mut vm.extensions.state::<KnownStatus>().places;
    places[usize::from(link)].fill(name, status);
    if link && !status.is(libc::S_IFLNK) {
        places[0].fill(name, status);
    }
}

/// Forgets what is known: it was changed, or `clearstatcache()` asks for it.
pub(super) fn forget_status(vm: &mut Vm) {
    for place in &mut vm.extensions.state::<KnownStatus>().places {
        place.name.clear();
    }
}

/// Forgets what is known of names that mean another file in another working directory.
pub(super) fn forget_relative_status(vm: &mut Vm) {
    for place in &mut vm.extensions.state::<KnownStatus>().places {
        if !place.name.starts_with(b"/") {
            place.name.clear();
        }
    }
}
