//! Walking the properties of objects, in the order and with the visibility that dumps show.

use vm_runtime::array::KeyRef;
use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Type, class_flags, flags};
use vm_runtime::object::{debug_properties, lazy, properties_through_hooks};
use vm_runtime::value::{ArrayHandle, ObjectHandle, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

/// Who sees a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility<'a> {
    Public,
    Protected,
    /// Only this class.
    Private(&'a [u8]),
}

/// What a property is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Name<'a> {
    Number(i64),
    Text(&'a [u8]),
}

/// A property.
#[derive(Debug)]
pub(crate) struct Property<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) visibility: Visibility<'a>,
    /// References are not followed; `None` if a typed property was not initialised.
    pub(crate) value: Option<&'a Zval>,
    pub(crate) declared: Option<&'a Type>,
}

/// The properties of an object; they may change while they are walked.
#[derive(Debug)]
pub(crate) enum Properties {
    /// Those it has.
    Own(ObjectHandle, Option<ArrayHandle>),
    /// Those it shows, by mangled names.
    Shown(ArrayHandle),
}

/// The name of a class up to the NUL that an anonymous one has.
pub(crate) fn until_nul(class: &[u8]) -> &[u8] {
    &class[..memchr::memchr(0, class).unwrap_or(class.len())]
}

/// Splits a mangled name.
pub(crate) fn unmangle(name: &[u8]) -> (Visibility<'_>, &[u8]) {
    if let [0, rest @ ..] = name
        && let Some(end) = memchr::memchr(0, rest)
    {
        let visibility = match &rest[..end] {
            b"*" => Visibility::Protected,
            class => Visibility::Private(class),
        };
        return (visibility, &rest[end + 1..]);
    }
    (Visibility::Public, name)
}

impl Properties {
    /// What an object shows to a person who debugs: what `__debugInfo` or its native class tell.
    pub(crate) fn for_debugging(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Properties> {
        let class = object.class();
        let native = class
            .handlers
            .is_some_and(|handlers| handlers.debug_info.is_some());
        if native || !class.magic.debug_info.is_null() {
            return Ok(Properties::Shown(debug_properties(vm, object)?));
        }
        if object.is_lazy() {
            // Looking does not initialise.
            return Ok(match lazy::instance(vm, object) {
                Some(instance) => {
                    let mut table = vm.new_array();
                    table.make_mut(vm).set_bytes(b"instance", instance.into());
                    Properties::Shown(table)
                }
                None => Properties::stored(object),
            });
        }
        Properties::of(vm, object)
    }

    /// The properties of an object.
    pub(crate) fn of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Properties> {
        if let Some(properties) = object
            .class()
            .handlers
            .and_then(|handlers| handlers.properties)
        {
            return Ok(Properties::Shown(properties(vm, object.as_ptr())?));
        }
        Ok(Properties::stored(&lazy::with_state(vm, object)?))
    }

    /// As [`Properties::of`], but with what getters give.
    pub(crate) fn through_hooks(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Properties> {
        match object.class().flags & class_flags::HAS_HOOKS {
            0 => Properties::of(vm, object),
            _ => Ok(Properties::Shown(properties_through_hooks(vm, object)?)),
        }
    }

    /// What stands in the object itself.
    fn stored(object: &ObjectHandle) -> Properties {
        // SAFETY: I3: the table of dynamic properties is live as long as the object.
        let dynamic =
            (!object.dynamic.is_null()).then(|| unsafe { ArrayHandle::share_raw(object.dynamic) });
        Properties::Own(object.clone(), dynamic)
    }

    /// One past the last position.
    pub(crate) fn end(&self) -> u32 {
        match self {
            Properties::Own(object, dynamic) => {
                object.slot_count + dynamic.as_ref().map_or(0, |table| table.positions())
            }
            Properties::Shown(table) => table.positions(),
        }
    }

    /// The property at a position, if there is one.
    pub(crate) fn at(&self, position: u32) -> Option<Property<'_>> {
        match self {
            Properties::Own(object, dynamic) => match position.checked_sub(object.slot_count) {
                None => declared(object, position),
                Some(position) => from_table(dynamic.as_ref()?, position)
                    .filter(|property| !is_declared(object, property)),
            },
            Properties::Shown(table) => from_table(table, position),
        }
    }

    /// Number of initialised properties.
    pub(crate) fn count(&self) -> usize {
        (0..self.end())
            .filter_map(|position| self.at(position))
            .filter(|property| property.value.is_some())
            .count()
    }
}

fn declared(object: &ObjectHandle, slot: u32) -> Option<Property<'_>> {
    let info = *object.class().slot_properties.get(slot as usize)?;
    if info.is_null() {
        return None;
    }
    // SAFETY: I4: infos, names and classes live until the VM ends; the slot is below the count.
    let (info, name, class, value) = unsafe {
        let class = (*(*info).class).name;
        (
            &*info,
            (*(*info).name).as_bytes(),
            (*class).as_bytes(),
            &*object.slot(slot),
        )
    };
    if value.is_undef() && info.declared.is_none() {
        // It was unset.
        return None;
    }
    let visibility = match info.flags & flags::VISIBILITY {
        flags::PRIVATE => Visibility::Private(class),
        flags::PROTECTED => Visibility::Protected,
        _ => Visibility::Public,
    };
    let value = (!value.is_undef()).then_some(value);
    Some(Property {
        name: Name::Text(name),
        visibility,
        value,
        declared: info.declared.as_ref(),
    })
}

