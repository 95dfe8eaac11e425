//! Classes: FETCH_CLASS*, class constants, INSTANCEOF, CLONE, declarations.

use std::sync::Arc;

use crate::class::Class;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::operand::*;
use crate::interpreter::variables::finish_boolean;
use crate::op::{IS_CONST, IS_UNUSED, Op};
use crate::op_array::OpArray;
use crate::value::{OBJECT, ObjectHandle, STRING, UNDEF, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// What of an operand's number says which class it means.
pub const FETCH_MASK: u32 = 15;
/// The class that an operand means: `self`.
pub const FETCH_SELF: u32 = 1;
/// The class that an operand means: `parent`.
pub const FETCH_PARENT: u32 = 2;
/// The class that an operand means: `static`.
pub const FETCH_STATIC: u32 = 3;
const NO_AUTOLOAD: u32 = 1 << 7;
const SILENT: u32 = 1 << 8;

/// `self`, `parent` or `static` in the running code.
unsafe fn special_class(vm: *mut Vm, frame: *mut Frame, fetch: u32) -> Option<*mut Class> {
    let scope = (*(*frame).function).scope;
    match fetch & FETCH_MASK {
        FETCH_SELF => {
            if scope.is_null() {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot access \"self\" when no class scope is active",
                );
                return None;
            }
            Some(scope)
        }
        FETCH_PARENT => {
            if scope.is_null() {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot access \"parent\" when no class scope is active",
                );
                return None;
            }
            if (*scope).parent.is_null() {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot access \"parent\" when current class scope has no parent",
                );
                return None;
            }
            Some((*scope).parent)
        }
        FETCH_STATIC => {
            let called = (*frame).called_class();
            if called.is_null() {
                (*vm).throw_error(
                    KnownClass::Error,
                    "Cannot access \"static\" when no class scope is active",
                );
                return None;
            }
            Some(called)
        }
        _ => None,
    }
}

/// The class of a literal name, with the error if there is none.
unsafe fn named_class(vm: *mut Vm, name: *const Zval, fetch: u32) -> Option<*mut Class> {
    let bytes = (*(*name).string()).as_bytes();
    match (*vm).class_named(&*(*name).string(), fetch & NO_AUTOLOAD == 0) {
        Ok(Some(class)) => Some(class),
        Ok(None) => {
            if fetch & SILENT == 0 && (*vm).exception.is_null() {
                let shown =
                    crate::message::text(bytes.strip_prefix(b"\\").unwrap_or(bytes)).into_owned();
                (*vm).throw_error(KnownClass::Error, format!("Class \"{shown}\" not found"));
            }
            None
        }
        Err(Thrown) => None,
    }
}

/// The class operand of an opline: a literal name (cached at `cache_offset`), a VAR from
/// FETCH_CLASS, or `self`/`parent`/`static`.
pub unsafe fn class_operand(
    vm: *mut Vm,
    frame: *mut Frame,
    opline: *const Op,
    kind: u8,
    operand: u32,
    cache_offset: u32,
) -> Option<*mut Class> {
    match kind {
        IS_CONST => {
            let cached = cache::<Class>(frame, cache_offset);
            if !(*cached).is_null() {
                return Some(*cached);
            }
            let class = named_class(vm, constant(opline, operand), 0)?;
            *cached = class;
            Some(class)
        }
        IS_UNUSED => special_class(vm, frame, operand),
        _ => fetched_class(slot(frame, operand)),
    }
}

/// The class that FETCH_CLASS left in a slot. For `instanceof` it finds none without an error, and leaves the slot
/// undefined, where the address of an earlier class may still stand.
unsafe fn fetched_class(slot: *mut Zval) -> Option<*mut Class> {
    ((*slot).kind() != UNDEF).then(|| (*slot).pointer().cast())
}

