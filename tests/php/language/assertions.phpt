--TEST--
assert(): descriptions made of the code, exceptions of one's own, and the settings
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# assert\n";
try { assert(false); } catch (AssertionError $e) { echo $e->getMessage(), "\n"; } try { assert($a > 1 && strlen('x') === 2 || [1, 'k' => 2] == null); } catch (AssertionError $e) { echo $e->getMessage(), "\n"; } try { assert(false, 'desc'); } catch (AssertionError $e) { echo $e->getMessage(), "\n"; } try { assert(false, new LogicException('own')); } catch (LogicException $e) { echo $e->getMessage(), "\n"; } try { assert(fn($x) => $x?->y && false ? 1 : throw new Exception && false); } catch (Throwable $e) { echo $e->getMessage(), "\n"; } try { assert(0 && function () use ($a, &$b): ?int { foreach ($x as $k => &$v) { yield $k => $v; } return match(true) { 1, 2 => 'a', default => new class(1) extends A implements B { use T; const X = 1; public ?int $p = 5; } }; }); } catch (AssertionError $e) { echo $e->getMessage(), "\n"; } ini_set('assert.exception', 0); var_dump(assert(1 > 2)); ini_set('assert.warning', 0); var_dump(assert(1 > 2)); var_dump(ini_set('zend.assertions', -1)); ini_set('zend.assertions', 0); var_dump(assert(die())); 
--EXPECT--
# assert
assert(false)

Warning: Undefined variable $a in case.php on line 5
assert($a > 1 && strlen('x') === 2 || [1, 'k' => 2] == null)
desc
own
assert(0 && function () use($a, &$b): ?int {
    foreach ($x as $k => &$v) {
        yield $k => $v;
    }
    return match (true) {
        1, 2 => 'a',
        default => new class(1) extends A implements B {
    use T;
    public const X = 1;
    public ?int $p = 5;
},
    };
})

Deprecated: ini_set(): assert.exception INI setting is deprecated in case.php on line 5

Warning: assert(): assert(1 > 2) failed in case.php on line 5
bool(false)

Deprecated: ini_set(): assert.warning INI setting is deprecated in case.php on line 5
bool(false)

Warning: zend.assertions may be completely enabled or disabled only in php.ini in case.php on line 5
bool(false)
bool(true)
