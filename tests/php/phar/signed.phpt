--TEST--
phar: signatures by keys
--INI--
phar.readonly=0
--FILE--
<?php
$key = openssl_pkey_new(['private_key_bits' => 1024]);
openssl_pkey_export($key, $private);
$public = openssl_pkey_get_details($key)['key'];
function told(callable $what) { try { var_dump($what()); } catch (Exception $e) { echo get_class($e), ': ', str_replace(getcwd() . '/', '', $e->getMessage()), "\n"; } }
foreach (['s.phar', 's.phar.tar', 's.phar.zip'] as $name) {
    $phar = new Phar($name);
    $phar['a.txt'] = 'a';
    told(fn() => $phar->setSignatureAlgorithm(Phar::OPENSSL));
    told(fn() => $phar->setSignatureAlgorithm(Phar::OPENSSL_SHA256, 'no key'));
    foreach ([Phar::OPENSSL, Phar::OPENSSL_SHA256, Phar::OPENSSL_SHA512] as $algorithm) {
        told(fn() => $phar->setSignatureAlgorithm($algorithm, $private));
        $signature = $phar->getSignature();
        echo $signature['hash_type'], ' ', strlen($signature['hash']), "\n";
    }
    $phar['b.txt'] = 'b';
    unset($phar);
    foreach (['none', 'right', 'wrong', 'broken'] as $case) {
        $bytes = file_get_contents($name);
        if ($case === 'broken') $bytes = str_replace('a.txt', 'c.txt', $bytes);
        file_put_contents("$case-$name", $bytes);
        if ($case !== 'none') file_put_contents("$case-$name.pubkey", $case === 'wrong' ? 'no key' : $public);
        if ($case === 'broken' && $name !== 's.phar') continue;
        told(fn() => (new Phar("$case-$name"))['b.txt']->getContent());
    }
}
$phar = new Phar('hash.phar.tar'); $phar['a'] = 'b'; unset($phar);
file_put_contents('hash2.phar.tar', str_replace('__HALT_COMPILER', '__halt_compiler', file_get_contents('hash.phar.tar')));
told(fn() => new Phar('hash2.phar.tar'));
--EXPECT--
PharException: phar error: unable to write signature: unable to write to phar "s.phar" with requested openssl signature
PharException: phar error: unable to write signature: unable to process private key
NULL
OpenSSL 256
NULL
OpenSSL_SHA256 256
NULL
OpenSSL_SHA512 256
UnexpectedValueException: phar "none-s.phar" openssl signature could not be verified: openssl public key could not be read
string(1) "b"
UnexpectedValueException: phar "wrong-s.phar" openssl signature could not be verified: openssl signature could not be processed
UnexpectedValueException: phar "broken-s.phar" openssl signature could not be verified: broken openssl signature
PharException: phar error: unable to write signature to tar-based phar: unable to write to phar "s.phar.tar" with requested openssl signature
PharException: phar error: unable to write signature to tar-based phar: unable to process private key
NULL
OpenSSL 256
NULL
OpenSSL_SHA256 256
NULL
OpenSSL_SHA512 256
UnexpectedValueException: phar error: tar-based phar "none-s.phar.tar" signature cannot be verified: openssl public key could not be read
string(1) "b"
UnexpectedValueException: phar error: tar-based phar "wrong-s.phar.tar" signature cannot be verified: openssl signature could not be processed
PharException: phar zip flush of "s.phar.zip" failed: phar error: unable to write signature to zip-based phar: unable to write to phar "s.phar.zip" with requested openssl signature
PharException: phar zip flush of "s.phar.zip" failed: phar error: unable to write signature to zip-based phar: unable to process private key
NULL
OpenSSL 256
NULL
OpenSSL_SHA256 256
NULL
OpenSSL_SHA512 256
UnexpectedValueException: phar error: signature cannot be verified: openssl public key could not be read in zip-based phar "none-s.phar.zip"
string(1) "b"
UnexpectedValueException: phar error: signature cannot be verified: openssl signature could not be processed in zip-based phar "wrong-s.phar.zip"
UnexpectedValueException: phar error: tar-based phar "hash2.phar.tar" signature cannot be verified: broken signature
