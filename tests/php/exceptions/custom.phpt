--TEST--
Own exceptions and handlers
--FILE--
<?php
class AppError extends Exception { private $extra; function __construct($m, $extra) { parent::__construct($m, 5); $this->extra = $extra; } function extra() { return $this->extra; } }
try { throw new AppError("m", ["k"]); } catch (AppError $e) { echo $e->getMessage(), $e->getCode(), $e->extra()[0], "\n"; }
set_error_handler(function ($level, $message, $file, $line) { echo "handled $level: $message on $line\n"; return true; });
echo $undefined; $a = []; echo $a["k"]; echo "5 x" + 1, "\n"; trigger_error("mine", E_USER_WARNING); restore_error_handler();
set_error_handler(function ($l, $m) { throw new ErrorException($m, 0, $l); }); try { echo $nope; } catch (ErrorException $e) { echo "thrown: ", $e->getMessage(), "\n"; } restore_error_handler(); echo @$quiet["x"], "quiet\n";
try { throw "text"; } catch (Error $e) { echo $e->getMessage(), "\n"; } $r = fn() => $x ?? throw new Exception("expression"); try { $r(); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
set_exception_handler(function ($e) { echo "last: ", $e->getMessage(), "\n"; }); throw new Exception("bye");
--EXPECT--
m5k
handled 2: Undefined variable $undefined on 5
handled 2: Undefined array key "k" on 5
handled 2: A non-numeric value encountered on 5
6
handled 512: mine on 5
thrown: Undefined variable $nope
quiet
Can only throw objects
expression
last: bye
