<?php
// Variables that nobody reads, and what is only computed for them.
class Loud {
    public function __construct(public string $name) {}
    public function __destruct() { echo "gone: {$this->name}\n"; }
}

class Text {
    public static int $asked = 0;
    public function __toString(): string { self::$asked++; return 'text'; }
}

function literals(int $turns): int {
    for ($i = 0; $i < $turns; $i++) {
        $list = [$i, 2, $i];
        $map = ['a' => $i, $i => 'b', 'c' => "$i"];
        $text = 'number ' . $i;
        $rope = "a $i b $text c";
        $float = (string) 1.5;
    }
    return $i;
}

// What was there before goes when it is assigned, with its destructor.
function destructors(int $turns): string {
    $kept = new Loud('first');
    for ($i = 0; $i < $turns; $i++) {
        if ($i == 5) {
            echo "turn 5\n";
        }
        $kept = [$i, $i];
        if ($i == $turns - 2) {
            $kept = new Loud('last');
            echo "made\n";
        }
    }
    echo "done\n";
    return 'end';
}

function in_a_loop(int $turns): void {
    for ($i = 0; $i < $turns; $i++) {
        $object = new Loud("turn $i");
        $object = "$i";
    }
}

// Conversions that run code or warn are made.
function conversions(int $turns): int {
    $texts = [1, 'a', 2.5, null, true, new Text];
    for ($i = 0; $i < $turns; $i++) {
        $value = $texts[$i % 6];
        $unread = 'x' . $value;
    }
    return Text::$asked;
}

function warnings(int $turns): int {
    $count = 0;
    set_error_handler(function (int $level, string $message) use (&$count) {
        $count++;
        return true;
    });
    for ($i = 0; $i < $turns; $i++) {
        $value = $i == $turns - 3 ? [] : $i;
        $text = 'list ' . $value;
        $other = [$missing];
    }
    restore_error_handler();
    return $count;
}

function keys(int $turns): int {
    $caught = 0;
    for ($i = 0; $i < $turns; $i++) {
        $key = $i == $turns - 2 ? [] : $i;
        try {
            $map = [$key => 1];
        } catch (TypeError $error) {
            $caught++;
        }
    }
    return $caught;
}

// Names get at variables.
function by_compact(int $turns): array {
    for ($i = 0; $i < $turns; $i++) {
        $pair = [$i, "t$i"];
    }
    return compact('pair');
}

function by_variables(int $turns): array {
    for ($i = 0; $i < $turns; $i++) {
        $pair = [$i, "v$i"];
    }
    return get_defined_vars();
}

function by_eval(int $turns): void {
    for ($i = 0; $i < $turns; $i++) {
        $pair = [$i, "e$i"];
    }
    eval('echo json_encode($pair), "\n";');
}

function by_name(int $turns): void {
    $name = 'pair';
    for ($i = 0; $i < $turns; $i++) {
        $pair = [$i, "n$i"];
    }
    echo json_encode($$name), "\n";
}

function by_reference(int $turns): array {
    $outer = [];
    $inner = &$outer;
    for ($i = 0; $i < $turns; $i++) {
        $inner = [$i, "r$i"];
    }
    return $outer;
}

function by_static(int $turns): string {
    static $last = 'none';
    $before = $last;
    for ($i = 0; $i < $turns; $i++) {
        $last = "s$i";
    }
    return $before;
}

function elements(int $turns): array {
    $value = 1;
    for ($i = 0; $i < $turns; $i++) {
        $unread = [&$value, $i];
        $value++;
    }
    return [$value];
}

function parameter(array $given, int $turns): array {
    for ($i = 0; $i < $turns; $i++) {
        $given = [$i, 'p'];
    }
    return func_get_args();
}

function functions(int $turns): int {
    $text = 'a,b,c';
    for ($i = 0; $i < $turns; $i++) {
        $parts = implode(';', ['a', 'b']);
        $upper = strtoupper($text);
        $bad = $i == $turns - 1 ? str_repeat('x', 3) : str_replace('a', 'b', $text);
    }
    return $i;
}

echo literals(400), "\n";
echo destructors(300), "\n";
in_a_loop(3);
ob_start();
in_a_loop(300);
echo strlen(ob_get_clean()), "\n";
echo conversions(300), "\n";
echo warnings(300), "\n";
echo keys(300), "\n";
echo json_encode(by_compact(300)), json_encode(by_variables(300)), "\n";
by_eval(300);
by_name(300);
echo json_encode(by_reference(300)), by_static(300), by_static(300), "\n";
echo json_encode(elements(300)), json_encode(parameter([1], 300)), functions(300), "\n";

