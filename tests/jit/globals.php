<?php
// Global variables that are bound, made references and taken away by compiled code, and by code inlined into it.
function binds($is_bound) {
    unset($GLOBALS['a']);
    $GLOBALS['a'] = 1;
    if ($is_bound) {
        global $a;
    } else {
        $a = null;
    }
    var_dump($a);
    // Makes references of all globals.
    extract($GLOBALS, EXTR_REFS);
    return 1;
}
$a = 'text';
for ($i = 0; $i < 12; $i++) {
    binds($i & 1);
}

function increments() {
    global $x;
    $x++;
    return 1;
}
function adds($n) {
    global $x;
    return $x + $n;
}
function reads() {
    return $GLOBALS['x'] + 1;
}
$sum = 0;
for ($i = 0; $i < 400; $i++) {
    unset($x);
    $x = $i;
    $sum += increments();
    $sum += $x;
    unset($x);
    $x = $i * 2;
    $sum += adds(1);
    $x = $i;
    $x += 5;
    $sum += reads();
}
echo $sum, "\n";

// Elements and properties that become references where they stand.
class Holder {
    public $value = 1;
    public $list = [1, 2, 3];
}
function &element(array &$list, $key) {
    return $list[$key];
}
function increment(&$value) {
    return ++$value;
}
function refers($n) {
    $holder = new Holder;
    $list = [1, 2, 3, 'k' => 4];
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $one = &$list[$i % 3];
        $sum += $one;
        $one = &$holder->value;
        $sum += $one + increment($list['k']) + increment($holder->list[$i % 3]);
        $other = &element($list, 1);
        $other++;
        unset($one, $other);
        $sum += $list[1] + $holder->value + $holder->list[$i % 3];
        if ($i % 50 == 0) {
            $list = [$i, 2.5, 3, 'k' => 0];
            $holder = new Holder;
        }
    }
    return $sum;
}
var_dump(refers(300));
