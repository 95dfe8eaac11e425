<?php
// A cache that forgets what was used longest ago, a heap, and a simulation of workers with both.

/** @template T */
final class CacheNode
{
    public ?CacheNode $before = null;
    public ?CacheNode $behind = null;

    public function __construct(public readonly string|int $key, public mixed $value) {}
}

final class RecentCache implements ArrayAccess, Countable
{
    private array $nodes = [];
    private ?CacheNode $first = null;
    private ?CacheNode $last = null;
    public int $hits = 0;
    public int $misses = 0;

    public function __construct(private int $capacity) {}

    public function offsetExists(mixed $key): bool
    {
        return isset($this->nodes[$key]);
    }

    public function offsetGet(mixed $key): mixed
    {
        $node = $this->nodes[$key] ?? null;
        if ($node === null) {
            $this->misses++;
            return null;
        }
        $this->hits++;
        $this->touch($node);
        return $node->value;
    }

    public function offsetSet(mixed $key, mixed $value): void
    {
        if (isset($this->nodes[$key])) {
            $this->nodes[$key]->value = $value;
            $this->touch($this->nodes[$key]);
            return;
        }
        if (count($this->nodes) >= $this->capacity) {
            $oldest = $this->last;
            $this->unlink($oldest);
            unset($this->nodes[$oldest->key]);
        }
        $this->nodes[$key] = $node = new CacheNode($key, $value);
        $this->link($node);
    }

    public function offsetUnset(mixed $key): void
    {
        if (isset($this->nodes[$key])) {
            $this->unlink($this->nodes[$key]);
            unset($this->nodes[$key]);
        }
    }

    public function count(): int
    {
        return count($this->nodes);
    }

    public function keys(): array
    {
        $keys = [];
        for ($node = $this->first; $node !== null; $node = $node->behind) {
            $keys[] = $node->key;
        }
        return $keys;
    }

    private function touch(CacheNode $node): void
    {
        if ($node !== $this->first) {
            $this->unlink($node);
            $this->link($node);
        }
    }

    private function link(CacheNode $node): void
    {
        $node->behind = $this->first;
        if ($this->first !== null) {
            $this->first->before = $node;
        }
        $this->first = $node;
        $this->last ??= $node;
    }

    private function unlink(CacheNode $node): void
    {
        if ($node->before !== null) {
            $node->before->behind = $node->behind;
        } else {
            $this->first = $node->behind;
        }
        if ($node->behind !== null) {
            $node->behind->before = $node->before;
        } else {
            $this->last = $node->before;
        }
        $node->before = $node->behind = null;
    }
}

final class BinaryHeap
{
    private array $items = [];

    public function __construct(private Closure $isBefore) {}

    public function isEmpty(): bool
    {
        return !$this->items;
    }

    public function push(object $item): void
    {
        $at = count($this->items);
        $this->items[] = $item;
        while ($at > 0) {
            $parent = $at - 1 >> 1;
            if (!($this->isBefore)($item, $this->items[$parent])) {
                break;
            }
            $this->items[$at] = $this->items[$parent];
            $at = $parent;
        }
        $this->items[$at] = $item;
    }

    public function pop(): object
    {
        $top = $this->items[0] ?? throw new UnderflowException('The heap is empty');
        $item = array_pop($this->items);
        $count = count($this->items);
        if ($count > 0) {
            $at = 0;
            while (($child = 2 * $at + 1) < $count) {
                if ($child + 1 < $count && ($this->isBefore)($this->items[$child + 1], $this->items[$child])) {
                    $child++;
                }
                if (!($this->isBefore)($this->items[$child], $item)) {
                    break;
                }
                $this->items[$at] = $this->items[$child];
                $at = $child;
            }
            $this->items[$at] = $item;
        }
        return $top;
    }
}

enum Priority: int
{
    case Low = 1;
    case Normal = 5;
    case High = 9;
}

final class Job
{
    public ?int $started = null;
    private static int $count = 0;
    public readonly int $id;

