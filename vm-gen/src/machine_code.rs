//! The machine code of handlers, by `nm` and `objdump`.

use std::path::Path;
use std::process::Command;

/// The code of these handlers in a binary with symbols.
///
/// # Errors
///
/// Says what is missing: the binary, a tool, or the handlers.
pub fn of(binary: &Path, functions: &[&str]) -> Result<String, String> {
    let shown = binary.display();
    if !binary.exists() {
        return Err(format!(
            "{shown} is not there: build it with `cargo build --release`"
        ));
    }
    let symbols = run("nm", &["-S", &shown.to_string()])?;
    let mut text = String::new();
    for function in functions {
        // Mangled names hold the length of each part in front of it.
        let part = format!("{}{function}17h", function.len());
        let line = symbols
            .lines()
            .find(|line| line.contains(&part) && line.contains("handlers"));
        let range = line.and_then(|line| {
            let mut words = line.split_whitespace();
            let mut next = || u64::from_str_radix(words.next()?, 16).ok();
            Some((next()?, next()?))
        });
        let Some((start, size)) = range else {
            text.push_str(&format!(
                "{function}: not in {shown} (inlined, or merged with another)\n"
            ));
            continue;
        };
        let (start, stop) = (
            format!("--start-address={start:#x}"),
            format!("--stop-address={:#x}", start + size),
        );
        let path = shown.to_string();
        let arguments = [
            "-d",
            "--demangle",
            "--no-show-raw-insn",
            &start,
            &stop,
            &path,
        ];
        let listing = run("objdump", &arguments)?;
        let code = listing.find(">:\n").map_or("", |at| &listing[at + 3..]);
        text.push_str(&format!("{function}:\n{}\n", code.trim_end()));
    }
    Ok(text)
}

fn run(tool: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(tool)
        .args(arguments)
        .output()
        .map_err(|error| format!("{tool}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
