<?php
// Functions, methods and classes of all extensions, a call each. Prints nanoseconds of each call:
//   target/release/opline benches/library/wide.php [WORD] [MILLISECONDS]
// With a word only the calls that have it. What an engine does not have, or refuses, is left out.

error_reporting(0);
date_default_timezone_set('UTC');
define('FOLDER', sys_get_temp_dir() . '/opline-wide-' . getmypid());
mkdir(FOLDER);
register_shutdown_function(function () {
    array_map('unlink', glob(FOLDER . '/*'));
    rmdir(FOLDER);
});

$s="The quick brown fox jumps over the lazy dog";
$s2="The quick brown fox jumps over the lazy doG";
$w="hello";
$html='<p class="x">Tom & "Jerry" <b>é</b></p>';
$u="Élève à l'école ñandú";
$long=str_repeat("The quick brown fox jumps over the lazy dog. ",100);
$long2=substr($long,0,200);
$long3=strrev($long2);
$csv='a,b,"c d",1,2.5,"x""y"';
$list=[5,3,8,1,9,2,7,4,6,10];
$list2=$list;
$list2c=$list;
$strs=['banana','apple','cherry','date','elder','fig','grape','c','img12','img2'];
$map=['a'=>1,'b'=>2,'c'=>3,'d'=>[1,2],'e'=>'x'];
$nested=['a'=>['b'=>['c'=>1,'d'=>[1,2,3]],'e'=>'f'],'g'=>[4,5,['h'=>6]]];
$nestedlists=[[1,2],[3,4],[5]];
$dups=[1,2,2,3,3,3,4,1,5,2];
$rows=[]; for($i=0;$i<10;$i++)$rows[]=['id'=>(7*$i)%10,'name'=>"n$i",'v'=>$i*1.5];
$big=range(1,1000); mt_srand(3);
$shuf=range(1,50); shuffle($shuf);
$floats=[1.5,2.5,3.5,0.5]; shuffle($big);
#[Attribute] class At { function __construct(public $v=1){} }
/** Doc. */
#[At(5)] class Pt implements Countable { const C=5; public static $st=1; public $x; protected $y; public ?string $n=null; function __construct($x=0,$y=0){$this->x=$x;$this->y=$y;}
function getX(){return $this->x;}
function setX($v){$this->x=$v;return $this;} static function make(){return new static(1,2);}
function count():int{return 3;}
function withX($x){$c=clone $this;$c->x=$x;return $c;} }
abstract class Ab { abstract function ab($x); function abstractImpl(){return $this->ab(3);} }
trait Tr { private $t=1; function traitMethod(){return $this->t;} }
interface If1{} interface If2 extends If1{}
class Pa extends Ab implements If2 { function ab($x){return $x+1;}
function pc(){return 1;} static function lateStatic(){return static::class;} }
class Ch extends Pa { use Tr; function parentCall(){return parent::pc();}
function typed(int $a,string $b,array $c):int{return $a;}
function nullable(?int $x):?int{return $x;}
function union(int|string $x):int|string{return $x;}
function defaults($a=1,$b=[1,2],$c='x'){return $a;}
function pc(){return 2;} }
class Mg { private $d=[]; function __get($n){return 5;}
function __set($n,$v){}
function __isset($n){return true;}
function __call($n,$a){return $a[0];} static function __callStatic($n,$a){return $a[0];}
function __toString():string{return "mg";} }
class Inv { function __invoke($x){return $x;} }
enum Su:string { case H='H'; case S='S'; function label(){return ucfirst($this->name);} }
final class Ro { function __construct(public readonly int $a){} }
class Hk { public string $name='a' { get=>$this->name; set(string $v){$this->name=$v;} } }
class Aa implements ArrayAccess, Countable, IteratorAggregate { private $d=['a'=>1]; function offsetGet($o):mixed{return $this->d[$o];}
function offsetSet($o,$v):void{$this->d[$o]=$v;}
function offsetExists($o):bool{return isset($this->d[$o]);}
function offsetUnset($o):void{unset($this->d[$o]);}
function count():int{return count($this->d);}
function getIterator():Iterator{return new ArrayIterator($this->d);} }
class It implements Iterator { private $i=0; function current():mixed{return $this->i;}
function key():mixed{return $this->i;}
function next():void{$this->i++;}
function rewind():void{$this->i=0;}
function valid():bool{return $this->i<5;} }
$pt=new Pt(1,2);
$pt2=new Pt(1,2);
$ch=new Ch;
$mg=new Mg;
$inv=new Inv;
$clo=fn($x)=>$x+1;
$clo2=function(){return 1;};
$nul=null;
$ro=new Ro(1);
$cnt=0;
$ao=new Aa;
$ar=new ArrayObject(['a'=>1]);
$itr=new It;
$hk=new Hk;
$wm=new WeakMap;
$wm[$pt]=1;
$obj=(object)$map;
$big_obj=(object)array_combine(range('a','z'),range(1,26));
$mname='getX';
$cname='Pt';
$pts=[]; for($i=0;$i<10;$i++)$pts[]=new Pt((7*$i)%10,1);
$undef_arr=[];
$first_class=strlen(...);
$ser=serialize($map);
$serobj=serialize($obj);
$serpt=serialize($pt);
$json=json_encode($nested);
$packed=pack("NnC",1,2,3);
$uu=convert_uuencode("hello");
$gz=gzcompress($long);
$devnull=fopen('/dev/null','w');
$tz=new DateTimeZone('Europe/Paris');
$dt=new DateTime('2024-05-06 10:11:12');
$dti=new DateTimeImmutable('2024-01-31 10:11:12');
$dti2=new DateTimeImmutable('2025-03-01');
$int=new DateInterval('P1DT2H');
$rnd=new Random\Randomizer(new Random\Engine\Mt19937(1));
function array_splice_copy($l){array_splice($l,2,3,[7,7]);return $l;}
function array_walk_copy($l){array_walk($l,function(&$v,$k){$v=$v*2;});return $l;}
function array_walk_rec($l){array_walk_recursive($l,function(&$v,$k){$v=1;});}
function shuffle_copy($l){shuffle($l);}
function sort_copy($l){sort($l);return $l;}
function rsort_copy($l){rsort($l);}
function asort_copy($l){asort($l);}
function arsort_copy($l){arsort($l);}
function ksort_copy($l){ksort($l);}
function krsort_copy($l){krsort($l);}
function usort_copy($l){usort($l,fn($a,$b)=>$a<=>$b);}
function uasort_copy($l){uasort($l,fn($a,$b)=>1);}
function uksort_copy($l){uksort($l,fn($a,$b)=>strcmp($a,$b));}
function sort_str($l){sort($l);}
function natsort_copy($l){natsort($l);}
function natcasesort_copy($l){natcasesort($l);}
function multisort_copy($l){array_multisort($l,SORT_DESC);}
function sort_flag($l){sort($l,SORT_STRING|SORT_FLAG_CASE);}
function end_copy($l){return end($l);}
function next_loop($l){reset($l);while(($v=next($l))!==false);}
function list_swap(){$a=1;$b=2;[$a,$b]=[$b,$a];return $a;}
function array_push_pop(){$a=[];array_push($a,1,2);array_pop($a);return $a;}
function array_shift_copy($l){array_shift($l);return $l;}
function array_unshift_copy($l){array_unshift($l,1);return $l;}
function foreach_kv($m){foreach($m as $k=>$v){}}
function foreach_ref($l){foreach($l as &$v){$v++;}}
function nested_get($n){return $n['a']['b']['d'][1];}
function array_multisort_rows($rows){$c=array_column($rows,'id');array_multisort($c,SORT_ASC,$rows);return $rows;}
function usort_str($l){usort($l,'strcmp');}
function sort_big($l){sort($l);}
function gen(){for($i=0;$i<5;$i++)yield $i=>$i*2;}
function array_walk_recursive_sum($n){$t=0;array_walk_recursive($n,function($v)use(&$t){$t+=(int)$v;});return $t;}
function period_loop($a,$i){foreach(new DatePeriod($a,$i,3) as $d)$d->format('d');}
function func_va(...$a){return count($a);}
function func_named($a,$b=2){return $a;}
function gen_sum(){$t=0;foreach(gen() as $v)$t+=$v;return $t;}
function gs(){while(true){$x=yield;if($x===null)return;}}
function gen_send(){$g=gs();$g->current();$g->send(1);$g->send(2);}
function yf(){yield from gen();yield 1;}
function yield_from_sum(){$t=0;foreach(yf() as $v)$t+=$v;return $t;}
function try_catch(){try{throw new Exception('a');}catch(Exception $e){return 1;}finally{$x=1;}}
function tcd($n){if($n==0)throw new RuntimeException('x');return tcd($n-1);}
function try_catch_deep(){try{tcd(5);}catch(LogicException|RuntimeException $e){return 1;}}
function static_var(){static $n=0;return ++$n;}
function recursive($n){return $n<1?0:recursive($n-1)+1;}
function byref(&$x){$x++;}
function foreach_ao($a){foreach($a as $k=>$v){}}
function foreach_it($a){foreach($a as $k=>$v){}}
function foreach_it2($a){foreach($a as $v){}}
function get_called_class_test(){return Ch::lateStatic();}
function define_const(){return PHP_VERSION_ID;}
function var_dump_ob($p){ob_start();var_dump($p);return ob_get_clean();}
function fiber_run(){$f=new Fiber(function(){Fiber::suspend(1);});$f->start();$f->resume();}
function ob_capture(){ob_start();echo 'abc';return ob_get_clean();}
function trigger_suppressed(){@trigger_error('x');}
function set_error_handler_rt(){set_error_handler(fn()=>true);restore_error_handler();}
function usort_obj($p){usort($p,fn($a,$b)=>$a->x<=>$b->x);}
function stack_ops(){$s=new SplStack;$s->push(1);$s->push(2);$s->pop();return $s->top();}
function queue_ops(){$s=new SplQueue;$s->enqueue(1);$s->enqueue(2);return $s->dequeue();}
function heap_ops(){$h=new SplMinHeap;foreach([5,3,1,4] as $x)$h->insert($x);return $h->extract();}
function minheap_iter(){$h=new SplMinHeap;foreach([5,3,1,4] as $x)$h->insert($x);foreach($h as $v);}
function pq_ops(){$h=new SplPriorityQueue;foreach([5,3,1,4] as $x)$h->insert($x,$x);return $h->extract();}
function fixed_ops(){$f=new SplFixedArray(5);for($i=0;$i<5;$i++)$f[$i]=$i;return $f[2];}
function fixed_from($l){return SplFixedArray::fromArray($l);}
function storage_ops(){global $pts;$s=new SplObjectStorage;foreach($pts as $p)$s->attach($p,1);foreach($pts as $p)$s->contains($p);$s->detach($pts[0]);return count($s);}
function dll_iter(){$l=new SplDoublyLinkedList;for($i=0;$i<10;$i++)$l->push($i);foreach($l as $k=>$v);}
function ao_iter($l){foreach(new ArrayObject($l) as $k=>$v);}
function ao_sort(){$a=new ArrayObject([3,1,2]);$a->asort();}
function ai_seek(){$a=new ArrayIterator([3,1,2]);$a->seek(2);return $a->current();}
function limit_it($l){foreach(new LimitIterator(new ArrayIterator($l),2,5) as $v);}
function append_it($l){$a=new AppendIterator;$a->append(new ArrayIterator($l));$a->append(new ArrayIterator($l));foreach($a as $v);}
function multi_it($l){$m=new MultipleIterator;$m->attachIterator(new ArrayIterator($l));$m->attachIterator(new ArrayIterator($l));foreach($m as $v);}
class Fi extends FilterIterator{function accept():bool{return $this->current()>3;}}
function filter_it($l){foreach(new Fi(new ArrayIterator($l)) as $v);}
function cb_filter($l){foreach(new CallbackFilterIterator(new ArrayIterator($l),fn($v)=>$v>3) as $v);}
function caching_it($l){$c=new CachingIterator(new ArrayIterator($l));foreach($c as $v)$c->hasNext();}
function regex_it($l){foreach(new RegexIterator(new ArrayIterator($l),'/a/') as $v);}
function rec_it($n){foreach(new RecursiveIteratorIterator(new RecursiveArrayIterator($n),1) as $v);}
function rec_leaves($n){foreach(new RecursiveIteratorIterator(new RecursiveArrayIterator($n)) as $k=>$v);}
function gen_it(){foreach(new IteratorIterator(gen()) as $v);}
function infinite_it($l){$n=0;foreach(new InfiniteIterator(new ArrayIterator($l)) as $v)if(++$n>15)break;}
function norewind_it($l){foreach(new NoRewindIterator(new ArrayIterator($l)) as $v);}
function it_it($l){foreach(new IteratorIterator(new ArrayIterator($l)) as $v);}
function tmpfile_ops(){$f=new SplTempFileObject;$f->fwrite("a\nb\n");$f->rewind();foreach($f as $l);}
function splobj_foreach(){global $sto;foreach($sto as $i=>$o);}
function ll_push(){global $ll;$ll->push(1);$ll->pop();}
function storage_iter(){global $sto;foreach($sto as $o)$sto->getInfo();}
function ao_append(){$a=new ArrayObject;$a[]=1;$a->append(2);return count($a);}
function ao_props(){$a=new ArrayObject([],ArrayObject::ARRAY_AS_PROPS);$a->x=1;return $a->x;}
$fx=SplFixedArray::fromArray($list);
$ll=new SplDoublyLinkedList;
$ll->push(1);$ll->push(2);$ll->push(3);
$sto=new SplObjectStorage; foreach($pts as $p)$sto[$p]=1;
$sto[$pt]=2;
$aob=new ArrayObject($map);
$tmp=FOLDER . '/t.txt'; file_put_contents($tmp,str_repeat("line of text\n",50));
$tmp2=FOLDER . '/t2.txt';
$tmpcsv=FOLDER . '/t.csv'; file_put_contents($tmpcsv,str_repeat("a,\"b c\",1,2\n",20));
function fopen_read($t){$f=fopen($t,'r');$x=fread($f,100);fclose($f);}
function fgets_loop($t){$f=fopen($t,'r');while(($l=fgets($f))!==false);fclose($f);}
function fgetc_loop($t){$f=fopen($t,'r');while(($l=fgetc($f))!==false);fclose($f);}
function feof_loop($t){$f=fopen($t,'r');while(!feof($f))fgets($f);fclose($f);}
function fgetcsv_loop($t){$f=fopen($t,'r');while(($l=fgetcsv($f,null,',','"',''))!==false);fclose($f);}
function fputcsv_mem($rows){$f=fopen('php://memory','w+');foreach($rows as $r)fputcsv($f,$r,',','"','');rewind($f);return stream_get_contents($f);}
function fwrite_mem($s){$f=fopen('php://memory','w');for($i=0;$i<10;$i++)fwrite($f,$s);}
function stream_get_contents_mem(){$f=fopen('php://temp','w+');fwrite($f,'abc');rewind($f);return stream_get_contents($f);}
function tempnam_rm(){unlink(tempnam(FOLDER,'x'));}
function splfile_loop($t){foreach(new SplFileObject($t) as $l);}
function dir_iter($d){foreach(new DirectoryIterator($d) as $f)$f->getFilename();}
function rdi($d){foreach(new RecursiveIteratorIterator(new RecursiveDirectoryIterator($d,FilesystemIterator::SKIP_DOTS)) as $f)$f->getPathname();}
function unlink_new(){touch(FOLDER . '/u');unlink(FOLDER . '/u');}
function mkdir_rm(){mkdir(FOLDER . '/d');rmdir(FOLDER . '/d');}
function rename_back(){rename(FOLDER . '/t2.txt',FOLDER . '/t3.txt');rename(FOLDER . '/t3.txt',FOLDER . '/t2.txt');}
function readfile_ob($t){ob_start();readfile($t);return ob_get_clean();}
function parse_str_test(){parse_str('a=1&b[]=2&b[]=3&c[x]=y',$r);return $r;} file_put_contents(FOLDER . '/inc.php','<?php return 5;'); touch(FOLDER . '/inc.php',time()-100); function include_small(){return include FOLDER . '/inc.php';}
function opendir_loop(){$d=opendir('/etc');while(($f=readdir($d))!==false);closedir($d);}
function SplFileInfo_ops(){$i=new SplFileInfo('/etc/passwd');return $i->getSize()+strlen($i->getExtension());}
function fseek_loop($t){$f=fopen($t,'r');for($i=0;$i<20;$i++){fseek($f,$i*5);fread($f,3);}}
function fread_chunks($t){$f=fopen($t,'r');while(!feof($f))fread($f,64);}
function php_memory_write(){$f=fopen('php://memory','w+');for($i=0;$i<20;$i++)fwrite($f,"x$i\n");rewind($f);while(fgets($f)!==false);}
function stream_filter_rot(){$f=fopen('php://memory','w+');stream_filter_append($f,'string.rot13');fwrite($f,'abc');rewind($f);return fgets($f);}
function fscanf_loop(){$f=fopen('php://memory','w+');fwrite($f,"1 a\n2 b\n");rewind($f);while(fscanf($f,'%d %s',$a,$b));}
function echo_ob($n){ob_start();for($i=0;$i<$n;$i++)echo 'line ',$i,"\n";return ob_get_clean();}
function ob_nested(){ob_start();ob_start(fn($b)=>strtoupper($b));echo 'a';ob_end_flush();return ob_get_clean();}
function printf_ob(){ob_start();printf('%s %d','a',5);return ob_get_clean();}
$xml='<root><item id="1">A</item><item id="2">B<sub>c</sub></item><item id="3"/></root>';
$sx=simplexml_load_string($xml);
$dom=new DOMDocument;
$dom->loadXML($xml);
function sx_access($x){return (string)$x->item[1]->sub;}
function sx_xpath($x){return count($x->xpath('//item[@id="2"]'));}
function sx_iter($x){foreach($x->item as $i)(string)$i['id'];}
function dom_load($x){$d=new DOMDocument;$d->loadXML($x);}
function dom_build(){$d=new DOMDocument;$r=$d->appendChild($d->createElement('r'));for($i=0;$i<5;$i++){$e=$d->createElement('i','t');$e->setAttribute('n',$i);$r->appendChild($e);}return $d->saveXML();}
function dom_xpath($d){return (new DOMXPath($d))->query('//item[@id]')->length;}
function dom_walk($d){foreach($d->documentElement->childNodes as $c){$c->nodeName;$c->textContent;}}
function xmlreader_loop($x){$r=new XMLReader;$r->XML($x);while($r->read())$r->name;}
function xmlwriter_build(){$w=new XMLWriter;$w->openMemory();$w->startDocument();$w->startElement('a');$w->writeAttribute('b','c');$w->text('t');$w->endElement();return $w->outputMemory();}
function xml_parse_loop($x){$p=xml_parser_create();xml_set_element_handler($p,fn()=>0,fn()=>0);xml_parse($p,$x,true);}
function dom_attr($d){$e=$d->documentElement->firstChild;$e->setAttribute('q','1');$e->getAttribute('q');$e->removeAttribute('q');}
function dom_append(){global $dom;$e=$dom->createElement('z');$dom->documentElement->appendChild($e);$dom->documentElement->removeChild($e);}
function html_load($h){$d=new DOMDocument;@$d->loadHTML($h);return $d;} $dom5=Dom\HTMLDocument::createFromString('<!doctype html><p class=a>x<p class=b>y'); function domq($d){return $d->querySelector('p.b')->textContent;}
function dom_clone($d){return $d->documentElement->cloneNode(true);}
function sx_add(){$x=new SimpleXMLElement('<r/>');$x->addChild('a','b')->addAttribute('c','d');return $x->asXML();}
$pdo=new PDO('sqlite::memory:');
$pdo->exec('create table t(a integer primary key,b text,c real)'); for($i=0;$i<20;$i++)$pdo->exec("insert into t(b,c) values('n$i',$i.5)");
$pdo->exec('create table u(a,b)');
function pdo_insert($p){$p->exec("insert into u values(1,'x')");$p->exec('delete from u');}
function pdo_select($p){foreach($p->query('select * from t') as $r);}
function pdo_prep($p){$s=$p->prepare('select b from t where a=?');$s->execute([5]);return $s->fetchColumn();}
function pdo_fetchall($p){return $p->query('select * from t')->fetchAll(PDO::FETCH_ASSOC);}
function pdo_tx($p){$p->beginTransaction();$p->commit();}
class Rw{public $a,$b,$c;}
function pdo_fetch_class($p){return $p->query('select * from t')->fetchAll(PDO::FETCH_CLASS,'Rw');} $sq3=new SQLite3(':memory:');$sq3->exec('create table t(a,b)');$sq3->exec("insert into t values(1,'x'),(2,'y')"); function sq3_select($d){$r=$d->query('select * from t');while($x=$r->fetchArray(SQLITE3_ASSOC));}
function sq3_prep($d){$s=$d->prepare('select * from t where a=:a');$s->bindValue(':a',1);return $s->execute()->fetchArray();}
$nf=new NumberFormatter('en_US',NumberFormatter::DECIMAL);$nf2=$nf;$df=new IntlDateFormatter('en_US',IntlDateFormatter::LONG,IntlDateFormatter::SHORT,'UTC');$col=new Collator('en_US');$cal_t=IntlCalendar::createInstance('UTC');$tr=Transliterator::create('Any-Latin; Latin-ASCII'); function col_sort($c,$l){$c->sort($l);};
function break_iter($u){$b=IntlBreakIterator::createWordInstance('en');$b->setText($u);foreach($b as $x);}
function parsed_number($n,$s){return $n->parse($s);}
$k32=str_repeat('k',32);$iv=str_repeat('i',16);$enc=openssl_encrypt($s,'aes-256-cbc',$k32,0,$iv);$nonce=str_repeat('n',24); function hash_ctx(){$c=hash_init('sha256');hash_update($c,'a');return hash_final($c);};
function openssl_aes_gcm(){global $k32;return openssl_encrypt('abc','aes-256-gcm',$k32,0,'123456789012',$tag);}
function openssl_sign_verify(){static $k=null;$k??=openssl_pkey_new(['private_key_type'=>OPENSSL_KEYTYPE_EC,'curve_name'=>'prime256v1']);openssl_sign('a',$sig,$k,'sha256');return strlen($sig)>10;}

