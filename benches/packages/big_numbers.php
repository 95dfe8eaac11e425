<?php
// brick/math without its native calculators: factorials, powers and roots by strings of digits.
require __DIR__ . '/support.php';
spl_autoload_register(function (string $class) use ($packages) {
    require "$packages/usr/share/php/" . strtr($class, '\\', '/') . '.php';
});
Brick\Math\Internal\Calculator::set(new Brick\Math\Internal\Calculator\NativeCalculator);

use Brick\Math\{BigDecimal, BigInteger, RoundingMode};

repeat(1, function () {
    $factorial = BigInteger::one();
    for ($i = 2; $i <= 120; $i++) {
        $factorial = $factorial->multipliedBy($i);
    }
    $root = $factorial->sqrt();
    $ratio = BigDecimal::of('355')->dividedBy('113', 60, RoundingMode::HALF_UP);
    return "$factorial $root $ratio " . BigInteger::of(3)->power(200)->mod('1000000007') . ' ' . $factorial->toBase(36);
});
