<?php
// CommonMark: converts a document with lists, links, code, quotes and tables.
require __DIR__ . '/support.php';
require 'League/CommonMark/autoload.php';
require __DIR__ . '/document.php';

repeat(12, function () {
    $converter = new League\CommonMark\GithubFlavoredMarkdownConverter(['html_input' => 'escape']);
    return (string) $converter->convert(markdown_document(12));
});
