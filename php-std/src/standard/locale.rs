//! Locales: there are only `C` and `C.UTF-8`, which differ in name alone, so that a script gives the same everywhere.

use std::rc::Rc;

use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ARRAY, LONG, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Plain, define, direct, functions, static_text, text};

functions! {
    "setlocale(int $category, $locales, ...$rest): string|false" => setlocale | setlocale_directly,
    "localeconv(): array" => localeconv,
    "nl_langinfo(int $item): string|false" => nl_langinfo,
}

/// What `nl_langinfo()` tells, by the numbers of the C library.
const ITEMS: &[(&str, i64)] = &[
    ("ABDAY_1", 131072),
    ("ABDAY_2", 131073),
    ("ABDAY_3", 131074),
    ("ABDAY_4", 131075),
    ("ABDAY_5", 131076),
    ("ABDAY_6", 131077),
    ("ABDAY_7", 131078),
    ("DAY_1", 131079),
    ("DAY_2", 131080),
    ("DAY_3", 131081),
    ("DAY_4", 131082),
    ("DAY_5", 131083),
    ("DAY_6", 131084),
    ("DAY_7", 131085),
    ("ABMON_1", 131086),
    ("ABMON_2", 131087),
    ("ABMON_3", 131088),
    ("ABMON_4", 131089),
    ("ABMON_5", 131090),
    ("ABMON_6", 131091),
    ("ABMON_7", 131092),
    ("ABMON_8", 131093),
    ("ABMON_9", 131094),
    ("ABMON_10", 131095),
    ("ABMON_11", 131096),
    ("ABMON_12", 131097),
    ("MON_1", 131098),
    ("MON_2", 131099),
    ("MON_3", 131100),
    ("MON_4", 131101),
    ("MON_5", 131102),
    ("MON_6", 131103),
    ("MON_7", 131104),
    ("MON_8", 131105),
    ("MON_9", 131106),
    ("MON_10", 131107),
    ("MON_11", 131108),
    ("MON_12", 131109),
    ("AM_STR", 131110),
    ("PM_STR", 131111),
    ("D_T_FMT", 131112),
    ("D_FMT", 131113),
    ("T_FMT", 131114),
    ("T_FMT_AMPM", 131115),
    ("ERA", 131116),
    ("ERA_YEAR", 131117),
    ("ERA_D_T_FMT", 131120),
    ("ERA_D_FMT", 131118),
    ("ERA_T_FMT", 131121),
    ("ALT_DIGITS", 131119),
    ("INT_CURR_SYMBOL", 262144),
    ("CURRENCY_SYMBOL", 262145),
    ("CRNCYSTR", 262159),
    ("MON_DECIMAL_POINT", 262146),
    ("MON_THOUSANDS_SEP", 262147),
    ("MON_GROUPING", 262148),
    ("POSITIVE_SIGN", 262149),
    ("NEGATIVE_SIGN", 262150),
    ("INT_FRAC_DIGITS", 262151),
    ("FRAC_DIGITS", 262152),
    ("P_CS_PRECEDES", 262153),
    ("P_SEP_BY_SPACE", 262154),
    ("N_CS_PRECEDES", 262155),
    ("N_SEP_BY_SPACE", 262156),
    ("P_SIGN_POSN", 262157),
    ("N_SIGN_POSN", 262158),
    ("DECIMAL_POINT", 65536),
    ("RADIXCHAR", 65536),
    ("THOUSANDS_SEP", 65537),
    ("THOUSEP", 65537),
    ("GROUPING", 65538),
    ("YESEXPR", 327680),
    ("NOEXPR", 327681),
    ("YESSTR", 327682),
    ("NOSTR", 327683),
    ("CODESET", 14),
];

fn nl_langinfo(call: &mut Call<'_>) -> PhpResult<Value> {
    let item = call.long(0);
    if !ITEMS.iter().any(|(_, known)| *known == item) {
        call.vm
            .function_warning(format!("Item '{item}' is not valid"));
        return Ok(false.into());
    }
    let state: &mut State = call.vm.extensions.state();
    if item == i64::from(libc::CODESET) && state.0[0] != "C" {
        return text(call.vm, "UTF-8");
    }
    // SAFETY: the item is one that the library has; its answer is zero-terminated and copied before
    // anything else asks.
    let answer = unsafe { std::ffi::CStr::from_ptr(libc::nl_langinfo(item as libc::nl_item)) };
    text(call.vm, answer.to_bytes())
}

/// Whether the script's letters (`LC_CTYPE`) are those of UTF-8.
pub(crate) fn has_utf8_letters(vm: &mut Vm) -> bool {
    vm.extensions.state::<State>().0[0] != "C"
}

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(vm, ITEMS);
    define(
        vm,
        &[
            ("LC_CTYPE", 0i64),
            ("LC_NUMERIC", 1),
            ("LC_TIME", 2),
            ("LC_COLLATE", 3),
            ("LC_MONETARY", 4),
            ("LC_MESSAGES", 5),
            ("LC_ALL", 6),
            ("CHAR_MAX", 127),
        ],
    );
}

/// The number of `LC_ALL`.
const ALL: usize = 6;

/// The categories by their numbers, of which that of `LC_ALL` is none.
const CATEGORIES: [&str; 13] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// The order in which categories are told together.
const TOLD: [usize; 12] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12];

