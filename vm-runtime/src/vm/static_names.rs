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
    const SIZE: usize = 128;
}

impl Vm {
    /// The string of a name that stands in the text of native code: made once, it lives as long as the VM.
    #[inline]
    pub fn static_name(&mut self, name: &'static str) -> &'static PhpString {
        let place = (name.as_ptr().addr() ^ name.len() << 4) % StaticNames::SIZE;
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
