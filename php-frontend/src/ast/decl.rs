//! Declarations: functions, classes and their members, attributes.

use super::{Args, ExprRef, Identifier, Name, Stmt, Type};

/// The attribute groups before a declaration.
pub type Attributes<'a> = &'a [AttributeGroup<'a>];

/// A type where it may be left out.
pub type OptionalType<'a> = Option<&'a Type<'a>>;

/// A set of member or class modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(pub u16);

impl Modifiers {
    /// No modifier written.
    pub const NONE: Self = Self(0);
    /// `public`
    pub const PUBLIC: Self = Self(1);
    /// `protected`
    pub const PROTECTED: Self = Self(2);
    /// `private`
    pub const PRIVATE: Self = Self(4);
    /// `static`
    pub const STATIC: Self = Self(8);
    /// `final`
    pub const FINAL: Self = Self(16);
    /// `abstract`
    pub const ABSTRACT: Self = Self(32);
    /// `readonly`
    pub const READONLY: Self = Self(64);
    /// `public(set)`
    pub const PUBLIC_SET: Self = Self(128);
    /// `protected(set)`
    pub const PROTECTED_SET: Self = Self(256);
    /// `private(set)`
    pub const PRIVATE_SET: Self = Self(512);
    /// `public`, `protected` and `private`
    pub const VISIBILITY: Self = Self(1 | 2 | 4);
    /// The three `(set)` visibilities.
    pub const SET_VISIBILITY: Self = Self(128 | 256 | 512);

    /// The words of the set, in the order in which PHP prints modifiers.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        const WORDS: [(Modifiers, &str); 10] = [
            (Modifiers::PUBLIC, "public"),
            (Modifiers::PROTECTED, "protected"),
            (Modifiers::PRIVATE, "private"),
            (Modifiers::PUBLIC_SET, "public(set)"),
            (Modifiers::PROTECTED_SET, "protected(set)"),
            (Modifiers::PRIVATE_SET, "private(set)"),
            (Modifiers::STATIC, "static"),
            (Modifiers::ABSTRACT, "abstract"),
            (Modifiers::FINAL, "final"),
            (Modifiers::READONLY, "readonly"),
        ];
        let written = WORDS
            .iter()
            .filter(move |(modifier, _)| self.intersects(*modifier));
        written.map(|&(_, word)| word)
    }

    /// Whether any of `other` is in the set.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// `#[A, B(1)]`
#[derive(Clone, Copy, Debug)]
pub struct AttributeGroup<'a> {
    /// The attributes of the group.
    pub attributes: &'a [Attribute<'a>],
}

/// One attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// The class named.
    pub name: Name<'a>,
    /// The arguments, when parentheses are written.
    pub args: Option<&'a Args<'a>>,
    /// Source line.
    pub line: u32,
}

/// A constant of `const`, of a class, or a directive of `declare`.
#[derive(Clone, Copy, Debug)]
pub struct ConstItem<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value.
    pub value: ExprRef<'a>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Source line.
    pub line: u32,
}

/// What kind of function a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// A named function outside of a class.
    Function,
    /// A method.
    Method,
    /// `function () {}`
    Closure,
    /// `fn () => ...`
    ArrowFunction,
    /// `get` or `set` of a property.
    PropertyHook,
}

/// A function, method, closure, arrow function or property hook.
#[derive(Clone, Copy, Debug)]
pub struct FunctionDecl<'a> {
    /// What it is.
    pub kind: FunctionKind,
    /// The name; `{closure}` for closures and arrow functions, the hook's name for hooks.
    pub name: &'a [u8],
    /// Modifiers; closures may have `STATIC`, hooks `FINAL`.
    pub modifiers: Modifiers,
    /// Written with `&`.
    pub returns_ref: bool,
    /// The body has a `yield` of its own.
    pub is_generator: bool,
    /// The parameters; `None` only for a hook without a list.
    pub params: Option<&'a [Param<'a>]>,
    /// The variables of a closure's `use`.
    pub uses: &'a [ClosureUse<'a>],
    /// The declared return type.
    pub return_type: OptionalType<'a>,
    /// The body.
    pub body: FunctionBody<'a>,
    /// Attributes.
    pub attributes: Attributes<'a>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Line of the `function`, `fn` or hook name.
    pub start_line: u32,
    /// Line of the closing brace.
    pub end_line: u32,
}

/// The body of a function.
#[derive(Clone, Copy, Debug)]
pub enum FunctionBody<'a> {
    /// `;`: an abstract or interface method, or an abstract hook.
    None,
    /// `{ ... }`
    Block(&'a [Stmt<'a>]),
    /// `=> expression`
    Expr(ExprRef<'a>),
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// The name without `$`.
    pub name: &'a [u8],
    /// The declared type.
    pub declared_type: OptionalType<'a>,
    /// The default value.
    pub default: Option<ExprRef<'a>>,
    /// Written with `&`.
    pub by_ref: bool,
    /// Written with `...`.
    pub variadic: bool,
    /// Modifiers of a promoted constructor parameter.
    pub modifiers: Modifiers,
    /// Hooks of a promoted property.
    pub hooks: Option<&'a [FunctionDecl<'a>]>,
    /// Attributes.
    pub attributes: Attributes<'a>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Source line.
    pub line: u32,
}

