<?php
// Ways that conditions rule out: what is known of a number there is nothing at all.
function remainder(int $a, int $b): int
{
    $sum = 0;
    for ($i = 0; $i < 50; $i++) {
        if ($b > 5) {
            if ($b < 1) {
                $sum += $a % $b;
            }
            if ($b < 3) {
                $sum += intdiv($a, $b) + ($a >> $b);
            }
            $sum += $a % $b;
        }
        if ($b >= 1 && $b <= 0) {
            $sum -= $a % $b;
        }
    }
    return $sum;
}

echo remainder(17, 9), ' ', remainder(17, 2), ' ', remainder(-17, 6), "\n";
for ($i = 0; $i < 40; $i++) {
    $sums[] = remainder($i * 7 - 100, $i % 12);
}
echo implode(' ', $sums), "\n";
