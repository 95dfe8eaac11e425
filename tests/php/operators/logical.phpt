--TEST--
Short circuits and their precedence
--FILE--
<?php
function say($text, $value) { echo $text, " "; return $value; }
var_dump(say("a", false) && say("b", true), say("c", true) || say("d", true), (say("e", true) xor say("f", true)));
$x = true and false;
var_dump($x, !0 && !"" && !null);
var_dump(null ?? "default", $undefined["x"]["y"] ?? "none", 0 ?: "falsy", "set" ?: "no");
$list = ["a" => null];
$list["a"] ??= "filled"; $list["b"] ??= "new"; $list["a"] ??= say("never", 1);
print_r($list);
--EXPECT--
a c e f bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
string(7) "default"
string(4) "none"
string(5) "falsy"
string(3) "set"
Array
(
    [a] => filled
    [b] => new
)
