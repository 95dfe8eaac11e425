//! The class `PDORow`: the row that a statement stands at, read column by column.

use std::any::Any;

use vm_runtime::class::{ElementHandlers, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::fetch::cell;
use super::statement::prepared;

/// The native part: the object of the statement.
#[derive(Default)]
pub(super) struct Row(pub(super) Option<ObjectHandle>);

impl NativeData for Row {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(statement) = &self.0 {
            visitor(&Zval::from_object(statement.as_ptr()));
        }
    }
}

/// What instances do in their own way.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(table),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _| read(vm, object, name.as_bytes()).map(Some),
        write: |vm, _, _, _| Err(refuse(vm, "Cannot write to PDORow property")),
        has: |vm, object, name, question| has(vm, object, name.as_bytes(), question),
        unset: |vm, _, _| Err(refuse(vm, "Cannot unset PDORow property")),
    }),
    elements: Some(&ElementHandlers {
        get: |vm, object, offset, _| match offset {
            Some(offset) => match offset.deref().view() {
                ValueKind::Long(number) => column(vm, object, number),
                _ => {
                    let name = to_string(vm, offset)?;
                    read(vm, object, name.as_bytes())
                }
            },
            None => Err(refuse(vm, "Cannot append to PDORow offset")),
        },
        set: |vm, _, _, _| Err(refuse(vm, "Cannot write to PDORow offset")),
        exists: |vm, object, offset, truthy| {
            let value = match offset.deref().view() {
                ValueKind::Long(number) => column(vm, object, number)?,
                _ => {
                    let name = to_string(vm, offset)?;
                    read(vm, object, name.as_bytes())?
                }
            };
            Ok(match truthy {
                true => to_bool(&value),
                false => !value.is_null(),
            })
        },
        unset: |vm, _, _| Err(refuse(vm, "Cannot unset PDORow offset")),
    }),
    ..NativeHandlers::STANDARD
};

/// `new PDORow`
pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = "You may not create a PDORow manually";
    Err(super::errors::throw_plain(call.vm, message))
}

fn refuse(vm: &mut Vm, message: &str) -> Thrown {
    vm.throw_error(KnownClass::Error, message)
}

fn statement(object: &PhpObject) -> Option<ObjectHandle> {
    object.native::<Row>()?.0.clone()
}

fn column(vm: &mut Vm, object: &PhpObject, number: i64) -> PhpResult<Value> {
    match (statement(object), usize::try_from(number)) {
        (Some(statement), Ok(number)) if number < prepared(&statement).names.len() => {
            cell(vm, &statement, number)
        }
        _ => Ok(Value::NULL),
    }
}

fn read(vm: &mut Vm, object: &PhpObject, name: &[u8]) -> PhpResult<Value> {
    let Some(statement) = statement(object) else {
        return Ok(Value::NULL);
    };
    if name == b"queryString" {
        // SAFETY: I3: the statement is live; its first slot is the declared property.
        return Ok(unsafe { Value::share(&*statement.slot(0)) });
    }
    let found = prepared(&statement)
        .names
        .iter()
        .position(|known| known == name);
    match found {
        Some(number) => cell(vm, &statement, number),
        None => Ok(Value::NULL),
    }
}

fn has(
    vm: &mut Vm,
    object: &PhpObject,
    name: &[u8],
    question: Question,
) -> PhpResult<Option<bool>> {
    let value = read(vm, object, name)?;
    Ok(Some(match question {
        Question::NotEmpty => to_bool(&value),
        _ => !value.is_null(),
    }))
}

fn table(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { &*object };
    let mut table = vm.new_array();
    let Some(statement) = statement(object) else {
        return Ok(table);
    };
    let sql = read(vm, object, b"queryString")?;
    table.make_mut(vm).set_bytes(b"queryString", sql);
    let names = prepared(&statement).names.clone();
    for (number, name) in names.iter().enumerate() {
        let value = cell(vm, &statement, number)?;
        table.make_mut(vm).set_bytes(name, value);
    }
    Ok(table)
}
