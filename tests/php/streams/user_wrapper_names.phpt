--TEST--
A class as wrapper is asked of names: url_stat, directories, metadata, contexts
--FILE--
<?php
class Shelf
{
    public $context;
    private static $items = ['a.txt' => 'alpha', 'b.txt' => 'beta'];
    private $left;

    public function url_stat($path, $flags)
    {
        echo "stat $path $flags\n";
        $name = substr($path, strlen('shelf://'));
        if ($name === '') {
            return ['mode' => 040755];
        }
        return isset(self::$items[$name])
            ? ['mode' => 0100644, 'size' => strlen(self::$items[$name]), 'mtime' => 1000]
            : false;
    }

    public function dir_opendir($path, $options)
    {
        echo 'opendir ', is_resource($this->context) ? 'with' : 'without', " context\n";
        $this->left = array_keys(self::$items);
        return $path === 'shelf://';
    }

    public function dir_readdir() { return array_shift($this->left) ?? false; }
    public function dir_rewinddir() { $this->left = array_keys(self::$items); return true; }
    public function dir_closedir() { echo "closedir\n"; return true; }

    public function stream_metadata($path, $option, $value)
    {
        echo "metadata $option ", json_encode($value), "\n";
        return true;
    }
}

stream_wrapper_register('shelf', 'Shelf');
var_dump(file_exists('shelf://a.txt'), is_file('shelf://a.txt'), is_dir('shelf://'));
var_dump(filesize('shelf://b.txt'), filemtime('shelf://b.txt'), filetype('shelf://b.txt'));
var_dump(file_exists('shelf://c'), is_link('shelf://a.txt'));
var_dump(filesize('shelf://c'));
var_dump(stat('shelf://a.txt')['mode']);
print_r(scandir('shelf://'));
$directory = opendir('shelf://');
var_dump(readdir($directory), readdir($directory), readdir($directory));
rewinddir($directory);
var_dump(readdir($directory));
closedir($directory);
var_dump(opendir('shelf://nowhere'));
var_dump(touch('shelf://a.txt'), touch('shelf://a.txt', 5), touch('shelf://a.txt', 5, 6));
var_dump(chmod('shelf://a.txt', 0600), chown('shelf://a.txt', 'root'), chgrp('shelf://a.txt', 0));
$listed = dir('shelf://');
var_dump($listed->read());
$listed->close();
--EXPECT--
stat shelf://a.txt 6
stat shelf:// 6
bool(true)
bool(true)
bool(true)
stat shelf://b.txt 4
stat shelf://b.txt 5
int(4)
int(1000)
string(4) "file"
stat shelf://c 6
stat shelf://a.txt 7
bool(false)
bool(false)
stat shelf://c 4

Warning: filesize(): stat failed for shelf://c in case.php on line 42
bool(false)
int(33188)
opendir without context
closedir
Array
(
    [0] => a.txt
    [1] => b.txt
)
opendir with context
string(5) "a.txt"
string(5) "b.txt"
bool(false)
string(5) "a.txt"
closedir
opendir with context

Warning: opendir(shelf://nowhere): Failed to open directory: "Shelf::dir_opendir" call failed in case.php on line 50
bool(false)
metadata 1 []
metadata 1 [5,5]
metadata 1 [5,6]
bool(true)
bool(true)
bool(true)
metadata 6 384
metadata 2 "root"
metadata 5 0
bool(true)
bool(true)
bool(true)
opendir with context
string(5) "a.txt"
closedir
