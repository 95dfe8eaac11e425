<?php
// A compiler of a small language to code for a stack machine, with constant folding, and the machine.

enum Op: int
{
    case Push = 0;
    case Load = 1;
    case Store = 2;
    case Add = 3;
    case Subtract = 4;
    case Multiply = 5;
    case Divide = 6;
    case Remainder = 7;
    case Less = 8;
    case Equal = 9;
    case Jump = 10;
    case JumpIfFalse = 11;
    case Call = 12;
    case Return = 13;
    case Drop = 14;
    case Print = 15;

    public static function ofSign(string $sign): self
    {
        return match ($sign) {
            '+' => self::Add,
            '-' => self::Subtract,
            '*' => self::Multiply,
            '/' => self::Divide,
            '%' => self::Remainder,
            '<' => self::Less,
            '==' => self::Equal,
        };
    }
}

class LanguageError extends Exception {}

abstract class Node
{
    abstract public function compile(CodeBuilder $code): void;

    public function folded(): Node
    {
        return $this;
    }
}

final class Literal extends Node
{
    public function __construct(public readonly int $value) {}

    public function compile(CodeBuilder $code): void
    {
        $code->emit(Op::Push, $this->value);
    }
}

final class Name extends Node
{
    public function __construct(private string $name) {}

    public function compile(CodeBuilder $code): void
    {
        $code->emit(Op::Load, $code->slot($this->name, false));
    }
}

final class Binary extends Node
{
    public function __construct(private string $sign, private Node $left, private Node $right) {}

    public function folded(): Node
    {
        $left = $this->left->folded();
        $right = $this->right->folded();
        if ($left instanceof Literal && $right instanceof Literal && ($right->value !== 0 || !in_array($this->sign, ['/', '%']))) {
            return new Literal(Machine::operate(Op::ofSign($this->sign), $left->value, $right->value));
        }
        return new Binary($this->sign, $left, $right);
    }

    public function compile(CodeBuilder $code): void
    {
        $this->left->compile($code);
        $this->right->compile($code);
        $code->emit(Op::ofSign($this->sign));
    }
}

final class Invocation extends Node
{
    /** @param list<Node> $arguments */
    public function __construct(private string $name, private array $arguments) {}

    public function folded(): Node
    {
        return new Invocation($this->name, array_map(fn(Node $node) => $node->folded(), $this->arguments));
    }

    public function compile(CodeBuilder $code): void
    {
        foreach ($this->arguments as $argument) {
            $argument->compile($code);
        }
        $code->emit(Op::Call, [$this->name, count($this->arguments)]);
    }
}

final class CodeBuilder
{
    public array $code = [];
    private array $slots = [];

    public function emit(Op $op, mixed $operand = null): int
    {
        $this->code[] = [$op, $operand];
        return count($this->code) - 1;
    }

    public function patch(int $position): void
    {
        $this->code[$position][1] = count($this->code);
    }

    public function slot(string $name, bool $isNew): int
    {
        if (!isset($this->slots[$name]) && !$isNew) {
            throw new LanguageError("Unknown name $name");
        }
        return $this->slots[$name] ??= count($this->slots);
    }

    public function slots(): int
    {
        return count($this->slots);
    }
}

final class LanguageParser
{
    private const PRECEDENCE = ['==' => 1, '<' => 2, '+' => 3, '-' => 3, '*' => 4, '/' => 4, '%' => 4];
    private array $tokens;
    private int $at = 0;

    public function __construct(string $source)
    {
        preg_match_all('/\s+|\/\/.*|(?<number>\d+)|(?<name>[a-z_]\w*)|(?<sign>==|[-+*\/%<=(){},;])|(?<other>.)/', $source, $matches, PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL);
        $tokens = [];
        foreach ($matches as $match) {
            if (isset($match['other'])) {
                throw new LanguageError("Unexpected {$match['other']}");
            }
            if (isset($match['number']) || isset($match['name']) || isset($match['sign'])) {
                $tokens[] = $match[0];
            }
        }
        $this->tokens = $tokens;
    }

    private function peek(): string
    {
        return $this->tokens[$this->at] ?? '';
    }

    private function next(): string
    {
        return $this->tokens[$this->at++] ?? throw new LanguageError('Unexpected end');
    }

    private function expect(string $wanted): void
    {
        $found = $this->next();
        if ($found !== $wanted) {
            throw new LanguageError("Expected $wanted, found $found");
        }
    }

    /** @return array<string, array{int, int, array}> for each function: parameters, slots, code */
    public function functions(): array
    {
        $functions = [];
        while ($this->peek() !== '') {
            $this->expect('def');
            $name = $this->next();
            $code = new CodeBuilder();
            $this->expect('(');
            for ($count = 0; $this->peek() !== ')'; $count++) {
                $code->slot($this->next(), true);
                if ($this->peek() === ',') {
                    $this->next();
                }
            }
            $this->next();
            $this->block($code);
            $code->emit(Op::Push, 0);
            $code->emit(Op::Return);
            $functions[$name] = [$count, $code->slots(), $code->code];
        }
        return $functions;
    }

    private function block(CodeBuilder $code): void
    {
        $this->expect('{');
        while ($this->peek() !== '}') {
            $this->statement($code);
        }
        $this->next();
    }

