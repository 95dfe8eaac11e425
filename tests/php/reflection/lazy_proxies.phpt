--TEST--
Lazy proxies: the instance behind, clones, incompatible instances
--FILE--
<?php
class Point { public $x = 1; public ?Point $next = null; function __clone() { echo "clone\n"; } function __destruct() { echo "gone {$this->x}\n"; } }
class Named extends Point { public $name; }
$class = new ReflectionClass('Point');
$proxy = $class->newLazyProxy(function ($proxy) { echo "factory ", get_class($proxy), "\n"; return new Point; });
var_dump($proxy); $proxy->x = 2; var_dump($proxy, $class->initializeLazyObject($proxy) === $proxy); print_r($proxy);
$proxy->next = new Point; foreach ($proxy as $name => $value) echo $name, "\n"; $copy = clone $proxy; $copy->x = 5; var_dump($proxy->x, $copy->x, $proxy == $copy, isset($proxy->nothing));
unset($proxy, $copy);
foreach ([fn() => 1, fn() => new stdClass, fn() => new Named, fn() => $class->newLazyGhost(fn() => null)] as $factory) { $proxy = $class->newLazyProxy($factory); try { $proxy->x; } catch (Throwable $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; } }
$proxy = $class->newLazyProxy(fn() => new Point, ReflectionClass::SKIP_INITIALIZATION_ON_SERIALIZE); echo serialize($proxy), "\n"; var_dump($class->getLazyInitializer($proxy) instanceof Closure);
foreach ([4, 16] as $options) try { $class->newLazyProxy(fn() => null, $options); } catch (ReflectionException $e) { echo $e->getMessage(), "\n"; }
try { $class->resetAsLazyProxy($proxy, fn() => null); } catch (ReflectionException $e) { echo $e->getMessage(), "\n"; }
try { (new ReflectionClass('ArrayObject'))->newLazyGhost(fn() => null); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump((new ReflectionClass('stdClass'))->newLazyGhost(fn() => null));
--EXPECT--
lazy proxy object(Point)#3 (0) {
  ["next"]=>
  uninitialized(?Point)
}
factory Point
lazy proxy object(Point)#3 (1) {
  ["instance"]=>
  object(Point)#4 (2) {
    ["x"]=>
    int(2)
    ["next"]=>
    NULL
  }
}
bool(false)
Point Object
(
    [instance] => Point Object
        (
            [x] => 2
            [next] => 
        )

)
x
next
clone
int(2)
int(5)
bool(false)
bool(false)
gone 2
gone 5
TypeError: Lazy proxy factory must return an instance of a class compatible with Point, int returned
TypeError: The real instance class stdClass is not compatible with the proxy class Point. The proxy must be a instance of the same class as the real instance, or a sub-class with no additional properties, and no overrides of the __destructor or __clone methods.
gone 1
TypeError: The real instance class Named is not compatible with the proxy class Point. The proxy must be a instance of the same class as the real instance, or a sub-class with no additional properties, and no overrides of the __destructor or __clone methods.
Error: Lazy proxy factory must return a non-lazy object
O:5:"Point":0:{}
bool(true)
ReflectionClass::newLazyProxy(): Argument #2 ($options) contains invalid flags
ReflectionClass::newLazyProxy(): Argument #2 ($options) does not accept ReflectionClass::SKIP_DESTRUCTOR
Object is already lazy
Cannot make instance of internal class lazy: ArrayObject is internal
object(stdClass)#7 (0) {
}
gone 1
