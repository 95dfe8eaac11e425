//! The words of the definition language.

use serde::{Deserialize, Serialize};

use crate::types::TypeMask;

macro_rules! words {
    ($($(#[$doc:meta])* enum $name:ident { $($(#[$item_doc:meta])* $item:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
            pub enum $name { $($(#[$item_doc])* $item,)* }

            impl $name {
                /// Every word with its meaning.
                pub const ALL: &'static [$name] = &[$($name::$item,)*];

                /// The word as written in a definition.
                pub const fn word(self) -> &'static str {
                    match self { $($name::$item => $word,)* }
                }

                /// The name of the Rust variant.
                pub const fn variant(self) -> &'static str {
                    match self { $($name::$item => stringify!($item),)* }
                }

                /// The meaning of a word.
                pub fn from_word(word: &str) -> Option<$name> {
                    match word { $($word => Some($name::$item),)* _ => None }
                }
            }
        )*
    };
}

words! {
    /// The kinds of operands that one handler is specialised for.
    enum OperandKind {
        /// A literal.
        Const = "CONST",
        /// A temporary.
        Tmp = "TMP",
        /// A variable result: may hold a reference or an indirection.
        Var = "VAR",
        /// A compiled variable.
        Cv = "CV",
        /// A temporary or a variable result: one handler for both.
        TmpVar = "TMPVAR",
        /// Anything in a frame slot: one handler for all three.
        TmpVarCv = "TMPVARCV",
        /// No operand, or an immediate.
        Unused = "UNUSED",
        /// Not specialised: any kind is accepted and tested at run time.
        Any = "ANY",
    }

    /// What an operand that is not a value means.
    enum UnusedMeaning {
        /// Nothing.
        None = "NONE",
        /// A number.
        Num = "NUM",
        /// A jump target.
        JmpAddr = "JMP_ADDR",
        /// An index of the try/catch table, or none.
        TryCatch = "TRY_CATCH",
        /// The distance to the final free of a loop variable.
        LoopEnd = "LOOP_END",
        /// The object that the function was called on.
        This = "THIS",
        /// The next free key of an array.
        Next = "NEXT",
        /// How to fetch a class: self, parent, static, …
        ClassFetch = "CLASS_FETCH",
        /// How to fetch a class, which dumps do not show.
        HiddenClassFetch = "HIDDEN_CLASS_FETCH",
        /// The constructor of a class.
        Constructor = "CONSTRUCTOR",
        /// How to fetch a constant.
        ConstFetch = "CONST_FETCH",
        /// A byte offset in the runtime cache.
        CacheSlot = "CACHE_SLOT",
    }

    /// What `extended_value` means.
    enum ExtendedMeaning {
        /// A number.
        Num = "NUM",
        /// A flag: the last catch of a try.
        LastCatch = "LAST_CATCH",
        /// A jump target.
        JmpAddr = "JMP_ADDR",
        /// The number of a binary opcode.
        Op = "OP",
        /// Where a variable is looked up.
        VarFetch = "VAR_FETCH",
        /// The size and the flags of an array literal.
        ArrayInit = "ARRAY_INIT",
        /// A type number.
        Type = "TYPE",
        /// Which of include, require and eval.
        Eval = "EVAL",
        /// A mask of type numbers.
        TypeMask = "TYPE_MASK",
        /// A flag: empty() and not isset().
        Isset = "ISSET",
        /// A flag: by reference.
        Ref = "REF",
        /// A flag: the container is fetched to make a reference.
        FetchRef = "FETCH_REF",
        /// Where a returned value comes from.
        Src = "SRC",
        /// A byte offset in the runtime cache.
        CacheSlot = "CACHE_SLOT",
        /// The function that is called without a frame; a word of the runtime cache for it, once it is published.
        Frameless = "FRAMELESS",
        /// A word of the runtime cache for a function, once it is published.
        FunctionSlot = "FUNCTION_SLOT",
        /// What a dimension is fetched for.
        DimWrite = "DIM_WRITE",
        /// Something that dumps do not show.
        Flags = "FLAGS",
    }

    /// The options of `spec:`.
    enum SpecOption {
        /// A variant for a used and one for an unused result.
        Retval = "RETVAL",
        /// A variant for each kind of the OP_DATA operand.
        OpData = "OP_DATA",
        /// Variants that take the jump which follows.
        SmartBranch = "SMART_BRANCH",
        /// The operands are put in a fixed order before selection.
        Commutative = "COMMUTATIVE",
        /// No variant for two literals: the compiler folds them.
        NoConstConst = "NO_CONST_CONST",
        /// A variant for the first twelve arguments.
        QuickArg = "QUICK_ARG",
        /// A variant for isset() and one for empty().
        Isset = "ISSET",
        /// Variants that assign the result to a compiled variable.
        ResultCv = "RESULT_CV",
        /// A variant for a variable as op1 that keeps what it holds until the call that is prepared has been made.
        KeptOp1 = "KEPT_OP1",
        /// A variant for each binary operator, whose number is the extended value.
        Operator = "OPERATOR",
    }

    /// The words of `effects:`.
    enum Effect {
        /// Control never reaches the next opline.
        Terminal = "terminal",
        /// Enters or leaves a function.
        Calls = "calls",
        /// Prepares a call, which another opcode closes.
        OpensCall = "opens_call",
        /// Ends the innermost call that was prepared.
        ClosesCall = "closes_call",
        /// May give the call that is being prepared another frame, or another number of arguments.
        MovesCall = "moves_call",
        /// May go on behind the opline that makes the call, if that is the next one.
        SkipsCall = "skips_call",
        /// Sends an argument by value, if the parameter takes one so.
        SendsValue = "sends_value",
        /// Receives an argument, or its default: what a function begins with.
        Receives = "receives",
        /// What its runtime cache holds stays true once it is there.
        CachesForGood = "caches_for_good",
        /// Does nothing but give its result, if its operands are null, truth values, numbers or strings; what looks for
        /// elements takes arrays, too, and no floats as keys.
        Computes = "computes",
    }

    /// What a slow path may do besides its work; without a word everything.
    enum SlowClass {
        /// Neither leaves an exception behind nor runs code of the script.
        Pure = "pure",
        /// May leave an exception behind, but runs no code of the script.
        Throws = "throws",
    }

    /// What an exception does with a result that is live.
    enum Unwinding {
        /// Releases it, as most: not written in a definition.
        Value = "VALUE",
        /// Nothing: a truth value, a class, or a state that is given up otherwise.
        Nothing = "NOTHING",
        /// Shows errors again.
        Silence = "SILENCE",
        /// Releases the parts of a rope that are there.
        Rope = "ROPE",
        /// Ends a loop over an array or object.
        Loop = "LOOP",
        /// Releases an object; if its constructor has not run to its end, without calling its destructor.
        Object = "OBJECT",
        /// Releases a copy that is used on one of two branches.
        Copy = "COPY",
    }

    /// What an opline checks against a declared type.
    enum CheckSubject {
        /// The parameter whose number op1 is.
        Parameter = "PARAMETER",
        /// What the function returns.
        Return = "RETURN",
    }

    /// A field of the opline: where a jump target is, or what an opline has to know of a type.
    enum OplineField {
        /// The first operand.
        Op1 = "op1",
        /// The second operand.
        Op2 = "op2",
        /// `extended_value`.
        Extended = "extended",
    }

    /// The kinds of results.
    enum ResultKind {
        /// A temporary.
        Tmp = "TMP",
        /// A variable result.
        Var = "VAR",
        /// A compiled variable.
        Cv = "CV",
        /// An argument slot of the callee.
        Arg = "ARG",
        /// No value: a byte offset in the runtime cache.
        Slot = "SLOT",
    }

    /// The types that a parameter of a fast clause may have.
    enum TypeName {
        /// Never set.
        Undef = "Undef",
        /// `null`.
        Null = "Null",
        /// `false`.
        False = "False",
        /// `true`.
        True = "True",
        /// `false` or `true`, as a Rust `bool`.
        Bool = "Bool",
        /// An integer.
        Long = "Long",
        /// A float.
        Double = "Double",
        /// A string.
        String = "String",
        /// An array.
        Array = "Array",
        /// An object.
        Object = "Object",
        /// A resource.
        Resource = "Resource",
        /// A PHP reference.
        Reference = "Reference",
        /// Whatever a script sees: neither undefined, nor a reference, nor internal.
        Plain = "Plain",
        /// Any type, without a test.
        Any = "Any",
    }
}

impl TypeName {
    /// The set of types that the name stands for.
    pub const fn mask(self) -> TypeMask {
        match self {
            TypeName::Undef => TypeMask::UNDEF,
            TypeName::Null => TypeMask::NULL,
            TypeName::False => TypeMask::FALSE,
            TypeName::True => TypeMask::TRUE,
            TypeName::Bool => TypeMask::BOOL,
            TypeName::Long => TypeMask::LONG,
            TypeName::Double => TypeMask::DOUBLE,
            TypeName::String => TypeMask::STRING,
            TypeName::Array => TypeMask::ARRAY,
            TypeName::Object => TypeMask::OBJECT,
            TypeName::Resource => TypeMask::RESOURCE,
            TypeName::Reference => TypeMask::REFERENCE,
            TypeName::Plain => TypeMask::PLAIN,
            TypeName::Any => TypeMask::ANY,
        }
    }
}

impl OperandKind {
    /// The operand kind bits that an opline with this kind may have; bit 0 stands for UNUSED.
    pub const fn codes(self) -> &'static [u8] {
        match self {
            OperandKind::Unused => &[0],
            OperandKind::Const => &[1],
            OperandKind::Tmp => &[2],
            OperandKind::Var => &[4],
            OperandKind::Cv => &[8],
            OperandKind::TmpVar => &[2, 4],
            OperandKind::TmpVarCv => &[2, 4, 8],
            OperandKind::Any => &[0, 1, 2, 4, 8],
        }
    }

    /// Whether an opline's operand kind byte is covered.
    pub fn covers(self, code: u8) -> bool {
        self.codes().contains(&code)
    }
}
