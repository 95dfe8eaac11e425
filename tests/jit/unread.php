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
