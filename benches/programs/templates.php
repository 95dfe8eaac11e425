<?php
// A template engine: text with {{ expressions }} and {% tags %} becomes nodes, those become closures.

final class TemplateError extends RuntimeException
{
    public function __construct(string $message, public readonly int $templateLine)
    {
        parent::__construct("$message on line $templateLine");
    }
}

final class Token
{
    public function __construct(
        public readonly string $kind,
        public readonly string $text,
        public readonly int $line,
    ) {}
}

/** What a template sees: names, with those of enclosing scopes behind them. */
final class Scope
{
    private array $names = [];

    public function __construct(array $names, private ?Scope $outer = null)
    {
        $this->names = $names;
    }

    public function get(string $name): mixed
    {
        for ($scope = $this; $scope !== null; $scope = $scope->outer) {
            if (array_key_exists($name, $scope->names)) {
                return $scope->names[$name];
            }
        }
        return null;
    }

    public function set(string $name, mixed $value): void
    {
        $this->names[$name] = $value;
    }

    public function inner(): Scope
    {
        return new Scope([], $this);
    }
}

final class Filters
{
    private array $known;

    public function __construct()
    {
        $this->known = [
            'upper' => fn(?string $text) => strtoupper($text ?? ''),
            'lower' => strtolower(...),
            'title' => fn(string $text) => ucwords($text),
            'length' => fn(mixed $value) => is_array($value) ? count($value) : strlen((string) $value),
            'join' => fn(array $list, string $by = ', ') => implode($by, $list),
            'default' => fn(mixed $value, mixed $other) => $value ?? $other,
            'money' => fn(int|float $amount) => number_format($amount, 2, '.', "'"),
            'shorten' => fn(string $text, int $length) => strlen($text) > $length ? substr($text, 0, $length - 1) . '~' : $text,
            'raw' => fn(string $text) => new Raw($text),
            'slug' => fn(string $text) => trim(preg_replace('/[^a-z0-9]+/', '-', strtolower($text)), '-'),
        ];
    }

    public function find(string $name, int $line): Closure
    {
        return $this->known[$name] ?? throw new TemplateError("Unknown filter \"$name\"", $line);
    }
}

final class Raw implements Stringable
{
    public function __construct(private string $text) {}

    public function __toString(): string
    {
        return $this->text;
    }
}

final class Compiler
{
    private array $tokens = [];
    private int $at = 0;
    private array $blocks = [];

    public function __construct(private Filters $filters) {}

    /** @return array{Closure, array<string, Closure>} */
    public function compile(string $source): array
    {
        $this->tokens = $this->split($source);
        $this->at = 0;
        $this->blocks = [];
        $body = $this->body([]);
        return [$body, $this->blocks];
    }

    private function split(string $source): array
    {
        $tokens = [];
        $line = 1;
        foreach (preg_split('/(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})/s', $source, -1, PREG_SPLIT_DELIM_CAPTURE) as $part) {
            $kind = match (substr($part, 0, 2)) {
                '{{' => 'output',
                '{%' => 'tag',
                '{#' => 'comment',
                default => 'text',
            };
            if ($part !== '' && $kind !== 'comment') {
                $text = $kind === 'text' ? $part : trim(substr($part, 2, -2));
                $tokens[] = new Token($kind, $text, $line);
            }
            $line += substr_count($part, "\n");
        }
        return $tokens;
    }

    /** Compiles up to one of the tags that end the body, which stays the current token. */
    private function body(array $ends): Closure
    {
        $parts = [];
        for (; $this->at < count($this->tokens); $this->at++) {
            $token = $this->tokens[$this->at];
            if ($token->kind === 'text') {
                $text = $token->text;
                $parts[] = static fn(Scope $scope): string => $text;
                continue;
            }
            if ($token->kind === 'output') {
                $value = $this->expression($token->text, $token->line);
                $parts[] = static function (Scope $scope) use ($value): string {
                    $result = $value($scope);
                    return $result instanceof Raw ? (string) $result : htmlspecialchars((string) $result);
                };
                continue;
            }
            [$word, $rest] = explode(' ', $token->text, 2) + [1 => ''];
            if (in_array($word, $ends, true)) {
                return static fn(Scope $scope): string => implode('', array_map(static fn(Closure $part) => $part($scope), $parts));
            }
            $this->at++;
            $parts[] = match ($word) {
                'for' => $this->loop($rest, $token->line),
                'if' => $this->choice($rest, $token->line),
                'set' => $this->assignment($rest, $token->line),
                'block' => $this->block($rest),
                default => throw new TemplateError("Unknown tag \"$word\"", $token->line),
            };
        }
        if ($ends) {
            throw new TemplateError('Missing ' . implode(' or ', $ends), $token->line ?? 0);
        }
        return static function (Scope $scope) use ($parts): string {
            $text = '';
            foreach ($parts as $part) {
                $text .= $part($scope);
            }
            return $text;
        };
    }

