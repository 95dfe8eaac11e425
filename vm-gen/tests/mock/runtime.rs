//! The smallest runtime that the generated interpreter can be built against: values without
//! allocation, frames, operators. `tests/mock.rs` builds it with the generator's output and runs it.
#![allow(missing_docs)]

mod frame {
    use crate::op::Op;
    use crate::value::Zval;

    #[repr(C)]
    pub struct Frame {
        pub opline: *const Op,
        pub this: Zval,
        pub slots: [Zval; 16],
    }
}

mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

mod interpreter;
mod op;
mod operators;
mod program;
#[cfg(test)]
mod testing;
mod value;

mod vm {
    use crate::frame::Frame;
    use crate::op::Op;

    pub struct Vm {
        pub stopped_at: *const Op,
        pub current_frame: *mut Frame,
        pub interrupt: bool,
        pub interrupts: u32,
        pub freed: u32,
        pub warnings: u32,
        pub slow_calls: u32,
        pub throw: bool,
    }

    impl Default for Vm {
        fn default() -> Vm {
            Vm {
                stopped_at: core::ptr::null(),
                current_frame: core::ptr::null_mut(),
                interrupt: false,
                interrupts: 0,
                freed: 0,
                warnings: 0,
                slow_calls: 0,
                throw: false,
            }
        }
    }
}

fn main() {
    program::run();
    println!("mock: ok");
}
