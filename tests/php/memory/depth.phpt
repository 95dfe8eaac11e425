--TEST--
Deep nesting ends in errors, not in the end of the process
--INI--
memory_limit=-1
--FILE--
<?php
function nested(int $depth): array
{
    $value = [];
    while ($depth-- > 0) {
        $value = [$value];
    }
    return $value;
}
function chain(int $length): object
{
    $first = $last = new stdClass;
    while ($length-- > 0) {
        $last = $last->next = new stdClass;
    }
    return $first;
}
const DEPTH = 150_000;
$attempts = [
    'json_encode' => fn($value) => json_encode($value, 0, PHP_INT_MAX),
    'serialize' => serialize(...),
    '==' => fn($value) => $value == (is_array($value) ? nested(DEPTH) : chain(DEPTH)),
    'count' => fn($value) => count((array) $value, COUNT_RECURSIVE),
    'array_replace_recursive' => fn($value) => count(array_replace_recursive((array) $value, (array) $value)),
    'array_walk_recursive' => function ($value) {
        $value = (array) $value;
        return array_walk_recursive($value, fn() => null);
    },
    'clone' => fn($value) => is_object(clone (object) $value),
];
foreach ($attempts as $name => $attempt) {
    foreach ([nested(DEPTH), chain(DEPTH)] as $value) {
        try {
            $result = $attempt($value);
            echo $name, ': ', is_string($result) ? 'text' : var_export($result, true), "\n";
        } catch (Error $error) {
            echo $name, ': ', $error->getMessage(), "\n";
        }
    }
}
?>
--EXPECT--
json_encode: false
json_encode: false
serialize: Maximum call stack size reached. Infinite recursion?
serialize: Maximum call stack size reached. Infinite recursion?
==: Maximum call stack size reached. Infinite recursion?
==: Maximum call stack size reached during object comparison
count: Maximum call stack size reached. Infinite recursion?
count: 1
array_replace_recursive: Maximum call stack size reached. Infinite recursion?
array_replace_recursive: 1
array_walk_recursive: Maximum call stack size reached. Infinite recursion?
array_walk_recursive: true
clone: true
clone: true
