<?php
// Bytes of strings: each is an interned string of its own.
function letters(string $text): array
{
    $seen = [];
    for ($i = 0, $length = strlen($text); $i < $length; $i++) {
        $letter = $text[$i];
        $seen[$letter] = ($seen[$letter] ?? 0) + 1;
        if ($letter === "\n" || $text[-1] === $letter) {
            $seen[] = $letter . $letter;
        }
    }
    return $seen;
}

$text = '';
for ($i = 0; $i < 256; $i++) {
    $text .= chr($i) . chr(255 - $i);
}
for ($i = 0; $i < 12; $i++) {
    $text .= $text[$i * 7];
    echo md5(serialize(letters($text))), "\n";
}
try {
    echo $text[100000];
} catch (Error $error) {
    echo get_class($error), "\n";
}
