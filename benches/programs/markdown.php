<?php
// Converts a subset of Markdown to HTML: blocks line by line, inline markup by regular expressions.

abstract class Block
{
    abstract public function html(Inline $inline): string;
}

final class Heading extends Block
{
    public function __construct(public readonly int $level, public readonly string $text) {}

    public function html(Inline $inline): string
    {
        $id = $inline->slug($this->text);
        return "<h$this->level id=\"$id\">" . $inline->html($this->text) . "</h$this->level>";
    }
}

final class Paragraph extends Block
{
    public function __construct(private array $lines) {}

    public function html(Inline $inline): string
    {
        return '<p>' . $inline->html(implode("\n", $this->lines)) . '</p>';
    }
}

final class Code extends Block
{
    public function __construct(private string $language, private array $lines) {}

    public function html(Inline $inline): string
    {
        $class = $this->language === '' ? '' : " class=\"language-$this->language\"";
        return "<pre><code$class>" . htmlspecialchars(implode("\n", $this->lines)) . "\n</code></pre>";
    }
}

final class Quote extends Block
{
    /** @param list<Block> $blocks */
    public function __construct(private array $blocks) {}

    public function html(Inline $inline): string
    {
        return "<blockquote>\n" . implode("\n", array_map(fn(Block $block) => $block->html($inline), $this->blocks)) . "\n</blockquote>";
    }
}

final class Items extends Block
{
    private array $items = [];

    public function __construct(private bool $isOrdered) {}

    public function add(string $text, ?Items $nested = null): void
    {
        $this->items[] = [$text, $nested];
    }

    public function nest(Items $nested): void
    {
        $this->items[array_key_last($this->items)][1] = $nested;
    }

    public function html(Inline $inline): string
    {
        $tag = $this->isOrdered ? 'ol' : 'ul';
        $html = "<$tag>\n";
        foreach ($this->items as [$text, $nested]) {
            $html .= '<li>' . $this->task($inline->html($text)) . ($nested ? "\n" . $nested->html($inline) . "\n" : '') . "</li>\n";
        }
        return "$html</$tag>";
    }

    private function task(string $html): string
    {
        return preg_replace_callback('/^\[([ x])\] /', fn(array $match) => '<input type="checkbox"' . ($match[1] === 'x' ? ' checked' : '') . '> ', $html);
    }
}

final class Grid extends Block
{
    public function __construct(private array $head, private array $alignments, private array $rows) {}

    public function html(Inline $inline): string
    {
        $html = "<table>\n" . $this->row($inline, 'th', $this->head);
        foreach ($this->rows as $row) {
            $html .= $this->row($inline, 'td', $row);
        }
        return "$html</table>";
    }

    private function row(Inline $inline, string $tag, array $cells): string
    {
        $html = '<tr>';
        foreach ($cells as $column => $cell) {
            $style = match ($this->alignments[$column] ?? null) {
                'right' => ' align="right"',
                'center' => ' align="center"',
                default => '',
            };
            $html .= "<$tag$style>" . $inline->html($cell) . "</$tag>";
        }
        return "$html</tr>\n";
    }
}

final class Rule extends Block
{
    public function html(Inline $inline): string
    {
        return '<hr>';
    }
}

final class Inline
{
    private array $kept = [];
    private array $slugs = [];

    public function __construct(private array $links) {}

    public function slug(string $text): string
    {
        $slug = trim(preg_replace('/[^\w]+/', '-', strtolower(strip_tags($text))), '-');
        $count = $this->slugs[$slug] = ($this->slugs[$slug] ?? 0) + 1;
        return $count > 1 ? "$slug-$count" : $slug;
    }

    public function html(string $text): string
    {
        $this->kept = [];
        $text = preg_replace_callback('/`([^`]+)`/', fn(array $match) => $this->keep('<code>' . htmlspecialchars($match[1]) . '</code>'), $text);
        $text = htmlspecialchars($text, ENT_NOQUOTES);
        $text = preg_replace_callback('/(!?)\[([^\]]+)\](?:\(([^)\s]+)\)|\[(\w*)\])/', $this->link(...), $text);
        $text = preg_replace(
            ['/\*\*(.+?)\*\*/s', '/(?<![\w*])\*(?=\S)(.+?)(?<=\S)\*(?!\w)/s', '/~~(.+?)~~/', '/ {2,}\n/', '/\bhttps?:\/\/[\w.\/?=]+[\w\/]/'],
            ['<strong>$1</strong>', '<em>$1</em>', '<del>$1</del>', "<br>\n", '<a href="$0">$0</a>'],
            $text,
        );
        return preg_replace_callback('/\x01(\d+)\x02/', fn(array $match) => $this->kept[$match[1]], $text);
    }

    private function keep(string $html): string
    {
        $this->kept[] = $html;
        return "\x01" . array_key_last($this->kept) . "\x02";
    }

    private function link(array $match): string
    {
        [$all, $image, $text] = $match;
        $target = ($match[3] ?? '') ?: ($this->links[strtolower(($match[4] ?? '') ?: $text)] ?? null);
        if ($target === null) {
            return $all;
        }
        return $this->keep($image ? "<img src=\"$target\" alt=\"$text\">" : "<a href=\"$target\">$text</a>");
    }
}

