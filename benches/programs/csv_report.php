<?php
// Reads sales as CSV, checks them, groups them by months, regions and articles, and prints tables.

final class BadRow extends DomainException
{
    public function __construct(string $message, public readonly int $row)
    {
        parent::__construct("Row $row: $message");
    }
}

final class Sale
{
    public function __construct(
        public readonly DateTimeImmutable $date,
        public readonly string $region,
        public readonly string $article,
        public readonly int $count,
        public readonly float $price,
        public readonly array $labels,
    ) {}

    public static function fromRow(array $row, int $number): self
    {
        $date = DateTimeImmutable::createFromFormat('!d.m.Y', $row['date']);
        if ($date === false || $date->format('d.m.Y') !== $row['date']) {
            throw new BadRow("no date: {$row['date']}", $number);
        }
        if (!preg_match('/^(?<currency>[A-Z]{3})\s+(?<amount>\d+(?:\.\d\d)?)$/', $row['price'], $match)) {
            throw new BadRow("no price: {$row['price']}", $number);
        }
        $count = filter_var($row['count'], FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 1000]]);
        if ($count === false) {
            throw new BadRow("no count: {$row['count']}", $number);
        }
        $rate = ['CHF' => 1.0, 'EUR' => 0.945][$match['currency']] ?? throw new BadRow("no currency: {$match['currency']}", $number);
        $labels = array_filter(array_map(trim(...), explode(';', $row['labels'])), fn(string $label) => $label !== '');
        return new self($date, ucfirst(strtolower($row['region'])), $row['article'], $count, $match['amount'] * $rate, $labels);
    }

    public function total(): float
    {
        return round($this->count * $this->price, 2);
    }
}

final class CsvReader implements IteratorAggregate
{
    public function __construct(private string $text) {}

    public function getIterator(): Generator
    {
        $names = null;
        foreach (explode("\n", $this->text) as $number => $line) {
            if ($line === '' || $line[0] === '#') {
                continue;
            }
            $fields = $this->fields($line);
            if ($names === null) {
                $names = $fields;
            } elseif (count($fields) === count($names)) {
                yield $number + 1 => array_combine($names, $fields);
            } else {
                yield $number + 1 => null;
            }
        }
    }

    /** Fields of a line; quotes inside of quotes are doubled. */
    private function fields(string $line): array
    {
        if (!str_contains($line, '"')) {
            return explode(',', $line);
        }
        $fields = [];
        $field = '';
        $isQuoted = false;
        for ($i = 0, $length = strlen($line); $i < $length; $i++) {
            $byte = $line[$i];
            if ($isQuoted) {
                if ($byte !== '"') {
                    $field .= $byte;
                } elseif ($i + 1 < $length && $line[$i + 1] === '"') {
                    $field .= '"';
                    $i++;
                } else {
                    $isQuoted = false;
                }
            } elseif ($byte === '"') {
                $isQuoted = true;
            } elseif ($byte === ',') {
                $fields[] = $field;
                $field = '';
            } else {
                $field .= $byte;
            }
        }
        $fields[] = $field;
        return $fields;
    }
}

final class Table
{
    private array $rows = [];

    public function __construct(private array $columns) {}

    public function add(string|int|float ...$cells): static
    {
        $this->rows[] = $cells;
        return $this;
    }

    public function sort(int $column, bool $descending = false): static
    {
        usort($this->rows, fn(array $a, array $b) => $descending ? $b[$column] <=> $a[$column] : $a[$column] <=> $b[$column]);
        return $this;
    }

    public function __toString(): string
    {
        $format = fn(string|int|float $cell) => is_float($cell) ? number_format($cell, 2, '.', "'") : (string) $cell;
        $texts = array_map(fn(array $row) => array_map($format, $row), $this->rows);
        $widths = [];
        foreach ($this->columns as $index => $column) {
            $widths[$index] = max(strlen($column), ...array_map('strlen', array_column($texts, $index)));
        }
        $lines = [];
        foreach ([$this->columns, ...$texts] as $number => $row) {
            $cells = [];
            foreach ($row as $index => $cell) {
                $isNumber = is_int($this->rows[0][$index]) || is_float($this->rows[0][$index]);
                $cells[] = str_pad($cell, $widths[$index], ' ', $isNumber ? STR_PAD_LEFT : STR_PAD_RIGHT);
            }
            $lines[] = rtrim(implode(' | ', $cells));
            if ($number === 0) {
                $lines[] = implode('-+-', array_map(fn(int $width) => str_repeat('-', $width), $widths));
            }
        }
        return implode("\n", $lines) . "\n";
    }
}

