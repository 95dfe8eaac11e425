<?php
// Many opcodes in one loop: run on a small native stack by tests/dispatch.rs.

class Base
{
    public const LIMIT = 3;
    public static int $count = 0;
    public int $typed = 1;
    public $plain = [1, 2, 3];

    public function method($a, &$b, ...$rest)
    {
        $b = $a + count($rest);
        return $this->plain[$a % self::LIMIT] ?? null;
    }

    public static function make(): static
    {
        static::$count++;
        return new static;
    }

    public function __get($name)
    {
        return strlen($name);
    }

    public function __call($name, $arguments)
    {
        return $arguments[0];
    }
}

final class Derived extends Base implements IteratorAggregate
{
    public function getIterator(): Iterator
    {
        return new ArrayIterator($this->plain);
    }
}

function by_value(int $n, string $s = 'default', ?array $list = null): string
{
    static $calls = 0;
    $calls++;
    return "$s$n" . ($list[0] ?? '');
}

function &by_reference(array &$list, $key)
{
    $list[$key] ??= 0;
    return $list[$key];
}

function generate($n)
{
    for ($i = 0; $i < $n; $i++) {
        $sent = yield $i => $i * 2;
    }
    return $sent ?? $n;
}

function finish($n)
{
    try {
        if ($n % 2) {
            throw new LogicException('odd');
        }
        return 'even';
    } catch (LogicException $e) {
        return $e->getMessage();
    } finally {
        $n++;
    }
}

$rounds = (int) ($argv[1] ?? 1000);
$list = ['a' => 1, 'b' => [1, 2, ['c' => 3]]];
$object = new Derived;
$closure = fn ($x) => $x + $rounds;
$text = 'text';
for ($i = 0; $i < $rounds; ++$i) {
    $a = $i + 1;
    $b = $a * 2 - $i / 3;
    $c = ($a <=> $b) | ($i & 7) ^ ($i << 1) >> 1;
    $d = $i % 5 == 0 ? 'five' : ($i % 3 === 0 ? 'three' : "n$i");
    $list['a'] += $c;
    $list['b'][2]['c']++;
    $list['a'] %= 1000;
    $list['b'][2]['c'] %= 1000;
    $reference = &$list['b'][0];
    $reference = $i;
    unset($reference);
    [$x, [, $y]] = [$a, [$b, $c]];
    ['k' => $z] = ['k' => $x];
    $e = isset($list['zz'], $list['a']) || empty($list['none']) && !isset($object->typed);
    $object->typed = $i & 0xff;
    $object->typed++;
    $object->plain[0] = $object->typed . '';
    $f = $object->method($i, $out, 1, 2) . $object->missing . $object->dynamic($i);
    $g = by_value($i, s: 'named') . by_value(...[$i, 'x', [1]]);
    $h = &by_reference($list['b'], 5);
    $h = null;
    unset($h, $list['b'][5]);
    switch ($d) {
        case 'five': $j = 5; break;
        case 'three': $j = 3; break;
        default: $j = 0;
    }
    $k = match (true) { $j > 4 => 'big', $j > 2 => 'middle', default => 'small' };
    $text[$i & 3] = 'abcd'[$i & 3];
    $l = "$text-{$list['a']}-$object->typed";
    if ($i % 16 === 0) {
        foreach ($object as $key => $value) {
            $m = $key . $value;
        }
        foreach (generate(3) as $key => $value) {
            $m .= $key . $value;
        }
        foreach ($list['b'] as &$item) {
            $item = $item;
        }
        unset($item);
        $n = clone Derived::make();
        $n = $n instanceof Base && $n?->typed === 1;
        $o = finish($i >> 4);
        $p = array_map($closure, [1, 2]);
        $q = (string) $i . (int) '12' . (float) $i . (bool) $i;
        $r = (function () { return $this->typed; })->call($object);
        $s = @$undefined_variable['x'];
        eval('$t = 1;');
        $u = [...$p, ...['k' => 1]];
        $v = $$o ?? null;
    }
    if ($f === null) continue;
    while (true) { break; }
    do { $w = --$j; } while ($w > 0);
}
echo "done\n";
