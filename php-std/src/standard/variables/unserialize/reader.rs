//! Reading values.

use vm_runtime::array::{Key, PhpArray, integer_key};
use vm_runtime::class::Class;
use vm_runtime::operators::numeric_string;
use vm_runtime::string::are_equal;
use vm_runtime::value::{ArrayHandle, OBJECT, ObjectHandle, StringHandle, Value};
use vm_runtime::vm::{Thrown, Vm};

use super::Options;
use super::places::Place;

/// Why reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The data is malformed at the reader's position.
    Malformed,
    /// An exception was thrown.
    Thrown,
}

impl From<Thrown> for Failure {
    fn from(_: Thrown) -> Failure {
        Failure::Thrown
    }
}

pub(super) type Read<T> = Result<T, Failure>;

/// What is to be called once everything has been read.
#[derive(Debug)]
pub(super) enum Delayed {
    /// `__wakeup`
    WakeUp(ObjectHandle),
    /// `__unserialize` with its data.
    Unserialize(ObjectHandle, ArrayHandle),
}

impl Delayed {
    /// The object that is called.
    pub(super) fn object(&self) -> &ObjectHandle {
        let (Delayed::WakeUp(object) | Delayed::Unserialize(object, _)) = self;
        object
    }
}

/// What readers of strings inside strings share.
pub(in super::super) struct Context {
    pub(super) options: Options,
    /// Whether values may be referred to, by an `r` or `R` in the data or by a script.
    refers: bool,
    /// The place of each value, in order: what `r` and `R` refer to.
    places: Vec<Place>,
    pub(super) delayed: Vec<Delayed>,
    pub(super) depth: i64,
    /// Arrays that are only reached by a number (data for `__unserialize`), or that scripts might
    /// release while they are filled or places refer to them.
    pub(super) kept: Vec<ArrayHandle>,
    /// Keys that were read, which mostly come again, each where its bytes say.
    names: [Option<StringHandle>; NAMES],
}

/// So many keys are remembered.
const NAMES: usize = 32;

impl Context {
    fn new(options: Options, refers: bool) -> Context {
        Context {
            options,
            refers,
            places: Vec::new(),
            delayed: Vec::new(),
            depth: 0,
            kept: Vec::new(),
            names: [const { None }; NAMES],
        }
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new(Options::default(), true)
    }
}

