--TEST--
Try, catch and finally in order
--FILE--
<?php
function run($what) { try { echo "try "; if ($what == 1) throw new RuntimeException("r"); if ($what == 2) throw new LogicException("l"); if ($what == 3) return "returned"; echo "through "; } catch (RuntimeException $e) { echo "caught {$e->getMessage()} "; return "from catch"; } finally { echo "finally "; } return "end"; }
foreach ([0, 1, 2, 3] as $what) { try { echo run($what), "\n"; } catch (Exception $e) { echo "outside ", get_class($e), "\n"; } }
try { throw new DomainException("d", 7, new Exception("before")); } catch (InvalidArgumentException | DomainException $e) { echo $e->getCode(), $e->getPrevious()->getMessage(), $e->getLine(), $e->getFile(), "\n"; }
try { try { throw new Exception("inner"); } finally { echo "cleanup\n"; } } catch (Exception) { echo "no variable\n"; }
--EXPECT--
try through finally end
try caught r finally from catch
try finally outside LogicException
try finally returned
7before4case.php
cleanup
no variable
