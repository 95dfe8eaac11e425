//! The connection over which an FTP server is told what to do, and the ones that carry files.

use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::super::super::stream::Stream;
use crate::standard::network::sockets::connect_tcp;
use crate::standard::strings::encode::{UrlStyle, decode_url};
use crate::standard::strings::url::split_url;

/// The longest line of an answer.
const LONGEST_LINE: usize = 511;
/// The most lines of an answer.
const MOST_LINES: usize = 1 << 10;

/// Why something cannot be done: what there is to say besides `operation failed`.
pub(super) type Problem = Option<String>;

/// Where a name leads.
#[derive(Debug)]
pub(super) struct Place {
    is_encrypted: bool,
    pub(super) host: Vec<u8>,
    pub(super) port: u16,
    user: Vec<u8>,
    password: Vec<u8>,
    pub(super) path: Option<Vec<u8>>,
}

impl Place {
    /// Reads a name; nothing if it names no server.
    pub(super) fn of(name: &[u8]) -> Option<Place> {
        let url = split_url(name)?;
        let plain = |text: &[u8]| decode_url(text, UrlStyle::Raw);
        // What controls something is no part of a name.
        let visible = |text: &[u8]| -> Vec<u8> {
            let shown = |&byte: &u8| if byte.is_ascii_control() { b'_' } else { byte };
            text.iter().map(shown).collect()
        };
        Some(Place {
            is_encrypted: url.scheme?.eq_ignore_ascii_case(b"ftps"),
            host: url.host.filter(|host| !host.is_empty())?.to_vec(),
            port: url.port.unwrap_or(21),
            user: url.user.map_or(b"anonymous".to_vec(), plain),
            password: url.password.map_or(b"anonymous".to_vec(), plain),
            path: url.path.map(visible),
        })
    }

    /// Whether both are on one server.
    pub(super) fn is_beside(&self, other: &Place) -> bool {
        self.is_encrypted == other.is_encrypted
            && self.host == other.host
            && self.port == other.port
    }
}

/// Whether an answer says that something was done.
pub(super) fn is_done(answer: u32) -> bool {
    (200..300).contains(&answer)
}

/// A connection to a server that let somebody in.
#[derive(Debug)]
pub(super) struct Control {
    stream: Stream,
    host: Vec<u8>,
    context: Option<Value>,
    /// Files are encrypted, too.
    #[cfg(feature = "tls")]
    protects_files: bool,
    /// The last line of the last answer.
    pub(super) last: Vec<u8>,
}

impl Control {
    /// Connects and logs in.
    pub(super) fn open(
        vm: &mut Vm,
        place: &Place,
        context: Option<&Value>,
    ) -> PhpResult<Result<Control, Problem>> {
        let address = [
            b"tcp://",
            place.host.as_slice(),
            format!(":{}", place.port).as_bytes(),
        ]
        .concat();
        let stream = match connect_tcp(vm, &address, None, context) {
            Ok(stream) => stream,
            Err((reason, is_lookup)) => {
                let reason = match is_lookup {
                    true => reason,
                    false => format!("connect() failed: {reason}"),
                };
                return Ok(Err(Some(reason)));
            }
        };
        let mut control = Control {
            stream,
            host: place.host.clone(),
            context: context.cloned(),
            #[cfg(feature = "tls")]
            protects_files: false,
            last: Vec::new(),
        };
        if !is_done(control.answer()) {
            return Ok(Err(None));
        }
        if place.is_encrypted
            && let Err(problem) = control.protect(vm)?
        {
            return Ok(Err(Some(problem.to_owned())));
        }
        for (what, text) in [("login", &place.user), ("password", &place.password)] {
            if text.iter().any(u8::is_ascii_control) {
                let shown = vm_runtime::message::text(text);
                return Ok(Err(Some(format!("Invalid {what} {shown}"))));
            }
        }
        let mut answer = control.ask(vm, &[b"USER ", &place.user]);
        if (300..400).contains(&answer) {
            answer = control.ask(vm, &[b"PASS ", &place.password]);
        }
        match is_done(answer) {
            true => Ok(Ok(control)),
            false => Ok(Err(None)),
        }
    }

