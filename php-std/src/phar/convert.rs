//! Other compression, and other containers.

use vm_runtime::function::Call;
use vm_runtime::object::instantiate;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::archive::{Archive, Body, Entry, Format, Shared, flags, shown};
use super::classes::{archive, bad_call, flush_or_throw, unexpected};
use super::compression;
use super::file_info::recompress;
use super::flush::{self, set_default_stub};
use super::names::{Extension, has_extension, path_problem};
use super::table::phars;
use super::wrapper::is_read_only;
use crate::spl::throw;
use crate::standard::files::path;

const UNKNOWN: &str = "Unknown compression specified, please pass one of Phar::GZ or Phar::BZ2";
/// What PHP takes for "as it is".
const SAME: i64 = 9_021_976;
const GZ: i64 = flags::GZ as i64;
const BZ2: i64 = flags::BZ2 as i64;

pub(super) fn compress_files(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let method = call.long(0);
    if is_read_only(call.vm, &shared.borrow()) {
        return Err(bad_call(
            call.vm,
            "Phar is readonly, cannot change compression",
        ));
    }
    let problem = match method {
        GZ | BZ2 if shared.borrow().format == Format::Tar => Some(
            "Cannot compress with Gzip compression, tar archives cannot compress individual files, use compress() to compress the whole archive",
        ),
        GZ => None,
        BZ2 if compression::is_supported(flags::BZ2) => None,
        BZ2 => Some("Cannot compress files within archive with bzip2, enable ext/bz2 in php.ini"),
        _ => Some(UNKNOWN),
    };
    if let Some(problem) = problem {
        return Err(bad_call(call.vm, problem));
    }
    change_files(call, &shared, method as u32)
}

pub(super) fn decompress_files(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    if is_read_only(call.vm, &shared.borrow()) {
        return Err(bad_call(
            call.vm,
            "Phar is readonly, cannot change compression",
        ));
    }
    if shared.borrow().format == Format::Tar {
        return Ok(true.into());
    }
    change_files(call, &shared, 0)?;
    Ok(true.into())
}

fn change_files(call: &mut Call<'_>, shared: &Shared, wanted: u32) -> PhpResult<Value> {
    let names: Vec<Vec<u8>> = shared
        .borrow()
        .entries
        .iter()
        .filter(|entry| !entry.is_directory && !entry.is_mounted() && !entry.is_magic())
        .map(|entry| entry.name.clone())
        .collect();
    for name in names {
        if let Err(problem) = recompress(shared, &name, wanted) {
            return Err(bad_call(call.vm, &problem));
        }
    }
    flush_or_throw(call.vm, shared)?;
    Ok(Value::NULL)
}

/// The bits of a way to compress the whole, or why not.
fn whole(call: &mut Call<'_>, method: i64, format: Format) -> PhpResult<u32> {
    match method {
        0 => Ok(0),
        GZ if format == Format::Zip => Err(bad_call(
            call.vm,
            "Cannot compress entire archive with gzip, zip archives do not support whole-archive compression",
        )),
        GZ => Ok(flags::GZ),
        BZ2 if format == Format::Zip => Err(bad_call(
            call.vm,
            "Cannot compress entire archive with bz2, zip archives do not support whole-archive compression",
        )),
        BZ2 if compression::is_supported(flags::BZ2) => Ok(flags::BZ2),
        BZ2 => Err(bad_call(
            call.vm,
            "Cannot compress entire archive with bz2, enable ext/bz2 in php.ini",
        )),
        _ => Err(bad_call(call.vm, UNKNOWN)),
    }
}

/// The archive that is to be compressed as a whole or not any more, with its format and whether it is
/// one of data; `what` is what messages call that.
fn to_repack(call: &mut Call<'_>, what: &str) -> PhpResult<(Shared, Format, bool)> {
    let shared = archive(call)?;
    if is_read_only(call.vm, &shared.borrow()) {
        let message = format!("Cannot {what} phar archive, phar is read-only");
        return Err(unexpected(call.vm, &message));
    }
    let (format, is_data) = {
        let archive = shared.borrow();
        (archive.format, archive.is_data)
    };
    if format == Format::Zip {
        let message = format!("Cannot {what} zip-based archives with whole-archive compression");
        return Err(unexpected(call.vm, &message));
    }
    Ok((shared, format, is_data))
}

