//! Files that are included again and again: what that costs. (What they do: `tests/php/include`.)

mod support;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("opline-include-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, script: &str, options: &[&str]) -> String {
    let main = folder.join("main.php");
    std::fs::write(&main, script).unwrap();
    let output = Command::new(support::binary())
        .args(options)
        .arg(main)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}");
    printed
}

/// Calls that read, of a hundred includes of a file; the first ones may.
const COUNTS_READS: &str = r#"<?php
function reads() { preg_match('/syscr: (\d+)/', file_get_contents('/proc/self/io'), $m); return (int) $m[1]; }
for ($i = 0; $i < 5; $i++) include __DIR__ . '/part.php';
$before = reads();
for ($i = 0; $i < 100; $i++) include __DIR__ . '/part.php';
echo reads() - $before;
"#;

#[test]
fn what_has_not_changed_is_not_read_again() {
    let folder = folder("reads");
    let part = folder.join("part.php");
    std::fs::write(&part, "<?php return [1, $i];").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let reads: u32 = run(&folder, COUNTS_READS, &["-n"]).parse().unwrap();
    assert!(reads < 20, "{reads} reads");
    // A link to it is the same file.
    std::fs::rename(&part, folder.join("other.php")).unwrap();
    std::os::unix::fs::symlink("other.php", &part).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let reads: u32 = run(&folder, COUNTS_READS, &["-n"]).parse().unwrap();
    assert!(reads < 20, "{reads} reads");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_was_written_a_moment_ago_is_read() {
    let folder = folder("young");
    let script = format!(
        "<?php touch(__DIR__ . '/part.php', time() + 1000);{}",
        COUNTS_READS.strip_prefix("<?php").unwrap()
    );
    std::fs::write(folder.join("part.php"), "<?php return [1, $i];").unwrap();
    let reads: u32 = run(&folder, &script, &["-n"]).parse().unwrap();
    assert!(reads >= 100, "{reads} reads");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Includes many files twice and tells what the process took after a third of them and at the end, in KiB.
const INCLUDES_MANY: &str = r#"<?php
function memory() { preg_match('/VmRSS:\s*(\d+)/', file_get_contents('/proc/self/status'), $m); return $m[1]; }
function name($i) { return __DIR__ . "/parts/" . intdiv($i, 1000) . "/$i.php"; }
for ($i = 0; $i < COUNT; $i++) {
    if ($i % 1000 == 0) mkdir(dirname(name($i)), 0777, true);
    file_put_contents(name($i), '<?php $a = [$i, $i + 1, "text"]; $f = function ($x) use ($a) { foreach ($a as $b) { if ($b == $x) return $b . $x; } return strtoupper("none"); }; return $f(1) . $f(2);');
}
usleep(150000);
for ($i = 0; $i < COUNT; $i++) {
    if ($i == intdiv(COUNT, 3)) echo memory(), ' ';
    include name($i); include name($i);
}
echo memory();
"#;

#[test]
fn what_is_kept_is_bounded() {
    let folder = folder("bounded");
    let script = INCLUDES_MANY.replace("COUNT", "6000");
    let printed = run(&folder, &script, &["-n"]);
    let numbers: Vec<u32> = printed
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    // Names of files that were included stay, and the literals of their code.
    assert!(numbers[1] - numbers[0] < 12 << 10, "{printed}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_small_memory_limit_is_enough() {
    let folder = folder("limited");
    let script = INCLUDES_MANY.replace("COUNT", "3000");
    run(&folder, &script, &["-n", "-d", "memory_limit=8M"]);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Includes a file twice, so that its code is kept, becomes another user or another group, and includes it again.
const BECOMES_ANOTHER: &str = r#"<?php
CHANGES_BEFORE;
echo include __DIR__ . '/part.php', include __DIR__ . '/part.php';
CHANGES;
var_dump(@include __DIR__ . '/part.php');
"#;

/// What only another user could read is not there any more: as where nothing is kept, the file is opened anew.
#[test]
fn code_is_not_kept_for_another_user() {
    let own = std::fs::metadata("/proc/self").expect("a process");
    if own.uid() != 0 {
        return support::skipped("only root can become another user");
    }
    let folder = folder("users");
    let part = folder.join("part.php");
    std::fs::write(&part, "<?php return 7;").unwrap();
    // Read by root, and by group 1.
    std::os::unix::fs::chown(&part, Some(0), Some(1)).unwrap();
    std::fs::set_permissions(&part, PermissionsExt::from_mode(0o640)).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    std::thread::sleep(Duration::from_millis(2200));
    let group_only = "posix_setegid(1); posix_seteuid(65534)";
    for (before, changes) in [
        ("", "posix_seteuid(65534)"),
        ("", "posix_setuid(65534)"),
        (group_only, "posix_setegid(0)"),
        (group_only, "posix_setgid(0)"),
    ] {
        let script = BECOMES_ANOTHER
            .replace("CHANGES_BEFORE", before)
            .replace("CHANGES", changes);
        let printed = run(&folder, &script, &["-n"]);
        assert_eq!(printed, "77bool(false)\n", "{changes}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
