//! Enums: their cases are objects, made when they are first used.

use std::cell::Cell;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::array::PhpArray;
use crate::class::linking::Linking;
use crate::class::{Class, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::{Call, Function, NativeDefinition, Type, class_flags, flags, type_mask};
use crate::object::PhpObject;
use crate::types::native_function;
use crate::value::{
    CONSTANT_EXPRESSION, LONG, OBJECT, ObjectHandle, STRING, Value, ValueKind, Zval,
};
use crate::vm::{PhpResult, Vm};

static CASES: NativeDefinition =
    NativeDefinition::new("public static function cases(): array", cases);
static FROM: NativeDefinition = NativeDefinition::new(
    "public static function from(string|int $value): static",
    from,
);
static TRY_FROM: NativeDefinition = NativeDefinition::new(
    "public static function tryFrom(string|int $value): ?static",
    try_from,
);

/// Slot of `name` in a case.
const NAME: u32 = 0;
/// Slot of `value` in a case of a backed enum.
const VALUE: u32 = 1;

impl Vm {
    /// Properties that every enum has.
    pub(crate) fn declare_enum_properties(&mut self, linking: &mut Linking, backing: u32) {
        let mut property = |vm: &mut Vm, name: &[u8], mask: u32| {
            let name = vm.names.string(name);
            let declared = Type {
                mask,
                classes: Vec::new(),
            };
            let info = PropertyInfo::new(
                vm,
                linking.class,
                name,
                flags::PUBLIC | flags::READONLY,
                Some(declared),
            );
            linking.property(info, Zval::UNDEF);
        };
        property(self, b"name", type_mask::STRING);
        if backing != 0 {
            property(self, b"value", backing);
        }
    }

    /// Methods that every enum has, behind its own; those may not be among them.
    pub(crate) fn declare_enum_methods(&mut self, linking: &Linking, backing: u32) {
        let mut methods: Vec<(&'static NativeDefinition, KnownClass)> =
            vec![(&CASES, KnownClass::UnitEnum)];
        if backing != 0 {
            methods.extend([&FROM, &TRY_FROM].map(|method| (method, KnownClass::BackedEnum)));
        }
        for (definition, interface) in methods {
            let function = native_function(self, definition, linking.class);
            let interface = self.known_class(interface);
            // SAFETY: I4: made just now; the classes are live.
            unsafe {
                let lowercase = (*(*function).name).as_bytes().to_ascii_lowercase();
                if (*linking.class).methods.contains(&lowercase) {
                    let (class, name) = (linking.name(), crate::message::text(&lowercase));
                    linking.error(self, &format!("Cannot redeclare {class}::{name}()"));
                }
                if let Some(&prototype) = (*interface).methods.get(&lowercase) {
                    (*function).prototype = prototype;
                }
                (*linking.class).methods.insert(&lowercase, function);
            }
        }
    }

    /// The object of an enum case; `backing` is the case's value, not evaluated yet.
    pub(crate) fn make_enum_case(
        &mut self,
        class: *mut Class,
        name: &[u8],
        backing: Zval,
    ) -> PhpResult<Value> {
        // SAFETY: I4: the class is live, I3: the new object is ours.
        unsafe {
            let backing = match backing.kind() {
                CONSTANT_EXPRESSION => self.evaluate_in(&backing, class)?,
                _ => Value::from_zval(backing.share()),
            };
            let backing_type = (*class).backing_type;
            if backing_type != 0 {
                let is_int = backing_type & type_mask::LONG != 0;
                let matches = match backing.view() {
                    ValueKind::Long(_) => is_int,
                    ValueKind::String(_) => !is_int,
                    _ => false,
                };
                if !matches {
                    let given = crate::operators::type_name(&backing);
                    let expected = if is_int { "int" } else { "string" };
                    return Err(self.throw_error(
                        KnownClass::TypeError,
                        format!(
                            "Enum case type {given} does not match enum backing type {expected}"
                        ),
                    ));
                }
                self.check_duplicate_case(class, name, &backing)?;
            }
            let object = PhpObject::allocate(self, class);
            *object.slot(NAME) = Zval::from_string(self.names.string(name));
            if backing_type != 0 {
                *object.slot(VALUE) = backing.into_zval();
            }
            Ok(object.into_value())
        }
    }

    fn check_duplicate_case(
        &mut self,
        class: *mut Class,
        name: &[u8],
        backing: &Value,
    ) -> PhpResult<()> {
        let cases = self.backed_cases(class);
        let Some(own) = cases.names.get_index_of(name) else {
            return Ok(());
        };
        let evaluated = cases.expressions.iter().copied().filter(|&other| {
            // SAFETY: I4: the class and its constants are live.
            let constant = unsafe { (*class).constants.get(&cases.names[other]) };
            let value = constant.and_then(|constant| case_value(&constant.value));
            value.is_some_and(|value| is_same_backing(&value, backing))
        });
        let literal = cases.with_literal(backing);
        let others = literal.into_iter().flatten().copied().chain(evaluated);
        let Some(other) = others.filter(|&other| other != own).min() else {
            return Ok(());
        };
        // SAFETY: I4: as above.
        let class = unsafe { (*class).display_name() };
        let text = |case: usize| crate::message::text(&cases.names[case]);
        let (first, second) = (text(own.min(other)), text(own.max(other)));
        let message = format!("Duplicate value in enum {class} for cases {first} and {second}");
        Err(self.throw_error(KnownClass::Error, message))
    }

    /// What is known of the cases of a backed enum.
    fn backed_cases(&mut self, class: *mut Class) -> Rc<BackedCases> {
        if let Some(cases) = self.class_state.backed_cases.get(&class) {
            return cases.clone();
        }
        let mut cases = BackedCases::default();
        // SAFETY: I4: the class and its constants are live.
        for (name, constant) in unsafe { (*class).constants.iter() } {
            if constant.flags & flags::ENUM_CASE == 0 {
                continue;
            }
            let number = cases.names.len();
            cases.names.push(name);
            cases.made.push(Cell::default());
            let value = case_value(&constant.value);
            match value.as_ref().and_then(|value| BackingRef::of(value)) {
                Some(backing) => cases
                    .literals
                    .entry(backing.to_backing())
                    .or_default()
                    .push(number),
                None => cases.expressions.push(number),
            }
        }
        let cases = Rc::new(cases);
        self.class_state.backed_cases.insert(class, cases.clone());
        cases
    }

    /// The case of a backed enum with this value.
    fn case_by_value(&mut self, class: *mut Class, backing: &Zval) -> PhpResult<Option<Value>> {
        if let Some(known) = self.known_case(class, backing) {
            return Ok(known);
        }
        // Cases that cannot be made are an Error each time.
        self.initialise_class(class)?;
        let cases = self.backed_cases(class);
        let literal = cases.with_literal(backing);
        let candidates = literal.into_iter().flatten().take(1);
        for &number in candidates.chain(&cases.expressions) {
            let name = &cases.names[number];
            let case = self.class_constant(class, name, class)?;
            // SAFETY: I4: a constant's value is live; a case is an object.
            let case = unsafe { Value::share(&*case) };
            if case_value(&case).is_some_and(|value| is_same_backing(&value, backing)) {
                if case.kind() == OBJECT {
                    cases.made[number].set(case.as_zval().object());
                }
                return Ok(Some(case));
            }
        }
        Ok(None)
    }

    /// The case with a literal of this value, if it was found before, or that there is none; nothing if neither is
    /// known yet.
    fn known_case(&self, class: *mut Class, backing: &Zval) -> Option<Option<Value>> {
        let cases = self.class_state.backed_cases.get(&class)?;
        if let Some(made) = cases.one_of_few(backing) {
            return Some(Some(made.into()));
        }
        let Some(&number) = cases.with_literal(backing).and_then(<[usize]>::first) else {
            // SAFETY: I4: the class is live.
            let is_initialised = unsafe { (*class).flags & class_flags::CONSTANTS_UPDATED != 0 };
            return (is_initialised && cases.expressions.is_empty()).then_some(None);
        };
        let made = cases.made[number].get();
        // SAFETY: I4: the constant, which lives until the VM ends, keeps its case.
        (!made.is_null()).then(|| Some(unsafe { ObjectHandle::share_raw(made) }.into()))
    }
}

/// The cases of a backed enum, by what backs them.
#[derive(Debug, Default)]
pub(crate) struct BackedCases {
    names: CaseNames,
    /// Cases with these values, in the order of their declaration. There is one of each, or it is
    /// an error.
    literals: HashMap<Backing, Vec<usize>>,
    /// Cases whose values are expressions.
    expressions: Vec<usize>,
    /// The objects of cases that were found; null for others.
    made: Vec<Cell<*mut PhpObject>>,
}

impl BackedCases {
    /// The case with this value, if it was found before and there are so few that all of them are looked at sooner than
    /// one is looked up.
    fn one_of_few(&self, backing: &Zval) -> Option<ObjectHandle> {
        const FEW: usize = 8;
        if self.made.len() > FEW {
            return None;
        }
        let made = self.made.iter().map(Cell::get).find(|&made| {
            // SAFETY: I4: cases live until the VM ends; those of a backed enum have this slot.
            !made.is_null() && unsafe { is_same_backing(&*(*made).slot(VALUE), backing) }
        })?;
        // SAFETY: I4: as above.
        Some(unsafe { ObjectHandle::share_raw(made) })
    }

    /// The cases with a literal of this value.
    fn with_literal(&self, backing: &Zval) -> Option<&[usize]> {
        let found = self.literals.get(&BackingRef::of(backing)?)?;
        Some(found)
    }
}

/// Names by number, and the other way round.
#[derive(Debug, Default)]
struct CaseNames {
    names: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, usize>,
}

impl CaseNames {
    fn len(&self) -> usize {
        self.names.len()
    }

    fn push(&mut self, name: &[u8]) {
        self.numbers.insert(name.into(), self.names.len());
        self.names.push(name.into());
    }

    fn get_index_of(&self, name: &[u8]) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

impl std::ops::Index<usize> for CaseNames {
    type Output = [u8];

    fn index(&self, number: usize) -> &[u8] {
        &self.names[number]
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Backing {
    Long(i64),
    Text(Box<[u8]>),
}

/// A [`Backing`] that is looked for. It has the same hash.
#[derive(PartialEq, Eq, Hash)]
enum BackingRef<'a> {
    Long(i64),
    Text(&'a [u8]),
}

impl<'a> BackingRef<'a> {
    fn of(value: &'a Zval) -> Option<BackingRef<'a>> {
        match value.view() {
            ValueKind::Long(number) => Some(BackingRef::Long(number)),
            ValueKind::String(text) => Some(BackingRef::Text(text.as_bytes())),
            _ => None,
        }
    }

    fn to_backing(&self) -> Backing {
        match *self {
            BackingRef::Long(number) => Backing::Long(number),
            BackingRef::Text(text) => Backing::Text(text.into()),
        }
    }
}

impl hashbrown::Equivalent<Backing> for BackingRef<'_> {
    fn equivalent(&self, key: &Backing) -> bool {
        match (self, key) {
            (BackingRef::Long(one), Backing::Long(other)) => one == other,
            (BackingRef::Text(one), Backing::Text(other)) => **one == **other,
            _ => false,
        }
    }
}

/// The backing value of a case: of its object, or as declared.
fn case_value(value: &Zval) -> Option<Value> {
    match value.view() {
        // SAFETY: a case of a backed enum has this slot.
        ValueKind::Object(object) => unsafe {
            (object.slot_count > VALUE).then(|| Value::share(&*object.slot(VALUE)))
        },
        ValueKind::Long(_) | ValueKind::String(_) => Some(Value::share(value)),
        _ => None,
    }
}

fn is_same_backing(one: &Zval, other: &Zval) -> bool {
    match (one.view(), other.view()) {
        (ValueKind::Long(one), ValueKind::Long(other)) => one == other,
        (ValueKind::String(one), ValueKind::String(other)) => one.as_bytes() == other.as_bytes(),
        _ => false,
    }
}

fn cases(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = call.function().scope;
    // SAFETY: I4: the class and its constants are live.
    let count = unsafe { (*class).constants.len() };
    let mut list = PhpArray::with_capacity(&mut call.vm.heap, count);
    for position in 0..count {
        // SAFETY: I4: as above; names stay where they are while values are made.
        let Some((name, constant)) = (unsafe { (*class).constants.at(position) }) else {
            break;
        };
        if constant.flags & flags::ENUM_CASE == 0 {
            continue;
        }
        let case = match constant.value.kind() {
            OBJECT => Value::share(&constant.value),
            _ => {
                let case = call.vm.class_constant(class, name, class)?;
                // SAFETY: I4: a constant's value is live.
                unsafe { Value::share(&*case) }
            }
        };
        let _ = list.make_mut(call.vm).push(case);
    }
    Ok(list.into())
}

/// What `from()` and `tryFrom()` take, which say `string|int` of all enums: what backs this one. Where types are
/// weak a number is taken for a text, too, as it is.
pub(crate) fn backing_type(function: &Function, strict: bool) -> Option<Type> {
    // SAFETY: I4: a function's scope is null or live.
    let class = unsafe { function.scope.as_ref()? };
    let mask = match class.backing_type {
        type_mask::STRING if !strict => type_mask::STRING | type_mask::LONG,
        mask => mask,
    };
    (!function.is_user && mask != 0).then_some(Type {
        mask,
        classes: Vec::new(),
    })
}

/// The argument of `from()` and `tryFrom()`.
fn backing_argument(call: &mut Call<'_>) -> PhpResult<Value> {
    let kind = call.argument(0).kind();
    // SAFETY: I4: the class that has the method is live.
    let mask = unsafe { (*call.function().scope).backing_type };
    let is_number = mask & type_mask::LONG != 0;
    if kind == if is_number { LONG } else { STRING } {
        return Ok(call.value(0));
    }
    if let Some(declared) = backing_type(call.function(), call.is_strict()) {
        call.convert(0, &declared)?;
    }
    let value = call.value(0);
    match value.view() {
        ValueKind::Long(number) if !is_number => {
            Ok(call.vm.string(number.to_string().as_bytes()).into())
        }
        _ => Ok(value),
    }
}

fn from(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = call.function().scope;
    let value = backing_argument(call)?;
    match call.vm.case_by_value(class, &value)? {
        Some(case) => Ok(case),
        None => {
            let shown = match value.view() {
                ValueKind::Long(number) => number.to_string(),
                ValueKind::String(string) => format!("\"{}\"", string.to_text()),
                _ => String::new(),
            };
            // SAFETY: I4: the class is live.
            let class = unsafe { (*class).display_name() };
            Err(call.vm.throw_error(
                KnownClass::ValueError,
                format!("{shown} is not a valid backing value for enum {class}"),
            ))
        }
    }
}

fn try_from(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = call.function().scope;
    let value = backing_argument(call)?;
    debug_assert!(value.as_zval().kind() == LONG || value.string().is_some());
    Ok(call.vm.case_by_value(class, &value)?.unwrap_or(Value::NULL))
}

/// Magic methods that an enum may have.
const ALLOWED: [&[u8]; 3] = [b"__call", b"__callstatic", b"__invoke"];
const FORBIDDEN: [&[u8]; 14] = [
    b"__construct",
    b"__destruct",
    b"__clone",
    b"__sleep",
    b"__wakeup",
    b"__set_state",
    b"__get",
    b"__set",
    b"__unset",
    b"__isset",
    b"__tostring",
    b"__debuginfo",
    b"__serialize",
    b"__unserialize",
];

impl Linking {
    /// An enum has no properties and none of the magic methods that are about state.
    pub(crate) fn verify_enum(&self, vm: &mut Vm) {
        // SAFETY: I4: the class is live.
        let class = unsafe { &*self.class };
        debug_assert!(class.flags & class_flags::ENUM != 0);
        let name = class.display_name();
        let own = if class.backing_type != 0 { 2 } else { 1 };
        if class.properties.len() > own {
            self.error(vm, &format!("Enum {name} cannot include properties"));
        }
        for method in FORBIDDEN {
            debug_assert!(!ALLOWED.contains(&method));
            if let Some(&found) = class.methods.get(method) {
                // SAFETY: I4: methods are live.
                let shown = unsafe { crate::class::methods::plain_name(&*found) };
                self.error(
                    vm,
                    &format!("Enum {name} cannot include magic method {shown}"),
                );
            }
        }
        let serializable = vm.known_class(KnownClass::Serializable);
        if class.interfaces.contains(&serializable) {
            self.error(
                vm,
                &format!("Enum {name} cannot implement the Serializable interface"),
            );
        }
    }
}
