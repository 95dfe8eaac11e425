<?php
// Prints nested data as indented text, whatever the types of its parts are.

abstract class Printer
{
    private int $depth = 0;

    abstract protected function scalar(int|float|string|bool|null $value): string;
    abstract protected function key(int|string $key): string;

    public function print(mixed $value): string
    {
        return match (true) {
            $value === [] => '[]',
            is_array($value) && array_is_list($value) => $this->block('[', $value, false, ']'),
            is_array($value) => $this->block('{', $value, true, '}'),
            $value instanceof Closure => '(function)',
            $value instanceof UnitEnum => $this->scalar($value->name),
            $value instanceof Traversable => $this->block('<', iterator_to_array($value), true, '>'),
            is_object($value) => $value::class . ' ' . $this->block('{', get_object_vars($value), true, '}'),
            default => $this->scalar($value),
        };
    }

    private function block(string $open, iterable $values, bool $keys, string $close): string
    {
        $this->depth++;
        $lines = [];
        foreach ($values as $key => $value) {
            $lines[] = str_repeat('  ', $this->depth) . ($keys ? $this->key($key) : '') . $this->print($value);
        }
        $this->depth--;
        return $open . "\n" . implode(",\n", $lines) . "\n" . str_repeat('  ', $this->depth) . $close;
    }
}

class PlainPrinter extends Printer
{
    protected function scalar(int|float|string|bool|null $value): string
    {
        return json_encode($value, JSON_UNESCAPED_SLASHES);
    }

    protected function key(int|string $key): string
    {
        return "$key: ";
    }
}

class TypedPrinter extends PlainPrinter
{
    public static int $printed = 0;

    protected function scalar(int|float|string|bool|null $value): string
    {
        self::$printed++;
        return get_debug_type($value) . '(' . parent::scalar($value) . ')';
    }
}

class Track
{
    protected array $hidden = ['not', 'shown'];
    public ?Track $next = null;

    public function __construct(public string $title, public float $minutes, public array $tags = []) {}
}

function album(): Generator
{
    yield 'first' => new Track('Opening', 3.5, ['slow', 'live/1999']);
    yield 'second' => $track = new Track("It's \"quoted\"\t", 4);
    $track->next = new Track('Hidden', 0.25);
}

$data = ['id' => 17, 'tracks' => album(), 'rating' => null, 'empty' => [], 'matrix' => [[1, 2], [3, [4.0, true]]], 7 => strlen(...)];
echo (new PlainPrinter)->print($data), "\n";
echo (new TypedPrinter)->print(['a' => 1, 'b' => [2.5, 'x', false]]), "\n";
echo TypedPrinter::$printed, " values\n";
