--TEST--
ReflectionClass and the members of a class
--FILE--
<?php
namespace Shop;
interface Priced { const CURRENCY = 'EUR'; function price(int $count = 1): float; }
trait Logs { private $lines = []; function log(string ...$lines): static { return $this; } }
/** An item. */
abstract class Item implements Priced { use Logs; protected static $made = 0; final public const int LIMIT = 5; public private(set) string $label = 'x'; readonly array $parts; abstract function kind(); private function secret($a, &$b) { return "secret $a"; } static function make() { return new static; } public int $size { get => 1; set(int|string $size) { } } }
class Book extends Item { function __construct(public ?string $title = null, int|float $price = Item::LIMIT * 2, $currency = self::CURRENCY, $mode = \PHP_INT_SIZE) {} function kind() {} function price(int $count = 1): float { return 1.5; } }
$item = new \ReflectionClass(Item::class); $book = new \ReflectionClass(Book::class);
var_dump($item->getName(), $item->getShortName(), $item->getNamespaceName(), $item->isAbstract(), $item->isInstantiable(), $book->isInstantiable(), $item->getDocComment(), $book->isSubclassOf(Item::class), $book->implementsInterface(Priced::class), $book->getParentClass()->name, $item->getTraitNames(), $item->getInterfaceNames());
foreach ($book->getMethods() as $method) echo implode(' ', \Reflection::getModifierNames($method->getModifiers())), " ", $method->class, "::", $method->name, "\n";
foreach ($book->getProperties() as $property) echo implode(' ', \Reflection::getModifierNames($property->getModifiers())), " ", $property->getType(), " ", $property->class, "::", $property->name, "\n";
foreach ($book->getConstructor()->getParameters() as $parameter) echo $parameter->getPosition(), " ", $parameter->getName(), " ", $parameter->getType() ?? 'none', " ", $parameter->isDefaultValueConstant() ? $parameter->getDefaultValueConstantName() : var_export($parameter->getDefaultValue(), true), " ", $parameter->isPromoted() ? 'promoted' : '', "\n";
var_dump($book->getConstants(), $book->hasMethod('SECRET'), $book->hasProperty('lines'), $item->getStaticPropertyValue('made'));
$object = $book->newInstance(title: 'T'); $secret = new \ReflectionMethod(Item::class, 'secret'); $other = 2; var_dump($secret->invokeArgs($object, [1, &$other]), $object->title);
$label = $item->getProperty('label'); $label->setValue($object, 'new'); var_dump($label->getValue($object), $label->isPrivateSet(), $item->getProperty('size')->getSettableType()->getTypes()[0]->getName(), $item->getProperty('parts')->isInitialized($object));
foreach ([fn() => new \ReflectionClass('Nope'), fn() => $item->newInstance(), fn() => $item->getMethod('nope'), fn() => $item->getProperty('nope'), fn() => new \ReflectionMethod('Shop\\Item::nope'), fn() => $secret->invoke(null), fn() => clone $item, fn() => (new \ReflectionClass('stdClass'))->newInstance(1)] as $failing) try { $failing(); } catch (\Throwable $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; }
$function = new \ReflectionFunction(function (int $a, $b = 2) use ($other): ?string { static $calls = 0; return "$a$b$other"; }); var_dump($function->invoke(1), $function->getNumberOfRequiredParameters(), $function->getReturnType()->allowsNull(), (string) $function->getReturnType(), array_keys($function->getClosureUsedVariables()));
--EXPECT--
string(9) "Shop\Item"
string(4) "Item"
string(4) "Shop"
bool(true)
bool(false)
bool(true)
string(15) "/** An item. */"
bool(true)
bool(true)
string(9) "Shop\Item"
array(1) {
  [0]=>
  string(9) "Shop\Logs"
}
array(1) {
  [0]=>
  string(11) "Shop\Priced"
}
public Shop\Book::__construct
public Shop\Book::kind
public Shop\Book::price
public static Shop\Item::make
public Shop\Item::log
public ?string Shop\Book::title
protected static  Shop\Item::made
final public string Shop\Item::label
public readonly array Shop\Item::parts
virtual public int Shop\Item::size
0 title ?string NULL promoted
1 price int|float 10 
2 currency none self::CURRENCY 
3 mode none PHP_INT_SIZE 
array(2) {
  ["LIMIT"]=>
  int(5)
  ["CURRENCY"]=>
  string(3) "EUR"
}
bool(true)
bool(false)
int(0)
string(8) "secret 1"
string(1) "T"
string(3) "new"
bool(true)
string(6) "string"
bool(false)
ReflectionException: Class "Nope" does not exist
Error: Cannot instantiate abstract class Shop\Item
ReflectionException: Method Shop\Item::nope() does not exist
ReflectionException: Property Shop\Item::$nope does not exist

Deprecated: Calling ReflectionMethod::__construct() with 1 argument is deprecated, use ReflectionMethod::createFromMethodName() instead in case.php on line 16
ReflectionException: Method Shop\Item::nope() does not exist
ReflectionException: Trying to invoke non static method Shop\Item::secret() without an object
Error: Trying to clone an uncloneable object of class ReflectionClass
ReflectionException: Class stdClass does not have a constructor, so you cannot pass any constructor arguments
string(3) "122"
int(1)
bool(true)
string(7) "?string"
array(1) {
  [0]=>
  string(5) "other"
}
