<?php
// A number that begins as an integer in each turn of the outer loop, and is a float from the second turn of the inner
// one on.
function points($n) {
    $sum = 0;
    for ($point = 0; $point < $n; $point++) {
        for ($c = $point * 0.001, $z = 0, $k = 0; $t = $z * $z + $c, $z = $t, $k < 9; $k++) {
            if ($z > 5) break;
        }
        $sum += $k;
    }
    return $sum;
}
echo points(3000), "\n";
