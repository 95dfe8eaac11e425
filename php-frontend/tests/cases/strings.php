<?php
$a = "x $b y $c[0] $c[-1] $c[key] $c[$i] $d->e $d?->f {$g->h()['i']} ${j} ${k[1]} ${l . 'm'}";
$a = `ls $dir`;
$a = ``;
echo <<<TEXT
    one $b
      two {$c}

    three
    TEXT . <<<'RAW'
  $raw \n
  RAW;
echo <<<EMPTY
EMPTY;
echo "two
lines $x", 'single
line';
