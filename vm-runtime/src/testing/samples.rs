//! Values with memory behind them, and how they look afterwards.

use std::fmt::Write;

use vm_def::types::TypeMask;

use crate::array::KeyRef;
use crate::op::{IS_CV, IS_TMP_VAR};
use crate::value::{ARRAY, DOUBLE, INDIRECT, LONG, REFERENCE, STRING, Value, Zval, make_reference};
use crate::vm::Vm;

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Undef,
    Null,
    True,
    Long(i64),
    Double(f64),
    Text(&'static str),
    /// A string of one byte, which is not counted.
    Byte(&'static str),
    /// A packed array.
    List(&'static [i64]),
    /// A hash array with a string key and an integer key; an element is a string.
    Table,
}

/// A value in a slot of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub content: Content,
    /// Another owner has it as well.
    pub shared: bool,
    /// It stands behind a reference, which has another owner.
    pub referenced: bool,
}

const ALONE: [Content; 10] = [
    Content::Null,
    Content::True,
    Content::Long(1),
    Content::Long(-2),
    Content::Double(1.5),
    Content::Text("key"),
    Content::Text("12"),
    Content::Byte("k"),
    Content::List(&[5, 6]),
    Content::Table,
];
const COUNTED: [Content; 4] = [
    Content::Text("key"),
    Content::List(&[]),
    Content::List(&[5, 6]),
    Content::Table,
];

/// The samples that an operand of this kind may have.
pub(super) fn samples(kind: u8) -> Vec<Sample> {
    let sample = |content, shared, referenced| Sample {
        content,
        shared,
        referenced,
    };
    let alone = ALONE.map(|content| sample(content, false, false));
    let shared = COUNTED.map(|content| sample(content, true, false));
    let mut all = Vec::new();
    if kind == IS_TMP_VAR || kind == IS_CV {
        all.extend(alone);
        all.extend(shared);
    }
    if kind == IS_CV {
        all.push(sample(Content::Undef, false, false));
        all.push(sample(Content::Null, false, true));
        all.push(sample(Content::Long(1), false, true));
        all.extend(COUNTED.map(|content| sample(content, false, true)));
        all.push(sample(Content::List(&[5, 6]), true, true));
    }
    if all.is_empty() {
        all.push(sample(Content::Undef, false, false));
    }
    all
}

impl Sample {
    /// The type of the value in the slot.
    pub fn types(&self) -> TypeMask {
        match self.content {
            _ if self.referenced => TypeMask::REFERENCE,
            Content::Undef => TypeMask::UNDEF,
            Content::Null => TypeMask::NULL,
            Content::True => TypeMask::TRUE,
            Content::Long(_) => TypeMask::LONG,
            Content::Double(_) => TypeMask::DOUBLE,
            Content::Text(_) | Content::Byte(_) => TypeMask::STRING,
            Content::List(_) | Content::Table => TypeMask::ARRAY,
        }
    }

    /// Puts the value into a slot; its other owners go to the witnesses.
    pub unsafe fn put(&self, vm: &mut Vm, slot: *mut Zval, witnesses: &mut Vec<Zval>) {
        // SAFETY: by the caller: the slot is one of a live frame and holds nothing. I3: each share that is made
        // has an owner, the slot or a witness.
        unsafe {
            *slot = match self.content {
                Content::Undef => Zval::UNDEF,
                content => content.make(vm).into_zval(),
            };
            if self.shared {
                witnesses.push((*slot).share());
            }
            if self.referenced {
                make_reference(&mut vm.heap, slot);
                witnesses.push((*slot).share());
            }
        }
    }
}

impl Content {
    fn make(self, vm: &mut Vm) -> Value {
        match self {
            Content::Undef | Content::Null => Value::NULL,
            Content::True => true.into(),
            Content::Long(value) => value.into(),
            Content::Double(value) => value.into(),
            Content::Text(text) => vm.string(text.as_bytes()).into(),
            Content::Byte(text) => vm.string(text.as_bytes()).into(),
            Content::List(elements) => {
                let mut array = vm.new_array();
                for element in elements {
                    let pushed = array.make_mut(vm).push((*element).into());
                    pushed.expect("a short array");
                }
                array.into()
            }
            Content::Table => {
                let mut array = vm.new_array();
                let text = vm.string(b"in a table");
                let elements = array.make_mut(vm);
                elements.set_bytes(b"key", text.into());
                elements.set_long(1, 7_i64.into());
                array.into()
            }
        }
    }
}

/// What a value looks like, with its owners.
pub(super) fn describe(value: &Zval) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

fn write(text: &mut String, value: &Zval) {
    // Writing to a string does not fail.
    let _ = match value.kind() {
        LONG => write!(text, "{}", value.long()),
        DOUBLE => write!(text, "{:?}", value.double()),
        STRING => write!(
            text,
            "{:?}",
            String::from_utf8_lossy(value.as_bytes().unwrap_or_default())
        ),
        ARRAY => {
            text.push('[');
            // SAFETY: I3: the slot owns a live array.
            let array = unsafe { &*value.array() };
            for (key, element) in array.iter() {
                let _ = match key {
                    KeyRef::Long(key) => write!(text, "{key}: "),
                    KeyRef::String(key) => {
                        write!(text, "{}: ", String::from_utf8_lossy(key.as_bytes()))
                    }
                };
                write_element(text, element);
            }
            write!(text, "next {:?}]", array.next_free_key())
        }
        REFERENCE => {
            text.push('&');
            // SAFETY: I3: the slot owns a live reference.
            write(text, unsafe { &(*value.reference()).value });
            Ok(())
        }
        INDIRECT => {
            text.push_str("-> ");
            // SAFETY: I6: nothing has run that could have moved the slot.
            write(text, unsafe { &*value.indirect() });
            Ok(())
        }
        kind => write!(text, "type {kind}"),
    };
    if value.is_refcounted() {
        // SAFETY: I3: the type word says that there is a live header.
        let owners = unsafe { (*value.counted()).refcount };
        let _ = write!(text, " of {owners}");
    }
}

fn write_element(text: &mut String, element: &Zval) {
    write(text, element);
    text.push_str(", ");
}
