<?php
// Functions that are inlined and whose variables are asked for by name.
function by_extract($value) { $x = 1; extract(['x' => $value]); return $x; }
function by_compact($value) { $x = [$value]; return compact('x'); }
function by_name($value) { $name = 'x'; $$name = $value; return $x; }
function all_of_them($value) { $x = "$value"; return count(get_defined_vars()); }
function around($value) { return by_extract($value) . by_name([$value])[0] . all_of_them($value); }
for ($round = 0; $round < 120; $round++) {
    $value = $round < 60 ? $round : "text $round";
    $results = [by_extract($value), by_compact($value), by_name([$value]), all_of_them($value), around($value)];
    if ($round % 30 == 0) {
        echo json_encode($results), "\n";
    }
}
