<?php
// Types that change while a loop runs.
function sum(array $values) {
    $s = 0;
    foreach ($values as $key => $value) {
        $s = $s + $value;
    }
    return $s;
}
var_dump(sum(range(1, 100)), sum([1.5, 2.5, 3]), sum(['a' => '5', 'b' => 2, 'c' => true]), sum([PHP_INT_MAX, 1, 2]));
function grow($n) {
    $a = [];
    for ($i = 0; $i < $n; $i++) {
        $a[$i] = $i;
        $a["k$i"] = $i * 1.5;
        $a[] = "s$i";
        if ($i % 10 === 9) {
            unset($a[$i - 5]);
            $b = $a;
            $b[0] = 'copy';
        }
        $a[$i] .= 'x';
    }
    return count($a) . ' ' . md5(serialize($a)) . ' ' . md5(serialize($b));
}
echo grow(60), "\n";
function overflow($n) {
    $x = 1;
    for ($i = 0; $i < $n; $i++) {
        $x = $x * 3 + 1;
        if (is_float($x)) {
            $x = $i;
        }
    }
    return $x;
}
var_dump(overflow(200));
interface Shape { public function area(); }
class Square implements Shape { public function __construct(private $a) {} public function area() { return $this->a * $this->a; } }
class Circle implements Shape { public function __construct(public float $r) {} public function area() { return 3 * $this->r ** 2; } }
class Magic { private $data = ['p' => 1]; public function __get($n) { return $this->data[$n] ?? null; } public function __set($n, $v) { $this->data[$n] = $v; } public function __call($n, $a) { return count($a); } public function area() { return $this->p++; } }
function areas($n) {
    $shapes = [new Square(2), new Circle(1.5), new Magic, new Square(3)];
    $s = 0;
    for ($i = 0; $i < $n; $i++) {
        $shape = $shapes[$i % 4];
        $s += $shape->area();
        if ($shape instanceof Magic) {
            $shape->q = $i;
            $s += $shape->q + $shape->foo(1, 2, $i);
        }
    }
    return $s;
}
var_dump(areas(50));
function strings($n) {
    $s = '';
    $counts = [];
    for ($i = 0; $i < $n; $i++) {
        $s .= chr(97 + $i % 26);
        $c = $s[$i];
        $counts[$c] = ($counts[$c] ?? 0) + 1;
        if ($c === 'e' || $c == 'f') {
            $s .= strtoupper("{$c}{$i}");
        }
    }
    ksort($counts);
    return $s . json_encode($counts);
}
echo strings(60), "\n";
function choose($n) {
    $out = [];
    for ($i = 0; $i < $n; $i++) {
        switch ($i % 5) {
            case 0: $x = 'zero'; break;
            case 1: $x = 1; break;
            case 2: continue 2;
            default: $x = $i / 2;
        }
        $out[] = match (true) { is_string($x) => "s:$x", is_int($x) => "i:$x", default => $x };
    }
    return json_encode($out);
}
echo choose(23), "\n";
function generate($n) { for ($i = 0; $i < $n; $i++) { $got = yield $i => $i * 2; if ($got) echo "got $got\n"; } return $n; }
function all($n) { yield from generate($n); return yield 'end'; }
foreach (all(12) as $k => $v) { echo "$k=>$v "; }
$g = generate(3); $g->current(); $g->send('x'); echo $g->current(), "\n";
function recursive($n) { return $n < 2 ? $n : recursive($n - 1) + recursive($n - 2); }
echo recursive(15), "\n";
function deep($n) { return $n === 0 ? 0 : 1 + deep($n - 1); }
echo deep(20000), "\n";
$list = [5, 3, 9, 1]; usort($list, function ($a, $b) { return $a <=> $b; }); echo implode(',', $list), "\n";
echo implode(',', array_map(fn($x) => $x ** 2, array_filter(range(1, 20), fn($x) => $x % 2))), "\n";
