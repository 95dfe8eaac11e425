<?php
// Arguments by name: a call has more of them than were counted where it was prepared.
class Adder
{
    public int $sum = 2;
    public function add(int $n = 1) { return $this->sum += $n; }
    public function both(int $m = 0, int $n = 1) { return $this->sum += 100 * $m + $n; }
    public function collect(...$more) { return count($more); }
}
function listed($value) { return [$value, 4]; }
function inner(int $n = 1, $m = 5) { return $n * 10 + $m; }
function nested(Adder $adder)
{
    for ($i = 0; $i < 30; $i++) {
        $list = listed($adder->add(n: $i));
    }
    return $adder->sum;
}
function chosen(Adder $adder)
{
    for ($i = 0; $i < 30; $i++) {
        $list = listed($adder->both(n: $i, m: $i & 1));
        $list = listed($adder->both(n: $i));
        $list = listed($adder->both($i, n: 3));
    }
    return $adder->sum;
}
function counted(Adder $adder)
{
    $sum = 0;
    for ($i = 0; $i < 30; $i++) {
        $list = listed(listed($adder->collect($i, one: 2, two: $i)));
        $sum += inner(m: $i) + inner(n: inner(n: $i)) + $adder->collect(a: 1, b: $i);
        $list = listed(inner(m: inner($i, m: 2)));
        $sum += $list[0];
    }
    return $sum;
}
for ($k = 0; $k < 6; $k++) {
    echo nested(new Adder), ' ', chosen(new Adder), ' ', counted(new Adder), "\n";
}