pub(super) fn compress(call: &mut Call<'_>) -> PhpResult<Value> {
    let (shared, format, is_data) = to_repack(call, "compress")?;
    let (method, extension) = (call.long(0), call.optional_bytes(1).map(<[u8]>::to_vec));
    let compression = whole(call, method, format)?;
    convert(call, &shared, format, is_data, compression, extension)
}

pub(super) fn decompress(call: &mut Call<'_>) -> PhpResult<Value> {
    let (shared, format, is_data) = to_repack(call, "decompress")?;
    let extension = call.optional_bytes(0).map(<[u8]>::to_vec);
    convert(call, &shared, format, is_data, 0, extension)
}

/// The compression that argument #2 asks for.
fn chosen_compression(call: &mut Call<'_>, shared: &Shared, format: Format) -> PhpResult<u32> {
    match call.optional_long(1) {
        None | Some(SAME) => {
            let present = shared.borrow().compression;
            Ok(if format == Format::Zip { 0 } else { present })
        }
        Some(method) => whole(call, method, format),
    }
}

pub(super) fn to_executable(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let extension = call.optional_bytes(2).map(<[u8]>::to_vec);
    if call.vm.ini.bool("phar.readonly") {
        return Err(unexpected(
            call.vm,
            "Cannot write out executable phar archive, phar is read-only",
        ));
    }
    let format = match call.optional_long(0) {
        None | Some(SAME | 0) => shared.borrow().format,
        Some(1) => Format::Phar,
        Some(2) => Format::Tar,
        Some(3) => Format::Zip,
        Some(_) => {
            return Err(bad_call(
                call.vm,
                "Unknown file format specified, please pass one of Phar::PHAR, Phar::TAR or Phar::ZIP",
            ));
        }
    };
    let compression = chosen_compression(call, &shared, format)?;
    convert(call, &shared, format, false, compression, extension)
}

pub(super) fn to_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let extension = call.optional_bytes(2).map(<[u8]>::to_vec);
    let no_phar = "Cannot write out data phar archive, use Phar::TAR or Phar::ZIP";
    let format = match call.optional_long(0) {
        None | Some(SAME | 0) => shared.borrow().format,
        Some(1) => Format::Phar,
        Some(2) => Format::Tar,
        Some(3) => Format::Zip,
        Some(_) => {
            return Err(bad_call(
                call.vm,
                "Unknown file format specified, please pass one of Phar::TAR or Phar::ZIP",
            ));
        }
    };
    if format == Format::Phar {
        return Err(unexpected(call.vm, no_phar));
    }
    let compression = chosen_compression(call, &shared, format)?;
    convert(call, &shared, format, true, compression, extension)
}

/// The extension of a kind of archive.
fn usual_extension(format: Format, is_data: bool, compression: u32) -> String {
    let phar = if is_data { "" } else { "phar." };
    let packed = match compression {
        flags::GZ => ".gz",
        flags::BZ2 => ".bz2",
        _ => "",
    };
    match format {
        Format::Phar => format!("phar{packed}"),
        Format::Tar => format!("{phar}tar{packed}"),
        Format::Zip => format!("{phar}zip"),
    }
}

/// The path without what follows the name of an archive: its extension.
fn stem(name: &[u8]) -> &[u8] {
    let base = memchr::memrchr(b'/', name).map_or(0, |at| at + 1);
    let file = &name[base..];
    // What is known to be an extension is taken away, so that other dots can stay.
    for wanted in [
        &b".phar.tar.gz"[..],
        b".phar.tar.bz2",
        b".phar.tar",
        b".phar.zip",
        b".phar.gz",
        b".phar.bz2",
        b".phar.php",
        b".phar",
        b".tar.gz",
        b".tar.bz2",
        b".tgz",
        b".tar",
        b".zip",
    ] {
        if let Some(rest) = file.strip_suffix(wanted)
            && !rest.is_empty()
        {
            return &name[..base + rest.len()];
        }
    }
    let dot = memchr::memchr(b'.', file).unwrap_or(file.len());
    &name[..base + dot]
}

