//! One folder in `cases/` for each rule of the language: `pass.vmdef` is accepted, and what its
//! handlers expand to is a snapshot; `fail.vmdef` is refused, and the rendered errors are a snapshot.

use std::path::{Path, PathBuf};

use vm_gen::{Kind, Options, Source, generate};

/// What every case may rely on.
const PRELUDE: &str = "/// Goes on after an interrupt.\n\
    helper interrupt_helper { slow handler crate::interpreter::interrupt; }\n";

fn cases() -> Vec<(String, PathBuf)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<(String, PathBuf)> = std::fs::read_dir(directory)
        .expect("the folder exists")
        .map(|entry| entry.expect("readable").path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                path,
            )
        })
        .collect();
    cases.sort();
    cases
}

fn options(path: &Path, name: &str) -> Options {
    let text =
        std::fs::read_to_string(path.join(format!("{name}.vmdef"))).expect("the file exists");
    let sources = vec![Source::new("prelude", PRELUDE), Source::new(name, &text)];
    Options {
        kind: Kind::Tail,
        sources,
    }
}

fn snapshots() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn accepted_and_expanded() {
    for (name, path) in cases() {
        let outputs = match generate(&options(&path, "pass")) {
            Ok(outputs) => outputs,
            Err(diagnostics) => panic!("{name}/pass.vmdef:\n{diagnostics}"),
        };
        let handlers = &outputs
            .file("handlers_pass.rs")
            .expect("a file for each family")
            .text;
        // Without the header, which has a hash, and the imports, which are always the same.
        let start = handlers.find("///").unwrap_or(handlers.len());
        assert!(!handlers.contains("compile_error"), "{name}:\n{handlers}");
        snapshots()
            .bind(|| insta::assert_snapshot!(format!("{name}__expansion"), &handlers[start..]));
    }
}

#[test]
fn refused_with_an_explanation() {
    for (name, path) in cases() {
        match generate(&options(&path, "fail")) {
            Ok(_) => panic!("{name}/fail.vmdef is accepted"),
            Err(diagnostics) => {
                let text = diagnostics.to_string();
                snapshots().bind(|| insta::assert_snapshot!(format!("{name}__error"), text));
            }
        }
    }
}
