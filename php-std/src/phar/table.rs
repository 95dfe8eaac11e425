//! The archives that a request has opened, and opening them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use vm_runtime::limits::directories::lies_within;
use vm_runtime::vm::Vm;

use super::archive::{Archive, Format, Shared, flags, shown};
use super::compression;
use super::format;
use super::names::{self, LONGEST_PATH, expand, is_alias};
use super::source::Source;
use crate::standard::files::path;

/// What the extension knows in a request.
#[derive(Debug, Default)]
pub(super) struct Phars {
    by_name: HashMap<Vec<u8>, Shared>,
    /// Names of archives.
    aliases: HashMap<Vec<u8>, Vec<u8>>,
    /// Functions for files look into the archive that runs first.
    pub(super) intercepts: bool,
    /// The directory of the first file that was included from an archive.
    pub(super) directory: Option<Vec<u8>>,
}

impl Phars {
    /// Where a known alias or archive at the start of a name ends.
    pub(super) fn known_start(&self, name: &[u8]) -> Option<usize> {
        let end = memchr::memchr(b'/', name).unwrap_or(name.len());
        if end > 0 && self.aliases.contains_key(&name[..end]) {
            return Some(end);
        }
        let is_start = |known: &&Vec<u8>| {
            name.strip_prefix(known.as_slice())
                .is_some_and(|rest| rest.first().is_none_or(|&byte| byte == b'/'))
        };
        let found = self.by_name.keys().find(is_start).map(Vec::len);
        if found.is_some() || name.starts_with(b"/") {
            return found;
        }
        // By a name from the working directory, which has an extension.
        let dot = memchr::memchr(b'.', name).filter(|_| !self.by_name.is_empty())?;
        let slashes = memchr::memchr_iter(b'/', name).chain([name.len()]);
        slashes
            .take_while(|&end| end < LONGEST_PATH)
            .filter(|&end| end > dot)
            .find(|&end| self.by_name.contains_key(&expand(&name[..end])))
    }

    /// The archive of a path or an alias, if it was opened.
    pub(super) fn find(&self, name: &[u8]) -> Option<Shared> {
        if let Some(found) = self.by_name.get(name) {
            return Some(Rc::clone(found));
        }
        if let Some(found) = self
            .aliases
            .get(name)
            .and_then(|name| self.by_name.get(name))
        {
            return Some(Rc::clone(found));
        }
        if names::is_alias(name) && memchr::memchr(b'.', name).is_none() {
            return None;
        }
        self.by_name.get(&expand(name)).map(Rc::clone)
    }

    /// Gives an archive an alias.
    pub(super) fn set_alias(&mut self, alias: &[u8], archive: &[u8]) {
        self.aliases.insert(alias.to_vec(), archive.to_vec());
    }

    /// Takes an alias away.
    pub(super) fn drop_alias(&mut self, alias: &[u8]) {
        self.aliases.remove(alias);
    }

    /// Adds an archive.
    pub(super) fn add(&mut self, archive: Archive) -> Shared {
        let name = archive.name.clone();
        if let Some(alias) = archive.alias.as_ref().filter(|alias| !alias.is_empty()) {
            self.aliases.insert(alias.clone(), name.clone());
        }
        let shared = Rc::new(RefCell::new(archive));
        self.by_name.insert(name, Rc::clone(&shared));
        shared
    }

    /// Forgets an archive. Who still has it keeps it.
    pub(super) fn forget(&mut self, name: &[u8]) -> Option<Shared> {
        self.aliases.retain(|_, owner| owner != name);
        self.by_name.remove(name)
    }

    /// Forgets an archive that was never written, has nothing in it and nobody uses.
    fn forget_unwritten(&mut self, name: &[u8]) {
        let is_unused = self.by_name.get(name).is_some_and(|archive| {
            Rc::strong_count(archive) == 1 && {
                let archive = archive.borrow();
                archive.is_new && archive.entries.len() == 0
            }
        });
        if is_unused {
            self.forget(name);
        }
    }

