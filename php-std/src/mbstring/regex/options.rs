//! How patterns are meant: options, syntaxes, and their translation for PCRE2.

use pcre2_sys as ffi;

/// A dialect of regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Syntax {
    Java,
    Gnu,
    Grep,
    Emacs,
    #[default]
    Ruby,
    Perl,
    PosixBasic,
    PosixExtended,
}

const LETTERS: [(u8, Syntax); 8] = [
    (b'j', Syntax::Java),
    (b'u', Syntax::Gnu),
    (b'g', Syntax::Grep),
    (b'c', Syntax::Emacs),
    (b'r', Syntax::Ruby),
    (b'z', Syntax::Perl),
    (b'b', Syntax::PosixBasic),
    (b'd', Syntax::PosixExtended),
];

impl Syntax {
    pub(super) fn of_letter(letter: u8) -> Option<Syntax> {
        let found = LETTERS.iter().find(|(known, _)| *known == letter);
        found.map(|(_, syntax)| *syntax)
    }

    fn letter(self) -> u8 {
        let found = LETTERS.iter().find(|(_, known)| *known == self);
        found.map_or(b'r', |(letter, _)| *letter)
    }

    /// Groups and alternatives are written with a backslash.
    fn is_basic(self) -> bool {
        matches!(self, Syntax::Grep | Syntax::Emacs | Syntax::PosixBasic)
    }
}

/// How a pattern is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Options {
    pub(super) ignore_case: bool,
    pub(super) extended: bool,
    /// `.` takes line ends.
    pub(super) dot_all: bool,
    /// `^` and `$` mean the whole text.
    pub(super) single_line: bool,
    pub(super) longest: bool,
    pub(super) not_empty: bool,
    pub(super) syntax: Syntax,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            dot_all: true,
            single_line: true,
            ..Options::plain()
        }
    }
}

impl Options {
    /// No option, in Ruby's syntax.
    pub(super) fn plain() -> Options {
        Options {
            ignore_case: false,
            extended: false,
            dot_all: false,
            single_line: false,
            longest: false,
            not_empty: false,
            syntax: Syntax::Ruby,
        }
    }

    /// The letters of `mb_regex_set_options()`.
    pub(super) fn text(self) -> String {
        let mut text = String::new();
        let letters = [
            (self.ignore_case, 'i'),
            (self.extended, 'x'),
            (self.dot_all && self.single_line, 'p'),
            (self.dot_all && !self.single_line, 'm'),
            (self.single_line && !self.dot_all, 's'),
            (self.longest, 'l'),
            (self.not_empty, 'n'),
        ];
        text.extend(
            letters
                .iter()
                .filter(|(set, _)| *set)
                .map(|(_, letter)| letter),
        );
        text.push(self.syntax.letter() as char);
        text
    }

    /// PCRE2's options.
    pub(super) fn of_pcre(self, pattern: &[u8]) -> u32 {
        let mut options = ffi::PCRE2_UTF | ffi::PCRE2_UCP | ffi::PCRE2_DUPNAMES;
        for (set, option) in [
            (self.ignore_case, ffi::PCRE2_CASELESS),
            (self.extended, ffi::PCRE2_EXTENDED),
            (self.dot_all, ffi::PCRE2_DOTALL),
            (!self.single_line, ffi::PCRE2_MULTILINE),
            // Groups without a name count only if none has one.
            (has_names(pattern), ffi::PCRE2_NO_AUTO_CAPTURE),
        ] {
            if set {
                options |= option;
            }
        }
        options
    }
}

/// True if a group of the pattern has a name.
fn has_names(pattern: &[u8]) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80;
    pattern
        .windows(4)
        .any(|window| window.starts_with(b"(?<") && is_name(window[3]))
}

