<?php
// Strings and arrays with string keys.
$counts = [];
$text = '';
for ($i = 0; $i < 600000; $i++) {
    $key = 'k' . ($i * 7919 % 10007);
    $counts[$key] = ($counts[$key] ?? 0) + strlen($key);
    $text .= $key[1];
}
ksort($counts);
echo count($counts), ' ', array_sum($counts), ' ', strlen(str_replace('1', 'one', $text)), "\n";
