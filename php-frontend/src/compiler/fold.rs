//! Constant folding: what Zend computes while it compiles.
//!
//! An operation that would warn or throw is left to run time.

use bumpalo::Bump;

use crate::ast::{ArrayLiteral, BinaryOperator, Expr, ExprKind, UnaryOperator};

use super::numbers::{self, Numeric};
use super::operand::{Constant, ConstantArray, ConstantKey};
use super::{Compiler, Result};

/// A constant as bool.
pub(crate) fn to_bool(value: Constant<'_>) -> bool {
    match value {
        Constant::Null => false,
        Constant::Bool(value) => value,
        Constant::Long(value) => value != 0,
        Constant::Double(value) => value != 0.0,
        Constant::String(bytes) => !matches!(bytes, b"" | b"0"),
        Constant::Array(array) => !array.entries.is_empty(),
    }
}

/// A constant as string; arrays must not come here.
pub(crate) fn to_string<'a>(arena: &'a Bump, value: Constant<'a>, precision: i32) -> &'a [u8] {
    match value {
        Constant::Null | Constant::Bool(false) => b"",
        Constant::Bool(true) => b"1",
        Constant::Long(value) => arena.alloc_slice_copy(value.to_string().as_bytes()),
        Constant::Double(value) => {
            arena.alloc_slice_copy(numbers::double_to_string(value, precision).as_bytes())
        }
        Constant::String(bytes) => bytes,
        Constant::Array(_) => b"Array",
    }
}

/// The number an operand of arithmetic stands for; none if using it would warn or throw.
fn to_number(value: Constant<'_>) -> Option<Numeric> {
    match value {
        Constant::Null | Constant::Bool(false) => Some(Numeric::Long(0)),
        Constant::Bool(true) => Some(Numeric::Long(1)),
        Constant::Long(value) => Some(Numeric::Long(value)),
        Constant::Double(value) => Some(Numeric::Double(value)),
        Constant::String(bytes) => numbers::parse_numeric(bytes),
        Constant::Array(_) => None,
    }
}

/// The integer an operand stands for; none if using it would warn or throw.
fn to_long(value: Constant<'_>) -> Option<i64> {
    match to_number(value)? {
        Numeric::Long(value) => Some(value),
        Numeric::Double(value) if numbers::is_long_compatible(value) => {
            Some(numbers::double_to_long(value))
        }
        Numeric::Double(_) => None,
    }
}

fn as_double(value: Numeric) -> f64 {
    match value {
        Numeric::Long(value) => value as f64,
        Numeric::Double(value) => value,
    }
}

fn arithmetic<'a>(
    left: Numeric,
    right: Numeric,
    on_longs: fn(i64, i64) -> Option<i64>,
    on_doubles: fn(f64, f64) -> f64,
) -> Constant<'a> {
    if let (Numeric::Long(a), Numeric::Long(b)) = (left, right)
        && let Some(result) = on_longs(a, b)
    {
        return Constant::Long(result);
    }
    Constant::Double(on_doubles(as_double(left), as_double(right)))
}

fn divide<'a>(left: Numeric, right: Numeric) -> Option<Constant<'a>> {
    if as_double(right) == 0.0 {
        return None;
    }
    if let (Numeric::Long(a), Numeric::Long(b)) = (left, right)
        && a.checked_rem(b) == Some(0)
    {
        return Some(Constant::Long(a / b));
    }
    Some(Constant::Double(as_double(left) / as_double(right)))
}

fn power<'a>(left: Numeric, right: Numeric) -> Option<Constant<'a>> {
    if as_double(left) == 0.0 && as_double(right) < 0.0 {
        return None;
    }
    if let (Numeric::Long(base), Numeric::Long(exponent)) = (left, right)
        && exponent >= 0
    {
        return Some(integer_power(base, exponent));
    }
    Some(Constant::Double(as_double(left).powf(as_double(right))))
}

