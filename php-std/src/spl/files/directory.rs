//! DirectoryIterator, FilesystemIterator, RecursiveDirectoryIterator, GlobIterator.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::object::PhpObject;
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::file::is_called_by_code;
use super::info::{extension, new_info};
use super::{Kind, construct, data, known_name, uninitialised};
use crate::spl::{this, throw};
use crate::standard::files::{
    Listing, base_name, find_by_pattern, list, parent, status_of_entry,
    status_options::{STAT_LINK, STAT_QUIET},
    without_credentials, without_suffix,
};
use crate::support::text;

const CURRENT_AS_PATHNAME: i64 = 0x20;
const CURRENT_AS_SELF: i64 = 0x10;
const CURRENT_MODE: i64 = 0xf0;
const KEY_AS_FILENAME: i64 = 0x100;
const KEY_MODE: i64 = 0xf00;
const SKIP_DOTS: i64 = 0x1000;
const FOLLOW_SYMLINKS: i64 = 0x4000;
const OTHER_MODES: i64 = 0x7000;

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class DirectoryIterator extends SplFileInfo implements SeekableIterator")
        .methods(&[
            method("public function __construct(path $directory)", |call| {
                open(call, 0)
            }),
            method("tentative public function getFilename(): string", |call| {
                let object = this(call);
                let entry = directory(call.vm, &object)?.entry().to_vec();
                text(call.vm, entry)
            }),
            method("tentative public function getExtension(): string", |call| {
                let object = this(call);
                let entry = directory(call.vm, &object)?.entry().to_vec();
                extension(call.vm, &entry)
            }),
            method("tentative public function getBasename(string $suffix = \"\"): string", |call| {
                let object = this(call);
                let entry = directory(call.vm, &object)?.entry().to_vec();
                text(call.vm, without_suffix(base_name(&entry), call.bytes(0)))
            }),
            method("tentative public function isDot(): bool", |call| {
                let object = this(call);
                Ok(directory(call.vm, &object)?.is_dot().into())
            }),
            method("tentative public function rewind(): void", rewind),
            method("tentative public function valid(): bool", |call| {
                let object = this(call);
                Ok((!directory(call.vm, &object)?.entry().is_empty()).into())
            }),
            method("tentative public function key(): mixed", |call| {
                let object = this(call);
                Ok(directory(call.vm, &object)?.position.into())
            }),
            method("tentative public function current(): mixed", |call| {
                let object = this(call);
                directory(call.vm, &object)?;
                Ok(object.into())
            }),
            method("tentative public function next(): void", |call| {
                let object = this(call);
                let directory = directory(call.vm, &object)?;
                directory.position += 1;
                directory.advance();
                call.vm.check()?;
                Ok(Value::NULL)
            }),
            method("tentative public function seek(int $offset): void", seek),
            method("public function __toString(): string", |call| {
                let object = this(call);
                let entry = directory(call.vm, &object)?.entry().to_vec();
                text(call.vm, entry)
            }),
        ]),
    &NativeClass::new("class FilesystemIterator extends DirectoryIterator")
        .constants(&[
            "int CURRENT_MODE_MASK = 240",
            "int CURRENT_AS_PATHNAME = 32",
            "int CURRENT_AS_FILEINFO = 0",
            "int CURRENT_AS_SELF = 16",
            "int KEY_MODE_MASK = 3840",
            "int KEY_AS_PATHNAME = 0",
            "int FOLLOW_SYMLINKS = 16384",
            "int KEY_AS_FILENAME = 256",
            "int NEW_CURRENT_AND_KEY = 256",
            "int OTHER_MODE_MASK = 28672",
            "int SKIP_DOTS = 4096",
            "int UNIX_PATHS = 8192",
        ])
        .methods(&[
            method(
                "public function __construct(path $directory, int $flags = FilesystemIterator::KEY_AS_PATHNAME | FilesystemIterator::CURRENT_AS_FILEINFO | FilesystemIterator::SKIP_DOTS)",
                |call| open(call, if call.count() > 1 { call.long(1) } else { SKIP_DOTS }),
            ),
            method("tentative public function rewind(): void", rewind),
            method("tentative public function key(): string", |call| {
                let object = this(call);
                let directory = directory(call.vm, &object)?;
                if directory.flags & KEY_AS_FILENAME != 0 {
                    let entry = directory.entry().to_vec();
                    return text(call.vm, entry);
                }
                let name = known_name(call.vm, &object)?;
                text(call.vm, name)
            }),
            method(
                "tentative public function current(): SplFileInfo|FilesystemIterator|string",
                |call| {
                    let object = this(call);
                    let flags = directory(call.vm, &object)?.flags;
                    if flags & CURRENT_AS_SELF != 0 {
                        return Ok(object.into());
                    }
                    let name = known_name(call.vm, &object)?;
                    match flags & CURRENT_AS_PATHNAME {
                        0 => new_info(call.vm, &object, None, name),
                        _ => text(call.vm, name),
                    }
                },
            ),
            method("tentative public function getFlags(): int", |call| {
                let object = this(call);
                let flags = directory(call.vm, &object)?.flags;
                Ok((flags & (KEY_MODE | CURRENT_MODE | OTHER_MODES)).into())
            }),
            method("tentative public function setFlags(int $flags): void", |call| {
                let (object, wanted) = (this(call), call.long(0));
                let modes = KEY_MODE | CURRENT_MODE | OTHER_MODES;
                let flags = &mut directory(call.vm, &object)?.flags;
                *flags = *flags & !modes | wanted & modes;
                Ok(Value::NULL)
            }),
        ]),
    &NativeClass::new(
        "class RecursiveDirectoryIterator extends FilesystemIterator implements RecursiveIterator",
    )
    .methods(&[
        method(
            "public function __construct(path $directory, int $flags = FilesystemIterator::KEY_AS_PATHNAME | FilesystemIterator::CURRENT_AS_FILEINFO)",
            |call| open(call, call.long(1)),
        ),
        method(
            "tentative public function hasChildren(bool $allowLinks = false): bool",
            has_children,
        ),
        method(
            "tentative public function getChildren(): RecursiveDirectoryIterator",
            get_children,
        ),
        method("tentative public function getSubPath(): string", |call| {
            let object = this(call);
            let below = directory(call.vm, &object)?.below().to_vec();
            text(call.vm, below)
        }),
        method("tentative public function getSubPathname(): string", |call| {
            let object = this(call);
            let directory = directory(call.vm, &object)?;
            let name = joined(directory.below(), directory.entry());
            text(call.vm, name)
        }),
    ]),
    &NativeClass::new("class GlobIterator extends FilesystemIterator implements Countable")
        .flags(class_flags::NOT_CLONEABLE)
        .methods(&[
            method(
                "public function __construct(path $pattern, int $flags = FilesystemIterator::KEY_AS_PATHNAME | FilesystemIterator::CURRENT_AS_FILEINFO)",
                |call| open(call, call.long(1)),
            ),
            method("tentative public function count(): int", |call| {
                let object = this(call);
                if !matches!(data(&object).kind, Kind::Directory(_)) && !is_called_by_code(call.vm)
                {
                    let function = call.function().display_name();
                    let message = format!("{function}(): GlobIterator lost glob state");
                    call.vm.fatal_error(&message);
                }
                match &directory(call.vm, &object)?.entries {
                    Entries::Found { names, .. } => Ok(names.len().into()),
                    Entries::Listed(_) => Ok(0i64.into()),
                }
            }),
        ]),
];

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory {
    entries: Entries,
    /// The name of the entry it stands at; empty behind the last.
    entry: Vec<u8>,
    position: i64,
    flags: i64,
    /// Where it lies below the directory that a recursive iteration started at.
    below: Vec<u8>,
    /// What was opened: a directory, or `glob://` and a pattern.
    opened: Vec<u8>,
}

