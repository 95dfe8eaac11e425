<?php
// A JSON parser by recursive descent, a printer, and queries by path.

final class JsonError extends UnexpectedValueException
{
    public function __construct(string $message, public readonly int $offset, public readonly string $near)
    {
        parent::__construct(sprintf('%s at %d near "%s"', $message, $offset, $near));
    }
}

final class JsonParser
{
    private const ESCAPES = ['"' => '"', '\\' => '\\', '/' => '/', 'b' => "\x08", 'f' => "\f", 'n' => "\n", 'r' => "\r", 't' => "\t"];
    private string $text = '';
    private int $at = 0;
    private int $length = 0;
    private int $depth = 0;

    public function __construct(private int $maximalDepth = 64) {}

    public function parse(string $text): mixed
    {
        $this->text = $text;
        $this->length = strlen($text);
        $this->at = 0;
        $this->depth = 0;
        $value = $this->value();
        $this->space();
        if ($this->at < $this->length) {
            $this->fail('Unexpected text behind the value');
        }
        return $value;
    }

    private function fail(string $message): never
    {
        throw new JsonError($message, $this->at, substr($this->text, $this->at, 8));
    }

    private function space(): void
    {
        while ($this->at < $this->length) {
            $byte = $this->text[$this->at];
            if ($byte !== ' ' && $byte !== "\n" && $byte !== "\t" && $byte !== "\r") {
                return;
            }
            $this->at++;
        }
    }

    private function value(): mixed
    {
        $this->space();
        if ($this->at >= $this->length) {
            $this->fail('Unexpected end');
        }
        switch ($this->text[$this->at]) {
            case '{':
                return $this->object();
            case '[':
                return $this->list();
            case '"':
                return $this->string();
            case 't':
                return $this->word('true', true);
            case 'f':
                return $this->word('false', false);
            case 'n':
                return $this->word('null', null);
            default:
                return $this->number();
        }
    }

    private function word(string $word, ?bool $value): ?bool
    {
        if (substr_compare($this->text, $word, $this->at, strlen($word)) !== 0) {
            $this->fail('Unknown word');
        }
        $this->at += strlen($word);
        return $value;
    }

    private function enter(): void
    {
        if (++$this->depth > $this->maximalDepth) {
            $this->fail('Nested too deeply');
        }
        $this->at++;
        $this->space();
    }

    private function take(string $byte): bool
    {
        $this->space();
        if ($this->at < $this->length && $this->text[$this->at] === $byte) {
            $this->at++;
            return true;
        }
        return false;
    }

    private function object(): array
    {
        $this->enter();
        $members = [];
        if (!$this->take('}')) {
            do {
                $this->space();
                if (($this->text[$this->at] ?? '') !== '"') {
                    $this->fail('Expected a name');
                }
                $name = $this->string();
                if (!$this->take(':')) {
                    $this->fail('Expected a colon');
                }
                $members[$name] = $this->value();
            } while ($this->take(','));
            if (!$this->take('}')) {
                $this->fail('Expected a comma or a brace');
            }
        }
        $this->depth--;
        return $members;
    }

    private function list(): array
    {
        $this->enter();
        $items = [];
        if (!$this->take(']')) {
            do {
                $items[] = $this->value();
            } while ($this->take(','));
            if (!$this->take(']')) {
                $this->fail('Expected a comma or a bracket');
            }
        }
        $this->depth--;
        return $items;
    }

    private function string(): string
    {
        $result = '';
        $this->at++;
        while (true) {
            $plain = strcspn($this->text, "\"\\", $this->at);
            $result .= substr($this->text, $this->at, $plain);
            $this->at += $plain;
            if ($this->at >= $this->length) {
                $this->fail('Unterminated string');
            }
            if ($this->text[$this->at++] === '"') {
                return $result;
            }
            $escape = $this->text[$this->at++] ?? '';
            if ($escape === 'u') {
                $result .= $this->codePoint();
            } else {
                $result .= self::ESCAPES[$escape] ?? $this->fail('Unknown escape');
            }
        }
    }

    private function codePoint(): string
    {
        $digits = substr($this->text, $this->at, 4);
        if (strspn($digits, '0123456789abcdefABCDEF') !== 4) {
            $this->fail('Expected four digits');
        }
        $this->at += 4;
        $code = hexdec($digits);
        return match (true) {
            $code < 0x80 => chr($code),
            $code < 0x800 => chr(0xc0 | $code >> 6) . chr(0x80 | $code & 0x3f),
            default => chr(0xe0 | $code >> 12) . chr(0x80 | $code >> 6 & 0x3f) . chr(0x80 | $code & 0x3f),
        };
    }

