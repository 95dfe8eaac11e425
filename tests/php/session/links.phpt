--TEST--
A session tells its name in links
--INI--
session.use_trans_sid=1
session.use_only_cookies=0
session.use_cookies=0
session.use_strict_mode=0
--FILE--
<?php
error_reporting(E_ALL & ~E_DEPRECATED);
ob_start();
class H implements SessionHandlerInterface {
    function open($p, $n): bool { return true; }
    function close(): bool { return true; }
    function read($id): string|false { return ""; }
    function write($id, $d): bool { return true; }
    function destroy($id): bool { return true; }
    function gc($m): int|false { return 0; }
}
session_set_save_handler(new H);
session_id("one");
session_start();
function sid() { return SID; }
echo sid(), " <a href=x> <form></form>\n";
print_r(ob_list_handlers());
ob_flush();
session_write_close();
session_id("two");
session_start();
echo sid(), " <a href='y?z=1#f'>\n";
--EXPECT--
Deprecated: PHP Startup: Disabling session.use_only_cookies INI setting is deprecated in Unknown on line 0

Deprecated: PHP Startup: Enabling session.use_trans_sid INI setting is deprecated in Unknown on line 0
PHPSESSID=one <a href=x?PHPSESSID=one> <form><input type="hidden" name="PHPSESSID" value="one" /></form>
Array
(
    [0] => default output handler
    [1] => URL-Rewriter
)
PHPSESSID=two <a href='y?z=1&PHPSESSID=two#f'>
