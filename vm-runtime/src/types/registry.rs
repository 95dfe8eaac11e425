//! Native functions by name, and functions made from definitions.

use std::cell::OnceCell;
use std::ops::Range;
use std::ptr::{null, null_mut};

use hashbrown::HashMap;

use super::display::text;
use super::signature::{parse_signature, signature_name, split_marker};
use crate::class::Class;
use crate::function::{
    Function, NativeDefinition, PACKED_BITS, PACKED_MASK, PACKED_PARAMETERS, flags,
};
use crate::ini::IniDefinition;
use crate::op_array::LiteralPool;
use crate::value::{Value, Zval};
use crate::vm::Vm;
use crate::vm::constants::Constant;

/// The native functions of a VM: lists that are static data. The table by name is made on the first
/// look-up, and a [`Function`] on the first of its own.
#[derive(Debug, Default)]
pub struct NativeIndex {
    /// Made of the lists on the first look-up.
    by_name: OnceCell<ByName>,
    /// In order of registration, for `get_defined_functions()`, with the number of their extension.
    lists: Vec<(usize, &'static [NativeDefinition])>,
    /// Those whose names have upper case, by their names in lower case.
    renamed: Vec<(&'static str, &'static NativeDefinition)>,
    /// In order of registration; see [`NativeIndex::extension`].
    extensions: Vec<Extension>,
    /// The extension that functions and constants are registered for.
    current: usize,
    /// Names and defaults of the signatures that were parsed.
    pool: LiteralPool,
    /// Those whose outcome depends on nothing but their arguments, in order.
    pure: &'static [&'static str],
    /// The functions that were made; [`Vm::functions`] and classes only refer to them.
    made: Vec<*mut Function>,
}

type ByName = HashMap<&'static [u8], &'static NativeDefinition, foldhash::fast::FixedState>;

/// An extension: what was registered between its beginning and that of the next.
#[derive(Debug, Clone)]
pub struct Extension {
    /// Its name.
    pub name: &'static str,
    /// Only a part of it is there, so it does not count as loaded.
    is_part: bool,
    /// Classes before it; behind it, once the next began.
    classes: Range<usize>,
    settings: Range<usize>,
}

impl NativeIndex {
    /// Names of the extensions.
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> {
        let whole = self
            .extensions
            .iter()
            .filter(|extension| !extension.is_part);
        whole.map(|extension| extension.name)
    }

    /// An extension, whose name is compared without case.
    pub fn extension(&self, name: &[u8]) -> Option<&Extension> {
        self.number_of(name).map(|number| &self.extensions[number])
    }

    /// The extension that a definition of a function belongs to.
    pub fn extension_of_function(
        &self,
        definition: *const NativeDefinition,
    ) -> Option<&'static str> {
        let mut lists = self.lists.iter();
        let (owner, _) =
            lists.find(|(_, definitions)| definitions.as_ptr_range().contains(&definition))?;
        self.extensions.get(*owner).map(|found| found.name)
    }

    /// The number of an extension, whose name is compared without case.
    fn number_of(&self, name: &[u8]) -> Option<usize> {
        let known = |extension: &Extension| {
            !extension.is_part && extension.name.as_bytes().eq_ignore_ascii_case(name)
        };
        self.extensions.iter().position(known)
    }

    /// Names of all native functions, in order of registration.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.lists
            .iter()
            .flat_map(|(_, list)| list.iter())
            .map(|definition| signature_name(definition.signature))
            .filter(|name| self.by_name().contains_key(&*key(name)))
    }

    /// Names of the functions of an extension, whose own name is compared without case. None if
    /// there is no such extension, or if it has no functions.
    pub fn names_of_extension(&self, extension: &[u8]) -> Option<Vec<&'static str>> {
        let wanted = self.number_of(extension)?;
        let names: Vec<&'static str> = self
            .lists
            .iter()
            .filter(|(owner, _)| *owner == wanted)
            .flat_map(|(_, list)| list.iter())
            .map(|definition| signature_name(definition.signature))
            .filter(|name| self.by_name().contains_key(&*key(name)))
            .collect();
        (!names.is_empty()).then_some(names)
    }

    #[inline]
    fn by_name(&self) -> &ByName {
        self.by_name.get_or_init(|| self.table())
    }

    fn by_name_mut(&mut self) -> &mut ByName {
        self.by_name();
        self.by_name.get_mut().expect("it was made above")
    }

    #[cold]
    fn table(&self) -> ByName {
        let count = self.lists.iter().map(|(_, list)| list.len()).sum();
        let mut table = ByName::with_capacity_and_hasher(count, Default::default());
        let all = self.lists.iter().flat_map(|(_, list)| list.iter());
        table.extend(all.map(by_its_name));
        for &(lowercase, definition) in &self.renamed {
            table.remove(signature_name(definition.signature).as_bytes());
            table.insert(lowercase.as_bytes(), definition);
        }
        table
    }

    /// Number of native functions.
    pub fn len(&self) -> usize {
        self.by_name().len()
    }

    /// True if none was registered.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Strings that live as long as the VM.
    pub fn pool(&mut self) -> &mut LiteralPool {
        &mut self.pool
    }
}