fn convert(
    call: &mut Call<'_>,
    shared: &Shared,
    format: Format,
    is_data: bool,
    compression: u32,
    extension: Option<Vec<u8>>,
) -> PhpResult<Value> {
    let old_name = shared.borrow().name.clone();
    let kind = if is_data { "data " } else { "" };
    let extension = match extension {
        None => usual_extension(format, is_data, compression).into_bytes(),
        Some(extension) => {
            if !extension.is_empty() && path_problem(&extension).is_some() {
                let message = format!(
                    "{kind}phar converted from \"{}\" has invalid extension {}",
                    shown(&old_name),
                    shown(&extension)
                );
                return Err(bad_call(call.vm, &message));
            }
            extension.strip_prefix(b".").unwrap_or(&extension).to_vec()
        }
    };
    let name = [stem(&old_name), b".", &extension].concat();
    let onto_itself = name == old_name;
    let is_empty = onto_itself && shared.borrow().entries.len() == 0;
    if phars(call.vm).has(&name) && !is_empty {
        let message = format!(
            "Unable to add newly converted phar \"{}\" to the list of phars, a phar with that name already exists",
            shown(&name)
        );
        return Err(bad_call(call.vm, &message));
    }
    if path(&name).exists() || onto_itself && !is_empty {
        let message = format!(
            "phar \"{}\" exists and must be unlinked prior to conversion",
            shown(&name)
        );
        return Err(bad_call(call.vm, &message));
    }
    let wanted = match is_data {
        true => Extension::Data,
        false => Extension::Executable,
    };
    if !has_extension(&name, wanted) {
        let message = format!(
            "{kind}phar \"{}\" has invalid extension {}",
            shown(&name),
            shown(&extension)
        );
        return Err(bad_call(call.vm, &message));
    }
    let mut made = match copy_of(shared, &name, format, is_data, compression) {
        Ok(made) => made,
        Err(problem) => {
            let message = format!(
                "Cannot convert phar archive \"{}\": {problem}",
                shown(&old_name)
            );
            return Err(unexpected(call.vm, &message));
        }
    };
    let written = match is_data {
        true => Ok(()),
        false => set_default_stub(&mut made),
    };
    if let Err(problem) = written.and_then(|()| flush::write(call.vm, &mut made)) {
        return Err(bad_call(call.vm, &problem));
    }
    phars(call.vm).forget(&name);
    phars(call.vm).add(made);
    let class = if is_data { &b"phardata"[..] } else { b"phar" };
    let Some(class) = call.vm.linked_class(class) else {
        return Err(throw(call.vm, "PharException", "Cannot make an archive"));
    };
    let object = instantiate(call.vm, class)?;
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*class).magic.construct };
    let arguments = vec![call.vm.string(&name).into()];
    call.vm
        .call_function(constructor, Some(object.clone()), class, arguments)?;
    Ok(object.into())
}

/// An archive with the same entries.
fn copy_of(
    shared: &Shared,
    name: &[u8],
    format: Format,
    is_data: bool,
    compression: u32,
) -> Result<Archive, String> {
    let mut made = Archive::new(name, format);
    let mut old = shared.borrow_mut();
    made.is_data = is_data;
    made.compression = compression;
    made.metadata = old.metadata.clone();
    if !is_data && old.alias.is_some() && !old.has_temporary_alias {
        made.alias = Some(name.to_vec());
    } else {
        // None at all, not even its name.
        made.alias = Some(Vec::new());
    }
    let names: Vec<Vec<u8>> = old
        .entries
        .iter()
        .filter(|entry| !entry.is_mounted() && !entry.is_magic())
        .map(|entry| entry.name.clone())
        .collect();
    for name in names {
        let Some(entry) = old.entries.get(&name).cloned() else {
            continue;
        };
        let is_link = format == Format::Tar && entry.link.is_some();
        let body = match entry.is_directory || is_link {
            true => Body::Memory(Default::default()),
            false => Body::Memory(old.contents(&name)?),
        };
        let kept = match format {
            Format::Tar => 0,
            _ => entry.flags & flags::COMPRESSED,
        };
        let kind = match format {
            Format::Tar if is_link => entry.kind,
            _ if entry.is_directory => b'5',
            _ => b'0',
        };
        made.put(Entry {
            body,
            flags: entry.flags & flags::PERMISSIONS | kept,
            link: entry.link.clone().filter(|_| is_link),
            kind,
            readers: 0,
            writers: 0,
            is_modified: true,
            ..entry
        });
    }
    Ok(made)
}
