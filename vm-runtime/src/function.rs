//! Functions as the VM calls them: user functions with their op array, native ones with a
//! signature.

use std::sync::Arc;

use crate::class::Class;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::op::Op;
use crate::op_array::OpArray;
use crate::string::PhpString;
use crate::value::{ObjectHandle, StringHandle, Value, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// Function and member flags; the numbers are Zend's.
pub mod flags {
    /// `public`
    pub const PUBLIC: u32 = 1;
    /// `protected`
    pub const PROTECTED: u32 = 1 << 1;
    /// `private`
    pub const PRIVATE: u32 = 1 << 2;
    /// Any visibility.
    pub const VISIBILITY: u32 = PUBLIC | PROTECTED | PRIVATE;
    /// The child's member hides a private one of the parent.
    pub const CHANGED: u32 = 1 << 3;
    /// `static`
    pub const STATIC: u32 = 1 << 4;
    /// `final`
    pub const FINAL: u32 = 1 << 5;
    /// `abstract`
    pub const ABSTRACT: u32 = 1 << 6;
    /// Property: `readonly`.
    pub const READONLY: u32 = 1 << 7;
    /// Property: promoted from a constructor parameter.
    pub const PROMOTED: u32 = 1 << 8;
    /// Of native functions: arguments with names that no parameter has are taken, too.
    pub const COLLECTS_NAMED: u32 = PROMOTED;
    /// Property: has hooks and no storage.
    pub const VIRTUAL: u32 = 1 << 9;
    /// Property: `public(set)`.
    pub const PUBLIC_SET: u32 = 1 << 10;
    /// Property: `protected(set)`.
    pub const PROTECTED_SET: u32 = 1 << 11;
    /// Property: `private(set)`.
    pub const PRIVATE_SET: u32 = 1 << 12;
    /// Function: returns by reference.
    pub const RETURN_REFERENCE: u32 = 1 << 13;
    /// Function: has a return type.
    pub const HAS_RETURN_TYPE: u32 = 1 << 14;
    /// Function: the last parameter is variadic.
    pub const VARIADIC: u32 = 1 << 15;
    /// Function: some parameter has a type.
    pub const HAS_TYPE_HINTS: u32 = 1 << 16;
    /// Function: has a finally block.
    pub const HAS_FINALLY_BLOCK: u32 = 1 << 17;
    /// Function: a generator.
    pub const GENERATOR: u32 = 1 << 18;
    /// Function: a closure.
    pub const CLOSURE: u32 = 1 << 19;
    /// Function: a closure made from an existing function.
    pub const FAKE_CLOSURE: u32 = 1 << 20;
    /// Function: uses `$this`.
    pub const USES_THIS: u32 = 1 << 21;
    /// Function: `strict_types` is in force in its file.
    pub const STRICT_TYPES: u32 = 1 << 22;
    /// Function: deprecated.
    pub const DEPRECATED: u32 = 1 << 23;
    /// Function: a constructor.
    pub const CONSTRUCTOR: u32 = 1 << 24;
    /// Function: stands in for `__call` and `__callStatic`; freed after the call.
    pub const CALL_VIA_TRAMPOLINE: u32 = 1 << 25;
    /// Constant or case of an enum.
    pub const ENUM_CASE: u32 = 1 << 26;
    /// Function that stands in for `__call` or `__callStatic`, or that runs an included file: the VM keeps it for
    /// further calls.
    pub const KEPT: u32 = ENUM_CASE;
    /// Function: top-level code of a file or `eval`.
    pub const TOP_LEVEL: u32 = 1 << 27;
    /// Function: is an arrow function.
    pub const ARROW: u32 = 1 << 28;
    /// Native method: a child that declares another return type is told so, not rejected.
    pub const TENTATIVE_RETURN_TYPE: u32 = 1 << 29;
    /// Method: taken from a trait.
    pub const FROM_TRAIT: u32 = 1 << 30;
    /// Function: evaluates a constant expression. Its frame is no call: traces leave it out.
    pub const CONSTANT_EXPRESSION: u32 = 1 << 31;
}

/// Class flags.
pub mod class_flags {
    /// `interface`
    pub const INTERFACE: u32 = 1;
    /// `trait`
    pub const TRAIT: u32 = 1 << 1;
    /// Anonymous class.
    pub const ANONYMOUS: u32 = 1 << 2;
    /// `enum`
    pub const ENUM: u32 = 1 << 3;
    /// `final`
    pub const FINAL: u32 = 1 << 5;
    /// `abstract` in the source.
    pub const ABSTRACT: u32 = 1 << 6;
    /// Has abstract methods.
    pub const IMPLICIT_ABSTRACT: u32 = 1 << 7;
    /// `readonly class`
    pub const READONLY: u32 = 1 << 8;
    /// `#[AllowDynamicProperties]`
    pub const ALLOW_DYNAMIC_PROPERTIES: u32 = 1 << 9;
    /// Dynamic properties are an Error.
    pub const NO_DYNAMIC_PROPERTIES: u32 = 1 << 10;
    /// Instances cannot be serialised.
    pub const NOT_SERIALIZABLE: u32 = 1 << 11;
    /// Has been linked.
    pub const LINKED: u32 = 1 << 12;
    /// All constants have been evaluated.
    pub const CONSTANTS_UPDATED: u32 = 1 << 13;
    /// A class of the engine or an extension.
    pub const INTERNAL: u32 = 1 << 14;
    /// Some property has hooks or is readonly or typed: writes take the slow path.
    pub const HAS_GUARDED_PROPERTIES: u32 = 1 << 15;
    /// Implements Throwable: new objects note file, line and trace.
    pub const THROWABLE: u32 = 1 << 16;
    /// Instances cannot be cloned.
    pub const NOT_CLONEABLE: u32 = 1 << 17;
    /// `new` is refused; the engine makes the instances.
    pub const NOT_INSTANTIABLE: u32 = 1 << 18;
    /// Has a property with hooks.
    pub const HAS_HOOKS: u32 = 1 << 19;
    /// A new object is its default values and nothing else: seen when the first one was made.
    pub const PLAIN_INSTANCES: u32 = 1 << 20;
    /// Implements Traversable.
    pub const TRAVERSABLE: u32 = 1 << 21;
    /// Implements Iterator.
    pub const ITERATOR: u32 = 1 << 22;
    /// Closure, of which there is one class: asked of objects that are called.
    pub const CLOSURE: u32 = 1 << 23;
    /// An Iterator none of whose steps is user code.
    pub const NATIVE_STEPS: u32 = 1 << 24;
}

/// By what a parameter takes its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PassBy {
    /// A copy.
    Value = 0,
    /// A reference.
    Reference = 1,
    /// A reference if the argument can give one (`array_multisort`).
    PreferReference = 2,
}

