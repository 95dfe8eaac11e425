<?php
// Many functions are compiled; what compiling needs is not held against the script for good.
ini_set("memory_limit", "6M");
for ($i = 0; $i < 400; $i++) {
    eval("function f$i(\$n) { \$s = 0; for (\$i = 0; \$i < \$n; \$i++) { if (\$i % 3 == 1) { \$s += \$i * 2; } else { \$s ^= \$i; } } return \$s; }");
}
$t = 0;
for ($i = 0; $i < 400; $i++) {
    $f = "f$i";
    for ($j = 0; $j < 3; $j++) $t += $f(3000);
}
echo $t, "\n";
