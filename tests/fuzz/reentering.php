<?php
// Calls builtins and methods of the engine's classes whose arguments run code of the script, and that takes away or
// changes what is being worked on. `$seed` says which ones.
mt_srand($seed);
const NAMES = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5'];
$depth = 0;
$left = 4000;
$inputs = 0;
/** What code of the script does in the middle of something. */
function mischief(): mixed
{
    global $depth, $left;
    if ($depth > 4 || --$left < 0) {
        return null;
    }
    $name = NAMES[mt_rand(0, 5)];
    $depth++;
    try {
        switch (mt_rand(0, 22)) {
            case 0: $GLOBALS[$name] = null; break;
            case 1: unset($GLOBALS[$name]); break;
            case 2: $GLOBALS[$name] = str_repeat('x', mt_rand(0, 300)); break;
            case 3: $GLOBALS[$name] = value(); break;
            case 4: $r = &$GLOBALS[$name]; if (is_array($r)) { $r[] = value(); } break;
            case 5: if (is_array($GLOBALS[$name] ?? 0)) { array_shift($GLOBALS[$name]); } break;
            case 6: if (is_array($GLOBALS[$name] ?? 0)) { shuffle($GLOBALS[$name]); } break;
            case 7: if (is_array($GLOBALS[$name] ?? 0)) { foreach ($GLOBALS[$name] as $k => &$x) { if (mt_rand(0, 1)) { unset($GLOBALS[$name][$k]); } else { $x = $k; } } } break;
            case 8: gc_collect_cycles(); break;
            case 9: throw new Exception('mischief');
            case 10: if (Fiber::getCurrent()) { return Fiber::suspend(value()); } break;
            case 11: case 12: attempt(); break;
            case 13: case 14: once(); break;
            case 15: $GLOBALS['kept'] = [$GLOBALS[$name] ?? null, &$GLOBALS['kept']]; break;
            case 16: unset($GLOBALS['kept'], $GLOBALS['fiber'], $GLOBALS['generator']); break;
            case 17: return $undefined;
            case 18: if (is_object($o = $GLOBALS[$name] ?? 0)) { foreach ((array) $o as $k => $x) { try { unset($o->{$k}); } catch (Error) {} } } break;
            case 19: $GLOBALS['generator'] ??= numbers(); $GLOBALS['generator']->next(); break;
            case 20: $f = $GLOBALS['fiber'] ?? null; if ($f?->isSuspended()) { mt_rand(0, 1) ? $f->resume(value()) : $f->throw(new Error('thrown')); } break;
            case 21: set_error_handler(mt_rand(0, 1) ? 'handler' : fn() => true); break;
            case 22: gc_mem_caches(); clearstatcache(); break;
        }
    } finally {
        $depth--;
    }
    return value(2);
}
function maybe(): mixed
{
    return mt_rand(0, 2) ? null : mischief();
}
function handler(): bool
{
    maybe();
    return true;
}
function numbers()
{
    try {
        for ($i = 0; $i < 20; $i++) {
            $x = yield $i => maybe();
            if ($i % 5 == 4) {
                yield from new ArrayIterator([1, 2]);
                yield from $GLOBALS['v0'] ?? [] ?: [];
            }
        }
    } finally {
        maybe();
    }
}
trait Magic
{
    public $p = [1, 'a' => 2];
    public ?int $typed = 1;
    function __get($n) { return maybe() ?? $n; }
    function __set($n, $v) { maybe(); $this->p = $v; }
    function __isset($n) { maybe(); return true; }
    function __unset($n) { maybe(); }
    function __call($n, $a) { return maybe() ?? $a; }
    static function __callStatic($n, $a) { return maybe() ?? $a; }
    function __toString(): string { maybe(); return ['odd', '1', '', "\0x", '/a/', 'v0'][mt_rand(0, 5)]; }
    function __invoke(...$a) { return maybe() ?? $a[0] ?? mt_rand(-1, 1); }
    function __clone() { maybe(); }
    function __destruct() { if (mt_rand(0, 3) == 0) { maybe(); } }
    function __serialize(): array { maybe(); return ['p' => $this->p]; }
    function __unserialize(array $d): void { maybe(); $this->p = $d; }
    function __debugInfo() { return (array) maybe(); }
}
class Odd implements ArrayAccess, IteratorAggregate, Countable, JsonSerializable
{
    use Magic;
    public $hooked { get { maybe(); return $this->hooked ?? 1; } set { maybe(); $this->hooked = $value; } }
    function offsetGet($o): mixed { return maybe() ?? $o; }
    function offsetSet($o, $v): void { maybe(); $this->p = $v; }
    function offsetExists($o): bool { maybe(); return true; }
    function offsetUnset($o): void { maybe(); }
    function getIterator(): Iterator { maybe(); return mt_rand(0, 1) ? new ArrayIterator((array) $this->p) : numbers(); }
    function count(): int { maybe(); return mt_rand(-1, 3); }
    function jsonSerialize(): mixed { return maybe() ?? $this->p; }
}
class Walk implements Iterator
{
    use Magic;
    private $i = 0;
    function current(): mixed { return maybe() ?? $this->i; }
    function key(): mixed { return maybe() ?? $this->i; }
    function next(): void { maybe(); $this->i++; }
    function rewind(): void { maybe(); $this->i = 0; }
    function valid(): bool { maybe(); return $this->i < 5; }
}
class Nested extends Walk implements RecursiveIterator
{
    function hasChildren(): bool { maybe(); return mt_rand(0, 3) == 0; }
    function getChildren(): ?RecursiveIterator { maybe(); return new Nested; }
}
class Sorted extends ArrayObject { function offsetGet($k): mixed { maybe(); return parent::offsetGet($k); } function offsetExists($k): bool { maybe(); return parent::offsetExists($k); } function offsetSet($k, $v): void { maybe(); parent::offsetSet($k, $v); } }
class Heap extends SplMinHeap { function compare($a, $b): int { maybe(); return mt_rand(-1, 1); } }
class Queue extends SplPriorityQueue { function compare($a, $b): int { maybe(); return mt_rand(-1, 1); } }
class Store extends SplObjectStorage { function getHash($o): string { maybe(); return mt_rand(0, 3) . ''; } }
class Wrapper
{
    public $context;
    private $at = 0;
    function stream_open($path, $mode, $options, &$opened) { maybe(); return mt_rand(0, 5) > 0; }
    function stream_read($n) { maybe(); $this->at += 7; return $this->at > 40 ? '' : "ab,c\n\"d"; }
    function stream_write($data) { maybe(); return strlen($data) - mt_rand(0, 1); }
    function stream_eof() { maybe(); return $this->at > 40; }
    function stream_stat() { maybe(); return []; }
    function stream_seek($to, $whence) { maybe(); $this->at = 0; return true; }
    function stream_tell() { maybe(); return $this->at; }
    function stream_flush() { maybe(); return true; }
    function stream_close() { maybe(); }
    function stream_lock($o) { maybe(); return true; }
    function stream_cast($as) { maybe(); return false; }
    function stream_set_option($o, $a, $b) { maybe(); return false; }
    function stream_truncate(int $n) { maybe(); return true; }
    function stream_metadata($p, $o, $v) { maybe(); return true; }
    function url_stat($p, $f) { maybe(); return []; }
    function dir_opendir($p, $o) { maybe(); return true; }
    function dir_readdir() { maybe(); return ++$this->at > 5 ? false : "f$this->at"; }
    function dir_rewinddir() { maybe(); $this->at = 0; return true; }
    function dir_closedir() { maybe(); return true; }
}
class Filter extends php_user_filter
{
    function filter($in, $out, &$consumed, $closing): int
    {
        while ($bucket = stream_bucket_make_writeable($in)) {
            maybe();
            $consumed += $bucket->datalen;
            stream_bucket_append($out, $bucket);
        }
        return mt_rand(0, 6) ? PSFS_PASS_ON : mt_rand(0, 2);
    }
    function onCreate(): bool { maybe(); return true; }
    function onClose(): void { maybe(); }
}
/** A value, of a type that a name says or of any. */
function value(int $deep = 0, string $type = 'mixed'): mixed
{
    $which = match ($type) {
        'int' => 0, 'string' => 1, 'float' => 2, 'bool', 'true', 'false' => 3, 'array' => 5,
        'callable', 'Closure' => 7, 'iterable', 'Traversable', 'Iterator' => 8, 'object' => 6, default => mt_rand(0, 9),
    };
    if (mt_rand(0, 9) == 0) {
        $which = mt_rand(0, 9);
    }
    if ($deep > 2 && $which > 4) {
        $which = 1;
    }
    return match ($which) {
        0 => [0, 1, -1, 2, 3, 7, 64, 256, PHP_INT_MAX, PHP_INT_MIN][mt_rand(0, 9)],
        1 => ['', '0', 'a', 'abc', "\xff", '%s%d', '/(a)|b/', 'strlen', 'Odd', 'mischief', 'ArrayObject', 'odd://x', 'php://memory', 'UTF-8', 'sha256', '<a b="c">d</a>', 'a:1:{i:0;O:3:"Odd":1:{s:1:"p";i:1;}}', 'O:3:"Odd":1:{s:1:"p";R:1;}', '[1,{"a":2}]', '2020-02-30', 'v1', str_repeat('ab', 40)][mt_rand(0, 21)],
        2 => [0.5, -1.5, NAN, INF, 1e300][mt_rand(0, 4)],
        3 => (bool) mt_rand(0, 1),
        4 => null,
        5 => match (mt_rand(0, 4)) {
            0 => [], 1 => [value($deep + 1), 'k' => value($deep + 1)], 2 => range(1, mt_rand(1, 20)),
            3 => [&$GLOBALS[NAMES[mt_rand(0, 5)]], value($deep + 1)], 4 => [new Odd, 'anything'],
        },
        6 => match (mt_rand(0, 13)) {
            0, 1, 2, 3 => new Odd, 4 => new Walk, 5 => new Nested, 6 => new Sorted([3, 1, 2]), 7 => new Heap, 8 => new Queue, 9 => new Store,
            10 => (new ReflectionClass('Odd'))->newLazyGhost(function ($o) { maybe(); if (mt_rand(0, 2) == 0) { $o->p = 1; } }),
            11 => (new ReflectionClass('Odd'))->newLazyProxy(function ($o) { maybe(); return new Odd; }),
            12 => new WeakMap, 13 => new DateTime('2020-01-01'),
        },
        7 => match (mt_rand(0, 4)) { 0 => new Odd, 1 => 'mischief', 2 => [new Odd, 'call'], 3 => fn(&...$a) => maybe() ?? mt_rand(-1, 1), 4 => mischief(...) },
        8 => match (mt_rand(0, 5)) { 0 => new Walk, 1 => numbers(), 2 => new Odd, 3 => new ArrayIterator([1, 2, 3]), 4 => new Nested, 5 => $GLOBALS['generator'] ??= numbers() },
        9 => stream(),
    };
}
function stream(): mixed
{
    $file = @fopen(['odd://x', 'php://memory', 'php://temp'][mt_rand(0, 2)], 'w+');
    if ($file && mt_rand(0, 1)) {
        @stream_filter_append($file, 'odd');
        @fwrite($file, "some,text\nmore");
        @rewind($file);
    }
    return $file;
}
function of_type(?ReflectionType $type): mixed
{
    if ($type instanceof ReflectionUnionType) {
        $types = $type->getTypes();
        $type = $types[mt_rand(0, count($types) - 1)];
    }
    $name = $type instanceof ReflectionNamedType ? $type->getName() : 'mixed';
    if (class_exists($name) && $name != 'Closure' && ($o = made($name))) {
        return $o;
    }
    return value(0, $name);
}
function made(string $class, int $deep = 0): ?object
{
    $class = new ReflectionClass($class);
    if ($class->isAbstract() || $class->isEnum()) {
        return null;
    }
    try {
        return $class->newInstanceArgs(array_map(fn($p) => $deep ? value(2) : of_type($p->getType()), $class->getConstructor()?->getParameters() ?? []));
    } catch (Throwable) {
    }
    try {
        return $class->newInstanceWithoutConstructor();
    } catch (Throwable) {
        return null;
    }
}
/** Calls something of the engine. */
function once(): void
{
    global $functions, $methods, $inputs;
    $inputs++;
    $object = null;
    if (mt_rand(0, 1)) {
        $unit = new ReflectionFunction($functions[mt_rand(0, count($functions) - 1)]);
        $call = $unit->getName();
    } else {
        [$class, $name] = $methods[mt_rand(0, count($methods) - 1)];
        $unit = new ReflectionMethod($class, $name);
        $object = $unit->isStatic() ? null : made($class);
        if (!$object && !$unit->isStatic()) {
            return;
        }
        $call = [$object ?? $class, $name];
    }
    $arguments = [];
    $count = $unit->getNumberOfRequiredParameters();
    $parameters = $unit->getParameters();
    $count = mt_rand(0, 5) ? mt_rand($count, count($parameters)) : mt_rand(0, count($parameters));
    for ($i = 0; $i < $count; $i++) {
        $name = NAMES[mt_rand(0, 5)];
        if ($parameters[$i]->isPassedByReference() || mt_rand(0, 3) == 0) {
            $GLOBALS[$name] = of_type($parameters[$i]->getType());
            $arguments[] = &$GLOBALS[$name];
        } else {
            $arguments[] = of_type($parameters[$i]->getType());
        }
    }
    if (mt_rand(0, 5) == 0) {
        $arguments[] = value(0, 'callable');
    }
    $GLOBALS['fiber'] = mt_rand(0, 3) ? null : $GLOBALS['fiber'] ?? null;
    $result = $call(...$arguments);
    if (mt_rand(0, 3) == 0 && is_iterable($result)) {
        $n = 0;
        foreach ($result as $key => $x) {
            maybe();
            if (++$n > 10) {
                break;
            }
        }
    }
    if (mt_rand(0, 7) == 0) {
        $GLOBALS[NAMES[mt_rand(0, 5)]] = $result;
    }
}
function attempt(): void
{
    try {
        once();
    } catch (Throwable $error) {
        if (mt_rand(0, 3) == 0) {
            $GLOBALS['error'] = $error;
        }
    }
}
$functions = array_values(array_filter(
    get_defined_functions()['internal'],
    fn($name) => !preg_match('/^(opline|exit|die|f?passthru|gc_disable|gc_enable|pcntl_|posix_|readline|session_|set_exception|register_|stream_wrapper|stream_filter_register|spl_autoload|fgetc|phpcredits|phpinfo|php_uname|sem_|shm|msg_|mt_srand|srand|ob_start|curl_|stream_socket|socket_|dns_|gethost|checkdnsrr|getmxrr|error_log|syslog|openlog|fsockopen|usleep|sleep|stream_select|openssl_(pkey_new|dh|csr)|openssl_pbkdf|sodium_crypto_pwhash|password_hash|ftok|linkinfo|set_time_limit|ini_|function_exists$|ignore_user|openssl_pkey|sqlite)/', $name),
));
$methods = [];
foreach (get_declared_classes() as $class) {
    $reflected = new ReflectionClass($class);
    $base = $reflected->isInternal() ? null : $reflected->getParentClass();
    if ($reflected->isInternal() || $base) {
        foreach ($reflected->getMethods() as $method) {
            if (!$method->isAbstract() && $method->isPublic() && $method->name[0] != '_' && !preg_match('/^(fpassthru|fgetc|fread|fgets|fgetcsv|fscanf|connect|exec)$/i', $method->name)) {
                $methods[] = [$class, $method->name];
            }
        }
    }
}
stream_wrapper_register('odd', 'Wrapper');
stream_filter_register('odd', 'Filter');
spl_autoload_register(fn($name) => maybe());
set_error_handler('handler');
for ($round = 0; $round < 40 && $left > 0; $round++) {
    ob_start(mt_rand(0, 2) ? null : function ($text) { if (mt_rand(0, 2) == 0) { maybe(); } return ''; });
    foreach (NAMES as $name) {
        $GLOBALS[$name] ??= value();
    }
    if (mt_rand(0, 2) == 0) {
        try {
            $fiber = new Fiber('attempt');
            $fiber->start();
            $steps = 0;
            while ($steps++ < 5 && $fiber?->isSuspended()) {
                mt_rand(0, 4) ? $fiber->resume(value()) : $fiber->throw(new Exception('into'));
            }
        } catch (Throwable) {
        }
    } else {
        attempt();
    }
    while (ob_get_level()) {
        try {
            if (!@ob_end_clean()) {
                break;
            }
        } catch (Throwable) {
        }
    }
}
restore_error_handler();
echo "inputs $inputs\n";
