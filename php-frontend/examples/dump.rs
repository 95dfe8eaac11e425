//! Dumps the op arrays of files: `dump TABLE FILE...`, with the engine's functions, classes and
//! constants in the table that `tests/dump_agreement/compare_dumps.py` makes.

#[path = "../tests/world/mod.rs"]
mod world;

use std::io::Write;

use php_frontend::{CompileOptions, compile};
use vm_runtime::op_array::LiteralPool;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut pool = LiteralPool::new();
    let table = arguments
        .next()
        .and_then(|path| std::fs::read_to_string(path).ok());
    let table = world::load(&table.unwrap_or_default(), &mut pool);
    let mut options = CompileOptions::new(&table);
    options.skip_shebang = true;
    let mut output = std::io::stdout().lock();
    for path in arguments {
        let Ok(source) = std::fs::read(&path) else {
            continue;
        };
        let result = compile(&source, path.as_bytes(), &options);
        let text = match &result {
            Ok(compiled) => vm_runtime::dump::script(&compiled.script),
            Err(error) => {
                let message = String::from_utf8_lossy(&error.message);
                let kind = if error.is_syntax { "Parse" } else { "Fatal" };
                format!("{kind} error: {message} in {path} on line {}\n", error.line)
            }
        };
        let diagnostics = match &result {
            Ok(compiled) => &compiled.diagnostics,
            Err(error) => &error.diagnostics,
        };
        let mut head = format!("@@ {path}\n");
        for diagnostic in diagnostics {
            head.push_str(&format!(
                "{:?}: {} in {path} on line {}\n",
                diagnostic.severity,
                String::from_utf8_lossy(&diagnostic.message),
                diagnostic.line
            ));
        }
        if output
            .write_all(head.as_bytes())
            .and_then(|()| output.write_all(text.as_bytes()))
            .is_err()
        {
            return;
        }
    }
}
