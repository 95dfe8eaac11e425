//! Where the names of files lead: PHP's realpath cache, which `include` and `realpath()` ask.

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
    is_directory: bool,
    /// Seconds of the clock.
    expires: u64,
}

/// A canonical path.
#[derive(Debug)]
struct Real {
    path: Vec<u8>,
    is_directory: bool,
}

impl Real {
    fn root() -> Real {
        Real {
            path: b"/".to_vec(),
            is_directory: true,
        }
    }
}

/// An entry of the cache, as `realpath_cache_get()` shows it.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The name.
    pub name: &'a [u8],
    /// Where it leads.
    pub real: &'a [u8],
    /// Whether that is a directory.
    pub is_directory: bool,
    /// Until when this counts, in seconds of the clock.
    pub expires: u64,
}

/// A search: how long what it finds is remembered, and how far it has come.
struct Search {
    now: u64,
    lifetime: u64,
    limit: usize,
    /// Symbolic links that may still be followed.
    links: u32,
}

/// Symbolic links behind each other, as many as the system follows.
const MOST_LINKS: u32 = 40;

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

    /// What is remembered, in no order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.found.iter().map(|(name, found)| Entry {
            name,
            real: &found.real,
            is_directory: found.is_directory,
            expires: found.expires,
        })
    }

    /// Remembers where a name leads, if there is room.
    fn remember(&mut self, name: &[u8], real: &Real, search: &Search) {
        let bytes = ENTRY_BYTES + name.len() + real.path.len();
        if self.bytes + bytes > search.limit {
            return;
        }
        self.bytes += bytes;
        let found = Found {
            real: real.path.as_slice().into(),
            is_directory: real.is_directory,
            expires: search.now.saturating_add(search.lifetime),
        };
        self.found.insert(name.into(), found);
    }

    fn forget(&mut self, name: &[u8]) {
        if let Some((name, found)) = self.found.remove_entry(name) {
            self.bytes -= ENTRY_BYTES + name.len() + found.real.len();
        }
    }
}

fn seconds() -> u64 {
    // SAFETY: the time is returned, and stored nowhere.
    let now = unsafe { libc::time(std::ptr::null_mut()) };
    now.try_into().unwrap_or_default()
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
    pub fn real_path(&mut self, path: &Path) -> Option<Vec<u8>> {
        let (limit, lifetime) = self.real_path_settings();
        if limit == 0 || lifetime == 0 || !path.is_absolute() {
            return canonical(path);
        }
        let mut search = Search {
            now: seconds(),
            lifetime,
            limit,
            links: MOST_LINKS,
        };
        let name = path.as_os_str().as_bytes();
        let real = self.find_real_path(name, &mut search)?;
        Some(real.path)
    }

    /// Where an absolute name leads. It is remembered, and so are the directories on the way there.
    fn find_real_path(&mut self, name: &[u8], search: &mut Search) -> Option<Real> {
        if name.len() >= libc::PATH_MAX as usize {
            return None;
        }
        let mut name = name;
        let mut is_directory = false;
        let slash = loop {
            let Some(slash) = memchr::memrchr(b'/', name) else {
                return name.is_empty().then(Real::root);
            };
            match &name[slash + 1..] {
                b"" | b"." => {
                    is_directory = true;
                    name = &name[..slash];
                }
                b".." => return self.find_above(&name[..slash], search),
                _ => break slash,
            }
        };
        let real = match self.remembered(name, search.now) {
            Some(real) => real,
            None => {
                let real = self.look_up_real_path(name, slash, search)?;
                self.real_paths.remember(name, &real, search);
                real
            }
        };
        (real.is_directory || !is_directory).then_some(real)
    }

    /// The directory that the one of a name is in; the root is in itself.
    fn find_above(&mut self, name: &[u8], search: &mut Search) -> Option<Real> {
        let mut real = self.find_real_path(name, search)?;
        if !real.is_directory {
            return None;
        }
        let end = memchr::memrchr(b'/', &real.path).unwrap_or_default();
        real.path.truncate(end.max(1));
        Some(real)
    }

    /// Where a name led that was looked up not long ago.
    fn remembered(&mut self, name: &[u8], now: u64) -> Option<Real> {
        let found = self.real_paths.found.get(name)?;
        if now > found.expires {
            self.real_paths.forget(name);
            return None;
        }
        Some(Real {
            path: found.real.to_vec(),
            is_directory: found.is_directory,
        })
    }

    /// Asks the system for a name, the last part of which begins behind `slash`.
    fn look_up_real_path(
        &mut self,
        name: &[u8],
        slash: usize,
        search: &mut Search,
    ) -> Option<Real> {
        let status = std::fs::symlink_metadata(OsStr::from_bytes(name)).ok()?;
        let mut path = self.find_real_path(&name[..slash], search)?.path;
        if path != b"/" {
            path.push(b'/');
        }
        if !status.is_symlink() {
            path.extend_from_slice(&name[slash + 1..]);
            return Some(Real {
                path,
                is_directory: status.is_dir(),
            });
        }
        search.links = search.links.checked_sub(1)?;
        let target = std::fs::read_link(OsStr::from_bytes(name)).ok()?;
        if target.is_absolute() {
            path.clear();
        }
        path.extend_from_slice(target.as_os_str().as_bytes());
        self.find_real_path(&path, search)
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
