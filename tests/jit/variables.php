<?php
// Variables that others can reach: by name, by reference, as globals.
function named($n) {
    $x = 1;
    $sum = 0;
    for ($i = 0; $i < $n; $i++) {
        $sum += $x;
        if ($i === 5) {
            extract(['x' => 10]);
        }
        if ($i === 8) {
            $name = 'x';
            $$name = 100;
        }
        if ($i === 10) {
            $sum += array_sum(compact('x', 'i'));
        }
    }
    return $sum;
}
echo named(20), "\n";
function by_reference($n) {
    $x = 0;
    $y = &$x;
    for ($i = 0; $i < $n; $i++) {
        $y += $i;
        $x++;
    }
    return [$x, $y];
}
print_r(by_reference(20));
function change(&$value) { $value = "changed $value"; }
function references($n) {
    $out = [];
    for ($i = 0; $i < $n; $i++) {
        $v = $i;
        if ($i % 3 === 0) {
            change($v);
        }
        $out[] = $v;
        foreach ($out as &$o) {
            $o = $o . '.';
        }
        unset($o);
    }
    return implode(',', $out);
}
echo references(6), "\n";
$total = 0;
function add_to_total($n) { global $total; $total += $n; return $total; }
for ($i = 0; $i < 20; $i++) {
    $total++;
    add_to_total($i);
    if ($i == 10) {
        $GLOBALS['i'] = 15;
    }
}
echo $total, ' ', $i, "\n";
function arguments($a, $b = 5, ...$rest) {
    $a++;
    for ($i = 0; $i < 3; $i++) {
        $b += $i;
    }
    return implode(' ', func_get_args()) . " / $a $b " . count($rest);
}
for ($i = 0; $i < 5; $i++) {
    echo arguments($i), '; ', arguments($i, 1), '; ', arguments($i, 1, 2, 3), "\n";
}
function counter() { static $n = 0; return ++$n; }
for ($i = 0; $i < 10; $i++) {
    counter();
}
echo counter(), "\n";
