//! The functions of the runtime that a clause may use.

use serde::{Deserialize, Serialize};

use super::layout::Structure;
use super::model::Representation;
use crate::types::TypeMask;

/// What an intrinsic takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An unboxed value.
    Plain(Representation),
    /// A value of one of these types, by its address.
    Typed(TypeMask),
    /// A pointer to a structure.
    To(Structure),
}

/// What an intrinsic gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nothing.
    Nothing,
    /// An unboxed value.
    Plain(Representation),
    /// The address of a value.
    Slot,
    /// A pointer to a structure.
    To(Structure),
}

/// What an intrinsic does besides giving its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicEffect {
    /// Nothing.
    Pure,
    /// Changes values, arrays or the stack; runs no code of the script and throws nothing.
    Writes,
    /// May run code of the script or leave an exception behind.
    Reenters,
}

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident $name:ident ( $($argument:expr),* ) -> $result:expr, $exits:ident $effect:ident $form:ident;)*) => {
        /// The table of intrinsics. The runtime has a function of the same name for each in
        /// `interpreter::intrinsics`; one that may exit gives a null pointer to say so.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Intrinsic { $($(#[$doc])* $variant,)* }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// Its name in definitions, in the text form and in the runtime.
            pub const fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => stringify!($name),)* }
            }

            /// The intrinsic with this name.
            pub fn from_name(name: &str) -> Option<Intrinsic> {
                match name { $(stringify!($name) => Some(Intrinsic::$variant),)* _ => None }
            }

            /// What it takes.
            pub const fn arguments(self) -> &'static [Argument] {
                use Argument::*;
                match self { $(Intrinsic::$variant => &[$($argument),*],)* }
            }

            /// What it gives.
            pub const fn output(self) -> Output {
                use Output::*;
                match self { $(Intrinsic::$variant => $result,)* }
            }

            /// Whether it may refuse, which is an exit.
            pub const fn may_exit(self) -> bool {
                match self { $(Intrinsic::$variant => intrinsics!(@exits $exits),)* }
            }

            /// What it does.
            pub const fn effect(self) -> IntrinsicEffect {
                match self { $(Intrinsic::$variant => IntrinsicEffect::$effect,)* }
            }

            /// Whether it is a call, for which a handler needs a native frame: only in middle paths.
            pub const fn is_call(self) -> bool {
                match self { $(Intrinsic::$variant => intrinsics!(@form $form),)* }
            }
        }
    };
    (@exits exits) => { true };
    (@exits gives) => { false };
    (@form call) => { true };
    (@form inline) => { false };
}

impl Intrinsic {
    /// Whether it goes through memory until it finds something: where that is inlined the code around it
    /// has too few registers.
    pub fn searches(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            FindLong | FindSameKey | FindPlainKey | GlobalVariable | GlobalEntry
        )
    }

    /// Whether it leads a runtime cache to another class. Otherwise it changes nothing.
    pub fn refills_cache(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            PropertyNamed | AssignedProperty | ChangedProperty | MethodNamed
        )
    }

    /// Whether it calls a native function that the opline or a prepared call names.
    pub fn calls_native(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            CallNative | CallFrameless0 | CallFrameless1 | CallFrameless2 | CallFrameless3
        )
    }
}

const LONG: Argument = Argument::Plain(Representation::Long);
const ANY: Argument = Argument::Typed(TypeMask::ANY);
const STRING: Argument = Argument::Typed(TypeMask::STRING);
const FRAME: Argument = Argument::To(Structure::Frame);
const VM: Argument = Argument::To(Structure::Vm);
const BOOL: Output = Output::Plain(Representation::Bool);

