//! How fast source text becomes op arrays, on one core:
//! `cargo run --release --example compile_corpus -- DIR`.
//!
//! Everything under the folder that ends in `.php` is read first, then compiled three times; the
//! fastest round counts. Files that do not compile are counted, with their bytes.

use std::path::Path;
use std::time::{Duration, Instant};

use opline::Engine;

fn main() -> std::io::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| String::from("examples"));
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    let bytes: usize = files.iter().map(|(_, source)| source.len()).sum();
    let engine = Engine::new();
    let mut fastest = Duration::MAX;
    let mut failures = 0;
    for _ in 0..3 {
        failures = 0;
        let start = Instant::now();
        for (name, source) in &files {
            failures += usize::from(std::hint::black_box(engine.compile(source, name)).is_err());
        }
        fastest = fastest.min(start.elapsed());
    }
    println!(
        "{} files, {:.1} MB, {failures} do not compile: {:.1} MB/s",
        files.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / fastest.as_secs_f64()
    );
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "php") {
            files.push((path.display().to_string(), std::fs::read(&path)?));
        }
    }
    Ok(())
}
