//! Writing numbers by rules.

use super::{Piece, Rule, RuleSet, Rules, Share, Target};
use crate::intl::message::plural_form;
use crate::intl::number::decimal::{Decimal, rounding};
use crate::intl::number::format::Number;
use crate::intl::number::symbols::{INFINITY, NAN};

/// How deep rules may call others: those that go around in a circle end there.
const DEEPEST: usize = 64;

/// The largest number in size that is taken for a whole one.
const LARGEST: f64 = 18_014_398_509_481_984.0;

/// Digits behind the point that are written one by one.
const MOST_DIGITS: i32 = 20;

/// A number as rules look at it.
#[derive(Clone, Copy)]
enum Value {
    Whole(i64),
    Double(f64),
}

impl Value {
    fn double(self) -> f64 {
        match self {
            Value::Whole(number) => number as f64,
            Value::Double(number) => number,
        }
    }

    /// A number that came out of a calculation; without a fraction it is a whole one.
    fn of(number: f64) -> Value {
        match number == number.floor() && number.is_finite() {
            true => Value::Whole(whole(number)),
            false => Value::Double(number),
        }
    }

    fn is_negative(self) -> bool {
        match self {
            Value::Whole(number) => number < 0,
            Value::Double(number) => number < 0.0,
        }
    }

    fn number(self) -> Number {
        match self {
            Value::Whole(number) => Number::of_long(number),
            Value::Double(number) => Number::of_double(number),
        }
    }
}

/// What stands in front of the point, within limits.
fn whole(number: f64) -> i64 {
    number.clamp(-LARGEST, LARGEST) as i64
}

pub(super) fn written(rules: &Rules, number: &Number) -> String {
    let value = match number {
        // Its size is no number.
        Number::Whole(i64::MIN) => return rules.usual.write(number, ""),
        Number::Whole(number) => Value::Whole(*number),
        Number::Finite(decimal) => Value::Double(decimal.double()),
        Number::Infinite { negative: true } => Value::Double(f64::NEG_INFINITY),
        Number::Infinite { negative: false } => Value::Double(f64::INFINITY),
        Number::Nan => Value::Double(f64::NAN),
    };
    let mut target = String::new();
    Writer { rules }.by_set(&rules.sets[rules.chosen], value, 0, &mut target);
    target
}

struct Writer<'w> {
    rules: &'w Rules,
}

impl Writer<'_> {
    fn by_set(&self, set: &RuleSet, value: Value, depth: usize, target: &mut String) {
        if depth >= DEEPEST {
            return;
        }
        let symbols = &self.rules.usual.symbols;
        let number = value.double();
        if number.is_nan() && set.not_a_number.is_none() {
            target.push_str(&symbols[NAN]);
            return;
        }
        match rule_for(set, value) {
            Some(rule) => self.by_rule(set, rule, value, depth, target),
            None if number.is_infinite() => target.push_str(&symbols[INFINITY]),
            None => {}
        }
    }

    fn by_rule(&self, set: &RuleSet, rule: &Rule, value: Value, depth: usize, target: &mut String) {
        for piece in &rule.pieces {
            match piece {
                Piece::Text(text) => target.push_str(text),
                Piece::Plural { ordinal, cases } => {
                    let counted = counted(rule, value).to_string();
                    let form = plural_form(&self.rules.locale, *ordinal, &counted);
                    let of = |wanted: &str| cases.iter().find(|(name, _)| name == wanted);
                    if let Some((_, text)) = of(form).or_else(|| of("other")) {
                        target.push_str(text);
                    }
                }
                Piece::Part(share, by) => {
                    self.part(set, rule, *share, *by, value, depth + 1, target);
                }
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of them differ from part to part"
    )]
    fn part(
        &self,
        own: &RuleSet,
        rule: &Rule,
        share: Share,
        by: Target,
        value: Value,
        depth: usize,
        target: &mut String,
    ) {
        let set = match by {
            Target::Set(set) => Some(&self.rules.sets[set]),
            Target::Pattern(_) => None,
        };
        match share {
            Share::Digits { spaced } => {
                if let Some(set) = set {
                    self.digits(set, value.double(), spaced, depth, target);
                }
                return;
            }
            Share::Numerator { zeros: true } => {
                if let Some(set) = set {
                    let mut count = (value.double() * rule.base as f64).round() as i64;
                    while count > 0 && count.saturating_mul(10) < rule.base {
                        count *= 10;
                        self.by_set(set, Value::Whole(0), depth, target);
                        target.push(' ');
                    }
                }
            }
            _ => {}
        }
        let taken = taken(rule, share, value, set.is_some());
        match (by, share) {
            (_, Share::Remainder(Some(other))) => {
                if depth < DEEPEST {
                    self.by_rule(own, &own.rules[other], taken, depth, target);
                }
            }
            (Target::Set(set), _) => {
                let taken = match taken {
                    Value::Double(number) => Value::of(number),
                    taken => taken,
                };
                self.by_set(&self.rules.sets[set], taken, depth, target);
            }
            (Target::Pattern(pattern), _) => {
                let format = &self.rules.patterns[pattern];
                target.push_str(&format.write(&taken.number(), ""));
            }
        }
    }

    /// The digits behind the point, one by one; a nought if there are none.
    fn digits(&self, set: &RuleSet, number: f64, spaced: bool, depth: usize, target: &mut String) {
        let mut decimal = Decimal::of_double(number);
        decimal.round(-MOST_DIGITS, rounding::HALF_EVEN);
        let count = (-decimal.lowest()).max(0);
        for power in 1..=count {
            if spaced && power > 1 {
                target.push(' ');
            }
            let digit = i64::from(decimal.digit(-power));
            self.by_set(set, Value::Whole(digit), depth, target);
        }
        if count == 0 {
            self.by_set(set, Value::Whole(0), depth, target);
        }
    }
}

