<?php
// What stands behind references: variables that are global, static, captured or passed by reference, elements of a loop
// by reference. Operators take and write what the reference holds, with types that change, with typed properties behind
// it, and while somebody else writes it.

function arithmetic($turns)
{
    $x = 1;
    $r = &$x;
    $y = 2.5;
    $s = &$y;
    $log = [];
    for ($i = 0; $i < $turns; $i++) {
        $x = $x + $i;
        $z = $x - $r;
        $y = $y * 1.5 - $i;
        $w = $x / 2 + $y % 7;
        $r -= 3;
        $s = $x < $y ? $y - $x : $y;
        if ($x > 1000 || $y < -1e9) {
            $x = $x % 10;
            $y = 0.5;
        }
        if ($i % 37 === 0) {
            $log[] = "$x $y $z " . round($w, 3);
        }
    }
    return implode(',', $log);
}

function overflowing($turns)
{
    $big = PHP_INT_MAX - 20;
    $same = &$big;
    for ($i = 0; $i < $turns; $i++) {
        $big = $big + 1;
        $next = $same + 1;
    }
    return var_export($big, true) . var_export($next, true);
}

function globals($turns)
{
    global $total, $names;
    for ($i = 0; $i < $turns; $i++) {
        $total = $total + $i;
        $names[] = $i;
        if ($total > 500 && $names[0] === 0) {
            $total -= 500;
        }
    }
    return $total . ' ' . count($names);
}

function statics($turns)
{
    static $count = 0, $text = '', $float = 0.25;
    for ($i = 0; $i < $turns; $i++) {
        $count++;
        $float = $float + $count;
        $text .= $count === 3 ? 'three' : ($count > 50 ? '' : '.');
        if ($float >= 100.0 and $text !== '') {
            $float = $float - 100.0;
        }
    }
    return "$count $float " . strlen($text);
}

class Typed
{
    public int $int = 0;
    public ?string $text = null;
    public float $float = 1.5;
    public $any = null;
}

function typed($turns)
{
    $object = new Typed;
    $int = &$object->int;
    $float = &$object->float;
    $text = &$object->text;
    $any = &$object->any;
    $log = '';
    for ($i = 0; $i < $turns; $i++) {
        $int = $int + 1;
        $float = $int;
        $any = $int + 1;
        $text = $i;
        if ($i % 9 === 0) {
            $log .= var_export($object->float, true) . var_export($object->text, true) . var_export($object->any, true);
        }
    }
    try {
        $int = 'text';
    } catch (TypeError $error) {
        $log .= $error->getMessage();
    }
    try {
        $int = PHP_INT_MAX;
        for ($i = 0; $i < 3; $i++) {
            $int = $int + 1;
        }
    } catch (TypeError $error) {
        $log .= $error->getMessage();
    }
    return $log;
}

function each(array $list, $turns)
{
    for ($i = 0; $i < $turns; $i++) {
        foreach ($list as $key => &$value) {
            $value = $value + $key;
            if ($value > 20) {
                $value = $value - 20;
            }
            if ($value === 'never' || $value == 7) {
                $value *= 2;
            }
        }
        unset($value);
    }
    return json_encode($list);
}

function comparing($turns)
{
    $values = [1, 1.0, '1', 'one', true, null, [1], 2];
    $counts = array_fill(0, 8, 0);
    foreach ($values as $n => &$left) {
        for ($i = 0; $i < $turns; $i++) {
            $right = &$values[$i % 8];
            $counts[$n] += ($left === $right) + 2 * ($left == $right) + 4 * ($left !== 1) + 8 * ($left < 2) + 16 * (!$right) + 32 * ($right <=> $left);
            unset($right);
        }
    }
    return implode(' ', $counts);
}

function changing($turns)
{
    $x = 0;
    $change = function ($i) use (&$x) { $x = match ($i % 5) { 0 => 1, 1 => 1.5, 2 => '7', 3 => null, 4 => true }; };
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $change($i);
        $sum = $sum + ($x + 1);
        $sum += $x < 2 ? 1 : 0;
        $y = $x;
        $x = $y * 2;
        $sum += $x;
    }
    return $sum;
}

function owned($turns)
{
    $x = 'text';
    $r = &$x;
    $list = [];
    for ($i = 0; $i < $turns; $i++) {
        $x = $i + 1;
        $list[] = $x;
        $x = ["list $i"];
        $x = count($x) + $i;
        $x = new ArrayObject([$i]);
        $x = $i % 2 + 1;
    }
    return array_sum($list) + $r;
}

foreach ([3, 40, 200] as $turns) {
    $total = 0;
    $names = [];
    echo arithmetic($turns), "\n", overflowing($turns), "\n", globals($turns), ' ', statics($turns), "\n", typed($turns), "\n";
    echo each([1, 2, 3.5, '4', 5], $turns), "\n";
    echo comparing($turns), "\n", changing($turns), ' ', owned($turns), "\n";
}
