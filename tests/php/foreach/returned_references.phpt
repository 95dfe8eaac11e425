--TEST--
foreach by value over what functions return by reference
--FILE--
<?php
function &kept($values = [1, 2])
{
    static $all;
    $all = $values;
    return $all;
}
foreach (kept() as $value) {
    echo $value, ' ';
}
foreach (kept([3, 'k' => 4]) as $key => $value) {
    $all = &kept([5]);
    $all[] = 6;
    echo $key, '=', $value, ' ';
}
foreach (kept(new ArrayIterator([7])) as $value) {
    echo $value, ' ';
}
foreach (kept() as $value) {
    break;
}
class Holder
{
    private $inner = ['a' => [8], 'b' => [9]];
    public function &get($key)
    {
        return $this->inner[$key];
    }
}
$holder = new Holder;
foreach ($holder->get('a') as $value) {
    foreach ($holder->get('b') as $other) {
        echo $value, $other, ' ';
    }
}
foreach (kept('text') as $value) {
    echo 'never';
}
--EXPECT--
1 2 0=3 k=4 7 89 
Warning: foreach() argument must be of type array|object, string given in case.php on line 36
