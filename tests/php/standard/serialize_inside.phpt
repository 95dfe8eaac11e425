--TEST--
Calls of serialize and unserialize inside methods of Serializable share the numbers of values
--FILE--
<?php
error_reporting(E_ALL & ~E_DEPRECATED);
class Box implements Serializable {
    public $data;
    function __construct($data = null) { $this->data = $data; }
    function serialize() { return serialize($this->data); }
    function unserialize($text) { $this->data = unserialize($text); }
}
class Late { public $p; public $seen = 'no'; function __wakeup() { $this->seen = get_debug_type($this->p); echo "woken\n"; } }
class Own { public $in; function __serialize(): array { return ['in' => serialize($this->in)]; } function __unserialize(array $d): void { $this->in = unserialize($d['in']); } }
$object = new stdClass; $object->name = 'x';
$all = [$object, new Box([$object, 1, $object]), $object, new Box($object)];
echo $text = serialize($all), "\n";
$back = unserialize($text);
var_dump($back[0] === $back[1]->data[0], $back[0] === $back[3]->data, $back[2] === $back[0]);
$box = new Box; $box->data = ['self' => $box, 'more' => new Box($box)];
echo $text = serialize($box), "\n";
$back = unserialize($text);
var_dump($back->data['self'] === $back, $back->data['more']->data === $back);
$own = new Own; $own->in = [$object, $object];
echo $text = serialize([$object, $own, new Box([$own, $object])]), "\n";
$back = unserialize($text);
var_dump($back[0] === $back[1]->in[0], $back[1] === $back[2]->data[0], $back[0] === $back[2]->data[1]);
$late = new Late; $late->p = [1];
$text = serialize([new Box([$late]), $late]);
echo $text, "\n";
var_dump(unserialize($text));
$v = 5; $refs = [&$v, new Box([&$v, &$v])];
echo $text = serialize($refs), "\n";
$back = unserialize($text); $back[0] = 6; var_dump($back);
// An inner text with an error in it; values of it cannot be referred to.
class Bad implements Serializable { public $got; function serialize() { return 'x'; } function unserialize($text) { $this->got = @unserialize($text); } }
foreach (['a:3:{i:0;C:3:"Bad":23:{a:2:{i:0;i:5;i:1;X:bad}}i:1;R:4;i:2;i:9;}', 'a:2:{i:0;C:3:"Bad":4:{i:7;}i:1;R:3;}', 'a:2:{i:0;C:3:"Bad":18:{a:1:{i:0;s:1:"a";}}i:1;R:4;}',
    'a:2:{i:0;C:3:"Bad":10:{i:1;R:1;..}i:1;R:1;}'] as $text) {
    var_dump(@unserialize($text));
}
// A script that releases what later references name.
class Eraser implements Serializable { function serialize() { return ''; } function unserialize($text) { $o = unserialize($text); $o->p = null; unset($o->q, $o->r); } }
$back = unserialize('a:5:{i:0;O:8:"stdClass":3:{s:1:"p";a:1:{i:0;s:3:"abc";}s:1:"q";a:1:{i:0;i:2;}s:1:"r";i:1;}i:1;C:6:"Eraser":4:{r:2;}i:2;R:4;i:3;R:6;i:4;i:1;}');
echo json_encode([$back[0], $back[2], $back[3], $back[4]]), "\n";
--EXPECT--
a:4:{i:0;O:8:"stdClass":1:{s:4:"name";s:1:"x";}i:1;C:3:"Box":30:{a:3:{i:0;r:2;i:1;i:1;i:2;r:2;}}i:2;r:2;i:3;C:3:"Box":4:{r:2;}}
bool(true)
bool(true)
bool(true)
C:3:"Box":50:{a:2:{s:4:"self";r:1;s:4:"more";C:3:"Box":4:{r:1;}}}
bool(true)
bool(true)
a:3:{i:0;O:8:"stdClass":1:{s:4:"name";s:1:"x";}i:1;O:3:"Own":1:{s:2:"in";s:56:"a:2:{i:0;O:8:"stdClass":1:{s:4:"name";s:1:"x";}i:1;r:2;}";}i:2;C:3:"Box":22:{a:2:{i:0;r:4;i:1;r:2;}}}
bool(false)
bool(true)
bool(true)
a:2:{i:0;C:3:"Box":67:{a:1:{i:0;O:4:"Late":2:{s:1:"p";a:1:{i:0;i:1;}s:4:"seen";s:2:"no";}}}i:1;r:4;}
woken
array(2) {
  [0]=>
  object(Box)#14 (1) {
    ["data"]=>
    array(1) {
      [0]=>
      object(Late)#15 (2) {
        ["p"]=>
        array(1) {
          [0]=>
          int(1)
        }
        ["seen"]=>
        string(5) "array"
      }
    }
  }
  [1]=>
  object(Late)#15 (2) {
    ["p"]=>
    array(1) {
      [0]=>
      int(1)
    }
    ["seen"]=>
    string(5) "array"
  }
}
a:2:{i:0;i:5;i:1;C:3:"Box":22:{a:2:{i:0;R:2;i:1;R:2;}}}
array(2) {
  [0]=>
  &int(6)
  [1]=>
  object(Box)#14 (1) {
    ["data"]=>
    array(2) {
      [0]=>
      &int(6)
      [1]=>
      &int(6)
    }
  }
}
bool(false)
array(2) {
  [0]=>
  object(Bad)#11 (1) {
    ["got"]=>
    int(7)
  }
  [1]=>
  int(7)
}
array(2) {
  [0]=>
  object(Bad)#11 (1) {
    ["got"]=>
    array(1) {
      [0]=>
      &string(1) "a"
    }
  }
  [1]=>
  &string(1) "a"
}
array(2) {
  [0]=>
  object(Bad)#11 (1) {
    ["got"]=>
    int(1)
  }
  [1]=>
  *RECURSION*
}
[{"p":null},"abc",2,1]
