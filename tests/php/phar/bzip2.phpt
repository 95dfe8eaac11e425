--TEST--
Archives and their entries compressed by bzip2
--INI--
phar.readonly=0
--FILE--
<?php
$text = str_repeat('some text ', 100);
foreach (['a.phar', 'a.zip', 'a.tar'] as $name) {
    $archive = $name === 'a.phar' ? new Phar($name) : new PharData($name);
    $archive['text'] = $text;
    $archive['other'] = 'short';
    try {
        var_dump($archive->compressFiles(Phar::BZ2), $archive['text']->isCompressed(), $archive['text']->isCompressed(Phar::BZ2));
        var_dump($archive['other']->decompress(), $archive['other']->isCompressed());
    } catch (BadMethodCallException $error) {
        echo $error->getMessage(), "\n";
    }
    unset($archive);
    copy($name, "copy.$name");
    var_dump(file_get_contents("phar://copy.$name/text") === $text, file_get_contents("phar://copy.$name/other"));
    try {
        $copy = $name === 'a.phar' ? new Phar("copy.$name") : new PharData("copy.$name");
        $whole = $copy->compress(Phar::BZ2);
        var_dump($whole->isCompressed(), basename($whole->getPath()), $whole['text']->getContent() === $text);
        var_dump(strncmp(file_get_contents($whole->getPath()), 'BZh', 3));
        $back = $whole->decompress();
        var_dump($back->isCompressed());
    } catch (Exception $error) {
        echo get_class($error), ': ', preg_replace('~"/\S+/~', '"', $error->getMessage()), "\n";
    }
}
print_r(Phar::getSupportedCompression());
var_dump(Phar::canCompress(Phar::BZ2));
foreach (glob('*a.*') as $file) unlink($file);
foreach (glob('copy.*') as $file) unlink($file);
?>
--EXPECT--
NULL
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
string(5) "short"
int(8192)
string(15) "copy.a.phar.bz2"
bool(true)
int(0)
BadMethodCallException: Unable to add newly converted phar "copy.a.phar" to the list of phars, a phar with that name already exists
NULL
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
string(5) "short"
UnexpectedValueException: Cannot compress zip-based archives with whole-archive compression
Cannot compress with Gzip compression, tar archives cannot compress individual files, use compress() to compress the whole archive
bool(true)
string(5) "short"
int(8192)
string(14) "copy.a.tar.bz2"
bool(true)
int(0)
BadMethodCallException: Unable to add newly converted phar "copy.a.tar" to the list of phars, a phar with that name already exists
Array
(
    [0] => GZ
    [1] => BZIP2
)
bool(true)