/// A variable of a closure's `use`.
#[derive(Clone, Copy, Debug)]
pub struct ClosureUse<'a> {
    /// The name without `$`.
    pub name: &'a [u8],
    /// Written with `&`.
    pub by_ref: bool,
    /// Source line.
    pub line: u32,
}

/// The kinds of class-like declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// `class`, also an anonymous one.
    Class,
    /// `interface`
    Interface,
    /// `trait`
    Trait,
    /// `enum`
    Enum,
}

/// A class, interface, trait or enum.
#[derive(Clone, Copy, Debug)]
pub struct ClassDecl<'a> {
    /// What it is.
    pub kind: ClassKind,
    /// `abstract`, `final`, `readonly`.
    pub modifiers: Modifiers,
    /// The name; none for an anonymous class.
    pub name: Option<Identifier<'a>>,
    /// The parent class.
    pub extends: Option<Name<'a>>,
    /// Implemented interfaces; the parents of an interface.
    pub implements: &'a [Name<'a>],
    /// The backing type of an enum.
    pub enum_type: Option<&'a Type<'a>>,
    /// The members, in order.
    pub members: &'a [Member<'a>],
    /// Attributes.
    pub attributes: Attributes<'a>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Line of the `class` keyword.
    pub start_line: u32,
    /// Line of the closing brace.
    pub end_line: u32,
}

/// A member of a class.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// What member it is.
    pub kind: MemberKind<'a>,
    /// Source line.
    pub line: u32,
}

/// The forms of a member.
#[derive(Clone, Copy, Debug)]
pub enum MemberKind<'a> {
    /// `const T A = 1, B = 2;`
    Constants(&'a ClassConstants<'a>),
    /// `public T $a = 1, $b;`
    Properties(&'a Properties<'a>),
    /// A method.
    Method(&'a FunctionDecl<'a>),
    /// `use A, B { ... }`
    TraitUse(&'a TraitUse<'a>),
    /// `case A = 1;`
    EnumCase(&'a EnumCase<'a>),
}

/// Class constants declared together.
#[derive(Clone, Copy, Debug)]
pub struct ClassConstants<'a> {
    /// Modifiers.
    pub modifiers: Modifiers,
    /// The declared type.
    pub declared_type: OptionalType<'a>,
    /// The constants.
    pub items: &'a [ConstItem<'a>],
    /// Attributes.
    pub attributes: Attributes<'a>,
}

/// Properties declared together.
#[derive(Clone, Copy, Debug)]
pub struct Properties<'a> {
    /// Modifiers; empty when written with `var`, which is public.
    pub modifiers: Modifiers,
    /// The declared type.
    pub declared_type: OptionalType<'a>,
    /// The properties.
    pub items: &'a [PropertyItem<'a>],
    /// Attributes.
    pub attributes: Attributes<'a>,
}

/// One property.
#[derive(Clone, Copy, Debug)]
pub struct PropertyItem<'a> {
    /// The name without `$`.
    pub name: &'a [u8],
    /// The default value.
    pub default: Option<ExprRef<'a>>,
    /// The hooks; `Some(&[])` for an empty list, which is an error of the compiler.
    pub hooks: Option<&'a [FunctionDecl<'a>]>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Source line.
    pub line: u32,
}

/// `use A, B { ... }` in a class.
#[derive(Clone, Copy, Debug)]
pub struct TraitUse<'a> {
    /// The traits.
    pub traits: &'a [Name<'a>],
    /// The rules between the braces.
    pub adaptations: &'a [TraitAdaptation<'a>],
}

/// A rule of a trait use.
#[derive(Clone, Copy, Debug)]
pub struct TraitAdaptation<'a> {
    /// What it does.
    pub kind: TraitAdaptationKind<'a>,
    /// Source line.
    pub line: u32,
}

/// The forms of a trait rule.
#[derive(Clone, Copy, Debug)]
pub enum TraitAdaptationKind<'a> {
    /// `A::method insteadof B, C;`
    Precedence {
        /// The trait whose method is taken.
        class: Name<'a>,
        /// The method.
        method: Identifier<'a>,
        /// The traits whose method is left out.
        insteadof: &'a [Name<'a>],
    },
    /// `A::method as protected name;`
    Alias {
        /// The trait, when written.
        class: Option<Name<'a>>,
        /// The method.
        method: Identifier<'a>,
        /// The new modifiers.
        modifiers: Modifiers,
        /// The new name.
        alias: Option<Identifier<'a>>,
    },
}

/// `case A = 1;`
#[derive(Clone, Copy, Debug)]
pub struct EnumCase<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value of a backed enum.
    pub value: Option<ExprRef<'a>>,
    /// The doc comment before it.
    pub doc_comment: Option<&'a [u8]>,
    /// Attributes.
    pub attributes: Attributes<'a>,
}
