//! The extension `xml`: a parser that calls functions of the script.
//!
//! Data is gathered until the script says that it is all. The calls for what is complete are made
//! before that, from another look at all that has come; each call is made once.

mod errors;
mod events;

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::events::{Events, Structure};
use crate::support::{define, define_one, functions, text};
use crate::xml::error::XmlError;
use crate::xml::parser::{Parser, options};

functions! {
    "xml_parser_create(?string $encoding = null): XMLParser" => xml_parser_create,
    "xml_parser_create_ns(?string $encoding = null, string $separator = \":\"): XMLParser" => xml_parser_create_ns,
    "#[Deprecated(\"8.4\", \"provide a proper method callable to xml_set_*_handler() functions\")] xml_set_object(XMLParser $parser, object $object): true" => xml_set_object,
    "#[Unchecked(2, 3)] xml_set_element_handler(XMLParser $parser, callable|string|null $start_handler, callable|string|null $end_handler): true" => xml_set_element_handler,
    "#[Unchecked(2)] xml_set_character_data_handler(XMLParser $parser, callable|string|null $handler): true" => set_character_data,
    "#[Unchecked(2)] xml_set_processing_instruction_handler(XMLParser $parser, callable|string|null $handler): true" => set_instruction,
    "#[Unchecked(2)] xml_set_default_handler(XMLParser $parser, callable|string|null $handler): true" => set_default,
    "#[Unchecked(2)] xml_set_unparsed_entity_decl_handler(XMLParser $parser, callable|string|null $handler): true" => set_unparsed_entity,
    "#[Unchecked(2)] xml_set_notation_decl_handler(XMLParser $parser, callable|string|null $handler): true" => set_notation,
    "#[Unchecked(2)] xml_set_external_entity_ref_handler(XMLParser $parser, callable|string|null $handler): true" => set_external_entity,
    "#[Unchecked(2)] xml_set_start_namespace_decl_handler(XMLParser $parser, callable|string|null $handler): true" => set_start_namespace,
    "#[Unchecked(2)] xml_set_end_namespace_decl_handler(XMLParser $parser, callable|string|null $handler): true" => set_end_namespace,
    "xml_parse(XMLParser $parser, string $data, bool $is_final = false): int" => xml_parse,
    "xml_parse_into_struct(XMLParser $parser, string $data, &$values, &$index = null): int|false" => xml_parse_into_struct,
    "xml_get_error_code(XMLParser $parser): int" => xml_get_error_code,
    "xml_error_string(int $error_code): ?string" => xml_error_string,
    "xml_get_current_line_number(XMLParser $parser): int" => xml_get_current_line_number,
    "xml_get_current_column_number(XMLParser $parser): int" => xml_get_current_column_number,
    "xml_get_current_byte_index(XMLParser $parser): int" => xml_get_current_byte_index,
    "xml_parser_free(XMLParser $parser): bool" => xml_parser_free,
    "xml_parser_set_option(XMLParser $parser, int $option, $value): bool" => xml_parser_set_option,
    "xml_parser_get_option(XMLParser $parser, int $option): string|int|bool" => xml_parser_get_option,
}

/// What functions are called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handler {
    Start,
    End,
    CharacterData,
    Instruction,
    Default,
    UnparsedEntity,
    Notation,
    ExternalEntity,
    StartNamespace,
    EndNamespace,
}

/// The number of [`Handler`]s.
const HANDLERS: usize = 10;

/// The native part.
#[derive(Default)]
struct State {
    handlers: [Option<Value>; HANDLERS],
    /// Handlers that are names of methods of `object`.
    are_methods: [bool; HANDLERS],
    object: Option<Value>,
    /// Between namespace and name; none without namespaces.
    separator: Option<Vec<u8>>,
    target: String,
    keeps_case: bool,
    /// Handlers of elements were set, if only to nothing: the default handler gets no tags then.
    knows_elements: bool,
    skips_white: bool,
    skipped_start: usize,
    is_huge: bool,
    data: Vec<u8>,
    /// How much of the data was parsed when its end had not come, and the events told of it.
    tried: usize,
    told: usize,
    is_parsing: bool,
    /// A whole document was parsed.
    is_finished: bool,
    error: i64,
    line: u32,
    column: u32,
    offset: usize,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        self.handlers
            .iter()
            .flatten()
            .for_each(|handler| visitor(handler));
        if let Some(object) = &self.object {
            visitor(object);
        }
    }
}