fn by_its_name(
    definition: &'static NativeDefinition,
) -> (&'static [u8], &'static NativeDefinition) {
    (signature_name(definition.signature).as_bytes(), definition)
}

/// The name that a function is looked up by.
fn key(name: &str) -> std::borrow::Cow<'_, [u8]> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into_bytes().into()
    } else {
        name.as_bytes().into()
    }
}

impl Drop for NativeIndex {
    fn drop(&mut self) {
        for &function in &self.made {
            // SAFETY: made by `native_function` with `Box::into_raw`, and owned here alone.
            drop(unsafe { Box::from_raw(function) });
        }
    }
}

impl Vm {
    /// Names functions whose outcome depends on nothing but their arguments: lower-cased and in order.
    pub fn declare_pure(&mut self, names: &'static [&'static str]) {
        debug_assert!(names.is_sorted());
        self.natives.pure = names;
    }

    /// Whether the outcome of a native function depends on nothing but its arguments.
    pub fn is_pure(&self, function: &Function) -> bool {
        let Some(definition) = definition_of(function).filter(|_| function.scope.is_null()) else {
            return false;
        };
        let name = signature_name(definition.signature);
        self.natives.pure.binary_search(&name).is_ok()
    }

    /// What is registered from now on belongs to this extension.
    pub fn begin_extension(&mut self, name: &'static str) {
        self.begin(name, false);
    }

    /// As [`Vm::begin_extension`], for one of which only a part is there: its functions and classes
    /// name it, but it does not count as loaded.
    pub fn begin_part_of_extension(&mut self, name: &'static str) {
        self.begin(name, true);
    }

    fn begin(&mut self, name: &'static str, is_part: bool) {
        self.end_extension();
        let start = |at: usize| at..at;
        let extension = Extension {
            name,
            is_part,
            classes: start(self.class_state.native_order.len()),
            settings: start(self.ini.table_count()),
        };
        self.natives.current = self.natives.extensions.len();
        self.natives.extensions.push(extension);
    }

    /// Registers functions and constants for another extension than the one that began last.
    pub fn register_for(&mut self, extension: &str, register: impl FnOnce(&mut Vm)) {
        let current = self.natives.current;
        if let Some(number) = self.natives.number_of(extension.as_bytes()) {
            self.natives.current = number;
        }
        register(self);
        self.natives.current = current;
    }

    /// What is registered from now on belongs to no extension.
    pub fn end_extension(&mut self) {
        if let Some(last) = self.natives.extensions.last_mut() {
            last.classes.end = self.class_state.native_order.len();
            last.settings.end = self.ini.table_count();
        }
    }

    /// Lower-cased names of the classes of an extension, in the order of their registration.
    pub fn classes_of_extension(&self, extension: &Extension) -> Vec<Vec<u8>> {
        self.class_state.native_order[extension.classes.clone()]
            .iter()
            .map(|native| native.name().to_ascii_lowercase().into_bytes())
            .collect()
    }

    /// The extension of a native class.
    pub fn extension_of_class(&self, class: &Class) -> Option<&'static str> {
        // SAFETY: I4: a class's name lives as long as it.
        let name = unsafe { (*class.lowercase).as_bytes() };
        let native = *self.class_state.natives.get(name)?;
        let order = &self.class_state.native_order;
        let position = order
            .iter()
            .position(|known| std::ptr::eq(*known, native))?;
        let known = |extension: &&Extension| extension.classes.contains(&position);
        let found = self.natives.extensions.iter().find(known);
        found.map(|found| found.name)
    }

    /// The settings of an extension; the engine's own, which are the first, with `Core`.
    pub fn settings_of_extension(&self, extension: &Extension) -> Vec<&'static IniDefinition> {
        let tables = match extension.name {
            "Core" => 0..1,
            _ => extension.settings.clone(),
        };
        self.ini.definitions_of(tables).collect()
    }

    /// Names of the constants of an extension.
    pub fn constants_of_extension(&self, extension: &Extension) -> Vec<&'static str> {
        let number = self.natives.number_of(extension.name.as_bytes());
        number.map_or_else(Vec::new, |number| self.constants.names_of(number).collect())
    }

    /// Names of constants by their extensions, of which a part may be there, in the order of registration.
    pub fn constants_by_extension(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let extensions = self.natives.extensions.iter().enumerate();
        extensions
            .map(|(number, extension)| (extension.name, self.constants.names_of(number).collect()))
            .collect()
    }

    /// Registers constants of the extension that is being registered.
    pub fn register_constants<T: Constant>(&mut self, list: &'static [(&'static str, T)]) {
        self.constants.register(self.natives.current, list);
    }

    /// Registers a constant of the extension that is being registered.
    pub fn register_constant(&mut self, name: &'static str, value: Value) {
        self.constants
            .register_one(self.natives.current, name, value);
    }

    /// Registers native functions. Their names are lower-case, as all of PHP's are.
    pub fn register_functions(&mut self, definitions: &'static [NativeDefinition]) {
        if let Some(known) = self.natives.by_name.get_mut() {
            known.extend(definitions.iter().map(by_its_name));
        }
        self.natives.lists.push((self.natives.current, definitions));
    }

    /// Registers a native function whose name has upper case, by its name in lower case.
    pub fn register_function_as(
        &mut self,
        lowercase: &'static str,
        definitions: &'static [NativeDefinition; 1],
    ) {
        if let Some(known) = self.natives.by_name.get_mut() {
            known.insert(lowercase.as_bytes(), &definitions[0]);
        }
        self.natives.renamed.push((lowercase, &definitions[0]));
        self.natives.lists.push((self.natives.current, definitions));
    }

    /// Takes native functions away: names between commas and spaces, as `disable_functions` has
    /// them.
    pub(crate) fn disable_functions(&mut self, names: &[u8]) {
        for name in names.split(|byte| matches!(byte, b',' | b' ')) {
            if matches!(name, b"exit" | b"die") {
                let name = crate::message::text(name);
                self.warning(format!("Cannot disable function {name}()"));
                continue;
            }
            if self.natives.by_name_mut().remove(name).is_some() {
                self.functions.remove(name);
            }
        }
    }

    /// The function with this lower-cased name. A native one is made now if this is the first time
    /// that anyone asks for it.
    #[inline]
    pub fn find_function(&mut self, lowercase: &[u8]) -> Option<*mut Function> {
        match self.functions.get(lowercase) {
            Some(&function) => Some(function),
            None => self.materialise_function(lowercase),
        }
    }

    #[cold]
    fn materialise_function(&mut self, lowercase: &[u8]) -> Option<*mut Function> {
        let definition = *self.natives.by_name().get(lowercase)?;
        let function = native_function(self, definition, null_mut());
        self.functions.insert(lowercase.into(), function);
        Some(function)
    }
}

