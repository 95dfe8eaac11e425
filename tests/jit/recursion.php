<?php
// Functions that call themselves stand in themselves.

function fibonacci(int $n) { return $n < 2 ? $n : fibonacci($n - 2) + fibonacci($n - 1); }
echo fibonacci(22), "\n";

function ackermann($m, $n) {
    if ($m == 0) return $n + 1;
    if ($n == 0) return ackermann($m - 1, 1);
    return ackermann($m - 1, ackermann($m, $n - 1));
}
echo ackermann(2, 30), "\n";

// Types change far down.
function product($n) { return $n <= 1 ? 1 : $n * product($n - 1); }
for ($i = 0; $i < 60; $i++) $last = product(10);
var_dump($last, product(25));

// An exception thrown at depth passes all frames, inlined or not, and says where it came from.
function sink(int $n, int $at) {
    if ($n === $at) throw new LogicException("at $n");
    return 1 + sink($n + 1, $at);
}
function caught(int $at) {
    try {
        return sink(0, $at);
    } catch (LogicException $e) {
        return $e->getMessage() . ' ' . count($e->getTrace()) . ' ' . $e->getLine();
    }
}
for ($i = 0; $i < 120; $i++) $text = caught($i % 7);
echo $text, ' ', caught(9), "\n";

// Whoever asks sees every frame with its arguments.
function depth(int $n, int $most) {
    if ($n === $most) {
        return implode(',', array_map(fn($frame) => $frame['args'][0] ?? '-', array_slice(debug_backtrace(), 0, $most + 1)))
            . ' ' . implode(',', func_get_args());
    }
    return depth($n + 1, $most);
}
for ($i = 0; $i < 150; $i++) $text = depth(0, 5);
echo $text, "\n";

// References, defaults, static variables and arrays that are changed on the way.
function collect(array &$into, array $tree, int $level = 0) {
    static $calls = 0;
    $calls++;
    foreach ($tree as $key => $branch) {
        if (is_array($branch)) {
            collect($into, $branch, $level + 1);
        } else {
            $into[] = "$key$level:$branch";
        }
    }
    return $calls;
}
$tree = ['a' => 1, 'b' => ['c' => 2, 'd' => ['e' => 3], 'f' => ['g' => ['h' => 4]]], 'i' => 5];
for ($i = 0; $i < 80; $i++) {
    $into = [];
    $calls = collect($into, $tree);
}
echo implode(' ', $into), " $calls\n";

// Methods, and objects that go away at different depths.
class Node {
    public ?Node $left = null;
    public ?Node $right = null;
    public static int $gone = 0;
    public function __construct(public int $value) {}
    public function add(int $value): void {
        if ($value < $this->value) {
            if ($this->left === null) { $this->left = new Node($value); } else { $this->left->add($value); }
        } else {
            if ($this->right === null) { $this->right = new Node($value); } else { $this->right->add($value); }
        }
    }
    public function sum(): int { return $this->value + ($this->left?->sum() ?? 0) + ($this->right?->sum() ?? 0); }
    public static function height(?Node $node): int {
        return $node === null ? 0 : 1 + max(self::height($node->left), self::height($node->right));
    }
    public function __destruct() { self::$gone++; }
}
$seed = 7;
for ($turn = 0; $turn < 6; $turn++) {
    $root = new Node(50);
    for ($i = 0; $i < 60; $i++) { $seed = ($seed * 75 + 74) % 65537; $root->add($seed % 100); }
    echo $root->sum(), ' ', Node::height($root), ' ';
}
unset($root);
echo Node::$gone, "\n";

// Two that call each other, and one that redefines what it returns.
function even($n) { return $n === 0 ? true : odd($n - 1); }
function odd($n) { return $n === 0 ? false : even($n - 1); }
for ($i = 0; $i < 100; $i++) $is = even($i);
var_dump($is, even(41));
function unlike($n) { if ($n > 90) return "text $n"; return $n === 0 ? 0 : unlike($n - 1); }
for ($i = 0; $i < 90; $i++) $is = unlike($i);
var_dump($is, unlike(91));
