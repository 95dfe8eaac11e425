//! Showing and logging errors, in the forms of the PHP command line.

use super::{LastError, level};
use crate::ini::DisplayErrors;
use crate::value::StringHandle;
use crate::vm::Vm;

/// What a level is called in front of a message.
pub(super) fn level_name(level: u32) -> &'static str {
    match level {
        level::ERROR | level::CORE_ERROR | level::COMPILE_ERROR | level::USER_ERROR => {
            "Fatal error"
        }
        level::RECOVERABLE_ERROR => "Recoverable fatal error",
        level::WARNING | level::CORE_WARNING | level::COMPILE_WARNING | level::USER_WARNING => {
            "Warning"
        }
        level::PARSE => "Parse error",
        level::NOTICE | level::USER_NOTICE => "Notice",
        level::STRICT => "Strict Standards",
        level::DEPRECATED | level::USER_DEPRECATED => "Deprecated",
        _ => "Unknown error",
    }
}

impl Vm {
    /// Remembers an error, and shows and logs it as the settings say.
    pub(super) fn show_error(
        &mut self,
        level: u32,
        message: &[u8],
        file: &StringHandle,
        line: u32,
    ) {
        let unknown;
        let file = if file.is_empty() {
            unknown = self.string("Unknown");
            &unknown
        } else {
            file
        };
        let repeated = self.is_repeated(message, file, line);
        let last = LastError {
            level,
            message: message.to_vec(),
            file: file.clone(),
            line,
        };
        self.errors.last = Some(last);
        let reported = self.errors.reporting & level != 0
            || level & (level::CORE_ERROR | level::CORE_WARNING) != 0;
        if !reported || repeated {
            return;
        }
        if self.ini.log_errors {
            let text = plain(b"PHP ", level, b":  ", message, file, line);
            self.log_error(&text);
        }
        match self.ini.display_errors {
            DisplayErrors::Off => {}
            DisplayErrors::Stderr if !self.ini.html_errors => {
                let mut text = plain(b"", level, b": ", message, file, line);
                text.push(b'\n');
                self.write_error(&text);
            }
            _ => {
                let text = self.framed(level, message, file, line);
                self.write(&text);
            }
        }
    }

    fn is_repeated(&self, message: &[u8], file: &StringHandle, line: u32) -> bool {
        if !self.ini.ignore_repeated_errors {
            return false;
        }
        self.errors.last.as_ref().is_some_and(|last| {
            last.message == message
                && (self.ini.ignore_repeated_source || last.line == line && last.file.equals(file))
        })
    }

    /// The text for the output: an empty line, then the message on a line of its own.
    fn framed(&self, level: u32, message: &[u8], file: &StringHandle, line: u32) -> Vec<u8> {
        let mut text = self.ini.text("error_prepend_string").to_vec();
        if self.ini.html_errors {
            let name = level_name(level);
            let mut escaped = Vec::new();
            if matches!(level, level::ERROR | level::PARSE) {
                escape_html(message, &mut escaped);
            } else {
                escaped.extend_from_slice(message);
            }
            text.extend_from_slice(format!("<br />\n<b>{name}</b>:  ").as_bytes());
            text.extend_from_slice(&escaped);
            text.extend_from_slice(b" in <b>");
            text.extend_from_slice(file);
            text.extend_from_slice(format!("</b> on line <b>{line}</b><br />\n").as_bytes());
        } else {
            text.extend_from_slice(&plain(b"\n", level, b": ", message, file, line));
            text.push(b'\n');
        }
        text.extend_from_slice(self.ini.text("error_append_string"));
        text
    }

    /// Writes a line to the error log: the file `error_log` names, else standard error.
    pub fn log_error(&mut self, line: &[u8]) {
        let target = self.ini.text("error_log");
        if target == b"syslog" {
            write_syslog(libc::LOG_NOTICE, line);
            return;
        }
        if !target.is_empty() {
            use std::io::Write;
            use std::os::unix::ffi::OsStrExt;
            let path = std::path::Path::new(std::ffi::OsStr::from_bytes(target));
            let opened = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path);
            if let Ok(mut file) = opened {
                let mut text = format!("[{}] ", log_time()).into_bytes();
                text.extend_from_slice(line);
                text.push(b'\n');
                // As PHP does, a log that cannot be written is given up silently.
                let _ = file.write_all(&text);
                return;
            }
        }
        let mut text = line.to_vec();
        text.push(b'\n');
        self.write_error(&text);
    }
}

