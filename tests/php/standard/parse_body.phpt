--TEST--
request_parse_body(), include path, extract and others
--FILE--
<?php
foreach ([["foo" => 1], [42 => 1], ["max_input_vars" => []], ["upload_max_filesize" => "1GB"], null] as $options) {
    try { request_parse_body($options); } catch (Throwable $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; }
}
function f() { return extract(["" => 1, "a" => 2], EXTR_PREFIX_ALL, "p") . " " . json_encode(get_defined_vars()); }
echo f(), "\n";
try { ini_set("precision", []); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
try { hash_equals("a", 1); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
var_dump(ini_set("arg_separator.output", ""));
class D { function __construct(public $n) {} function __destruct() { global $list; if ($this->n == 2) $list = null; } }
$list = [0, new D(1), new D(2), 3];
try { array_splice($list, 1, 2); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$closure = function ($a, $b): int { return 1; };
echo new ReflectionMethod($closure, "__invoke");
foreach ((new ReflectionObject($closure))->getMethods() as $method) if ($method->getName() == "__invoke") echo $method->getNumberOfParameters();
echo "\n", new ReflectionMethod("FilesystemIterator", "current");
$file = (new ReflectionClass("SplFileObject"))->newInstanceWithoutConstructor();
try { $file->key(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { (new ReflectionMethod($file, "fgets"))->invoke($file); } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(strlen(basename(tempnam(__DIR__, "abc"))));
class W { public $context; function stream_open($p, $m, $o, &$x) { return true; } function stream_read($n) { return ""; } function stream_eof() { return true; } function stream_stat() { return []; } function stream_set_option($o, $a, $b) { return false; } }
stream_wrapper_register("far", "W", STREAM_IS_URL);
stream_wrapper_register("near", "W");
var_dump(include "near://x");
var_dump(include "far://x");
--EXPECT--
ValueError: Invalid key "foo" in $options argument
ValueError: Invalid integer key in $options argument
ValueError: Invalid array value in $options argument

Warning: Invalid quantity "1GB": unknown multiplier "B", interpreting as "1" for backwards compatibility in case.php on line 3
RequestParseBodyException: Request does not provide a content type
RequestParseBodyException: Request does not provide a content type
1 {"p_a":2}
ini_set(): Argument #2 ($value) must be of type string|int|float|bool|null
hash_equals(): Argument #2 ($user_string) must be of type string, int given
bool(false)
Array was modified during array_splice operation
Method [ <internal> public method __invoke ] {

  - Parameters [2] {
    Parameter #0 [ <required> $a ]
    Parameter #1 [ <required> $b ]
  }
  - Return [ int ]
}
2
Method [ <internal:SPL, overwrites DirectoryIterator, prototype Iterator> public method current ] {

  - Parameters [0] {
  }
  - Tentative return [ SplFileInfo|FilesystemIterator|string ]
}
The parent constructor was not called: the object is in an invalid state
Object not initialized
int(22)
int(1)

Warning: include(): far:// wrapper is disabled in the server configuration by allow_url_include=0 in case.php on line 25

Warning: include(far://x): Failed to open stream: no suitable wrapper could be found in case.php on line 25

Warning: include(): Failed opening 'far://x' for inclusion (include_path='.:/usr/share/php') in case.php on line 25
bool(false)
