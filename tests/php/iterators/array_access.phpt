--TEST--
ArrayAccess in every kind of access
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# arrayaccess\n";
class AA implements ArrayAccess { public $d = []; function offsetGet($o): mixed { echo "get(", var_export($o, true), ")\n"; return $this->d[$o] ?? null; } function offsetSet($o, $v): void { echo "set(", var_export($o, true), ",", json_encode($v), ")\n"; if ($o === null) $this->d[] = $v; else $this->d[$o] = $v; } function offsetExists($o): bool { echo "exists(", var_export($o, true), ")\n"; return isset($this->d[$o]); } function offsetUnset($o): void { echo "unset(", var_export($o, true), ")\n"; unset($this->d[$o]); } }
$a = new AA; $a[] = 1; $a['x'] = 2; $a[1.5] = 3; $a[true] = 4; $a[null] = 5; $a["5"] = 6; $a[5]; $a["05"];
var_dump(isset($a['x']), isset($a['no']), empty($a['x']), $a['x'] ?? 'd', $a['no'] ?? 'd', isset($a['x']['y']), isset($a['x']['y']['z']), $a['no']['q'] ?? 'dd', empty($a['no']['q']));
$a['x'] .= 'y'; $a['new'] ??= 'dflt'; $a['new'] ??= 'again'; $a['x']++; --$a['x']; unset($a['x'], $a['y']['z']); [$p, 'x' => $q] = $a; ['a' => [$r]] = $a;
$a['arr'] = [1]; $a['arr'][] = 2; $a['arr']['k']['l'] = 3; var_dump($a['arr']); foreach ([1] as $a['loop']); [$a['l1'], $a['l2']] = [1, 2]; list('k' => $a['l3']) = ['k' => 'v']; echo "$a[x] {$a['x']} ${a}['x']\n";

echo "# arrayaccess ref\n";
class AR implements ArrayAccess { public $d = []; function &offsetGet($o): mixed { echo "get(", var_export($o, true), ")\n"; return $this->d[$o]; } function offsetSet($o, $v): void { echo "set\n"; } function offsetExists($o): bool { return true; } function offsetUnset($o): void { echo "uns\n"; } }
$a = new AR; $a['x'][] = 1; $a['x']['y']['z'] = 2; $r = &$a['r']; $r = 5; var_dump($a->d); $a['x']['n']++; unset($a['x']['y']); foreach ($a['x'] as &$v) $v = 0; unset($v); function f(&$x) { $x = 'f'; } f($a['byref']); f($a['q']['w']); $a[][] = 3; var_dump($a->d); sort($a['x']);
--STATUS--
255
--EXPECT--
Fatal error: Cannot mix keyed and unkeyed array entries in assignments in case.php on line 8
