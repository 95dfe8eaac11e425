--TEST--
phar: a file that leads out of the directory stays in it
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
$name = "../../up.txt"; $head = str_pad($name, 100, "\0") . sprintf("%07o\0%07o\0%07o\0%011o\0%011o\0", 0644, 0, 0, 2, 0) . "        0" . str_repeat("\0", 100) . "ustar\00000"; $head = str_pad($head, 512, "\0");
$head = substr_replace($head, sprintf("%06o\0 ", array_sum(array_map("ord", str_split($head)))), 148, 8);
file_put_contents("bad.tar", $head . str_pad("hi", 512, "\0") . str_repeat("\0", 1024)); mkdir("deep/er", 0777, true);
try { var_dump((new PharData("bad.tar"))->extractTo("deep/er")); } catch (PharException $e) { echo $e->getMessage(); }
var_dump(file_exists("up.txt"), file_exists("deep/er/up.txt"));
--EXPECT--
bool(true)
bool(false)
bool(true)