intrinsics! {
    /// Whether two strings have the same bytes.
    EqualText equal_text(STRING, STRING) -> BOOL, gives Pure inline;
    /// Whether one of two strings cannot be a number, judged by its first byte; false says nothing.
    NotBothNumbers not_both_numbers(STRING, STRING) -> BOOL, gives Pure inline;
    /// How two strings compare, below, at or above 0: as numbers if both are, else byte by byte.
    CompareStrings compare_strings(STRING, STRING) -> Plain(Representation::Long), gives Pure call;
    /// The type number of a value.
    KindOf kind_of(ANY) -> Plain(Representation::Long), gives Pure inline;
    /// The value of a constant, where it is: it never changes, so code may be made of it.
    Constant constant(To(Structure::Slot)) -> To(Structure::Slot), gives Pure inline;
    /// The element of a hash array with an integer key, or null.
    FindLong find_long(To(Structure::Array), LONG) -> To(Structure::Slot), gives Pure inline;
    /// The element of a hash array whose key is this very string, or null if that is not seen by
    /// comparing pointers.
    FindSameKey find_same_key(To(Structure::Array), To(Structure::String)) -> To(Structure::Slot), gives Pure inline;
    /// The element of a hash array with a string key, an undefined one if there surely is none; exits if
    /// that cannot be told without a look at bytes.
    FindPlainKey find_plain_key(To(Structure::Array), To(Structure::String)) -> Slot, exits Pure inline;
    /// The element of an array with a string key, or null. A key that is an integer is found as such.
    FindKey find_key(To(Structure::Array), To(Structure::String)) -> To(Structure::Slot), gives Pure call;
    /// A fresh slot behind the last element of a packed array; exits if there is no room.
    PushInPlace push_in_place(To(Structure::Array)) -> Slot, exits Writes inline;
    /// The byte of a string at an index inside of it.
    StringByte string_byte(To(Structure::String), LONG) -> Plain(Representation::Long), gives Pure inline;
    /// Writes the byte of a string at an index inside of it.
    SetByte set_byte(To(Structure::String), LONG, LONG) -> Nothing, gives Writes inline;
    /// The interned string of one byte; exits if nobody made it yet.
    SingleByte single_byte(LONG) -> To(Structure::String), exits Pure inline;
    /// The bytes that the frame of a call takes on the VM stack.
    FrameBytes frame_bytes(To(Structure::Function), LONG) -> Plain(Representation::Long), gives Pure inline;
    /// Makes the variables of a frame behind its arguments undefined.
    ClearVariables clear_variables(To(Structure::Frame), LONG) -> Nothing, gives Writes inline;
    /// Moves the arguments of a prepared call behind its function's slots that are more than it has parameters.
    MoveMoreArguments move_more_arguments(To(Structure::Frame)) -> Nothing, gives Writes call;
    /// The arguments of a running frame from this one on, counted from 0, behind its parameters, as an array: there must be
    /// one.
    MoreArguments more_arguments(FRAME, VM, LONG) -> To(Structure::Array), gives Writes call;
    /// Whether a variable of the frame holds something counted.
    VariablesNeedRelease variables_need_release(To(Structure::Frame)) -> BOOL, gives Pure inline;
    /// The class that was the last to pass the type whose cache word has this number, from 1.
    PassedClass passed_class(To(Structure::Frame), LONG) -> To(Structure::Class), gives Pure inline;
    /// What a parameter's default, an expression, gave when it was evaluated, undefined before; by the number of the
    /// cache word of its type.
    KnownDefault known_default(To(Structure::Frame), LONG) -> Slot, gives Pure inline;
    /// The class that was the last to pass the type of the property in the slot with this number.
    PassedPropertyClass passed_property_class(To(Structure::Object), LONG) -> To(Structure::Class), gives Pure call;
    /// The value of an object's property with this name for code of the frame, behind references; an undefined one
    /// if there surely is none. The last argument is the offset of the name's runtime cache, which knows the object's
    /// class from then on, or negative. Exits if more has to be looked at.
    PropertyNamed property_named(FRAME, VM, To(Structure::Object), To(Structure::String), LONG) -> Slot, exits Pure call;
    /// The place of an object's property with this name; exits unless it has a value and takes values of this kind
    /// as they are. Above the kind the last argument has the offset of the name's runtime cache, or a negative number.
    AssignedProperty assigned_property(FRAME, VM, To(Structure::Object), To(Structure::String), LONG) -> Slot, exits Pure call;
    /// As [`AssignedProperty`](Self::AssignedProperty) of the kind that the property has.
    ChangedProperty changed_property(FRAME, VM, To(Structure::Object), To(Structure::String), LONG) -> Slot, exits Pure call;
    /// A fresh dynamic property of an object with this name (as null); exits if there is one, or if it takes more.
    MadeProperty made_property(FRAME, VM, To(Structure::Object), To(Structure::String)) -> Slot, exits Writes call;
    /// Whether two values are identical. Arrays in themselves throw.
    Identical identical(To(Structure::Vm), ANY, ANY) -> BOOL, gives Reenters call;
    /// Whether two values are equal after conversion, none of which is an array or an object.
    Equal equal(To(Structure::Vm), ANY, ANY) -> BOOL, gives Pure call;
    /// The place of a static variable of the frame's function, by a BIND_STATIC's extended value.
    StaticVariable static_variable(FRAME, LONG) -> Slot, gives Pure inline;
    /// A global variable by its name; exits if it is not there or not to be had so.
    GlobalVariable global_variable(To(Structure::Vm), STRING) -> Slot, exits Pure inline;
    /// The array in a slot, of its own: a shared or immutable one is copied first, `null` and what is
    /// undefined become an array.
    OwnArray own_array(To(Structure::Vm), To(Structure::Slot)) -> To(Structure::Array), gives Writes call;
    /// The element at an integer key, made if there is none (as null).
    SlotLong slot_long(To(Structure::Array), LONG) -> Slot, gives Writes call;
    /// The element at a string key, made if there is none (as null). A key that is an integer is taken
    /// as such.
    SlotKey slot_key(To(Structure::Array), To(Structure::String)) -> Slot, gives Writes call;
    /// A fresh element behind the last one (as null); there must be a key left.
    SlotNext slot_next(To(Structure::Array)) -> Slot, gives Writes call;
    /// Whether all elements of an array are scalars, none of them shared by reference. Only compiled code asks for it, of
    /// arrays that nobody reads.
    HoldsScalars holds_scalars(To(Structure::Array)) -> BOOL, gives Pure call;
    /// Moves a value into a slot and gives back the old one.
    Replace replace(To(Structure::Slot), ANY) -> Nothing, gives Reenters call;
    /// Makes a slot undefined and gives back its value.
    Clear clear(To(Structure::Slot)) -> Nothing, gives Reenters call;
    /// Whether a string is empty or "0".
    StringIsFalsy string_is_falsy(To(Structure::String)) -> BOOL, gives Pure inline;
    /// Writes a string made of two into a slot.
    Concatenate concatenate(To(Structure::Vm), To(Structure::Slot), STRING, STRING) -> Nothing, gives Writes call;
    /// Writes a string and a number behind it into a slot, as one string.
    ConcatenateNumber concatenate_number(To(Structure::Vm), To(Structure::Slot), STRING, LONG) -> Nothing, gives Writes call;
    /// Writes a number and a string behind it into a slot, as one string.
    NumberConcatenate number_concatenate(To(Structure::Vm), To(Structure::Slot), LONG, STRING) -> Nothing, gives Writes call;
    /// Writes a number as a string into a slot.
    NumberText number_text(To(Structure::Vm), To(Structure::Slot), LONG) -> Nothing, gives Writes call;
    /// A number as a string, with a share for whoever gets it.
    NumberString number_string(To(Structure::Vm), LONG) -> To(Structure::String), gives Writes call;
    /// Appends a string to the one in a slot, in place if nobody else has it.
    Append append(To(Structure::Vm), To(Structure::Slot), STRING) -> Nothing, gives Writes call;
    /// Appends a number to the string in a slot, in place if nobody else has it.
    AppendNumber append_number(To(Structure::Vm), To(Structure::Slot), LONG) -> Nothing, gives Writes call;
    /// A string that nobody else has, with another one behind it; it is taken over.
    Extended extended(To(Structure::Vm), STRING, STRING) -> To(Structure::String), gives Writes call;
    /// Puts a string into a rope, whose parts lie side by side from this slot on.
    SetRopePart set_rope_part(To(Structure::Slot), LONG, To(Structure::String)) -> Nothing, gives Writes inline;
    /// The string made of the parts of a rope, the last of which has this number; they are given back.
    JoinedRope joined_rope(To(Structure::Vm), To(Structure::Slot), LONG) -> To(Structure::String), gives Writes call;
    /// A new array with room for so many elements.
    NewArray new_array(To(Structure::Vm), LONG) -> To(Structure::Array), gives Writes call;
    /// A new packed array with room for so many elements, of which it has the first, not set yet.
    NewList new_list(To(Structure::Vm), LONG) -> To(Structure::Array), gives Writes call;
    /// A new hash array with room for so many elements, of which it has the first, with this string key, not set yet.
    NewTable new_table(To(Structure::Vm), LONG, To(Structure::String)) -> To(Structure::Array), gives Writes call;
    /// Moves a value to a string key of an array, which must not be an integer, and gives back an old one.
    SetName set_name(To(Structure::Array), To(Structure::String), ANY) -> Nothing, gives Reenters call;
    /// A new object of a class whose instances need nothing but their properties; no constructor is called.
    NewObject new_object(To(Structure::Vm), To(Structure::Class)) -> To(Structure::Object), gives Writes call;
    /// Makes the collector know of what may be the root of a cycle; false if that takes more than a free place.
    Noted noted(To(Structure::Header)) -> BOOL, gives Writes inline;
    /// Removes the element with an integer key from the array in a slot, if there is one; a shared or
    /// immutable array is copied first.
    RemoveLong remove_long(To(Structure::Vm), To(Structure::Slot), LONG) -> Nothing, gives Reenters call;
    /// As [`RemoveLong`](Self::RemoveLong) by a string key, which is taken as an integer if it is one.
    RemoveKey remove_key(To(Structure::Vm), To(Structure::Slot), To(Structure::String)) -> Nothing, gives Reenters call;
    /// The element at an integer key of the array in a slot, made if there is none (as null); a shared or
    /// immutable array is copied first. Exits if the element is a reference.
    WrittenLong written_long(To(Structure::Vm), To(Structure::Slot), LONG) -> Slot, exits Writes call;
    /// The slot of the argument with this name in the call that the frame prepares, undefined so far; exits
    /// unless the function takes it by value and nothing is special about it.
    NamedArgument named_argument(FRAME, VM, To(Structure::String)) -> Slot, exits Writes call;
    /// Makes what is in a slot a reference, if it is none yet.
    MakeReference make_reference(To(Structure::Vm), To(Structure::Slot)) -> Nothing, gives Writes call;
    /// The entry of a global variable, which may be a reference; exits if there is none.
    GlobalEntry global_entry(To(Structure::Vm), STRING) -> Slot, exits Pure inline;
    /// What a closure gives to frames; exits if the object is none, or one that stands for `__call`.
    ClosureHead closure_head(To(Structure::Object)) -> To(Structure::Closure), exits Pure call;
    /// The function with a name, in any case; exits if there is none, or if it may name a method.
    FunctionNamed function_named(To(Structure::Vm), STRING) -> To(Structure::Function), exits Pure call;
    /// The method of a class by its name that every scope calls; exits if there is none, or if nobody has looked for it.
    NotedMethod noted_method(To(Structure::Vm), To(Structure::Class), STRING) -> To(Structure::Function), exits Pure call;
    /// The method that code of the frame calls by this literal name on an object whose class the runtime cache with the
    /// offset does not know, but knows from then on; exits if nobody has looked for it.
    MethodNamed method_named(FRAME, VM, To(Structure::Object), STRING, LONG) -> To(Structure::Function), exits Pure call;
    /// A class below which all objects pass the type of the property in the slot with this number, or null.
    PassedPropertyRoot passed_property_root(To(Structure::Object), LONG) -> To(Structure::Class), gives Pure call;
    /// Whether an object is of a class or of one below it.
    IsInstance is_instance(To(Structure::Object), To(Structure::Class)) -> BOOL, gives Pure call;
    /// Calls the native function without arguments that the frame's frameless opline names, and writes its
    /// result.
    CallFrameless0 call_frameless_0(FRAME, VM) -> Nothing, gives Reenters call;
    /// As [`CallFrameless0`](Self::CallFrameless0) with one argument, which is borrowed.
    CallFrameless1 call_frameless_1(FRAME, VM, ANY) -> Nothing, gives Reenters call;
    /// As [`CallFrameless0`](Self::CallFrameless0) with two arguments, which are borrowed.
    CallFrameless2 call_frameless_2(FRAME, VM, ANY, ANY) -> Nothing, gives Reenters call;
    /// As [`CallFrameless0`](Self::CallFrameless0) with three arguments, which are borrowed.
    CallFrameless3 call_frameless_3(FRAME, VM, ANY, ANY, ANY) -> Nothing, gives Reenters call;
    /// Makes the prepared call of a native function: writes its result to a slot, unless that is null, and gives the
    /// frame back.
    CallNative call_native(FRAME, VM, To(Structure::Slot)) -> Nothing, gives Reenters call;
    /// Calls the direct entry of a native function with so many arguments, which lie side by side and are borrowed; false
    /// if it leaves them to the function, and nothing has happened then. Only compiled code uses it, which does
    /// without a frame.
    CallDirect call_direct(VM, To(Structure::Function), To(Structure::Slot), To(Structure::Slot), LONG) -> BOOL, gives Writes call;
    /// As [`CallDirect`](Self::CallDirect) for a method: the first of those values is its object.
    CallDirectMethod call_direct_method(VM, To(Structure::Function), To(Structure::Slot), To(Structure::Slot), LONG) -> BOOL, gives Writes call;
    /// The generator that runs in a frame.
    GeneratorOf generator_of(FRAME) -> To(Structure::Generator), gives Pure inline;
    /// The generator that an object is, if it has come to a value of its own and may be resumed; null else.
    SuspendedGenerator suspended_generator(VM, To(Structure::Object)) -> To(Structure::Generator), gives Pure call;
    /// A generator that has not started, made of a frame: what the frame owns moves there. Frames are looked
    /// into, as code of the script would.
    NewGenerator new_generator(VM, FRAME) -> To(Structure::Object), gives Reenters call;
    /// The name of a value's type as `gettype()` gives it, with a share for whoever gets it.
    TypeName type_name(VM, ANY) -> To(Structure::String), gives Writes call;
    /// Silences errors that are not fatal, and gives the levels that were reported before.
    BeginSilence begin_silence(VM) -> Plain(Representation::Long), gives Writes call;
    /// Reports errors of these levels again.
    EndSilence end_silence(VM, LONG) -> Nothing, gives Writes call;
    /// Whether `assert()` is switched on.
    AssertionsActive assertions_active(VM) -> BOOL, gives Writes call;
    /// Notes for the end of a `finally` block that it was called by an opline.
    NoteFinally note_finally(FRAME, To(Structure::Opline), To(Structure::Slot)) -> Nothing, gives Writes call;
    /// The closure that a DECLARE_LAMBDA_FUNCTION makes, without its variables.
    NewClosure new_closure(FRAME, To(Structure::Opline), VM) -> To(Structure::Object), gives Writes call;
    /// Gives a closure a share of a value as one of its variables, by a BIND_LEXICAL's extended value.
    Capture capture(To(Structure::Object), LONG, ANY) -> Nothing, gives Writes call;
    /// A copy of an object with nothing but properties; exits if there is more to do.
    PlainCopy plain_copy(VM, To(Structure::Object)) -> To(Structure::Object), exits Writes call;
    /// Unsets a property of an object on behalf of the frame's function.
    UnsetProperty unset_property(FRAME, VM, To(Structure::Object), To(Structure::String)) -> Nothing, gives Reenters call;
    /// Writes a power of two numbers into a slot, which it gives; exits if that is not done in silence.
    Power power(To(Structure::Slot), ANY, ANY) -> Slot, exits Writes call;
    /// Writes a string to the output.
    Echo echo(To(Structure::Vm), STRING) -> Nothing, gives Reenters call;
}
