--TEST--
Programs of the system: exec and its kin, popen, proc_open, escapes
--FILE--
<?php
// The state of a program, once it has ended.
function ended($p) { do { usleep(1000); $st = proc_get_status($p); } while ($st['running']); return $st; }
foreach (['exec','system','passthru','shell_exec'] as $f) { try { $f(''); } catch (Error $e) { echo $e->getMessage(), "\n"; } try { $f("a\0b"); } catch (Error $e) { echo $e->getMessage(), "\n"; } }
$o = ['x']; var_dump(exec("printf 'a  \nb \n\nc  '", $o, $r), $o, $r);
var_dump(exec("exit 3", $o2, $r), $o2, $r);
$s = 'str'; exec("echo 1", $s); var_dump($s);
var_dump(system("echo sys; echo '  last  '; exit 2", $r), $r);
var_dump(passthru("printf 'raw\\001x'; exit 4", $r), $r);
var_dump(shell_exec("true"), shell_exec("echo 'a  '"), `echo $o[1]`);
var_dump(exec("kill -9 $$", $o3, $r), $r);
$p = popen("cat; exit 5", "w"); var_dump(get_resource_type($p), stream_get_meta_data($p)['mode']); fwrite($p, "to cat\n"); var_dump(pclose($p));
$p = popen("echo from; exit 7", "r"); var_dump(fgets($p), fgets($p), feof($p), pclose($p));
try { popen("echo", "z"); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { popen("echo", "r+"); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { var_dump(pclose($p)); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$p = proc_open("cat; echo err >&2; exit 9", [['pipe', 'r'], ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, '/tmp', ['A' => 'b']);
var_dump(get_resource_type($p), count($pipes)); fwrite($pipes[0], "hello"); fclose($pipes[0]); var_dump(stream_get_contents($pipes[1]), stream_get_contents($pipes[2]));
$st = ended($p); unset($st['pid']); var_dump($st, proc_close($p));
$p = proc_open(['sh', '-c', 'echo "$A $0 $1"; pwd', 'arg0', 'a b'], [1 => ['pipe', 'w']], $pipes, '/tmp', ['A' => 'envval']);
var_dump(stream_get_contents($pipes[1]), proc_close($p));
$p = proc_open("exec sleep 10", [], $pipes); var_dump(proc_terminate($p)); $st = ended($p); unset($st['pid']); var_dump($st, proc_close($p));
$p = proc_open("echo three >&3; echo o; echo e >&2", [1 => ['file', 'written.txt', 'w'], 2 => ['redirect', 1], 3 => ['pipe', 'w']], $pipes); var_dump(array_keys($pipes), stream_get_contents($pipes[3]), proc_close($p), file_get_contents('written.txt')); unlink('written.txt');
foreach ([[['pipe']], [['pipe', 'x', 'y']], [['bogus']], ['string'], [['redirect', 42]], [['file', 'x']], [['file']], [[]], ['a' => ['pipe', 'r']], [5]] as $spec) { try { $p2 = proc_open("true", $spec, $pipes); var_dump(is_resource($p2)); } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; } }
try { proc_open([], [], $pipes); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { proc_open([""], [], $pipes); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(@proc_open(["/no/such/program"], [], $pipes)); echo error_get_last()['message'], "\n";
var_dump(@proc_open("true", [], $pipes, "/no/such/dir")); echo error_get_last()['message'] ?? '', "\n";
try { proc_close($p); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(escapeshellarg("it's"), escapeshellarg(''), escapeshellcmd("a'b\"c'd \$x `y` *?~<>^()[]{}\\ \n#&;|"));
try { escapeshellarg("a\0"); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { escapeshellcmd("a\0"); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { escapeshellarg(str_repeat('x', 3000000)); } catch (Error $e) { echo $e->getMessage(), "\n"; }
echo "-- resources and extensions\n";
fclose(fopen('php://memory', 'r')); $before = count(get_resources()); $f = fopen('php://memory', 'r'); var_dump(count(get_resources('stream')) > 0, count(get_resources()) - $before, get_resources()[get_resource_id($f)] === $f); fclose($f); var_dump(count(get_resources()) - $before);
try { get_resources('nothing such'); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
var_dump(get_extension_funcs('no such extension'), in_array('dl', get_extension_funcs('standard')), in_array('func_get_args', get_extension_funcs('zend')));
--EXPECT--
exec(): Argument #1 ($command) must not be empty
exec(): Argument #1 ($command) must not contain any null bytes
system(): Argument #1 ($command) must not be empty
system(): Argument #1 ($command) must not contain any null bytes
passthru(): Argument #1 ($command) must not be empty
passthru(): Argument #1 ($command) must not contain any null bytes
shell_exec(): Argument #1 ($command) must not be empty
shell_exec(): Argument #1 ($command) must not contain any null bytes
string(1) "c"
array(5) {
  [0]=>
  string(1) "x"
  [1]=>
  string(1) "a"
  [2]=>
  string(1) "b"
  [3]=>
  string(0) ""
  [4]=>
  string(1) "c"
}
int(0)
string(0) ""
array(0) {
}
int(3)
array(1) {
  [0]=>
  string(1) "1"
}
sys
  last  
string(6) "  last"
int(2)
rawxNULL
int(4)
NULL
string(4) "a  
"
string(2) "a
"
string(0) ""
int(9)
string(6) "stream"
string(1) "w"
to cat
int(5)
string(5) "from
"
bool(false)
bool(true)
int(7)
popen(): Argument #2 ($mode) must be one of "r", "rb", "w", or "wb"
popen(): Argument #2 ($mode) must be one of "r", "rb", "w", or "wb"
pclose(): supplied resource is not a valid stream resource
string(7) "process"
int(3)
string(5) "hello"
string(4) "err
"
array(8) {
  ["command"]=>
  string(25) "cat; echo err >&2; exit 9"
  ["cached"]=>
  bool(true)
  ["running"]=>
  bool(false)
  ["signaled"]=>
  bool(false)
  ["stopped"]=>
  bool(false)
  ["exitcode"]=>
  int(9)
  ["termsig"]=>
  int(0)
  ["stopsig"]=>
  int(0)
}
int(9)
string(21) "envval arg0 a b
/tmp
"
int(0)
bool(true)
array(8) {
  ["command"]=>
  string(13) "exec sleep 10"
  ["cached"]=>
  bool(false)
  ["running"]=>
  bool(false)
  ["signaled"]=>
  bool(true)
  ["stopped"]=>
  bool(false)
  ["exitcode"]=>
  int(-1)
  ["termsig"]=>
  int(15)
  ["stopsig"]=>
  int(0)
}
int(-1)
array(1) {
  [0]=>
  int(3)
}
string(6) "three
"
int(0)
string(4) "o
e
"
ValueErrorMissing mode parameter for 'pipe'
bool(true)

Warning: proc_open(): bogus is not a valid descriptor spec/mode in case.php on line 24
bool(false)
ValueErrorproc_open(): Argument #2 ($descriptor_spec) must only contain arrays and streams

Warning: proc_open(): Redirection target 42 not found in case.php on line 24
bool(false)
ValueErrorMissing mode parameter for 'file'
ValueErrorMissing file name parameter for 'file'
ValueErrorMissing handle qualifier
ValueErrorproc_open(): Argument #2 ($descriptor_spec) must be an integer indexed array
ValueErrorproc_open(): Argument #2 ($descriptor_spec) must only contain arrays and streams
proc_open(): Argument #1 ($command) must have at least one element
First element must contain a non-empty program name
bool(false)
proc_open(): posix_spawn() failed: No such file or directory
bool(false)
proc_open(): posix_spawn() failed: No such file or directory
proc_close(): supplied resource is not a valid process resource
string(9) "'it'\''s'"
string(2) "''"
string(56) "a'b\"c'd \$x \`y\` \*\?\~\<\>\^\(\)\[\]\{\}\\ \
\#\&\;\|"
escapeshellarg(): Argument #1 ($arg) must not contain any null bytes
escapeshellcmd(): Argument #1 ($command) must not contain any null bytes
Argument exceeds the allowed length of 2097152 bytes
-- resources and extensions
bool(true)
int(1)
bool(true)
int(1)
get_resources(): Argument #1 ($type) must be a valid resource type
bool(false)
bool(true)
bool(true)
