--TEST--
Switch falls through and compares loosely
--FILE--
<?php
function kind($value) {
    switch ($value) {
        case 1: $result = "one"; break;
        case "a": case "b": $result = "letter"; break;
        case null: $result = "null"; break;
        case 2.5: return "float";
        default: $result = "default";
        case 99: $result .= "+";
    }
    return $result;
}
foreach ([1, "1", "a", "b", null, 0, "", 2.5, 99, 7, [], "c"] as $value) echo kind($value), " ";
echo "\n";
function dense($n) { switch ($n) { case 0: return "zero"; case 1: return "one"; case 2: return "two"; case 3: return "three"; case 4: return "four"; case 5: return "five"; } return "many"; }
echo dense(0), dense(5), dense("3"), dense(6), dense(2.0), "\n";
function words($w) { switch ($w) { case "red": return 1; case "green": return 2; case "blue": return 3; case "grey": return 4; } return 0; }
echo words("red"), words("grey"), words("Red"), words("bluer"), "\n";
--EXPECT--
one one letter letter null null null float 
Warning: Undefined variable $result in case.php on line 9
+ default+ null default+ 
zerofivethreemanytwo
1400
