<?php
// Inlined methods of several receivers in one loop: `$this` of each is what its own frame says.
final class Grid
{
    private array $rows;

    public function __construct(private int $width, private int $base)
    {
        $this->rows = [];
        for ($y = 0; $y < $width; $y++) {
            $row = [];
            for ($x = 0; $x < $width; $x++) {
                $row[] = $base + $x * $y;
            }
            $this->rows[] = $row;
        }
    }

    public function at(int $y, int $x): int
    {
        return $this->rows[$y][$x];
    }

    public function base(): int
    {
        return $this->base;
    }

    public function times(Grid $other): int
    {
        $sum = 0;
        for ($y = 0; $y < $this->width; $y++) {
            for ($x = 0; $x < $this->width; $x++) {
                $sum += $this->at($y, $x) * $other->at($x, $y) - $other->base() * $this->base();
            }
        }
        return $sum;
    }
}

$small = new Grid(24, 2);
$large = new Grid(24, 5);
for ($i = 0; $i < 40; $i++) {
    echo $small->times($large), ' ', $large->times($small), "\n";
}
