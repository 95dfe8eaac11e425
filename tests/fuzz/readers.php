<?php
// Gives what reads text texts that are broken somewhere. `$seed` says how.
mt_srand($seed);
set_error_handler(fn() => true);
$seeds = [
    'unserialize' => ['a:3:{i:0;s:3:"abc";s:1:"k";d:1.5;i:2;O:8:"stdClass":1:{s:1:"a";R:2;}}', 'O:11:"ArrayObject":4:{i:0;i:0;i:1;a:1:{i:0;i:1;}i:2;a:0:{}i:3;N;}', 'O:16:"SplObjectStorage":2:{i:0;a:2:{i:0;O:8:"stdClass":0:{}i:1;i:5;}i:1;a:0:{}}', 'O:8:"DateTime":3:{s:4:"date";s:26:"2020-01-01 00:00:00.000000";s:13:"timezone_type";i:3;s:8:"timezone";s:3:"UTC";}', 'a:2:{i:0;a:1:{i:0;R:1;}i:1;r:2;}', 'E:3:"E:A";', 'C:11:"ArrayObject":21:{x:i:0;a:0:{};m:a:0:{}}', 'O:9:"Exception":1:{s:8:"' . "\0*\0" . 'trace";R:1;}'],
    'json_decode' => ['{"a":[1,2.5e3,true,null,"\u00e9\ud83d\ude00"],"":{"":""}}', '[[[[]]]]', '"\ud800"', '-0.0e-0'],
    'strtotime' => ['2024-02-29T12:34:56.789+02:00', 'last monday of next month noon', '@1234567890.5', '1 Jan 2020 +1 week -2 days', 'Sat, 30 Apr 2016 17:52:13 GMT', '2008-W28-3', 'yesterday 14:00 Europe/Berlin'],
    'date_parse' => ['2006-12-12 10:00:00.5 +1 week +1 hour', '10/Oct/2000:13:55:36 -0700', 'back of 7pm'],
    'preg_match' => ['/(?<a>x)(?:y|z)*+(?=w)\b\p{L}[^\]a-f]{2,5}?(?(1)a|b)/ui', '~^(a(?R)?b)$~x', '/\x{100}(?#c)\Qa\E(*MARK:x)/u', '/(?|(a)|(b))\1\g{-1}\k<n>/'],
    'parse_url' => ['https://user:pw@host.example:8080/p/a/t/h;x?query=value&a[]=1#frag', '//h:0', 'x:/:80'],
    'parse_str' => ['a=1&b[]=2&b[c][d]=3&e%5B%5D=%zz&=x'],
    'html_entity_decode' => ['&lt;&amp;&#x1F600;&#0;&notin;&ampx;&#xZZ;&#99999999;'],
    'strip_tags' => ['<p a="<x>">t<!-- c --><?php echo ">" ?><br/></p>'],
    'sprintf' => ['%05.2f|%-10s|%+d|%x|%1$s %2$\'*10s|%e|%%|%b|%c|%G'],
    'sscanf' => ['12 abc 0x1f %d %[a-z] %n %2$s'],
    'parse_ini_string' => ["[s]\na = 1\nb[] = \"x\${PATH}\"\nc = a|!(b)\n;c\nd = null\n[x:y]\nf[k] = 'v'"],
    'str_getcsv' => ["a,\"b \"\"c\"\" d\",,\"e\nf\",g"],
    'base64_decode' => ['YWJj=ZGVm=='],
    'quoted_printable_decode' => ["a=3Db=\r\n=ZZ="],
    'convert_uudecode' => ["#86)C\n`\n"],
    'token_get_all' => ['<?php class A { #[B(1)] public function f(int|null ...$x): static => <<<X' . "\n {\$a[1]->b} \n X; }"],
    'filter_var' => ['user@example.com', '2001:db8::1', 'http://example.com/?q', '1_000', '0x1f'],
    'unpack' => ['Nlength/a*rest', 'C3x/n2y/@2/H*z', 'q/J/P/e/g'],
    'pack' => ['NnCa10A5Z*H*', 'q2x3@5'],
    'inet_pton' => ['::ffff:1.2.3.4', '1.2.3'],
    'version_compare' => ['1.0.0-beta2+x'],
    'DateInterval' => ['P1Y2M10DT2H30M', 'P0001-00-04T05:06:07', 'R5/2008-03-01T13:00:00Z/P1Y2M10DT2H30M'],
    'DateTimeZone' => ['Europe/Amsterdam', '+05:45', 'EST', 'UTC+99:99'],
];
$call = [
    'preg_match' => fn($t) => [preg_match($t, 'xyzw aabb'), preg_replace($t, '\1$2${3}', 'xyzw'), preg_split($t, 'xaby', -1, 7)],
    'sprintf' => fn($t) => sprintf($t, 1, 'b', 2.5, [], null),
    'sscanf' => fn($t) => sscanf('12 abc 0x1f', $t),
    'filter_var' => fn($t) => function_exists('filter_var') ? array_map(fn($f) => filter_var($t, $f), array_map(fn($n) => filter_id($n), filter_list())) : 0,
    'unpack' => fn($t) => unpack($t, "abc\0\1\2\xff0123456789"),
    'pack' => fn($t) => pack($t, 1, '2', 'abc', 'ff', 5),
    'version_compare' => fn($t) => version_compare($t, '1.0'),
    'DateInterval' => fn($t) => [new DateInterval($t), new DatePeriod($t)],
    'DateTimeZone' => fn($t) => (new DateTimeZone($t))->getOffset(new DateTime('2020-06-01')),
    'strtotime' => fn($t) => [strtotime($t), date_create($t)?->modify($t), date_parse_from_format('Y-m-d H:i', $t)],
    'unserialize' => fn($t) => [$x = unserialize($t), serialize($x), var_export($x, true)],
    'json_decode' => fn($t) => json_encode(json_decode($t, (bool) mt_rand(0, 1), 512, mt_rand(0, 1) << 21)),
];
foreach ($seeds as $reader => $texts) {
    foreach ($texts as $text) {
        for ($i = mt_rand(0, 4); $i >= 0; $i--) {
            $at = mt_rand(0, strlen($text));
            $text = match (mt_rand(0, 5)) {
                0 => substr($text, 0, $at) . chr(mt_rand(0, 255)) . substr($text, $at),
                1 => substr($text, 0, $at) . substr($text, $at + mt_rand(1, 5)),
                2 => substr($text, 0, $at) . substr($text, mt_rand(0, strlen($text)), mt_rand(0, 20)) . substr($text, $at),
                3 => preg_replace_callback('/\d+/', fn($m) => mt_rand(0, 2) ? $m[0] : [-1, 0, 99999999999, PHP_INT_MAX, 2147483648][mt_rand(0, 4)], $text),
                4 => strrev($text),
                5 => $text . $texts[mt_rand(0, count($texts) - 1)],
            } ?? $text;
        }
        $inputs = ($inputs ?? 0) + 1;
        try {
            isset($call[$reader]) ? $call[$reader]($text) : (function_exists($reader) ? $reader($text) : 0);
        } catch (Throwable $error) {
        }
    }
}
echo "inputs $inputs\n";
