//! Constants: FETCH_CONSTANT, DECLARE_CONST, DEFINED, and constant expressions.

use std::mem::ManuallyDrop;

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::Function;
use crate::interpreter::operand::*;
use crate::op::Op;
use crate::op_array::OpArray;
use crate::string::PhpString;
use crate::value::{STRING, Value, Zval};
use crate::vm::{PhpResult, Vm};

pub(super) const UNQUALIFIED_IN_NAMESPACE: u32 = 0x100;

/// FETCH_CONSTANT in full. Literals: name; then look-up keys, the namespaced one first.
pub unsafe fn fetch_constant(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let name = constant(opline, op.op2);
    let mut key = name.add(1);
    let mut found = find_constant(&mut *vm, &*(*key).string());
    if found.is_none() && op.op1 & UNQUALIFIED_IN_NAMESPACE != 0 {
        key = name.add(2);
        found = find_constant(&mut *vm, &*(*key).string());
    }
    match found {
        Some(value) => {
            let value = Zval { extra: 0, ..*value };
            if (*vm).is_deprecated_constant((*(*key).string()).as_bytes()) {
                *result(frame, opline) = value.share();
                (*vm).note_constant((*(*key).string()).as_bytes());
                return next(frame);
            }
            // The constant table owns the share. The literal lives as long as the VM, as does the copy.
            let known = (*vm).cached_constants.entry((*key).string().cast_const());
            let stored = *known.or_insert_with(|| Box::into_raw(Box::new(value)));
            *cache(frame, op.extended_value) = stored;
            *result(frame, opline) = (*stored).share();
        }
        None => {
            (*result(frame, opline)).set_undef();
            let shown = (*(*name).string()).to_text().into_owned();
            (*vm).throw_error(KnownClass::Error, format!("Undefined constant \"{shown}\""));
        }
    }
    next(frame)
}

/// A global constant. Names are looked up exactly; `true`, `false` and `null` in any case.
pub fn find_constant<'a>(vm: &'a mut Vm, name: &PhpString) -> Option<&'a Zval> {
    vm.find_constant_bytes(name.as_bytes())
}

impl Vm {
    /// True if the constant of this exact name is deprecated.
    pub fn is_deprecated_constant(&self, name: &[u8]) -> bool {
        // Their ends differ more than how they begin.
        let mut known = self.deprecated_constants.iter();
        known.any(|known| {
            let known = known.as_bytes();
            known.len() == name.len() && known.last() == name.last() && known == name
        })
    }

    /// Reports the use of a constant of this exact name, if it is deprecated.
    pub fn note_constant(&mut self, name: &[u8]) {
        if self.is_deprecated_constant(name) {
            let name = crate::message::text(name);
            self.deprecated(format!("Constant {name} is deprecated"));
        }
    }

    /// A global constant by name; the namespace part may be in any case.
    pub fn find_constant_bytes(&mut self, name: &[u8]) -> Option<&Zval> {
        let name = name.strip_prefix(b"\\").unwrap_or(name);
        let Some(end) = memchr::memrchr(b'\\', name) else {
            if !self.constants.contains_key(name) {
                return self.special_constant(name);
            }
            return self.constants.get(name).map(Value::as_zval);
        };
        let mut key = name.to_vec();
        key[..end].make_ascii_lowercase();
        // Constants of PHP's own namespaces stand there as they are spelt.
        let is_known = self.constants.contains_key(key.as_slice());
        let key = if is_known { key.as_slice() } else { name };
        self.constants.get(key).map(Value::as_zval)
    }

    /// `true`, `false` and `null` in any case.
    fn special_constant(&mut self, name: &[u8]) -> Option<&Zval> {
        let (spelt, value) = [
            (&b"true"[..], Value::from(true)),
            (b"false", Value::from(false)),
            (b"null", Value::NULL),
        ]
        .into_iter()
        .find(|(spelt, _)| name.eq_ignore_ascii_case(spelt))?;
        if !self.constants.contains_key(spelt) {
            self.constants.insert(spelt.into(), value);
        }
        self.constants.get(spelt).map(Value::as_zval)
    }

