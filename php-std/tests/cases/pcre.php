<?php
$cases = [];
$each = function (string $function, array ...$lists) use (&$cases) {
    $rows = [[]];
    foreach ($lists as $list) {
        $next = [];
        foreach ($rows as $row) {
            foreach ($list as $value) {
                $next[] = [...$row, $value];
            }
        }
        $rows = $next;
    }
    foreach ($rows as $row) {
        $cases[] = [$function, ...$row];
    }
};
$patterns = ['/(\d+)-(\d+)/', '/(a)?(b)?(c)/', '/(?<n>\w)(x)?/', '/x*/', '//', '/\s+/', '~l+~i', '{a(b)}', '/(/', 'abc', '', '/abc', '/a/k', "/a/\0i", '/\b/', '/./u', '/(?<=o)./', '/^\w/m', '/(?J)(?<a>x)|(?<a>y)/', '/a(*MARK:foo)b?/', '/[[:foo:]]/', '/(a)(?<x>b)/n', ' /a/', '/\//', '/\Ga/', '/(?:\D+|<\d+>)*[!?]/', '/$/m'];
$subjects = ['ab 12-34 cd', 'c', 'Hello World', "line\nline2", '', "\u{e9}t\u{e9}", "\xff", 'y', 'foobar foobar foobar'];
$each('preg_match', $patterns, $subjects, [0], [0, 256, 512, 768]);
$each('preg_match', ['/a/', '/^a/', '/\Ga/'], ['ba'], [0], [0], [0, 1, 2, 3, -1, -5]);
$each('preg_match', ['/a/'], ['a'], [0], [99]);
$each('preg_match_all', $patterns, $subjects, [0], [0, 1, 2, 257, 258, 512, 514, 770]);
$each('preg_match_all', ['/a/'], ['a'], [0], [3]);
$each('preg_split', $patterns, $subjects, [-1, 2], [0, 1, 2, 3, 4, 7]);
$each('preg_replace', $patterns, ['[$0|\1|${2}|\\\\0|$9|\$1|$10]', ''], $subjects, [-1, 1], [0]);
$each('preg_replace', [['/a/', '/b/']], ['x', ['1'], ['1', '2']], [['k' => 'ab', 'ba'], 'abc'], [-1], [0]);
$each('preg_replace', ['/a/'], [[]], ['a']);
$each('preg_filter', [['/a/', '/b/']], ['x'], [['k' => 'ab', 'c'], 'c', 'a']);
$each('preg_grep', ['/^\d+$/', '/(/'], [['1', 'a', 'k' => '22', 5]], [0, 1]);
$each('preg_quote', ['Hello.World?[]{}()*+^$|\\/#-=!<>:' . "\0", 'abc', ''], [null, '/', '@', '']);
$each('preg_replace_callback', ['/\w/', '/(a)|(b)/'], ['json_encode', 'nope'], ['ab', ['k' => 'a']], [-1, 1], [0], [0, 256, 512]);
$each('preg_replace_callback_array', [['/a/' => 'json_encode', '/b/' => 'json_encode'], ['/a/' => 'nope'], [1 => 'strlen']], ['ab']);
return $cases;
