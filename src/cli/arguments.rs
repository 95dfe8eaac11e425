//! PHP's options: letters that may be joined, long names, values attached or as the next word; `--`
//! ends them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use vm_runtime::ini::{Word, parse_word};

/// Where the code comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// The argument of `-r`.
    Code(Vec<u8>),
    /// Standard input.
    Input,
}

/// What is run for each line of standard input, with what comes before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForLines {
    /// The argument of `-B`.
    pub begin: Option<Vec<u8>>,
    /// The argument of `-R` or `-F`, if there is one.
    pub body: Option<Source>,
    /// The argument of `-E`.
    pub end: Option<Vec<u8>>,
}

/// What is shown of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// `--rf`
    Function(Vec<u8>),
    /// `--rc`
    Class(Vec<u8>),
    /// `--re`
    Extension(Vec<u8>),
    /// `--rz`
    ZendExtension(Vec<u8>),
    /// `--ri`
    Configuration(Vec<u8>),
    /// `--ini`
    ConfigurationFiles,
    /// `-i`
    Information,
    /// `-m`
    Modules,
}

/// What the command is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
    /// Run code.
    Run(Source),
    /// Run code for each line of standard input.
    RunForLines(ForLines),
    /// Check code.
    Lint(Vec<Source>),
    /// Print code with colours, as HTML.
    Highlight(Source),
    /// Print code without comments and needless blanks.
    Strip(Source),
    /// Print what the engine knows of something.
    Show(Subject),
    /// Read statements from the terminal.
    Interactive,
    /// Serve HTTP at an address, from a directory.
    Serve {
        /// `host:port`
        address: String,
        /// The directory; the working directory if there is none.
        root: Option<PathBuf>,
    },
    /// Print what is compiled.
    Dump(PathBuf, Dump),
}

/// What a dump shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dump {
    /// Op arrays.
    Oplines,
    /// Graphs of hot functions.
    Graph,
    /// Their machine code.
    Machine,
}

/// The parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub action: Action,
    /// `-d` settings in order.
    pub settings: Vec<(String, String)>,
    /// `-c`: where the configuration file is.
    pub configuration: Option<PathBuf>,
    /// `-n`: no configuration file is read.
    pub no_configuration: bool,
    /// Arguments of the script.
    pub rest: Vec<Vec<u8>>,
}

/// A command line that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// An option that does not exist.
    #[error("Error in argument {position}, char {character}: option not found {name}")]
    Unknown {
        /// 1-based position of the word.
        position: usize,
        /// 1-based position in the word.
        character: usize,
        /// The letter.
        name: char,
    },
    /// An option without its value, or a long one that does not exist (called `-`).
    #[error("Error in argument {position}, char {character}: no argument for option {name}")]
    NoValue {
        /// 1-based position of the word.
        position: usize,
        /// 1-based position in the word.
        character: usize,
        /// The letter.
        name: char,
    },
    /// Two options that exclude each other.
    #[error("{0}")]
    Conflict(String),
}

impl ArgumentError {
    /// True if the usage is shown besides.
    pub fn shows_usage(&self) -> bool {
        !matches!(self, ArgumentError::Conflict(_))
    }
}

/// An option: its letter (or what stands for it), whether a value follows, and its long names.
struct Known(char, bool, &'static [&'static str]);

/// What `--rf` and its like are known by; they have no letters.
mod long {
    pub(super) const FUNCTION: char = '\u{1}';
    pub(super) const CLASS: char = '\u{2}';
    pub(super) const EXTENSION: char = '\u{3}';
    pub(super) const ZEND_EXTENSION: char = '\u{4}';
    pub(super) const CONFIGURATION: char = '\u{5}';
    pub(super) const FILES: char = '\u{6}';
}

