--TEST--
ArrayObject and ArrayIterator: offsets of every kind, and elements by reference
--FILE--
<?php
class A { public string $foo = 'bar'; public ?int $n = 1; public $u = 5; protected $hid = 1; }
class R { public function __construct(public readonly string $foo = 'bar') {} }
class AR { public $arr = [1, 2]; public readonly int $ro; }
$it = new ArrayIterator([1, 2, 3]); foreach ($it as $k => &$v) { $v *= 2; } unset($v); var_dump($it->getArrayCopy());
$ao = new ArrayObject(['a' => 1]); foreach ($ao as $k => &$v) { $v = 'x'; } unset($v); var_dump($ao->getArrayCopy());
$o = new A; foreach (new ArrayIterator($o) as $k => &$v) { echo $k, "\n"; try { $v = [1]; } catch (TypeError $e) { echo $e->getMessage(), "\n"; } $v = 42; } unset($v); echo json_encode($o), "\n";
try { foreach (new ArrayIterator(new R) as &$v) {} } catch (Error $e) { echo $e->getMessage(), "\n"; }
$a = [1, 2]; $it = new ArrayIterator($a); foreach ($it as &$v) { $v = 9; } unset($v); var_dump($a, $it[0]);
foreach ([[], STDERR, new stdClass, 1.5, 1.0, null, true, "5", "x"] as $key) {
  $ao = new ArrayObject(['5' => 'five', 'x' => 'ex', '' => 'empty', 1 => 'one']);
  foreach (['read', 'write', 'isset', 'empty', 'unset', 'coalesce', 'nested', 'rw', 'ref', 'exists', 'get', 'uset'] as $what) {
    echo $what, ': ';
    try {
      switch ($what) {
        case 'read': var_dump($ao[$key]); break;
        case 'write': $ao[$key] = 1; echo "ok\n"; break;
        case 'isset': var_dump(isset($ao[$key])); break;
        case 'empty': var_dump(empty($ao[$key])); break;
        case 'unset': unset($ao[$key]); echo "ok\n"; break;
        case 'coalesce': var_dump($ao[$key] ?? 'def'); break;
        case 'nested': $ao[$key][] = 1; echo "ok\n"; break;
        case 'rw': $ao[$key] .= 'x'; echo "ok\n"; break;
        case 'ref': $r = &$ao[$key]; echo "ok\n"; unset($r); break;
        case 'exists': var_dump($ao->offsetExists($key)); break;
        case 'get': var_dump($ao->offsetGet($key)); break;
        case 'uset': $ao->offsetUnset($key); echo "ok\n"; break;
      }
    } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
  }
}
$ao = new ArrayObject([]); $r = &$ao[]; var_dump($ao, $r);
class AA implements ArrayAccess { function offsetGet($k): mixed { return 1; } function offsetSet($k, $v): void {} function offsetExists($k): bool { return true; } function offsetUnset($k): void {} }
$aa = new AA; $b = 1; try { $aa['x'] = &$b; } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; }
try { $ao['x'] = &$b; } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; } var_dump($ao);
--EXPECT--
array(3) {
  [0]=>
  int(2)
  [1]=>
  int(4)
  [2]=>
  int(6)
}
array(1) {
  ["a"]=>
  string(1) "x"
}
foo
Cannot assign array to reference held by property A::$foo of type string
n
Cannot assign array to reference held by property A::$n of type ?int
u
{"foo":"42","n":42,"u":42}
Cannot acquire reference to readonly property R::$foo
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(9)
read: TypeError: Cannot access offset of type array on ArrayObject
write: TypeError: Cannot access offset of type array on ArrayObject
isset: TypeError: Cannot access offset of type array in isset or empty
empty: TypeError: Cannot access offset of type array in isset or empty
unset: TypeError: Cannot unset offset of type array on ArrayObject
coalesce: TypeError: Cannot access offset of type array in isset or empty
nested: TypeError: Cannot access offset of type array on ArrayObject
rw: TypeError: Cannot access offset of type array on ArrayObject
ref: TypeError: Cannot access offset of type array on ArrayObject
exists: TypeError: Cannot access offset of type array in isset or empty
get: TypeError: Cannot access offset of type array on ArrayObject
uset: TypeError: Cannot unset offset of type array on ArrayObject
read: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 16

