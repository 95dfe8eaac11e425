//! What is set for a VM: encodings, the substitute character, the language.

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, OnChange, access, parse_bool};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::{self, Encoding, Kind, Substitute, utf8_encoding};
use super::required_encoding;
use crate::support::{direct, functions, list, static_text, text};

functions! {
    "mb_language(?string $language = null): string|bool" => mb_language,
    "mb_internal_encoding(?string $encoding = null): string|bool" => mb_internal_encoding | mb_internal_encoding_directly,
    "mb_http_output(?string $encoding = null): string|bool" => mb_http_output,
    "mb_detect_order(array|string|null $encoding = null): array|bool" => mb_detect_order,
    "mb_substitute_character(string|int|null $substitute_character = null): string|int|bool" => mb_substitute_character,
    "mb_get_info(string $type = \"all\"): array|string|int|false|null" => mb_get_info,
}

/// A language: what mail in it is written in, and which encodings are tried for it.
struct Language {
    name: &'static str,
    short: &'static str,
    mail_charset: &'static str,
    header_encoding: &'static str,
    body_encoding: &'static str,
    detect_order: &'static [&'static str],
}

const fn language(
    name: &'static str,
    short: &'static str,
    mail_charset: &'static str,
    header_encoding: &'static str,
    body_encoding: &'static str,
    detect_order: &'static [&'static str],
) -> Language {
    Language {
        name,
        short,
        mail_charset,
        header_encoding,
        body_encoding,
        detect_order,
    }
}

const COMMON: &[&str] = &["ASCII", "UTF-8"];

/// The languages; the first is the default.
static LANGUAGES: &[Language] = &[
    language("neutral", "neutral", "UTF-8", "BASE64", "BASE64", COMMON),
    language("uni", "uni", "UTF-8", "BASE64", "BASE64", COMMON),
    language(
        "Japanese",
        "ja",
        "ISO-2022-JP",
        "BASE64",
        "7bit",
        &["ASCII", "JIS", "UTF-8", "EUC-JP", "SJIS"],
    ),
    language(
        "Korean",
        "ko",
        "ISO-2022-KR",
        "BASE64",
        "7bit",
        &["ASCII", "UTF-8", "EUC-KR", "UHC"],
    ),
    language(
        "Simplified Chinese",
        "zh-cn",
        "HZ",
        "BASE64",
        "7bit",
        &["ASCII", "UTF-8", "EUC-CN", "CP936"],
    ),
    language(
        "Traditional Chinese",
        "zh-tw",
        "BIG-5",
        "BASE64",
        "8bit",
        &["ASCII", "UTF-8", "BIG-5"],
    ),
    language(
        "English",
        "en",
        "ISO-8859-1",
        "Quoted-Printable",
        "8bit",
        COMMON,
    ),
    language(
        "German",
        "de",
        "ISO-8859-15",
        "Quoted-Printable",
        "8bit",
        COMMON,
    ),
    language(
        "Russian",
        "ru",
        "KOI8-R",
        "Quoted-Printable",
        "8bit",
        &["ASCII", "UTF-8", "KOI8-R", "Windows-1251", "CP866"],
    ),
    language(
        "Ukrainian",
        "ua",
        "KOI8-U",
        "Quoted-Printable",
        "8bit",
        &["ASCII", "UTF-8", "KOI8-U"],
    ),
    language(
        "Turkish",
        "tr",
        "ISO-8859-9",
        "Quoted-Printable",
        "8bit",
        &["ASCII", "UTF-8", "Windows-1254", "ISO-8859-9"],
    ),
    language(
        "Armenian",
        "hy",
        "ArmSCII-8",
        "Quoted-Printable",
        "8bit",
        &["ASCII", "UTF-8", "ArmSCII-8"],
    ),
];

