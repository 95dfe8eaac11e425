--TEST--
Concatenation and interpolation
--FILE--
<?php
$name = "World"; $list = ["a" => "A", 3 => "three"]; $object = new stdClass; $object->p = "prop"; $object->q = $object;
echo "Hello $name!\n", "$list[a] $list[3] {$list['a']}\n", "$object->p {$object->q->q->p}\n", 'no $name\n', "\n";
echo <<<TEXT
    indented $name
      more {$list['a']}
    \x41\u{1F600}\101
    TEXT . "|\n";
echo <<<'RAW'
raw $name\n
RAW;
echo "\n", 1 . 2, " ", 1.0 . "", " ", -1 . "", "\n";
$function = fn($x) => $x * 2;
echo "{$function(21)}\n";
--EXPECT--
Hello World!
A three A
prop prop
no $name\n
indented World
  more A
A😀A|
raw $name\n
12 1 -1
42
