//! `glob://`: a directory of the files that a pattern finds.

use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::super::directory::{Listing, Names};
use super::super::glob::find_by_pattern;
use super::super::path::base_name;
use super::{Opened, Request, Wrapper};

/// The names `glob://...`.
#[derive(Debug)]
pub(super) struct GlobWrapper;

impl Wrapper for GlobWrapper {
    fn label(&self) -> &'static str {
        "glob"
    }

    fn open(&self, _vm: &mut Vm, _request: &Request<'_>) -> PhpResult<Opened> {
        Ok(Err("wrapper does not support stream open".into()))
    }

    fn list(
        &self,
        _vm: &mut Vm,
        name: &[u8],
        _context: Option<&Value>,
    ) -> PhpResult<Result<Box<dyn Listing>, std::io::Error>> {
        let pattern = pattern(name);
        let found = find_by_pattern(pattern, 0).unwrap_or_default();
        let names = found.iter().map(|name| base_name(name).to_vec()).collect();
        Ok(Ok(Box::new(Names::new(names))))
    }
}

/// The pattern in a name, with or without the scheme.
pub(crate) fn pattern(name: &[u8]) -> &[u8] {
    match name.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case(b"glob://") => &name[7..],
        _ => name,
    }
}
