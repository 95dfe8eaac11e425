//! The built-in web server: what scripts are told of requests, and what reaches the client.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A server of a folder of its own; both end with the test.
struct Server {
    process: Child,
    folder: PathBuf,
    port: u16,
    /// Where the server writes what it does: open as long as it runs.
    _log: BufReader<ChildStderr>,
}

impl Server {
    fn start(name: &str, files: &[(&str, &str)], router: Option<&str>) -> Server {
        let folder = std::env::temp_dir().join(format!("opline-web-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        // The server chooses the port: one that is looked for and given back may still be open in a process that
        // another test is starting, which then resets what is asked of it.
        let mut process = Command::new(support::binary())
            .args(["-n", "-S", "127.0.0.1:0"])
            .args(router)
            .current_dir(&folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut started = String::new();
        log.read_line(&mut started).unwrap();
        let port = started
            .split_once("(http://127.0.0.1:")
            .and_then(|(_, rest)| rest.split_once(") started"))
            .and_then(|(port, _)| port.parse().ok())
            .unwrap_or_else(|| panic!("the server says {started:?}"));
        Server {
            process,
            folder,
            port,
            _log: log,
        }
    }

    /// Status line with headers, and body.
    fn ask(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_string(), body.to_string())
    }

    fn get(&self, target: &str) -> (String, String) {
        self.ask(&format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn scripts_are_told_of_the_request() {
    let script = "<?php header('X-One: 1'); setcookie('c', 'a b'); http_response_code(201);
        echo json_encode([$_GET, $_COOKIE, $_SERVER['REQUEST_METHOD'], $_SERVER['PATH_INFO'],
            $_SERVER['PHP_SELF'], $_SERVER['HTTP_X_TWO'], PHP_SAPI]);";
    let server = Server::start("told", &[("one.php", script)], None);
    let (head, body) = server.ask(
        "GET /one.php/more?a=1&b[]=2 HTTP/1.1\r\nHost: localhost\r\nCookie: k=v\r\nX-Two: 2\r\n\r\n",
    );
    assert_eq!(
        body,
        r#"[{"a":"1","b":["2"]},{"k":"v"},"GET","\/more","\/one.php\/more","2","cli-server"]"#
    );
    assert!(head.starts_with("HTTP/1.1 201 Created\r\n"), "{head}");
    for line in [
        "X-One: 1",
        "Set-Cookie: c=a%20b",
        "Content-type: text/html; charset=UTF-8",
        "Connection: close",
    ] {
        assert!(head.lines().any(|known| known == line), "{line} in {head}");
    }
}

#[test]
fn forms_and_uploads() {
    let script = "<?php $file = $_FILES['up'] ?? null;
        echo json_encode([$_POST, $file['name'] ?? null, $file['size'] ?? null,
            $file ? file_get_contents($file['tmp_name']) : null,
            $file ? is_uploaded_file($file['tmp_name']) : null, file_get_contents('php://input')]);";
    let server = Server::start("forms", &[("form.php", script)], None);
    let post = |kind: &str, body: &str| {
        server
            .ask(&format!(
                "POST /form.php HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ))
            .1
    };
    assert_eq!(
        post("application/x-www-form-urlencoded", "a=1&b%5Bx%5D=2"),
        r#"[{"a":"1","b":{"x":"2"}},null,null,null,null,"a=1&b%5Bx%5D=2"]"#
    );
    assert_eq!(
        post("application/json", "{}"),
        r#"[[],null,null,null,null,"{}"]"#
    );
    let parts = "--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nvalue\r\n--B\r\n\
                 Content-Disposition: form-data; name=\"up\"; filename=\"d/n.txt\"\r\n\
                 Content-Type: text/plain\r\n\r\ncontents\r\n--B--\r\n";
    assert_eq!(
        post("multipart/form-data; boundary=B", parts),
        r#"[{"f":"value"},"n.txt",8,"contents",true,""]"#
    );
}

#[test]
fn types_of_text_name_their_encoding_and_a_date_is_sent_once() {
    let program = "<?php header('Content-Type: text/xml'); header('Date: today'); echo 1;";
    let server = Server::start("types", &[("index.php", program)], None);
    let (head, _) = server.get("/");
    assert!(
        head.contains("Content-type: text/xml;charset=UTF-8"),
        "{head}"
    );
    assert_eq!(head.matches("Date: ").count(), 1, "{head}");
}

#[test]
fn files_indexes_and_what_is_missing() {
    let server = Server::start(
        "files",
        &[
            ("a.txt", "plain"),
            ("sub/index.php", "<?= $_SERVER['SCRIPT_NAME'];"),
        ],
        None,
    );
    let (head, body) = server.get("/a.txt");
    assert!(
        head.contains("Content-Type: text/plain; charset=UTF-8"),
        "{head}"
    );
    assert_eq!(body, "plain");
    assert_eq!(server.get("/sub/").1, "/sub/index.php");
    assert_eq!(server.get("/sub/below").1, "/sub/index.php");
    assert!(server.get("/none").0.starts_with("HTTP/1.1 404 Not Found"));
    assert!(
        server
            .get("/../../etc/passwd")
            .0
            .starts_with("HTTP/1.1 404")
    );
    let (head, body) = server.ask("HEAD /a.txt HTTP/1.1\r\n\r\n");
    assert!(head.contains("Content-Length: 5"), "{head}");
    assert_eq!(body, "");
}

#[test]
fn a_router_answers_or_leaves_it_to_the_server() {
    let router = "<?php if ($_SERVER['REQUEST_URI'] === '/a.txt') return false; echo 'routed';";
    let server = Server::start(
        "router",
        &[("a.txt", "plain"), ("r.php", router)],
        Some("r.php"),
    );
    assert_eq!(server.get("/a.txt").1, "plain");
    assert_eq!(server.get("/anything").1, "routed");
}