/// The state of reading one string.
pub(super) struct Reader<'a> {
    pub(super) data: &'a [u8],
    pub(super) position: usize,
    pub(super) context: Context,
    /// The class of the last object, and its name: others often have the same.
    pub(super) last_class: Option<(&'a [u8], *mut Class)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(data: &'a [u8], options: Options) -> Reader<'a> {
        // Methods of Serializable may refer to values by texts that are not part of this one.
        let refers =
            memchr::memchr3_iter(b'r', b'R', b'C', data).any(|at| data.get(at + 1) == Some(&b':'));
        Reader::inside(data, Context::new(options, refers))
    }

    /// Reads a string inside another one, whose values may be referred to.
    pub(super) fn inside(data: &'a [u8], context: Context) -> Reader<'a> {
        Reader {
            data,
            position: 0,
            context,
            last_class: None,
        }
    }

    /// Reads the whole value of a string inside another one, whose numbers go on.
    pub(super) fn inner(&mut self, vm: &mut Vm) -> Read<Value> {
        let holder = vm.new_array();
        self.context.kept.push(holder.clone());
        let first = self.context.places.len();
        let result = self.value(vm, Place::Element(holder.as_ptr(), Key::Long(0)));
        if result.is_err() {
            self.context.places[first..].fill(Place::Gone);
        }
        result.map(|()| holder.get_long(0).map_or(Value::NULL, Value::share))
    }

    /// How far it was read, or where the error is.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Reads the whole value.
    pub(super) fn root(&mut self, vm: &mut Vm) -> Read<Value> {
        let mut root = Value::NULL;
        let place = Place::Root(root.as_zval_mut());
        let result = self.value(vm, place);
        result.map(|()| root)
    }

    /// Reads the value at `start` into an element of an array that only the reader knows; gives where it
    /// ends.
    pub(super) fn element(
        &mut self,
        vm: &mut Vm,
        array: &ArrayHandle,
        start: usize,
        key: Key,
    ) -> Read<usize> {
        self.position = start;
        self.value(vm, Place::Element(array.as_ptr(), key))?;
        Ok(self.position)
    }

    pub(super) fn fail<T>(&mut self, position: usize) -> Read<T> {
        self.position = position.min(self.data.len());
        Err(Failure::Malformed)
    }

    pub(super) fn byte(&self, position: usize) -> u8 {
        self.data.get(position).copied().unwrap_or(0)
    }

    /// The digits from `position` on, and what follows them.
    pub(super) fn unsigned(&self, position: usize) -> Option<(usize, usize)> {
        let digits = self.data[position.min(self.data.len())..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return None;
        }
        let number = self.data[position..position + digits]
            .iter()
            .fold(0usize, |number, byte| {
                number
                    .saturating_mul(10)
                    .saturating_add((byte - b'0') as usize)
            });
        Some((number, position + digits))
    }

    /// A number of elements or bytes from `position` on, and what follows it. No digits are 0; too
    /// many warn and are more than there can be.
    pub(super) fn count(&mut self, vm: &mut Vm, position: usize) -> Read<(i64, usize)> {
        let negative = self.byte(position) == b'-';
        let signed = matches!(self.byte(position), b'+' | b'-') as usize;
        let Some((_, end)) = self.unsigned(position + signed) else {
            return Ok((0, position + signed));
        };
        let digits = std::str::from_utf8(&self.data[position + signed..end]).unwrap_or("0");
        let number = match digits.parse::<i64>() {
            Ok(number) => number,
            Err(_) => {
                vm.function_warning("Numerical result out of range");
                vm.check()?;
                i64::MAX
            }
        };
        Ok((if negative { -number } else { number }, end))
    }

    /// Bytes from `position` on.
    pub(super) fn left(&self, position: usize) -> i64 {
        self.data.len() as i64 - position as i64
    }

    /// Reads a value into a place.
    pub(super) fn value(&mut self, vm: &mut Vm, place: Place) -> Read<()> {
        if vm.native_stack_is_low() {
            return Err(vm.throw_stack_overflow().into());
        }
        let start = self.position;
        if self.byte(start) == b'}' {
            // Fewer values than were announced.
            vm.function_warning("Unexpected end of serialized data");
            vm.check()?;
            return self.fail(start);
        }
        if self.context.refers && self.byte(start) != b'R' {
            self.context.places.push(place.clone());
        }
        let scalar = match (self.byte(start), self.byte(start + 1)) {
            (b'N', b';') => {
                self.position = start + 2;
                Value::NULL
            }
            (b'b', b':') => match (self.byte(start + 2), self.byte(start + 3)) {
                (bit @ (b'0' | b'1'), b';') => {
                    self.position = start + 4;
                    (bit == b'1').into()
                }
                _ => return self.fail(start),
            },
            (b'i', b':') => self.integer(vm, start)?.into(),
            (b'd', b':') => self.double(start)?.into(),
            (b's', b':') => self.string(vm, start)?.into(),
            (b'S', b':') => self.escaped(vm, start)?.into(),
            (b'a', b':') => return self.array(vm, start, place),
            (b'O' | b'C', b':') => return self.object(vm, start, place),
            (b'E', b':') => self.enum_case(vm, start)?,
            (b'r', b':') => self.same_object(start)?,
            (b'R', b':') => return self.reference(vm, start, place),
            _ => return self.fail(start),
        };
        // SAFETY: I3: containers under construction are live and have one owner.
        unsafe { place.store(scalar) };
        Ok(())
    }

    fn integer(&mut self, vm: &mut Vm, start: usize) -> Read<i64> {
        let negative = self.byte(start + 2) == b'-';
        let digits = start + 2 + matches!(self.byte(start + 2), b'+' | b'-') as usize;
        let mut position = digits;
        let mut number = Some(0i64);
        while let byte @ b'0'..=b'9' = self.byte(position) {
            let digit = (byte - b'0') as i64;
            number = number
                .and_then(|number| number.checked_mul(10))
                .and_then(|number| {
                    if negative {
                        number.checked_sub(digit)
                    } else {
                        number.checked_add(digit)
                    }
                });
            position += 1;
        }
        if position == digits || self.byte(position) != b';' {
            return self.fail(start);
        }
        self.position = position + 1;
        match number {
            Some(number) => Ok(number),
            None => {
                vm.function_warning("Numerical result out of range");
                vm.check()?;
                Ok(if negative { i64::MIN } else { i64::MAX })
            }
        }
    }

    fn double(&mut self, start: usize) -> Read<f64> {
        let rest = &self.data[start + 2..];
        let Some(length) = memchr::memchr(b';', rest) else {
            return self.fail(start);
        };
        let number = match &rest[..length] {
            b"NAN" => f64::NAN,
            b"INF" | b"+INF" => f64::INFINITY,
            b"-INF" => f64::NEG_INFINITY,
            text => {
                let form = text
                    .first()
                    .is_some_and(|first| !numeric_string::is_space(*first))
                    && text
                        .last()
                        .is_some_and(|last| !numeric_string::is_space(*last));
                let number = std::str::from_utf8(text)
                    .ok()
                    .and_then(|text| text.parse().ok());
                match number.filter(|_| form && numeric_string::parse_whole(text).is_some()) {
                    Some(number) => number,
                    None => return self.fail(start),
                }
            }
        };
        self.position = start + 2 + length + 1;
        Ok(number)
    }

    /// The bytes of `x:length:"..."` from `start` on; the position stands behind the quote.
    pub(super) fn quoted(&mut self, start: usize) -> Read<&'a [u8]> {
        let Some((length, end)) = self.unsigned(start + 2) else {
            return self.fail(start);
        };
        if self.byte(end) != b':' || self.byte(end + 1) != b'"' {
            return self.fail(start);
        }
        let text = end + 2;
        if length > self.data.len() - text {
            return self.fail(start + 2);
        }
        let close = text + length;
        if self.byte(close) != b'"' {
            return self.fail(close);
        }
        self.position = close + 1;
        Ok(&self.data[text..close])
    }

    pub(super) fn expect(&mut self, byte: u8) -> Read<()> {
        if self.byte(self.position) != byte {
            return self.fail(self.position);
        }
        self.position += 1;
        Ok(())
    }

    fn string(&mut self, vm: &mut Vm, start: usize) -> Read<StringHandle> {
        let bytes = self.quoted(start)?;
        self.expect(b';')?;
        Ok(vm.string(bytes))
    }

    /// `S:3:"a\62c";`: with bytes in hexadecimal.
    fn escaped(&mut self, vm: &mut Vm, start: usize) -> Read<StringHandle> {
        let Some((length, end)) = self.unsigned(start + 2) else {
            return self.fail(start);
        };
        if self.byte(end) != b':' || self.byte(end + 1) != b'"' {
            return self.fail(start);
        }
        let mut position = end + 2;
        if length > self.data.len() - position {
            return self.fail(start + 2);
        }
        let mut bytes = Vec::with_capacity(length);
        for _ in 0..length {
            let mut byte = self.byte(position);
            position += 1;
            if byte == b'\\' {
                let digit = |byte: u8| (byte as char).to_digit(16);
                let digits = (digit(self.byte(position)), digit(self.byte(position + 1)));
                let (Some(high), Some(low)) = digits else {
                    return self.fail(start);
                };
                byte = (high * 16 + low) as u8;
                position += 2;
            }
            bytes.push(byte);
        }
        self.position = position;
        self.expect(b'"')?;
        self.expect(b';')?;
        vm.function_deprecated("Unserializing the 'S' format is deprecated");
        vm.check()?;
        Ok(vm.string(bytes))
    }

    /// Enters an array or object.
    pub(super) fn enter(&mut self, vm: &mut Vm) -> Read<()> {
        self.context.depth += 1;
        let limit = self.context.options.maximum_depth.unwrap_or(0);
        if limit > 0 && self.context.depth > limit {
            vm.function_warning(format!(
                "Maximum depth of {limit} exceeded. The depth limit can be changed using the \
                 max_depth unserialize() option or the unserialize_max_depth ini setting"
            ));
            vm.check()?;
            return self.fail(self.position);
        }
        Ok(())
    }

    fn array(&mut self, vm: &mut Vm, start: usize, place: Place) -> Read<()> {
        let Some((_, end)) = self.unsigned(start + 2) else {
            return self.fail(start);
        };
        if self.byte(end) != b':' || self.byte(end + 1) != b'{' {
            return self.fail(start);
        }
        self.position = end + 2;
        let (count, _) = self.count(vm, start + 2)?;
        if count > self.left(self.position) {
            return self.fail(self.position);
        }
        let count = count as usize;
        let array = PhpArray::with_capacity(&mut vm.heap, count);
        let target = array.as_ptr();
        if self.context.refers {
            self.context.kept.push(array.clone());
        }
        // SAFETY: I3: containers under construction are live and have one owner.
        unsafe { place.store(array.into()) };
        if count == 0 {
            // It does not count as nesting.
            return self.expect(b'}');
        }
        self.elements(vm, target, count)?;
        self.expect(b'}')
    }

    /// Reads elements into an array that stands in its place. The closing brace is the caller's.
    pub(super) fn elements(&mut self, vm: &mut Vm, array: *mut PhpArray, count: usize) -> Read<()> {
        self.enter(vm)?;
        for _ in 0..count {
            let key = self.key(vm)?;
            self.value(vm, Place::Element(array, key))?;
        }
        self.context.depth -= 1;
        Ok(())
    }

    /// Reads a key, which is an integer or a string.
    pub(super) fn key(&mut self, vm: &mut Vm) -> Read<Key> {
        let start = self.position;
        match self.byte(start) {
            b'i' if self.byte(start + 1) == b':' => Ok(Key::Long(self.integer(vm, start)?)),
            b's' if self.byte(start + 1) == b':' => {
                let name = self.quoted(start)?;
                self.expect(b';')?;
                Ok(match integer_key(name) {
                    Some(number) => Key::Long(number),
                    None => Key::String(self.name(vm, name)),
                })
            }
            b'd' if self.byte(start + 1) == b':' => {
                self.double(start)?;
                self.fail(self.position)
            }
            // Values that can be no keys are read as far as they can be told.
            b'a' | b'R' | b'r' if self.byte(start + 1) == b':' => {
                let end = self.unsigned(start + 2).map_or(start, |(_, end)| end);
                let head: &[u8] = if self.byte(start) == b'a' {
                    b":{"
                } else {
                    b";"
                };
                let complete = end > start && self.data[end..].starts_with(head);
                self.fail(if complete { end + head.len() } else { start })
            }
            b'N' if self.byte(start + 1) == b';' => self.fail(start + 2),
            b'b' if matches!(self.byte(start + 2), b'0' | b'1') && self.byte(start + 3) == b';' => {
                self.fail(start + 4)
            }
            b'}' => {
                vm.function_warning("Unexpected end of serialized data");
                vm.check()?;
                self.fail(start)
            }
            _ => self.fail(start),
        }
    }

    /// A key as a string, the same one if it came before.
    #[inline]
    fn name(&mut self, vm: &mut Vm, name: &[u8]) -> StringHandle {
        let (first, last) = (name.first().unwrap_or(&0), name.last().unwrap_or(&0));
        let mixed = usize::from(*first) ^ usize::from(*last) << 2 ^ name.len() << 1;
        let known = &mut self.context.names[mixed % NAMES];
        match known {
            Some(string) if are_equal(string, name) => string.clone(),
            _ => known.insert(vm.string(name)).clone(),
        }
    }

    /// The number of an earlier value, counted from 0.
    fn back_reference(&mut self, start: usize) -> Read<usize> {
        let Some((number, end)) = self.unsigned(start + 2) else {
            return self.fail(start);
        };
        if self.byte(end) != b';' {
            return self.fail(start);
        }
        self.position = end + 1;
        match number.checked_sub(1) {
            Some(index) => match self.context.places.get(index) {
                // SAFETY: I3: containers under construction are live.
                Some(place) if unsafe { place.is_there() } => Ok(index),
                _ => self.fail(self.position),
            },
            None => self.fail(self.position),
        }
    }

    fn same_object(&mut self, start: usize) -> Read<Value> {
        // The value under construction is already numbered.
        let own = self.context.places.len() - 1;
        let index = self.back_reference(start)?;
        if index == own {
            return self.fail(self.position);
        }
        // SAFETY: I3: containers under construction are live and have one owner.
        let value = unsafe { self.context.places[index].value() };
        if value.deref().kind() != OBJECT {
            return self.fail(self.position);
        }
        Ok(value)
    }

    fn reference(&mut self, vm: &mut Vm, start: usize, place: Place) -> Read<()> {
        let index = self.back_reference(start)?;
        let target = self.context.places[index].clone();
        // SAFETY: I3: containers under construction are live and have one owner.
        unsafe {
            if place.is_lost() || place.is(&target) {
                return self.fail(self.position);
            }
            let mut value = target.reference(vm);
            place.check_bound(vm, &mut value)?;
            place.bind_type(&mut *value.reference());
            place.store(value);
        }
        Ok(())
    }
}
