<?php
// QR codes, telephone numbers, devices, tokens, file systems, doubles, containers, microformats, mail and what else there is.
foreach (['Bacon/BaconQrCode', 'Giggsey/Libphonenumber', 'matomo/device-detector', 'Lcobucci/JWT', 'League/Flysystem', 'Mockery', 'org/bovigo/vfs', 'PhpDi', 'Slim', 'Nyholm/Psr7', 'Opis/Closure', 'Laravel/SerializableClosure',
    'TijsVerkoyen/CssToInlineStyles', 'voku/helper', 'Zumba/JsonSerializer', 'ML/JsonLD', 'Prophecy', 'ProxyManager', 'Brick/VarExporter', 'PhpMyAdmin/MoTranslator', 'Egulias/EmailValidator', 'ezc/Base', 'ezc/ConsoleTools',
    'phpDocumentor/Reflection/DocBlock', 'Twig', 'Twig/Extra/Html', 'Termwind', 'Illuminate'] as $name) {
    if (is_file("/usr/share/php/$name/autoload.php")) {
        require_once "$name/autoload.php";
    } else {
        echo "no $name\n";
    }
}
foreach (['Mf2/Parser.php', 'Mf2/functions.php', 'Net/URL2.php', 'Mail/mime.php', 'Text/Figlet.php', 'JShrink/Minifier.php', 'Gettext/autoloader.php', 'Hamcrest.php', 'fpdf.php'] as $name) {
    if (stream_resolve_include_path($name)) {
        include_once $name;
    }
}
spl_autoload_register(function ($class) {
    $file = '/usr/share/php/' . strtr($class, '\\', '/') . '.php';
    is_file($file) && include_once $file;
});
function section(string $name, callable $run): void
{
    echo "== $name\n";
    try {
        foreach ($run() ?? [] as $key => $value) {
            echo $key, ': ', is_string($value) ? $value : json_encode($value, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
        }
    } catch (Throwable $e) {
        echo get_class($e), ': ', str_replace((string) getmypid(), 'PID', $e->getMessage()), "\n";
    }
}
section('qr', function () {
    foreach (['Hello', str_repeat('0123456789', 20), 'äöü €', 'HTTP://EXAMPLE.ORG/'] as $text) {
        foreach ([BaconQrCode\Common\ErrorCorrectionLevel::L(), BaconQrCode\Common\ErrorCorrectionLevel::H()] as $level) {
            yield $text => "\n" . (new BaconQrCode\Writer(new BaconQrCode\Renderer\PlainTextRenderer()))->writeString($text, 'utf-8', $level);
        }
    }
    $svg = new BaconQrCode\Renderer\ImageRenderer(new BaconQrCode\Renderer\RendererStyle\RendererStyle(200), new BaconQrCode\Renderer\Image\SvgImageBackEnd());
    yield 'svg' => (new BaconQrCode\Writer($svg))->writeString('svg');
    yield 'eps' => md5((new BaconQrCode\Writer(new BaconQrCode\Renderer\ImageRenderer(new BaconQrCode\Renderer\RendererStyle\RendererStyle(100), new BaconQrCode\Renderer\Image\EpsImageBackEnd())))->writeString('eps'));
});
section('phone', function () {
    $util = libphonenumber\PhoneNumberUtil::getInstance();
    foreach ([['044 668 18 00', 'CH'], ['+1 (650) 253-0000', null], ['0049 30 123456', 'DE'], ['+420777123456', null], ['1-800-FLOWERS', 'US'], ['abc', 'US'], ['+44 20 7031 3000 ext. 5', 'GB']] as [$text, $region]) {
        try {
            $number = $util->parse($text, $region);
            yield $text => [$util->isValidNumber($number), $util->getNumberType($number), $util->getRegionCodeForNumber($number), $util->format($number, libphonenumber\PhoneNumberFormat::E164), $util->format($number, libphonenumber\PhoneNumberFormat::INTERNATIONAL), $util->format($number, libphonenumber\PhoneNumberFormat::NATIONAL), $util->format($number, libphonenumber\PhoneNumberFormat::RFC3966)];
        } catch (libphonenumber\NumberParseException $e) {
            yield $text => $e->getMessage();
        }
    }
    yield 'possible' => [$util->isPossibleNumber('123', 'US'), count($util->getSupportedRegions())];
    yield 'match' => $util->isNumberMatch('+41 44 668 1800', '0446681800');
    foreach ($util->findNumbers('Call 650-253-0000 or (044) 668 18 00 now', 'US') as $match) {
        yield 'found' => [$match->start(), $match->rawString()];
    }
    $typing = $util->getAsYouTypeFormatter('US');
    foreach (str_split('6502530000') as $digit) {
        yield $digit => $typing->inputDigit($digit);
    }
});
section('devices', function () {
    foreach ([
        'Mozilla/5.0 (Linux; Android 13; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 Mobile Safari/537.36', 'Mozilla/5.0 (iPhone; CPU iPhone OS 16_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.4 Mobile/15E148 Safari/604.1',
        'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0', 'curl/8.0.1', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 Edg/114.0.1823.51',
    ] as $agent) {
        $detector = new DeviceDetector\DeviceDetector($agent);
        $detector->parse();
        yield substr($agent, 0, 30) => [$detector->isBot(), $detector->getBot(), $detector->getClient(), $detector->getOs(), $detector->getDeviceName(), $detector->getBrandName(), $detector->getModel()];
    }
});
section('tokens', function () {
    $settings = Lcobucci\JWT\Configuration::forSymmetricSigner(new Lcobucci\JWT\Signer\Hmac\Sha256(), Lcobucci\JWT\Signer\Key\InMemory::plainText(str_repeat('k', 32)));
    $now = new DateTimeImmutable('2026-01-02 03:04:05 UTC');
    $token = $settings->builder()->issuedBy('me')->permittedFor('you', 'them')->identifiedBy('1')->issuedAt($now)->expiresAt($now->modify('+1 hour'))->withClaim('n', [1, 'é'])->withHeader('h', true)->getToken($settings->signer(), $settings->signingKey());
    yield 'text' => $token->toString();
    $parsed = $settings->parser()->parse($token->toString());
    yield 'claims' => $parsed->claims()->all();
    yield 'signed' => [$settings->validator()->validate($parsed, new Lcobucci\JWT\Validation\Constraint\SignedWith($settings->signer(), $settings->verificationKey())), $settings->validator()->validate($parsed, new Lcobucci\JWT\Validation\Constraint\IssuedBy('other'))];
    yield 'expired' => [$parsed->isExpired($now), $parsed->isExpired($now->modify('+2 hours'))];
    $settings->validator()->assert($parsed, new Lcobucci\JWT\Validation\Constraint\IssuedBy('x'), new Lcobucci\JWT\Validation\Constraint\RelatedTo('y'));
});
section('files', function () {
    $folder = sys_get_temp_dir() . '/opline-files-' . getmypid();
    $files = new League\Flysystem\Filesystem(new League\Flysystem\Local\LocalFilesystemAdapter($folder));
    $files->write('a/b.txt', 'content');
    $files->writeStream('a/c/d.json', fopen('data:,{"x":1}', 'r'));
    $files->copy('a/b.txt', 'e.txt');
    $files->move('e.txt', 'f.txt');
    $files->setVisibility('f.txt', 'private');
    $all = array_map(fn ($item) => [$item->path(), $item->type(), $item->isFile() ? $item->fileSize() : null, $item->visibility()], $files->listContents('', true)->toArray());
    sort($all);
    yield 'all' => $all;
    yield 'one' => [$files->read('a/b.txt'), $files->fileExists('x'), $files->directoryExists('a/c'), $files->visibility('f.txt'), $files->checksum('f.txt'), $files->fileSize('f.txt')];
    try {
        yield 'outside' => $files->read('../x');
    } catch (Throwable $e) {
        yield 'outside' => get_class($e);
    }
    $files->deleteDirectory('a');
    $files->delete('f.txt');
    yield 'rest' => $files->listContents('')->toArray();
    rmdir($folder);
    $files->read('none');
});
section('mockery', function () {
    $mock = Mockery::mock('Countable, ArrayAccess');
    $mock->shouldReceive('count')->twice()->andReturn(3, 5);
    $mock->shouldReceive('offsetGet')->with(Mockery::on(fn ($key) => $key > 1))->andReturnUsing(fn ($key) => "value $key");
    $mock->shouldReceive('offsetExists')->andReturnTrue();
    yield 'calls' => [count($mock), count($mock), $mock[5], isset($mock['z']), $mock instanceof Countable];
    $partial = Mockery::mock(new class { public function a(int $x = 1, string ...$more): string { return "a$x" . $this->b(); } protected function b(): string { return 'b'; } })->makePartial()->shouldAllowMockingProtectedMethods();
    $partial->shouldReceive('b')->andReturn('B');
    $spy = Mockery::spy(ArrayObject::class);
    $spy->append(1);
    $spy->shouldHaveReceived('append')->with(1)->once();
    yield 'null' => Mockery::mock('Unknown\Thing')->shouldIgnoreMissing()->anything();
    yield 'matchers' => [(string) Mockery::type('int'), (string) Mockery::any(), (string) Mockery::pattern('/a/')];
    try {
        $mock['0'];
    } catch (Throwable $e) {
        yield 'no match' => preg_replace('/Mockery_\d+/', 'Mockery_N', get_class($e) . $e->getMessage());
    }
    Mockery::close();
    $late = Mockery::mock('Iterator');
    $late->expects('next')->never();
    $late->expects('valid');
    Mockery::close();
});
section('prophecy', function () {
    $prophet = new Prophecy\Prophet();
    $prophecy = $prophet->prophesize('SplObjectStorage');
    $prophecy->count(Prophecy\Argument::any())->willReturn(7);
    $prophecy->contains(Prophecy\Argument::type('object'))->will(fn ($args) => $args[0] instanceof stdClass)->shouldBeCalled();
    yield 'calls' => [$prophecy->reveal()->contains(new stdClass()), $prophecy->reveal()->contains(new ArrayObject())];
    $prophet->checkPredictions();
    $other = $prophet->prophesize('ArrayIterator');
    $other->current()->shouldBeCalledTimes(2);
    $other->reveal()->current();
    try {
        $prophet->checkPredictions();
    } catch (Throwable $e) {
        yield 'failed' => preg_replace('/P\d+|#\w+|\d{9,}/', 'N', $e->getMessage());
    }
});
section('vfs', function () {
    $root = org\bovigo\vfs\vfsStream::setup('root', 0755, ['a' => ['b.txt' => 'text', 'c' => []], 'd.php' => '<?php return 5;']);
    yield 'read' => [file_get_contents('vfs://root/a/b.txt'), include 'vfs://root/d.php', is_dir('vfs://root/a/c'), is_writable('vfs://root/a')];
    file_put_contents('vfs://root/a/new', "l1\nl2\n");
    file_put_contents('vfs://root/a/new', 'l3', FILE_APPEND | LOCK_EX);
    yield 'lines' => file('vfs://root/a/new', FILE_IGNORE_NEW_LINES);
    yield 'moved' => [rename('vfs://root/a/new', 'vfs://root/moved'), unlink('vfs://root/a/b.txt'), mkdir('vfs://root/x/y/z', 0700, true), rmdir('vfs://root/x/y/z'), @rmdir('vfs://root/x'), touch('vfs://root/moved', 1000), filemtime('vfs://root/moved'), chmod('vfs://root/moved', 0400), decoct(fileperms('vfs://root/moved'))];
    yield 'tree' => org\bovigo\vfs\vfsStream::inspect(new org\bovigo\vfs\visitor\vfsStreamStructureVisitor())->getStructure();
    $file = fopen('vfs://root/moved', 'r+');
    yield 'handle' => [fseek($file, -2, SEEK_END), fread($file, 5), feof($file), ftell($file), ftruncate($file, 3), fstat($file)['size'], flock($file, LOCK_EX)];
    yield 'listed' => [scandir('vfs://root'), iterator_count(new RecursiveIteratorIterator(new RecursiveDirectoryIterator('vfs://root', FilesystemIterator::SKIP_DOTS), 1))];
    org\bovigo\vfs\vfsStream::newFile('full')->withContent('12345')->at($root);
    org\bovigo\vfs\vfsStream::setQuota(60);
    yield 'quota' => @file_put_contents('vfs://root/big', str_repeat('x', 100));
    yield 'missing' => @file_get_contents('vfs://root/none');
});
interface Engine { public function start(): string; }
class Diesel implements Engine { public function __construct(private string $name = 'd') {} public function start(): string { return "brum $this->name"; } }
class Seat { public function __construct(public readonly Engine $engine) {} }
class Car { public function __construct(public readonly Engine $engine, private ?Car $spare = null) {} public function go(int $n, Engine $e): string { return $this->engine->start() . $n . $e->start(); } }
section('di', function () {
    $builder = new DI\ContainerBuilder();
    $builder->addDefinitions([Engine::class => DI\autowire(Diesel::class)->constructorParameter('name', DI\get('name')), 'name' => 'x', 'list' => DI\add([1]), 'made' => DI\factory(fn (Psr\Container\ContainerInterface $c, string $entry = 'e') => $c->get('name') . $entry)->parameter('entry', 'q'), 'env' => DI\env('NONE', 'default'), 'text' => DI\string('{name}-{made}'), 'decorated' => DI\value(fn () => 1)]);
    $container = $builder->build();
    yield 'car' => [$container->get(Car::class)->engine->start(), $container->call([Car::class, 'go'], ['n' => 3]), $container->get('text'), $container->get('env'), $container->has('none'), $container->make(Car::class) === $container->get(Car::class)];
    $container->get('missing');
});
section('slim', function () {
    $app = new Slim\App(['settings' => ['displayErrorDetails' => false, 'determineRouteBeforeAppMiddleware' => true]]);
    $app->get('/hello/{name:[a-z]+}[/{n}]', fn ($request, $response, array $arguments) => $response->withJson($arguments + $request->getQueryParams()))
        ->setName('hello')->add(fn ($request, $response, $next) => $next($request->withAttribute('x', 1), $response)->withHeader('X-Middle', 'yes'));
    $app->group('/api', function () {
        $this->post('/items', fn ($request, $response) => $response->withStatus(201)->write(json_encode($request->getParsedBody())));
        $this->get('/fail', fn () => throw new DomainException('no'));
    });
    foreach (['GET /hello/bob/5?q=1', 'GET /hello/B', 'POST /api/items', 'GET /api/items', 'GET /api/fail'] as $line) {
        [$method, $url] = explode(' ', $line);
        $request = Slim\Http\Request::createFromEnvironment(Slim\Http\Environment::mock(['REQUEST_METHOD' => $method, 'REQUEST_URI' => $url, 'QUERY_STRING' => parse_url($url, PHP_URL_QUERY) ?? '', 'CONTENT_TYPE' => 'application/json']));
        $request->getBody()->write('{"a":[1]}');
        $answer = $app->process($request, new Slim\Http\Response());
        yield $line => [$answer->getStatusCode(), $answer->getHeaders(), (string) $answer->getBody()];
    }
    yield 'url' => $app->getContainer()->get('router')->pathFor('hello', ['name' => 'z', 'n' => '1'], ['a' => 'b c']);
});
section('closures', function () {
    $factor = 3;
    $closure = function (int $x, ...$more) use ($factor): int { static $calls = 0; return $x * $factor + ++$calls + count($more); };
    $copy = unserialize(serialize(new Laravel\SerializableClosure\SerializableClosure($closure)))->getClosure();
    yield 'laravel' => [$copy(2), $copy(2, 1, 1)];
    $short = unserialize(serialize(new Laravel\SerializableClosure\SerializableClosure(fn ($x) => array_map(fn ($y) => $y + $x * $factor, [1, 2]))));
    yield 'short' => $short(5);
    Laravel\SerializableClosure\SerializableClosure::setSecretKey('secret');
    yield 'signed' => unserialize(serialize(new Laravel\SerializableClosure\SerializableClosure(fn (string $s) => strlen($s))))('four');
    yield 'opis' => Opis\Closure\unserialize(Opis\Closure\serialize(['f' => $closure, 'o' => (object) ['a' => 1]]))['f'](4);
});
section('css', function () {
    $inliner = new TijsVerkoyen\CssToInlineStyles\CssToInlineStyles();
    yield 'html' => $inliner->convert('<html><head><style>p.a{color:red;margin:0 !important} div > p:first-child{font:12px x} a[href^="h"]{x:y} @media print{p{z:1}}</style></head><body><div><p class="a" style="color:blue">é<a href="h">l</a></p><p>2</p></div></body></html>', 'p{padding:1px}');
});
section('ascii', function () {
    yield 'ascii' => [voku\helper\ASCII::to_ascii('Ünïcödé Straße Žluťoučký 東京 Москва αβγ'), voku\helper\ASCII::to_ascii('Größe', 'de'), voku\helper\ASCII::to_slugify('Hello Wörld! & Co'), voku\helper\ASCII::is_ascii('é'), voku\helper\ASCII::to_transliterate('déjà vu', '?'), voku\helper\ASCII::clean("“x”\u{a0}…"), voku\helper\ASCII::normalize_msword('„a“'), voku\helper\ASCII::to_filename('a b/ç?.txt')];
});
section('serializer', function () {
    $serializer = new Zumba\JsonSerializer\JsonSerializer();
    $object = new ArrayObject(['a' => 1]);
    $shape = (object) ['date' => new DateTime('2026-01-01 UTC'), 'self' => null, 'list' => [1, 1.5, null, 'é'], 'same' => $shared = new stdClass(), 'again' => $shared];
    $shape->self = $shape;
    $text = $serializer->serialize($shape);
    yield 'json' => $text;
    $back = $serializer->unserialize($text);
    yield 'back' => [$back->self === $back, $back->same === $back->again, $back->date->format('c')];
});
section('jsonld', function () {
    $document = '{"@context": {"name": "http://schema.org/name", "knows": {"@id": "http://schema.org/knows", "@type": "@id"}}, "@id": "http://a.b/", "name": "X", "knows": ["http://c.d/", {"@id": "_:b", "name": {"@value": "Y", "@language": "de"}}]}';
    yield 'expanded' => ML\JsonLD\JsonLD::expand($document);
    yield 'flat' => ML\JsonLD\JsonLD::flatten($document);
    yield 'compact' => ML\JsonLD\JsonLD::compact($document, '{"n": "http://schema.org/name"}');
    yield 'quads' => (new ML\JsonLD\NQuads())->serialize(ML\JsonLD\JsonLD::toRdf($document));
    yield 'iri' => [(string) (new ML\IRI\IRI('http://a/b/c/d;p?q'))->resolve('../g;x?y#s'), (string) (new ML\IRI\IRI('http://a/b/c'))->relativeTo('http://a/b/e/f')];
});
section('proxies', function () {
    $factory = new ProxyManager\Factory\LazyLoadingValueHolderFactory();
    $proxy = $factory->createProxy(Diesel::class, function (&$wrapped, $proxy, $method, $parameters, &$initializer) {
        $initializer = null;
        $wrapped = new Diesel('lazy');
        echo "made for $method\n";
        return true;
    });
    yield 'lazy' => [$proxy instanceof Diesel, $proxy->start()];
    $intercepted = (new ProxyManager\Factory\AccessInterceptorValueHolderFactory())->createProxy(new Diesel('i'), ['start' => function () { echo "before\n"; }], ['start' => function ($p, $i, $m, $params, $value, &$early) { $early = true; return "$value!"; }]);
    yield 'intercepted' => $intercepted->start();
    $null = (new ProxyManager\Factory\NullObjectFactory())->createProxy('Countable');
    yield 'null' => (fn () => $null->count())();
});
section('exporter', function () {
    yield 'values' => Brick\VarExporter\VarExporter::export(['a' => [1, 2.0, null, true, "x'y\n"], 'o' => (object) ['p' => 1], 'd' => new Diesel('e'), 'f' => fn (int $x = PHP_INT_MAX) => $x + 1], Brick\VarExporter\VarExporter::ADD_RETURN | Brick\VarExporter\VarExporter::TRAILING_COMMA_IN_ARRAY);
});
section('translations', function () {
    $file = tempnam('/tmp', 'mo');
    $texts = ['' => "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;\n", "file\0files" => "soubor\0soubory\0souborů", 'yes' => 'ano', "menu\4Open" => 'Otevřít'];
    ksort($texts, SORT_STRING);
    [$ids, $values, $table, $others] = ['', '', '', ''];
    $start = 28 + 16 * count($texts);
    foreach ($texts as $id => $value) { $table .= pack('VV', strlen($id), $start + strlen($ids)); $ids .= "$id\0"; }
    foreach ($texts as $value) { $others .= pack('VV', strlen($value), $start + strlen($ids) + strlen($values)); $values .= "$value\0"; }
    file_put_contents($file, pack('V7', 0x950412de, 0, count($texts), 28, 28 + 8 * count($texts), 0, 0) . $table . $others . $ids . $values);
    $translator = new PhpMyAdmin\MoTranslator\Translator($file);
    yield 'texts' => [$translator->gettext('yes'), $translator->gettext('no'), $translator->pgettext('menu', 'Open'), array_map(fn ($n) => $translator->ngettext('file', 'files', $n), [0, 1, 3, 5, 22])];
    unlink($file);
});
section('addresses', function () {
    $validator = new Egulias\EmailValidator\EmailValidator();
    foreach (['a@b.cz', 'a b@c.d', '"a b"@c.d', 'ä@ö.de', 'a@[127.0.0.1]', 'a@b', 'a..b@c.d', 'a(comment)@b.cz', '@b.cz', str_repeat('a', 70) . '@b.cz'] as $address) {
        $valid = $validator->isValid($address, new Egulias\EmailValidator\Validation\RFCValidation());
        yield $address => [$valid, $validator->getError()?->description(), array_map(fn ($w) => $w->message(), array_values($validator->getWarnings()))];
    }
});
section('console', function () {
    $input = new ezcConsoleInput();
    $input->registerOption(new ezcConsoleOption('h', 'help', ezcConsoleInput::TYPE_NONE));
    $input->registerOption(new ezcConsoleOption('n', 'number', ezcConsoleInput::TYPE_INT, 5, true, 'A number', 'Longer text of it'));
    $input->argumentDefinition = new ezcConsoleArguments();
    $input->argumentDefinition[0] = new ezcConsoleArgument('file');
    $input->process(['x', '-n', '3', '--', 'some.txt']);
    yield 'input' => [$input->getOption('n')->value, $input->argumentDefinition['file']->value, $input->getSynopsis(), $input->getHelpText('About.')];
    $table = new ezcConsoleTable(new ezcConsoleOutput(), 40);
    $table[0][0]->content = 'Head';
    $table[0][1]->content = 'Änother';
    $table[1][0]->content = 'a longer text that must be broken into lines';
    $table[1][1]->align = ezcConsoleTable::ALIGN_RIGHT;
    $table[1][1]->content = '1';
    $table->outputTable();
    $input->process(['x', '--none']);
});
section('docblocks', function () {
    $block = phpDocumentor\Reflection\DocBlockFactory::createInstance()->create("/**\n * Summary here.\n *\n * Description with {@see Car} inline.\n *\n * @param array<int, ?Car>|string \$x what it is\n * @return \\Generator<int, static>\n * @throws RuntimeException|LogicException if bad\n * @template T of object\n * @deprecated 2.0 no\n */");
    yield 'texts' => [$block->getSummary(), (string) $block->getDescription(), array_map('strval', $block->getTags()), array_map(fn ($t) => $t->getName(), $block->getTags())];
    yield 'type' => array_map(fn ($t) => get_class((new phpDocumentor\Reflection\TypeResolver())->resolve($t)), ['int[]', '?string', 'array{a: int}', 'callable(int): bool', 'int|null', 'class-string<Car>', 'non-empty-list<int>', "'x'"]);
});
section('microformats', function () {
    yield 'parsed' => Mf2\parse('<div class="h-card"><a class="p-name u-url" href="/me">Me</a><img class="u-photo" src="p.png" alt="x"><time class="dt-bday" datetime="2000-01-02">d</time><p class="e-note">A <b>note</b></p></div><a rel="me nofollow" href="http://x.y">z</a>', 'http://a.b/c');
});
section('mail', function () {
    $mime = new Mail_mime(['eol' => "\n", 'head_charset' => 'UTF-8', 'text_charset' => 'UTF-8', 'html_charset' => 'UTF-8']);
    $mime->setTXTBody('Täxt');
    $mime->setHTMLBody('<b>Größe</b><img src="i.png">');
    $mime->addHTMLImage('PNG', 'image/png', 'i.png', false, 'cid1');
    $mime->addAttachment('data', 'text/plain', 'ä.txt', false, 'base64', 'attachment', 'UTF-8');
    $mime->setSubject('Grüße ' . str_repeat('lang ', 20));
    $mime->setFrom('Jürgen <j@x.y>');
    $body = $mime->get();
    yield 'mail' => preg_replace('/=_[0-9a-f]+|cid1%40[^"]*|=_\w+/', 'BOUNDARY', $mime->txtHeaders() . "\n" . $body);
    $url = new Net_URL2('http://user@a.b:80/x/./y/../z?q[]=1&q[]=2#f');
    yield 'url' => [(string) $url->resolve('../k?x#y'), $url->getNormalizedURL(), $url->getQueryVariables(), $url->getPort()];
});
section('figlet', function () {
    $figlet = new Text_Figlet();
    foreach (glob('/usr/share/php/data/Text_Figlet/fonts/*.flf') ?: [] as $font) {
        $figlet->loadFont($font);
        yield basename($font) => "\n" . $figlet->lineEcho('Opline 8');
    }
});
section('minified', function () {
    yield 'js' => JShrink\Minifier::minify("/* c */ var a = 1 + +b; // x\nfunction f ( x ) {\n  return x ? /re[/]\\/x/g.test(x) : `t \${ a + 1 }  s`;\n}\n/*! keep */ if (a) { b() } else { 'str  ing' }", ['flaggedComments' => true]);
});
section('illuminate', function () {
    yield 'str' => [Illuminate\Support\Str::slug('Ünï cödé'), Illuminate\Support\Str::plural('child'), Illuminate\Support\Str::headline('some_thingGood'), Illuminate\Support\Str::mask('secret', '*', 2), Illuminate\Support\Str::of('a b')->camel()->append('!')->toString(), Illuminate\Support\Str::excerpt('This is my name', 'my', ['radius' => 3]), Illuminate\Support\Str::wordCount('one two'), Illuminate\Support\Str::isUlid('x'), Illuminate\Support\Str::transliterate('ⓣⓔⓢⓣ')];
    $collection = collect([['n' => 'a', 'v' => 3], ['n' => 'b', 'v' => 1], ['n' => 'a', 'v' => 5]]);
    yield 'collection' => [$collection->groupBy('n')->map->sum('v'), $collection->sortBy('v')->pluck('v', 'n'), $collection->partition(fn ($x) => $x['v'] > 2), $collection->reduce(fn ($c, $x) => $c + $x['v'], 0), $collection->chunk(2), $collection->keyBy('v')->keys(), $collection->median('v'), collect([1, [2, [3]]])->flatten(), collect(range(1, 9))->sliding(3, 2), collect('abc')->zip(['d'])];
    yield 'lazy' => Illuminate\Support\LazyCollection::make(function () { $i = 0; while (true) { yield $i++; } })->filter(fn ($x) => $x % 3 === 0)->map(fn ($x) => $x * 2)->take(4)->all();
    yield 'array' => [Illuminate\Support\Arr::dot(['a' => ['b' => 1, 'c' => [2]]]), Illuminate\Support\Arr::undot(['a.b' => 1]), data_get(['a' => [['b' => 1], ['b' => 2]]], 'a.*.b')];
    $container = new Illuminate\Container\Container();
    $container->bind(Engine::class, Diesel::class);
    $container->extend(Engine::class, fn ($e) => new Diesel('extended'));
    yield 'container' => $container->make(Seat::class)->engine->start();
    $capsule = new Illuminate\Database\Capsule\Manager();
    $capsule->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
    $capsule->setAsGlobal();
    $capsule->schema()->create('users', function ($table) { $table->id(); $table->string('name')->unique(); $table->json('data')->nullable(); $table->timestamps(); });
    $capsule->table('users')->insert([['name' => 'x', 'data' => '{"a":1}'], ['name' => 'y', 'data' => null]]);
    yield 'query' => [$capsule->table('users')->where('name', 'x')->orWhereNull('data')->orderByDesc('id')->get(['id', 'name']), $capsule->table('users')->whereIn('id', [1, 2])->toSql(), $capsule->table('users')->where('data->a', 1)->value('name'), $capsule->table('users')->paginate(1)->total()];
    $validator = (new Illuminate\Validation\Factory(new Illuminate\Translation\Translator(new Illuminate\Translation\ArrayLoader(), 'en')))->make(['a' => 'x', 'e' => 'bad', 'l' => [1, 'q'], 'd' => '2026-13-01', 'u' => 'http://x.y'], ['a' => 'required|integer|between:1,3', 'e' => 'email', 'l.*' => 'integer', 'd' => 'date', 'u' => 'url', 'm' => 'required_with:a', 'p' => 'nullable|confirmed']);
    yield 'validation' => [$validator->fails(), $validator->errors()->toArray()];
});
section('html', function () {
    $twig = new Twig\Environment(new Twig\Loader\ArrayLoader(['p' => '<p class="{{ html_classes("a", {b: true, c: false}) }}">{{ "x"|data_uri(mime: "text/plain") }}</p>']));
    $twig->addExtension(new Twig\Extra\Html\HtmlExtension());
    yield 'page' => $twig->render('p');
});
section('hamcrest', function () {
    Hamcrest\Util::registerGlobalFunctions();
    foreach ([[5, both(greaterThan(1))->andAlso(lessThan(4))], [[1, 2], hasItemInArray(3)], ['abc', startsWith('b')], [null, not(nullValue())], [new ArrayObject(), anInstanceOf('Countable')], ['<a><b/></a>', hasXPath('a/c')]] as [$value, $matcher]) {
        try {
            assertThat($value, $matcher);
            yield 'fits' => (string) $matcher;
        } catch (Throwable $e) {
            yield 'differs' => $e->getMessage();
        }
    }
});
section('termwind', function () {
    $output = new Symfony\Component\Console\Output\BufferedOutput(decorated: true);
    Termwind\renderUsing($output);
    Termwind\render('<div class="p-1 bg-blue-500 font-bold"><span class="text-red">x</span><ul><li>1</li></ul><table><tr><th>H</th><td>é</td></tr></table></div>');
    yield 'ansi' => $output->fetch();
});
