//! What is printed about an exception: `__toString()` and the report of an uncaught one.

use std::collections::HashSet;

use crate::diagnostics::level;
use crate::exceptions::trace::trace_text;
use crate::exceptions::{KnownClass, set_slot, slot, slots};
use crate::message::Message;
use crate::object::PhpObject;
use crate::value::{ObjectHandle, Value, ValueKind};
use crate::vm::Vm;

fn text_of(object: &PhpObject, index: u32) -> Vec<u8> {
    slot(object, index).as_bytes().unwrap_or_default().to_vec()
}

fn line_of(object: &PhpObject) -> i64 {
    match slot(object, slots::LINE).view() {
        ValueKind::Long(line) => line,
        _ => 0,
    }
}

/// The text of an exception and those before it in the chain, the first cause first.
pub(crate) fn exception_text(vm: &mut Vm, exception: &ObjectHandle) -> Vec<u8> {
    let type_error = vm.known_class(KnownClass::TypeError);
    let argument_count_error = vm.known_class(KnownClass::ArgumentCountError);
    let mut seen = HashSet::new();
    let mut next = Some(exception.clone());
    let mut parts: Vec<Vec<u8>> = Vec::new();
    while let Some(object) = next.take() {
        vm.poll();
        if !seen.insert(object.as_ptr()) {
            break;
        }
        let mut message = text_of(&object, slots::MESSAGE);
        let called_in = memchr::memmem::find(&message, b", called in ").is_some();
        if called_in && (object.class == type_error || object.class == argument_count_error) {
            message.extend_from_slice(b" and defined");
        }
        let trace = Value::share(slot(&object, slots::TRACE));
        let trace = trace_text(vm, &trace);
        let mut part = object.class().display_name().message().into_owned();
        if !message.is_empty() {
            part.extend_from_slice(b": ");
            part.extend_from_slice(&message);
        }
        part.extend_from_slice(b" in ");
        part.extend_from_slice(&text_of(&object, slots::FILE));
        part.extend_from_slice(format!(":{}\nStack trace:\n", line_of(&object)).as_bytes());
        part.extend_from_slice(&trace);
        parts.push(part);
        next = match slot(&object, slots::PREVIOUS).view() {
            ValueKind::Object(previous) => {
                // SAFETY: I3: the previous exception is live.
                Some(unsafe { ObjectHandle::share_raw((&raw const *previous).cast_mut()) })
            }
            _ => None,
        };
    }
    parts.reverse();
    parts.join(&b"\n\nNext "[..])
}

/// Reports an exception that nothing caught. It does not unwind.
pub fn report_uncaught(vm: &mut Vm, exception: &ObjectHandle) {
    vm.print_uncaught(exception, level::ERROR);
}

/// Reports an exception that nothing caught where that is not the end.
pub(crate) fn warn_of_uncaught(vm: &mut Vm, exception: &ObjectHandle) {
    vm.print_uncaught(exception, level::WARNING);
}

impl Vm {
    fn print_uncaught(&mut self, exception: &ObjectHandle, severity: u32) {
        let file = text_of(exception, slots::FILE);
        let line = line_of(exception) as u32;
        let parse_error = self.known_class(KnownClass::ParseError);
        let compile_error = self.known_class(KnownClass::CompileError);
        if exception.class == parse_error || exception.class == compile_error {
            let kind = if exception.class == parse_error {
                level::PARSE
            } else {
                level::COMPILE_ERROR
            };
            let message = text_of(exception, slots::MESSAGE);
            crate::class::report_error_at(self, kind, &file, line, message);
            return;
        }
        let class = exception.class;
        // SAFETY: I4: a Throwable class has `__toString()`.
        let to_string = unsafe { (*class).magic.to_string };
        let outcome = self.call_function(to_string, Some(exception.clone()), class, Vec::new());
        match outcome {
            Ok(text) if text.string().is_some() => set_slot(exception, slots::STRING, text),
            Ok(_) => {
                let class = exception.class().display_name();
                self.warning(format!("{class}::__toString() must return a string"));
            }
            Err(_) => {
                if let Some(inner) = self.take_exception() {
                    if self.current_frame.is_null() {
                        // Nothing called it: that one is uncaught, and the end.
                        return self.print_uncaught(&inner, severity);
                    }
                    let inner_class = inner.class().display_name();
                    let class = exception.class().display_name();
                    let message = format!(
                        "Uncaught {inner_class} in exception handling during call to {class}::__toString()"
                    );
                    let inner_file = text_of(&inner, slots::FILE);
                    let inner_line = line_of(&inner) as u32;
                    crate::class::report_error_at(
                        self,
                        level::WARNING,
                        &inner_file,
                        inner_line,
                        &message,
                    );
                }
            }
        }
        let text = text_of(exception, slots::STRING);
        let message = [b"Uncaught ", &*text, b"\n  thrown"].concat();
        crate::class::report_error_at(self, severity, &file, line, message);
    }
}
