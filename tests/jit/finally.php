<?php
// What stands in temporaries while a finally block runs is there behind it, and generators are suspended and ended
// with all that they hold.

function sum(int $a, int $b, array &$log): int
{
    try {
        return $a + $b * 2;
    } finally {
        $log[] = $a;
    }
}

function nested(int $n): string
{
    $text = '';
    for ($i = 0; $i < $n; $i++) {
        try {
            try {
                if ($i % 3 === 0) {
                    continue;
                }
                $text .= $i . ',' . strlen($text . $i);
            } finally {
                $text .= '(' . ($i + 1) . ')';
            }
            if ($i === 7) {
                break;
            }
        } finally {
            $text .= ';';
        }
    }
    return $text;
}

function walked(array $lists): array
{
    $seen = [];
    foreach ($lists as $name => $list) {
        foreach ([...$list, $name] as $at => $one) {
            try {
                if ($one === 2) {
                    continue;
                }
                if ($at > 2) {
                    break;
                }
                $seen[] = [$name . ':' . $at => [$one, [$one . '!']]];
                if ($name === 'last') {
                    return [$name . $at, [$seen, strrev($name)]];
                }
            } catch (Error $error) {
                $seen[] = $error->getMessage();
            } finally {
                try {
                    $seen[] = intdiv($at, $at - 1);
                } catch (DivisionByZeroError $zero) {
                    $seen[] = $zero->getMessage();
                } finally {
                    $seen[] = 'f' . $at;
                }
            }
        }
    }
    return $seen;
}

function counted(int $n): Generator
{
    $all = [];
    try {
        for ($i = 0; $i < $n; $i++) {
            $all[] = $i;
            $sent = yield "k$i" => count($all) + $i;
            if ($sent) {
                yield $sent => implode('-', $all);
            }
        }
        return array_sum($all);
    } finally {
        echo 'end of ', $n, ' after ', count($all), "\n";
    }
}

$log = [];
$total = 0;
for ($i = 0; $i < 60; $i++) {
    $total += sum($i, $i + 1, $log);
}
echo $total, ' ', count($log), ' ', array_sum($log), "\n";
for ($i = 0; $i < 12; $i++) {
    echo nested($i), "\n";
}
for ($round = 1; $round < 9; $round++) {
    $generator = counted($round);
    foreach ($generator as $key => $value) {
        if ($value > 9) {
            break;
        }
        echo $key, '=', $value, ' ';
    }
    if (!$generator->valid()) {
        echo 'gave ', $generator->getReturn(), "\n";
    } else {
        echo $generator->send('sent'), "\n";
    }
    unset($generator);
}
for ($i = 0; $i < 20; $i++) {
    echo md5(json_encode(walked(['a' => [1, 2, 3], 'b' => [], 'c' => range(0, $i % 5)]))), ' ';
    echo md5(json_encode(walked(['a' => [4, $i], 'last' => [$i]]))), "\n";
}
