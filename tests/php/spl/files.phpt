--TEST--
SplFileInfo and its children: names, directories, lines
--FILE--
<?php
function t($f){ try { var_dump($f()); } catch (Throwable $e) { echo get_class($e),": ",$e->getMessage(),"\n"; } }
@mkdir("sp"); @mkdir("sp/sub"); file_put_contents("sp/a.txt","l1\nl2\n\nl4"); file_put_contents("sp/sub/x.php","<?php"); 
foreach (["","/","a","/a/b.tar.gz","/a/b/","./x","//x//","/.hidden","x/.", "http://a/b?c.d"] as $n) { $i=new SplFileInfo($n); echo json_encode([$n,$i->getPath(),$i->getFilename(),$i->getExtension(),$i->getBasename(),$i->getBasename(".gz"),$i->getPathname(),(string)$i, $i->getPathInfo()?->getPathname()], JSON_UNESCAPED_SLASHES),"\n"; }
$i=new SplFileInfo("sp/a.txt"); 
foreach (["getSize","getType","isReadable","isFile","isDir","isLink"] as $m) t(fn()=>$i->$m());
$n=new SplFileInfo("nope");
foreach (["getPerms","getInode","getSize","getOwner","getATime","getType","isWritable","isFile","getRealPath","getLinkTarget","openFile"] as $m) t(fn()=>$n->$m());
t(fn()=>$i->getLinkTarget());
t(fn()=>$i->getFileInfo()); t(fn()=>$i->getFileInfo("X")); t(fn()=>$i->setInfoClass("stdClass")); t(fn()=>$i->openFile());
t(fn()=>(new SplFileInfo("")) ->getRealPath()===getcwd());
t(fn()=>(new SplFileInfo("")) ->getLinkTarget());
t(fn()=>new DirectoryIterator("")); t(fn()=>new DirectoryIterator("nope"));
t(function(){ foreach (new DirectoryIterator("sp") as $k=>$v) $r[]=[ (string)$v,$v->isDot(),$v->getPathname()]; sort($r); return json_encode($r,JSON_UNESCAPED_SLASHES);});
t(function(){ foreach (new FilesystemIterator("sp") as $k=>$v) $r[]=[$k,get_class($v),(string)$v,$v->getFilename(),$v->getPath()]; sort($r); return json_encode($r,JSON_UNESCAPED_SLASHES);});
t(function(){ foreach (new FilesystemIterator("sp/",FilesystemIterator::KEY_AS_FILENAME|FilesystemIterator::CURRENT_AS_PATHNAME) as $k=>$v) $r[]=[$k,$v]; sort($r); return json_encode($r,JSON_UNESCAPED_SLASHES);});
t(function(){ $it=new RecursiveIteratorIterator(new RecursiveDirectoryIterator("sp",FilesystemIterator::SKIP_DOTS),RecursiveIteratorIterator::SELF_FIRST); foreach ($it as $k=>$v) $r[]=[$k,(string)$v,$it->getSubPath(),$it->getSubPathname(),$it->getDepth()]; sort($r); return json_encode($r,JSON_UNESCAPED_SLASHES);});
t(function(){ $it=new GlobIterator("sp/*"); foreach ($it as $k=>$v) $r[]=[$k,(string)$v]; return json_encode([count($it),$r],JSON_UNESCAPED_SLASHES);});
t(function(){ $it=new GlobIterator("sp/*.none"); return count($it);});
t(fn()=>(new FilesystemIterator("sp"))->getFlags()); t(fn()=>(new RecursiveDirectoryIterator("sp"))->getFlags()); t(fn()=>(new GlobIterator("sp/*"))->getFlags());
t(function(){ $d=new DirectoryIterator("sp"); $d->seek(1); return $d->key();}); t(function(){ $d=new DirectoryIterator("sp"); $d->seek(10); return [$d->key(),$d->valid(),$d->getFilename(),$d->getPathname(), $d->isDot()];});
t(fn()=>$GLOBALS['i']); t(fn()=>new GlobIterator("sp/*"));
t(fn()=>(new DirectoryIterator("sp"))); t(fn()=>new RecursiveDirectoryIterator("sp"));
t(fn()=>clone new SplFileObject("sp/a.txt")); t(fn()=>serialize($i)); t(fn()=>new SplFileObject("sp")); t(fn()=>new SplFileObject("nope")); t(fn()=>new SplFileObject(""));
t(fn()=>new SplFileObject("sp/a.txt")); t(fn()=>new SplTempFileObject()); t(fn()=>new SplTempFileObject(100));t(fn()=>new SplTempFileObject(-1));
foreach ([0,1,2,3,4,6,7,8,15] as $fl) t(function() use($fl){ $f=new SplFileObject("sp/a.txt"); $f->setFlags($fl); foreach ($f as $k=>$v) $r[]=[$k,$v]; return $fl.json_encode($r);});
t(function(){ $f=new SplFileObject("sp/a.txt"); $f->seek(2); return [$f->key(),$f->current(),$f->fgets(),$f->key(),$f->eof(),(string)$f];});
t(function(){ $f=new SplFileObject("sp/a.txt"); $f->seek(100); return [$f->key(),$f->current(),$f->eof()];});
t(function(){ $f=new SplFileObject("sp/a.txt"); return [$f->key(),$f->fgets(),$f->key(),$f->fgets(),$f->key(),$f->current(),$f->key(),$f->next(),$f->key(),$f->current()];});
t(function(){ $f=new SplFileObject("sp/a.txt"); $f->seek(-1);});
t(function(){ $f=new SplFileObject("sp/a.txt"); while(!$f->eof()) $f->fgets(); $f->fgets();});
t(function(){ $f=new SplTempFileObject(); $f->fputcsv([1,"a b",'q"x',null]); $f->fwrite("foo,bar\n"); $f->fwrite("abcdef",3); $f->rewind(); return [$f->fgetcsv(),$f->getCsvControl(),$f->fread(100),$f->ftell(),$f->fstat()['size'],$f->ftruncate(3),$f->fflush(),$f->getMaxLineLen(),$f->hasChildren(),$f->getChildren()];});
t(function(){ $f=new SplTempFileObject(); $f->setMaxLineLen(-1);}); t(function(){ $f=new SplTempFileObject(); $f->fread(0);});t(function(){ $f=new SplTempFileObject(); $f->setCsvControl("ab");});
t(function(){ $r=(new ReflectionClass("SplFileObject"))->newInstanceWithoutConstructor(); $r->fgets();});
t(function(){ $r=(new ReflectionClass("SplFileInfo"))->newInstanceWithoutConstructor(); return [$r->getPathname(),$r->isFile()];});
t(function(){ $r=(new ReflectionClass("DirectoryIterator"))->newInstanceWithoutConstructor(); return $r->isDot();});
t(function(){ $r=new DirectoryIterator("sp"); $r->__construct("sp");});
t(function(){ return $GLOBALS['i']->_bad_state_ex();});
--EXPECT--
["","","","","","","","",null]
["/","","/","","","","/","/","/"]
["a","","a","","a","a","a","a","."]
["/a/b.tar.gz","/a","b.tar.gz","gz","b.tar.gz","b.tar","/a/b.tar.gz","/a/b.tar.gz","/a"]
["/a/b/","/a","b","","b","b","/a/b","/a/b","/a"]
["./x",".","x","","x","x","./x","./x","."]
["//x//","/","x","","x","x","//x","//x","/"]
["/.hidden","","/.hidden","hidden",".hidden",".hidden","/.hidden","/.hidden","/"]
["x/.","x",".","",".",".","x/.","x/.","x"]
["http://a/b?c.d","http://a","b?c.d","d","b?c.d","b?c.d","http://a/b?c.d","http://a/b?c.d","http://a"]
int(9)
string(4) "file"
bool(true)
bool(true)
bool(false)
bool(false)
RuntimeException: SplFileInfo::getPerms(): stat failed for nope
RuntimeException: SplFileInfo::getInode(): stat failed for nope
RuntimeException: SplFileInfo::getSize(): stat failed for nope
RuntimeException: SplFileInfo::getOwner(): stat failed for nope
RuntimeException: SplFileInfo::getATime(): stat failed for nope
RuntimeException: SplFileInfo::getType(): Lstat failed for nope
bool(false)
bool(false)
bool(false)
RuntimeException: Unable to read link nope, error: No such file or directory
RuntimeException: SplFileInfo::openFile(nope): Failed to open stream: No such file or directory
RuntimeException: Unable to read link sp/a.txt, error: Invalid argument
object(SplFileInfo)#5 (2) {
  ["pathName":"SplFileInfo":private]=>
  string(8) "sp/a.txt"
  ["fileName":"SplFileInfo":private]=>
  string(5) "a.txt"
}
TypeError: SplFileInfo::getFileInfo(): Argument #1 ($class) must be a class name derived from SplFileInfo or null, X given
TypeError: SplFileInfo::setInfoClass(): Argument #1 ($class) must be a class name derived from SplFileInfo, stdClass given
object(SplFileObject)#5 (5) {
  ["pathName":"SplFileInfo":private]=>
  string(8) "sp/a.txt"
  ["fileName":"SplFileInfo":private]=>
  string(5) "a.txt"
  ["openMode":"SplFileObject":private]=>
  string(1) "r"
  ["delimiter":"SplFileObject":private]=>
  string(1) ","
  ["enclosure":"SplFileObject":private]=>
  string(1) """
}
bool(true)

Warning: SplFileInfo::getLinkTarget(): No such file or directory in case.php on line 12
bool(false)
ValueError: DirectoryIterator::__construct(): Argument #1 ($directory) must not be empty
UnexpectedValueException: DirectoryIterator::__construct(nope): Failed to open directory: No such file or directory
string(89) "[[".",true,"sp/."],["..",true,"sp/.."],["a.txt",false,"sp/a.txt"],["sub",false,"sp/sub"]]"
string(97) "[["sp/a.txt","SplFileInfo","sp/a.txt","a.txt","sp"],["sp/sub","SplFileInfo","sp/sub","sub","sp"]]"
string(67) "[[".","sp/."],["..","sp/.."],["a.txt","sp/a.txt"],["sub","sp/sub"]]"
string(121) "[["sp/a.txt","sp/a.txt","","a.txt",0],["sp/sub","sp/sub","","sub",0],["sp/sub/x.php","sp/sub/x.php","sub","sub/x.php",1]]"
string(49) "[2,[["sp/a.txt","sp/a.txt"],["sp/sub","sp/sub"]]]"
int(0)
int(4096)
int(0)
int(0)
int(1)
OutOfBoundsException: Seek position 10 is out of range
object(SplFileInfo)#1 (2) {
  ["pathName":"SplFileInfo":private]=>
  string(8) "sp/a.txt"
  ["fileName":"SplFileInfo":private]=>
  string(5) "a.txt"
}
object(GlobIterator)#5 (4) {
  ["pathName":"SplFileInfo":private]=>
  string(8) "sp/a.txt"
  ["fileName":"SplFileInfo":private]=>
  string(5) "a.txt"
  ["glob":"DirectoryIterator":private]=>
  string(11) "glob://sp/*"
  ["subPathName":"RecursiveDirectoryIterator":private]=>
  string(0) ""
}
object(DirectoryIterator)#5 (4) {
  ["pathName":"SplFileInfo":private]=>
  string(4) "sp/."
  ["fileName":"SplFileInfo":private]=>
  string(1) "."
  ["glob":"DirectoryIterator":private]=>
  bool(false)
  ["subPathName":"RecursiveDirectoryIterator":private]=>
  string(0) ""
}
object(RecursiveDirectoryIterator)#5 (4) {
  ["pathName":"SplFileInfo":private]=>
  string(4) "sp/."
  ["fileName":"SplFileInfo":private]=>
  string(1) "."
  ["glob":"DirectoryIterator":private]=>
  bool(false)
  ["subPathName":"RecursiveDirectoryIterator":private]=>
  string(0) ""
}
Error: Trying to clone an uncloneable object of class SplFileObject
Exception: Serialization of 'SplFileInfo' is not allowed
LogicException: Cannot use SplFileObject with directories
RuntimeException: SplFileObject::__construct(nope): Failed to open stream: No such file or directory
ValueError: Path must not be empty
object(SplFileObject)#3 (5) {
  ["pathName":"SplFileInfo":private]=>
  string(8) "sp/a.txt"
  ["fileName":"SplFileInfo":private]=>
  string(5) "a.txt"
  ["openMode":"SplFileObject":private]=>
  string(1) "r"
  ["delimiter":"SplFileObject":private]=>
  string(1) ","
  ["enclosure":"SplFileObject":private]=>
  string(1) """
}
object(SplTempFileObject)#3 (5) {
  ["pathName":"SplFileInfo":private]=>
  string(10) "php://temp"
  ["fileName":"SplFileInfo":private]=>
  string(10) "php://temp"
  ["openMode":"SplFileObject":private]=>
  string(2) "wb"
  ["delimiter":"SplFileObject":private]=>
  string(1) ","
  ["enclosure":"SplFileObject":private]=>
  string(1) """
}
object(SplTempFileObject)#3 (5) {
  ["pathName":"SplFileInfo":private]=>
  string(24) "php://temp/maxmemory:100"
  ["fileName":"SplFileInfo":private]=>
  string(24) "php://temp/maxmemory:100"
  ["openMode":"SplFileObject":private]=>
  string(2) "wb"
  ["delimiter":"SplFileObject":private]=>
  string(1) ","
  ["enclosure":"SplFileObject":private]=>
  string(1) """
}
object(SplTempFileObject)#3 (5) {
  ["pathName":"SplFileInfo":private]=>
  string(12) "php://memory"
  ["fileName":"SplFileInfo":private]=>
  string(12) "php://memory"
  ["openMode":"SplFileObject":private]=>
  string(2) "wb"
  ["delimiter":"SplFileObject":private]=>
  string(1) ","
  ["enclosure":"SplFileObject":private]=>
  string(1) """
}
string(42) "0[[0,"l1\n"],[1,"l2\n"],[2,"\n"],[3,"l4"]]"
string(36) "1[[0,"l1"],[1,"l2"],[2,""],[3,"l4"]]"
string(42) "2[[0,"l1\n"],[1,"l2\n"],[2,"\n"],[3,"l4"]]"
string(36) "3[[0,"l1"],[1,"l2"],[2,""],[3,"l4"]]"
string(42) "4[[0,"l1\n"],[1,"l2\n"],[2,"\n"],[3,"l4"]]"
string(42) "6[[0,"l1\n"],[1,"l2\n"],[2,"\n"],[3,"l4"]]"
string(29) "7[[0,"l1"],[1,"l2"],[2,"l4"]]"
string(46) "8[[0,["l1"]],[1,["l2"]],[2,[null]],[3,["l4"]]]"
string(36) "15[[0,["l1"]],[1,["l2"]],[3,["l4"]]]"
array(6) {
  [0]=>
  int(2)
  [1]=>
  string(1) "
"
  [2]=>
  string(2) "l4"
  [3]=>
  int(3)
  [4]=>
  bool(true)
  [5]=>
  string(2) "l4"
}
array(3) {
  [0]=>
  int(3)
  [1]=>
  bool(false)
  [2]=>
  bool(true)
}
array(10) {
  [0]=>
  int(0)
  [1]=>
  string(3) "l1
"
  [2]=>
  int(1)
  [3]=>
  string(3) "l2
"
  [4]=>
  int(2)
  [5]=>
  string(3) "l2
"
  [6]=>
  int(2)
  [7]=>
  NULL
  [8]=>
  int(3)
  [9]=>
  string(1) "
"
}
ValueError: SplFileObject::seek(): Argument #1 ($line) must be greater than or equal to 0
RuntimeException: Cannot read from file sp/a.txt

Deprecated: SplFileObject::fputcsv(): the $escape parameter must be provided, as its default value will change, either explicitly or via SplFileObject::setCsvControl() in case.php on line 32

Deprecated: SplFileObject::fgetcsv(): the $escape parameter must be provided, as its default value will change, either explicitly or via SplFileObject::setCsvControl() in case.php on line 32
array(10) {
  [0]=>
  array(4) {
    [0]=>
    string(1) "1"
    [1]=>
    string(3) "a b"
    [2]=>
    string(3) "q"x"
    [3]=>
    string(0) ""
  }
  [1]=>
  array(3) {
    [0]=>
    string(1) ","
    [1]=>
    string(1) """
    [2]=>
    string(1) "\"
  }
  [2]=>
  string(11) "foo,bar
abc"
  [3]=>
  int(27)
  [4]=>
  int(27)
  [5]=>
  bool(true)
  [6]=>
  bool(true)
  [7]=>
  int(0)
  [8]=>
  bool(false)
  [9]=>
  NULL
}
ValueError: SplFileObject::setMaxLineLen(): Argument #1 ($maxLength) must be greater than or equal to 0
ValueError: SplFileObject::fread(): Argument #1 ($length) must be greater than 0
ValueError: SplFileObject::setCsvControl(): Argument #1 ($separator) must be a single character
Error: The parent constructor was not called: the object is in an invalid state
Error: Object not initialized
Error: Object not initialized
Error: Directory object is already initialized

Deprecated: Method SplFileInfo::_bad_state_ex() is deprecated since 8.2 in case.php on line 38
Error: The parent constructor was not called: the object is in an invalid state
