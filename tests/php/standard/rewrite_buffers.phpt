--TEST--
The buffer that adds variables to links
--FILE--
<?php
ini_set('url_rewriter.tags', 'a=href');
output_add_rewrite_var('a', '1');
echo "<a href='x'>|<a hr";
output_reset_rewrite_vars();
print_r(ob_get_status(true));
echo "<a href='y'>|";
output_add_rewrite_var('c', '1');
print_r(ob_get_status(true));
echo "<a href='z'>|";
ob_flush();
echo "<a ";
ob_flush();
echo "href='zz'>";
ob_flush();
ini_set('url_rewriter.tags', 'area=href');
echo "<a href='z'><area href=1>|";
output_reset_rewrite_vars();
output_add_rewrite_var('c', '1');
ob_end_flush();
print_r(ob_list_handlers());
output_add_rewrite_var('d', '1');
echo "<a href='z'><area href=1>|";
print_r(ob_list_handlers());
--EXPECT--
<a href='x?c=1'>|<a hrArray
(
    [0] => Array
        (
            [name] => URL-Rewriter
            [type] => 0
            [flags] => 112
            [level] => 0
            [chunk_size] => 0
            [buffer_size] => 16384
            [buffer_used] => 18
        )

)
<a href='y?c=1'>|Array
(
    [0] => Array
        (
            [name] => URL-Rewriter
            [type] => 0
            [flags] => 112
            [level] => 0
            [chunk_size] => 0
            [buffer_size] => 16384
            [buffer_used] => 287
        )

)
<a href='z?c=1'>|<a href='zz?c=1'><a href='z'><area href=1?c=1>|Array
(
)
<a href='z'><area href=1>|Array
(
)
