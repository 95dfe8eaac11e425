//! Scripts that answer HTTP requests: what they are told, and what they answer.

mod form;
mod head;
mod parse_body;
mod response;
mod uploads;

use std::net::SocketAddr;
use std::path::PathBuf;

use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::Vm;

use crate::standard::files::RequestBody;
use crate::standard::strings::url::{parse_query, register_variable};

pub use response::reason;
pub(crate) use response::{add_header, response};
pub(crate) use uploads::Uploads;

/// A request, as far as scripts are told of it.
#[derive(Debug)]
pub struct Request {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// `HTTP/1.1`
    pub protocol: String,
    /// Names and values in their order.
    pub headers: Vec<(String, String)>,
    /// What follows the headers.
    pub body: Vec<u8>,
    /// Who asks.
    pub remote: SocketAddr,
    /// The address that was listened at, as it was given.
    pub server: (String, u16),
    /// The directory that names are looked up in.
    pub root: PathBuf,
    /// The script: its name in URLs, and its file.
    pub script: (String, PathBuf),
    /// What follows the script's name in the path.
    pub path_info: Option<String>,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// Registers what only requests have.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(response::FUNCTIONS);
    vm.register_functions(uploads::FUNCTIONS);
    vm.register_functions(parse_body::FUNCTIONS);
}

/// Tells a VM of the request that it answers: superglobals, `php://input`, headers to be sent.
pub fn begin(vm: &mut Vm, request: &Request) {
    vm.register_functions(head::FUNCTIONS);
    let is_old = request.protocol == "HTTP/1.0";
    response::begin(vm, request.headers.clone(), is_old);
    let get = query_table(vm, request.query().as_bytes());
    let cookies = cookie_table(vm, request.header("Cookie").unwrap_or_default());
    let kind = request.header("Content-Type").unwrap_or_default();
    let plain_kind = kind.split(';').next().unwrap_or_default().trim();
    let reads_body = request.method == "POST" && vm.ini.bool("enable_post_data_reading");
    let (mut post, mut files) = (vm.new_array(), vm.new_array());
    let mut body = request.body.clone();
    if reads_body && plain_kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        post = query_table(vm, &body);
    } else if reads_body && plain_kind.eq_ignore_ascii_case("multipart/form-data") {
        form::read(vm, kind, &body, &mut post, &mut files);
        body.clear();
    }
    vm.extensions.state::<RequestBody>().0 = body;
    let mut all = vm.new_array();
    let order = match vm.ini.text("request_order") {
        [] => vm.ini.text("variables_order").to_vec(),
        order => order.to_vec(),
    };
    for letter in order {
        let table = match letter.to_ascii_uppercase() {
            b'G' => &get,
            b'P' => &post,
            b'C' => &cookies,
            _ => continue,
        };
        for (key, value) in table.iter() {
            all.make_mut(vm).set(key, Value::share(value));
        }
    }
    let server = server_table(vm, request);
    for (name, table) in [
        ("_GET", get),
        ("_POST", post),
        ("_COOKIE", cookies),
        ("_FILES", files),
        ("_REQUEST", all),
        ("_SERVER", server),
    ] {
        vm.set_global(name.as_bytes(), table.into());
    }
    let environment = vm.new_array();
    vm.set_global(b"_ENV", environment.into());
}

/// What is left to do when the script has ended: headers that nobody sent, and files that nobody
/// wanted.
pub fn end(vm: &mut Vm) {
    if vm.exit_status == 255 {
        response::fail(vm);
    }
    response::send(vm);
    vm.output.flush();
    vm.extensions.state::<Uploads>().remove_all();
}

/// The type of what is sent, if the script said one.
pub(crate) fn media_type(vm: &mut Vm) -> Option<Vec<u8>> {
    response(vm).media_type.clone()
}

/// The status that the script answered with.
pub fn status(vm: &mut Vm) -> i64 {
    response(vm).status()
}

fn query_table(vm: &mut Vm, query: &[u8]) -> ArrayHandle {
    match parse_query(vm, query) {
        Ok(table) => table,
        Err(_) => vm.new_array(),
    }
}

fn cookie_table(vm: &mut Vm, header: &str) -> ArrayHandle {
    use crate::standard::strings::encode::{UrlStyle, decode_url};
    let mut table = vm.new_array();
    for pair in header.split(';') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let mut name = name.trim_start().as_bytes().to_vec();
        if name.is_empty() || table.get_bytes(&name).is_some() {
            continue;
        }
        let value = vm
            .string(decode_url(value.as_bytes(), UrlStyle::Form))
            .into();
        register_variable(vm, &mut table, &mut name, value);
    }
    table
}

fn server_table(vm: &mut Vm, request: &Request) -> ArrayHandle {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let path = request.target.split('?').next().unwrap_or_default();
    let mut entries: Vec<(String, String)> = vec![
        ("DOCUMENT_ROOT".into(), request.root.display().to_string()),
        ("REMOTE_ADDR".into(), request.remote.ip().to_string()),
        ("REMOTE_PORT".into(), request.remote.port().to_string()),
        (
            "SERVER_SOFTWARE".into(),
            format!("PHP/{} (Development Server)", crate::PHP_VERSION),
        ),
        ("SERVER_PROTOCOL".into(), request.protocol.clone()),
        ("SERVER_NAME".into(), request.server.0.clone()),
        ("SERVER_PORT".into(), request.server.1.to_string()),
        ("REQUEST_URI".into(), request.target.clone()),
        ("REQUEST_METHOD".into(), request.method.clone()),
        ("SCRIPT_NAME".into(), request.script.0.clone()),
        (
            "SCRIPT_FILENAME".into(),
            request.script.1.display().to_string(),
        ),
    ];
    if let Some(path_info) = &request.path_info {
        entries.push(("PATH_INFO".into(), path_info.clone()));
    }
    let itself = match &request.path_info {
        Some(path_info) => format!("{}{path_info}", request.script.0),
        None => request.script.0.clone(),
    };
    let itself = if itself.is_empty() {
        path.into()
    } else {
        itself
    };
    entries.push(("PHP_SELF".into(), itself));
    if request.target.contains('?') {
        entries.push(("QUERY_STRING".into(), request.query().into()));
    }
    for (name, value) in &request.headers {
        let name = name.to_ascii_uppercase().replace('-', "_");
        if matches!(name.as_str(), "CONTENT_TYPE" | "CONTENT_LENGTH") {
            entries.push((name.clone(), value.clone()));
        }
        entries.push((format!("HTTP_{name}"), value.clone()));
    }
    if let Some(credentials) = request.header("Authorization") {
        entries.extend(response::credentials(credentials));
    }
    let mut table = vm.new_array();
    for (name, value) in entries {
        let value = vm.string(value).into();
        table.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    let array = table.make_mut(vm);
    array.set_bytes(b"REQUEST_TIME_FLOAT", now.as_secs_f64().into());
    array.set_bytes(b"REQUEST_TIME", (now.as_secs() as i64).into());
    table
}
