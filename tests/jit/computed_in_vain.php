<?php
// What is computed for a variable that nobody reads is left out, and what it would have taken is nobody's: elements and
// properties have as many owners afterwards as before.

class Holder
{
    public $text;
    public array $list;
    public function __construct(int $at) { $this->text = 'text' . $at; $this->list = ['k' => 'element' . $at, 'deep' => ['k' => 'inner' . $at]]; }
}

function noted($i) { if ($i % 7 === 5) { throw new DomainException("at $i"); } return $i; }

function inVain(Holder $holder, int $turns): int
{
    $caught = 0;
    $list = ['k' => 'local' . $turns, 1 => [2 => 'nested' . $turns]];
    for ($i = 0; $i < $turns; $i++) {
        try {
            $unread = $list['k'] . $i;
            noted($i);
            $unread = $holder->text . $i;
            $other = $holder->list['deep']['k'] === 'inner' . $i;
            noted($i + 1);
            $other = $list[1][2] . $holder->list['k'];
            $unread = $holder->text == $list['k'];
            strlen(noted($i + 2) . $list['k']);
        } catch (DomainException) {
            $caught++;
        }
    }
    return $caught;
}

/** The numbers of owners that are told. */
function owners($value): string
{
    ob_start();
    debug_zval_dump($value);
    preg_match_all('/refcount\((\d+)\)/', ob_get_clean(), $found);
    return implode(' ', $found[1]);
}

$holder = new Holder(getmypid() % 1);
foreach ([3, 30, 300] as $turns) {
    echo inVain($holder, $turns), ' ', owners($holder->text), ' ', owners($holder->list), "\n";
}

/** Code that is entered in the middle, where elements have been assigned to before: their array is given up. */
function filledInVain(Holder $holder, int $turns): int
{
    $list = $holder->list;
    for ($i = 0; $i < $turns; $i++) {
        $unread['k'] = $list['k'];
        $others[$i & 1] = $holder->text;
        $more[$list['k']] = $i;
    }
    return $i;
}

foreach ([300, 3, 30, 300] as $turns) {
    echo filledInVain($holder, $turns), ' ', owners($holder->text), ' ', owners($holder->list), "\n";
}