Warning: Undefined array key 3 in case.php on line 16
NULL
write: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 17
ok
isset: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 18
bool(true)
empty: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 19
bool(false)
unset: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 20
ok
coalesce: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 21
string(3) "def"
nested: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 22
ok
rw: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 23

Warning: Array to string conversion in case.php on line 23

Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 23
ok
ref: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 24
ok
exists: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 25
bool(true)
get: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 26
string(6) "Arrayx"
uset: 
Warning: Resource ID#3 used as offset, casting to integer (3) in case.php on line 27
ok
read: TypeError: Cannot access offset of type stdClass on ArrayObject
write: TypeError: Cannot access offset of type stdClass on ArrayObject
isset: TypeError: Cannot access offset of type stdClass in isset or empty
empty: TypeError: Cannot access offset of type stdClass in isset or empty
unset: TypeError: Cannot unset offset of type stdClass on ArrayObject
coalesce: TypeError: Cannot access offset of type stdClass in isset or empty
nested: TypeError: Cannot access offset of type stdClass on ArrayObject
rw: TypeError: Cannot access offset of type stdClass on ArrayObject
ref: TypeError: Cannot access offset of type stdClass on ArrayObject
exists: TypeError: Cannot access offset of type stdClass in isset or empty
get: TypeError: Cannot access offset of type stdClass on ArrayObject
uset: TypeError: Cannot unset offset of type stdClass on ArrayObject
read: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 16
string(3) "one"
write: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 17
ok
isset: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 18
bool(true)
empty: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 19
bool(false)
unset: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 20
ok
coalesce: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 21
string(3) "def"
nested: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 22
ok
rw: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 23

Warning: Array to string conversion in case.php on line 23

Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 23
ok
ref: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 24
ok
exists: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 25
bool(true)
get: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 26
string(6) "Arrayx"
uset: 
Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 27
ok
read: string(3) "one"
write: ok
isset: bool(true)
empty: bool(false)
unset: ok
coalesce: string(3) "def"
nested: ok
rw: 
Warning: Array to string conversion in case.php on line 23
ok
ref: ok
exists: bool(true)
get: string(6) "Arrayx"
uset: ok
read: string(5) "empty"
write: ok
isset: bool(true)
empty: bool(false)
unset: ok
coalesce: string(3) "def"
nested: ok
rw: 
Warning: Array to string conversion in case.php on line 23
ok
ref: ok
exists: bool(true)
get: array(1) {
  [0]=>
  int(1)
}
uset: ok
read: string(3) "one"
write: ok
isset: bool(true)
empty: bool(false)
unset: ok
coalesce: string(3) "def"
nested: ok
rw: 
Warning: Array to string conversion in case.php on line 23
ok
ref: ok
exists: bool(true)
get: string(6) "Arrayx"
uset: ok
read: string(4) "five"
write: ok
isset: bool(true)
empty: bool(false)
unset: ok
coalesce: string(3) "def"
nested: ok
rw: 
Warning: Array to string conversion in case.php on line 23
ok
ref: ok
exists: bool(true)
get: string(6) "Arrayx"
uset: ok
read: string(2) "ex"
write: ok
isset: bool(true)
empty: bool(false)
unset: ok
coalesce: string(3) "def"
nested: ok
rw: 
Warning: Array to string conversion in case.php on line 23
ok
ref: ok
exists: bool(true)
get: string(6) "Arrayx"
uset: ok

Notice: Indirect modification of overloaded element of ArrayObject has no effect in case.php on line 32
object(ArrayObject)#2 (1) {
  ["storage":"ArrayObject":private]=>
  array(0) {
  }
}
NULL

Notice: Indirect modification of overloaded element of AA has no effect in case.php on line 34
ErrorCannot assign by reference to an array dimension of an object
object(ArrayObject)#2 (1) {
  ["storage":"ArrayObject":private]=>
  array(1) {
    ["x"]=>
    &int(1)
  }
}
