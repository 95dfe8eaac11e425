//! The `array_diff` and `array_intersect` families.
//!
//! Each function says of an element whether another array has an equal one: by value (as strings,
//! or by a user function), by key (exactly, or by a user function), or by both.

use hashbrown::HashTable;
use smallvec::SmallVec;
use vm_runtime::array::{KeyRef, PhpArray, integer_key};
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::string::PhpString;
use vm_runtime::value::{
    ARRAY, ArrayHandle, LONG, OBJECT, STRING, StringHandle, Value, ValueKind, Zval,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::ordering::{self, Entry, entries};
use super::sort::user_compare;
use crate::support::{
    Callback, Outcome, Plain, direct, element_text, functions, hold, new_list, string_of,
};

functions! {
    "#[Unchecked(variadic)] array_diff(array $array, array ...$arrays): array" => array_diff | array_diff_directly,
    "array_diff_key(array $array, array ...$arrays): array" => array_diff_key | array_diff_key_directly,
    "array_diff_assoc(array $array, array ...$arrays): array" => array_diff_assoc | array_diff_assoc_directly,
    "#[Unchecked(1, at least 2)] array_diff_ukey(array $array, ...$rest): array" => array_diff_ukey,
    "#[Unchecked(1, at least 2)] array_diff_uassoc(array $array, ...$rest): array" => array_diff_uassoc,
    "#[Unchecked(1, at least 2)] array_udiff(array $array, ...$rest): array" => array_udiff,
    "#[Unchecked(1, at least 2)] array_udiff_assoc(array $array, ...$rest): array" => array_udiff_assoc,
    "#[Unchecked(1, at least 3)] array_udiff_uassoc(array $array, ...$rest): array" => array_udiff_uassoc,
    "array_intersect(array $array, array ...$arrays): array" => array_intersect,
    "array_intersect_key(array $array, array ...$arrays): array" => array_intersect_key | array_intersect_key_directly,
    "array_intersect_assoc(array $array, array ...$arrays): array" => array_intersect_assoc | array_intersect_assoc_directly,
    "#[Unchecked(1, at least 2)] array_intersect_ukey(array $array, ...$rest): array" => array_intersect_ukey,
    "#[Unchecked(1, at least 2)] array_intersect_uassoc(array $array, ...$rest): array" => array_intersect_uassoc,
    "#[Unchecked(1, at least 2)] array_uintersect(array $array, ...$rest): array" => array_uintersect,
    "#[Unchecked(1, at least 2)] array_uintersect_assoc(array $array, ...$rest): array" => array_uintersect_assoc,
    "#[Unchecked(1, at least 3)] array_uintersect_uassoc(array $array, ...$rest): array" => array_uintersect_uassoc,
}

/// How values or keys are compared.
enum By {
    /// Not at all.
    Nothing,
    /// Values as strings, keys exactly.
    Itself,
    /// By a function that gives 0 for equal ones.
    Function(Callback),
}

/// A family member: what is compared, and whether elements stay that are found or that are not.
struct Rule {
    values: By,
    keys: By,
    keep_found: bool,
}

/// Checks the arguments: the functions at the end, as many as `count` says, then the arrays in front of them.
fn callbacks(call: &mut Call<'_>, count: usize) -> PhpResult<Vec<Callback>> {
    let given = call.count();
    if given < 1 + count {
        let (name, plural) = (
            call.function().display_name(),
            if count == 0 { "" } else { "s" },
        );
        let message = format!(
            "{name}() expects at least {} argument{plural}, {given} given",
            1 + count
        );
        return Err(call.vm.throw_error(
            vm_runtime::exceptions::KnownClass::ArgumentCountError,
            message,
        ));
    }
    let mut callbacks = Vec::new();
    for index in given - count..given {
        let value = call.value(index);
        if let Some(reason) = crate::support::callable_problem(call.vm, &value) {
            return Err(call.type_error(index, &format!("must be a valid callback, {reason}")));
        }
        callbacks.push(Callback::new(call.vm, value));
    }
    for index in 0..given - count {
        check_array(call, index)?;
    }
    Ok(callbacks)
}

/// Applies a rule with up to two callbacks at the end of the arguments.
fn apply(
    call: &mut Call<'_>,
    count: usize,
    rule: impl FnOnce(&mut Vec<Callback>) -> Rule,
) -> PhpResult<Value> {
    let mut callbacks = callbacks(call, count)?;
    let rule = rule(&mut callbacks);
    let array = call.elements(0);
    let others: Vec<&PhpArray> = (1..call.count() - count)
        .map(|index| call.elements(index))
        .collect();
    let mut result = new_list(call.vm, 0);
    for (key, value) in array.iter() {
        let mut found = rule.keep_found;
        for other in &others {
            found = has(call.vm, other, key, value, &rule)?;
            if found != rule.keep_found {
                break;
            }
        }
        if others.is_empty() {
            found = rule.keep_found;
        }
        if found == rule.keep_found {
            result.make_mut(call.vm).set_new(key, share_element(value));
        }
    }
    Ok(result.into())
}

/// True if `array` has an element that equals this one by the rule.
fn has(
    vm: &mut Vm,
    array: &PhpArray,
    key: KeyRef<'_>,
    value: &Zval,
    rule: &Rule,
) -> PhpResult<bool> {
    match &rule.keys {
        By::Itself => match array.get(key) {
            Some(other) => equal_values(vm, &rule.values, value, other),
            None => Ok(false),
        },
        By::Nothing | By::Function(_) => {
            for (_, other) in array.iter() {
                if equal_values(vm, &rule.values, value, other)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

fn equal_by(vm: &mut Vm, callback: &Callback, a: Value, b: Value) -> PhpResult<bool> {
    let result = callback.call(vm, [a, b])?;
    Ok(operators::to_long(vm, &result) == 0)
}

fn equal_values(vm: &mut Vm, by: &By, a: &Zval, b: &Zval) -> PhpResult<bool> {
    vm.poll();
    match by {
        By::Nothing => Ok(true),
        By::Itself => {
            if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
                return Ok(a == b);
            }
            let (a, b) = (hold(a), hold(b));
            let (a, b) = (string_of(vm, &a)?, string_of(vm, &b)?);
            Ok(a.equals(&b))
        }
        By::Function(callback) => equal_by(vm, callback, share_element(a), share_element(b)),
    }
}

/// `array_diff` and `array_intersect`: values as strings, by hash.
fn by_strings(call: &mut Call<'_>, keep_found: bool) -> PhpResult<Value> {
    let array = call.elements(0);
    let others_empty = (1..call.count()).all(|index| call.elements(index).is_empty());
    let can_tell = |index: usize| {
        let mut elements = call.elements(index).iter();
        elements.any(|(_, value)| matches!(value.deref().kind(), ARRAY | OBJECT))
    };
    // All are sorted, even if nothing can be left or all is.
    if keep_found && (0..call.count()).any(can_tell) {
        return by_text_order(call);
    }
    if array.is_empty() || call.count() == 1 || !keep_found && others_empty {
        return Ok(call.value(0));
    }
    let mut sets: SmallVec<[TextSet; 1]> = SmallVec::new();
    for index in 1..call.count() {
        let other = call.elements(index);
        // A difference only asks whether any of the others has the value.
        if sets.is_empty() || keep_found {
            sets.push(TextSet::default());
        }
        for (_, value) in other.iter() {
            call.vm.poll();
            let string = element_text(call.vm, value)?;
            if let Some(set) = sets.last_mut() {
                set.insert(string);
            }
        }
    }
    let mut result = new_list(call.vm, array.len().min(ROOM));
    // What is kept by an intersection is a copy from which the rest is taken: `current()` stays where it is.
    let here = array.elements_before(array.internal_position()) as usize % array.len();
    let mut current = 0;
    for (index, (key, value)) in array.iter().enumerate() {
        call.vm.poll();
        if index == here {
            current = result.len() as u32;
        }
        let found = match value.deref().view() {
            ValueKind::String(string) => sets.iter().all(|set| set.contains(string)),
            _ => {
                let string = element_text(call.vm, value)?;
                sets.iter().all(|set| set.contains(&string))
            }
        };
        if found == keep_found {
            result.make_mut(call.vm).set_new(key, share_element(value));
        }
    }
    if keep_found {
        result.make_mut(call.vm).keep_next_key_of(array);
        result.make_mut(call.vm).set_internal_position(current);
    }
    Ok(result.into())
}

direct! {
    /// A few strings among strings.
    fn array_diff_directly(vm; array: &PhpArray, other: &PhpArray) {
        let few = 1..=TextSet::FEW;
        if array.is_empty() || !few.contains(&other.len()) || array.len() > POLLED {
            return None;
        }
        let mut members: SmallVec<[&PhpString; TextSet::FEW]> = SmallVec::new();
        let mut lengths = 0_u64;
        for (_, value) in other.iter() {
            let ValueKind::String(member) = value.deref().view() else {
                return difference_of_members(vm, array, other);
            };
            members.push(member);
            lengths |= 1 << (member.len() & 63);
        }
        let all_text = array.iter().all(|(_, value)| value.deref().kind() == STRING);
        if !all_text {
            return difference_of_members(vm, array, other);
        }
        let mut result = new_list(vm, array.len().min(ROOM));
        let kept = result.make_mut(vm);
        for (key, value) in array.iter() {
            let ValueKind::String(text) = value.deref().view() else {
                continue;
            };
            let may_be_there = lengths >> (text.len() & 63) & 1 != 0;
            if !may_be_there || !members.iter().any(|member| member.equals(text)) {
                kept.set_new(key, share_element(value));
            }
        }
        Some(Value::from(result))
    }
}

/// What an integer or a string is as text: those of integers are compared as such.
#[derive(Clone, Copy)]
enum Member<'a> {
    Number(i64),
    Text(&'a PhpString),
}

impl<'a> Member<'a> {
    fn of(value: &'a Zval) -> Option<Member<'a>> {
        match value.deref().view() {
            ValueKind::Long(number) => Some(Member::Number(number)),
            ValueKind::String(text) => Some(match integer_key(text) {
                Some(number) => Member::Number(number),
                None => Member::Text(text),
            }),
            _ => None,
        }
    }

    fn equals(self, other: Member<'_>) -> bool {
        match (self, other) {
            (Member::Number(one), Member::Number(other)) => one == other,
            (Member::Text(one), Member::Text(other)) => one.equals(other),
            _ => false,
        }
    }
}

/// The difference of two short arrays of integers and strings.
fn difference_of_members(vm: &mut Vm, array: &PhpArray, other: &PhpArray) -> Option<Value> {
    let mut members: SmallVec<[Member<'_>; TextSet::FEW]> = SmallVec::new();
    for (_, value) in other.iter() {
        members.push(Member::of(value)?);
    }
    let mut result = new_list(vm, array.len().min(ROOM));
    let kept = result.make_mut(vm);
    for (key, value) in array.iter() {
        let own = Member::of(value)?;
        if !members.iter().any(|member| member.equals(own)) {
            kept.set_new(key, share_element(value));
        }
    }
    Some(Value::from(result))
}

/// A set of strings: a few are compared one by one.
#[derive(Debug, Default)]
struct TextSet {
    few: SmallVec<[StringHandle; TextSet::FEW]>,
    many: HashTable<StringHandle>,
}

impl TextSet {
    const FEW: usize = 8;

    fn insert(&mut self, string: StringHandle) {
        if self.few.len() < TextSet::FEW {
            self.few.push(string);
        } else {
            let (hash, is_it) = (string.hash(), |member: &StringHandle| {
                member.equals(&string)
            });
            if self.many.find(hash, is_it).is_none() {
                self.many
                    .insert_unique(hash, string, |member| member.hash());
            }
        }
    }

    #[inline]
    fn contains(&self, string: &PhpString) -> bool {
        self.few.iter().any(|member| member.equals(string))
            || !self.many.is_empty() && {
                let is_it = |member: &StringHandle| member.equals(string);
                self.many.find(string.hash(), is_it).is_some()
            }
    }
}

/// For so many elements there is room at first.
const ROOM: usize = 16;

/// After how many arrays limits are looked at.
const POLLED: usize = 64;

/// `array_diff_key` and `array_intersect_key`: nothing is converted, and no user code runs.
fn by_keys(call: &mut Call<'_>, keep_found: bool) -> PhpResult<Value> {
    let array = call.elements(0);
    let others: SmallVec<[&PhpArray; 4]> = (1..call.count())
        .map(|index| call.elements(index))
        .collect();
    Ok(kept_by_keys(call.vm, array, &others, keep_found))
}

direct! {
    fn array_diff_key_directly(vm; array: &PhpArray, other: &PhpArray) {
        kept_by_keys(vm, array, &[other], false)
    }

    fn array_intersect_key_directly(vm; array: &PhpArray, other: &PhpArray) {
        kept_by_keys(vm, array, &[other], true)
    }
}

/// The elements whose keys all of the others have, or none.
#[inline]
fn kept_by_keys(vm: &mut Vm, array: &PhpArray, others: &[&PhpArray], keep_found: bool) -> Value {
    let mut result = new_list(vm, array.len().min(ROOM));
    let kept = result.make_mut(vm);
    for (key, value) in array.iter() {
        let stays = others.chunks(POLLED).all(|others| {
            vm.poll();
            let mut others = others.iter();
            others.all(|other| other.get(key).is_some() == keep_found)
        });
        if stays {
            kept.set_new(key, share_element(value));
        }
    }
    result.into()
}

fn function(callbacks: &mut Vec<Callback>) -> By {
    callbacks.pop().map_or(By::Nothing, By::Function)
}

fn array_diff(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.elements(0).len() == 1 {
        return difference_of_one(call);
    }
    for index in 1..call.count() {
        check_array(call, index)?;
    }
    by_strings(call, false)
}

/// `array_diff` of an array with one element, which becomes text before the others are looked at, even if there
/// are none; of those nothing is converted behind an equal one.
fn difference_of_one(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((_, value)) = call.elements(0).iter().next() else {
        unreachable!("there is one")
    };
    let text = element_text(call.vm, value)?;
    let mut is_found = false;
    for index in 1..call.count() {
        check_array(call, index)?;
        let mut others = call.elements(index).iter();
        while !is_found && let Some((_, other)) = others.next() {
            call.vm.poll();
            is_found = element_text(call.vm, other)?.equals(&text);
        }
    }
    match is_found {
        true => Ok(new_list(call.vm, 0).into()),
        false => Ok(call.value(0)),
    }
}

/// What the signature says of an argument that nobody has checked yet.
fn check_array(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    let value = call.argument(index).deref();
    if value.kind() == ARRAY {
        return Ok(());
    }
    let name = operators::value_name(value);
    Err(call.type_error(index, &format!("must be of type array, {name} given")))
}

fn array_intersect(call: &mut Call<'_>) -> PhpResult<Value> {
    by_strings(call, true)
}

fn array_diff_key(call: &mut Call<'_>) -> PhpResult<Value> {
    by_keys(call, false)
}

fn array_intersect_key(call: &mut Call<'_>) -> PhpResult<Value> {
    by_keys(call, true)
}

/// The elements of the first array that all others have by key and value, or that none has, if all of these are integers
/// or strings and are compared with their like.
fn associated(vm: &mut Vm, arguments: &[Zval], keep_found: bool) -> Option<Value> {
    let (first, others) = arguments.split_first()?;
    let first = <&PhpArray>::of(first)?;
    if others.is_empty() || !others.iter().all(|other| other.kind() == ARRAY) {
        return None;
    }
    let mut result = new_list(vm, 0);
    for (key, value) in first.iter() {
        let mut found = keep_found;
        for other in others.iter().filter_map(<&PhpArray>::of) {
            vm.poll();
            found = match other.get(key) {
                None => false,
                Some(other) => match (value.kind(), other.kind()) {
                    (LONG, LONG) => value.long() == other.long(),
                    (STRING, STRING) => value.as_bytes() == other.as_bytes(),
                    _ => return None,
                },
            };
            if found != keep_found {
                break;
            }
        }
        if found == keep_found {
            result.make_mut(vm).set_new(key, share_element(value));
        }
    }
    Some(result.into())
}

fn array_diff_assoc_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    associated(vm, arguments, false).store(result)
}

fn array_intersect_assoc_directly(
    vm: &mut Vm,
    _: &Zval,
    arguments: &[Zval],
    result: &mut Zval,
) -> bool {
    associated(vm, arguments, true).store(result)
}

fn array_diff_assoc(call: &mut Call<'_>) -> PhpResult<Value> {
    apply(call, 0, |_| Rule {
        values: By::Itself,
        keys: By::Itself,
        keep_found: false,
    })
}

fn array_intersect_assoc(call: &mut Call<'_>) -> PhpResult<Value> {
    apply(call, 0, |_| Rule {
        values: By::Itself,
        keys: By::Itself,
        keep_found: true,
    })
}

fn array_diff_ukey(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 1, |_| By::Nothing, false)
}

fn array_intersect_ukey(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 1, |_| By::Nothing, true)
}

fn array_diff_uassoc(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 1, |_| By::Itself, false)
}

fn array_intersect_uassoc(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 1, |_| By::Itself, true)
}

/// `array_udiff` and `array_uintersect`: the function tells an order, too.
fn by_order(call: &mut Call<'_>, keep_found: bool) -> PhpResult<Value> {
    let mut callbacks = callbacks(call, 1)?;
    let Some(callback) = callbacks.pop() else {
        unreachable!("one was asked for")
    };
    let arrays: Vec<ArrayHandle> = (0..call.count() - 1)
        .map(|index| call.array(index))
        .collect();
    let mut warned = false;
    by_order_of(call.vm, &arrays, keep_found, |vm, a, b| {
        user_compare(vm, &callback, &a.value, &b.value, &mut warned)
    })
}

/// `array_intersect` of elements that tell when they become texts: all arrays are sorted by their texts, which
/// are made for each comparison.
fn by_text_order(call: &mut Call<'_>) -> PhpResult<Value> {
    let arrays: Vec<ArrayHandle> = (0..call.count()).map(|index| call.array(index)).collect();
    by_order_of(call.vm, &arrays, true, |vm, a, b| {
        if !vm.exception.is_null() {
            return 0;
        }
        let texts = string_of(vm, &a.value).and_then(|a| Ok((a, string_of(vm, &b.value)?)));
        texts.map_or(0, |(a, b)| a.as_bytes().cmp(b.as_bytes()) as i32)
    })
}

/// What is left of the first array when all are sorted by an order and gone through at once.
fn by_order_of(
    vm: &mut Vm,
    arrays: &[ArrayHandle],
    keep_found: bool,
    mut order: impl FnMut(&mut Vm, &Entry, &Entry) -> i32,
) -> PhpResult<Value> {
    let mut compare = |a: &Entry, b: &Entry| order(vm, a, b);
    let mut lists = Vec::with_capacity(arrays.len());
    for array in arrays {
        let mut list = entries(array);
        ordering::sort_unstable(&mut list, &mut compare);
        lists.push(list);
    }
    let first = lists.remove(0);
    let mut rests: Vec<&[Entry]> = lists.iter().map(Vec::as_slice).collect();
    let mut left_out = Vec::new();
    let mut at = 0;
    while let Some(entry) = first.get(at) {
        limits::poll();
        let start = at;
        at += 1;
        let place = place_among(entry, &mut rests, keep_found, &mut compare);
        // Equal ones have the same fate; for an intersection so have those that the array without an equal
        // one has nothing for, either.
        match place {
            Place::Behind => at = first.len(),
            Place::Before(other) if keep_found => {
                while let (Some(next), Some(other)) = (first.get(at), rests[other].first()) {
                    if compare(next, other) >= 0 {
                        break;
                    }
                    at += 1;
                }
            }
            _ => {
                while first
                    .get(at)
                    .is_some_and(|next| compare(&first[at - 1], next) == 0)
                {
                    at += 1;
                }
            }
        }
        if matches!(place, Place::Found) != keep_found {
            left_out.extend(start..at);
        }
    }
    vm.check()?;
    Ok(without(vm, &arrays[0], &first, left_out))
}

/// What is left of an array without these of its elements.
fn without(vm: &mut Vm, array: &ArrayHandle, elements: &[Entry], left_out: Vec<usize>) -> Value {
    let mut result = array.clone();
    if !left_out.is_empty() {
        let result = result.make_mut(vm);
        for index in left_out {
            result.remove(elements[index].key.as_ref());
        }
    }
    result.into()
}

/// The members of the family whose last function compares keys: all arrays are sorted by it. For a
/// difference each key is looked for from the front of the others all the same.
fn by_key_order(
    call: &mut Call<'_>,
    count: usize,
    values: impl FnOnce(&mut Vec<Callback>) -> By,
    keep_found: bool,
) -> PhpResult<Value> {
    let mut callbacks = callbacks(call, count)?;
    let Some(by_key) = callbacks.pop() else {
        unreachable!("one was asked for")
    };
    let values = values(&mut callbacks);
    let arrays: Vec<ArrayHandle> = (0..call.count() - count)
        .map(|index| call.array(index))
        .collect();
    let (mut warned, vm) = (false, &mut *call.vm);
    let mut compare = |vm: &mut Vm, callback: &Callback, a: &Entry, b: &Entry| {
        let (a, b) = (a.key.as_ref().to_value(), b.key.as_ref().to_value());
        user_compare(vm, callback, &a, &b, &mut warned)
    };
    let mut lists = Vec::with_capacity(arrays.len());
    for array in &arrays {
        let mut list = entries(array);
        ordering::sort_unstable(&mut list, |a, b| compare(vm, &by_key, a, b));
        vm.check()?;
        lists.push(list);
    }
    let first = lists.remove(0);
    let mut left_out = Vec::new();
    if keep_found {
        let mut places = vec![0; lists.len()];
        'elements: for (at, entry) in first.iter().enumerate() {
            // Once values were compared by a function, PHP has it compare the keys in the other arrays, too.
            let mut callback = &by_key;
            for (list, place) in lists.iter().zip(&mut places) {
                let mut order = 1;
                while let Some(other) = list.get(*place) {
                    order = compare(vm, callback, entry, other);
                    vm.check()?;
                    if order <= 0 {
                        break;
                    }
                    *place += 1;
                }
                if order > 0 {
                    // There is nothing for what follows, either.
                    left_out.extend(at..first.len());
                    break 'elements;
                }
                if order < 0 || !equal_values(vm, &values, &entry.value, &list[*place].value)? {
                    left_out.push(at);
                    continue 'elements;
                }
                if let By::Function(by_value) = &values {
                    callback = by_value;
                }
                *place += 1;
            }
        }
    } else {
        for (at, entry) in first.iter().enumerate() {
            for list in &lists {
                let mut equal = None;
                for other in list {
                    let order = compare(vm, &by_key, entry, other);
                    vm.check()?;
                    if order == 0 {
                        equal = Some(other);
                        break;
                    }
                }
                if let Some(other) = equal
                    && equal_values(vm, &values, &entry.value, &other.value)?
                {
                    left_out.push(at);
                    break;
                }
            }
        }
    }
    Ok(without(call.vm, &arrays[0], &first, left_out))
}

