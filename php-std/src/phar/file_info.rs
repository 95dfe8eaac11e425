//! The class `PharFileInfo`: an entry of an archive.

use std::rc::Rc;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown};

use super::archive::{Entry, Format, Shared, flags, shown};
use super::classes::{
    WRITE_DISABLED, bad_call, check_writable, flush_or_throw, metadata_value, serialized_argument,
};
use super::format::tar::sum_of_header;
use super::names::{self, Extension, Presence};
use super::wrapper::locate;
use crate::spl::{files, this, throw};
use crate::standard::files::check_path;
use crate::support::text;

pub(super) static CLASSES: &[&NativeClass] =
    &[
        &NativeClass::new("class PharFileInfo extends SplFileInfo").methods(&[
            method("public function __construct(string $filename)", construct),
            method("public function __destruct()", |_| Ok(Value::NULL)),
            method("tentative public function chmod(int $perms): void", chmod),
            method(
                "tentative public function compress(int $compression): true",
                compress,
            ),
            method("tentative public function decompress(): true", decompress),
            method(
                "tentative public function delMetadata(): true",
                delete_metadata,
            ),
            method(
                "tentative public function getCompressedSize(): int",
                |call| {
                    Ok(
                        with_entry(call, |entry| entry.map_or(0, |entry| entry.stored))?
                            .into_value(),
                    )
                },
            ),
            method("tentative public function getCRC32(): int", crc),
            method("tentative public function getContent(): string", contents),
            method(
                "tentative public function getMetadata(array $unserializeOptions = []): mixed",
                |call| {
                    let data =
                        with_entry(call, |entry| entry.and_then(|entry| entry.metadata.clone()))?;
                    metadata_value(call, data)
                },
            ),
            method("tentative public function getPharFlags(): int", |call| {
                let mask = flags::PERMISSIONS | flags::COMPRESSED;
                Ok(with_entry(call, |entry| {
                    entry.map_or(0, |entry| u64::from(entry.flags & !mask))
                })?
                .into_value())
            }),
            method("tentative public function hasMetadata(): bool", |call| {
                let has = with_entry(call, |entry| {
                    entry.is_some_and(|entry| entry.metadata.is_some())
                })?;
                Ok(has.into())
            }),
            method(
                "tentative public function isCompressed(?int $compression = null): bool",
                is_compressed,
            ),
            method("tentative public function isCRCChecked(): bool", |call| {
                Ok(
                    with_entry(call, |entry| entry.is_none_or(|entry| entry.is_crc_checked))?
                        .into(),
                )
            }),
            method(
                "tentative public function setMetadata(mixed $metadata): void",
                set_metadata,
            ),
        ]),
    ];

/// A number of bytes as scripts see it.
trait IntoValue {
    fn into_value(self) -> Value;
}

impl IntoValue for u64 {
    fn into_value(self) -> Value {
        (self as i64).into()
    }
}

/// What an object stands for.
struct Link {
    archive: Shared,
    name: Vec<u8>,
}

fn link(call: &mut Call<'_>) -> PhpResult<Rc<Link>> {
    match files::attached::<Link>(&this(call)) {
        Some(link) => Ok(link),
        None => Err(bad_call(
            call.vm,
            "Cannot call method on an uninitialized PharFileInfo object",
        )),
    }
}

/// Looks at the entry; a directory without one of its own is none.
fn with_entry<T>(call: &mut Call<'_>, look: impl FnOnce(Option<&Entry>) -> T) -> PhpResult<T> {
    let link = link(call)?;
    let archive = link.archive.borrow();
    Ok(look(archive.entries.get(&link.name)))
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let object = this(call);
    if files::attached::<Link>(&object).is_some() {
        return Err(bad_call(call.vm, "Cannot call constructor twice"));
    }
    let name = call.bytes(0);
    let is_url = names::without_scheme(name).is_some()
        && names::split(call.vm, name, Extension::Any, Presence::Exists).is_ok();
    if !is_url {
        let message = format!(
            "'{}' is not a valid phar archive URL (must have at least phar://filename.phar)",
            shown(name)
        );
        return Err(throw(call.vm, "RuntimeException", &message));
    }
    let (archive, entry) = match locate(call.vm, name, false) {
        Ok(found) => found,
        Err(problem) => {
            let message = format!("Cannot open phar file '{}': {problem}", shown(name));
            return Err(throw(call.vm, "RuntimeException", &message));
        }
    };
    let exists = {
        let archive = archive.borrow();
        archive.entries.get(&entry).is_some()
            || archive.is_directory(&entry)
            || archive.mounted_place(&entry).is_some()
    };
    if !exists {
        let message = format!(
            "Cannot access phar file entry '{}' in archive '{}'",
            shown(&entry),
            archive.borrow().shown()
        );
        return Err(throw(call.vm, "RuntimeException", &message));
    }
    let link = Link {
        archive,
        name: entry,
    };
    files::attach(&object, Rc::new(link));
    let Some(parent) = call.vm.linked_class(b"splfileinfo") else {
        return Ok(Value::NULL);
    };
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*parent).magic.construct };
    let arguments = vec![call.value(0)];
    call.vm
        .call_function(constructor, Some(object.clone()), object.class, arguments)?;
    Ok(Value::NULL)
}