/// A function that a frame can execute. One for each VM; the op array behind it is shared.
#[repr(C)]
#[derive(Debug)]
pub struct Function {
    /// True for user functions.
    pub is_user: bool,
    /// [`PassBy`] of the first [`QUICK_PARAMETERS`], two bits each.
    pub quick_arguments: u32,
    /// See [`flags`].
    pub flags: u32,
    /// Declared parameters, without a variadic one.
    pub parameter_count: u32,
    /// Parameters without a default.
    pub required_count: u32,
    /// Owners, where functions have several (see [`SharedFunction`]).
    pub(crate) owners: std::cell::Cell<u32>,
    /// First opline (user functions).
    pub ops: *const crate::op::Op,
    /// Slots of CVs and temporaries (user functions).
    pub slots: u32,
    /// Number of CVs (user functions).
    pub variables: u32,
    /// The op array (user functions).
    pub op_array: *const OpArray,
    /// The runtime cache, null until the first call (user functions).
    pub run_time_cache: *mut u8,
    /// Values of static variables, bound by reference; null until the first call.
    pub static_variables: *mut Zval,
    /// The native code (native functions).
    pub native: Option<NativeFunction>,
    /// The direct entry, if it has one (native functions).
    pub direct: Option<DirectFunction>,
    /// Kinds of values that the first six parameters take as they are, ten bits each
    /// (native functions).
    pub accepted: u64,
    /// Name as declared; null for top-level code.
    pub name: *mut PhpString,
    /// The class whose privates it may use.
    pub scope: *mut Class,
    /// The method it overrides or implements.
    pub prototype: *const Function,
    /// Parameters, the variadic one last.
    pub parameters: Arc<[Parameter]>,
    /// Return type.
    pub return_type: Option<Type>,
    /// Owner of the op array.
    pub code: Option<Arc<OpArray>>,
    /// The property a hook belongs to.
    pub hooked_property: *mut PhpString,
    /// The Closure object that owns this function, or null.
    pub closure: *mut crate::object::PhpObject,
    /// Native data of trampolines and native closures.
    pub native_data: usize,
}

impl Function {
    /// How parameter `number` (0-based) takes its argument.
    #[inline(always)]
    pub fn pass_by(&self, number: u32) -> PassBy {
        let bits = if number < QUICK_PARAMETERS {
            self.quick_arguments >> (number * PASSING_BITS) & PASSING
        } else {
            return self.pass_by_slow(number);
        };
        match bits {
            0 => PassBy::Value,
            1 => PassBy::Reference,
            _ => PassBy::PreferReference,
        }
    }

