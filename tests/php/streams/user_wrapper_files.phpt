--TEST--
Classes as stream wrappers: unlink, rename, mkdir, rmdir
--FILE--
<?php
class Files {
    public $context;
    function __construct() { echo "made\n"; }
    function unlink($path) { var_dump(func_get_args()); return true; }
    function rename($from, $to) { var_dump(func_get_args()); return false; }
    function mkdir($path, $mode, $options) { var_dump(func_get_args()); return 1; }
    function rmdir($path, $options) { throw new Exception("not that"); }
}
class Bare { public $context; }
class Magic { public $context; function __call($name, $arguments) { echo $name, json_encode($arguments), "\n"; return true; } }
foreach (['files' => 'Files', 'bare' => 'Bare', 'magic' => 'Magic'] as $protocol => $class) stream_wrapper_register($protocol, $class);
foreach (['files', 'bare', 'magic'] as $protocol) {
    var_dump(unlink("$protocol://a"), rename("$protocol://a", "$protocol://b"), mkdir("$protocol://d"), mkdir("$protocol://d/e", 0700, true));
    try { var_dump(rmdir("$protocol://d")); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
}
--EXPECT--
made
array(1) {
  [0]=>
  string(9) "files://a"
}
made
array(2) {
  [0]=>
  string(9) "files://a"
  [1]=>
  string(9) "files://b"
}
made
array(3) {
  [0]=>
  string(9) "files://d"
  [1]=>
  int(511)
  [2]=>
  int(8)
}
made
array(3) {
  [0]=>
  string(11) "files://d/e"
  [1]=>
  int(448)
  [2]=>
  int(9)
}
bool(true)
bool(false)
bool(false)
bool(false)
made
not that

Warning: unlink(): Bare::unlink is not implemented! in case.php on line 14

Warning: rename(): Bare::rename is not implemented! in case.php on line 14

Warning: mkdir(): Bare::mkdir is not implemented! in case.php on line 14

Warning: mkdir(): Bare::mkdir is not implemented! in case.php on line 14
bool(false)
bool(false)
bool(false)
bool(false)

Warning: rmdir(): Bare::rmdir is not implemented! in case.php on line 15
bool(false)
unlink["magic:\/\/a"]
rename["magic:\/\/a","magic:\/\/b"]
mkdir["magic:\/\/d",511,8]
mkdir["magic:\/\/d\/e",448,9]
bool(true)
bool(true)
bool(true)
bool(true)
rmdir["magic:\/\/d",8]
bool(true)
