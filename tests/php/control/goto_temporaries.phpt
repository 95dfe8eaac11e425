--TEST--
goto out of loops with live temporaries, finally blocks and switches
--FILE--
<?php
class D { public $n; function __construct($n) { $this->n = $n; } function __destruct() { echo "D{$this->n} gone\n"; } }

echo "# goto\n";
$i = 0; a: $i++; if ($i < 3) goto a; echo $i, "\n"; foreach ([new D(1), new D(2)] as $d) { foreach ([new D(3)] as $e) { goto out; } } out: echo "out\n"; unset($d, $e); function f() { try { goto end; } finally { echo "fin\n"; } end: return 'done'; } echo f(), "\n"; while (true) { switch (1) { case 1: goto brk; } } brk: echo "brk\n"; goto skip; echo "never"; skip: { goto inner; } inner: if (true) { lbl: echo "x"; if (strlen(strval($i)) < 2 && $i++ < 5) goto lbl; } echo "\n"; for (;;) { for (;;) { $t = [new D(5), (function () { return 1; })()]; goto done; } } done: unset($t); echo "end\n"; 
--EXPECT--
# goto
3
D2 gone
out
D1 gone
D3 gone
fin
done
brk
xxx
D5 gone
end
