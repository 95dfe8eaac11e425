//! The structures of the runtime that clauses look into, and the fields that they name.
//!
//! A definition says `call.function.flags`; the offsets come from the runtime, which exports them as
//! a generated table, so that handlers, evaluator and machine code agree.

use serde::{Deserialize, Serialize};

use super::model::Representation;

macro_rules! structures {
    ($($(#[$doc:meta])* $variant:ident $name:literal $path:literal;)*) => {
        /// A structure of the runtime that a pointer can lead to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Structure { $($(#[$doc])* $variant,)* }

        impl Structure {
            /// Every structure.
            pub const ALL: &'static [Structure] = &[$(Structure::$variant,)*];

            /// Its name in definitions.
            pub const fn name(self) -> &'static str {
                match self { $(Structure::$variant => $name,)* }
            }

            /// The path of its Rust type, inside the runtime.
            pub const fn path(self) -> &'static str {
                match self { $(Structure::$variant => $path,)* }
            }

            /// The structure with this name.
            pub fn from_name(name: &str) -> Option<Structure> {
                match name { $($name => Some(Structure::$variant),)* _ => None }
            }
        }
    };
}

structures! {
    /// A frame, running or being prepared.
    Frame "Frame" "crate::frame::Frame";
    /// An opline.
    Opline "Opline" "crate::op::Op";
    /// The VM.
    Vm "Vm" "crate::vm::Vm";
    /// A function.
    Function "Function" "crate::function::Function";
    /// A class.
    Class "Class" "crate::class::Class";
    /// The payload of an object.
    Object "Object" "crate::object::PhpObject";
    /// The payload of an array.
    Array "Array" "crate::array::PhpArray";
    /// An entry of a hash array.
    Bucket "Bucket" "crate::array::Bucket";
    /// The payload of a string.
    String "String" "crate::string::PhpString";
    /// The payload of a reference.
    Reference "Reference" "crate::value::PhpReference";
    /// What a Generator object holds.
    Generator "Generator" "crate::interpreter::generators::Generator";
    /// The head of anything counted.
    Header "Header" "crate::value::Header";
    /// What a closure gives to the frames that run it.
    Closure "Closure" "crate::object::closure::ClosureHead";
    /// A slot, as a pointer that may be null.
    Slot "Slot" "crate::value::Zval";
}

/// How a field is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A truth value in a byte.
    Bool,
    /// An unsigned number of 8 bits, which clauses only read.
    Byte,
    /// An unsigned number of 32 bits.
    Unsigned,
    /// A number of 64 bits, or an address that is only compared and added to.
    Word,
    /// A pointer to another structure; may be null.
    Pointer(Structure),
    /// A value that lies inside; the field stands for its address.
    Value,
}

impl FieldKind {
    /// How the field is held outside of memory.
    pub const fn representation(self) -> Representation {
        match self {
            FieldKind::Bool => Representation::Bool,
            FieldKind::Byte | FieldKind::Unsigned | FieldKind::Word => Representation::Long,
            FieldKind::Pointer(_) => Representation::Pointer,
            FieldKind::Value => Representation::Boxed,
        }
    }
}

/// A field, as its index in [`FIELDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field(pub u16);

/// What is known about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldFacts {
    /// The structure that it is in.
    pub structure: Structure,
    /// Its name in definitions.
    pub name: &'static str,
    /// The path of the Rust field, dots included.
    pub path: &'static str,
    /// How it is held.
    pub kind: FieldKind,
}

/// An array of things inside or behind a structure, as its index in [`SEQUENCES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sequence(pub u16);

/// Where the elements of a sequence begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Right behind the structure.
    Behind,
    /// With the structure itself.
    Here,
    /// Where this pointer leads.
    Through(&'static str),
}

/// What is known about a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceFacts {
    /// The structure that has it.
    pub structure: Structure,
    /// Its name in definitions: `object.slot(index)`.
    pub name: &'static str,
    /// Where it begins.
    pub start: Start,
    /// What the elements are; `None` stands for values.
    pub element: Option<Structure>,
    /// The distance of the elements in bytes.
    pub stride: u8,
}

macro_rules! fields {
    ($($structure:ident { $($name:ident $path:literal $kind:expr;)* })*) => {
        /// Every field that definitions may name.
        pub const FIELDS: &[FieldFacts] = &[$($(FieldFacts {
            structure: Structure::$structure,
            name: stringify!($name),
            path: $path,
            kind: $kind,
        },)*)*];
    };
}

use FieldKind::{Bool, Byte, Pointer, Unsigned, Value, Word};

