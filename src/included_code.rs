//! What included files were compiled to, kept for files that are included again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use vm_runtime::op_array::Script;
use vm_runtime::vm::Vm;

/// Bytes of source text that are kept; when there are more, all of it is forgotten.
const MOST_KEPT: usize = 1 << 20;

/// Settings that decide what source text is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// `assert()` is compiled.
    pub assertions: bool,
    /// `<?` begins code.
    pub short_open_tag: bool,
    /// How floats become strings.
    pub precision: i32,
}

impl Settings {
    /// Those of a VM.
    pub fn of(vm: &Vm) -> Settings {
        Settings {
            assertions: vm.ini.assertions >= 0,
            short_open_tag: vm.ini.short_open_tag,
            precision: vm.ini.precision as i32,
        }
    }
}

/// What is known of a file: most are included once, and nothing is kept of those.
#[derive(Debug)]
enum Known {
    /// It was compiled once, from text with this hash.
    Once(u64),
    /// It was compiled again from the same text.
    Kept {
        source: Box<[u8]>,
        settings: Settings,
        script: Script,
    },
}

/// The included files of a VM, by their paths.
#[derive(Debug, Default)]
pub struct IncludedCode {
    files: HashMap<Box<[u8]>, Known>,
    /// Bytes of source text.
    kept: usize,
}

impl IncludedCode {
    /// What a file was compiled to before, if it had the same text under the same settings.
    pub fn find(&self, path: &[u8], source: &[u8], settings: Settings) -> Option<Script> {
        match self.files.get(path)? {
            Known::Kept {
                source: known,
                settings: of,
                script,
            } if **known == *source && *of == settings => Some(script.clone()),
            _ => None,
        }
    }

    /// Notes what a file was compiled to, and keeps that if it has been compiled from the same text before.
    pub fn add(&mut self, path: &[u8], source: &[u8], settings: Settings, script: &Script) {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let hash = hasher.finish();
        let is_again = matches!(self.files.get(path), Some(Known::Once(known)) if *known == hash);
        let known = match is_again {
            true => {
                if self.kept + source.len() > MOST_KEPT {
                    self.files.clear();
                    self.kept = 0;
                }
                self.kept += source.len();
                Known::Kept {
                    source: source.into(),
                    settings,
                    script: script.clone(),
                }
            }
            false => Known::Once(hash),
        };
        let before = self.files.insert(path.into(), known);
        if let Some(Known::Kept { source, .. }) = before {
            self.kept = self.kept.saturating_sub(source.len());
        }
    }
}
