<?php
// What is no surprise does not leave compiled code: variables that are references, texts that are compared,
// values that are given up, native functions that are found by name, the frames of earlier calls.
namespace Stays;

function count_letters(string $text, int &$at): int
{
    $found = 0;
    for (; \strlen($text) > $at; ++$at) {
        $letter = $text[$at];
        if ($letter === "a" || $letter == " ") {
            $found++;
        }
    }
    return $found;
}

function tally(): int
{
    static $calls = 0;
    global $sum;
    $calls++;
    $sum += $calls;
    return $calls;
}

class Order
{
    public function of(string $a, string $b): int
    {
        $difference = strlen($a) <=> strlen($b);
        if ($difference !== 0) {
            return $difference;
        }
        return strcmp($a, $b) <=> 0;
    }
}

function last_text(int $turns): string
{
    $text = "";
    for ($turn = 0; $turn < $turns; $turn++) {
        $text = "turn $turn";
        $upper = strtoupper($text);
        if ($upper == "TURN 7" || "1$turn" == "0$turn") {
            $text = $upper;
        }
    }
    return $text;
}

$sum = 0;
$order = new Order();
$names = ["ann", "bob", "bo", "cy"];
$ordered = 0;
for ($turn = 0; $turn < 200; $turn++) {
    $at = $turn % 3;
    $letters = count_letters("a cat and 1 bat", $at);
    $calls = tally();
    foreach ($names as $name) {
        $ordered += $order->of($name, $names[$turn % 4]);
    }
}
echo "$letters $at $calls $sum $ordered ", last_text(300), "\n";
