<?php
// Calls every builtin with arguments of the types that it declares, and null in the place of one or two. `$seed`
// says which ones.
set_error_handler(fn() => true);
$inputs = 0;
function of(?ReflectionType $t, int $k): mixed {
    $n = $t === null ? 'mixed' : ($t instanceof ReflectionNamedType ? $t->getName() : ($t instanceof ReflectionUnionType ? array_values(array_filter($t->getTypes(), fn($x) => $x->getName() !== 'null'))[$k % max(1, count($t->getTypes()) - (int) $t->allowsNull())]->getName() : 'mixed'));
    return match ($n) { 'string' => ['abc', '', '1', 'UTF-8', '/b/', 'sha256', 'strlen', 'ArrayObject', 'php://memory'][$k % 9], 'int' => [1, 0, 3, -1][$k % 4], 'float' => 1.5, 'bool', 'true', 'false' => $k % 2 == 0, 'array' => [[1, 'a'], [], ['k' => 'v', 2]][$k % 3], 'callable' => 'strlen', 'iterable' => [1], 'object' => new stdClass, 'mixed' => [1, 'a', [1], null][$k % 4],
        'Closure' => fn() => 1, default => class_exists($n) ? (function () use ($n) { try { return match ($n) { 'DateTimeZone' => new DateTimeZone('UTC'), 'DateTimeInterface', 'DateTime' => new DateTime('2020-01-01'), 'DateInterval' => new DateInterval('P1D'), default => new $n }; } catch (Throwable) { return null; } })() : match ($n) { 'DateTimeInterface' => new DateTime('2020-01-01'), 'Traversable', 'Iterator' => new ArrayIterator([1, 2]), 'Countable' => new ArrayObject([1]), default => null } };
}
function attempt($call, array $ps) {
    $call = function ($a) use ($call) { $GLOBALS['inputs']++; return $call($a); };
    $n = count($ps);
    for ($k = 0; $k < 9; $k++) {
        $all = array_map(fn($p) => of($p->getType(), $k), $ps);
        for ($len = $n; $len >= 0; $len--) {
            $args = array_slice($all, 0, $len);
            try { $call($args); } catch (Throwable) {}
            for ($i = 0; $i < $len; $i++) {
                $a = $args; $a[$i] = null;
                try { $call($a); } catch (Throwable) {}
                for ($j = $i + 1; $j < $len; $j++) { $b = $a; $b[$j] = null; try { $call($b); } catch (Throwable) {} }
            }
        }
    }
}
$units = [];
foreach (get_defined_functions()['internal'] as $f) if (!preg_match('/^(ob_|opline|pcntl_exec|stream_wrapper|spl_autoload|readline|session_|f?passthru|fgetc|fread|stream_get|exit|die|set_error|restore_error|header_register)/', $f)) $units[] = $f;
foreach (get_declared_classes() as $c) { $r = new ReflectionClass($c); if ($r->isInternal()) foreach ($r->getMethods() as $m) if (!in_array($m->name, ['__destruct']) && $m->class === $c && !preg_match('/^(fpassthru|fgetc|fgets|fread|fgetcsv|fscanf)$/', $m->name)) $units[] = [$c, $m->name]; }
for ($u = $seed * 8 % count($units), $last = min($u + 8, count($units)); $u < $last; $u++) {
    ob_start(fn() => '');
    if (is_string($units[$u])) {
        $f = $units[$u];
        attempt(fn($a) => $f(...$a), (new ReflectionFunction($f))->getParameters());
    } elseif ($o = made($units[$u][0])) {
        [$c, $m] = $units[$u];
        attempt(fn($a) => copied($o)->$m(...$a), (new ReflectionMethod($c, $m))->getParameters());
    }
    while (ob_get_level()) ob_end_clean();
}
echo "inputs $inputs\n";
function copied($o) { try { return clone $o; } catch (Throwable) { return $o; } }
function made($c) {
    $class = new ReflectionClass($c);
    if ($class->isAbstract() || $class->isEnum()) return null;
    try { return $class->newInstanceArgs(array_map(fn($p) => of($p->getType(), 0), $class->getConstructor()?->getParameters() ?? [])); } catch (Throwable) {}
    try { return $class->newInstanceWithoutConstructor(); } catch (Throwable) { return null; }
}
