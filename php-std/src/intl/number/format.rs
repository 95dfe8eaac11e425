//! Writing numbers.

use super::affix::{Token, tokens};
use super::decimal::Decimal;
use super::pattern::{Padding, Settings};
use super::symbols::{self, *};

/// A number that a formatter takes.
#[derive(Debug, Clone)]
pub(in crate::intl) enum Number {
    Whole(i64),
    Finite(Decimal),
    Infinite { negative: bool },
    Nan,
}

impl Number {
    pub(in crate::intl) fn of_long(number: i64) -> Number {
        Number::Whole(number)
    }

    pub(in crate::intl) fn of_double(number: f64) -> Number {
        if number.is_nan() {
            Number::Nan
        } else if number.is_infinite() {
            Number::Infinite {
                negative: number < 0.0,
            }
        } else {
            Number::Finite(Decimal::of_double(number))
        }
    }
}

/// All that is needed to write numbers in a way.
#[derive(Debug, Clone)]
pub(in crate::intl) struct Format {
    pub(super) settings: Settings,
    pub(super) symbols: [String; COUNT],
    /// The locale whose names of currencies are used.
    pub(super) locale: String,
    pub(super) currency: String,
    /// The sign of the currency was set by the script.
    pub(super) own_symbol: bool,
    /// The number of fraction digits was set, and not by the currency.
    pub(super) own_fraction: bool,
    pub(super) mode: i64,
}

fn is_letter_like(character: char) -> bool {
    !matches!(character,
        '$' | '¢'..='¥' | '֏' | '؋' | '৲' | '৳' | '৻' | '૱' | '௹' | '฿' | '៛' | '₠'..='⃀' | '꠸' | '﷼' | '﹩'
        | '＄' | '￠' | '￡' | '￥' | '￦' | '+' | '<' | '=' | '>' | '|' | '~' | '^' | '`' | '¦' | '¨' | '©' | '®'
        | '°' | '±')
        && !character.is_whitespace()
        && !matches!(character, '\u{a0}' | '\u{202f}')
}

impl Format {
    pub(super) fn has_currency(&self) -> bool {
        [&self.settings.prefix, &self.settings.suffix]
            .iter()
            .any(|affix| super::affix::has(affix, '¤'))
    }

    fn currency_text(&self, count: usize, code: &str) -> String {
        match count {
            1 if self.own_symbol => self.symbols[CURRENCY].clone(),
            1 => symbols::currency_symbol(&self.locale, code),
            2 => code.to_owned(),
            _ => symbols::currency_name(&self.locale, code),
        }
    }

