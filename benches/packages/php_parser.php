<?php
// PHP-Parser: parses its own sources, walks their trees and prints them again.
require __DIR__ . '/support.php';
require 'PhpParser/autoload.php';

use PhpParser\{Node, NodeTraverser, NodeVisitorAbstract, ParserFactory, PrettyPrinter};

$parser = (new ParserFactory)->create(ParserFactory::PREFER_PHP7);
$printer = new PrettyPrinter\Standard;
$files = glob("$packages/usr/share/php/PhpParser/{.,Builder,Internal,Lexer/TokenEmulator,Node/Stmt}/*.php", GLOB_BRACE);
sort($files);

repeat(1, function () use ($parser, $printer, $files) {
    $names = new class extends NodeVisitorAbstract {
        public array $seen = [];
        public function enterNode(Node $node) {
            $type = $node->getType();
            $this->seen[$type] = ($this->seen[$type] ?? 0) + 1;
            return null;
        }
    };
    $traverser = new NodeTraverser;
    $traverser->addVisitor(new PhpParser\NodeVisitor\NameResolver);
    $traverser->addVisitor($names);
    $text = '';
    foreach ($files as $file) {
        $tree = $traverser->traverse($parser->parse(file_get_contents($file)));
        $text .= $printer->prettyPrintFile($tree);
    }
    ksort($names->seen);
    return $text . json_encode($names->seen);
});
