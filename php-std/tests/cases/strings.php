<?php
// Calls of string functions: every combination of these arguments is made.
$strings = ["", "a", "abc", "Hello World", "hello world foo", "a,b,,c", "  trim me\t\n", "\0nul\0", "aaa", "ABC123", "x'\"\\y<b>&amp;</b>", "h\u{e9}llo", "\xff\xfe", "10", "9.5", "img12.png", "img2.png"];
$few = ["", "a", "abc", "Hello World", "\0x", "l", "o W", "10"];
$cases = [];
$each = function (string $function, array ...$lists) use (&$cases) {
    $rows = [[]];
    foreach ($lists as $list) {
        $next = [];
        foreach ($rows as $row) {
            foreach ($list as $value) {
                $next[] = [...$row, $value];
            }
        }
        $rows = $next;
    }
    foreach ($rows as $row) {
        $cases[] = [$function, ...$row];
    }
};
foreach (['strlen', 'strtolower', 'strtoupper', 'ucfirst', 'lcfirst', 'ucwords', 'strrev', 'trim', 'ltrim', 'rtrim', 'nl2br', 'quotemeta', 'addslashes', 'stripslashes', 'bin2hex', 'base64_encode', 'base64_decode', 'md5', 'sha1', 'crc32', 'urlencode', 'urldecode', 'rawurlencode', 'rawurldecode', 'htmlspecialchars', 'htmlspecialchars_decode', 'htmlentities', 'html_entity_decode', 'strip_tags', 'stripcslashes', 'soundex', 'metaphone', 'str_split', 'str_word_count', 'count_chars', 'str_rot13', 'ord', 'convert_uuencode', 'quoted_printable_encode', 'quoted_printable_decode', 'utf8_encode', 'utf8_decode', 'str_shuffle', 'parse_url', 'str_increment', 'str_decrement', 'hex2bin', 'chunk_split', 'wordwrap'] as $function) {
    $each($function, $strings);
}
foreach (['strpos', 'stripos', 'strrpos', 'strripos', 'strstr', 'stristr', 'strrchr', 'str_contains', 'str_starts_with', 'str_ends_with', 'strcmp', 'strcasecmp', 'strnatcmp', 'strnatcasecmp', 'strspn', 'strcspn', 'strpbrk', 'substr_count', 'similar_text', 'levenshtein', 'explode', 'trim', 'addcslashes', 'strcoll'] as $function) {
    $each($function, ["", "abc", "Hello World", "a,b,,c", "ABC123", "10"], ["", "a", "Hello World", "l", "\0x"]);
}
foreach (['strpos', 'stripos', 'strrpos', 'strripos'] as $function) {
    $each($function, ["abcabc", "", "Hello"], ["a", "bc", "", "L"], [0, 1, 3, 6, 7, -1, -3, -6, -7]);
}
$each('substr', ["", "abc", "abcdef"], [0, 1, 10, -1, -10], [null, 0, 1, 10, -1, -10]);
$each('substr_count', ["abcabcabc"], ["abc"], [0, 3, -3, 9], [null, 3, 0, -3, 6]);
$each('substr_compare', ["abcde"], ["bc", "BC", "cd"], [1, 0, -2], [null, 0, 1, 2, 5], [false, true]);
$each('substr_replace', ["abcdef", ["abc", "def"]], ["XY", ["1", "2"]], [0, 2, -2, 10], [null, 0, 1, -1]);
$each('strspn', ["abcabc1"], ["abc", ""], [0, 1, -2, 20], [null, 0, 2, -1]);
$each('strcspn', ["abcabc1"], ["1", "c", ""], [0, 1, -2, 20], [null, 0, 2, -1]);
foreach (['strncmp', 'strncasecmp'] as $function) {
    $each($function, ["abc", "ABD", ""], ["abd", "ab"], [0, 1, 2, 3, 5, -1]);
}
$each('str_repeat', ["", "a", "ab", "xyz"], [0, 1, 5, 17, -1]);
$each('str_pad', ["5", "abc"], [0, 3, 6, 9, -1], [" ", "xy", ""], [0, 1, 2, 3]);
$each('ucwords', ["hello-world foo_bar"], ["-", "_ ", "", "a..f"]);
$each('trim', ["abcxyzcba", " 123 "], ["a..c", "a-c", " 0..9", "a..", "..a", "c..a", ""]);
$each('rtrim', ["abc"], ["a..c", "c", ""]);
$each('explode', [",", "", ", "], ["a,b,c", "", ",", "a, b, c"], [PHP_INT_MAX, 0, 1, 2, -1, -2, -5]);
$each('implode', [",", "", [1, 2]], [[1, "a", 2.5, true, null, false], [], ["x"], ["k" => "v", "l" => "w"]]);
$each('implode', [[1, 2], ["x"], []]);
$each('implode', [","]);
$each('str_split', ["abcdefg", ""], [1, 2, 3, 10, 0, -1]);
$each('chunk_split', ["abcdefg", ""], [1, 2, 3, 10, 0], ["-", "\r\n", ""]);
$each('wordwrap', ["The quick brown fox sat over the lazy dog", "A very long woooooooooooord.", "aaa bbb", "a\nbb cc"], [20, 8, 1, 0, -1], ["\n", ""], [false, true]);
$each('nl2br', ["a\nb\r\nc\rd\n\re"], [true, false]);
$each('similar_text', ["World", "Hello", "", "aabbcc", "test"], ["Word", "World", "abc", "", "tset"], [0]);
$each('levenshtein', ["kitten", "", "abc"], ["sitting", "abd", ""], [1, 2], [1, 3], [1, 4]);
$each('soundex', ["Robert", "Rupert", "Rubin", "Ashcraft", "Tymczak", "Pfister", "Honeyman", "a1b2"]);
$each('metaphone', ["Thompson", "Knight", "Which", "Physics", "Schmidt", "Xylophone", "Wright", "character", "Thumb", "accident", "edge", "science", "ghost", "laugh", "night", "Aggie", "tch", "pneumonia", "nation", "aeon", "whistle", "quick", "vase", "yes", "zoo", "Gnome", "sign", "signed", "budge", "cheese", "school", "a-b c"], [0, 3, -1]);
$each('str_replace', ["a", "", ["a", "b"], ["a", "aa"]], ["X", ""], ["banana", "", ["abc", "k" => "aab"]], [0]);
$each('str_replace', [["a", "b", "c"]], [["1", "2"], []], ["aabbcc"]);
$each('str_replace', ["a"], [["x"]], ["abc"]);
$each('str_ireplace', ["A", "Ab", ["A", "B"]], ["x", ["1", "2"]], ["abAB", ["aB", "ba"]], [0]);
$each('strtr', ["Hi all", "aabb", ""], ["ai", "ab", ""], ["AI", "b", "xyz", ""]);
$each('strtr', ["Hi all, I said", "aabb", ""], [["Hi" => "Hello", "Hello" => "x", "a" => "1"], ["a" => "b", "aa" => "c"], [], ["" => "x", "a" => "b"], [1 => "one", "a" => 5]]);
$each('strtr', ["a"], ["b"]);
$each('count_chars', ["abca"], [0, 1, 2, 3, 4, 5]);
$each('str_word_count', ["Hello fri3nd, you're -looking- good to-day"], [0, 1, 2, 3], [null, "3", "a..f", "-"]);
$each('strip_tags', ["<p>Hello <b>bold</b><br/>x</p>", "a <1 b> c", "a<!-- c --> b", "<?php echo 1; ?>x", "<a href='x>y'>t</a>", "1 < 2 > 0", "<b", "x<br>y</ b>"], [null, "<b>", "<p><br>", ["b", "a"]]);
$each('htmlspecialchars', ["<a href=\"x\">'q' & &amp; &#39; &foo;</a>", "\xff<"], [0, 2, 3, 3 | 8, 3 | 48, 3 | 16, 4], ["UTF-8", "ISO-8859-1"], [true, false]);
$each('html_entity_decode', ["&lt;&amp;&quot;&#39;&#039;&apos;&eacute;&nbsp;&euro;&#8364;&#x20AC;&hellip;&foo;&#1;&#9;", "&notanentity; &", "&amp;lt;"], [0, 2, 3, 3 | 48, 3 | 16, 3 | 32]);
$each('htmlspecialchars_decode', ["&lt;&amp;&quot;&#39;&#039;&apos;&eacute;&gt"], [0, 2, 3, 3 | 48]);
$each('htmlentities', ["\u{e9}\u{20ac}\u{2026}<\u{1F600}\u{a0}"], [3, 3 | 48, 3 | 16]);
foreach (["%s", "%d", "%5d", "%-5d|", "%05d", "%+d", "%x", "%X", "%o", "%b", "%c", "%e", "%.2e", "%f", "%.1f", "%10.3f|", "%-10.2f|", "%g", "%G", "%u", "%%", "%'*10s", "%-'x8s|", "%5.1s|", "%1\$s %1\$s", "%s %s", "%", "%z", "%.60f", "%08.3f", "%+.1e", "%.0f", "%5%"] as $format) {
    $each('sprintf', [$format], [5, -3, 3.14159, 1e15, "12abc"]);
}
$each('vsprintf', ["%04d-%02d-%02d", "%2\$s-%1\$s"], [[2024, 1, 2], ["a", "b"], [1]]);
$each('bin2hex', ["abc", ""]);
$each('hex2bin', ["616263", "6", "zz", ""]);
$each('base64_decode', ["YWJj", "YWI=", "YQ==", "YW Jj", "Y*J", "YWJjZA", "====", "A"], [false, true]);
$each('parse_url', ["http://user:pass@host:8080/path/x.php?a=1&b[]=2#frag", "//host/path", "/path?q#f", "mailto:a@b.c", "http://", "http:///x", "host:80", "host:80/x", "file:///etc/passwd", "http://[::1]:80/", "http://h:99999/", "x:/y", "?q", "#f", "a:b:c", "http://a?b@c", "http://u@h", "http://h:/x", "javascript:void(0)", "zlib:http://x", "//h:1", "http://h#f?q", "", "a//b:1", "http://a\x01b/"]);
$each('parse_url', ["http://user:pass@host:8080/path?q=1#f"], [0, 1, 2, 3, 4, 5, 6, 7, -1, 8, -2]);
$each('http_build_query', [["a" => 1, "b" => [1, 2], "c" => ["x" => "y z"], "d" => null, "e" => true, "f" => 1.5, 5 => "n", "g&" => "~"], []], ["", "p_"], [null, ";"], [1, 2]);
$each('parse_str', ["a=1&b[]=2&b[]=3&c[k][l]=v&d.e=5&f g=6&=7&h&i=%41+b&a=2&x[=1&y[a=2&z[]]=3", ""], [0]);
$each('addcslashes', ["abc\n\t\x01\xff\"z\x7f", "foo[bar]z"], ["a..c", "\0..\37", "A..Z", "a..z", "z..a", ""]);
$each('stripcslashes', ['a\n\x41\101\q\\\\\\', '\x', '\18', "x\\"]);
$each('str_word_count', ["Mary had a little lamb"], [0, 1, 2]);
$each('strtok', ["a b c", " x "], [" ", "b"]);
$each('sscanf', ["age: 25 name: Bob", "12 apples", "", "abc123", "0x1A ff 017", "a,b"], ["age: %d name: %s", "%d %s", "%[a-c]%d", "%i %x %o", "%[^,],%c", "%s%n", "%2d%*c%s", "%z", "%5s"]);
$each('pack', ["a5", "A5", "Z5", "Z*", "H*", "h*", "H3"], ["ab", "1f2", "abcdefgh", ""]);
$each('pack', ["c", "C", "s", "S", "n", "v", "l", "L", "N", "V", "q", "Q", "J", "P", "i", "I", "f", "d", "e", "E", "g", "G", "nvc", "x2C", "Y"], [1, -1, 300]);
$each('unpack', ["Nlen/a3str", "C*", "C2a/nb", "N", "A5", "a5", "Z5", "H*", "h3", "c", "s", "q", "x2/Ca", "Ca/X/Cb", "@1/Ca", "d", "Y", "nx/vy"], ["\0\0\0\5abcdef", "ab \0 x", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", "a"]);
$each('ctype_dummy', []);
array_pop($cases);
$each('money', []);
array_pop($cases);
foreach (["crc32b", "md5", "sha1", "sha256", "sha512", "sha384", "sha224", "sha512/256", "adler32", "crc32", "crc32c", "fnv132", "fnv1a32", "fnv164", "fnv1a64", "joaat", "nope"] as $algorithm) {
    $each('hash', [$algorithm], ["", "The quick brown fox jumped over the lazy dog."], [false]);
    $each('hash_hmac', [$algorithm], ["data"], ["key", str_repeat("k", 200)]);
}
foreach ([['strlen'], ['strlen', []], ['strlen', null], ['str_repeat', 'a'], ['str_repeat', 'a', 'x'], ['str_repeat', 'a', 1.5], ['str_repeat', 'a', "2"], ['strlen', 'a', 'b'], ['substr', 'abc', null], ['trim', 5], ['strtoupper', true], ['str_replace', 'a'], ['explode', 'a', []], ['strpos', 'abc', 1], ['ucfirst', 1.5], ['str_contains', null, null], ['nl2br', [], 1], ['chr', 3.7], ['chr', 300], ['chr', -1], ['chr', "65"]] as $case) {
    $cases[] = $case;
}
return $cases;