/// The locales that are in force, by categories, and what was told of all together.
struct State([&'static str; 13], Option<Rc<str>>);

impl Default for State {
    fn default() -> State {
        let mut names = ["C"; 13];
        // Letters are those of UTF-8 from the start.
        names[0] = "C.UTF-8";
        State(names, None)
    }
}

impl State {
    /// What is in force of a category, or of all, as the C library tells it.
    fn told(vm: &mut Vm, category: usize) -> Value {
        let state: &mut State = vm.extensions.state();
        if category != ALL {
            let name = state.0[category];
            return static_text(vm, name);
        }
        let told = state.told_of_all();
        vm.string(&*told).into()
    }

    /// One name, or one for each category.
    fn told_of_all(&mut self) -> Rc<str> {
        if let Some(told) = &self.1 {
            return told.clone();
        }
        let told: Rc<str> = match TOLD.iter().all(|&category| self.0[category] == self.0[0]) {
            true => self.0[0].into(),
            false => self.told_together().into(),
        };
        self.1 = Some(told.clone());
        told
    }

    /// The locale of each category.
    fn told_together(&self) -> String {
        let mut told = String::with_capacity(256);
        for category in TOLD {
            if !told.is_empty() {
                told.push(';');
            }
            told.push_str(CATEGORIES[category]);
            told.push('=');
            told.push_str(self.0[category]);
        }
        told
    }

    /// Puts a locale in force, whose name a zero byte ends; false if it is not known.
    fn set(&mut self, category: usize, name: &[u8]) -> bool {
        let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
        let is_in_force = category != ALL && self.0[category].as_bytes() == name;
        if is_in_force && !name.is_empty() {
            return true;
        }
        let mut names = self.0;
        if category != ALL {
            match wanted(category, name) {
                Some(name) => names[category] = name,
                None => return false,
            }
        } else if name.contains(&b'=') {
            // A name for each category, none of which may be missing.
            names = [""; 13];
            for part in name.split(|&byte| byte == b';') {
                let mut sides = part.splitn(2, |&byte| byte == b'=');
                let (Some(category), Some(name)) = (sides.next(), sides.next()) else {
                    return false;
                };
                let place = TOLD
                    .iter()
                    .find(|&&place| CATEGORIES[place].as_bytes() == category);
                match (place, known(name)) {
                    (Some(&place), Some(name)) => names[place] = name,
                    _ => return false,
                }
            }
        } else {
            for place in TOLD {
                match wanted(place, name) {
                    Some(name) => names[place] = name,
                    None => return false,
                }
            }
        }
        if TOLD.iter().any(|&place| names[place].is_empty()) {
            return false;
        }
        (self.0, self.1) = (names, None);
        true
    }
}

/// The locale of a name; an empty one asks the environment.
fn wanted(category: usize, name: &[u8]) -> Option<&'static str> {
    if !name.is_empty() {
        return known(name);
    }
    let variables = ["LC_ALL", CATEGORIES[category], "LANG"];
    let found = variables
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    found.map_or(Some("C"), |value| known(value.as_encoded_bytes()))
}

fn known(name: &[u8]) -> Option<&'static str> {
    match name {
        b"C" | b"POSIX" => Some("C"),
        b"C.UTF-8" => Some("C.UTF-8"),
        b"C.utf8" => Some("C.utf8"),
        _ => None,
    }
}

/// Names of this length and more are refused.
const TOO_LONG: usize = 255;

fn setlocale(call: &mut Call<'_>) -> PhpResult<Value> {
    let category = usize::try_from(call.long(0)).ok();
    let Some(category) = category.filter(|&category| category < CATEGORIES.len()) else {
        return Ok(false.into());
    };
    let mut wanted = Vec::new();
    for index in 1..call.count() {
        let argument = call.value(index);
        if argument.deref().kind() == ARRAY {
            if let Some(names) = argument.array() {
                wanted.extend(names.iter().map(|(_, name)| Value::share(name)));
            }
        } else {
            wanted.push(argument);
        }
    }
    for name in wanted {
        let name = to_string(call.vm, &name)?;
        if name.len() >= TOO_LONG {
            call.vm
                .warning("setlocale(): Specified locale name is too long");
            continue;
        }
        let state: &mut State = call.vm.extensions.state();
        if name.as_bytes() == b"0" || state.set(category, &name) {
            return Ok(State::told(call.vm, category));
        }
    }
    Ok(false.into())
}

direct! {
    /// Asks for the locale of one category, or sets it.
    fn setlocale_directly(vm; category: i64, name: &Zval) {
        let category = usize::try_from(category).ok();
        let category = category.filter(|&category| category < CATEGORIES.len())?;
        let is_asked = name.kind() == LONG && name.long() == 0;
        if !is_asked {
            let name = <&[u8]>::of(name).filter(|name| name.len() < TOO_LONG)?;
            let state: &mut State = vm.extensions.state();
            if name != b"0" && !state.set(category, name) {
                return Some(false.into());
            }
        }
        Some(State::told(vm, category))
    }
}

fn localeconv(call: &mut Call<'_>) -> PhpResult<Value> {
    let texts = [
        ("decimal_point", "."),
        ("thousands_sep", ""),
        ("int_curr_symbol", ""),
        ("currency_symbol", ""),
        ("mon_decimal_point", ""),
        ("mon_thousands_sep", ""),
        ("positive_sign", ""),
        ("negative_sign", ""),
    ];
    // The largest `char` stands for "not told".
    let numbers = [
        "int_frac_digits",
        "frac_digits",
        "p_cs_precedes",
        "p_sep_by_space",
        "n_cs_precedes",
        "n_sep_by_space",
        "p_sign_posn",
        "n_sign_posn",
    ];
    let mut table = call.vm.new_array();
    for (name, value) in texts {
        let value = call.vm.string(value).into();
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    for name in numbers {
        table
            .make_mut(call.vm)
            .set_bytes(name.as_bytes(), 127i64.into());
    }
    for name in ["grouping", "mon_grouping"] {
        let empty = call.vm.new_array().into();
        table.make_mut(call.vm).set_bytes(name.as_bytes(), empty);
    }
    Ok(table.into())
}
