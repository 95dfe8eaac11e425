--TEST--
Messages with control data
--FILE--
<?php
socket_create_pair(AF_UNIX, SOCK_DGRAM, 0, $pair);
var_dump(socket_sendmsg($pair[0], ["iov" => ["one ", 2], "control" => [["level" => SOL_SOCKET, "type" => SCM_RIGHTS, "data" => [$pair[1]]]]]));
$message = ["name" => [], "controllen" => socket_cmsg_space(SOL_SOCKET, SCM_RIGHTS, 1), "buffer_size" => 100];
var_dump(socket_recvmsg($pair[1], $message));
var_dump($message["iov"], $message["flags"], $message["name"], $message["control"][0]["data"]);
foreach ([["name" => 1], ["iov" => 1], ["control" => [1]], ["control" => [["level" => 1, "type" => 1]]], ["control" => [["level" => 1, "type" => 2, "data" => []]]]] as $wrong) {
    var_dump(socket_sendmsg($pair[0], $wrong));
}
foreach ([[], ["controllen" => 0], ["controllen" => 1, "buffer_size" => -1]] as $wrong) {
    var_dump(socket_recvmsg($pair[1], $wrong));
}
var_dump(socket_cmsg_space(IPPROTO_IPV6, IPV6_PKTINFO));
try { socket_cmsg_space(77, 1); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
int(5)
int(5)
array(1) {
  [0]=>
  string(5) "one 2"
}
int(0)
NULL
array(1) {
  [0]=>
  object(Socket)#3 (0) {
  }
}

Warning: socket_sendmsg(): error converting user data (path: msghdr > name): expected an array here in case.php on line 8
bool(false)

Warning: socket_sendmsg(): error converting user data (path: msghdr > iov): expected an array here in case.php on line 8
bool(false)

Warning: socket_sendmsg(): error converting user data (path: msghdr > control > element #0): expected an array here in case.php on line 8
bool(false)

Warning: socket_sendmsg(): error converting user data (path: msghdr > control > element #0): cmsghdr should have a 'data' element here in case.php on line 8
bool(false)

Warning: socket_sendmsg(): error converting user data (path: msghdr > control > element #0 > data): The key 'pid' is required in case.php on line 8
bool(false)

Warning: socket_recvmsg(): error converting user data (path: msghdr): The key 'controllen' is required in case.php on line 11
bool(false)

Warning: socket_recvmsg(): error converting user data (path: msghdr > controllen): controllen cannot be 0 in case.php on line 11
bool(false)

Warning: socket_recvmsg(): error converting user data (path: msghdr > buffer_size): the buffer size must be between 1 and 104857600; given -1 in case.php on line 11
bool(false)
int(40)
Pair level 77 and/or type 1 is not supported