    #[cold]
    fn pass_by_slow(&self, number: u32) -> PassBy {
        match self.parameter(number) {
            Some(parameter) => parameter.pass_by,
            None => PassBy::Value,
        }
    }

    /// The parameter that takes argument `number` (0-based).
    pub(crate) fn parameter(&self, number: u32) -> Option<&Parameter> {
        let variadic = self.flags & flags::VARIADIC != 0;
        let declared = self.parameters.get(number as usize);
        declared.or_else(|| variadic.then(|| self.parameters.last()).flatten())
    }

    /// Sets `quick_arguments` and `accepted` from the parameters.
    pub fn index_parameters(&mut self) {
        self.accepted = (0..PACKED_PARAMETERS).fold(0, |bits, number| {
            let accepted = match self.parameter(number) {
                Some(parameter) => parameter.accepted() & PACKED_MASK as u32,
                None => 0,
            };
            bits | u64::from(accepted) << (number * PACKED_BITS)
        });
        self.quick_arguments = (0..QUICK_PARAMETERS).fold(0, |bits, number| {
            bits | (self.pass_by_slow(number) as u32) << (number * 2)
        });
    }

    /// The name as text, for messages: `f`, `C::m`, `{closure:f():3}`.
    pub fn display_name(&self) -> String {
        if self.name.is_null() {
            return String::from("main");
        }
        // SAFETY: I4: a function's name and scope live as long as it does.
        unsafe {
            let name = (*self.name).to_text();
            if self.scope.is_null() {
                name.into_owned()
            } else {
                format!("{}::{name}", (*self.scope).display_name())
            }
        }
    }

    /// True for a `static` method.
    pub fn is_static(&self) -> bool {
        self.flags & flags::STATIC != 0
    }
}

/// Bits of [`Function::quick_arguments`] for a parameter: its [`PassBy`].
pub const PASSING_BITS: u32 = 2;
/// The mask of one.
pub const PASSING: u32 = (1 << PASSING_BITS) - 1;
/// Parameters that [`Function::quick_arguments`] tells of.
pub const QUICK_PARAMETERS: u32 = 12;
/// Parameters whose masks stand in [`Function::accepted`].
pub const PACKED_PARAMETERS: u32 = 6;
/// Bits of each.
pub const PACKED_BITS: u32 = 10;
/// The mask of one.
pub const PACKED_MASK: u64 = (1 << PACKED_BITS) - 1;

/// Type mask bits: one for each type number, then pseudo types.
pub mod type_mask {
    /// `null`
    pub const NULL: u32 = 1 << 1;
    /// `false`
    pub const FALSE: u32 = 1 << 2;
    /// `true`
    pub const TRUE: u32 = 1 << 3;
    /// `bool`
    pub const BOOL: u32 = FALSE | TRUE;
    /// `int`
    pub const LONG: u32 = 1 << 4;
    /// `float`
    pub const DOUBLE: u32 = 1 << 5;
    /// `string`
    pub const STRING: u32 = 1 << 6;
    /// `array`
    pub const ARRAY: u32 = 1 << 7;
    /// `object`
    pub const OBJECT: u32 = 1 << 8;
    /// A resource (native signatures only).
    pub const RESOURCE: u32 = 1 << 9;
    /// `callable`
    pub const CALLABLE: u32 = 1 << 12;
    /// `iterable` (that is `Traversable|array`; kept for printing).
    pub const ITERABLE: u32 = 1 << 13;
    /// `void`
    pub const VOID: u32 = 1 << 14;
    /// `static`
    pub const STATIC: u32 = 1 << 15;
    /// `never`
    pub const NEVER: u32 = 1 << 17;
    /// `mixed`
    pub const ANY: u32 = NULL | BOOL | LONG | DOUBLE | STRING | ARRAY | OBJECT | RESOURCE;
}

/// A class name in a type: as written and lower-cased, already resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeName {
    /// As written (resolved): `self`, `parent`, or a class name.
    pub name: *mut PhpString,
    /// Lower-cased.
    pub lowercase: *mut PhpString,
}

impl TypeName {
    /// The lower-cased name.
    pub fn lowercase_bytes(&self) -> &[u8] {
        // SAFETY: I4: type names are immutable strings that outlive the types they stand in.
        unsafe { (*self.lowercase).as_bytes() }
    }
}

