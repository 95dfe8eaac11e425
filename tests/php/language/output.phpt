--TEST--
Printing values in every form
--FILE--
<?php
$value = ["a" => 1, "list" => [true, null, 1.5, "text"], "object" => (object)["p" => "q", "n" => [1]]]; print_r($value); echo "\n"; var_dump($value); var_export($value); echo "\n", json_encode($value), "\n", json_encode($value, JSON_PRETTY_PRINT), "\n", serialize([1, "a" => 1.5, true, null]), "\n"; print("print\n"); echo print_r(null, true), var_export(false, true), var_export("it's", true), "\n"; $r = [1]; $r["self"] = &$r; echo count($r), "\n"; var_dump(unserialize('a:1:{s:1:"k";i:5;}'));
--EXPECT--
Array
(
    [a] => 1
    [list] => Array
        (
            [0] => 1
            [1] => 
            [2] => 1.5
            [3] => text
        )

    [object] => stdClass Object
        (
            [p] => q
            [n] => Array
                (
                    [0] => 1
                )

        )

)

array(3) {
  ["a"]=>
  int(1)
  ["list"]=>
  array(4) {
    [0]=>
    bool(true)
    [1]=>
    NULL
    [2]=>
    float(1.5)
    [3]=>
    string(4) "text"
  }
  ["object"]=>
  object(stdClass)#1 (2) {
    ["p"]=>
    string(1) "q"
    ["n"]=>
    array(1) {
      [0]=>
      int(1)
    }
  }
}
array (
  'a' => 1,
  'list' => 
  array (
    0 => true,
    1 => NULL,
    2 => 1.5,
    3 => 'text',
  ),
  'object' => 
  (object) array(
     'p' => 'q',
     'n' => 
    array (
      0 => 1,
    ),
  ),
)
{"a":1,"list":[true,null,1.5,"text"],"object":{"p":"q","n":[1]}}
{
    "a": 1,
    "list": [
        true,
        null,
        1.5,
        "text"
    ],
    "object": {
        "p": "q",
        "n": [
            1
        ]
    }
}
a:4:{i:0;i:1;s:1:"a";d:1.5;i:1;b:1;i:2;N;}
print
false'it\'s'
2
array(1) {
  ["k"]=>
  int(5)
}
