//! What reflection objects are about, and how they are made.

use std::any::Any;

use smallvec::SmallVec;
use vm_runtime::class::{Class, ClassConstant, NativeHandlers, PropertyHandlers, PropertyInfo};
use vm_runtime::exceptions::{KnownClass, set_slot};
use vm_runtime::function::{Call, Function, Parameter, Type, class_flags, flags};
use vm_runtime::object::{NativeData, PhpObject, new_object_with};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ObjectHandle, StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::attribute::AttributeSubject;

/// Flags of all classes whose objects have a subject.
pub(super) const FLAGS: u32 = class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE;

/// What a reflection object is about.
#[derive(Clone, Default)]
pub(super) enum Subject {
    /// Nothing: its constructor was not called.
    #[default]
    None,
    /// A class; for a ReflectionObject also its instance.
    Class(*mut Class, Option<ObjectHandle>),
    /// A function or method.
    Function(FunctionSubject),
    /// A parameter: its function, and which it is.
    Parameter(FunctionSubject, usize),
    /// A property.
    Property(PropertySubject),
    /// A constant of a class.
    Constant {
        /// The class it was looked up on.
        class: *mut Class,
        /// Its name.
        name: Vec<u8>,
        /// The constant.
        constant: *const ClassConstant,
    },
    /// A global constant.
    GlobalConstant(Vec<u8>),
    /// A type.
    Type(Type),
    /// The type of a parameter: its function, and which it is.
    ParameterType(FunctionSubject, usize),
    /// An attribute.
    Attribute(AttributeSubject),
    /// An extension.
    Extension(&'static str),
    /// A generator.
    Generator(ObjectHandle),
    /// A fiber.
    Fiber(ObjectHandle),
    /// A reference.
    Reference(Value),
}

/// A function or method.
#[derive(Clone)]
pub(super) struct FunctionSubject {
    /// The function. A closure's is kept alive by `closure`.
    pub function: *const Function,
    /// The closure it belongs to.
    pub closure: Option<ObjectHandle>,
    /// The class a method was looked up on, or null.
    pub class: *mut Class,
}

impl FunctionSubject {
    /// The function.
    /// True for a closure that was looked up as the method `__invoke` of its object.
    pub fn is_invoke(&self) -> bool {
        self.closure.is_some() && !self.class.is_null()
    }

    pub fn get(&self) -> &Function {
        // SAFETY: I4: functions live until the VM ends, or as long as the closure held here.
        unsafe { &*self.function }
    }

    /// A parameter of it.
    pub fn parameter(&self, index: usize) -> &Parameter {
        &self.get().parameters[index]
    }
}

/// A property.
#[derive(Clone)]
pub(super) struct PropertySubject {
    /// The declaration; null for a dynamic property.
    pub info: *const PropertyInfo,
    /// Name without `$`.
    pub name: StringHandle,
    /// The class it was looked up on.
    pub class: *mut Class,
}

impl NativeData for Subject {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        let held = match self {
            Subject::Class(_, held) => held.as_ref(),
            Subject::Function(function)
            | Subject::Parameter(function, _)
            | Subject::ParameterType(function, _) => function.closure.as_ref(),
            Subject::Generator(held) | Subject::Fiber(held) => Some(held),
            Subject::Reference(held) => return visitor(held.as_zval()),
            _ => None,
        };
        if let Some(held) = held {
            visitor(&Zval::from_object(held.as_ptr()));
        }
    }
}

/// The native part of a new reflection object.
pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Subject>::default())
}

/// Names of what an object is about stay what they are.
pub(super) static HANDLERS: NativeHandlers = NativeHandlers {
    properties_by_code: Some(&PropertyHandlers {
        read: |_, _, _, _| Ok(None),
        write: refuse_name,
        has: |_, _, _, _| Ok(None),
        unset: |_, _, _| Ok(false),
    }),
    ..NativeHandlers::STANDARD
};

fn refuse_name(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    _value: &Value,
) -> PhpResult<bool> {
    let bytes = name.as_bytes();
    if !matches!(bytes, b"name" | b"class") || object.class().properties.get(bytes).is_none() {
        return Ok(false);
    }
    let message = format!(
        "Cannot set read-only property {}::${}",
        object.class().display_name(),
        name.to_text()
    );
    Err(fail(vm, &message, 0))
}

