//! The extension `tokenizer`: source text cut into tokens.

mod class;
pub(crate) mod names;
mod scan;

use bumpalo::Bump;
use php_frontend::{ParseErrorKind, ParseOptions};
use vm_runtime::diagnostics::level;
use vm_runtime::exceptions::classes::throw_parse_error;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

pub(crate) use scan::{Token, scan};

use crate::support::{Append, functions, new_list, text};

functions! {
    "token_get_all(string $code, int $flags = 0): array" => token_get_all,
    "token_name(int $id): string" => token_name,
}

/// Flag: the code must be right, and names that look like keywords are names.
const TOKEN_PARSE: i64 = 1;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(class::CLASSES);
    crate::support::define(vm, &[("TOKEN_PARSE", TOKEN_PARSE)]);
    for (name, number) in names::constants() {
        crate::support::define_one(vm, name, number.into());
    }
}

/// How the VM's settings have sources read.
pub(crate) fn options(vm: &Vm) -> ParseOptions {
    ParseOptions {
        short_open_tag: vm.ini.short_open_tag,
        ..ParseOptions::default()
    }
}

/// The tokens of a source, by the flags of `token_get_all`.
fn tokenize<'s>(vm: &mut Vm, source: &'s [u8], flags: i64) -> PhpResult<Vec<Token<'s>>> {
    let options = options(vm);
    let mut tokens = scan(source, &options);
    if flags & TOKEN_PARSE != 0 {
        check_syntax(vm, source, options)?;
        name_members(&mut tokens);
    }
    Ok(tokens)
}

/// Throws the error that the parser finds.
fn check_syntax(vm: &mut Vm, source: &[u8], options: ParseOptions) -> PhpResult<()> {
    let arena = Bump::new();
    let parse = || php_frontend::parse(&arena, source, options);
    let Err(error) = vm_runtime::limits::with_deep_stack(parse) else {
        return Ok(());
    };
    let message = vm_runtime::message::text(&error.message).into_owned();
    let file = vm.current_file().as_bytes().to_vec();
    match error.kind {
        ParseErrorKind::Syntax => Err(throw_parse_error(vm, &message, &file, error.line)),
        ParseErrorKind::Compile => {
            vm.fatal_error_at(level::COMPILE_ERROR, &message, &file, error.line)
        }
    }
}

/// Keywords where the grammar takes any name: of members after `::`, `function` and `const`.
fn name_members(tokens: &mut [Token<'_>]) {
    let ignorable = [names::WHITESPACE, names::COMMENT, names::DOC_COMMENT];
    let mut before: &[u8] = b"";
    for token in tokens {
        if ignorable.contains(&token.id) || (token.text == b"&" && before != b"::") {
            continue;
        }
        let names_member = matches!(before, b"::" | b"function" | b"const");
        let is_word = token.text.iter().all(u8::is_ascii_alphabetic);
        if names_member && is_word && !token.is_character() {
            token.id = names::STRING;
        }
        before = token.text;
    }
}

fn token_get_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let (source, flags) = (call.bytes(0), call.long(1));
    let tokens = tokenize(call.vm, source, flags)?;
    let mut result = new_list(call.vm, tokens.len());
    for token in tokens {
        let shown: Value = call.vm.string(token.text).into();
        let shown = match token.is_character() {
            true => shown,
            false => crate::support::list(call.vm, [token.id.into(), shown, token.line.into()]),
        };
        result.make_mut(call.vm).append(shown);
    }
    Ok(result.into())
}

fn token_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = names::name_of(call.long(0)).unwrap_or("UNKNOWN");
    text(call.vm, name)
}