fn is_compressed(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = call.optional_long(0);
    let present = with_entry(call, |entry| {
        entry.map_or(0, |entry| entry.flags & flags::COMPRESSED)
    })?;
    match wanted {
        None | Some(9_021_976) => Ok((present != 0).into()),
        Some(wanted) if wanted == i64::from(flags::GZ) || wanted == i64::from(flags::BZ2) => {
            Ok((i64::from(present) == wanted).into())
        }
        Some(_) => Err(throw(
            call.vm,
            "UnexpectedValueException",
            "Unknown compression type specified",
        )),
    }
}

fn crc(call: &mut Call<'_>) -> PhpResult<Value> {
    let is_tar = link(call)?.archive.borrow().format == Format::Tar;
    let known = with_entry(call, |entry| match entry {
        Some(entry) if entry.is_directory => Err("Phar entry is a directory, does not have a CRC"),
        None => Err("Phar entry is a directory, does not have a CRC"),
        Some(entry) if !entry.is_crc_checked => Err("Phar entry was not CRC checked"),
        Some(entry) if is_tar && entry.is_modified => {
            let sum = sum_of_header(entry, entry.size, "");
            Ok(i64::from(sum.unwrap_or_default()))
        }
        Some(entry) => Ok(i64::from(entry.crc)),
    })?;
    match known {
        Ok(crc) => Ok(crc.into()),
        Err(problem) => Err(bad_call(call.vm, problem)),
    }
}

fn contents(call: &mut Call<'_>) -> PhpResult<Value> {
    let link = link(call)?;
    let name = shown(&link.name);
    let path = link.archive.borrow().shown();
    if link.archive.borrow().is_directory(&link.name) {
        let message = format!(
            "phar error: Cannot retrieve contents, \"{name}\" in phar \"{path}\" is a directory"
        );
        return Err(bad_call(call.vm, &message));
    }
    let contents = link.archive.borrow_mut().contents(&link.name);
    match contents {
        Ok(contents) => text(call.vm, contents.as_slice()),
        Err(problem) => {
            let message = format!(
                "phar error: Cannot retrieve contents, \"{name}\" in phar \"{path}\": {problem}"
            );
            Err(bad_call(call.vm, &message))
        }
    }
}

/// The link of an entry that is to be changed; a directory without one of its own cannot be.
fn changeable(call: &mut Call<'_>, refused: &str, what: &str) -> PhpResult<Rc<Link>> {
    let link = link(call)?;
    let exists = link.archive.borrow().entries.get(&link.name).is_some();
    if !exists {
        return Err(temporary(call, &link, what));
    }
    check_writable(call.vm, &link.archive, refused)?;
    Ok(link)
}

fn temporary(call: &mut Call<'_>, link: &Link, what: &str) -> Thrown {
    let shown_name = match what {
        "chmod" => format!("Phar entry \"{}\"", shown(&link.name)),
        _ => "Phar entry".into(),
    };
    let message = format!(
        "{shown_name} is a temporary directory (not an actual entry in the archive), cannot {what}"
    );
    bad_call(call.vm, &message)
}

