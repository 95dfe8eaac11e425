//! Makes the tables for syntax error messages from `src/grammar/php.grammar`.

mod emit;
mod grammar;
mod lalr;
#[path = "../src/lexer/tokens.rs"]
#[allow(dead_code)]
mod tokens;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/grammar/php.grammar");
    println!("cargo::rerun-if-changed=src/lexer/tokens.rs");
    let text = std::fs::read_to_string("src/grammar/php.grammar")?;
    let grammar = grammar::parse(&text)?;
    let tables = lalr::build(&grammar);
    for conflict in &tables.conflicts {
        println!("cargo::warning=php.grammar: {conflict}");
    }
    let folder = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    std::fs::write(
        Path::new(&folder).join("error_tables.rs"),
        emit::emit(&grammar, &tables),
    )?;
    Ok(())
}
