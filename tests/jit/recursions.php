<?php
// Functions that call themselves, or others of their name.
function walk($n, $depth) {
    $text = "n" . $n;
    $text = $text . "y" . $depth;
    $n = ($n * 31 + $depth) & 0xffff;
    if ($depth == 0) {
        return $n;
    }
    return (walk($n, $depth - 1) + walk($n + 1, $depth - 1)) & 0xffff;
}
function ackermann($m, $n) {
    if ($m == 0) {
        return $n + 1;
    }
    return ackermann($m - 1, $n == 0 ? 1 : ackermann($m, $n - 1));
}
class Base {
    function show($n) { return $n + 1; }
    function strrev($text) { return strrev($text) . strlen($text); }
}
class Shown extends Base {
    function show($n) { return parent::show($n) * 2; }
    function sum($n) { return $n > 0 ? $n + $this->sum($n - 1) : 0; }
    static function count($n) { return $n > 0 ? 1 + self::count($n - 1) : 0; }
}
function permutations(array $items, array $chosen = []) {
    if (!$items) {
        return [implode('', $chosen)];
    }
    $all = [];
    foreach ($items as $key => $item) {
        $others = $items;
        unset($others[$key]);
        foreach (permutations($others, [...$chosen, $item]) as $one) {
            $all[] = $one;
        }
    }
    return $all;
}
$sum = 0;
for ($i = 0; $i < 40; $i++) {
    $sum += walk($i, 6);
}
$shown = new Shown;
for ($i = 0; $i < 300; $i++) {
    $sum += $shown->show($i) + $shown->sum($i % 30) + Shown::count($i % 20) + strlen($shown->strrev("t$i"));
}
echo $sum, ' ', ackermann(2, 40), ' ', count(permutations([1, 2, 3, 4, 5])), "\n";
