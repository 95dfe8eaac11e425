<?php
class FtpServer {
    public $dataServer; public string $cwd='/'; public int $rest=0; public ?string $from=null; public bool $protected=false;
    public array $log=[];
    function __construct(public $c, public string $root, public ?string $pem=null) {}
    function say($l){ fwrite($this->c,"$l\r\n"); }
    function path($a){ $p = $a!=='' && $a[0]==='/' ? $a : rtrim($this->cwd,'/').'/'.$a; return rtrim($this->root.$p,'/') ?: '/'; }
    function data(){ $d=stream_socket_accept($this->dataServer,60); fclose($this->dataServer);
      if($this->protected){ stream_context_set_option($d,'ssl','local_cert',$this->pem); stream_socket_enable_crypto($d,true,STREAM_CRYPTO_METHOD_TLS_SERVER);} return $d; }
    function run(){
      $this->say('220 ready');
      while(($l=fgets($this->c))!==false){
        $l=rtrim($l,"\r\n"); file_put_contents("log", preg_replace("/127.0.0.1/", "", $l) . "\n", FILE_APPEND); [$v,$a]=explode(' ',$l,2)+[1=>''];
        switch(strtoupper($v)){
          case 'USER': $this->say($a==='anonymous'||$a==='user'?'331 password please':'530 no'); break;
          case 'PASS': $this->say($a==='wrong'?'530 no such user':'230 in'); break;
          case 'AUTH': if(!$this->pem){ $this->say('500 no'); break; } $this->say('234 go'); stream_context_set_option($this->c,'ssl','local_cert',$this->pem); stream_socket_enable_crypto($this->c,true,STREAM_CRYPTO_METHOD_TLS_SERVER); break;
          case 'PBSZ': $this->say('200 ok'); break;
          case 'PROT': $this->protected=$a==='P'; $this->say('200 ok'); break;
          case 'TYPE': $this->say('200 ok'); break;
          case 'SIZE': $p=$this->path($a); is_file($p)?$this->say('213 '.filesize($p)):$this->say('550 no file'); break;
          case 'MDTM': $p=$this->path($a); file_exists($p)?$this->say('213 20240102030405'):$this->say('550 no'); break;
          case 'EPSV': $this->dataServer=stream_socket_server('tcp://127.0.0.1:0'); $port=substr(strrchr(stream_socket_get_name($this->dataServer,false),':'),1); $this->say("229 Entering (|||$port|)"); break;
          case 'PASV': $this->dataServer=stream_socket_server('tcp://127.0.0.1:0'); $port=(int)substr(strrchr(stream_socket_get_name($this->dataServer,false),':'),1); $this->say('227 (127,0,0,1,'.($port>>8).','.($port&255).')'); break;
          case 'REST': $this->rest=(int)$a; $this->say('350 ok'); break;
          case 'RETR': $p=$this->path($a); if(!is_file($p)){ $this->say('550 no file'); break; } $this->say('150 here'); $d=$this->data(); fwrite($d,substr(file_get_contents($p),$this->rest)); $this->rest=0; fclose($d); $this->say('226 done'); break;
          case 'STOR': case 'APPE': $p=$this->path($a); $this->say('150 go'); $d=$this->data(); $s=stream_get_contents($d); fclose($d); if($v==='APPE') file_put_contents($p,$s,FILE_APPEND); else file_put_contents($p,$s); $this->say('226 done'); break;
          case 'NLST': $p=$this->path($a); if(!is_dir($p)){ $this->say('550 no dir'); break;} $this->say('150 here'); $d=$this->data(); foreach(array_diff(scandir($p),['.','..']) as $n) fwrite($d,"$n\r\n"); fclose($d); $this->say('226 done'); break;
          case 'CWD': is_dir($this->path($a))?$this->say('250 ok'):$this->say('550 no'); break;
          case 'MKD': @mkdir($this->path($a))?$this->say('257 made'):$this->say('550 cannot'); break;
          case 'RMD': @rmdir($this->path($a))?$this->say('250 ok'):$this->say('550 cannot'); break;
          case 'DELE': @unlink($this->path($a))?$this->say('250 ok'):$this->say('550 cannot delete'); break;
          case 'RNFR': $this->from=$this->path($a); file_exists($this->from)?$this->say('350 ok'):$this->say('550 nothing there'); break;
          case 'RNTO': @rename($this->from,$this->path($a))?$this->say('250 ok'):$this->say('550 cannot'); break;
          case 'QUIT': $this->say('221 bye'); return;
          default: $this->say('502 what');
        }
      }
    }
}
chdir($argv[1]);
$s = stream_socket_server('tcp://127.0.0.1:0'); echo stream_socket_get_name($s, false), "\n";
while ($c = @stream_socket_accept($s, 60)) { (new FtpServer($c, $argv[1] . '/root', $argv[2] ?? null ?: null))->run(); fclose($c); }