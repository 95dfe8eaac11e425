--TEST--
phar: broken archives
--INI--
phar.require_hash=0
--FILE--
<?php
foreach (["", "<?php __HALT_COMPILER(); ?>\n", "<?php __HALT_COMPILER(); ?>\n\xff\xff\xff\xff", "<?php __HALT_COMPILER(); ?>\n\xff\xff\xff\x00abcd", "<?php __HALT_COMPILER(); ?>\n\x20\0\0\0\xff\xff\xff\xff\x11\x10" . str_repeat("\0", 26), "PK\x03\x04", "PK\x03\x04" . str_repeat("x", 40) . "PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0"] as $number => $bytes) {
    file_put_contents("b$number.phar", "$bytes");
    try { Phar::loadPhar("b$number.phar"); echo "opened\n"; } catch (PharException $e) { echo str_replace(getcwd() . "/", "", $e->getMessage()), "\n"; }
}
--EXPECT--
internal corruption of phar "b0.phar" (truncated entry)
internal corruption of phar "b1.phar" (truncated manifest at manifest length)
manifest cannot be larger than 100 MB in phar "b2.phar"
internal corruption of phar "b3.phar" (truncated manifest header)
internal corruption of phar "b4.phar" (too many manifest entries for size of manifest)
internal corruption of phar "b5.phar" (truncated entry)
phar error: unable to read central directory entry, truncated in zip-based phar "b6.phar"