/// Makes a function of a definition: a free one, or a method of `scope`. It lives as long as the
/// VM, which frees it; `native_data` is the address of the definition.
pub fn native_function(
    vm: &mut Vm,
    definition: &'static NativeDefinition,
    scope: *mut Class,
) -> *mut Function {
    let mut pool = std::mem::take(&mut vm.natives.pool);
    let signature = parse_signature(&mut pool, definition, &mut |name| constant(vm, name));
    let name = pool.string(signature.name.as_bytes());
    vm.natives.pool = pool;
    assert!(signature.parameter_count as usize <= crate::frame::DEFAULT_SLOTS);
    let mut function = Box::new(Function {
        is_user: false,
        quick_arguments: 0,
        flags: signature.flags,
        parameter_count: signature.parameter_count,
        required_count: signature.required_count,
        owners: Default::default(),
        ops: null(),
        slots: 0,
        variables: 0,
        op_array: null(),
        run_time_cache: null_mut(),
        static_variables: null_mut(),
        native: Some(definition.code),
        direct: definition.direct,
        accepted: 0,
        name,
        scope,
        prototype: null(),
        parameters: signature.parameters,
        return_type: signature.return_type,
        code: None,
        hooked_property: null_mut(),
        closure: std::ptr::null_mut(),
        native_data: (&raw const *definition) as usize,
    });
    function.index_parameters();
    if unchecked(&function).is_some() {
        accept_unchecked(&mut function);
    }
    let function = Box::into_raw(function);
    vm.natives.made.push(function);
    function
}

