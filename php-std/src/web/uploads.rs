//! Files that came with a request.

use std::path::PathBuf;

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::standard::files::check_path;
use crate::standard::files::path;
use crate::support::functions;

functions! {
    "is_uploaded_file(string $filename): bool" => is_uploaded_file,
    "move_uploaded_file(string $from, string $to): bool" => move_uploaded_file,
}

/// The temporary files of a request.
#[derive(Debug, Default)]
pub(crate) struct Uploads {
    pub(crate) files: Vec<PathBuf>,
}

impl Uploads {
    /// Removes those that nobody moved away.
    pub(crate) fn remove_all(&mut self) {
        for file in self.files.drain(..) {
            // It may be gone already.
            let _ = std::fs::remove_file(file);
        }
    }
}

fn is_uploaded(call: &mut Call<'_>) -> bool {
    let name = path(call.bytes(0));
    call.vm.extensions.state::<Uploads>().files.contains(&name)
}

fn is_uploaded_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    Ok(is_uploaded(call).into())
}

fn move_uploaded_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    if !is_uploaded(call) {
        return Ok(false.into());
    }
    let (from, to) = (path(call.bytes(0)), path(call.bytes(1)));
    let moved = std::fs::rename(&from, &to)
        .or_else(|_| limits::copy_file(&from, &to).and_then(|()| std::fs::remove_file(&from)));
    if moved.is_err() {
        let (from, to) = (from.display().to_string(), to.display().to_string());
        call.vm
            .function_warning(format!("Unable to move \"{from}\" to \"{to}\""));
        return Ok(false.into());
    }
    call.vm
        .extensions
        .state::<Uploads>()
        .files
        .retain(|file| *file != from);
    Ok(true.into())
}
