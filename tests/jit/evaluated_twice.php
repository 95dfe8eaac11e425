<?php
// A class constant whose evaluation comes back to it is evaluated a second time, and what was made of it before that is
// not made of its last value.
namespace Twice;

\define('STEP', 1);

class Sum
{
    const ALL = Part::SIZE + STEP;
}

function hot(int $turns): int
{
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $sum += Sum::ALL;
    }
    return $sum;
}

spl_autoload_register(function (string $name) {
    eval('namespace Twice; class Part { const SIZE = 10; }');
    for ($j = 0; $j < 20; $j++) {
        $inner = hot(100);
    }
    echo 'inner ', $inner, "\n";
    \define('Twice\STEP', 2);
});

echo 'outer ', Sum::ALL, "\n";
echo hot(100), ' ', hot(1), "\n";
