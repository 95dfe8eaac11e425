--TEST--
SID is deprecated, has another value in each session, and is read each time
--INI--
session.use_cookies=0
session.use_strict_mode=0
session.cache_limiter=
session.save_handler=files
--FILE--
<?php
@ini_set('session.use_only_cookies', '0');
ini_set('session.save_path', __DIR__);
ob_start();
function length(int $turns): int
{
    $sum = 0;
    for ($i = 0; $i < $turns; $i++) {
        $sum += strlen(@SID);
    }
    return $sum;
}
session_id('one');
session_start();
for ($j = 0; $j < 30; $j++) {
    $sum = length(100);
}
echo SID, ' ', $sum, "\n";
session_destroy();
session_id('another');
session_start();
echo @SID, ' ', length(100), "\n";
session_destroy();
?>
--EXPECTF--
Deprecated: Constant SID is deprecated in %s on line 18
PHPSESSID=one 1300
PHPSESSID=another 1700
