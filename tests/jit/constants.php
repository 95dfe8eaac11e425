<?php
// Variables whose value is known, and what is found out from them before the code runs.
function pure(int $turns): array {
    $text = 'Hello World';
    $list = [3, 1, 2];
    for ($i = 0; $i < $turns; $i++) {
        $a = strtolower($text);
        $b = explode(' ', $text);
        $c = array_reverse($list);
        $d = implode(',', $list);
        $e = range(1, 3);
        $e[] = $i;
        $c[1] = $i;
        sort($b);
        $a[0] = 'J';
    }
    return [$a, $b, $c, $d, $e];
}

function replaced(int $turns): string {
    $word = 'first';
    $seen = '';
    for ($i = 0; $i < $turns; $i++) {
        if ($i == $turns - 3) {
            $word = 'second';
        }
        if ($i >= $turns - 4) {
            $seen .= $word . strlen($word) . ' ';
        }
    }
    return $seen;
}

function by_reference(int $turns): string {
    $word = 'kept';
    $change = function () use (&$word) { $word .= '!'; };
    for ($i = 0; $i < $turns; $i++) {
        if ($i % 100 == 99) {
            $change();
        }
        $found = strtoupper($word);
    }
    return $found;
}

function by_name(int $turns): string {
    $word = 'named';
    for ($i = 0; $i < $turns; $i++) {
        if ($i == 290) {
            extract(['word' => 'extracted']);
        }
        $found = strrev($word);
    }
    return $found;
}

function nested(int $turns): int {
    $keys = ['a' => 1, 'b' => 2];
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $other = 'b';
        for ($j = 0; $j < 5; $j++) {
            $sum += $keys[$other] + $keys['a'] + count($keys) + $j;
        }
        $sum += strlen($other);
    }
    return $sum;
}

function floats(int $turns): string {
    $list = [0.1, 2.5];
    for ($i = 0; $i < $turns; $i++) {
        $text = implode(' ', $list) . ' ' . round(2.567, 2);
        if ($i == $turns - 2) {
            ini_set('precision', '3');
        }
    }
    ini_set('precision', '14');
    return $text . 1 / 3;
}

function chosen(int $turns): string {
    $kind = 'beta';
    $found = '';
    for ($i = 0; $i < $turns; $i++) {
        $found = match ($kind) { 'alpha' => 'A', 'beta' => 'B', default => 'none' };
        switch ($kind) {
            case 'alpha': $found .= 'x'; break;
            case 'beta': $found .= 'y'; break;
        }
    }
    return $found;
}

function outer(string $word): int {
    return strlen($word) + strpos($word, 'e');
}

echo json_encode(pure(300)), "\n";
echo replaced(300), "\n";
echo by_reference(300), "\n";
echo by_name(300), "\n";
echo nested(300), "\n";
echo floats(300), "\n";
echo chosen(300), "\n";
for ($i = 0, $sum = 0; $i < 400; $i++) {
    $sum += outer('letter') + outer('sent');
}
echo $sum, "\n";