/// A pattern as PCRE2 writes it.
pub(super) fn translate(pattern: &[u8], syntax: Syntax) -> Vec<u8> {
    let mut result = Vec::with_capacity(pattern.len() + 8);
    let mut at = 0;
    let mut in_class = 0usize;
    while at < pattern.len() {
        let byte = pattern[at];
        at += 1;
        match byte {
            b'\\' => {
                let Some(&next) = pattern.get(at) else {
                    result.push(b'\\');
                    break;
                };
                at += 1;
                match next {
                    // A hexadecimal digit.
                    b'h' if in_class > 0 => result.extend_from_slice(b"0-9a-fA-F"),
                    b'h' => result.extend_from_slice(b"[0-9a-fA-F]"),
                    b'H' if in_class == 0 => result.extend_from_slice(b"[^0-9a-fA-F]"),
                    b'(' | b')' | b'{' | b'}' | b'|' if syntax.is_basic() && in_class == 0 => {
                        result.push(next);
                    }
                    // What has no meaning stands for itself.
                    b'i' | b'I' | b'j' | b'J' | b'l' | b'L' | b'm' | b'q' | b'T' | b'U' | b'y'
                    | b'Y' | b'_' => result.push(next),
                    _ => result.extend_from_slice(&[b'\\', next]),
                }
            }
            b'[' if in_class > 0 => {
                if matches!(pattern.get(at), Some(b':')) {
                    result.push(b'[');
                    // The name of a class, to its end.
                    let end = memchr::memmem::find(&pattern[at..], b":]");
                    let end = end.map_or(pattern.len(), |end| at + end + 2);
                    match &pattern[at..end] {
                        // Only digits of ASCII.
                        b":xdigit:]" => {
                            result.pop();
                            result.extend_from_slice(b"0-9A-Fa-f");
                        }
                        class => result.extend_from_slice(class),
                    }
                    at = end;
                } else {
                    result.extend_from_slice(b"\\[");
                }
            }
            b'[' => {
                in_class = 1;
                result.push(b'[');
                if pattern.get(at) == Some(&b'^') {
                    result.push(b'^');
                    at += 1;
                }
                if pattern.get(at) == Some(&b']') {
                    // The first is a member, if another closes the class.
                    result.push(b']');
                    at += 1;
                }
            }
            b']' if in_class > 0 => {
                in_class = 0;
                result.push(b']');
            }
            b'(' if in_class == 0 && !syntax.is_basic() && pattern[at..].starts_with(b"?") => {
                result.push(b'(');
                at += 1;
                result.push(b'?');
                // In Ruby `m` makes `.` take line ends.
                while let Some(&letter) = pattern.get(at)
                    && matches!(letter, b'i' | b'm' | b'x' | b'-')
                {
                    let is_ruby = syntax == Syntax::Ruby;
                    result.push(if letter == b'm' && is_ruby {
                        b's'
                    } else {
                        letter
                    });
                    at += 1;
                }
            }
            b'(' | b')' | b'{' | b'}' | b'|' if syntax.is_basic() && in_class == 0 => {
                result.extend_from_slice(&[b'\\', byte]);
            }
            b'+' | b'?' if syntax == Syntax::PosixBasic && in_class == 0 => {
                result.extend_from_slice(&[b'\\', byte]);
            }
            _ => result.push(byte),
        }
    }
    result
}

/// What PHP says of a pattern that does not compile.
pub(super) fn error_text(pattern: &[u8], message: &str) -> String {
    const TEXTS: [(&str, &str); 12] = [
        (
            "missing closing parenthesis",
            "end pattern with unmatched parenthesis",
        ),
        (
            "unmatched closing parenthesis",
            "unmatched close parenthesis",
        ),
        ("missing terminating ]", "premature end of char-class"),
        (
            "quantifier does not follow",
            "target of repeat operator is not specified",
        ),
        ("\\ at end of pattern", "end pattern at escape"),
        ("range out of order", "empty range in char class"),
        ("numbers out of order", "too big wide-char value"),
        (
            "reference to non-existent subpattern",
            "invalid backref number/name",
        ),
        ("unrecognized character after (?", "undefined group option"),
        ("number too big in {}", "too big number for repeat range"),
        ("unknown POSIX class name", "invalid POSIX bracket type"),
        ("missing ) after (?#", "end pattern in group"),
    ];
    if let Some(text) = with_name(pattern, message) {
        return text;
    }
    let found = TEXTS.iter().find(|(known, _)| message.starts_with(known));
    found.map_or(message, |(_, text)| text).to_owned()
}

/// What is said of some patterns depends on more than the kind of the error: on a name in them, or what stands at their
/// end.
fn with_name(pattern: &[u8], message: &str) -> Option<String> {
    let has = |part: &[u8]| memchr::memmem::find(pattern, part).is_some();
    // What stands behind `start`, up to a byte or the end.
    let name_behind = |start: &[u8], end: u8| {
        let at = memchr::memmem::find(pattern, start)? + start.len();
        let rest = &pattern[at..];
        let length = memchr::memchr(end, rest).unwrap_or(rest.len());
        let name = vm_runtime::message::text(&rest[..length]).into_owned();
        (!name.is_empty()).then_some(name)
    };
    if message.starts_with("missing terminating ]") && (has(b"[]") || has(b"[^]")) {
        return Some("empty char-class".to_owned());
    }
    if message.starts_with("missing closing parenthesis") {
        let options = pattern.iter().rev();
        let options = options.take_while(|byte| b"imx-".contains(byte)).count();
        let is_in_group = pattern[..pattern.len() - options].ends_with(b"(?");
        return is_in_group.then(|| "end pattern in group".to_owned());
    }
    if message.starts_with("unknown property") {
        let name = name_behind(b"\\p{", b'}')?;
        let name = name.strip_prefix('^').unwrap_or(&name);
        return Some(format!("invalid character property name {{{name}}}"));
    }
    if message.starts_with("subpattern name must start")
        || message.starts_with("syntax error in subpattern name")
    {
        return Some(format!(
            "invalid group name <{}>",
            name_behind(b"(?<", b'>')?
        ));
    }
    if message.starts_with("reference to non-existent subpattern") {
        let name = name_behind(b"\\k<", b'>').or_else(|| name_behind(b"\\g<", b'>'))?;
        return Some(format!("undefined name <{name}> reference"));
    }
    None
}