function sales(int $count): string
{
    $regions = ['NORTH', 'south', 'East', 'west'];
    $articles = ['Pen', '"Pen, red"', '"Paper ""A4"""', 'Ink'];
    $lines = ['# exported', 'date,region,article,count,price,labels'];
    $seed = 7;
    for ($i = 0; $i < $count; $i++) {
        $seed = ($seed * 16807) % 2147483647;
        $day = sprintf('%02d.%02d.2024', $seed % 31 + 1, $seed % 12 + 1);
        $price = sprintf('%s %d.%02d', $seed % 5 ? 'CHF' : ($seed % 35 ? 'EUR' : 'XXX'), $seed % 90 + 1, $seed % 100);
        $labels = ['new; sale', 'sale', '', 'old;new;'][$seed % 4];
        $lines[] = implode(',', [$day, $regions[$seed % 4], $articles[($seed >> 5) % 4], $seed % 41, $price, $labels]);
    }
    $lines[] = 'a,b';
    return implode("\n", $lines);
}

function report(string $text): string
{
    $sales = [];
    $problems = [];
    foreach (new CsvReader($text) as $number => $row) {
        try {
            $sales[] = Sale::fromRow($row ?? throw new BadRow('wrong number of fields', $number), $number);
        } catch (BadRow $problem) {
            $problems[] = $problem;
        }
    }
    $months = $byRegion = $byArticle = $labels = [];
    foreach ($sales as $sale) {
        $months[$sale->date->format('Y-m')][] = $sale->total();
        $byRegion[$sale->region][$sale->date->format('l')] ??= 0.0;
        $byRegion[$sale->region][$sale->date->format('l')] += $sale->total();
        $byArticle[$sale->article]['count'] = ($byArticle[$sale->article]['count'] ?? 0) + $sale->count;
        $byArticle[$sale->article]['total'] = ($byArticle[$sale->article]['total'] ?? 0) + $sale->total();
        foreach ($sale->labels as $label) {
            $labels[$label] ??= 0;
            $labels[$label]++;
        }
    }
    ksort($months);
    $table = new Table(['Month', 'Sales', 'Total', 'Mean', 'Best']);
    foreach ($months as $month => $totals) {
        $name = (new DateTimeImmutable("$month-01"))->format('M y');
        $table->add($name, count($totals), array_sum($totals), array_sum($totals) / count($totals), max($totals));
    }
    $regions = new Table(['Region', 'Best day', 'Total']);
    foreach ($byRegion as $region => $days) {
        arsort($days);
        $regions->add($region, array_key_first($days), array_sum($days));
    }
    $articles = new Table(['Article', 'Count', 'Total']);
    foreach ($byArticle as $article => ['count' => $count, 'total' => $total]) {
        $articles->add($article, $count, $total);
    }
    arsort($labels);
    $weeks = array_count_values(array_map(fn(Sale $sale) => $sale->date->format('o-\WW'), $sales));
    ksort($weeks);
    return $table . "\n" . $regions->sort(2, true) . "\n" . $articles->sort(0) . "\n"
        . http_build_query($labels, '', ', ') . "\n"
        . count($weeks) . ' weeks, the last ' . array_key_last($weeks) . "\n"
        . count($problems) . " problems:\n"
        . implode("\n", array_map(fn(BadRow $problem) => "  {$problem->getMessage()}", array_slice($problems, -4)));
}

$rounds = (int) ($argv[1] ?? 15);
$text = sales(600);
for ($round = 0; $round < $rounds; $round++) {
    $report = report($text);
}
echo $report, "\n";
