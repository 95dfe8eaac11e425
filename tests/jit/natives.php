<?php
// Native functions in loops: called by their direct entries as long as these take what is sent.
namespace Here;

function lengths(array $values): array {
    $found = [];
    foreach ($values as $key => $value) {
        try {
            $found[$key] = strlen($value);
        } catch (\TypeError $error) {
            $found[$key] = $error->getMessage() . ' in line ' . $error->getLine();
        }
    }
    return $found;
}

function numbers(int $turns): float {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $sum += abs($i - 50) + max($i, 7) + intdiv($i, 3) + floor($i / 2);
    }
    return $sum;
}

function temporaries(int $turns): string {
    $last = '';
    for ($i = 0; $i < $turns; $i++) {
        $last = strtoupper(substr('abcdefghij' . $i, $i % 7, 4)) . trim(" $i ");
    }
    return $last;
}

function undefined(int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        if ($i == $turns - 1) {
            unset($text);
        } else {
            $text = str_repeat('x', $i % 5);
        }
        $sum += strlen($text ?? 'none') + count([$i, $i]);
    }
    return $sum;
}

function referenced(int $turns): string {
    $text = 'a';
    $other = &$text;
    for ($i = 0; $i < $turns; $i++) {
        $other = chr(97 + $i % 26);
        $up = ucfirst($text);
    }
    return $up;
}

class Noisy {
    public function __toString(): string { return 'noisy'; }
    public function __destruct() { echo "gone\n"; }
}

function objects(int $turns): int {
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $value = $i < $turns - 2 ? 'text' : new Noisy;
        $sum += strlen($value);
        $value = null;
    }
    return $sum;
}

function divided(array $by): string {
    $found = '';
    foreach ($by as $number) {
        try {
            $found .= intdiv(100, $number) . ' ';
        } catch (\DivisionByZeroError $error) {
            $found .= $error->getMessage() . ' ';
        }
    }
    return $found;
}

var_dump(array_slice(lengths([...array_fill(0, 300, 'abc'), 12, 'x', [], 'yz', null, 1.5]), 298));
var_dump(numbers(400));
var_dump(temporaries(400));
var_dump(undefined(400));
var_dump(referenced(400));
var_dump(objects(300));
var_dump(divided([...array_fill(0, 3, 7), 0, 3]));
for ($i = 0; $i < 300; $i++) {
    $hash = md5((string) $i);
}
var_dump($hash);