/// What the extension keeps in a VM.
#[derive(Debug)]
pub(super) struct State {
    internal: Option<&'static Encoding>,
    http_output: Option<&'static Encoding>,
    detect_order: Option<Vec<&'static Encoding>>,
    substitute: Substitute,
    /// The character that was set last; words leave it.
    substitute_character: u32,
    /// Index into [`LANGUAGES`].
    language: usize,
    /// Characters that were substituted so far.
    pub(super) illegal: i64,
    /// The name of an encoding that was asked for last.
    pub(super) last_name: Vec<u8>,
    /// That encoding.
    pub(super) last_encoding: Option<&'static Encoding>,
    /// Whether only encodings are detected in which a text is valid, if nothing else is said.
    pub(super) detects_strictly: bool,
    /// What `mb_parse_str` found out.
    pub(super) http_input: Option<&'static Encoding>,
}

impl Default for State {
    fn default() -> State {
        State {
            internal: None,
            http_output: None,
            detect_order: None,
            substitute: Substitute::Character(QUESTION_MARK),
            substitute_character: QUESTION_MARK,
            language: 0,
            illegal: 0,
            last_name: Vec::new(),
            last_encoding: None,
            detects_strictly: false,
            http_input: None,
        }
    }
}

impl State {
    /// The encoding of the name that was asked for last, if this is it.
    pub(super) fn last_named(&self, name: &[u8]) -> Option<&'static Encoding> {
        let is_last = self.last_name == name || self.last_name.eq_ignore_ascii_case(name);
        self.last_encoding.filter(|_| is_last)
    }

    /// Notes the name that was asked for last.
    pub(super) fn note_named(&mut self, name: &[u8], encoding: &'static Encoding) {
        self.last_name.clear();
        self.last_name.extend_from_slice(name);
        self.last_encoding = Some(encoding);
    }

    fn set_substitute(&mut self, substitute: Substitute) {
        self.substitute = substitute;
        if let Substitute::Character(character) = substitute {
            self.substitute_character = character;
        }
    }
}

const QUESTION_MARK: u32 = '?' as u32;

const fn setting(
    name: &'static str,
    default: Option<&'static str>,
    access: u8,
    on_change: Option<OnChange>,
) -> IniDefinition {
    IniDefinition {
        name,
        default,
        access,
        on_change,
    }
}

static SETTINGS: &[IniDefinition] = &[
    setting(
        "mbstring.detect_order",
        None,
        access::ALL,
        Some(change_detect_order),
    ),
    setting(
        "mbstring.encoding_translation",
        Some("0"),
        access::DIRECTORY,
        None,
    ),
    setting(
        "mbstring.http_input",
        None,
        access::ALL,
        Some(change_http_input),
    ),
    setting(
        "mbstring.http_output",
        None,
        access::ALL,
        Some(change_http_output),
    ),
    setting(
        "mbstring.http_output_conv_mimetypes",
        Some("^(text/|application/xhtml\\+xml)"),
        access::ALL,
        None,
    ),
    setting(
        "mbstring.internal_encoding",
        None,
        access::ALL,
        Some(change_internal),
    ),
    setting(
        "mbstring.language",
        Some("neutral"),
        access::ALL,
        Some(change_language),
    ),
    setting(
        "mbstring.regex_retry_limit",
        Some("1000000"),
        access::ALL,
        None,
    ),
    setting(
        "mbstring.regex_stack_limit",
        Some("100000"),
        access::ALL,
        None,
    ),
    setting(
        "mbstring.strict_detection",
        Some("0"),
        access::ALL,
        Some(|vm, value| {
            state(vm).detects_strictly = parse_bool(value.unwrap_or_default());
            true
        }),
    ),
    setting(
        "mbstring.substitute_character",
        None,
        access::ALL,
        Some(change_substitute),
    ),
];

/// Registers settings and functions.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.ini.encodings_changed = Some(encodings_changed);
    vm.register_functions(FUNCTIONS);
}

pub(super) fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state::<State>()
}

/// The encoding that a setting names, or the one that the more general settings name.
fn configured(vm: &Vm, general: &str) -> &'static Encoding {
    match vm.ini.text(general) {
        b"" => known_encoding(vm.ini.text("default_charset")),
        name => known_encoding(name),
    }
}

