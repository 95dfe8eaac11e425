<?php
// Loops are entered at what they test at their end: not at all, once, often, from loops around them and from themselves.
function counted($outer, $inner) {
    $sum = 0;
    for ($i = 0; $i < $outer; $i++) {
        for ($k = 0; $k < $inner; $k++) {
            $sum += $k ^ $i;
        }
        for ($k = $inner; $k > $i; $k--) {
            $sum -= $k;
        }
    }
    return $sum;
}

function tested($n) {
    $list = [];
    while (count($list) < $n && ($list[] = count($list)) < 1000) {
        if (count($list) % 7 == 3) {
            continue;
        }
        $list[] = 'x';
    }
    return count($list);
}

function calls_in_the_test(array $words) {
    $out = '';
    foreach ($words as $word) {
        $at = 0;
        while (is_small($word, $at) && !is_end($word, $at)) {
            $out .= $word[$at++];
        }
        $out .= '|';
    }
    return $out;
}
function is_small($word, $at) { return strlen($word) < 9; }
function is_end($word, $at) { return $at >= strlen($word); }

function typed_later($turns) {
    $value = null;
    $log = '';
    for ($i = 0; $value !== 'done' && $i < $turns; $i++) {
        $value = $i < 5 ? $i : ($i < 8 ? $i / 2 : ($i < 60 ? [$i] : ($i == 90 ? 'done' : $value)));
        $log .= gettype($value)[0];
    }
    return $log;
}

function overflowing($from) {
    $seen = [];
    for ($i = $from; $i < PHP_INT_MAX || is_float($i); $i++) {
        $seen[] = gettype($i);
        if (count($seen) > 4) {
            break;
        }
    }
    return implode(',', $seen);
}

function arrays($n) {
    for ($i = 0; $i < $n; $i++) {
        $x[$i] = $i + 1;
        $y[$i] = 0;
    }
    for ($k = 0; $k < 30; $k++) {
        for ($i = $n - 1; $i >= 0; $i--) {
            $y[$i] += $x[$i];
            if ($k == 20 && $i == 3) {
                $x = [1.5, 2, 3, 4] + $x;
                $copy = $y;
            }
        }
    }
    return $y[0] . ' ' . $y[$n - 1] . ' ' . array_sum($y) . ' ' . array_sum($copy ?? []);
}

function generated($n) {
    for ($i = 0; $i < $n; $i++) {
        for ($k = $i; $k < 3; $k++) {
            yield $i => $k;
        }
    }
}

function left($n) {
    $i = 0;
    try {
        for (; check($i, $n); $i++) {
            while ($i % 10 < 5) {
                $i++;
            }
        }
    } catch (Exception $e) {
        return $e->getMessage() . $i;
    }
    return "end $i";
}
function check($i, $n) {
    if ($i > 5000) {
        throw new Exception('far ');
    }
    return $i < $n;
}

foreach ([0, 1, 2, 40, 900] as $n) {
    echo counted($n, 20), ' ', counted(3, $n), ' ', tested($n), ' ', typed_later($n), ' ', left($n * 9), "\n";
}
echo calls_in_the_test(['ab', '', 'abcdefghijk', 'xyz']), "\n";
echo strlen(calls_in_the_test(array_fill(0, 500, 'abcdef'))), "\n";
echo overflowing(PHP_INT_MAX - 2), ' ', overflowing(PHP_INT_MAX), ' ', overflowing(1), "\n";
echo arrays(4), ' / ', arrays(500), "\n";
$sum = 0;
for ($turn = 0; $turn < 200; $turn++) {
    foreach (generated(5) as $i => $k) {
        $sum += $i * $k + $turn;
    }
}
echo $sum, "\n";