// Elements of what nobody reads: keys and values are not computed, unless that says something.
function filled(int $turns): int {
    $list = [];
    $map = ['x' => 1];
    $base = [1, 2, 3];
    for ($i = 0; $i < $turns; $i++) {
        $list[$i & 7] = $i;
        $map["key $i"] = $i . 'x';
        $map[$i * 7] = $i * 0.5;
        $copy = $base;
        $copy[0] = $i;
        $made['a'] = "$i";
    }
    return $i;
}

function not_fillable(int $turns): string {
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        $value = $i % 5 == 4 ? 5 : [];
        try {
            $value[0] = 1;
        } catch (Error $error) {
            $text .= $i . ' ' . $error->getMessage() . "\n";
        }
    }
    return $text;
}

function not_fillable_by_literal(int $turns): string {
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        $value = 5;
        try {
            $value['k'] = 1;
        } catch (Error $error) {
            $text = $error->getMessage();
        }
    }
    return $text;
}

function computed_and_filled(int $turns): string {
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        $value = $i + 1;
        try {
            $value[0] = 1;
        } catch (Error $error) {
            $text = $error->getMessage();
        }
    }
    return $text;
}

function letters(int $turns): string {
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        $value = 'abc';
        try {
            $value[0] = '';
        } catch (Error $error) {
            $text = $error->getMessage();
        }
    }
    return $text;
}

function odd_keys(int $turns): array {
    $said = [];
    set_error_handler(function (int $level, string $message) use (&$said) {
        $said[$message] = ($said[$message] ?? 0) + 1;
        return true;
    });
    $keys = [1, 'a', 2.5, null, true, 1.0];
    for ($i = 0; $i < $turns; $i++) {
        $filled[$keys[$i % 6]] = $i;
        $filled[1] = $missing;
        if ($i % 6 == 5) {
            try {
                $filled[[]] = 1;
            } catch (TypeError $error) {
                $said[$error->getMessage()] = ($said[$error->getMessage()] ?? 0) + 1;
            }
        }
    }
    restore_error_handler();
    return $said;
}

function appended(int $turns): string {
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        $full[PHP_INT_MAX] = $i;
        try {
            $full[] = $i;
        } catch (Error $error) {
            $text = $error->getMessage();
        }
    }
    return $text;
}

// What elements hold lives as long as it would.
function kept_by_elements(int $turns): void {
    for ($i = 0; $i < $turns; $i++) {
        $object = new Loud("element $i");
        $kept[0] = $object;
        $object = null;
        echo "behind $i\n";
        $list = [new Loud("listed $i")];
        $copy = $list;
        $list = null;
        echo "copied $i\n";
    }
}

class Box implements ArrayAccess {
    public function offsetExists($offset): bool { return true; }
    public function offsetGet($offset): mixed { return 1; }
    public function offsetSet($offset, $value): void { echo "set $offset\n"; }
    public function offsetUnset($offset): void {}
}

function boxes(int $turns): void {
    for ($i = 0; $i < $turns; $i++) {
        $box = $i < $turns - 3 ? [] : new Box;
        $box["k$i"] = $i;
    }
}

// Sums that nobody reads: numbers overflow for nothing, other operands are looked at.
function sums(int $turns): string {
    $text = '';
    $operands = [1, 2.5, PHP_INT_MAX, '3', 'x', [1], null];
    for ($i = 0; $i < $turns; $i++) {
        try {
            $sum = $operands[$i % 7] + 1;
            $product = $i * PHP_INT_MAX;
            $is_less = $operands[$i % 7] < $i;
            $has = isset($operands[$i], $operands['x'][$i]);
        } catch (TypeError $error) {
            $text = $error->getMessage();
        }
    }
    return $text;
}

function traced(int $value): string {
    $value = 7;
    $other = 8;
    $other += 1;
    return (new Exception)->getTraceAsString() . implode(' ', func_get_args());
}

foreach ([3, 60] as $turns) {
    var_dump(filled($turns), not_fillable($turns), not_fillable_by_literal($turns), computed_and_filled($turns));
    var_dump(letters($turns), odd_keys($turns), appended($turns));
    boxes($turns);
    set_error_handler(fn() => true);
    var_dump(sums($turns));
    restore_error_handler();
    var_dump(traced($turns));
}
kept_by_elements(3);
kept_by_elements(40);
