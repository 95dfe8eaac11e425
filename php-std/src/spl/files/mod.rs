//! SplFileInfo and its children: names of files, directories, and open files.

mod directory;
mod file;
mod info;

use std::any::Any;
use std::rc::Rc;

use vm_runtime::class::{Class, NativeClass};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, instantiate};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use self::directory::Directory;
use self::file::OpenFile;

/// The classes, parents first.
pub(super) static CLASSES: [&[&NativeClass]; 3] =
    [info::CLASSES, directory::CLASSES, file::CLASSES];

/// The native part of all of them.
#[derive(Debug, Default)]
struct FileObject {
    kind: Kind,
    /// The directory part.
    path: Vec<u8>,
    /// The whole name; what an iterator of a directory stands at has its own.
    name: Option<Vec<u8>>,
    /// The class of what `openFile()` gives, if it was set.
    file_class: Option<*mut Class>,
    /// The class of what `getFileInfo()` and its like give, if it was set.
    info_class: Option<*mut Class>,
    /// What a class of another extension keeps with it.
    attached: Option<Rc<dyn Any>>,
}

/// Lets an object of one of these classes keep something.
#[cfg(feature = "phar")]
pub(crate) fn attach(object: &PhpObject, attached: Rc<dyn Any>) {
    data(object).attached = Some(attached);
}

/// What an object keeps.
#[cfg(feature = "phar")]
pub(crate) fn attached<T: 'static>(object: &PhpObject) -> Option<Rc<T>> {
    let attached = object.native::<FileObject>()?.attached.clone()?;
    attached.downcast().ok()
}

/// Sets the class of what iterators and `getFileInfo()` give.
#[cfg(feature = "phar")]
pub(crate) fn set_info_class(object: &PhpObject, class: *mut Class) {
    data(object).info_class = Some(class);
}

/// A new object of the class for what an iterator gives, by its name.
#[cfg(feature = "phar")]
pub(crate) fn new_info(vm: &mut Vm, from: &PhpObject, name: Vec<u8>) -> PhpResult<Value> {
    info::new_info(vm, from, None, name)
}

/// What there is besides a name.
#[derive(Debug, Default)]
enum Kind {
    #[default]
    Name,
    Directory(Box<Directory>),
    File(Box<OpenFile>),
}

impl NativeData for FileObject {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        let kind = match &self.kind {
            Kind::Name => Kind::Name,
            Kind::Directory(directory) => Kind::Directory(Box::new(directory.copy(vm)?)),
            Kind::File(_) => return None,
        };
        Some(Box::new(FileObject {
            kind,
            path: self.path.clone(),
            name: self.name.clone(),
            attached: self.attached.clone(),
            ..*self
        }))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Kind::File(file) = &self.kind {
            file.visit(visitor);
        }
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<FileObject>::default())
}

fn data(object: &PhpObject) -> &mut FileObject {
    object.native::<FileObject>().expect("made with the object")
}

#[cold]
fn uninitialised(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::Error, "Object not initialized")
}

impl FileObject {
    /// The whole name of what the object stands for.
    fn full_name(&self) -> Option<Vec<u8>> {
        match &self.kind {
            Kind::Directory(directory) => directory.full_name(&self.path),
            _ => self.name.clone(),
        }
    }

    /// The directory part of [`FileObject::full_name`].
    fn directory_part(&self) -> &[u8] {
        match &self.kind {
            Kind::Directory(directory) => directory.directory_of_entry(&self.path),
            _ => &self.path,
        }
    }

    /// The name without the directory.
    fn last_part(&self) -> Vec<u8> {
        if let Kind::Directory(directory) = &self.kind {
            return directory.entry().to_vec();
        }
        let name = self.name.as_deref().unwrap_or_default();
        match self.path.len() {
            length if length > 0 && length < name.len() => name[length + 1..].to_vec(),
            _ => name.to_vec(),
        }
    }

    /// Takes a name: slashes at its end are left out.
    fn set_name(&mut self, name: &[u8]) {
        let mut name = name;
        while name.len() > 1
            && let Some(shorter) = name.strip_suffix(b"/")
        {
            name = shorter;
        }
        let slash = memchr::memrchr(b'/', name).unwrap_or(0);
        self.path = name[..slash].to_vec();
        self.name = Some(name.to_vec());
    }
}

/// The whole name; an error if the constructor was not called, nothing to stand at an empty name.
fn known_name(vm: &mut Vm, object: &PhpObject) -> PhpResult<Vec<u8>> {
    match data(object).full_name() {
        Some(name) => Ok(name),
        None => Err(uninitialised(vm)),
    }
}

/// A new object of a class, its constructor called.
fn construct(vm: &mut Vm, class: *mut Class, arguments: Vec<Value>) -> PhpResult<ObjectHandle> {
    let object = instantiate(vm, class)?;
    let constructor = object.class().magic.construct;
    vm.call_function(constructor, Some(object.clone()), class, arguments)?;
    Ok(object)
}

/// The class that argument `index` names: `base` or one derived from it. `None` if there is no
/// argument.
fn class_argument(
    call: &mut Call<'_>,
    index: usize,
    base: &str,
    or_null: bool,
) -> PhpResult<Option<*mut Class>> {
    if !call.has(index) {
        return Ok(None);
    }
    let name = call.bytes(index);
    let base_class = call.vm.linked_class(base.to_ascii_lowercase().as_bytes());
    let found = call.vm.class_by_name(name, true)?;
    if let (Some(found), Some(base_class)) = (found, base_class) {
        // SAFETY: I4: classes live until the VM ends.
        if unsafe { (*found).is_subclass_of(base_class) } {
            return Ok(Some(found));
        }
    }
    let or_null = if or_null { " or null" } else { "" };
    let name = vm_runtime::message::text(name);
    let problem = format!("must be a class name derived from {base}{or_null}, {name} given");
    Err(call.type_error(index, &problem))
}

/// What `var_dump()` and `__debugInfo()` show.
fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = vm_runtime::operators::convert::property_table(vm, object);
    let about = data(object);
    let mut entries: Vec<(&str, Value)> = Vec::new();
    let name = about.full_name();
    let shown = match &name {
        Some(name) => vm.string(name).into(),
        None => false.into(),
    };
    entries.push(("\0SplFileInfo\0pathName", shown));
    let stands_nowhere =
        matches!(&about.kind, Kind::Directory(directory) if directory.entry().is_empty());
    if name.is_some() && !stands_nowhere {
        entries.push((
            "\0SplFileInfo\0fileName",
            vm.string(about.last_part()).into(),
        ));
    }
    match &about.kind {
        Kind::Name => {}
        Kind::Directory(directory) => {
            let pattern = match directory.pattern() {
                Some(pattern) => vm.string(pattern).into(),
                None => false.into(),
            };
            entries.push(("\0DirectoryIterator\0glob", pattern));
            let below = vm.string(directory.below()).into();
            entries.push(("\0RecursiveDirectoryIterator\0subPathName", below));
        }
        Kind::File(file) => {
            let (separator, enclosure) = file.dialect();
            entries.push(("\0SplFileObject\0openMode", vm.string(file.mode()).into()));
            entries.push(("\0SplFileObject\0delimiter", vm.string([separator]).into()));
            entries.push(("\0SplFileObject\0enclosure", vm.string([enclosure]).into()));
        }
    }
    let array = table.make_mut(vm);
    for (name, value) in entries {
        array.set_bytes(name.as_bytes(), value);
    }
    Ok(table)
}
