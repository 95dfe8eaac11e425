//! Conversion between encodings.

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::object::write::dynamic_table;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::detect::detect;
use super::encoding::{ENCODINGS, Encoding};
use super::{encoding_argument, required_encoding, settings};
use crate::support::{Outcome, Plain, StringBuilder, functions, list, text, utf8};

functions! {
    "mb_preferred_mime_name(string $encoding): string|false" => mb_preferred_mime_name,
    "mb_convert_encoding(array|string $string, string $to_encoding, array|string|null $from_encoding = null): array|string|false" => mb_convert_encoding | mb_convert_encoding_directly,
    "mb_convert_variables(string $to_encoding, array|string $from_encoding, mixed &$var, mixed &...$vars): string|false" => mb_convert_variables,
    "mb_list_encodings(): array" => mb_list_encodings,
    "mb_encoding_aliases(string $encoding): array" => mb_encoding_aliases,
    "mb_scrub(string $string, ?string $encoding = null): string" => mb_scrub,
}

/// Characters in an encoding, as a value; what was substituted is counted.
pub(super) fn encoded(vm: &mut Vm, encoding: &Encoding, characters: &[u32]) -> PhpResult<Value> {
    let bytes = encode(vm, encoding, characters);
    text(vm, bytes)
}

/// Characters in an encoding; what was substituted is counted.
pub(super) fn encode(vm: &mut Vm, encoding: &Encoding, characters: &[u32]) -> Vec<u8> {
    let substitute = settings::substitute(vm);
    let (bytes, substituted) = encoding.encode(characters, substitute);
    settings::state(vm).illegal += substituted as i64;
    bytes
}

/// Text in another encoding. What bytes are sent as (base64 and its like) has bytes on the other side,
/// whatever encoding is named there.
pub(super) fn convert(vm: &mut Vm, bytes: &[u8], from: &Encoding, to: &Encoding) -> Vec<u8> {
    let of_bytes = super::encoding::find(b"8bit").unwrap_or(from);
    let (from, to) = match (from.sends_bytes(), to.takes_bytes()) {
        (true, _) => (from, of_bytes),
        (false, true) => (of_bytes, to),
        (false, false) => (from, to),
    };
    if from == to && from.is_utf8() && utf8::valid(bytes).is_some() {
        return bytes.to_vec();
    }
    if from.is_utf8()
        && let Some(text) = utf8::valid(bytes)
        && to.has_single_bytes()
    {
        let mut converted = Vec::with_capacity(text.len());
        if to.encode_utf8(text, |byte| converted.push(byte)).is_some() {
            return converted;
        }
    }
    encode(vm, to, &from.decode(bytes))
}

/// A name that is no encoding.
pub(super) struct Unknown(pub(super) String);

/// A name as messages show it.
pub(super) fn shown(name: &[u8]) -> String {
    vm_runtime::message::text(name).into_owned()
}

/// Adds the encoding of a name, or all of `auto`.
fn add(
    vm: &mut Vm,
    name: &[u8],
    encodings: &mut Vec<&'static Encoding>,
) -> Result<PhpResult<()>, Unknown> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = name.iter().position(|byte| !is_blank(byte));
    let end = name.iter().rposition(|byte| !is_blank(byte));
    let name = match (start, end) {
        (Some(start), Some(end)) => &name[start..=end],
        _ => b"",
    };
    if name.eq_ignore_ascii_case(b"auto") {
        encodings.extend(settings::language_order(vm));
        return Ok(Ok(()));
    }
    // In lists nothing is deprecated.
    match super::encoding::find(name) {
        Some(encoding) => {
            encodings.push(encoding);
            Ok(Ok(()))
        }
        None => Err(Unknown(shown(name))),
    }
}

/// A name in a text, where any beginning of `auto` is that, even one without anything.
fn or_auto(name: &[u8]) -> &[u8] {
    let start = b"auto".get(..name.trim_ascii().len());
    match start.is_some_and(|start| start.eq_ignore_ascii_case(name.trim_ascii())) {
        true => b"auto",
        false => name,
    }
}

/// The encodings of a list of names with commas.
pub(super) fn names_in(vm: &mut Vm, names: &[u8]) -> Result<Vec<&'static Encoding>, Unknown> {
    let mut encodings = Vec::new();
    for name in names.split(|&byte| byte == b',').map(or_auto) {
        // A handler that throws at a deprecation is heard of at the next check.
        let _ = add(vm, name, &mut encodings)?;
    }
    Ok(encodings)
}