// SAFETY: type names are immutable strings of a literal pool.
unsafe impl Send for TypeName {}
// SAFETY: as above.
unsafe impl Sync for TypeName {}

/// A declared type in disjunctive normal form.
#[derive(Debug, Clone, Default)]
pub struct Type {
    /// Built-in alternatives, see [`type_mask`].
    pub mask: u32,
    /// Class alternatives; each is an intersection of one or more classes.
    pub classes: Vec<Vec<TypeName>>,
}

/// A parameter of a function.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Name without `$`.
    pub name: *mut PhpString,
    /// Declared type.
    pub declared: Option<Type>,
    /// By what it takes its argument.
    pub pass_by: PassBy,
    /// `...$rest`
    pub variadic: bool,
    /// Constructor promotion flags, see [`flags`]; 0 if not promoted.
    pub promoted: u32,
    /// Default value: literal, constant expression, or undefined if there is none.
    pub default: Zval,
    /// The default as a native signature writes it; empty if it is `UNKNOWN` or there is none.
    pub default_source: &'static str,
    /// `#[SensitiveParameter]`
    pub sensitive: bool,
    /// Attributes (user functions).
    pub attributes: Vec<crate::op_array::AttributeDeclaration>,
}

impl Parameter {
    /// The name without `$`.
    pub fn name_bytes(&self) -> &[u8] {
        if self.name.is_null() {
            return b"";
        }
        // SAFETY: I4: names are immutable strings that outlive the function's parameters.
        unsafe { (*self.name).as_bytes() }
    }
}

// SAFETY: names and defaults are immutable.
unsafe impl Send for Parameter {}
// SAFETY: as above.
unsafe impl Sync for Parameter {}

/// Native code of a function. Arguments have been checked and coerced by its signature.
pub type NativeFunction = fn(&mut Call<'_>) -> PhpResult<Value>;

/// What a native function does for arguments that need neither conversion nor a frame. It gets `$this`,
/// which only methods look at, and the arguments that were passed, as they are, and leaves its result
/// in a slot that holds nothing. If it gives false, nothing has happened, and the function itself is
/// called. It runs no user code and throws nothing.
pub type DirectFunction = fn(&mut Vm, &Zval, &[Zval], &mut Zval) -> bool;

/// A native function as an extension states it: its signature, once, in PHP's own syntax.
///
/// ```text
/// str_repeat(string $string, int $times): string
/// sort(array &$array, int $flags = SORT_REGULAR): true
/// max(mixed $value, mixed ...$values): mixed
/// ```
/// Argument checks, coercions, named arguments, defaults and error texts follow from it.
#[derive(Debug, Clone, Copy)]
pub struct NativeDefinition {
    /// The signature in PHP syntax.
    pub signature: &'static str,
    /// The code.
    pub code: NativeFunction,
    /// What does the same directly for the arguments it is mostly called with.
    pub direct: Option<DirectFunction>,
}

impl NativeDefinition {
    /// A function without a direct entry.
    pub const fn new(signature: &'static str, code: NativeFunction) -> NativeDefinition {
        NativeDefinition {
            signature,
            code,
            direct: None,
        }
    }
}

/// A call of a native function: its arguments and the VM.
#[derive(Debug)]
pub struct Call<'a> {
    /// The VM.
    pub vm: &'a mut Vm,
    /// The frame that holds the arguments.
    pub frame: *mut Frame,
}

impl<'a> Call<'a> {
    /// Number of arguments passed. Parameters of the signature that were left out can be read too:
    /// they hold their default.
    #[inline]
    pub fn count(&self) -> usize {
        // SAFETY: I4: the frame of a native call is live until it returns.
        unsafe { (*self.frame).argument_count() as usize }
    }

    /// The slot of argument `index` (0-based); undefined if it was not given.
    #[inline]
    pub fn slot(&self, index: usize) -> *mut Zval {
        // SAFETY: I4: arguments stand behind the frame header.
        unsafe { (*self.frame).slot(index as u32) }
    }

    /// The opline that makes the call, if a script does.
    fn opline(&self) -> Option<&Op> {
        // SAFETY: I4: the caller's frame is live, and stands at the call if its code is a script's.
        unsafe {
            let caller = (*self.frame).previous;
            let is_script = !caller.is_null() && (*(*caller).function).is_user;
            is_script.then(|| (*caller).opline.as_ref()).flatten()
        }
    }

    /// False if the call is a statement of its own, whose result nobody takes.
    pub fn is_result_used(&self) -> bool {
        self.opline().is_none_or(|opline| {
            let closes_call = crate::interpreter::exceptions::effects(opline.opcode).closes_call;
            // SAFETY: I1: an opline of a script, which lives.
            !closes_call || unsafe { crate::interpreter::operand::result_used(opline) }
        })
    }

