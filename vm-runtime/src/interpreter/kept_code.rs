//! What included files were compiled to, kept for files that are included again, as templates are.
//!
//! Most files are included once, and nothing is kept of those: only of what is included a second time. Then a file
//! is recognised by its [`FileIdentity`] and not read. One that was changed a moment ago is read, and recognised by
//! its text. What is kept is bounded, and what was not used for long goes first.

use std::path::Path;

use hashbrown::HashMap;

use crate::function::{Function, flags};
use crate::generated::Opcode;
use crate::op_array::{OpArray, Script};
use crate::vm::Vm;
use crate::vm::file_identity::FileIdentity;

/// Bytes that are kept at most, about.
const MOST_BYTES: usize = 4 << 20;
/// Which part of the memory limit that may be.
const PART_OF_LIMIT: usize = 16;

/// Settings that decide what source text is compiled to. (With `zend.multibyte` nothing is kept.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileSettings {
    /// `assert()` is compiled.
    pub assertions: bool,
    /// `<?` begins code.
    pub short_open_tag: bool,
    /// How floats become strings.
    pub precision: i32,
}

impl CompileSettings {
    /// Those of a VM.
    pub fn of(vm: &Vm) -> CompileSettings {
        CompileSettings {
            assertions: vm.ini.assertions >= 0,
            short_open_tag: vm.ini.short_open_tag,
            precision: vm.ini.precision as i32,
        }
    }
}

/// How a file is recognised.
#[derive(Debug)]
enum KnownBy {
    Identity(FileIdentity),
    Text(Box<[u8]>),
}

#[derive(Debug)]
struct Kept {
    known_by: KnownBy,
    settings: CompileSettings,
    script: Script,
    /// What it takes, about.
    bytes: usize,
    /// When it was used last: the number of that use.
    used: u64,
    /// The function may run again with what its runtime cache found.
    is_reusable: bool,
    /// The function that ran it last. It does not run now.
    idle: Option<Box<Function>>,
}

/// Top-level code that is about to run.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) script: Script,
    /// It may well run again.
    pub(crate) is_kept: bool,
    /// A function that ran it before.
    pub(crate) function: Option<Box<Function>>,
}

impl Code {
    /// Code that runs once.
    pub(crate) fn once(script: Script) -> Code {
        Code {
            script,
            is_kept: false,
            function: None,
        }
    }
}

/// The code of a VM's included files, by their canonical paths.
#[derive(Debug, Default)]
pub struct KeptCode {
    files: HashMap<Box<[u8]>, Kept, foldhash::fast::FixedState>,
    bytes: usize,
    uses: u64,
}

impl KeptCode {
    /// Forgets everything. What runs goes on.
    pub fn clear(&mut self) {
        self.files.clear();
        self.bytes = 0;
    }

    /// The code of a file that is kept and recognised.
    fn find(
        &mut self,
        path: &[u8],
        settings: CompileSettings,
        recognise: impl FnOnce(&mut Kept) -> bool,
    ) -> Option<Code> {
        if self.files.is_empty() {
            return None;
        }
        let kept = self.files.get_mut(path)?;
        if kept.settings != settings || !recognise(kept) {
            return None;
        }
        self.uses += 1;
        kept.used = self.uses;
        Some(Code {
            script: kept.script.clone(),
            is_kept: kept.is_reusable,
            function: kept.idle.take(),
        })
    }

    /// The code of a file, if it can be told without reading it.
    pub(crate) fn unread(&mut self, path: &[u8], settings: CompileSettings) -> Option<Code> {
        let found = self.find(path, settings, |kept| match &kept.known_by {
            KnownBy::Identity(known) => FileIdentity::of(path_of(path)) == Some(*known),
            KnownBy::Text(_) => false,
        });
        // PHP would have opened it.
        if found.is_some() {
            crate::limits::note_file_access();
        }
        found
    }

    /// The code of a file that was read. Gets the identity by which it can be recognised from now on, if it can.
    pub(crate) fn unchanged(
        &mut self,
        path: &[u8],
        settings: CompileSettings,
        source: &[u8],
        identity: Option<FileIdentity>,
    ) -> Option<Code> {
        let mut freed = 0;
        let found = self.find(path, settings, |kept| {
            let is_same = matches!(&kept.known_by, KnownBy::Text(known) if **known == *source);
            if is_same && let Some(identity) = identity {
                kept.known_by = KnownBy::Identity(identity);
                freed = source.len();
                kept.bytes -= freed;
            }
            is_same
        });
        self.bytes -= freed;
        found
    }

    /// Keeps the code of a file as far as there is room, of which `most` bytes may be used.
    pub(crate) fn keep(
        &mut self,
        path: &[u8],
        settings: CompileSettings,
        source: &[u8],
        identity: Option<FileIdentity>,
        script: &Script,
        most: usize,
    ) -> Code {
        self.remove(path);
        let known_by = match identity {
            Some(identity) => KnownBy::Identity(identity),
            None => KnownBy::Text(source.into()),
        };
        let text = match &known_by {
            KnownBy::Text(text) => text.len(),
            KnownBy::Identity(_) => 0,
        };
        let bytes = bytes_of(&script.main) + path.len() + text;
        if bytes > most {
            return Code::once(script.clone());
        }
        if self.bytes + bytes > most {
            self.forget_oldest(most - bytes);
        }
        self.uses += 1;
        self.bytes += bytes;
        let is_reusable =
            script.main.draft.static_variables.is_empty() && !asks_for_later(&script.main);
        let kept = Kept {
            known_by,
            settings,
            script: script.clone(),
            bytes,
            used: self.uses,
            is_reusable,
            idle: None,
        };
        self.files.insert(path.into(), kept);
        Code {
            script: script.clone(),
            is_kept: is_reusable,
            function: None,
        }
    }