    /// True if an archive is known by its path.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.by_name.contains_key(name)
    }

    /// The archive that a path is known by.
    pub(super) fn by_path(&self, name: &[u8]) -> Option<Shared> {
        self.by_name.get(name).map(Rc::clone)
    }

    /// Makes room for an alias: the archive that has it is forgotten if nobody uses it. Gives the
    /// path of one that is in use.
    pub(super) fn free_alias(&mut self, alias: &[u8], wanted_by: &[u8]) -> Result<(), Vec<u8>> {
        if let Some(owner) = self.aliases.get(alias).cloned() {
            self.forget_unwritten(&owner);
        }
        let Some(owner) = self.aliases.get(alias) else {
            return Ok(());
        };
        if owner == wanted_by {
            return Ok(());
        }
        let owner = owner.clone();
        match self.by_name.get(&owner) {
            Some(archive) if Rc::strong_count(archive) > 1 => Err(owner),
            _ => {
                self.forget(&owner);
                Ok(())
            }
        }
    }
}

/// The archives of a VM.
pub(super) fn phars(vm: &mut Vm) -> &mut Phars {
    vm.extensions.state::<Phars>()
}

/// How an archive is opened.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opening<'a> {
    pub(super) alias: Option<&'a [u8]>,
    /// By `PharData`, or under a name without `.phar`.
    pub(super) is_data: bool,
}

/// Opens an archive whose file is there, or finds the one that was opened before. `None` says that
/// there is no such file.
pub(super) fn open_existing(
    vm: &mut Vm,
    name: &[u8],
    opening: Opening<'_>,
) -> Result<Option<Shared>, String> {
    if let Some(found) = phars(vm).find(name) {
        return reuse(vm, found, opening).map(Some);
    }
    let full = expand(name);
    if !lies_within(vm, &full) {
        return Err(format!(
            "open_basedir restriction in effect. File({}) is not within the allowed path(s): ({})",
            shown(&full),
            vm_runtime::message::text(vm.ini.text("open_basedir"))
        ));
    }
    let Ok(source) = Source::open(&path(&full)) else {
        return Ok(None);
    };
    let archive = read(vm, &full, source)?;
    accept(vm, archive, opening).map(Some)
}

/// What a wrong use of an archive with neither stub nor `PharData` comes to.
pub(super) fn stub_problem(vm: &Vm, archive: &Archive, is_data: bool) -> Option<String> {
    let is_plain = archive.format != Format::Phar
        && !archive.is_new
        && archive.entries.get(b".phar/stub.php").is_none();
    (!is_data && is_plain && vm.ini.bool("phar.readonly")).then(|| {
        format!(
            "'{}' is not a phar archive. Use PharData::__construct() for a standard zip or tar archive",
            archive.shown()
        )
    })
}

fn reuse(vm: &mut Vm, found: Shared, opening: Opening<'_>) -> Result<Shared, String> {
    if let Some(problem) = stub_problem(vm, &found.borrow(), opening.is_data) {
        return Err(problem);
    }
    let Some(alias) = opening.alias.filter(|alias| !alias.is_empty()) else {
        return Ok(found);
    };
    let (name, present, is_temporary) = {
        let archive = found.borrow();
        (
            archive.name.clone(),
            archive.alias.clone(),
            archive.has_temporary_alias,
        )
    };
    if present.as_deref() == Some(alias) {
        return Ok(found);
    }
    if present.is_some() && !is_temporary {
        return Err(format!(
            "alias \"{}\" is already used for archive \"{}\" cannot be overloaded with \"{}\"",
            shown(alias),
            shown(&name),
            shown(&name)
        ));
    }
    take_alias(vm, alias, &name)?;
    let mut archive = found.borrow_mut();
    if let Some(old) = archive.alias.replace(alias.to_vec()) {
        phars(vm).drop_alias(&old);
    }
    archive.has_temporary_alias = true;
    drop(archive);
    phars(vm).set_alias(alias, &name);
    Ok(found)
}

