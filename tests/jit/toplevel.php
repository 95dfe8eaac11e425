<?php
// What top-level code only assigns is read by others.
function text(): mixed { global $text; return $text; }
function made(): mixed { global $made; return $made; }
function filled(): mixed { return $GLOBALS['filled']; }

for ($turn = 0; $turn < 60; $turn++) {
    $text = strtoupper('seen');
}
for ($turn = 0; $turn < 60; $turn++) {
    $made = [$turn, 'made'];
}
for ($turn = 0; $turn < 60; $turn++) {
    $filled['key' . $turn % 3] = $turn + 1;
}
var_dump(text(), made(), filled());
