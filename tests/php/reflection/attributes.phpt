--TEST--
Attributes: arguments, targets, repetition, instances
--FILE--
<?php
#[Attribute(Attribute::TARGET_METHOD | Attribute::TARGET_PARAMETER | Attribute::IS_REPEATABLE)]
class Tag { function __construct(public $name, public $more = null) {} }
#[Attribute] class Once {} class Plain {} interface Kind {} #[Attribute] class OfKind implements Kind {}
class Target { const NAME = 'n'; #[Tag('a'), Tag(more: self::NAME, name: 'b')] function method(#[Tag(1), OfKind] $parameter) {} #[Once, Once] public $twice; #[Plain] const C = 1; #[Missing] public $missing; #[Tag(1)] public $wrong; }
$class = new ReflectionClass('Target');
foreach ($class->getMethod('method')->getAttributes() as $attribute) { echo $attribute->getName(), " ", $attribute->getTarget(), " ", json_encode($attribute->getArguments()), " ", json_encode($attribute->isRepeated()), "\n"; var_dump($attribute->newInstance()); }
var_dump(count($class->getMethod('method')->getParameters()[0]->getAttributes(Kind::class, ReflectionAttribute::IS_INSTANCEOF)), count($class->getMethod('method')->getAttributes('TAG')));
foreach ([$class->getProperty('twice'), $class->getReflectionConstant('C'), $class->getProperty('missing'), $class->getProperty('wrong')] as $place) try { $place->getAttributes()[0]->newInstance(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $class->getAttributes('Nope', ReflectionAttribute::IS_INSTANCEOF); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $class->getAttributes('Nope', 3); } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
Tag 4 ["a"] true
object(Tag)#2 (2) {
  ["name"]=>
  string(1) "a"
  ["more"]=>
  NULL
}
Tag 4 {"more":"n","name":"b"} true
object(Tag)#2 (2) {
  ["name"]=>
  string(1) "b"
  ["more"]=>
  string(1) "n"
}
int(1)
int(2)
Attribute "Once" must not be repeated
Attempting to use non-attribute class "Plain" as attribute
Attribute class "Missing" not found
Attribute "Tag" cannot target property (allowed targets: method, parameter)
Class "Nope" not found
ReflectionClass::getAttributes(): Argument #2 ($flags) must be a valid attribute filter flag