/// The encoding with a name; UTF-8 if there is none.
fn known_encoding(name: &[u8]) -> &'static Encoding {
    if name.eq_ignore_ascii_case(b"UTF-8") {
        return utf8_encoding();
    }
    Some(name)
        .filter(|name| !name.is_empty())
        .and_then(encoding::find)
        .unwrap_or_else(utf8_encoding)
}

/// The encoding of text that says nothing else.
pub(super) fn internal_encoding(vm: &mut Vm) -> &'static Encoding {
    match state(vm).internal {
        Some(encoding) => encoding,
        None => known_encoding(vm.ini.charset()),
    }
}

/// The encoding of output that `mb_output_handler` converts.
pub(super) fn http_output(vm: &mut Vm) -> &'static Encoding {
    match state(vm).http_output {
        Some(encoding) => encoding,
        None => configured(vm, "output_encoding"),
    }
}

/// The encodings that what comes in may have.
pub(super) fn http_inputs(vm: &mut Vm) -> Vec<&'static Encoding> {
    let names = vm.ini.text("mbstring.http_input").to_vec();
    match super::convert::names_in(vm, &names) {
        Ok(encodings) if !names.is_empty() && !encodings.is_empty() => encodings,
        _ => vec![configured(vm, "input_encoding")],
    }
}

/// What takes the place of characters that cannot be written.
pub(crate) fn substitute(vm: &mut Vm) -> Substitute {
    state(vm).substitute
}

/// The encodings that are tried to detect one.
pub(super) fn detect_order(vm: &mut Vm) -> Vec<&'static Encoding> {
    match &state(vm).detect_order {
        Some(order) => order.clone(),
        None => language_order(vm),
    }
}

/// The encodings that are tried for the language (`auto`).
pub(super) fn language_order(vm: &mut Vm) -> Vec<&'static Encoding> {
    let language = &LANGUAGES[state(vm).language];
    let find = |name: &&str| encoding::find(name.as_bytes());
    language.detect_order.iter().filter_map(find).collect()
}

/// The charset of mail, and if headers are written in Base64.
pub(super) fn mail(vm: &mut Vm) -> (&'static Encoding, bool) {
    let language = &LANGUAGES[state(vm).language];
    let charset = encoding::find(language.mail_charset.as_bytes());
    (
        charset.unwrap_or_else(utf8_encoding),
        language.header_encoding == "BASE64",
    )
}

/// How the body of mail is encoded, by the language.
pub(super) fn mail_body(vm: &mut Vm) -> &'static Encoding {
    let language = &LANGUAGES[state(vm).language];
    encoding::find(language.body_encoding.as_bytes()).unwrap_or_else(utf8_encoding)
}

/// Tells that a setting of this extension has a successor.
fn deprecated(vm: &mut Vm, name: &str) {
    let message = format!("Use of {name} is deprecated");
    if vm.current_frame.is_null() {
        vm.deprecated(format!("PHP Startup: {message}"));
    } else {
        vm.function_deprecated(message);
    }
}

fn change_internal(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    if !value.is_empty() {
        deprecated(vm, "mbstring.internal_encoding");
    }
    let found = encoding::find(value);
    if found.is_none() && !value.is_empty() {
        let name = vm_runtime::message::text(value);
        vm.function_warning(format!("Unknown encoding \"{name}\" in ini setting"));
    }
    state(vm).internal = found;
    true
}

/// Warns of general encodings that are unknown, where no setting of this extension goes before them.
fn encodings_changed(vm: &mut Vm) {
    let internal = vm.ini.charset().to_vec();
    let is_unknown = !internal.is_empty() && encoding::find(&internal).is_none();
    if is_unknown && vm.ini.text("mbstring.internal_encoding").is_empty() {
        let name = vm_runtime::message::text(&internal);
        vm.function_warning(format!("Unknown encoding \"{name}\" in ini setting"));
    }
    if vm.ini.text("mbstring.http_input").is_empty() {
        let input = match vm.ini.text("input_encoding") {
            b"" => vm.ini.text("default_charset").to_vec(),
            name => name.to_vec(),
        };
        if let Err(super::convert::Unknown(name)) = super::convert::names_in(vm, &input) {
            let message = format!("INI setting contains invalid encoding \"{name}\"");
            vm.function_warning(message);
        }
    }
}

