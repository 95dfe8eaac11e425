--TEST--
array_udiff and array_uintersect sort by the function, and ask it what PHP asks
--FILE--
<?php
mt_srand(3);
foreach ([3, 10, 16, 17, 40, 100] as $n) {
    [$a, $b] = [[], []];
    for ($i = 0; $i < $n; $i++) {
        $a[] = mt_rand(0, $n >> 1);
        $b["k$i"] = mt_rand(0, $n >> 1) . ($i % 3 ? '' : '.0');
    }
    foreach (['array_udiff', 'array_uintersect'] as $function) {
        $asked = [];
        $result = $function($a, $b, array_reverse($b), function ($x, $y) use (&$asked) {
            $asked[] = "$x,$y";
            return $x <=> $y;
        });
        echo $function, ' ', count($asked), ' ', md5(implode(' ', $asked)), ' ', json_encode($result), "\n";
    }
}
$say = function ($x, $y) { echo "$x-$y "; return $x - $y; };
$bool = function ($x, $y) { echo "$x-$y "; return $x > $y; };
foreach (['array_udiff', 'array_uintersect'] as $function) {
    echo json_encode($function([3, 1, 2, 1, 3], [1], $bool)), "\n";
    echo json_encode($function([3, 1, 2, 1, 3], [1, 3, 4], [2, 3, 5], [3], $say)), "\n";
    echo json_encode($function([], [1], $say)), json_encode($function([1, 2], [], $say)), json_encode($function([2, 1, 1], $say)), "\n";
    echo json_encode($function(['a' => 5, 'b' => 4, 9 => 5], [7], [5], $say)), "\n";
    try {
        $function([2, 1], [1], function () { throw new Exception('no'); });
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
--EXPECT--
array_udiff 14 a97eead8e8ae75d59baf50bb7bd8329d []
array_uintersect 17 f50527d847bde3f4737f3f856aef3595 [0,1,0]
array_udiff 96 94405d31b55c2f67021e3f7cc1424c53 []
array_uintersect 104 e226ffbd963922c86eee0ac9ce260f5c [0,1,4,5,0,3,2,0,3,0]
array_udiff 200 a3195c9978c014b4b7121909d859f848 {"12":2,"14":2}
array_uintersect 209 bb6a643d9ecb7a1551d5b4433fd59c08 {"0":5,"1":4,"2":6,"3":4,"4":6,"5":8,"6":8,"7":4,"8":5,"9":7,"10":7,"11":0,"13":1,"15":6}
array_udiff 176 52226da8ed5d758c5d0a6c017d56b2d7 []
array_uintersect 191 7b031ef186602ca94b2489d9f46d172c [1,4,0,0,5,7,0,5,8,8,1,0,0,5,4,8,6]
array_udiff 630 b41bd197aa5005ca7e9f22f50945ce23 {"2":5,"11":5,"23":6,"32":5}
array_uintersect 654 9ee8e9de05c6690849f20ce7285af1c2 {"0":17,"1":15,"3":3,"4":8,"5":4,"6":19,"7":15,"8":8,"9":9,"10":4,"12":19,"13":20,"14":15,"15":2,"16":3,"17":9,"18":7,"19":12,"20":2,"21":16,"22":19,"24":13,"25":16,"26":14,"27":17,"28":12,"29":3,"30":16,"31":17,"33":19,"34":2,"35":15,"36":0,"37":20,"38":14,"39":1}
array_udiff 2055 e6cbb9af4e4f018b41faf502c75ab940 {"8":31,"25":31,"36":0,"40":35,"41":46,"51":31,"52":0,"59":0,"72":46,"75":0,"92":35,"93":35}
array_uintersect 2056 0550e58971fd8f0fcb3d4ba7dd7dcd54 {"0":15,"1":42,"2":13,"3":17,"4":12,"5":12,"6":45,"7":22,"9":43,"10":16,"11":42,"12":34,"13":10,"14":7,"15":5,"16":24,"17":11,"18":32,"19":49,"20":49,"21":36,"22":25,"23":10,"24":44,"26":19,"27":9,"28":12,"29":44,"30":7,"31":16,"32":16,"33":17,"34":3,"35":38,"37":49,"38":8,"39":42,"42":16,"43":43,"44":12,"45":13,"46":5,"47":4,"48":13,"49":6,"50":4,"53":45,"54":45,"55":5,"56":39,"57":44,"58":13,"60":25,"61":37,"62":20,"63":19,"64":33,"65":7,"66":2,"67":21,"68":37,"69":42,"70":39,"71":13,"73":45,"74":17,"76":41,"77":42,"78":44,"79":36,"80":3,"81":2,"82":12,"83":32,"84":40,"85":4,"86":21,"87":10,"88":21,"89":33,"90":2,"91":11,"94":5,"95":26,"96":38,"97":30,"98":9,"99":9}
3-1 
Deprecated: array_udiff(): Returning bool from comparison function is deprecated, return an integer less than, equal to, or greater than zero in case.php on line 21
2-1 3-2 3-1 2-1 1-1 1-1 3-3 3-3 1-1 1-1 1-1 1-1 1-2 2-1 2-3 3-2 3-3 3-3 {"0":3,"2":2,"4":3}
3-1 2-1 3-2 3-1 2-1 1-1 3-3 1-3 3-4 2-3 3-5 1-1 1-1 1-2 2-3 2-2 2-3 3-3 3-3 []
[]1-2 1-2 [1,2]2-1 1-1 1-1 1-2 [2,1,1]
5-4 5-4 5-5 4-7 4-5 4-5 5-7 5-5 5-5 {"b":4}
no
3-1 
Deprecated: array_uintersect(): Returning bool from comparison function is deprecated, return an integer less than, equal to, or greater than zero in case.php on line 21
2-1 3-2 3-1 2-1 1-1 1-1 3-3 3-3 1-1 1-1 1-1 1-1 1-2 2-1 {"1":1,"3":1}
3-1 2-1 3-2 3-1 2-1 1-1 3-3 1-3 3-4 2-3 3-5 1-1 1-2 1-2 2-2 2-3 3-3 3-3 3-2 3-3 3-3 3-3 {"0":3,"4":3}
[]1-2 []2-1 1-1 1-1 1-2 [2,1,1]
5-4 5-4 5-5 4-7 5-7 5-7 []
no
