--TEST--
Options of streams, and what a class of the script is told of them
--FILE--
<?php class W { public $context; function stream_open($p,$m,$o,&$op){return true;} function stream_set_option($o,$a,$b){echo "opt $o $a $b\n"; return true;} function stream_eof(){return true;} function stream_read($n){echo "read $n\n";return "";} }
stream_wrapper_register("ww","W"); $f=fopen("ww://x","r");
var_dump(stream_set_blocking($f,false),stream_set_timeout($f,3,4),stream_set_read_buffer($f,0),stream_set_write_buffer($f,50),stream_set_chunk_size($f,10),stream_supports_lock($f)); fread($f,3);
foreach (["php://memory",__FILE__,"data:,x","php://output"] as $n) {$f=fopen($n,"r+")?:fopen($n,"r");
var_dump(stream_set_blocking($f,true),stream_set_timeout($f,3,4),stream_set_read_buffer($f,0),stream_set_write_buffer($f,50),stream_set_chunk_size($f,10),stream_supports_lock($f)); }
try {stream_set_chunk_size($f,0);}catch(Error $e){echo $e->getMessage();}
--EXPECT--
opt 1 0 
opt 4 3 4
opt 2 0 8192
opt 3 2 50
bool(true)
bool(true)
int(0)
int(0)
int(8192)
bool(true)
read 10
bool(true)
bool(false)
int(0)
int(-1)
int(8192)
bool(false)
bool(true)
bool(false)
int(0)
int(-1)
int(8192)
bool(true)
bool(true)
bool(false)
int(0)
int(-1)
int(8192)
bool(false)
bool(true)
bool(false)
int(0)
int(-1)
int(8192)
bool(false)
stream_set_chunk_size(): Argument #2 ($size) must be greater than 0
