<?php
// Prints what the compiler may know of the running PHP: functions, methods, classes, constants.
// Frameless forms are passed as "name arity" lines on standard input.
error_reporting(E_ALL & ~E_DEPRECATED);
$frameless = [];
while (($line = fgets(STDIN)) !== false) {
    [$name, $arity] = explode(' ', trim($line));
    $frameless[$name] = ($frameless[$name] ?? 0) | 1 << (int) $arity;
}
function value(mixed $value): string {
    return match (true) {
        is_int($value) => "i$value",
        is_float($value) => 'd' . (is_nan($value) ? 'NaN' : (is_infinite($value) ? ($value < 0 ? '-inf' : 'inf') : var_export($value, true))),
        is_bool($value) => 'b' . (int) $value,
        is_string($value) => 's' . bin2hex($value),
        default => 'n',
    };
}
function describe(ReflectionFunctionAbstract $function, int $flags, int $frameless): string {
    $parameters = [];
    foreach ($function->getParameters() as $parameter) {
        $by = $parameter->isPassedByReference() ? ($parameter->canBePassedByValue() ? 2 : 1) : 0;
        try {
            $default = $parameter->isDefaultValueAvailable() ? value($parameter->getDefaultValue()) : 'n';
        } catch (Throwable) {
            $default = 'n';
        }
        $parameters[] = implode(':', [$parameter->getName(), $by, (int) $parameter->isVariadic(), $default]);
    }
    $flags |= $function->isDeprecated() ? 1 << 23 : 0;
    $flags |= $function->isVariadic() ? 1 << 15 : 0;
    return implode("\t", [$flags, $function->getNumberOfRequiredParameters(), $frameless, ...$parameters]);
}
foreach (get_defined_functions()['internal'] as $name) {
    echo "F\t$name\t", describe(new ReflectionFunction($name), 1, $frameless[$name] ?? 0), "\n";
}
foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as $name) {
    $class = new ReflectionClass($name);
    if (!$class->isInternal()) continue;
    echo "C\t", strtolower($name), "\n";
    foreach ($class->getMethods() as $method) {
        $flags = $method->isPublic() ? 1 : ($method->isProtected() ? 2 : 4);
        $flags |= $method->isStatic() ? 16 : 0;
        $flags |= $method->isFinal() ? 32 : 0;
        echo "M\t", strtolower($name), "\t", strtolower($method->getName()), "\t", describe($method, $flags, 0), "\n";
    }
}
// STDIN and its like are made for each request; deprecated ones are left to run time.
foreach (get_defined_constants(true) as $extension => $constants) {
    if ($extension === 'user') continue;
    foreach ($constants as $name => $value) {
        $deprecated = false;
        set_error_handler(function () use (&$deprecated) { return $deprecated = true; }, E_ALL);
        constant($name);
        restore_error_handler();
        if ($deprecated || is_resource($value) || is_array($value) || is_object($value)) continue;
        echo "K\t$name\t", value($value), "\n";
    }
}
