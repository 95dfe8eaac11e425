--TEST--
#[Deprecated] on functions, methods, constants and cases: message, since, when they are evaluated
--FILE--
<?php
class Old { const WORD = 'word'; #[Deprecated("use " . self::WORD, since: "2.1")] const A = 1; #[Deprecated(self::B)] const B = 'itself'; #[Deprecated] function __call($name, $arguments) { return $name; } #[Deprecated("no statics")] static function make() { return new static; } const SUM = self::A + 1; }
enum Suit { #[Deprecated(since: "1.0")] case Hearts; case Spades; }
#[Deprecated] function plain() { return 1; } #[Deprecated(message: "gone", since: "3")] function told() { return 2; }
var_dump(plain(), told(), (fn() => told())(), call_user_func('told')); var_dump(Old::A, Old::A, Old::B, Old::SUM, constant('Old::A')); var_dump(Old::make()->anything(), Suit::Hearts, Suit::Spades);
foreach (['plain', 'told'] as $name) var_dump((new ReflectionFunction($name))->isDeprecated()); var_dump((new ReflectionClassConstant('Old', 'A'))->isDeprecated());
#[Deprecated([])] function broken() {} try { broken(); } catch (TypeError $error) { echo $error->getMessage(), "\n"; }
set_error_handler(function ($level, $message) { throw new ErrorException($message); }); try { Old::A; } catch (ErrorException $error) { echo "thrown: ", $error->getMessage(), "\n"; }
--EXPECT--

Deprecated: Function plain() is deprecated in case.php on line 5

Deprecated: Function told() is deprecated since 3, gone in case.php on line 5

Deprecated: Function told() is deprecated since 3, gone in case.php on line 5

Deprecated: Function told() is deprecated since 3, gone in case.php on line 5
int(1)
int(2)
int(2)
int(2)

Deprecated: Constant Old::A is deprecated since 2.1, use word in case.php on line 5

Deprecated: Constant Old::A is deprecated since 2.1, use word in case.php on line 5

Deprecated: Constant Old::B is deprecated, itself in case.php on line 5

Deprecated: Constant Old::A is deprecated since 2.1, use word in case.php on line 2

Deprecated: Constant Old::A is deprecated since 2.1, use word in case.php on line 5
int(1)
int(1)
string(6) "itself"
int(2)
int(1)

Deprecated: Method Old::make() is deprecated, no statics in case.php on line 5

Deprecated: Method Old::anything() is deprecated in case.php on line 5

Deprecated: Enum case Suit::Hearts is deprecated since 1.0 in case.php on line 5
string(8) "anything"
enum(Suit::Hearts)
enum(Suit::Spades)
bool(true)
bool(true)
bool(true)
Deprecated::__construct(): Argument #1 ($message) must be of type ?string, array given
thrown: Constant Old::A is deprecated since 2.1, use word
