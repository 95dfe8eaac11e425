--TEST--
Wrong string offsets
--FILE--
<?php
$text = "abc";
foreach (["x", "1x", 1.7, true, 10, -4] as $offset) {
    try { var_dump($text[$offset]); } catch (TypeError $error) { echo get_class($error), ": ", $error->getMessage(), "\n"; }
}
try { $text[] = "d"; } catch (Error $error) { echo $error->getMessage(), "\n"; }
try { $text[0][0] = "d"; } catch (Error $error) { echo $error->getMessage(), "\n"; }
try { $text[1] = ""; } catch (Error $error) { echo $error->getMessage(), "\n"; }
$text[1] = "long"; echo $text, "\n";
$text[-9] = "x"; echo $text, "\n";
$empty = ""; try { $empty["x"] = 1; } catch (Error $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
TypeError: Cannot access offset of type string on string

Warning: Illegal string offset "1x" in case.php on line 4
string(1) "b"

Warning: String offset cast occurred in case.php on line 4
string(1) "b"

Warning: String offset cast occurred in case.php on line 4
string(1) "b"

Warning: Uninitialized string offset 10 in case.php on line 4
string(0) ""

Warning: Uninitialized string offset -4 in case.php on line 4
string(0) ""
[] operator not supported for strings
Cannot use string offset as an array
Cannot assign an empty string to a string offset

Warning: Only the first byte will be assigned to the string offset in case.php on line 9
alc

Warning: Illegal string offset -9 in case.php on line 10
alc
Cannot access offset of type string on string
