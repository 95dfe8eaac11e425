//! Wrappers: what the schemes of names stand for, `file://`, `php://`, `http://` and those that
//! the script registers.

mod data;
mod ftp;
mod functions;
mod glob;
mod http;
mod php;
mod plain;
#[cfg(feature = "tls")]
mod tunnel;
mod user;

use std::path::PathBuf;

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::directory::Listing;
use super::known_status::{known_status, remember_status};
use super::status::Status;
use super::stream::Stream;
use crate::support::{current_function, define};

pub(crate) use php::RequestBody;
pub(crate) use php::define_standard_streams;
pub(crate) use plain::open_file;
pub(super) use user::{UserStream, operate};

/// Options of `stream_open()` and its like, by the names they have in scripts.
pub(crate) mod options {
    /// `STREAM_USE_PATH`
    pub(crate) const USE_PATH: i64 = 1;
    /// `STREAM_REPORT_ERRORS`
    pub(crate) const REPORT_ERRORS: i64 = 8;
    /// What `include` asks for besides.
    pub(crate) const FOR_INCLUDE: i64 = 128;
    /// What is read becomes a script.
    pub(crate) const FOR_ENGINE: i64 = 0x1_0000;
    /// `STREAM_URL_STAT_LINK`
    pub(crate) const STAT_LINK: i64 = 1;
    /// `STREAM_URL_STAT_QUIET`
    pub(crate) const STAT_QUIET: i64 = 2;
    /// The setting `open_basedir` was looked at already.
    pub(crate) const STAT_CHECKED: i64 = 4;
}

/// What is to be opened, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) mode: &'a [u8],
    /// See [`options`].
    pub(crate) options: i64,
    pub(crate) context: Option<&'a Value>,
    /// The function or statement that warnings name.
    pub(crate) function: &'a str,
}