    /// Whether the call is an opline of its own, as PHP compiles calls of some functions by their names: it has no frame
    /// in PHP, and those functions may tell.
    pub fn is_frameless(&self) -> bool {
        let opcode = self
            .opline()
            .and_then(|opline| Opcode::from_number(opline.opcode));
        matches!(
            opcode,
            Some(
                Opcode::FRAMELESS_ICALL_0
                    | Opcode::FRAMELESS_ICALL_1
                    | Opcode::FRAMELESS_ICALL_2
                    | Opcode::FRAMELESS_ICALL_3
            )
        )
    }

    /// Argument `index`, not dereferenced; undefined if it was not given.
    #[inline]
    pub fn argument(&self, index: usize) -> &Zval {
        if index >= self.count() && index >= self.function().parameter_count as usize {
            return &Zval::UNDEF;
        }
        // SAFETY: I4: arguments passed and parameters declared have initialised slots.
        unsafe { &*self.slot(index) }
    }

    /// True if argument `index` was given (or has a default) and is not `null`.
    #[inline]
    pub fn has(&self, index: usize) -> bool {
        !matches!(
            self.argument(index).deref().kind(),
            crate::value::UNDEF | crate::value::NULL
        )
    }

    /// A share of argument `index`, dereferenced.
    #[inline]
    pub fn value(&self, index: usize) -> Value {
        Value::share(self.argument(index))
    }

    /// An `int` argument.
    #[inline]
    pub fn long(&self, index: usize) -> i64 {
        let value = self.argument(index).deref();
        debug_assert_eq!(value.kind(), crate::value::LONG);
        value.long()
    }

    /// An `?int` argument.
    pub fn optional_long(&self, index: usize) -> Option<i64> {
        self.has(index).then(|| self.long(index))
    }

    /// A `float` argument.
    #[inline]
    pub fn double(&self, index: usize) -> f64 {
        self.argument(index).deref().double()
    }

    /// A `bool` argument.
    #[inline]
    pub fn bool(&self, index: usize) -> bool {
        self.argument(index).deref().kind() == crate::value::TRUE
    }

    /// A `string` argument.
    #[inline]
    pub fn string(&self, index: usize) -> StringHandle {
        let value = self.argument(index).deref();
        debug_assert_eq!(value.kind(), crate::value::STRING);
        // SAFETY: I3: checked by the signature.
        unsafe { StringHandle::share_raw(value.string()) }
    }

    /// A `string` argument of a parameter that shows no type to Reflection but takes only what a
    /// `string` parameter takes.
    pub fn undeclared_string(&mut self, index: usize) -> PhpResult<StringHandle> {
        let declared = Type {
            mask: type_mask::STRING,
            classes: Vec::new(),
        };
        self.convert(index, &declared)?;
        Ok(self.string(index))
    }

    /// Makes an argument fit `int|float`, where the parameter shows another type.
    pub fn undeclared_number(&mut self, index: usize) -> PhpResult<()> {
        let declared = Type {
            mask: type_mask::LONG | type_mask::DOUBLE,
            classes: Vec::new(),
        };
        self.convert(index, &declared)
    }

    /// Makes the arguments from `first` on fit the types of their parameters, which the signature leaves unchecked.
    pub fn check_from(&mut self, first: usize) -> PhpResult<()> {
        let declared = self.function().parameters.len();
        (first..self.count().min(declared)).try_for_each(|index| self.check(index))
    }

    /// Makes an argument fit the type of its parameter, which the signature leaves unchecked.
    pub fn check(&mut self, index: usize) -> PhpResult<()> {
        // SAFETY: I4: the frame is that of the native function being called, and its function is live.
        let parameters = unsafe { (*(*self.frame).function).parameters.clone() };
        let parameter = parameters.get(index).filter(|_| index < self.count());
        match parameter.and_then(|parameter| parameter.declared.as_ref()) {
            Some(declared) => self.convert(index, declared),
            None => Ok(()),
        }
    }

    /// True if the code that calls has `strict_types` on; native code has not.
    pub fn is_strict(&self) -> bool {
        // SAFETY: I4: the frame is that of the native function being called, and its caller's is live.
        crate::types::is_strict(unsafe { (*self.frame).previous })
    }

    /// Makes an argument fit another type than the parameter shows.
    pub(crate) fn convert(&mut self, index: usize, declared: &Type) -> PhpResult<()> {
        // SAFETY: I4: the frame is that of the native function being called; it has this argument.
        unsafe { crate::types::convert_argument(self.vm, self.frame, index as u32, declared) }
    }