/// Squares and multiplies as PHP does: once it overflows it goes on in floats.
fn integer_power<'a>(base: i64, exponent: i64) -> Constant<'a> {
    let (mut result, mut base, mut exponent) = (1i64, base, exponent);
    if exponent == 0 {
        return Constant::Long(1);
    }
    if base == 0 {
        return Constant::Long(0);
    }
    while exponent >= 1 {
        if exponent % 2 != 0 {
            exponent -= 1;
            match result.checked_mul(base) {
                Some(product) => result = product,
                None => {
                    let product = result as f64 * base as f64;
                    return Constant::Double(product * (base as f64).powf(exponent as f64));
                }
            }
        } else {
            exponent /= 2;
            match base.checked_mul(base) {
                Some(square) => base = square,
                None => {
                    let square = base as f64 * base as f64;
                    return Constant::Double(result as f64 * square.powf(exponent as f64));
                }
            }
        }
        if exponent == 0 {
            break;
        }
    }
    Constant::Long(result)
}

fn shift<'a>(left: Constant<'a>, right: Constant<'a>, to_left: bool) -> Option<Constant<'a>> {
    let (value, by) = (to_long(left)?, to_long(right)?);
    if by < 0 {
        return None;
    }
    let result = match (by >= 64, to_left) {
        (true, true) => 0,
        (true, false) => value >> 63,
        (false, true) => value << by,
        (false, false) => value >> by,
    };
    Some(Constant::Long(result))
}

fn bitwise<'a>(
    arena: &'a Bump,
    operator: BinaryOperator,
    left: Constant<'a>,
    right: Constant<'a>,
) -> Option<Constant<'a>> {
    if let (Constant::String(a), Constant::String(b)) = (left, right) {
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut bytes: Vec<u8> = a
            .iter()
            .zip(b)
            .map(|(a, b)| match operator {
                BinaryOperator::BitOr => a | b,
                BinaryOperator::BitAnd => a & b,
                _ => a ^ b,
            })
            .collect();
        if operator == BinaryOperator::BitOr {
            bytes.extend_from_slice(&long[short.len()..]);
        }
        return Some(Constant::String(arena.alloc_slice_copy(&bytes)));
    }
    let (a, b) = (to_long(left)?, to_long(right)?);
    Some(Constant::Long(match operator {
        BinaryOperator::BitOr => a | b,
        BinaryOperator::BitAnd => a & b,
        _ => a ^ b,
    }))
}

fn union<'a>(arena: &'a Bump, left: &ConstantArray<'a>, right: &ConstantArray<'a>) -> Constant<'a> {
    let mut result = ConstantArray::new_in(arena);
    for (key, value) in &left.entries {
        result.update(*key, *value);
    }
    for (key, value) in &right.entries {
        if result.get(*key).is_none() {
            result.update(*key, *value);
        }
    }
    Constant::Array(arena.alloc(result))
}

/// `===` of constants.
pub(crate) fn identical(left: Constant<'_>, right: Constant<'_>) -> bool {
    match (left, right) {
        (Constant::Null, Constant::Null) => true,
        (Constant::Bool(a), Constant::Bool(b)) => a == b,
        (Constant::Long(a), Constant::Long(b)) => a == b,
        (Constant::Double(a), Constant::Double(b)) => a == b,
        (Constant::String(a), Constant::String(b)) => a == b,
        (Constant::Array(a), Constant::Array(b)) => {
            a.entries.len() == b.entries.len()
                && a.entries
                    .iter()
                    .zip(&b.entries)
                    .all(|(a, b)| a.0 == b.0 && identical(a.1, b.1))
        }
        _ => false,
    }
}

fn compare_doubles(a: f64, b: f64) -> i32 {
    if a == b {
        0
    } else if a < b {
        -1
    } else {
        1
    }
}

fn compare_numbers(a: Numeric, b: Numeric) -> i32 {
    match (a, b) {
        (Numeric::Long(a), Numeric::Long(b)) => a.cmp(&b) as i32,
        _ => compare_doubles(as_double(a), as_double(b)),
    }
}

