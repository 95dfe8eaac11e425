<?php
// Writes what ICU says of characters into a file that is read where it lies:
//     php84-all record_characters.php characters.pack
// The data are those of Unicode's character database. What stands in the file is said in `character/data.rs`.

const LAST = 0x10FFFF;

/** Starts of ranges that have the same value, each a word: the first character above eleven bits with the value. */
function ranges(callable $value): string
{
    $words = '';
    $last = null;
    for ($character = 0; $character <= LAST; $character++) {
        $own = (int) $value($character);
        if ($own !== $last) {
            assert($own >= 0 && $own < 2048);
            $words .= pack('V', $character << 11 | $own);
            $last = $own;
        }
    }
    return $words;
}

/** Characters that another one belongs to, in pairs. */
function pairs(callable $other): string
{
    $words = '';
    for ($character = 0; $character <= LAST; $character++) {
        $own = $other($character);
        if ($own !== $character && $own !== null) {
            $words .= pack('VV', $character, $own);
        }
    }
    return $words;
}

$tables = [];
$names = '';
$properties = [...range(0, IntlChar::PROPERTY_BINARY_LIMIT - 1), ...range(0x1000, IntlChar::PROPERTY_INT_LIMIT - 1)];
foreach ($properties as $property) {
    $tables[$property] = ranges(fn ($character) => IntlChar::getIntPropertyValue($character, $property));
}
foreach ([...$properties, 0x2000, 0x3000, ...range(0x4000, IntlChar::PROPERTY_STRING_LIMIT - 1), 0x7000] as $property) {
    $known = [];
    for ($choice = 0; ($name = IntlChar::getPropertyName($property, $choice)) !== false || $choice < 2; $choice++) {
        $known[] = (string) $name;
    }
    if (implode('', $known) === '') {
        continue;
    }
    $names .= sprintf("%x:%s\n", $property, implode(':', $known));
    if ($property >= 0x2000 && $property !== 0x2000) {
        continue;
    }
    $values = match (true) {
        // Masks: unions of categories.
        $property === 0x2000 => array_keys(array_flip(array_filter(array_map(
            fn ($name) => IntlChar::getPropertyValueEnum(0x2000, $name),
            ['L', 'LC', 'M', 'N', 'P', 'S', 'Z', 'C', 'Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Me', 'Mc', 'Nd', 'Nl', 'No', 'Zs', 'Zl', 'Zp',
                'Cc', 'Cf', 'Co', 'Cs', 'Cn', 'Pd', 'Ps', 'Pe', 'Pc', 'Po', 'Sm', 'Sc', 'Sk', 'So', 'Pi', 'Pf'],
        )))),
        default => range(IntlChar::getIntPropertyMinValue($property), IntlChar::getIntPropertyMaxValue($property)),
    };
    foreach ($values as $value) {
        $known = [];
        for ($choice = 0; ($name = IntlChar::getPropertyValueName($property, $value, $choice)) !== false || $choice < 2; $choice++) {
            $known[] = (string) $name;
        }
        if (implode('', $known) !== '') {
            $names .= sprintf(" %x:%s\n", $value, implode(':', $known));
        }
    }
}
// Of numbers the values, in the order in which they are met.
$numbers = [];
$tables[0x3000] = ranges(function ($character) use (&$numbers) {
    $number = IntlChar::getNumericValue($character);
    return $number === null || $number === IntlChar::NO_NUMERIC_VALUE ? 0 : $numbers[var_export($number, true)] ??= count($numbers) + 1;
});
$names .= '#' . implode(':', array_keys($numbers)) . "\n";
$tables[0x8000] = ranges(fn ($character) => ($age = IntlChar::charAge($character))[0] * 16 + $age[1]);
$tables[0x8001] = ranges(fn ($character) => (IntlChar::charDigitValue($character) ?? -1) + 1);
foreach ([
    0x8002 => IntlChar::toupper(...), 0x8003 => IntlChar::tolower(...), 0x8004 => IntlChar::totitle(...),
    0x8005 => IntlChar::foldCase(...), 0x8006 => IntlChar::charMirror(...), 0x8007 => IntlChar::getBidiPairedBracket(...),
] as $table => $other) {
    $tables[$table] = pairs($other);
}
$head = pack('VV', count($tables), 0);
$offset = strlen($head) + 12 * count($tables);
foreach ($tables as $number => $words) {
    $head .= pack('VVV', $number, $offset, intdiv(strlen($words), 4));
    $offset += strlen($words);
}
file_put_contents($argv[1], substr_replace($head, pack('V', $offset), 4, 4) . implode('', $tables) . $names);
