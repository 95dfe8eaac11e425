//! Attributes at run time: their arguments, their instances, and what `#[Deprecated]` says.

use std::rc::Rc;

use crate::class::{Class, ClassConstant};
use crate::diagnostics::level;
use crate::exceptions::KnownClass;
use crate::frame::call_info;
use crate::function::{Function, class_flags, flags};
use crate::interpreter::callback::Callee;
use crate::interpreter::calls::{pop_frame, push_frame};
use crate::message::Message;
use crate::op::{IS_CONST, Op};
use crate::op_array::{AttributeDeclaration, Draft, OpArray};
use crate::string::PhpString;
use crate::value::{ArrayHandle, CONSTANT_EXPRESSION, ObjectHandle, Value, ValueKind, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// Arguments by position and by name.
type Arguments = (Vec<Value>, Option<ArrayHandle>);

/// `#[Deprecated]` among attributes.
fn deprecated(attributes: &[AttributeDeclaration]) -> Option<&AttributeDeclaration> {
    attributes
        .iter()
        .find(|attribute| attribute.lowercase_bytes() == b"deprecated")
}

impl Vm {
    /// The value of an attribute's argument.
    pub fn attribute_argument(&mut self, value: &Zval, scope: *mut Class) -> PhpResult<Value> {
        if value.kind() == CONSTANT_EXPRESSION {
            // SAFETY: I4: the expression lives in a literal pool of a loaded script.
            return unsafe { self.evaluate_constant(&*value.expression(), scope) };
        }
        Ok(Value::share(value))
    }

    fn attribute_arguments(
        &mut self,
        attribute: &AttributeDeclaration,
        scope: *mut Class,
    ) -> PhpResult<Arguments> {
        let mut positional = Vec::new();
        let mut named = None::<ArrayHandle>;
        for (name, value) in &attribute.arguments {
            let value = self.attribute_argument(value, scope)?;
            if name.is_null() {
                positional.push(value);
                continue;
            }
            // SAFETY: I4: names of arguments live as long as the attribute.
            let name = unsafe { &**name };
            let mut table = named.take().unwrap_or_else(|| self.new_array());
            table.make_mut(self).set_string(name, value);
            named = Some(table);
        }
        Ok((positional, named))
    }

    /// An object of the attribute's class, made as if by code where the attribute stands.
    pub fn attribute_instance(
        &mut self,
        attribute: &AttributeDeclaration,
        class: *mut Class,
        scope: *mut Class,
    ) -> PhpResult<ObjectHandle> {
        let (positional, named) = self.attribute_arguments(attribute, scope)?;
        let object = crate::object::instantiate(self, class)?;
        let outcome = at_place(self, attribute, |vm| {
            let constructor =
                crate::class::lookup::constructor_for_new(vm, class, std::ptr::null_mut())?;
            if constructor.is_null() {
                return match named.as_ref().and_then(|named| named.iter().next()) {
                    Some((name, _)) => {
                        let name = name.to_value();
                        let name = crate::message::text(name.as_bytes().unwrap_or_default());
                        let message = format!("Unknown named parameter ${name}");
                        Err(vm.throw_error(KnownClass::Error, message))
                    }
                    None => Ok(()),
                };
            }
            let callee = Callee {
                function: constructor,
                this: Some(object.clone()),
                called_class: class,
                closure: None,
            };
            // SAFETY: I4: the constructor lives as long as its class.
            unsafe { vm.call_callee(callee, positional, named).map(drop) }
        });
        if outcome.is_err() {
            // As after `new`: an object that was not constructed is not destructed.
            // SAFETY: I3: the handle keeps the object.
            unsafe {
                (*object.as_ptr()).header.type_info |= crate::value::HEADER_DESTRUCTOR_CALLED;
            }
        }
        outcome.map(|()| object)
    }

    /// ` since <since>, <message>`, as far as `#[Deprecated]` tells.
    fn deprecation_suffix(
        &mut self,
        attributes: &[AttributeDeclaration],
        scope: *mut Class,
    ) -> PhpResult<Vec<u8>> {
        let Some(attribute) = deprecated(attributes).filter(|known| !known.arguments.is_empty())
        else {
            return Ok(Vec::new());
        };
        let Some(class) = self.linked_class(b"deprecated") else {
            return Ok(Vec::new());
        };
        let told = self.attribute_instance(attribute, class, scope)?;
        let mut suffix = Vec::new();
        // Its second property is `since`, its first the message.
        for (slot, before) in [(1, &b" since "[..]), (0, b", ")] {
            if let ValueKind::String(text) = crate::exceptions::slot(&told, slot).view()
                && !text.is_empty()
            {
                suffix.extend_from_slice(before);
                suffix.extend_from_slice(text.as_bytes());
            }
        }
        Ok(suffix)
    }

    /// Reports a call of a deprecated user function; for a stand-in of `__call` by its own name.
    pub(crate) fn report_deprecated_function(&mut self, function: &Function) {
        let declared = match function.flags & flags::CALL_VIA_TRAMPOLINE {
            0 => function,
            // SAFETY: I4: a trampoline knows the method that it calls.
            _ => unsafe { &*(function.native_data as *const Function) },
        };
        let code = declared.code.clone();
        let attributes = code.as_ref().map_or(&[][..], |code| &code.draft.attributes);
        if let Ok(suffix) = self.deprecation_suffix(attributes, declared.scope) {
            let subject = crate::types::deprecation_message(function);
            let message = [subject.as_bytes(), &suffix].concat();
            self.raise(level::USER_DEPRECATED, message);
        }
    }

    /// Reports the use of a deprecated class constant, unless it is being reported.
    pub fn report_deprecated_constant(
        &mut self,
        constant: &ClassConstant,
        name: &[u8],
    ) -> PhpResult<()> {
        let address = &raw const *constant as usize;
        if constant.flags & flags::DEPRECATED == 0 || self.class_state.reporting.contains(&address)
        {
            return Ok(());
        }
        self.class_state.reporting.push(address);
        // SAFETY: I4: attributes belong to a declaration that a live class holds.
        let attributes = unsafe { &*constant.attributes };
        // SAFETY: I4: classes live until the VM ends.
        let owner = unsafe { &*constant.class };
        let suffix = match owner.flags & class_flags::INTERNAL {
            0 => self.deprecation_suffix(attributes, constant.class),
            _ => {
                let owner = owner.display_name().to_string();
                Ok(self.native_deprecation(owner.as_bytes(), name).into_bytes())
            }
        };
        if let Ok(suffix) = suffix {
            let kind = match constant.flags & flags::ENUM_CASE {
                0 => "Constant",
                _ => "Enum case",
            };
            // SAFETY: I4: classes live until the VM ends.
            let class = unsafe { &*constant.class };
            let level = match class.flags & class_flags::INTERNAL {
                0 => level::USER_DEPRECATED,
                _ => level::DEPRECATED,
            };
            let subject = format!("{kind} {}::", class.display_name())
                .message()
                .into_owned();
            self.raise(level, [&subject, name, b" is deprecated", &suffix].concat());
        }
        self.class_state.reporting.retain(|known| *known != address);
        self.check()
    }
}

/// Code at places of attributes, by file, line and `strict_types`: attributes are mostly asked for again.
#[derive(Default)]
struct Places {
    known: hashbrown::HashMap<Place, Rc<OpArray>, foldhash::fast::FixedState>,
}

type Place = (*const PhpString, u32, bool);

/// Code that returns, at the place of an attribute.
fn code_at(vm: &mut Vm, attribute: &AttributeDeclaration) -> Option<Rc<OpArray>> {
    const MOST: usize = 256;
    let place = (
        attribute.filename.cast_const(),
        attribute.line,
        attribute.strict,
    );
    if let Some(code) = vm.extensions.state::<Places>().known.get(&place) {
        return Some(code.clone());
    }
    let mut draft = Draft::new(attribute.filename);
    draft.flags = if attribute.strict {
        flags::STRICT_TYPES
    } else {
        0
    };
    (draft.line_start, draft.line_end) = (attribute.line, attribute.line);
    draft.literals.push(Zval::NULL);
    let mut end = Op::new(crate::generated::Opcode::RETURN as u8, attribute.line);
    end.op1_type = IS_CONST;
    draft.ops.push(end);
    draft.finish();
    let code = Rc::new(draft.publish(&mut vm.names).ok()?);
    let known = &mut vm.extensions.state::<Places>().known;
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(place, code.clone());
    Some(code)
}

/// Runs something as if code at the place of an attribute called it: file, line and
/// `strict_types` are those of the attribute.
fn at_place<T>(
    vm: &mut Vm,
    attribute: &AttributeDeclaration,
    action: impl FnOnce(&mut Vm) -> PhpResult<T>,
) -> PhpResult<T> {
    if attribute.filename.is_null() {
        return action(vm);
    }
    let Some(code) = code_at(vm, attribute) else {
        return action(vm);
    };
    let function = Function::for_expression(&code, std::ptr::null_mut());
    let caller = vm.current_frame;
    // SAFETY: I4: the frame stands between the caller and what is called, and goes before its
    // function does.
    unsafe {
        let frame = push_frame(
            vm,
            &function,
            0,
            call_info::CODE | call_info::TOP,
            Zval::UNDEF,
        );
        (*frame).previous = caller;
        (*frame).opline = code.ops();
        vm.current_frame = frame;
        let outcome = action(vm);
        vm.current_frame = caller;
        pop_frame(vm, frame);
        if outcome.is_err() || !vm.exception.is_null() {
            vm.redirect_to_exception_handler();
            return outcome.and(Err(Thrown));
        }
        outcome
    }
}
