--TEST--
phar: tar and zip archives, conversions, extraction
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
$t = new PharData("d.tar"); $t["one.txt"] = "1"; $t->addFromString("in/two.txt", "22"); $t->addEmptyDir("void");
$z = $t->convertToData(Phar::ZIP); $g = $t->compress(Phar::GZ);
foreach ([$t, $z, $g] as $a) { var_dump(basename($a->getPath()), count($a), $a->isFileFormat(Phar::TAR), $a->isCompressed(), $a["in/two.txt"]->getContent()); }
var_dump(substr(file_get_contents("d.tar.gz"), 0, 2) === "\x1f\x8b", $g->extractTo("out"), scandir("out"), file_get_contents("out/in/two.txt"));
try { $g->extractTo("out"); } catch (PharException $e) { echo str_replace(getcwd() . "/", "", $e->getMessage()), "\n"; }
var_dump($g->extractTo("out", "one.txt", true), $t->delete("one.txt"), isset($t["one.txt"]), $t->copy("in/two.txt", "three.txt"), file_get_contents("phar://d.tar/three.txt"));
--EXPECT--
string(5) "d.tar"
int(3)
bool(true)
bool(false)
string(2) "22"
string(5) "d.zip"
int(3)
bool(false)
bool(false)
string(2) "22"
string(8) "d.tar.gz"
int(3)
bool(true)
int(4096)
string(2) "22"
bool(true)
bool(true)
array(4) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
  [2]=>
  string(2) "in"
  [3]=>
  string(7) "one.txt"
}
string(2) "22"
Extraction from phar "d.tar.gz" failed: Cannot extract "one.txt" to "out/one.txt", path already exists
bool(true)
bool(true)
bool(false)
bool(true)
string(2) "22"
