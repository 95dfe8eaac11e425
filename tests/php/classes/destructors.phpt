--TEST--
Destructors run when the last owner goes
--FILE--
<?php
class Noisy { function __construct(public $name) {} function __destruct() { echo "destroy $this->name\n"; } }
$a = new Noisy("a"); $b = $a; unset($a); echo "still\n"; $b = null; echo "gone\n";
function scope() { $local = new Noisy("local"); echo "in\n"; } scope();
new Noisy("temporary"); $list = [new Noisy("first"), new Noisy("second")]; array_shift($list); echo "shifted\n"; $list = null;
$x = new Noisy("old"); $x = new Noisy("new"); try { (function () { $y = new Noisy("thrown over"); throw new Exception("e"); })(); } catch (Exception $e) { echo "caught\n"; } unset($e);
echo "end\n";
--EXPECT--
still
destroy a
gone
in
destroy local
destroy temporary
destroy first
shifted
destroy second
destroy old
destroy thrown over
caught
end
destroy new
