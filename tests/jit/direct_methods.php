<?php
// Methods of native classes that are called without a frame: on objects of the class that was met and of others, with
// results that are wanted or not, on what is kept and what is a temporary.

final class Told
{
    public function __construct(public string $name) {}
    public function __destruct() { echo "$this->name gone\n"; }
}
class Stack extends SplStack
{
    public int $tops = 0;
    public function top(): mixed { $this->tops++; return parent::top(); }
    public function pushed($value) { $this->push($value); return $this->count(); }
}
class Holder
{
    public SplQueue $queue;
    public ?SplObjectStorage $known = null;
    public function __construct() { $this->queue = new SplQueue; $this->known = new SplObjectStorage; }
    public function queue(): SplQueue { return $this->queue; }
    public function work($value)
    {
        $this->queue->enqueue($value);
        $this->queue->push($value);
        $first = $this->queue->dequeue();
        $this->queue->pop();
        return [$first, $this->queue->isEmpty(), $this->queue()->count(), $this->known->contains($this)];
    }
}

function tops($stack, int $times): string
{
    $found = [];
    for ($i = 0; $i < $times; $i++) {
        $found[] = $stack->top();
        $stack->count();
        $stack->top();
    }
    return implode(',', array_unique($found)) . ' ' . $stack->count();
}

$plain = new SplStack;
$own = new Stack;
foreach ([1, 'two', 3.5] as $value) {
    $plain->push($value);
    $own->push($value);
}
echo tops($plain, 30), "\n", tops($own, 30), ' ', $own->tops, "\n", tops($plain, 30), "\n";
for ($i = 0; $i < 30; $i++) {
    $count = $own->pushed("value $i");
}
echo $count, "\n";
try {
    tops(new SplStack, 3);
} catch (RuntimeException $exception) {
    echo $exception->getMessage(), ' ', $exception->getCode(), ' ', $exception->getLine(), "\n";
}
try {
    tops(null, 3);
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}

$holder = new Holder;
for ($i = 0; $i < 40; $i++) {
    [$first, $isEmpty, $count, $isKnown] = $holder->work(["list $i"]);
    if ($i === 20) {
        $holder->known->attach($holder);
    }
}
var_dump($first, $isEmpty, $count, $isKnown);

// Methods whose name is not known.
$names = ['count', 'isEmpty', 'count', 'top'];
for ($i = 0; $i < 40; $i++) {
    $name = $names[$i % 4];
    $found = [$plain->$name(), [$own, $name]()];
}
echo json_encode($found), "\n";

// Nobody wants what is taken out: it is given up where the call stands.
$queue = new SplQueue;
for ($i = 0; $i < 12; $i++) {
    $queue[] = new Told("told $i");
    if ($i % 3 === 2) {
        echo "dropping\n";
        $queue->dequeue();
        $queue->pop();
    }
}
unset($queue);

// Generators: not started, suspended, delegating, running, ended.
function numbers($to) { for ($i = 0; $i < $to; $i++) { $got = yield "n$i" => [$i]; if ($got) { echo "got $got\n"; } } return 'end'; }
function delegating() { yield from [1, 2]; yield from numbers(2); yield 'last'; }
function itself() { global $self; yield 1; try { yield $self->valid(); yield $self->current(); } catch (Error $error) { yield $error->getMessage(); } }
function walked(Generator $generator): string
{
    $text = '';
    while ($generator->valid()) {
        $text .= json_encode($generator->current()) . json_encode($generator->current()) . ' ';
        $generator->next();
    }
    return $text . json_encode($generator->current());
}
for ($i = 0; $i < 12; $i++) {
    $texts = [walked(numbers($i)), walked(delegating())];
}
echo implode("\n", $texts), "\n";
$self = itself();
echo walked($self), "\n";
$sent = numbers(30);
for ($i = 0; $i < 29; $i++) {
    $value = $sent->current();
    $sent->send($i === 20 ? 'a value' : null);
}
echo json_encode($value), $sent->key(), "\n";
try {
    for ($i = 0; $i < 30; $i++) {
        $sent->current($i > 20 ? $i : null);
    }
} catch (ArgumentCountError $error) {
    echo $error->getMessage(), "\n";
}

// What exceptions hold, whatever it is.
class Odd extends Exception
{
    public function __construct(mixed $code) { $this->code = $code; $this->message = is_int($code) ? "message $code" : $code; }
}
$texts = [];
foreach ([1, 2, 'text', 3.5, null, 4] as $turn => $code) {
    for ($i = 0; $i < 20; $i++) {
        $exception = new Odd($code);
        $told = $exception->getMessage() . '|' . json_encode($exception->getCode()) . '|' . $exception->getLine() . json_encode($exception->getPrevious());
    }
    $texts[] = $told;
}
echo implode("\n", $texts), "\n";
