//! Class constants, static members, and what is evaluated when a class is first used.

use std::rc::Rc;

use crate::class::inherit::visibility_name;
use crate::class::lookup::is_protected_accessible;
use crate::class::{Class, ClassConstant, NO_SLOT, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::{class_flags, flags};
use crate::generated::Opcode;
use crate::object::Access;
use crate::op::IS_CONST;
use crate::string::PhpString;
use crate::value::{CONSTANT_EXPRESSION, OBJECT, Value, Zval, release};
use crate::vm::{PhpResult, Vm};

/// A static member and what was declared about it.
#[derive(Debug, Clone, Copy)]
pub struct StaticProperty {
    /// Where it is; null if it was only asked for silently and is missing.
    pub slot: *mut Zval,
    /// Its declaration.
    pub info: *const PropertyInfo,
}

fn is_pending(constant: &ClassConstant) -> bool {
    constant.value.kind() == CONSTANT_EXPRESSION
        || constant.flags & flags::ENUM_CASE != 0 && constant.value.kind() != OBJECT
}

impl Vm {
    /// The value of `Class::NAME` as code in `scope` sees it; evaluated now if it was not yet.
    pub fn class_constant(
        &mut self,
        class: *mut Class,
        name: &[u8],
        scope: *const Class,
    ) -> PhpResult<*const Zval> {
        // The outermost fetch does not count: PHP notices a cycle when it comes round again.
        let counts = self.class_state.evaluating > 0;
        self.fetch_class_constant(class, name, scope, counts)
    }

    /// As [`Vm::class_constant`], for `constant()`, which notices at once that it comes round.
    pub fn class_constant_by_name(
        &mut self,
        class: *mut Class,
        name: &[u8],
        scope: *const Class,
    ) -> PhpResult<*const Zval> {
        self.fetch_class_constant(class, name, scope, true)
    }

    fn fetch_class_constant(
        &mut self,
        class: *mut Class,
        name: &[u8],
        scope: *const Class,
        counts: bool,
    ) -> PhpResult<*const Zval> {
        // SAFETY: I4: classes live until the VM ends.
        let found = unsafe { (*class).constants.get(name).cloned() };
        let Some(constant) = found else {
            let class = self.constant_class_text(class);
            let name = crate::message::text(name);
            return Err(self.throw_error(
                KnownClass::Error,
                format!("Undefined constant {class}::{name}"),
            ));
        };
        if !is_constant_accessible(&constant, scope) {
            // SAFETY: I4: as above.
            let (visibility, class) =
                unsafe { (visibility_name(constant.flags), (*class).display_name()) };
            let name = crate::message::text(name);
            return Err(self.throw_error(
                KnownClass::Error,
                format!("Cannot access {visibility} constant {class}::{name}"),
            ));
        }
        // SAFETY: I4: as above.
        if unsafe { (*class).flags & class_flags::TRAIT != 0 } && scope != class {
            // SAFETY: I4: as above.
            let class = unsafe { (*class).display_name() };
            let name = crate::message::text(name);
            return Err(self.throw_error(
                KnownClass::Error,
                format!("Cannot access trait constant {class}::{name} directly"),
            ));
        }
        // SAFETY: I4: as above.
        let backed = unsafe { (*class).backing_type != 0 && (*class).declaration.is_some() };
        if backed && self.class_state.evaluating == 0 && is_pending(&constant) {
            // The cases of a backed enum of a script are made all at once, in order.
            self.initialise_class(class)?;
        }
        if is_pending(&constant) {
            if constant.evaluating {
                let class = self.constant_class_text(class);
                let name = crate::message::text(name);
                return Err(self.throw_error(
                    KnownClass::Error,
                    format!("Cannot declare self-referencing constant {class}::{name}"),
                ));
            }
            let constant_pointer = Rc::as_ptr(&constant).cast_mut();
            // SAFETY: I4: constants are shared between classes and live as long as they do; no
            // borrow of this one is held across the evaluation.
            unsafe { (*constant_pointer).evaluating = counts };
            let outcome = self.evaluate_class_constant(&constant, name);
            // SAFETY: as above.
            unsafe { (*constant_pointer).evaluating = false };
            outcome?;
        }
        Ok(&raw const constant.value)
    }

    /// The class of a constant that is fetched: in a constant expression as it is written there.
    fn constant_class_text(&self, class: *const Class) -> String {
        // SAFETY: I4: classes live until the VM ends, the current frame and its code as long as it
        // runs; operands of a published opline are what their kinds say.
        unsafe {
            let opline = match self.current_frame.as_ref() {
                Some(frame)
                    if frame.function.as_ref().is_some_and(|function| {
                        function.flags & flags::CONSTANT_EXPRESSION != 0
                    }) =>
                {
                    frame.opline
                }
                _ => return (*class).display_name(),
            };
            if (*opline).opcode != Opcode::FETCH_CLASS_CONSTANT as u8 {
                return (*class).display_name();
            }
            let written = match ((*opline).op1_type, (*opline).op1 & 0xf) {
                (IS_CONST, _) => {
                    let literal = crate::interpreter::operand::constant(opline, (*opline).op1);
                    (*literal).as_bytes().unwrap_or_default()
                }
                (_, 1) => b"self",
                (_, 2) => b"parent",
                _ => b"static",
            };
            crate::message::text(written).into_owned()
        }
    }

    /// Evaluates a constant expression in the scope of a class.
    pub(crate) fn evaluate_in(&mut self, expression: &Zval, scope: *mut Class) -> PhpResult<Value> {
        self.class_state.evaluating += 1;
        // SAFETY: I4: the expression lives in a literal pool of a loaded script.
        let outcome = unsafe { self.evaluate_constant(&*expression.expression(), scope) };
        self.class_state.evaluating -= 1;
        outcome
    }

    fn evaluate_class_constant(
        &mut self,
        constant: &Rc<ClassConstant>,
        name: &[u8],
    ) -> PhpResult<()> {
        let place = Rc::as_ptr(constant).cast_mut();
        let value = if constant.flags & flags::ENUM_CASE != 0 {
            self.make_enum_case(constant.class, name, constant.value)?
        } else {
            let mut value = self.evaluate_in(&constant.value, constant.class)?;
            let name = crate::message::text(name);
            crate::types::verify_class_constant(self, constant, &name, value.as_zval_mut())?;
            value
        };
        // SAFETY: I4: the constant is live; evaluation may have come here a second time.
        unsafe {
            let old = (*place).value;
            (*place).value = value.into_zval();
            if old.kind() != CONSTANT_EXPRESSION {
                release(&old);
            }
        }
        Ok(())
    }

    /// Evaluates all constants, default values and static members of a class, its parents first.
    pub fn initialise_class(&mut self, class: *mut Class) -> PhpResult<()> {
        // SAFETY: I4: classes live until the VM ends; borrows of their tables are not held across
        // evaluations, which may run user code.
        unsafe {
            if (*class).flags & class_flags::CONSTANTS_UPDATED != 0 {
                return Ok(());
            }
            if !(*class).parent.is_null() {
                self.initialise_class((*class).parent)?;
            }
            let constants: Vec<(Vec<u8>, Rc<ClassConstant>)> = (*class)
                .constants
                .iter()
                .map(|(name, constant)| (name.to_vec(), constant.clone()))
                .collect();
            for (name, constant) in constants {
                if is_pending(&constant) && !constant.evaluating {
                    let place = Rc::as_ptr(&constant).cast_mut();
                    self.evaluate_class_constant(&constant, &name)?;
                    (*place).evaluating = false;
                }
            }
            let properties: Vec<Rc<PropertyInfo>> = (*class)
                .properties
                .iter()
                .map(|(_, info)| info.clone())
                .collect();
            for info in properties {
                let slot = match info.flags & flags::STATIC {
                    _ if info.slot == NO_SLOT => continue,
                    0 => &raw mut (&mut (*class).default_properties)[info.slot as usize],
                    _ if info.class != class => continue,
                    _ => &raw mut (&mut (*class).static_members)[info.slot as usize],
                };
                self.evaluate_default(slot, &info)?;
            }
            // What children do not see has defaults, too.
            let count = { &(*class).default_properties }.len();
            for index in 0..count {
                let info = (&(*class).slot_properties)[index];
                if !info.is_null() {
                    let slot = &raw mut (&mut (*class).default_properties)[index];
                    self.evaluate_default(slot, &*info)?;
                }
            }
            (*class).flags |= class_flags::CONSTANTS_UPDATED;
            Ok(())
        }
    }

    fn evaluate_default(&mut self, slot: *mut Zval, info: &PropertyInfo) -> PhpResult<()> {
        // SAFETY: I4: the slot belongs to a class, whose tables do not grow any more.
        unsafe {
            if (*slot).kind() != CONSTANT_EXPRESSION {
                return Ok(());
            }
            let expression = *slot;
            let mut value = self.evaluate_in(&expression, info.class)?;
            if info.declared.is_some() {
                crate::types::verify_property(self, info, value.as_zval_mut(), true)?;
            }
            if (*slot).kind() == CONSTANT_EXPRESSION {
                (*slot).set(value.into_zval());
            }
            Ok(())
        }
    }

    /// The static member `Class::$name` as code in `scope` sees it. With [`Access::Isset`] a
    /// missing one gives a null slot instead of an Error.
    pub fn static_property(
        &mut self,
        class: *mut Class,
        name: &PhpString,
        scope: *const Class,
        access: Access,
    ) -> PhpResult<StaticProperty> {
        const MISSING: StaticProperty = StaticProperty {
            slot: std::ptr::null_mut(),
            info: std::ptr::null(),
        };
        // SAFETY: I4: classes live until the VM ends.
        let found = unsafe { (*class).properties.get_string(name).cloned() };
        let class_name = || {
            // SAFETY: I4: as above.
            unsafe { (*class).display_name() }
        };
        if let Some(info) = &found
            && !is_property_accessible(info, scope)
        {
            if access == Access::Isset {
                return Ok(MISSING);
            }
            let message = format!(
                "Cannot access {} property {}::${}",
                visibility_name(info.flags),
                class_name(),
                name.to_text()
            );
            return Err(self.throw_error(KnownClass::Error, message));
        }
        let Some(info) = found.filter(|info| info.flags & flags::STATIC != 0) else {
            if access == Access::Isset {
                return Ok(MISSING);
            }
            let message = format!(
                "Access to undeclared static property {}::${}",
                class_name(),
                name.to_text()
            );
            return Err(self.throw_error(KnownClass::Error, message));
        };
        self.initialise_class(class)?;
        // SAFETY: I4: as above; the slot is one of this class.
        let slot = unsafe { (*class).static_member(info.slot) };
        // SAFETY: I6: an inherited member points into a live class.
        let is_undefined = unsafe { (*slot).is_undef() };
        if matches!(access, Access::Read | Access::ReadWrite)
            && is_undefined
            && info.declared.is_some()
        {
            // SAFETY: I4: as above.
            let declaring = unsafe { (*info.class).display_name() };
            let message = format!(
                "Typed static property {declaring}::${} must not be accessed before initialization",
                name.to_text()
            );
            return Err(self.throw_error(KnownClass::Error, message));
        }
        // SAFETY: I4: as above.
        if unsafe { (*class).flags & class_flags::TRAIT != 0 } {
            self.deprecated(format!(
                "Accessing static trait property {}::${} is deprecated, it should only be accessed on a class using the trait",
                class_name(),
                name.to_text()
            ));
            self.check()?;
        }
        Ok(StaticProperty {
            slot,
            info: Rc::as_ptr(&info),
        })
    }

    /// Releases the values of all classes: static members, constants, defaults. The VM is going
    /// down, after the last user code that is not a destructor.
    pub fn release_class_values(&mut self) {
        // SAFETY: I4: classes live until the VM ends; each value is taken out before it is
        // released, because destructors may look.
        unsafe {
            for index in 0..self.class_state.list.len() {
                let class = self.class_state.list[index];
                let count = { &(*class).static_members }.len();
                for slot in 0..count {
                    let value =
                        std::mem::replace(&mut (&mut (*class).static_members)[slot], Zval::UNDEF);
                    if value.kind() != crate::value::INDIRECT {
                        release(&value);
                    }
                }
            }
            for index in 0..self.class_state.list.len() {
                let class = self.class_state.list[index];
                let count = { &(*class).default_properties }.len();
                for slot in 0..count {
                    release(&std::mem::replace(
                        &mut (&mut (*class).default_properties)[slot],
                        Zval::UNDEF,
                    ));
                }
                let own: Vec<*mut ClassConstant> = (*class)
                    .constants
                    .iter()
                    .filter(|(_, constant)| constant.class == class)
                    .map(|(_, constant)| Rc::as_ptr(constant).cast_mut())
                    .collect();
                for constant in own {
                    release(&std::mem::replace(&mut (*constant).value, Zval::NULL));
                }
            }
        }
    }
}

/// True if code in `scope` may read the constant.
pub fn is_constant_accessible(constant: &ClassConstant, scope: *const Class) -> bool {
    match constant.flags & flags::VISIBILITY {
        flags::PRIVATE => constant.class.cast_const() == scope,
        flags::PROTECTED => is_protected_accessible(constant.class, scope),
        _ => true,
    }
}

/// True if code in `scope` may read the property.
pub fn is_property_accessible(info: &PropertyInfo, scope: *const Class) -> bool {
    match info.flags & flags::VISIBILITY {
        flags::PRIVATE => info.class.cast_const() == scope,
        flags::PROTECTED => {
            info.class.cast_const() == scope
                // SAFETY: I4: a prototype is null or lives as long as its class.
                || is_protected_accessible(unsafe { info.root() }, scope)
        }
        _ => true,
    }
}

impl PropertyInfo {
    /// The class that first declared the property.
    ///
    /// # Safety
    /// The prototype is null or live.
    pub(crate) unsafe fn root(&self) -> *const Class {
        // SAFETY: by the caller.
        unsafe {
            if self.prototype.is_null() {
                self.class
            } else {
                (*self.prototype).class
            }
        }
    }
}