/// As [`class_operand`], without a cache; `silent` gives no error for a missing class.
pub unsafe fn class_of_operand(
    vm: *mut Vm,
    frame: *mut Frame,
    opline: *const Op,
    kind: u8,
    operand: u32,
) -> Option<*mut Class> {
    match kind {
        IS_CONST => named_class(vm, constant(opline, operand), 0),
        IS_UNUSED => special_class(vm, frame, operand),
        _ => fetched_class(slot(frame, operand)),
    }
}

/// FETCH_CLASS.
pub unsafe fn fetch_class(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let class = match op.op2_type {
        IS_UNUSED => special_class(vm, frame, op.op1),
        IS_CONST => {
            let cached = cache::<Class>(frame, op.extended_value);
            if (*cached).is_null() {
                let class = named_class(vm, constant(opline, op.op2), op.op1);
                if let Some(class) = class {
                    *cached = class;
                }
                class
            } else {
                Some(*cached)
            }
        }
        _ => {
            let value = read_op2(frame, opline, vm);
            let class = match (*value).kind() {
                OBJECT => Some((*(*value).object()).class),
                STRING => {
                    let held = Value::share(&*value);
                    named_class(vm, held.as_zval(), op.op1)
                }
                _ => {
                    if (*vm).exception.is_null() {
                        (*vm).throw_error(
                            KnownClass::Error,
                            "Class name must be a valid object or a string",
                        );
                    }
                    None
                }
            };
            free_op2(frame, opline);
            class
        }
    };
    if let Some(class) = class {
        *target = Zval::from_pointer(class.cast());
    }
    next(frame)
}

/// FETCH_CLASS_NAME: `X::class`.
pub unsafe fn fetch_class_name(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    if op.op1_type == IS_UNUSED {
        let class = class_name_fetch(vm, frame, op.op1);
        if let Some(class) = class {
            *target = Zval::from_string((*class).name).share();
        }
        return next(frame);
    }
    let value = read_op1(frame, opline, vm);
    if (*value).kind() == OBJECT {
        *target = Zval::from_string((*(*(*value).object()).class).name).share();
    } else {
        // Whatever was thrown of an undefined variable.
        let kind = crate::operators::value_name(&*value);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("Cannot use \"::class\" on {kind}"),
        );
    }
    free_op1(frame, opline);
    next(frame)
}

unsafe fn class_name_fetch(vm: *mut Vm, frame: *mut Frame, fetch: u32) -> Option<*mut Class> {
    let scope = (*(*frame).function).scope;
    if scope.is_null() {
        let word = match fetch & FETCH_MASK {
            FETCH_SELF => "self",
            FETCH_PARENT => "parent",
            _ => "static",
        };
        let reason = match (*(*frame).function).is_expression() {
            true => "when no class scope is active",
            false => "in the global scope",
        };
        (*vm).throw_error(KnownClass::Error, format!("Cannot use \"{word}\" {reason}"));
        return None;
    }
    if fetch & FETCH_MASK == FETCH_PARENT && (*scope).parent.is_null() {
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot use \"parent\" when current class scope has no parent",
        );
        return None;
    }
    special_class(vm, frame, fetch)
}

/// FETCH_CLASS_CONSTANT in full.
pub unsafe fn fetch_class_constant(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let class = class_operand(vm, frame, opline, op.op1_type, op.op1, op.extended_value);
    let Some(class) = class else {
        free_op2(frame, opline);
        return next(frame);
    };
    let name = read_op2(frame, opline, vm);
    if (*name).kind() != STRING {
        let kind = crate::operators::value_name(&*name);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("Cannot use value of type {kind} as class constant name"),
        );
        free_op2(frame, opline);
        return next(frame);
    }
    if op.op2_type != IS_CONST
        && (*(*name).string())
            .as_bytes()
            .eq_ignore_ascii_case(b"class")
    {
        *target = Zval::from_string((*class).name).share();
        free_op2(frame, opline);
        return next(frame);
    }
    let scope = (*(*frame).function).scope;
    let held = Value::share(&*name);
    if let Ok(value) = (*vm).class_constant(class, (*(*name).string()).as_bytes(), scope) {
        *target = (*value).share();
        if is_deprecated_constant(vm, class, &held, target) {
            drop(held);
            free_op2(frame, opline);
            return next(frame);
        }
        // What `static` or a class operand means is compared with the cached one. While constants are being
        // evaluated, this one may be so a second time, and have another value then.
        let is_settled = (*vm).class_state.evaluating == 0;
        if op.op2_type == IS_CONST && is_settled {
            let cached = cache::<Class>(frame, op.extended_value);
            *cached = class;
            *cached.add(1).cast::<*const Zval>() = value;
        }
    }
    drop(held);
    free_op2(frame, opline);
    next(frame)
}

