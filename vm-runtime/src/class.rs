//! Classes as linked in one VM. (The declaration, shared between VMs, is
//! [`crate::op_array::ClassDeclaration`].)
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "pointers to classes, functions and objects are live by invariants I3 and I4"
)]

mod constants;
mod core;
mod declaration_text;
mod declare;
mod delayed;
pub(crate) mod enums;
mod found_classes;
mod found_methods;
mod found_properties;
mod inherit;
mod interfaces;
mod linking;
pub mod lookup;
pub(crate) mod methods;
mod name_table;
mod native;
#[cfg(test)]
mod tests;
mod trait_members;
mod traits;
mod variance;

use std::rc::Rc;
pub mod callable;

use std::sync::Arc;

use crate::function::{Function, Type};
use crate::object::read::Question;
use crate::object::{Access, NativeData, PhpObject};
use crate::op_array::ClassDeclaration;
use crate::string::PhpString;
use crate::value::{ArrayHandle, ObjectHandle, Value, Zval};
use crate::vm::{PhpResult, Vm};

pub use constants::{StaticProperty, is_constant_accessible, is_property_accessible};
pub(crate) use found_classes::FoundClasses;
pub(crate) use found_methods::FoundMethods;
pub(crate) use found_properties::FoundProperties;
pub(crate) use inherit::{PPP_SET, visibility_name};
pub(crate) use linking::report_error_at;
pub use lookup::{ClassState, is_method_accessible, is_protected_accessible};
pub use name_table::NameTable;
pub use native::{NativeClass, declare, direct_method, method};

/// The slot of a property without storage.
pub const NO_SLOT: u32 = u32::MAX;

/// A property of a class, inherited ones included.
#[derive(Debug, Clone)]
pub struct PropertyInfo {
    /// Name without `$`.
    pub name: *mut PhpString,
    /// Name as property tables have it: `name`, `\0*\0name` or `\0Class\0name`.
    pub mangled: *mut PhpString,
    /// Index into an object's slots, or into the class's static members; [`NO_SLOT`] for a
    /// virtual property.
    pub slot: u32,
    /// See [`crate::function::flags`].
    pub flags: u32,
    /// The class that declares it.
    pub class: *mut Class,
    /// Declared type.
    pub declared: Option<Type>,
    /// The class whose objects were the last to pass the type, or null.
    pub passed: std::cell::Cell<*mut Class>,
    /// A class below which the objects of all pass it, or null.
    pub passed_root: std::cell::Cell<*mut Class>,
    /// `get` hook.
    pub get_hook: *const Function,
    /// `set` hook.
    pub set_hook: *const Function,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// The first declared property it overrides, whose visibility rules it inherits; itself if
    /// it overrides none.
    pub prototype: *const PropertyInfo,
    /// Attributes (user classes).
    pub attributes: *const [crate::op_array::AttributeDeclaration],
}

/// A constant of a class, inherited ones included.
#[derive(Debug)]
pub struct ClassConstant {
    /// The value; a constant expression until it is first used.
    pub value: Zval,
    /// See [`crate::function::flags`].
    pub flags: u32,
    /// The class that declares it.
    pub class: *mut Class,
    /// Declared type.
    pub declared: Option<Type>,
    /// Doc comment, or null.
    pub doc_comment: *mut PhpString,
    /// Set while the expression is evaluated, to find constants that refer to themselves.
    pub evaluating: bool,
    /// Attributes (user classes).
    pub attributes: *const [crate::op_array::AttributeDeclaration],
}