/// Options of a parser.
const CASE_FOLDING: i64 = 1;
const TARGET_ENCODING: i64 = 2;
const SKIP_TAGSTART: i64 = 3;
const SKIP_WHITE: i64 = 4;
const PARSE_HUGE: i64 = 5;

static CLASSES: &[&NativeClass] = &[&NativeClass::new("final class XMLParser")
    .handlers(&NativeHandlers {
        made_by: Some("xml_parser_create() or xml_parser_create_ns()"),
        ..NativeHandlers::STANDARD
    })
    .flags(
        class_flags::NOT_CLONEABLE
            | class_flags::NO_DYNAMIC_PROPERTIES
            | class_flags::NOT_SERIALIZABLE,
    )
    .create_native(|_, _| Some(Box::<State>::default()))];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    define(
        vm,
        &[
            ("XML_ERROR_NONE", 0),
            ("XML_ERROR_NO_MEMORY", 1),
            ("XML_ERROR_SYNTAX", 2),
            ("XML_ERROR_NO_ELEMENTS", 3),
            ("XML_ERROR_INVALID_TOKEN", 4),
            ("XML_ERROR_UNCLOSED_TOKEN", 5),
            ("XML_ERROR_PARTIAL_CHAR", 6),
            ("XML_ERROR_TAG_MISMATCH", 7),
            ("XML_ERROR_DUPLICATE_ATTRIBUTE", 8),
            ("XML_ERROR_JUNK_AFTER_DOC_ELEMENT", 9),
            ("XML_ERROR_PARAM_ENTITY_REF", 10),
            ("XML_ERROR_UNDEFINED_ENTITY", 11),
            ("XML_ERROR_RECURSIVE_ENTITY_REF", 12),
            ("XML_ERROR_ASYNC_ENTITY", 13),
            ("XML_ERROR_BAD_CHAR_REF", 14),
            ("XML_ERROR_BINARY_ENTITY_REF", 15),
            ("XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF", 16),
            ("XML_ERROR_MISPLACED_XML_PI", 17),
            ("XML_ERROR_UNKNOWN_ENCODING", 18),
            ("XML_ERROR_INCORRECT_ENCODING", 19),
            ("XML_ERROR_UNCLOSED_CDATA_SECTION", 20),
            ("XML_ERROR_EXTERNAL_ENTITY_HANDLING", 21),
            ("XML_OPTION_CASE_FOLDING", CASE_FOLDING),
            ("XML_OPTION_TARGET_ENCODING", TARGET_ENCODING),
            ("XML_OPTION_SKIP_TAGSTART", SKIP_TAGSTART),
            ("XML_OPTION_SKIP_WHITE", SKIP_WHITE),
            ("XML_OPTION_PARSE_HUGE", PARSE_HUGE),
        ],
    );
    let implementation: Value = vm.string("libxml").into();
    define_one(vm, "XML_SAX_IMPL", implementation);
}

fn state(object: &PhpObject) -> &mut State {
    object.native::<State>().expect("made with the object")
}

/// The encodings that text is given in.
const ENCODINGS: [&str; 3] = ["ISO-8859-1", "US-ASCII", "UTF-8"];

fn encoding_named(name: &[u8]) -> Option<&'static str> {
    ENCODINGS
        .into_iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

fn make(call: &mut Call<'_>, separator: Option<Vec<u8>>) -> PhpResult<Value> {
    let target = match call.optional_bytes(0) {
        None | Some(b"") => "UTF-8",
        Some(name) => match encoding_named(name) {
            Some(known) => known,
            None => return Err(call.value_error(0, "is not a supported source encoding")),
        },
    };
    let Some(class) = call.vm.linked_class(b"xmlparser") else {
        return Ok(false.into());
    };
    let object = new_object(call.vm, class)?;
    let state = state(&object);
    (state.target, state.separator) = (target.to_owned(), separator);
    (state.line, state.column) = (1, 1);
    Ok(object.into())
}

