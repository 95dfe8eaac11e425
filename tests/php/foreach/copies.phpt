--TEST--
by-reference loops go on in the copy that they walk
--FILE--
<?php
$data = ['k' => 0, 1, 2];
foreach ($data as $key => &$value) {
    echo $value, "\n";
    if ($value === 1) { $copy = $data; unset($data[$key]); }
}
unset($value);
$data = [0, 1, 2];
foreach ($data as $key => &$value) {
    echo $value, "\n";
    if ($value === 1) { $copies = [$data, $data]; unset($copies[0][$key], $data[$key]); }
}
unset($value);
$holes = ['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4];
unset($holes['a'], $holes['b']);
foreach ($holes as $k => &$v) {
    foreach ($holes as $kk => $vv) { echo $holes[$kk]; if ($kk == $k) $holes[$kk] = 0; }
    echo " $k\n";
}
unset($v);
$queue = [1, 2, 3];
foreach ($queue as $k => &$v) { echo "$k=>$v "; array_shift($queue); }
unset($v);
$queue = [1, 2];
foreach ($queue as $k => &$v) { echo "$k=>$v "; array_unshift($queue, 'new'); if (count($queue) > 6) break; }
echo "\n", json_encode($queue), "\n";
class Counted implements Iterator {
    private $i = 0;
    function rewind(): void { echo "rewind "; $this->i = 0; }
    function valid(): bool { echo "valid "; return $this->i < 2; }
    function current(): mixed { echo "current "; return $this->i; }
    function key(): mixed { return $this->i; }
    function next(): void { echo "next "; $this->i++; }
}
foreach (new Counted as $v) echo "[$v] ";
echo "\n";
class Hidden {
    private $own = 'Hidden';
    function each() { foreach ($this as $k => $v) echo "$k=>$v "; echo json_encode(get_object_vars($this)), "\n"; }
}
class Shadow extends Hidden { public $own = 'Shadow'; }
#[AllowDynamicProperties] class Dynamic extends Hidden {}
(new Hidden)->each();
(new Shadow)->each();
$d = new Dynamic; $d->own = 'dynamic'; $d->{'7'} = 'seven'; $d->each();
foreach ((object)["\0A\0b" => 1, "\0*\0c" => 2] as $k => $v) echo "$k=>$v ";
var_dump(get_mangled_object_vars($d) === (array)$d);
--EXPECT--
0
1
2
0
1
2
34 c
04 d
0=>1 0=>2 0=>3 0=>1 2=>2 
["new","new",1,2]
rewind valid current [0] next valid current [1] next valid 
own=>Hidden {"own":"Hidden"}
own=>Hidden {"own":"Hidden"}
own=>Hidden 7=>seven {"own":"Hidden","7":"seven"}
b=>1 c=>2 bool(true)
