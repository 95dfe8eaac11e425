//! `cli_set_process_title()`: what the system shows as the program's command line.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{functions, text};

functions! {
    "cli_set_process_title(string $title): bool" => set_title,
    "cli_get_process_title(): ?string" => title,
}

/// The title that the script chose.
#[derive(Debug, Default)]
struct Title(Option<Vec<u8>>);

/// Where the arguments of the program lie in its memory.
fn arguments() -> Option<(usize, usize)> {
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold spaces.
    let fields = status.rsplit_once(')')?.1;
    let mut fields = fields.split_ascii_whitespace().skip(45);
    let start = fields.next()?.parse().ok()?;
    let end = fields.next()?.parse().ok()?;
    (start < end).then_some((start, end))
}

fn set_title(call: &mut Call<'_>) -> PhpResult<Value> {
    let title = call.bytes(0).to_vec();
    let Some((start, end)) = arguments() else {
        return Ok(false.into());
    };
    let room = end - start;
    // The last byte ends the text.
    let shown = &title[..title.len().min(room - 1)];
    // SAFETY: the system says that the arguments, which the program may write to, lie there; the
    // command has read them.
    unsafe {
        let target = std::ptr::with_exposed_provenance_mut::<u8>(start);
        std::ptr::write_bytes(target, 0, room);
        std::ptr::copy_nonoverlapping(shown.as_ptr(), target, shown.len());
    }
    call.vm.extensions.state::<Title>().0 = Some(title);
    Ok(true.into())
}

fn title(call: &mut Call<'_>) -> PhpResult<Value> {
    let title = call.vm.extensions.state::<Title>().0.clone();
    text(call.vm, title.unwrap_or_default())
}
