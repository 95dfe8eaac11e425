<?php
// `===` of objects: by identity, from variables, temporaries and constants, kept and given up.
enum Suit { case Hearts; case Spades; case Clubs; }
final class Node {
    public ?Node $next = null;
    public function __construct(public string $name) {}
    public function __destruct() { echo "gone {$this->name}\n"; }
    public function self(): static { return $this; }
}

function colour(Suit $suit): string {
    return match ($suit) {
        Suit::Hearts => 'red',
        Suit::Spades, Suit::Clubs => 'black',
    };
}

function compare(int $turns): string {
    $one = new Node("one$turns");
    $two = new Node("two$turns");
    $reference = &$one->next;
    $reference = $two;
    $found = '';
    for ($i = 0; $i < $turns; $i++) {
        $other = $i % 3 ? $one : $two;
        $found = ($one === $other ? 'a' : 'b') . ($one !== $other ? 'c' : 'd');
        $found .= ($one->self() === $one ? 'e' : 'f') . ($one->next === $two ? 'g' : 'h');
        $found .= ($one === null ? 'i' : 'j') . ($one !== 5 ? 'k' : 'l') . ($reference === $two ? 'm' : 'n');
        $found .= ($suit = Suit::cases()[$i % 3]) === Suit::Clubs ? 'o' : 'p';
    }
    return $found;
}

function fresh(int $turns): int {
    $same = 0;
    for ($i = 0; $i < $turns; $i++) {
        // Both operands are given up.
        $same += (int) (new ArrayObject([$i]) === new ArrayObject([$i]));
        $same += (int) (new ArrayObject([$i]) !== new ArrayObject([$i]));
    }
    return $same;
}

foreach ([3, 90] as $turns) {
    $colours = '';
    for ($i = 0; $i < $turns; $i++) {
        $colours .= colour(Suit::cases()[$i % 3]);
    }
    var_dump(md5($colours), fresh($turns), compare($turns));
}