/// Magic methods, looked up once when the class is linked. Null where the class has none.
#[derive(Debug, Clone, Copy)]
pub struct MagicMethods {
    /// `__construct`
    pub construct: *const Function,
    /// `__destruct`
    pub destruct: *const Function,
    /// `__clone`
    pub clone: *const Function,
    /// `__get`
    pub get: *const Function,
    /// `__set`
    pub set: *const Function,
    /// `__isset`
    pub isset: *const Function,
    /// `__unset`
    pub unset: *const Function,
    /// `__call`
    pub call: *const Function,
    /// `__callStatic`
    pub call_static: *const Function,
    /// `__toString`
    pub to_string: *const Function,
    /// `__invoke`
    pub invoke: *const Function,
    /// `__debugInfo`
    pub debug_info: *const Function,
    /// `__serialize`
    pub serialize: *const Function,
    /// `__unserialize`
    pub unserialize: *const Function,
    /// `ArrayAccess::offsetGet`
    pub offset_get: *const Function,
    /// `ArrayAccess::offsetSet`
    pub offset_set: *const Function,
    /// `ArrayAccess::offsetExists`
    pub offset_exists: *const Function,
    /// `ArrayAccess::offsetUnset`
    pub offset_unset: *const Function,
    /// `Countable::count`
    pub count: *const Function,
    /// `IteratorAggregate::getIterator`
    pub get_iterator: *const Function,
    /// The methods of Iterator, by [`Step`].
    pub iterator: [*const Function; 5],
}

/// What a loop asks an Iterator for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `current()`
    Current,
    /// `key()`
    Key,
    /// `next()`
    Next,
    /// `rewind()`
    Rewind,
    /// `valid()`
    Valid,
}

impl Step {
    /// All, in the order of their numbers.
    pub const ALL: [Step; 5] = [
        Step::Current,
        Step::Key,
        Step::Next,
        Step::Rewind,
        Step::Valid,
    ];

    /// The lower-cased name of the method.
    pub const fn method(self) -> &'static [u8] {
        match self {
            Step::Current => b"current",
            Step::Key => b"key",
            Step::Next => b"next",
            Step::Rewind => b"rewind",
            Step::Valid => b"valid",
        }
    }
}

impl Default for MagicMethods {
    fn default() -> MagicMethods {
        // SAFETY: all fields are raw pointers, for which zero is null.
        unsafe { std::mem::zeroed() }
    }
}

