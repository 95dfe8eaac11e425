<?php
// A tokenizer by one regular expression, an index of names, and a printer of highlighted source.

enum Kind: string
{
    case Comment = 'comment';
    case Text = 'string';
    case Number = 'number';
    case Word = 'word';
    case Keyword = 'keyword';
    case Sign = 'sign';
    case Space = 'space';
    case Error = 'error';

    public function isCode(): bool
    {
        return $this !== self::Space && $this !== self::Comment;
    }
}

final class SourceToken
{
    public function __construct(
        public readonly Kind $kind,
        public readonly string $text,
        public readonly int $line,
        public readonly int $column,
    ) {}
}

final class Tokenizer implements IteratorAggregate
{
    private const PATTERN = <<<'REGEX'
        ~
          (?<comment> //[^\n]* | /\*.*?\*/ )
        | (?<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
        | (?<number> 0x[0-9a-f]+ | \d+(?:\.\d+)?(?:e[+-]?\d+)? )
        | (?<word> [a-z_]\w* )
        | (?<sign> [-+*/%<>=!&|^]=? | && | \|\| | [(){}\[\],;.?:] )
        | (?<space> \s+ )
        | (?<error> . )
        ~xsiA
        REGEX;

    public function __construct(private string $source, private array $keywords)
    {
        $this->keywords = array_flip($keywords);
    }

    public function getIterator(): Generator
    {
        $at = 0;
        $line = 1;
        $lineStart = 0;
        $length = strlen($this->source);
        while ($at < $length) {
            preg_match(self::PATTERN, $this->source, $match, PREG_UNMATCHED_AS_NULL, $at);
            $text = $match[0];
            foreach (Kind::cases() as $kind) {
                if (isset($match[$kind->value])) {
                    break;
                }
            }
            if ($kind === Kind::Word && isset($this->keywords[$text])) {
                $kind = Kind::Keyword;
            }
            yield new SourceToken($kind, $text, $line, $at - $lineStart + 1);
            $breaks = substr_count($text, "\n");
            if ($breaks > 0) {
                $line += $breaks;
                $lineStart = $at + strrpos($text, "\n") + 1;
            }
            $at += strlen($text);
        }
    }
}

interface Visitor
{
    public function visit(SourceToken $token): void;

    public function result(): string;
}

final class Highlighter implements Visitor
{
    private string $html = '';
    private const CLOSING = [')' => '(', ']' => '[', '}' => '{'];
    private array $open = [];

    public function visit(SourceToken $token): void
    {
        $text = htmlspecialchars($token->text);
        if ($token->kind === Kind::Sign) {
            if (in_array($token->text, self::CLOSING, true)) {
                $this->open[] = $token;
                $text = '<b class="d' . count($this->open) . '">' . $text;
            } elseif (isset(self::CLOSING[$token->text])) {
                $opened = array_pop($this->open);
                $text = $opened?->text === self::CLOSING[$token->text] ? "$text</b>" : "<u>$text</u>";
            }
            $this->html .= $text;
            return;
        }
        $this->html .= match ($token->kind) {
            Kind::Space, Kind::Word => $text,
            Kind::Comment => '<i>' . preg_replace('/\b(TODO|NOTE)\b/', '<em>$1</em>', $text) . '</i>',
            default => "<span class=\"{$token->kind->value}\">$text</span>",
        };
    }

    public function result(): string
    {
        $lines = explode("\n", $this->html);
        $width = strlen((string) count($lines));
        foreach ($lines as $number => &$line) {
            $line = sprintf("%{$width}d  %s", $number + 1, $line);
        }
        return implode("\n", $lines);
    }
}

final class Index implements Visitor
{
    private array $places = [];
    private ?SourceToken $last = null;
    private array $kinds = [];

    public function visit(SourceToken $token): void
    {
        $this->kinds[$token->kind->name] ??= 0;
        $this->kinds[$token->kind->name]++;
        if (!$token->kind->isCode()) {
            return;
        }
        if ($token->kind === Kind::Word) {
            $isDefinition = $this->last?->kind === Kind::Keyword && in_array($this->last->text, ['let', 'fn', 'type'], true);
            $this->places[$token->text][] = ($isDefinition ? '*' : '') . "$token->line:$token->column";
        }
        $this->last = $token;
    }

    public function result(): string
    {
        uksort($this->places, fn(string $a, string $b) => count($this->places[$b]) <=> count($this->places[$a]) ?: strcasecmp($a, $b));
        $lines = [];
        foreach (array_slice($this->places, 0, 8) as $name => $places) {
            $lines[] = sprintf('%-10s %3d  %s', $name, count($places), implode(' ', array_slice($places, 0, 4)));
        }
        ksort($this->kinds);
        return implode("\n", $lines) . "\n" . str_replace(['=', '&'], [': ', ', '], http_build_query($this->kinds));
    }
}

/** Makes names short, and leaves out what is not needed. */
final class Minifier implements Visitor
{
    private array $names = [];
    private string $text = '';

    public function __construct(private array $kept) {}

    public function visit(SourceToken $token): void
    {
        if (!$token->kind->isCode()) {
            return;
        }
        $text = $token->text;
        if ($token->kind === Kind::Word && !in_array($text, $this->kept, true)) {
            $text = $this->names[$text] ??= $this->name(count($this->names));
        } elseif ($token->kind === Kind::Text && strlen($text) > 2) {
            $text = '"' . addcslashes(stripcslashes(substr($text, 1, -1)), "\"\\\n") . '"';
        }
        $needsSpace = preg_match('/\w$/', $this->text) && preg_match('/^\w/', $text);
        $this->text .= $needsSpace ? " $text" : $text;
    }

    private function name(int $number): string
    {
        $name = '';
        do {
            $name = chr(97 + $number % 26) . $name;
            $number = intdiv($number, 26) - 1;
        } while ($number >= 0);
        return $name;
    }

    public function result(): string
    {
        return wordwrap($this->text, 120, "\n", true);
    }
}

const SOURCE = <<<'CODE'
    // A program in no real language. TODO: run it.
    type Point = { x: number, y: number };
    fn distance(from, to) {
        let dx = from.x - to.x; /* NOTE: not
           the absolute one */
        let dy = from.y - to.y;
        return sqrt(dx * dx + dy * dy) >= 1.5e-3 ? "far \"away\"" : 'near';
    }
    let points = [ { x: 0x1f, y: 12 }, { x: 3.25, y: 4 } ];
    for (let index = 0; index < points.length && index != 99; index += 1) {
        print(distance(points[index], points[(index + 1) % 2]), index); // twice
    }
    let broken = (1 + 2]; § 
    if (!broken || points) { while (true) { break; } }

    CODE;

$rounds = (int) ($argv[1] ?? 20);
$keywords = ['type', 'fn', 'let', 'return', 'for', 'if', 'while', 'break', 'true'];
$source = str_repeat(SOURCE, 5);
for ($round = 0; $round < $rounds; $round++) {
    $visitors = [new Highlighter(), new Index(), new Minifier(['print', 'sqrt', 'length'])];
    foreach (new Tokenizer($source, $keywords) as $token) {
        foreach ($visitors as $visitor) {
            $visitor->visit($token);
        }
    }
    $results = array_map(fn(Visitor $visitor) => $visitor->result(), $visitors);
}
echo substr($results[0], 0, 1300), "\n", $results[1], "\n", substr($results[2], 0, 500), "\n";
echo implode(' ', array_map('strlen', $results)), ' ', md5(implode($results)), "\n";