/// Reports the use of a deprecated constant, which is not to be cached, so that every use is
/// reported.
unsafe fn is_deprecated_constant(
    vm: *mut Vm,
    class: *mut Class,
    name: &Value,
    target: *mut Zval,
) -> bool {
    let name = name.as_bytes().unwrap_or_default();
    let Some(constant) = (*class).constants.get(name).cloned() else {
        return false;
    };
    if constant.flags & crate::function::flags::DEPRECATED == 0 {
        return false;
    }
    if (*vm).report_deprecated_constant(&constant, name).is_err() {
        let value = *target;
        (*target).set_undef();
        release(&value);
    }
    true
}

/// The bit of a cache word that is no class: it tells how many there were when there was none of the name.
pub const ABSENT: usize = 1;

/// INSTANCEOF.
pub unsafe fn instanceof(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let value = read_op1(frame, opline, vm);
    let mut found = false;
    if (*value).kind() == OBJECT {
        let class = match op.op2_type {
            IS_CONST => {
                let cached = cache::<Class>(frame, op.extended_value);
                // While there are no more classes than when it was looked for, there is none of this
                // name.
                let absent = (*vm).classes.len() << 1 | ABSENT;
                match *cached as usize {
                    word if word == absent => None,
                    word if word & ABSENT == 0 && word != 0 => Some(*cached),
                    _ => {
                        let name = constant(opline, op.op2);
                        let class = named_class(vm, name, NO_AUTOLOAD | SILENT);
                        let absent = (*vm).classes.len() << 1 | ABSENT;
                        *cached = class.unwrap_or(absent as *mut Class);
                        class
                    }
                }
            }
            _ => class_operand(vm, frame, opline, op.op2_type, op.op2, 0),
        };
        if let Some(class) = class {
            found = (*(*(*value).object()).class).is_subclass_of(class);
        }
    }
    free_op1(frame, opline);
    finish_boolean(frame, opline, found)
}

/// CLONE.
pub unsafe fn clone(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let value = if op.op1_type == IS_UNUSED {
        &raw const (*frame).this
    } else {
        read_op1(frame, opline, vm)
    };
    if (*value).kind() != OBJECT {
        if op.op1_type == IS_UNUSED {
            super::assign::no_this(vm);
        } else if (*vm).exception.is_null() {
            (*vm).throw_error(KnownClass::Error, "__clone method called on non-object");
        }
    } else {
        let held = ObjectHandle::share_raw((*value).object());
        let scope = (*(*frame).function).scope;
        if let Ok(copy) = crate::object::clone_object(&mut *vm, &held, scope) {
            *target = Zval::from_object(copy.into_raw());
        }
    }
    if op.op1_type != IS_UNUSED {
        free_op1(frame, opline);
    }
    next(frame)
}

/// GET_CLASS: `get_class()`.
pub unsafe fn get_class(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let target = result(frame, opline);
    (*target).set_undef();
    if (*opline).op1_type == IS_UNUSED {
        let scope = (*(*frame).function).scope;
        if scope.is_null() {
            (*vm).throw_error(
                KnownClass::Error,
                "get_class() without arguments must be called from within a class",
            );
        } else {
            *target = Zval::from_string((*scope).name).share();
            (*vm).deprecated("Calling get_class() without arguments is deprecated");
            if !(*vm).exception.is_null() {
                release(target);
                (*target).set_undef();
            }
        }
        return next(frame);
    }
    let value = read_op1(frame, opline, vm);
    if (*value).kind() == OBJECT {
        *target = Zval::from_string((*(*(*value).object()).class).name).share();
    } else {
        let kind = crate::operators::value_name(&*value);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("get_class(): Argument #1 ($object) must be of type object, {kind} given"),
        );
    }
    free_op1(frame, opline);
    next(frame)
}