fn xml_parser_create(call: &mut Call<'_>) -> PhpResult<Value> {
    make(call, None)
}

fn xml_parser_create_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let separator = call.bytes(1).to_vec();
    make(call, Some(separator))
}

fn xml_set_object(call: &mut Call<'_>) -> PhpResult<Value> {
    let (parser, object) = (call.object(0), call.value(1));
    let old = state(&parser).object.replace(object);
    drop(old);
    Ok(true.into())
}

/// The handler in an argument: a callable, or the name of a method of the parser's object.
///
/// With whether it is the name of a method.
fn handler_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Option<(Value, bool)>> {
    handler_argument_as(call, index, index, false)
}

/// As [`handler_argument`]; another argument is named if it cannot be called, and that names of methods are
/// deprecated may have been told.
fn handler_argument_as(
    call: &mut Call<'_>,
    index: usize,
    shown: usize,
    is_told: bool,
) -> PhpResult<Option<(Value, bool)>> {
    let given = call.value(index);
    if given.is_null() {
        return Ok(None);
    }
    if call.vm.resolve_callable(&given).is_ok() {
        return Ok(Some((call.vm.kept_callable(given), false)));
    }
    // What is no text becomes one as any argument does.
    let (is_text, becomes_text) = match given.view() {
        ValueKind::String(_) => (true, true),
        ValueKind::Array(_) | ValueKind::Resource(_) => (false, false),
        ValueKind::Object(object) => (false, !object.class().magic.to_string.is_null()),
        _ => (false, true),
    };
    if !becomes_text || !is_text && call.vm.caller_is_strict() {
        return Err(call.type_error(shown, "must be of type callable|string|null"));
    }
    let given = match is_text {
        true => given,
        false => to_string(call.vm, &given)?.into_value(),
    };
    let ValueKind::String(name) = given.view() else {
        return Ok(None);
    };
    if !is_told {
        call.vm
            .function_deprecated("Passing non-callable strings is deprecated since 8.4");
        call.vm.check()?;
    }
    if name.is_empty() {
        return Ok(None);
    }
    let parser = call.object(0);
    let Some(object) = state(&parser).object.clone() else {
        return Err(call.value_error(
            index,
            "an object must be set via xml_set_object() to be able to lookup method",
        ));
    };
    let name_value = call.vm.string(name.as_bytes()).into();
    let pair = crate::support::list(call.vm, [object.clone(), name_value]);
    if call.vm.resolve_callable(&pair).is_err() {
        let class = object.object().map(|object| object.class().display_name());
        let problem = format!(
            "method {}::{}() does not exist",
            class.unwrap_or_default(),
            name.to_text()
        );
        return Err(call.value_error(index, &problem));
    }
    Ok(Some((given, true)))
}

/// Keeps a handler.
fn keep(parser: &PhpObject, handler: Handler, given: Option<(Value, bool)>) {
    let state = state(parser);
    state.are_methods[handler as usize] = given.as_ref().is_some_and(|given| given.1);
    let handler = &mut state.handlers[handler as usize];
    let old = std::mem::replace(handler, given.map(|given| given.0));
    drop(old);
}

fn set_handler(call: &mut Call<'_>, handler: Handler) -> PhpResult<Value> {
    let given = handler_argument(call, 1)?;
    keep(&call.object(0), handler, given);
    Ok(true.into())
}

fn set_character_data(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::CharacterData)
}

fn set_instruction(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::Instruction)
}

fn set_default(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::Default)
}

fn set_unparsed_entity(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::UnparsedEntity)
}

fn set_notation(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::Notation)
}

fn set_external_entity(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::ExternalEntity)
}

fn set_start_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::StartNamespace)
}

fn set_end_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    set_handler(call, Handler::EndNamespace)
}

fn xml_set_element_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let start = handler_argument(call, 1)?;
    // Where the first is callable but no text, PHP blames that one for the second.
    let first = call.value(1);
    let is_text = matches!(first.view(), ValueKind::Null | ValueKind::String(_));
    let is_told = !first.is_null() && !matches!(start, Some((_, false)));
    let end = handler_argument_as(call, 2, if is_text { 2 } else { 1 }, is_told)?;
    let parser = call.object(0);
    keep(&parser, Handler::Start, start);
    keep(&parser, Handler::End, end);
    state(&parser).knows_elements = true;
    Ok(true.into())
}