fn from_table(table: &ArrayHandle, position: u32) -> Option<Property<'_>> {
    let (key, value) = table.entry_at(position)?;
    let (name, visibility) = match key {
        KeyRef::Long(number) => (Name::Number(number), Visibility::Public),
        KeyRef::String(name) => {
            let (visibility, name) = unmangle(name);
            (Name::Text(name), visibility)
        }
    };
    Some(Property {
        name,
        visibility,
        value: Some(value),
        declared: None,
    })
}

/// A full property table repeats the declared ones.
fn is_declared(object: &ObjectHandle, property: &Property<'_>) -> bool {
    match property.name {
        Name::Number(_) => false,
        Name::Text(name) => match property.visibility {
            Visibility::Private(owner) => has_private(object.class(), name, owner),
            _ => object
                .class()
                .properties
                .get(name)
                .is_some_and(|info| info.flags & (flags::STATIC | flags::PRIVATE) == 0),
        },
    }
}

/// True if objects of a class have a private property that its class `owner` declares.
fn has_private(class: &Class, name: &[u8], owner: &[u8]) -> bool {
    // SAFETY: I4: infos are null or live, with their names and classes.
    let infos = class
        .slot_properties
        .iter()
        .filter_map(|&info| unsafe { info.as_ref() });
    infos
        .filter(|info| info.flags & flags::PRIVATE != 0)
        // SAFETY: as above.
        .any(|info| unsafe {
            (*info.name).as_bytes() == name && (*(*info.class).name).as_bytes() == owner
        })
}

/// What a dump writes before the word `object`.
pub(crate) fn lazy_prefix(object: &ObjectHandle) -> &'static str {
    if object.is_lazy_proxy() {
        "lazy proxy "
    } else if object.is_uninitialised_lazy() {
        "lazy ghost "
    } else {
        ""
    }
}

/// The name of an enum's case.
pub(crate) fn case_name(case: &ObjectHandle) -> String {
    if case.slot_count == 0 {
        return String::new();
    }
    // SAFETY: I4: there is a first slot; that of an enum case holds its name.
    match unsafe { (*case.slot(0)).view() } {
        ValueKind::String(name) => name.to_text().into_owned(),
        _ => String::new(),
    }
}

/// True for `stdClass` itself.
pub(crate) fn is_plain(vm: &Vm, object: &ObjectHandle) -> bool {
    std::ptr::eq(object.class, vm.known_class(KnownClass::StdClass))
}
