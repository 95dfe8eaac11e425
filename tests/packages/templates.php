<?php
// Twig, CommonMark and PHP-Parser.
require 'Twig/autoload.php';
require 'League/CommonMark/autoload.php';
require 'PhpParser/autoload.php';

$twig = new Twig\Environment(new Twig\Loader\ArrayLoader([
    'base' => "<title>{% block title %}Base{% endblock %}</title>{% block body %}{% endblock %}",
    'page' => <<<'T'
{% extends 'base' %}{% import _self as m %}{% from 'macros' import field as f %}
{% block title %}{{ parent() }} - {{ title|upper|e }}{% endblock %}
{% block body %}{% for user in users|filter(u => u.age > 20)|sort((a, b) => a.name <=> b.name) -%}
{{ loop.index }}/{{ loop.length }} {{ user.name|title }} ({{ user.age is even ? 'even' : 'odd' }}){{ loop.last ? '' : ',' }}
{% else %}nobody{% endfor %}{{ m.list([1, [2, 3]]) }}{{ f('q', '"x"') }}
{% set text %}captured {{ 5 // 2 }} {{ 2 ** 10 }} {{ 'a'..'e'|join }} {{ -7 % 3 }}{% endset %}{{ text|length }} {{ text }}
{{ "2026-11-23 12:00"|date('D, d M Y H:i', 'Europe/Prague') }} {{ 1234.567|number_format(2, ',', '.') }} {{ {a: 1, b: [1, 2]}|json_encode }}
{{ html|striptags }} {{ html|raw }} {{ html|e('js') }} {{ html|e('url') }} {{ html|e('css') }} {{ html|e('html_attr') }}
{% embed 'card' %}{% block inner %}embedded{% endblock %}{% endembed %}{% include 'card' with {x: 1} only %}
{{ random(['only']) }} {{ max(1, 5, 3) }} {{ cycle(['a', 'b'], 3) }} {{ 'abc'|slice(1, 1) }} {{ [3, 1, 2]|sort|reverse|join('-', ' and ') }} {{ dump is defined }}
{{ missing|default('none') }} {{ users|column('name')|join }} {{ 'x' in ['x', 'y'] }} {{ 'foo' starts with 'f' }} {{ 'foo' matches '/^f.o$/' }} {{ null ?? 'coalesced' }} {{ users|map(u => u.age)|reduce((c, v) => c + v, 0) }} {{ "%05.2f|%s"|format(3.14159, 'x') }}
{% apply spaceless|lower %} <B> <I>X</I> </B> {% endapply %}{% verbatim %}{{ raw }}{% endverbatim %}{# comment #}
{% endblock %}{% macro list(items) %}<ul>{% for i in items %}<li>{{ i is iterable ? m.list(i) : i }}</li>{% endfor %}</ul>{% endmacro %}
T,
    'macros' => '{% macro field(name, value = "") %}<input name="{{ name }}" value="{{ value }}">{% endmacro %}',
    'card' => '[{% block inner %}card{{ x ?? "" }}{% endblock %}]',
]), ['strict_variables' => false, 'autoescape' => 'html']);
class User
{
    public function __construct(public string $name, private int $age)
    {
    }

    public function getAge(): int
    {
        return $this->age;
    }
}
echo $twig->render('page', ['title' => 'a<b', 'html' => "<b>it's</b>", 'users' => [new User('zoe', 30), new User('adam', 21), new User('kid', 3), ['name' => 'array', 'age' => 40]]]);
echo $twig->compileSource($twig->getLoader()->getSourceContext('card'));
foreach (['{{ a', '{% if %}', '{{ x|nofilter }}', '{% for %}', '{% block a %}', '{{ 1 + }}', "{% include 'none' %}"] as $bad) {
    try {
        echo $twig->createTemplate($bad)->render();
    } catch (Twig\Error\Error $e) {
        echo preg_replace('/__string_template__\w+/', 'T', $e->getMessage()), "\n";
    }
}

$markdown = <<<'M'
---
title: X
---
# Head *line* [link](http://example.org "t")

* a
* b
    1. c
    2. d

> quote `code` **bold** ~~gone~~ <b>html</b> &copy; \*no\*

| a | b |
|---|:-:|
| 1 | 2 |

```php
<?php echo 1;
```

- [x] done
- [ ] open

Auto www.example.com and foot[^1] "smart" -- dash...

[^1]: The note.

Term
: Definition

<script>x</script>

![img](a.png) {.class #id}
M;
foreach (['CommonMarkConverter', 'GithubFlavoredMarkdownConverter'] as $class) {
    $class = "League\\CommonMark\\$class";
    echo (new $class(['html_input' => 'escape', 'allow_unsafe_links' => false]))->convert($markdown);
}
$environment = new League\CommonMark\Environment\Environment(['heading_permalink' => ['symbol' => '#'], 'table_of_contents' => ['position' => 'top']]);
foreach (['CommonMark\CommonMarkCore', 'Footnote\Footnote', 'SmartPunct\SmartPunct', 'DescriptionList\DescriptionList', 'Attributes\Attributes', 'HeadingPermalink\HeadingPermalink', 'TableOfContents\TableOfContents', 'Table\Table'] as $extension) {
    $class = "League\\CommonMark\\Extension\\{$extension}Extension";
    $environment->addExtension(new $class());
}
echo (new League\CommonMark\MarkdownConverter($environment))->convert($markdown);

$code = <<<'C'
<?php
declare(strict_types=1);
namespace A\B { use X\{Y, function z as q}; #[Attr(1)] final readonly class C extends Y implements I, J { use T { a as protected b; } const int K = 1 << 2; public function __construct(private ?int $x = null, string ...$r) { parent::__construct(...$r); } public string $h { get => $this->h . "{$a['b']}"; set(string $v) { $this->h = $v; } } }
enum E: string { case A = 'a'; public static function f(self|null $e): static { return match(true) { $e?->name === "A" => 1, default => self::A }; } }
function &g(int|float $a, &$b = [1, 'k' => 2, ...X]): iterable { yield from $a; $f = fn($x) => $x ** 2 <=> 3; return static function() use (&$b) { goto end; end: }; }
try { throw new \Exception("a\n$b->c[0]"); } catch (E|F) { } finally { list('a' => $x, 'b' => [1 => $y]) = $z; [$a, $b] = [$b, $a]; }
echo <<<X
  heredoc $a {$b['c']}
  X; for ($i = 0, $j = 1; $i < 10; ++$i): ?>html<?php endfor; $x ??= `ls $y` . __LINE__ . (int) '5' . !empty($q) . @$r; static $s = PHP_INT_MAX, $t; unset($a[1], $b->c); }
C;
$parser = (new PhpParser\ParserFactory())->createForNewestSupportedVersion();
$ast = $parser->parse($code);
echo (new PhpParser\NodeDumper(['dumpPositions' => true, 'dumpComments' => true]))->dump($ast, $code), "\n";
echo $pretty = (new PhpParser\PrettyPrinter\Standard())->prettyPrintFile($ast), "\n";
$traverser = new PhpParser\NodeTraverser(new class extends PhpParser\NodeVisitorAbstract {
    public function leaveNode(PhpParser\Node $node)
    {
        return $node instanceof PhpParser\Node\Scalar\Int_ ? new PhpParser\Node\Scalar\Int_($node->value + 1) : null;
    }
});
$old = $parser->parse($code);
$tokens = $parser->getTokens();
$copy = (new PhpParser\NodeTraverser(new PhpParser\NodeVisitor\CloningVisitor()))->traverse($old);
echo (new PhpParser\PrettyPrinter\Standard())->printFormatPreserving($traverser->traverse($copy), $old, $tokens), "\n";
echo md5(json_encode($parser->parse($pretty))), "\n";
$errors = new PhpParser\ErrorHandler\Collecting();
$parser->parse('<?php $a = ; function ( {} class { echo "x', $errors);
foreach ($errors->getErrors() as $error) {
    echo $error->getMessage(), "\n";
}