    /// A `string` argument that is passed by value: the frame keeps it alive and unchanged until the
    /// function returns.
    #[inline]
    pub fn borrowed_string(&self, index: usize) -> &'a PhpString {
        let value = self.argument(index).deref();
        debug_assert_eq!(value.kind(), crate::value::STRING);
        // SAFETY: I3 and I4: the frame's share keeps the string, which nobody may change while it
        // is shared; native code does not assign to by-value arguments.
        unsafe { &*value.string() }
    }

    /// The bytes of a `string` argument, as [`Call::borrowed_string`].
    #[inline]
    pub fn bytes(&self, index: usize) -> &'a [u8] {
        self.borrowed_string(index).as_bytes()
    }

    /// The bytes of a `?string` argument, as [`Call::bytes`].
    pub fn optional_bytes(&self, index: usize) -> Option<&'a [u8]> {
        self.has(index).then(|| self.bytes(index))
    }

    /// An `array` argument that is passed by value: the frame keeps it alive and unchanged until
    /// the function returns. (References in it may be assigned to by user code.)
    #[inline]
    pub fn elements(&self, index: usize) -> &'a crate::array::PhpArray {
        let value = self.argument(index).deref();
        debug_assert_eq!(value.kind(), crate::value::ARRAY);
        // SAFETY: as for `bytes`.
        unsafe { &*value.array() }
    }

    /// A `?string` argument.
    pub fn optional_string(&self, index: usize) -> Option<StringHandle> {
        self.has(index).then(|| self.string(index))
    }

    /// An `array` argument.
    #[inline]
    pub fn array(&self, index: usize) -> crate::value::ArrayHandle {
        let value = self.argument(index).deref();
        debug_assert_eq!(value.kind(), crate::value::ARRAY);
        // SAFETY: I3: checked by the signature.
        unsafe { crate::value::ArrayHandle::share_raw(value.array()) }
    }

    /// An `object` argument.
    pub fn object(&self, index: usize) -> ObjectHandle {
        // SAFETY: I3: checked by the signature.
        unsafe { ObjectHandle::share_raw(self.argument(index).deref().object()) }
    }

    /// Assigns to a by-reference argument; the old value is released. Nothing happens if the
    /// argument was not given. A value that a typed property behind the reference does not take
    /// leaves a TypeError pending.
    pub fn assign(&mut self, index: usize, mut value: Value) {
        if index >= self.count() {
            return;
        }
        // SAFETY: I3: the slot is live, and a reference in it keeps its box.
        unsafe {
            let slot = self.slot(index);
            if (*slot).is_reference() && !(*(*slot).reference()).sources.is_null() {
                let reference = &*(*slot).reference();
                if crate::types::verify_reference(self.vm, reference, value.as_zval_mut()).is_err()
                {
                    return;
                }
            }
            let target = (*self.slot(index)).deref_mut();
            let old = *target;
            target.set(value.into_zval());
            crate::value::release(&old);
        }
    }

    /// Takes an array out of a by-reference argument to change it in place without a copy;
    /// give it back with [`Call::assign`].
    pub fn take_array(&mut self, index: usize) -> crate::value::ArrayHandle {
        // SAFETY: I3: the slot gives up its share and holds `null` meanwhile.
        unsafe {
            let target = (*self.slot(index)).deref_mut();
            debug_assert_eq!(target.kind(), crate::value::ARRAY);
            let array = target.array();
            target.set_null();
            crate::value::ArrayHandle::from_raw(array)
        }
    }

    /// Throws `f(): Argument #N ($name) <problem>`, a `ValueError`; `index` is 0-based.
    #[cold]
    pub fn value_error(&mut self, index: usize, problem: &str) -> Thrown {
        // SAFETY: I4: the function outlives its frames.
        let function = unsafe { &*(*self.frame).function };
        crate::types::argument_value_error(self.vm, function, index as u32 + 1, problem)
    }

    /// As [`Call::value_error`], a `TypeError`.
    #[cold]
    pub fn type_error(&mut self, index: usize, problem: &str) -> Thrown {
        // SAFETY: I4: the function outlives its frames.
        let function = unsafe { &*(*self.frame).function };
        crate::types::argument_type_error(self.vm, function, index as u32 + 1, problem)
    }

    /// The object a native method was called on.
    pub fn this(&self) -> Option<ObjectHandle> {
        // SAFETY: I4: `this` is live during the call.
        unsafe {
            let this = &(*self.frame).this;
            (this.kind() == crate::value::OBJECT).then(|| ObjectHandle::share_raw(this.object()))
        }
    }

    /// True if the callee was known only at run time, or native code calls it.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        // SAFETY: I4: the frame of a native call is live until it returns.
        unsafe { (*self.frame).call_info() & crate::frame::call_info::DYNAMIC != 0 }
    }

    /// Throws if the function, which looks at its caller's frame, is called dynamically.
    pub fn forbid_dynamic(&mut self) -> PhpResult<()> {
        if !self.is_dynamic() {
            return Ok(());
        }
        let message = format!(
            "Cannot call {}() dynamically",
            self.function().display_name()
        );
        Err(self
            .vm
            .throw_error(crate::exceptions::KnownClass::Error, message))
    }

    /// The function that is being called.
    pub fn function(&self) -> &Function {
        // SAFETY: I4: the function outlives its frames.
        unsafe { &*(*self.frame).function }
    }
}