#[derive(Debug)]
enum Entries {
    /// As a wrapper gives them.
    Listed(Box<dyn Listing>),
    /// What a pattern found: whole names.
    Found { names: Vec<Vec<u8>>, next: usize },
}

fn joined(directory: &[u8], entry: &[u8]) -> Vec<u8> {
    match directory.is_empty() {
        true => entry.to_vec(),
        false => [directory, b"/", entry].concat(),
    }
}

impl Directory {
    /// Opens a directory, or says why it cannot be opened.
    fn open(vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Result<Directory, std::io::Error>> {
        let entries = match name.strip_prefix(b"glob://") {
            Some(pattern) => Entries::Found {
                names: find_by_pattern(pattern, 0).unwrap_or_default(),
                next: 0,
            },
            None => match list(vm, name, None)? {
                Ok(listing) => Entries::Listed(listing),
                Err(error) => return Ok(Err(error)),
            },
        };
        let mut directory = Directory {
            entries,
            entry: Vec::new(),
            position: 0,
            flags,
            below: Vec::new(),
            opened: name.to_vec(),
        };
        directory.advance();
        Ok(Ok(directory))
    }

    /// The same directory opened once more, at the same position.
    pub(super) fn copy(&self, vm: &mut Vm) -> Option<Directory> {
        let mut copy = Directory::open(vm, &self.opened, self.flags).ok()?.ok()?;
        while copy.position < self.position {
            copy.position += 1;
            copy.advance();
        }
        copy.below.clone_from(&self.below);
        Some(copy)
    }

    /// The name of the entry it stands at.
    pub(super) fn entry(&self) -> &[u8] {
        &self.entry
    }

    /// See the field.
    pub(super) fn below(&self) -> &[u8] {
        &self.below
    }

    /// `glob://` and the pattern, if there is one.
    pub(super) fn pattern(&self) -> Option<&[u8]> {
        matches!(self.entries, Entries::Found { .. }).then_some(&*self.opened)
    }

    fn is_dot(&self) -> bool {
        matches!(self.entry.as_slice(), b"." | b"..")
    }

    /// Goes to the next entry.
    fn advance(&mut self) {
        loop {
            let next = match &mut self.entries {
                Entries::Listed(listing) => listing.next(),
                Entries::Found { names, next } => {
                    let name = names.get(*next).map(|name| base_name(name).to_vec());
                    *next += 1;
                    name
                }
            };
            self.entry = next.unwrap_or_default();
            if self.flags & SKIP_DOTS == 0 || !self.is_dot() {
                return;
            }
        }
    }

    fn rewind(&mut self) {
        self.position = 0;
        match &mut self.entries {
            Entries::Listed(listing) => listing.rewind(),
            Entries::Found { next, .. } => *next = 0,
        }
        self.advance();
    }

    /// The directory of the entry; `path` is what was opened.
    pub(super) fn directory_of_entry<'a>(&'a self, path: &'a [u8]) -> &'a [u8] {
        let Entries::Found { names, next } = &self.entries else {
            return path;
        };
        match names.get(next.saturating_sub(1)) {
            Some(name) if memchr::memchr(b'/', name).is_some() => parent(name),
            _ => b"",
        }
    }

    /// The whole name of the entry.
    pub(super) fn full_name(&self, path: &[u8]) -> Option<Vec<u8>> {
        Some(match self.entry.is_empty() {
            true => Vec::new(),
            false => joined(self.directory_of_entry(path), &self.entry),
        })
    }
}

/// The open directory of an object.
fn directory<'a>(vm: &mut Vm, object: &'a PhpObject) -> PhpResult<&'a mut Directory> {
    match &mut data(object).kind {
        Kind::Directory(directory) => Ok(directory),
        _ if is_pattern(vm, object) && is_called_by_code(vm) => Err(vm.throw_error(
            KnownClass::Error,
            "The parent constructor was not called: the object is in an invalid state",
        )),
        _ => Err(uninitialised(vm)),
    }
}