/// The encodings in an argument that is a list or a text with commas.
pub(super) fn encodings_argument(
    call: &mut Call<'_>,
    index: usize,
) -> PhpResult<Vec<&'static Encoding>> {
    let given = call.value(index);
    let mut encodings = Vec::new();
    let invalid = |call: &mut Call<'_>, Unknown(name): Unknown| {
        let problem = format!("contains invalid encoding \"{name}\"");
        call.value_error(index, &problem)
    };
    match given.view() {
        ValueKind::Array(array) => {
            for (_, name) in array.iter() {
                let name = to_string(call.vm, name)?;
                match add(call.vm, &name, &mut encodings) {
                    Ok(outcome) => outcome?,
                    Err(unknown) => return Err(invalid(call, unknown)),
                }
            }
        }
        ValueKind::String(names) if !names.as_bytes().is_empty() => {
            let names = names.as_bytes();
            let names = names
                .strip_prefix(b"\"")
                .and_then(|names| names.strip_suffix(b"\""))
                .unwrap_or(names);
            for name in names.split(|&byte| byte == b',').map(or_auto) {
                match add(call.vm, name, &mut encodings) {
                    Ok(outcome) => outcome?,
                    Err(unknown) => return Err(invalid(call, unknown)),
                }
            }
        }
        _ => {}
    }
    if encodings.is_empty() {
        return Err(call.value_error(index, "must specify at least one encoding"));
    }
    Ok(encodings)
}

fn mb_preferred_mime_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    let encoding = match super::encoding::find(name) {
        Some(encoding) => encoding,
        None => required_encoding(call, 0)?,
    };
    match encoding.mime {
        Some(mime) => text(call.vm, mime),
        None => {
            let name = vm_runtime::message::text(name);
            call.vm.function_warning(format!(
                "No MIME preferred name corresponding to \"{name}\""
            ));
            Ok(false.into())
        }
    }
}

