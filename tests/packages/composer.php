<?php
// Composer, without TLS and without a network: a project is checked, its autoloader written and used.
$folder = sys_get_temp_dir() . '/opline-package-composer';
shell_exec('rm -rf ' . escapeshellarg($folder));
mkdir("$folder/src", 0777, true);
mkdir("$folder/lib");
chdir($folder);
file_put_contents('composer.json', <<<'JSON'
{
    "name": "acme/app", "description": "An app", "type": "project", "license": "MIT",
    "require": {"php": ">=8.1", "ext-json": "*"},
    "autoload": {"psr-4": {"Acme\\": "src/"}, "classmap": ["lib/"], "files": ["src/functions.php"]},
    "scripts": {"hello": "echo hello", "post-autoload-dump": "@hello"},
    "config": {"disable-tls": true, "secure-http": false},
    "repositories": [{"packagist.org": false}]
}
JSON);
file_put_contents('src/App.php', '<?php namespace Acme; class App { function run() { return new \Thing; } }');
file_put_contents('src/functions.php', '<?php function acme() { return 1; }');
file_put_contents('lib/things.php', '<?php class Thing {} interface Other {} enum Letter: string { case A = "a"; }');
foreach (['HOME' => "$folder/home", 'CACHE_DIR' => '/dev/null', 'ALLOW_SUPERUSER' => '1'] as $name => $value) {
    putenv("COMPOSER_$name=$value");
}
$php = escapeshellarg(getenv('ENGINE')) . ' -n -d error_reporting=24575 -d memory_limit=1G';
$commands = [
    'list --raw', 'validate --strict', 'dump-autoload', 'dump-autoload --classmap-authoritative --no-dev', 'run-script hello',
    'show', 'licenses', 'config --list', 'config description "New one"', 'check-platform-reqs', 'validat', 'help validate',
    'require nothing/such', 'update', 'install', 'why ext-json', 'archive --format=tar --file=kept', 'show -t', 'outdated', 'bump',
];
foreach ($commands as $command) {
    echo "== $command\n";
    passthru("$php /usr/bin/composer --no-ansi --no-interaction $command 2>&1", $code);
    echo "code $code\n";
}
$files = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('vendor', FilesystemIterator::SKIP_DOTS)) as $file) {
    $files[] = (string) $file;
}
sort($files);
foreach ($files as $file) {
    // The autoloader's class is called by what is random.
    echo "-- $file\n", preg_replace('/[0-9a-f]{32}/', 'HASH', file_get_contents($file)), "\n";
}
passthru("$php -r " . escapeshellarg('require "vendor/autoload.php"; var_dump((new Acme\App)->run(), acme(), Letter::A);'));
passthru('tar tf kept.tar | sort');
readfile('composer.json');
readfile('composer.lock');
shell_exec('rm -rf ' . escapeshellarg($folder));
