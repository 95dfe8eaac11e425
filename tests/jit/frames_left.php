<?php
// A frame is prepared where that of an inlined call was that has been left: what its slots held is nobody's any more,
// also where the branch behind that call is known and gets a copy of its own.
final class Question
{
    static function holds($asked) { return true; }
    static function fails($asked) { return false; }
    static function tells($asked) { }
}
final class Receiver
{
    public int $sum = 0;
    function take(&$value, $path, $more = 1) { $this->look($value, $more); }
    function look($value, $more) { $this->sum += is_int($value) ? $value * $more : -1000000; }
    function ask(&$value, $from)
    {
        if (Question::tells($value)) { }
        if (Question::holds($value)) {
            $this->take($value, isset($from->path) ? $from->path : null);
        }
        if (!Question::fails($from)) {
            $this->take($value, $from->none ?? $from, isset($from->path) ? 2 : 3);
        }
    }
}
$from = new stdClass;
$from->path = 'x';
$bare = new stdClass;
$receiver = new Receiver;
for ($i = 0; $i < 3000; $i++) {
    $value = $i & 7;
    $receiver->ask($value, $i % 5 ? $from : $bare);
}
echo $receiver->sum, "\n";
