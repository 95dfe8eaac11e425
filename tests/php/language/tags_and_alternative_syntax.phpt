--TEST--
Tags, text between them, alternative syntax
--FILE--
<html>
<?= 1 + 1 ?>

<?= "a", "b" ?> same line
<?php if (true): ?>
  yes
<?php elseif (false): ?>
  no
<?php else: ?>
  never
<?php endif ?>
<?php foreach ([1, 2] as $x): ?><li><?= $x ?></li>
<?php endforeach; for ($i = 0; $i < 2; $i++): ?>
row <?= $i ?>

<?php endfor; while ($i-- > 0): ?>w<?php endwhile ?>

<?php switch (2):
case 1: ?>one<?php break;
case 2: ?>two
<?php default: ?>deflt
<?php endswitch;
declare(ticks=1): echo "ticks\n"; enddeclare;
// comment ?> after comment
<?php # another ?> after hash
<?php /* ?> */ echo "block\n" ?>
<?PHP echo "upper\n"; ?>
<?php echo "plain\n"; ?>
end
--EXPECT--
<html>
2
ab same line
  yes
<li>1</li>
<li>2</li>
row 0
row 1
ww
two
deflt
ticks
 after comment
 after hash
block
upper
plain
end
