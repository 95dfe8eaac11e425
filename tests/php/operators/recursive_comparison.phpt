--TEST--
Comparisons of arrays and objects that contain themselves
--FILE--
<?php
function t($f) { try { var_dump($f()); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
$n = (int) '1'; $c = [[$n]]; $d = [$c]; t(fn() => $d == $c); t(fn() => $c == $d); t(fn() => $d === $c); t(fn() => $c === $d); t(fn() => $c <=> $d);
$a = [&$a]; t(fn() => $a === [[]]); t(fn() => [[]] === $a); t(fn() => $a == [[]]); t(fn() => [[]] == $a); t(fn() => $a === $a); t(fn() => [$a] == [[1]]); t(fn() => [$a, $a] == [[1], [2]]); t(fn() => $a <=> [[[[1]]]]); t(fn() => [[[[1]]]] <=> $a);
$x = [1, &$x]; $y = [1, &$y]; t(fn() => $x == $y); t(fn() => $x === $y); $z = [2, &$z]; t(fn() => $x == $z); $x2 = [1, &$x2, 3]; t(fn() => $x == $x2); t(fn() => in_array($x, [$y])); t(fn() => array_search($x, [$y, $x])); t(fn() => max($x, $y)); $s = [$x, $y]; t(fn() => sort($s)); t(fn() => array_unique([$x, $y], SORT_REGULAR)); t(fn() => $x < $y);
$o = new stdClass; $o->o = $o; $p = new stdClass; $p->o = $p; t(fn() => $o == $p); t(fn() => $o < $p); $q = new stdClass; $q->o = new stdClass; t(fn() => $o == $q); t(fn() => $q == $o); t(fn() => [$o] == [$p]); $o2 = new stdClass; $o2->a = [&$o2->a]; $o3 = new stdClass; $o3->a = [&$o3->a]; t(fn() => $o2 == $o3); t(fn() => (array) $o == (array) $p); 
switch ($x) { case $z: echo "z\n"; break; case [1, 2]: echo "q"; default: echo "d\n"; }
$a = [&$a]; 
t(fn() => [[]] <=> $a); t(fn() => [[1]] <=> $a); t(fn() => [[[]]] <=> $a); t(fn() => [[[1]]] == $a); $n = 1; t(fn() => [[$n]] == $a); t(fn() => [[[$n]]] == $a); $e = []; t(fn() => [$e] == $a); t(fn() => [[$e]] == $a); t(fn() => [[[$n, $n]]] == $a);  t(fn() => [[[1, 2]]] == $a);
t(fn() => $a == [[1]]); t(fn() => $a == [[[1]]]); t(fn() => $a == [[[1,2]]]); t(fn() => $a == [[[$n]]]); t(fn() => $a == [1]); 
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(false)
int(-1)
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
bool(true)
bool(false)
bool(false)
Nesting level too deep - recursive dependency?
int(-1)
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
bool(false)
bool(false)
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
bool(false)
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
d
int(-1)
int(-1)
int(-1)
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
Nesting level too deep - recursive dependency?
bool(false)