/// Texts up to this length are looked at each time that more of them comes.
const SMALL: usize = 1 << 16;

/// Tells what is complete in a text whose end has not come; false if it cannot become well-formed.
fn parse_part(vm: &mut Vm, parser: &ObjectHandle) -> PhpResult<bool> {
    let (length, tried) = (state(parser).data.len(), state(parser).tried);
    // All is read again from its start, so longer texts wait until much has come.
    if length > SMALL && length - tried < tried / 4 {
        return Ok(true);
    }
    // In UTF-16 the end of markup is not told from other bytes.
    let start = state(parser).data.get(..2).unwrap_or_default();
    if matches!(start, [0xff, 0xfe] | [0xfe, 0xff] | [0, _] | [_, 0]) {
        return Ok(true);
    }
    if begins_with_text(&state(parser).data) {
        state(parser).error = NOT_WELL_FORMED;
        return Ok(false);
    }
    let Some(end) = memchr::memrchr(b'>', &state(parser).data) else {
        return Ok(true);
    };
    state(parser).tried = length;
    let all = state(parser).data.clone();
    let part = all[..=end].to_vec();
    let (is_good, problem, refused) = run(vm, parser, None, &part, true)?;
    state(parser).data = all;
    if refused {
        state(parser).error = EXTERNAL_ENTITY_HANDLING;
        return Ok(false);
    }
    match problem.filter(|_| !is_good) {
        Some(problem) if !UNFINISHED.contains(&problem.code) => {
            note_problem(parser, &problem, &part);
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// True if what a document begins with, after white space, is no markup. Four bytes are there before anything is
/// looked at, which may be a byte order mark, and a byte alone is not.
fn begins_with_text(data: &[u8]) -> bool {
    if data.len() < 4 {
        return false;
    }
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let data = data.trim_ascii_start();
    data.len() >= 2 && data[0] != b'<'
}

/// Errors of what may only be incomplete: documents, literals, attributes, comments, instructions,
/// declarations, CDATA sections and tags that do not end.
const UNFINISHED: [i64; 13] = [4, 5, 14, 34, 39, 40, 44, 45, 47, 57, 61, 63, 77];

/// The number of the error where a namespace is called what is no URI.
const ODD_URI: i64 = 99;

/// The numbers of errors about namespaces.
const NAMESPACES: std::ops::RangeInclusive<i64> = 200..=205;

/// The number of the error where a document does not begin with markup.
const NOT_WELL_FORMED: i64 = 4;

/// The number of the error where a document ends early.
const EARLY_END: i64 = 5;

/// The number of the error when a handler of external entities gives false.
const EXTERNAL_ENTITY_HANDLING: i64 = 21;

/// Runs the parser over a text: if it is well-formed, the first error, and if a handler refused.
fn run(
    vm: &mut Vm,
    parser: &ObjectHandle,
    structure: Option<&mut Structure>,
    data: &[u8],
    is_part: bool,
) -> PhpResult<(bool, Option<XmlError>, bool)> {
    state(parser).is_parsing = true;
    let huge = if state(parser).is_huge {
        options::PARSEHUGE
    } else {
        0
    };
    // Where a default handler takes all, it takes references as they stand.
    let handler = |kind: Handler| state(parser).handlers[kind as usize].is_some();
    let keeps_references = handler(Handler::Default) && !handler(Handler::CharacterData);
    let mut events = Events {
        vm,
        parser: parser.clone(),
        structure,
        has_thrown: false,
        told: state(parser).told,
        count: 0,
        entities: Vec::new(),
        is_refused: false,
        open: Vec::new(),
        source: Vec::new(),
        keeps_references,
    };
    let given = huge | if keeps_references { 0 } else { options::NOENT };
    let (is_good, problems) = Parser::parse(data, given, b"", None, &mut events);
    let (has_thrown, count, refused) = (events.has_thrown, events.count, events.is_refused);
    let state = state(parser);
    state.is_parsing = false;
    state.told = if is_part { state.told.max(count) } else { 0 };
    if has_thrown {
        return Err(vm_runtime::vm::Thrown);
    }
    // libxml2 goes on for a while: the last error is the one that scripts are told of, unless it only says
    // that the document ended early.
    let has_namespaces = state.separator.is_some();
    let mut fatal: Vec<XmlError> = problems
        .into_iter()
        .filter(|problem| match problem.level {
            crate::xml::error::level::FATAL => true,
            // Only a parser with namespaces finds fault with them, and none with what they are called.
            crate::xml::error::level::ERROR => match problem.code {
                ODD_URI => false,
                code => has_namespaces || !NAMESPACES.contains(&code),
            },
            _ => false,
        })
        .collect();
    let is_good = is_good && fatal.is_empty();
    let told = fatal
        .iter()
        .rposition(|problem| !matches!(problem.code, 4 | 5 | 77));
    let told = (!fatal.is_empty()).then(|| fatal.swap_remove(told.unwrap_or(0)));
    Ok((is_good, told, refused))
}

fn note_problem(parser: &ObjectHandle, problem: &XmlError, data: &[u8]) {
    let state = state(parser);
    // Markup is not looked at before it is complete, so what ends in it just ends early.
    let is_unfinished = matches!(problem.code, 4 | 63 | 77)
        || matches!(problem.code, 47 | 68 | 73) && data.len() < 4
        || problem.code == 68 && data.ends_with(b"<");
    state.error = match problem.code {
        NOT_WELL_FORMED if begins_with_text(data) => NOT_WELL_FORMED,
        _ if is_unfinished => EARLY_END,
        code => code,
    };
    if !matches!(state.error, NOT_WELL_FORMED | EARLY_END) {
        (state.line, state.column) = (problem.line, problem.column);
        state.offset = events::offset(data, problem.line, problem.column);
    }
}

/// Parses all that was given; false if it is not well-formed.
fn parse(vm: &mut Vm, parser: &ObjectHandle, structure: Option<&mut Structure>) -> PhpResult<bool> {
    let data = std::mem::take(&mut state(parser).data);
    let (is_good, first, refused) = run(vm, parser, structure, &data, false)?;
    let state = state(parser);
    (state.tried, state.is_finished) = (0, true);
    if refused {
        state.error = EXTERNAL_ENTITY_HANDLING;
        return Ok(false);
    }
    match first.filter(|_| !is_good) {
        Some(problem) => {
            note_problem(parser, &problem, &data);
            Ok(false)
        }
        None => {
            state.error = 0;
            state.offset = data.len();
            let lines = data.iter().filter(|&&byte| byte == b'\n').count();
            let last = data
                .iter()
                .rposition(|&byte| byte == b'\n')
                .map_or(0, |at| at + 1);
            (state.line, state.column) = (lines as u32 + 1, (data.len() - last) as u32 + 1);
            Ok(true)
        }
    }
}

/// An Error while the parser is at work.
fn refuse_nested(call: &mut Call<'_>, parser: &ObjectHandle) -> PhpResult<()> {
    if !state(parser).is_parsing {
        return Ok(());
    }
    Err(call
        .vm
        .throw_error(KnownClass::Error, "Parser must not be called recursively"))
}

fn xml_parse(call: &mut Call<'_>) -> PhpResult<Value> {
    let parser = call.object(0);
    refuse_nested(call, &parser)?;
    state(&parser).data.extend_from_slice(call.bytes(1));
    if !call.bool(2) {
        let is_good = parse_part(call.vm, &parser)?;
        return Ok(i64::from(is_good).into());
    }
    let is_good = parse(call.vm, &parser, None)?;
    Ok(i64::from(is_good).into())
}

fn xml_parse_into_struct(call: &mut Call<'_>) -> PhpResult<Value> {
    let parser = call.object(0);
    if state(&parser).is_parsing {
        call.vm
            .function_warning("Parser must not be called recursively");
        return Ok(false.into());
    }
    if state(&parser).is_finished {
        let (values, index) = Structure::default().finish(call.vm);
        call.assign(2, values);
        call.assign(3, index);
        call.vm.check()?;
        return Ok(0i64.into());
    }
    state(&parser).data = call.bytes(1).to_vec();
    for index in [2, 3] {
        let empty = call.vm.new_array().into();
        call.assign(index, empty);
        call.vm.check()?;
    }
    let mut structure = Structure::default();
    let is_good = parse(call.vm, &parser, Some(&mut structure))?;
    if structure.is_too_deep() {
        call.vm
            .function_warning("Maximum depth exceeded - Results truncated");
        call.vm.check()?;
    }
    let (values, index) = structure.finish(call.vm);
    for (place, lists) in [(2, values), (3, index)] {
        // What a handler has put there instead stays.
        let is_list = matches!(call.value(place).view(), ValueKind::Array(_));
        if is_list {
            call.assign(place, lists);
            call.vm.check()?;
        }
    }
    Ok(i64::from(is_good).into())
}

fn xml_get_error_code(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(state(&call.object(0)).error.into())
}

fn xml_error_string(call: &mut Call<'_>) -> PhpResult<Value> {
    // PHP keeps 32 bits of the number.
    let code = usize::try_from(call.long(0) as i32).ok();
    let known = code.and_then(|code| errors::TEXTS.get(code).copied());
    text(call.vm, known.unwrap_or("Unknown"))
}

fn xml_get_current_line_number(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(state(&call.object(0)).line).into())
}

fn xml_get_current_column_number(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(state(&call.object(0)).column).into())
}

fn xml_get_current_byte_index(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(state(&call.object(0)).offset.into())
}

fn xml_parser_free(call: &mut Call<'_>) -> PhpResult<Value> {
    if state(&call.object(0)).is_parsing {
        call.vm
            .function_warning("Parser cannot be freed while it is parsing");
        return Ok(false.into());
    }
    Ok(true.into())
}

fn xml_parser_set_option(call: &mut Call<'_>) -> PhpResult<Value> {
    let (parser, option, value) = (call.object(0), call.long(1), call.value(2));
    if !matches!(
        value.view(),
        ValueKind::Bool(_) | ValueKind::Long(_) | ValueKind::String(_)
    ) {
        let kind = vm_runtime::operators::value_name(&value);
        call.vm.function_warning(format!(
            "Argument #3 ($value) must be of type string|int|bool, {kind} given"
        ));
        call.vm.check()?;
    }
    match option {
        CASE_FOLDING => state(&parser).keeps_case = !to_bool(&value),
        SKIP_WHITE => state(&parser).skips_white = to_bool(&value),
        PARSE_HUGE => {
            if state(&parser).is_parsing {
                let message = "Cannot change option XML_OPTION_PARSE_HUGE while parsing";
                return Err(call.vm.throw_error(KnownClass::Error, message));
            }
            state(&parser).is_huge = to_bool(&value);
        }
        SKIP_TAGSTART => {
            let count = value.to_long(call.vm);
            if !(0..=i64::from(i32::MAX)).contains(&count) {
                call.vm.function_warning("Argument #3 ($value) must be between 0 and 2147483647 for option XML_OPTION_SKIP_TAGSTART");
                return Ok(false.into());
            }
            state(&parser).skipped_start = count as usize;
        }
        TARGET_ENCODING => {
            let name = to_string(call.vm, &value)?;
            match encoding_named(&name) {
                Some(known) => state(&parser).target = known.to_owned(),
                None => return Err(call.value_error(2, "is not a supported target encoding")),
            }
        }
        _ => return Err(call.value_error(1, "must be a XML_OPTION_* constant")),
    }
    Ok(true.into())
}

fn xml_parser_get_option(call: &mut Call<'_>) -> PhpResult<Value> {
    let parser = call.object(0);
    let state = state(&parser);
    Ok(match call.long(1) {
        CASE_FOLDING => (!state.keeps_case).into(),
        SKIP_WHITE => state.skips_white.into(),
        PARSE_HUGE => state.is_huge.into(),
        SKIP_TAGSTART => state.skipped_start.into(),
        TARGET_ENCODING => return text(call.vm, &state.target),
        _ => return Err(call.value_error(1, "must be a XML_OPTION_* constant")),
    })
}
