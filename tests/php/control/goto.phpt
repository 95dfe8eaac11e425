--TEST--
Goto leaves loops and goes back
--FILE--
<?php
$count = 0;
again:
$count++;
while (true) {
    foreach ([1, 2] as $value) {
        if ($count < 3) goto again;
        goto out;
    }
}
out:
echo $count, "\n";
--EXPECT--
3