/// What is to be done to what a name stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    /// The file goes.
    Unlink(&'a [u8]),
    /// The first name becomes the second.
    Rename(&'a [u8], &'a [u8]),
    /// A directory is made.
    MakeDirectory {
        name: &'a [u8],
        /// So are those around it that are missing.
        is_deep: bool,
    },
    /// An empty directory goes.
    RemoveDirectory(&'a [u8]),
}

/// A stream, or why there is none.
pub(crate) type Opened = Result<Stream, String>;

/// What said why itself leaves this to say.
pub(crate) const OPERATION_FAILED: &str = "operation failed";

/// What the names of a scheme stand for.
pub(crate) trait Wrapper: Sync {
    /// True if names lead out of the machine: `include` refuses them unless allowed.
    fn is_url(&self) -> bool {
        false
    }

    /// What messages and meta data call it.
    fn label(&self) -> &'static str;

    /// Opens a stream.
    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened>;

    /// What is known of a name; see [`options`] for `flags`.
    fn status(&self, _vm: &mut Vm, _name: &[u8], _flags: i64) -> PhpResult<Option<Status>> {
        Ok(None)
    }

    /// True if [`Wrapper::change`] does something.
    fn can_change(&self) -> bool {
        false
    }

    /// Changes something; `None` if that cannot be done to names of this scheme at all. Says itself
    /// why it failed.
    fn change(&self, _vm: &mut Vm, _change: Change<'_>) -> PhpResult<Option<bool>> {
        Ok(None)
    }

    /// Opens a directory, or says why not.
    fn list(
        &self,
        _vm: &mut Vm,
        _name: &[u8],
        _context: Option<&Value>,
    ) -> PhpResult<Result<Box<dyn Listing>, std::io::Error>> {
        Ok(Err(std::io::Error::other("not implemented")))
    }
}

/// Schemes that PHP has itself, in the order in which it names them.
static NATIVE: &[(&str, &dyn Wrapper)] = &[
    #[cfg(feature = "tls")]
    ("https", &http::HttpWrapper),
    #[cfg(feature = "tls")]
    ("ftps", &ftp::FtpWrapper),
    #[cfg(feature = "zlib")]
    ("compress.zlib", &crate::zlib::ZlibWrapper),
    ("php", &php::PhpWrapper),
    ("file", &plain::PlainWrapper),
    ("glob", &glob::GlobWrapper),
    ("data", &data::DataWrapper),
    ("http", &http::HttpWrapper),
    ("ftp", &ftp::FtpWrapper),
    #[cfg(feature = "bz2")]
    ("compress.bzip2", &crate::bz2::Bzip2Wrapper),
    #[cfg(feature = "phar")]
    ("phar", &crate::phar::PharWrapper),
    #[cfg(feature = "zip")]
    ("zip", &crate::zip::ZipWrapper),
];

/// The schemes of a VM.
#[derive(Debug, Default)]
struct Wrappers {
    user: Vec<UserWrapper>,
    /// Code is being read from a wrapper of the script, which must not fetch it from elsewhere.
    in_user_include: bool,
    /// Native schemes that the script took away.
    removed: Vec<&'static str>,
}

/// A wrapper of the script.
#[derive(Debug)]
struct UserWrapper {
    scheme: Box<[u8]>,
    class: *mut Class,
    /// The script says that it leads elsewhere (`STREAM_IS_URL`).
    is_url: bool,
}

/// Who is responsible for a name.
pub(crate) enum Responsible {
    /// A file, by its path.
    File,
    /// A scheme of PHP's own.
    Native(&'static dyn Wrapper),
    /// A class of the script.
    User(*mut Class),
}

impl Responsible {
    /// True if both are files, or handled by one class.
    pub(crate) fn is_same(&self, other: &Responsible) -> bool {
        match (self, other) {
            (Responsible::File, Responsible::File) => true,
            (Responsible::Native(one), Responsible::Native(other)) => one.label() == other.label(),
            (Responsible::User(one), Responsible::User(other)) => one == other,
            _ => false,
        }
    }
}

/// Registers functions and constants, and makes `include` know the wrappers.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(functions::FUNCTIONS);
    vm.register_functions(http::FUNCTIONS);
    define(
        vm,
        &[
            ("STREAM_USE_PATH", options::USE_PATH),
            ("STREAM_IGNORE_URL", 2),
            ("STREAM_REPORT_ERRORS", options::REPORT_ERRORS),
            ("STREAM_MUST_SEEK", 16),
            ("STREAM_URL_STAT_LINK", options::STAT_LINK),
            ("STREAM_URL_STAT_QUIET", options::STAT_QUIET),
            ("STREAM_MKDIR_RECURSIVE", 1),
            ("STREAM_IS_URL", 1),
            ("STREAM_OPTION_BLOCKING", 1),
            ("STREAM_OPTION_READ_TIMEOUT", 4),
            ("STREAM_OPTION_READ_BUFFER", 2),
            ("STREAM_OPTION_WRITE_BUFFER", 3),
            ("STREAM_BUFFER_NONE", 0),
            ("STREAM_BUFFER_LINE", 1),
            ("STREAM_BUFFER_FULL", 2),
            ("STREAM_CAST_FOR_SELECT", 3),
            ("STREAM_CAST_AS_STREAM", 0),
            ("STREAM_META_TOUCH", 1),
            ("STREAM_META_OWNER_NAME", 2),
            ("STREAM_META_OWNER", 3),
            ("STREAM_META_GROUP_NAME", 4),
            ("STREAM_META_GROUP", 5),
            ("STREAM_META_ACCESS", 6),
        ],
    );
    vm.source_reader = Some(user::read_source);
}

/// The scheme of a name: `scheme://` of two letters or more, or `data:`.
fn scheme(name: &[u8]) -> Option<&[u8]> {
    let end = name.iter().position(|&byte| !is_scheme_byte(byte))?;
    let is_url = end > 1 && name[end..].starts_with(b"://");
    let is_data = name[..end].eq_ignore_ascii_case(b"data") && name[end] == b':';
    (is_url || is_data).then_some(&name[..end])
}

/// The path that functions which ask for permissions look at: by its names alone if it begins with a scheme
/// that nobody knows.
pub(super) fn path_to_check(name: &[u8]) -> PathBuf {
    let path = super::path(name);
    match scheme(name) {
        Some(scheme) if !scheme.eq_ignore_ascii_case(b"file") => plain::without_steps_up(&path),
        _ => path,
    }
}

fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)
}

/// The native wrapper of a scheme, if the script did not take it away.
fn native(vm: &mut Vm, scheme: &[u8]) -> Option<&'static dyn Wrapper> {
    let removed = &vm.extensions.state::<Wrappers>().removed;
    let found = NATIVE
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(scheme))?;
    (!removed.contains(&found.0)).then_some(found.1)
}

/// Who is responsible for a name; warns of a scheme that nobody knows, whose names are taken for
/// files.
pub(crate) fn responsible(vm: &mut Vm, name: &[u8], complain: bool) -> PhpResult<Responsible> {
    let Some(scheme) = scheme(name) else {
        return Ok(match user_class(vm, b"file") {
            Some(class) => Responsible::User(class),
            None => Responsible::File,
        });
    };
    if let Some(class) = user_class(vm, scheme) {
        return Ok(Responsible::User(class));
    }
    let is_file = scheme.eq_ignore_ascii_case(b"file");
    match native(vm, scheme) {
        Some(_) if is_file => return Ok(Responsible::File),
        Some(wrapper) => return Ok(Responsible::Native(wrapper)),
        None => {}
    }
    if complain {
        let scheme = vm_runtime::message::text(scheme).into_owned();
        vm.function_warning(format!(
            "Unable to find the wrapper \"{scheme}\" - did you forget to enable it when you configured PHP?"
        ));
        vm.check()?;
    }
    Ok(Responsible::File)
}

