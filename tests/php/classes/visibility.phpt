--TEST--
Private, protected and who may see them
--FILE--
<?php
class Base { private $p = "base private"; protected $q = "protected"; private function hidden() { return "hidden base"; } function show() { return $this->p . " " . $this->hidden(); } protected function guarded() { return "guarded"; } }
class Derived extends Base { private $p = "derived private"; private function hidden() { return "hidden derived"; } function mine() { return "$this->p $this->q " . $this->guarded(); } }
$d = new Derived; echo $d->show(), "\n", $d->mine(), "\n";
foreach ([fn() => $d->p, fn() => $d->q, fn() => $d->hidden(), fn() => $d->guarded(), fn() => $d->missing(), fn() => Derived::nothing(), fn() => Derived::NOPE, fn() => new Nowhere] as $try) {
    try { $try(); } catch (Error $error) { echo $error->getMessage(), "\n"; }
}
print_r($d); var_dump(isset($d->p), isset($d->q));
--EXPECT--
base private hidden base
derived private protected guarded
Cannot access private property Derived::$p
Cannot access protected property Derived::$q
Call to private method Derived::hidden() from global scope
Call to protected method Base::guarded() from global scope
Call to undefined method Derived::missing()
Call to undefined method Derived::nothing()
Undefined constant Derived::NOPE
Class "Nowhere" not found
Derived Object
(
    [p:Base:private] => base private
    [q:protected] => protected
    [p:Derived:private] => derived private
)
bool(false)
bool(false)
