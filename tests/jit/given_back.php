<?php
// References that functions give back: whether the collector is told depends on what they hold.
function number(&$n) { $n++; }
function text(&$s) { $s .= 'x'; }
function listed(array &$list, $value) { $list[] = $value; }
function seen(&$value) { return is_object($value) ? 1 : 0; }
function any(&$a) { $a['k']['l'] = [1]; }

function numbers($turns) {
    $n = 1;
    $s = '';
    for ($i = 0; $i < $turns; $i++) {
        number($n);
        text($s);
    }
    return $n . ' ' . strlen($s);
}

function lists($turns) {
    $list = [];
    $other = ['k' => ['l' => 0]];
    for ($i = 0; $i < $turns; $i++) {
        listed($list, $i);
        any($other);
    }
    return count($list) . ' ' . count($other);
}

function changing($turns) {
    $values = [1, 'text', [1, [2]], new stdClass, null, 1.5];
    $objects = 0;
    for ($i = 0; $i < $turns; $i++) {
        $v = $values[$i % 6];
        $objects += seen($v);
        $r = &$v;
        $objects += seen($r);
        unset($r, $v);
    }
    return $objects;
}

class Shared {
    public $list = [];
    public $self;
    function __construct(public int $number) {}
    function __destruct() { echo 'gone ', $this->number, ' '; }
}

function cycles($turns) {
    for ($i = 0; $i < $turns; $i++) {
        $o = new Shared($i);
        listed($o->list, $o);
        $self = &$o->self;
        seen($self);
        $self = $o;
        seen($self);
        unset($self);
    }
}

foreach ([3, 300, 6000] as $turns) {
    echo numbers($turns), ', ', lists($turns), ', ', changing($turns), "\n";
}
foreach ([2, 3, 200] as $turns) {
    cycles($turns);
    echo gc_collect_cycles(), "\n";
}

// What is in a reference when its last but one name goes decides.
function kept(&$slot, $value) {
    $slot = $value;
    return strlen(serialize($slot));
}
function slots($turns) {
    $sum = 0;
    $slot = 0;
    $name = &$slot;
    for ($i = 0; $i < $turns; $i++) {
        $sum += kept($slot, $i % 3 ? ($i % 2 ? [$i] : "s$i") : $i);
        $sum += kept($name, $i % 5 ? 1 : [[]]);
    }
    return $sum;
}
echo slots(10), ' ', slots(500), ' ', slots(5000), "\n";
