//! Files, directories and streams.

mod busy;
pub(crate) mod contents;
mod context;
mod csv;
mod directory;
mod filters;
mod glob;
mod known_status;
mod manage;
mod meta_tags;
mod open;
mod options;
pub(crate) mod path;
mod status;
mod stream;
mod transfer;
pub(crate) mod wrappers;

use vm_runtime::vm::Vm;

#[cfg(feature = "tls")]
pub(crate) use context::set_context_option;
pub(crate) use context::{context_argument, context_option};
pub(crate) use csv::{Dialect, line_of as csv_line, parse_line as csv_fields};
pub(crate) use directory::{Listing, Names};
pub(crate) use filters::{Buckets, Status as FilterStatus, StreamFilter};
#[cfg(feature = "zip")]
pub(crate) use glob::AVAILABLE;
pub(crate) use glob::find_by_pattern;
#[cfg(feature = "phar")]
pub(crate) use manage::file_mask;
pub(crate) use open::{
    check_path, close as close_stream, close_value, fclose as close_file, new_resource, stream,
    stream_in, stream_value,
};
pub(crate) use open::{create_temporary, path};
pub(crate) use path::{base_name, parent, without_suffix};
pub(crate) use status::{Status, is_permitted};
pub(crate) use stream::{Backend, Channel, Stream};
pub use transfer::next_line;
pub(crate) use transfer::{
    feof as end_of_file, fflush as flush_file, fgetc as read_character, fgets as read_line,
    fpassthru as pass_through, fread as read_bytes, fseek as seek, ftell as tell,
    fwrite as write_string, lock, readable as is_readable, rewind,
};
pub(crate) use wrappers::without_credentials;
pub(crate) use wrappers::{
    Change, OPERATION_FAILED, Opened, Request, RequestBody, Wrapper, attempt as try_open, list,
    open, open_as_source, open_request, options as flags, options as status_options, status,
    status_of_entry,
};

use crate::support::define;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("SEEK_SET", 0i64),
            ("SEEK_CUR", 1),
            ("SEEK_END", 2),
            ("LOCK_SH", 1),
            ("LOCK_EX", 2),
            ("LOCK_UN", 3),
            ("LOCK_NB", 4),
            ("FILE_USE_INCLUDE_PATH", contents::USE_INCLUDE_PATH),
            ("FILE_IGNORE_NEW_LINES", contents::IGNORE_NEW_LINES),
            ("FILE_SKIP_EMPTY_LINES", contents::SKIP_EMPTY_LINES),
            ("FILE_APPEND", contents::FILE_APPEND),
            ("FILE_NO_DEFAULT_CONTEXT", 16),
            ("FILE_TEXT", 0),
            ("FILE_BINARY", 0),
            ("PATHINFO_DIRNAME", 1),
            ("PATHINFO_BASENAME", 2),
            ("PATHINFO_EXTENSION", 4),
            ("PATHINFO_FILENAME", 8),
            ("PATHINFO_ALL", 15),
            ("FNM_NOESCAPE", 2),
            ("FNM_PATHNAME", 1),
            ("FNM_PERIOD", 4),
            ("FNM_CASEFOLD", 16),
            ("SCANDIR_SORT_ASCENDING", 0),
            ("SCANDIR_SORT_DESCENDING", 1),
            ("SCANDIR_SORT_NONE", 2),
            ("GLOB_MARK", libc::GLOB_MARK as i64),
            ("GLOB_NOSORT", libc::GLOB_NOSORT as i64),
            ("GLOB_NOCHECK", libc::GLOB_NOCHECK as i64),
            ("GLOB_NOESCAPE", libc::GLOB_NOESCAPE as i64),
            ("GLOB_ERR", libc::GLOB_ERR as i64),
            ("GLOB_BRACE", libc::GLOB_BRACE as i64),
            ("GLOB_ONLYDIR", libc::GLOB_ONLYDIR as i64),
            ("GLOB_AVAILABLE_FLAGS", glob::AVAILABLE),
        ],
    );
    wrappers::register(vm);
    vm.register_classes(directory::CLASSES);
    filters::register(vm);
    for functions in [
        contents::FUNCTIONS,
        context::FUNCTIONS,
        csv::FUNCTIONS,
        directory::FUNCTIONS,
        glob::FUNCTIONS,
        manage::FUNCTIONS,
        meta_tags::FUNCTIONS,
        open::FUNCTIONS,
        options::FUNCTIONS,
        path::FUNCTIONS,
        status::FUNCTIONS,
        transfer::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