    /// Defines a global constant; false if the name is taken.
    pub fn define_constant(&mut self, name: &[u8], value: Value) -> bool {
        let mut key = name.to_vec();
        if let Some(end) = memchr::memrchr(b'\\', name) {
            key[..end].make_ascii_lowercase();
        }
        let lower = key.to_ascii_lowercase();
        if self.constants.contains_key(key.as_slice())
            || matches!(
                lower.as_slice(),
                b"true" | b"false" | b"null" | b"__compiler_halt_offset__"
            )
        {
            return false;
        }
        self.constants.insert(key.into(), value);
        true
    }

    /// Gives a global constant another value: `SID` is one of few that PHP changes. Compiled code is made of what
    /// runtime caches hold, so a constant that changes while scripts run must be deprecated, which keeps it out of them.
    pub fn redefine_constant(&mut self, name: &[u8], value: Value) {
        for (&known, &mut cached) in &mut self.cached_constants {
            // SAFETY: I3: keys are literals that live as long as the VM, and so do the copies.
            unsafe {
                if (*known).as_bytes() == name {
                    *cached = Zval {
                        extra: 0,
                        ..*value.as_zval()
                    };
                }
            }
        }
        let before = self.constants.remove(name);
        self.constants.insert(name.to_vec().into(), value);
        if let Some(before) = before {
            // Compiled code may have taken the old value for one that stays.
            self.retired_constants.push(before);
        }
    }

    /// The value of a constant expression that was compiled to an op array of its own.
    pub fn evaluate_constant(
        &mut self,
        expression: &OpArray,
        scope: *mut Class,
    ) -> PhpResult<Value> {
        // SAFETY: I4: the expression lives in a literal pool of a loaded script.
        unsafe {
            // Not dropped while a fatal error unwinds: its frame is in the chain that is looked at then.
            let function = Box::new(Function::for_expression(expression, scope));
            let mut function = ManuallyDrop::new(function);
            function.flags |= crate::function::flags::CONSTANT_EXPRESSION;
            function.make_run_time_cache();
            let this = super::calls::class_value(scope);
            let outer = self.evaluates_expression;
            self.evaluates_expression |= !scope.is_null();
            let result = super::callback::run_function(self, &**function, this, 0, Vec::new());
            self.evaluates_expression = outer;
            function.free_run_time_cache();
            drop(ManuallyDrop::into_inner(function));
            result
        }
    }
}

/// DECLARE_CONST: `const NAME = value;`
pub unsafe fn declare_const(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let name = (*constant(opline, (*opline).op1)).string();
    let literal = constant(opline, (*opline).op2);
    let value = if (*literal).kind() == crate::value::CONSTANT_EXPRESSION {
        match (*vm).evaluate_constant(&*(*literal).expression(), (*(*frame).function).scope) {
            Ok(value) => value,
            Err(_) => return next(frame),
        }
    } else {
        Value::share(&*literal)
    };
    if !(*vm).define_constant((*name).as_bytes(), value) {
        (*vm).warning(format!("Constant {} already defined", (*name).to_text()));
    }
    next(frame)
}

/// DEFINED in full. Its word of the runtime cache is 1 once the constant was found, which then is never taken away;
/// else the number of all constants there were when it was not, less than 0, for only a further one can be it.
pub unsafe fn defined(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let known: *mut i64 = cache::<()>(frame, (*opline).extended_value).cast();
    let vm = &mut *vm;
    if *known < 0 && *known == !(vm.constants.count() as i64) {
        return super::variables::finish_boolean(frame, opline, false);
    }
    let name = constant(opline, (*opline).op1);
    let found = (*name).kind() == STRING && find_constant(vm, &*(*name).string()).is_some();
    *known = if found {
        1
    } else {
        !(vm.constants.count() as i64)
    };
    super::variables::finish_boolean(frame, opline, found)
}
