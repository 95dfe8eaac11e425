//! Configuration files: where `php.ini` is looked for, and what its settings do.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use vm_runtime::array::KeyRef;
use vm_runtime::value::ValueKind;
use vm_runtime::vm::Vm;

use super::super::ini_text;

/// Where the configuration is if nobody says otherwise.
const DIRECTORY: &str = "/etc/opline";
/// The further files there.
const SCANNED: &str = "/etc/opline/conf.d";

/// Settings of the command line that a configuration file does not change; `-d` does.
const FIXED: [&str; 6] = [
    "html_errors",
    "register_argc_argv",
    "implicit_flush",
    "output_buffering",
    "max_execution_time",
    "max_input_time",
];

/// What the command line says about configuration files.
#[derive(Debug, Default)]
pub struct Search {
    /// A file, or the directory of one.
    pub place: Option<PathBuf>,
    /// None is read.
    pub nowhere: bool,
}

/// The files that were read.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) loaded: Option<Vec<u8>>,
    /// The directories of further files, with colons in between.
    pub(crate) scanned: Option<Vec<u8>>,
    pub(crate) further: Vec<Vec<u8>>,
}

/// Reads the configuration files: the one of `-c`, of the environment variable `PHPRC`, or the usual
/// one; and those of `PHP_INI_SCAN_DIR`. Then makes the settings, and those of the command line, which
/// come in the order of the extensions and of their names whatever order they are given in.
pub fn load(vm: &mut Vm, search: &Search, command_line: &[(String, String)]) {
    let mut settings = Vec::new();
    if !search.nowhere {
        read_files(vm, search, &mut settings);
    }
    for (name, value) in command_line {
        if !load_extension(vm, name, value) {
            settings.push((name.as_bytes().to_vec(), value.as_bytes().to_vec()));
        }
    }
    // The last of a name counts.
    let mut known = std::collections::HashSet::new();
    settings.reverse();
    settings.retain(|(name, _)| known.insert(name.clone()));
    settings.reverse();
    let order: std::collections::HashMap<&[u8], usize> = vm
        .ini
        .definitions()
        .enumerate()
        .map(|(place, definition)| (definition.name.as_bytes(), place))
        .collect();
    settings.sort_by_key(|(name, _)| {
        // Those of assertions come as PHP defines them.
        const ASSERTIONS: [&[u8]; 5] = [
            b"assert.active",
            b"assert.bail",
            b"assert.warning",
            b"assert.callback",
            b"assert.exception",
        ];
        let name = name.as_slice();
        let first = if name.starts_with(b"assert.") {
            ASSERTIONS[0]
        } else {
            name
        };
        let place = order.get(first).copied().unwrap_or(usize::MAX);
        (place, ASSERTIONS.iter().position(|known| *known == name))
    });
    for (name, value) in settings {
        vm.ini_configure(&name, &value);
    }
}

/// Settings with their names, as they are given.
type Settings = Vec<(Vec<u8>, Vec<u8>)>;

fn read_files(vm: &mut Vm, search: &Search, settings: &mut Settings) {
    let environment = std::env::var_os("PHPRC").map(PathBuf::from);
    let places = [search.place.clone(), environment, Some(DIRECTORY.into())];
    let found = places.into_iter().flatten().find_map(|place| find(&place));
    if let Some(file) = found {
        read(vm, &file, settings);
        let name = file.into_os_string().into_vec();
        vm.extensions.state::<Files>().loaded = Some(name);
    }
    let scanned = match std::env::var_os("PHP_INI_SCAN_DIR") {
        Some(directories) => directories.into_vec(),
        None => SCANNED.as_bytes().to_vec(),
    };
    if scanned.is_empty() {
        return;
    }
    let mut further = Vec::new();
    for directory in scanned.split(|&byte| byte == b':') {
        // Nothing between two colons means the usual directory.
        let directory = match directory {
            [] => Path::new(SCANNED),
            _ => Path::new(OsStr::from_bytes(directory)),
        };
        let Ok(entries) = std::fs::read_dir(directory) else {
            continue;
        };
        let entries = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries
            .filter(|path| path.extension().is_some_and(|extension| extension == "ini"))
            .collect();
        files.sort();
        for file in files {
            read(vm, &file, settings);
            further.push(file.into_os_string().into_vec());
        }
    }
    let state = vm.extensions.state::<Files>();
    (state.scanned, state.further) = (Some(scanned), further);
}