    private function loop(string $rest, int $line): Closure
    {
        if (!preg_match('/^(?:(\w+), )?(\w+) in (.+)$/', $rest, $match)) {
            throw new TemplateError('Malformed loop', $line);
        }
        [, $keyName, $valueName, $source] = $match;
        $list = $this->expression($source, $line);
        $body = $this->body(['else', 'endfor']);
        $empty = null;
        if ($this->tokens[$this->at]->text === 'else') {
            $this->at++;
            $empty = $this->body(['endfor']);
        }
        return static function (Scope $scope) use ($keyName, $valueName, $list, $body, $empty): string {
            $items = $list($scope) ?? [];
            if (!$items) {
                return $empty ? $empty($scope) : '';
            }
            $text = '';
            $inner = $scope->inner();
            $index = 0;
            foreach ($items as $key => $item) {
                if ($keyName !== '') {
                    $inner->set($keyName, $key);
                }
                $inner->set($valueName, $item);
                $inner->set('loop', ['index' => ++$index, 'first' => $index === 1, 'last' => $index === count($items)]);
                $text .= $body($inner);
            }
            return $text;
        };
    }

    private function choice(string $rest, int $line): Closure
    {
        $ways = [[$this->expression($rest, $line), $this->body(['elseif', 'else', 'endif'])]];
        while (true) {
            $text = $this->tokens[$this->at]->text;
            if ($text === 'endif') {
                break;
            }
            $this->at++;
            $condition = $text === 'else'
                ? static fn(Scope $scope) => true
                : $this->expression(substr($text, 7), $line);
            $ways[] = [$condition, $this->body(['elseif', 'else', 'endif'])];
        }
        return static function (Scope $scope) use ($ways): string {
            foreach ($ways as [$condition, $body]) {
                if ($condition($scope)) {
                    return $body($scope);
                }
            }
            return '';
        };
    }

    private function assignment(string $rest, int $line): Closure
    {
        $this->at--;
        [$name, $source] = explode(' = ', $rest, 2);
        $value = $this->expression($source, $line);
        return static function (Scope $scope) use ($name, $value): string {
            $scope->set($name, $value($scope));
            return '';
        };
    }

    private function block(string $name): Closure
    {
        $this->blocks[$name] = $body = $this->body(['endblock']);
        return static function (Scope $scope) use ($name, $body): string {
            $override = $scope->get("block:$name");
            return $override ? $override($scope) : $body($scope);
        };
    }

    private function expression(string $source, int $line): Closure
    {
        $parts = preg_split('/\s*\|\s*/', $source);
        $value = $this->comparison(array_shift($parts), $line);
        foreach ($parts as $part) {
            if (!preg_match('/^(\w+)(?:\((.*)\))?$/', $part, $match)) {
                throw new TemplateError("Malformed filter \"$part\"", $line);
            }
            $filter = $this->filters->find($match[1], $line);
            $arguments = isset($match[2])
                ? array_map(fn(string $argument) => $this->operand(trim($argument), $line), explode(';', $match[2]))
                : [];
            $before = $value;
            $value = static fn(Scope $scope) => $filter($before($scope), ...array_map(static fn(Closure $argument) => $argument($scope), $arguments));
        }
        return $value;
    }

    private function comparison(string $source, int $line): Closure
    {
        if (!preg_match('/^(.+?)\s*(==|!=|<=|>=|<|>|\+|\*|~| and )\s*(.+)$/', $source, $match)) {
            return $this->operand($source, $line);
        }
        $left = $this->operand($match[1], $line);
        $right = $this->comparison($match[3], $line);
        return match (trim($match[2])) {
            '==' => static fn(Scope $scope) => $left($scope) == $right($scope),
            '!=' => static fn(Scope $scope) => $left($scope) != $right($scope),
            '<' => static fn(Scope $scope) => $left($scope) < $right($scope),
            '>' => static fn(Scope $scope) => $left($scope) > $right($scope),
            '<=' => static fn(Scope $scope) => $left($scope) <= $right($scope),
            '>=' => static fn(Scope $scope) => $left($scope) >= $right($scope),
            '+' => static fn(Scope $scope) => $left($scope) + $right($scope),
            '*' => static fn(Scope $scope) => $left($scope) * $right($scope),
            '~' => static fn(Scope $scope) => $left($scope) . $right($scope),
            'and' => static fn(Scope $scope) => $left($scope) && $right($scope),
        };
    }