    /// A prefix or suffix as it is shown. Between a currency without a sign of its own and a digit there is a space.
    pub(super) fn affix(&self, affix: &str, code: &str, digit: Option<bool>) -> String {
        let tokens = tokens(affix);
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Character(character) => text.push(*character),
                Token::Minus => text.push_str(&self.symbols[MINUS]),
                Token::Plus => text.push_str(&self.symbols[PLUS]),
                Token::Percent => text.push_str(&self.symbols[PERCENT]),
                Token::PerMille => text.push_str(&self.symbols[PER_MILLE]),
                Token::Currency(count) => {
                    let shown = self.currency_text(*count, code);
                    let is_suffix = digit == Some(false);
                    if is_suffix && at == 0 && shown.chars().next().is_some_and(is_letter_like) {
                        text.push('\u{a0}');
                    }
                    text.push_str(&shown);
                    let is_last = digit == Some(true) && at + 1 == tokens.len();
                    if is_last && shown.chars().last().is_some_and(is_letter_like) {
                        text.push('\u{a0}');
                    }
                }
            }
        }
        text
    }

    fn negative_affixes(&self) -> (String, String) {
        match &self.settings.negative {
            Some((prefix, suffix)) => (prefix.clone(), suffix.clone()),
            None => (
                format!("-{}", self.settings.prefix),
                self.settings.suffix.clone(),
            ),
        }
    }

    /// Prefix and suffix as a script is told of them.
    pub(super) fn shown_affixes(&self, negative: bool) -> (String, String) {
        let (prefix, suffix) = match negative {
            true => self.negative_affixes(),
            false => (self.settings.prefix.clone(), self.settings.suffix.clone()),
        };
        (
            self.affix(&prefix, &self.currency, None),
            self.affix(&suffix, &self.currency, None),
        )
    }

    /// The digits after the point: at least and at most.
    pub(super) fn fraction(&self, code: &str) -> (i32, i32) {
        if self.has_currency() && !self.own_fraction {
            let digits = symbols::currency_digits(code);
            return (digits, digits);
        }
        (self.settings.least_fraction, self.settings.most_fraction)
    }

    /// Writes a number, an amount of the currency if the pattern has one.
    pub(in crate::intl) fn write(&self, number: &Number, code: &str) -> String {
        self.write_as(number, code, self.has_currency())
    }

    /// As [`Format::write`]; amounts of money have separators of their own, whatever the pattern says.
    pub(super) fn write_as(&self, number: &Number, code: &str, is_money: bool) -> String {
        let finite = match number {
            Number::Whole(number) => Ok(Decimal::of_long(*number)),
            Number::Finite(decimal) => Ok(decimal.clone()),
            Number::Infinite { negative } => Err((*negative, INFINITY)),
            Number::Nan => Err((false, NAN)),
        };
        let is_finite = finite.is_ok();
        let (negative, text) = match finite {
            Err((negative, symbol)) => (negative, self.symbols[symbol].clone()),
            Ok(mut decimal) => {
                if self.settings.multiplier != 1 {
                    decimal.multiply(self.settings.multiplier);
                }
                let text = match self.settings.exponent {
                    Some(exponent) => self.scientific(&mut decimal, exponent),
                    None => self.plain(&mut decimal, code, is_money),
                };
                (decimal.negative, text)
            }
        };
        let (prefix, suffix) = match negative {
            true => self.negative_affixes(),
            false => (self.settings.prefix.clone(), self.settings.suffix.clone()),
        };
        let starts = is_finite;
        let prefix = self.affix(&prefix, code, starts.then_some(true));
        let suffix = self.affix(&suffix, code, starts.then_some(false));
        self.padded(&prefix, &text, &suffix)
    }

    fn padded(&self, prefix: &str, text: &str, suffix: &str) -> String {
        let length = [prefix, text, suffix]
            .iter()
            .map(|part| part.chars().count())
            .sum::<usize>();
        let missing = (self.settings.width.max(0) as usize).saturating_sub(length);
        let padding: String = std::iter::repeat_n(self.settings.pad, missing).collect();
        match self.settings.padding {
            Padding::BeforePrefix => format!("{padding}{prefix}{text}{suffix}"),
            Padding::AfterPrefix => format!("{prefix}{padding}{text}{suffix}"),
            Padding::BeforeSuffix => format!("{prefix}{text}{padding}{suffix}"),
            Padding::AfterSuffix => format!("{prefix}{text}{suffix}{padding}"),
        }
    }

    fn round(&self, decimal: &mut Decimal, most: i32) {
        if let Some((increment, power)) = self.settings.increment {
            decimal.round_to(increment, power, self.mode);
        } else if most == i32::MAX {
            // A pattern that says nothing shows six digits.
            decimal.round(-6, self.mode);
        } else if most <= 340 {
            decimal.round(-most, self.mode);
        }
    }

    fn push_digit(&self, text: &mut String, digit: u8) {
        let zero = self.symbols[ZERO].chars().next().unwrap_or('0');
        if zero.is_numeric() {
            text.extend(char::from_u32(zero as u32 + u32::from(digit)));
        } else if digit == 0 {
            text.push(zero);
        } else {
            text.push(char::from(b'0' + digit));
        }
    }

    fn plain(&self, decimal: &mut Decimal, code: &str, is_money: bool) -> String {
        let (mut least, most) = self.fraction(code);
        let mut least_whole = self.settings.least_whole;
        match self.settings.significant {
            Some((low, high)) => {
                decimal.round_to_digits(high, self.mode);
                let shown = decimal.point.max(1);
                least = (low - decimal.point.min(shown)).max(0);
                if decimal.is_zero() {
                    least = low - 1;
                }
                least_whole = least_whole.max(1);
            }
            None => self.round(decimal, most),
        }
        let highest = decimal.point.max(least_whole);
        let whole = self
            .settings
            .most_whole
            .map_or(highest, |most| highest.min(most));
        let mut text = String::new();
        let (group, point) = match is_money {
            true => (&self.symbols[MONEY_GROUP], &self.symbols[MONEY_DECIMAL]),
            false => (&self.symbols[GROUP], &self.symbols[DECIMAL]),
        };
        for power in (0..whole).rev() {
            self.push_digit(&mut text, decimal.digit(power));
            if self.is_group_end(power) {
                text.push_str(group);
            }
        }
        let last = (-decimal.lowest()).max(least);
        // A pattern that says nothing shows a zero as well.
        if whole == 0 && (last <= 0 || self.settings.most_fraction == i32::MAX) {
            self.push_digit(&mut text, 0);
        }
        if last > 0 || self.settings.always_point {
            text.push_str(point);
        }
        for power in 1..=last {
            self.push_digit(&mut text, decimal.digit(-power));
        }
        text
    }

    /// True if a separator follows the digit of a power.
    fn is_group_end(&self, power: i32) -> bool {
        let (near, far) = (self.settings.group, self.settings.further_group);
        if !self.settings.is_grouped || near <= 0 || power < near {
            return false;
        }
        let far = if far > 0 { far } else { near };
        (power - near) % far == 0
    }

    fn scientific(
        &self,
        decimal: &mut Decimal,
        (least_exponent, is_signed): (i32, bool),
    ) -> String {
        let settings = &self.settings;
        let least_whole = settings.least_whole;
        let most_whole = settings.most_whole.unwrap_or(1).max(1);
        let digits = match settings.significant {
            Some((low, high)) => Some((low, high)),
            None if least_whole == 0 && settings.most_fraction == 0 => None,
            None if least_whole == 0 && settings.least_fraction == 0 => {
                Some((1, settings.most_fraction + 1))
            }
            None => {
                let most = least_whole + settings.most_fraction;
                let least = if most_whole > least_whole {
                    1
                } else {
                    least_whole
                };
                Some((least + settings.least_fraction, most))
            }
        };
        if let Some((_, most)) = digits {
            decimal.round_to_digits(most, self.mode);
        }
        // How many digits stand before the point.
        let shown = if decimal.is_zero() {
            least_whole.max(1)
        } else if most_whole > least_whole.max(1) {
            (decimal.point - 1).rem_euclid(most_whole) + 1
        } else {
            least_whole.max(1)
        };
        let exponent = if decimal.is_zero() {
            0
        } else {
            decimal.point - shown
        };
        let mut text = String::new();
        for power in (0..shown).rev() {
            self.push_digit(&mut text, decimal.digit(power + exponent));
        }
        let least = digits.map_or(0, |(least, _)| least - shown);
        let last = (exponent - decimal.lowest()).max(least);
        let last = if decimal.is_zero() { least } else { last };
        if last > 0 || settings.always_point {
            text.push_str(&self.symbols[DECIMAL]);
        }
        for power in 1..=last {
            self.push_digit(&mut text, decimal.digit(exponent - power));
        }
        text.push_str(&self.symbols[EXPONENT]);
        if exponent < 0 {
            text.push_str(&self.symbols[MINUS]);
        } else if is_signed {
            text.push_str(&self.symbols[PLUS]);
        }
        let digits = exponent.abs().to_string();
        let missing =
            usize::try_from(least_exponent).map_or(0, |least| least.saturating_sub(digits.len()));
        for digit in std::iter::repeat_n(b'0', missing).chain(digits.bytes()) {
            self.push_digit(&mut text, digit - b'0');
        }
        text
    }
}