/// The class of the script that handles a scheme.
fn user_class(vm: &mut Vm, scheme: &[u8]) -> Option<*mut Class> {
    let wrappers = vm.extensions.state::<Wrappers>();
    let mut known = wrappers.user.iter();
    let found = known.find(|known| known.scheme.eq_ignore_ascii_case(scheme));
    found.map(|known| known.class)
}

/// True if a name leads out of the machine; warns of a scheme that nobody knows.
pub(super) fn is_url(vm: &mut Vm, name: &[u8]) -> PhpResult<bool> {
    Ok(match responsible(vm, name, true)? {
        Responsible::File => false,
        Responsible::Native(wrapper) => wrapper.is_url(),
        Responsible::User(_) => is_user_url(vm, name),
    })
}

/// True if the script said that a scheme of its own is one of URLs.
fn is_user_url(vm: &mut Vm, name: &[u8]) -> bool {
    let Some(scheme) = scheme(name) else {
        return false;
    };
    let mut known = vm.extensions.state::<Wrappers>().user.iter();
    known.any(|known| known.is_url && known.scheme.eq_ignore_ascii_case(scheme))
}

/// Opens a stream, or warns why it cannot be opened.
pub(crate) fn open(vm: &mut Vm, name: &[u8], mode: &[u8]) -> PhpResult<Option<Stream>> {
    open_with(vm, name, mode, 0)
}

