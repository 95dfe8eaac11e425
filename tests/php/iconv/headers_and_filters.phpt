--TEST--
iconv: headers as PHP reads them, the stream filter, the output handler
--FILE--
<?php
$texts = ["=? x", "=?utf-8?B?Kg==?= x", "=?utf-8?X?Kg==?= x", "=?nope?B?Kg==?= x y", "a=?utf-8?Q?x?=b", "=?utf-8?Q?x?=\r\n =?utf-8?Q?y?=", "=?utf-8?Q?x?=\n\tz", "a\r\n b", "a\nb", "a  b ", "\xe9 x", "=?utf-8?Q?a?b?= z", "==?utf-8?Q?a?=", "="];
foreach ($texts as $text) {
    foreach ([0, ICONV_MIME_DECODE_STRICT, ICONV_MIME_DECODE_CONTINUE_ON_ERROR] as $mode) {
        echo json_encode(@iconv_mime_decode($text, $mode, "UTF-8")), " ";
    }
    echo "\n";
}
print_r(iconv_mime_decode_headers("A: x =? y\nB: =?utf-8?Q?a?=\n folded\nA: 2\n\nC: no\n", 0, "UTF-8"));
$file = fopen("php://memory", "w+");
fwrite($file, "\x00a\x20\xac\x00z");
rewind($file);
stream_filter_append($file, "convert.iconv.UTF-16BE/UTF-8");
var_dump(fread($file, 100));
$file = fopen("php://memory", "w+");
fwrite($file, "abc");
rewind($file);
stream_filter_append($file, "convert.iconv.UTF-16BE.UTF-8");
var_dump(stream_get_contents($file));
var_dump(@stream_filter_append($file, "convert.iconv.no-such.UTF-8"));
--EXPECT--
false false "" 
"* x" "* x" "* x" 
false false "=?utf-8?X?Kg==?= x" 
false false "=?nope?B?Kg==?= x y" 
"axb" "a=?utf-8?Q?x?=b" "axb" 
"xy" "xy" "xy" 
"xz" "xz" "xz" 
"a b" "a b" "a b" 
"a" "a" "a" 
"a  b" "a  b" "a  b" 
false false " x" 
false false "=?utf-8?Q?a?b?= z" 
false "==?utf-8?Q?a?=" "==?utf-8?Q?a?=" 
false false "=" 
Array
(
    [A] => Array
        (
            [0] => x =? y
            [1] => 2
        )

    [B] => afolded
)
string(5) "a€z"

Warning: stream_get_contents(): iconv stream filter ("UTF-16BE"=>"UTF-8"): invalid multibyte sequence in case.php on line 19
string(0) ""
bool(false)