const OPTIONS: &[Known] = &[
    Known('a', false, &["interactive"]),
    Known('B', true, &["process-begin"]),
    Known('C', false, &["no-chdir"]),
    Known('c', true, &["php-ini"]),
    Known('d', true, &["define"]),
    Known('E', true, &["process-end"]),
    Known('e', false, &["profile-info"]),
    Known('F', true, &["process-file"]),
    Known('f', true, &["file"]),
    Known('h', false, &["help"]),
    Known('i', false, &["info"]),
    Known('l', false, &["syntax-check"]),
    Known('m', false, &["modules"]),
    Known('n', false, &["no-php-ini"]),
    Known('q', false, &["no-header"]),
    Known('R', true, &["process-code"]),
    Known('H', false, &["hide-args"]),
    Known('r', true, &["run"]),
    Known('s', false, &["syntax-highlight", "syntax-highlighting"]),
    Known('S', true, &["server"]),
    Known('t', true, &["docroot"]),
    Known('w', false, &["strip"]),
    Known('?', false, &["usage"]),
    Known('v', false, &["version"]),
    Known('z', true, &["zend-extension"]),
    Known(long::FUNCTION, true, &["rf", "rfunction"]),
    Known(long::CLASS, true, &["rc", "rclass"]),
    Known(long::EXTENSION, true, &["re", "rextension"]),
    Known(long::ZEND_EXTENSION, true, &["rz", "rzendextension"]),
    Known(long::CONFIGURATION, true, &["ri", "rextinfo"]),
    Known(long::FILES, false, &["ini"]),
];

/// The words, and how far they were read.
struct Words {
    words: Vec<Vec<u8>>,
    index: usize,
    /// The next letter of a word with joined letters; 0 between words.
    letter: usize,
}

impl Words {
    /// The next option with its value; `None` where the options end.
    fn next(&mut self) -> Result<Option<(char, Vec<u8>)>, ArgumentError> {
        let Some(word) = self.words.get(self.index).cloned() else {
            return Ok(None);
        };
        let position = self.index + 1;
        if self.letter == 0 {
            if word == b"--" {
                self.index += 1;
                return Ok(None);
            }
            if word.len() < 2 || word[0] != b'-' {
                return Ok(None);
            }
            if let Some(name) = word.strip_prefix(b"--") {
                return self.long(name, position).map(Some);
            }
            self.letter = 1;
        }
        let character = self.letter + 1;
        let name = word[self.letter] as char;
        let Some(Known(_, has_value, _)) = OPTIONS
            .iter()
            .find(|Known(letter, ..)| *letter == name && name >= ' ')
        else {
            return Err(ArgumentError::Unknown {
                position,
                character,
                name,
            });
        };
        self.letter += 1;
        let rest = &word[self.letter..];
        if !has_value {
            if rest.is_empty() {
                (self.index, self.letter) = (self.index + 1, 0);
            }
            return Ok(Some((name, Vec::new())));
        }
        self.letter = 0;
        self.index += 1;
        if !rest.is_empty() {
            let value = rest.strip_prefix(b"=").unwrap_or(rest);
            return Ok(Some((name, value.to_vec())));
        }
        let value = self.words.get(self.index).cloned();
        self.index += 1;
        match value {
            Some(value) => Ok(Some((name, value))),
            None => Err(ArgumentError::NoValue {
                position,
                character,
                name,
            }),
        }
    }

    fn long(&mut self, word: &[u8], position: usize) -> Result<(char, Vec<u8>), ArgumentError> {
        let missing = ArgumentError::NoValue {
            position,
            character: 2,
            name: '-',
        };
        let (name, attached) = match word.iter().position(|&byte| byte == b'=') {
            Some(at) => (&word[..at], Some(word[at + 1..].to_vec())),
            None => (word, None),
        };
        let known = OPTIONS
            .iter()
            .find(|Known(.., names)| names.iter().any(|known| known.as_bytes() == name));
        let Some(Known(letter, has_value, _)) = known else {
            return Err(missing);
        };
        self.index += 1;
        if !has_value {
            return Ok((*letter, Vec::new()));
        }
        if let Some(value) = attached {
            return Ok((*letter, value));
        }
        let value = self.words.get(self.index).cloned();
        self.index += 1;
        value.map(|value| (*letter, value)).ok_or(missing)
    }
}

