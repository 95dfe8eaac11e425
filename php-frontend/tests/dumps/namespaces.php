<?php
declare(strict_types=1);
namespace App\Sub;
use function strlen as len; use const FOO\BAR; use A\B, C\D as E; use G\{H, function i, const J};
const LOCAL = 1, SUM = LOCAL + 1;
function f($b) { return len("x") . BAR . B::class . new B\C . namespace\x() . E_ALL . \E_ALL . __NAMESPACE__ . strrev("abc") . \strrev("x") . trim($b) . \trim($b) . true . E\f() . H::X . i() . J . assert($b); }
class K extends E implements H, \L { function m(self $a, E $b, \M $c): static { return new static; } }
declare(ticks=1);
echo LOCAL;
if (0) { echo 1; }
