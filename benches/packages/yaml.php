<?php
// Symfony's YAML: dumps and parses a configuration of some depth.
require __DIR__ . '/support.php';
require 'Symfony/Component/Yaml/autoload.php';

use Symfony\Component\Yaml\Yaml;

$data = ['parameters' => ['locale' => 'en', 'ratio' => 0.75, 'debug' => true, 'nothing' => null], 'services' => []];
for ($i = 0; $i < 120; $i++) {
    $data['services']["app.service_$i"] = [
        'class' => "App\\Service\\Service$i", 'arguments' => ['@logger', "%param_$i%", $i, ['nested' => [1, 2, 3]]],
        'tags' => [['name' => 'kernel.event_listener', 'event' => "event.$i", 'priority' => -$i]],
        'description' => "A text: with 'quotes', \"more\" and # signs\nover lines", 'public' => $i % 2 === 0,
    ];
}
repeat(10, function () use ($data) {
    $text = Yaml::dump($data, 4);
    $back = Yaml::parse($text);
    return $text . json_encode($back);
});
