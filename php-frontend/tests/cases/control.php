<?php
if ($a) b(); elseif ($c) d(); else if ($e) f(); else g();
if ($a): b(); elseif ($c): d(); else: e(); endif;
while ($a) { break; continue 2; }
do { $a--; } while ($a);
for ($i = 0, $j = 1; $i < 10; $i++, $j--) ;
for (;;): endfor;
foreach ($a as $b) {}
foreach ($a as $k => &$b): endforeach;
foreach ($a as [$x, 'y' => list($y)]) {}
switch ($a) { case 1: case 2; echo 1; default: echo 2; }
switch ($a): ; case 1: endswitch;
try { a(); } catch (A | \B $e) { } catch (C) { } finally { d(); }
goto end; end:
declare(ticks=1) { } declare(strict_types=0);
return;
?>
text <?= $a, $b ?>

more
<?php while (0): ?>html<?php endwhile;
