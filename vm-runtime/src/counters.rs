//! Counts which paths of the handlers run, for measuring how far the definition reaches: handlers call it in builds with
//! the feature `counters` and in debug builds. With `OPLINE_COUNTERS` in the environment a thread reports on standard error when
//! it ends: shares of the oplines that it executed, and if the variable says `places` also what was left
//! to slower paths, and where.

#![allow(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::frame::Frame;
use crate::generated::opcode::Opcode;
use crate::interpreter::operand;
use crate::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_VAR, Op};
use crate::value::{INDIRECT, REFERENCE};

/// What was entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    /// A handler chosen by operand kinds.
    Operands,
    /// A handler chosen by the types of its operands, too.
    Types,
    /// What a handler leaves to a middle path.
    Middle,
    /// The slow path.
    Slow,
}

/// An opcode's path with the type numbers of its operands.
type Row = (Path, u8, [u8; 2]);

/// What this thread has counted.
struct Counted {
    /// Oplines that ran, and those whose handler is nothing but the slow path.
    executed: u64,
    bare: u64,
    /// Entries into each path.
    entered: [u64; 4],
    /// The opline whose handler was entered last, if it has not left for another path.
    last: *const Op,
    /// Where time goes, if it is asked for: costs a look-up for each opline.
    detail: Option<Detail>,
}

#[derive(Default)]
struct Detail {
    rows: HashMap<Row, u64>,
    places: HashMap<(String, u32, u8), u64>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.report();
    }
}

/// The kind of report that is asked for.
fn wanted() -> Option<String> {
    std::env::var("OPLINE_COUNTERS").ok()
}

thread_local! {
    static WANTED: Cell<bool> = Cell::new(wanted().is_some());
    static COUNTED: RefCell<Counted> = RefCell::new(Counted {
        executed: 0,
        bare: 0,
        entered: [0; 4],
        last: std::ptr::null(),
        detail: (wanted().as_deref() == Some("places")).then(Detail::default),
    });
}

/// Counts a path.
///
/// # Safety
/// The opline is being executed in the frame.
pub unsafe fn enter(path: Path, frame: *mut Frame, opline: *const Op) {
    if !WANTED.get() {
        return;
    }
    // Destructors that run while the thread ends are not counted.
    let _ = COUNTED.try_with(|counted| {
        let Ok(mut counted) = counted.try_borrow_mut() else {
            return;
        };
        let counted = &mut *counted;
        counted.entered[path as usize] += 1;
        match path {
            Path::Operands | Path::Types => counted.executed += 1,
            Path::Slow if counted.last != opline => {
                counted.executed += 1;
                counted.bare += 1;
            }
            _ => {}
        }
        counted.last = if path == Path::Slow {
            std::ptr::null()
        } else {
            opline
        };
        if let Some(detail) = &mut counted.detail {
            detail.note(path, frame, opline);
        }
    });
}

impl Detail {
    unsafe fn note(&mut self, path: Path, frame: *mut Frame, opline: *const Op) {
        let op = &*opline;
        let kinds = [
            kind(frame, opline, op.op1_type, op.op1),
            kind(frame, opline, op.op2_type, op.op2),
        ];
        *self.rows.entry((path, op.opcode, kinds)).or_default() += 1;
        if path == Path::Slow {
            let function = &*(*frame).function;
            let place = (function.display_name(), op.lineno, op.opcode);
            *self.places.entry(place).or_default() += 1;
        }
    }

    /// The busiest middle and slow paths, and the lines of the busiest slow ones.
    fn report(&self) {
        const SHOWN: usize = 60;
        let name = |opcode: u8| Opcode::from_number(opcode).map_or("?", Opcode::name);
        let left = |row: &Row| matches!(row.0, Path::Middle | Path::Slow);
        let mut rows: Vec<_> = self.rows.iter().filter(|(row, _)| left(row)).collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for ((path, opcode, kinds), count) in rows.into_iter().take(SHOWN) {
            eprintln!("{count:10} {path:?} {} {kinds:?}", name(*opcode));
        }
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for ((function, line, opcode), count) in places.into_iter().take(SHOWN) {
            eprintln!("{count:10} {} {function}:{line}", name(*opcode));
        }
    }
}

/// The type number of an operand; 254 for none, with 128 added behind a reference or an INDIRECT.
unsafe fn kind(frame: *mut Frame, opline: *const Op, of: u8, field: u32) -> u8 {
    if !matches!(of, IS_CONST | IS_TMP_VAR | IS_VAR | IS_CV) {
        return 254;
    }
    let slot = operand::raw(frame, opline, of, field);
    match (*slot).kind() {
        REFERENCE => 64 + (*operand::deref(slot)).kind(),
        INDIRECT => 128 + (*operand::deref((*slot).indirect())).kind(),
        kind => kind,
    }
}

impl Counted {
    fn report(&self) {
        if self.executed == 0 {
            return;
        }
        let share = |part: u64| 100.0 * part as f64 / self.executed as f64;
        eprintln!(
            "executed {}, with a lowering {:.2} %, by types {:.2} %, middle {:.2} %, slow {:.2} %",
            self.executed,
            share(self.executed - self.bare),
            share(self.entered[Path::Types as usize]),
            share(self.entered[Path::Middle as usize]),
            share(self.entered[Path::Slow as usize]),
        );
        if let Some(detail) = &self.detail {
            detail.report();
        }
    }
}
