<?php
$arrays = [[], [1, 2, 3], [3, 1, 2], ["b", "a", "C"], ["x" => 1, "y" => 2, 5 => 3], [1, "1", 1.0, true, "a", null], ["10", 9, "1e1", "abc", 10], [5 => "five", 3 => "three", "k" => "v"], [-1.5, 2.5, 0.0], ["img12", "img10", "IMG2", "img1"]];
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
foreach (['count', 'array_keys', 'array_values', 'array_flip', 'array_reverse', 'array_sum', 'array_product', 'array_unique', 'array_pop', 'array_shift', 'array_key_first', 'array_key_last', 'array_is_list', 'array_count_values', 'sort', 'rsort', 'asort', 'arsort', 'ksort', 'krsort', 'natsort', 'natcasesort', 'current', 'key', 'next', 'prev', 'reset', 'end', 'array_filter', 'shuffle', 'array_rand', 'array_merge', 'array_change_key_case', 'array_multisort', 'array_diff', 'array_intersect', 'array_merge_recursive', 'array_replace', 'array_diff_key', 'array_intersect_key'] as $function) {
    $each($function, $arrays);
}
foreach (['sort', 'rsort', 'asort', 'arsort', 'ksort', 'krsort', 'array_unique'] as $function) {
    $each($function, [["b", "a", "C"], ["10", 9, "1e1", "abc", 10], [5 => "five", 3 => "three", "k" => "v"], ["img12", "img10", "IMG2", "img1"]], [0, 1, 2, 6, 8 | 2, 8 | 6]);
}
foreach (['array_merge', 'array_merge_recursive', 'array_replace', 'array_replace_recursive', 'array_diff', 'array_diff_key', 'array_diff_assoc', 'array_intersect', 'array_intersect_key', 'array_intersect_assoc', 'array_combine'] as $function) {
    $each($function, [[1, 2, 3], ["b", "a", "C"], ["x" => 1, "y" => 2, 5 => 3], []], [[], [1, 2], ["x" => 9, "z" => 1], [5 => "q", "k" => "w"]]);
}
foreach (['array_diff', 'array_intersect', 'array_intersect_key', 'array_diff_key', 'array_merge'] as $function) {
    $each($function, $arrays, [[1, 2]], [["a", 3]]);
}
foreach (['array_udiff', 'array_uintersect', 'array_diff_ukey', 'array_intersect_ukey', 'array_udiff_assoc', 'array_uintersect_assoc', 'array_diff_uassoc', 'array_intersect_uassoc'] as $function) {
    $each($function, [["a", "B", "k" => "c"], ["x" => "1"]], [["A", "b", "K" => "C"], []], ["strcmp", "strcasecmp"]);
}
foreach (['array_udiff_uassoc', 'array_uintersect_uassoc'] as $function) {
    $each($function, [["a", "B", "k" => "c"]], [["A", "b", "K" => "C"]], ["strcmp", "strcasecmp"], ["strcmp", "strcasecmp"]);
}
$each('in_array', ["1", "a", null, 0, true, [1, 2]], [[1, 2, 3], [1, "1", 1.0, true, "a", null], ["10", 9, "1e1"]], [false, true]);
$each('array_search', ["1", "a", null, 10], [[1, 2, 3], [1, "1", 1.0, true, "a", null], ["10", 9, "1e1"]], [false, true]);
$each('array_keys', [[1, "1", 1.0, true, "a", null]], [1, "a", null], [false, true]);
$each('array_key_exists', [0, "x", "5", null, 1.5, true, []], [[1, 2], ["x" => 1, 5 => 2]]);
$each('array_slice', [[1, 2, 3, 4, 5], ["a" => 1, 5 => 2, 3, "b" => 4]], [0, 1, -2, 10], [null, 2, -1], [false, true]);
$each('array_splice', [[1, 2, 3, 4], ["a" => 1, 5 => 2, 3]], [0, 1, -1, 10], [null, 0, 1], ["x", ["p", "k" => "q"]]);
$each('array_chunk', [[1, 2, 3, 4, 5], ["a" => 1, "b" => 2, "c" => 3], []], [1, 2, 10, 0], [false, true]);
$each('array_pad', [[1, 2], ["a" => 1, 7 => 2]], [0, 2, 5, -5, 99999999999], [0, null]);
$each('array_fill', [0, 5, -3, PHP_INT_MAX], [0, 1, 3, -1], ["v"]);
$each('array_fill_keys', $arrays, [0]);
$each('array_column', [[["id" => 3, "n" => "a"], ["id" => 5, "n" => "b"], ["n" => "c"], "x"]], ["n", "id", null, 0, "zz"], [null, "id", "n", "zz"]);
$each('range', [0, "a", "1", 1.5, "", "ab"], [5, "e", "10", 3.5, ""], [1, -1, 0.5, 0, 10]);
$each('array_push', [[1], [], ["a" => 1, 7 => 2], [PHP_INT_MAX => 1]], [5, "x"], [[1]]);
$each('array_unshift', [[1], [], ["a" => 1, 7 => 2]], [5, "x"], [[1]]);
$each('array_reverse', [["a" => 1, 2, 3, 9 => 4]], [false, true]);
$each('array_rand', [["a" => 1, "b" => 2, "c" => 3, "d" => 4, "e" => 5]], [0, 1, 2, 3, 4, 5, 6]);
$each('count', [[1, [2, [3, 4]]], [], "x", null], [0, 1, 2]);
$each('array_map', ["strtoupper", null, "nope"], [["a", "k" => "b"], []]);
$each('array_map', ["str_repeat", null], [["a", "k" => "b", "c"]], [[1, 2], [3, 2, 1, 0]]);
$each('array_filter', [["a", "", "0", "k" => "b"], ["a" => 1, "1" => "x"]], ["strlen", "is_numeric", null], [0, 1, 2]);
$each('array_reduce', [["a", "b"], []], ["strcmp"], [null, "a"]);
$each('array_walk', [["a", "k" => "b"]], ["strcmp", "trim"]);
$each('usort', [["b", "a", "C", "aa"], [3, 1, 2], []], ["strcmp", "strcasecmp", "strnatcmp"]);
$each('uasort', [["x" => "b", "y" => "a", "C"]], ["strcmp", "strcasecmp"]);
$each('uksort', [["x" => "b", "a" => "a", "C" => 1]], ["strcmp", "strcasecmp"]);
$each('array_find', [["", "a"], [1, 2]], ["strlen"]);
$each('array_any', [["a"], []], ["is_string"]);
$each('array_multisort', [[3, 1, 2]], [[1, 2, 3]]);
$each('array_multisort', [[10, 100, 100, 0]], [[1, 3, 2, 4]]);
$each('array_multisort', [["10", 100, 100, 11, "a"]], [SORT_ASC, SORT_DESC], [SORT_STRING, SORT_NUMERIC], [[1, 2, "2", 3, 1]], [SORT_ASC, SORT_DESC]);
$each('array_multisort', [[1]], [[1, 2]]);
$each('array_multisort', [[1, 2]], [SORT_ASC], [SORT_ASC]);
$each('array_combine', [[1, "a", 2.5, null]], [[1, 2, 3, 4]]);
$each('compact', ["nothing"]);
array_pop($cases);
mt_srand(7);
for ($n = 0; $n < 6; $n++) {
    $array = [];
    $length = mt_rand(6, 40);
    for ($i = 0; $i < $length; $i++) {
        $array[] = match (mt_rand(0, 4)) { 0 => mt_rand(0, 20), 1 => (string) mt_rand(0, 20), 2 => mt_rand(0, 40) / 4, 3 => chr(mt_rand(97, 110)) . mt_rand(0, 3), 4 => [null, true, false, "", "1e1"][mt_rand(0, 4)] };
    }
    foreach (['sort', 'asort', 'arsort', 'array_unique'] as $function) {
        $cases[] = [$function, $array];
        $cases[] = [$function, $array, SORT_STRING];
    }
    $cases[] = ['array_unique', $array, SORT_REGULAR];
    $cases[] = ['usort', $array, 'strnatcmp'];
}
return $cases;
