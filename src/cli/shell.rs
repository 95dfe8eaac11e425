//! `-a`: runs what is typed, a statement at a time.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use php_std::readline::shell;
use vm_runtime::output::Sink;

use super::arguments::Arguments;
use super::print;
use super::script::{finish, prepare};

/// What the code is called in messages.
const NAME: &[u8] = b"php shell code";

/// Standard output that remembers the last byte: each answer ends with a line break.
struct Remembering(Arc<AtomicU8>);

impl Write for Remembering {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(last) = bytes.last() {
            self.0.store(*last, Ordering::Relaxed);
        }
        std::io::stdout().write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().flush()
    }
}

/// Reads lines until there are no more or the code ends the session.
pub fn execute(arguments: &Arguments) -> ExitCode {
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    print("Interactive shell\n\n");
    let last = Arc::new(AtomicU8::new(b'\n'));
    let sink = Sink::Writer(Box::new(Remembering(last.clone())));
    vm.runtime().output.set_sink(sink);
    vm.set_command_line(b"php shell code", &arguments.rest);
    let prompts = std::io::stdin().is_terminal();
    shell::begin(vm.runtime());
    let mut piece: Vec<u8> = Vec::new();
    loop {
        let prompt = match prompts {
            true if piece.is_empty() => prompt(&mut vm, '>'),
            true => prompt(&mut vm, waiting(&piece).unwrap_or('>')),
            false => String::new(),
        };
        let Some(mut line) = shell::read_line(vm.runtime(), &prompt) else {
            break;
        };
        if !line.is_empty() {
            shell::remember(vm.runtime(), &line);
        }
        if piece.is_empty() && line.starts_with(b"#") {
            set(&mut vm, &line[1..]);
            continue;
        }
        line.push(b'\n');
        piece.extend_from_slice(&line);
        if waiting(&piece).is_some() {
            continue;
        }
        // Before the code runs, which may end the session.
        shell::keep(vm.runtime());
        let source = std::mem::take(&mut piece);
        last.store(b'\n', Ordering::Relaxed);
        let goes_on = vm.run_piece(&source, NAME);
        vm.flush_output();
        if last.load(Ordering::Relaxed) != b'\n' {
            print("\n");
        }
        if !goes_on {
            break;
        }
    }
    shell::keep(vm.runtime());
    if prompts {
        print("\n");
    }
    let status = vm.end_pieces();
    finish(vm, status)
}

/// The prompt that the setting `cli.prompt` makes, which tells what the code waits for.
fn prompt(vm: &mut opline::Vm, waits_for: char) -> String {
    let setting = vm.runtime().ini.text("cli.prompt").to_vec();
    let setting = String::from_utf8_lossy(&setting);
    let mut shown = String::new();
    let mut letters = setting.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            shown.push(letter);
            continue;
        }
        match letters.next() {
            Some('b') => shown.push_str("php"),
            Some('>') => shown.push(waits_for),
            Some('v') => shown.push_str(php_std::PHP_VERSION),
            Some('n') => shown.push('\n'),
            Some('t') => shown.push('\t'),
            Some('e') => shown.push('\x1b'),
            Some(other) => shown.push(other),
            None => {}
        }
    }
    shown
}

/// Sets what a line `#name=value` names; other lines with `#` are comments.
fn set(vm: &mut opline::Vm, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    if let Some((name, value)) = line.trim_end().split_once('=') {
        vm.set_ini(name.trim(), value.trim());
    }
}

/// What code waits for: the bracket or quotation mark that is open, `>` for the rest of a statement.
/// None if it can be run.
fn waiting(code: &[u8]) -> Option<char> {
    let mut open: Vec<u8> = Vec::new();
    let mut is_whole = false;
    let mut at = 0;
    while let Some(&byte) = code.get(at) {
        let rest = &code[at..];
        let skipped = match byte {
            b'#' if rest.starts_with(b"#[") => 0,
            b'#' => line_comment(rest),
            b'/' if rest.starts_with(b"//") => line_comment(rest),
            b'/' if rest.starts_with(b"/*") => match find(&rest[2..], b"*/") {
                Some(end) => end + 4,
                None => return Some('*'),
            },
            b'\'' | b'"' | b'`' => {
                is_whole = false;
                match closing(rest) {
                    Some(end) => end,
                    None => return Some(byte as char),
                }
            }
            b'<' if rest.starts_with(b"<<<") => {
                is_whole = false;
                match heredoc(rest) {
                    Some(end) => end,
                    None => return Some('<'),
                }
            }
            b'?' if rest.starts_with(b"?>") => match find(rest, b"<?php") {
                Some(end) => end + 5,
                None => return Some('?'),
            },
            _ => 0,
        };
        if skipped > 0 {
            at += skipped;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => {
                open.push(byte);
                is_whole = false;
            }
            b')' | b']' | b'}' => {
                open.pop();
                is_whole = byte == b'}';
            }
            b';' => is_whole = true,
            byte if byte.is_ascii_whitespace() => {}
            _ => is_whole = false,
        }
        at += 1;
    }
    match open.last() {
        Some(bracket) => Some(*bracket as char),
        None => (!is_whole).then_some('-'),
    }
}

fn find(code: &[u8], wanted: &[u8]) -> Option<usize> {
    code.windows(wanted.len()).position(|part| part == wanted)
}

fn find_line_end(code: &[u8]) -> Option<usize> {
    code.iter().position(|byte| *byte == b'\n')
}

/// The length of a comment that ends with its line, or with the code.
fn line_comment(rest: &[u8]) -> usize {
    let end = find_line_end(rest).unwrap_or(rest.len());
    find(&rest[..end], b"?>").unwrap_or(end).max(1)
}

/// The length of a text in quotation marks.
fn closing(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if byte == rest[0] => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The length of a heredoc; 1 if it is none.
fn heredoc(rest: &[u8]) -> Option<usize> {
    let start = &rest[3..];
    let blanks = start
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let quoted = usize::from(matches!(start.get(blanks), Some(b'\'' | b'"')));
    let name = &start[blanks + quoted..];
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80;
    let length = name.iter().take_while(is_letter).count();
    if length == 0 {
        return Some(1);
    }
    let name = &name[..length];
    let mut at = find_line_end(rest)? + 1;
    loop {
        let line = &rest[at..];
        let blanks = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let after = &line[blanks..];
        if after.starts_with(name) && !after.get(length).is_some_and(|byte| is_letter(&byte)) {
            return Some(at + blanks + length);
        }
        at += find_line_end(line)? + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::waiting;

    #[test]
    fn statements_end_where_they_end() {
        for whole in [
            "echo 1;\n",
            "if ($a) {\n}\n",
            "echo 'a;\nb';\n",
            "echo <<<X\na {\nX;\n",
            "# {\necho 1; // (\n",
            "?>html<?php\necho 1;\n",
        ] {
            assert_eq!(waiting(whole.as_bytes()), None, "{whole}");
        }
        for (part, waits) in [
            ("echo 1\n", '-'),
            ("if ($a) {\n", '{'),
            ("echo 'a;\n", '\''),
            ("f(1,\n", '('),
            ("echo <<<X\na\n", '<'),
            ("/* ;\n", '*'),
            ("?>html\n", '?'),
        ] {
            assert_eq!(waiting(part.as_bytes()), Some(waits), "{part}");
        }
    }
}