/// How instances of a native class behave where the standard behaviour does not fit. Inherited.
#[derive(Debug)]
pub struct NativeHandlers {
    /// What `var_dump()` and the like show instead of the properties.
    pub debug_info: Option<fn(&mut Vm, *mut PhpObject) -> PhpResult<ArrayHandle>>,
    /// `(int)`, `(float)`, `(string)`, `(bool)`: the type number asked for, or
    /// [`ANY_NUMBER`](crate::operators::convert::ANY_NUMBER); None where the cast is not possible.
    pub cast: Option<CastHandler>,
    /// `(bool)`, where an object may be false.
    pub truth: Option<fn(&PhpObject) -> bool>,
    /// `(array)`, `get_object_vars()`, `foreach`: the property table.
    pub properties: Option<fn(&mut Vm, *mut PhpObject) -> PhpResult<ArrayHandle>>,
    /// `get_object_vars()`, where it does not show the ordinary properties.
    pub variables: Option<fn(&mut Vm, *mut PhpObject) -> PhpResult<ArrayHandle>>,
    /// `count()`.
    pub count: Option<fn(&mut Vm, *mut PhpObject) -> PhpResult<i64>>,
    /// `$object[$offset]` for writing: the slot, for nested writes and references. None where
    /// `offsetGet()` has to serve.
    pub offset_pointer: Option<OffsetHandler>,
    /// To `$object[$offset] .= $text` an element that cannot be read is null, and what went wrong is all that is told.
    pub unreadable_is_null: bool,
    /// The slot of an element that is there and is found without code of the script, warnings and
    /// conversions, for reading or, with the flag, for replacing a value that is not counted.
    /// Null leaves it to the others.
    pub offset_place: Option<fn(&PhpObject, &Zval, bool) -> *mut Zval>,
    /// `$object[$offset]` read without a call, where `direct_offsets` says that it is none.
    pub offset_value: Option<OffsetReader>,
    /// `$object[$offset] = $value` without a call, likewise; no offset for `[]`.
    pub offset_store: Option<OffsetWriter>,
    /// A step of a loop over an iterator, where the class's method for it is native.
    pub step: Option<StepHandler>,
    /// The next element of a loop over an iterator, or if it does not go on the present one, with its key if that is
    /// wanted: what its steps do, at once. Not for classes that override one of them.
    pub fetch: Option<FetchHandler>,
    /// Makes what goes through the object for one loop, where each loop over such an iterator has a place of its own
    /// and no method of it is overridden.
    pub own_loop: Option<LoopHandler>,
    /// Whether `$object[$offset]` is no call of a method to traces, if none is overridden.
    pub direct_offsets: Option<fn(&Zval) -> bool>,
    /// `isset($object[$offset])`, or with the flag `!empty(...)`, where `offsetExists()` means
    /// something else.
    pub offset_exists: Option<OffsetTest>,
    /// `$object[$offset] ?? ...`, where one look at the element is enough; None where it is not there. Not for classes
    /// that override `offsetGet()`, and where `offsetExists()` is overridden only if that says that it exists.
    pub offset_if_set: Option<OffsetQuestion>,
    /// `unset($object[$offset])`, where `offsetUnset()` does more; false leaves it to that.
    pub offset_unset: Option<OffsetRemoval>,
    /// Whether `offsetExists()`, overridden or not, decides on `!empty($object[$offset])` alone, even if `offsetGet()` is
    /// overridden.
    pub offset_exists_decides: bool,
    /// The element an iterator stands at, as a reference to its place, for loops by reference. None
    /// where elements are only values.
    pub current_place: Option<PlaceHandler>,
    /// Properties that native code computes.
    pub properties_by_code: Option<&'static PropertyHandlers>,
    /// Whether loops go through such properties, too, asking for each when its turn comes.
    pub loops_over_computed: bool,
    /// Puts copies of such properties into the object's own table, where somebody goes through that.
    pub fill_table: Option<fn(&mut Vm, &ObjectHandle)>,
    /// `$object[$offset]` where the class is no ArrayAccess.
    pub elements: Option<&'static ElementHandlers>,
    /// Runs before the object is freed, and at shutdown, at most once; it may run user code, and
    /// even revive the object.
    pub destruct: Option<fn(&mut Vm, *mut PhpObject)>,
    /// The object that is called instead where this one has no such method; null if there is none.
    pub delegate: Option<fn(&PhpObject) -> *mut PhpObject>,
    /// What is called instead of a static method of the class where an object is given.
    pub instance_method: Option<fn(&mut Vm, *const Function) -> *const Function>,
    /// The function that makes the objects, which `new` does not.
    pub made_by: Option<&'static str>,
    /// `$a + $b` and other operators on numbers, where an operand is such an object; None where
    /// the class does not have the operator.
    pub operate: Option<OperatorHandler>,
    /// The order of the object and a value that is neither an object nor null, if it has one.
    pub compare_with: Option<ComparisonHandler>,
    /// Reads the values of serialised data of the form `C:...{...}`, where the class has no method
    /// for it.
    pub unserialize_values: Option<ValuesHandler>,
}

impl NativeHandlers {
    /// All standard.
    pub const STANDARD: NativeHandlers = NativeHandlers {
        debug_info: None,
        cast: None,
        truth: None,
        properties: None,
        variables: None,
        count: None,
        offset_pointer: None,
        unreadable_is_null: false,
        offset_place: None,
        offset_value: None,
        offset_store: None,
        step: None,
        fetch: None,
        own_loop: None,
        direct_offsets: None,
        offset_exists: None,
        offset_if_set: None,
        offset_unset: None,
        offset_exists_decides: false,
        current_place: None,
        properties_by_code: None,
        loops_over_computed: false,
        fill_table: None,
        elements: None,
        destruct: None,
        delegate: None,
        instance_method: None,
        made_by: None,
        operate: None,
        compare_with: None,
        unserialize_values: None,
    };
}

