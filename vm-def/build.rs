//! Release builds are made with a profile (`profile/rustc`), which has to be the same for all crates of the engine: a
//! new one has this crate made anew, and so all that depend on it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Elsewhere than in the project there are none.
    for file in ["release.profdata", "rustc"] {
        let file = format!("{}/../profile/{file}", env!("CARGO_MANIFEST_DIR"));
        if std::path::Path::new(&file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
}
