//! Properties of the outputs of the standard definitions.

use vm_def::ir::Lowering;
use vm_gen::{Analysis, Kind, Options, Outputs, analyse, generate, reference, sources};

fn standard() -> Analysis {
    match analyse(&sources::standard()) {
        Ok(analysis) => analysis,
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

fn outputs(kind: Kind) -> Outputs {
    generate(&Options::new(kind)).expect("the definitions are right")
}

#[test]
fn same_input_gives_the_same_bytes() {
    let (first, second) = (outputs(Kind::Tail), outputs(Kind::Tail));
    for (first, second) in first.files.iter().zip(&second.files) {
        assert_eq!(first.name, second.name);
        assert!(first.text == second.text, "{} differs", first.name);
    }
}

#[test]
fn every_file_is_rust() {
    for kind in [Kind::Tail, Kind::Call] {
        for file in outputs(kind).files {
            assert!(!file.text.contains("compile_error!"), "{}", file.name);
        }
    }
}

#[test]
fn lowerings_are_read_back() {
    let analysis = standard();
    let mut clauses = 0;
    for opcode in &analysis.definitions.opcodes {
        let name = &opcode.name.value;
        for planned in analysis.plan.generic(name) {
            let lowering = &planned.lowering;
            let text = lowering.to_string();
            assert_eq!(
                Lowering::parse(&text).as_ref(),
                Ok(lowering),
                "{name}:\n{text}"
            );
            clauses += lowering.clauses.len();
        }
    }
    assert!(clauses > 500, "{clauses} clauses");
}

#[test]
fn reference_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/opcodes.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let stale = committed != reference(&standard());
    assert!(
        !stale,
        "docs/opcodes.md is stale: run `cargo run -p vm-gen -- docs`"
    );
}

/// The examples are PHP, so PHP itself must print what they say.
#[test]
#[ignore = "needs PHP 8.4, which OPLINE_ORACLE names; .ci/run has it run where there is one"]
fn examples_are_right() {
    let oracle = std::env::var_os("OPLINE_ORACLE").expect("OPLINE_ORACLE names PHP 8.4");
    let mut wrong = Vec::new();
    for opcode in &standard().definitions.opcodes {
        for example in &opcode.documentation.examples {
            let output = std::process::Command::new(&oracle)
                .args([
                    "-n",
                    "-d",
                    "display_errors=1",
                    "-d",
                    "html_errors=0",
                    "-r",
                    &example.code,
                ])
                .output()
                .expect("the oracle runs");
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            if words(&printed) != words(&example.expected) {
                wrong.push(format!("{}: printed {printed:?}", opcode.name.value));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
