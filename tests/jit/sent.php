<?php
// What is sent to native functions that are called without a frame is given back as often as it was taken.

class Held
{
    public $text;
    public $list;
    public $object;
    public function code() { return ord($this->text); }
    public function part($from) { $part = substr($this->text, $from); return strlen($part); }
    public function first() { return array_key_first($this->list); }
    public function last($held) { $last = array_key_last($held->list); return $last; }
    public function kind() { return get_debug_type($this->object) . gettype($this->object->text); }
    public function known() { return function_exists($this->text) || property_exists($this->object, 'text'); }
    public function turn() { unset($this->list[array_key_first($this->list)]); $this->list[] = strrev($this->text); }
    public function both() { return str_contains($this->text, $this->object->text) ? 1 : 2; }
    public function element() { return ord($this->list[0] ?? $this->text) + strlen(ucfirst($this->object->text)); }
}

/** The numbers of owners that are told. */
function owners($value): string
{
    ob_start();
    debug_zval_dump($value);
    preg_match_all('/refcount\((\d+)\)/', ob_get_clean(), $found);
    return implode(' ', $found[1]);
}

$held = new Held;
$held->text = 'text' . getmypid() % 1;
$held->list = [$held->text . 'a', $held->text . 'b', 'c' . $held->text];
$held->object = new Held;
$held->object->text = 'inner' . strlen($held->text);
foreach (['code', 'part', 'first', 'last', 'kind', 'known', 'both', 'element', 'turn'] as $method) {
    $sum = '';
    for ($i = 0; $i < 300; $i++) {
        $argument = match ($method) { 'part' => $i % 3, 'last' => $held, default => null };
        $outcome = $held->$method($argument);
        $sum = md5($sum . $outcome);
    }
    unset($argument, $outcome);
    echo $method, ' ', $sum, ' ', owners($held->text), ' ', owners($held->object), ' ', count($held->list), "\n";
}
$before = memory_get_usage();
for ($i = 0; $i < 3000; $i++) {
    $held->turn();
}
var_dump(memory_get_usage() - $before < 10000);
