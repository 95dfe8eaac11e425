--TEST--
phar: compressed entries, signatures, metadata
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
$p = new Phar("z.phar"); $p->startBuffering();
$p["a.txt"] = str_repeat("abc", 1000); $p["dir/b.txt"] = "b"; $p->addEmptyDir("empty");
$p->compressFiles(Phar::GZ); $p->setMetadata(["version" => 3]); $p["a.txt"]->setMetadata("about a");
$p->setSignatureAlgorithm(Phar::SHA512); $p->stopBuffering();
var_dump($p["a.txt"]->getCompressedSize() < 100, $p["a.txt"]->isCompressed(Phar::GZ), count($p), $p->getMetadata(), $p["a.txt"]->getMetadata(), $p->getSignature()["hash_type"], strlen($p->getSignature()["hash"]), isset($p["a.txt"]), isset($p["x"]), $p["empty"]->isDir());
copy("z.phar", "y.phar"); $y = new Phar("y.phar");
foreach (new RecursiveIteratorIterator($y) as $name => $file) echo basename($name), " ", get_class($file), " ", $file->getSize(), "\n";
var_dump(file_get_contents("phar://y.phar/dir/b.txt"), $y->getMetadata());
$bytes = file_get_contents("z.phar"); $bytes[200] = "?"; file_put_contents("x.phar", $bytes);
try { new Phar("x.phar"); } catch (UnexpectedValueException $e) { echo str_replace(getcwd() . "/", "", $e->getMessage()), "\n"; }
--EXPECT--
bool(true)
bool(true)
int(3)
array(1) {
  ["version"]=>
  int(3)
}
string(7) "about a"
string(7) "SHA-512"
int(128)
bool(true)
bool(false)
bool(true)
a.txt PharFileInfo 3000
b.txt PharFileInfo 1
string(1) "b"
array(1) {
  ["version"]=>
  int(3)
}
phar "x.phar" SHA512 signature could not be verified: broken signature