fn chmod(call: &mut Call<'_>) -> PhpResult<Value> {
    let permissions = call.long(0) as u32 & flags::PERMISSIONS;
    let link = link(call)?;
    let refused = format!(
        "Cannot modify permissions for file \"{}\" in phar \"{}\", write operations are prohibited",
        shown(&link.name),
        link.archive.borrow().shown()
    );
    let link = {
        let exists = link.archive.borrow().entries.get(&link.name).is_some();
        if !exists {
            return Err(temporary(call, &link, "chmod"));
        }
        if super::wrapper::is_read_only(call.vm, &link.archive.borrow()) {
            return Err(throw(call.vm, "PharException", &refused));
        }
        link
    };
    if let Some(entry) = link.archive.borrow_mut().entries.get_mut(&link.name) {
        entry.flags = entry.flags & !flags::PERMISSIONS | permissions;
        entry.is_modified = true;
    }
    flush_or_throw(call.vm, &link.archive)?;
    Ok(Value::NULL)
}

fn set_metadata(call: &mut Call<'_>) -> PhpResult<Value> {
    let link = changeable(call, WRITE_DISABLED, "set metadata")?;
    let data = serialized_argument(call)?;
    if let Some(entry) = link.archive.borrow_mut().entries.get_mut(&link.name) {
        entry.metadata = Some(data);
        entry.is_modified = true;
    }
    flush_or_throw(call.vm, &link.archive)?;
    Ok(Value::NULL)
}

fn delete_metadata(call: &mut Call<'_>) -> PhpResult<Value> {
    let link = changeable(call, WRITE_DISABLED, "delete metadata")?;
    let had = {
        let mut archive = link.archive.borrow_mut();
        let entry = archive.entries.get_mut(&link.name);
        entry.is_some_and(|entry| entry.metadata.take().is_some())
    };
    if had {
        flush_or_throw(call.vm, &link.archive)?;
    }
    Ok(true.into())
}

fn compress(call: &mut Call<'_>) -> PhpResult<Value> {
    let method = call.long(0);
    let link = link(call)?;
    let problem = {
        let archive = link.archive.borrow();
        let entry = archive.entries.get(&link.name);
        if archive.format == super::archive::Format::Tar {
            Some("Cannot compress with Gzip compression, not possible with tar-based phar archives")
        } else if entry.is_none_or(|entry| entry.is_directory) {
            Some("Phar entry is a directory, cannot set compression")
        } else if super::wrapper::is_read_only(call.vm, &archive) {
            Some("Phar is readonly, cannot change compression")
        } else if method == i64::from(flags::BZ2) && !super::compression::is_supported(flags::BZ2) {
            Some("Cannot compress with bzip2 compression, bz2 extension is not enabled")
        } else if ![flags::GZ, flags::BZ2].map(i64::from).contains(&method) {
            Some("Unknown compression type specified")
        } else {
            None
        }
    };
    if let Some(problem) = problem {
        return Err(bad_call(call.vm, problem));
    }
    set_compression(call, &link, method as u32)
}

fn decompress(call: &mut Call<'_>) -> PhpResult<Value> {
    let link = link(call)?;
    let problem = {
        let archive = link.archive.borrow();
        let entry = archive.entries.get(&link.name);
        if entry.is_none_or(|entry| entry.is_directory) {
            Some("Phar entry is a directory, cannot set compression")
        } else if entry.is_some_and(|entry| entry.flags & flags::COMPRESSED == 0) {
            return Ok(true.into());
        } else if super::wrapper::is_read_only(call.vm, &archive) {
            Some("Phar is readonly, cannot decompress")
        } else {
            None
        }
    };
    if let Some(problem) = problem {
        return Err(bad_call(call.vm, problem));
    }
    set_compression(call, &link, 0)
}

fn set_compression(call: &mut Call<'_>, link: &Link, wanted: u32) -> PhpResult<Value> {
    let changed = recompress(&link.archive, &link.name, wanted);
    if let Err(problem) = changed {
        let message = format!("Phar error: Cannot change compression: {problem}");
        return Err(bad_call(call.vm, &message));
    }
    flush_or_throw(call.vm, &link.archive)?;
    Ok(true.into())
}

/// Lets an entry be compressed in another way from now on.
pub(super) fn recompress(archive: &Shared, name: &[u8], wanted: u32) -> Result<(), String> {
    let mut archive = archive.borrow_mut();
    let contents = archive.contents(name)?;
    if let Some(entry) = archive.entries.get_mut(name) {
        entry.flags = entry.flags & !flags::COMPRESSED | wanted;
        entry.body = super::archive::Body::Memory(contents);
        entry.is_modified = true;
    }
    Ok(())
}