fn change_http_input(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    if value.is_some_and(|value| !value.is_empty()) {
        deprecated(vm, "mbstring.http_input");
    }
    true
}

fn change_http_output(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    if !value.is_empty() {
        deprecated(vm, "mbstring.http_output");
    }
    state(vm).http_output = (!value.is_empty())
        .then(|| output_encoding(value))
        .flatten();
    true
}

/// Leaves output as it is.
static PASS: Encoding = Encoding {
    name: "pass",
    mime: None,
    aliases: &[],
    kind: Kind::EightBit,
};

/// The encoding of output with a name.
fn output_encoding(name: &[u8]) -> Option<&'static Encoding> {
    match name {
        b"" | b"pass" => Some(&PASS),
        name => encoding::find(name),
    }
}

fn change_language(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    match find_language(value.unwrap_or_default()) {
        Some(language) => {
            state(vm).language = language;
            true
        }
        None => {
            state(vm).language = 0;
            false
        }
    }
}

fn change_detect_order(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    if value.is_empty() {
        state(vm).detect_order = None;
        return true;
    }
    match super::convert::names_in(vm, value) {
        Ok(order) => {
            state(vm).detect_order = Some(order);
            true
        }
        Err(super::convert::Unknown(name)) => {
            let message = format!("INI setting contains invalid encoding \"{name}\"");
            vm.function_warning(message);
            false
        }
    }
}

fn change_substitute(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    let before = state(vm).substitute_character;
    let substitute = match value {
        b"" => Some(Substitute::Character(QUESTION_MARK)),
        _ => substitute_named(value, before).or_else(|| {
            let text = std::str::from_utf8(value).ok()?;
            let number = match text.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => text.parse().ok()?,
            };
            char::from_u32(number).map(|_| Substitute::Character(number))
        }),
    };
    match substitute {
        Some(substitute) => {
            state(vm).set_substitute(substitute);
            true
        }
        None => false,
    }
}

/// What a word asks for. For bytes that are no character the one set `before` goes on.
fn substitute_named(name: &[u8], before: u32) -> Option<Substitute> {
    [
        ("none", Substitute::None),
        ("long", Substitute::Long(before)),
        ("entity", Substitute::Entity(before)),
    ]
    .into_iter()
    .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
    .map(|(_, substitute)| substitute)
}

fn find_language(name: &[u8]) -> Option<usize> {
    let same = |known: &str| known.as_bytes().eq_ignore_ascii_case(name);
    LANGUAGES
        .iter()
        .position(|language| same(language.name) || same(language.short))
}

fn mb_language(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = call.optional_bytes(0) else {
        let language = state(call.vm).language;
        return text(call.vm, LANGUAGES[language].name);
    };
    let Some(language) = find_language(name) else {
        state(call.vm).language = 0;
        let name = vm_runtime::message::text(name);
        let problem = format!("must be a valid language, \"{name}\" given");
        return Err(call.value_error(0, &problem));
    };
    // The setting shows it, too.
    let _ = call
        .vm
        .ini_set("mbstring.language", LANGUAGES[language].name.as_bytes());
    Ok(true.into())
}

direct! {
    fn mb_internal_encoding_directly(vm;) {
        let encoding = internal_encoding(vm);
        static_text(vm, encoding.name)
    }
}

fn mb_internal_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.has(0) {
        let encoding = internal_encoding(call.vm);
        return Ok(static_text(call.vm, encoding.name));
    }
    // Nothing is deprecated here.
    let name = call.bytes(0);
    let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
    let encoding = match encoding::find(name) {
        Some(encoding) => encoding,
        None => required_encoding(call, 0)?,
    };
    state(call.vm).internal = Some(encoding);
    Ok(true.into())
}

fn mb_http_output(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.has(0) {
        let encoding = http_output(call.vm);
        return text(call.vm, encoding.name);
    }
    let name = call.bytes(0);
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let Some(encoding) = output_encoding(name) else {
        let name = super::convert::shown(name);
        let problem = format!("must be a valid encoding, \"{name}\" given");
        return Err(call.value_error(0, &problem));
    };
    state(call.vm).http_output = Some(encoding);
    Ok(true.into())
}

