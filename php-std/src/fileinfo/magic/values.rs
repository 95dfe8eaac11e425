//! The values of rules: numbers and texts that stand in the place where a rule looks.

use super::format::{self, Shown, printable};
use super::pattern;
use super::{Form, Operand, Order, Rule, kind};

/// The most of a text that is compared and shown.
const MOST_TEXT: usize = 128;
/// What a rule found in its place.
pub(super) struct Seen {
    pub(super) is_match: bool,
    /// Where it ends, counted from where the rules of the group count.
    pub(super) end: i64,
    pub(super) shown: Shown,
}

/// Where a group looks.
#[derive(Clone, Copy)]
pub(super) struct View<'b> {
    pub(super) bytes: &'b [u8],
    /// Where its offsets count from.
    pub(super) base: i64,
    /// The order of numbers is the other one.
    pub(super) is_flipped: bool,
}

impl Seen {
    pub(super) fn nothing(end: i64) -> Seen {
        Seen {
            is_match: true,
            end,
            shown: Shown::Number(0, 4),
        }
    }
}

pub(super) fn flipped(order: Order) -> Order {
    match order {
        Order::Little => Order::Big,
        Order::Big => Order::Little,
        Order::Middle => Order::Middle,
    }
}

pub(super) fn value_of(bytes: &[u8], order: Order) -> u64 {
    let joined = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    match (order, bytes) {
        (Order::Middle, &[a, b, c, d]) => joined(&mut [b, a, d, c].iter()),
        (Order::Big, _) => joined(&mut bytes.iter()),
        _ => joined(&mut bytes.iter().rev()),
    }
}

/// Four bytes of seven bits each.
pub(super) fn seven_bits(value: u64) -> i64 {
    let part = |shift: u32| ((value >> shift & 0x7f) as i64) << (shift / 8 * 7);
    part(0) | part(8) | part(16) | part(24)
}

/// A number of so many bytes with its sign.
pub(super) fn extended(value: u64, size: usize) -> i64 {
    let shift = 64 - 8 * size as u32;
    ((value << shift) as i64) >> shift
}

pub(super) fn changed(value: i64, operator: u8, operand: i64) -> Option<i64> {
    Some(match operator {
        b'&' => value & operand,
        b'|' => value | operand,
        b'^' => value ^ operand,
        b'+' => value.wrapping_add(operand),
        b'-' => value.wrapping_sub(operand),
        b'*' => value.wrapping_mul(operand),
        b'/' => value.checked_div(operand)?,
        _ => value.checked_rem(operand)?,
    })
}

/// Whether a number is related to the operand of a rule.
pub(super) fn holds(rule: &Rule, value: u64) -> bool {
    let wanted = match rule.operand {
        Operand::Number(number) => number,
        _ => 0,
    };
    let bits = match rule.kind.size {
        8 => u64::MAX,
        size => (1 << (8 * size)) - 1,
    };
    let (value, wanted) = (value & bits, wanted & bits);
    let size = rule.kind.size;
    match rule.relation {
        b'x' => true,
        b'!' => value != wanted,
        b'=' => value == wanted,
        b'>' if rule.is_unsigned => value > wanted,
        b'<' if rule.is_unsigned => value < wanted,
        b'>' => extended(value, size) > extended(wanted, size),
        b'<' => extended(value, size) < extended(wanted, size),
        b'&' => value & wanted == wanted,
        _ => value & wanted != wanted,
    }
}

