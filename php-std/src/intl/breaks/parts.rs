//! Loops over a break iterator: over its places, and over the parts between them.

use vm_runtime::function::Call;
use vm_runtime::object::{NativeIterator, internal_iterator};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{breaks, held};
use crate::intl::iterator;

const LEFT: i64 = 1;
const RIGHT: i64 = 2;

/// A loop over places.
struct Places {
    object: ObjectHandle,
    number: i64,
    is_over: bool,
}

impl NativeIterator for Places {
    fn current(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(breaks(&self.object).current().into())
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.number.into())
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.is_over = breaks(&self.object).by(1) == super::DONE;
        self.number += 1;
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(!self.is_over)
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        breaks(&self.object).go(Some(0));
        (self.number, self.is_over) = (0, false);
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.object.as_ptr()));
    }
}

pub(super) fn places_of(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, _) = held(call)?;
    let places = Places {
        object,
        number: 0,
        is_over: true,
    };
    Ok(internal_iterator(call.vm, Box::new(places))?.into())
}

pub(super) fn parts_of(call: &mut Call<'_>) -> PhpResult<Value> {
    // The signature says string, as PHP's does; what stands there by default is an integer.
    let given = call.value(0);
    let kind = match given.string() {
        Some(text) => vm_runtime::ini::parse_long(text.as_bytes()),
        None => 0,
    };
    if !(0..=RIGHT).contains(&kind) {
        let message = "must be one of IntlPartsIterator::KEY_SEQUENTIAL, IntlPartsIterator::KEY_LEFT, or IntlPartsIterator::KEY_RIGHT";
        return Err(call.value_error(0, message));
    }
    let (object, _) = held(call)?;
    iterator::over_parts(call.vm, object, kind)
}

/// The parts of the text that a break iterator has now, with keys of a kind.
pub(in crate::intl) fn keyed(object: &ObjectHandle, kind: i64) -> (Vec<i64>, Vec<String>) {
    let own = breaks(object);
    let source = own.text.clone().unwrap_or_default();
    let parts = own.segments.windows(2).enumerate().map(|(number, pair)| {
        let (start, end) = (pair[0].end, pair[1].end);
        let key = match kind {
            LEFT => start as i64,
            RIGHT => end as i64,
            _ => number as i64,
        };
        (key, source[start..end].to_owned())
    });
    parts.unzip()
}

/// The loop over parts stands behind one of them.
pub(in crate::intl) fn stand_behind(object: &ObjectHandle, part: usize) {
    let own = breaks(object);
    own.at = (part + 1).min(own.segments.len() - 1);
}

pub(super) fn iterator_of(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(iterator::source(call)?.map_or(Value::NULL, Value::from))
}

pub(super) fn status_of(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = iterator::source(call)?;
    Ok(source.map_or(0, |source| breaks(&source).status()).into())
}
