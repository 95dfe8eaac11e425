<?php
// Carbon, Doctrine DBAL on SQLite, Monolog, UUIDs, collections, containers and readers of texts.
foreach (['Carbon', 'Doctrine/DBAL', 'Monolog', 'Ramsey/Uuid', 'Doctrine/Inflector', 'Pimple', 'PhpMyAdmin/SqlParser',  'Nette/Schema', 'Dotenv', 'League/Csv', 'FastRoute', 'Nyholm/Psr7', 'PHPStan/PhpDocParser', 'DeepCopy', 'JsonSchema'] as $name) {
    require "$name/autoload.php";
}
spl_autoload_register(fn ($c) => str_starts_with($c, 'Masterminds') && require '/usr/share/php/' . strtr($c, '\\', '/') . '.php');
function section(string $name, callable $run): void
{
    echo "== $name\n";
    try {
        foreach ($run() as $key => $value) {
            echo $key, ': ', is_string($value) ? $value : json_encode($value, JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
        }
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
use Carbon\{Carbon, CarbonImmutable, CarbonInterval, CarbonPeriod};
section('carbon', function () {
    Carbon::setTestNow('2026-11-23 17:05:06.789 Europe/Prague');
    CarbonImmutable::setTestNow('2026-11-23 17:05:06.789 Europe/Prague');
    $now = CarbonImmutable::now();
    yield 'now' => $now->toIso8601ZuluString('millisecond');
    yield 'add' => $now->addMonthsNoOverflow(3)->endOfMonth()->subWeekdays(7)->toDateTimeString();
    foreach (['en', 'de', 'cs', 'fr'] as $locale) {
        yield $locale => $now->subDays(40)->locale($locale)->diffForHumans(['parts' => 3]) . ' ' . $now->locale($locale)->isoFormat('LLLL');
    }
    yield 'diff' => [$now->diffInDays('2024-02-29'), $now->diffInHours('2026-11-20'), $now->floatDiffInMonths('2027-01-01')];
    yield 'interval' => CarbonInterval::make('1y 3mo 5d 30h')->cascade()->forHumans();
    yield 'period' => implode(' ', array_map(fn ($d) => $d->format('D j.n.'), CarbonPeriod::create('2026-02-26', '1 day', '2026-03-03')->filter('isWeekday')->toArray()));
    yield 'settings' => serialize(CarbonInterval::days(3));
    yield 'bad' => Carbon::createFromFormat('Y-m-d', '2026-13');
});
section('dbal', function () {
    $connection = Doctrine\DBAL\DriverManager::getConnection(['driver' => 'pdo_sqlite', 'memory' => true]);
    $schema = new Doctrine\DBAL\Schema\Schema();
    $table = $schema->createTable('book');
    $table->addColumn('id', 'integer', ['autoincrement' => true]);
    $table->addColumn('title', 'string', ['length' => 100]);
    $table->addColumn('price', 'decimal', ['precision' => 8, 'scale' => 2, 'notnull' => false]);
    $table->addColumn('made', 'datetime_immutable', ['default' => '2020-01-01 00:00:00']);
    $table->setPrimaryKey(['id']);
    $table->addIndex(['title'], 'by_title');
    foreach ($schema->toSql($connection->getDatabasePlatform()) as $sql) {
        yield 'sql' => $sql;
        $connection->executeStatement($sql);
    }
    foreach (['One' => 1.5, "O'Two" => null, 'Three' => 30] as $title => $price) {
        $connection->insert('book', ['title' => $title, 'price' => $price, 'made' => new DateTimeImmutable('2026-01-02')], ['made' => 'datetime_immutable']);
    }
    $query = $connection->createQueryBuilder()->select('b.title', 'COUNT(*) AS n', 'SUM(b.price) total')->from('book', 'b')->where('b.price > :low OR b.price IS NULL')->setParameter('low', 1)->groupBy('b.title')->orderBy('b.title', 'DESC')->setMaxResults(5);
    yield 'query' => $query->getSQL();
    yield 'rows' => $query->executeQuery()->fetchAllAssociative();
    yield 'in' => $connection->fetchFirstColumn('SELECT title FROM book WHERE id IN (?) ORDER BY id', [[1, 3]], [Doctrine\DBAL\ArrayParameterType::INTEGER]);
    $connection->transactional(fn ($c) => $c->update('book', ['price' => 9], ['id' => 1]));
    yield 'keyed' => $connection->fetchAllKeyValue('SELECT id, price FROM book');
    yield 'columns' => array_map(fn ($c) => get_class($c->getType()) . $c->getName(), array_values($connection->createSchemaManager()->listTableColumns('book')));
    $connection->insert('book', ['none' => 1]);
});
section('monolog', function () {
    $logger = new Monolog\Logger('app', [$test = new Monolog\Handler\TestHandler()]);
    $logger->pushProcessor(new Monolog\Processor\PsrLogMessageProcessor());
    $logger->pushHandler($stream = new Monolog\Handler\StreamHandler('php://output', Monolog\Level::Info));
    $stream->setFormatter(new Monolog\Formatter\LineFormatter("%channel%.%level_name%: %message% %context% %extra%\n", allowInlineLineBreaks: true));
    $logger->info('Hello {who}', ['who' => 'world', 'list' => [1, 2.5, null, new ArrayObject([1])]]);
    $logger->error('Failed', ['exception' => new RuntimeException('boom', 3)]);
    yield 'json' => preg_replace('/"datetime":"[^"]*"/', '', (new Monolog\Formatter\JsonFormatter())->format($test->getRecords()[0]));
});
section('small ones', function () {
    yield 'uuid' => Ramsey\Uuid\Uuid::uuid5(Ramsey\Uuid\Uuid::NAMESPACE_URL, 'http://x')->toString() . ' ' . Ramsey\Uuid\Uuid::fromString('01890a5d-ac96-774b-bcce-b302099a8057')->getDateTime()->format('c');
    $inflector = Doctrine\Inflector\InflectorFactory::create()->build();
    yield 'inflector' => [$inflector->pluralize('mouse'), $inflector->singularize('analyses'), $inflector->tableize('FooBarBaz'), $inflector->classify('a_b-c'), $inflector->urlize('Ärger & Öl')];
    $parser = new PhpMyAdmin\SqlParser\Parser("SELECT a.*, COUNT(b) n FROM `t` a LEFT JOIN u ON u.x = a.x WHERE a.y IN (1, 'two') AND NOT z GROUP BY 1 HAVING n > 2 LIMIT 3, 4; UPDATE");
    yield 'sql' => array_map(fn ($s) => $s->build(), $parser->statements) + ['errors' => array_map(fn ($e) => $e->getMessage(), $parser->errors)];
    yield 'format' => PhpMyAdmin\SqlParser\Utils\Formatter::format('select a,b from c where d=1 and (e=2 or f like "x%")', ['type' => 'html']);
    $html = new Masterminds\HTML5();
    yield 'html5' => $html->saveHTML($html->loadHTML('<!doctype html><p>a<p>b &amp; c<table><tr><td>1<svg viewBox="0 0 1 1"/><br>')) . json_encode($html->getErrors());
    yield 'schema' => (new Nette\Schema\Processor())->process(Nette\Schema\Expect::structure(['a' => Nette\Schema\Expect::int()->required()->min(1), 'b' => Nette\Schema\Expect::anyOf('x', 'y')->default('x'), 'c' => Nette\Schema\Expect::listOf('string')]), ['a' => 5, 'c' => ['q']]);
    yield 'dotenv' => Dotenv\Dotenv::parse("A=1\nB=\"x \${A} \\\"q\\\"\" # c\nC='single'\n");
    $csv = League\Csv\Reader::createFromString("a;b\n1;\"x;\"\"y\"\n2;\n")->setDelimiter(';')->setHeaderOffset(0);
    yield 'csv' => iterator_to_array($csv->getRecords());
    $routes = FastRoute\simpleDispatcher(function ($r) { $r->addRoute(['GET', 'POST'], '/user/{id:\d+}[/{name}]', 'user'); $r->get('/', 'home'); });
    yield 'routes' => [$routes->dispatch('GET', '/user/42/x'), $routes->dispatch('PUT', '/user/42'), $routes->dispatch('GET', '/none')];
    $request = (new Nyholm\Psr7\Factory\Psr17Factory())->createRequest('POST', 'http://u:p@host:8080/a b?c=d&e[]=1#f')->withHeader('X-A', ['1', '2']);
    yield 'psr7' => [(string) $request->getUri(), $request->getHeaderLine('x-a'), $request->getHeaders()];
    $copy = (new DeepCopy\DeepCopy())->copy($x = (object) ['a' => new ArrayObject([1]), 'b' => new DateTime('2020-01-01')]);
    yield 'copy' => [$copy == $x, $copy->a === $x->a];
    $validator = new JsonSchema\Validator();
    $data = json_decode('{"n": "x", "l": [1, "2"], "e": "nobody"}');
    $validator->validate($data, json_decode('{"type":"object","properties":{"n":{"type":"integer"},"l":{"items":{"type":"integer"},"maxItems":1},"e":{"format":"email"}},"required":["z"]}'));
    yield 'json schema' => $validator->getErrors();
});
