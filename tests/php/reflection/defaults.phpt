--TEST--
Defaults of parameters stand in Reflection as they are written, with names resolved
--FILE--
<?php
namespace Shop;

use Other\Price;

class Item
{
    const SIZE = 3;

    function order(
        $size = Item::SIZE,
        $price = new Price(1, tax: 2),
        $item = new self(),
        $limit = \PHP_INT_MAX . 'x',
        $list = [1, Other::KEY => self::SIZE],
        $count = UNKNOWN + 1,
        $text = "line\n\\end",
        $choice = UNKNOWN ? null : -Item::SIZE,
    ) {
    }
}

foreach ((new \ReflectionMethod('Shop\Item', 'order'))->getParameters() as $parameter) {
    echo $parameter, "\n";
}

#[Label(new Price(Unknown::SIZE), name: "a\tb")]
class Marked
{
}
echo (new \ReflectionClass('Shop\Marked'))->getAttributes()[0];
--EXPECT--
Parameter #0 [ <optional> $size = \Shop\Item::SIZE ]
Parameter #1 [ <optional> $price = new \Other\Price(1, tax: 2) ]
Parameter #2 [ <optional> $item = new self() ]
Parameter #3 [ <optional> $limit = PHP_INT_MAX . 'x' ]
Parameter #4 [ <optional> $list = [1, \Shop\Other::KEY => self::SIZE] ]
Parameter #5 [ <optional> $count = Shop\UNKNOWN + 1 ]
Parameter #6 [ <optional> $text = 'line\n\\end' ]
Parameter #7 [ <optional> $choice = Shop\UNKNOWN ? null : -\Shop\Item::SIZE ]
Attribute [ Shop\Label ] {
  - Arguments [2] {
    Argument #0 [ new \Other\Price(\Shop\Unknown::SIZE) ]
    Argument #1 [ name = 'a\tb' ]
  }
}
