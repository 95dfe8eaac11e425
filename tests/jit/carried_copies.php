<?php
// Temporaries that stand for values elsewhere are carried over branches, and are made before memory changes.

function nested(array $rows, $turns)
{
    $log = '';
    for ($i = 0; $i < $turns; $i++) {
        $x = $rows[$i % 4]['name']['first'] ?? 'none';
        $y = isset($rows[$i % 3]['name']) ? $rows[$i % 3]['name'] : [$i];
        $z = empty($rows[$i % 5]['tags'][0]);
        $rows[$i % 4]['name']['first'] = $x . ($z ? '' : '!');
        if (strlen($rows[$i % 4]['name']['first']) > 12) {
            $rows[$i % 4]['name'] = ['first' => 'short'];
        }
        $log = md5($log . $x . json_encode($y) . json_encode($z));
    }
    return $log . json_encode($rows);
}

class Node
{
    public ?Node $next = null;
    public array $data = ['k' => ['v' => 1]];
    public ?array $maybe = null;
    public $any;
    public function __construct(public string $name) {}
    public function chain() { return $this->next?->next?->name ?? ($this->next?->name . '?'); }
    public function picked($key) { return ($key ? $this->data : $this->maybe)['k']['v'] ?? $this->name; }
    public function both($flag) { return ($flag ? $this->name : $this->any) . ($flag ? $this->any : $this->name); }
    public function replaced($i) { return [$this->data, $this->data = ['k' => ['v' => $i]], $this->data['k']['v'] ?? 0]; }
    public function called($i) { return ($i % 2 ? $this->data : $this->maybe) === $this->change($i) ? 'same' : 'other'; }
    private function change($i) { $old = $this->data; $this->data = ['k' => ['v' => $i]]; return $old; }
}

function nullsafe($turns)
{
    $null = null;
    $list = [new Node('a'), new Node('b'), new Node('c')];
    $list[0]->next = $list[1];
    $list[1]->next = $list[2];
    $log = '';
    for ($i = 0; $i < $turns; $i++) {
        $node = $list[$i % 3];
        $node->any = $i % 4 ? "any $i" : null;
        $node->maybe = $i % 5 ? ['k' => ['v' => $i]] : null;
        $log = md5($log . json_encode([
            $node->chain(), $node->picked($i % 2), $node->both($i % 2 === 0), $node->replaced($i), $node->called($i),
            $null?->name, isset($null?->next->name), empty($null?->name), $null?->next?->name ?? 'default',
            isset($node?->next?->name), empty($node?->next?->data['k']['w']), $node?->next?->data['k']['v'] ?? null,
        ]));
        $list[0]->next = $i % 7 ? $list[1] : null;
    }
    return $log;
}

function undefined($turns)
{
    for ($i = 0; $i < $turns; $i++) {
        $x = $missing?->name;
        if ($i === 1) {
            $missing = null;
        }
        $y = isset($other?->name) || empty($other?->name);
    }
    var_dump($x, $y);
}

foreach ([5, 60, 400] as $turns) {
    echo nested([['name' => ['first' => 'one'], 'tags' => ['x']], ['name' => ['first' => 'two']], ['tags' => []], []], $turns), "\n";
    echo nullsafe($turns), "\n";
    undefined($turns);
}