fields! {
    Frame {
        opline "opline" Pointer(Structure::Opline);
        call "call" Pointer(Structure::Frame);
        return_value "return_value" Pointer(Structure::Slot);
        function "function" Pointer(Structure::Function);
        this "this" Value;
        this_pointer "this.payload" Word;
        info "this.type_info" Unsigned;
        argument_count "this.extra" Unsigned;
        previous "previous" Pointer(Structure::Frame);
        cache "run_time_cache" Word;
    }
    Function {
        ops "ops" Pointer(Structure::Opline);
        is_user "is_user" Bool;
        flags "flags" Unsigned;
        passing "quick_arguments" Unsigned;
        parameters "parameter_count" Unsigned;
        variables "variables" Unsigned;
        cache "run_time_cache" Word;
        scope "scope" Pointer(Structure::Class);
        closure "closure" Pointer(Structure::Object);
    }
    Class {
        name "name" Pointer(Structure::String);
        flags "flags" Unsigned;
        constructor "magic.construct" Pointer(Structure::Function);
        invoke "magic.invoke" Pointer(Structure::Function);
        handlers "handlers" Word;
    }
    Opline {
        opcode "opcode" Byte;
    }
    Object {
        refcount "header.refcount" Unsigned;
        class "class" Pointer(Structure::Class);
        dynamic "dynamic" Pointer(Structure::Array);
    }
    Array {
        refcount "header.refcount" Unsigned;
        flags "flags" Unsigned;
        used "used" Unsigned;
        count "count" Unsigned;
        next_free "next_free" Word;
    }
    Bucket {
        value "value" Value;
        hash "hash" Word;
        key "key" Pointer(Structure::String);
    }
    String {
        refcount "header.refcount" Unsigned;
        length "length" Word;
    }
    Reference {
        value "value" Value;
        sources "sources" Word;
    }
    Header {
        refcount "refcount" Unsigned;
        info "type_info" Unsigned;
    }
    Closure {
        function "function" Pointer(Structure::Function);
        this "this" Word;
        info "info" Word;
    }
    Slot {
        extra "extra" Unsigned;
    }
    Generator {
        value "value" Value;
        key "key" Value;
        returned "returned" Value;
        send_target "send_target" Pointer(Structure::Slot);
        largest_key "largest_key" Word;
        forced_close "forced_close" Bool;
        frame "frame" Pointer(Structure::Frame);
        running "running" Bool;
        at_first_yield "at_first_yield" Bool;
    }
    Vm {
        frame "current_frame" Pointer(Structure::Frame);
        stack_top "stack.top" Word;
        stack_end "stack.end" Word;
    }
}

macro_rules! sequences {
    ($($structure:ident $name:ident $start:expr, $element:expr, $stride:literal;)*) => {
        /// Every sequence that definitions may index.
        pub const SEQUENCES: &[SequenceFacts] = &[$(SequenceFacts {
            structure: Structure::$structure,
            name: stringify!($name),
            start: $start,
            element: $element,
            stride: $stride,
        },)*];
    };
}

sequences! {
    Object slot Start::Behind, None, 16;
    Frame slot Start::Behind, None, 16;
    Array element Start::Through("data"), None, 16;
    Array bucket Start::Through("data"), Some(Structure::Bucket), 32;
    Opline at Start::Here, Some(Structure::Opline), 32;
}

impl Field {
    /// The field with this name.
    pub fn find(structure: Structure, name: &str) -> Option<Field> {
        let is_it = |facts: &FieldFacts| facts.structure == structure && facts.name == name;
        FIELDS
            .iter()
            .position(is_it)
            .map(|index| Field(index as u16))
    }

    /// All fields of a structure.
    pub fn of(structure: Structure) -> impl Iterator<Item = Field> {
        let is_in = move |index: &usize| FIELDS[*index].structure == structure;
        (0..FIELDS.len())
            .filter(is_in)
            .map(|index| Field(index as u16))
    }

    /// What is known about it.
    pub fn facts(self) -> &'static FieldFacts {
        &FIELDS[usize::from(self.0)]
    }

    /// Reads `Frame.call`.
    pub fn from_word(word: &str) -> Option<Field> {
        let (structure, name) = word.split_once('.')?;
        Field::find(Structure::from_name(structure)?, name)
    }

    /// The form that [`Field::from_word`] reads.
    pub fn word(self) -> String {
        let facts = self.facts();
        format!("{}.{}", facts.structure.name(), facts.name)
    }
}

impl Sequence {
    /// The sequence with this name.
    pub fn find(structure: Structure, name: &str) -> Option<Sequence> {
        let is_it = |facts: &SequenceFacts| facts.structure == structure && facts.name == name;
        SEQUENCES
            .iter()
            .position(is_it)
            .map(|index| Sequence(index as u16))
    }

    /// What is known about it.
    pub fn facts(self) -> &'static SequenceFacts {
        &SEQUENCES[usize::from(self.0)]
    }

    /// Reads `Object.slot`.
    pub fn from_word(word: &str) -> Option<Sequence> {
        let (structure, name) = word.split_once('.')?;
        Sequence::find(Structure::from_name(structure)?, name)
    }

    /// The form that [`Sequence::from_word`] reads.
    pub fn word(self) -> String {
        let facts = self.facts();
        format!("{}.{}", facts.structure.name(), facts.name)
    }
}

macro_rules! numbers {
    ($($name:literal = $path:literal;)*) => {
        /// The numbers of the runtime that definitions may name, with the Rust paths of their values.
        pub const NUMBERS: &[(&str, &str)] = &[$(($name, $path)),*];
    };
}

