--TEST--
phar: an archive is made, run by include, and looked into
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
$p = new Phar("app.phar");
$p["index.php"] = "<?php require 'phar://app.phar/lib/one.php'; require __DIR__ . '/lib/two.php'; include 'lib/three.php'; echo one(), two(), basename(__FILE__), \"\\n\"; var_dump(Phar::running() === dirname(__FILE__), file_get_contents(__DIR__ . '/data/../data/text.txt'));";
$p["lib/one.php"] = "<?php function one() { return 'one '; }";
$p["lib/two.php"] = "<?php function two() { return 'two '; }";
$p["lib/three.php"] = "<?php echo 'three ';";
$p["data/text.txt"] = "some text\n";
$p->setStub("<?php Phar::mapPhar('app.phar'); set_include_path('phar://app.phar'); require 'phar://app.phar/index.php'; __HALT_COMPILER();");
unset($p);
include "app.phar";
var_dump(count(get_included_files()), is_file("phar://app.phar/lib/one.php"), is_dir("phar://app.phar/lib"), is_file("phar://app.phar/lib"), filesize("phar://app.phar/data/text.txt"), scandir("phar://app.phar/"), file_exists("phar://app.phar/none"));
include_once "phar://app.phar/lib/./one.php";
$h = fopen("phar://app.phar/data/text.txt", "r"); var_dump(fread($h, 4), fseek($h, 5), fgets($h), fstat($h)["size"]);
var_dump(@file_get_contents("phar://app.phar/none")); echo error_get_last()["message"], "\n";
--EXPECT--
three one two index.php
bool(true)
string(10) "some text
"
int(6)
bool(true)
bool(true)
bool(false)
int(10)
array(3) {
  [0]=>
  string(4) "data"
  [1]=>
  string(9) "index.php"
  [2]=>
  string(3) "lib"
}
bool(false)
string(4) "some"
int(0)
string(5) "text
"
int(10)
bool(false)
file_get_contents(phar://app.phar/none): Failed to open stream: phar error: "none" is not a file in phar "app.phar"
