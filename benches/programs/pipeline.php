<?php
// Lazy sequences made of generators: sources, steps, and consumers that values are sent to.

/** A chain of steps over anything that can be gone over. */
final class Sequence implements IteratorAggregate
{
    private function __construct(private iterable $source) {}

    public static function of(iterable $source): self
    {
        return new self($source);
    }

    public static function range(int $from, int $to): self
    {
        return new self((static function () use ($from, $to) {
            for ($i = $from; $i <= $to; $i++) {
                yield $i;
            }
        })());
    }

    public static function iterate(mixed $value, callable $next): self
    {
        return new self((static function () use ($value, $next) {
            while (true) {
                yield $value;
                $value = $next($value);
            }
        })());
    }

    public function getIterator(): Generator
    {
        yield from $this->source;
    }

    public function map(callable $function): self
    {
        return $this->step(static function (iterable $source) use ($function) {
            foreach ($source as $key => $value) {
                yield $key => $function($value, $key);
            }
        });
    }

    public function filter(callable $predicate): self
    {
        return $this->step(static function (iterable $source) use ($predicate) {
            foreach ($source as $key => $value) {
                if ($predicate($value)) {
                    yield $key => $value;
                }
            }
        });
    }

    public function take(int $count): self
    {
        return $this->step(static function (iterable $source) use ($count) {
            if ($count === 0) {
                return;
            }
            foreach ($source as $key => $value) {
                yield $key => $value;
                if (--$count === 0) {
                    return;
                }
            }
        });
    }

    public function takeWhile(callable $predicate): self
    {
        return $this->step(static function (iterable $source) use ($predicate) {
            foreach ($source as $value) {
                if (!$predicate($value)) {
                    return;
                }
                yield $value;
            }
        });
    }

    public function chunk(int $size): self
    {
        return $this->step(static function (iterable $source) use ($size) {
            $chunk = [];
            foreach ($source as $value) {
                $chunk[] = $value;
                if (count($chunk) === $size) {
                    yield $chunk;
                    $chunk = [];
                }
            }
            if ($chunk) {
                yield $chunk;
            }
        });
    }

    public function window(int $size): self
    {
        return $this->step(static function (iterable $source) use ($size) {
            $window = [];
            foreach ($source as $value) {
                $window[] = $value;
                if (count($window) > $size) {
                    array_shift($window);
                }
                if (count($window) === $size) {
                    yield $window;
                }
            }
        });
    }

    public function flatten(): self
    {
        $flatten = static function (iterable $source) use (&$flatten) {
            foreach ($source as $value) {
                if (is_iterable($value)) {
                    yield from $flatten($value);
                } else {
                    yield $value;
                }
            }
        };
        return $this->step($flatten);
    }

    public function zip(iterable $other): self
    {
        return $this->step(static function (iterable $source) use ($other) {
            $right = (static fn() => yield from $other)();
            foreach ($source as $value) {
                if (!$right->valid()) {
                    return;
                }
                yield [$value, $right->current()];
                $right->next();
            }
        });
    }

    private function step(Closure $step): self
    {
        return new self($step($this->source));
    }

    public function fold(mixed $start, callable $function): mixed
    {
        foreach ($this->source as $value) {
            $start = $function($start, $value);
        }
        return $start;
    }

    public function list(): array
    {
        return iterator_to_array($this->source, false);
    }
}

/** Two sorted sequences as one. */
function merged(Iterator $left, Iterator $right): Generator
{
    while ($left->valid() && $right->valid()) {
        $smaller = $left->current() <= $right->current() ? $left : $right;
        yield $smaller->current();
        $smaller->next();
    }
    foreach ([$left, $right] as $rest) {
        for (; $rest->valid(); $rest->next()) {
            yield $rest->current();
        }
    }
}

function sorted(array $list): Generator
{
    if (count($list) < 2) {
        yield from $list;
        return count($list);
    }
    [$left, $right] = array_chunk($list, count($list) + 1 >> 1);
    yield from merged(sorted($left), sorted($right));
    return count($list);
}

final class Tree
{
    private ?Tree $left = null;
    private ?Tree $right = null;

    public function __construct(private int $value) {}

