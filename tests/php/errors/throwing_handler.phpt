--TEST--
A warning that an error handler turns into an exception, in the middle of every kind of expression
--FILE--
<?php
// What is left of an expression in the middle of which an error handler throws.
class Tracked
{
    public function __construct(public string $name) {}
    public function __destruct() { echo "    {$this->name} destroyed\n"; }
}
class Plain { public $declared = false; public int $number = 1; public ?string $text = 's'; }

function show(mixed $value): string
{
    if (is_array($value)) {
        $parts = [];
        foreach ($value as $key => $element) {
            $parts[] = var_export($key, true) . ' => ' . show($element);
        }
        return '[' . implode(', ', $parts) . ']';
    }
    if (is_object($value)) {
        return get_class($value) . show(get_object_vars($value));
    }
    return var_export($value, true);
}
function takes(...$arguments) { echo "    takes() ran\n"; return new Tracked('result'); }
function by_reference(&$a, $b = 0) { echo "    by_reference() ran\n"; }
function typed(): int { global $fraction; $local = new Tracked('local'); return $fraction; }

set_error_handler(function (int $level, string $message) {
    throw new ErrorException($message, 0, $level);
});
$fraction = 1.5;

function attempt(string $code): void
{
    echo $code, "\n";
    $plain = new Plain();
    $dynamic = new stdClass();
    $array = ['k' => 1, 'n' => ['q' => 2]];
    $false = false;
    $string = 'text';
    $integer = 5;
    try {
        eval($code);
    } catch (Throwable $thrown) {
        for (; $thrown !== null; $thrown = $thrown->getPrevious()) {
            echo '    ', get_class($thrown), ': ', $thrown->getMessage(), "\n";
        }
    }
    foreach (compact('plain', 'dynamic', 'array', 'false', 'string', 'integer') as $name => $value) {
        $changed = show($value);
        static $before = [];
        $before[$name] ??= $changed;
        if ($changed !== $before[$name]) {
            echo "    $name is $changed\n";
        }
    }
    if (isset($x)) {
        echo '    x is ', show($x), "\n";
    }
}
attempt(';');