fn compare_number_with_string(number: Numeric, bytes: &[u8], precision: i32) -> i32 {
    if let Some(other) = numbers::parse_numeric(bytes) {
        return compare_numbers(number, other);
    }
    let text = match number {
        Numeric::Long(value) => value.to_string(),
        Numeric::Double(value) => numbers::double_to_string(value, precision),
    };
    text.as_bytes().cmp(bytes) as i32
}

fn compare_strings(a: &[u8], b: &[u8]) -> i32 {
    vm_runtime::operators::smart_compare(a, b)
}

fn compare_arrays(a: &ConstantArray<'_>, b: &ConstantArray<'_>, precision: i32) -> i32 {
    if a.entries.len() != b.entries.len() {
        return a.entries.len().cmp(&b.entries.len()) as i32;
    }
    for (key, value) in &a.entries {
        let Some(other) = b.get(*key) else {
            return 1;
        };
        let order = compare(*value, other, precision);
        if order != 0 {
            return order;
        }
    }
    0
}

/// `<=>` of constants; uncomparable values are greater.
pub(crate) fn compare(left: Constant<'_>, right: Constant<'_>, precision: i32) -> i32 {
    use Constant as C;
    match (left, right) {
        (C::Long(a), C::Long(b)) => a.cmp(&b) as i32,
        (C::Long(a), C::Double(b)) => compare_doubles(a as f64, b),
        (C::Double(a), C::Long(b)) => compare_doubles(a, b as f64),
        (C::Double(a), C::Double(b)) => compare_doubles(a, b),
        (C::Array(a), C::Array(b)) => compare_arrays(a, b, precision),
        (C::String(a), C::String(b)) => compare_strings(a, b),
        (C::Null, C::String(b)) => -i32::from(!b.is_empty()),
        (C::String(a), C::Null) => i32::from(!a.is_empty()),
        (C::Long(a), C::String(b)) => compare_number_with_string(Numeric::Long(a), b, precision),
        (C::Double(a), C::String(b)) if !a.is_nan() => {
            compare_number_with_string(Numeric::Double(a), b, precision)
        }
        (C::Double(_), C::String(_)) => 1,
        (C::String(a), C::Long(b)) => -compare_number_with_string(Numeric::Long(b), a, precision),
        (C::String(a), C::Double(b)) if !b.is_nan() => {
            -compare_number_with_string(Numeric::Double(b), a, precision)
        }
        (C::String(_), C::Double(_)) => 1,
        (C::Null | C::Bool(_), _) | (_, C::Null | C::Bool(_)) => {
            to_bool(left).cmp(&to_bool(right)) as i32
        }
        (C::Array(_), _) => 1,
        (_, C::Array(_)) => -1,
    }
}

fn equal(left: Constant<'_>, right: Constant<'_>, precision: i32) -> bool {
    match (left, right) {
        (Constant::String(a), Constant::String(b)) => {
            vm_runtime::operators::strings_are_equal(a, b)
        }
        _ => compare(left, right, precision) == 0,
    }
}

/// The value of a chain of operators, deep on the left. Text that is still being joined is not copied
/// for each piece.
pub(crate) enum Chain<'a> {
    Constant(Constant<'a>),
    Text(Vec<u8>),
}

impl<'a> Chain<'a> {
    /// Applies an operator to the value and a constant; false, and nothing else, if that is left to run
    /// time.
    pub fn apply(
        &mut self,
        arena: &'a Bump,
        operator: BinaryOperator,
        right: Constant<'a>,
        precision: i32,
    ) -> bool {
        let joins = operator == BinaryOperator::Concat && !matches!(right, Constant::Array(_));
        match self {
            Chain::Text(text) if joins => {
                text.extend_from_slice(to_string(arena, right, precision));
                return true;
            }
            Chain::Constant(left) if joins && !matches!(left, Constant::Array(_)) => {
                let mut text = to_string(arena, *left, precision).to_vec();
                text.extend_from_slice(to_string(arena, right, precision));
                *self = Chain::Text(text);
                return true;
            }
            _ => {}
        }
        let left = self.settle(arena);
        match binary(arena, operator, left, right, precision) {
            Some(result) => *self = Chain::Constant(result),
            None => return false,
        }
        true
    }

