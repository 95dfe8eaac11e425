--TEST--
mbstring: details of names, cases, references, query strings
--FILE--
<?php
mb_strlen("x", "BASE64"); mb_strlen("x", "base64"); mb_strlen("x", "UTF-8"); mb_strlen("x", "BASE64");
foreach (["&#0000000065;", "&#00000000065;", "&#x00000041;", "&#x000000041;"] as $text) echo mb_decode_numericentity($text, [0, 0xffff, 0, 0xffff]), "\n";
foreach (["\xdd", "\xfd", "I", "i"] as $text) foreach ([MB_CASE_UPPER, MB_CASE_LOWER, MB_CASE_FOLD] as $mode) echo bin2hex(mb_convert_case($text, $mode, "ISO-8859-9")), " ";
echo "\n", mb_strtolower("A" . str_repeat(".", 63) . "Σ"), mb_strtolower("A" . str_repeat(".", 64) . "Σ"), "\n";
echo @mb_convert_encoding("&quot;&amp;&lt;&gt;&apos;&zzz;", "UTF-8", "HTML"), "\n";
mb_parse_str("a=\xff&\x80=b", $table);
foreach ($table as $name => $value) echo bin2hex($name), "=", bin2hex($value), "\n";
var_dump(mb_http_input("L"), mb_http_input("I"));
foreach (["UTF-32", "UTF-16BE", "big-five", "koi8-r", "eucJP-win", "ISO-8859-7", "UCS-4BE", "UTF-7"] as $name) {
    try { mb_regex_encoding($name); echo mb_regex_encoding(), "\n"; } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
}
mb_regex_encoding("UTF-8");
mb_ereg_search_init("abc", "b");
mb_eregi_replace("b", "", "");
try { mb_ereg_search_pos(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { mb_convert_encoding("x", "no", "none"); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
Deprecated: mb_strlen(): Handling Base64 via mbstring is deprecated; use base64_encode/base64_decode instead in case.php on line 2

Deprecated: mb_strlen(): Handling Base64 via mbstring is deprecated; use base64_encode/base64_decode instead in case.php on line 2
A
&#00000000065;
A
&#x000000041;
dd 69 69 49 fd fd 49 fd fd dd 69 69 
a...............................................................ςa................................................................σ
"&<>&apos;&zzz;
61=3f
3f=62
string(5) "UTF-8"
array(1) {
  [0]=>
  string(5) "UTF-8"
}
UCS-4
UTF-16
BIG5
KOI8R
EUC-JP
ISO-8859-7
mb_regex_encoding(): Argument #1 ($encoding) must be a valid encoding, "UCS-4BE" given
mb_regex_encoding(): Argument #1 ($encoding) must be a valid encoding, "UTF-7" given
No pattern was provided
mb_convert_encoding(): Argument #2 ($to_encoding) must be a valid encoding, "no" given