/// The divisor of a rule.
fn divisor(rule: &Rule) -> i64 {
    rule.radix.saturating_pow(rule.exponent).max(1)
}

/// The number that the form of a text goes by.
fn counted(rule: &Rule, value: Value) -> i32 {
    match value {
        Value::Whole(number) => (number / divisor(rule)) as i32,
        Value::Double(number) if (0.0..1.0).contains(&number) => {
            (number * divisor(rule) as f64).round() as i32
        }
        Value::Double(number) => (number / divisor(rule) as f64) as i32,
    }
}

/// The part of a number that is written.
fn taken(rule: &Rule, share: Share, value: Value, by_rules: bool) -> Value {
    let divisor = divisor(rule);
    match (share, value) {
        (Share::Same, value) => value,
        (Share::Quotient, Value::Whole(number)) if by_rules => Value::Whole(number / divisor),
        (Share::Quotient, value) => Value::Double((value.double() / divisor as f64).floor()),
        (Share::Remainder(_), Value::Whole(number)) => Value::Whole(number % divisor),
        (Share::Remainder(_), Value::Double(number)) => Value::Double(number % divisor as f64),
        (Share::Whole, Value::Double(number)) => Value::Double(number.floor()),
        (Share::Whole, value) => value,
        (Share::Fraction | Share::Digits { .. }, value) => {
            Value::Double(value.double() - value.double().floor())
        }
        (Share::Absolute, Value::Whole(number)) => Value::Whole(number.wrapping_abs()),
        (Share::Absolute, Value::Double(number)) => Value::Double(number.abs()),
        (Share::Numerator { .. }, value) => {
            Value::Double((value.double() * rule.base as f64).round())
        }
    }
}

/// The rule of a set for a number.
fn rule_for(set: &RuleSet, value: Value) -> Option<&Rule> {
    let number = value.double();
    if set.is_fraction {
        return fraction_rule(set, number);
    }
    if number.is_nan() {
        return set.not_a_number.as_ref();
    }
    if value.is_negative() && set.negative.is_some() {
        return set.negative.as_ref();
    }
    let size = match value {
        Value::Whole(number) => number.saturating_abs(),
        Value::Double(number) => {
            let number = number.abs();
            if number.is_infinite() {
                return set.infinite.as_ref();
            }
            if number != number.floor() {
                if number < 1.0 && set.proper.is_some() {
                    return set.proper.as_ref();
                }
                if set.improper.is_some() {
                    return set.improper.as_ref();
                }
            }
            if set.any.is_some() {
                return set.any.as_ref();
            }
            whole(number + 0.5)
        }
    };
    let Some(last) = set
        .rules
        .partition_point(|rule| rule.base <= size)
        .checked_sub(1)
    else {
        return set.any.as_ref();
    };
    let rule = &set.rules[last];
    if rule.base == size {
        return Some(rule);
    }
    // A multiple of the divisor goes by the rule in front, if this one is not for multiples.
    let divides = rule
        .pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Part(Share::Remainder(_), _)));
    let divisor = divisor(rule);
    if divides && size % divisor == 0 && rule.base % divisor != 0 {
        return last.checked_sub(1).map(|last| &set.rules[last]);
    }
    Some(rule)
}

fn greatest_divisor(one: i64, two: i64) -> i64 {
    match two {
        0 => one,
        two => greatest_divisor(two, one % two),
    }
}

/// The rule of a set whose denominator a fraction comes nearest to.
fn fraction_rule(set: &RuleSet, number: f64) -> Option<&Rule> {
    let bases = || set.rules.iter().map(|rule| rule.base.max(1));
    let multiple = bases().fold(1i64, |multiple, base| {
        (multiple / greatest_divisor(multiple, base)).saturating_mul(base)
    });
    let numerator = whole(number * multiple as f64 + 0.5);
    // In 64 bits, as ICU counts, whatever comes out.
    let difference = |base: i64| {
        let over = numerator.wrapping_mul(base) % multiple;
        over.min(multiple.wrapping_sub(over))
    };
    let mut nearest = 0;
    let mut least = i64::MAX;
    for (index, base) in bases().enumerate() {
        let own = difference(base);
        if own < least {
            (nearest, least) = (index, own);
        }
        if own == 0 {
            break;
        }
    }
    set.rules.first()?;
    // Of two rules of a denominator the first is for one part.
    let base = set.rules[nearest].base;
    let is_pair = set
        .rules
        .get(nearest + 1)
        .is_some_and(|next| next.base == base);
    let parts = base as f64 * number;
    let is_one = (0.5..2.0).contains(&parts);
    set.rules.get(nearest + usize::from(is_pair && !is_one))
}
