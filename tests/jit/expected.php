<?php
// What was always seen is expected: kinds of arrays, types of elements, whether a result is wanted. Then it is
// otherwise.

class Counter
{
    public int|float|string|null $n = 0;
    private array $seen = [];

    public function note($key)
    {
        $this->seen[$key] = ($this->seen[$key] ?? 0) + 1;
        return $this;
    }

    public function seen(): array
    {
        return $this->seen;
    }

    public function step($by)
    {
        $this->n += $by;
        return $this->n;
    }
}

function total(array $values)
{
    $total = 0;
    foreach ($values as $value) {
        $total += $value;
    }
    for ($i = 0; $i < count($values); $i++) {
        $total += $values[$i] ?? 1000;
    }
    return $total;
}

function add_all(array $left, array $right)
{
    for ($i = count($right) - 1; $i >= 0; $i--) {
        $left[$i] += $right[$i];
    }
    return $left;
}

function answer($wanted, Counter $counter)
{
    if ($wanted) {
        return $counter->step(1);
    }
    $counter->step(1);
    return null;
}

$lists = [
    [1, 2, 3],
    [1.5, 2, 3],
    ["a" => 1, "b" => 2, 0 => 5],
    ["1", "2.5", 3],
    [true, null, 3],
    [PHP_INT_MAX, 1, 1],
];
foreach ($lists as $list) {
    $total = 0;
    for ($i = 0; $i < 60; $i++) {
        $total = total($list);
    }
    var_dump($total);
}

$pairs = [
    [[1, 2, 3], [4, 5, 6]],
    [[1, 2.5, 3], [4.5, 5, 6]],
    [[2 => 1, 1 => 2, 0 => 3, "x" => 9], [4, 5, 6]],
    [["1", 2, 3], [PHP_INT_MAX, PHP_INT_MAX, 6]],
];
foreach ($pairs as [$left, $right]) {
    $kept = $left;
    for ($i = 0; $i < 60; $i++) {
        $result = add_all($left, $right);
    }
    var_dump($kept === $left);
    echo json_encode($result), "\n";
}

$counter = new Counter;
for ($i = 0; $i < 200; $i++) {
    answer($i > 100, $counter);
    $last = answer($i % 3 == 0, $counter);
    $counter->note($i % 4 == 0 ? "k" . $i % 3 : $i % 5)->note(1);
}
var_dump($last, $counter->n);
echo json_encode($counter->seen()), "\n";
$counter->n = PHP_INT_MAX - 3;
for ($i = 0; $i < 8; $i++) {
    answer(true, $counter);
}
var_dump($counter->n);
$counter->n = "5";
var_dump(answer(true, $counter));
$counter->n = null;
var_dump(answer(true, $counter));

function references()
{
    $values = [1, 2, 3];
    $sum = 0;
    for ($i = 0; $i < 120; $i++) {
        $values[$i % 3] += 1;
        $sum += $values[($i + 1) % 3];
        if ($i == 90) {
            $alias = &$values[1];
        }
        if ($i == 100) {
            $alias = 0.5;
        }
        if ($i == 110) {
            unset($values[0]);
            $values["0"] = 7;
        }
    }
    return [$values, $sum];
}
var_dump(references());
