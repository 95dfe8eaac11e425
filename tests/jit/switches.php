<?php
// Jump tables in loops: arms that are seen late, defaults, keys of other types, arms that leave.
function numbers(int $turns): string {
    $found = '';
    for ($i = 0; $i < $turns; $i++) {
        switch ($i % 7) {
            case 0: $one = 'zero'; break;
            case 1: $one = 'one'; break;
            case 2: continue 2;
            case 3:
            case 4: $one = 'three'; break;
            case 5: $one = $i > $turns - 10 ? 'late' : 'five'; break;
            default: $one = 'other';
        }
        $found = $one . $found;
        $found = substr($found, 0, 60);
    }
    return $found;
}

function arms(array $values): string {
    $found = '';
    foreach ($values as $value) {
        try {
            $found = match ($value) {
                0, 1 => 'low',
                2 => 'two',
                3 => 'three',
                10 => 'ten',
                -5 => 'below',
                99 => throw new LogicException('thrown'),
            } . $found;
        } catch (UnhandledMatchError $error) {
            $found = $error->getMessage() . ' ' . $found;
        } catch (LogicException $error) {
            $found = $error->getMessage() . ' ' . $found;
        }
        $found = substr($found, 0, 120);
    }
    return $found;
}

function words(array $words): array {
    $counts = ['even' => 0, 'odd' => 0, 'none' => 0];
    foreach ($words as $word) {
        switch ($word) {
            case 'one': case 'three': case 'five': $counts['odd']++; break;
            case 'two': case 'four': case 'six': $counts['even']++; break;
            default: $counts['none']++;
        }
        $counts[match ($word . '') { 'one', 'three', 'five' => 'odd', 'two', 'four' => 'even', default => 'none' }] += 10;
    }
    return $counts;
}

function machine(string $code): array {
    $stack = [];
    for ($at = 0; $at < strlen($code); $at++) {
        switch ($code[$at]) {
            case '0': case '1': case '2': case '3': $stack[] = (int) $code[$at]; break;
            case '+': $stack[] = array_pop($stack) + array_pop($stack); break;
            case '*': $stack[] = array_pop($stack) * array_pop($stack) % 1000; break;
            case 'd': $stack[] = end($stack); break;
            case '.': return $stack;
        }
    }
    return $stack;
}

echo numbers(300), "\n";
echo arms([...array_fill(0, 120, 1), ...array_fill(0, 120, 3), 2, 10, '3', 4, -5, 99, 2.0, null, 0]), "\n";
$words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
$many = [];
for ($i = 0; $i < 400; $i++) {
    $many[] = $words[$i * $i % 7];
}
$many[] = 'sev' . 'en';
$many[] = 3;
$many[] = null;
echo json_encode(words($many)), "\n";
echo json_encode(machine('12' . str_repeat('d+3*2+', 90) . '.+')), "\n";
echo (int) ' 12 apples', (float) '1.5e1x', 'a' . 1 . true . null, "\n";
