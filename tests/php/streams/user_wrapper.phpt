--TEST--
Streams whose work a class of the script does
--FILE--
<?php
class W {
    public $context;
    static $data = [];
    private $path, $at = 0;
    function stream_open($path, $mode, $options, &$opened) {
        if (!isset(self::$data[$path]) && $mode[0] == 'r') return false;
        $this->path = $path;
        self::$data[$path] = $mode[0] == 'w' ? '' : (self::$data[$path] ?? '');
        return true;
    }
    function stream_read($n) { $r = substr(self::$data[$this->path], $this->at, $n); $this->at += strlen($r); return $r; }
    function stream_write($d) { self::$data[$this->path] = substr(self::$data[$this->path], 0, $this->at) . $d; $this->at += strlen($d); return strlen($d); }
    function stream_eof() { return $this->at >= strlen(self::$data[$this->path]); }
    function stream_seek($o, $w) { $this->at = $w == SEEK_END ? strlen(self::$data[$this->path]) + $o : $o; return true; }
    function stream_tell() { return $this->at; }
    function stream_flush() { echo "flush "; return true; }
    function stream_close() { echo "close\n"; }
    function stream_stat() { return []; }
    function stream_set_option($o, $a, $b) { return false; }
}
var_dump(stream_wrapper_register("mem", "W"), @stream_wrapper_register("mem", "W"), in_array("mem", stream_get_wrappers()));
$f = fopen("mem://a", "w+");
var_dump(fwrite($f, "one\ntwo\nthree"), rewind($f), fgets($f), ftell($f), feof($f), fread($f, 100), feof($f), fseek($f, -3, SEEK_END), fgets($f));
fclose($f);
var_dump(file_get_contents("mem://a"), file("mem://a", FILE_IGNORE_NEW_LINES), file_put_contents("mem://b.php", "<?php return __FILE__ . 1;"));
var_dump(include "mem://b.php", require_once "mem://b.php", require_once "mem://b.php");
var_dump(fopen("mem://none", "r"), include "mem://none");
var_dump(stream_wrapper_unregister("mem"), @fopen("mem://a", "r"), stream_wrapper_restore("php"));
--EXPECTF--
bool(true)
bool(false)
bool(true)
int(13)
bool(true)
string(4) "one
"
int(4)
bool(false)
string(9) "two
three"
bool(true)
int(0)
string(3) "ree"
flush close
close
close
flush close
string(13) "one
two
three"
array(3) {
  [0]=>
  string(3) "one"
  [1]=>
  string(3) "two"
  [2]=>
  string(5) "three"
}
int(26)
close
close
close
string(12) "mem://b.php1"
bool(true)
bool(true)

Warning: fopen(mem://none): Failed to open stream: "W::stream_open" call failed in %s on line 28

Warning: include(mem://none): Failed to open stream: "W::stream_open" call failed in %s on line 28

Warning: include(): Failed opening 'mem://none' for inclusion (include_path=%s) in %s on line 28
bool(false)
bool(false)

Notice: stream_wrapper_restore(): php:// was never changed, nothing to restore in %s on line 29
bool(true)
bool(false)
bool(true)
