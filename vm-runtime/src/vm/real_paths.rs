//! Where the names of included files lead: PHP's realpath cache, as far as `include` asks it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hashbrown::HashMap;

use crate::ini::parse_quantity;
use crate::vm::Vm;

/// Canonical paths by absolute names, for as long as `realpath_cache_ttl` says.
#[derive(Debug, Default)]
pub struct RealPaths {
    found: HashMap<Box<[u8]>, Found, foldhash::fast::FixedState>,
    /// What the entries take, about.
    bytes: usize,
    /// What the settings say, which scripts cannot change: bytes at most, and seconds.
    settings: Option<(usize, u64)>,
}

#[derive(Debug)]
struct Found {
    real: Box<[u8]>,
    /// Seconds of the clock.
    expires: u64,
}

/// What an entry takes besides its names.
const ENTRY_BYTES: usize = 56;

impl RealPaths {
    /// Forgets everything: a file was removed or renamed, or `clearstatcache(true)` was called.
    pub fn clear(&mut self) {
        self.found.clear();
        self.bytes = 0;
    }

    /// Bytes that the entries take, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Names, canonical paths, and until when these count, in seconds of the clock.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], &[u8], u64)> {
        let found = self.found.iter();
        found.map(|(name, found)| (&**name, &*found.real, found.expires))
    }

    fn forget(&mut self, name: &[u8]) {
        if let Some((name, found)) = self.found.remove_entry(name) {
            self.bytes -= ENTRY_BYTES + name.len() + found.real.len();
        }
    }
}

fn seconds() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

impl Vm {
    /// Forgets the canonical paths of names, or of one name only.
    pub fn forget_real_paths(&mut self, name: Option<&[u8]>) {
        match name {
            Some(name) => self.real_paths.forget(name),
            None => self.real_paths.clear(),
        }
    }

    /// The canonical path of a file or directory, if there is one.
    pub(crate) fn real_path(&mut self, path: &Path) -> Option<Vec<u8>> {
        let name = path.as_os_str().as_bytes();
        let (limit, lifetime) = self.real_path_settings();
        if limit == 0 || lifetime == 0 || !path.is_absolute() {
            return canonical(path);
        }
        let now = seconds();
        if let Some(found) = self.real_paths.found.get(name) {
            if now <= found.expires {
                return Some(found.real.to_vec());
            }
            self.real_paths.forget(name);
        }
        let real = self.real_path_in_directory(path)?;
        let bytes = ENTRY_BYTES + name.len() + real.len();
        if self.real_paths.bytes + bytes <= limit {
            self.real_paths.bytes += bytes;
            let found = Found {
                real: real.as_slice().into(),
                expires: now.saturating_add(lifetime),
            };
            self.real_paths.found.insert(name.into(), found);
        }
        Some(real)
    }

    /// The canonical path of an absolute name: that of its directory, which is remembered as well, and the last part
    /// of the name, unless that is a symbolic link.
    fn real_path_in_directory(&mut self, path: &Path) -> Option<Vec<u8>> {
        let (Some(directory), Some(last)) = (path.parent(), path.file_name()) else {
            return canonical(path);
        };
        let is_spelled_out = {
            let mut parts = path
                .as_os_str()
                .as_bytes()
                .split(|byte| *byte == b'/')
                .skip(1);
            parts.all(|part| !matches!(part, b"" | b"." | b".."))
        };
        if !is_spelled_out {
            return canonical(path);
        }
        let mut real = match directory.parent() {
            Some(_) => self.real_path(directory)?,
            None => Vec::new(),
        };
        if real != b"/" {
            real.push(b'/');
        }
        real.extend_from_slice(last.as_bytes());
        let found = std::fs::symlink_metadata(OsStr::from_bytes(&real)).ok()?;
        match found.is_symlink() {
            true => canonical(path),
            false => Some(real),
        }
    }

    fn real_path_settings(&mut self) -> (usize, u64) {
        if let Some(settings) = self.real_paths.settings {
            return settings;
        }
        let number = |name: &str| parse_quantity(self.ini.text(name)).0.max(0);
        // As in PHP: where directories are forbidden each look counts.
        let settings = if self.ini.text("open_basedir").is_empty() {
            let lifetime = number("realpath_cache_ttl") as u64;
            (number("realpath_cache_size") as usize, lifetime)
        } else {
            (0, 0)
        };
        self.real_paths.settings = Some(settings);
        settings
    }
}

fn canonical(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    let path = std::fs::canonicalize(path).ok()?;
    Some(path.into_os_string().into_vec())
}
