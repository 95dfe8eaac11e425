--TEST--
Namespaces and imports
--FILE--
<?php
namespace App\Model { const VERSION = "1"; function helper() { return __FUNCTION__; } class User { const T = "t"; function name() { return __CLASS__ . " " . __METHOD__ . " " . __NAMESPACE__; } } interface Marker {} }
namespace App { use App\Model\User; use App\Model\{User as Person, Marker}; use function App\Model\helper; use const App\Model\VERSION; echo (new User)->name(), "\n", helper(), VERSION, Person::T, User::class, " ", namespace\Model\helper(), \strlen("abc"), strlen("ab"), Marker::class, "\n"; function strlen($s) { return "own"; } echo strlen("x"), \strlen("x"), "\n"; try { undefined_function(); } catch (\Error $e) { echo $e->getMessage(), "\n"; } echo E_ALL, PHP_EOL; var_dump(new Person instanceof User); }
--EXPECT--
App\Model\User App\Model\User::name App\Model
App\Model\helper1tApp\Model\User App\Model\helper3ownApp\Model\Marker
own1
Call to undefined function App\undefined_function()
30719
bool(true)
