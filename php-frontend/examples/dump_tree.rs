//! Prints the tree of a file.
#![allow(missing_docs)]

use bumpalo::Bump;
use php_frontend::{ParseOptions, ast, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: dump_tree FILE")?;
    let source = std::fs::read(path)?;
    let arena = Bump::new();
    println!(
        "{}",
        ast::dump(&parse(&arena, &source, ParseOptions::default())?)
    );
    Ok(())
}