    private function operand(string $source, int $line): Closure
    {
        if (is_numeric($source)) {
            $number = $source + 0;
            return static fn(Scope $scope) => $number;
        }
        if (preg_match('/^"([^"]*)"$/', $source, $match)) {
            $text = $match[1];
            return static fn(Scope $scope) => $text;
        }
        if (str_starts_with($source, 'not ')) {
            $inner = $this->operand(substr($source, 4), $line);
            return static fn(Scope $scope) => !$inner($scope);
        }
        if (!preg_match('/^\w+(?:\.\w+)*$/', $source)) {
            throw new TemplateError("Malformed expression \"$source\"", $line);
        }
        $path = explode('.', $source);
        $first = array_shift($path);
        return static function (Scope $scope) use ($first, $path): mixed {
            $value = $scope->get($first);
            foreach ($path as $step) {
                if (is_array($value)) {
                    $value = $value[$step] ?? null;
                } elseif (is_object($value)) {
                    $value = method_exists($value, $step) ? $value->$step() : ($value->$step ?? null);
                } else {
                    return null;
                }
            }
            return $value;
        };
    }
}

final class Article
{
    public function __construct(public string $title, private int $cents, public array $tags, public ?string $note = null) {}

    public function price(): float
    {
        return $this->cents / 100;
    }
}

const LAYOUT = <<<'TEMPLATE'
    <html><head><title>{% block title %}No title{% endblock %}</title></head>
    <body>{# the navigation is the same everywhere #}
    <ul>{% for name, link in menu %}<li{% if loop.first %} class="first"{% endif %}><a href="{{ link }}">{{ name | title }}</a></li>{% endfor %}</ul>
    {% block content %}Nothing here.{% endblock %}
    </body></html>
    TEMPLATE;

const PAGE = <<<'TEMPLATE'
    {% block title %}{{ shop.name | upper }}: {{ articles | length }} articles{% endblock %}
    {% block content %}{% set rate = 1.081 %}
    {% for article in articles %}
    <h2 id="{{ article.title | slug }}">{{ loop.index }}. {{ article.title | shorten(24) }}</h2>
    {% if article.price > 100 and article.tags %}<b>{{ article.price * rate | money }}</b>{% elseif article.price == 0 %}<i>free</i>{% else %}{{ article.price | money }}{% endif %}
    <p>{{ article.tags | join(" / ") | default("none") }}{% if not loop.last %} ...{% endif %}</p>
    <p>{{ article.note | default("-") }}</p>
    {% else %}Sold out.{% endfor %}{% endblock %}
    TEMPLATE;

function render(Compiler $compiler, array $data): string
{
    [$layout] = $compiler->compile(LAYOUT);
    [, $blocks] = $compiler->compile(PAGE);
    foreach ($blocks as $name => $block) {
        $data["block:$name"] = $block;
    }
    return $layout(new Scope($data));
}

$rounds = (int) ($argv[1] ?? 140);
$articles = [];
foreach (['Chair', 'Table <round>', 'Lamp & shade', 'A shelf for too many books', 'Rug', 'Poster'] as $number => $title) {
    for ($size = 1; $size <= 5; $size++) {
        $tags = array_slice(['wood', 'steel', 'wool', 'paper'], $number % 4, $size % 3);
        $articles[] = new Article("$title $size", $number === 5 ? 0 : 1999 * $size * ($number + 1), $tags, $size % 2 ? "size \"$size\"" : null);
    }
}
$compiler = new Compiler(new Filters());
$data = [
    'shop' => (object) ['name' => 'Things & more'],
    'menu' => ['home' => '/', 'all things' => '/all?a=1&b=2', 'contact us' => '/contact'],
    'articles' => $articles,
];
for ($round = 0; $round < $rounds; $round++) {
    $page = render($compiler, $data);
}
echo preg_replace('/\n\s*\n+/', "\n", substr($page, 0, 1500)), "\n";
echo strlen($page), ' ', md5($page), "\n";
echo strlen(render($compiler, ['shop' => null, 'articles' => []])), "\n";
foreach (['{% for x %}', "\n{{ a | nothing }}", '{% if a %}', "\n\n{% while %}", '{{ a b }}'] as $wrong) {
    try {
        $compiler->compile($wrong);
    } catch (TemplateError $error) {
        echo $error->getMessage(), ' (', $error->templateLine, ")\n";
    }
}
