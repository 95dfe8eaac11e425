<?php
// Algorithms on graphs, grids and matrices.

final class Graph
{
    /** @var array<string, array<string, int>> */
    private array $edges = [];

    public function connect(string $from, string $to, int $weight = 1, bool $bothWays = false): static
    {
        $this->edges[$from][$to] = $weight;
        $this->edges[$to] ??= [];
        if ($bothWays) {
            $this->edges[$to][$from] = $weight;
        }
        return $this;
    }

    public function nodes(): array
    {
        return array_keys($this->edges);
    }

    /** @return array<string, array{int, ?string}> distance and predecessor of what can be reached */
    public function shortest(string $start): array
    {
        $found = [$start => [0, null]];
        $queue = new SplPriorityQueue();
        $queue->insert($start, 0);
        $done = [];
        while (!$queue->isEmpty()) {
            $node = $queue->extract();
            if (isset($done[$node])) {
                continue;
            }
            $done[$node] = true;
            $distance = $found[$node][0];
            foreach ($this->edges[$node] as $next => $weight) {
                $candidate = $distance + $weight;
                if (!isset($found[$next]) || $candidate < $found[$next][0]) {
                    $found[$next] = [$candidate, $node];
                    $queue->insert($next, -$candidate);
                }
            }
        }
        return $found;
    }

    public function path(string $start, string $end): string
    {
        $found = $this->shortest($start);
        $path = [];
        for ($node = $end; $node !== null; $node = $found[$node][1] ?? null) {
            array_unshift($path, $node);
        }
        return implode('>', $path) . '=' . ($found[$end][0] ?? 'none');
    }

    /** Nodes in an order in which edges lead forwards. */
    public function ordered(): array
    {
        $state = [];
        $order = [];
        $visit = function (string $node) use (&$visit, &$state, &$order): void {
            if (($state[$node] ?? 0) === 2) {
                return;
            }
            if (($state[$node] ?? 0) === 1) {
                throw new LogicException("A circle through $node");
            }
            $state[$node] = 1;
            foreach ($this->edges[$node] as $next => $_) {
                $visit($next);
            }
            $state[$node] = 2;
            $order[] = $node;
        };
        foreach ($this->nodes() as $node) {
            $visit($node);
        }
        return array_reverse($order);
    }

    /** Kruskal: the edges that hold everything together at the least cost. */
    public function spanning(): array
    {
        $all = [];
        foreach ($this->edges as $from => $targets) {
            foreach ($targets as $to => $weight) {
                if (strcmp($from, $to) < 0) {
                    $all[] = [$weight, $from, $to];
                }
            }
        }
        sort($all);
        $parent = array_combine($this->nodes(), $this->nodes());
        $find = static function (string $node) use (&$parent): string {
            while ($parent[$node] !== $node) {
                $node = $parent[$node] = $parent[$parent[$node]];
            }
            return $node;
        };
        $chosen = [];
        foreach ($all as [$weight, $from, $to]) {
            $a = $find($from);
            $b = $find($to);
            if ($a !== $b) {
                $parent[$a] = $b;
                $chosen["$from-$to"] = $weight;
            }
        }
        return $chosen;
    }
}

final class Matrix
{
    private function __construct(private array $rows) {}

    public static function of(int $size, callable $cell): self
    {
        $rows = [];
        for ($i = 0; $i < $size; $i++) {
            for ($j = 0; $j < $size; $j++) {
                $rows[$i][$j] = $cell($i, $j);
            }
        }
        return new self($rows);
    }

    public function times(Matrix $other): self
    {
        $size = count($this->rows);
        $product = [];
        foreach ($this->rows as $i => $row) {
            $line = array_fill(0, $size, 0);
            foreach ($row as $k => $factor) {
                $right = $other->rows[$k];
                for ($j = 0; $j < $size; $j++) {
                    $line[$j] += $factor * $right[$j];
                }
            }
            $product[$i] = $line;
        }
        return new self($product);
    }

    /** By elimination. */
    public function determinant(): float
    {
        $rows = $this->rows;
        $size = count($rows);
        $result = 1.0;
        for ($column = 0; $column < $size; $column++) {
            $pivot = $column;
            for ($row = $column + 1; $row < $size; $row++) {
                if (abs($rows[$row][$column]) > abs($rows[$pivot][$column])) {
                    $pivot = $row;
                }
            }
            if ($rows[$pivot][$column] == 0) {
                return 0.0;
            }
            if ($pivot !== $column) {
                [$rows[$pivot], $rows[$column]] = [$rows[$column], $rows[$pivot]];
                $result = -$result;
            }
            $result *= $rows[$column][$column];
            for ($row = $column + 1; $row < $size; $row++) {
                $factor = $rows[$row][$column] / $rows[$column][$column];
                for ($k = $column; $k < $size; $k++) {
                    $rows[$row][$k] -= $factor * $rows[$column][$k];
                }
            }
        }
        return $result;
    }

    public function trace(): int|float
    {
        $sum = 0;
        foreach ($this->rows as $i => $row) {
            $sum += $row[$i];
        }
        return $sum;
    }
}