/// Converts the strings in an array, at any depth, keys too.
fn convert_array(
    vm: &mut Vm,
    array: &PhpArray,
    to: &Encoding,
    from: &[&'static Encoding],
    open: &mut Vec<*const PhpArray>,
) -> PhpResult<Option<ArrayHandle>> {
    super::check_stack(vm)?;
    let address: *const PhpArray = array;
    if open.contains(&address) {
        vm.function_warning("Cannot convert recursively referenced values");
        vm.check()?;
        return Ok(None);
    }
    open.push(address);
    let mut result = vm.new_array();
    for (key, value) in array.iter() {
        let value = match value.view() {
            ValueKind::String(string) => {
                let from = choose(vm, &[string.as_bytes()], from);
                let converted = match from {
                    Some(from) => convert(vm, string.as_bytes(), from, to),
                    None => {
                        vm.function_warning("Unable to detect character encoding");
                        vm.check()?;
                        continue;
                    }
                };
                Value::from(vm.string(converted))
            }
            ValueKind::Array(inner) => {
                let inner: *const PhpArray = inner;
                // SAFETY: I3: the element keeps its array while `array` is held.
                match convert_array(vm, unsafe { &*inner }, to, from, open)? {
                    Some(inner) => inner.into(),
                    None => continue,
                }
            }
            ValueKind::Object(_) | ValueKind::Resource(_) => {
                vm.function_warning("Object is not supported");
                vm.check()?;
                continue;
            }
            _ => Value::share(value),
        };
        match key.to_value().string() {
            Some(name) => {
                let name = match choose(vm, &[name.as_bytes()], from) {
                    Some(from) => convert(vm, &name, from, to),
                    None => name.to_vec(),
                };
                let name = vm.string(name);
                result.make_mut(vm).set_symbol(&name, value);
            }
            None => result.make_mut(vm).set(key, value),
        }
    }
    open.pop();
    Ok(Some(result))
}

/// The encoding to convert from: the only one, or the one that is detected.
fn choose(vm: &mut Vm, texts: &[&[u8]], from: &[&'static Encoding]) -> Option<&'static Encoding> {
    match from {
        [only] => Some(only),
        _ => {
            let strict = settings::state(vm).detects_strictly;
            detect(texts, from, strict, true)
        }
    }
}

/// Valid UTF-8 into an encoding of one byte a character, or such text into UTF-8.
fn mb_convert_encoding_directly(
    vm: &mut Vm,
    _: &Zval,
    arguments: &[Zval],
    result: &mut Zval,
) -> bool {
    let [subject, to, from @ ..] = arguments else {
        return false;
    };
    let (Some(bytes), Some(name)) = (<&[u8]>::of(subject), <&[u8]>::of(to)) else {
        return false;
    };
    let state = settings::state(vm);
    let to = match state.last_named(name) {
        Some(encoding) => Some(encoding),
        None => super::encoding::find(name),
    };
    let from = match from {
        [] => Some(settings::internal_encoding(vm)),
        [from] => <&[u8]>::of(from).and_then(super::encoding::find),
        _ => None,
    };
    let (Some(to), Some(from)) = (to, from) else {
        return false;
    };
    let converted = match (from.is_utf8(), to.is_utf8()) {
        (true, true) => utf8::valid(bytes).map(|_| Value::share(subject)),
        (true, false) => of_valid(vm, bytes, to),
        (false, true) => into_utf8(vm, bytes, from),
        (false, false) => None,
    };
    if converted.is_some() {
        settings::state(vm).note_named(name, to);
    }
    converted.store(result)
}

/// UTF-8 in an encoding of one byte a character, if it is valid and all characters are there.
fn of_valid(vm: &mut Vm, bytes: &[u8], to: &Encoding) -> Option<Value> {
    let text = utf8::valid(bytes)?;
    if !to.has_single_bytes() {
        return None;
    }
    let mut builder = StringBuilder::new(vm, text.len());
    let mut tail = builder.tail(text.len());
    let is_done = to.encode_utf8(text, |byte| tail.put([byte])).is_some();
    drop(tail);
    is_done.then(|| builder.into_value(vm))
}

/// Text with one byte a character in UTF-8, if all bytes are characters.
fn into_utf8(vm: &mut Vm, bytes: &[u8], from: &Encoding) -> Option<Value> {
    if !from.has_single_bytes() {
        return None;
    }
    let mut builder = StringBuilder::new(vm, bytes.len() + bytes.len() / 4);
    let mut is_valid = true;
    from.each_character(bytes, |character| match char::from_u32(character) {
        Some(letter) => builder.push(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        None => is_valid = false,
    });
    is_valid.then(|| builder.into_value(vm))
}

fn mb_convert_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let to = required_encoding(call, 1)?;
    let from = if call.has(2) {
        encodings_argument(call, 2)?
    } else {
        vec![settings::internal_encoding(call.vm)]
    };
    let given = call.value(0);
    if let ValueKind::Array(array) = given.view() {
        let converted = convert_array(call.vm, array, to, &from, &mut Vec::new())?;
        return Ok(converted.unwrap_or_else(|| call.vm.new_array()).into());
    }
    let bytes = call.bytes(0);
    let Some(from) = choose(call.vm, &[bytes], &from) else {
        call.vm
            .function_warning("Unable to detect character encoding");
        return Ok(false.into());
    };
    let converted = convert(call.vm, bytes, from, to);
    text(call.vm, converted)
}

/// Gathers the strings in a value, at any depth; false if it contains itself.
fn gather(
    vm: &mut Vm,
    value: &Zval,
    open: &mut Vec<*const u8>,
    texts: &mut Vec<Vec<u8>>,
) -> PhpResult<bool> {
    super::check_stack(vm)?;
    let elements: Vec<Value> = match value.view() {
        ValueKind::String(string) => {
            texts.push(string.as_bytes().to_vec());
            return Ok(true);
        }
        ValueKind::Array(array) => {
            let address = std::ptr::from_ref(array).cast();
            if open.contains(&address) {
                return Ok(false);
            }
            open.push(address);
            array.iter().map(|(_, value)| Value::share(value)).collect()
        }
        ValueKind::Object(object) => {
            let address = std::ptr::from_ref(object).cast();
            if open.contains(&address) {
                return Ok(false);
            }
            open.push(address);
            // SAFETY: I3: the value keeps the object.
            let object = unsafe { ObjectHandle::share_raw(std::ptr::from_ref(object).cast_mut()) };
            let object = vm_runtime::object::lazy::initialise(vm, &object)?;
            let table = vm_runtime::operators::convert::property_table(vm, &object);
            table.iter().map(|(_, value)| Value::share(value)).collect()
        }
        _ => return Ok(true),
    };
    for element in &elements {
        if !gather(vm, element, open, texts)? {
            return Ok(false);
        }
    }
    open.pop();
    Ok(true)
}

/// A value with its strings converted; objects are changed where they are.
fn convert_value(vm: &mut Vm, value: &Zval, from: &Encoding, to: &Encoding) -> PhpResult<Value> {
    super::check_stack(vm)?;
    match value.view() {
        ValueKind::String(string) => {
            let converted = convert(vm, string.as_bytes(), from, to);
            Ok(vm.string(converted).into())
        }
        ValueKind::Array(array) => {
            let mut result = vm.new_array();
            let entries: Vec<_> = array
                .iter()
                .map(|(key, value)| (key.to_key(), Value::share(value)))
                .collect();
            for (key, value) in entries {
                let value = convert_value(vm, &value, from, to)?;
                result.make_mut(vm).set(key.as_ref(), value);
            }
            Ok(result.into())
        }
        ValueKind::Object(object) => {
            // SAFETY: I3: the value keeps the object.
            let object = unsafe { ObjectHandle::share_raw(std::ptr::from_ref(object).cast_mut()) };
            let object = vm_runtime::object::lazy::initialise(vm, &object)?;
            convert_properties(vm, &object, from, to)?;
            Ok(Value::share(value))
        }
        _ => Ok(Value::share(value)),
    }
}

/// Converts all properties where they stand: whoever may see or write them, and whatever their types say.
fn convert_properties(
    vm: &mut Vm,
    object: &ObjectHandle,
    from: &Encoding,
    to: &Encoding,
) -> PhpResult<()> {
    let is_text = |value: &Zval| {
        matches!(
            value.view(),
            ValueKind::String(_) | ValueKind::Array(_) | ValueKind::Object(_)
        )
    };
    for slot in 0..object.slot_count {
        // SAFETY: I4: the object is held, and the slot is one of its own.
        let before = unsafe { (*object.slot(slot)).deref() };
        if !is_text(before) {
            continue;
        }
        let before = Value::share(before);
        let after = convert_value(vm, &before, from, to)?;
        drop(before);
        // A reference is not written through: it goes.
        // SAFETY: as above; I3: the slot takes the share of the new value, and the old one is released when the new
        // one stands there.
        unsafe {
            let place = object.slot(slot);
            let old = *place;
            (*place).set(after.into_zval());
            vm_runtime::value::release(&old);
        }
    }
    if object.dynamic.is_null() {
        return Ok(());
    }
    let table = vm_runtime::operators::convert::property_table(vm, object);
    for (key, value) in table.iter() {
        let Some(name) = key.to_value().string() else {
            continue;
        };
        // SAFETY: I3: the table of dynamic properties lives as long as the object, which is held.
        let is_dynamic = unsafe { (*object.dynamic).get_string(&name).is_some() };
        if is_dynamic && is_text(value.deref()) {
            let value = convert_value(vm, value.deref(), from, to)?;
            // SAFETY: I3: the object is held. What the table had before is held by the copy of it.
            unsafe { dynamic_table(vm, object.as_ptr()) }.set_string(&name, value);
        }
    }
    Ok(())
}

fn mb_convert_variables(call: &mut Call<'_>) -> PhpResult<Value> {
    let to = required_encoding(call, 0)?;
    let from = encodings_argument(call, 1)?;
    let mut texts = Vec::new();
    for index in 2..call.count() {
        let value = call.value(index);
        if !gather(call.vm, &value, &mut Vec::new(), &mut texts)? {
            call.vm
                .function_warning("Cannot handle recursive references");
            return Ok(false.into());
        }
    }
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let Some(from) = choose(call.vm, &texts, &from) else {
        call.vm.function_warning("Unable to detect encoding");
        return Ok(false.into());
    };
    for index in 2..call.count() {
        let value = call.value(index);
        let converted = convert_value(call.vm, &value, from, to)?;
        call.assign(index, converted);
    }
    text(call.vm, from.name)
}

fn mb_list_encodings(call: &mut Call<'_>) -> PhpResult<Value> {
    let names: Vec<Value> = ENCODINGS
        .iter()
        .map(|encoding| call.vm.string(encoding.name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn mb_encoding_aliases(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = required_encoding(call, 0)?;
    let names: Vec<Value> = encoding
        .aliases
        .iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn mb_scrub(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    let bytes = call.bytes(0);
    // What is valid may still be written in another way, in all but UTF-8.
    if encoding.is_utf8() && encoding.is_valid(bytes) {
        return Ok(call.value(0));
    }
    let converted = convert(call.vm, bytes, encoding, encoding);
    text(call.vm, converted)
}
