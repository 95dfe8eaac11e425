--TEST--
Stream filters: of PHP, of the script, in URLs, in includes
--FILE--
<?php
$h = fopen('php://memory', 'w+');
var_dump(stream_filter_append($h, 'no.such'));
var_dump(get_resource_type(stream_filter_append($h, 'string.toupper', 7)));
try { stream_filter_register('', 'x'); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { stream_filter_register('x', ''); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(stream_filter_register('u.noclass', 'NoSuch'), stream_filter_register('u.noclass', 'NoSuch'));
var_dump(stream_filter_append($h, 'u.noclass'));

class NoCreate extends php_user_filter { function onCreate(): bool { return false; } } stream_filter_register('u.nocreate', 'NoCreate'); var_dump(stream_filter_append($h, 'u.nocreate'));
class Fatal extends php_user_filter { function filter($in, $out, &$consumed, bool $closing): int { return PSFS_ERR_FATAL; } } stream_filter_register('u.fatal', 'Fatal');
class Feed extends php_user_filter { public $kept = ''; function filter($in, $out, &$consumed, bool $closing): int { while ($b = stream_bucket_make_writeable($in)) { $this->kept .= $b->data; $consumed += $b->datalen; } if ($closing) { stream_bucket_append($out, stream_bucket_new($this->stream, "[" . $this->kept . "]")); return PSFS_PASS_ON; } return PSFS_FEED_ME; } } stream_filter_register('u.feed', 'Feed');
class Pass extends php_user_filter { function filter($in, $out, &$consumed, bool $closing): int { echo get_debug_type($in), get_resource_type($in), $this->filtername, json_encode($this->params), "\n"; while ($b = stream_bucket_make_writeable($in)) { $b->data = "<{$b->data}>"; $consumed += strlen($b->data); stream_bucket_prepend($out, $b); } return PSFS_PASS_ON; } function onClose(): void { echo "close\n"; } } stream_filter_register('u.p.*', 'Pass');
class Lazy extends php_user_filter { function filter($in, $out, &$consumed, bool $closing): int { return PSFS_PASS_ON; } } stream_filter_register('u.lazy', 'Lazy');
$h = fopen('php://memory', 'w+'); stream_filter_append($h, 'u.fatal', STREAM_FILTER_WRITE); var_dump(fwrite($h, 'abc')); rewind($h); var_dump(stream_get_contents($h)); fclose($h);
$h = fopen('php://memory', 'w+'); fwrite($h, 'abc'); rewind($h); stream_filter_append($h, 'u.fatal', STREAM_FILTER_READ); var_dump(fread($h, 10), feof($h)); fclose($h);
$h = fopen('php://memory', 'w+'); fwrite($h, 'abc'); rewind($h); stream_filter_append($h, 'u.lazy', STREAM_FILTER_READ); var_dump(fread($h, 10), feof($h)); fclose($h);
$h = fopen('opline_filters.txt', 'w+'); stream_filter_append($h, 'u.feed', STREAM_FILTER_WRITE); var_dump(fwrite($h, 'abc'), fwrite($h, 'def')); fclose($h); var_dump(file_get_contents('opline_filters.txt'));
$h = fopen('opline_filters.txt', 'r'); stream_filter_append($h, 'u.feed'); stream_filter_prepend($h, 'u.p.x.y', STREAM_FILTER_READ, ['k' => 1]); var_dump(fgets($h), fgets($h), feof($h)); fclose($h);
var_dump(file_get_contents('php://filter/read=string.toupper|string.rot13/resource=data:,abc'));
var_dump(file_put_contents('php://filter/write=convert.base64-encode/resource=opline_filters.txt', 'hello world'), file_get_contents('opline_filters.txt'));
var_dump(file_get_contents('php://filter/convert.base64-decode/resource=opline_filters.txt'));
var_dump(file_get_contents('php://filter/no.such/resource=opline_filters.txt'));
try { file_get_contents('php://filter/string.rot13'); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$h = fopen('php://memory', 'w+'); $f = stream_filter_append($h, 'convert.base64-encode', STREAM_FILTER_WRITE, ['line-length' => 8, 'line-break-chars' => "|"]); fwrite($h, 'ab'); fwrite($h, 'cdefghijkl'); stream_filter_remove($f); fwrite($h, '!'); rewind($h); var_dump(stream_get_contents($h));
try { stream_filter_remove($f); } catch (Error $e) { echo $e->getMessage(), "\n"; }
foreach ([['quoted-printable-encode', "h\xe9 a=b\r\n \n", null], ['quoted-printable-encode', "h\xe9 a=b\r\n \n", ['binary' => true]], ['quoted-printable-decode', "h=41=\r\n x=3D", null], ['quoted-printable-decode', "bad =ZZ", null], ['base64-decode', "aGVs\r\nbG8=", null], ['base64-decode', "a*b", null], ['base64-decode', "aGVsbG8", null], ['quoted-printable-encode', "abc", ['force-encode-first' => true, 'line-length' => 10]]] as [$name, $text, $params]) {
 $h = fopen('php://memory', 'w+'); fwrite($h, $text); rewind($h); if ($params) stream_filter_append($h, "convert.$name", STREAM_FILTER_READ, $params); else stream_filter_append($h, "convert.$name", STREAM_FILTER_READ); var_dump(stream_get_contents($h)); fclose($h); }
$h = fopen('php://memory', 'w+'); fwrite($h, "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\ntrail"); rewind($h); stream_filter_append($h, 'dechunk', STREAM_FILTER_READ); var_dump(stream_get_contents($h));
$h = fopen('opline_filters.txt', 'r'); var_dump(fread($h, 2)); stream_filter_append($h, 'string.tolower'); var_dump(fread($h, 100));
$b = stream_bucket_new($h, 'x'); var_dump(get_resource_type($b->bucket), $b->data, $b->datalen, $b->dataLength); 
try { stream_bucket_append($h, $b); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { stream_bucket_make_writeable($h); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump((new ReflectionClass('StreamBucket'))->__toString() === '', new php_user_filter);
echo new ReflectionClass('php_user_filter');
class Twice extends php_user_filter { function filter($in, $out, &$consumed, bool $closing): int { while ($b = stream_bucket_make_writeable($in)) { $consumed += $b->datalen; stream_bucket_append($out, $b); stream_bucket_prepend($out, clone $b); stream_bucket_append($out, stream_bucket_new($this->stream, '|')); var_dump(@fclose($this->stream)); } return PSFS_PASS_ON; } }
stream_filter_register('u.twice', 'Twice'); var_dump(stream_filter_register('String.ToUpper', 'Twice'));
$h = fopen('php://memory', 'w+'); $f = stream_filter_append($h, 'u.twice', STREAM_FILTER_WRITE); fwrite($h, 'once'); rewind($h); var_dump(stream_get_contents($h));
file_put_contents('opline_filters.txt', '<?php ECHO "INCLUDED THROUGH A FILTER\n";'); include 'php://filter/read=string.tolower/resource=opline_filters.txt';
include 'php://filter/read=u.lazy/resource=opline_filters.txt';
unlink('opline_filters.txt');
--EXPECT--

Warning: stream_filter_append(): Unable to locate filter "no.such" in case.php on line 3
bool(false)
string(13) "stream filter"
stream_filter_register(): Argument #1 ($filter_name) must be a non-empty string
stream_filter_register(): Argument #2 ($class) must be a non-empty string
bool(true)
bool(false)

Warning: stream_filter_append(): User-filter "u.noclass" requires class "NoSuch", but that class is not defined in case.php on line 8

Warning: stream_filter_append(): Unable to create or locate filter "u.noclass" in case.php on line 8
bool(false)

Warning: stream_filter_append(): Unable to create or locate filter "u.nocreate" in case.php on line 10
bool(false)

Warning: fwrite(): Unprocessed filter buckets remaining on input brigade in case.php on line 15
bool(false)
string(0) ""

Warning: fread(): Unprocessed filter buckets remaining on input brigade in case.php on line 16
bool(false)
bool(true)

Warning: fread(): Unprocessed filter buckets remaining on input brigade in case.php on line 17
string(0) ""
bool(true)
int(3)
int(3)
string(8) "[abcdef]"
resource (userfilter.bucket brigade)userfilter.bucket brigadeu.p.x.y{"k":1}
resource (userfilter.bucket brigade)userfilter.bucket brigadeu.p.x.y{"k":1}
string(12) "[<[abcdef]>]"
bool(false)
bool(true)
close
string(3) "NOP"
int(11)
string(16) "aGVsbG8gd29ybGQ="
string(11) "hello world"

Warning: file_get_contents(): Unable to locate filter "no.such" in case.php on line 23

Warning: file_get_contents(): Unable to create filter (no.such) in case.php on line 23
string(16) "aGVsbG8gd29ybGQ="
No URL resource specified
string(18) "YWJjZGVm|Z2hpamts!"
stream_filter_remove(): supplied resource is not a valid stream filter resource
string(20) "h=E9 a=3Db=0D=0A =0A"
string(24) "h=E9=20a=3Db=0D=0A=20=0A"
string(5) "hA x="

Warning: stream_get_contents(): Stream filter (convert.quoted-printable-decode): invalid byte sequence in case.php on line 28
string(0) ""
string(5) "hello"
string(1) "i"
string(5) "hello"
string(5) "=61bc"
string(11) "hello world"
string(2) "aG"
string(14) "vsbg8gd29ybgq="
string(17) "userfilter.bucket"
string(1) "x"
int(1)
int(1)
stream_bucket_append(): supplied resource is not a valid userfilter.bucket brigade resource
stream_bucket_make_writeable(): supplied resource is not a valid userfilter.bucket brigade resource
bool(false)
object(php_user_filter)#3 (3) {
  ["filtername"]=>
  string(0) ""
  ["params"]=>
  string(0) ""
  ["stream"]=>
  NULL
}
Class [ <internal:standard> class php_user_filter ] {

  - Constants [0] {
  }

  - Static properties [0] {
  }

  - Static methods [0] {
  }

  - Properties [3] {
    Property [ public string $filtername = '' ]
    Property [ public mixed $params = '' ]
    Property [ public $stream = NULL ]
  }

  - Methods [3] {
    Method [ <internal:standard> public method filter ] {

      - Parameters [4] {
        Parameter #0 [ <required> $in ]
        Parameter #1 [ <required> $out ]
        Parameter #2 [ <required> &$consumed ]
        Parameter #3 [ <required> bool $closing ]
      }
      - Tentative return [ int ]
    }

    Method [ <internal:standard> public method onCreate ] {

      - Parameters [0] {
      }
      - Tentative return [ bool ]
    }

    Method [ <internal:standard> public method onClose ] {

      - Parameters [0] {
      }
      - Tentative return [ void ]
    }
  }
}
bool(true)
bool(false)
string(5) "once|"
included through a filter

Warning: include(): Unprocessed filter buckets remaining on input brigade in case.php on line 40
