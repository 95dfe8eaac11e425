<?php
// Exceptions out of calls, operators and destructors of compiled loops: lines, traces, counts.
class Loud {
    public function __construct(public string $name) {}
    public function __destruct() { echo "gone: {$this->name}\n"; }
}
function thrower(int $n, $object) {
    if ($n % 7 === 6) {
        throw new RuntimeException("at $n");
    }
    return [$n, $object];
}
function work($limit) {
    $caught = 0;
    $sum = 0;
    for ($i = 0; $i < $limit; $i++) {
        try {
            $sum += thrower($i, new Loud("o" . $i))[0];
            $sum += 10 % ($i % 5);
        } catch (RuntimeException $e) {
            $caught++;
            echo $e->getMessage(), ' ', $e->getLine(), ' ', count($e->getTrace()), "\n";
        } catch (DivisionByZeroError $e) {
            echo get_class($e), ' ', $e->getLine(), "\n";
        } finally {
            $sum++;
        }
    }
    return [$caught, $sum];
}
print_r(work(30));
function undefined($n) {
    $text = '';
    for ($i = 0; $i < $n; $i++) {
        $text .= @$missing . $i;
        if ($i > 3) {
            $text .= $array[$i] ?? 'none';
        }
    }
    return $text;
}
echo undefined(8), "\n";
set_error_handler(function ($number, $message, $file, $line) {
    echo "[$message at $line]\n";
    return true;
});
function warns($n) {
    $a = [1, 2];
    $s = 0;
    for ($i = 0; $i < $n; $i++) {
        $s += $a[$i];
        $s += $nothing;
    }
    return $s;
}
echo warns(4), "\n";