/// GET_CALLED_CLASS: `get_called_class()`.
pub unsafe fn get_called_class(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let target = result(frame, opline);
    let called = (*frame).called_class();
    if called.is_null() {
        (*target).set_undef();
        (*vm).throw_error(
            KnownClass::Error,
            "get_called_class() must be called from within a class",
        );
    } else {
        *target = Zval::from_string((*called).name).share();
    }
    next(frame)
}

/// DECLARE_CLASS: `extended_value` is the class's number among the op array's classes.
pub unsafe fn declare_class(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let code = &*(*(*frame).function).op_array;
    let declaration = Arc::clone(&code.draft.classes[(*opline).extended_value as usize]);
    let _ = (*vm).declare_class(&declaration);
    next(frame)
}

/// DECLARE_CLASS_DELAYED: as DECLARE_CLASS, unless the class was declared when the code was entered.
pub unsafe fn declare_class_delayed(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let code = &*(*(*frame).function).op_array;
    let declaration = Arc::clone(&code.draft.classes[(*opline).extended_value as usize]);
    if !is_declared(&*vm, &declaration) {
        let _ = (*vm).declare_class(&declaration);
    }
    next(frame)
}

/// True if a class was made from this very declaration.
unsafe fn is_declared(vm: &Vm, declaration: &Arc<crate::op_array::ClassDeclaration>) -> bool {
    let name = (*declaration.name.lowercase).as_bytes();
    vm.classes.get(name).is_some_and(|&class| {
        (*class)
            .declaration
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, declaration))
    })
}

/// DECLARE_ANON_CLASS: the literal behind op1's is the class's number among the op array's classes.
pub unsafe fn declare_anon_class(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let cached = cache::<Class>(frame, op.extended_value);
    if (*cached).is_null() {
        let code = &*(*(*frame).function).op_array;
        let number = (*constant(opline, op.op1).add(1)).long();
        let declaration = Arc::clone(&code.draft.classes[number as usize]);
        let name = (*declaration.name.lowercase).as_bytes();
        let class = match (*vm).classes.get(name) {
            Some(&class) => Ok(class),
            None => (*vm).declare_class(&declaration),
        };
        match class {
            Ok(class) => *cached = class,
            Err(Thrown) => return next(frame),
        }
    }
    *target = Zval::from_pointer((*cached).cast());
    next(frame)
}

/// Declares what a script's top level hoists: functions, then classes that can be linked already.
pub fn declare_early(vm: &mut Vm, frame: *mut Frame, code: &Arc<OpArray>) -> PhpResult<()> {
    let _ = frame;
    for &number in &code.draft.early_functions {
        super::closures::declare(vm, &code.draft.functions[number as usize]);
    }
    // In the order of the source: a parent that comes later is not known yet.
    let draft = &code.draft;
    let early = draft.early_classes.iter().map(|&number| (number, true));
    let delayed = draft.delayed_classes.iter().map(|&number| (number, false));
    let mut classes: Vec<(u32, bool)> = early.chain(delayed).collect();
    classes.sort_unstable();
    for (number, is_early) in classes {
        let declaration = &draft.classes[number as usize];
        if is_early {
            vm.declare_class(declaration)?;
            continue;
        }
        // SAFETY: I4: names live as long as their declaration.
        let bound = unsafe {
            let name = (*declaration.name.lowercase).as_bytes();
            let parent = declaration
                .parent
                .as_ref()
                .map(|parent| (*parent.lowercase).as_bytes());
            !vm.classes.contains_key(name)
                && parent.is_some_and(|parent| vm.linked_class(parent).is_some())
        };
        if bound {
            vm.declare_class_early(declaration)?;
        }
    }
    Ok(())
}
