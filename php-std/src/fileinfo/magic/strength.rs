//! How much it says that a rule matches: the strongest are tried first.

use super::{Form, Group, Operand, Order, Rule, kind};

const UNIT: i64 = 10;

/// The strength of a group's first rule, and what decides among equals: libmagic compares the bytes of its
/// compiled form.
pub(super) fn order(group: &Group) -> (i64, Vec<u8>) {
    let rule = &group.rules[0];
    (strength(rule), compiled(rule, group.is_for_text))
}

/// Characters of a pattern that stand for themselves, at least one.
fn literal_count(pattern: &[u8]) -> i64 {
    let mut count = 0;
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                if pattern.get(at + 1).is_none() {
                    count += 1;
                }
                at += 1;
                count += i64::from(at < pattern.len());
            }
            b'?' | b'*' | b'.' | b'+' | b'^' | b'$' => {}
            b'[' | b'{' => {
                let close = if byte == b'[' { b']' } else { b'}' };
                while pattern.get(at).is_some_and(|&byte| byte != close) {
                    at += 1;
                }
            }
            _ => count += 1,
        }
        at += 1;
    }
    count.max(1)
}

fn strength(rule: &Rule) -> i64 {
    let length = rule.text().len() as i64;
    let mut value = 2 * UNIT;
    value += match rule.kind.kind {
        kind::DEFAULT => return 0,
        kind::STRING | kind::PASCAL => length * UNIT,
        kind::BIG_STRING16 | kind::LITTLE_STRING16 => length * UNIT / 2,
        kind::SEARCH if length > 0 => length * (UNIT / length).max(1),
        kind::REGEX => {
            let count = literal_count(rule.text());
            count * (UNIT / count).max(1)
        }
        kind::GUID => 16 * UNIT,
        kind::DER => UNIT,
        kind::OFFSET => 8 * UNIT,
        _ => rule.kind.size as i64 * UNIT,
    };
    match rule.relation {
        b'x' | b'!' => value = 0,
        b'=' => value += UNIT,
        b'>' | b'<' => value -= 2 * UNIT,
        _ => value -= UNIT,
    }
    if let Some((operator, factor)) = rule.factor {
        value = match operator {
            b'+' => value + factor,
            b'-' => value - factor,
            b'*' => value * factor,
            _ => value / factor.max(1),
        };
    }
    // What has nothing to say depends on the rules below it.
    value.max(1) + i64::from(rule.description.is_empty())
}

fn compiled(rule: &Rule, is_for_text: bool) -> Vec<u8> {
    let place = &rule.place;
    let mut flags: u16 = 0;
    let mut set = |is_set: bool, bit: u16| flags |= if is_set { bit } else { 0 };
    set(place.indirect.is_some(), 1);
    set(place.is_relative, 2);
    set(place.result_is_relative, 4);
    set(rule.is_unsigned, 8);
    set(rule.is_joined, 0x10);
    set(!is_for_text, 0x20);
    set(is_for_text, 0x40);
    set(place.from_end, 0x80);
    let length = match rule.operand {
        Operand::Text(_) => rule.text().len() as u8,
        _ => 0,
    };
    let variant = match (rule.kind.form, rule.kind.order) {
        (Form::Integer | Form::Real, Order::Little) => 0,
        _ => 1,
    };
    let mut bytes = flags.to_le_bytes().to_vec();
    bytes.extend([0, 0, rule.relation, length, rule.kind.kind + variant]);
    bytes.extend((place.offset as i32).to_le_bytes());
    bytes.extend((rule.line as u32).to_le_bytes());
    bytes
}
