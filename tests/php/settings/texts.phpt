--TEST--
Texts of settings
--FILE--
<?php
var_dump(parse_ini_string("a=1",false,100));
print_r(parse_ini_string("a = b 'c' d \"e\" f  g\nx = M_PI  test\ny=  \"a\" \nz = 'q' ;c\nw = a  b  \nv=E_ALL & ~E_NOTICE\n1=2\nk[]=1\nk[x]=2\nn\nb=1 ; c"));
foreach (['a="x', 'a=${b', 'a=}', 'a={', 'a=b)', '[x', '=1', "a=!\n", 'a=a=b', 'a[b=1', '{}=1'] as $text) {
    echo $text, ": ", str_replace("\n", "|", var_export(@parse_ini_string($text), true)), error_get_last()["message"] ?? "", "\n";
    error_clear_last();
}
var_dump(parse_ini_string("[s]\na=yes\nb=null\nc=12\nd=1.5\ne=012\nf=\"1\"\n[t]\na='x'", true, INI_SCANNER_TYPED));
var_dump(parse_ini_string("a=yes ; c\nb=\"q\" ; c\nc=\${HOME} & 2\nd=x = y", true, INI_SCANNER_RAW));
--EXPECTF--

Warning: Invalid scanner mode in %s on line 2
bool(false)
Array
(
    [a] => b c def  g
    [x] => 3.1415926535898  test
    [y] => a
    [z] => q
    [w] => a  b
    [v] => 30711
    [1] => 2
    [k] => Array
        (
            [0] => 1
            [x] => 2
        )

    [b] => 1
)
a="x: falsesyntax error, unexpected end of file, expecting TC_DOLLAR_CURLY or TC_QUOTED_STRING or '"' in Unknown on line 1

a=${b: falsesyntax error, unexpected end of file, expecting TC_FALLBACK or '}' in Unknown on line 1

a=}: array (|  'a' => '}',|)
a={: array (|  'a' => '{',|)
a=b): falsesyntax error, unexpected ')' in Unknown on line 1

[x: falsesyntax error, unexpected end of file, expecting ']' in Unknown on line 1

=1: falsesyntax error, unexpected '=' in Unknown on line 1

a=!
: falsesyntax error, unexpected END_OF_LINE in Unknown on line 2

a=a=b: falsesyntax error, unexpected '=' in Unknown on line 1

a[b=1: falsesyntax error, unexpected end of file, expecting ']' in Unknown on line 1

{}=1: falsesyntax error, unexpected '{' in Unknown on line 1

array(2) {
  ["s"]=>
  array(6) {
    ["a"]=>
    bool(true)
    ["b"]=>
    NULL
    ["c"]=>
    int(12)
    ["d"]=>
    float(1.5)
    ["e"]=>
    int(12)
    ["f"]=>
    string(1) "1"
  }
  ["t"]=>
  array(1) {
    ["a"]=>
    string(1) "x"
  }
}
array(4) {
  ["a"]=>
  string(3) "yes"
  ["b"]=>
  string(1) "q"
  ["c"]=>
  string(11) "${HOME} & 2"
  ["d"]=>
  string(5) "x = y"
}
