<?php
// Twig: compiles templates with inheritance, loops, filters and macros, and renders them.
require __DIR__ . '/support.php';
require 'Twig/autoload.php';

$templates = [
    'base' => '<html><head><title>{% block title %}Site{% endblock %}</title></head><body>{% block body %}{% endblock %}<p>{{ now|default("never") }}</p></body></html>',
    'page' => '{% extends "base" %}{% import "macros" as m %}{% block title %}{{ title|title }} - {{ parent() }}{% endblock %}'
        . '{% block body %}<table>{% for row in rows %}<tr class="{{ cycle(["odd", "even"], loop.index0) }}">'
        . '<td>{{ loop.index }}</td><td>{{ row.name|upper }}</td><td>{{ row.price|number_format(2, ",", ".") }}</td>'
        . '<td>{{ m.tags(row.tags) }}</td><td>{% if row.stock > 5 %}many{% elseif row.stock %}{{ row.stock }}{% else %}none{% endif %}</td></tr>'
        . '{% else %}<tr><td>nothing</td></tr>{% endfor %}</table>{{ rows|length }} {{ rows|map(r => r.price)|reduce((c, p) => c + p, 0) }}{% endblock %}',
    'macros' => '{% macro tags(list) %}{% for tag in list|sort %}<b>{{ tag|e }}</b>{{ not loop.last ? ", " }}{% endfor %}{% endmacro %}',
];
$rows = [];
for ($i = 0; $i < 60; $i++) {
    $rows[] = ['name' => "article $i <b>", 'price' => $i * 7.35, 'stock' => $i % 9, 'tags' => ["t" . $i % 7, 'a & b', "z$i"]];
}
repeat(10, function () use ($templates, $rows) {
    $twig = new Twig\Environment(new Twig\Loader\ArrayLoader($templates), ['strict_variables' => true]);
    $text = '';
    for ($i = 0; $i < 25; $i++) {
        $text = $twig->render('page', ['title' => "page number $i", 'rows' => $rows]);
    }
    return $text;
});
