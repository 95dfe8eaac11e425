--TEST--
Lazy ghosts: what initialises them, failing initialisers, options
--FILE--
<?php
class Account { public int $id; public $tags = ['new']; protected $log = 0; public readonly string $key;
    function __construct($id) { echo "make $id\n"; $this->id = $id; $this->key = "k$id"; } function __destruct() { echo "destroy {$this->id}\n"; } }
$class = new ReflectionClass('Account');
function ghost() { global $class; return $class->newLazyGhost(function (Account $account) { $account->__construct(7); }); }
function show($what, $function) { echo "# $what\n"; try { $ghost = ghost(); $function($ghost); global $class; var_dump($class->isUninitializedLazyObject($ghost)); } catch (Throwable $error) { echo get_class($error), ": ", $error->getMessage(), "\n"; } }
show('dump', fn($g) => var_dump($g)); show('read', fn($g) => print($g->id . "\n")); show('isset', fn($g) => var_dump(isset($g->tags)));
show('write', function ($g) { $g->tags = 1; }); show('unset', function ($g) { unset($g->tags); var_dump($g); }); show('foreach', function ($g) { foreach ($g as $name => $value) echo $name, "\n"; });
show('cast', fn($g) => print(count((array) $g) . "\n")); show('compare', fn($g) => var_dump($g == ghost())); show('clone', fn($g) => var_dump((clone $g)->id));
show('json', fn($g) => print(json_encode($g) . "\n")); show('method', fn($g) => var_dump($g::class)); show('append', function ($g) { $g->tags[] = 'x'; var_dump($g->tags); });
show('reference', function ($g) { $r = &$g->tags; $r = 5; var_dump($g->tags); });
$bad = $class->newLazyGhost(function ($account) { $account->tags = 'half'; throw new Exception('no luck'); });
try { $bad->id; } catch (Exception $e) { echo $e->getMessage(), "\n"; } var_dump($bad, $class->isUninitializedLazyObject($bad));
$class->getProperty('id')->setRawValueWithoutLazyInitialization($bad, 3); $class->getProperty('tags')->skipLazyInitialization($bad);
var_dump($bad->id, $bad->tags, $class->getProperty('id')->isLazy($bad), $class->getProperty('log')->isLazy($bad));
$class->markLazyObjectAsInitialized($bad); var_dump($bad); unset($bad);
$real = new Account(9); $class->resetAsLazyGhost($real, function ($account) { $account->__construct(10); }); echo "reset\n"; var_dump($real->id); unset($real); echo "end\n";
--EXPECT--
# dump
lazy ghost object(Account)#4 (0) {
  ["id"]=>
  uninitialized(int)
  ["key"]=>
  uninitialized(string)
}
bool(true)
# read
make 7
7
bool(false)
destroy 7
# isset
make 7
bool(true)
bool(false)
destroy 7
# write
make 7
bool(false)
destroy 7
# unset
make 7
object(Account)#2 (3) {
  ["id"]=>
  int(7)
  ["log":protected]=>
  int(0)
  ["key"]=>
  string(2) "k7"
}
bool(false)
destroy 7
# foreach
make 7
id
tags
key
bool(false)
destroy 7
# cast
0
bool(true)
# compare
make 7
make 7
destroy 7
bool(true)
bool(false)
destroy 7
# clone
make 7
destroy 7
int(7)
bool(false)
destroy 7
# json
make 7
{"id":7,"tags":["new"],"key":"k7"}
bool(false)
destroy 7
# method
string(7) "Account"
bool(true)
# append
make 7
array(2) {
  [0]=>
  string(3) "new"
  [1]=>
  string(1) "x"
}
bool(false)
destroy 7
# reference
make 7
int(5)
bool(false)
destroy 7
no luck
lazy ghost object(Account)#4 (0) {
  ["id"]=>
  uninitialized(int)
  ["key"]=>
  uninitialized(string)
}
bool(true)
int(3)
array(1) {
  [0]=>
  string(3) "new"
}
bool(false)
bool(true)
object(Account)#4 (3) {
  ["id"]=>
  int(3)
  ["tags"]=>
  array(1) {
    [0]=>
    string(3) "new"
  }
  ["log":protected]=>
  int(0)
  ["key"]=>
  uninitialized(string)
}
make 9
destroy 9
reset
make 10
int(10)
destroy 10
end
destroy 3
