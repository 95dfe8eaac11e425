<?php
// Prints, one a line, what the extensions that are named as arguments consist of: kind, extension, name
// and signature, with tabs between them. compare.py runs it under two engines.

function default_text(ReflectionParameter $parameter): string
{
    if (!$parameter->isOptional()) {
        return '';
    }
    if ($parameter->isVariadic()) {
        return '';
    }
    if (!$parameter->isDefaultValueAvailable()) {
        return ' = <none>';
    }
    if ($parameter->isDefaultValueConstant()) {
        return ' = ' . $parameter->getDefaultValueConstantName();
    }
    return ' = ' . var_text($parameter->getDefaultValue());
}

function var_text(mixed $value): string
{
    if (is_object($value)) {
        return $value instanceof UnitEnum ? get_class($value) . '::' . $value->name : get_class($value);
    }
    if (is_resource($value)) {
        return 'resource';
    }
    return preg_replace('/\s+/', ' ', var_export($value, true));
}

function signature(ReflectionFunctionAbstract $function): string
{
    $parts = [];
    foreach ($function->getParameters() as $parameter) {
        $parts[] = ltrim($parameter->getType() . ' ')
            . ($parameter->isPassedByReference() ? ($parameter->canBePassedByValue() ? '~&' : '&') : '')
            . ($parameter->isVariadic() ? '...' : '')
            . '$' . $parameter->getName() . default_text($parameter);
    }
    $result = $function->hasTentativeReturnType()
        ? ' ~' . $function->getTentativeReturnType()
        : ($function->hasReturnType() ? ' ' . $function->getReturnType() : '');
    return ($function->isDeprecated() ? 'deprecated ' : '') . ($function->returnsReference() ? '&' : '')
        . ($function->isGenerator() ? '*' : '') . '(' . implode(', ', $parts) . ')' . $result
        . ' ' . $function->getNumberOfRequiredParameters();
}

function row(string ...$fields): void
{
    echo implode("\t", str_replace(["\n", "\t", "\r"], ['\n', '\t', '\r'], $fields)), "\n";
}

function class_rows(string $extension, ReflectionClass $class): void
{
    $name = $class->getName();
    $interfaces = $class->getInterfaceNames();
    sort($interfaces);
    $attributes = array_map(fn($attribute) => $attribute->getName(), $class->getAttributes());
    row('class', $extension, $name, implode(' ', Reflection::getModifierNames($class->getModifiers()))
        . ($class->isInterface() ? ' interface' : '') . ($class->isTrait() ? ' trait' : '')
        . ($class->isEnum() ? ' enum' : '')
        . ' extends ' . ($class->getParentClass() ? $class->getParentClass()->getName() : '-')
        . ' implements ' . implode(', ', $interfaces)
        . ($class->isInstantiable() ? ' instantiable' : '') . ($class->isCloneable() ? ' cloneable' : '')
        . ($class->isIterable() ? ' iterable' : '') . ' ' . implode(' ', $attributes));
    foreach ($class->getReflectionConstants() as $constant) {
        if ($constant->getDeclaringClass()->getName() === $name) {
            row('class constant', $extension, $name . '::' . $constant->getName(),
                implode(' ', Reflection::getModifierNames($constant->getModifiers())) . ' '
                . $constant->getType() . ' = ' . var_text($constant->getValue())
                . ($constant->isDeprecated() ? ' deprecated' : ''));
        }
    }
    foreach ($class->getProperties() as $property) {
        if ($property->getDeclaringClass()->getName() === $name) {
            row('property', $extension, $name . '::$' . $property->getName(),
                implode(' ', Reflection::getModifierNames($property->getModifiers())) . ' '
                . $property->getType()
                . ($property->hasDefaultValue() ? ' = ' . var_text($property->getDefaultValue()) : ''));
        }
    }
    foreach ($class->getMethods() as $method) {
        if ($method->getDeclaringClass()->getName() === $name) {
            row('method', $extension, $name . '::' . $method->getName(),
                implode(' ', Reflection::getModifierNames($method->getModifiers())) . ' '
                . signature($method));
        }
    }
}

error_reporting(E_ALL & ~E_DEPRECATED);
foreach (array_slice($argv, 1) as $name) {
    if (!extension_loaded($name)) {
        row('extension', $name, $name, 'missing');
        continue;
    }
    $extension = new ReflectionExtension($name);
    $dependencies = $extension->getDependencies();
    ksort($dependencies);
    row('extension', $name, $name, $extension->getName() . ' ' . json_encode($dependencies));
    foreach ($extension->getFunctions() as $function) {
        row('function', $name, $function->getName(), signature($function));
    }
    foreach ($extension->getClasses() as $class) {
        class_rows($name, $class);
    }
    foreach ($extension->getConstants() as $constant => $value) {
        row('constant', $name, $constant, gettype($value) . ' ' . var_text($value));
    }
    $settings = ini_get_all($name) ?: [];
    foreach ($settings as $setting => $about) {
        row('setting', $name, $setting, var_text($about['global_value']) . ' access ' . $about['access']);
    }
}
