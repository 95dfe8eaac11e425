--TEST--
Depth, allowed classes and references of texts inside texts
--FILE--
<?php
error_reporting(E_ALL & ~E_DEPRECATED);
class Inner implements Serializable {
    public $got; static $options;
    function serialize() { return ''; }
    function unserialize($text) {
        $this->got = self::$options === null ? @unserialize($text) : @unserialize($text, self::$options);
    }
}
class Other {}
class Taking { function __unserialize(array $data): void {} }
class Coded implements Serializable {
    public $data;
    function __construct($data = null) { $this->data = $data; }
    function serialize() { return base64_encode(serialize($this->data)); }
    function unserialize($text) { $this->data = unserialize(base64_decode($text)); }
}
// The inner text's depth goes on from the outer one unless it has a limit of its own.
$inner = 'a:1:{i:0;a:1:{i:0;i:1;}}';
$text = 'a:1:{i:0;a:2:{i:0;C:5:"Inner":' . strlen($inner) . ':{' . $inner . '}i:1;a:0:{}}}';
foreach ([null, [], ['max_depth' => 2], ['max_depth' => 1], ['max_depth' => 4], ['allowed_classes' => false], ['max_depth' => 0]] as Inner::$options) {
    echo json_encode(Inner::$options), ':';
    foreach ([2, 3, 4] as $depth) {
        echo ' ', json_encode(unserialize($text, ['max_depth' => $depth]));
    }
    echo "\n";
}
// The same with classes that are allowed.
$inner = 'a:2:{i:0;O:8:"stdClass":0:{}i:1;O:5:"Other":0:{}}';
$text = 'a:2:{i:0;C:5:"Inner":' . strlen($inner) . ':{' . $inner . '}i:1;O:5:"Other":0:{}}';
foreach ([null, [], ['max_depth' => 2], ['allowed_classes' => false], ['allowed_classes' => ['other']]] as Inner::$options) {
    $all = unserialize($text, ['allowed_classes' => ['Inner', 'stdClass']]);
    echo get_class($all[0]->got[0]), ' ', get_class($all[0]->got[1]), ' ', get_class($all[1]), "\n";
}
// Objects count as nesting, empty arrays do not.
foreach (['a:1:{i:0;a:0:{}}', 'a:1:{i:0;O:6:"Taking":0:{}}', 'a:1:{i:0;O:5:"Other":0:{}}', 'a:1:{i:0;O:8:"stdClass":1:{s:1:"a";i:1;}}', 'a:0:{i:0;i:1;}'] as $text) {
    @unserialize($text, ["max_depth" => 1]) === false ? print(error_get_last()["message"] . "\n") : print("ok\n");
}
// References that only the inner text, which is coded, has.
$object = new stdClass;
echo $text = serialize([$object, new Coded([$object, new Coded($object)])]), "\n";
$back = unserialize($text);
var_dump($back[0] === $back[1]->data[0], $back[0] === $back[1]->data[1]->data);
--EXPECT--
null: [[{"got":false},[]]] [[{"got":false},[]]] [[{"got":[[1]]},[]]]
[]: [[{"got":false},[]]] [[{"got":false},[]]] [[{"got":[[1]]},[]]]
{"max_depth":2}: [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]]
{"max_depth":1}: [[{"got":false},[]]] [[{"got":false},[]]] [[{"got":false},[]]]
{"max_depth":4}: [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]]
{"allowed_classes":false}: [[{"got":false},[]]] [[{"got":false},[]]] [[{"got":[[1]]},[]]]
{"max_depth":0}: [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]] [[{"got":[[1]]},[]]]
stdClass __PHP_Incomplete_Class __PHP_Incomplete_Class
stdClass Other __PHP_Incomplete_Class
stdClass Other __PHP_Incomplete_Class
__PHP_Incomplete_Class __PHP_Incomplete_Class __PHP_Incomplete_Class
__PHP_Incomplete_Class Other __PHP_Incomplete_Class
ok
unserialize(): Error at offset 25 of 27 bytes
unserialize(): Error at offset 24 of 26 bytes
unserialize(): Error at offset 27 of 41 bytes
unserialize(): Error at offset 5 of 14 bytes
a:2:{i:0;O:8:"stdClass":0:{}i:1;C:5:"Coded":56:{YToyOntpOjA7cjoyO2k6MTtDOjU6IkNvZGVkIjo4Ontjam95T3c9PX19}}
bool(true)
bool(true)
