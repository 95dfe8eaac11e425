<?php
// The library functions that programs call most, with arguments of the kind they get there.
//
// Prints a row a function, the seconds of CPU time of its turns, and a Total:
//   python3 ../shared/bench/compare.py --engine php84='php84 -n' --engine ours='target/release/opline -n' benches/library
// With a word as argument only the rows whose name has it. The turns are such that php84 takes some
// milliseconds for each row; the loop and the call are in the figure.

function cpu(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

final class Point
{
    public ?Point $next = null;
    protected array $tags = ['a', 'b'];

    public function __construct(public int $x = 1, public string $name = 'point')
    {
    }

    public function name(): string
    {
        return $this->name;
    }
}

$sentence = 'The quick brown fox jumps over the lazy dog, and runs away from the 3 hunters.';
$html = '<a href="/search?q=php&amp;page=2" class=\'link\'>Results & more</a>';
$words = explode(' ', $sentence);
$unsorted = [5, 3, 9, 1, 7, 2, 8, 4, 6, 0, 15, 13, 11, 12, 14, 10];
$names = ['pear', 'apple', 'fig', 'orange', 'kiwi', 'plum', 'cherry', 'grape', 'lemon', 'lime'];
$record = ['id' => 17, 'name' => 'Jane Doe', 'mail' => 'jane@example.org', 'active' => true, 'score' => 12.5, 'tags' => ['a', 'b', 'c']];
$rows = [];
for ($i = 0; $i < 20; $i++) {
    $rows[] = ['id' => $i, 'name' => "user$i", 'group' => $i % 3];
}
$json = json_encode($rows);
$serialized = serialize($rows);
$objects = [];
for ($i = 0; $i < 10; $i++) {
    $objects[] = new Point($i, "p$i");
}
$serializedObjects = serialize($objects);
$numbers = range(1, 50);
$utf8 = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich';
$now = new DateTimeImmutable('2024-05-17 12:34:56 UTC');
$then = new DateTimeImmutable('2021-01-31 08:00:00 UTC');
$file = __FILE__;

$cases = [
    // strings
    'strlen+substr' => [60000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = substr($sentence, strlen($sentence) - 5, 3); } }],
    'strpos' => [60000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = strpos($sentence, 'lazy'); } }],
    'stripos' => [20000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = stripos($sentence, 'LAZY'); } }],
    'strrpos' => [60000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = strrpos($sentence, 'o'); } }],
    'str_contains' => [60000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = str_contains($sentence, 'hunters'); } }],
    'str_starts_with' => [80000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = str_starts_with($sentence, 'The '); } }],
    'str_replace' => [30000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = str_replace('the', 'a', $sentence); } }],
    'str_replace arrays' => [10000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = str_replace(['quick', 'brown', 'zebra', 'dog'], ['slow', 'red', '', 'cat'], $sentence); } }],
    'strtr pairs' => [10000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = strtr($sentence, ['quick' => 'slow', 'dog' => 'cat', 'fox' => 'hen']); } }],
    'strtr characters' => [40000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = strtr($sentence, '+/', '-_'); } }],
    'implode' => [30000, function ($n) use ($words) { for ($i = 0; $i < $n; $i++) { $r = implode(' ', $words); } }],
    'implode integers' => [30000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = implode(',', $unsorted); } }],
    'explode' => [20000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = explode(' ', $sentence); } }],
    'str_split' => [10000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = str_split($sentence, 4); } }],
    'trim' => [60000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = trim("  some text \n"); } }],
    'rtrim characters' => [60000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = rtrim('/path/to/a/folder//', '/'); } }],
    'strtolower' => [50000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = strtolower($sentence); } }],
    'ucfirst+lcfirst' => [40000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = lcfirst(ucfirst('camelCaseName')); } }],
    'ucwords' => [30000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = ucwords($sentence); } }],
    'str_pad' => [50000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = str_pad((string) $i, 10, '0', STR_PAD_LEFT); } }],
    'str_repeat' => [60000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = str_repeat('ab', 20); } }],
    'sprintf' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = sprintf('%s has %d of %05.2f', 'Jane', $i, 12.5); } }],
    'number_format' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = number_format($i * 1234.567, 2); } }],
    'htmlspecialchars' => [20000, function ($n) use ($html) { for ($i = 0; $i < $n; $i++) { $r = htmlspecialchars($html); } }],
    'addslashes' => [30000, function ($n) use ($html) { for ($i = 0; $i < $n; $i++) { $r = addslashes($html); } }],
    'nl2br' => [30000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = nl2br("one line\nanother line\nthe last"); } }],
    'wordwrap' => [10000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = wordwrap($sentence, 30); } }],
    'strcmp+strcasecmp' => [50000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = strcmp('content-type', 'content-typo') + strcasecmp('Content-Type', 'content-type'); } }],
    'substr_count' => [40000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = substr_count($sentence, 'the'); } }],
    'ctype+is_numeric' => [50000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = ctype_digit('1234567') && is_numeric('12.5e3'); } }],
    'mb_strlen+mb_substr' => [20000, function ($n) use ($utf8) { for ($i = 0; $i < $n; $i++) { $r = mb_substr($utf8, 3, mb_strlen($utf8) - 10); } }],
    'mb_strtolower' => [8000, function ($n) use ($utf8) { for ($i = 0; $i < $n; $i++) { $r = mb_strtolower($utf8); } }],
    'mb_str_split' => [4000, function ($n) use ($utf8) { for ($i = 0; $i < $n; $i++) { $r = mb_str_split($utf8); } }],
    'iconv' => [8000, function ($n) use ($utf8) { for ($i = 0; $i < $n; $i++) { $r = iconv('UTF-8', 'ISO-8859-1', $utf8); } }],
    'str_ends_with+ucwords' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = str_ends_with('some_controller', '_controller') ? ucwords('some_controller', '_') : ''; } }],
    'strstr+strrchr' => [40000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = strstr('user@example.org', '@') . strrchr('archive.tar.gz', '.'); } }],
    'substr_replace' => [30000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = substr_replace($sentence, 'slow', 4, 5); } }],
    'strip_tags' => [10000, function ($n) use ($html) { for ($i = 0; $i < $n; $i++) { $r = strip_tags($html); } }],
    'html_entity_decode' => [10000, function ($n) use ($html) { for ($i = 0; $i < $n; $i++) { $r = html_entity_decode($html); } }],
    'levenshtein' => [10000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = levenshtein('kitten', 'sitting'); } }],
    'similar_text' => [10000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = similar_text('World', 'Word', $percent); } }],
    'vsprintf padded' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = vsprintf('%04d-%02d-%02d %\'*10s|%-8s|%x', [2024, 5, 17, 'right', 'left', 255]); } }],
    // coding
    'md5' => [20000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = md5($sentence); } }],
    'sha1' => [20000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = sha1($sentence); } }],
    'crc32' => [50000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = crc32($sentence); } }],
    'hash sha256' => [10000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = hash('sha256', $sentence); } }],
    'base64' => [30000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = base64_decode(base64_encode($sentence)); } }],
    'bin2hex' => [40000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = bin2hex($sentence); } }],
    'rawurlencode' => [30000, function ($n) use ($html) { for ($i = 0; $i < $n; $i++) { $r = rawurlencode($html); } }],
    'parse_url' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = parse_url('https://user@example.org:8080/path/to?query=1&x=2#top'); } }],
    'http_build_query' => [10000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = http_build_query($record); } }],
    'json_encode' => [3000, function ($n) use ($rows) { for ($i = 0; $i < $n; $i++) { $r = json_encode($rows); } }],
    'json_decode' => [1500, function ($n) use ($json) { for ($i = 0; $i < $n; $i++) { $r = json_decode($json, true); } }],
    'serialize' => [3000, function ($n) use ($rows) { for ($i = 0; $i < $n; $i++) { $r = serialize($rows); } }],
    'unserialize' => [2000, function ($n) use ($serialized) { for ($i = 0; $i < $n; $i++) { $r = unserialize($serialized); } }],
    'serialize objects' => [3000, function ($n) use ($objects) { for ($i = 0; $i < $n; $i++) { $r = serialize($objects); } }],
    'unserialize objects' => [1500, function ($n) use ($serializedObjects) { for ($i = 0; $i < $n; $i++) { $r = unserialize($serializedObjects); } }],
    'var_export' => [5000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = var_export($record, true); } }],
    'json_encode pretty' => [5000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = json_encode($record, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES); } }],
    'json_decode objects' => [1000, function ($n) use ($json) { for ($i = 0; $i < $n; $i++) { $r = json_decode($json); } }],
    'random_bytes+bin2hex' => [10000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = bin2hex(random_bytes(16)); } }],
    'filter_var' => [10000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = filter_var('1234', FILTER_VALIDATE_INT); } }],
    // regular expressions
    'preg_match' => [15000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = preg_match('/(\w+) dog, (\w+)/', $sentence, $m); } }],
    'preg_match named' => [15000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = preg_match('~^/(?<controller>[a-z]+)/(?<action>[a-z]+)/(?<id>\d+)$~', '/blog/show/1234', $m); } }],
    'preg_match_all' => [5000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = preg_match_all('/\b\w/', $sentence, $m); } }],
    'preg_replace' => [6000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = preg_replace('/\s+/', '-', $sentence); } }],
    'preg_replace_callback' => [4000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = preg_replace_callback('/\b[a-z]/', fn ($m) => strtoupper($m[0]), $sentence); } }],
    'preg_split' => [6000, function ($n) use ($sentence) { for ($i = 0; $i < $n; $i++) { $r = preg_split('/[\s,.]+/', $sentence, -1, PREG_SPLIT_NO_EMPTY); } }],
    'preg_quote' => [30000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = preg_quote('a.b*c?[d]', '/'); } }],
    // arrays
    'count+in_array' => [50000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = count($names) + in_array('cherry', $names, true); } }],
    'array_key_exists' => [80000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_key_exists('score', $record); } }],
    'array_search' => [50000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_search('lemon', $names); } }],
    'array_keys' => [40000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_keys($record); } }],
    'array_values' => [40000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_values($record); } }],
    'array_merge' => [20000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_merge($record, ['name' => 'John', 'extra' => 1]); } }],
    'array_replace_recursive' => [10000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_replace_recursive($record, ['name' => 'John', 'tags' => [1 => 'x']]); } }],
    'array_map' => [10000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_map(fn ($s) => $s . '!', $names); } }],
    'array_map by name' => [20000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_map('strtoupper', $names); } }],
    'array_filter' => [10000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = array_filter($unsorted, fn ($v) => $v > 7); } }],
    'array_reduce' => [10000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = array_reduce($unsorted, fn ($sum, $v) => $sum + $v, 0); } }],
    'array_walk' => [10000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $a = $unsorted; array_walk($a, function (&$v, $k) { $v += $k; }); } }],
    'array_slice' => [30000, function ($n) use ($numbers) { for ($i = 0; $i < $n; $i++) { $r = array_slice($numbers, 10, 10); } }],
    'array_splice' => [20000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $a = $unsorted; array_splice($a, 3, 2, ['x']); } }],
    'array_shift+push' => [30000, function ($n) { $a = [1, 2, 3, 4, 5]; for ($i = 0; $i < $n; $i++) { array_push($a, array_shift($a)); } }],
    'array_unshift+pop' => [30000, function ($n) { $a = [1, 2, 3, 4, 5]; for ($i = 0; $i < $n; $i++) { array_unshift($a, array_pop($a)); } }],
    'array_reverse' => [20000, function ($n) use ($numbers) { for ($i = 0; $i < $n; $i++) { $r = array_reverse($numbers); } }],
    'array_flip' => [20000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_flip($names); } }],
    'array_combine' => [20000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_combine($names, $names); } }],
    'array_fill_keys' => [20000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_fill_keys($names, 0); } }],
    'array_column' => [10000, function ($n) use ($rows) { for ($i = 0; $i < $n; $i++) { $r = array_column($rows, 'name', 'id'); } }],
    'array_unique' => [8000, function ($n) use ($words) { for ($i = 0; $i < $n; $i++) { $r = array_unique($words); } }],
    'array_diff' => [8000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = array_diff($names, ['fig', 'plum', 'nut']); } }],
    'array_intersect_key' => [20000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_intersect_key($record, ['id' => 1, 'name' => 1, 'none' => 1]); } }],
    'array_sum+max' => [30000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = array_sum($unsorted) + max($unsorted); } }],
    'range' => [20000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = range(1, 30); } }],
    'sort' => [10000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $a = $unsorted; sort($a); } }],
    'sort strings' => [4000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $a = $names; sort($a); } }],
    'ksort' => [8000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $a = $record; ksort($a); } }],
    'asort' => [5000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $a = $unsorted; asort($a); } }],
    'usort' => [1500, function ($n) use ($rows) { for ($i = 0; $i < $n; $i++) { $a = $rows; usort($a, fn ($x, $y) => $x['group'] <=> $y['group'] ?: $y['id'] <=> $x['id']); } }],
    'uasort' => [2500, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $a = $names; uasort($a, fn ($x, $y) => strcmp($x, $y)); } }],
    'iterator_to_array' => [5000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { $r = iterator_to_array((function () use ($names) { yield from $names; })()); } }],
    'array_chunk' => [10000, function ($n) use ($numbers) { for ($i = 0; $i < $n; $i++) { $r = array_chunk($numbers, 10); } }],
    'array_pad+fill' => [20000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = array_pad($unsorted, 20, 0) + array_fill(0, 5, 1); } }],
    'compact+extract' => [20000, function ($n) { $a = 1; $b = 2; for ($i = 0; $i < $n; $i++) { extract(compact('a', 'b')); } }],
    'array_map two' => [5000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $r = array_map(fn ($x, $y) => $x + $y, $unsorted, $unsorted); } }],
    'array_walk_recursive' => [5000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $a = $record; array_walk_recursive($a, function (&$v, $k) { $v = $k; }); } }],
    'array_multisort' => [4000, function ($n) use ($unsorted) { for ($i = 0; $i < $n; $i++) { $a = $unsorted; $b = $unsorted; array_multisort($a, SORT_DESC, $b); } }],
    'natsort' => [3000, function ($n) { for ($i = 0; $i < $n; $i++) { $a = ['img12.png', 'img10.png', 'img2.png', 'img1.png']; natsort($a); } }],
    'array_count_values' => [10000, function ($n) use ($words) { for ($i = 0; $i < $n; $i++) { $r = array_count_values($words); } }],
    'array_diff_key+flip' => [10000, function ($n) use ($record) { for ($i = 0; $i < $n; $i++) { $r = array_diff_key($record, array_flip(['id', 'mail'])); } }],
    // numbers, types, functions and objects
    'round+floor' => [50000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = round($i * 1.237, 2) + floor(1.5); } }],
    'intdiv+abs+min' => [60000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = intdiv($i, 7) + abs(-$i) + min($i, 50); } }],
    'mt_rand' => [50000, function ($n) { mt_srand(1); for ($i = 0; $i < $n; $i++) { $r = mt_rand(1, 100); } }],
    'intval+strval' => [50000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = intval('123') . strval($i); } }],
    'is_callable' => [30000, function ($n) use ($objects) { for ($i = 0; $i < $n; $i++) { $r = is_callable([$objects[0], 'name']); } }],
    'call_user_func_array' => [30000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = call_user_func_array('max', [1, $i, 3]); } }],
    'method+class_exists' => [30000, function ($n) use ($objects) { for ($i = 0; $i < $n; $i++) { $r = method_exists($objects[0], 'name') && class_exists('Point'); } }],
    'spl_object_id' => [60000, function ($n) use ($objects) { for ($i = 0; $i < $n; $i++) { $r = spl_object_id($objects[3]); } }],
    'get_object_vars' => [20000, function ($n) use ($objects) { for ($i = 0; $i < $n; $i++) { $r = get_object_vars($objects[3]); } }],
    'SplObjectStorage' => [10000, function ($n) use ($objects) { $s = new SplObjectStorage(); for ($i = 0; $i < $n; $i++) { $o = $objects[$i % 10]; $s[$o] = $i; $r = $s->contains($o) ? $s[$o] : 0; } }],
    'SplPriorityQueue' => [8000, function ($n) { $q = new SplPriorityQueue(); for ($i = 0; $i < $n; $i++) { $q->insert($i, -($i * 7919 % 1000)); if ($q->count() > 50) { $r = $q->extract(); } } }],
    'ArrayObject' => [20000, function ($n) use ($record) { $o = new ArrayObject($record); for ($i = 0; $i < $n; $i++) { $o['name'] = $i; $r = isset($o['mail']) ? $o['name'] : 0; } }],
    'ArrayIterator' => [8000, function ($n) use ($names) { for ($i = 0; $i < $n; $i++) { foreach (new ArrayIterator($names) as $k => $v) { $r = $v; } } }],
    'SplFixedArray' => [20000, function ($n) { $a = new SplFixedArray(10); for ($i = 0; $i < $n; $i++) { $a[$i % 10] = $i; $r = $a[3]; } }],
    'SplStack+SplQueue' => [10000, function ($n) { $s = new SplStack(); $q = new SplQueue(); for ($i = 0; $i < $n; $i++) { $s->push($i); $q->enqueue($s->pop()); $r = $q->dequeue(); } }],
    'ReflectionClass' => [4000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = count((new ReflectionClass('Point'))->getMethods()); } }],
    'ReflectionParameters' => [2000, function ($n) { for ($i = 0; $i < $n; $i++) { foreach ((new ReflectionMethod('Point', '__construct'))->getParameters() as $p) { $r = $p->getName() . $p->getType(); } } }],
    // dates and files
    'date' => [8000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = date('Y-m-d H:i:s', 1700000000 + $i * 1000); } }],
    'mktime' => [10000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = mktime(12, 30, 0, 5, 17, 2024); } }],
    'strtotime' => [5000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = strtotime('2024-05-17 12:34:56'); } }],
    'new DateTimeImmutable' => [4000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = new DateTimeImmutable('2024-05-17T12:34:56+02:00'); } }],
    'createFromFormat' => [4000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = DateTimeImmutable::createFromFormat('Y-m-d H:i:s', '2024-05-17 12:34:56'); } }],
    'DateTime::format' => [8000, function ($n) use ($now) { for ($i = 0; $i < $n; $i++) { $r = $now->format('D, d M Y H:i:s O'); } }],
    'DateTime::modify' => [4000, function ($n) use ($now) { for ($i = 0; $i < $n; $i++) { $r = $now->modify('+1 month'); } }],
    'DateTime::diff' => [4000, function ($n) use ($now, $then) { for ($i = 0; $i < $n; $i++) { $r = $now->diff($then)->days; } }],
    'DateTime::add' => [4000, function ($n) use ($now) { $step = new DateInterval('P1DT2H'); for ($i = 0; $i < $n; $i++) { $r = $now->add($step); } }],
    'DatePeriod' => [400, function ($n) use ($now) { $step = new DateInterval('P1D'); for ($i = 0; $i < $n; $i++) { foreach (new DatePeriod($now, $step, 10) as $day) { $r = $day; } } }],
    'dirname+basename' => [40000, function ($n) use ($file) { for ($i = 0; $i < $n; $i++) { $r = dirname($file) . basename($file, '.php'); } }],
    'pathinfo' => [20000, function ($n) use ($file) { for ($i = 0; $i < $n; $i++) { $r = pathinfo($file); } }],
    'file_exists' => [5000, function ($n) { for ($i = 0; $i < $n; $i++) { $r = file_exists('/nonexistent/file.php'); } }],
    'file_get_contents' => [500, function ($n) use ($file) { for ($i = 0; $i < $n; $i++) { $r = file_get_contents($file); } }],
];

$word = $argv[1] ?? '';
$total = 0.0;
foreach ($cases as $name => [$turns, $case]) {
    if ($word !== '' && !str_contains($name, $word) || str_starts_with($name, 'mb_') && !extension_loaded('mbstring') || str_starts_with($name, 'ctype') && !extension_loaded('ctype') || $name === 'iconv' && !extension_loaded('iconv')) {
        continue;
    }
    $case(10);
    $least = INF;
    for ($pass = 0; $pass < 3; $pass++) {
        $start = cpu();
        $case($turns);
        $least = min($least, cpu() - $start);
    }
    $total += $least;
    printf("%-26s %.6f\n", $name, $least);
}
printf("%-26s %.6f\n", 'Total', $total);