/// Makes sure that an archive can have an alias.
pub(super) fn take_alias(vm: &mut Vm, alias: &[u8], name: &[u8]) -> Result<(), String> {
    phars(vm).free_alias(alias, name).map_err(|owner| {
        format!(
            "alias \"{}\" is already used for archive \"{}\" cannot be overloaded with \"{}\"",
            shown(alias),
            shown(&owner),
            shown(name)
        )
    })
}

/// Takes an archive that was just read into the table, under its own alias or the one asked for.
fn accept(vm: &mut Vm, mut archive: Archive, opening: Opening<'_>) -> Result<Shared, String> {
    let name = archive.name.clone();
    let wanted = opening.alias.filter(|alias| !alias.is_empty());
    match (&archive.alias, wanted) {
        (Some(own), wanted) => {
            if let Some(wanted) = wanted
                && wanted != own.as_slice()
            {
                return Err(format!(
                    "cannot load phar \"{}\" with implicit alias \"{}\" under different alias \"{}\"",
                    shown(&name),
                    shown(own),
                    shown(wanted)
                ));
            }
            if phars(vm).free_alias(own, &name).is_err() {
                return Err(match archive.format {
                    Format::Phar => format!(
                        "Cannot open archive \"{}\", alias is already in use by existing archive",
                        shown(&name)
                    ),
                    Format::Tar => format!(
                        "phar error: Unable to add tar-based phar \"{}\", alias is already in use",
                        shown(&name)
                    ),
                    Format::Zip => format!(
                        "phar error: Unable to add zip-based phar \"{}\" with implicit alias, alias is already in use",
                        shown(&name)
                    ),
                });
            }
        }
        (None, Some(wanted)) => {
            if phars(vm).free_alias(wanted, &name).is_err() {
                return Err(match archive.format {
                    Format::Zip => format!(
                        "phar error: Unable to add zip-based phar \"{}\" with explicit alias, alias is already in use",
                        shown(&name)
                    ),
                    Format::Tar => format!(
                        "phar error: Unable to add tar-based phar \"{}\", alias is already in use",
                        shown(&name)
                    ),
                    Format::Phar => format!(
                        "Cannot open archive \"{}\", alias is already in use by existing archive",
                        shown(&name)
                    ),
                });
            }
            archive.alias = Some(wanted.to_vec());
            archive.has_temporary_alias = true;
        }
        (None, None) => {}
    }
    Ok(phars(vm).add(archive))
}

/// Reads an archive: what it is shows at its start.
pub(super) fn read(vm: &mut Vm, name: &[u8], source: Source) -> Result<Archive, String> {
    let is_writable = is_file_writable(name);
    let mut compressed = 0;
    let mut source = source;
    let start = source.read_most(0, 8);
    if start.starts_with(&[0x1f, 0x8b, 8]) {
        let packed = source.read_most(0, source.length());
        let Some(contents) = compression::unpack_whole(flags::GZ, &packed) else {
            return Err(format!(
                "unable to decompress gzipped phar archive \"{}\" to temporary file",
                shown(name)
            ));
        };
        source = Source::Memory(std::rc::Rc::new(contents));
        compressed = flags::GZ;
    } else if start.starts_with(b"BZh") && compression::is_supported(flags::BZ2) {
        let packed = source.read_most(0, source.length());
        let Some(contents) = compression::unpack_whole(flags::BZ2, &packed) else {
            return Err(format!(
                "unable to decompress bzipped phar archive \"{}\" to temporary file",
                shown(name)
            ));
        };
        source = Source::Memory(std::rc::Rc::new(contents));
        compressed = flags::BZ2;
    } else if start.starts_with(b"BZh") {
        return Err(format!(
            "unable to decompress bzipped phar archive \"{}\" to temporary file: enable bz2 extension in php.ini",
            shown(name)
        ));
    }
    let start = source.read_most(0, 512);
    if source.length() <= format::native::HALT.len() as u64 {
        return Err(format!(
            "internal corruption of phar \"{}\" (truncated entry)",
            shown(name)
        ));
    }
    let is_empty_zip = compressed == 0 && start.starts_with(b"PK\x05\x06");
    let mut archive = if start.starts_with(b"PK\x03\x04") || is_empty_zip {
        format::zip::read(vm, name, source)?
    } else if format::tar::is_tar(&start, name) {
        format::tar::read(vm, name, source, compressed)?
    } else {
        format::native::read(vm, name, source)?
    };
    archive.compression = compressed;
    archive.is_new = false;
    let has_stub = archive.entries.get(b".phar/stub.php").is_some();
    archive.is_data = archive.format != Format::Phar && !has_stub;
    archive.is_writable = is_writable;
    if let Some(alias) = &archive.alias
        && !is_alias(alias)
    {
        return Err(match archive.format {
            Format::Phar => format!(
                "Invalid alias \"{}\" specified for phar \"{}\"",
                shown(alias),
                shown(name)
            ),
            other => format!(
                "phar error: invalid alias \"{}\" in {}phar \"{}\"",
                format::shown_alias(alias),
                other.prefix(),
                shown(name)
            ),
        });
    }
    Ok(archive)
}

