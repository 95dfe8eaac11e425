--TEST--
Names of properties that cannot be strings; unpacking of wrong types
--FILE--
<?php
class H { public $v=1; } enum E: string { case A='a'; case B='b'; const Z=self::A; }
set_error_handler(function($n,$m){echo "  !$m\n";});
try { $p = ($q->priv ??= new H); } catch (Throwable $t) { echo get_class($t),"\n"; }
var_dump(new stdClass);
try { $q = ($u->{1 <=> 2} ??= E::Z); } catch (Throwable $t) { echo get_class($t),"\n"; }
var_dump(new stdClass);
$b=[]; try { $b[[]]["k"] ??= 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = $b[[]]["k"] ?? 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = $b[[]] ?? 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = isset($b[[]]["k"]); } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = isset($b[[]]); } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $f=5; $x = [...$f]; } catch (Throwable $t) { echo get_class($t), $t->getMessage(),"\n"; }
try { $f=true; $x = [...$f]; } catch (Throwable $t) { echo get_class($t), $t->getMessage(),"\n"; }
try { $f=5; $x = var_dump(...$f); } catch (Throwable $t) { echo get_class($t), $t->getMessage(),"\n"; }
try { $f=new H; $x = var_dump(...$f); } catch (Throwable $t) { echo get_class($t), $t->getMessage(),"\n"; }
try { $f=new H; $x = [...$f]; } catch (Throwable $t) { echo get_class($t), $t->getMessage(),"\n"; }
class P { public string $s="x"; } $p = new P; try { $p->s = &$zz; } catch (Throwable $t) { echo $t->getMessage(),"\n"; } var_dump($zz);
try { unset($qq->ps->{$uu}); } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { unset($qq->{$uu}); } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = isset($qq->{$uu}); } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = $qq->{$uu}; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $x = $qq->{$uu} ?? 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $qq->{$uu}++; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $qq->{$uu} = 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $qq->{$uu} .= 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
try { $qq->{$uu}[1] = 1; } catch (Throwable $t) { echo $t->getMessage(),"\n"; }
$n = new H;
foreach ([fn() => $n->{new H} = 1, fn() => $n->{new H}, fn() => $n->{new H}[1] = 2, fn() => isset($n->{new H}), function() use ($n) { unset($n->{new H}); }, function () use ($n) { $n->{new H}++; }, function () use ($n) { $n->{new H} .= 1; },function () use ($n) { $x = &$n->{new H}; }, function () { $q->{new H} = 1; }, function () { $q->{new H}++; }, function () { $x = &$q->{new H}; }, function () { $x = $q->{new H}; }, function () { $x = $q->{new H} ?? 1; }, function () { $q->{new H}[1] = 1; }] as $k => $f) { try { $f(); } catch (Throwable $t) { do echo "$k ", get_class($t), ': ', $t->getMessage(), "\n"; while ($t = $t->getPrevious()); } }
var_dump($n);
--EXPECT--
Error
object(stdClass)#2 (0) {
}
Error
object(stdClass)#3 (0) {
}
Cannot access offset of type array on array
Cannot access offset of type array on array
Cannot access offset of type array on array
Cannot access offset of type array on array
Cannot access offset of type array in isset or empty
ErrorOnly arrays and Traversables can be unpacked, int given
ErrorOnly arrays and Traversables can be unpacked, true given
TypeErrorOnly arrays and Traversables can be unpacked, int given
TypeErrorOnly arrays and Traversables can be unpacked, H given
TypeErrorOnly arrays and Traversables can be unpacked, H given
Cannot assign null to property P::$s of type string
NULL
  !Undefined variable $qq
  !Undefined variable $uu
  !Undefined variable $uu
  !Undefined variable $uu
  !Undefined variable $qq
  !Undefined variable $uu
  !Attempt to read property "" on null
  !Undefined variable $uu
  !Undefined variable $uu
  !Undefined variable $qq
Attempt to increment/decrement property "" on null
  !Undefined variable $uu
Attempt to assign property "" on null
  !Undefined variable $uu
  !Undefined variable $qq
Attempt to assign property "" on null
  !Undefined variable $uu
Attempt to modify property "" on null
0 Error: Object of class H could not be converted to string
1 Error: Object of class H could not be converted to string
2 Error: Object of class H could not be converted to string
3 Error: Object of class H could not be converted to string
4 Error: Object of class H could not be converted to string
5 Error: Object of class H could not be converted to string
6 Error: Object of class H could not be converted to string
7 Error: Object of class H could not be converted to string
8 Error: Attempt to assign property "" on null
8 Error: Object of class H could not be converted to string
  !Undefined variable $q
9 Error: Attempt to increment/decrement property "" on null
9 Error: Object of class H could not be converted to string
10 Error: Attempt to modify property "" on null
10 Error: Object of class H could not be converted to string
  !Undefined variable $q
11 Error: Object of class H could not be converted to string
13 Error: Attempt to modify property "" on null
13 Error: Object of class H could not be converted to string
object(H)#3 (2) {
  ["v"]=>
  int(1)
  [""]=>
  NULL
}
