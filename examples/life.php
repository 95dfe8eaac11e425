<?php
// Conway's Game of Life on a torus. Usage: opline examples/life.php [generations]

const WIDTH = 24;
const HEIGHT = 10;

function place(array &$world, int $x, int $y, string ...$rows): void
{
    foreach ($rows as $dy => $row) {
        foreach (str_split($row) as $dx => $cell) {
            $world[$y + $dy][$x + $dx] = $cell === '#';
        }
    }
}

function neighbours(array $world, int $x, int $y): int
{
    $count = 0;
    foreach ([-1, 0, 1] as $dy) {
        $row = $world[($y + $dy + HEIGHT) % HEIGHT];
        foreach ([-1, 0, 1] as $dx) {
            if (($dx || $dy) && $row[($x + $dx + WIDTH) % WIDTH]) {
                $count++;
            }
        }
    }
    return $count;
}

function step(array $world): array
{
    $next = [];
    foreach ($world as $y => $row) {
        foreach ($row as $x => $alive) {
            $next[$y][$x] = match (neighbours($world, $x, $y)) {
                3 => true,
                2 => $alive,
                default => false,
            };
        }
    }
    return $next;
}

function show(array $world): string
{
    return implode("\n", array_map(fn ($row) => implode(array_map(fn ($cell) => $cell ? '#' : '.', $row)), $world));
}

$world = array_fill(0, HEIGHT, array_fill(0, WIDTH, false));
place($world, 1, 1, '.#.', '..#', '###');
place($world, 12, 4, '###');
place($world, 17, 6, '##', '##');

$generations = (int) ($argv[1] ?? 12);
for ($generation = 0; $generation <= $generations; $generation++) {
    if ($generation % 4 === 0) {
        $alive = array_sum(array_map(fn ($row) => count(array_filter($row)), $world));
        echo "generation $generation, $alive alive\n", show($world), "\n\n";
    }
    $world = step($world);
}