/** Steps through a maze, by breadth-first search. */
function steps(array $maze, array $start, array $end): int
{
    $distance = [$start[0] => [$start[1] => 0]];
    $queue = new SplQueue();
    $queue[] = $start;
    while (count($queue)) {
        [$y, $x] = $queue->dequeue();
        if ([$y, $x] === $end) {
            return $distance[$y][$x];
        }
        foreach ([[0, 1], [1, 0], [0, -1], [-1, 0]] as [$dy, $dx]) {
            $ny = $y + $dy;
            $nx = $x + $dx;
            if (($maze[$ny][$nx] ?? '#') !== '#' && !isset($distance[$ny][$nx])) {
                $distance[$ny][$nx] = $distance[$y][$x] + 1;
                $queue->enqueue([$ny, $nx]);
            }
        }
    }
    return -1;
}

function maze(int $width, int $height): array
{
    $rows = [];
    for ($y = 0; $y < $height; $y++) {
        $row = '';
        for ($x = 0; $x < $width; $x++) {
            $row .= ($y % 4 === 2 && $x !== ($y % 8 === 2 ? $width - 1 : 0)) || ($x * 7 + $y * 3) % 11 === 4 && $y % 4 === 0 ? '#' : '.';
        }
        $rows[] = $row;
    }
    return $rows;
}

function allPairs(array $weights): array
{
    $count = count($weights);
    for ($k = 0; $k < $count; $k++) {
        for ($i = 0; $i < $count; $i++) {
            $first = $weights[$i][$k];
            if ($first === INF) {
                continue;
            }
            for ($j = 0; $j < $count; $j++) {
                $sum = $first + $weights[$k][$j];
                if ($sum < $weights[$i][$j]) {
                    $weights[$i][$j] = $sum;
                }
            }
        }
    }
    return $weights;
}

/** The length of the longest common subsequence, and one. */
function common(string $a, string $b): string
{
    $lengths = array_fill(0, strlen($a) + 1, array_fill(0, strlen($b) + 1, 0));
    for ($i = 1; $i <= strlen($a); $i++) {
        for ($j = 1; $j <= strlen($b); $j++) {
            $lengths[$i][$j] = $a[$i - 1] === $b[$j - 1]
                ? $lengths[$i - 1][$j - 1] + 1
                : max($lengths[$i - 1][$j], $lengths[$i][$j - 1]);
        }
    }
    $text = '';
    for ($i = strlen($a), $j = strlen($b); $i > 0 && $j > 0;) {
        if ($a[$i - 1] === $b[$j - 1]) {
            $text = $a[--$i] . $text;
            $j--;
        } elseif ($lengths[$i - 1][$j] >= $lengths[$i][$j - 1]) {
            $i--;
        } else {
            $j--;
        }
    }
    return strlen($text) . " $text";
}

function report(): string
{
    $graph = new Graph();
    $tasks = new Graph();
    for ($i = 0; $i < 120; $i++) {
        foreach ([3, 7, 31] as $step) {
            $graph->connect("n$i", 'n' . ($i * $step + 1) % 120, ($i * $step) % 17 + 1, true);
        }
        if ($i > 0) {
            $tasks->connect('t' . intdiv($i, 3), "t$i");
            $tasks->connect("t$i", 't' . ($i * 2 + 1));
        }
    }
    $spanning = $graph->spanning();
    $order = $tasks->ordered();
    try {
        $tasks->connect('t200', 't1')->connect('t100', 't200')->ordered();
    } catch (LogicException $exception) {
        $circle = $exception->getMessage();
    }
    $a = Matrix::of(20, fn(int $i, int $j) => ($i * $j + 3) % 7 - 2);
    $b = Matrix::of(20, fn(int $i, int $j) => $i === $j ? 2 : ($i < $j ? 1 : 0));
    $weights = [];
    for ($i = 0; $i < 24; $i++) {
        for ($j = 0; $j < 24; $j++) {
            $weights[$i][$j] = $i === $j ? 0.0 : (($i * 5 + $j * 3) % 7 === 0 ? (float) ($i + $j) : INF);
        }
    }
    $pairs = allPairs($weights);
    $lines = [
        $graph->path('n5', 'n77'),
        array_sum(array_column($graph->shortest('n0'), 0)),
        count($spanning) . ' edges of ' . array_sum($spanning) . ': ' . implode(' ', array_slice(array_keys($spanning), 0, 6)),
        count($order) . ' ' . implode(' ', array_slice($order, 0, 8)),
        $circle ?? 'no circle',
        $a->times($b)->times($a)->trace() . ' ' . round($b->determinant()) . ' ' . round($a->determinant(), 3),
        steps(maze(30, 24), [0, 0], [23, 29]),
        array_sum(array_map(fn(array $row) => array_sum(array_filter($row, is_finite(...))), $pairs)),
        common(str_repeat('grammar and graph ', 3), str_repeat('program of a map ', 3)),
    ];
    return implode("\n", $lines);
}

$rounds = (int) ($argv[1] ?? 30);
for ($round = 0; $round < $rounds; $round++) {
    $report = report();
}
echo $report, "\n";