$statements = <<<'CODE'
$x += 1;
$x .= 'a';
$x++;
$x--;
$x['k'] += 1;
$x['k']['l']++;
$x->p += 1;
$x->p->q = 1;
$x->p = new Tracked('a');
$dynamic->a += 5;
$dynamic->a .= 'b';
$dynamic->a++;
--$dynamic->a;
$dynamic->a['k'] .= 'b';
$dynamic->{$u} = new Tracked('a');
$dynamic->{$u} += $v;
$dynamic->{$u}['k'] = 1;
$dynamic->a = $u;
$dynamic->a ??= $u;
$plain->new = new Tracked('a');
$plain->new[] = new Tracked('a');
$plain->new ??= new Tracked('a');
$plain->new++;
$r = &$plain->new;
$plain->declared[] = new Tracked('a');
$plain->declared['a']['b'] = new Tracked('a');
$plain->declared .= $u;
$plain->number = 1.5;
$plain->number += 1.5;
$plain->number += 'abc';
$plain->number .= [];
$plain->text -= new Tracked('a');
$r = &$plain->number; $r = 1.5;
$r = &$plain->number; $r += 'abc';
$r = &$plain->number; $r = $u;
$array[$u] = new Tracked('a');
$array[1.5] = new Tracked('a');
$array['k'] = $u;
$array['n']['q'] = $u;
$array['n'][$u] = 1;
$array['k'] += $u;
$array['z'] += 1;
$array['z']['y'] .= 'c';
$array['k'] .= [];
$array['k'][$u] = 1;
$array['k']['q'] = $u;
$false[] = new Tracked('a');
$false['a']['b'] = new Tracked('a');
$false['a'] += 1;
$false['a']++;
$false->a = new Tracked('a');
$string[$u] = 'x';
$string['a'] = $u;
$string[1.5] = 'x';
$string[0] = 'xyz';
$string[-9] = 'x';
$string['1x'] = 'x';
$string[$u][$v] = 1;
$integer[$u] = $v;
$integer[$u][$v] = 1;
$integer[$u] .= $v;
[$x[1], $x[$u]] = [1, 2];
[$a, $b] = [1];
['k' => $a, 'z' => $b] = $array;
[$a[$u], $b] = [new Tracked('a'), new Tracked('b')];
takes(new Tracked('a'), $u);
takes(new Tracked('a'), takes(new Tracked('b'), $u));
takes(new Tracked('a'), ...[new Tracked('b')], ...[$u]);
takes(new Tracked('a'), x: new Tracked('b'), y: $u);
new Tracked(takes(new Tracked('a'))->name . $u);
takes(...$u);
$u(new Tracked('a'));
$u->method(new Tracked('a'));
$u::method(new Tracked('a'));
[new Tracked('a'), $u]();
by_reference($x['a'], $u);
by_reference($array['m']['n'], $array[$u]);
typed();
strlen($u);
echo 'a', $u, 'b';
echo [];
print [new Tracked('a')];
return [new Tracked('a'), 'k' => $u];
return ['a' => new Tracked('a'), $u => 1];
return ['a' => new Tracked('a'), ...$u];
return "x" . takes()->name . "{$u}y";
return "a$u b$v";
return (clone new Tracked('a'))->{$u};
return (array) new Tracked('a') + $u;
return $u + [];
return $u . new Tracked('a');
return [] . new Tracked('a');
return new Tracked('a') <=> $u;
return 7.5 % $u;
return 1.5 | 2.5;
return $u % $v;
return isset($array[$u][$v]) ? 1 : $w;
unset($array[$u]);
unset($array[$u][$v]);
unset($array['n'][$u]);
unset($x['a']['b']);
unset($x->a->b);
return match (new Tracked('a')) { $u => 1, default => 2 };
switch (new Tracked('a')) { case $u: return 1; }
throw $u;
include new Tracked('a')->name . $u;
foreach ($u as $value) { }
foreach ([new Tracked('a'), new Tracked('b')] as $value) { echo $u; }
foreach ([[new Tracked('a')], [new Tracked('b')]] as [$p, $q]) { }
foreach ([1, 2] as $u->x[$v]) { }
$f = function () use ($u) { };
(fn () => $u . new Tracked('a')->name)();
(fn () => yield from $u)()->current();
foreach ((function () { try { yield [new Tracked('a'), $u]; } finally { echo "    finally\n"; } })() as $value) { }
usort($array['n'], $u);
array_map(fn ($t) => $t . $u, [new Tracked('a'), new Tracked('b')]);
$sorted = [3, 1, 2]; usort($sorted, fn ($p, $q) => $u);
CODE;
foreach (explode("\n", $statements) as $statement) {
    attempt($statement);
}
--EXPECT--
;
$x += 1;
    ErrorException: Undefined variable $x
    x is 1
$x .= 'a';
    ErrorException: Undefined variable $x
$x++;
    ErrorException: Undefined variable $x
    x is 1
$x--;
    ErrorException: Undefined variable $x
$x['k'] += 1;
    ErrorException: Undefined variable $x
    x is []
$x['k']['l']++;
    ErrorException: Undefined variable $x
    x is []
$x->p += 1;
    Error: Attempt to assign property "p" on null
    ErrorException: Undefined variable $x
$x->p->q = 1;
    Error: Attempt to modify property "p" on null
$x->p = new Tracked('a');
    a destroyed
    Error: Attempt to assign property "p" on null
$dynamic->a += 5;
    ErrorException: Undefined property: stdClass::$a
    dynamic is stdClass['a' => 5]
$dynamic->a .= 'b';
    ErrorException: Undefined property: stdClass::$a
    dynamic is stdClass['a' => NULL]
$dynamic->a++;
    ErrorException: Undefined property: stdClass::$a
    dynamic is stdClass['a' => 1]
--$dynamic->a;
    ErrorException: Undefined property: stdClass::$a
    dynamic is stdClass['a' => NULL]
