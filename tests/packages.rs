//! Debian's packages, unchanged, print what they print under PHP (`tests/packages/`).
//!
//! Optional (`cargo test --test packages -- --ignored`): `OPLINE_PACKAGES` names the folder into which the packages were unpacked (`tests/packages/fetch.sh FOLDER`),
//! `PHP` the PHP 8.4 to compare with (`php84-all` if it is not said). The packages' own files name each other under
//! `/usr/share/php`, so both engines run where the folder's `usr` lies over the machine's, in mounts of their own; so do
//! `etc` and `var/lib`, where what is written is gone afterwards.

use std::path::Path;
use std::process::{Command, Output};

mod support;

const MOUNTED: &str = "for part in share bin; do
    mount -t overlay -o \"lowerdir=$OPLINE_PACKAGES/usr/$part:/usr/$part\" overlay \"/usr/$part\" || exit 125
done
mount -t tmpfs tmpfs /mnt || exit 125
for part in etc var/lib; do
    mkdir -p \"/mnt/$part/written\" \"/mnt/$part/work\" \"$OPLINE_PACKAGES/$part\"
    mount -t overlay -o \"lowerdir=$OPLINE_PACKAGES/$part:/$part,upperdir=/mnt/$part/written,workdir=/mnt/$part/work\" \\
        overlay \"/$part\" || exit 125
done
exec \"$@\"";

/// Runs a program of this folder under an engine.
fn run(engine: &str, options: &[&str], program: &Path) -> Output {
    // PHP may be a script that starts it with extensions: what starts PHP again has to know.
    Command::new("unshare")
        .env("ENGINE", engine)
        .args(["--mount", "sh", "-c", MOUNTED, "sh", engine])
        .args(options)
        .args([
            "-d",
            "include_path=/usr/share/php",
            "-d",
            "date.timezone=UTC",
        ])
        .args(["-d", "error_reporting=24575", "-d", "display_errors=1"])
        .arg(program)
        .output()
        .expect("unshare runs")
}

#[test]
#[ignore = "needs OPLINE_PACKAGES, a folder of Debian's packages: tests/packages/fetch.sh"]
fn packages_print_what_they_print_under_php() {
    assert!(
        std::env::var_os("OPLINE_PACKAGES").is_some(),
        "OPLINE_PACKAGES names no folder of packages"
    );
    let php = std::env::var("PHP").unwrap_or_else(|_| "php84-all".into());
    let opline = support::binary();
    let programs = support::files(&support::root().join("tests/packages"), "php");
    assert!(!programs.is_empty());
    let mut different = Vec::new();
    for program in &programs {
        let expected = run(&php, &["-n"], program);
        assert_ne!(expected.status.code(), Some(125), "no mounts");
        // What is compiled counts against the limit of memory, and here all is.
        let eager = &["-n", "-d", "opline.jit=eager", "-d", "memory_limit=2G"];
        for options in [&["-n"][..], eager] {
            let printed = run(&opline.to_string_lossy(), options, program);
            if (printed.status, &printed.stdout, &printed.stderr)
                != (expected.status, &expected.stdout, &expected.stderr)
            {
                different.push(format!("{} {options:?}", program.display()));
            }
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}
