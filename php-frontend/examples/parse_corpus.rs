//! Parses every `.php` file under a folder: prints failures and the speed.
//!
//! `cargo run --release -p php-frontend --example parse_corpus -- DIR [--quiet | --hex]`
//!
//! With `--hex` messages are printed as hexadecimal, for tools that compare them byte by byte.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bumpalo::Bump;
use php_frontend::lexer::tokenize;
use php_frontend::{ParseErrorKind, ParseOptions, parse};

/// How often everything is read; the fastest round counts.
const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let option = arguments.next().unwrap_or_default();
    let (quiet, hexadecimal) = (option == "--quiet", option == "--hex");
    let mut paths = Vec::new();
    collect(Path::new(&folder), &mut paths)?;
    paths.sort();
    let sources: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let bytes: usize = sources.iter().map(Vec::len).sum();
    let options = ParseOptions::default();

    let mut failures = 0;
    let mut arena = Bump::new();
    for (path, source) in paths.iter().zip(&sources) {
        arena.reset();
        if let Err(error) = parse(&arena, source, options) {
            failures += 1;
            let kind = match error.kind {
                ParseErrorKind::Syntax => "Parse error",
                ParseErrorKind::Compile => "Fatal error",
            };
            if !quiet {
                let message = match hexadecimal {
                    true => error
                        .message
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect(),
                    false => String::from_utf8_lossy(&error.message).into_owned(),
                };
                println!("{}\t{kind}: {message}\t{}", path.display(), error.line);
            }
        }
    }
    let lexing = fastest(|| {
        for source in &sources {
            std::hint::black_box(tokenize(source, &options));
        }
    });
    let parsing = fastest(|| {
        for source in &sources {
            arena.reset();
            let _ = std::hint::black_box(parse(&arena, source, options));
        }
    });
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    eprintln!("{} files, {bytes} bytes, {failures} failures", paths.len());
    eprintln!(
        "lexer {:.0} MB/s, lexer and parser {:.0} MB/s",
        speed(lexing),
        speed(parsing)
    );
    Ok(())
}

fn fastest(mut round: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed());
    }
    best
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_file() {
        paths.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "php") {
            paths.push(path);
        }
    }
    Ok(())
}
