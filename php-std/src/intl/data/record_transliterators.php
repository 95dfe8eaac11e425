<?php
// Writes the rules of ICU's transliterators into a file that is read where it lies:
//     php84-all record_transliterators.php transliterators.pack
// The data are those of Unicode's CLDR. What stands in the file is said in `translit/registry.rs`.

$lines = '';
$rules = [];
foreach (ResourceBundle::create('root', 'ICUDATA-translit')->get('RuleBasedTransliteratorIDs') as $name => $entry) {
    foreach ($entry as $kind => $value) {
        if ($kind === 'alias') {
            $lines .= "$name\tA\t$value\n";
            continue;
        }
        $text = $value->get('resource');
        $number = $rules[$text] ??= count($rules);
        $lines .= sprintf("%s\t%s\t%d\n", $name, $value->get('direction')[0], $number);
    }
}
$lines .= "\n" . implode("\n", Transliterator::listIDs()) . "\n";
$places = '';
$offset = 8 + 8 * count($rules) + strlen($lines);
foreach ($rules as $text => $_) {
    $places .= pack('VV', $offset, strlen($text));
    $offset += strlen($text);
}
file_put_contents($argv[1], pack('VV', count($rules), strlen($lines)) . $places . $lines . implode('', array_keys($rules)));
