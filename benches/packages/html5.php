<?php
// Masterminds' HTML5: tokenizes a page and counts what its handler is told.
require __DIR__ . '/support.php';
require 'Masterminds/HTML5/autoload.php';

use Masterminds\HTML5\Parser\{EventHandler, Scanner, Tokenizer};

final class Events implements EventHandler
{
    public array $counts = [];
    public function doctype($name, $idType = 0, $id = null, $quirks = false): void { $this->note('doctype'); }
    public function startTag($name, $attributes = [], $selfClosing = false): int { $this->note("<$name"); foreach ($attributes as $k => $v) { $this->note("@$k"); } return 0; }
    public function endTag($name): void { $this->note("/$name"); }
    public function comment($cdata): void { $this->note('comment'); }
    public function text($cdata): void { $this->note('text' . strlen($cdata)); }
    public function eof(): void { $this->note('eof'); }
    public function parseError($msg, $line, $col): void { $this->note("error $msg"); }
    public function cdata($data): void { $this->note('cdata'); }
    public function processingInstruction($name, $data = null): void { $this->note('pi'); }
    private function note(string $what): void { $this->counts[$what] = ($this->counts[$what] ?? 0) + 1; }
}

$page = '<!DOCTYPE html><html><head><title>x</title></head><body>';
for ($i = 0; $i < 150; $i++) {
    $page .= "<div id=\"d$i\" class='a b' data-x=$i><p>Text &amp; more &copy; $i<br/><!-- note $i --><a href=\"/p?a=1&amp;b=$i\">link</a></p></div>\n";
}
$page .= '</body></html>';
repeat(50, function () use ($page) {
    $events = new Events;
    (new Tokenizer(new Scanner($page), $events))->parse();
    ksort($events->counts);
    return json_encode($events->counts);
});