/// Properties that native code computes. The class declares them as `virtual`, or they have no
/// fixed names. Every handler says by `None` or `false` that a name is not one of these; the
/// ordinary rules apply to it then.
#[derive(Debug)]
pub struct PropertyHandlers {
    /// `$object->name`
    pub read: fn(&mut Vm, &ObjectHandle, &PhpString, Access) -> PhpResult<Option<Value>>,
    /// `$object->name = $value`
    pub write: fn(&mut Vm, &ObjectHandle, &PhpString, &Value) -> PhpResult<bool>,
    /// `isset($object->name)` and its relatives.
    pub has: fn(&mut Vm, &ObjectHandle, &PhpString, Question) -> PhpResult<Option<bool>>,
    /// `unset($object->name)`
    pub unset: fn(&mut Vm, &ObjectHandle, &PhpString) -> PhpResult<bool>,
}

/// Elements that native code computes.
#[derive(Debug)]
pub struct ElementHandlers {
    /// `$object[$offset]`, where the access may be for writing; no offset for `[]`.
    pub get: fn(&mut Vm, &ObjectHandle, Option<&Zval>, Access) -> PhpResult<Value>,
    /// `$object[$offset] = $value`
    pub set: fn(&mut Vm, &ObjectHandle, Option<&Zval>, &Value) -> PhpResult<()>,
    /// `isset($object[$offset])`; with the flag it must be truthy.
    pub exists: fn(&mut Vm, &ObjectHandle, &Zval, bool) -> PhpResult<bool>,
    /// `unset($object[$offset])`
    pub unset: fn(&mut Vm, &ObjectHandle, &Zval) -> PhpResult<()>,
}

