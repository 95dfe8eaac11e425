<?php
// Writes what ICU's converters of single bytes say, and the names of the algorithmic ones, into a file that is read
// where it lies:
//     php84-all record_converters.php converters.pack
// What stands in the file is said in `converter/table.rs`.

/** The algorithmic converters that are there. */
const ALGORITHMIC = ['UTF-8', 'UTF-16', 'UTF-16BE', 'UTF-16LE', 'UTF-32', 'UTF-32BE', 'UTF-32LE', 'UTF-7', 'CESU-8', 'ISO-8859-1', 'US-ASCII'];

/** The names of a converter: `!` marks those that other converters have as well, `-` those that mean another one. */
function names(string $name): array
{
    $names = [];
    foreach (UConverter::getAliases($name) as $alias) {
        $ambiguous = false;
        set_error_handler(function () use (&$ambiguous) { return $ambiguous = true; });
        $means = (new UConverter($alias))->getDestinationEncoding();
        restore_error_handler();
        $names[] = ($means === $name ? ($ambiguous ? '!' : '') : '-') . $alias;
    }
    return $names;
}

/** The 256 characters, and the bytes that are not what their character becomes; nothing where that is not all. */
function table(string $name): ?array
{
    $decoder = new UConverter('UTF-16BE', $name);
    $encoder = new UConverter($name, 'UTF-16BE');
    [$table, $known, $others] = ['', [], ''];
    for ($byte = 0; $byte < 256; $byte++) {
        $character = $decoder->convert(chr($byte));
        if (strlen($character) !== 2) {
            return null;
        }
        $table .= $character;
        if ($encoder->convert($character) === chr($byte)) {
            $known[$character] = chr($byte);
        } elseif ($character !== "\xff\xfd") {
            $others .= chr($byte);
        }
    }
    $substitute = (new UConverter('UTF-8', $name))->getSubstChars();
    for ($code = 0; $code < 0xfffe; $code++) {
        $character = pack('n', $code);
        if (!isset($known[$character]) && ($code < 0xd800 || $code > 0xdfff) && !in_array($encoder->convert($character), [$substitute, ''], true)) {
            fprintf(STDERR, "%s: U+%04X has a byte of its own\n", $name, $code);
            return null;
        }
    }
    return [$table, $others];
}

$pack = '';
foreach (UConverter::getAvailable() as $name) {
    $converter = @new UConverter('UTF-8', $name);
    $kind = $converter->getSourceType();
    $is_single = $kind === UConverter::SBCS && !str_contains($name, ',');
    $table = $is_single ? table($name) : null;
    if (!$table && !in_array($name, ALGORITHMIC, true)) {
        continue;
    }
    $names = implode("\n", names($name));
    $substitute = $converter->getSubstChars();
    $pack .= pack('n', strlen($names)) . $names . chr($kind) . chr(strlen($substitute)) . $substitute;
    if ($table) {
        $pack .= chr(strlen($table[1])) . $table[1] . $table[0];
    }
}
file_put_contents($argv[1], $pack);