/// Lets pass whatever stands for parameters that the function looks at itself.
fn accept_unchecked(function: &mut Function) {
    for number in 0..PACKED_PARAMETERS {
        if is_unchecked(function, number) {
            // Anything but a hole.
            function.accepted |= (PACKED_MASK & !1) << (number * PACKED_BITS);
        }
    }
}

/// The value of a constant that a signature's default names.
fn constant(vm: &mut Vm, name: &str) -> Option<Zval> {
    let Some((class, member)) = name.split_once("::") else {
        // Shares of values that the VM has as long as it is.
        let early = vm.constants.early(name.as_bytes());
        return match name {
            // Classes of the runtime's own ask before extensions have constants.
            "E_ERROR" => Some(Zval::from_long(crate::diagnostics::level::ERROR.into())),
            _ => early.map(|value| *value.as_zval()),
        };
    };
    if member == "class" {
        return Some(vm.names.string_value(class.as_bytes()));
    }
    let lowercase = class.to_ascii_lowercase();
    let Some(&class) = vm.classes.get(lowercase.as_bytes()) else {
        return vm.native_constant_value(lowercase.as_bytes(), member);
    };
    // SAFETY: I4: classes live until the VM ends.
    let constant = unsafe { (*class).constants.get(member.as_bytes())? };
    // The objects of an enum's cases are made when they are asked for.
    let is_value = constant.flags & flags::ENUM_CASE == 0
        && constant.value.kind() != crate::value::CONSTANT_EXPRESSION;
    is_value.then_some(constant.value)
}

/// For how many arguments a native function can be called without a frame: a bit for each number.
pub fn frameless_arities(function: &Function) -> u8 {
    let Some(definition) = definition_of(function) else {
        return 0;
    };
    let marker = split_marker(definition.signature).0.unwrap_or_default();
    match marker.strip_prefix("Frameless") {
        Some(arities) => arities
            .bytes()
            .filter(u8::is_ascii_digit)
            .fold(0, |bits, digit| bits | 1 << (digit - b'0')),
        None => 0,
    }
}

/// How an error says which types an argument that may be an object can have, where that is not as
/// the signature says it.
pub(super) fn expected_types(function: &Function) -> Option<&'static str> {
    let marker = split_marker(definition_of(function)?.signature).0?;
    marker.strip_prefix("Expects(")?.strip_suffix(')')
}