    #[cfg(feature = "tls")]
    fn protect(&mut self, vm: &mut Vm) -> PhpResult<Result<(), &'static str>> {
        use crate::standard::network::sockets::Enabled;
        if self.ask(vm, &[b"AUTH TLS"]) != 234 && self.ask(vm, &[b"AUTH SSL"]) != 334 {
            return Ok(Err("Server doesn't support FTPS."));
        }
        if encrypt(vm, &mut self.stream, None)? != Enabled::Done {
            return Ok(Err("Unable to activate SSL mode"));
        }
        // Files follow if the server can do that, which it is not asked for without a size of buffers.
        self.ask(vm, &[b"PBSZ 0"]);
        self.protects_files = is_done(self.ask(vm, &[b"PROT P"]));
        Ok(Ok(()))
    }

    #[cfg(not(feature = "tls"))]
    fn protect(&mut self, _: &mut Vm) -> PhpResult<Result<(), &'static str>> {
        Ok(Err("Unable to activate SSL mode"))
    }

    /// Sends a command and gives the number of the answer; 0 if there is none.
    pub(super) fn ask(&mut self, vm: &mut Vm, command: &[&[u8]]) -> u32 {
        match self.tell(vm, command) {
            true => self.answer(),
            false => 0,
        }
    }

    /// Sends a command.
    pub(super) fn tell(&mut self, vm: &mut Vm, command: &[&[u8]]) -> bool {
        self.last.clear();
        let mut line = command.concat();
        // What has lines is several commands.
        if line.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            return false;
        }
        line.extend_from_slice(b"\r\n");
        self.stream.write(vm, &line).is_ok()
    }

    /// Reads an answer, all of its lines.
    pub(super) fn answer(&mut self) -> u32 {
        self.last.clear();
        for _ in 0..MOST_LINES {
            let Ok(Some(line)) = self.stream.read_line(b'\n', LONGEST_LINE) else {
                break;
            };
            let is_last = line
                .get(..4)
                .is_some_and(|start| start[..3].iter().all(u8::is_ascii_digit) && start[3] == b' ');
            if is_last {
                let number = line[..3]
                    .iter()
                    .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
                self.last = line;
                return number;
            }
        }
        0
    }

    /// What the server said last, as a reason.
    pub(super) fn reason(&self) -> Problem {
        let last = vm_runtime::message::text(&self.last);
        (!last.is_empty()).then(|| format!("FTP server reports {last}"))
    }

    /// Where the server waits for a connection that carries a file.
    fn passive(&mut self, vm: &mut Vm) -> Option<Vec<u8>> {
        if self.ask(vm, &[b"EPSV"]) == 229 {
            let open = memchr::memchr(b'(', &self.last)? + 1;
            let mut fields = self.last[open..].split(|&byte| byte == b'|');
            let port = fields.nth(3)?;
            let port: u16 = std::str::from_utf8(port).ok()?.parse().ok()?;
            return Some([&self.host, format!(":{port}").as_bytes()].concat());
        }
        if self.ask(vm, &[b"PASV"]) != 227 {
            return None;
        }
        let start = 4 + self.last.get(4..)?.iter().position(u8::is_ascii_digit)?;
        let text = std::str::from_utf8(&self.last[start..]).ok()?;
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != ',');
        let numbers: Vec<u8> = text[..end.unwrap_or(text.len())]
            .split(',')
            .map_while(|number| number.parse().ok())
            .collect();
        let &[a, b, c, d, high, low] = numbers.first_chunk::<6>()?;
        let port = u16::from_be_bytes([high, low]);
        Some(format!("{a}.{b}.{c}.{d}:{port}").into_bytes())
    }

    /// Has the server send or take a file over a connection of its own.
    pub(super) fn transfer(
        &mut self,
        vm: &mut Vm,
        resumed: Option<i64>,
        command: &[&[u8]],
        accepted: &[u32],
    ) -> PhpResult<Result<Stream, Problem>> {
        let Some(address) = self.passive(vm) else {
            return Ok(Err(self.reason()));
        };
        if let Some(position) = resumed {
            let answer = self.ask(vm, &[b"REST ", position.to_string().as_bytes()]);
            if !(300..400).contains(&answer) {
                return Ok(Err(Some(format!(
                    "Unable to resume from offset {position}"
                ))));
            }
        }
        self.tell(vm, command);
        let address = [b"tcp://".as_slice(), &address].concat();
        let mut stream = match connect_tcp(vm, &address, None, self.context.as_ref()) {
            Ok(stream) => stream,
            Err((reason, _)) => {
                return Ok(Err(Some(format!(
                    "Failed to set up data channel: {reason}"
                ))));
            }
        };
        if !accepted.contains(&self.answer()) {
            return Ok(Err(self.reason()));
        }
        #[cfg(feature = "tls")]
        if self.protects_files {
            use crate::standard::network::sockets::Enabled;
            if encrypt(vm, &mut stream, Some(&self.stream))? != Enabled::Done {
                return Ok(Err(Some("Unable to activate SSL mode".into())));
            }
        }
        stream.restart();
        stream.wrapper = "ftp";
        stream.uri.clear();
        Ok(Ok(stream))
    }
}

/// Encrypts a connection, going on with the session of another one: servers insist on that.
#[cfg(feature = "tls")]
fn encrypt(
    vm: &mut Vm,
    stream: &mut Stream,
    other: Option<&Stream>,
) -> PhpResult<crate::standard::network::sockets::Enabled> {
    use super::super::super::stream::Backend;
    use crate::standard::network::sockets::{Wish, enable};
    let other = other.and_then(|other| match &other.backend {
        Backend::Socket(socket) => socket.encryption.as_ref(),
        _ => None,
    });
    let wish = Wish {
        other: other.map(|other| &other.session),
        ..Wish::of(crate::tls::Side::Client, crate::tls::protocol::ANY)
    };
    enable(vm, stream, &wish)
}
