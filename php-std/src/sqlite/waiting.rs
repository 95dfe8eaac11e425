//! SQLite waits for databases that others have locked: limits of the script hold meanwhile.
//!
//! How long it waits is decided by SQLite, whoever says so (`busyTimeout()`, an attribute or a pragma), in many short
//! sleeps, which are ours.

use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr::null;
use std::sync::Once;
use std::time::Duration;

use super::{Database, sys};

thread_local! {
    /// The databases that are asked to work, the innermost one last.
    static WORKING: RefCell<Vec<*const Database>> = const { RefCell::new(Vec::new()) };
}

/// A database that is asked to work, until this is dropped.
pub(super) struct Working<'d>(&'d Database);

impl Working<'_> {
    pub(super) fn begin(database: &Database) -> Working<'_> {
        WORKING.with_borrow_mut(|working| working.push(database));
        Working(database)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let is_at_work = WORKING.with_borrow_mut(|working| {
            working.pop();
            working.contains(&std::ptr::from_ref(self.0))
        });
        if !is_at_work && self.0.hurried.take() {
            self.0.set_timeout(self.0.timeout.get());
        }
    }
}

/// Stands in for the sleep of SQLite's ways to the system.
unsafe extern "C" fn sleep(_: *mut sys::sqlite3_vfs, microseconds: c_int) -> c_int {
    let time = Duration::from_micros(microseconds.max(0) as u64);
    let working = WORKING.with_borrow(Vec::clone);
    let Some(&database) = working.last() else {
        std::thread::sleep(time);
        return microseconds;
    };
    // SAFETY: a database outlives what it is asked to do.
    if unsafe { &*database }.guarded(|vm| vm.wait(time)).is_none() {
        // The script ends: nobody waits any longer. Each is asked to try again, and gives up.
        for database in working {
            // SAFETY: as above; its handle is open.
            unsafe {
                (*database).hurried.set(true);
                sys::sqlite3_busy_timeout((*database).handle(), 0);
            }
        }
    }
    microseconds
}

/// Tells SQLite how to sleep, before a database is opened for the first time.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite's own structures, which live as long as the process and can be written to; no other thread has
        // got to them before this is done.
        unsafe {
            let mut vfs = sys::sqlite3_vfs_find(null());
            while let Some(way) = vfs.as_mut() {
                way.xSleep = Some(sleep);
                vfs = way.pNext;
            }
        }
    });
}
