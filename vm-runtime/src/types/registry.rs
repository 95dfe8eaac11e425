//! Native functions by name, and functions made from definitions.

use std::ptr::{null, null_mut};

use hashbrown::HashMap;

use super::display::text;
use super::signature::{parse_signature, signature_name, split_marker};
use crate::class::Class;
use crate::function::{Function, NativeDefinition, flags};
use crate::op_array::LiteralPool;
use crate::value::Zval;
use crate::vm::Vm;

/// The native functions of a VM. Registering one costs an insertion by name; its [`Function`] is
/// made on the first look-up.
#[derive(Debug, Default)]
pub struct NativeIndex {
    by_name: HashMap<&'static [u8], &'static NativeDefinition, foldhash::fast::FixedState>,
    /// In order of registration, for `get_defined_functions()`.
    lists: Vec<&'static [NativeDefinition]>,
    /// Name of each extension, and how many lists there were when its registration began.
    extensions: Vec<(&'static str, usize)>,
    /// Names and defaults of the signatures that were parsed.
    pool: LiteralPool,
    /// The functions that were made; [`Vm::functions`] and classes only refer to them.
    made: Vec<*mut Function>,
}

impl NativeIndex {
    /// Names of all native functions, in order of registration.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.lists
            .iter()
            .flat_map(|list| list.iter())
            .map(|definition| signature_name(definition.signature))
            .filter(|name| self.by_name.contains_key(name.as_bytes()))
    }

    /// Names of the functions of an extension, whose own name is compared without case. None if
    /// there is no such extension, or if it has no functions.
    pub fn names_of_extension(&self, extension: &[u8]) -> Option<Vec<&'static str>> {
        let known = |&(name, _): &(&str, usize)| name.as_bytes().eq_ignore_ascii_case(extension);
        let position = self.extensions.iter().position(known)?;
        let first = self.extensions[position].1;
        let next = self.extensions.get(position + 1);
        let end = next.map_or(self.lists.len(), |&(_, first)| first);
        let names: Vec<&'static str> = self.lists[first..end]
            .iter()
            .flat_map(|list| list.iter())
            .map(|definition| signature_name(definition.signature))
            .filter(|name| self.by_name.contains_key(name.as_bytes()))
            .collect();
        (!names.is_empty()).then_some(names)
    }

    /// Number of native functions.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// True if none was registered.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Strings that live as long as the VM.
    pub fn pool(&mut self) -> &mut LiteralPool {
        &mut self.pool
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
    /// What is registered from now on belongs to this extension.
    pub fn begin_extension(&mut self, name: &'static str) {
        let lists = self.natives.lists.len();
        self.natives.extensions.push((name, lists));
    }

    /// Registers native functions. Their names are lower-case, as all of PHP's are.
    pub fn register_functions(&mut self, definitions: &'static [NativeDefinition]) {
        self.natives.by_name.reserve(definitions.len());
        for definition in definitions {
            let name = signature_name(definition.signature);
            debug_assert!(
                !name.bytes().any(|byte| byte.is_ascii_uppercase()),
                "{name}"
            );
            self.natives.by_name.insert(name.as_bytes(), definition);
        }
        self.natives.lists.push(definitions);
    }

    /// Takes native functions away: names between commas and spaces, as `disable_functions` has
    /// them.
    pub(crate) fn disable_functions(&mut self, names: &[u8]) {
        for name in names.split(|byte| matches!(byte, b',' | b' ')) {
            if matches!(name, b"exit" | b"die") {
                let name = String::from_utf8_lossy(name);
                self.warning(format!("Cannot disable function {name}()"));
                continue;
            }
            if self.natives.by_name.remove(name).is_some() {
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
        let definition = *self.natives.by_name.get(lowercase)?;
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
        ops: null(),
        slots: 0,
        variables: 0,
        op_array: null(),
        run_time_cache: null_mut(),
        static_variables: null_mut(),
        native: Some(definition.code),
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
    let function = Box::into_raw(function);
    vm.natives.made.push(function);
    function
}

/// The value of a constant that a signature's default names.
fn constant(vm: &Vm, name: &str) -> Option<Zval> {
    let Some((class, member)) = name.split_once("::") else {
        return vm
            .constants
            .get(name.as_bytes())
            .map(|value| *value.as_zval());
    };
    let class = *vm.classes.get(class.to_ascii_lowercase().as_bytes())?;
    // SAFETY: I4: classes live until the VM ends.
    let constant = unsafe { (*class).constants.get(member.as_bytes())? };
    (constant.value.kind() != crate::value::CONSTANT_EXPRESSION).then_some(constant.value)
}

/// The text of the deprecation that calling a native function flagged DEPRECATED gives.
pub fn deprecation_message(function: &Function) -> String {
    let kind = if function.scope.is_null() {
        "Function"
    } else {
        "Method"
    };
    let mut message = format!("{kind} {}() is deprecated", function.display_name());
    if function.is_user || function.native_data == 0 || function.native_data & 1 != 0 {
        return message;
    }
    // SAFETY: native functions made here keep the address of their static definition.
    let definition = unsafe { &*(function.native_data as *const NativeDefinition) };
    let marker = split_marker(definition.signature).0.unwrap_or_default();
    // #[Deprecated("8.2", "visit ...")]
    for (text, prefix) in marker.split('"').skip(1).step_by(2).zip([" since ", ", "]) {
        if !text.is_empty() {
            message.push_str(prefix);
            message.push_str(text);
        }
    }
    message
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