/// True for a GlobIterator.
fn is_pattern(vm: &mut Vm, object: &PhpObject) -> bool {
    let class = vm.linked_class(b"globiterator");
    class.is_some_and(|class| object.class().is_subclass_of(class))
}

/// The constructors.
fn open(call: &mut Call<'_>, flags: i64) -> PhpResult<Value> {
    let (object, mut name) = (this(call), call.bytes(0).to_vec());
    if memchr::memchr(0, &name).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if let Kind::Directory(_) = data(&object).kind {
        let message = "Directory object is already initialized";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    if is_pattern(call.vm, &object) && !name.starts_with(b"glob://") {
        name.splice(..0, *b"glob://");
    }
    let flags = flags & (KEY_MODE | CURRENT_MODE | OTHER_MODES);
    match Directory::open(call.vm, &name, flags)? {
        Ok(directory) => {
            while name.len() > 1 && name.ends_with(b"/") {
                name.pop();
            }
            let about = data(&object);
            about.path = name;
            let directory = Kind::Directory(Box::new(directory));
            drop(std::mem::replace(&mut about.kind, directory));
            call.vm.check()?;
            Ok(Value::NULL)
        }
        Err(error) => {
            let method = call.function().display_name();
            let shown = without_credentials(&name);
            let shown = vm_runtime::message::text(&shown);
            let reason = os_error_text(&error);
            let message = format!("{method}({shown}): Failed to open directory: {reason}");
            Err(throw(call.vm, "UnexpectedValueException", &message))
        }
    }
}

fn rewind(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    directory(call.vm, &object)?.rewind();
    call.vm.check()?;
    Ok(Value::NULL)
}

fn seek(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, target) = (this(call), call.long(0));
    if directory(call.vm, &object)?.position > target {
        call.vm.call_method(&object, b"rewind", Vec::new())?;
    }
    while directory(call.vm, &object)?.position < target {
        let valid = call.vm.call_method(&object, b"valid", Vec::new())?;
        if !to_bool(&valid) {
            let message = format!("Seek position {target} is out of range");
            return Err(throw(call.vm, "OutOfBoundsException", &message));
        }
        call.vm.call_method(&object, b"next", Vec::new())?;
    }
    Ok(Value::NULL)
}

