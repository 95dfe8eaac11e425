<?php
/** Doc. */
#[A]
abstract class C extends \D implements E, namespace\F {
    use T, U { T::a insteadof U; b as protected; U::c as final d; e as list; }
    /** One. */
    final public const int ONE = 1, class_ = 2;
    const array = [];
    /** Property. */
    public private(set) readonly ?int $p = 1, $q;
    var $old;
    public string $hooked = 'x' {
        /** Getter. */
        final &get => $this->hooked;
        set(string $value) { $this->hooked = $value; }
    }
    abstract public string $virtual { get; }
    public function __construct(private readonly int $a, protected $b = 1 { get => 2; }) {}
    abstract static function list(): void;
}
interface I extends J, K { const A = 1; }
trait T { private static $x; }
/** Suit. */
enum Suit: string implements I { case Hearts = 'H'; /** Spades. */ case Spades = 'S'; const X = self::Hearts; }
final readonly class R {}
$x = new #[B] readonly class(1) extends P { };
