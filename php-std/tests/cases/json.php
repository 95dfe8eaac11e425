<?php
$cases = [];
foreach ([null, true, 1, 1.5, 1.0, 0.1, 1e25, -0.0, 1e100, "abc", "h\u{e9}/\"\\\n\x01<>&'", "\xff", "a\xffb", "\u{2028}\u{1F600}", [], [1, 2], [1 => 1], ["a" => 1, "b" => [1, [2]], "c" => []], [[], [[]]], NAN, ["x" => INF], "12", "1e3", ["k" => "5.5"]] as $value) {
    foreach ([0, 1 | 2 | 4 | 8, 16, 32, 64, 128, 256, 512, 1024, 256 | 2048, 1 << 20, 1 << 21, 1 << 22, 128 | 64 | 256] as $flags) {
        $cases[] = ['json_encode', $value, $flags];
    }
}
$cases[] = ['json_encode', [[[1]]], 0, 2];
$cases[] = ['json_encode', [[[1]]], 512, 1];
$cases[] = ['json_last_error_msg'];
foreach (['', ' ', 'null', 'NULL', 'true', 'TRUE', 'false', 'nul', '1', '-1', '-0', '-0.0', '-', '01', '1.', '1.5', '.5', '1e5', '1E+2', '1e', '12345678901234567890', '-12345678901234567890', '9223372036854775807', '9223372036854775808', '"a"', '"a', 'a"', '"\u00e9\n\t\"\\\/"', '"\ud83d\ude00"', '"\ud83d"', '"\ude00"', '"\u12"', '"\x"', "\"\x01\"", "\"\xff\"", "\"a\nb\"", '[]', '[1,2]', '[1,]', '[,1]', '[1 2]', '[1', '1]', '[1}', '{"a":1]', '{}', '{"a":1}', '{"a":1,}', '{a:1}', '{"a" 1}', '{"a":{"b":[1,2.5,"x",null,true]}}', '{"a":1,"a":2}', '{"":1,"0":2,"1":3}', '{"\u0000a":1}', '[[[1]]]', ' [ 1 , 2 ] ', "[1,\x0c2]", '[1]x', "\xEF\xBB\xBF1", '{"a":[{"b":{}}]}', '[1e400]', "\x1f"] as $text) {
    foreach ([[true, 512, 0], [true, 2, 0], [true, 512, 2], [true, 512, 1 << 20], [true, 512, 1 << 21], [true, 512, 1 << 22], [null, 512, 1]] as $rest) {
        $cases[] = ['json_decode', $text, ...$rest];
    }
    $cases[] = ['json_last_error'];
    $cases[] = ['json_last_error_msg'];
    $cases[] = ['json_validate', $text];
    $cases[] = ['json_decode', $text];
}
$cases[] = ['json_decode', '1', true, 0];
$cases[] = ['json_decode', '1', true, PHP_INT_MAX];
$cases[] = ['json_validate', '1', 0];
$cases[] = ['json_validate', '1', 5, 3];
return $cases;