    private function statement(CodeBuilder $code): void
    {
        $word = $this->next();
        switch ($word) {
            case 'if':
                $this->expression()->folded()->compile($code);
                $skip = $code->emit(Op::JumpIfFalse);
                $this->block($code);
                if ($this->peek() === 'else') {
                    $this->next();
                    $end = $code->emit(Op::Jump);
                    $code->patch($skip);
                    $this->block($code);
                    $code->patch($end);
                } else {
                    $code->patch($skip);
                }
                return;
            case 'while':
                $start = count($code->code);
                $this->expression()->folded()->compile($code);
                $skip = $code->emit(Op::JumpIfFalse);
                $this->block($code);
                $code->emit(Op::Jump, $start);
                $code->patch($skip);
                return;
            case 'return':
            case 'print':
                $this->expression()->folded()->compile($code);
                $code->emit($word === 'print' ? Op::Print : Op::Return);
                break;
            default:
                $this->expect('=');
                $value = $this->expression()->folded();
                $value->compile($code);
                $code->emit(Op::Store, $code->slot($word, true));
        }
        $this->expect(';');
    }

    private function expression(int $level = 0): Node
    {
        $left = $this->primary();
        while (($precedence = self::PRECEDENCE[$this->peek()] ?? 0) > $level) {
            $sign = $this->next();
            $left = new Binary($sign, $left, $this->expression($precedence));
        }
        return $left;
    }

    private function primary(): Node
    {
        $token = $this->next();
        if (preg_match('/^\d/', $token)) {
            return new Literal((int) $token);
        }
        if ($token === '(') {
            $inner = $this->expression();
            $this->expect(')');
            return $inner;
        }
        if ($this->peek() !== '(') {
            return new Name($token);
        }
        $this->next();
        $arguments = [];
        while ($this->peek() !== ')') {
            $arguments[] = $this->expression();
            if ($this->peek() === ',') {
                $this->next();
            }
        }
        $this->next();
        return new Invocation($token, $arguments);
    }
}

final class Machine
{
    private string $output = '';
    private int $steps = 0;

    public function __construct(private array $functions) {}

    public static function operate(Op $op, int $left, int $right): int
    {
        return match ($op) {
            Op::Add => $left + $right,
            Op::Subtract => $left - $right,
            Op::Multiply => $left * $right,
            Op::Divide => intdiv($left, $right),
            Op::Remainder => $left % $right,
            Op::Less => (int) ($left < $right),
            Op::Equal => (int) ($left === $right),
        };
    }

    public function run(string $name, array $arguments): int
    {
        [$parameters, $slots, $code] = $this->functions[$name] ?? throw new LanguageError("Unknown function $name");
        if (count($arguments) !== $parameters) {
            throw new LanguageError("$name takes $parameters arguments");
        }
        $variables = array_pad($arguments, $slots, 0);
        $stack = [];
        for ($at = 0; ; $this->steps++) {
            [$op, $operand] = $code[$at++];
            switch ($op) {
                case Op::Push:
                    $stack[] = $operand;
                    break;
                case Op::Load:
                    $stack[] = $variables[$operand];
                    break;
                case Op::Store:
                    $variables[$operand] = array_pop($stack);
                    break;
                case Op::Jump:
                    $at = $operand;
                    break;
                case Op::JumpIfFalse:
                    if (array_pop($stack) === 0) {
                        $at = $operand;
                    }
                    break;
                case Op::Call:
                    [$callee, $count] = $operand;
                    $given = $count ? array_splice($stack, -$count) : [];
                    $stack[] = $this->run($callee, $given);
                    break;
                case Op::Return:
                    return array_pop($stack);
                case Op::Print:
                    $this->output .= array_pop($stack) . ' ';
                    break;
                default:
                    $right = array_pop($stack);
                    $left = array_pop($stack);
                    $stack[] = self::operate($op, $left, $right);
            }
        }
    }

    public function report(): string
    {
        return rtrim($this->output) . " in $this->steps steps";
    }
}

const PROGRAM = <<<'SOURCE'
    // Some functions that call each other.
    def fib(n) { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }
    def gcd(a, b) { while 0 < b { t = a % b; a = b; b = t; } return a; }
    def is_prime(n) {
        if n < 2 { return 0; }
        d = 2;
        while d * d < n + 1 { if n % d == 0 { return 0; } d = d + 1; }
        return 1;
    }
    def collatz(n) { s = 0; while 1 < n { if n % 2 == 0 { n = n / 2; } else { n = 3 * n + 1; } s = s + 1; } return s; }
    def main(limit) {
        print fib(2 * 5 + 1);
        print gcd(2 * 3 * 5 * 7 * 11, 7 * 11 * 13);
        i = 0; primes = 0; longest = 0;
        while i < limit {
            primes = primes + is_prime(i);
            length = collatz(i);
            if longest < length { longest = length; best = i; print best; }
            i = i + 1;
        }
        print primes; print longest;
        return 10 * (4 + 2) - 60 / (2 + 1);
    }
    SOURCE;

$rounds = (int) ($argv[1] ?? 12);
for ($round = 0; $round < $rounds; $round++) {
    $functions = (new LanguageParser(PROGRAM))->functions();
    $machine = new Machine($functions);
    $result = $machine->run('main', [60]);
}
echo $machine->report(), ", result $result\n";
foreach ($functions['main'][2] as $number => [$op, $operand]) {
    printf("%3d %-12s %s\n", $number, $op->name, is_array($operand) ? implode('/', $operand) : $operand);
}
foreach (['def f( { return 1; }', 'def f() { return x; }', 'def f() { return 1 }', 'def f() { return #; }', 'def f() {'] as $wrong) {
    try {
        (new LanguageParser($wrong))->functions();
    } catch (LanguageError $error) {
        echo $error->getMessage(), "\n";
    }
}
try {
    (new Machine((new LanguageParser('def f(n) { return 1 / (n - n); }'))->functions()))->run('f', [3]);
} catch (DivisionByZeroError $error) {
    echo get_class($error), ': ', $error->getMessage(), "\n";
}