    public function insert(int $value): void
    {
        $side = $value < $this->value ? 'left' : 'right';
        if ($this->$side === null) {
            $this->$side = new Tree($value);
        } else {
            $this->$side->insert($value);
        }
    }

    public function values(): Generator
    {
        if ($this->left) {
            yield from $this->left->values();
        }
        yield $this->value;
        if ($this->right) {
            yield from $this->right->values();
        }
    }
}

/** Gets numbers and gives their mean so far; ends when it gets null, and returns how many there were. */
function averager(): Generator
{
    $sum = $count = 0;
    $mean = null;
    while (($value = yield $mean) !== null) {
        try {
            if (!is_numeric($value)) {
                throw new InvalidArgumentException("no number: $value");
            }
            $sum += $value;
            $mean = $sum / ++$count;
        } catch (InvalidArgumentException $exception) {
            $mean = $exception->getMessage();
        }
    }
    return $count;
}

/** Runs tasks in turn until all have ended. */
function inTurn(array $tasks): array
{
    $log = [];
    $queue = new SplQueue();
    foreach ($tasks as $name => $task) {
        $queue->enqueue([$name, $task]);
    }
    while (!$queue->isEmpty()) {
        [$name, $task] = $queue->dequeue();
        if ($task->valid()) {
            $log[] = "$name:" . $task->current();
            try {
                $task->next();
            } catch (RuntimeException $exception) {
                $log[] = "$name failed: " . $exception->getMessage();
            }
            $queue->enqueue([$name, $task]);
        }
    }
    return $log;
}

function countdown(int $from, int $failsAt): Generator
{
    try {
        for ($i = $from; $i > 0; $i--) {
            if ($i === $failsAt) {
                throw new RuntimeException("at $i");
            }
            yield $i;
        }
    } finally {
        yield 'end';
    }
}

function report(): string
{
    $primes = static function (): Generator {
        $found = [];
        foreach (Sequence::iterate(2, fn(int $n) => $n + 1) as $number) {
            foreach ($found as $prime) {
                if ($prime * $prime > $number) {
                    break;
                }
                if ($number % $prime === 0) {
                    continue 2;
                }
            }
            $found[] = $number;
            yield $number;
        }
    };
    $words = preg_split('/\W+/', 'the quick brown fox jumps over the lazy dog and the other foxes jump too');
    $tree = new Tree(500);
    $state = 99;
    $numbers = Sequence::range(1, 250)->map(function () use (&$state): int {
        return $state = ($state * 7621 + 1) % 1009;
    })->list();
    foreach ($numbers as $number) {
        $tree->insert($number);
    }
    $averager = averager();
    $means = array_map(fn(mixed $value) => $averager->send($value), [4, 8, 'x', 15, 16, '23', 42]);
    $averager->send(null);
    $sorter = sorted($numbers);
    $checksum = 0;
    foreach ($sorter as $position => $value) {
        $checksum = ($checksum * 31 + $value) % 1000003;
    }
    $lines = [
        implode(' ', Sequence::of($primes())->filter(fn(int $p) => $p % 4 === 1)->take(20)->list()),
        Sequence::range(1, 3000)->map(fn(int $n) => $n * $n)->filter(fn(int $n) => $n % 3 === 1)->takeWhile(fn(int $n) => $n < 5000000)->fold(0, fn(int $sum, int $n) => $sum + $n),
        implode(' ', Sequence::of($words)->map(fn(string $word) => strrev($word))->window(3)->filter(fn(array $three) => strlen(implode($three)) > 12)->map(fn(array $three) => implode('.', $three))->list()),
        json_encode(Sequence::of($words)->zip($primes())->chunk(4)->take(2)->list()),
        array_sum(Sequence::of([1, [2, [3, Sequence::range(4, 400)]], [[5]]])->flatten()->list()),
        implode(' ', array_slice(iterator_to_array($tree->values(), false), 0, 12)),
        json_encode($means) . ' of ' . $averager->getReturn(),
        $checksum . ' of ' . $sorter->getReturn(),
        implode(' ', inTurn(['a' => countdown(3, 0), 'b' => countdown(5, 3), 'c' => countdown(1, 9)])),
    ];
    return implode("\n", $lines);
}

$rounds = (int) ($argv[1] ?? 40);
for ($round = 0; $round < $rounds; $round++) {
    $report = report();
}
echo $report, "\n";