fn only_once(letters: &str) -> ArgumentError {
    ArgumentError::Conflict(format!("You can use {letters} only once."))
}

const ONE_SOURCE: &str = "Either execute direct code, process stdin or use a file.";

/// What the options said so far.
#[derive(Default)]
struct Wanted {
    source: Option<Source>,
    lines: Option<ForLines>,
    /// What is done with the source instead of running it.
    mode: Option<char>,
    shown: Option<Subject>,
    server: Option<String>,
    root: Option<PathBuf>,
}

impl Wanted {
    fn lines(&mut self) -> &mut ForLines {
        self.lines.get_or_insert(ForLines {
            begin: None,
            body: None,
            end: None,
        })
    }

    fn set_source(&mut self, source: Source) -> Result<(), ArgumentError> {
        match (&self.source, &source) {
            (Some(Source::Code(_)), Source::Code(_)) => return Err(only_once("-r")),
            (Some(Source::File(_)), Source::File(_)) => return Err(only_once("-f")),
            _ => {}
        }
        if self.source.is_some() || self.lines.is_some() {
            return Err(ArgumentError::Conflict(ONE_SOURCE.into()));
        }
        self.source = Some(source);
        Ok(())
    }

    /// Sets a part of a program for lines, of which there is one of each kind.
    fn set_part<T>(
        &mut self,
        letters: &str,
        part: impl FnOnce(&mut ForLines) -> &mut Option<T>,
        value: T,
    ) -> Result<(), ArgumentError> {
        if self.source.is_some() {
            return Err(ArgumentError::Conflict(ONE_SOURCE.into()));
        }
        match part(self.lines()).replace(value) {
            Some(_) => Err(only_once(letters)),
            None => Ok(()),
        }
    }

    fn set_body(&mut self, body: Source) -> Result<(), ArgumentError> {
        self.set_part("-R or -F", |lines| &mut lines.body, body)
    }
}

impl Arguments {
    /// Parses the words behind the program's name.
    ///
    /// # Errors
    /// An unknown option, one whose value is missing, or two that exclude each other.
    pub fn parse(words: Vec<OsString>) -> Result<Arguments, ArgumentError> {
        let words: Vec<Vec<u8>> = words.into_iter().map(OsString::into_vec).collect();
        let mut parsed = Arguments {
            action: Action::Help,
            settings: Vec::new(),
            configuration: None,
            no_configuration: false,
            rest: Vec::new(),
        };
        if words.first().is_some_and(|word| word == b"dump") && (2..=3).contains(&words.len()) {
            let form = match words[1].as_slice() {
                b"--ir" => Dump::Graph,
                b"--asm" => Dump::Machine,
                _ => Dump::Oplines,
            };
            parsed.action = Action::Dump(path(&words[words.len() - 1]), form);
            return Ok(parsed);
        }
        let mut words = Words {
            words,
            index: 0,
            letter: 0,
        };
        let mut wanted = Wanted::default();
        while let Some((letter, value)) = words.next()? {
            match letter {
                'd' => parsed.settings.push(setting(&value)),
                'c' => parsed.configuration = Some(path(&value)),
                'n' => parsed.no_configuration = true,
                'f' => wanted.set_source(Source::File(path(&value)))?,
                'r' => wanted.set_source(Source::Code(value))?,
                'R' => wanted.set_body(Source::Code(value))?,
                'F' => wanted.set_body(Source::File(path(&value)))?,
                'B' => wanted.set_part("-B", |lines| &mut lines.begin, value)?,
                'E' => wanted.set_part("-E", |lines| &mut lines.end, value)?,
                'l' | 's' | 'w' | 'a' => wanted.mode = Some(letter),
                'S' => wanted.server = Some(String::from_utf8_lossy(&value).into_owned()),
                't' => wanted.root = Some(path(&value)),
                'm' => wanted.shown = Some(Subject::Modules),
                'i' => wanted.shown = Some(Subject::Information),
                long::FUNCTION => wanted.shown = Some(Subject::Function(value)),
                long::CLASS => wanted.shown = Some(Subject::Class(value)),
                long::EXTENSION => wanted.shown = Some(Subject::Extension(value)),
                long::ZEND_EXTENSION => wanted.shown = Some(Subject::ZendExtension(value)),
                long::CONFIGURATION => wanted.shown = Some(Subject::Configuration(value)),
                long::FILES => wanted.shown = Some(Subject::ConfigurationFiles),
                'v' | 'h' | '?' => {
                    if letter == 'v' {
                        parsed.action = Action::Version;
                    }
                    return Ok(parsed);
                }
                // Nothing to change the directory for, to hide, to profile or to load.
                _ => {}
            }
        }
        let ended_by_dashes = words.index > 0 && words.words[words.index - 1] == b"--";
        parsed.rest = words.words.split_off(words.index.min(words.words.len()));
        parsed.action = parsed.choose(wanted, ended_by_dashes);
        Ok(parsed)
    }

