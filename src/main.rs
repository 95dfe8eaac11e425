//! The `opline` command, compatible with `php`.

mod cli;

/// Memory that native code takes counts against a script's limit, too.
#[global_allocator]
static ALLOCATOR: opline::CountingAllocator = opline::CountingAllocator;

fn main() -> std::process::ExitCode {
    opline::end_process_beyond_limits();
    opline::give_memory_back();
    cli::run(std::env::args_os().skip(1).collect())
}
