//! Encrypted connections through a proxy.

use vm_runtime::vm::{PhpResult, Vm};

use super::super::stream::Stream;
use crate::standard::network::sockets::{Enabled, Wish, enable};
use crate::tls::{Side, protocol};

/// The most lines that a proxy answers.
const MOST_LINES: usize = 1 << 8;
/// The longest of them.
const LONGEST_LINE: usize = 1 << 13;

/// Has a proxy connect a stream to `host:port`, and encrypts it up to there. False if that failed.
pub(super) fn dig(
    vm: &mut Vm,
    stream: &mut Stream,
    target: &[u8],
    headers: &[Vec<u8>],
) -> PhpResult<bool> {
    let mut text = [b"CONNECT ", target, b" HTTP/1.0\r\n"].concat();
    // What else the script has to say is for the server's ears only.
    let name = b"proxy-authorization:";
    let mut all = headers.iter();
    let is_for_proxy = |line: &&Vec<u8>| {
        line.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if let Some(line) = all.find(is_for_proxy) {
        text.extend_from_slice(line);
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
    if stream.write(vm, &text).is_err() {
        return Ok(false);
    }
    for at in 0..MOST_LINES {
        let Ok(Some(line)) = stream.read_line(b'\n', LONGEST_LINE) else {
            return Ok(false);
        };
        let line = line.trim_ascii_end();
        if at == 0 && line.split(|&byte| byte == b' ').nth(1) != Some(b"200") {
            return Ok(false);
        }
        if line.is_empty() {
            let address = [b"ssl://", target].concat();
            let wish = Wish {
                address: Some(&address),
                ..Wish::of(Side::Client, protocol::ANY)
            };
            return Ok(enable(vm, stream, &wish)? == Enabled::Done);
        }
    }
    Ok(false)
}
