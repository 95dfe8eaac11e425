<?php
// PHPUnit runs a suite of its own: providers, doubles, failures with differences, errors, output, separate processes.
$folder = sys_get_temp_dir() . '/opline-package-' . str_pad((string) getmypid(), 8, '0', STR_PAD_LEFT);
mkdir($folder);
register_shutdown_function(fn () => array_map(unlink(...), glob("$folder/*")) && rmdir($folder));

file_put_contents("$folder/BasketTest.php", <<<'TEST'
<?php
use PHPUnit\Framework\Attributes\{CoversNothing, DataProvider, Depends, Group, TestDox, TestWith};
use PHPUnit\Framework\TestCase;

interface Prices { public function of(string $name, int ...$more): float; }
abstract class Basket {
    public array $lines = [];
    public function __construct(protected readonly Prices $prices) {}
    abstract protected function currency(): string;
    public function add(string $name, int $count = 1): static { $this->lines[$name] = ($this->lines[$name] ?? 0) + $count; return $this; }
    public function total(): float { $sum = 0.0; foreach ($this->lines as $name => $count) { $sum += $this->prices->of($name) * $count; } return $sum; }
}
class EuroBasket extends Basket { protected function currency(): string { return 'EUR'; } }

#[CoversNothing]
class BasketTest extends TestCase
{
    private EuroBasket $basket;
    protected function setUp(): void {
        $prices = $this->createStub(Prices::class);
        $prices->method('of')->willReturnMap([['apple', 1.5], ['pear', 2.25]]);
        $this->basket = new EuroBasket($prices);
    }
    public static function lines(): iterable {
        yield 'none' => [[], 0.0];
        yield 'one' => [['apple' => 1], 1.5];
        yield 'two' => [['apple' => 2, 'pear' => 4], 12.0];
        yield 'wrong' => [['pear' => 1], 3.0];
    }
    #[DataProvider('lines')] public function testTotal(array $lines, float $total): void {
        foreach ($lines as $name => $count) { $this->basket->add($name, $count); }
        $this->assertSame($total, $this->basket->total());
    }
    public function testIsFluent(): EuroBasket { $this->assertInstanceOf(Basket::class, $this->basket->add('x')); return $this->basket; }
    #[Depends('testIsFluent')] public function testKeeps(EuroBasket $basket): void { $this->assertArrayHasKey('x', $basket->lines); }
    #[TestWith([1, 2])] #[TestWith([3, 3])] public function testEqual(int $a, int $b): void { $this->assertEquals($a, $b, 'numbers'); }
    public function testArraysDiffer(): void { $this->assertEquals(['a' => 1, 'b' => [1, 2.5, null]], ['a' => 1, 'b' => [1, 2.25, true]]); }
    public function testObjectsDiffer(): void { $a = new ArrayObject([1]); $b = new ArrayObject([2]); $this->assertEquals($a, $b); }
    public function testTextsDiffer(): void { $this->assertSame("one\ntwo\nthree\n", "one\n2\nthree\n"); }
    public function testThrows(): void { $this->expectException(DivisionByZeroError::class); $this->expectExceptionMessage('by zero'); intdiv(1, 0); }
    public function testDoesNotThrow(): void { $this->expectException(LogicException::class); $this->assertTrue(true); }
    public function testError(): void { (function (int $x) {})('no'); }
    public function testWarning(): void { $this->assertSame([], @$undefined ?? []); echo $missing; }
    public function testDeprecated(): void { trigger_error('old', E_USER_DEPRECATED); $this->assertTrue(true); }
    public function testSkipped(): void { $this->markTestSkipped('not today'); }
    public function testIncomplete(): void { $this->markTestIncomplete(); }
    public function testRisky(): void { }
    public function testPrints(): void { $this->expectOutputString('abc'); echo 'abc'; }
    public function testPrintsOther(): void { $this->expectOutputRegex('/^x/'); echo 'abc'; }
    public function testMock(): void {
        $prices = $this->getMockBuilder(Prices::class)->onlyMethods(['of'])->getMock();
        $prices->expects($this->exactly(2))->method('of')->with($this->logicalOr('a', $this->stringStartsWith('b')))->willReturnCallback(fn($n) => strlen($n));
        $this->assertSame(4.0, (new EuroBasket($prices))->add('a')->add('bcd')->total());
    }
    public function testMockNotCalled(): void { $prices = $this->createMock(Prices::class); $prices->expects($this->once())->method('of'); }
    public function testMockOfClass(): void {
        $mock = $this->getMockBuilder(EuroBasket::class)->disableOriginalConstructor()->onlyMethods(['currency', 'add'])->getMock();
        $mock->method('add')->willReturnSelf();
        $this->assertSame($mock, $mock->add('q'));
        $this->assertStringStartsWith('MockObject_EuroBasket_', $mock::class);
    }
    public function testJson(): void { $this->assertJsonStringEqualsJsonString('{"a":[1,2]}', '{"a":[1,3]}'); }
    public function testXml(): void { $this->assertXmlStringEqualsXmlString('<a><b/></a>', '<a><c/></a>'); }
    public function testCounts(): void { $this->assertCount(3, [1, 2]); }
    public function testMatches(): void { $this->assertStringMatchesFormat("%d of %s\n%A", "x of y\nrest"); }
    public function testThat(): void { $this->assertThat(5, $this->logicalAnd($this->greaterThan(1), $this->lessThan(4))); }
    public function testNested(): void { throw new RuntimeException('outer', 3, new InvalidArgumentException('inner')); }
}
TEST);
chdir($folder);
foreach ([['--testdox'], ['--display-all-issues'], ['--list-tests'], ['--filter', '/testTotal.*o/', '--debug'], ['--stop-on-failure', '--teamcity']] as $options) {
    $process = proc_open(
        [getenv('ENGINE') ?: PHP_BINARY, '-n', '-d', 'memory_limit=512M', '-d', 'include_path=/usr/share/php', '-d', 'date.timezone=UTC', '/usr/bin/phpunit',
            '--no-configuration', '--do-not-cache-result', '--log-junit', "$folder/log.xml", ...$options, "$folder/BasketTest.php"],
        [1 => ['pipe', 'w'], 2 => ['redirect', 1]],
        $pipes,
    );
    $printed = stream_get_contents($pipes[1]);
    $status = proc_close($process);
    $printed = preg_replace(
        ['/Runtime: .*/', '/Time: .*/', '/[\d.]+ ms/', '/PHP [\d.]+( \(cli\))?/', "/duration='\d+'/", '/_[0-9a-f]{8}\b/', "/flowId='\d+'/", '/\[\d\d:\d\d:[^\]]*\]/', '/#\d+ \(/', '/Object #\d+/'],
        ['Runtime', 'Time', 'ms', 'PHP', 'duration', '_hash', 'flow', '[time]', '# (', 'Object #'],
        str_replace($folder, 'FOLDER', $printed),
    );
    echo '== ', implode(' ', $options), "\n", $printed, "\nstatus $status\n";
    if (is_file("$folder/log.xml")) {
        echo preg_replace(['/time="[^"]*"/', '/_[0-9a-f]{8}\b/', '/Object #\d+/'], ['', '_hash', 'Object #'], str_replace($folder, 'FOLDER', file_get_contents("$folder/log.xml")));
        unlink("$folder/log.xml");
    }
}
