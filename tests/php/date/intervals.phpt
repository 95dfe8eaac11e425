--TEST--
Spans of time: reading, adding, what lies between
--FILE--
<?php
foreach (["P1Y", "PT36H", "P1W2D", "P0001-02-03T04:05:06", "P1.5D", "P", "P1D1Y", "P1Y2M3W4DT5H6M7S"] as $text) {
    try {
        $i = new DateInterval($text);
        echo $text, " ", json_encode($i), "\n";
    } catch (Exception $e) {
        echo get_class($e), " ", $e->getMessage(), "\n";
    }
}
foreach ([["2000-01-31", "2000-03-01"], ["2001-01-31", "2001-03-01"], ["2000-12-31 12:00", "2001-03-01 11:00"],
    ["2000-02-29", "2001-02-28"], ["2020-01-01 +02:00", "2020-03-01 -05:00"], ["2020-01-01 00:00:00.5", "2020-01-01 00:00:01.25"],
    ["2010-11-06 18:38:28 America/New_York", "2010-11-07 18:38:27 America/New_York"],
    ["2010-11-07 00:10:20 America/New_York", "2010-11-07 05:19:56 America/New_York"],
    ["2010-03-13 18:00 America/New_York", "2010-03-14 19:00 America/New_York"]] as [$a, $b]) {
    $a = new DateTimeImmutable($a);
    $b = new DateTimeImmutable($b);
    foreach ([$a->diff($b), $b->diff($a)] as $d) echo $d->format("%R %y-%m-%d %h:%i:%s.%F %a; ");
    echo $a->add($a->diff($b)) == $b ? "same" : "other", "\n";
}
$s = new DateTime("2020-01-31");
foreach ([new DatePeriod($s, new DateInterval("P1M"), 2), new DatePeriod($s, new DateInterval("P1D"), new DateTime("2020-02-02"), 3),
    DatePeriod::createFromISO8601String("R2/2020-01-01T00:00:00Z/P1D")] as $p) {
    foreach ($p as $k => $v) echo $k, "=>", $v->format("m-d "), get_class($v), " ";
    echo $p->recurrences, var_export($p->getRecurrences(), true), "\n";
}
try { $s->sub(DateInterval::createFromDateString("2 weekdays")); } catch (Exception $e) { echo get_class($e), $e->getMessage(), "\n"; }
var_dump($s < new DateTimeImmutable(), $s == new DateTime("2020-01-31 01:00 +01:00"), unserialize(serialize($s)) == $s);
class Lazy extends DateTime { function __construct() {} }
try { (new Lazy)->format("Y"); } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
P1Y {"y":1,"m":0,"d":0,"h":0,"i":0,"s":0,"f":0,"invert":0,"days":false,"from_string":false}
PT36H {"y":0,"m":0,"d":0,"h":36,"i":0,"s":0,"f":0,"invert":0,"days":false,"from_string":false}
P1W2D {"y":0,"m":0,"d":9,"h":0,"i":0,"s":0,"f":0,"invert":0,"days":false,"from_string":false}
P0001-02-03T04:05:06 {"y":1,"m":2,"d":3,"h":4,"i":5,"s":6,"f":0,"invert":0,"days":false,"from_string":false}
DateMalformedIntervalStringException Unknown or bad format (P1.5D)
DateMalformedIntervalStringException Unknown or bad format (P)
DateMalformedIntervalStringException Unknown or bad format (P1D1Y)
P1Y2M3W4DT5H6M7S {"y":1,"m":2,"d":25,"h":5,"i":6,"s":7,"f":0,"invert":0,"days":false,"from_string":false}
+ 0-0-30 0:0:0.000000 30; - 0-1-1 0:0:0.000000 30; same
+ 0-0-29 0:0:0.000000 29; - 0-1-1 0:0:0.000000 29; same
+ 0-1-28 23:0:0.000000 59; - 0-2-0 23:0:0.000000 59; same
+ 0-11-30 0:0:0.000000 365; - 0-11-28 0:0:0.000000 365; same
+ 0-2-0 7:0:0.000000 60; - 0-2-0 7:0:0.000000 60; same
+ 0-0-0 0:0:0.750000 0; - 0-0-0 0:0:0.750000 0; same
+ 0-0-0 24:59:59.000000 0; - 0-0-0 24:59:59.000000 0; other
+ 0-0-0 6:9:36.000000 0; - 0-0-0 6:9:36.000000 0; other
+ 0-0-1 1:0:0.000000 1; - 0-0-1 1:0:0.000000 1; same
0=>01-31 DateTime 1=>03-02 DateTime 2=>04-02 DateTime 32
0=>02-01 DateTime 1=>02-02 DateTime 1NULL
0=>01-01 DateTimeImmutable 1=>01-02 DateTimeImmutable 2=>01-03 DateTimeImmutable 32
DateInvalidOperationExceptionDateTime::sub(): Only non-special relative time specifications are supported for subtraction
bool(true)
bool(true)
bool(true)
Object of type Lazy (inheriting DateTime) has not been correctly initialized by calling parent::__construct() in its constructor