    private function number(): int|float
    {
        if (!preg_match('/-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/A', $this->text, $match, 0, $this->at)) {
            $this->fail('Unexpected byte');
        }
        $this->at += strlen($match[0]);
        return isset($match[1]) ? (float) $match[0] : (int) $match[0];
    }
}

final class JsonPrinter
{
    public function print(mixed $value, int $level = 0): string
    {
        if (!is_array($value)) {
            return match (true) {
                is_string($value) => '"' . $this->escape($value) . '"',
                is_bool($value) => $value ? 'true' : 'false',
                $value === null => 'null',
                is_float($value) && floor($value) === $value => number_format($value, 1, '.', ''),
                default => (string) $value,
            };
        }
        if ($value === []) {
            return '[]';
        }
        $indent = str_repeat('  ', $level + 1);
        $lines = [];
        $isList = array_is_list($value);
        foreach ($value as $key => $item) {
            $text = $this->print($item, $level + 1);
            $lines[] = $indent . ($isList ? $text : '"' . $this->escape((string) $key) . '": ' . $text);
        }
        $inside = implode(",\n", $lines);
        $end = str_repeat('  ', $level);
        return $isList ? "[\n$inside\n$end]" : "{\n$inside\n$end}";
    }

    private function escape(string $text): string
    {
        if (strpbrk($text, "\"\\\n\r\t") === false) {
            return $text;
        }
        $result = '';
        for ($i = 0; $i < strlen($text); $i++) {
            $byte = $text[$i];
            $result .= match ($byte) {
                '"', '\\' => "\\$byte",
                "\n" => '\n',
                "\r" => '\r',
                "\t" => '\t',
                default => $byte,
            };
        }
        return $result;
    }
}

/** All values that a path such as `orders.*.lines.*.price` leads to. */
function query(mixed $value, string $path): Generator
{
    [$step, $rest] = explode('.', $path, 2) + [1 => null];
    if (!is_array($value)) {
        return;
    }
    foreach ($step === '*' ? array_keys($value) : [$step] as $key) {
        if (!array_key_exists($key, $value)) {
            continue;
        }
        if ($rest === null) {
            yield $value[$key];
        } else {
            yield from query($value[$key], $rest);
        }
    }
}

function document(int $count): string
{
    $orders = [];
    for ($i = 0; $i < $count; $i++) {
        $lines = [];
        for ($line = 0; $line <= $i % 4; $line++) {
            $price = ($i * 37 + $line * 11) % 500 / 4;
            $lines[] = "{\"article\": \"Nr. $line\\t\\\"x\\\"\", \"price\": $price, \"count\":" . ($i % 9 + 1) . '}';
        }
        $flag = $i % 3 ? 'true' : 'null';
        $orders[] = "{ \"id\":$i , \"customer\" : \"Z\\u00fcrich $i\", \"paid\": $flag, \"lines\": [" . implode(', ', $lines) . '], "note": "a\\nb\\/c" }';
    }
    return '{"version": 1.50, "orders": [' . implode(",\n", $orders) . '], "empty": [], "scale": -2e3}';
}

$rounds = (int) ($argv[1] ?? 20);
$parser = new JsonParser();
$printer = new JsonPrinter();
$text = document(80);
for ($round = 0; $round < $rounds; $round++) {
    $value = $parser->parse($text);
    $printed = $printer->print($value);
    $again = $parser->parse($printed);
    $total = 0.0;
    foreach (query($again, 'orders.*.lines.*.price') as $price) {
        $total += $price;
    }
}
echo substr($printed, 0, 500), "\n";
echo strlen($printed), ' ', md5($printed), ' ', var_export($value == $again, true), "\n";
echo 'total ', $total, ', first names: ', implode(', ', array_slice(iterator_to_array(query($value, 'orders.*.customer'), false), 0, 3)), "\n";
foreach (['[1, 2', '{"a" 1}', '"\x"', '[1 2]', 'nul', str_repeat('[', 70), '"abc', '{1:2}', '[] x', '"\u12g4"'] as $wrong) {
    try {
        $parser->parse($wrong);
        echo "parsed\n";
    } catch (JsonError $error) {
        echo $error->getMessage(), "\n";
    }
}
