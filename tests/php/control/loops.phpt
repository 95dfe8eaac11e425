--TEST--
Loops with break and continue of several levels
--FILE--
<?php
for ($i = 0, $j = 10; $i < $j; $i += 2, $j--) echo "$i-$j ";
echo "\n";
$n = 0;
while (true) { if ($n++ > 5) break; if ($n % 2) continue; echo $n, " "; }
echo "\n";
do { echo $n--, " "; } while ($n > 3);
echo "\n";
foreach ([1, 2, 3] as $a) {
    foreach ([1, 2, 3] as $b) {
        if ($b == 2) continue 2;
        if ($a == 3) break 2;
        echo "$a$b ";
    }
}
echo "\n";
for (;;) { switch ($n) { case 3: $n++; continue 2; default: break 2; } }
echo $n, "\n";
--EXPECT--
0-10 2-9 4-8 6-7 
2 4 6 
7 6 5 4 
11 21 
4
