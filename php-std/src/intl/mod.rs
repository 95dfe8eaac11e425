//! The extension `intl`: normal forms, graphemes and names of domains, and with the feature `intl` what needs data of
//! locales and characters: collators, formatters of numbers, dates and messages, calendars and zones, transliterators,
//! break iterators, what characters are and look like.
//!
//! ICU4X collates and finds breaks; what locales say is CLDR's, as ICU has it ([`pack`]), and is written and read as ICU
//! does. Without the feature only a part is there, and the extension does not say that it is loaded.

#[cfg(feature = "intl")]
mod breaks;
#[cfg(feature = "intl")]
mod bundle;
#[cfg(feature = "intl")]
mod calendar;
#[cfg(feature = "intl")]
mod character;
#[cfg(feature = "intl")]
mod collator;
#[cfg(feature = "intl")]
mod converter;
#[cfg(feature = "intl")]
mod date;
mod errors;
mod grapheme;
#[cfg(feature = "intl")]
mod ident;
mod idn;
#[cfg(feature = "intl")]
mod iterator;
#[cfg(feature = "intl")]
mod locale;
#[cfg(feature = "intl")]
mod message;
#[cfg(feature = "intl")]
mod native;
mod normalizer;
#[cfg(feature = "intl")]
mod number;
#[cfg(feature = "intl")]
mod pack;
#[cfg(feature = "intl")]
mod patterns;
mod punycode;
#[cfg(feature = "intl")]
mod set;
#[cfg(feature = "intl")]
mod spoof;
#[cfg(feature = "intl")]
mod translit;
#[cfg(feature = "intl")]
mod zone;

use vm_runtime::class::NativeClass;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::limits;
use vm_runtime::vm::Vm;

use crate::support::define;

const fn setting(name: &'static str, default: Option<&'static str>) -> IniDefinition {
    IniDefinition {
        name,
        default,
        access: access::ALL,
        on_change: None,
    }
}

static SETTINGS: &[IniDefinition] = &[
    setting("intl.default_locale", None),
    setting("intl.error_level", Some("0")),
    setting("intl.use_exceptions", Some("0")),
];

static CLASSES: &[&NativeClass] = &[&NativeClass::new("class IntlException extends Exception")];

/// The characters of a text, which may be long: limits are looked at with each.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().inspect(|_| limits::poll())
}

/// Registers what there is of the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    errors::register(vm);
    vm.register_functions(grapheme::FUNCTIONS);
    vm.register_functions(idn::FUNCTIONS);
    vm.register_functions(normalizer::FUNCTIONS);
    vm.register_classes(normalizer::CLASSES);
    vm.register_classes(CLASSES);
    define(vm, grapheme::CONSTANTS);
    define(vm, idn::CONSTANTS);
    #[cfg(feature = "intl")]
    register_locales(vm);
}

/// The version of ICU whose data these are.
#[cfg(feature = "intl")]
const ICU_VERSION: &str = "76.1";

/// Registers what needs data of locales.
#[cfg(feature = "intl")]
#[cold]
fn register_locales(vm: &mut Vm) {
    locale::register(vm);
    // Said here as well: the data are not touched before something is asked of them.
    for name in ["INTL_ICU_VERSION", "INTL_ICU_DATA_VERSION"] {
        let version = vm.string(ICU_VERSION).into();
        crate::support::define_one(vm, name, version);
    }
    define(vm, &[("INTL_MAX_LOCALE_LEN", locale::LONGEST as i64)]);
    for functions in [
        bundle::FUNCTIONS,
        calendar::FUNCTIONS,
        collator::FUNCTIONS,
        date::FUNCTIONS,
        locale::FUNCTIONS,
        message::FUNCTIONS,
        number::FUNCTIONS,
        translit::FUNCTIONS,
        zone::FUNCTIONS,
        zone::MORE_FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    for classes in [
        iterator::CLASSES,
        breaks::CLASSES,
        bundle::CLASSES,
        calendar::CLASSES,
        character::CLASSES,
        collator::CLASSES,
        converter::CLASSES,
        date::CLASSES,
        locale::CLASSES,
        message::CLASSES,
        number::CLASSES,
        patterns::CLASSES,
        spoof::CLASSES,
        translit::CLASSES,
        zone::CLASSES,
    ] {
        vm.register_classes(classes);
    }
}

#[cfg(all(test, feature = "intl"))]
mod tests {
    use super::pack::{Node, root};

    #[test]
    fn data_are_of_the_version() {
        for key in ["version", "data"] {
            let version = root().find(&["names", key]).and_then(Node::text);
            assert_eq!(version, Some(super::ICU_VERSION));
        }
    }

    #[test]
    fn data_are_found_by_their_path() {
        let decimal = super::ident::resource_text(
            "main",
            "de_DE",
            &["NumberElements", "latn", "symbols", "decimal"],
        );
        assert_eq!(decimal, Some(","));
        assert_eq!(root().find(&["main", "de", "no such key"]), None);
    }
}
