<?php
// Elements of arrays that are known, at keys that are known.
const MAP = ['a' => 1, '5' => 2, 7 => 3, 'n' => null, 'list' => [1, 2], '05' => 'text', '' => 'empty'];

class Names {
    const ALL = ['x' => ['y' => 'deep'], 'z' => 2.5, -1 => 'minus'];

    public static function sum(int $turns): array {
        $found = [];
        $x = 'x';
        $minus = -1;
        for ($i = 0; $i < $turns; $i++) {
            $found = [self::ALL[$x]['y'], self::ALL['z'], self::ALL[$minus], self::ALL['none'] ?? 'other'];
        }
        return $found;
    }
}

function constants(int $turns): array {
    $a = 'a';
    $five = '5';
    $padded = '05';
    $seven = 7;
    $none = 'none';
    $nothing = 'n';
    $empty = '';
    $found = [];
    for ($i = 0; $i < $turns; $i++) {
        $found = [
            MAP[$a], MAP[$five], MAP[$padded], MAP[$seven], MAP[$empty], MAP[$none] ?? 'none', MAP[$nothing] ?? 'null',
            isset(MAP[$a]), isset(MAP[$nothing]), isset(MAP[$none]), isset(MAP[$five]), empty(MAP[$seven]),
            array_key_exists($nothing, MAP), MAP['list'][1],
        ];
    }
    return $found;
}

function missing(int $turns): int {
    $none = 'none';
    $eight = 8;
    $warnings = 0;
    set_error_handler(function () use (&$warnings) { $warnings++; return true; });
    for ($i = 0; $i < $turns; $i++) {
        $value = MAP[$none];
        $value = MAP[$eight];
    }
    restore_error_handler();
    return $warnings;
}

function jumps(int $turns): string {
    $text = '';
    $texts = ['foo', '5', '05', 'none'];
    foreach ($texts as $each) {
        $known = 'bar';
        for ($i = 0; $i < $turns; $i++) {
            switch ($each) {
                case 'foo': $text .= 'f'; break;
                case 'bar': $text .= 'b'; break;
                case '5': $text .= '5'; break;
                case '05': $text .= '0'; break;
                default: $text .= '-';
            }
            switch ($known) {
                case 'foo': $text .= 'f'; break;
                case 'bar': $text .= 'B'; break;
                case 'baz': $text .= 'z'; break;
            }
            $text .= match ($known) { 'foo' => 1, 'bar' => 2, default => 3 };
            $text .= match ($i & 1 ? 5 : 6) { 5 => 'five', 6 => 'six' };
        }
    }
    return strlen($text) . ' ' . substr($text, 0, 60) . ' ' . md5($text);
}

function unmatched(int $turns): string {
    $known = 'quux';
    $text = '';
    for ($i = 0; $i < $turns; $i++) {
        try {
            $text = match ($known) { 'foo' => 'f', 'bar' => 'b' };
        } catch (UnhandledMatchError $error) {
            $text = $error->getMessage();
        }
        switch ($known) {
            case 'a': case 'b': case 'c': $text .= 'never';
        }
    }
    return $text;
}

function bytes(int $turns): string {
    $text = 'known';
    $found = '';
    for ($i = 0; $i < $turns; $i++) {
        $found = $text[0] . $text[4] . $text[-1] . $text[-5] . ($text[5] ?? '?') . ($text[-6] ?? '?');
        $found .= @$text[5] . @$text[-6] . ('k' === $text[0] ? 'same' : 'other');
    }
    return $found;
}

foreach ([2, 70] as $turns) {
    var_dump(bytes($turns), constants($turns), Names::sum($turns), missing($turns), jumps($turns), unmatched($turns));
}
