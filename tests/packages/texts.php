<?php
// Symfony's strings (by graphemes and normal forms), Guzzle's messages and a mocked client, Composer's versions, TCPDF.
foreach (['Symfony/Component/String', 'GuzzleHttp', 'GuzzleHttp/Psr7', 'GuzzleHttp/UriTemplate', 'Composer/Semver', 'League/Uri'] as $name) {
    require "$name/autoload.php";
}
use function Symfony\Component\String\u;
use Composer\Semver\{Semver, VersionParser};
use GuzzleHttp\{Client, Handler\MockHandler, HandlerStack, Middleware};
use GuzzleHttp\Psr7\{Message, Response, UriNormalizer, UriResolver, Utils};
use Symfony\Component\String\{ByteString, CodePointString, Inflector\EnglishInflector, Slugger\AsciiSlugger, UnicodeString};

function show(string $name, callable $run): void
{
    try {
        $value = json_encode($run(), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PARTIAL_OUTPUT_ON_ERROR);
    } catch (Throwable $error) {
        $value = get_class($error) . ': ' . $error->getMessage();
    }
    echo $name, ': ', $value, "\n";
}

$text = u("Hé\u{301}llo Wörld 👨‍👩‍👧 foo_barBaz");
show('case', fn () => array_map('strval', [$text->upper(), $text->camel(), $text->snake(), $text->title(true), $text->folded()]));
show('parts', fn () => array_map('strval', [...$text->chunk(7), ...$text->split(' '), $text->reverse(), $text->slice(1, 4), $text->truncate(9, '…')]));
show('places', fn () => [$text->length(), $text->width(), $text->indexOf('Wö'), $text->indexOfLast('o'), $text->ignoreCase()->indexOf('wÖRLD'), $text->codePointsAt(1)]);
show('changed', fn () => array_map('strval', [$text->ascii(), $text->padBoth(40, '*'), $text->replace('ö', 'oe'), $text->normalize(UnicodeString::NFKD), $text->wordwrap(5, "\n", true)]));
show('other strings', fn () => [(string) (new CodePointString("e\u{301}x"))->reverse(), (new ByteString("\xff"))->isUtf8(), (string) (new ByteString("\xe9"))->toUnicodeString('ISO-8859-1')]);
show('slugs', fn () => array_map(fn ($text) => (string) (new AsciiSlugger('en'))->slug($text), ['Hello World', 'a & b @ c', 'x   y--z']));
show('words', fn () => array_map(fn ($word) => [(new EnglishInflector())->singularize($word), (new EnglishInflector())->pluralize($word)], ['mice', 'news', 'boxes', 'child', 'criteria']));
show('invalid', fn () => new UnicodeString("\xff"));
show('client', function () {
    $sent = [];
    $stack = HandlerStack::create(new MockHandler([new Response(200, [], 'body'), new Response(302, ['Location' => '/next']), new Response(200, [], '{"a":1}'), new Response(500, [], 'error')]));
    $stack->push(Middleware::history($sent));
    $client = new Client(['handler' => $stack, 'base_uri' => 'http://example.com/a/', 'headers' => ['User-Agent' => 'test']]);
    $result = [(string) $client->get('b?x=1')->getBody(), (string) $client->post('c', ['json' => ['k' => 'v'], 'query' => ['q' => [1, 2]]])->getBody()];
    try {
        $client->request('PUT', 'd', ['form_params' => ['a' => 'b c'], 'auth' => ['u', 'p']]);
    } catch (Exception $error) {
        $result[] = $error->getMessage();
    }
    return [...$result, ...array_map(fn ($exchange) => Message::toString($exchange['request']), $sent)];
});
show('addresses', fn () => [
    (string) UriResolver::resolve(Utils::uriFor('http://a/b/c/d;p?q'), Utils::uriFor('../../../g?y#z')),
    (string) UriNormalizer::normalize(Utils::uriFor('HTTP://ex.com:80/%7ea/../b?b=1&a=2'), 255),
    GuzzleHttp\UriTemplate\UriTemplate::expand('{/a,b}{?c*}{&d}{#e:3}', ['a' => 'x', 'b' => 'é', 'c' => ['k' => 1], 'd' => [1, 2], 'e' => 'abcdef']),
    (string) League\Uri\Uri::new('http://üser:p@bücher.example:80/a/../b?q=1 2#f'), (string) League\Uri\Http::new('https://faß.de/ä'),
    // Deprecated by an attribute, which is a deprecation of user code.
    League\Uri\Uri::new('HTTP://A.b')->getComponents(),
]);
foreach (['1.0.0-beta2', 'dev-master', 'v2.3.x-dev', '1.2.3-RC.1+build', 'bad..v', '2010.1.555'] as $version) {
    show($version, fn () => (new VersionParser())->normalize($version));
}
foreach (['^1.2 || ~3.0.1', '>=1 <2,!=1.5', '1.0 - 2.0', '~2.1@beta', 'dev-x#abc'] as $constraint) {
    show($constraint, fn () => [(string) (new VersionParser())->parseConstraints($constraint), Semver::satisfiedBy(['1.0.0', '1.2.5', '1.5.0', '3.0.5'], $constraint)]);
}
require 'tcpdf/tcpdf.php';
show('document', function () {
    // The mask of a QR code is drawn by chance.
    mt_srand(5);
    $document = new TCPDF('P', 'mm', 'A4', true, 'UTF-8');
    $document->setDocCreationTimestamp(1600000000);
    $document->setDocModificationTimestamp(1600000000);
    $document->SetCompression(false);
    $document->SetFont('helvetica', '', 11);
    $document->AddPage();
    $document->writeHTML('<h1>Head</h1><p style="color:#f00;text-align:justify">Some <b>bold</b> ' . str_repeat('Lorem ipsum dolor ', 30) . '</p><table border="1"><tr><td>1</td><td>2</td></tr></table>');
    $document->write1DBarcode('CODE 39', 'C39', '', '', 80, 20);
    $document->write2DBarcode('http://example.com', 'QRCODE,H', '', '', 30, 30);
    // Its numbers are made of the time.
    return preg_replace(['/\/ID \[.*?\]/', '/uuid:[0-9a-f-]+/', '/\(D:\d+[^)]*\)/', '/\d{4}-\d\d-\d\dT[^<]*/'], '#', iconv('ISO-8859-1', 'UTF-8', $document->Output('x.pdf', 'S')));
});
