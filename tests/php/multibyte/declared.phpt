--TEST--
A source declares its encoding
--INI--
zend.multibyte=1
--FILE--
<?php
/* first */ declare(encoding="ISO-8859-1");
echo bin2hex("é"), "\n";
echo strlen('äö'), "\n";
function été() { return __FUNCTION__; }
echo bin2hex(été()), "\n";
--EXPECT--
c383c2a9
8
c383c2a974c383c2a9
