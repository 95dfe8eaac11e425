//! Where a property is: the rules of visibility, shadowing and storage.

use crate::class::lookup::is_protected_accessible;
use crate::class::{Class, NO_SLOT, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::flags;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::vm::{PhpResult, Thrown, Vm};

/// What a property or static member is fetched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read; complains if it is missing.
    Read,
    /// To read in `isset()` or `??`; silent.
    Isset,
    /// To write.
    Write,
    /// To read and write.
    ReadWrite,
    /// To unset something inside.
    Unset,
}

impl Access {
    /// True if something may be changed through the result.
    pub fn is_write(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite | Access::Unset)
    }
}

/// Where the property of a name is, for objects of one class and code in one scope. This is what
/// runtime caches hold: it does not depend on the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// In a slot.
    Slot {
        /// Index of the slot.
        index: u32,
        /// The declaration.
        info: *const PropertyInfo,
    },
    /// Behind hooks; it may have a slot, too.
    Hooked(*const PropertyInfo),
    /// Among the dynamic properties, if it exists.
    Dynamic,
    /// Declared, but not for this scope.
    Denied,
}

/// Name of the running code's scope in messages about visibility.
pub(crate) fn visibility(info: &PropertyInfo) -> &'static str {
    crate::class::visibility_name(info.flags)
}

/// Where the property `name` is. A denied one is an Error, unless `silent`.
pub fn property_offset(
    vm: &mut Vm,
    class: *const Class,
    name: &PhpString,
    scope: *const Class,
    silent: bool,
) -> PhpResult<Lookup> {
    // SAFETY: I4: classes, and the infos in them, live until the VM ends.
    let class = unsafe { &*class };
    let Some(info) = class.properties.get_string(name) else {
        if name.as_bytes().first() == Some(&0) {
            if silent {
                return Ok(Lookup::Denied);
            }
            return Err(vm.throw_error(
                KnownClass::Error,
                "Cannot access property starting with \"\\0\"",
            ));
        }
        return Ok(Lookup::Dynamic);
    };
    let mut info: &PropertyInfo = info;
    if info.flags & (flags::CHANGED | flags::PRIVATE | flags::PROTECTED) != 0
        && info.class.cast_const() != scope
    {
        let own = if info.flags & flags::CHANGED != 0 {
            private_of_scope(class, name, scope)
        } else {
            None
        };
        if let Some(own) =
            own.filter(|own| own.flags & flags::STATIC == 0 || info.flags & flags::STATIC != 0)
        {
            info = own;
        } else {
            let denied = match info.flags & flags::VISIBILITY {
                flags::PRIVATE if !std::ptr::eq(info.class, class) => return Ok(Lookup::Dynamic),
                flags::PRIVATE => true,
                // SAFETY: as above.
                flags::PROTECTED => !is_protected_accessible(unsafe { info.root() }, scope),
                _ => false,
            };
            if denied {
                if silent {
                    return Ok(Lookup::Denied);
                }
                return Err(denied_error(vm, class, info, name));
            }
        }
    }
    if info.flags & flags::STATIC != 0 {
        if !silent {
            vm.notice(format!(
                "Accessing static property {}::${} as non static",
                class.display_name(),
                name.to_text()
            ));
            // The access goes on even if a handler has thrown.
        }
        return Ok(Lookup::Dynamic);
    }
    if info.has_hooks() || info.slot == NO_SLOT {
        return Ok(Lookup::Hooked(info));
    }
    Ok(Lookup::Slot {
        index: info.slot,
        info,
    })
}

/// The private property of the running scope that a property of a child hides.
fn private_of_scope<'a>(
    class: &Class,
    name: &PhpString,
    scope: *const Class,
) -> Option<&'a PropertyInfo> {
    if scope.is_null() || std::ptr::eq(scope, class) || !class.is_parent_chain(scope) {
        return None;
    }
    // SAFETY: I4: classes, and the infos in them, live until the VM ends.
    let info = unsafe { (*scope).properties.get_string(name)? };
    let own = info.flags & flags::PRIVATE != 0 && info.class.cast_const() == scope;
    // SAFETY: as above.
    own.then(|| unsafe { &*std::rc::Rc::as_ptr(info) })
}