$dynamic->a['k'] .= 'b';
    ErrorException: Undefined property: stdClass::$a
    dynamic is stdClass['a' => NULL]
$dynamic->{$u} = new Tracked('a');
    ErrorException: Undefined variable $u
    dynamic is stdClass['' => Tracked['name' => 'a']]
    a destroyed
$dynamic->{$u} += $v;
    ErrorException: Undefined variable $u
    dynamic is stdClass['' => 0]
$dynamic->{$u}['k'] = 1;
    ErrorException: Undefined variable $u
    dynamic is stdClass['' => NULL]
$dynamic->a = $u;
    ErrorException: Undefined variable $u
    dynamic is stdClass['a' => NULL]
$dynamic->a ??= $u;
    ErrorException: Undefined variable $u
    dynamic is stdClass['a' => NULL]
$plain->new = new Tracked('a');
    ErrorException: Creation of dynamic property Plain::$new is deprecated
    plain is Plain['declared' => false, 'number' => 1, 'text' => 's', 'new' => Tracked['name' => 'a']]
    a destroyed
$plain->new[] = new Tracked('a');
    a destroyed
    ErrorException: Creation of dynamic property Plain::$new is deprecated
    plain is Plain['declared' => false, 'number' => 1, 'text' => 's', 'new' => NULL]
$plain->new ??= new Tracked('a');
    ErrorException: Creation of dynamic property Plain::$new is deprecated
    plain is Plain['declared' => false, 'number' => 1, 'text' => 's', 'new' => Tracked['name' => 'a']]
    a destroyed
$plain->new++;
    ErrorException: Creation of dynamic property Plain::$new is deprecated
    plain is Plain['declared' => false, 'number' => 1, 'text' => 's', 'new' => 1]
$r = &$plain->new;
    ErrorException: Creation of dynamic property Plain::$new is deprecated
    plain is Plain['declared' => false, 'number' => 1, 'text' => 's', 'new' => NULL]
$plain->declared[] = new Tracked('a');
    ErrorException: Automatic conversion of false to array is deprecated
    plain is Plain['declared' => [0 => Tracked['name' => 'a']], 'number' => 1, 'text' => 's']
    a destroyed
$plain->declared['a']['b'] = new Tracked('a');
    a destroyed
    ErrorException: Automatic conversion of false to array is deprecated
    plain is Plain['declared' => ['a' => NULL], 'number' => 1, 'text' => 's']
$plain->declared .= $u;
    ErrorException: Undefined variable $u
$plain->number = 1.5;
    ErrorException: Implicit conversion from float 1.5 to int loses precision
$plain->number += 1.5;
    ErrorException: Implicit conversion from float 2.5 to int loses precision
$plain->number += 'abc';
    TypeError: Unsupported operand types: int + string
    plain is Plain['declared' => false, 'number' => 0, 'text' => 's']
$plain->number .= [];
    ErrorException: Array to string conversion
    plain is Plain['declared' => false, 'number' => 0, 'text' => 's']
$plain->text -= new Tracked('a');
    a destroyed
    TypeError: Unsupported operand types: string - Tracked
    plain is Plain['declared' => false, 'number' => 1, 'text' => '']
$r = &$plain->number; $r = 1.5;
    TypeError: Cannot assign float to reference held by property Plain::$number of type int
    ErrorException: Implicit conversion from float 1.5 to int loses precision
$r = &$plain->number; $r += 'abc';
    TypeError: Unsupported operand types: int + string
    plain is Plain['declared' => false, 'number' => 0, 'text' => 's']
$r = &$plain->number; $r = $u;
    TypeError: Cannot assign null to reference held by property Plain::$number of type int
    ErrorException: Undefined variable $u
$array[$u] = new Tracked('a');
    a destroyed
    ErrorException: Undefined variable $u
$array[1.5] = new Tracked('a');
    a destroyed
    ErrorException: Implicit conversion from float 1.5 to int loses precision
$array['k'] = $u;
    ErrorException: Undefined variable $u
    array is ['k' => NULL, 'n' => ['q' => 2]]