$calls = [
    'strings' => [
        'strlen($s)',
        'str_repeat("ab",20)',
        'strrev($s)',
        'ucfirst($w)',
        'lcfirst($w)',
        'ucwords($s)',
        'strtolower($s)',
        'strtoupper($s)',
        'trim("  abc  ")',
        'rtrim("abc\n")',
        'ltrim("  abc")',
        'trim("--abc--","-")',
        'substr($s,3,10)',
        'substr($s,-5)',
        'substr_count($s,"o")',
        'substr_replace($s,"XX",3,4)',
        'str_replace("fox","cat",$s)',
        'str_replace(["quick","brown"],["slow","red"],$s)',
        'str_ireplace("FOX","cat",$s)',
        'strtr($s,"abc","xyz")',
        'strtr($s,["quick"=>"slow","dog"=>"cat"])',
        'strpos($s,"lazy")',
        'stripos($s,"LAZY")',
        'strrpos($s,"o")',
        'strripos($s,"O")',
        'strstr($s,"fox")',
        'stristr($s,"FOX")',
        'strrchr($s,"o")',
        'str_contains($s,"lazy")',
        'str_starts_with($s,"The")',
        'str_ends_with($s,"dog")',
        'explode(" ",$s)',
        'explode(",",$csv)',
        'implode(",",$list)',
        'implode(", ",$strs)',
        'str_split($s,4)',
        'chunk_split($s,10)',
        'wordwrap($s,15)',
        'nl2br("a\nb\nc")',
        'htmlspecialchars($html)',
        'htmlspecialchars_decode("&lt;a&gt;")',
        'htmlentities($html)',
        'html_entity_decode("&eacute;&lt;")',
        'strip_tags($html)',
        'addslashes("a\'b\"c")',
        'stripslashes("a\\\'b")',
        'addcslashes($s,"a..e")',
        'stripcslashes("a\\n")',
        'quotemeta("1+1=2?")',
        'nl_langinfo(CODESET)',
        'number_format(1234567.891,2)',
        'number_format(1234567)',
        'sprintf("%05d %s %.2f",42,$w,3.14159)',
        'sprintf("%s",$w)',
        'sprintf("%d",42)',
        'sprintf("%x",255)',
        'sprintf("%\'*10s|%-10s",$w,$w)',
        'vsprintf("%s-%s",[$w,$w])',
        'sscanf("12 apples","%d %s")',
        'str_pad($w,20)',
        'str_pad($w,20,"-",STR_PAD_BOTH)',
        'str_word_count($s)',
        'str_word_count($s,1)',
        'strcmp($w,"hello")',
        'strcasecmp($w,"HELLO")',
        'strncmp($w,"help",3)',
        'strncasecmp($w,"HELP",3)',
        'strnatcmp("img12","img10")',
        'strnatcasecmp("Img12","img10")',
        'strcoll($w,"hello")',
        'substr_compare($s,"quick",4,5)',
        'similar_text($w,"hallo")',
        'levenshtein($w,"hallo")',
        'soundex($w)',
        'metaphone($w)',
        'ucwords("hello-world","-")',
        'count_chars($s,3)',
        'count_chars($s,1)',
        'strspn("42 apples","0123456789")',
        'strcspn($s,"x")',
        'strpbrk($s,"xyz")',
        'md5($s)',
        'sha1($s)',
        'crc32($s)',
        'hash("sha256",$s)',
        'hash("xxh3",$s)',
        'hash("md5",$s)',
        'hash_hmac("sha256",$s,"key")',
        'base64_encode($s)',
        'base64_decode("VGhlIHF1aWNrIGJyb3du")',
        'bin2hex($s)',
        'hex2bin("54686520")',
        'dechex(255)',
        'hexdec("ff")',
        'bindec("1010")',
        'decbin(10)',
        'octdec("17")',
        'decoct(15)',
        'base_convert("ff",16,2)',
        'urlencode($s)',
        'urldecode("a%20b+c")',
        'rawurlencode($s)',
        'rawurldecode("a%20b")',
        'http_build_query(["a"=>1,"b"=>"x y"])',
        'parse_url("https://user@example.com:8080/p/a?q=1#f")',
        'parse_url("/a/b?c",PHP_URL_PATH)',
        'uniqid()',
        'lcg_value()',
        'ord($w)',
        'chr(65)',
        'nl2br($s)',
        'similar_text($s,$w)',
        'convert_uuencode($w)',
        'str_rot13($s)',
        'strval(42)',
        'ctype_digit("12345")',
        'ctype_alpha($w)',
        'ctype_alnum($w)',
        'ctype_space("  ")',
        'ctype_upper("ABC")',
        'ctype_punct("!?")',
        'ctype_xdigit("ff")',
        'is_numeric("12.5")',
        'is_numeric($w)',
        'intval("42")',
        'intval("ff",16)',
        'floatval("3.14")',
        'boolval("0")',
        'strval(3.14)',
        '(string)1.5',
        '(int)"123"',
        '(float)"1.5e3"',
        'var_export($list,true)',
        'var_export($map,true)',
        'print_r($map,true)',
        'serialize($map)',
        'serialize($list)',
        'serialize($obj)',
        'unserialize($ser)',
        'unserialize($serobj)',
        'json_encode($map)',
        'json_encode($list)',
        'json_encode($nested)',
        'json_encode($s)',
        'json_decode($json)',
        'json_decode($json,true)',
        'json_encode($nested,JSON_PRETTY_PRINT)',
        'json_validate($json)',
        'pack("NnC",1,2,3)',
        'unpack("Na/nb/Cc",$packed)',
        'str_getcsv($csv)',
        'vsprintf("%04d-%02d-%02d",[2024,5,6])',
        'ltrim("0012","0")',
        'strtok("a b c"," ")',
        'substr($s,0,1)',
        '$s[3]',
        '$s[-1]',
        '"$w $w"',
        '$s.$w',
        '$s===$s2',
        '$s=="abc"',
        '$w<=>"hello"',
        'nl2br("x")',
        'lcfirst("ABC")',
        'ucwords(strtolower("JOHN O\'REILLY"))',
        'wordwrap($s,8,"\n",true)',
        'strtolower($w)',
        'array_sum(str_split("12345"))',
        'mb_strlen($u)',
        'mb_substr($u,2,3)',
        'mb_strtoupper($u)',
        'mb_strtolower($u)',
        'mb_strpos($u,"é")',
        'mb_str_split($u)',
        'mb_convert_case($u,MB_CASE_TITLE)',
        'mb_convert_encoding($u,"ISO-8859-1","UTF-8")',
        'mb_detect_encoding($u)',
        'mb_check_encoding($u,"UTF-8")',
        'mb_strwidth($u)',
        'mb_substr_count($u,"é")',
        'mb_internal_encoding()',
        'mb_trim($u)',
        'mb_ucfirst($u)',
        'mb_str_pad($u,20)',
        'mb_strimwidth($u,0,8,"...")',
        'mb_strrpos($u,"é")',
        'mb_ord("é")',
        'mb_chr(233)',
        'mb_stripos($u,"É")',
        'mb_encode_mimeheader($u)',
        'iconv("UTF-8","ISO-8859-1",$u)',
        'iconv_strlen($u)',
        'iconv_substr($u,1,3)',
        'utf8_decode($u)',
        'utf8_encode("abc")',
        'grapheme_strlen($u)',
        'normalizer_normalize($u)',
        'idn_to_ascii("bücher.de")',
        'transliterator_transliterate("Any-Latin; Latin-ASCII",$u)',
        'filter_var("123",FILTER_VALIDATE_INT)',
        'filter_var("a@b.com",FILTER_VALIDATE_EMAIL)',
        'filter_var("http://a.com/x",FILTER_VALIDATE_URL)',
        'filter_var("1.2.3.4",FILTER_VALIDATE_IP)',
        'filter_var("yes",FILTER_VALIDATE_BOOLEAN)',
        'filter_var("1.5",FILTER_VALIDATE_FLOAT)',
        'escapeshellarg($w)',
        'basename("/a/b/c.txt")',
        'dirname("/a/b/c.txt")',
        'pathinfo("/a/b/c.txt")',
        'pathinfo("/a/b/c.txt",PATHINFO_EXTENSION)',
        'realpath("/usr/../usr")',
        'version_compare("8.1.2","8.1.10")',
        'ip2long("1.2.3.4")',
        'long2ip(16909060)',
        'inet_pton("1.2.3.4")',
        'password_get_info("x")',
        'highlight_string("<?php echo 1;",true)',
        'token_get_all("<?php echo 1;")',
        'PhpToken::tokenize("<?php echo 1;")',
        'ucwords($w)',
        'strcmp($s,$s2)',
        'array_map("trim",$strs)',
        'nl2br($html)',
        'sprintf("%\'.10d|%+d|%e|%g|%c|%o|%b|%X",42,7,1.5,0.1,65,8,5,255)',
        'sprintf("%1\$s %2\$s %1\$s",$w,$w)',
        'similar_text("World","Word")',
        'substr_count($s,"the")',
        'ucfirst(trim($w))',
        'str_word_count($s,2)',
        'strrev($u)',
        'hash("crc32b",$s)',
        'hash("sha512",$s)',
        'hash("adler32",$s)',
        'hash("fnv1a32",$s)',
        'md5($w,true)',
        'crc32($w)',
        'bin2hex(random_bytes(8))',
        'gzcompress($long)',
        'gzuncompress($gz)',
        'gzencode($long)',
        'gzdeflate($long)',
        'levenshtein("kitten","sitting")',
        'quoted_printable_encode($u)',
        'quoted_printable_decode("=C3=A9")',
        'convert_uudecode($uu)',
        'addslashes($s)',
        'nl2br($long)',
        'strip_tags($html,"<b>")',
        'htmlspecialchars($long)',
        'str_replace("a","b",$long)',
        'strtoupper($long)',
        'strrev($long)',
        'ucwords($long)',
        'trim($long)',
        'md5($long)',
        'explode(" ",$long)',
        'strpos($long,"zzz")',
        'substr_count($long,"fox")',
        'wordwrap($long,60)',
        'str_word_count($long)',
        'similar_text($long2,$long3)',
        'soundex("Robert")',
        'number_format(0.5)',
        'number_format(-1234.567,2,",",".")',
        'localeconv()',
        'setlocale(LC_ALL,0)',
        'vsprintf("%s %d",["a",1])',
        'fprintf($devnull,"%s",$w)',
        'implode(",",$big)',
        'count(explode(",",$csv))',
        'ltrim($s,"The ")',
        'str_ireplace(["a","b"],["c","d"],$s)',
        'strtr($long,["fox"=>"cat","dog"=>"bird","quick"=>"slow"])',
    ],
    'arrays' => [
        'count($list)',
        'array_sum($list)',
        'array_product([1,2,3])',
        'array_keys($map)',
        'array_values($map)',
        'array_merge($list,$list)',
        'array_merge($map,$map)',
        '[...$list,...$list]',
        '[...$map,...$map]',
        'array_combine($strs,$strs)',
        'array_flip($strs)',
        'array_fill(0,20,1)',
        'array_fill_keys($strs,0)',
        'range(1,20)',
        'range("a","z")',
        'range(0,1,0.1)',
        'array_slice($list,2,5)',
        'array_slice($map,1,2)',
        'array_splice_copy($list)',
        'array_reverse($list)',
        'array_reverse($map)',
        'in_array(7,$list)',
        'in_array("c",$strs)',
        'in_array("c",$strs,true)',
        'array_search(7,$list)',
        'array_search("x",$strs)',
        'array_key_exists("b",$map)',
        'array_key_first($map)',
        'array_key_last($map)',
        'array_unique($dups)',
        'array_unique($strs)',
        'array_count_values($strs)',
        'array_filter($list)',
        'array_filter($list,fn($x)=>$x>5)',
        'array_filter($map,fn($k)=>$k!="a",ARRAY_FILTER_USE_KEY)',
        'array_map(fn($x)=>$x*2,$list)',
        'array_map(null,$list,$list)',
        'array_map(fn($a,$b)=>$a+$b,$list,$list)',
        'array_map("strlen",$strs)',
        'array_map("strtoupper",$strs)',
        'array_reduce($list,fn($c,$x)=>$c+$x,0)',
        'array_walk_copy($list)',
        'array_walk_rec($nested)',
        'array_column($rows,"id")',
        'array_column($rows,"name","id")',
        'array_chunk($list,3)',
        'array_chunk($map,2,true)',
        'array_pad($list,20,0)',
        'array_diff($list,[1,2,3])',
        'array_diff_key($map,["a"=>1])',
        'array_diff_assoc($map,["a"=>1])',
        'array_intersect($list,[1,2,3])',
        'array_intersect_key($map,["a"=>1])',
        'array_udiff($list,[1,2,3],fn($a,$b)=>$a<=>$b)',
        'array_diff_ukey($map,["a"=>1],"strcmp")',
        'array_merge_recursive($nested,$nested)',
        'array_replace($map,["a"=>5])',
        'array_replace_recursive($nested,$nested)',
        'array_is_list($list)',
        'array_rand($list)',
        'array_rand($list,3)',
        'shuffle_copy($list)',
        'array_change_key_case($map,CASE_UPPER)',
        'sort_copy($shuf)',
        'rsort_copy($shuf)',
        'asort_copy($map)',
        'ksort_copy($map)',
        'usort_copy($shuf)',
        'uasort_copy($map)',
        'uksort_copy($map)',
        'sort_str($strs)',
        'natsort_copy($strs)',
        'multisort_copy($shuf)',
        'sort_flag($strs)',
        'max($list)',
        'min($list)',
        'max(1,2,3)',
        'min(3,2,1)',
        'compact("s","w")',
        'array_find($list,fn($x)=>$x>5)',
        'array_any($list,fn($x)=>$x>5)',
        'array_all($list,fn($x)=>$x>0)',
        'array_find_key($list,fn($x)=>$x>5)',
        'iterator_to_array(new ArrayIterator($list))',
        'iterator_count(new ArrayIterator($list))',
        'current($list)',
        'end_copy($list)',
        'next_loop($list)',
        'key($map)',
        'extract(["zz"=>1])',
        'list_swap()',
        'array_push_pop()',
        'array_shift_copy($list)',
        'array_unshift_copy($list)',
        'foreach_kv($map)',
        'foreach_ref($list)',
        'nested_get($nested)',
        'count($nested,COUNT_RECURSIVE)',
        '$list==$list2',
        '$map==$map2',
        '$list===$list2',
        '$map+["z"=>1]',
        'isset($map["a"])',
        '$map["zz"]??0',
        '(object)$map',
        '(array)$obj',
        'array_flip($list)',
        'array_multisort_rows($rows)',
        'array_walk($list2c,fn($v,$k)=>$v)',
        'usort_str($strs)',
        'array_map($first_class,$strs)',
        'sort_big($big)',
        'array_sum(array_column($rows,"id"))',
        'array_intersect_assoc($map,$map)',
        'array_uintersect($list,[1,2],fn($a,$b)=>$a<=>$b)',
        'array_fill_keys(range(0,9),null)',
        'str_split("abcdef")',
        'array_keys($list,5)',
        'array_unique($rows,SORT_REGULAR)',
        'array_product($list)',
        'implode(",",array_map("strval",$list))',
        'array_map(fn($r)=>$r["name"],$rows)',
        'iterator_to_array(gen())',
        'array_sum($floats)',
        'max($floats)',
        'array_filter($strs,"strlen")',
        'array_merge(...$nestedlists)',
        'array_walk_recursive_sum($nested)',
        'krsort_copy($map)',
        'arsort_copy($map)',
        'natcasesort_copy($strs)',
        'array_key_exists(3,$list)',
        'array_flip($map)',
    ],
    'math' => [
        'abs(-5)',
        'abs(-5.5)',
        'ceil(4.3)',
        'floor(4.7)',
        'round(3.14159,2)',
        'round(1234.5)',
        'round(1241757,-3)',
        'sqrt(16)',
        'pow(2,10)',
        '2**10',
        '2**0.5',
        'intdiv(17,5)',
        '17%5',
        'fmod(17.5,5)',
        'sin(1)',
        'cos(1)',
        'tan(1)',
        'atan2(1,2)',
        'exp(1)',
        'log(10)',
        'log10(100)',
        'log2(8)',
        'log(8,2)',
        'pi()',
        'hypot(3,4)',
        'deg2rad(180)',
        'is_nan(1.5)',
        'is_finite(1.5)',
        'rand(1,100)',
        'mt_rand()',
        'mt_rand(1,100)',
        'random_int(1,100)',
        'mt_srand(5)',
        'max(1,2)',
        'min(1,2)',
        'array_sum([1,2])',
        'number_format(5)',
        'fdiv(1,3)',
        'bcadd("1.5","2.5",2)',
        'bcmul("123456789","987654321")',
        'bcdiv("10","3",10)',
        'bcpow("2","100")',
        'bcsqrt("2",20)',
        'bccomp("1","2")',
        'bcmod("10","3")',
        'gmp_add("123","456")',
        'gmp_strval(gmp_pow(2,100))',
        'gmp_mod(gmp_init(1000),7)',
        'gmp_cmp(5,3)',
        'cos(0.5)+sin(0.5)',
        '(int)3.7',
        '(string)0.1',
        '0.1+0.2',
        '1e3===1000.0',
        '7<=>3',
        'PHP_INT_MAX+1',
        '5|3',
        '5<<2',
        '~5',
        '!true',
        '10**-2',
        'intval(3.9)',
        'is_int(5)',
        'mt_getrandmax()',
        'base_convert("zz",36,10)',
        'cal_days_in_month(CAL_GREGORIAN,2,2024)',
        'jdtogregorian(2460000)',
        'gregoriantojd(1,1,2024)',
        'easter_days(2024)',
        'random_bytes(16)',
        '$rnd->getInt(1,100)',
        '$rnd->getBytes(8)',
        '$rnd->shuffleArray($list)',
        '$rnd->getFloat(0,1)',
    ],
    'date' => [
        'time()',
        'microtime(true)',
        'hrtime(true)',
        'date("Y-m-d H:i:s",1700000000)',
        'date("D, d M Y",1700000000)',
        'date("c",1700000000)',
        'gmdate("Y-m-d",1700000000)',
        'mktime(1,2,3,4,5,2024)',
        'gmmktime(1,2,3,4,5,2024)',
        'checkdate(2,29,2024)',
        'strtotime("2024-05-06")',
        'strtotime("2024-05-06 10:11:12")',
        'strtotime("+1 day",1700000000)',
        'strtotime("next monday",1700000000)',
        'strtotime("2024-05-06T10:11:12+02:00")',
        'strtotime("last day of february",1700000000)',
        'getdate(1700000000)',
        'localtime(1700000000,true)',
        'idate("Y",1700000000)',
        'date_parse("2024-05-06 10:00")',
        'date_parse_from_format("Y-m-d","2024-05-06")',
        'new DateTime("2024-05-06")',
        'new DateTime("2024-05-06 10:11:12",$tz)',
        'new DateTimeImmutable("now")',
        'new DateTimeImmutable("2024-01-01")',
        '$dt->format("Y-m-d H:i:s")',
        '$dt->format(DATE_ATOM)',
        '$dti->modify("+1 day")',
        '$dti->modify("first day of next month")',
        '$dti->add($int)',
        '$dti->sub($int)',
        '$dti->diff($dti2)',
        '$dti->setTime(1,2)',
        '$dti->setDate(2020,1,2)',
        '$dti->setTimezone($tz)',
        '$dti->getTimestamp()',
        '$dti->getOffset()',
        '$dti->getTimezone()',
        '$dti<$dti2',
        'new DateInterval("P1DT2H")',
        '$int->format("%d %h")',
        'DateTime::createFromFormat("Y-m-d","2024-05-06")',
        'DateTimeImmutable::createFromFormat("d/m/Y H:i","06/05/2024 10:11")',
        'new DateTimeZone("Europe/Paris")',
        '$tz->getOffset($dt)',
        '$tz->getName()',
        '$tz->getTransitions(1700000000,1710000000)',
        'period_loop($dti,$int)',
        'date_default_timezone_get()',
        'date_create("2024-05-06")->format("U")',
        '$dti->setTimestamp(5)',
        '$dti->format("l jS F Y")',
        'clone $dt',
        'date_diff($dti,$dti2)->days',
        'timezone_name_from_abbr("CET")',
        'date_sun_info(1700000000,50,10)',
        'DateInterval::createFromDateString("3 days")',
        '$dti->setISODate(2024,10)',
        '$dti->getMicrosecond()',
        'serialize($dti)',
        'json_encode($dt)',
        'var_export($dti,true)',
        'idate("y")',
    ],
    'regex' => [
        'preg_match("/\\\\d+/","abc123")',
        'preg_match("/(\\\\w+) (\\\\w+)/",$s,$m)',
        'preg_match("/^[a-z]+$/i",$w)',
        'preg_match_all("/\\\\w+/",$s,$m)',
        'preg_match_all("/(?<a>\\\\w)(\\\\w+)/",$s,$m,PREG_SET_ORDER)',
        'preg_replace("/o/","0",$s)',
        'preg_replace("/(\\\\w+) (\\\\w+)/","$2 $1",$s)',
        'preg_replace_callback("/\\\\w+/",fn($m)=>strtoupper($m[0]),$s)',
        'preg_split("/\\\\s+/",$s)',
        'preg_split("//",$w,-1,PREG_SPLIT_NO_EMPTY)',
        'preg_split("/(o)/",$s,-1,PREG_SPLIT_DELIM_CAPTURE)',
        'preg_quote("a.b*c")',
        'preg_grep("/^a/",$strs)',
        'preg_match("/é/u",$u)',
        'preg_replace("/\\\\p{L}/u","x",$u)',
        'preg_match("/(\\\\d+)-(\\\\d+)/","10-20",$m,PREG_OFFSET_CAPTURE)',
        'preg_replace(["/a/","/b/"],["b","c"],$s)',
        'preg_match("/fox/",$long)',
        'preg_match_all("/fox/",$long,$m)',
        'preg_replace("/\\\\s+/"," ",$long)',
        'preg_replace_callback_array(["/a/"=>fn($m)=>"b"],$s)',
        'preg_last_error()',
        'preg_last_error_msg()',
        'preg_match("~^(?:(?:25[0-5]|2[0-4]\\\\d|1?\\\\d?\\\\d)(?:\\\\.(?!\\$)|\\$)){4}\\$~","192.168.1.1")',
        'preg_split("/,/",$csv)',
        'preg_match("/^\\\\S+@\\\\S+\\\\.\\\\S+$/","me@example.com")',
    ],
    'objects' => [
        'new Pt(1,2)',
        '$pt->x',
        '$pt->getX()',
        '$pt->setX(5)',
        'Pt::make()',
        'Pt::C',
        'Pt::$st',
        'clone $pt',
        '$pt instanceof Pt',
        'get_class($pt)',
        '$pt::class',
        'get_object_vars($pt)',
        'method_exists($pt,"getX")',
        'property_exists($pt,"x")',
        'is_callable([$pt,"getX"])',
        'is_a($pt,"Pt")',
        'is_subclass_of($ch,"Pt")',
        'get_parent_class($ch)',
        'class_exists("Pt")',
        'class_implements($ch)',
        '$mg->foo',
        '$mg->bar(1)',
        'Mg::stat(1)',
        'isset($mg->foo)',
        '$mg->foo=1',
        '(string)$mg',
        '$inv(3)',
        'call_user_func([$pt,"getX"])',
        'call_user_func("strlen",$w)',
        'call_user_func_array([$pt,"setX"],[5])',
        'call_user_func_array("max",[1,2])',
        'func_va(1,2,3)',
        'func_named(b:2,a:1)',
        '$clo(1)',
        '(fn($x)=>$x+1)(1)',
        'array_map($pt->getX(...),[1])',
        '$pt->getX(...)',
        'strlen(...)',
        'Closure::fromCallable("strlen")',
        '$clo->call($pt,1)',
        'Closure::bind($clo2,$pt,Pt::class)',
        '$clo2->bindTo($pt)',
        'new class{public $a=1;}',
        'Su::H->value',
        'Su::from("H")',
        'Su::tryFrom("Z")',
        'Su::cases()',
        'Su::H->label()',
        'Su::H===Su::S',
        'match(true){$pt->x>100=>1,default=>2}',
        '$nul?->foo',
        '$pt==$pt2',
        '$pt<=>$pt2',
        'spl_object_id($pt)',
        'spl_object_hash($pt)',
        '$ro->a',
        'new Ro(1)',
        'iterator_to_array(gen())',
        'gen_sum()',
        'gen_send()',
        'yield_from_sum()',
        'try_catch()',
        'try_catch_deep()',
        '(new Exception("a"))->getMessage()',
        'new Exception("a")',
        '(new Exception("a"))->getTraceAsString()',
        'static_var()',
        'recursive(5)',
        'byref($cnt)',
        '$ao["a"]',
        '$ao["b"]=1',
        'isset($ao["a"])',
        'count($ao)',
        'foreach_ao($ao)',
        '$ar["a"]',
        '$ar["b"]=1',
        'isset($ar["a"])',
        'foreach_it($itr)',
        '$hk->name',
        '$hk->name="x"',
        'new ReflectionClass("Pt")',
        '(new ReflectionClass("Pt"))->getMethods()',
        '(new ReflectionClass("Pt"))->newInstanceArgs([1,2])',
        '(new ReflectionClass("Pt"))->getProperties()',
        '(new ReflectionMethod("Pt","getX"))->invoke($pt)',
        '(new ReflectionProperty("Pt","x"))->getValue($pt)',
        '(new ReflectionFunction("func_named"))->getParameters()',
        '(new ReflectionClass("Pt"))->getAttributes()',
        '(new ReflectionClass("Pt"))->getAttributes()[0]->newInstance()',
        '(new ReflectionClass("Pt"))->getDocComment()',
        '(new ReflectionObject($pt))->getShortName()',
        '(new ReflectionMethod("Pt","setX"))->getParameters()[0]->getType()->getName()',
        '(new ReflectionClass("Pt"))->getConstructor()->getParameters()',
        '(new ReflectionClass("Pt"))->hasMethod("getX")',
        '(new ReflectionClass("Pt"))->implementsInterface("Countable")',
        '(new ReflectionClass("Pt"))->newInstanceWithoutConstructor()',
        'debug_backtrace()',
        'debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS,2)',
        'get_debug_type($pt)',
        'gettype($pt)',
        'get_called_class_test()',
        'define_const()',
        'constant("Pt::C")',
        'defined("PHP_EOL")',
        'function_exists("strlen")',
        'get_class_methods("Pt")',
        'get_class_vars("Pt")',
        'iterator_count($itr)',
        'var_dump_ob($pt)',
        'var_export($pt,true)',
        'print_r($pt,true)',
        '(bool)$pt',
        '(array)$pt',
        'json_encode($pt)',
        'serialize($pt)',
        'unserialize($serpt)',
        'WeakReference::create($pt)->get()',
        '$wm[$pt]',
        '$wm[$pt]=1',
        'fiber_run()',
        'ob_capture()',
        'trigger_suppressed()',
        '@$undef_arr["x"]',
        'set_error_handler_rt()',
        'assert(true)',
        'ini_get("memory_limit")',
        'ini_set("precision","14")',
        'getenv("HOME")',
        'php_sapi_name()',
        'phpversion()',
        'php_uname("s")',
        'memory_get_usage()',
        'gc_collect_cycles()',
        'sys_get_temp_dir()',
        'spl_autoload_functions()',
        'get_object_vars($big_obj)',
        'array_map([$pt,"setX"],[1,2])',
        'usort_obj($pts)',
        'iterator_apply($itr,fn()=>true)',
        'new ArrayObject($list)',
        'new ArrayIterator($list)',
        '$pt->{"x"}',
        '$pt->{$mname}()',
        '[$pt,"getX"]()',
        '[Pt::class,"make"]()',
        '("Pt")::make()',
        'new $cname(1,2)',
        '$cname::C',
        '$ch->parentCall()',
        '$ch->abstractImpl()',
        '$ch->traitMethod()',
        'Ch::lateStatic()',
        '$ch->typed(5,"a",[1])',
        '$ch->nullable(null)',
        '$ch->union(5)',
        '$ch->defaults()',
        '$pt->withX(3)',
        'iterator_to_array(new LimitIterator(new ArrayIterator($list),2,3))',
    ],
    'spl' => [
        'stack_ops()',
        'queue_ops()',
        'heap_ops()',
        'pq_ops()',
        'fixed_ops()',
        'storage_ops()',
        'dll_iter()',
        'ao_iter($list)',
        'ao_iter($map)',
        'ao_sort()',
        'ai_seek()',
        'limit_it($list)',
        'append_it($list)',
        'multi_it($list)',
        'filter_it($list)',
        'cb_filter($list)',
        'caching_it($list)',
        'regex_it($strs)',
        'rec_it($nested)',
        'rec_leaves($nested)',
        'gen_it()',
        'infinite_it($list)',
        'norewind_it($list)',
        'it_it($list)',
        'tmpfile_ops()',
        'splobj_foreach()',
        'iterator_to_array(new CallbackFilterIterator(new ArrayIterator($list),fn($x)=>$x>3))',
        'fixed_from($list)',
        '$fx[3]',
        '$fx[3]=5',
        'count($fx)',
        'foreach_it2($fx)',
        'spl_object_id($fx)',
        'minheap_iter()',
        'll_push()',
        '$ll[2]',
        '$ll->top()',
        'storage_iter()',
        '$sto[$pt]',
        '$sto->contains($pt)',
        'ao_append()',
        '$aob["a"]',
        '$aob["q"]=1',
        'isset($aob["a"])',
        'foreach_it2($aob)',
        'count($aob)',
        'ao_props()',
    ],
    'io' => [
        'file_exists("/etc/passwd")',
        'is_file("/etc/passwd")',
        'is_dir("/etc")',
        'filesize("/etc/passwd")',
        'filemtime("/etc/passwd")',
        'stat("/etc/passwd")',
        'file_get_contents($tmp)',
        'file($tmp)',
        'file($tmp,FILE_IGNORE_NEW_LINES)',
        'file_put_contents($tmp2,$s)',
        'fopen_read($tmp)',
        'fgets_loop($tmp)',
        'fgetc_loop($tmp)',
        'feof_loop($tmp)',
        'fgetcsv_loop($tmpcsv)',
        'fputcsv_mem($rows)',
        'fwrite_mem($s)',
        'stream_get_contents_mem()',
        'scandir("/etc/apt")',
        'glob("/etc/*.conf")',
        'touch($tmp2)',
        'is_writable($tmp)',
        'tempnam_rm()',
        'splfile_loop($tmp)',
        'dir_iter("/etc/apt")',
        'rdi("/etc/apt")',
        'md5_file($tmp)',
        'hash_file("sha256",$tmp)',
        'unlink_new()',
        'mkdir_rm()',
        'rename_back()',
        'copy($tmp,$tmp2)',
        'readfile_ob($tmp)',
        'parse_ini_string("a=1\nb=2")',
        'parse_str_test()',
        'include_small()',
        'clearstatcache()',
        'getcwd()',
        'opendir_loop()',
        'SplFileInfo_ops()',
        'fseek_loop($tmp)',
        'fread_chunks($tmp)',
        'php_memory_write()',
        'stream_filter_rot()',
        'fscanf_loop()',
        'echo_ob(100)',
        'ob_nested()',
        'printf_ob()',
    ],
    'xml' => [
        'simplexml_load_string($xml)',
        'sx_access($sx)',
        'sx_xpath($sx)',
        'sx_iter($sx)',
        '$sx->asXML()',
        'dom_load($xml)',
        'dom_build()',
        'dom_xpath($dom)',
        'dom_walk($dom)',
        '$dom->saveXML()',
        '$dom->getElementsByTagName("item")->length',
        'xmlreader_loop($xml)',
        'xmlwriter_build()',
        'xml_parse_loop($xml)',
        'dom_attr($dom)',
        'dom_append()',
        'html_load($html)',
        'domq($dom5)',
        'dom_clone($dom)',
        'sx_add()',
    ],
    'db' => [
        'pdo_insert($pdo)',
        'pdo_select($pdo)',
        'pdo_prep($pdo)',
        'pdo_fetchall($pdo)',
        'sq3_select($sq3)',
        'sq3_prep($sq3)',
        '$pdo->quote("a\'b")',
        'pdo_tx($pdo)',
        'pdo_fetch_class($pdo)',
    ],
    'intl' => [
        '$nf->format(1234567.891)',
        '$df->format(1700000000)',
        '$col->compare("a","b")',
        'col_sort($col,$strs)',
        'MessageFormatter::formatMessage("en_US","{0,number} items",[5])',
        'Normalizer::normalize($u)',
        'grapheme_substr($u,1,3)',
        '$cal_t->add(IntlCalendar::FIELD_MONTH,1)',
        '$cal_t->getTime()',
        'break_iter($u)',
        'Locale::getDisplayName("fr_FR","en")',
        'IntlChar::toupper("é")',
        'grapheme_str_split($u)',
        'NumberFormatter::create("de",NumberFormatter::CURRENCY)->formatCurrency(5.5,"EUR")',
        'parsed_number($nf2,"1,234.5")',
        '$tr->transliterate($u)',
        'collator_get_sort_key($col,"abc")',
    ],
    'crypto' => [
        'openssl_encrypt($s,"aes-256-cbc",$k32,0,$iv)',
        'openssl_decrypt($enc,"aes-256-cbc",$k32,0,$iv)',
        'openssl_digest($s,"sha256")',
        'openssl_random_pseudo_bytes(16)',
        'sodium_crypto_secretbox($s,$nonce,$k32)',
        'sodium_crypto_generichash($s)',
        'sodium_bin2hex($s)',
        'hash_pbkdf2("sha256","p","s",10)',
        'hash_equals($s,$s2)',
        'hash_algos()',
        'hash_ctx()',
        'crc32($long)',
        'hash("sha3-256",$s)',
        'hash("whirlpool",$s)',
        'hash("murmur3a",$s)',
        'hash("ripemd160",$s)',
        'md5($long)',
        'sha1($long)',
        'hash("sha256",$long)',
        'hash("xxh64",$long)',
        'hash_hkdf("sha256","key")',
        'openssl_aes_gcm()',
        'openssl_sign_verify()',
    ],
];

[$word, $milliseconds] = [$argv[1] ?? '', (float) ($argv[2] ?? 3)];
$names = implode(', ', array_map(fn($name) => "\$$name", array_diff(array_keys($GLOBALS), ['GLOBALS', 'argv', 'argc', '_GET', '_POST', '_COOKIE', '_FILES', '_SERVER', '_ENV', '_REQUEST'])));
foreach ($calls as $group => $texts) {
    foreach ($texts as $text) {
        if ($word !== '' && !str_contains($text, $word)) {
            continue;
        }
        try {
            $run = eval("return static function (\$turns) { global $names; for (\$turn = 0; \$turn < \$turns; ++\$turn) { \$result = $text; } };");
            $done = 0;
            $start = hrtime(true);
            for ($turns = 1; ($spent = hrtime(true) - $start) < $milliseconds * 1e6; $turns = min($turns * 2, 10000)) {
                $run($turns);
                $done += $turns;
            }
            printf("%-10s %12.1f  %s\n", $group, $spent / $done, $text);
        } catch (Error) {
        }
    }
}
