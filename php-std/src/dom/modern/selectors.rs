//! Finding elements by selectors of CSS.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::dom::css::{self, Problem as Refusal, Selectors};
use crate::dom::lists::{self, List};
use crate::dom::object::{Problem, this, throw_text, wrap, wrap_optional};
use crate::xml::tree::Kind;

/// Throws if looking at elements came to what is not supported.
fn check(call: &mut Call<'_>, selectors: &Selectors) -> PhpResult<()> {
    match selectors.is_unsupported() {
        true => Err(call.value_error(0, "contains an unsupported selector")),
        false => Ok(()),
    }
}

fn parse(vm: &mut Vm, text: &[u8]) -> PhpResult<Selectors> {
    match css::parse(text) {
        Ok(selectors) => Ok(selectors),
        Err(Refusal::Blank) => {
            let text = ":blank selector is not implemented because CSSWG has not yet decided its semantics (https://github.com/w3c/csswg-drafts/issues/1967)";
            Err(throw_text(vm, Problem::NotSupported, text))
        }
        Err(Refusal::Invalid(what)) => {
            let what = String::from_utf8_lossy(&what).into_owned();
            let text = format!("Invalid selector (Selectors. {what})");
            Err(throw_text(vm, Problem::Syntax, &text))
        }
    }
}

pub(super) fn query_selector(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let selectors = parse(call.vm, call.bytes(0))?;
    let found = css::select(&document, id, &selectors, true);
    check(call, &selectors)?;
    wrap_optional(call.vm, &document, found.first().copied())
}

pub(super) fn query_selector_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let selectors = parse(call.vm, call.bytes(0))?;
    let found = css::select(&document, id, &selectors, false);
    check(call, &selectors)?;
    let mut values = Vec::with_capacity(found.len());
    for id in found {
        values.push(wrap(call.vm, &document, id)?);
    }
    lists::make(call.vm, "Dom\\NodeList", List::found(&document, values))
}

pub(super) fn matches(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let selectors = parse(call.vm, call.bytes(0))?;
    let is_match = css::matches(&document.read(), id, &selectors);
    check(call, &selectors)?;
    Ok(is_match.into())
}

pub(super) fn closest(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let selectors = parse(call.vm, call.bytes(0))?;
    let found = {
        let tree = document.read();
        std::iter::once(id)
            .chain(tree.ancestors(id))
            .filter(|&id| tree[id].kind == Kind::Element)
            .find(|&id| css::matches(&tree, id, &selectors))
    };
    check(call, &selectors)?;
    wrap_optional(call.vm, &document, found)
}
