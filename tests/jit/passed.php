<?php
// Loops of top-level code, one behind the other: what is passed is not compiled again, until a jump leads back.

function text($round) { return "r$round"; }
$sum = 0;
$list = [];
for ($i = 0; $i < 300; $i++) {
    $sum += $i % 7;
}
echo $sum, "\n";
foreach (range(1, 300) as $key => $value) {
    $list[$key % 9] = ($list[$key % 9] ?? 0) + $value;
}
echo implode(',', $list), "\n";
$round = 0;
again:
$text = '';
for ($i = 0; $i < 200; $i++) {
    $text .= $i & 1;
    for ($j = 0; $j < 3; $j++) {
        $sum += $j * $i;
    }
}
echo text($round), strlen($text), ' ', $sum, "\n";
$i = 0;
while ($i < 200) {
    try {
        if ($i % 50 === 49) {
            throw new RuntimeException("at $i");
        }
        $sum -= $i;
    } catch (RuntimeException $exception) {
        echo $exception->getMessage(), ' ', $exception->getLine(), "\n";
    } finally {
        $i++;
    }
}
if (++$round < 4) {
    goto again;
}
do {
    $sum = $sum * 31 % 1000003;
} while (--$i > 0);
echo $sum, "\n";
