--TEST--
Iterators around another one hand methods they do not know to it
--FILE--
<?php
class I extends ArrayIterator { function foo(...$a) { return [get_class($this), $a]; } function __call($n,$a){ return "call $n"; } }
foreach ([fn()=>new IteratorIterator(new I([1])), fn()=>new CallbackFilterIterator(new I([1]),fn()=>true), fn()=>new LimitIterator(new I([1])), fn()=>new RecursiveIteratorIterator(new RecursiveArrayIterator([1])), fn()=>new CachingIterator(new I([1])), fn()=>new AppendIterator, fn()=>new NoRewindIterator(new I([1])), fn()=>new InfiniteIterator(new I([1]))] as $m) {
 $o=$m(); echo get_class($o),"\n";
 try { var_dump($o->foo(1,2)); } catch (Error $e) { echo $e->getMessage(),"\n"; }
 try { var_dump($o->bar(1,2)); } catch (Error $e) { echo $e->getMessage(),"\n"; }
 try { var_dump($o->getArrayCopy()); } catch (Error $e) { echo $e->getMessage(),"\n"; }
 var_dump(method_exists($o,"foo"), is_callable([$o,"foo"]));
 try { var_dump(call_user_func([$o,"foo"],3)); } catch (Error $e) { echo $e->getMessage(),"\n"; }
}
--EXPECT--
IteratorIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
CallbackFilterIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
LimitIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
RecursiveIteratorIterator
Call to undefined method RecursiveIteratorIterator::foo()
Call to undefined method RecursiveIteratorIterator::bar()
array(1) {
  [0]=>
  int(1)
}
bool(false)
bool(false)
call_user_func(): Argument #1 ($callback) must be a valid callback, class RecursiveIteratorIterator does not have a method "foo"
CachingIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
AppendIterator
Call to undefined method AppendIterator::foo()
Call to undefined method AppendIterator::bar()
Call to undefined method AppendIterator::getArrayCopy()
bool(false)
bool(false)
call_user_func(): Argument #1 ($callback) must be a valid callback, class AppendIterator does not have a method "foo"
NoRewindIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
InfiniteIterator
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
string(8) "call bar"
array(1) {
  [0]=>
  int(1)
}
bool(true)
bool(true)
array(2) {
  [0]=>
  string(1) "I"
  [1]=>
  array(1) {
    [0]=>
    int(3)
  }
}