/// The file that a place means: itself, or `php-cli.ini` or `php.ini` in it.
fn find(place: &Path) -> Option<PathBuf> {
    if !place.is_dir() {
        return place.is_file().then(|| absolute(place));
    }
    ["php-cli.ini", "php.ini"]
        .iter()
        .map(|name| place.join(name))
        .find(|file| file.is_file())
        .map(|file| absolute(&file))
}

fn absolute(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf())
}

fn read(vm: &mut Vm, file: &Path, read: &mut Settings) {
    let Ok(text) = std::fs::read(file) else {
        return;
    };
    let name = file.to_string_lossy();
    let settings = ini_text::parse_configuration(vm, &text, &name);
    for (key, value) in settings.iter() {
        let KeyRef::String(name) = key else {
            continue;
        };
        let ValueKind::String(value) = value.view() else {
            continue;
        };
        let text = name.to_text();
        if FIXED.contains(&&*text) || load_extension(vm, &text, &value.to_text()) {
            continue;
        }
        read.push((name.as_bytes().to_vec(), value.as_bytes().to_vec()));
    }
}

/// True if a setting names an extension to load. All there are, are built in: others are told of.
pub fn load_extension(vm: &mut Vm, name: &str, value: &str) -> bool {
    if name != "extension" && name != "zend_extension" {
        return false;
    }
    let plain = value.trim_end_matches(".so");
    let plain = plain.rsplit('/').next().unwrap_or(plain);
    if name == "extension" && vm.natives.extension(plain.as_bytes()).is_some() {
        let message = format!("Module \"{plain}\" is already loaded");
        vm.report_at(
            vm_runtime::diagnostics::level::WARNING,
            message,
            b"Unknown",
            0,
        );
    } else {
        let message = format!(
            "{}Unable to load dynamic library '{value}': Opline's extensions are built in",
            if name == "extension" {
                "PHP Startup: "
            } else {
                ""
            }
        );
        vm.report_at(
            vm_runtime::diagnostics::level::WARNING,
            message,
            b"Unknown",
            0,
        );
    }
    true
}

/// What `--ini` prints.
pub fn describe(vm: &mut Vm) -> String {
    let files = vm.extensions.state::<Files>();
    let shown = |name: &Option<Vec<u8>>| match name {
        Some(name) => String::from_utf8_lossy(name).into_owned(),
        None => String::from("(none)"),
    };
    let further: Vec<_> = files
        .further
        .iter()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    let further = match further.is_empty() {
        true => String::from("(none)"),
        false => further.join(",\n"),
    };
    format!(
        "Configuration File (php.ini) Path: {DIRECTORY}\n\
         Loaded Configuration File:         {}\n\
         Scan for additional .ini files in: {}\n\
         Additional .ini files parsed:      {further}\n",
        shown(&files.loaded),
        shown(&files.scanned),
    )
}

/// How the engine is run, for `php_sapi_name()`.
#[derive(Debug, Default)]
pub(crate) struct ServerInterface(Option<&'static str>);

impl ServerInterface {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        self.0.unwrap_or("cli")
    }
}

/// Makes a VM one of the built-in web server.
pub fn be_server(vm: &mut Vm) {
    const NAME: &str = "cli-server";
    vm.extensions.state::<ServerInterface>().0 = Some(NAME);
    let name = vm.string(NAME).into();
    vm.redefine_constant(b"PHP_SAPI", name);
    vm.ini_configure(b"html_errors", b"1");
}
