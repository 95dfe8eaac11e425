<?php
// PHP_CodeSniffer reports on a file of ours, on its own sources and on other packages', and mends.
$folder = sys_get_temp_dir() . '/opline-package-' . str_pad((string) getmypid(), 8, '0', STR_PAD_LEFT);
mkdir("$folder/src", recursive: true);
chdir($folder);
file_put_contents('src/a.php', <<<'CODE'
<?php
namespace Acme ;
use  Other\Thing, Second;
class foo_bar extends Thing{
    var $a = array( 'x'=>1,'y' => [1,2 ,3] );
    public function DoIt( $x,$y=NULL ) { if( $x==1 ) { return TRUE; } else if($y) return match(true){ default=>fn($q)=>$q*2 };
        $s = "value $x and {$this->a['x']}"; switch($x){ case 1: echo $s; break; default : print("no"); }
        foreach($y as $k=>$v){ $this -> a[ $k ] = & $v ; } ; for($i=0;$i<10;$i++) eval('1;');
        /* A comment */ # another
    	while(list(,$v)=each($y)) { $unused = <<<"X"
        text $v
        X; } }
    static private function &reference(int|string|null ...$many): ?static { global $g; return $g; }
}
enum Suit:string{ case A='a'; const B=self::A; }
#[Attribute] final readonly class R { public function __construct(private int $n=5,public ?string $very_long_name_of_a_parameter_that_is_long='a text that makes this line far too long') {} }
function &free( ) { goto end; end: return @$undefined ?: null; } ?>
<p><?= $x ?></p>
CODE);
file_put_contents('src/b.css', "a{color:#FFF;COLOR : red}\n\n\n.b { margin:0px }\n");
file_put_contents('src/c.js', "var a = 1\nfunction x ( b ){ if(a==b) return {x:1,'y':/re/g} }\n");
file_put_contents('rules.xml', '<?xml version="1.0"?><ruleset name="Ours"><description>Ours.</description><rule ref="Generic.Files.LineLength"><properties><property name="lineLimit" value="60"/></properties></rule><rule ref="PSR1"><exclude name="PSR1.Files.SideEffects"/></rule><rule ref="Squiz.Commenting.FunctionComment"/></ruleset>');
$php = escapeshellarg(getenv('ENGINE')) . ' -n -d error_reporting=24575 -d memory_limit=1G -d include_path=/usr/share/php -d date.timezone=UTC';
if (ini_get('opline.jit')) {
    $php .= ' -d opline.jit=' . ini_get('opline.jit');
}
$own = '/usr/share/php/PHP/CodeSniffer/src';
$commands = [
    'phpcs --version', 'phpcs -i', 'phpcs -e --standard=PSR12', 'phpcs --config-show', 'phpcs src', 'phpcs -s -v --standard=PSR12 src/a.php',
    'phpcs --standard=Squiz --report=source src', 'phpcs --standard=Squiz --report=json src', 'phpcs --standard=PEAR,Zend --report=xml src',
    'phpcs --standard=Generic --report=summary --report-width=100 src', 'phpcs --standard=MySource --report=emacs src', 'phpcs --standard=rules.xml --report=csv src',
    'phpcs --standard=rules.xml --report=checkstyle --severity=1 src', 'phpcs --standard=PSR2 --report=junit src', 'phpcs --standard=PSR12 --report=diff src',
    'phpcs --standard=Generic --report=info src', 'phpcs --standard=PSR12 --report=notifysend src/none', 'phpcs --standard=None src', 'phpcs --sniffs=PSR1.Files.SideEffects --report=full src',
    'phpcs --generator=Markdown --standard=PSR1', 'phpcs --generator=HTML --standard=PEAR',
    "phpcs --report=summary $own/Files $own/Tokenizers $own/Reporter.php", "phpcs --standard=Squiz --report=source $own/Runner.php $own/Util $own/Reports",
    "phpcs --standard=PSR12 --report=source -n /usr/share/php/Twig/Node", "phpcs --report=code --standard=Squiz /usr/share/php/Pimple/Container.php",
    'phpcbf --standard=PSR12 src', 'phpcbf --standard=Squiz src', 'phpcs --standard=PSR12 --report=summary src',
];
foreach ($commands as $command) {
    echo "== $command\n";
    $printed = shell_exec("$php /usr/bin/$command 2>&1");
    echo preg_replace(['/Time: .*/', '/\d+ms/', '/[\d.]+ secs/', '/(time|timestamp)="[^"]*"/', '/DONE in .*?\(/', '/\w+, \d\d \w+ \d{4} [\d:]{8} \+0000/'], ['Time', 'ms', 'secs', '', 'DONE (', 'DATE'],
        strtr($printed ?? 'nothing', [$folder => 'FOLDER', strtr($folder, ['/' => '\/']) => 'FOLDER'])), "\n";
}
foreach (glob('src/*') as $file) {
    echo "-- $file\n", file_get_contents($file);
}
shell_exec('rm -rf ' . escapeshellarg($folder));
