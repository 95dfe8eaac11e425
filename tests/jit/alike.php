<?php
// Clauses that begin alike are asked once; `$this` of methods; names of variables.
error_reporting(E_ALL & ~E_DEPRECATED);

class Node
{
    public ?Node $parent = null;
    public int $depth = 0;
    public $loose;
    public array $list = [];
    public int|string|null $mixed = null;

    public function setParent(?Node $node): void
    {
        $this->parent = $node;
        $this->depth = $node === null ? 0 : $node->depth + 1;
    }

    public function setLoose($value)
    {
        return $this->loose = $value;
    }

    public function setMixed($value)
    {
        try {
            return $this->mixed = $value;
        } catch (TypeError $error) {
            return get_class($error);
        }
    }

    public function add($value)
    {
        $this->list[] = $value;
        return count($this->list);
    }

    public function get()
    {
        return $this->loose;
    }
}

class Leaf extends Node
{
    public $own = 'leaf';
}

class Branch extends Node
{
    public static int $set = 0;

    public function __get($name)
    {
        return "magic $name";
    }

    public function __set($name, $value)
    {
        self::$set++;
    }
}

$kinds = [new Node, new Leaf, new Branch];
$root = new Node;
$sum = 0;
for ($i = 0; $i < 600; $i++) {
    $node = $kinds[$i % 3];
    $node->setParent($i % 5 === 0 ? null : $root);
    $sum += $node->depth + $node->add($i % 7 === 0 ? "text $i" : $i);
    $value = [1, 1.5, 'a' . $i, [1, $i], null, true, $root, "3"][$i % 8];
    $node->setLoose($value);
    $sum += strlen(json_encode($node->get()));
    $mixed = $node->setMixed([1, 'b', null, 2.0, 2.5, [], new Leaf, true][$i % 8]);
    $sum += strlen(var_export($mixed, true));
}
var_dump($sum);

// A property that becomes a reference, is unset, and is one again.
function changes(Node $node, int $turns): int
{
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        if ($i === 40) {
            $shared = 'shared';
            $node->loose = &$shared;
        } elseif ($i === 80) {
            unset($node->loose);
        } elseif ($i === 120) {
            $node->loose = [];
        }
        $sum += strlen((string) $node->setLoose("v$i"));
        if (isset($shared)) {
            $sum += strlen($shared);
        }
        $sum += strlen($node->get());
    }
    return $sum;
}
var_dump(changes(new Node, 200), changes(new Leaf, 200), changes(new Branch, 200), Branch::$set);

// A function that is made a closure may be bound to an object.
function bound()
{
    return isset($this) ? get_class($this) . $this->own : 'nothing';
}
$closure = (new ReflectionFunction('bound'))->getClosure()->bindTo(new Leaf);
$seen = [];
for ($i = 0; $i < 200; $i++) {
    $text = $i % 3 === 0 ? bound() : $closure();
    $seen[$text] = ($seen[$text] ?? 0) + 1;
}
print_r($seen);

// Variables that are reached by their names while code runs that knows them.
function touch_by_name(int $turns): int
{
    $count = 1;
    $text = 'a';
    for ($i = 0; $i < $turns; $i++) {
        $count = $count + 1;
        if ($i % 50 === 49) {
            extract(['count' => "$count", 'text' => $i]);
        }
        $count = plus_one($count);
        $text = strlen((string) $text) > 5 ? 'a' : $text . $i;
    }
    return (int) $count + strlen($text);
}

function plus_one($value)
{
    return $value + 1;
}
var_dump(touch_by_name(500));

function includes(int $turns): int
{
    $sum = 0;
    $file = tempnam(sys_get_temp_dir(), 'alike');
    file_put_contents($file, '<?php $sum = is_int($sum) ? (string) ($sum + 1) : (int) $sum + 1; return strlen((string) $sum);');
    for ($i = 0; $i < $turns; $i++) {
        $sum = $sum + 1;
        if ($i % 20 === 19) {
            $sum += include $file;
        }
    }
    unlink($file);
    return $sum;
}
var_dump(includes(300));

// Exceptions from within, between clauses that go on otherwise.
function guarded(array $values): string
{
    $text = '';
    foreach ($values as $value) {
        try {
            $node = new Node;
            $node->depth = $value;
            $text .= $node->depth;
        } catch (TypeError) {
            $text .= '!';
        } finally {
            $text .= ',';
        }
    }
    return $text;
}
for ($i = 0; $i < 60; $i++) {
    $text = guarded([1, '2', 'x', null, 2.0, 3.5, true, [], $root]);
}
echo $text, "\n";