    public function __construct(
        public readonly string $resource,
        public readonly int $duration,
        public readonly Priority $priority,
        public readonly int $submitted,
    ) {
        $this->id = ++self::$count;
    }

    public static function startOver(): void
    {
        self::$count = 0;
    }
}

final class Event
{
    public function __construct(public readonly int $time, public readonly int $order, public readonly Closure $action) {}
}

final class Simulation
{
    private BinaryHeap $events;
    private BinaryHeap $waiting;
    private RecentCache $cache;
    private int $clock = 0;
    private int $order = 0;
    private int $idle;
    public array $finished = [];
    public int $longestWait = 0;

    public function __construct(int $workers, int $cacheSize)
    {
        $this->events = new BinaryHeap(fn(Event $a, Event $b) => ($a->time <=> $b->time ?: $a->order <=> $b->order) < 0);
        $this->waiting = new BinaryHeap(static function (Job $a, Job $b): bool {
            return [$b->priority->value, $a->id] < [$a->priority->value, $b->id];
        });
        $this->cache = new RecentCache($cacheSize);
        $this->idle = $workers;
    }

    public function at(int $delay, Closure $action): void
    {
        $this->events->push(new Event($this->clock + $delay, $this->order++, $action));
    }

    public function submit(Job $job): void
    {
        $this->waiting->push($job);
        $this->dispatch();
    }

    private function dispatch(): void
    {
        while ($this->idle > 0 && !$this->waiting->isEmpty()) {
            $job = $this->waiting->pop();
            $this->idle--;
            $job->started = $this->clock;
            $this->longestWait = max($this->longestWait, $this->clock - $job->submitted);
            $load = $this->cache[$job->resource] === null ? 7 : 1;
            $this->cache[$job->resource] = $job->id;
            $this->at($job->duration + $load, function () use ($job) {
                $this->idle++;
                $this->finished[$job->priority->name][] = $this->clock - $job->submitted;
                if ($job->id % 50 === 0) {
                    unset($this->cache[$job->resource]);
                }
                $this->dispatch();
            });
        }
    }

    public function run(): string
    {
        $events = 0;
        while (!$this->events->isEmpty()) {
            $event = $this->events->pop();
            $this->clock = $event->time;
            ($event->action)();
            $events++;
        }
        $cache = $this->cache;
        return sprintf('%d events until %d, cache %d/%d of %d, recent %s', $events, $this->clock, $cache->hits, $cache->misses, count($cache), implode(' ', array_slice($cache->keys(), 0, 5)));
    }
}

function simulate(int $jobs): Simulation
{
    Job::startOver();
    $simulation = new Simulation(4, 12);
    $state = 42;
    $random = function (int $limit) use (&$state): int {
        $state = ($state * 69069 + 1) & 0xffffffff;
        return ($state >> 12) % $limit;
    };
    $time = 0;
    for ($i = 0; $i < $jobs; $i++) {
        $time += $random(9);
        $resource = 'r' . $random(4) * $random(6);
        $priority = Priority::cases()[$random(3)];
        $duration = 3 + $random(20);
        $simulation->at($time, fn() => $simulation->submit(new Job($resource, $duration, $priority, $time)));
    }
    return $simulation;
}

$rounds = (int) ($argv[1] ?? 15);
for ($round = 0; $round < $rounds; $round++) {
    $simulation = simulate(800);
    $report = $simulation->run();
}
echo $report, "\n";
ksort($simulation->finished);
foreach ($simulation->finished as $name => $times) {
    sort($times);
    printf("%-6s %4d jobs, median %d, mean %.2f, worst %d\n", $name, count($times), $times[count($times) >> 1], array_sum($times) / count($times), end($times));
}
echo 'longest wait ', $simulation->longestWait, "\n";
try {
    (new BinaryHeap(fn() => true))->pop();
} catch (UnderflowException $exception) {
    echo $exception->getMessage(), "\n";
}