/// Writes to the system's log: a message for each line, with other control bytes shown by their number.
pub fn write_syslog(priority: i32, text: &[u8]) {
    for line in text.split(|&byte| byte == b'\n') {
        let mut shown = Vec::with_capacity(line.len());
        for &byte in line {
            match byte {
                0x20..=0x7e | 0x80.. => shown.push(byte),
                _ => shown.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            }
        }
        let line = std::ffi::CString::new(shown).unwrap_or_default();
        // SAFETY: both texts are zero-terminated, and the format takes one text.
        unsafe { libc::syslog(priority, c"%s".as_ptr(), line.as_ptr()) };
    }
}

/// `{prefix}{Level}{colon}{message} in {file} on line {line}`
fn plain(
    prefix: &[u8],
    level: u32,
    colon: &[u8],
    message: &[u8],
    file: &[u8],
    line: u32,
) -> Vec<u8> {
    let line = line.to_string();
    let name = level_name(level).as_bytes();
    [
        prefix,
        name,
        colon,
        message,
        b" in ",
        file,
        b" on line ",
        line.as_bytes(),
    ]
    .concat()
}

fn escape_html(text: &[u8], target: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'&' => target.extend_from_slice(b"&amp;"),
            b'<' => target.extend_from_slice(b"&lt;"),
            b'>' => target.extend_from_slice(b"&gt;"),
            b'"' => target.extend_from_slice(b"&quot;"),
            b'\'' => target.extend_from_slice(b"&#039;"),
            _ => target.push(byte),
        }
    }
}

/// The time as logs have it, in UTC: `31-Jul-2026 05:11:11 UTC`.
pub fn log_time() -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs());
    let (day, month, year) = civil_date((seconds / 86400) as i64);
    let month = MONTHS[month as usize - 1];
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{day:02}-{month}-{year} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Day, month and year of a day counted from 1970-01-01.
fn civil_date(days: i64) -> (i64, i64, i64) {
    // Years are counted from the first of March, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (day, month, year_of_era + era * 400 + (month <= 2) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Sink;

    fn shown(run: impl FnOnce(&mut Vm)) -> String {
        let mut vm = Vm::new(16 << 20);
        vm.output.set_sink(Sink::Capture(Vec::new()));
        run(&mut vm);
        String::from_utf8(vm.output.take_captured()).unwrap()
    }

    fn raise(vm: &mut Vm, level: u32, message: &str) {
        let file = vm.string("/a.php");
        vm.raise_at(level, message, &file, 3);
    }

    #[test]
    fn levels() {
        for (level, expected) in [
            (level::WARNING, "\nWarning: text in /a.php on line 3\n"),
            (level::USER_NOTICE, "\nNotice: text in /a.php on line 3\n"),
            (
                level::USER_DEPRECATED,
                "\nDeprecated: text in /a.php on line 3\n",
            ),
            (
                level::COMPILE_ERROR,
                "\nFatal error: text in /a.php on line 3\n",
            ),
            (level::PARSE, "\nParse error: text in /a.php on line 3\n"),
        ] {
            assert_eq!(shown(|vm| raise(vm, level, "text")), expected);
        }
    }

    #[test]
    fn silenced_errors_are_remembered() {
        let text = shown(|vm| {
            let before = vm.begin_silence();
            raise(vm, level::WARNING, "quiet");
            raise(vm, level::ERROR, "fatal");
            vm.end_silence(before);
            raise(vm, level::WARNING, "loud");
            let last = vm.errors.last.as_ref().unwrap();
            assert_eq!(
                (last.level, &last.message[..], last.line),
                (2, &b"loud"[..], 3)
            );
        });
        assert_eq!(
            text,
            "\nFatal error: fatal in /a.php on line 3\n\nWarning: loud in /a.php on line 3\n"
        );
    }

    #[test]
    fn frames_and_repetition() {
        let text = shown(|vm| {
            vm.ini_set("error_prepend_string", b"<<").unwrap();
            vm.ini_set("error_append_string", b">>").unwrap();
            vm.ini_set("ignore_repeated_errors", b"1").unwrap();
            raise(vm, level::NOTICE, "again");
            raise(vm, level::NOTICE, "again");
        });
        assert_eq!(text, "<<\nNotice: again in /a.php on line 3\n>>");
    }

    #[test]
    fn html() {
        let text = shown(|vm| {
            vm.ini_set("html_errors", b"1").unwrap();
            raise(vm, level::NOTICE, "a<b");
        });
        assert_eq!(
            text,
            "<br />\n<b>Notice</b>:  a<b in <b>/a.php</b> on line <b>3</b><br />\n"
        );
    }

    #[test]
    fn dates() {
        assert_eq!(civil_date(0), (1, 1, 1970));
        assert_eq!(civil_date(11_016), (29, 2, 2000));
        assert_eq!(civil_date(20_665), (31, 7, 2026));
    }
}
