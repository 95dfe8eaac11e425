<?php
// Calls of functions, methods and closures.
function fibonacci(int $n): int
{
    return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2);
}

final class Counter
{
    private int $value = 0;

    public function add(int $n): static
    {
        $this->value += $n;
        return $this;
    }

    public function value(): int
    {
        return $this->value;
    }
}

$counter = new Counter;
$double = fn (int $n): int => $n * 2;
for ($i = 0; $i < 1000000; $i++) {
    $counter->add($i)->add($double($i));
}
echo fibonacci(29), ' ', $counter->value(), "\n";