fn has_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, allow_links) = (this(call), call.bool(0));
    let directory = directory(call.vm, &object)?;
    if directory.is_dot() || directory.entry().is_empty() {
        return Ok(false.into());
    }
    if let Entries::Listed(listing) = &directory.entries
        && let Some(is_directory) = listing.is_directory()
    {
        return Ok(is_directory.into());
    }
    let follow = allow_links || directory.flags & FOLLOW_SYMLINKS != 0;
    let name = known_name(call.vm, &object)?;
    if !follow {
        let found = status_of_entry(call.vm, &name, STAT_LINK | STAT_QUIET)?;
        if found.is_none_or(|status| status.is(libc::S_IFLNK)) {
            return Ok(false.into());
        }
    }
    let found = status_of_entry(call.vm, &name, STAT_QUIET)?;
    Ok(found.is_some_and(|status| status.is(libc::S_IFDIR)).into())
}

fn get_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object: ObjectHandle = this(call);
    let flags = directory(call.vm, &object)?.flags;
    let name = known_name(call.vm, &object)?;
    let arguments = vec![call.vm.string(name).into(), flags.into()];
    let class = (&raw const *object.class()).cast_mut();
    let made = construct(call.vm, class, arguments)?;
    let below = {
        let directory = directory(call.vm, &object)?;
        joined(directory.below(), directory.entry())
    };
    if let Kind::Directory(child) = &mut data(&made).kind {
        child.below = below;
    }
    let (file_class, info_class) = (data(&object).file_class, data(&object).info_class);
    (data(&made).file_class, data(&made).info_class) = (file_class, info_class);
    Ok(made.into())
}
