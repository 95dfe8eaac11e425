//! Writing archives.

use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::archive::{Archive, Body, Entry, Format, Shared};
use super::compression::pack_whole;
use super::format;
use super::format::native::HALT;
use super::format::tar::{ALIAS, STUB};
use super::signature::SigningKey;
use super::source::Source;
use crate::standard::files::path;

/// What follows `__HALT_COMPILER();` in a stub that is written.
const STUB_END: &[u8] = b" ?>\r\n";

/// The longest file name in a stub that is made.
const LONGEST_INDEX: usize = 400;

/// The stub of an archive that was given none: runs a file of it, or shows what a web server asks for.
pub(super) fn default_stub(index: Option<&[u8]>, web: Option<&[u8]>) -> Result<Vec<u8>, String> {
    let index = index.unwrap_or(b"index.php");
    let web = web.unwrap_or(b"index.php");
    for (name, what) in [(index, ""), (web, "web ")] {
        if name.len() > LONGEST_INDEX {
            return Err(format!(
                "Illegal {what}filename passed in for stub creation, was {} characters long, and only {LONGEST_INDEX} or less is allowed",
                name.len()
            ));
        }
    }
    let quoted = |name: &[u8]| {
        let mut quoted = vec![b'\''];
        for &byte in name {
            if matches!(byte, b'\'' | b'\\') {
                quoted.push(b'\\');
            }
            quoted.push(byte);
        }
        quoted.push(b'\'');
        quoted
    };
    let mut stub = b"<?php\n\
        // Made by Opline: runs a file of this archive.\n\
        if (!class_exists('Phar', false)) {\n\
        \x20   echo \"This archive needs the extension phar.\\n\";\n\
        \x20   exit(1);\n\
        }\n\
        Phar::interceptFileFuncs();\n\
        set_include_path('phar://' . __FILE__ . PATH_SEPARATOR . get_include_path());\n\
        Phar::webPhar(null, "
        .to_vec();
    stub.extend_from_slice(&quoted(web));
    stub.extend_from_slice(b");\ninclude 'phar://' . __FILE__ . '/' . ");
    stub.extend_from_slice(&quoted(index));
    stub.extend_from_slice(b";\nreturn;\n");
    stub.extend_from_slice(HALT);
    stub.extend_from_slice(STUB_END);
    Ok(stub)
}

/// The stub of a tar or zip archive that was given none.
fn small_stub(format: Format) -> Vec<u8> {
    let kind = if format == Format::Tar { "tar" } else { "zip" };
    format!("<?php // {kind}-based phar archive stub file\n__HALT_COMPILER();").into_bytes()
}

/// Where a stub's code ends, in any case.
fn end_of_code(stub: &[u8]) -> Option<usize> {
    let found = stub
        .windows(HALT.len())
        .position(|window| window.eq_ignore_ascii_case(HALT));
    found.map(|at| at + HALT.len())
}

/// Gives an archive a stub, or says what is wrong with it.
pub(super) fn set_stub(archive: &mut Archive, stub: &[u8]) -> Result<(), String> {
    let Some(end) = end_of_code(stub) else {
        return Err(match archive.format {
            Format::Phar => format!(
                "illegal stub for phar \"{}\" (__HALT_COMPILER(); is missing)",
                archive.shown()
            ),
            other => format!(
                "illegal stub for {}phar \"{}\"",
                other.prefix(),
                archive.shown()
            ),
        });
    };
    let stub = [&stub[..end], STUB_END].concat();
    if archive.format == Format::Phar {
        archive.new_stub = Some(stub);
    } else {
        put_file(archive, STUB, stub);
    }
    archive.is_modified = true;
    Ok(())
}

/// Gives an archive the stub that it has if nobody gives it one.
pub(super) fn set_default_stub(archive: &mut Archive) -> Result<(), String> {
    if archive.format == Format::Phar {
        archive.new_stub = Some(default_stub(None, None)?);
    } else {
        let stub = small_stub(archive.format);
        put_file(archive, STUB, stub);
    }
    archive.is_modified = true;
    Ok(())
}

fn put_file(archive: &mut Archive, name: &[u8], contents: Vec<u8>) {
    let mut entry = Entry::new(name);
    entry.set_contents(contents);
    archive.entries.put(entry);
}

/// The stub of an archive as it is now.
pub(super) fn stub_of(archive: &mut Archive) -> Result<Vec<u8>, String> {
    if archive.format != Format::Phar {
        return match archive.entries.get(STUB) {
            Some(_) => archive.contents(STUB).map(|stub| stub.to_vec()),
            None => Ok(Vec::new()),
        };
    }
    if let Some(stub) = &archive.new_stub {
        return Ok(stub.clone());
    }
    if archive.stub_end == 0 {
        return default_stub(None, None);
    }
    let stub = archive.source.read(0, archive.stub_end);
    stub.ok_or_else(|| "Unable to read stub".into())
}

/// Writes an archive, unless changes are kept back.
pub(super) fn flush(vm: &mut Vm, shared: &Shared) -> Result<(), String> {
    let mut archive = shared.borrow_mut();
    if archive.is_buffering || vm.ini.bool("phar.readonly") && !archive.is_data {
        return Ok(());
    }
    if archive.is_new && archive.entries.len() == 0 {
        // Nothing is written before there is something in it.
        return Ok(());
    }
    write(vm, &mut archive)
}

/// Writes an archive to its file.
pub(super) fn write(vm: &mut Vm, archive: &mut Archive) -> Result<(), String> {
    archive.signing_key = vm.extensions.state::<SigningKey>().0.clone();
    if archive.format != Format::Phar && !archive.is_data {
        if archive.entries.get(STUB).is_none() {
            let stub = small_stub(archive.format);
            put_file(archive, STUB, stub);
        }
        match archive.alias.clone() {
            Some(alias) if !archive.has_temporary_alias => put_file(archive, ALIAS, alias),
            _ => drop(archive.entries.remove(ALIAS)),
        }
    }
    let (bytes, places) = match archive.format {
        Format::Phar => {
            let stub = stub_of(archive)?;
            format::native::write(archive, &stub)?
        }
        Format::Tar => format::tar::write(archive)?,
        Format::Zip => format::zip::write(archive)?,
    };
    let target = path(&archive.name);
    let failed = |_| {
        format!(
            "unable to open new phar \"{}\" for writing",
            archive.shown()
        )
    };
    if archive.compression != 0 {
        let packed = pack_whole(archive.compression, &bytes);
        limits::write_file(&target, &packed).map_err(failed)?;
        archive.source = Source::Memory(Rc::new(bytes));
    } else {
        // Another file takes the name, so that who reads the old one can go on.
        limits::write_file(&target, &bytes).map_err(failed)?;
        archive.source = match Source::open(&target) {
            Ok(source) => source,
            Err(_) => Source::Memory(Rc::new(bytes)),
        };
    }
    for (name, offset) in places {
        if let Some(entry) = archive.entries.get_mut(&name) {
            entry.body = Body::Stored {
                offset,
                flags: entry.flags,
            };
            entry.is_modified = false;
        }
    }
    archive.new_stub = None;
    archive.is_new = false;
    archive.is_modified = false;
    Ok(())
}
