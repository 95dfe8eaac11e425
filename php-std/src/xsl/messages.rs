//! Warnings, in libxslt's words.

use vm_runtime::vm::{PhpResult, Vm};

use super::stylesheet::Origin;
use crate::libxml;

/// Shows a line, or keeps it if the script collects errors.
pub(super) fn tell(vm: &mut Vm, message: &str) -> PhpResult<()> {
    vm.check()?;
    libxml::report_line(vm, message)
}

/// Shows where something is wrong.
pub(super) fn at(vm: &mut Vm, what: &str, origin: &Origin) -> PhpResult<()> {
    let mut line = String::from(what);
    line.push(':');
    if let Some(file) = &origin.file {
        line.push_str(" file ");
        line.push_str(&String::from_utf8_lossy(file));
        if origin.line != 0 {
            line.push_str(&format!(" line {}", origin.line));
        }
    }
    if let Some(element) = &origin.element {
        line.push_str(" element ");
        line.push_str(&String::from_utf8_lossy(element));
    }
    tell(vm, &line)
}