/// The subject of a reflection object.
pub(super) fn subject(object: &PhpObject) -> &mut Subject {
    object.native::<Subject>().expect("made with the object")
}

/// Changes the subject of a reflection object. Destructors of what only the old one held find the new one.
pub(super) fn set_subject(object: &PhpObject, new: Subject) {
    drop(std::mem::replace(subject(object), new));
}

/// The subject of `$this`, without a share of it: what gives one back has to think of cycles.
#[inline]
pub(super) fn own_subject<'a>(call: &Call<'a>) -> &'a mut Subject {
    // SAFETY: I3: the methods that ask are not static, and `$this` is live as long as the call.
    unsafe { subject(&*(*call.frame).this.object()) }
}

/// `$this`.
pub(super) fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: the methods that ask are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

/// A method without arguments that gives something of what `$this` is about, for which it runs no code and throws
/// nothing: `getter!("signature", what it is about, |about| value)`.
macro_rules! getter {
    ($signature:literal, $kind:path, |$about:pat_param| $value:expr) => {
        vm_runtime::class::direct_method(
            $signature,
            |call| match $kind($crate::reflection::subject::own_subject(call)) {
                Some($about) => Ok(vm_runtime::value::Value::from($value)),
                None => Err($crate::reflection::subject::uninitialised(call.vm)),
            },
            |_, this, arguments, result| {
                let subject = $crate::reflection::subject::subject($crate::support::this_of(this));
                match ($kind(subject), arguments) {
                    (Some($about), []) => {
                        let value = vm_runtime::value::Value::from($value);
                        $crate::support::Outcome::store(value, result)
                    }
                    _ => false,
                }
            },
        )
    };
}
pub(super) use getter;

/// The class that an object is about.
pub(super) fn class_of(subject: &Subject) -> Option<&Class> {
    match subject {
        Subject::Class(about, _) => Some(class(*about)),
        _ => None,
    }
}

/// The function that an object is about.
pub(super) fn function_of(subject: &Subject) -> Option<&FunctionSubject> {
    match subject {
        Subject::Function(about) => Some(about),
        _ => None,
    }
}

/// The parameter that an object is about: its function, and which it is.
pub(super) fn parameter_of(subject: &Subject) -> Option<(&FunctionSubject, usize)> {
    match subject {
        Subject::Parameter(function, index) => Some((function, *index)),
        _ => None,
    }
}

/// The property that an object is about.
pub(super) fn property_of(subject: &Subject) -> Option<&PropertySubject> {
    match subject {
        Subject::Property(about) => Some(about),
        _ => None,
    }
}

/// A class.
pub(super) fn class<'a>(class: *mut Class) -> &'a Class {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { &*class }
}

/// The bytes of a name.
pub(super) fn name_bytes<'a>(name: *const PhpString) -> &'a [u8] {
    // SAFETY: I4: names of classes, functions and members live as long as those.
    unsafe { (*name).as_bytes() }
}

/// A name as a value.
pub(super) fn name_value(name: *mut PhpString) -> Value {
    // SAFETY: I4: as above.
    unsafe { StringHandle::share_raw(name) }.into()
}

/// A doc comment and the like, or `false`.
pub(super) fn string_or_false(text: *mut PhpString) -> Value {
    if text.is_null() {
        return false.into();
    }
    name_value(text)
}

/// Throws a ReflectionException.
pub(super) fn fail(vm: &mut Vm, message: &str, code: i64) -> Thrown {
    let Some(class) = vm.linked_class(b"reflectionexception") else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, code);
    vm.throw_object(object)
}

/// The Error of an object whose constructor was not called.
pub(super) fn uninitialised(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "Internal error: Failed to retrieve the reflection object",
    )
}

