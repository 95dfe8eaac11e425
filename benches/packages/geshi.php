<?php
// GeSHi: highlights PHP source, mostly regexes and string functions.
require __DIR__ . '/support.php';
$file = glob("$packages/usr/share/{php-geshi,php/geshi}/geshi.php", GLOB_BRACE)[0];
require $file;

$source = str_repeat(file_get_contents(__DIR__ . '/pdf.php'), 2);
repeat(6, fn () => (new GeSHi($source, 'php'))->parse_code());
