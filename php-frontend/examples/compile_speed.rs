//! How fast sources compile: `compile_speed TABLE SECONDS FILE...` prints megabytes a second of
//! parsing alone and of the whole.

#[path = "../tests/world/mod.rs"]
mod world;

use std::time::{Duration, Instant};

use php_frontend::{CompileOptions, ParseOptions, compile, parse};
use vm_runtime::op_array::LiteralPool;

fn rate(sources: &[Vec<u8>], limit: Duration, mut run: impl FnMut(&[u8])) -> f64 {
    let size: usize = sources.iter().map(Vec::len).sum();
    let mut best = f64::MAX;
    let start = Instant::now();
    while start.elapsed() < limit || best == f64::MAX {
        let round = Instant::now();
        sources.iter().for_each(|source| run(source));
        best = best.min(round.elapsed().as_secs_f64());
    }
    size as f64 / best / 1e6
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let table = arguments
        .next()
        .and_then(|path| std::fs::read_to_string(path).ok());
    let seconds = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2.0);
    let limit = Duration::from_secs_f64(seconds);
    let mut pool = LiteralPool::new();
    let world = world::load(&table.unwrap_or_default(), &mut pool);
    let options = CompileOptions::new(&world);
    let sources: Vec<Vec<u8>> = arguments
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    let sources: Vec<Vec<u8>> = sources
        .into_iter()
        .filter(|source| compile(source, b"f.php", &options).is_ok())
        .collect();
    let parsing = rate(&sources, limit / 4, |source| {
        let arena = bumpalo::Bump::new();
        let _ = parse(&arena, source, ParseOptions::default());
    });
    let whole = rate(&sources, limit, |source| {
        let _ = compile(source, b"f.php", &options);
    });
    println!(
        "{} files, parsing {parsing:.1} MB/s, compiling {whole:.1} MB/s",
        sources.len()
    );
}
