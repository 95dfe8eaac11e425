//! Release builds are made with a profile (`profile/rustc`), which has to be the same for all crates of the engine: a
//! new one has this crate made anew, and so all that depend on it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../profile/release.profdata");
    // Elsewhere than in the project there is none.
    if std::path::Path::new(profile).exists() {
        println!("cargo::rerun-if-changed={profile}");
    }
}
