--TEST--
Included files return values and share scope
--FILE--
<?php
file_put_contents("part.inc", '<?php $shared .= "+part"; function part_function() { return __FILE__ . __LINE__; } return ["config" => $shared];'); $shared = "main";
$result = include "part.inc"; echo $result["config"], $shared, part_function(), "\n"; echo json_encode(include_once __DIR__ . "/part.inc"), "\n"; file_put_contents("local.inc", '<?php return isset($inside) ? "function scope" : "no";'); function load() { $inside = 1; return require "local.inc"; } echo load(), "\n";
echo (@include "missing.inc") === false ? "missing\n" : ""; include "missing.inc"; echo count(get_included_files()), "\n"; try { require "gone.inc"; } catch (Error $e) { echo $e->getMessage(), "\n"; } finally { unlink("part.inc"); unlink("local.inc"); }
--EXPECT--
main+partmain+partpart.inc1
true
function scope
missing

Warning: include(missing.inc): Failed to open stream: No such file or directory in case.php on line 4

Warning: include(): Failed opening 'missing.inc' for inclusion (include_path='.:/usr/share/php') in case.php on line 4
3

Warning: require(gone.inc): Failed to open stream: No such file or directory in case.php on line 4
Failed opening required 'gone.inc' (include_path='.:/usr/share/php')
