<?php
// Integer and float arithmetic in nested loops: the Mandelbrot set, and primes by a sieve.
$inside = 0;
for ($y = -60; $y < 60; $y++) {
    for ($x = -80; $x < 40; $x++) {
        $a = $b = 0.0;
        for ($n = 0; $n < 200 && $a * $a + $b * $b < 4; $n++) {
            [$a, $b] = [$a * $a - $b * $b + $x / 40, 2 * $a * $b + $y / 40];
        }
        $inside += $n === 200 ? 1 : 0;
    }
}
$sieve = array_fill(2, 400000, true);
for ($i = 2; $i * $i < 400002; $i++) {
    if ($sieve[$i]) {
        for ($j = $i * $i; $j < 400002; $j += $i) {
            $sieve[$j] = false;
        }
    }
}
echo $inside, ' ', count(array_filter($sieve)), "\n";
