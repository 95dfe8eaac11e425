--TEST--
Reading and writing characters
--FILE--
<?php
$text = "abc"; $text[1] = "X"; $text[5] = "Y"; var_dump($text); $text[-1] = "Z"; var_dump($text);
echo $text[0], $text[-1], "\n";
--EXPECT--
string(6) "aXc  Y"
string(6) "aXc  Z"
aZ