$array['n']['q'] = $u;
    ErrorException: Undefined variable $u
    array is ['k' => 1, 'n' => ['q' => NULL]]
$array['n'][$u] = 1;
    ErrorException: Undefined variable $u
$array['k'] += $u;
    ErrorException: Undefined variable $u
$array['z'] += 1;
    ErrorException: Undefined array key "z"
$array['z']['y'] .= 'c';
    ErrorException: Undefined array key "z"
$array['k'] .= [];
    ErrorException: Array to string conversion
$array['k'][$u] = 1;
    Error: Cannot use a scalar value as an array
$array['k']['q'] = $u;
    Error: Cannot use a scalar value as an array
$false[] = new Tracked('a');
    ErrorException: Automatic conversion of false to array is deprecated
    false is [0 => Tracked['name' => 'a']]
    a destroyed
$false['a']['b'] = new Tracked('a');
    a destroyed
    ErrorException: Automatic conversion of false to array is deprecated
    false is ['a' => NULL]
$false['a'] += 1;
    ErrorException: Automatic conversion of false to array is deprecated
    false is []
$false['a']++;
    ErrorException: Automatic conversion of false to array is deprecated
    false is []
$false->a = new Tracked('a');
    a destroyed
    Error: Attempt to assign property "a" on false
$string[$u] = 'x';
    ErrorException: Undefined variable $u
$string['a'] = $u;
    TypeError: Cannot access offset of type string on string
$string[1.5] = 'x';
    ErrorException: String offset cast occurred
$string[0] = 'xyz';
    ErrorException: Only the first byte will be assigned to the string offset
$string[-9] = 'x';
    ErrorException: Illegal string offset -9
$string['1x'] = 'x';
    ErrorException: Illegal string offset "1x"
$string[$u][$v] = 1;
    ErrorException: Undefined variable $u
$integer[$u] = $v;
    Error: Cannot use a scalar value as an array
$integer[$u][$v] = 1;
    Error: Cannot use a scalar value as an array
$integer[$u] .= $v;
    Error: Cannot use a scalar value as an array
    ErrorException: Undefined variable $u
[$x[1], $x[$u]] = [1, 2];
    ErrorException: Undefined variable $u
    x is [1 => 1]
[$a, $b] = [1];
    ErrorException: Undefined array key 1
['k' => $a, 'z' => $b] = $array;
    ErrorException: Undefined array key "z"
[$a[$u], $b] = [new Tracked('a'), new Tracked('b')];
    a destroyed
    b destroyed
    ErrorException: Undefined variable $u
takes(new Tracked('a'), $u);
    a destroyed
    ErrorException: Undefined variable $u
takes(new Tracked('a'), takes(new Tracked('b'), $u));
    b destroyed
    a destroyed
    ErrorException: Undefined variable $u
takes(new Tracked('a'), ...[new Tracked('b')], ...[$u]);
    a destroyed
    b destroyed
    ErrorException: Undefined variable $u
takes(new Tracked('a'), x: new Tracked('b'), y: $u);
    a destroyed
    b destroyed
    ErrorException: Undefined variable $u
new Tracked(takes(new Tracked('a'))->name . $u);
    takes() ran
    a destroyed
    result destroyed
    ErrorException: Undefined variable $u
takes(...$u);
    TypeError: Only arrays and Traversables can be unpacked, null given
    ErrorException: Undefined variable $u
$u(new Tracked('a'));
    ErrorException: Undefined variable $u
$u->method(new Tracked('a'));
    ErrorException: Undefined variable $u
$u::method(new Tracked('a'));
    ErrorException: Undefined variable $u
[new Tracked('a'), $u]();
    a destroyed
    ErrorException: Undefined variable $u
by_reference($x['a'], $u);
    ErrorException: Undefined variable $u
    x is ['a' => NULL]
by_reference($array['m']['n'], $array[$u]);
    ErrorException: Undefined variable $u
    array is ['k' => 1, 'n' => ['q' => 2], 'm' => ['n' => NULL]]
