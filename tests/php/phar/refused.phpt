--TEST--
phar: what methods and streams refuse
--INI--
phar.readonly=0
--FILE--
<?php
set_error_handler(function ($n, $m) { echo $m, "\n"; return true; });
function told(callable $what) { try { var_dump($what()); } catch (Throwable $e) { echo get_class($e), ': ', str_replace(getcwd() . '/', '', $e->getMessage()), "\n"; } }
$p = new Phar('r.phar'); $p['a'] = 'A'; $p['b/c'] = 'C'; $p->addEmptyDir('e');
told(fn() => $p->addEmptyDir('')); told(fn() => $p->addEmptyDir('b/c')); told(fn() => $p->addFromString('x*y', '')); told(fn() => $p->addFromString('x/../y', ''));
told(fn() => $p->offsetSet('n', [])); told(fn() => $p->copy('a', '.phar/x')); told(fn() => $p->convertToExecutable()); told(fn() => $p->convertToData());
chdir(__DIR__);
foreach (['phar://r.phar/nope', 'phar://r.phar/a'] as $u) told(fn() => opendir($u));
told(fn() => file_get_contents('phar://r.phar/b')); told(fn() => file_get_contents('phar://r.phar/e'));
foreach (['phar://', 'phar://no.phar', 'phar://r.phar', 'phar://r.phar/nope', 'phar://r.phar/e'] as $u) told(fn() => unlink($u));
told(fn() => rmdir('phar://r.phar/')); told(fn() => file_put_contents('phar://r.phar', 'x'));
--EXPECT--
BadMethodCallException: Directory  does not exist and cannot be created: phar error: file "" in phar "r.phar" must not be empty
BadMethodCallException: Directory b/c does not exist and cannot be created: phar error: unable to add new entry "b/c" to phar "r.phar"
BadMethodCallException: Entry x*y does not exist and cannot be created: phar error: invalid path "x*y" contains star
BadMethodCallException: Entry x/../y does not exist and cannot be created: phar error: invalid path "x/../y" contains upper directory reference
TypeError: Phar::offsetSet(): Argument #2 ($value) must be of type string, array given
UnexpectedValueException: file "a" cannot be copied to file ".phar/x", cannot copy to Phar meta-file in r.phar
BadMethodCallException: Unable to add newly converted phar "r.phar" to the list of phars, a phar with that name already exists
UnexpectedValueException: Cannot write out data phar archive, use Phar::TAR or Phar::ZIP
opendir(phar://r.phar/nope): Failed to open directory: operation failed
bool(false)
opendir(phar://r.phar/a): Failed to open directory: operation failed
bool(false)
file_get_contents(phar://r.phar/b): Failed to open stream: phar error: "b" is not a file in phar "r.phar"
bool(false)
file_get_contents(phar://r.phar/e): Failed to open stream: phar error: path "e" is a directory
bool(false)
unlink(): phar error: no directory in "phar://", must have at least phar:/// for root directory (always use full path to a new phar)
unlink(): phar error: unlink failed
bool(false)
unlink(): phar error: invalid url or non-existent phar "phar://no.phar"
unlink(): phar error: unlink failed
bool(false)
unlink(): unlink of "phar://r.phar" failed: phar error: file "" in phar "r.phar" must not be empty
bool(false)
unlink(): unlink of "phar://r.phar/nope" failed, file does not exist
bool(false)
unlink(): unlink of "phar://r.phar/e" failed: phar error: path "e" is a directory
bool(false)
rmdir(): phar error: cannot remove directory "" in phar "r.phar", directory does not exist
bool(false)
file_put_contents(phar://r.phar): Failed to open stream: phar error: file "" in phar "r.phar" must not be empty
bool(false)