#[cold]
pub(crate) fn denied_error(
    vm: &mut Vm,
    class: &Class,
    info: &PropertyInfo,
    name: &PhpString,
) -> Thrown {
    let message = format!(
        "Cannot access {} property {}::${}",
        visibility(info),
        class.display_name(),
        name.to_text()
    );
    vm.throw_error(KnownClass::Error, message)
}

/// True if code in `scope` may write a property that it can read.
pub fn has_set_access(info: &PropertyInfo, scope: *const Class) -> bool {
    use crate::class::PPP_SET;
    if info.flags & PPP_SET == 0 || info.class.cast_const() == scope {
        return true;
    }
    if info.flags & flags::PUBLIC_SET != 0 {
        return true;
    }
    // SAFETY: I4: prototypes live as long as their class.
    info.flags & flags::PROTECTED_SET != 0 && is_protected_accessible(unsafe { info.root() }, scope)
}

pub(crate) fn full_name(info: &PropertyInfo) -> String {
    // SAFETY: I4: classes live until the VM ends.
    unsafe { format!("{}::${}", (*info.class).display_name(), info.display_name()) }
}

/// `Cannot modify readonly property`.
#[cold]
pub fn readonly_error(vm: &mut Vm, info: &PropertyInfo) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        format!("Cannot modify readonly property {}", full_name(info)),
    )
}

/// `Cannot indirectly modify readonly property`.
#[cold]
pub fn readonly_indirect_error(vm: &mut Vm, info: &PropertyInfo) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        format!(
            "Cannot indirectly modify readonly property {}",
            full_name(info)
        ),
    )
}

/// The Error for taking a reference to a readonly property.
#[cold]
pub fn readonly_reference(vm: &mut Vm, info: &PropertyInfo) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        format!(
            "Cannot acquire reference to readonly property {}",
            full_name(info)
        ),
    )
}

/// The Error for a write that the set visibility does not allow.
#[cold]
pub fn set_access_error(
    vm: &mut Vm,
    info: &PropertyInfo,
    scope: *const Class,
    operation: &str,
) -> Thrown {
    let visibility = if info.flags & flags::PRIVATE_SET != 0 {
        "private(set)"
    } else {
        "protected(set)"
    };
    let implied = info.flags & flags::READONLY != 0 && info.flags & flags::PRIVATE_SET == 0;
    let readonly = if implied { " readonly" } else { "" };
    let scope = crate::class::lookup::scope_text(scope);
    vm.throw_error(
        KnownClass::Error,
        format!(
            "Cannot {operation} {visibility}{readonly} property {} from {scope}",
            full_name(info)
        ),
    )
}

/// An Error about a property, with its full name where the text has `{}`.
#[cold]
pub(crate) fn property_error(
    vm: &mut Vm,
    info: &PropertyInfo,
    before: &str,
    after: &str,
) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        format!("{before}{}{after}", full_name(info)),
    )
}

/// As [`property_error`], where PHP names the class of the object and not the one that declares the property.
#[cold]
pub(crate) fn property_error_of(
    vm: &mut Vm,
    class: &Class,
    info: &PropertyInfo,
    before: &str,
    after: &str,
) -> Thrown {
    // SAFETY: I4: names of properties live as long as their class.
    let name = unsafe { (*info.name).to_text() };
    let class = class.display_name();
    vm.throw_error(
        KnownClass::Error,
        format!("{before}{class}::${name}{after}"),
    )
}

/// A typed property that has no value yet.
#[cold]
pub(crate) fn uninitialised_error(vm: &mut Vm, info: &PropertyInfo) -> Thrown {
    property_error(
        vm,
        info,
        "Typed property ",
        " must not be accessed before initialization",
    )
}

/// The declaration of the slot that `place` is, or null if it is none of this object's.
pub fn property_info_at(
    object: &PhpObject,
    place: *const crate::value::Zval,
) -> *const PropertyInfo {
    // SAFETY: only the address is computed.
    let first = unsafe { object.slot(0) } as usize;
    let offset = (place as usize).wrapping_sub(first);
    let index = offset / size_of::<crate::value::Zval>();
    match object.class().slot_properties.get(index) {
        Some(&info) if index < object.slot_count as usize => info,
        _ => std::ptr::null(),
    }
}
