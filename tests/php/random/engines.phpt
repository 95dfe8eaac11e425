--TEST--
Engines and Randomizer: their sequences, errors, serialisation
--FILE--
<?php
use Random\Engine\{Mt19937,PcgOneseq128XslRr64,Xoshiro256StarStar,Secure}; use Random\Randomizer;
foreach ([new Mt19937(1234), new PcgOneseq128XslRr64(1234), new Xoshiro256StarStar(1234), new PcgOneseq128XslRr64("0123456789abcdef"), new Xoshiro256StarStar("0123456789abcdef0123456789abcdef")] as $e) {
 $r=new Randomizer(clone $e);
 echo get_class($e)," ",bin2hex($e->generate())," "; if (method_exists($e,"jump")) { $e instanceof Xoshiro256StarStar ? $e->jump() : $e->jump(100); echo bin2hex($e->generate())," "; }
 if (!$e instanceof Mt19937) { echo serialize($e); var_dump($e); }
 echo $r->nextInt()," ",$r->nextFloat()," ",$r->getFloat(1,2)," ",$r->getFloat(-5,1e10,Random\IntervalBoundary::ClosedClosed)," ",$r->getFloat(-5,1,Random\IntervalBoundary::OpenOpen)," ",$r->getFloat(-5,1,Random\IntervalBoundary::OpenClosed)," ",$r->getInt(1,100)," ",$r->getInt(PHP_INT_MIN,PHP_INT_MAX)," ",bin2hex($r->getBytes(11))," ",$r->getBytesFromString("abcdefg",10)," ",implode(",",$r->shuffleArray(range(1,10)))," ",$r->shuffleBytes("abcdefghij")," ",implode(",",$r->pickArrayKeys(range(1,10),4)),"|",implode(",",$r->pickArrayKeys(range(1,10),8)),"|",implode(",",$r->pickArrayKeys(["a"=>1,"b"=>2,"c"=>3],1)),"\n";
}
class U implements Random\Engine { private $i=0; function generate(): string { return chr($this->i++ % 256); } }
$r=new Randomizer(new U); echo $r->nextInt()," ",$r->nextFloat()," ", $r->getInt(1,1000)," ", bin2hex($r->getBytes(5)),"\n";
foreach ([fn()=>new PcgOneseq128XslRr64("x"), fn()=>new Xoshiro256StarStar("x"), fn()=>new Xoshiro256StarStar(str_repeat("\0",32)), fn()=>new Mt19937(1,5), fn()=>(new PcgOneseq128XslRr64(1))->jump(-1), fn()=>$r->getInt(5,1), fn()=>$r->getBytes(0), fn()=>$r->getFloat(1,1), fn()=>$r->getFloat(NAN,1),fn()=>$r->getFloat(1,INF), fn()=>$r->getFloat(1,1.0000000000000002,Random\IntervalBoundary::OpenOpen), fn()=>$r->getFloat(2,1,Random\IntervalBoundary::ClosedClosed), fn()=>$r->getBytesFromString("",1), fn()=>$r->getBytesFromString("a",0), fn()=>$r->pickArrayKeys([],1), fn()=>$r->pickArrayKeys([1],2), fn()=>serialize(new Secure), fn()=>clone new Secure, fn()=>clone new Randomizer, fn()=>unserialize('O:32:"Random\Engine\Xoshiro256StarStar":2:{i:0;a:0:{}i:1;a:4:{i:0;s:16:"0000000000000000";i:1;s:16:"0000000000000000";i:2;s:16:"0000000000000000";i:3;s:16:"0000000000000000";}}'), fn()=>new DateTime(5,5), fn()=>(new Randomizer(new class implements Random\Engine { function generate(): string { return ""; } }))->getInt(1,5), fn()=>(new Randomizer(new class implements Random\Engine { function generate(): string { return "\xff"; } }))->getInt(1,5),fn()=>(new Randomizer(new class implements Random\Engine { function generate(): string { return "\xff\xff\xff\xff\xff\xff\xff\xff\xff"; } }))->nextInt(),fn()=>unserialize('O:17:"Random\Randomizer":1:{i:0;a:1:{s:6:"engine";i:1;}}'),fn()=>(new Randomizer)->__construct() ] as $f) try { var_dump($f()); } catch (Throwable $e) { echo get_class($e),": ",$e->getMessage(),"\n"; }
echo serialize(new Randomizer(new PcgOneseq128XslRr64(1))),"\n"; $s=serialize(new Mt19937(1)); echo substr($s,0,100), substr($s,-100),"\n"; var_dump(unserialize($s)->generate()===(new Mt19937(1))->generate()); 
--EXPECT--
Random\Engine\Mt19937 2f6b0731 411284887 0.62210876645932 1.0671874829879 7651381856.5846 0.12359531921545 -2.8426824162683 42 -5561347275440628582 ab7e47cd9e84aed0ec9e48 eaacfagfdf 4,5,8,2,3,10,6,1,7,9 deafgbhijc 1,5,6,7|0,3,4,5,6,7,8,9|b
Random\Engine\PcgOneseq128XslRr64 ecfbe5990a319380 3d29cfd0703b52d7 O:33:"Random\Engine\PcgOneseq128XslRr64":2:{i:0;a:0:{}i:1;a:2:{i:0;s:16:"3324b2fe00d32e84";i:1;s:16:"d25216507b81b025";}}object(Random\Engine\PcgOneseq128XslRr64)#2 (1) {
  ["__states"]=>
  array(2) {
    [0]=>
    string(16) "3324b2fe00d32e84"
    [1]=>
    string(16) "d25216507b81b025"
  }
}
4632401390016331254 0.24631794247697 1.5920009063721 3572549225.8669 -2.5089935529199 -4.2650446529318 16 -4813965910399468135 d050deed791e8cca007bb5 dbfdabfgbe 10,4,1,3,2,6,7,5,9,8 edjgcibfha 1,4,7,8|0,1,2,3,4,5,6,8|a
Random\Engine\Xoshiro256StarStar 53aee3a0d945ab0b 48d1d2c6c84aeb0c O:32:"Random\Engine\Xoshiro256StarStar":2:{i:0;a:0:{}i:1;a:4:{i:0;s:16:"5b17ad896ade97d0";i:1;s:16:"79831a1aeaa20660";i:2;s:16:"133c526a6c161430";i:3;s:16:"c1fceb530a42a62d";}}object(Random\Engine\Xoshiro256StarStar)#3 (1) {
  ["__states"]=>
  array(4) {
    [0]=>
    string(16) "5b17ad896ade97d0"
    [1]=>
    string(16) "79831a1aeaa20660"
    [2]=>
    string(16) "133c526a6c161430"
    [3]=>
    string(16) "c1fceb530a42a62d"
  }
}
420421278222112553 0.84286882869137 1.0716239787522 129362091.43996 -3.8371899597087 0.027809101558386 72 -5486449038329814928 2eaec1b594a93994b03854 ebbaefafac 5,10,6,3,1,8,9,2,7,4 ifchdbjeag 0,2,4,9|0,1,2,3,4,7,8,9|c
Random\Engine\PcgOneseq128XslRr64 33ab451afc58b814 4189a5f23a02f395 O:33:"Random\Engine\PcgOneseq128XslRr64":2:{i:0;a:0:{}i:1;a:2:{i:0;s:16:"1ebbaf2ece302596";i:1;s:16:"40fccf90fc1894c2";}}object(Random\Engine\PcgOneseq128XslRr64)#4 (1) {
  ["__states"]=>
  array(2) {
    [0]=>
    string(16) "1ebbaf2ece302596"
    [1]=>
    string(16) "40fccf90fc1894c2"
  }
}
746520558134547865 0.91846641628566 1.90264036886 1796136858.98 -3.016063189791 0.88728398235542 97 -1084163102086494262 f461565f88cacd8f8c0aef gcdgecefef 4,10,3,1,2,6,8,9,7,5 gcejdiabhf 3,5,8,9|0,1,2,3,5,6,7,9|a
Random\Engine\Xoshiro256StarStar 7770878b25bc52e9 fbc68243f3c12014 O:32:"Random\Engine\Xoshiro256StarStar":2:{i:0;a:0:{}i:1;a:4:{i:0;s:16:"a22f0c8f73a37416";i:1;s:16:"1e954f2e8617afa3";i:2;s:16:"1dacd87d924cf752";i:3;s:16:"f1b355c786abe6ec";}}object(Random\Engine\Xoshiro256StarStar)#5 (1) {
  ["__states"]=>
  array(4) {
    [0]=>
    string(16) "a22f0c8f73a37416"
    [1]=>
    string(16) "1e954f2e8617afa3"
    [2]=>
    string(16) "1dacd87d924cf752"
    [3]=>
    string(16) "f1b355c786abe6ec"
  }
}
8406353614184101947 0.91141868511798 1.6495145998674 6476799062.6625 -4.248631562105 -3.8329406121765 41 -4479552441819518541 6db6ceb6a0bc270384796a fdafeabbeb 4,7,5,8,1,9,3,2,10,6 dfgchbijea 1,2,3,6|0,2,3,4,5,6,7,9|a
0 0.031357170319108 58 0d0e0f1011
ValueError: Random\Engine\PcgOneseq128XslRr64::__construct(): Argument #1 ($seed) must be a 16 byte (128 bit) string
ValueError: Random\Engine\Xoshiro256StarStar::__construct(): Argument #1 ($seed) must be a 32 byte (256 bit) string
ValueError: Random\Engine\Xoshiro256StarStar::__construct(): Argument #1 ($seed) must not consist entirely of NUL bytes
ValueError: Random\Engine\Mt19937::__construct(): Argument #2 ($mode) must be either MT_RAND_MT19937 or MT_RAND_PHP
ValueError: Random\Engine\PcgOneseq128XslRr64::jump(): Argument #1 ($advance) must be greater than or equal to 0
ValueError: Random\Randomizer::getInt(): Argument #2 ($max) must be greater than or equal to argument #1 ($min)
ValueError: Random\Randomizer::getBytes(): Argument #1 ($length) must be greater than 0
ValueError: Random\Randomizer::getFloat(): Argument #2 ($max) must be greater than argument #1 ($min)
ValueError: Random\Randomizer::getFloat(): Argument #1 ($min) must be finite
ValueError: Random\Randomizer::getFloat(): Argument #2 ($max) must be finite
ValueError: The given interval is empty, there are no floats between argument #1 ($min) and argument #2 ($max).
ValueError: Random\Randomizer::getFloat(): Argument #2 ($max) must be greater than or equal to argument #1 ($min)
ValueError: Random\Randomizer::getBytesFromString(): Argument #1 ($string) must not be empty
ValueError: Random\Randomizer::getBytesFromString(): Argument #2 ($length) must be greater than 0
ValueError: Random\Randomizer::pickArrayKeys(): Argument #1 ($array) must not be empty
ValueError: Random\Randomizer::pickArrayKeys(): Argument #2 ($num) must be between 1 and the number of elements in argument #1 ($array)
Exception: Serialization of 'Random\Engine\Secure' is not allowed
Error: Trying to clone an uncloneable object of class Random\Engine\Secure
Error: Trying to clone an uncloneable object of class Random\Randomizer
Exception: Invalid serialization data for Random\Engine\Xoshiro256StarStar object
TypeError: DateTime::__construct(): Argument #2 ($timezone) must be of type ?DateTimeZone, int given
Random\BrokenRandomEngineError: A random engine must return a non-empty string
Random\BrokenRandomEngineError: Failed to generate an acceptable random number in 50 attempts
int(9223372036854775807)
Exception: Invalid serialization data for Random\Randomizer object
Error: Cannot modify readonly property Random\Randomizer::$engine
O:17:"Random\Randomizer":1:{i:0;a:1:{s:6:"engine";O:33:"Random\Engine\PcgOneseq128XslRr64":2:{i:0;a:0:{}i:1;a:2:{i:0;s:16:"9cd108b9ceabd26b";i:1;s:16:"df3b50d88069a5ef";}}}}
O:21:"Random\Engine\Mt19937":2:{i:0;a:0:{}i:1;a:626:{i:0;s:8:"9a7ab49c";i:1;s:8:"0891d1b1";i:2;s:8:"s:8:"4e00e6fb";i:621;s:8:"62061520";i:622;s:8:"e7223f16";i:623;s:8:"5923f806";i:624;i:0;i:625;i:0;}}
bool(true)
