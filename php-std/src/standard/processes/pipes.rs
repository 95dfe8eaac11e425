//! `popen`: a stream to or from a program.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{exit_number, shell, wait_for};
use crate::standard::files::{Backend, Stream, close_stream, stream, stream_value};
use crate::support::functions;

functions! {
    "popen(path $command, string $mode)" => popen,
    "pclose(resource $handle): int" => pclose,
}

fn popen(call: &mut Call<'_>) -> PhpResult<Value> {
    let (command, mode) = (call.bytes(0), call.bytes(1));
    if memchr::memchr(0, command).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let reads = match mode {
        b"r" | b"rb" => true,
        b"w" | b"wb" => false,
        _ => return Err(call.value_error(1, "must be one of \"r\", \"rb\", \"w\", or \"wb\"")),
    };
    let mut program = shell(call.vm, command);
    if reads {
        program.stdout(Stdio::piped());
    } else {
        program.stdin(Stdio::piped());
    }
    let child = program.spawn();
    let pipe = |mut child: std::process::Child| {
        let pipe = match reads {
            true => OwnedFd::from(child.stdout.take()?),
            false => OwnedFd::from(child.stdin.take()?),
        };
        Some((child, File::from(pipe)))
    };
    let Some((child, file)) = child.ok().and_then(pipe) else {
        let shown = vm_runtime::message::text(command).into_owned();
        let mode = vm_runtime::message::text(mode).into_owned();
        call.vm.warning(format!(
            "popen({shown},{mode}): Resource temporarily unavailable"
        ));
        return Ok(false.into());
    };
    let mut pipe = pipe_stream(file, reads);
    pipe.mode = mode[..1].to_vec();
    pipe.program = Some(child);
    Ok(stream_value(call.vm, pipe))
}

/// A stream of one end of a pipe.
pub(super) fn pipe_stream(file: File, reads: bool) -> Stream {
    let mut stream = Stream::new(Backend::File(file), reads, !reads);
    stream.seekable = false;
    stream.wrapper = "";
    stream.mode = if reads { b"r".to_vec() } else { b"w".to_vec() };
    stream
}

fn pclose(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut program) = stream(call, 0)?.program.take() else {
        close_stream(call, 0);
        return Ok(0i64.into());
    };
    // Closed first: the program may wait for the end of its input.
    call.vm.output.flush();
    close_stream(call, 0);
    match wait_for(call.vm, &mut program) {
        Ok(status) => Ok(exit_number(status).into()),
        Err(error) => {
            let message = format!("pclose(): {error}");
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}