    /// What to do, of what the options said and the words behind them.
    fn choose(&mut self, wanted: Wanted, ended_by_dashes: bool) -> Action {
        if let Some(shown) = wanted.shown {
            return Action::Show(shown);
        }
        if let Some(address) = wanted.server {
            return Action::Serve {
                address,
                root: wanted.root,
            };
        }
        if let Some(lines) = wanted.lines {
            self.skip_dashes();
            return Action::RunForLines(lines);
        }
        if wanted.mode == Some('a') && wanted.source.is_none() && self.rest.is_empty() {
            return Action::Interactive;
        }
        if wanted.mode == Some('l') && wanted.source.is_none() && !self.rest.is_empty() {
            let files = self.rest.drain(..);
            return Action::Lint(files.map(|name| Source::File(path(&name))).collect());
        }
        let source = match wanted.source {
            Some(source) => {
                self.skip_dashes();
                source
            }
            // What stands behind the name of a file is for the script, dashes included.
            None if !ended_by_dashes && !self.rest.is_empty() => {
                Source::File(path(&self.rest.remove(0)))
            }
            None => {
                self.skip_dashes();
                Source::Input
            }
        };
        match wanted.mode {
            Some('l') => Action::Lint(vec![source]),
            Some('s') => Action::Highlight(source),
            Some('w') => Action::Strip(source),
            _ => Action::Run(source),
        }
    }