typed();
    local destroyed
    TypeError: typed(): Return value must be of type int, float returned
    ErrorException: Implicit conversion from float 1.5 to int loses precision
strlen($u);
    ErrorException: Undefined variable $u
echo 'a', $u, 'b';
a    ErrorException: Undefined variable $u
echo [];
Array    ErrorException: Array to string conversion
print [new Tracked('a')];
Array    a destroyed
    ErrorException: Array to string conversion
return [new Tracked('a'), 'k' => $u];
    a destroyed
    ErrorException: Undefined variable $u
return ['a' => new Tracked('a'), $u => 1];
    a destroyed
    ErrorException: Undefined variable $u
return ['a' => new Tracked('a'), ...$u];
    a destroyed
    Error: Only arrays and Traversables can be unpacked, null given
    ErrorException: Undefined variable $u
return "x" . takes()->name . "{$u}y";
    takes() ran
    result destroyed
    ErrorException: Undefined variable $u
return "a$u b$v";
    ErrorException: Undefined variable $u
return (clone new Tracked('a'))->{$u};
    a destroyed
    a destroyed
    ErrorException: Undefined variable $u
return (array) new Tracked('a') + $u;
    a destroyed
    ErrorException: Undefined variable $u
return $u + [];
    ErrorException: Undefined variable $u
return $u . new Tracked('a');
    a destroyed
    ErrorException: Undefined variable $u
return [] . new Tracked('a');
    a destroyed
    ErrorException: Array to string conversion
return new Tracked('a') <=> $u;
    a destroyed
    ErrorException: Undefined variable $u
return 7.5 % $u;
    ErrorException: Undefined variable $u
return 1.5 | 2.5;
    ErrorException: Implicit conversion from float 1.5 to int loses precision
return $u % $v;
    DivisionByZeroError: Modulo by zero
    ErrorException: Undefined variable $u
return isset($array[$u][$v]) ? 1 : $w;
    ErrorException: Undefined variable $u
unset($array[$u]);
    ErrorException: Undefined variable $u
unset($array[$u][$v]);
    ErrorException: Undefined variable $u
unset($array['n'][$u]);
    ErrorException: Undefined variable $u
unset($x['a']['b']);
    ErrorException: Undefined variable $x
unset($x->a->b);
    ErrorException: Undefined variable $x
return match (new Tracked('a')) { $u => 1, default => 2 };
    a destroyed
    ErrorException: Undefined variable $u
switch (new Tracked('a')) { case $u: return 1; }
    a destroyed
    ErrorException: Undefined variable $u
throw $u;
    ErrorException: Undefined variable $u
include new Tracked('a')->name . $u;
    a destroyed
    ErrorException: Undefined variable $u
foreach ($u as $value) { }
    ErrorException: Undefined variable $u
foreach ([new Tracked('a'), new Tracked('b')] as $value) { echo $u; }
    b destroyed
    ErrorException: Undefined variable $u
    a destroyed
foreach ([[new Tracked('a')], [new Tracked('b')]] as [$p, $q]) { }
    b destroyed
    ErrorException: Undefined array key 1
    a destroyed
foreach ([1, 2] as $u->x[$v]) { }
    Error: Attempt to modify property "x" on null
$f = function () use ($u) { };
    ErrorException: Undefined variable $u
(fn () => $u . new Tracked('a')->name)();
    a destroyed
    ErrorException: Undefined variable $u
(fn () => yield from $u)()->current();
    Error: Can use "yield from" only with arrays and Traversables
    ErrorException: Undefined variable $u
foreach ((function () { try { yield [new Tracked('a'), $u]; } finally { echo "    finally\n"; } })() as $value) { }
    a destroyed
    finally
    ErrorException: Undefined variable $u
usort($array['n'], $u);
    ErrorException: Undefined variable $u
array_map(fn ($t) => $t . $u, [new Tracked('a'), new Tracked('b')]);
    ErrorException: Undefined variable $u
    a destroyed
    b destroyed
$sorted = [3, 1, 2]; usort($sorted, fn ($p, $q) => $u);
    ErrorException: Undefined variable $u
