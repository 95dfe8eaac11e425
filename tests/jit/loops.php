<?php
// What a loop does not change is read in front of it; what it does change is not.
class Box {
    public int $size = 3;
    public ?array $items = [1, 2, 3];
    public function sum(int $turns): int {
        $sum = 0;
        for ($i = 0; $i < $turns; $i++) {
            $sum += $this->size + count($this->items);
            if ($i == $turns - 5) {
                $this->size = 10;
                $this->items[] = 4;
            }
        }
        return $sum;
    }
}

function changed_by_reference(int $turns): int {
    $values = [1, 2, 3];
    $alias = &$values;
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $sum += $values[1];
        if ($i % 50 == 49) {
            $alias[1]++;
        }
    }
    return $sum;
}

function left_early(array $lists): string {
    $found = '';
    foreach ($lists as $list) {
        $missing = null;
        foreach ($list as $value) {
            if ($value === 'stop') {
                break;
            }
            $missing ??= [$value => $value];
            $found = $missing[$value] ?? 'none';
        }
    }
    return $found;
}

function other_type(array $values, $limit): int {
    $count = 0;
    for ($i = 0; $i < count($values); $i++) {
        if ($values[$i] < $limit) {
            $count++;
        }
    }
    return $count;
}

function key_removed(int $turns): string {
    $map = ['here' => 1];
    $seen = '';
    for ($i = 0; $i < $turns; $i++) {
        $is = isset($map['here']);
        if ($i == $turns - 2) {
            unset($map['here']);
        }
        if ($i > $turns - 4) {
            $seen .= var_export($is, true) . ' ';
        }
    }
    return $seen;
}

function thrown(array $values): string {
    $found = '';
    try {
        foreach ($values as $value) {
            $found = $value + 1;
        }
    } catch (TypeError $error) {
        return $found . ' ' . $error->getMessage();
    }
    return $found;
}

function nested(array $rows): int {
    $sum = 0;
    $factor = 2;
    foreach ($rows as $row) {
        $width = count($row);
        for ($i = 0; $i < $width; $i++) {
            $sum += $row[$i] * $factor;
        }
        if ($sum > 2000) {
            $factor = 0.5;
        }
    }
    return (int) $sum;
}

echo (new Box)->sum(300), "\n";
echo changed_by_reference(300), "\n";
echo left_early([...array_fill(0, 100, [1, 2, 'stop', 3]), ['stop'], [7]]), "\n";
$values = range(1, 300);
echo other_type($values, 100), other_type($values, 100.5), other_type($values, '50'), other_type($values, null), "\n";
echo key_removed(300), "\n";
echo thrown([...range(1, 300), [], 5]), "\n";
echo nested(array_fill(0, 60, range(1, 10))), "\n";