fn names(vm: &mut Vm, encodings: &[&Encoding]) -> Value {
    let names: Vec<Value> = encodings
        .iter()
        .map(|encoding| vm.string(encoding.name).into())
        .collect();
    list(vm, names)
}

fn mb_detect_order(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.has(0) {
        let order = detect_order(call.vm);
        return Ok(names(call.vm, &order));
    }
    let order = super::convert::encodings_argument(call, 0)?;
    state(call.vm).detect_order = Some(order);
    Ok(true.into())
}

fn shown_substitute(vm: &mut Vm) -> Value {
    match substitute(vm) {
        Substitute::None => vm.string("none").into(),
        Substitute::Long(_) => vm.string("long").into(),
        Substitute::Entity(_) => vm.string("entity").into(),
        Substitute::Character(character) => i64::from(character).into(),
    }
}

fn mb_substitute_character(call: &mut Call<'_>) -> PhpResult<Value> {
    let given = call.value(0);
    let before = state(call.vm).substitute_character;
    let new = match given.view() {
        ValueKind::Null => return Ok(shown_substitute(call.vm)),
        ValueKind::String(name) => match substitute_named(name.as_bytes(), before) {
            Some(substitute) => substitute,
            None => {
                let problem = "must be \"none\", \"long\", \"entity\" or a valid codepoint";
                return Err(call.value_error(0, problem));
            }
        },
        _ => {
            let number = u32::try_from(given.to_long(call.vm)).ok();
            match number.filter(|&number| char::from_u32(number).is_some()) {
                Some(number) => Substitute::Character(number),
                None => return Err(call.value_error(0, "is not a valid codepoint")),
            }
        }
    };
    state(call.vm).set_substitute(new);
    Ok(true.into())
}

/// One entry of `mb_get_info()`.
fn info(vm: &mut Vm, what: &str) -> Option<Value> {
    let on_off = |on: bool| if on { "On" } else { "Off" };
    let language = &LANGUAGES[state(vm).language];
    let shown = match what {
        "internal_encoding" => internal_encoding(vm).name,
        "http_input" => match state(vm).http_input {
            Some(encoding) => encoding.name,
            None => return Some(Value::NULL),
        },
        "http_output" => http_output(vm).name,
        "http_output_conv_mimetypes" => {
            let text = vm.ini.text("mbstring.http_output_conv_mimetypes").to_vec();
            return Some(vm.string(text).into());
        }
        "mail_charset" => language.mail_charset,
        "mail_header_encoding" => language.header_encoding,
        "mail_body_encoding" => language.body_encoding,
        "illegal_chars" => return Some(state(vm).illegal.into()),
        "encoding_translation" => on_off(vm.ini.bool("mbstring.encoding_translation")),
        "language" => language.name,
        "detect_order" => {
            let order = detect_order(vm);
            return Some(names(vm, &order));
        }
        "substitute_character" => return Some(shown_substitute(vm)),
        "strict_detection" => on_off(vm.ini.bool("mbstring.strict_detection")),
        _ => return None,
    };
    Some(vm.string(shown).into())
}

/// The entries in their order.
const INFO: [&str; 13] = [
    "internal_encoding",
    "http_input",
    "http_output",
    "http_output_conv_mimetypes",
    "mail_charset",
    "mail_header_encoding",
    "mail_body_encoding",
    "illegal_chars",
    "encoding_translation",
    "language",
    "detect_order",
    "substitute_character",
    "strict_detection",
];

fn mb_get_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let what = String::from_utf8_lossy(call.bytes(0)).to_ascii_lowercase();
    if what != "all" {
        return match info(call.vm, &what) {
            Some(value) => Ok(value),
            None => {
                call.vm
                    .function_warning("argument #1 ($type) must be a valid type");
                Ok(false.into())
            }
        };
    }
    let mut table = call.vm.new_array();
    for name in INFO {
        if let Some(value) = info(call.vm, name).filter(|value| !value.is_null()) {
            table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
        }
    }
    Ok(table.into())
}
