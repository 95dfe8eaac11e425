--TEST--
Iterators, aggregates and plain objects
--FILE--
<?php
class Range implements Iterator {
    private $n;
    function __construct(private int $from, private int $to) { $this->n = $from; }
    function current(): mixed { echo "[current]"; return $this->n; }
    function key(): mixed { return "k$this->n"; }
    function next(): void { echo "[next]"; $this->n++; }
    function rewind(): void { echo "[rewind]"; $this->n = $this->from; }
    function valid(): bool { echo "[valid]"; return $this->n <= $this->to; }
}
foreach (new Range(1, 2) as $key => $value) echo "$key=$value";
echo "\n";
class Bag implements IteratorAggregate { function getIterator(): Iterator { return new ArrayIterator(["x" => 1, "y" => 2]); } }
foreach (new Bag as $key => $value) echo "$key=$value ";
echo "\n";
class Mixed_ { public $a = 1; protected $b = 2; private $c = 3; function all() { foreach ($this as $key => $value) echo "$key=$value "; } }
$object = new Mixed_; $object->d = 4;
foreach ($object as $key => $value) echo "$key=$value "; $object->all();
echo "\n";
foreach ($object as $key => &$reference) $reference = "$key!"; echo $object->a, "\n";
echo implode(",", iterator_to_array(new Bag)), "\n";
--EXPECT--
[rewind][valid][current]k1=1[next][valid][current]k2=2[next][valid]
x=1 y=2 

Deprecated: Creation of dynamic property Mixed_::$d is deprecated in case.php on line 17
a=1 d=4 a=1 b=2 c=3 d=4 
a!
1,2
