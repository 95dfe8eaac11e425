<?php
// DokuWiki behind the engine's own web server: pages, forms that are sent, an account, files, a feed, calls by XML-RPC.
$data = '/var/lib/dokuwiki/data';
foreach (['cache', 'index', 'locks', 'meta', 'media/wiki', 'media_attic', 'media_meta', 'attic', 'tmp', 'log', 'pages/wiki'] as $name) {
    @mkdir("$data/$name", recursive: true);
}
file_put_contents("$data/pages/start.txt", <<<'PAGE'
====== Head ======
Some **bold** //it// ''mono'' [[wiki:syntax|link]] [[http://x.org]] ((note))
  * a
    - b
^ A ^ B ^
| 1 | {{wiki:x.png?100}} |
<code php>
<?php echo 1; // c
</code>
===== Sub =====
> quote
----
:-) -> (c) "quotes" http://auto.link FIXME
~~NOCACHE~~
PAGE);
touch("$data/pages/start.txt", strtotime('2020-01-01'));
$image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
file_put_contents("$data/media/wiki/dot.png", base64_decode($image));
touch("$data/media/wiki/dot.png", strtotime('2020-01-01'));
foreach (['meta/_htcookiesalt', 'meta/_htcookiesalt2', 'cache/_uid'] as $name) {
    file_put_contents("$data/$name", 'fixed');
}
$settings = '<?php $conf["useacl"] = 1; $conf["superuser"] = "@admin"; $conf["title"] = "A wiki"; $conf["remote"] = 1; $conf["remoteuser"] = ""; $conf["disableactions"] = "";';
file_put_contents('/etc/dokuwiki/local.php', $settings);
file_put_contents('/var/lib/dokuwiki/acl/users.auth.php', "# users\nboss:" . password_hash('secret', PASSWORD_BCRYPT, ['cost' => 4]) . ":The Boss:boss@example.org:admin,user\n");
file_put_contents('/var/lib/dokuwiki/acl/acl.auth.php', "*\t@ALL\t8\n");

