--TEST--
phar: checksums of entries
--INI--
phar.readonly=0
phar.require_hash=0
--FILE--
<?php
function show(PharData|Phar $archive, string ...$names) {
    foreach ($names as $name) {
        try { echo $name, ' ', json_encode($archive[$name]->isCRCChecked()), ' ', $archive[$name]->getCRC32(), "\n"; }
        catch (BadMethodCallException $e) { echo $name, ' ', $e->getMessage(), "\n"; }
    }
}
// Time and permissions are in the header, whose sum stands for a checksum in tar archives.
foreach (['tar', 'zip'] as $format) {
    $archive = new PharData("a.$format");
    $archive['one.txt'] = 'hello world';
    $archive->addEmptyDir('folder');
    $archive['folder/two'] = 'x';
    $sum = fn($name) => array_sum(array_map('ord', str_split(substr_replace(substr(file_get_contents('a.tar'), strpos(file_get_contents('a.tar'), $name . "\0"), 512), '        ', 148, 8))));
    if ($format == 'tar') var_dump($archive['one.txt']->getCRC32() === $sum('one.txt'), $archive['folder/two']->getCRC32() === $sum('folder/two'));
    else show($archive, 'one.txt', 'folder', 'folder/two');
    copy("a.$format", "b.$format");
    $other = new PharData("b.$format");
    show($other, 'one.txt', 'folder');
    echo $other['one.txt']->getContent(), "\n";
    show($other, 'one.txt');
}
$zip = (new PharData('a.tar'))->convertToData(Phar::ZIP, null, '.other.zip');
show($zip, 'one.txt', 'folder/two');
--EXPECT--
bool(true)
bool(true)
one.txt true 0
folder true folder Phar entry is a directory, does not have a CRC
hello world
one.txt true 0
one.txt true 222957957
folder true folder Phar entry is a directory, does not have a CRC
folder/two true 2363233923
one.txt false one.txt Phar entry was not CRC checked
folder false folder Phar entry is a directory, does not have a CRC
hello world
one.txt false one.txt Phar entry was not CRC checked
one.txt true 222957957
folder/two true 2363233923