/// As [`open`] for reading, if `include` may read what has this name.
pub(crate) fn open_as_source(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<Stream>> {
    open_with(vm, name, b"rb", options::FOR_INCLUDE)
}

fn open_with(vm: &mut Vm, name: &[u8], mode: &[u8], options: i64) -> PhpResult<Option<Stream>> {
    let function = current_function(vm);
    open_request(
        vm,
        &Request {
            name,
            mode,
            options,
            context: None,
            function: &function,
        },
    )
}

/// As [`open`], by all that can be asked for.
pub(crate) fn open_request(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Option<Stream>> {
    let number = super::open::reserve_number(vm);
    let inside = match request.options & options::USE_PATH {
        0 => inside_archive(vm, request.name),
        _ => None,
    };
    let request = &Request {
        name: inside.as_deref().unwrap_or(request.name),
        ..*request
    };
    match attempt(vm, request)? {
        Ok(mut stream) => {
            stream.number = number;
            if stream.context.is_none() {
                stream.context = request.context.cloned();
            }
            Ok(Some(stream))
        }
        Err(reason) => {
            let shown = without_credentials(request.name);
            let shown = vm_runtime::message::text(&shown);
            let function = request.function;
            vm.warning(format!(
                "{function}({shown}): Failed to open stream: {reason}"
            ));
            vm.check()?;
            Ok(None)
        }
    }
}

pub(crate) use vm_runtime::interpreter::include::without_credentials;

/// Opens a stream, or says why it cannot be opened.
pub(crate) fn attempt(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
    // Names of some schemes hold the name of another stream.
    vm.check_native_stack()?;
    vm.poll();
    if request.name.is_empty() {
        return Err(vm.throw_error(KnownClass::ValueError, "Path must not be empty"));
    }
    let along_path = request.options & options::USE_PATH != 0;
    let found = match along_path && scheme(request.name).is_none() {
        true => match vm
            .path_resolver
            .and_then(|resolve| resolve(vm, request.name))
        {
            Some(found) => Some(found),
            None => vm.resolve_include_path(request.name),
        },
        false => inside_archive(vm, request.name),
    };
    let asked = Request {
        name: found.as_deref().unwrap_or(request.name),
        ..*request
    };
    match responsible(vm, asked.name, true)? {
        Responsible::File => match file_problem(vm, asked.name) {
            Some(problem) => {
                vm.warning(format!("{}(): {problem}", request.function));
                vm.check()?;
                Ok(Err("no suitable wrapper could be found".into()))
            }
            None => plain::open(vm, &asked),
        },
        Responsible::Native(wrapper) => {
            if wrapper.is_url() && !is_allowed(vm, &asked)? {
                return Ok(Err("no suitable wrapper could be found".into()));
            }
            wrapper.open(vm, &asked)
        }
        Responsible::User(class) => {
            let is_url = is_user_url(vm, asked.name);
            if is_url && !is_allowed(vm, &asked)? {
                return Ok(Err("no suitable wrapper could be found".into()));
            }
            let includes = asked.options & options::FOR_INCLUDE != 0 && !is_url;
            let before = vm.extensions.state::<Wrappers>().in_user_include;
            vm.extensions.state::<Wrappers>().in_user_include |= includes;
            let opened = user::open(vm, class, &asked);
            vm.extensions.state::<Wrappers>().in_user_include = before;
            opened
        }
    }
}

/// Why a name is none of a file here, if it is not.
fn file_problem(vm: &mut Vm, name: &[u8]) -> Option<String> {
    if vm.extensions.state::<Wrappers>().removed.contains(&"file") {
        return Some("file:// wrapper is disabled in the server configuration".into());
    }
    let start = name.get(..7)?;
    if !start.eq_ignore_ascii_case(b"file://") {
        return None;
    }
    let rest = &name[7..];
    let is_local = rest.first().is_none_or(|&byte| byte == b'/')
        || rest
            .get(..10)
            .is_some_and(|host| host.eq_ignore_ascii_case(b"localhost/"));
    let shown = vm_runtime::message::text(name);
    (!is_local).then(|| format!("Remote host file access not supported, {shown}"))
}

/// Whether the settings allow a URL, after a warning if they do not.
fn is_allowed(vm: &mut Vm, request: &Request<'_>) -> PhpResult<bool> {
    let includes = request.options & options::FOR_INCLUDE != 0
        || vm.extensions.state::<Wrappers>().in_user_include;
    let setting = match includes {
        _ if !vm.ini.bool("allow_url_fopen") => "allow_url_fopen",
        true if !vm.ini.bool("allow_url_include") => "allow_url_include",
        _ => return Ok(true),
    };
    let scheme = vm_runtime::message::text(scheme(request.name).unwrap_or_default()).into_owned();
    vm.warning(format!(
        "{}(): {scheme}:// wrapper is disabled in the server configuration by {setting}=0",
        request.function
    ));
    vm.check()?;
    Ok(false)
}

/// The file in the archive that runs which a name means, if functions for files look there.
pub(super) fn inside_archive(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    #[cfg(feature = "phar")]
    return crate::phar::intercepted(vm, name);
    #[cfg(not(feature = "phar"))]
    {
        let _ = (vm, name);
        None
    }
}

/// As [`inside_archive`], for directories, whether they are there or not.
fn directory_inside_archive(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    #[cfg(feature = "phar")]
    return crate::phar::intercepted_directory(vm, name);
    #[cfg(not(feature = "phar"))]
    {
        let _ = (vm, name);
        None
    }
}

/// What is known of a name; see [`options`] for `flags`.
pub(crate) fn status(vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Option<Status>> {
    let inside = inside_archive(vm, name);
    let name = inside.as_deref().unwrap_or(name);
    let link = flags & options::STAT_LINK != 0;
    if let Some(known) = known_status(vm, name, link) {
        return Ok(Some(known));
    }
    let found = match responsible(vm, name, true)? {
        Responsible::File => plain::status(vm, name, flags)?,
        Responsible::Native(wrapper) if !wrapper.is_url() => {
            return wrapper.status(vm, name, flags);
        }
        Responsible::Native(wrapper) => wrapper.status(vm, name, flags)?,
        Responsible::User(class) => user::status(vm, class, name, flags)?,
    };
    if let Some(status) = found {
        remember_status(vm, name, link, status);
    }
    Ok(found)
}

/// As [`status`], for entries of directories: what kind of file they are PHP knows from the directory, and remembers
/// nothing of it.
pub(crate) fn status_of_entry(vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Option<Status>> {
    match responsible(vm, name, true)? {
        Responsible::File if inside_archive(vm, name).is_none() => plain::status(vm, name, flags),
        _ => status(vm, name, flags),
    }
}

/// What meta data call the wrapper of a name.
pub(crate) fn label(vm: &mut Vm, name: &[u8]) -> PhpResult<&'static str> {
    Ok(match responsible(vm, name, false)? {
        Responsible::File => "plainfile",
        Responsible::Native(wrapper) => wrapper.label(),
        Responsible::User(_) => "user-space-dir",
    })
}

/// Opens a directory, or says why it cannot be opened.
pub(crate) fn list(
    vm: &mut Vm,
    name: &[u8],
    context: Option<&Value>,
) -> PhpResult<Result<Box<dyn Listing>, std::io::Error>> {
    let inside = directory_inside_archive(vm, name);
    let name = inside.as_deref().unwrap_or(name);
    match responsible(vm, name, true)? {
        Responsible::File => plain::list(vm, name),
        Responsible::Native(wrapper) => wrapper.list(vm, name, context),
        Responsible::User(class) => user::list(vm, class, name, context),
    }
}