impl Function {
    /// The function of an op array, in a class or not.
    pub fn for_op_array(code: &Arc<OpArray>, scope: *mut Class) -> Function {
        let mut function = Function::for_code(code, scope);
        function.required_count = code.draft.required_count;
        function
    }

    /// True for the code of a constant expression, which may do less than other code.
    #[inline]
    pub fn is_expression(&self) -> bool {
        self.flags & flags::CONSTANT_EXPRESSION != 0
    }

    /// The function that executes top-level code.
    pub fn for_code(code: &Arc<OpArray>, scope: *mut Class) -> Function {
        let mut function = Function::for_expression(code, scope);
        function.code = Some(Arc::clone(code));
        function
    }

    /// The function that evaluates a constant expression; the op array outlives it.
    pub fn for_expression(code: &OpArray, scope: *mut Class) -> Function {
        let draft = &code.draft;
        let variadic = draft
            .parameters
            .last()
            .is_some_and(|parameter| parameter.variadic);
        let mut function = Function {
            is_user: true,
            quick_arguments: 0,
            flags: draft.flags,
            parameter_count: (draft.parameters.len() - variadic as usize) as u32,
            required_count: draft.required_count,
            owners: Default::default(),
            ops: code.ops(),
            slots: code.slots(),
            variables: draft.variables.len() as u32,
            op_array: code,
            run_time_cache: std::ptr::null_mut(),
            static_variables: std::ptr::null_mut(),
            native: None,
            direct: None,
            accepted: 0,
            name: draft.name,
            scope,
            prototype: std::ptr::null(),
            parameters: Arc::clone(&code.parameters),
            return_type: draft.return_type.clone(),
            code: None,
            hooked_property: draft.hooked_property,
            closure: std::ptr::null_mut(),
            native_data: 0,
        };
        function.index_parameters();
        function
    }

    /// A copy that shares the op array but not the runtime state.
    pub fn copy(&self) -> Function {
        Function {
            is_user: self.is_user,
            quick_arguments: self.quick_arguments,
            flags: self.flags,
            parameter_count: self.parameter_count,
            required_count: self.required_count,
            owners: Default::default(),
            ops: self.ops,
            slots: self.slots,
            variables: self.variables,
            op_array: self.op_array,
            run_time_cache: std::ptr::null_mut(),
            static_variables: std::ptr::null_mut(),
            native: self.native,
            direct: self.direct,
            accepted: self.accepted,
            name: self.name,
            scope: self.scope,
            prototype: self.prototype,
            parameters: Arc::clone(&self.parameters),
            return_type: self.return_type.clone(),
            code: self.code.clone(),
            hooked_property: self.hooked_property,
            closure: std::ptr::null_mut(),
            native_data: self.native_data,
        }
    }

    /// Allocates the runtime cache, zeroed, and the static variables if there are none yet.
    pub fn make_run_time_cache(&mut self) {
        if self.op_array.is_null() || !self.run_time_cache.is_null() {
            return;
        }
        self.allocate_cache();
        // SAFETY: I4: the op array is live.
        let draft = unsafe { &(*self.op_array).draft };
        if self.static_variables.is_null() && !draft.static_variables.is_empty() {
            let values: Box<[Zval]> = draft
                .static_variables
                .iter()
                .map(|variable| variable.initial)
                .collect();
            self.static_variables = Box::into_raw(values).cast();
        }
    }

    /// Allocates the runtime cache of a user function, zeroed.
    pub(crate) fn allocate_cache(&mut self) {
        // SAFETY: I4: the op array is live. The layout is never empty.
        unsafe {
            let draft = &(*self.op_array).draft;
            let layout =
                std::alloc::Layout::from_size_align_unchecked(draft.cache_size as usize + 16, 8);
            let cache = std::alloc::alloc_zeroed(layout);
            if cache.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            self.run_time_cache = cache;
        }
    }

