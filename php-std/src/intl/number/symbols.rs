//! Signs of numbers, digits and currencies of a locale.

use crate::intl::ident::{Ident, resource, resource_text};
use crate::intl::pack;

pub(super) const DECIMAL: usize = 0;
pub(super) const GROUP: usize = 1;
pub(super) const PERCENT: usize = 3;
pub(super) const ZERO: usize = 4;
pub(super) const MINUS: usize = 6;
pub(super) const PLUS: usize = 7;
pub(super) const CURRENCY: usize = 8;
pub(super) const ISO_CURRENCY: usize = 9;
pub(super) const MONEY_DECIMAL: usize = 10;
pub(super) const EXPONENT: usize = 11;
pub(super) const PER_MILLE: usize = 12;
pub(super) const INFINITY: usize = 14;
pub(super) const NAN: usize = 15;
pub(super) const MONEY_GROUP: usize = 17;
/// How many there are.
pub(super) const COUNT: usize = 18;

/// The names of the symbols in resources, and what they are where nothing is said.
const NAMES: [(&str, &str); COUNT] = [
    ("decimal", "."),
    ("group", ","),
    ("", ";"),
    ("percentSign", "%"),
    ("", "0"),
    ("", "#"),
    ("minusSign", "-"),
    ("plusSign", "+"),
    ("", "¤"),
    ("", "¤¤"),
    ("currencyDecimal", ""),
    ("exponential", "E"),
    ("perMille", "‰"),
    ("", "*"),
    ("infinity", "∞"),
    ("nan", "NaN"),
    ("", "@"),
    ("currencyGroup", ""),
];

/// The numbering system of a locale.
pub(in crate::intl) fn numbering_system(ident: &Ident, locale: &str) -> String {
    let default =
        || resource_text("main", locale, &["NumberElements", "default"]).unwrap_or("latn");
    let wanted = ident.keyword("numbers").unwrap_or("default");
    let name = match wanted {
        "default" => default(),
        kind @ ("native" | "traditional" | "finance") => {
            let said = |kind| resource_text("main", locale, &["NumberElements", kind]);
            let native = || said("native").unwrap_or_else(default);
            said(kind).unwrap_or_else(native)
        }
        name => name,
    };
    match digits_of(name) {
        Some(_) => name.to_owned(),
        None => "latn".to_owned(),
    }
}

/// The digits of a numbering system, if it has ten.
fn digits_of(system: &str) -> Option<&'static str> {
    let system = pack::root().find(&["numberingSystems", "numberingSystems", system])?;
    let digits = system.get("desc")?.text()?;
    (digits.chars().count() == 10).then_some(digits)
}

/// The digit that is nought in a locale.
pub(in crate::intl) fn zero_digit(ident: &Ident, locale: &str) -> char {
    let system = numbering_system(ident, locale);
    digits_of(&system)
        .and_then(|digits| digits.chars().next())
        .unwrap_or('0')
}

/// The symbols of a locale, without those of its currency.
pub(super) fn symbols(system: &str, locale: &str) -> [String; COUNT] {
    let mut symbols = NAMES.map(|(name, usual)| {
        let said = (!name.is_empty())
            .then(|| element(system, locale, &["symbols", name]))
            .flatten();
        said.unwrap_or(usual).to_owned()
    });
    if let Some(zero) = digits_of(system).and_then(|digits| digits.chars().next()) {
        symbols[ZERO] = zero.to_string();
    }
    for (own, usual) in [(MONEY_DECIMAL, DECIMAL), (MONEY_GROUP, GROUP)] {
        if symbols[own].is_empty() {
            symbols[own] = symbols[usual].clone();
        }
    }
    symbols
}

/// What a locale says of numbers. Where it says nothing of a numbering system, it is that of Latin digits.
fn element(system: &str, locale: &str, path: &[&str]) -> Option<&'static str> {
    own_element(system, locale, path).or_else(|| {
        let said = |system| pack::root().find(&["main", "root", "NumberElements", system, path[0]]);
        // What stands for all locales may be that of Latin digits again; patterns always are.
        let own = said(system).filter(|own| path[0] == "symbols" && said("latn") != Some(*own));
        let own = own.and_then(|own| own.find(&path[1..])?.text());
        let latin = || own_element("latn", locale, path);
        own.or_else(latin)
            .or_else(|| said("latn")?.find(&path[1..])?.text())
    })
}

/// As [`element`], without what holds for all locales.
fn own_element(system: &str, locale: &str, path: &[&str]) -> Option<&'static str> {
    let main = pack::root().get("main")?;
    let mut name = locale;
    while name != "root" {
        let elements = main
            .get(name)
            .and_then(|own| own.find(&["NumberElements", system]));
        if let Some(found) = elements.and_then(|elements| elements.find(path)?.text()) {
            return Some(found);
        }
        name = crate::intl::ident::parent(name)?;
    }
    None
}

/// A pattern of a locale.
pub(super) fn pattern(system: &str, locale: &str, name: &str) -> &'static str {
    element(system, locale, &["patterns", name]).unwrap_or("#,##0.###")
}

/// The pattern of amounts in accounts, which may be that of amounts elsewhere.
pub(super) fn accounting_pattern(system: &str, locale: &str) -> &'static str {
    let own = |system| {
        ["accountingFormat", "currencyFormat"]
            .iter()
            .find_map(|name| own_element(system, locale, &["patterns", name]))
    };
    own(system)
        .or_else(|| own("latn"))
        .unwrap_or_else(|| pattern(system, locale, "currencyFormat"))
}

/// The currency that is used where a locale is spoken, by its code.
pub(super) fn currency_of(ident: &Ident) -> Option<String> {
    if let Some(code) = ident.keyword("currency") {
        return Some(code.to_ascii_uppercase());
    }
    let currencies = pack::root().find(&["currencyData", "CurrencyMap", &ident.region])?;
    let is_used = |currency: &pack::Node| currency.get("to").is_none();
    let used = currencies.items().find(is_used)?;
    used.get("id")?.text().map(str::to_owned)
}

/// How many digits amounts of a currency have.
pub(super) fn currency_digits(code: &str) -> i32 {
    let known = pack::root()
        .get("currencyData")
        .and_then(|data| data.get("CurrencyMeta"));
    let of = |code| known?.get(code)?.at(0)?.number();
    of(code).or_else(|| of("DEFAULT")).unwrap_or(2) as i32
}

/// The sign of a currency.
pub(super) fn currency_symbol(locale: &str, code: &str) -> String {
    let known = resource("curr", locale, &["Currencies", code]);
    let symbol = known.and_then(|currency| currency.at(0)?.text());
    symbol.unwrap_or(code).to_owned()
}

/// The name of a currency.
pub(super) fn currency_name(locale: &str, code: &str) -> String {
    let known = resource("curr", locale, &["Currencies", code]);
    let name = known.and_then(|currency| currency.at(1)?.text());
    name.unwrap_or(code).to_owned()
}
