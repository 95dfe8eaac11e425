//! A class while it is being linked: its own members, then what it inherits.

use std::ptr::null_mut;
use std::rc::Rc;

use crate::class::Step;
use crate::class::{Class, ClassConstant, NO_SLOT, NameTable, NativeHandlers, PropertyInfo};
use crate::function::{Function, Type, class_flags, flags};
use crate::string::PhpString;
use crate::value::{INDIRECT, Zval};
use crate::vm::Vm;

/// A property that the class itself (or a trait it uses) declares.
#[derive(Debug)]
pub(crate) struct OwnProperty {
    pub(crate) info: PropertyInfo,
    pub(crate) default: Zval,
}

/// A check that has to wait until more classes are known.
#[derive(Debug, Clone)]
pub(crate) enum Obligation {
    /// A method and the one it has to be compatible with.
    Method {
        child: *const Function,
        child_scope: *mut Class,
        parent: *const Function,
        parent_scope: *mut Class,
    },
    /// A property and the one it redeclares.
    Property {
        child: Rc<PropertyInfo>,
        parent: Rc<PropertyInfo>,
    },
    /// A constant and the one it overrides.
    Constant {
        name: Box<[u8]>,
        own: Rc<ClassConstant>,
        inherited: Rc<ClassConstant>,
    },
    /// The parameter of a `set` hook and the type of its property.
    SetHook(Rc<PropertyInfo>),
    /// What this nearly linked parent or interface waits for.
    Dependency(*mut Class),
}

/// The class being linked and what is not in it yet.
#[derive(Debug)]
pub(crate) struct Linking {
    pub(crate) class: *mut Class,
    /// Own properties by name; they get their slots when the parent's are known.
    pub(crate) properties: NameTable<OwnProperty>,
    pub(crate) obligations: Vec<Obligation>,
    /// Parent and interfaces, which types may refer to before they are taken over.
    pub(crate) pending_ancestors: Vec<*mut Class>,
    /// Hooks that an interface asks for and a virtual property does not have.
    pub(crate) missing_hooks: Vec<*const Function>,
    /// For each method taken from a trait: its key, the trait, its name here and there.
    pub(crate) trait_sources: Vec<(Vec<u8>, *mut Class, *mut PhpString, *mut PhpString)>,
    /// The class is declared before its file runs, if nothing is missing.
    pub(crate) early: bool,
    /// Position of errors that have none of their own.
    pub(crate) file: *mut PhpString,
    pub(crate) line: u32,
}

impl Linking {
    /// For a class of this VM.
    pub(crate) fn new(class: *mut Class) -> Linking {
        Linking {
            class,
            properties: NameTable::default(),
            obligations: Vec::new(),
            pending_ancestors: Vec::new(),
            missing_hooks: Vec::new(),
            trait_sources: Vec::new(),
            early: false,
            file: null_mut(),
            line: 0,
        }
    }

    /// Adds an own property.
    pub(crate) fn property(&mut self, info: PropertyInfo, default: Zval) {
        // SAFETY: I4: a property's name lives as long as its class.
        let name = unsafe { (*info.name).as_bytes() };
        self.properties.insert(name, OwnProperty { info, default });
    }

    /// Stops the script because of the class.
    #[cold]
    pub(crate) fn error(&self, vm: &mut Vm, message: &str) -> ! {
        compile_error(vm, self.file, self.line, message)
    }

    /// Takes over the parent's members, gives properties their slots, adds the interfaces.
    pub(crate) fn complete(&mut self, vm: &mut Vm, parent: *mut Class, interfaces: &[*mut Class]) {
        self.inherit_parent(vm, parent);
        self.implement_interfaces(vm, interfaces);
        self.finish();
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        unsafe { (*self.class).flags |= class_flags::LINKED };
    }

    /// Looks up magic methods.
    pub(crate) fn finish(&mut self) {
        // SAFETY: I4: the class is live, and nobody else uses it yet.
        unsafe {
            let class = &mut *self.class;
            class.find_magic();
            let is_destroyed_natively = class
                .handlers
                .is_some_and(|handlers| handlers.destruct.is_some());
            if is_destroyed_natively && class.magic.destruct.is_null() && !class.parent.is_null() {
                class.magic.destruct = (*class.parent).magic.destruct;
            }
            class.index_slots();
            let evaluated = !class.has_expressions();
            if evaluated {
                class.flags |= class_flags::CONSTANTS_UPDATED;
            }
        }
    }
}

fn file_bytes<'a>(file: *mut PhpString) -> &'a [u8] {
    if file.is_null() {
        b"Unknown"
    } else {
        // SAFETY: I4: file names live as long as the code.
        unsafe { (*file).as_bytes() }
    }
}

