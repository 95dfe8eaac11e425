//! Source text in colours, and without comments.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::files::{open_as_source, without_credentials};
use crate::support::{functions, text};
use crate::tokenizer::{Token, names, options, scan};

functions! {
    "highlight_string(string $string, bool $return = false): string|true" => highlight_string,
    "highlight_file(path $filename, bool $return = false): string|bool" => highlight_file,
    "show_source(path $filename, bool $return = false): string|bool" => highlight_file,
    "php_strip_whitespace(string $filename): string" => php_strip_whitespace,
}

/// The setting that has the colour of a token.
fn color_setting(token: &Token<'_>) -> &'static str {
    match token.id {
        names::INLINE_HTML => "highlight.html",
        names::COMMENT | names::DOC_COMMENT => "highlight.comment",
        names::ENCAPSED_AND_WHITESPACE | names::CONSTANT_ENCAPSED_STRING => "highlight.string",
        names::OPEN_TAG | names::OPEN_TAG_WITH_ECHO | names::CLOSE_TAG => "highlight.default",
        names::MAGIC_LINE..=names::MAGIC_NAMESPACE => "highlight.default",
        names::FIRST_VALUE..=names::NUM_STRING => "highlight.default",
        _ if token.text.ends_with(b"\"") && token.is_character() => "highlight.string",
        _ => "highlight.keyword",
    }
}

fn escape(text: &[u8], output: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'<' => output.extend_from_slice(b"&lt;"),
            b'>' => output.extend_from_slice(b"&gt;"),
            b'&' => output.extend_from_slice(b"&amp;"),
            b'\t' => output.extend_from_slice(b"    "),
            _ => output.push(byte),
        }
    }
}

fn highlight(vm: &Vm, source: &[u8]) -> Vec<u8> {
    let color = |setting: &str| {
        let value = vm.ini.get(setting.as_bytes()).flatten();
        value.unwrap_or_default().to_vec()
    };
    let plain = color("highlight.html");
    let mut output = Vec::with_capacity(source.len() * 4);
    output.extend_from_slice(b"<pre><code style=\"color: ");
    output.extend_from_slice(&plain);
    output.extend_from_slice(b"\">");
    let mut last = plain.clone();
    for token in scan(source, &options(vm)) {
        // White space has no colour.
        if token.id != names::WHITESPACE {
            let next = color(color_setting(&token));
            if next != last {
                if last != plain {
                    output.extend_from_slice(b"</span>");
                }
                if next != plain {
                    output.extend_from_slice(b"<span style=\"color: ");
                    output.extend_from_slice(&next);
                    output.extend_from_slice(b"\">");
                }
                last = next;
            }
        }
        escape(token.text, &mut output);
    }
    if last != plain {
        output.extend_from_slice(b"</span>");
    }
    output.extend_from_slice(b"</code></pre>");
    output
}

/// Gives the text, or prints it and gives `true`.
fn hand_over(call: &mut Call<'_>, output: Vec<u8>) -> PhpResult<Value> {
    if call.bool(1) {
        return text(call.vm, output);
    }
    call.vm.write(&output);
    Ok(true.into())
}

fn highlight_string(call: &mut Call<'_>) -> PhpResult<Value> {
    // PHP collects what it gives in an output buffer.
    if call.bool(1) {
        call.vm.forbid_in_callback();
    }
    let output = highlight(call.vm, call.bytes(0));
    hand_over(call, output)
}

fn read(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    super::files::check_path(call, 0)?;
    let Some(mut stream) = open_as_source(call.vm, call.bytes(0))? else {
        return Ok(None);
    };
    let mut source = stream.read_all().ok();
    // The line that names the interpreter is no part of the source.
    if let Some(text) = source.as_mut().filter(|text| text.starts_with(b"#!")) {
        let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        text.drain(..end);
    }
    Ok(source)
}

fn highlight_file(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bool(1) {
        call.vm.forbid_in_callback();
    }
    let Some(source) = read(call)? else {
        let name = without_credentials(call.bytes(0));
        let name = vm_runtime::message::text(&name).into_owned();
        call.vm
            .function_warning(format!("Failed opening '{name}' for highlighting"));
        return Ok(false.into());
    };
    let output = highlight(call.vm, &source);
    hand_over(call, output)
}

fn php_strip_whitespace(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.forbid_in_callback();
    let Some(source) = read(call)? else {
        return text(call.vm, "");
    };
    let mut output = Vec::with_capacity(source.len());
    let mut tokens = scan(&source, &options(call.vm)).into_iter();
    let mut after_space = false;
    while let Some(token) = tokens.next() {
        match token.id {
            names::WHITESPACE => {
                if !after_space {
                    output.push(b' ');
                }
                after_space = true;
            }
            names::COMMENT | names::DOC_COMMENT => {}
            names::END_HEREDOC => {
                // The label keeps a line of its own with what ends the statement.
                output.extend_from_slice(token.text);
                match tokens.next() {
                    Some(next) if next.id != names::WHITESPACE => {
                        output.extend_from_slice(next.text);
                    }
                    _ => {}
                }
                output.push(b'\n');
                after_space = true;
            }
            _ => {
                output.extend_from_slice(token.text);
                after_space = false;
            }
        }
    }
    text(call.vm, output)
}
