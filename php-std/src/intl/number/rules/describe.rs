//! Rules as a description that they could have been made of.

use std::fmt::Write;

use super::{Piece, Rule, RuleSet, Rules, Share, Target, exponent_of};

pub(super) fn described(rules: &Rules) -> String {
    let mut target = String::new();
    for set in &rules.sets {
        target.push_str(&set.name);
        target.push_str(":\n");
        Describer { rules }.set(set, &mut target);
    }
    target
}

struct Describer<'d> {
    rules: &'d Rules,
}

impl Describer<'_> {
    fn set(&self, set: &RuleSet, target: &mut String) {
        for rule in &set.rules {
            let mut head = rule.base.to_string();
            if rule.radix != 10 {
                let _ = write!(head, "/{}", rule.radix);
            }
            let less = exponent_of(rule.base, rule.radix).saturating_sub(rule.exponent);
            head.push_str(&">".repeat(less as usize));
            self.rule(&head, rule, target);
        }
        let special = [
            ("-x", &set.negative),
            ("x.x", &set.improper),
            ("0.x", &set.proper),
            ("x.0", &set.any),
            ("Inf", &set.infinite),
            ("NaN", &set.not_a_number),
        ];
        for (head, rule) in special {
            if let Some(rule) = rule {
                self.rule(head, rule, target);
            }
        }
    }

    fn rule(&self, head: &str, rule: &Rule, target: &mut String) {
        target.push_str(head);
        target.push_str(": ");
        if let Some(Piece::Text(text)) = rule.pieces.first()
            && text.starts_with(' ')
        {
            target.push('\'');
        }
        for piece in &rule.pieces {
            match piece {
                Piece::Text(text) => target.push_str(text),
                Piece::Plural { ordinal, cases } => {
                    let kind = if *ordinal { "ordinal" } else { "cardinal" };
                    let _ = write!(target, "$({kind},");
                    for (name, text) in cases {
                        let _ = write!(target, "{name}{{{text}}}");
                    }
                    target.push_str(")$");
                }
                Piece::Part(share, by) => self.part(*share, *by, target),
            }
        }
        target.push_str(";\n");
    }

    fn part(&self, share: Share, by: Target, target: &mut String) {
        let sign = match share {
            Share::Same => '=',
            Share::Quotient | Share::Whole | Share::Numerator { .. } => '<',
            Share::Remainder(_) | Share::Fraction | Share::Digits { .. } | Share::Absolute => '>',
        };
        let zeros = if share == (Share::Numerator { zeros: true }) {
            "<"
        } else {
            ""
        };
        let inside = match (share, by) {
            (Share::Remainder(Some(_)), _) | (Share::Digits { spaced: false }, _) => ">",
            (_, Target::Set(set)) => &self.rules.sets[set].name,
            (_, Target::Pattern(pattern)) => &self.rules.pattern_texts[pattern],
        };
        let _ = write!(target, "{sign}{inside}{sign}{zeros}");
    }
}
