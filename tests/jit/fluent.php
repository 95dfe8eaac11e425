<?php

// Methods that return `static`: their own object, one of the class that was called, of one below it, or of another.

class Builder
{
    public array $parts = [];

    public function add(string $part): static
    {
        $this->parts[] = $part;
        return $this;
    }

    public function maybe(int $n): static|null
    {
        return $n % 3 ? $this : null;
    }

    public static function make(): static
    {
        return new static;
    }

    public static function lower(): static
    {
        return new Lower;
    }

    public static function other(): static
    {
        return new stdClass;
    }

    public function either(int $n): static|stdClass
    {
        return $n % 2 ? $this : new stdClass;
    }
}

class Lower extends Builder
{
}

function show(callable $get): void
{
    try {
        $object = $get();
        echo $object === null ? 'null' : $object::class, ' ';
    } catch (TypeError $error) {
        echo $error->getMessage(), ' ';
    }
}

$length = 0;
for ($i = 0; $i < 60; $i++) {
    $one = $i % 2 ? new Builder : new Lower;
    $length += count($one->add('a')->add('b')->add('c')->parts);
    if ($i % 20 === 0) {
        foreach (['make', 'lower', 'other'] as $name) {
            show(fn() => Builder::$name());
            show(fn() => Lower::$name());
        }
        show(fn() => $one->maybe($i));
        show(fn() => $one->maybe($i + 1));
        show(fn() => $one->either($i));
        show(fn() => $one->either($i + 1));
        echo "\n";
    }
}
echo $length, "\n";
$bound = Closure::bind(function (): static { return new static; }, new Lower, Builder::class);
$free = Closure::bind(static fn(): static => new Builder, null, Lower::class);
for ($i = 0; $i < 20; $i++) {
    if ($i === 19) {
        show($bound);
        show($free);
    } else {
        $bound();
    }
}
echo "\n";
