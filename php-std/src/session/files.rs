//! The handler `files`: a file for each session, locked while the session is active.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::vm::{PhpResult, Vm};

use crate::standard::files::path;
use crate::standard::info::temporary_folder;

/// Where files are, and the one that is open.
#[derive(Debug)]
pub(super) struct Files {
    directory: Vec<u8>,
    /// Levels of directories below it.
    depth: usize,
    mode: u32,
    open: Option<(Vec<u8>, File)>,
}

/// What may stand in the name of a session.
pub(super) fn is_valid_id(id: &[u8]) -> bool {
    !id.is_empty()
        && id.len() <= 256
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b','))
}

impl Files {
    /// As `session.save_path` says: `[levels;[mode;]]directory`.
    pub(super) fn open(vm: &mut Vm, save_path: &[u8]) -> PhpResult<Option<Files>> {
        let mut files = Files {
            directory: Vec::new(),
            depth: 0,
            mode: 0o600,
            open: None,
        };
        let mut parts: Vec<&[u8]> = save_path.splitn(3, |&byte| byte == b';').collect();
        let directory = parts.pop().unwrap_or_default();
        let number = |text: &[u8], radix| {
            let text = std::str::from_utf8(text).ok()?;
            u32::from_str_radix(text.trim(), radix).ok()
        };
        if let Some(levels) = parts.first() {
            let Some(levels) = number(levels, 10) else {
                vm.function_warning("The first parameter in session.save_path is invalid");
                return Ok(None);
            };
            files.depth = levels.min(100) as usize;
        }
        if let Some(mode) = parts.get(1) {
            match number(mode, 8).filter(|mode| *mode <= 0o7777) {
                Some(mode) => files.mode = mode,
                None => {
                    vm.function_warning("The second parameter in session.save_path is invalid");
                    return Ok(None);
                }
            }
        }
        files.directory = match directory {
            [] => temporary_folder(vm),
            directory => directory.to_vec(),
        };
        let function = crate::support::current_function(vm);
        let directory = files.directory.clone();
        Ok(is_allowed(vm, &directory, &function)?.then_some(files))
    }

    fn name(&self, id: &[u8]) -> Vec<u8> {
        let mut name = self.directory.clone();
        for &byte in id.iter().take(self.depth) {
            name.extend_from_slice(&[b'/', byte]);
        }
        name.extend_from_slice(b"/sess_");
        name.extend_from_slice(id);
        name
    }

    fn file(&mut self, vm: &mut Vm, id: &[u8]) -> PhpResult<Option<&mut File>> {
        let is_open = self.open.as_ref().is_some_and(|(open, _)| open == id);
        if !is_open {
            self.open = None;
            if !is_valid_id(id) {
                vm.function_warning(
                    "Session ID is too long or contains illegal characters. Only the A-Z, a-z, \
                     0-9, \"-\", and \",\" characters are allowed",
                );
                vm.check()?;
                return Ok(None);
            }
            let name = self.name(id);
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options.mode(self.mode).custom_flags(libc::O_NOFOLLOW);
            let opened = limits::open(&options, &path(&name));
            match opened {
                Ok(file) => {
                    lock(&file);
                    self.open = Some((id.to_vec(), file));
                }
                Err(error) => {
                    let shown = String::from_utf8_lossy(&name);
                    vm.function_warning(format!(
                        "open({shown}, O_RDWR) failed: {} ({})",
                        os_error_text(&error),
                        error.raw_os_error().unwrap_or(0)
                    ));
                    vm.check()?;
                }
            }
        }
        Ok(self.open.as_mut().map(|(_, file)| file))
    }

    pub(super) fn read(&mut self, vm: &mut Vm, id: &[u8]) -> PhpResult<Option<Vec<u8>>> {
        let Some(file) = self.file(vm, id)? else {
            return Ok(None);
        };
        let mut contents = Vec::new();
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        vm_runtime::limits::reserve(length as usize);
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut contents));
        Ok(read.is_ok().then_some(contents))
    }

    pub(super) fn write(&mut self, vm: &mut Vm, id: &[u8], data: &[u8]) -> PhpResult<bool> {
        let Some(file) = self.file(vm, id)? else {
            return Ok(false);
        };
        let written = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(data))
            .and_then(|()| file.set_len(data.len() as u64));
        Ok(written.is_ok())
    }

    /// Says that a session was used, without writing it.
    pub(super) fn touch(&mut self, vm: &mut Vm, id: &[u8]) -> PhpResult<bool> {
        let Some(file) = self.file(vm, id)? else {
            return Ok(false);
        };
        Ok(file.set_modified(SystemTime::now()).is_ok())
    }

    pub(super) fn destroy(&mut self, id: &[u8]) -> bool {
        let Some((open, _)) = self.open.take() else {
            return true;
        };
        debug_assert!(is_valid_id(&open));
        let name = path(&self.name(id));
        // It may never have been made.
        std::fs::remove_file(&name).is_ok() || !name.exists()
    }

    pub(super) fn exists(&self, id: &[u8]) -> bool {
        is_valid_id(id) && path(&self.name(id)).exists()
    }

    /// Removes sessions that nobody used for some seconds; gives their number. Where there are
    /// levels of directories, something else has to do that.
    pub(super) fn collect(&mut self, vm: &mut Vm, lifetime: i64) -> PhpResult<i64> {
        if self.depth > 0 {
            return Ok(0);
        }
        let directory: PathBuf = path(&self.directory);
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                let shown = String::from_utf8_lossy(&self.directory);
                vm.function_notice(format!(
                    "ps_files_cleanup_dir: opendir({shown}) failed: {} ({})",
                    os_error_text(&error),
                    error.raw_os_error().unwrap_or(0)
                ));
                vm.check()?;
                return Ok(-1);
            }
        };
        let limit = Duration::from_secs(lifetime.max(0) as u64);
        let mut removed = 0;
        for entry in entries.flatten() {
            vm_runtime::limits::poll();
            let name = entry.file_name();
            if !name.as_encoded_bytes().starts_with(b"sess_") {
                continue;
            }
            let is_old = entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > limit));
            if is_old && std::fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// Waits until nobody else has the session.
fn lock(file: &File) {
    // Without locks sessions are used as they are.
    let _ = limits::lock(file, libc::LOCK_EX);
}
