--TEST--
phar: files are written, renamed and removed by their names
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
file_put_contents("phar://w.phar/a/b.txt", "hello"); file_put_contents("phar://w.phar/c.txt", "c");
var_dump(rename("phar://w.phar/c.txt", "phar://w.phar/d.txt"), unlink("phar://w.phar/a/b.txt"), mkdir("phar://w.phar/new"), is_dir("phar://w.phar/new"), rmdir("phar://w.phar/new"), is_dir("phar://w.phar/new"));
foreach (scandir("phar://w.phar/") as $name) echo $name, "\n";
$h = fopen("phar://w.phar/d.txt", "r+"); fseek($h, 1); fwrite($h, "more"); fclose($h); var_dump(file_get_contents("phar://w.phar/d.txt"));
var_dump(Phar::unlinkArchive("w.phar"), file_exists("w.phar"));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
d.txt
string(5) "cmore"
bool(true)
bool(false)