numbers! {
    "STATIC" = "crate::function::flags::STATIC";
    "ABSTRACT" = "crate::function::flags::ABSTRACT";
    "RETURN_REFERENCE" = "crate::function::flags::RETURN_REFERENCE";
    "DEPRECATED" = "crate::function::flags::DEPRECATED";
    "TRAMPOLINE" = "crate::function::flags::CALL_VIA_TRAMPOLINE";
    "HAS_TYPE_HINTS" = "crate::function::flags::HAS_TYPE_HINTS";
    "SLOW_LEAVE" = "crate::frame::call_info::SLOW_LEAVE";
    "TOP" = "crate::frame::call_info::TOP";
    "ITERATOR_FIRST" = "crate::interpreter::iteration::ITERATOR_FIRST";
    "DYNAMIC" = "crate::frame::call_info::DYNAMIC";
    "OWNERS" = "crate::frame::call_info::OWNERS";
    "RELEASE_THIS" = "crate::frame::call_info::RELEASE_THIS";
    "SEND_BY_REFERENCE" = "crate::frame::call_info::SEND_BY_REFERENCE";
    "OBJECT_THIS" = "crate::value::OBJECT_COUNTED";
    "CLASS_THIS" = "crate::value::POINTER";
    "HAS_EXTRA_NAMED" = "crate::frame::call_info::HAS_EXTRA_NAMED";
    "SYMBOLS_LEAVE" = "crate::frame::call_info::SYMBOLS_LEAVE";
    "ACCEPTED_BITS" = "crate::types::ACCEPTED_BITS";
    "CONSTANT_EXPRESSION" = "crate::value::CONSTANT_EXPRESSION";
    "MAY_HAVE_UNDEF" = "crate::frame::call_info::MAY_HAVE_UNDEF";
    "PACKED" = "crate::array::PACKED";
    "COLLECTABLE" = "crate::value::COLLECTABLE";
    "GC_INFO" = "crate::collector::GC_INFO";
    "FRAMELESS_GLOBAL" = "crate::interpreter::frameless::GLOBAL";
    "TAKES_OBJECTS" = "crate::interpreter::property_cache::OBJECTS";
    "FETCH_REFERENCE" = "crate::interpreter::properties::FETCH_REFERENCE";
    "BIND_REFERENCE" = "crate::interpreter::variables::BIND_REFERENCE";
    "PUBLIC" = "crate::function::flags::PUBLIC";
    "CONSTRUCTOR" = "crate::frame::call_info::CONSTRUCTOR";
    "NOTES_THIS" = "crate::frame::call_info::NOTES_THIS";
    "TAKES_STATIC" = "crate::function::type_mask::STATIC";
    "ENUM" = "crate::function::class_flags::ENUM";
    "PLAIN_INSTANCES" = "crate::function::class_flags::PLAIN_INSTANCES";
    "QUICK_PARAMETERS" = "crate::function::QUICK_PARAMETERS";
    "CHAIN" = "crate::interpreter::control::CHAIN";
    "CHAIN_EXPRESSION" = "crate::interpreter::control::CHAIN_EXPRESSION";
    "CHAIN_EMPTY" = "crate::interpreter::control::CHAIN_EMPTY";
    "FETCH_MASK" = "crate::interpreter::classes::FETCH_MASK";
    "FETCH_PARENT" = "crate::interpreter::classes::FETCH_PARENT";
    "FETCH_SELF" = "crate::interpreter::classes::FETCH_SELF";
    "FETCH_STATIC" = "crate::interpreter::classes::FETCH_STATIC";
    "DO_FCALL" = "crate::generated::Opcode::DO_FCALL";
    "FETCH_GLOBAL" = "crate::interpreter::variables::FETCH_GLOBAL";
    "PASSING" = "crate::function::PASSING";
    "PASSING_BITS" = "crate::function::PASSING_BITS";
    "BY_REFERENCE" = "crate::function::PassBy::Reference";
    "FETCH_FLAGS" = "crate::interpreter::properties::CACHE_FLAGS";
    "ABSENT" = "crate::interpreter::classes::ABSENT";
    "EMPTY" = "crate::interpreter::variables::IS_EMPTY";
    "ELEMENT_REFERENCE" = "crate::op::ELEMENT_BY_REFERENCE";
    "ARRAY_SIZE" = "crate::interpreter::array_literals::SIZE";
    "KIND_BITS" = "crate::interpreter::intrinsics::KIND_BITS";
    "FIRST_VALUES" = "crate::interpreter::property_cache::UNINITIALISED";
    "TO_BOOL" = "crate::value::BOOL";
    "TO_LONG" = "crate::value::LONG";
    "TO_DOUBLE" = "crate::value::DOUBLE";
    "TO_STRING" = "crate::value::STRING";
    "TO_ARRAY" = "crate::value::ARRAY";
    "LARGEST" = "i64::MAX";
    "SMALLEST" = "i64::MIN";
}
