--TEST--
Sources are converted to the internal encoding
--INI--
zend.multibyte=1
zend.script_encoding=UTF-8
internal_encoding=SJIS
--FILE--
Überschrift
<?php
echo bin2hex("テスト"), "\n";
echo bin2hex(<<<X
表 {$argc}
X), "\n";
$名 = '表';
echo bin2hex($名), " ", bin2hex(file_get_contents(__FILE__, false, null, __COMPILER_HALT_OFFSET__)), "\n";
__halt_compiler();ü
--EXPECT--
?berschrift
836583588367
955c2031
955c c3bc0a