/// True if nothing is converted to a string for a parameter of several types, or for variadic ones.
pub(super) fn is_unconverted(function: &Function) -> bool {
    has_mark(function, "Unconverted")
}

/// True if a function takes more arguments than it has parameters, and does not look at them.
pub(super) fn is_uncounted(function: &Function) -> bool {
    has_mark(function, "Uncounted")
}

fn has_mark(function: &Function, wanted: &str) -> bool {
    let marker =
        definition_of(function).and_then(|definition| split_marker(definition.signature).0);
    marker.is_some_and(|marker| marker.split("; ").any(|part| part == wanted))
}

/// True if a function looks at an argument itself, after or before others.
pub(super) fn is_unchecked(function: &Function, number: u32) -> bool {
    let Some(text) = unchecked(function) else {
        return false;
    };
    let mut arguments = text.split(", at least ").flat_map(|text| text.split(", "));
    arguments.any(|text| match text {
        "variadic" => number >= function.parameter_count,
        _ => text.parse() == Ok(number + 1),
    })
}

/// How many arguments a function asks for, if that is not the number of parameters that it shows to need.
pub(super) fn least_arguments(function: &Function) -> Option<u32> {
    let (_, least) = unchecked(function)?.split_once(", at least ")?;
    least.parse().ok()
}

fn unchecked(function: &Function) -> Option<&'static str> {
    let marker = split_marker(definition_of(function)?.signature).0?;
    let mut parts = marker.split("; ");
    parts.find_map(|part| part.strip_prefix("Unchecked(")?.strip_suffix(')'))
}

/// True if a parameter takes a string without zero bytes.
pub(super) fn takes_path(function: &Function, number: u32) -> bool {
    takes("path", function, number)
}

/// True if a parameter takes the name of a class, to which everything is converted.
pub(super) fn takes_class_name(function: &Function, number: u32) -> bool {
    takes("class_name", function, number)
}

fn takes(kind: &str, function: &Function, number: u32) -> bool {
    definition_of(function)
        .is_some_and(|definition| super::signature::takes(kind, definition.signature, number))
}

/// The definition that a native function was made from, if it was.
fn definition_of(function: &Function) -> Option<&'static NativeDefinition> {
    if function.is_user || function.native_data == 0 || function.native_data & 1 != 0 {
        return None;
    }
    // SAFETY: native functions made here keep the address of their static definition.
    Some(unsafe { &*(function.native_data as *const NativeDefinition) })
}

/// The text of the deprecation that calling a native function flagged DEPRECATED gives.
pub fn deprecation_message(function: &Function) -> String {
    let kind = if function.scope.is_null() {
        "Function"
    } else {
        "Method"
    };
    let mut message = format!("{kind} {}() is deprecated", function.display_name());
    let Some(definition) = definition_of(function) else {
        return message;
    };
    let marker = split_marker(definition.signature).0.unwrap_or_default();
    message.push_str(&deprecation_suffix(marker));
    message
}

/// What a marker such as `#[Deprecated("8.2", "visit ...")]` adds to a message.
pub(crate) fn deprecation_suffix(marker: &str) -> String {
    let texts = marker.split('"').skip(1).step_by(2);
    let told = texts
        .zip([" since ", ", "])
        .filter(|(text, _)| !text.is_empty());
    told.map(|(text, prefix)| format!("{prefix}{text}"))
        .collect()
}

impl Function {
    /// The name of parameter `number` (0-based) for messages, without `$`; none for a variadic one.
    pub fn parameter_name(&self, number: u32) -> Option<String> {
        let parameter = self.parameters.get(number as usize)?;
        (!parameter.variadic).then(|| text(parameter.name).into_owned())
    }

    /// True if calling it gives a deprecation.
    #[inline]
    pub fn is_deprecated(&self) -> bool {
        self.flags & flags::DEPRECATED != 0
    }
}
