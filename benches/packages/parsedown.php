<?php
// Parsedown: the same document as for CommonMark, by regexes and strings.
require __DIR__ . '/support.php';
require is_dir("$packages/usr/share/php/Parsedown") ? 'Parsedown/Parsedown.php' : 'Parsedown.php';
require __DIR__ . '/document.php';

repeat(60, fn () => (new Parsedown)->text(markdown_document(20)));
