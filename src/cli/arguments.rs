//! PHP's options: short ones, values attached or as the next word, `--` ends them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

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

/// What the command is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
    /// Run code.
    Run(Source),
    /// Check code.
    Lint(Source),
    /// Print op arrays.
    Dump(PathBuf),
}

/// The parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub action: Action,
    /// `-d` settings in order.
    pub settings: Vec<(String, String)>,
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
    /// An option without its value.
    #[error("Error in argument {position}, char {character}: no argument for option {name}")]
    NoValue {
        /// 1-based position of the word.
        position: usize,
        /// 1-based position in the word.
        character: usize,
        /// The letter.
        name: char,
    },
}

impl Arguments {
    /// Parses the words behind the program's name.
    ///
    /// # Errors
    /// An unknown option, or one whose value is missing.
    pub fn parse(words: Vec<OsString>) -> Result<Arguments, ArgumentError> {
        let mut words: Vec<Vec<u8>> = words.into_iter().map(OsString::into_vec).collect();
        if words.first().is_some_and(|word| word == b"dump") && words.len() == 2 {
            let path = path(&words[1]);
            return Ok(Arguments {
                action: Action::Dump(path),
                settings: Vec::new(),
                rest: Vec::new(),
            });
        }
        let mut settings = Vec::new();
        let mut source = None;
        let mut lint = false;
        let mut index = 0;
        while index < words.len() {
            let word = words[index].clone();
            match word.as_slice() {
                b"--" => {
                    index += 1;
                    break;
                }
                b"--version" => return Ok(Arguments::plain(Action::Version)),
                b"--help" => return Ok(Arguments::plain(Action::Help)),
                [b'-', letter, attached @ ..] => {
                    let letter = *letter as char;
                    let position = index + 1;
                    let mut value = || -> Result<Vec<u8>, ArgumentError> {
                        if !attached.is_empty() {
                            let value = attached.strip_prefix(b"=").unwrap_or(attached);
                            return Ok(value.to_vec());
                        }
                        index += 1;
                        words.get(index).cloned().ok_or(ArgumentError::NoValue {
                            position,
                            character: 2,
                            name: letter,
                        })
                    };
                    match letter {
                        'd' => settings.push(setting(&value()?)),
                        'f' => source = Some(Source::File(path(&value()?))),
                        'r' => source = Some(Source::Code(value()?)),
                        'c' => drop(value()?),
                        'l' => lint = true,
                        'n' | 'q' | 'C' => {}
                        'v' => return Ok(Arguments::plain(Action::Version)),
                        'h' | '?' => return Ok(Arguments::plain(Action::Help)),
                        name => {
                            return Err(ArgumentError::Unknown {
                                position,
                                character: 2,
                                name,
                            });
                        }
                    }
                    index += 1;
                }
                // Anything else is the script's name, a lone "-" too.
                _ => break,
            }
        }
        let mut rest = words.split_off(index.min(words.len()));
        let source = match source {
            Some(source) => source,
            None if words.last().is_none_or(|word| word != b"--") && !rest.is_empty() => {
                Source::File(path(&rest.remove(0)))
            }
            None => Source::Input,
        };
        if rest.first().is_some_and(|word| word == b"--") {
            rest.remove(0);
        }
        let action = if lint {
            Action::Lint(source)
        } else {
            Action::Run(source)
        };
        Ok(Arguments {
            action,
            settings,
            rest,
        })
    }

    fn plain(action: Action) -> Arguments {
        Arguments {
            action,
            settings: Vec::new(),
            rest: Vec::new(),
        }
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// `name=value`; a name alone means `1`. Quotes around the value are taken off.
fn setting(word: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(word);
    match text.split_once('=') {
        Some((name, value)) => {
            let value = value.trim();
            let unquoted = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'))
                .or_else(|| {
                    value
                        .strip_prefix('\'')
                        .and_then(|value| value.strip_suffix('\''))
                })
                .unwrap_or(value);
            (name.trim().to_string(), unquoted.to_string())
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
    fn standard_input() {
        assert_eq!(parse(&[]).unwrap().action, Action::Run(Source::Input));
        assert_eq!(parse(&["-l"]).unwrap().action, Action::Lint(Source::Input));
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
    }
}
