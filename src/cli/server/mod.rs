//! `-S`: the built-in web server, for development.

mod http;
mod log;
mod statics;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use opline::Engine;
use php_std::configuration::{self, Search};
use php_std::web;
use vm_runtime::output::Sink;

use self::http::{Head, read_request};
use self::log::log;
use super::arguments::Arguments;

/// What all workers know.
struct Site {
    arguments: Arguments,
    root: PathBuf,
    router: Option<PathBuf>,
    /// Host and port as they were given.
    address: (String, u16),
}

impl Site {
    /// The router as the command line names it.
    fn router_name(&self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStrExt;
        let name = self.arguments.rest.first()?;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
    }
}

/// Serves until the process is ended.
pub fn serve(arguments: Arguments, address: &str, root: Option<PathBuf>) -> ExitCode {
    let split = address
        .rsplit_once(':')
        .and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
    let Some((host, port)) = split else {
        super::tell(format_args!("Invalid address: {address}"));
        return ExitCode::from(1);
    };
    let root = root.unwrap_or_else(|| PathBuf::from("."));
    let Ok(root) = root.canonicalize() else {
        super::tell(format_args!("Directory {} does not exist.", root.display()));
        return ExitCode::from(1);
    };
    if !root.is_dir() {
        super::tell(format_args!("{} is not a directory.", root.display()));
        return ExitCode::from(1);
    }
    let router = arguments.rest.first().map(|name| {
        use std::os::unix::ffi::OsStrExt;
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        std::path::absolute(name).unwrap_or_else(|_| name.to_path_buf())
    });
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    let listener = match TcpListener::bind((plain, port)) {
        Ok(listener) => listener,
        Err(error) => {
            let reason = vm_runtime::interpreter::include::os_error_text(&error);
            log(&format!("Failed to listen on {address} (reason: {reason})"));
            return ExitCode::from(1);
        }
    };
    // A port of 0 leaves the choice to the system.
    let port = listener.local_addr().map_or(port, |local| local.port());
    log(&format!(
        "PHP {} Development Server (http://{host}:{port}) started",
        opline::PHP_VERSION
    ));
    let _ = std::env::set_current_dir(&root);
    let site = Arc::new(Site {
        arguments,
        root,
        router,
        address: (host.to_string(), port),
    });
    let workers = std::env::var("PHP_CLI_SERVER_WORKERS");
    let workers: usize = workers
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(1);
    let listener = Arc::new(listener);
    let threads: Vec<_> = (1..workers.max(1))
        .map(|_| {
            let (listener, site) = (Arc::clone(&listener), Arc::clone(&site));
            std::thread::spawn(move || work(&listener, &site))
        })
        .collect();
    work(&listener, &site);
    drop(threads);
    ExitCode::SUCCESS
}

/// Accepts connections, and runs one script at a time. A client that says nothing holds up nobody.
fn work(listener: &TcpListener, site: &Arc<Site>) {
    let turn = Arc::new(Mutex::new(()));
    loop {
        let Ok((stream, remote)) = listener.accept() else {
            continue;
        };
        log(&format!("{remote} Accepted"));
        let (site, turn) = (Arc::clone(site), Arc::clone(&turn));
        let thread = std::thread::Builder::new().stack_size(SCRIPT_STACK);
        // Without a thread the connection is closed.
        let _ = thread.spawn(move || {
            answer(stream, &site, &turn);
            log(&format!("{remote} Closing"));
        });
    }
}

/// The native stack of a script, as large as that of a program.
const SCRIPT_STACK: usize = 8 << 20;

/// Reads a request and answers it when its turn comes.
fn answer(mut stream: TcpStream, site: &Site, turn: &Mutex<()>) {
    let Ok(remote) = stream.peer_addr() else {
        return;
    };
    let head = match read_request(&mut stream) {
        Ok(Some(head)) => head,
        Ok(None) => {
            log(&format!(
                "{remote} Closed without sending a request; it was probably just an unused speculative preconnection"
            ));
            return;
        }
        Err(problem) => {
            log(&format!("{remote} {problem}"));
            return;
        }
    };
    // A script that panicked leaves nothing behind that the next one could see.
    let running = turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (status, note) = respond(&mut stream, site, &head, remote);
    drop(running);
    let Head { method, target, .. } = &head;
    log(&format!("{remote} [{status}]: {method} {target}{note}"));
}

