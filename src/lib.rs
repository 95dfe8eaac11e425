//! Opline: a PHP 8.4 engine to embed.
//!
//! ```
//! use opline::Engine;
//!
//! let engine = Engine::new();
//! let script = engine.compile(b"<?php echo 'Hello, ', $argv[1] ?? 'world', \"\\n\";", "hello.php")?;
//! let mut vm = engine.vm();
//! vm.capture_output();
//! vm.run(&script)?;
//! assert_eq!(vm.take_output(), b"Hello, world\n");
//! # Ok::<(), opline::Error>(())
//! ```
//!
//! An [`Engine`] knows the native functions and compiles source text. A [`Script`] is immutable
//! and may be run by many VMs at once, on any threads. A [`Vm`] is one isolate: nothing is shared
//! between two of them, and it may move to another thread between runs.

mod argument;
mod compile;
mod engine;
mod error;
mod interrupter;
mod isolate;

pub use argument::Argument;
pub use engine::{Engine, Script};
pub use error::Error;
pub use interrupter::Interrupter;
pub use isolate::{STANDARD_INPUT, Vm};
pub use vm_runtime::limits::{CountingAllocator, end_process_beyond_limits, give_memory_back};

/// The version of PHP whose behaviour this engine has.
pub const PHP_VERSION: &str = "8.4.24";
