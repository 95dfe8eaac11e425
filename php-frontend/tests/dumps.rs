//! The op arrays of small sources, opcode for opcode and operand for operand those of PHP 8.4.
//!
//! `tests/dumps/*.dump` are written by `tests/dump_agreement/write_expected.py` from the reference.

mod world;

use std::collections::BTreeMap;
use std::path::Path;

use php_frontend::{CompileOptions, compile};
use vm_runtime::op_array::LiteralPool;

/// Op arrays by name; those of the same name are counted.
fn by_name(dump: &str) -> BTreeMap<String, String> {
    let mut arrays: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::new();
    let mut lines = dump.lines().peekable();
    while let Some(line) = lines.next() {
        let begins = lines
            .peek()
            .is_some_and(|next| next.starts_with("     ; (lines="));
        if begins && line.ends_with(':') {
            name = line.to_owned();
            while arrays.contains_key(&name) {
                name.push('\'');
            }
            arrays.insert(name.clone(), String::new());
        } else if let Some(text) = arrays.get_mut(&name)
            && !line.is_empty()
        {
            text.push_str(line);
            text.push('\n');
        }
    }
    arrays
}

fn check(case: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dumps");
    let read = |name: String| std::fs::read_to_string(directory.join(name)).unwrap();
    let mut pool = LiteralPool::new();
    let table = world::load(&read(String::from("world.txt")), &mut pool);
    let name = format!("{case}.php");
    let source = read(name.clone());
    let options = CompileOptions::new(&table);
    let compiled = compile(source.as_bytes(), name.as_bytes(), &options).unwrap();
    // The reference was asked elsewhere.
    let here = format!("{:?}", std::env::current_dir().unwrap());
    let dump = vm_runtime::dump::script(&compiled.script);
    let actual = by_name(&dump.replace(&here, "\".\""));
    let expected = by_name(&read(format!("{case}.dump")));
    assert!(!expected.is_empty());
    for (name, text) in &expected {
        assert_eq!(actual.get(name), Some(text), "{case}: {name}");
    }
}

macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        $(
            #[test]
            fn $case() {
                check(stringify!($case));
            }
        )+
    };
}

cases!(
    calls, classes, closures, control, generators, lists, namespaces, operators, strings,
    variables,
);
