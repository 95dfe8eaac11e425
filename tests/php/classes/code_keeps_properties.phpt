--TEST--
Compound assignments to properties that code of a class keeps: what is said, in order
--FILE--
<?php
$stand_in = unserialize('O:7:"Unknown":1:{s:1:"a";i:1;}');
foreach ([fn() => $stand_in->a .= 1, fn() => ++$stand_in->b, fn() => $stand_in->c--] as $change) {
    try {
        $change();
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}

$array = new ArrayObject([]);
$array->p .= "x";
$array->p .= "y";
var_dump($array->p);

$interval = new DateInterval("P1D");
$interval->d += 2;
$interval->y++;
--$interval->m;
var_dump($interval->d, $interval->y, $interval->m);
--EXPECT--
The script tried to modify a property on an incomplete object. Please ensure that the class definition "Unknown" of the object you are trying to operate on was loaded _before_ unserialize() gets called or provide an autoloader to load the class definition
The script tried to modify a property on an incomplete object. Please ensure that the class definition "Unknown" of the object you are trying to operate on was loaded _before_ unserialize() gets called or provide an autoloader to load the class definition
The script tried to modify a property on an incomplete object. Please ensure that the class definition "Unknown" of the object you are trying to operate on was loaded _before_ unserialize() gets called or provide an autoloader to load the class definition

Deprecated: Creation of dynamic property ArrayObject::$p is deprecated in case.php on line 12

Warning: Undefined property: ArrayObject::$p in case.php on line 12
string(2) "xy"
int(3)
int(1)
int(-1)
