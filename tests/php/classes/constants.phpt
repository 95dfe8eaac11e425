--TEST--
Class constants, enums in constant expressions and static access
--FILE--
<?php
class Settings { const A = 1; const B = self::A + 1; const LIST = [self::A, "k" => self::B]; protected const HIDDEN = 5; final public const TEXT = "t" . self::B; public static $values = [self::LIST["k"] => "v"]; static function hidden() { return static::HIDDEN; } }
class More extends Settings { const A = 10; }
echo Settings::B, More::B, More::A, Settings::LIST["k"], Settings::TEXT, Settings::hidden(), Settings::$values[2], "\n";
$class = "More"; echo $class::A, (new $class)::TEXT, constant("Settings::B"), defined("Settings::A") ? "yes" : "no", $class::{"A"}, "\n";
try { echo Settings::HIDDEN; } catch (Error $error) { echo $error->getMessage(), "\n"; }
Settings::$values[] = 1; More::$values[] = 2; echo count(Settings::$values), "\n"; define("LATE", [1, 2]); echo LATE[1], \PHP_VERSION_ID >= 80400 ? "new" : "old", "\n";
--EXPECT--
22102t25v
10t22yes10
Cannot access protected constant Settings::HIDDEN
3
2new
