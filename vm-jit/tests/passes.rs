//! What each pass makes of a graph: `passes/PASS/CASE.graph` is read, run through the pass of that name, and
//! compared with a snapshot.

use std::fs;
use std::path::Path;

use vm_jit::graph::{parse, verify};
use vm_jit::passes;

#[test]
fn passes_do_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let mut cases = 0;
    for folder in fs::read_dir(&root).unwrap() {
        let folder = folder.unwrap().path();
        let pass = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let case = file.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&file).unwrap();
            let mut graph =
                parse(&text).unwrap_or_else(|| panic!("{} is no graph", file.display()));
            assert_eq!(
                graph.to_string(),
                text,
                "{} is printed as it is read",
                file.display()
            );
            verify(&graph).unwrap();
            assert!(passes::run(&pass, &mut graph), "there is no pass {pass}");
            insta::with_settings!({ prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(format!("{pass}__{case}"), graph.to_string());
            });
            cases += 1;
        }
    }
    assert!(cases >= 8, "{cases} cases");
}