    /// Forgets what was not used for longest, until it takes half of the room at most: that is not to be done again
    /// for each file.
    fn forget_oldest(&mut self, room: usize) {
        let mut ages: Vec<(u64, usize)> = self
            .files
            .values()
            .map(|kept| (kept.used, kept.bytes))
            .collect();
        ages.sort_unstable();
        let mut rest = self.bytes;
        let mut oldest = 0;
        for (used, bytes) in ages {
            if rest <= room / 2 {
                break;
            }
            rest -= bytes;
            oldest = used;
        }
        self.files.retain(|_, kept| kept.used > oldest);
        self.bytes = rest;
    }

    fn remove(&mut self, path: &[u8]) {
        if let Some(kept) = self.files.remove(path) {
            self.bytes -= kept.bytes;
        }
    }

    /// A function that ran kept code has come to its end: it will run the code the next time. Does nothing with
    /// one of code that is not kept any more, or that has another one waiting.
    pub(crate) fn give_back(&mut self, function: Box<Function>) {
        let Some(code) = &function.code else { return };
        // SAFETY: I4: the name of its file is a literal of the code.
        let path = unsafe { (*code.draft.filename).as_bytes() };
        if let Some(kept) = self.files.get_mut(path)
            && std::sync::Arc::ptr_eq(&kept.script.main, code)
            && function.static_variables.is_null()
        {
            kept.idle = Some(function);
        }
    }
}

impl Vm {
    /// Bytes that [`KeptCode`] may take.
    fn room_for_code(&self) -> usize {
        MOST_BYTES.min(self.heap.limit() / PART_OF_LIMIT)
    }

    /// Code that was compiled and is the same whenever it is: it is kept if the file was included before.
    pub(crate) fn keep_code(
        &mut self,
        path: &[u8],
        settings: CompileSettings,
        source: &[u8],
        identity: Option<FileIdentity>,
        script: Script,
    ) -> Code {
        let most = self.room_for_code();
        self.kept_code
            .keep(path, settings, source, identity, &script, most)
    }
}

fn path_of(name: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(name))
}

/// All code that belongs to a file's, itself too.
fn each_part(main: &OpArray, mut look: impl FnMut(&OpArray)) {
    let mut parts = vec![main];
    while let Some(part) = parts.pop() {
        look(part);
        let draft = &part.draft;
        parts.extend(draft.functions.iter().map(|function| &**function));
        for class in &draft.classes {
            parts.extend(class.methods.iter().map(|method| &**method));
            let hooks = class.properties.iter().flat_map(|property| {
                let both = [&property.get_hook, &property.set_hook];
                both.into_iter().flatten()
            });
            parts.extend(hooks.map(|hook| &**hook));
        }
    }
}

/// What code takes, about.
fn bytes_of(main: &OpArray) -> usize {
    /// A member of a class, a parameter and the like, with names and types.
    const DECLARATION: usize = 160;
    let mut bytes = 0;
    each_part(main, |part| {
        let draft = &part.draft;
        let drafted = size_of_val(&*draft.ops) + size_of_val(&*draft.literals);
        let declared = draft.parameters.len()
            + draft.static_variables.len()
            + draft
                .classes
                .iter()
                .map(|class| 2 + class.properties.len() + class.constants.len())
                .sum::<usize>();
        bytes += size_of::<OpArray>() + size_of::<Function>();
        bytes += drafted + size_of_val(part.block()) + draft.cache_size as usize;
        bytes += declared * DECLARATION;
    });
    bytes
}

/// Whether code looks for names first in its namespace and then outside of it: what it found outside it may find
/// inside the next time, but a runtime cache remembers.
fn asks_for_later(main: &OpArray) -> bool {
    let mut asks = false;
    each_part(main, |part| {
        asks |= part.draft.ops.iter().any(|op| {
            const BY_NAME: u8 = Opcode::INIT_NS_FCALL_BY_NAME as u8;
            const FRAMELESS: u8 = Opcode::JMP_FRAMELESS as u8;
            const CONSTANT: u8 = Opcode::FETCH_CONSTANT as u8;
            match op.opcode {
                BY_NAME | FRAMELESS => true,
                CONSTANT => op.op1 & super::constants::UNQUALIFIED_IN_NAMESPACE != 0,
                _ => false,
            }
        });
    });
    asks
}

/// Notes in a function that it runs code which is kept.
pub(crate) fn mark(function: &mut Function) {
    function.flags |= flags::KEPT;
}

/// Whether a function runs code which is kept.
pub fn is_marked(function: &Function) -> bool {
    function.flags & flags::KEPT != 0
}