fn respond(
    stream: &mut TcpStream,
    site: &Site,
    head: &Head,
    remote: std::net::SocketAddr,
) -> (i64, String) {
    if !METHODS.contains(&head.method.as_str()) {
        return (statics::not_implemented(stream, head), String::new());
    }
    let path = http::decode_path(&head.target);
    let found = find(&site.root, &path);
    if let Some(router) = &site.router {
        let script = (found.name.clone(), router.clone());
        let as_script = Found {
            name: found.name.clone(),
            file: found.file.clone().or_else(|| site.router_name()),
            path_info: found.path_info.clone(),
        };
        let run = run(stream, site, head, remote, &as_script, script, true);
        if let Some(status) = run {
            return (status, String::new());
        }
    }
    let Some(file) = &found.file else {
        let status = statics::not_found(stream, head);
        return (status, String::from(" - No such file or directory"));
    };
    if file.extension().is_some_and(|extension| extension == "php") {
        let script = (found.name.clone(), file.clone());
        let status = run(stream, site, head, remote, &found, script, false);
        return (status.unwrap_or(200), String::new());
    }
    (statics::send(stream, head, file), String::new())
}

/// Methods of HTTP and its extensions.
const METHODS: &[&str] = &[
    "DELETE",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "COPY",
    "LOCK",
    "MKCOL",
    "MOVE",
    "PROPFIND",
    "PROPPATCH",
    "UNLOCK",
    "SEARCH",
    "REPORT",
    "MKACTIVITY",
    "CHECKOUT",
    "MERGE",
    "M-SEARCH",
    "NOTIFY",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "MKCALENDAR",
    "QUERY",
];

/// What a path means.
struct Found {
    /// The name in URLs.
    name: String,
    file: Option<PathBuf>,
    path_info: Option<String>,
}

/// Looks a path up: a file, the index of a directory, or the nearest one above with what follows
/// as path info.
fn find(root: &Path, path: &str) -> Found {
    let mut name = path.trim_end_matches('/').to_string();
    if name.split('/').any(|part| part == "..") {
        name.clear();
    }
    loop {
        let relative = name.trim_start_matches('/');
        let candidate = root.join(relative);
        let rest = &path[name.len().min(path.len())..];
        let path_info = (!rest.is_empty() && rest != "/").then(|| rest.to_string());
        if candidate.is_file() && !relative.is_empty() {
            return Found {
                name,
                file: Some(candidate),
                path_info,
            };
        }
        if candidate.is_dir() {
            let index = ["index.php", "index.html"]
                .iter()
                .find(|index| candidate.join(index).is_file());
            if let Some(index) = index {
                return Found {
                    name: format!("{name}/{index}"),
                    file: Some(candidate.join(index)),
                    path_info,
                };
            }
        }
        match name.rfind('/') {
            Some(slash) => name.truncate(slash),
            None => {
                return Found {
                    name: path.to_string(),
                    file: None,
                    path_info: None,
                };
            }
        }
    }
}

/// Runs a script for a request. `None` if it is a router that leaves the request to the server.
fn run(
    stream: &mut TcpStream,
    site: &Site,
    head: &Head,
    remote: std::net::SocketAddr,
    found: &Found,
    script: (String, PathBuf),
    is_router: bool,
) -> Option<i64> {
    let request = web::Request {
        method: head.method.clone(),
        target: head.target.clone(),
        protocol: head.protocol.clone(),
        headers: head.headers.clone(),
        body: head.body.clone(),
        remote,
        server: site.address.clone(),
        root: site.root.clone(),
        script: (found.name.clone(), found.file.clone().unwrap_or_default()),
        path_info: found.path_info.clone(),
    };
    let mut vm = Engine::vm_alone();
    let connection = stream.try_clone().ok()?;
    let kept = Arc::new(Mutex::new(Vec::new()));
    let writer = Answer {
        stream: connection,
        held: is_router.then(|| Arc::clone(&kept)),
        is_head: head.method == "HEAD",
        head_sent: false,
    };
    let runtime = vm.runtime();
    runtime.output.set_sink(Sink::Writer(Box::new(writer)));
    configuration::be_server(runtime);
    configuration::load(
        runtime,
        &Search {
            place: site.arguments.configuration.clone(),
            nowhere: site.arguments.no_configuration,
        },
        &site.arguments.settings,
    );
    web::begin(vm.runtime(), &request);
    let text = std::fs::read(&script.1).unwrap_or_default();
    let name = script.1.canonicalize().unwrap_or(script.1);
    let name = name.as_os_str().as_encoded_bytes();
    let (_, result) = vm.run_main_for_result(&text, name, web::end);
    if is_router {
        if result == Some(false) {
            return None;
        }
        let held = kept.lock().map(|held| held.clone()).unwrap_or_default();
        // Whoever asked may be gone.
        let _ = stream.write_all(&held);
    }
    Some(web::status(vm.runtime()))
}

/// Where the output of a script goes.
struct Answer {
    stream: TcpStream,
    /// What a router says, until it is known whether it answers.
    held: Option<Arc<Mutex<Vec<u8>>>>,
    is_head: bool,
    head_sent: bool,
}

impl Write for Answer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let is_body = std::mem::replace(&mut self.head_sent, true);
        if is_body && self.is_head {
            return Ok(bytes.len());
        }
        if let Some(held) = &self.held
            && let Ok(mut held) = held.lock()
        {
            held.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}
