--TEST--
Common string functions
--FILE--
<?php
echo ucwords("hello big world"), ucfirst("abc"), lcfirst("ABC"), strrev("abc"), str_repeat("ab", 3), strtoupper("mixed Case"), "\n";
var_dump(strpos("hello", "l"), strrpos("hello", "l"), strpos("hello", "z"), substr("hello", -3, 2), substr("abc", 5), substr_count("aXbXc", "X"), str_contains("abc", ""), str_starts_with("abc", "ab"));
echo implode("|", explode(",", "a,,b", 2)), implode("|", str_split("abcdef", 4)), wordwrap("The quick brown fox", 10, "\n", true), "\n";
printf("[%5d|%-5s|%05.1f|%x|%b|%'*8s|%+d|%e|%c|%%|%2\$s]\n", 42, "ab", 3.14159, 255, 5, "pad", 7, 12345.678, 65);
echo trim("  x "), rtrim("x\n"), ltrim("0012", "0"), nl2br("a\nb"), htmlspecialchars("<a href='x'>"), addslashes("it's"), "\n";
echo str_replace(["a", "b"], ["1", "2"], "aabbc", $count), $count, strtr("hello", "el", "ip"), strtr("hi all", ["hi" => "hello", "hello" => "x"]), similar_text("World", "Word"), levenshtein("kitten", "sitting"), soundex("Robert"), metaphone("Thompson"), "\n";
echo number_format(1234567.891, 2), number_format(0.5), number_format(1234.5678, 3, ",", "."), ucwords("a-b c", "-"), str_pad("5", 3, "0", STR_PAD_LEFT), chunk_split("abcd", 2, "-"), strcmp("a", "b"), strncasecmp("ABx", "aby", 2), strnatcmp("img12", "img10"), "\n";
--EXPECT--
Hello Big WorldAbcaBCcbaabababMIXED CASE
int(2)
int(3)
bool(false)
string(2) "ll"
string(0) ""
int(2)
bool(true)
bool(true)
a|,babcd|efThe quick
brown fox
[   42|ab   |003.1|ff|101|*****pad|+7|1.234568e+4|A|%|ab]
xx12a<br />
b&lt;a href=&#039;x&#039;&gt;it\'s
1122c4hippohello all43R1630MPSN
1,234,567.8911.234,568A-B c005ab-cd--101
