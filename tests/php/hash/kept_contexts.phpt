--TEST--
Hash contexts go on after they were serialised
--FILE--
<?php
foreach (["md4", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512/256", "ripemd128", "ripemd160", "ripemd256", "ripemd320"] as $algorithm) {
    foreach ([0, 25, 64, 200] as $length) {
        $text = substr(str_repeat("I can't remember anything", 9), 0, $length);
        $context = hash_init($algorithm);
        hash_update($context, $text);
        $kept = serialize($context);
        $again = unserialize($kept);
        hash_update($again, "more");
        $same = hash_final($again) === hash($algorithm, $text . "more");
        echo $algorithm, " ", $length, " ", $length < 64 ? md5($kept) : strlen($kept) > 100, " ", $same ? "same" : "other", "\n";
    }
}
foreach (['O:11:"HashContext":0:{}', 'O:11:"HashContext":5:{i:0;s:4:"sha1";i:1;i:0;i:2;a:1:{i:0;i:1;}i:3;i:2;i:4;a:0:{}}', 'O:11:"HashContext":5:{i:0;s:3:"abc";i:1;i:0;i:2;a:0:{}i:3;i:2;i:4;a:0:{}}'] as $wrong) {
    try { unserialize($wrong); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
}
--EXPECT--
md4 0 118d264be6c327543a7adb5ac6dde154 same
md4 25 4c7472d5e8b4d9e8f0d4b13cdcb4a7eb same
md4 64 1 same
md4 200 1 same
md5 0 1fe2bb8942cc955fc4a5aff8b0388b40 same
md5 25 c8443406523e5593d3360afbed9dbe0d same
md5 64 1 same
md5 200 1 same
sha1 0 1f92502f16aedc55a528f5ca147d7dcb same
sha1 25 cf21c43dab100fca90656d2cf21f116e same
sha1 64 1 same
sha1 200 1 same
sha224 0 1c413e693b43a282c2a570e7fe71f84b same
sha224 25 fde087881ddc8af72e8fd3c7b142efaf same
sha224 64 1 same
sha224 200 1 same
sha256 0 058748c5d55e3302a301d7489d19b176 same
sha256 25 d61018c9c2aad7dce6c11ff9c5f0f680 same
sha256 64 1 same
sha256 200 1 same
sha384 0 ee924c7fba6017aa465a45dc80f7e679 same
sha384 25 a4fceae4582c433f985f478a3483ea58 same
sha384 64 1 same
sha384 200 1 same
sha512 0 14e5db26f306544e44d67390ea553b61 same
sha512 25 cde6f99e3d07e1ed26e70b1a5944764d same
sha512 64 1 same
sha512 200 1 same
sha512/256 0 93466b94dfc72371e2b94fe8e8c8e0e6 same
sha512/256 25 7779e53b077d163b9968f02340cb2b01 same
sha512/256 64 1 same
sha512/256 200 1 same
ripemd128 0 088a005518b9d06faaef27f8582b2d4b same
ripemd128 25 58b3d28df2faf27c06cd004ea99757d8 same
ripemd128 64 1 same
ripemd128 200 1 same
ripemd160 0 46fd5d755e9857cf497c6792e5655036 same
ripemd160 25 a6003245ede7f7283107210110fe1597 same
ripemd160 64 1 same
ripemd160 200 1 same
ripemd256 0 f20576c46af52ef7fc5085a57c765ee7 same
ripemd256 25 28b8bde6ca9dafca9f03a2afa0e26e0d same
ripemd256 64 1 same
ripemd256 200 1 same
ripemd320 0 b8fe64cc3e8432d511d9bb032200cd72 same
ripemd320 25 b492b4ddd66eb4425fadd88b14fce258 same
ripemd320 64 1 same
ripemd320 200 1 same
Incomplete or ill-formed serialization data
Incomplete or ill-formed serialization data ("sha1" code -1004)
Unknown hash algorithm