/// True if a file may be written, or made.
fn is_file_writable(name: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let file = path(name);
    let Ok(name) = std::ffi::CString::new(file.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the name is zero-terminated.
    unsafe { libc::access(name.as_ptr(), libc::W_OK) == 0 }
}

/// Opens an archive, or makes an empty one that will be written when something is put into it.
pub(super) fn open_or_create(
    vm: &mut Vm,
    name: &[u8],
    opening: Opening<'_>,
    format: Option<Format>,
) -> Result<Shared, String> {
    let full = expand(name);
    phars(vm).forget_unwritten(&full);
    let is_missing = phars(vm).find(name).is_none()
        && std::fs::metadata(path(&expand(name))).map_or(true, |found| found.len() == 0);
    if !is_missing && let Some(found) = open_existing(vm, name, opening)? {
        let base = crate::standard::files::base_name(&full);
        if memchr::memmem::find(base, b".phar.tar").is_some()
            && found.borrow().format == Format::Phar
        {
            return Err(format!(
                "phar tar error: \"{}\" already exists as a regular phar and must be deleted from disk prior to creating as a tar-based phar",
                shown(&full)
            ));
        }
        return Ok(found);
    }
    if !lies_within(vm, &full) {
        return Err(format!(
            "open_basedir restriction in effect. File({}) is not within the allowed path(s): ({})",
            shown(&full),
            vm_runtime::message::text(vm.ini.text("open_basedir"))
        ));
    }
    if vm.ini.bool("phar.readonly") && !opening.is_data {
        return Err(format!(
            "creating archive \"{}\" disabled by the php.ini setting phar.readonly",
            shown(&full)
        ));
    }
    let base = crate::standard::files::base_name(&full);
    let has = |wanted: &[u8]| memchr::memmem::find(base, wanted).is_some();
    let format = format.unwrap_or(match () {
        () if has(b".zip") => Format::Zip,
        () if has(b".tar") || has(b".tgz") => Format::Tar,
        () if opening.is_data => Format::Tar,
        () => Format::Phar,
    });
    let mut archive = Archive::new(&full, format);
    archive.is_data = opening.is_data && format != Format::Phar;
    archive.is_modified = true;
    if let Some(alias) = opening.alias.filter(|alias| !alias.is_empty()) {
        take_alias(vm, alias, &full)?;
        archive.alias = Some(alias.to_vec());
        archive.has_temporary_alias = false;
    }
    Ok(phars(vm).add(archive))
}

/// What a name that can be none of an archive comes to.
pub(super) fn refuse_name(vm: &mut Vm, name: &[u8]) -> Result<Shared, String> {
    let _ = vm;
    Err(format!(
        "Cannot create phar '{}', file extension (or combination) not recognised or the directory does not exist",
        shown(name)
    ))
}
