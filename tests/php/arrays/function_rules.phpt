--TEST--
Array functions: full arrays, enums, lengths, properties that are walked
--FILE--
<?php
foreach ([[['' => [PHP_INT_MAX => null]], ['' => [null]]], [['foo' => [PHP_INT_MAX => null]], ['foo' => 'a']]] as $arrays) { try { array_merge_recursive(...$arrays); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
enum Suit { case Hearts; case Spades; case Clubs; }
enum Level: int { case Low = 1; }
$hearts = Suit::Hearts;
echo count(array_unique([Suit::Spades, Suit::Hearts, &$hearts, Suit::Clubs, Suit::Spades, Level::Low, Level::Low, 1, 1], SORT_REGULAR)), "\n";
echo implode(',', array_keys(array_unique([3, Suit::Spades, 'x', Suit::Spades, 3], SORT_REGULAR))), "\n";
function names(...$arguments) { echo json_encode($arguments), "\n"; }
$list = [1, 2, 3, 4];
foreach ([2, 2.0, "1", null, -1, true] as $length) call_user_func_array('names', array_slice($list, 1, $length));
foreach ([[], "x", new stdClass] as $length) { try { call_user_func_array('names', array_slice($list, 1, $length)); } catch (TypeError $e) { echo $e->getMessage(), "\n"; } }
class Walked { public $plain = 1; public string $text = 'a'; protected $hidden = 2; private $own = 3; public $missing; public function __construct() { unset($this->missing); } }
$walked = new Walked; $walked->dynamic = 4;
array_walk($walked, function (&$value, $key, $extra) { echo str_replace("\0", '~', $key), '=', $value, $extra, "\n"; $value = 7; }, '!');
var_dump($walked);
try { array_walk($walked, function (&$value) { $value = []; }); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
class Hooked { public $both = 5 { set { $this->both = $value * 2; } } public int $virtual { get => 9; } }
$hooked = new Hooked; array_walk($hooked, function (&$value, $key) { echo "$key=$value\n"; $value = 6; }); var_dump($hooked->both);
$map = new WeakMap; $map[$walked] = 1; foreach ($map as $key => &$value) { $value = 'changed'; } unset($value); var_dump($map[$walked]);
class Offsets implements ArrayAccess { function offsetGet($k): mixed { return 1; } function offsetSet($k, $v): void {} function offsetExists($k): bool { return true; } function offsetUnset($k): void {} }
$offsets = new Offsets; $b = 1; try { $offsets['x'] = &$b; } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
Cannot add element to the array as the next element is already occupied
Cannot add element to the array as the next element is already occupied
5
0,1,2
[2,3]
[2,3]
[2]
[2,3,4]
[2,3]
[2]
array_slice(): Argument #3 ($length) must be of type ?int, array given
array_slice(): Argument #3 ($length) must be of type ?int, string given
array_slice(): Argument #3 ($length) must be of type ?int, stdClass given

Deprecated: Creation of dynamic property Walked::$dynamic is deprecated in case.php on line 13
plain=1!
text=a!
~*~hidden=2!
~Walked~own=3!
dynamic=4!
object(Walked)#2 (5) {
  ["plain"]=>
  int(7)
  ["text"]=>
  string(1) "7"
  ["hidden":protected]=>
  int(7)
  ["own":"Walked":private]=>
  int(7)
  ["dynamic"]=>
  int(7)
}
Cannot assign array to reference held by property Walked::$text of type string
both=5
int(6)
string(7) "changed"

Notice: Indirect modification of overloaded element of Offsets has no effect in case.php on line 21
Cannot assign by reference to an array dimension of an object