    /// Frees the runtime cache, and its shares of functions.
    pub fn free_run_time_cache(&mut self) {
        if self.run_time_cache.is_null() || self.op_array.is_null() {
            return;
        }
        self.forget_closure_functions();
        // SAFETY: made by `make_run_time_cache` with this layout.
        unsafe {
            let draft = &(*self.op_array).draft;
            let layout =
                std::alloc::Layout::from_size_align_unchecked(draft.cache_size as usize + 16, 8);
            std::alloc::dealloc(self.run_time_cache, layout);
        }
        self.run_time_cache = std::ptr::null_mut();
    }

    /// Gives up the functions that closures made by this one are copies of.
    fn forget_closure_functions(&mut self) {
        // SAFETY: I4: the op array is live.
        let draft = unsafe { &(*self.op_array).draft };
        if draft.functions.is_empty() {
            return;
        }
        // SAFETY: I4: the block begins with the oplines, whose offsets lie inside of the cache, and
        // DECLARE_LAMBDA_FUNCTION puts shares there and nothing else.
        unsafe {
            let ops = std::slice::from_raw_parts((*self.op_array).ops(), draft.ops.len());
            for op in ops {
                if op.opcode == crate::generated::Opcode::DECLARE_LAMBDA_FUNCTION as u8 {
                    let place = self.run_time_cache.add(op.extended_value as usize);
                    let function = place.cast::<*mut Function>().replace(std::ptr::null_mut());
                    drop(SharedFunction::from_raw(function));
                }
            }
        }
    }

    /// Takes the static variables away.
    pub(crate) fn take_static_variables(&mut self) -> Box<[Zval]> {
        if self.static_variables.is_null() || self.op_array.is_null() {
            return Box::default();
        }
        // SAFETY: I4: the op array is live. The variables were made by `make_run_time_cache`, one
        // for each that the op array declares; the functions of closures, which hold theirs
        // otherwise, are never dropped.
        unsafe {
            let count = (*self.op_array).draft.static_variables.len();
            let values = std::ptr::slice_from_raw_parts_mut(self.static_variables, count);
            self.static_variables = std::ptr::null_mut();
            Box::from_raw(values)
        }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if !self.is_user {
            return;
        }
        for value in self.take_static_variables() {
            // SAFETY: I3: the function gave up its share.
            unsafe { crate::value::release(&value) };
        }
        self.free_run_time_cache();
    }
}

/// A share of a function that several hold: of that which the closures of one place are copies of. It
/// has their code and their runtime cache.
#[derive(Debug)]
pub struct SharedFunction(std::ptr::NonNull<Function>);

impl SharedFunction {
    /// The only share of a new function.
    pub fn new(function: Function) -> SharedFunction {
        function.owners.set(1);
        SharedFunction(std::ptr::NonNull::from(Box::leak(Box::new(function))))
    }

    /// Gives the share to a raw pointer.
    pub fn into_raw(self) -> *mut Function {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// The function, of which the share is kept.
    pub fn as_ptr(&self) -> *mut Function {
        self.0.as_ptr()
    }

    /// Takes a share from a raw pointer, unless that is null.
    ///
    /// # Safety
    /// `function` came from [`SharedFunction::into_raw`] and is not used again.
    pub unsafe fn from_raw(function: *mut Function) -> Option<SharedFunction> {
        std::ptr::NonNull::new(function).map(SharedFunction)
    }

    /// A new share of a function that a raw pointer has a share of.
    ///
    /// # Safety
    /// `function` came from [`SharedFunction::into_raw`] and is live.
    pub unsafe fn share_raw(function: *mut Function) -> SharedFunction {
        // SAFETY: by the caller.
        unsafe {
            (*function).owners.set((*function).owners.get() + 1);
            SharedFunction(std::ptr::NonNull::new_unchecked(function))
        }
    }
}

impl Clone for SharedFunction {
    fn clone(&self) -> SharedFunction {
        // SAFETY: the function is live as long as this share.
        unsafe { SharedFunction::share_raw(self.0.as_ptr()) }
    }
}

impl Drop for SharedFunction {
    fn drop(&mut self) {
        // SAFETY: the share is given up; the last one owns the box that `new` made.
        unsafe {
            let owners = &self.0.as_ref().owners;
            owners.set(owners.get() - 1);
            if owners.get() == 0 {
                drop(Box::from_raw(self.0.as_ptr()));
            }
        }
    }
}
