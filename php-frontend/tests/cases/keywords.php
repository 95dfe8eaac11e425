<?php
$a->class->list?->function(); A::new(); A::FOR; f(array: 1, default: 2);
class K { const FOR = 1, ENUM = 2; function print() {} public $enum; }
enum: echo 1;
namespace\f(); $x = enum\y(); $a -> /* c */ fn;
