<?php
// phpMyAdmin's SQL parser: parses statements, builds them again and formats them.
require __DIR__ . '/support.php';
require 'PhpMyAdmin/SqlParser/autoload.php';

use PhpMyAdmin\SqlParser\{Parser, Utils\Formatter};

$statements = [
    "SELECT a.id, b.name AS n, COUNT(*) FROM `users` a LEFT JOIN `groups` b ON a.gid = b.id WHERE a.age > 18 AND b.name LIKE '%x%' GROUP BY a.id HAVING COUNT(*) > 2 ORDER BY n DESC LIMIT 10, 20",
    "INSERT INTO t (a, b, c) VALUES (1, 'two', NULL), (4, 'five', NOW())",
    "UPDATE t SET a = a + 1, b = CONCAT(b, '!') WHERE c IN (1, 2, 3) OR d BETWEEN 5 AND 9",
    "CREATE TABLE IF NOT EXISTS `t` (`id` int(11) NOT NULL AUTO_INCREMENT, `name` varchar(255) DEFAULT 'x' COMMENT 'a name', PRIMARY KEY (`id`), KEY `k` (`name`(10))) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
    "DELETE FROM t WHERE id = (SELECT MAX(id) FROM u WHERE x IS NOT NULL)",
];
repeat(24, function () use ($statements) {
    $text = '';
    foreach ($statements as $statement) {
        $parser = new Parser($statement);
        foreach ($parser->statements as $parsed) {
            $text .= $parsed->build() . "\n";
        }
        $text .= Formatter::format($statement, ['type' => 'text']) . count($parser->list->tokens) . "\n";
    }
    return $text;
});
