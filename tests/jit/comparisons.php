<?php
// `==`, `!=`, `switch`, `match`, truth values and `<=>` of operands of all kinds, from variables, references and
// temporaries; what a destructor says shows when temporaries are given up.
enum Level: int { case Low = 1; case High = 2; }
final class Plain { public int $x = 1; }
final class Loud { public function __construct(private int $n) {} public function __destruct() { echo "gone {$this->n}\n"; } }

function values(): array {
    return [null, false, true, 0, 1, -1, 1.0, 0.0, 1.5, NAN, '', '0', '1', '1.0', 'a', '1e0', ' 1', [], [1], ['a' => 1],
        Level::Low, Level::High, new Plain, new ArrayObject, simplexml_load_string('<a/>'), simplexml_load_string('<a>1</a>')];
}

function equal(mixed $a, mixed $b): string {
    return ($a == $b ? 'e' : '-') . ($a != $b ? 'n' : '-');
}
function by_reference(mixed &$a, mixed &$b): string {
    return ($a == $b ? 'e' : '-') . ($a != $b ? 'n' : '-');
}
function same(mixed $value): mixed { return $value; }
function of_temporaries(mixed $a, mixed $b): string {
    return (same($a) == same($b) ? 'e' : '-') . (same($a) != $b ? 'n' : '-');
}
function switched(mixed $a, mixed $b): string {
    switch (same($a)) {
        case $b: return 's';
        case true: return 't';
        default: return '-';
    }
}
function matched(mixed $a, mixed $b): string {
    return match (same($a)) { $b => 'm', true => 't', null => 'u', 1.0 => 'd', default => '-' };
}
function truth(mixed $a): string {
    $text = $a ? 'y' : 'n';
    $text .= !$a ? 'n' : 'y';
    $text .= (bool) $a ? 'y' : 'n';
    $text .= $a && same($a) ? 'y' : 'n';
    $text .= $a || !same($a) ? 'y' : 'n';
    $both = $a && true;
    $either = $a || false;
    return $text . ($both ? 'y' : 'n') . ($either ? 'y' : 'n') . (same($a) ? 'y' : 'n') . (!same($a) ? 'n' : 'y');
}
function truth_by_reference(mixed &$a): string {
    $both = $a && true;
    $either = $a || false;
    return ($a ? 'y' : 'n') . (!$a ? 'n' : 'y') . ($both ? 'y' : 'n') . ($either ? 'y' : 'n');
}
function ordered(string $a, string $b): int { return $a <=> $b; }

for ($turn = 0; $turn < 4; $turn++) {
    $values = values();
    $texts = [];
    foreach ($values as $i => $a) {
        $text = truth($a) . truth_by_reference($a) . ' ';
        foreach (values() as $j => $b) {
            // Comparing these converts with a warning.
            if (is_object($a) && (is_int($b) || is_float($b)) || is_object($b) && (is_int($a) || is_float($a))) {
                continue;
            }
            $text .= equal($a, $b) . by_reference($a, $b) . of_temporaries($a, $b) . switched($a, $b) . matched($a, $b);
            $text .= equal($a, $values[$j]) . matched($a, $values[$j]);
        }
        $texts[] = $text;
    }
    echo md5(implode("\n", $texts)), "\n";
}
foreach (['a' => 'b', 'b' => 'a', '10' => '9', '1e1' => '10', '' => '0', "a\0" => 'a', 'abc' => 'abd'] as $a => $b) {
    echo ordered((string) $a, $b), ordered($b, (string) $a), ordered($b, $b), ' ';
}
echo "\n";

function given_up(int $turns): int {
    $count = 0;
    for ($i = 0; $i < $turns; $i++) {
        if (new Loud($i)) { $count++; }
        if (!new Loud($i + 10)) { $count += 100; }
        $count += (int) (new Loud($i + 20) == new Loud($i + 20));
        $count += (int) (new Loud($i + 30) == null);
        switch (new Loud($i + 40)) { case new Loud($i + 50): $count += 1000; }
        while ([new Loud($i + 60)]) { break; }
    }
    return $count;
}
echo given_up(6), "\n";

// What a loop tests is given up behind it.
function lists(array $work): int {
    $sum = 0;
    while ($work) { $sum += array_pop($work); }
    do { $work[] = $sum; } while (count($work) < 3);
    return $sum + ($work ? 1 : 0) + (!$work ? 10 : 0);
}
for ($i = 0; $i < 5; $i++) { echo lists(range(1, $i)), ' '; }
echo "\n";
