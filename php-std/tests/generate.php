<?php
// Writes what PHP does with the cases of a file, for `cargo test -p php-std cases`:
//     php84 -n generate.php cases/strings.php 4 > cases/strings.expected
// A case is [function, arguments...]. A line holds the serialized call and, behind a tab, the
// serialized outcome, the arguments afterwards if they changed, and what was printed; control bytes are escaped.
error_reporting(E_ALL);
ini_set('memory_limit', '256M');
ini_set('display_errors', '1');
ini_set('html_errors', '0');
$escape = fn(string $text): string => addcslashes($text, "\0..\37\\\177..\377");
// A second argument N keeps one case of N: the files stay small, and another N tries others.
$every = (int) ($argv[2] ?? 1);
foreach (require $argv[1] as $case) {
    if (crc32(serialize($case)) % $every !== 0) {
        continue;
    }
    $function = array_shift($case);
    $passed = unserialize(serialize($case));
    $references = [];
    foreach ($passed as $key => $_) {
        $references[$key] = &$passed[$key];
    }
    mt_srand(42);
    ob_start();
    try {
        $outcome = ['value', call_user_func_array($function, $references)];
    } catch (Throwable $error) {
        $outcome = [get_class($error), $error->getMessage()];
    }
    $output = preg_replace('/ in \S+ on line \d+/', '', ob_get_clean());
    $after = [];
    foreach ($passed as $key => $value) {
        $after[$key] = $value;
    }
    echo $escape(serialize([$function, $case])), "\t", $escape(serialize([$outcome, serialize($after) === serialize($case) ? null : $after, $output])), "\n";
}
