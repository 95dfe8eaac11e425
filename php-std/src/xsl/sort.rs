//! `xsl:sort`

use std::cmp::Ordering;

use super::run::{Done, Run};
use super::stylesheet::Sort;
use crate::xml::xpath::{Item, Value, value_number};

/// What a node is sorted by.
enum SortKey {
    Number(f64),
    Text(Vec<u8>),
}

impl Run<'_> {
    /// Sorts nodes by criteria, the first one counting most.
    pub(super) fn sort(&mut self, nodes: Vec<Item>, sorts: &[Sort]) -> Done<Vec<Item>> {
        if sorts.is_empty() || nodes.len() < 2 {
            return Ok(nodes);
        }
        let mut columns: Vec<(Vec<SortKey>, bool)> = Vec::new();
        for sort in sorts {
            let mut text = |template: &Option<super::stylesheet::Template>| match template {
                Some(template) => self.template(template),
                None => Ok(None),
            };
            let is_number = text(&sort.data_type)?.as_deref() == Some(b"number");
            let is_descending = text(&sort.order)?.as_deref() == Some(b"descending");
            text(&sort.case_order)?;
            let origin = std::mem::replace(&mut self.origin, sort.origin.clone());
            let old = (self.node.clone(), self.current.clone());
            let place = (self.position, self.size);
            self.size = nodes.len();
            let mut keys = Vec::with_capacity(nodes.len());
            for (index, node) in nodes.iter().enumerate() {
                self.position = index + 1;
                self.node = node.clone();
                self.current = node.clone();
                let value = match &sort.select {
                    Some(select) => self.evaluate(select)?,
                    None => Some(Value::Nodes(vec![node.clone()])),
                };
                let value = value.unwrap_or(Value::Text(Vec::new()));
                keys.push(match is_number {
                    true => SortKey::Number(value_number(&self.document, &value)),
                    false => SortKey::Text(self.text(&value)),
                });
            }
            (self.node, self.current) = old;
            (self.position, self.size) = place;
            self.origin = origin;
            columns.push((keys, is_descending));
        }
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|&one, &other| {
            for (keys, is_descending) in &columns {
                let found = match (&keys[one], &keys[other]) {
                    (SortKey::Number(a), SortKey::Number(b)) => match (a.is_nan(), b.is_nan()) {
                        (true, true) => Ordering::Equal,
                        (true, false) => Ordering::Less,
                        (false, true) => Ordering::Greater,
                        _ => a.total_cmp(b),
                    },
                    (SortKey::Text(a), SortKey::Text(b)) => a.cmp(b),
                    _ => Ordering::Equal,
                };
                let found = if *is_descending {
                    found.reverse()
                } else {
                    found
                };
                if found != Ordering::Equal {
                    return found;
                }
            }
            Ordering::Equal
        });
        Ok(order
            .into_iter()
            .map(|index| nodes[index].clone())
            .collect())
    }
}