/// Where an element is among those of the other arrays.
enum Place {
    /// In any of them, or for an intersection in all.
    Found,
    /// In front of what is left of this array; for a difference of all of them.
    Before(usize),
    /// Behind all that one of the arrays has; an intersection has nothing more then.
    Behind,
}

/// Looks for an element in sorted arrays, whose smaller ones are left behind.
fn place_among(
    entry: &Entry,
    rests: &mut [&[Entry]],
    in_all: bool,
    compare: &mut impl FnMut(&Entry, &Entry) -> i32,
) -> Place {
    for (number, rest) in rests.iter_mut().enumerate() {
        let mut order = 1;
        while let Some((other, behind)) = rest.split_first() {
            order = compare(entry, other);
            if order < 0 {
                break;
            }
            *rest = behind;
            if order == 0 {
                break;
            }
        }
        match order {
            0 if !in_all => return Place::Found,
            0 => {}
            _ if !in_all => {}
            1.. => return Place::Behind,
            _ => return Place::Before(number),
        }
    }
    match in_all {
        true => Place::Found,
        false => Place::Before(0),
    }
}

fn array_udiff(call: &mut Call<'_>) -> PhpResult<Value> {
    by_order(call, false)
}

fn array_uintersect(call: &mut Call<'_>) -> PhpResult<Value> {
    by_order(call, true)
}

fn array_udiff_assoc(call: &mut Call<'_>) -> PhpResult<Value> {
    apply(call, 1, |list| Rule {
        values: function(list),
        keys: By::Itself,
        keep_found: false,
    })
}

fn array_uintersect_assoc(call: &mut Call<'_>) -> PhpResult<Value> {
    apply(call, 1, |list| Rule {
        values: function(list),
        keys: By::Itself,
        keep_found: true,
    })
}

fn array_udiff_uassoc(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 2, function, false)
}

fn array_uintersect_uassoc(call: &mut Call<'_>) -> PhpResult<Value> {
    by_key_order(call, 2, function, true)
}