/// Reports a fatal error at a place in a file.
#[cold]
pub(crate) fn compile_error(vm: &mut Vm, file: *mut PhpString, line: u32, message: &str) -> ! {
    report_error_at(
        vm,
        crate::diagnostics::level::COMPILE_ERROR,
        file_bytes(file),
        line,
        message,
    );
    crate::heap::bail_out()
}

/// Raises a diagnostic at a place in a file.
#[cold]
pub(crate) fn raise_at(vm: &mut Vm, level: u32, file: *mut PhpString, line: u32, message: &str) {
    report_error_at(vm, level, file_bytes(file), line, message);
}

/// Raises a diagnostic at a place in a file; even a fatal one does not unwind.
#[cold]
pub(crate) fn report_error_at(
    vm: &mut Vm,
    level: u32,
    file: &[u8],
    line: u32,
    message: impl crate::message::Message,
) {
    let file = vm.string(file);
    vm.raise_at(level, message, &file, line);
}

impl PropertyInfo {
    /// A property without slot, hooks and prototype. A readonly one may be set by children, unless
    /// it says something else.
    pub(crate) fn new(
        vm: &mut Vm,
        class: *mut Class,
        name: *mut PhpString,
        flags: u32,
        declared: Option<Type>,
    ) -> PropertyInfo {
        let mut flags = flags;
        if flags & flags::READONLY != 0 && flags & (super::PPP_SET | flags::PRIVATE) == 0 {
            flags |= flags::PROTECTED_SET;
        }
        PropertyInfo {
            name,
            mangled: mangle(vm, class, name, flags),
            slot: NO_SLOT,
            flags,
            class,
            declared,
            passed: std::cell::Cell::new(null_mut()),
            passed_root: std::cell::Cell::new(null_mut()),
            get_hook: std::ptr::null(),
            set_hook: std::ptr::null(),
            doc_comment: null_mut(),
            prototype: std::ptr::null(),
            attributes: &[],
        }
    }

    /// True if it has a hook.
    #[inline]
    pub fn has_hooks(&self) -> bool {
        !self.get_hook.is_null() || !self.set_hook.is_null()
    }

    /// The declaration of the same property by the nearest native class, where that has it: this one, or one that scripts
    /// have declared again.
    pub fn native_declaration(&self) -> Option<&PropertyInfo> {
        // SAFETY: I4: classes, and the declarations of their properties, live until the VM ends.
        unsafe {
            let mut declaring = self.class;
            while (*declaring).flags & class_flags::INTERNAL == 0 && !(*declaring).parent.is_null()
            {
                declaring = (*declaring).parent;
            }
            match (*declaring).flags & class_flags::INTERNAL {
                0 => None,
                _ => (*declaring)
                    .properties
                    .get_string(&*self.name)
                    .map(|info| &**info),
            }
        }
    }

    /// True if native code computes it.
    pub fn is_computed(&self) -> bool {
        self.is_virtual() && !self.has_hooks()
    }

    /// True if it has no storage.
    #[inline]
    pub fn is_virtual(&self) -> bool {
        self.flags & flags::VIRTUAL != 0
    }

    /// The name as text, for messages.
    pub fn display_name(&self) -> String {
        // SAFETY: I4: a property's name lives as long as its class.
        unsafe { (*self.name).to_text().into_owned() }
    }
}

/// The name by which property tables hold a property of this visibility.
pub(crate) fn mangle(
    vm: &mut Vm,
    class: *mut Class,
    name: *mut PhpString,
    flags: u32,
) -> *mut PhpString {
    // SAFETY: I4: names and classes are live.
    unsafe {
        let parts: [&[u8]; 4] = match flags & flags::VISIBILITY {
            flags::PRIVATE => [
                b"\0",
                (*(*class).name).as_bytes(),
                b"\0",
                (*name).as_bytes(),
            ],
            flags::PROTECTED => [b"\0", b"*", b"\0", (*name).as_bytes()],
            _ => return name,
        };
        vm.names.string(&parts.concat())
    }
}

impl Vm {
    /// A class without members. It lives until the VM ends.
    pub(crate) fn allocate_class(
        &mut self,
        name: *mut PhpString,
        lowercase: *mut PhpString,
    ) -> *mut Class {
        let class = Box::into_raw(Box::new(Class {
            name,
            lowercase,
            flags: 0,
            parent: null_mut(),
            interfaces: Vec::new(),
            traits: Vec::new(),
            default_properties: Vec::new(),
            slot_properties: Vec::new(),
            static_members: Box::default(),
            properties: NameTable::default(),
            constants: NameTable::default(),
            methods: NameTable::default(),
            magic: Default::default(),
            create_native: None,
            handlers: None::<&'static NativeHandlers>,
            backing_type: 0,
            own_functions: Vec::new(),
            declaration: None,
            native_attributes: Vec::new(),
            suspends_loops: false,
        }));
        self.class_state.list.push(class);
        class
    }
}

