//! Array literals, which are destructuring patterns when `=` follows them.

use super::{Parser, Result, T};
use crate::ast::{ArrayItem, ArrayLiteral, ArraySyntax, ExprKind as E, ExprRef};

impl<'a> Parser<'a, '_> {
    /// `[...]`
    pub(super) fn short_array(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.array_items(T::CloseBracket, ArraySyntax::Short)
    }

    /// `array(...)`
    pub(super) fn long_array(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        self.array_items(T::CloseParen, ArraySyntax::Long)
    }

    /// `list(...)`
    pub(super) fn list(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        self.expect(T::OpenParen)?;
        self.array_items(T::CloseParen, ArraySyntax::List)
    }

    /// The items up to the closing bracket. A comma before it ends the last item; any other place
    /// without an item is an empty slot.
    fn array_items(&mut self, close: T, syntax: ArraySyntax) -> Result<ExprRef<'a>> {
        let mark = self.items.len();
        let mut line = None;
        loop {
            if self.kind() == close {
                line.get_or_insert(self.line());
                break;
            }
            let item = match self.kind() {
                T::Comma => None,
                _ => Some(self.array_item()?),
            };
            line.get_or_insert_with(|| item.map_or(self.line(), |item| item.line));
            self.items.push(item);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(close)?;
        let items = self.arena.alloc_slice_copy(&self.items[mark..]);
        self.items.truncate(mark);
        let line = line.unwrap_or_else(|| self.previous_line());
        Ok(self.make(E::Array(ArrayLiteral { items, syntax }), line))
    }

    fn array_item(&mut self) -> Result<ArrayItem<'a>> {
        if self.eat(T::Ellipsis) {
            let value = self.expression()?;
            let line = value.line;
            return Ok(ArrayItem {
                key: None,
                value,
                by_ref: false,
                spread: true,
                line,
            });
        }
        if self.eat_ampersand() {
            return self.reference_item(None);
        }
        let first = self.array_value()?;
        let is_list = matches!(first.kind, E::Array(array) if array.syntax == ArraySyntax::List);
        if is_list || !self.eat(T::DoubleArrow) {
            let line = first.line;
            return Ok(ArrayItem {
                key: None,
                value: first,
                by_ref: false,
                spread: false,
                line,
            });
        }
        if self.eat_ampersand() {
            return self.reference_item(Some(first));
        }
        let value = self.array_value()?;
        let line = value.line;
        Ok(ArrayItem {
            key: Some(first),
            value,
            by_ref: false,
            spread: false,
            line,
        })
    }

    fn reference_item(&mut self, key: Option<ExprRef<'a>>) -> Result<ArrayItem<'a>> {
        let value = self.variable()?;
        Ok(ArrayItem {
            key,
            value,
            by_ref: true,
            spread: false,
            line: value.line,
        })
    }

    /// An item's value; inside of an array, `list(...)` needs no `=` after it.
    fn array_value(&mut self) -> Result<ExprRef<'a>> {
        if self.kind() != T::List {
            return self.expression();
        }
        self.nested(|parser| {
            let list = parser.list()?;
            match parser.kind() {
                T::Equals => {
                    let assigned = parser.destructure(list)?;
                    parser.continue_expression(assigned)
                }
                _ => Ok(list),
            }
        })
    }
}