    fn skip_dashes(&mut self) {
        if self.rest.first().is_some_and(|word| word == b"--") {
            self.rest.remove(0);
        }
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// What a value stands for that is not in quotes.
fn meaning(value: &str) -> &str {
    match parse_word(value.as_bytes()) {
        Some(Word::Yes) => "1",
        Some(Word::No | Word::Null) => "",
        None => value,
    }
}

/// `name=value`; a name alone means `1`. Quotes around the value are taken off.
fn setting(word: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(word);
    match text.split_once('=') {
        Some((name, value)) => {
            // Read as a line of an ini file, where `;` begins a comment; in front of other characters
            // than these PHP puts a quote.
            let plain = |first: u8| first.is_ascii_alphanumeric();
            let value = match value.as_bytes().first() {
                Some(&first) if plain(first) => value.split(';').next().unwrap_or(value),
                _ => value,
            };
            let value = value.trim();
            let quoted = ['"', '\'']
                .into_iter()
                .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
            let value = quoted.unwrap_or_else(|| meaning(value));
            (name.trim().to_string(), value.to_string())
        }
        None => (text.trim().to_string(), String::from("1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, ArgumentError> {
        Arguments::parse(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn words_of_settings() {
        let given = [
            "a=On",
            "a=\"On\"",
            "a='off'",
            "a=NULL",
            "a=none;x",
            "a=nothing",
            "a",
        ];
        let stands_for = ["1", "On", "off", "", "", "nothing", "1"];
        for (word, value) in given.into_iter().zip(stands_for) {
            assert_eq!(setting(word.as_bytes()).1, value, "{word}");
        }
    }

    #[test]
    fn file_and_arguments() {
        let arguments = parse(&["-n", "-d", "a=b", "-dc", "x.php", "-v", "--", "y"]).unwrap();
        assert_eq!(arguments.action, Action::Run(Source::File("x.php".into())));
        assert_eq!(
            arguments.settings,
            [("a".into(), "b".into()), ("c".into(), "1".into())]
        );
        assert_eq!(
            arguments.rest,
            [b"-v".to_vec(), b"--".to_vec(), b"y".to_vec()]
        );
    }

    #[test]
    fn code_with_arguments_behind_dashes() {
        let arguments = parse(&["-r", "echo 1;", "--", "-x"]).unwrap();
        assert_eq!(
            arguments.action,
            Action::Run(Source::Code(b"echo 1;".to_vec()))
        );
        assert_eq!(arguments.rest, [b"-x".to_vec()]);
    }

    #[test]
    fn option_f_with_arguments() {
        let arguments = parse(&["-n", "-f", "x.php", "--", "1", "2"]).unwrap();
        assert_eq!(arguments.action, Action::Run(Source::File("x.php".into())));
        assert_eq!(arguments.rest, [b"1".to_vec(), b"2".to_vec()]);
    }

    #[test]
    fn dashes_behind_a_file() {
        let arguments = parse(&["-n", "x.php", "--", "-v"]).unwrap();
        assert_eq!(arguments.action, Action::Run(Source::File("x.php".into())));
        assert_eq!(arguments.rest, [b"--".to_vec(), b"-v".to_vec()]);
    }

    #[test]
    fn joined_letters_and_long_names() {
        let arguments = parse(&["-nda=b", "--run=echo 2;"]).unwrap();
        assert!(arguments.no_configuration);
        assert_eq!(arguments.settings, [("a".into(), "b".into())]);
        assert_eq!(
            arguments.action,
            Action::Run(Source::Code(b"echo 2;".to_vec()))
        );
        assert_eq!(
            parse(&["--rf", "strlen"]).unwrap().action,
            Action::Show(Subject::Function(b"strlen".to_vec()))
        );
    }

    #[test]
    fn standard_input() {
        assert_eq!(parse(&[]).unwrap().action, Action::Run(Source::Input));
        let arguments = parse(&["--", "a"]).unwrap();
        assert_eq!(arguments.action, Action::Run(Source::Input));
        assert_eq!(arguments.rest, [b"a".to_vec()]);
        // PHP knows no other name for it.
        let arguments = parse(&["-", "a"]).unwrap();
        assert_eq!(arguments.action, Action::Run(Source::File("-".into())));
        assert_eq!(
            parse(&["-l"]).unwrap().action,
            Action::Lint(vec![Source::Input])
        );
    }

    #[test]
    fn lines_and_servers() {
        let lines = ForLines {
            begin: Some(b"1;".to_vec()),
            body: Some(Source::Code(b"2;".to_vec())),
            end: None,
        };
        assert_eq!(
            parse(&["-B", "1;", "-R", "2;"]).unwrap().action,
            Action::RunForLines(lines)
        );
        assert_eq!(
            parse(&["-S", "localhost:80", "-t", "www"]).unwrap().action,
            Action::Serve {
                address: String::from("localhost:80"),
                root: Some("www".into())
            }
        );
    }

    #[test]
    fn mistakes() {
        assert!(matches!(
            parse(&["-r"]),
            Err(ArgumentError::NoValue { name: 'r', .. })
        ));
        assert!(matches!(
            parse(&["-Z"]),
            Err(ArgumentError::Unknown { name: 'Z', .. })
        ));
        assert!(matches!(
            parse(&["--nope"]),
            Err(ArgumentError::NoValue { name: '-', .. })
        ));
        assert!(matches!(
            parse(&["-r", "1;", "-f", "x"]),
            Err(ArgumentError::Conflict(_))
        ));
    }
}
