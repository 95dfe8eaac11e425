--TEST--
Tokens: tags, comments, names, what is no token, objects
--FILE--
<?php
function show(string $code, int $flags = 0) {
    foreach (token_get_all($code, $flags) as $token) {
        echo is_array($token) ? token_name($token[0]) . "@$token[2]" : $token, " ";
    }
    echo "\n";
}
show("<?php\n/** d */ # x\n\$a->class::class ?>\n html <?= namespace\\f(1.5, \"a{\$b}c\") & \$x");
show("<?php ) } \1 /* open");
show("<?php A::list & \$b; fn() => 1;", TOKEN_PARSE);
show("<?php <<<X\n  a\n  X; __halt_compiler(); data");
try { show("<?php a b", TOKEN_PARSE); } catch (ParseError $e) { echo $e->getMessage(), "\n"; }
foreach (PhpToken::tokenize("<?php echo 1;") as $t) echo $t->getTokenName(), $t->pos, var_export($t->isIgnorable(), true), " ";
var_dump($t->is(";"), $t->is([T_ECHO, ";"]), (string) $t);
--EXPECT--
T_OPEN_TAG@1 T_DOC_COMMENT@2 T_WHITESPACE@2 T_COMMENT@2 T_WHITESPACE@2 T_VARIABLE@3 T_OBJECT_OPERATOR@3 T_STRING@3 T_DOUBLE_COLON@3 T_CLASS@3 T_WHITESPACE@3 T_CLOSE_TAG@3 T_INLINE_HTML@4 T_OPEN_TAG_WITH_ECHO@4 T_WHITESPACE@4 T_NAME_RELATIVE@4 ( T_DNUMBER@4 , T_WHITESPACE@4 " T_ENCAPSED_AND_WHITESPACE@4 T_CURLY_OPEN@4 T_VARIABLE@4 } T_ENCAPSED_AND_WHITESPACE@4 " ) T_WHITESPACE@4 T_AMPERSAND_FOLLOWED_BY_VAR_OR_VARARG@4 T_WHITESPACE@4 T_VARIABLE@4 
T_OPEN_TAG@1 ) T_WHITESPACE@1 } T_WHITESPACE@1 T_BAD_CHARACTER@1 T_WHITESPACE@1 T_COMMENT@1 
T_OPEN_TAG@1 T_STRING@1 T_DOUBLE_COLON@1 T_STRING@1 T_WHITESPACE@1 T_AMPERSAND_FOLLOWED_BY_VAR_OR_VARARG@1 T_WHITESPACE@1 T_VARIABLE@1 ; T_WHITESPACE@1 T_FN@1 ( ) T_WHITESPACE@1 T_DOUBLE_ARROW@1 T_WHITESPACE@1 T_LNUMBER@1 ; 
T_OPEN_TAG@1 T_START_HEREDOC@1 T_ENCAPSED_AND_WHITESPACE@2 T_END_HEREDOC@3 ; T_WHITESPACE@3 T_HALT_COMPILER@3 ( ) ; T_INLINE_HTML@3 
syntax error, unexpected identifier "b"
T_OPEN_TAG0true T_ECHO6false T_WHITESPACE10true T_LNUMBER11false ;12false bool(true)
bool(true)
string(1) ";"