/// See [`NativeHandlers::cast`].
pub type CastHandler = fn(&mut Vm, *mut PhpObject, u8) -> PhpResult<Option<Value>>;
/// See [`NativeHandlers::operate`]; the operator is told by its symbol.
pub type OperatorHandler = fn(&mut Vm, &'static str, &Zval, &Zval) -> PhpResult<Option<Value>>;
/// See [`NativeHandlers::compare_with`].
pub type ComparisonHandler = fn(&mut Vm, &ObjectHandle, &Zval) -> PhpResult<Option<i32>>;
/// See [`NativeHandlers::unserialize_values`].
pub type ValuesHandler = fn(&mut Vm, &ObjectHandle, &mut NextValue<'_>) -> PhpResult<()>;
/// Gives the value that comes next; None where there is none, or none that can be read.
pub type NextValue<'a> = dyn FnMut(&mut Vm) -> PhpResult<Option<Value>> + 'a;
/// See [`NativeHandlers::current_place`].
pub type PlaceHandler = fn(&mut Vm, *mut PhpObject) -> PhpResult<Value>;
/// See [`NativeHandlers::offset_exists`].
pub type OffsetTest = fn(&mut Vm, *mut PhpObject, &Zval, bool) -> PhpResult<bool>;
/// See [`NativeHandlers::offset_unset`].
pub type OffsetRemoval = fn(&mut Vm, *mut PhpObject, &Zval) -> PhpResult<bool>;
/// See [`NativeHandlers::offset_if_set`].
pub type OffsetQuestion = fn(&mut Vm, *mut PhpObject, &Zval) -> PhpResult<Option<Value>>;
/// See [`NativeHandlers::offset_value`].
pub type OffsetReader = fn(&mut Vm, *mut PhpObject, &Zval) -> PhpResult<Value>;
/// See [`NativeHandlers::offset_store`].
pub type OffsetWriter = fn(&mut Vm, *mut PhpObject, Option<&Zval>, Value) -> PhpResult<()>;
/// See [`NativeHandlers::own_loop`].
pub type LoopHandler = fn(&mut Vm, &ObjectHandle) -> PhpResult<ObjectHandle>;
/// See [`NativeHandlers::step`].
pub type StepHandler = fn(&mut Vm, &ObjectHandle, Step) -> PhpResult<Value>;
/// See [`NativeHandlers::fetch`].
pub type FetchHandler = fn(&mut Vm, &ObjectHandle, bool, bool) -> PhpResult<Option<Fetched>>;
/// An element, and its key if that is wanted.
pub type Fetched = (Value, Option<Value>);
/// See [`NativeHandlers::offset_pointer`].
pub type OffsetHandler = fn(&mut Vm, *mut PhpObject, Option<&Zval>, Access) -> PhpResult<*mut Zval>;

/// Makes the native part of a new object.
pub type CreateNative = fn(&mut Vm, *mut Class) -> Option<Box<dyn NativeData>>;

/// A linked class of one VM. It never moves and lives until the VM ends.
#[derive(Debug)]
pub struct Class {
    /// Name as declared.
    pub name: *mut PhpString,
    /// Lower-cased name.
    pub lowercase: *mut PhpString,
    /// See [`crate::function::class_flags`].
    pub flags: u32,
    /// Parent class, or null.
    pub parent: *mut Class,
    /// All interfaces, inherited ones included.
    pub interfaces: Vec<*mut Class>,
    /// Traits used by this class itself.
    pub traits: Vec<*mut Class>,
    /// Default values of an object's slots.
    pub default_properties: Vec<Zval>,
    /// Property of each slot; null for a hidden private slot of a parent that cannot be reached.
    pub slot_properties: Vec<*const PropertyInfo>,
    /// Own static members; inherited ones are INDIRECT to the declaring class's. Boxed, so that
    /// addresses stay.
    pub static_members: Box<[Zval]>,
    /// Properties by exact name, inherited ones included (and shared with the parent).
    pub properties: NameTable<Rc<PropertyInfo>>,
    /// Constants by exact name, inherited ones included (and shared with the parent, so that each
    /// is evaluated once).
    pub constants: NameTable<Rc<ClassConstant>>,
    /// Methods by lower-cased name, inherited ones included.
    pub methods: NameTable<*const Function>,
    /// Magic methods.
    pub magic: MagicMethods,
    /// Makes a new object's native part (native classes and their children).
    pub create_native: Option<CreateNative>,
    /// What instances do natively that the standard way would do otherwise.
    pub handlers: Option<&'static NativeHandlers>,
    /// Backing type mask of an enum, or 0.
    pub backing_type: u32,
    /// Functions this class owns: methods it declares or takes from traits, hooks.
    pub own_functions: Vec<*mut Function>,
    /// Declaration (user classes).
    pub declaration: Option<Arc<ClassDeclaration>>,
    /// Attributes (native classes).
    pub native_attributes: Vec<crate::op_array::AttributeDeclaration>,
    /// Whether a generator or a fiber has gone through the properties of an instance: its loop may be suspended.
    pub suspends_loops: bool,
}

impl Class {
    /// The attributes on the class.
    pub fn attributes(&self) -> &[crate::op_array::AttributeDeclaration] {
        match &self.declaration {
            Some(declaration) => &declaration.attributes,
            None => &self.native_attributes,
        }
    }
}

impl Class {
    /// True if this is `other` or inherits from or implements it.
    #[inline]
    pub fn is_subclass_of(&self, other: *const Class) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        // SAFETY: I4: classes live until the VM ends; some callers have none.
        let flags = unsafe { other.as_ref() }.map_or(0, |other| other.flags);
        if flags & crate::function::class_flags::INTERFACE != 0 {
            let mut interfaces = self.interfaces.iter();
            return interfaces.any(|&interface| std::ptr::eq(interface, other));
        }
        let mut class = self.parent.cast_const();
        while !class.is_null() {
            if class == other {
                return true;
            }
            // SAFETY: I4: as above.
            class = unsafe { (*class).parent };
        }
        false
    }

    /// The name as text, for messages (an anonymous class's name ends at its NUL).
    pub fn display_name(&self) -> String {
        // SAFETY: I4: the name lives as long as the class.
        let bytes = unsafe { (*self.name).as_bytes() };
        let end = bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len());
        crate::message::text(&bytes[..end]).into_owned()
    }
}

/// The typed properties that a reference is bound to; assignments through it are checked.
#[derive(Debug, Default)]
pub struct TypedReferenceSources {
    /// Properties.
    pub properties: Vec<*const PropertyInfo>,
}
