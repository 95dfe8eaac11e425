<?php
// Doctrine's Inflector: plurals, singulars and names in several styles.
require __DIR__ . '/support.php';
require 'Doctrine/Inflector/autoload.php';

$words = explode(' ', 'category person child mouse house box city news status octopus analysis hero photo quiz leaf wolf knife foot index matrix user_account order_item data media datum series fish sheep address bus');
repeat(100, function () use ($words) {
    $inflector = Doctrine\Inflector\InflectorFactory::create()->build();
    $text = '';
    foreach ($words as $word) {
        $plural = $inflector->pluralize($word);
        $text .= "$plural {$inflector->singularize($plural)} {$inflector->classify($word)} {$inflector->camelize($word)} {$inflector->tableize($word)} {$inflector->urlize($word)}\n";
    }
    return $text;
});
