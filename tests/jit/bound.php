<?php
// A global variable becomes a reference when it is bound: what was known of its type is not known any more.
function bind($first)
{
    unset($GLOBALS['shared']);
    $GLOBALS['shared'] = 1;
    if ($first) {
        global $shared;
    } else {
        $shared = null;
    }
    var_dump($shared, $GLOBALS['shared']);
    $copy = $shared;
    echo "--\n";
    var_dump($copy);
}

$shared = 'at first';
for ($i = 0; $i < 12; $i++) {
    bind($i % 3 != 1);
}
