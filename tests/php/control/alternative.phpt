--TEST--
Alternative syntax and inline HTML
--FILE--
<?php $items = ["x" => 1, "y" => 2]; ?>
<ul>
<?php foreach ($items as $name => $value): ?>
  <li><?= $name ?>=<?= $value ?></li>
<?php endforeach; ?>
</ul>
<?php if ($items): ?>yes
<?php elseif (true): ?>maybe
<?php else: ?>no
<?php endif;
for ($i = 0; $i < 2; $i++): echo $i; endfor;
while ($i-- > 0): echo "w"; endwhile;
switch ($i): case -1: echo "minus"; endswitch;
--EXPECT--
<ul>
  <li>x=1</li>
  <li>y=2</li>
</ul>
yes
01wwminus
