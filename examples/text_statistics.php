<?php
// Statistics of a text: the words that occur most often, sentence lengths, a histogram.
// Usage: opline examples/text_statistics.php [number of words]

const TEXT = <<<TEXT
    A virtual machine reads one instruction after another. Each instruction says what to do, and
    where the next instruction is. The machine does not know what the program means; the program
    does not know how the machine works. Between the two stands a definition, and if the definition
    is right, both are right. If it is wrong, both are wrong, and nobody knows which one to blame!
    Is that not a good reason to write the definition once, and only once?
    TEXT;

function words(string $text): array
{
    $words = [];
    $word = '';
    foreach (str_split(strtolower($text)) as $character) {
        if ($character >= 'a' && $character <= 'z') {
            $word .= $character;
        } elseif ($word !== '') {
            $words[] = $word;
            $word = '';
        }
    }
    return $word === '' ? $words : [...$words, $word];
}

function sentences(string $text): array
{
    $parts = explode('|', str_replace(['. ', '! ', '? '], '|', strtr($text, "\n", ' ') . ' '));
    return array_values(array_filter(array_map(trim(...), $parts)));
}

$limit = (int) ($argv[1] ?? 8);
$words = words(TEXT);
$counts = array_count_values($words);
uksort($counts, fn ($a, $b) => [$counts[$b], $a] <=> [$counts[$a], $b]);

printf("%d words, %d different, %d characters\n\n", count($words), count($counts), strlen(TEXT));
foreach (array_slice($counts, 0, $limit) as $word => $count) {
    printf("%-12s %2d  %s\n", $word, $count, str_repeat('*', $count));
}

echo "\n";
foreach (sentences(TEXT) as $number => $sentence) {
    printf("sentence %d: %2d words, starts with \"%s\"\n", $number + 1, count(words($sentence)), strstr($sentence, ' ', true));
}

$lengths = [];
foreach ($words as $word) {
    $lengths[strlen($word)] = ($lengths[strlen($word)] ?? 0) + 1;
}
ksort($lengths);
echo "\n";
foreach ($lengths as $length => $count) {
    printf("%2d letters %s %d\n", $length, str_pad(str_repeat('#', $count), 25, '.'), $count);
}
