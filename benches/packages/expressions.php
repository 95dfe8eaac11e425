<?php
// Symfony's ExpressionLanguage: lexes, parses, compiles and evaluates expressions.
require __DIR__ . '/support.php';
foreach (['Symfony/Contracts/Service/autoload.php', 'Symfony/Component/Cache/autoload.php', 'Symfony/Component/ExpressionLanguage/autoload.php'] as $file) {
    if (stream_resolve_include_path($file)) {
        require_once $file;
    }
}
use Symfony\Component\ExpressionLanguage\{Lexer, Parser, Compiler};

$expressions = ['a + b * 2 > 10 and name matches "/^x/"', 'not (a in [1, 2, 3]) or user.age >= 18', '(a ** 2 + b ** 2) / (1 + c)',
    'name ~ " " ~ user.name', 'a > b ? "more" : (a == b ? "same" : "less")', 'list[0] + list[1] - {x: 1, y: 2}["x"]'];
$user = new class { public int $age = 20; public string $name = 'Ann'; };
repeat(700, function () use ($expressions, $user) {
    $lexer = new Lexer;
    $parser = new Parser([]);
    $text = '';
    foreach ($expressions as $i => $expression) {
        $nodes = $parser->parse($lexer->tokenize($expression), ['a', 'b', 'c', 'name', 'user', 'list']);
        $compiler = new Compiler([]);
        $text .= $compiler->compile($nodes)->getSource() . "\n";
        $text .= json_encode($nodes->evaluate([], ['a' => $i, 'b' => 4, 'c' => 2, 'name' => 'xyz', 'user' => $user, 'list' => [3, 5]])) . "\n";
    }
    return $text;
});