impl Class {
    /// The info of each slot: the parent's, then what this class declares.
    fn index_slots(&mut self) {
        let count = self.default_properties.len();
        let inherited = if self.parent.is_null() {
            &[][..]
        } else {
            // SAFETY: I4: the parent is live.
            unsafe { &(*self.parent).slot_properties }
        };
        let mut slots = inherited.to_vec();
        slots.resize(count, std::ptr::null());
        for (_, info) in self.properties.iter() {
            let own = std::ptr::eq(info.class, self);
            if own && info.flags & flags::STATIC == 0 && info.slot != NO_SLOT {
                slots[info.slot as usize] = Rc::as_ptr(info);
            }
        }
        self.slot_properties = slots;
    }

    fn has_expressions(&self) -> bool {
        let is_expression = |value: &Zval| value.kind() == crate::value::CONSTANT_EXPRESSION;
        // Static members are the parents' own. A private constant of theirs is nobody else's.
        let mut parent = self.parent;
        // SAFETY: I4: parents are live.
        while let Some(class) = unsafe { parent.as_ref() } {
            if class.static_members.iter().any(is_expression) {
                return true;
            }
            parent = class.parent;
        }
        self.default_properties.iter().any(is_expression)
            || self.static_members.iter().any(is_expression)
            || self.constants.iter().any(|(_, constant)| {
                is_expression(&constant.value) || constant.flags & flags::ENUM_CASE != 0
            })
    }

    /// Fills [`Class::magic`] from the methods.
    fn find_magic(&mut self) {
        let methods = &self.methods;
        let find = |name: &[u8]| methods.get(name).copied().unwrap_or(std::ptr::null());
        let magic = &mut self.magic;
        magic.construct = find(b"__construct");
        magic.destruct = find(b"__destruct");
        magic.clone = find(b"__clone");
        magic.get = find(b"__get");
        magic.set = find(b"__set");
        magic.isset = find(b"__isset");
        magic.unset = find(b"__unset");
        magic.call = find(b"__call");
        magic.call_static = find(b"__callstatic");
        magic.to_string = find(b"__tostring");
        magic.invoke = find(b"__invoke");
        magic.debug_info = find(b"__debuginfo");
        magic.serialize = find(b"__serialize");
        magic.unserialize = find(b"__unserialize");
        magic.get_iterator = find(b"getiterator");
        magic.iterator = Step::ALL.map(|step| find(step.method()));
        let implements = |name: &[u8]| {
            // SAFETY: I4: classes are live.
            self.interfaces
                .iter()
                .any(|&interface| unsafe { (*(*interface).lowercase).as_bytes() == name })
        };
        if implements(b"traversable") {
            self.flags |= class_flags::TRAVERSABLE;
        }
        if implements(b"iterator") {
            self.flags |= class_flags::ITERATOR;
        }
        let is_native = |method: &*const Function| {
            // SAFETY: I4: methods are null or live.
            unsafe { method.as_ref() }.is_some_and(|method| !method.is_user)
        };
        if magic.iterator.iter().all(is_native) {
            self.flags |= class_flags::NATIVE_STEPS;
        }
        if implements(b"arrayaccess") {
            magic.offset_get = find(b"offsetget");
            magic.offset_set = find(b"offsetset");
            magic.offset_exists = find(b"offsetexists");
            magic.offset_unset = find(b"offsetunset");
        }
        if implements(b"countable") {
            magic.count = find(b"count");
        }
    }

    /// The slot of a static member, in this class or the one it is inherited from.
    ///
    /// # Safety
    /// `index` is the slot of a static property of this class.
    pub unsafe fn static_member(&mut self, index: u32) -> *mut Zval {
        let slot = &raw mut self.static_members[index as usize];
        // SAFETY: I6: an inherited member points into the live class that declares it.
        unsafe {
            if (*slot).kind() == INDIRECT {
                (*slot).indirect()
            } else {
                slot
            }
        }
    }

    /// The present value of a static property, or the default of an instance property; UNDEF for
    /// a typed one without a default and for a virtual one. No share is taken.
    ///
    /// # Safety
    /// `property` is one of this class, which is initialised.
    pub unsafe fn declared_value(&mut self, property: &PropertyInfo) -> Zval {
        if property.flags & flags::STATIC != 0 {
            // SAFETY: by the caller.
            return unsafe { *self.static_member(property.slot) };
        }
        let default = self.default_properties.get(property.slot as usize);
        default.copied().unwrap_or(Zval::UNDEF)
    }
}

impl Drop for Class {
    fn drop(&mut self) {
        for &function in &self.own_functions {
            // SAFETY: made by `make_function` for this class alone.
            drop(unsafe { Box::from_raw(function) });
        }
    }
}