final class Document
{
    private array $links = [];
    private array $headings = [];

    /** @return list<Block> */
    public function blocks(array $lines): array
    {
        $blocks = [];
        for ($i = 0, $count = count($lines); $i < $count; $i++) {
            $line = $lines[$i];
            if (trim($line) === '') {
                continue;
            }
            if (preg_match('/^(#{1,6})\s+(.*?)\s*#*$/', $line, $match)) {
                $blocks[] = $this->headings[] = new Heading(strlen($match[1]), $match[2]);
            } elseif (preg_match('/^```(\w*)/', $line, $match)) {
                for ($code = []; ++$i < $count && $lines[$i] !== '```';) {
                    $code[] = $lines[$i];
                }
                $blocks[] = new Code($match[1], $code);
            } elseif ($line[0] === '>') {
                for ($inner = []; $i < $count && str_starts_with($lines[$i], '>'); $i++) {
                    $inner[] = ltrim(substr($lines[$i], 1), ' ');
                }
                $i--;
                $blocks[] = new Quote($this->blocks($inner));
            } elseif (preg_match('/^(?:-{3,}|\*{3,})$/', $line)) {
                $blocks[] = new Rule();
            } elseif (preg_match('/^\s*(?:[-*]|\d+\.)\s/', $line)) {
                $blocks[] = $this->items($lines, $i, 0);
                $i--;
            } elseif (str_contains($line, '|') && preg_match('/^[-|: ]+$/', $lines[$i + 1] ?? '')) {
                $blocks[] = $this->grid($lines, $i);
                $i--;
            } else {
                for ($text = []; $i < $count && trim($lines[$i]) !== '' && !preg_match('/^(?:#|```|>|[-*] )/', $lines[$i]); $i++) {
                    $text[] = ltrim($lines[$i]);
                }
                $i--;
                $blocks[] = new Paragraph($text);
            }
        }
        return $blocks;
    }

    private function items(array $lines, int &$i, int $indent): Items
    {
        $items = null;
        for (; $i < count($lines); $i++) {
            if (!preg_match('/^( *)([-*]|\d+\.)\s+(.*)$/', $lines[$i], $match)) {
                break;
            }
            $depth = strlen($match[1]);
            if ($depth < $indent) {
                break;
            }
            if ($items !== null && $depth > $indent) {
                $items->nest($this->items($lines, $i, $depth));
                $i--;
                continue;
            }
            $items ??= new Items(is_numeric($match[2][0]));
            $items->add($match[3]);
        }
        return $items;
    }

    private function grid(array $lines, int &$i): Grid
    {
        $cells = fn(string $line) => array_map('trim', explode('|', trim($line, '| ')));
        $head = $cells($lines[$i]);
        $alignments = array_map(
            fn(string $cell) => match (true) {
                str_starts_with($cell, ':') && str_ends_with($cell, ':') => 'center',
                str_ends_with($cell, ':') => 'right',
                default => 'left',
            },
            $cells($lines[$i + 1]),
        );
        $rows = [];
        for ($i += 2; $i < count($lines) && str_contains($lines[$i], '|'); $i++) {
            $rows[] = $cells($lines[$i]);
        }
        return new Grid($head, $alignments, $rows);
    }

    public function convert(string $text): string
    {
        $text = preg_replace_callback('/^\[(\w+)\]:\s+(\S+)\n/m', function (array $match): string {
            $this->links[strtolower($match[1])] = $match[2];
            return '';
        }, str_replace("\t", '    ', $text));
        $blocks = $this->blocks(explode("\n", $text));
        $inline = new Inline($this->links);
        $html = array_map(fn(Block $block) => $block->html($inline), $blocks);
        $contents = array_map(fn(Heading $heading) => str_repeat('  ', $heading->level - 1) . $heading->text, $this->headings);
        return implode("\n", $html) . "\n<!--\n" . implode("\n", $contents) . "\n-->\n";
    }
}

const SECTION = <<<'MARKDOWN'
    # The *first* of all

    Some text with **bold words**, `code <b>`, a [link](https://example.org/a?b=1) and a
    [second][home]; [unknown] stays.  
    A new line & more, ~~gone~~, see https://example.org/page.

    ## Lists and tables ##

    - one
    - two with `code`
      1. nested
      2. again
        - deeper **down**
    - [x] done
    - [ ] not yet

    | Name | Count | Share |
    |------|:-----:|------:|
    | *a*  | 1     | 10 %  |
    | b    | 22    | 90 %  |

    > A quote
    > over lines
    >
    > - with a list
    > ```php
    > echo "<b>";
    > ```

    ```
    if (a < b) { return "x"; }
    ```
    ---
    ![image](pic.png) and 2 * 3 * 4 are no emphasis.

    [home]: https://example.org/

    MARKDOWN;

$rounds = (int) ($argv[1] ?? 100);
$text = str_repeat(SECTION, 6);
for ($round = 0; $round < $rounds; $round++) {
    $html = (new Document())->convert($text);
}
echo substr($html, 0, 1700), "\n...\n", substr($html, -200), strlen($html), ' ', md5($html), "\n";
