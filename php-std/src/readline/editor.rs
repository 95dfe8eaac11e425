//! Lines edited at a terminal, by rustyline.
//!
//! It waits for keys as long as it likes, so it does that on a thread of its own: limits end the script
//! meanwhile. What words may become only the VM knows, so the thread asks back.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use rustyline::completion::{Completer, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use vm_runtime::limits;
use vm_runtime::vm::{PhpResult, Vm};

use super::state;

/// What a word may become.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Where it starts in the line.
    pub(super) start: usize,
    pub(super) words: Vec<Vec<u8>>,
    /// A space follows if there is only one.
    pub(super) ends: bool,
}

impl Words {
    pub(super) fn none() -> Words {
        Words::default()
    }
}

/// The most lines that are remembered.
const MOST_LINES: usize = 10_000;

/// What the editor is asked for: a line.
struct Wanted {
    /// Numbers the lines: nobody waits for one if the script was ended meanwhile.
    number: u64,
    prompt: String,
    history: Vec<String>,
}

/// What the editor says.
enum Said {
    /// What may the word become that ends here?
    Complete(String, usize),
    /// The line, and the bytes that the thread has allocated for others since the last one.
    Line(u64, Result<String, ReadlineError>, isize),
}

/// The editor of the process, as a VM sees it.
#[derive(Debug)]
pub(super) struct Terminal {
    wanted: Sender<Wanted>,
    said: Receiver<Said>,
    words: Sender<Option<Words>>,
    number: u64,
}

/// Asks for words on the editor's thread.
struct Asking {
    said: Sender<Said>,
    words: Receiver<Option<Words>>,
}

impl Completer for Asking {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        point: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let asked = self.said.send(Said::Complete(line.to_owned(), point));
        let words = asked.ok().and_then(|()| self.words.recv().ok()).flatten();
        let Some(words) = words else {
            return Ok((point, Vec::new()));
        };
        let is_only = words.words.len() == 1;
        let pairs = words.words.iter().map(|word| {
            let display = String::from_utf8_lossy(word).into_owned();
            let mut replacement = display.clone();
            if is_only && words.ends {
                replacement.push(' ');
            }
            Pair {
                display,
                replacement,
            }
        });
        Ok((words.start, pairs.collect()))
    }
}

impl Hinter for Asking {
    type Hint = String;
}
impl Highlighter for Asking {}
impl Validator for Asking {}
impl Helper for Asking {}

impl Terminal {
    /// Starts the editor; nothing if the system gives no thread or the terminal is none that can be used.
    fn start() -> Option<Terminal> {
        let (wanted, lines) = channel::<Wanted>();
        let (say, said) = channel();
        let (words, answers) = channel();
        let asking = Asking {
            said: say.clone(),
            words: answers,
        };
        let configuration = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .build();
        let mut editor = Editor::with_history(configuration, MemHistory::new()).ok()?;
        editor.set_helper(Some(asking));
        editor.set_max_history_size(MOST_LINES).ok()?;
        std::thread::Builder::new()
            .name("line editor".into())
            .spawn(move || work(editor, &lines, &say))
            .ok()?;
        Some(Terminal {
            wanted,
            said,
            words,
            number: 0,
        })
    }
}

/// Edits lines as long as somebody wants some.
fn work(mut editor: Editor<Asking, MemHistory>, lines: &Receiver<Wanted>, say: &Sender<Said>) {
    let mut told = limits::thread_memory();
    while let Ok(wanted) = lines.recv() {
        // A history that cannot be kept is none.
        let _ = editor.clear_history();
        for line in wanted.history {
            let _ = editor.add_history_entry(line);
        }
        let line = editor.readline(wanted.prompt.as_str());
        let now = limits::thread_memory();
        let since = now - std::mem::replace(&mut told, now);
        if say.send(Said::Line(wanted.number, line, since)).is_err() {
            return;
        }
    }
}

/// Gives the terminal back as it was, also if the script is ended while the editor waits.
struct Kept(Option<libc::termios>);

impl Kept {
    fn new() -> Kept {
        // SAFETY: all zeros is such a structure, and the call writes to it alone.
        let (mut modes, status) = unsafe { (std::mem::zeroed::<libc::termios>(), 0) };
        // SAFETY: as above.
        let status = status + unsafe { libc::tcgetattr(libc::STDIN_FILENO, &mut modes) };
        Kept((status == 0).then_some(modes))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(modes) = &self.0 {
            // SAFETY: the call only reads the structure.
            unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSADRAIN, modes) };
        }
    }
}

/// Has a line edited; nothing at the end of the input. `complete` says what the word may become that ends at a
/// point of a line.
pub(super) fn read(
    vm: &mut Vm,
    prompt: &[u8],
    complete: impl Fn(&mut Vm, &[u8], usize) -> PhpResult<Words>,
) -> PhpResult<Option<Vec<u8>>> {
    vm.output.flush();
    let mut terminal = match state(vm).terminal.take() {
        Some(terminal) => terminal,
        None => match Terminal::start() {
            Some(terminal) => Box::new(terminal),
            None => return Ok(super::plain_line(vm)),
        },
    };
    let _kept = Kept::new();
    let mut failed = Ok(());
    let line = loop {
        terminal.number += 1;
        let history = &state(vm).history;
        let recent = &history[history.len().saturating_sub(MOST_LINES)..];
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        let wanted = Wanted {
            number: terminal.number,
            prompt: String::from_utf8_lossy(prompt).into_owned(),
            history: recent.iter().map(text).collect(),
        };
        if terminal.wanted.send(wanted).is_err() {
            break None;
        }
        match edited(vm, &terminal, &complete, &mut failed) {
            Some(Err(ReadlineError::Interrupted)) => {
                // As the key does without an editor: what the script says of the signal holds.
                // SAFETY: sends a signal to this process.
                unsafe { libc::raise(libc::SIGINT) };
                vm.run_signals()?;
            }
            Some(Err(ReadlineError::Signal(_))) => {}
            Some(Err(_)) | None => break None,
            Some(Ok(line)) => break Some(line.into_bytes()),
        }
    };
    state(vm).terminal = Some(terminal);
    failed.map(|()| line)
}

/// Waits for the line that is wanted, and answers what is asked meanwhile.
fn edited(
    vm: &mut Vm,
    terminal: &Terminal,
    complete: &impl Fn(&mut Vm, &[u8], usize) -> PhpResult<Words>,
    failed: &mut PhpResult<()>,
) -> Option<Result<String, ReadlineError>> {
    loop {
        let said = vm.wait_until(|_, slice| match terminal.said.recv_timeout(slice) {
            Ok(said) => Some(Some(said)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(None),
        })?;
        match said {
            Said::Complete(line, point) => {
                // What a function of the script throws comes when the line is there.
                let words = match failed {
                    Ok(()) => match complete(vm, line.as_bytes(), point) {
                        Ok(words) => Some(words),
                        Err(thrown) => {
                            *failed = Err(thrown);
                            None
                        }
                    },
                    Err(_) => None,
                };
                vm.output.flush();
                terminal.words.send(words).ok()?;
            }
            Said::Line(number, line, memory) => {
                limits::take_over(memory);
                if number == terminal.number {
                    return Some(line);
                }
            }
        }
    }
}
