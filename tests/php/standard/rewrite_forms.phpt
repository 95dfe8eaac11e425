--TEST--
What counts as a tag where variables are added
--FILE--
<?php
ini_set('url_rewriter.tags', 'a=href,form=');
output_add_rewrite_var('n', 'v');
?>
1<a disabled href=x>
2<a disabled  href=x>
3<a disabled/href=x>
4<a disabled href>
5<a href= >
6<a href="">
7<a href=''>
8<a / href=x>
9<a href=x/ >
10<form action="//">
11<form action="http://x"><form>
12<form action="/a:80">
13<form / >
14<form/>
15<a data-x=1 href=y>
16<a -x=1 href=y>
17<a href = x>
18<a class =
 href=x>
--EXPECT--
1<a disabled href=x?n=v>
2<a disabled  href=x?n=v>
3<a disabled/href=x>
4<a disabled href>
5<a href= >
6<a href="?n=v">
7<a href='?n=v'>
8<a / href=x>
9<a href=x/?n=v >
10<form action="//">
11<form action="http://x"><form>
12<form action="/a:80">
13<form / >
14<form/>
15<a data-x=1 href=y?n=v>
16<a -x=1 href=y>
17<a href = x?n=v>
18<a class =
 href=x?n=v>
