//! Names that stand in the text of native code, as strings of a VM.

use crate::string::PhpString;
use crate::vm::Vm;

/// Strings by the address of the text that they were made of. One in the way of another is replaced and
/// looked up again.
#[derive(Debug)]
pub(crate) struct StaticNames {
    entries: Box<[(&'static str, *mut PhpString); StaticNames::SIZE]>,
}

impl Default for StaticNames {
    fn default() -> StaticNames {
        StaticNames {
            entries: Box::new([("", std::ptr::null_mut()); StaticNames::SIZE]),
        }
    }
}

impl StaticNames {
    const SIZE: usize = 512;

    /// Where a name has its place. Names that are used together mostly stand side by side.
    #[inline]
    fn place(name: &'static str) -> usize {
        let mixed = (name.as_ptr().addr() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 55) as usize % StaticNames::SIZE
    }
}

impl Vm {
    /// The string of a name that stands in the text of native code: made once, it lives as long as the VM.
    #[inline]
    pub fn static_name(&mut self, name: &'static str) -> &'static PhpString {
        let place = StaticNames::place(name);
        let (known, string) = self.static_names.entries[place];
        let string = if std::ptr::eq(known, name) && !string.is_null() {
            string
        } else {
            let string = self.names.string(name.as_bytes());
            self.static_names.entries[place] = (name, string);
            string
        };
        // SAFETY: I4: names live until the VM ends, which whoever asks for one outlives.
        unsafe { &*string }
    }
}
