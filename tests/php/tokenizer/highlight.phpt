--TEST--
Source text in colours
--FILE--
<?php
highlight_string("<b><?php\n// c\nfunction f(\$a) { return __LINE__ . \"x \$a\" . <<<A\n  t\n  A; } ?>\n</b>");
echo "\n";
ini_set("highlight.string", "#123");
var_dump(highlight_string('<?php "a" . 1', true));
file_put_contents(__FILE__ . ".txt", "<?php /* a */ echo  1 ; # b\n\n echo <<<X\n  a\n  X;  echo 2;");
echo php_strip_whitespace(__FILE__ . ".txt");
unlink(__FILE__ . ".txt");
--EXPECT--
<pre><code style="color: #000000">&lt;b&gt;<span style="color: #0000BB">&lt;?php
</span><span style="color: #FF8000">// c
</span><span style="color: #007700">function </span><span style="color: #0000BB">f</span><span style="color: #007700">(</span><span style="color: #0000BB">$a</span><span style="color: #007700">) { return </span><span style="color: #0000BB">__LINE__ </span><span style="color: #007700">. </span><span style="color: #DD0000">"x </span><span style="color: #0000BB">$a</span><span style="color: #DD0000">" </span><span style="color: #007700">. &lt;&lt;&lt;A
</span><span style="color: #DD0000">  t
</span><span style="color: #007700">  A; } </span><span style="color: #0000BB">?&gt;
</span>&lt;/b&gt;</code></pre>
string(204) "<pre><code style="color: #000000"><span style="color: #0000BB">&lt;?php </span><span style="color: #123">"a" </span><span style="color: #007700">. </span><span style="color: #0000BB">1</span></code></pre>"
<?php  echo 1 ; echo <<<X
  a
  X;
echo 2;