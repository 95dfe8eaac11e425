--TEST--
Error handlers that drop what is being written to
--FILE--
<?php
set_error_handler(function ($n, $m) { global $target, $drop; echo "  $m\n"; if ($drop) { $target = null; } });
foreach ([false, true] as $d) foreach ([[1,2], [[5]], null, "abc", 5] as $v) {
  echo get_debug_type($v), $d ? " dropped":"", "\n";
  foreach (['assign','assign2','op','fetch','unset','append', 'ref','list'] as $what) {
    $drop = false; $target = is_object($v) ? clone $v : $v; $drop = $d; 
    echo " $what\n";
    try {
    switch ($what) {
      case 'assign': $target[$undef] = 1; break;
      case 'assign2': $target[$undef] = $undef2; break;
      case 'op': $target[$undef] .= 'x'; break;
      case 'fetch': $target[$undef][$undef] = 'x'; break;
      case 'unset': unset($target[$undef][$undef2]); break;
      case 'append': $target[] = $undef; break;
      case 'ref': $r = &$target[$undef]; unset($r); break;
      case 'list': [$target[$undef], $target[$undef2]] = [1,2]; break;
    } } catch (Error $e) { echo "  ", get_class($e), ": ", $e->getMessage(), "\n"; }
    $drop = false;
    echo "  ", json_encode($target), "\n";
  }
}
--EXPECT--
array
 assign
  Undefined variable $undef
  {"0":1,"1":2,"":1}
 assign2
  Undefined variable $undef
  Undefined variable $undef2
  {"0":1,"1":2,"":null}
 op
  Undefined variable $undef
  Undefined array key ""
  {"0":1,"1":2,"":"x"}
 fetch
  Undefined variable $undef
  Undefined variable $undef
  {"0":1,"1":2,"":{"":"x"}}
 unset
  Undefined variable $undef
  Undefined variable $undef2
  [1,2]
 append
  Undefined variable $undef
  [1,2,null]
 ref
  Undefined variable $undef
  {"0":1,"1":2,"":null}
 list
  Undefined variable $undef
  Undefined variable $undef2
  {"0":1,"1":2,"":2}
array
 assign
  Undefined variable $undef
  {"0":[5],"":1}
 assign2
  Undefined variable $undef
  Undefined variable $undef2
  {"0":[5],"":null}
 op
  Undefined variable $undef
  Undefined array key ""
  {"0":[5],"":"x"}
 fetch
  Undefined variable $undef
  Undefined variable $undef
  {"0":[5],"":{"":"x"}}
 unset
  Undefined variable $undef
  Undefined variable $undef2
  [[5]]
 append
  Undefined variable $undef
  [[5],null]
 ref
  Undefined variable $undef
  {"0":[5],"":null}
 list
  Undefined variable $undef
  Undefined variable $undef2
  {"0":[5],"":2}
null
 assign
  Undefined variable $undef
  {"":1}
 assign2
  Undefined variable $undef
  Undefined variable $undef2
  {"":null}
 op
  Undefined variable $undef
  Undefined array key ""
  {"":"x"}
 fetch
  Undefined variable $undef
  Undefined variable $undef
  {"":{"":"x"}}
 unset
  Undefined variable $undef
  Undefined variable $undef2
  null
 append
  Undefined variable $undef
  [null]
 ref
  Undefined variable $undef
  {"":null}
 list
  Undefined variable $undef
  Undefined variable $undef2
  {"":2}
string
 assign
  Undefined variable $undef
  String offset cast occurred
  "1bc"
 assign2
  Undefined variable $undef
  String offset cast occurred
  Undefined variable $undef2
  Error: Cannot assign an empty string to a string offset
  "abc"
 op
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot use assign-op operators with string offsets
  "abc"
 fetch
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot use string offset as an array
  "abc"
 unset
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot use string offset as an array
  "abc"
 append
  Error: [] operator not supported for strings
  "abc"
 ref
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot create references to/from string offsets
  "abc"
 list
  Undefined variable $undef
  String offset cast occurred
  Undefined variable $undef2
  String offset cast occurred
  "2bc"
int
 assign
  Error: Cannot use a scalar value as an array
  5
 assign2
  Error: Cannot use a scalar value as an array
  5
 op
  Undefined variable $undef
  Error: Cannot use a scalar value as an array
  5
 fetch
  Error: Cannot use a scalar value as an array
  5
 unset
  Error: Cannot unset offset in a non-array variable
  5
 append
  Error: Cannot use a scalar value as an array
  5
 ref
  Error: Cannot use a scalar value as an array
  5
 list
  Error: Cannot use a scalar value as an array
  5
array dropped
 assign
  Undefined variable $undef
  null
 assign2
  Undefined variable $undef
  null
 op
  Undefined variable $undef
  null
 fetch
  Undefined variable $undef
  Undefined variable $undef
  null
 unset
  Undefined variable $undef
  Undefined variable $undef2
  null
 append
  Undefined variable $undef
  null
 ref
  Undefined variable $undef
  null
 list
  Undefined variable $undef
  Undefined variable $undef2
  null
array dropped
 assign
  Undefined variable $undef
  null
 assign2
  Undefined variable $undef
  null
 op
  Undefined variable $undef
  null
 fetch
  Undefined variable $undef
  Undefined variable $undef
  null
 unset
  Undefined variable $undef
  Undefined variable $undef2
  null
 append
  Undefined variable $undef
  null
 ref
  Undefined variable $undef
  null
 list
  Undefined variable $undef
  Undefined variable $undef2
  null
null dropped
 assign
  Undefined variable $undef
  null
 assign2
  Undefined variable $undef
  null
 op
  Undefined variable $undef
  null
 fetch
  Undefined variable $undef
  Undefined variable $undef
  null
 unset
  Undefined variable $undef
  Undefined variable $undef2
  null
 append
  Undefined variable $undef
  null
 ref
  Undefined variable $undef
  null
 list
  Undefined variable $undef
  Undefined variable $undef2
  null
string dropped
 assign
  Undefined variable $undef
  String offset cast occurred
  null
 assign2
  Undefined variable $undef
  String offset cast occurred
  null
 op
  Undefined variable $undef
  Error: Cannot use a scalar value as an array
  null
 fetch
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot use string offset as an array
  null
 unset
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot use string offset as an array
  null
 append
  Error: [] operator not supported for strings
  "abc"
 ref
  Undefined variable $undef
  String offset cast occurred
  Error: Cannot create references to/from string offsets
  null
 list
  Undefined variable $undef
  String offset cast occurred
  Undefined variable $undef2
  null
int dropped
 assign
  Error: Cannot use a scalar value as an array
  5
 assign2
  Error: Cannot use a scalar value as an array
  5
 op
  Undefined variable $undef
  Error: Cannot use a scalar value as an array
  null
 fetch
  Error: Cannot use a scalar value as an array
  5
 unset
  Error: Cannot unset offset in a non-array variable
  5
 append
  Error: Cannot use a scalar value as an array
  5
 ref
  Error: Cannot use a scalar value as an array
  5
 list
  Error: Cannot use a scalar value as an array
  5
