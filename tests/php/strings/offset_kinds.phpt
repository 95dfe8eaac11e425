--TEST--
String offsets of every type: isset, empty, ?? and reads
--FILE--
<?php $s="abc";
foreach ([1, 1.0, 1.5, true, null, [], STDIN, new stdClass, "1", "1.0", "x", " 1", "1 ", "-1", -1, -9, "0x1", INF, NAN] as $o) {
 foreach (['isset','empty','coalesce','read'] as $w) {
 try {
 $r = match($w) { 'isset'=>isset($s[$o]), 'empty'=>empty($s[$o]), 'coalesce'=>$s[$o] ?? 'D', 'read' => $s[$o] };
 echo $w, ' ', var_export($o instanceof stdClass ? 'obj' : $o, true), ' => '; var_dump($r);
 } catch (Error $e) { echo get_class($e), $e->getMessage(), "\n"; }
 }
}
--EXPECT--
isset 1 => bool(true)
empty 1 => bool(false)
coalesce 1 => string(1) "b"
read 1 => string(1) "b"
isset 1.0 => bool(true)
empty 1.0 => bool(false)
coalesce 1.0 => string(1) "b"

Warning: String offset cast occurred in case.php on line 5
read 1.0 => string(1) "b"

Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 5
isset 1.5 => bool(true)

Deprecated: Implicit conversion from float 1.5 to int loses precision in case.php on line 5
empty 1.5 => bool(false)
coalesce 1.5 => string(1) "b"

Warning: String offset cast occurred in case.php on line 5
read 1.5 => string(1) "b"
isset true => bool(true)
empty true => bool(false)
coalesce true => string(1) "b"

Warning: String offset cast occurred in case.php on line 5
read true => string(1) "b"
isset NULL => bool(true)
empty NULL => bool(false)
coalesce NULL => string(1) "a"

Warning: String offset cast occurred in case.php on line 5
read NULL => string(1) "a"
isset array (
) => bool(false)
empty array (
) => bool(true)
TypeErrorCannot access offset of type array on string
TypeErrorCannot access offset of type array on string
isset NULL => bool(false)
empty NULL => bool(true)
TypeErrorCannot access offset of type resource on string
TypeErrorCannot access offset of type resource on string
isset 'obj' => bool(false)
empty 'obj' => bool(true)
TypeErrorCannot access offset of type stdClass on string
TypeErrorCannot access offset of type stdClass on string
isset '1' => bool(true)
empty '1' => bool(false)
coalesce '1' => string(1) "b"
read '1' => string(1) "b"
isset '1.0' => bool(false)
empty '1.0' => bool(true)
coalesce '1.0' => string(1) "D"
TypeErrorCannot access offset of type string on string
isset 'x' => bool(false)
empty 'x' => bool(true)
coalesce 'x' => string(1) "D"
TypeErrorCannot access offset of type string on string
isset ' 1' => bool(true)
empty ' 1' => bool(false)
coalesce ' 1' => string(1) "b"
read ' 1' => string(1) "b"
isset '1 ' => bool(true)
empty '1 ' => bool(false)
coalesce '1 ' => string(1) "b"
read '1 ' => string(1) "b"
isset '-1' => bool(true)
empty '-1' => bool(false)
coalesce '-1' => string(1) "c"
read '-1' => string(1) "c"
isset -1 => bool(true)
empty -1 => bool(false)
coalesce -1 => string(1) "c"
read -1 => string(1) "c"
isset -9 => bool(false)
empty -9 => bool(true)
coalesce -9 => string(1) "D"

Warning: Uninitialized string offset -9 in case.php on line 5
read -9 => string(0) ""
isset '0x1' => bool(false)
empty '0x1' => bool(true)

Warning: Illegal string offset "0x1" in case.php on line 5
coalesce '0x1' => string(1) "a"

Warning: Illegal string offset "0x1" in case.php on line 5
read '0x1' => string(1) "a"

Deprecated: Implicit conversion from float INF to int loses precision in case.php on line 5
isset INF => bool(true)

Deprecated: Implicit conversion from float INF to int loses precision in case.php on line 5
empty INF => bool(false)
coalesce INF => string(1) "a"

Warning: String offset cast occurred in case.php on line 5
read INF => string(1) "a"

Deprecated: Implicit conversion from float NAN to int loses precision in case.php on line 5
isset NAN => bool(true)

Deprecated: Implicit conversion from float NAN to int loses precision in case.php on line 5
empty NAN => bool(false)
coalesce NAN => string(1) "a"

Warning: String offset cast occurred in case.php on line 5
read NAN => string(1) "a"
