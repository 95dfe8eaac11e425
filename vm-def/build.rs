//! Release builds are made with a profile (`profile/rustc`), which has to be the same for all crates of the engine: a
//! new one has this crate made anew, and so all that depend on it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../profile");
    // Elsewhere than in the project there is none.
    if std::path::Path::new(folder).exists() {
        println!("cargo::rerun-if-changed={folder}");
    }
}