    /// The value as it is now.
    pub fn settle(&mut self, arena: &'a Bump) -> Constant<'a> {
        let value = match self {
            Chain::Constant(value) => return *value,
            Chain::Text(text) => Constant::String(arena.alloc_slice_copy(text)),
        };
        *self = Chain::Constant(value);
        value
    }

    /// The value at the end.
    pub fn finish(mut self, arena: &'a Bump) -> Constant<'a> {
        self.settle(arena)
    }
}

/// An operation on constants; none if it is left to run time.
pub(crate) fn binary<'a>(
    arena: &'a Bump,
    operator: BinaryOperator,
    left: Constant<'a>,
    right: Constant<'a>,
    precision: i32,
) -> Option<Constant<'a>> {
    use BinaryOperator as B;
    Some(match operator {
        B::Concat => {
            if matches!(left, Constant::Array(_)) || matches!(right, Constant::Array(_)) {
                return None;
            }
            let (a, b) = (
                to_string(arena, left, precision),
                to_string(arena, right, precision),
            );
            let mut bytes = bumpalo::collections::Vec::with_capacity_in(a.len() + b.len(), arena);
            bytes.extend_from_slice(a);
            bytes.extend_from_slice(b);
            Constant::String(bytes.into_bump_slice())
        }
        B::Add => {
            if let (Constant::Array(a), Constant::Array(b)) = (left, right) {
                return Some(union(arena, a, b));
            }
            arithmetic(
                to_number(left)?,
                to_number(right)?,
                i64::checked_add,
                |a, b| a + b,
            )
        }
        B::Sub => arithmetic(
            to_number(left)?,
            to_number(right)?,
            i64::checked_sub,
            |a, b| a - b,
        ),
        B::Mul => arithmetic(
            to_number(left)?,
            to_number(right)?,
            i64::checked_mul,
            |a, b| a * b,
        ),
        B::Div => divide(to_number(left)?, to_number(right)?)?,
        B::Mod => {
            let (a, b) = (to_long(left)?, to_long(right)?);
            if b == 0 {
                return None;
            }
            Constant::Long(a.wrapping_rem(b))
        }
        B::Pow => power(to_number(left)?, to_number(right)?)?,
        B::ShiftLeft => shift(left, right, true)?,
        B::ShiftRight => shift(left, right, false)?,
        B::BitOr | B::BitAnd | B::BitXor => bitwise(arena, operator, left, right)?,
        B::Xor => Constant::Bool(to_bool(left) != to_bool(right)),
        B::Identical => Constant::Bool(identical(left, right)),
        B::NotIdentical => Constant::Bool(!identical(left, right)),
        B::Equal => Constant::Bool(equal(left, right, precision)),
        B::NotEqual => Constant::Bool(!equal(left, right, precision)),
        B::Less => Constant::Bool(compare(left, right, precision) < 0),
        B::LessEqual => Constant::Bool(compare(left, right, precision) <= 0),
        B::Greater => Constant::Bool(compare(right, left, precision) < 0),
        B::GreaterEqual => Constant::Bool(compare(right, left, precision) <= 0),
        B::Spaceship => Constant::Long(i64::from(compare(left, right, precision))),
    })
}

/// An operation on a constant; none if it is left to run time.
pub(crate) fn unary<'a>(
    arena: &'a Bump,
    operator: UnaryOperator,
    value: Constant<'a>,
    precision: i32,
) -> Option<Constant<'a>> {
    match operator {
        UnaryOperator::Not => Some(Constant::Bool(!to_bool(value))),
        UnaryOperator::BitNot => match value {
            Constant::Long(value) => Some(Constant::Long(!value)),
            Constant::Double(value) if numbers::is_long_compatible(value) => {
                Some(Constant::Long(!numbers::double_to_long(value)))
            }
            Constant::String(bytes) => {
                let bytes = arena.alloc_slice_copy(bytes);
                bytes.iter_mut().for_each(|byte| *byte = !*byte);
                Some(Constant::String(bytes))
            }
            _ => None,
        },
        UnaryOperator::Plus => binary(
            arena,
            BinaryOperator::Mul,
            value,
            Constant::Long(1),
            precision,
        ),
        UnaryOperator::Minus => binary(
            arena,
            BinaryOperator::Mul,
            value,
            Constant::Long(-1),
            precision,
        ),
    }
}