$probe = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($probe, false), ':'), 1);
fclose($probe);
$command = [getenv('ENGINE'), '-n', '-d', 'memory_limit=512M', '-d', 'date.timezone=UTC', '-d', 'error_reporting=24575', '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'include_path=/usr/share/php', '-d', 'session.save_path=/tmp'];
if (ini_get('opline.jit')) {
    array_push($command, '-d', 'opline.jit=' . ini_get('opline.jit'));
}
$log = tempnam('/tmp', 'wiki');
$server = proc_open([...$command, '-S', "127.0.0.1:$port", '-t', '/usr/share/dokuwiki'], [1 => ['file', $log, 'w'], 2 => ['redirect', 1]], $pipes, '/usr/share/dokuwiki');
register_shutdown_function(function () use ($server, $log) {
    proc_terminate($server);
    proc_close($server);
    unlink($log);
});
for ($try = 0; $try < 200 && !($socket = @fsockopen('127.0.0.1', $port)); $try++) {
    usleep(50_000);
}
$cookies = [];
function request(string $url, ?string $body = null, string $kind = 'application/x-www-form-urlencoded'): string
{
    global $port, $cookies;
    $socket = fsockopen('127.0.0.1', $port, timeout: 60);
    stream_set_timeout($socket, 60);
    $head = ($body === null ? 'GET' : 'POST') . " /$url HTTP/1.0\r\nHost: localhost\r\nUser-Agent: test\r\n";
    if ($cookies) {
        $head .= 'Cookie: ' . http_build_query($cookies, '', '; ') . "\r\n";
    }
    if ($body !== null) {
        $head .= "Content-Type: $kind\r\nContent-Length: " . strlen($body) . "\r\n";
    }
    fwrite($socket, "$head\r\n$body");
    $answer = stream_get_contents($socket);
    preg_match_all('/^Set-Cookie: ([^=]+)=([^;\r\n]*)/mi', strstr($answer, "\r\n\r\n", true), $set, PREG_SET_ORDER);
    foreach ($set as [, $name, $value]) {
        $cookies[urldecode($name)] = urldecode($value);
        if ($value === 'deleted') {
            unset($cookies[urldecode($name)]);
        }
    }
    return $answer;
}
function show(string $url, string $answer): void
{
    global $port;
    echo "== $url\n", preg_replace([
        '/^(Date|Expires|Last-Modified|Set-Cookie|X-Powered-By|ETag|Content-Length|Server|Host|Connection):.*\r\n/mi', '/tok=[0-9a-f]{6,}/', '/[0-9a-f]{32}/', '/tseed=[0-9a-z]+/',
        '/sectok" value="[^"]*/', '/\b1[0-9]{9}\b/', '/20[0-9]{2}[-\\\\\/]+[0-9]{2}[-\\\\\/]+[0-9]{2}.[0-9]{2}:[0-9]{2}(:[0-9]{2})?/', '/\w{3}, \d\d \w{3} 20\d\d [\d:]{8} \+0000/', '/20\d{6}T[\d:]{8}/', '/eyJ[\w.\/+=-]+/',
    ], ['', 'TOK', 'HASH', 'SEED', 'sectok', 'TIME', 'WHEN', 'WHEN', 'WHEN', 'TOKEN'], str_replace((string) $port, 'PORT', $answer)), "\n";
}
$pages = [
    'doku.php', 'doku.php?id=start&do=export_xhtml', 'doku.php?id=start&do=edit', 'doku.php?id=start&do=index', 'doku.php?do=search&q=bold&id=start', 'doku.php?id=start&do=revisions',
    'doku.php?id=start&do=recent', 'doku.php?id=none', 'doku.php?do=login', 'feed.php', 'lib/exe/css.php', 'lib/exe/js.php', 'lib/exe/fetch.php?media=wiki:dot.png', 'lib/exe/detail.php?media=wiki:dot.png',
    'lib/exe/fetch.php?media=wiki:none.png', 'doku.php?do=media', 'doku.php?id=start&do=export_raw', 'lib/exe/indexer.php?id=start', 'lib/exe/opensearch.php', 'lib/tpl/dokuwiki/images/favicon.ico', 'doku.php?do=admin',
    'doku.php?id=start&do=backlink', 'lib/exe/ajax.php?call=qsearch&q=sta', 'lib/exe/ajax.php?call=linkwiz&q=s', 'lib/exe/xmlrpc.php', 'lib/exe/jsonrpc.php', 'lib/exe/none.php', 'doku.php?do=register', 'doku.php?do=resendpwd', 'doku.php?id=start&do=diff', 'doku.php?id=a:b&do=edit&rev=5',
];
foreach ($pages as $url) {
    show($url, request($url));
}
// What is sent carries the token of a form.
function send(string $url, array $fields): void
{
    $form = request('doku.php?id=start&do=edit');
    preg_match('/name="sectok" value="([^"]*)"/', $form, $token);
    show("POST $url " . implode(',', array_keys($fields)), request($url, http_build_query($fields + ['sectok' => $token[1] ?? ''])));
}
send('doku.php', ['do' => 'login', 'u' => 'boss', 'p' => 'wrong', 'id' => 'start']);
send('doku.php', ['do' => 'login', 'u' => 'boss', 'p' => 'secret', 'id' => 'start']);
show('doku.php?do=profile', request('doku.php?do=profile'));
send('doku.php', ['do[preview]' => '1', 'id' => 'new:page', 'wikitext' => "====== Új ======\n**text** {{:wiki:dot.png}}\n", 'summary' => 's', 'prefix' => '.', 'suffix' => '', 'changecheck' => '']);
send('doku.php', ['do[save]' => '1', 'id' => 'new:page', 'wikitext' => "====== Új ======\n**text** {{:wiki:dot.png}}\n", 'summary' => 'first', 'prefix' => '.', 'suffix' => '']);
foreach (['doku.php?id=new:page', 'doku.php?id=new:page&do=revisions', 'doku.php?do=admin', 'doku.php?do=admin&page=usermanager', 'doku.php?do=admin&page=acl', 'doku.php?do=admin&page=config', 'doku.php?do=media&ns=wiki'] as $url) {
    show($url, request($url));
}
function call(string $method, string $parameters): void
{
    $answer = request('lib/exe/xmlrpc.php', "<?xml version=\"1.0\"?><methodCall><methodName>$method</methodName><params>$parameters</params></methodCall>", 'text/xml');
    show("xmlrpc $method", $answer);
}
call('wiki.getPage', '<param><value><string>start</string></value></param>');
call('wiki.getAllPages', '');
call('dokuwiki.getTitle', '');
call('wiki.none', '');
call('system.listMethods', '');
show('jsonrpc', request('lib/exe/jsonrpc.php/core.getWikiTitle', '{}', 'application/json'));
$boundary = 'xxBoundaryxx';
$upload = "--$boundary\r\nContent-Disposition: form-data; name=\"qqfile\"; filename=\"dot2.png\"\r\nContent-Type: image/png\r\n\r\n" . base64_decode($image) . "\r\n--$boundary\r\nContent-Disposition: form-data; name=\"call\"\r\n\r\nmediaupload\r\n--$boundary--\r\n";
show('upload', request('lib/exe/ajax.php', $upload, "multipart/form-data; boundary=$boundary"));
show('doku.php?do=logout', request('doku.php?do=logout&id=start'));
