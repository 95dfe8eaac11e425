--TEST--
Warnings of ++ and -- leave a plain variable
--FILE--
<?php
set_error_handler(function($n,$m){echo "  !$m\n";});
$q = false; --$q; var_dump($q); $q++; var_dump($q); $q[] = 1; $q=false; $q--; $q[][1]=2;
$q = (bool)(1 instanceof stdClass); --$q;  var_dump($q); $a = &$q[][1];
--EXPECT--
  !Decrement on type bool has no effect, this will change in the next major version of PHP
bool(false)
  !Increment on type bool has no effect, this will change in the next major version of PHP
bool(false)
  !Automatic conversion of false to array is deprecated
  !Decrement on type bool has no effect, this will change in the next major version of PHP
  !Automatic conversion of false to array is deprecated
  !Decrement on type bool has no effect, this will change in the next major version of PHP
bool(false)
  !Automatic conversion of false to array is deprecated
