--TEST--
Match compares strictly and must find an arm
--FILE--
<?php
function name($value) {
    return match (true) { $value < 0 => "negative", $value === 0 => "zero", default => "positive" };
}
echo name(-1), name(0), name(5), "\n";
echo match ("1") { 1 => "int", "1", "2" => "string" }, "\n";
foreach ([5, "text", 1.5, null, [1]] as $value) {
    try {
        echo match ($value) { 1 => "x" };
    } catch (\UnhandledMatchError $error) {
        echo $error->getMessage(), "\n";
    }
}
try { echo match (new stdClass) { 1 => 2 }; } catch (\UnhandledMatchError $error) { echo $error->getMessage(), "\n"; }
--EXPECT--
negativezeropositive
string
Unhandled match case 5
Unhandled match case 'text'
Unhandled match case 1.5
Unhandled match case NULL
Unhandled match case of type array
Unhandled match case of type stdClass
