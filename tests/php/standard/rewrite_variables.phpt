--TEST--
Variables added to links and forms
--FILE--
<?php
ini_set('url_rewriter.tags', 'a=href,area=href,frame=src,form=,fieldset=,img=src');
var_dump(output_add_rewrite_var('n m', 'v&<w'));
print_r(ob_get_status(true));
output_add_rewrite_var('b', '2');
output_add_rewrite_var('n m', 'again');
print_r(ob_get_status(true));
?>
1<a href="x">
2<A HREF='x?y#z'>
3<a class="q" href=x title="t">
4<a href="#foo">
5<a href="mailto:x@y">
6<a href="http://localhost/x">
7<a href="javascript:foo()">
8<img src=x alt="<a href='y'>">
9<form><fieldset>
10<form action=""><fieldset>
11<form action="http://other/"><fieldset>
12<form><fieldset>
13<form action=x ><fieldset>
14<a href="//">
15<a href = "x">
16<a
 href=x
 >
17<!-- <a href=x> -->
18<script>if (a<b) "<a href='x'>";</script>
19<a href="x?">
20<a href="x?a=1&amp;b">
21<a href="?#x">
22<a href="a:b">
23<a href="/a:80">
24<a href="http:///x">
25<form action="http://other/" method="get"> <a href="rel">
26<form>
27<a href="http://x/y" href="z">
28<a href="y" href="z">
29<a x-href="y">
30<ahref="y">
31<a href>
32<a href="x
y">
33<a href="">
34<a href=''>
35<a href=>
36<form action="x?y">
37<FORM ACTION="x">
38< a href="x">
39</a href="x">
40<a/href="x">
41<a href="x"title="y">
42<a href="x y">
43<a data='href="x"' href="é">
--EXPECT--
bool(true)
Array
(
    [0] => Array
        (
            [name] => URL-Rewriter
            [type] => 0
            [flags] => 112
            [level] => 0
            [chunk_size] => 0
            [buffer_size] => 16384
            [buffer_used] => 11
        )

)
Array
(
    [0] => Array
        (
            [name] => URL-Rewriter
            [type] => 0
            [flags] => 112
            [level] => 0
            [chunk_size] => 0
            [buffer_size] => 16384
            [buffer_used] => 267
        )

)
1<a href="x?n%20m=v%26%3Cw&b=2&n%20m=again">
2<A HREF='x?y&n%20m=v%26%3Cw&b=2&n%20m=again#z'>
3<a class="q" href=x?n%20m=v%26%3Cw&b=2&n%20m=again title="t">
4<a href="#foo">
5<a href="mailto:x@y">
6<a href="http://localhost/x">
7<a href="javascript:foo()">
8<img src=x?n%20m=v%26%3Cw&b=2&n%20m=again alt="<a href='y'>">
9<form><input type="hidden" name="n m" value="v&amp;&lt;w" /><input type="hidden" name="b" value="2" /><input type="hidden" name="n m" value="again" /><fieldset>
10<form action=""><input type="hidden" name="n m" value="v&amp;&lt;w" /><input type="hidden" name="b" value="2" /><input type="hidden" name="n m" value="again" /><fieldset>
11<form action="http://other/"><fieldset>
12<form><fieldset>
13<form action=x ><input type="hidden" name="n m" value="v&amp;&lt;w" /><input type="hidden" name="b" value="2" /><input type="hidden" name="n m" value="again" /><fieldset>
14<a href="//">
15<a href = "x?n%20m=v%26%3Cw&b=2&n%20m=again">
16<a
 href=x?n%20m=v%26%3Cw&b=2&n%20m=again
 >
17<!-- <a href=x?n%20m=v%26%3Cw&b=2&n%20m=again> -->
18<script>if (a<b) "<a href='x?n%20m=v%26%3Cw&b=2&n%20m=again'>";</script>
19<a href="x?&n%20m=v%26%3Cw&b=2&n%20m=again">
20<a href="x?a=1&amp;b&n%20m=v%26%3Cw&b=2&n%20m=again">
21<a href="?&n%20m=v%26%3Cw&b=2&n%20m=again#x">
22<a href="a:b">
23<a href="/a:80">
24<a href="http:///x">
25<form action="http://other/" method="get"> <a href="rel?n%20m=v%26%3Cw&b=2&n%20m=again">
26<form>
27<a href="http://x/y" href="z?n%20m=v%26%3Cw&b=2&n%20m=again">
28<a href="y?n%20m=v%26%3Cw&b=2&n%20m=again" href="z?n%20m=v%26%3Cw&b=2&n%20m=again">
29<a x-href="y">
30<ahref="y">
31<a href>
32<a href="x_y?n%20m=v%26%3Cw&b=2&n%20m=again">
33<a href="?n%20m=v%26%3Cw&b=2&n%20m=again">
34<a href='?n%20m=v%26%3Cw&b=2&n%20m=again'>
35<a href=>
36<form action="x?y"><input type="hidden" name="n m" value="v&amp;&lt;w" /><input type="hidden" name="b" value="2" /><input type="hidden" name="n m" value="again" />
37<FORM ACTION="x"><input type="hidden" name="n m" value="v&amp;&lt;w" /><input type="hidden" name="b" value="2" /><input type="hidden" name="n m" value="again" />
38< a href="x">
39</a href="x">
40<a/href="x">
41<a href="x?n%20m=v%26%3Cw&b=2&n%20m=again"title="y">
42<a href="x y?n%20m=v%26%3Cw&b=2&n%20m=again">
43<a data='href="x"' href="é?n%20m=v%26%3Cw&b=2&n%20m=again">