/// The array key a constant stands for; none if using it would warn or throw.
pub(crate) fn array_key(value: Constant<'_>) -> Option<ConstantKey<'_>> {
    Some(match value {
        Constant::Null => ConstantKey::String(b""),
        Constant::Bool(value) => ConstantKey::Long(i64::from(value)),
        Constant::Long(value) => ConstantKey::Long(value),
        Constant::Double(value) if numbers::is_long_compatible(value) => {
            ConstantKey::Long(numbers::double_to_long(value))
        }
        Constant::String(bytes) => match numbers::integer_key(bytes) {
            Some(key) => ConstantKey::Long(key),
            None => ConstantKey::String(bytes),
        },
        Constant::Double(_) | Constant::Array(_) => return None,
    })
}

impl<'a> Compiler<'a, '_> {
    /// The value of an expression that can be computed now, as in the places where Zend evaluates
    /// the tree before compiling it.
    pub fn fold(&mut self, expr: &Expr<'a>) -> Result<Option<Constant<'a>>> {
        match expr.kind {
            ExprKind::Int(value) => return Ok(Some(Constant::Long(value))),
            ExprKind::Float(value) => return Ok(Some(Constant::Double(value))),
            ExprKind::String(bytes) => return Ok(Some(Constant::String(bytes))),
            ExprKind::Const(name) => return self.fold_constant(&name),
            ExprKind::MagicConst(constant) => {
                return Ok(self.fold_magic_constant(constant, expr.line));
            }
            ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::And { .. }
            | ExprKind::Or { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Coalesce { .. }
            | ExprKind::Array(_)
            | ExprKind::Dim { .. }
            | ExprKind::ClassConst { .. }
            | ExprKind::ClassName { .. } => {}
            _ => return Ok(None),
        }
        self.enter()?;

        self.fold_compound(expr)
    }

    fn fold_compound(&mut self, expr: &Expr<'a>) -> Result<Option<Constant<'a>>> {
        let precision = self.options.precision;
        Ok(match expr.kind {
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                return self.fold_chain(operator, left, right);
            }
            ExprKind::Unary { operator, operand } => match self.fold(operand)? {
                Some(value) => unary(self.arena, operator, value, precision),
                None => None,
            },
            ExprKind::And { left, right } => self.fold_logical(left, right, false)?,
            ExprKind::Or { left, right } => self.fold_logical(left, right, true)?,
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let Some(condition) = self.fold(condition)? else {
                    return Ok(None);
                };
                match (to_bool(condition), then) {
                    (true, None) => Some(condition),
                    (true, Some(then)) => self.fold(then)?,
                    (false, _) => self.fold(otherwise)?,
                }
            }
            ExprKind::Coalesce { left, right } => match self.fold(left)? {
                Some(Constant::Null) => self.fold(right)?,
                other => other,
            },
            ExprKind::Array(literal) => self.fold_array(&literal)?,
            ExprKind::Dim { base, index } => {
                let Some(index) = index else {
                    return self.fail("Cannot use [] for reading");
                };
                let (Some(base), Some(index)) = (self.fold(base)?, self.fold(index)?) else {
                    return Ok(None);
                };
                fold_dim(self.arena, base, index)
            }
            ExprKind::ClassConst { class, name } => self.fold_class_constant(class, name)?,
            ExprKind::ClassName { class } => self.fold_class_name(class)?.map(Constant::String),
            _ => None,
        })
    }

    /// A chain of operators, deep on the left, without recursion there.
    fn fold_chain(
        &mut self,
        operator: BinaryOperator,
        left: &Expr<'a>,
        right: &Expr<'a>,
    ) -> Result<Option<Constant<'a>>> {
        let mut links = vec![(operator, *right)];
        let mut first = *left;
        while let ExprKind::Binary {
            operator,
            left,
            right,
        } = first.kind
        {
            links.push((operator, *right));
            first = *left;
        }
        let Some(first) = self.fold(&first)? else {
            return Ok(None);
        };
        let mut value = Chain::Constant(first);
        while let Some((operator, right)) = links.pop() {
            let Some(right) = self.fold(&right)? else {
                return Ok(None);
            };
            if !value.apply(self.arena, operator, right, self.options.precision) {
                return Ok(None);
            }
        }
        Ok(Some(value.finish(self.arena)))
    }

    fn fold_logical(
        &mut self,
        left: &Expr<'a>,
        right: &Expr<'a>,
        decisive: bool,
    ) -> Result<Option<Constant<'a>>> {
        let Some(left) = self.fold(left)? else {
            return Ok(None);
        };
        if to_bool(left) == decisive {
            return Ok(Some(Constant::Bool(decisive)));
        }
        Ok(self
            .fold(right)?
            .map(|right| Constant::Bool(to_bool(right))))
    }

    /// The value of an array literal whose parts are all constant.
    pub fn fold_array(&mut self, literal: &ArrayLiteral<'a>) -> Result<Option<Constant<'a>>> {
        let mut result = ConstantArray::new_in(self.arena);
        // An error only if all parts are constant: else it is one of running code.
        let mut problem = None;
        let mut is_constant = true;
        let mut last_line = None;
        for item in literal.items {
            let Some(item) = item else {
                self.line = last_line.unwrap_or(self.line);
                return self.fail("Cannot use empty array elements in arrays");
            };
            last_line = Some(item.line);
            if item.by_ref {
                // For what it complains about: `[]` cannot be read.
                self.fold(item.value)?;
                is_constant = false;
            }
            if !is_constant {
                continue;
            }
            let value = self.fold(item.value)?;
            if item.spread {
                match value {
                    Some(Constant::Array(array)) => {
                        for (key, value) in &array.entries {
                            match key {
                                ConstantKey::String(_) => result.update(*key, *value),
                                ConstantKey::Long(_) => is_constant &= result.push(*value),
                            }
                        }
                    }
                    Some(constant) => {
                        let name = super::types::value_name(constant);
                        problem.get_or_insert(format!(
                            "Only arrays and Traversables can be unpacked, {name} given"
                        ));
                    }
                    None => is_constant = false,
                }
                continue;
            }
            let key = match item.key {
                Some(key) => match self.fold(key)? {
                    Some(Constant::Array(_)) => {
                        problem.get_or_insert_with(|| String::from("Illegal offset type"));
                        is_constant &= value.is_some();
                        continue;
                    }
                    Some(key) => Some(array_key(key)),
                    None => Some(None),
                },
                None => None,
            };
            match (key, value) {
                (_, None) | (Some(None), _) => is_constant = false,
                (Some(Some(key)), Some(value)) => result.update(key, value),
                (None, Some(value)) => is_constant &= result.push(value),
            }
        }
        if !is_constant {
            return Ok(None);
        }
        if let Some(problem) = problem {
            return self.fail(problem);
        }
        Ok(Some(Constant::Array(self.arena.alloc(result))))
    }
}

fn fold_dim<'a>(arena: &'a Bump, base: Constant<'a>, index: Constant<'a>) -> Option<Constant<'a>> {
    match base {
        Constant::Array(array) => {
            let key = match index {
                Constant::Long(_) | Constant::String(_) => array_key(index)?,
                _ => return None,
            };
            array.get(key)
        }
        Constant::String(bytes) => {
            let offset = match index {
                Constant::Long(offset) => offset,
                Constant::String(index) => numbers::integer_key(index)?,
                _ => return None,
            };
            let byte = bytes.get(usize::try_from(offset).ok()?)?;
            Some(Constant::String(arena.alloc_slice_copy(&[*byte])))
        }
        _ => None,
    }
}
