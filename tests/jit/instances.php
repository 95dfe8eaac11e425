<?php

// Objects made in compiled code: with and without constructors, of classes that cannot have instances, of the
// class that `self`, `static` and a name mean, and with constructors that throw, keep or lose their object.

class Plain
{
    public $number = 1;
    public array $list = [];
}

class Made
{
    public static array $kept = [];
    public $self;

    public function __construct(public int $number, public ?Made $other = null)
    {
        if ($number % 7 === 0) {
            throw new RuntimeException("no $number");
        }
        if ($number % 5 === 0) {
            $this->self = $this;
        }
        if ($number % 11 === 0) {
            self::$kept[] = $this;
        }
    }

    public static function same(int $number): static
    {
        return new static($number);
    }

    public static function own(int $number): self
    {
        return new self($number);
    }

    public function __destruct()
    {
        global $gone;
        $gone += $this->number;
    }
}

class Lower extends Made
{
}

class Single
{
    private function __construct()
    {
    }

    public static function one(): Single
    {
        return new self;
    }
}

abstract class Abstracted
{
    public static function try(): static
    {
        return new static;
    }
}

class Counts
{
    public function __construct(...$arguments)
    {
        echo count($arguments);
    }
}

function text(callable $make): string
{
    try {
        $object = $make();
        return $object::class . ($object->number ?? '');
    } catch (Throwable $error) {
        return $error::class . ': ' . $error->getMessage();
    }
}

$gone = 0;
$seen = [];
for ($i = 1; $i <= 60; $i++) {
    $plain = new Plain;
    new Plain();
    $plain->number += $i;
    $seen[] = $plain->number;
    $name = $i % 2 ? 'Made' : 'Lower';
    $texts = [
        text(fn() => new Made($i)),
        text(fn() => Made::same($i)),
        text(fn() => Lower::same($i)),
        text(fn() => Lower::own($i)),
        text(fn() => new $name($i, new Made($i + 1))),
        text(fn() => new Single),
        text(fn() => Single::one()),
        text(fn() => new Abstracted),
        text(fn() => Abstracted::try()),
        text(fn() => new Missing),
    ];
    if ($i < 3 || $i > 55) {
        echo implode(', ', $texts), "\n";
    }
    new Counts;
    new Counts(...array_fill(0, $i % 3, 0));
    new Counts($i, $i);
}
echo "\n", array_sum($seen), ' ', $gone, ' ', count(Made::$kept), "\n";
gc_collect_cycles();
echo $gone, "\n";

function sums(int $count): int
{
    $sum = 0;
    for ($i = 1; $i <= $count; $i++) {
        if ($i % 7 === 0 || $i % 11 === 0) {
            continue;
        }
        $one = new Made($i, new Made(1));
        $sum += $one->number + $one->other->number;
    }
    return $sum;
}

echo sums(300), ' ', $gone, "\n";
Made::$kept = [];
gc_collect_cycles();
echo $gone, "\n";