pub(super) fn number(rule: &Rule, data: &[u8], view: View<'_>, end: i64) -> Option<Seen> {
    let size = rule.kind.size;
    let mut padded = [0; 8];
    let present = size.min(data.len());
    padded[..present].copy_from_slice(&data[..present]);
    let bytes = &padded[..size];
    let order = match view.is_flipped {
        true => flipped(rule.kind.order),
        false => rule.kind.order,
    };
    let mut value = value_of(bytes, order);
    if rule.kind.form == Form::Real {
        let found = match size {
            4 => f32::from_bits(value as u32).into(),
            _ => f64::from_bits(value),
        };
        let wanted = match rule.operand {
            Operand::Real(number) => number,
            _ => 0.0,
        };
        let is_match = match rule.relation {
            b'x' => true,
            b'!' => found != wanted,
            b'=' => found == wanted,
            b'>' => found > wanted,
            b'<' => found < wanted,
            _ => false,
        };
        return Some(Seen {
            is_match,
            end,
            shown: Shown::Real(found),
        });
    }
    if let Some((operator, mask)) = rule.mask {
        value = match rule.is_unsigned {
            true if operator == b'/' => value.checked_div(mask)?,
            true if operator == b'%' => value.checked_rem(mask)?,
            _ => changed(extended(value, size), operator, mask as i64)? as u64,
        };
    }
    if rule.is_inverted {
        value = !value;
    }
    let bits = if size == 8 {
        u64::MAX
    } else {
        (1 << (8 * size)) - 1
    };
    value &= bits;
    let shown = match rule.kind.form {
        Form::Time { .. } => Shown::Text(format::time(extended(value, size))),
        // From 1601 on, in tenths of microseconds.
        Form::WindowsTime => {
            Shown::Text(format::time((value / 10_000_000) as i64 - 11_644_473_600))
        }
        Form::DosDate => Shown::Text(format::dos_date(value)),
        Form::DosTime => Shown::Text(format::dos_time(value)),
        _ => Shown::Number(value, size),
    };
    Some(Seen {
        is_match: holds(rule, value),
        end,
        shown,
    })
}

/// A rule for text that stands in its place.
pub(super) fn text(rule: &Rule, data: &[u8], room: usize, start: i64) -> Option<Seen> {
    let wanted = rule.text();
    let (mut skipped, mut step) = (0, 1);
    let converted;
    let found: &[u8] = match rule.kind.kind {
        kind::PASCAL => {
            let (size, order, counts_itself) = rule.flags.length;
            let length = value_of(data.get(..size)?, order.unwrap_or(Order::Little)) as usize;
            let length = length.saturating_sub(if counts_itself { size } else { 0 });
            skipped = size;
            let rest = &data[size..];
            &rest[..length.min(rest.len()).min(MOST_TEXT)]
        }
        kind::STRING => {
            if room < wanted.len() {
                return None;
            }
            data
        }
        _ => {
            step = 2;
            let is_big = rule.kind.kind == kind::BIG_STRING16;
            let units = data.chunks_exact(2).take(MOST_TEXT).map(|pair| {
                let (low, high) = match is_big {
                    true => (pair[1], pair[0]),
                    false => (pair[0], pair[1]),
                };
                if low == 0 && high != 0 { b' ' } else { low }
            });
            converted = units.take_while(|&byte| byte != 0).collect::<Vec<u8>>();
            &converted
        }
    };
    let difference = pattern::compare(wanted, found, rule.flags);
    let is_match = match rule.relation {
        b'x' => true,
        b'!' => difference != 0,
        b'=' => difference == 0,
        b'>' => difference > 0,
        b'<' => difference < 0,
        _ => false,
    };
    let is_fixed = matches!(rule.relation, b'=' | b'!');
    let (shown, length) = match is_fixed {
        true => (wanted, wanted.len()),
        false => {
            let most = &found[..found.len().min(MOST_TEXT - 1)];
            let end = most
                .iter()
                .position(|&byte| byte == 0 || wanted.is_empty() && matches!(byte, b'\r' | b'\n'));
            let shown = &most[..end.unwrap_or(most.len())];
            (shown, shown.len())
        }
    };
    let shown = match rule.flags.is_trimmed {
        true => shown.trim_ascii(),
        false => shown,
    };
    Some(Seen {
        is_match,
        end: start + (skipped + length * step) as i64,
        shown: Shown::Text(printable(shown)),
    })
}
