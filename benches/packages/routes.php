<?php
// FastRoute: collects routes, makes the dispatcher's regexes and dispatches requests.
require __DIR__ . '/support.php';
require 'FastRoute/autoload.php';

repeat(200, function () {
    $dispatcher = FastRoute\simpleDispatcher(function (FastRoute\RouteCollector $routes) {
        for ($i = 0; $i < 60; $i++) {
            $routes->addRoute('GET', "/section$i/{id:\d+}[/{title}]", "handler$i");
            $routes->addRoute(['POST', 'PUT'], "/section$i/static", "static$i");
        }
    });
    $text = '';
    for ($i = 0; $i < 60; $i++) {
        $text .= json_encode($dispatcher->dispatch('GET', "/section$i/$i/some-title"));
        $text .= json_encode($dispatcher->dispatch('PUT', "/section$i/static"));
        $text .= json_encode($dispatcher->dispatch('GET', "/nowhere/$i"));
    }
    return $text;
});
