<?php
// The n queens problem, three times: with bits, with a generator, and drawn.
// Usage: opline examples/queens.php [n]

function count_solutions(int $n, int $columns = 0, int $left = 0, int $right = 0): int
{
    $all = (1 << $n) - 1;
    if ($columns === $all) {
        return 1;
    }
    $count = 0;
    $free = $all & ~($columns | $left | $right);
    while ($free) {
        $bit = $free & -$free;
        $free ^= $bit;
        $count += count_solutions($n, $columns | $bit, ($left | $bit) << 1, ($right | $bit) >> 1);
    }
    return $count;
}

function solutions(int $n, array $queens = []): Generator
{
    if (count($queens) === $n) {
        yield $queens;
        return;
    }
    for ($column = 0; $column < $n; $column++) {
        foreach ($queens as $row => $other) {
            if ($other === $column || abs($other - $column) === count($queens) - $row) {
                continue 2;
            }
        }
        yield from solutions($n, [...$queens, $column]);
    }
}

$n = (int) ($argv[1] ?? 8);
echo "$n queens: ", count_solutions($n), " solutions\n";
foreach (solutions($n) as $queens) {
    foreach ($queens as $column) {
        echo str_repeat('. ', $column), 'Q ', rtrim(str_repeat('. ', $n - $column - 1)), "\n";
    }
    break;
}
$total = 0;
foreach (solutions(6) as $queens) {
    echo implode(' ', $queens), "\n";
    $total++;
}
echo "$total solutions for 6 queens\n";
