--TEST--
new in initialisers, and constant expressions with their errors
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# new in init\n";
class L { function __construct(public $n = 'default') { echo "new {$n}\n"; } } class H { function __construct(private L $l = new L('param'), public $arr = [new L('a')] ) {} function m($x = new L) { static $s = new L('static'); return $x; } } new H; new H(new L('given')); (new H)->m(); (new H)->m(); function f($x = new L(n: 'named'), $y = PHP_VERSION_ID > 1 ? new L('tern') : null) {} f(); f(); const C = new L('const'); define('DD', new L('def')); var_dump(C === C, C->n); #[Attr(new L('attr'))] function g() {} static $st = new L('top'); try { (function ($x = new Nope) {})(); } catch (Error $e) { echo $e->getMessage(), "\n"; } enum E: string { case A = 'a'; const X = self::A; const Y = self::A->value; } var_dump(E::Y, E::X);

echo "# const expr\n";
const A = 1 + 2 * 3; const B = A . 'x' . PHP_EOL; const AR = ['k' => [1, 2], ...[3, 4]]; const IDX = AR['k'][1]; const T = A > 5 ? 'big' : 'small'; const N = null ?? 'coal'; const SH = 1 << 3 | 5 & 4 ^ 1; const CMP = [1 <=> 2, 1 == '1', !true, 'a' . 1.5, -A, +A, ~A, 7 % 3, 2 ** 3, 10 / 4, true && false, true xor false]; class K { const X = self::Y * 2; const Y = 5; const Z = [self::X => K::Y, 'c' => self::class]; const W = PHP_INT_MAX; static $s = self::X + 1; public $p = [self::Z, __LINE__]; const F = 'K::Y'; } var_dump(B, AR, IDX, T, N, SH, CMP, K::Z, K::$s, (new K)->p); foreach (['AR["nope"]', 'NOPE', 'K::NOPE', 'Nope::X', '1 / 0', '1 % 0', '"a" + 1', '[] . ""', 'AR[[]]', '1 << -1', 'K::class', '"abc"[5]', '"abc"["x"]', '[1][5]', 'null["a"]', '5["a"]', '[...5]', '[...["a" => 1]]', '-[]', 'E::A', '"5 apples" * 2'] as $i => $e) { try { eval("const CE$i = $e; var_dump(CE$i);"); } catch (Throwable $t) { echo get_class($t), ': ', $t->getMessage(), "\n"; } }
--STATUS--
255
--EXPECT--
# new in init
new param
new a
new given
new a
new param
new a
new default
new static
new param
new a
new default
new named
new tern
new named
new tern
new const
new def
bool(true)
string(5) "const"
new top
Class "Nope" not found
string(1) "a"
enum(E::A)
# const expr
string(3) "7x
"
array(3) {
  ["k"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
  [0]=>
  int(3)
  [1]=>
  int(4)
}
int(2)
string(3) "big"
string(4) "coal"
int(13)
array(12) {
  [0]=>
  int(-1)
  [1]=>
  bool(true)
  [2]=>
  bool(false)
  [3]=>
  string(4) "a1.5"
  [4]=>
  int(-7)
  [5]=>
  int(7)
  [6]=>
  int(-8)
  [7]=>
  int(1)
  [8]=>
  int(8)
  [9]=>
  float(2.5)
  [10]=>
  bool(false)
  [11]=>
  bool(true)
}
array(2) {
  [10]=>
  int(5)
  ["c"]=>
  string(1) "K"
}
int(11)
array(2) {
  [0]=>
  array(2) {
    [10]=>
    int(5)
    ["c"]=>
    string(1) "K"
  }
  [1]=>
  int(8)
}

Warning: Undefined array key "nope" in case.php(8) : eval()'d code on line 1
NULL
Error: Undefined constant "NOPE"
Error: Undefined constant K::NOPE
Error: Class "Nope" not found
DivisionByZeroError: Division by zero
DivisionByZeroError: Modulo by zero
TypeError: Unsupported operand types: string + int

Warning: Array to string conversion in case.php(8) : eval()'d code on line 1
string(5) "Array"
TypeError: Cannot access offset of type array on array
ArithmeticError: Bit shift by negative number
string(1) "K"

Warning: Uninitialized string offset 5 in case.php(8) : eval()'d code on line 1
string(0) ""
TypeError: Cannot access offset of type string on string

Warning: Undefined array key 5 in case.php(8) : eval()'d code on line 1
NULL

Warning: Trying to access array offset on null in case.php(8) : eval()'d code on line 1
NULL
ParseError: syntax error, unexpected token "[", expecting "," or ";"

Fatal error: Only arrays and Traversables can be unpacked, int given in case.php(8) : eval()'d code on line 1