/// A reflection object; `names` are its first properties.
pub(super) fn make<const N: usize>(
    vm: &mut Vm,
    class_name: &'static str,
    about: Subject,
    names: [Value; N],
) -> PhpResult<Value> {
    let known = &vm.extensions.state::<Classes>().known;
    let found = known
        .iter()
        .find(|(name, _)| std::ptr::eq(*name, class_name));
    let class = match found {
        Some((_, class)) => *class,
        None => {
            let name = vm.static_name(class_name);
            let class = vm.class_named(name, false)?.ok_or(Thrown)?;
            let classes = vm.extensions.state::<Classes>();
            classes.known.push((class_name, class));
            class
        }
    };
    let object = new_object_with(vm, class, |_| Some(Box::new(about)))?;
    for (index, name) in names.into_iter().enumerate() {
        set_slot(&object, index as u32, name);
    }
    Ok(object.into())
}

/// The classes of this extension that objects were made of.
#[derive(Default)]
struct Classes {
    known: SmallVec<[(&'static str, *mut Class); 16]>,
}

/// A ReflectionClass, or a ReflectionEnum of an enum.
pub(super) fn make_class(vm: &mut Vm, about: *mut Class) -> PhpResult<Value> {
    let name = name_value(class(about).name);
    let of_class = match class(about).flags & class_flags::ENUM {
        0 => "ReflectionClass",
        _ => "ReflectionEnum",
    };
    make(vm, of_class, Subject::Class(about, None), [name])
}

/// A ReflectionMethod.
pub(super) fn make_method(vm: &mut Vm, about: FunctionSubject) -> PhpResult<Value> {
    let function = about.get();
    let owner = match function.scope.is_null() {
        true => about.class,
        false => function.scope,
    };
    let names = [name_value(function.name), name_value(class(owner).name)];
    make(vm, "ReflectionMethod", Subject::Function(about), names)
}

/// A ReflectionType, or `null`.
pub(super) fn make_type(vm: &mut Vm, declared: Option<&Type>) -> PhpResult<Value> {
    match declared {
        None => Ok(Value::NULL),
        Some(declared) => super::types::make(vm, declared.clone()),
    }
}

/// The class that `$this` is about.
pub(super) fn class_subject(call: &mut Call<'_>) -> PhpResult<*mut Class> {
    match own_subject(call) {
        Subject::Class(about, _) => Ok(*about),
        _ => Err(uninitialised(call.vm)),
    }
}

/// The function that `$this` is about.
pub(super) fn function_subject(call: &mut Call<'_>) -> PhpResult<FunctionSubject> {
    match own_subject(call) {
        Subject::Function(about) => Ok(about.clone()),
        _ => Err(uninitialised(call.vm)),
    }
}

/// The property that `$this` is about.
pub(super) fn property_subject(call: &mut Call<'_>) -> PhpResult<PropertySubject> {
    match own_subject(call) {
        Subject::Property(about) => Ok(about.clone()),
        _ => Err(uninitialised(call.vm)),
    }
}

/// The class of this name, autoloaded; a ReflectionException if there is none.
pub(super) fn class_by_name(vm: &mut Vm, name: &[u8]) -> PhpResult<*mut Class> {
    existing_class(vm, name, -1)
}

/// As [`class_by_name`]; the exception has a code, which is 0 where a constructor looks for the owner of a
/// member.
pub(super) fn existing_class(vm: &mut Vm, name: &[u8], code: i64) -> PhpResult<*mut Class> {
    match vm.class_by_name(name, true)? {
        Some(found) => Ok(found),
        None => Err(no_class(vm, name, code)),
    }
}

/// The ReflectionException of a class that there is not.
fn no_class(vm: &mut Vm, name: &[u8], code: i64) -> Thrown {
    let name = vm_runtime::message::whole_text(name);
    fail(vm, &format!("Class \"{name}\" does not exist"), code)
}

/// The class of an `object|string` argument.
pub(super) fn class_argument(call: &mut Call<'_>, index: usize) -> PhpResult<*mut Class> {
    match call.value(index).object() {
        Some(object) => Ok(object.class),
        None => {
            let name = call.string(index);
            match call.vm.class_named(&name, true)? {
                Some(found) => Ok(found),
                None => Err(no_class(call.vm, &name, -1)),
            }
        }
    }
}

/// True for a private member of a parent, which the class has no part in.
pub(super) fn is_foreign_private(member_flags: u32, owner: *mut Class, about: *mut Class) -> bool {
    member_flags & flags::PRIVATE != 0 && owner != about
}
