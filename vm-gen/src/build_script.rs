//! What a build script does with the generator.

use std::path::{Path, PathBuf};

use crate::{Diagnostics, Kind, Outputs, analyse, check_runtime, emit, sources};

/// Chooses the dispatch kind, generates into `OUT_DIR` and tells cargo what the result depends on.
/// Mistakes in the definitions are printed and end the build. With `VM_GEN_OUT` set, a readable copy
/// is written to that directory as well.
pub fn run() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["OPLINE_DISPATCH", "VM_GEN_OUT"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let kind = dispatch_kind();
    println!("cargo:rustc-check-cfg=cfg(opline_dispatch, values(\"tail\", \"call\"))");
    let word = if kind == Kind::Tail { "tail" } else { "call" };
    println!("cargo:rustc-cfg=opline_dispatch=\"{word}\"");
    // The generated tests need a harness; without one they are left out. (Cargo takes a file that
    // does not exist for one that always changes, so it is named only if it is there.)
    println!("cargo:rustc-check-cfg=cfg(opline_clause_tests)");
    if PathBuf::from("src/testing").exists() {
        println!("cargo:rerun-if-changed=src/testing");
        println!("cargo:rustc-cfg=opline_clause_tests");
    }
    let outputs = generate(kind).unwrap_or_else(|diagnostics| {
        eprintln!("{diagnostics}");
        std::process::exit(1);
    });
    let directories =
        ["OUT_DIR", "VM_GEN_OUT"].map(|name| std::env::var_os(name).map(PathBuf::from));
    for directory in directories.into_iter().flatten() {
        if let Err(error) = outputs.write_to(&directory) {
            eprintln!("can't write to {}: {error}", directory.display());
            std::process::exit(1);
        }
    }
}

/// Everything, for the crate whose build script this is: it must have what slow paths name.
fn generate(kind: Kind) -> Result<Outputs, Diagnostics> {
    let analysis = analyse(&sources::standard())?;
    check_runtime(&analysis, Path::new("src"))?;
    Ok(emit::emit(&analysis, kind))
}

/// `OPLINE_DISPATCH`, or what the target can do: tail calls need optimisation.
fn dispatch_kind() -> Kind {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    match variable("OPLINE_DISPATCH").as_str() {
        "tail" => return Kind::Tail,
        "call" => return Kind::Call,
        "" => {}
        other => println!("cargo:warning=OPLINE_DISPATCH={other} is neither tail nor call"),
    }
    let optimised = !matches!(variable("OPT_LEVEL").as_str(), "0" | "");
    let target = variable("CARGO_CFG_TARGET_ARCH");
    if optimised && matches!(target.as_str(), "x86_64" | "aarch64") {
        Kind::Tail
    } else {
        Kind::Call
    }
}
