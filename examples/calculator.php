<?php
// A recursive-descent parser and evaluator of arithmetic expressions with variables.

final class SyntaxProblem extends Exception
{
    public function __construct(string $message, public readonly int $position)
    {
        parent::__construct("$message at position $position");
    }
}

interface Expression
{
    public function evaluate(array &$variables): int|float;
}

final class Number implements Expression
{
    public function __construct(private int|float $value) {}

    public function evaluate(array &$variables): int|float
    {
        return $this->value;
    }
}

final class Variable implements Expression
{
    public function __construct(public readonly string $name) {}

    public function evaluate(array &$variables): int|float
    {
        return $variables[$this->name] ?? throw new DomainException("$this->name has no value");
    }
}

final class Assignment implements Expression
{
    public function __construct(private string $name, private Expression $value) {}

    public function evaluate(array &$variables): int|float
    {
        return $variables[$this->name] = $this->value->evaluate($variables);
    }
}

final class Operation implements Expression
{
    public function __construct(private string $operator, private Expression $left, private Expression $right) {}

    public function evaluate(array &$variables): int|float
    {
        $left = $this->left->evaluate($variables);
        $right = $this->right->evaluate($variables);
        return match ($this->operator) {
            '+' => $left + $right,
            '-' => $left - $right,
            '*' => $left * $right,
            '/' => $left / $right,
            '%' => $left % $right,
            '^' => $left ** $right,
        };
    }
}

final class Parser
{
    private const PRECEDENCE = ['+' => 1, '-' => 1, '*' => 2, '/' => 2, '%' => 2, '^' => 3];
    private int $position = 0;

    private function __construct(private string $text) {}

    public static function parse(string $text): Expression
    {
        $parser = new self($text);
        $expression = $parser->expression(1);
        if ($parser->peek() !== '') {
            throw new SyntaxProblem("unexpected '{$parser->peek()}'", $parser->position);
        }
        return $expression;
    }

    private function peek(): string
    {
        while (($this->text[$this->position] ?? '') === ' ') {
            $this->position++;
        }
        return $this->text[$this->position] ?? '';
    }

    private function expression(int $least): Expression
    {
        $left = $this->operand();
        while (($precedence = self::PRECEDENCE[$operator = $this->peek()] ?? 0) >= $least) {
            $this->position++;
            // ^ takes its right side first, all others their left side.
            $right = $this->expression($operator === '^' ? $precedence : $precedence + 1);
            $left = new Operation($operator, $left, $right);
        }
        if ($this->peek() === '=' && $left instanceof Variable) {
            $this->position++;
            return new Assignment($left->name, $this->expression(1));
        }
        return $left;
    }

    private function operand(): Expression
    {
        $start = $this->peek();
        if ($start === '(') {
            $this->position++;
            $inner = $this->expression(1);
            if ($this->peek() !== ')') {
                throw new SyntaxProblem('missing )', $this->position);
            }
            $this->position++;
            return $inner;
        }
        if ($start === '-') {
            $this->position++;
            return new Operation('-', new Number(0), $this->expression(3));
        }
        if (self::isLetter($start)) {
            return new Variable($this->take(fn ($c) => self::isLetter($c) || self::isDigit($c)));
        }
        if (self::isDigit($start)) {
            return new Number(0 + $this->take(fn ($c) => self::isDigit($c) || $c === '.'));
        }
        throw new SyntaxProblem($start === '' ? 'unexpected end' : "unexpected '$start'", $this->position);
    }

    private static function isLetter(string $character): bool
    {
        return $character >= 'a' && $character <= 'z';
    }

    private static function isDigit(string $character): bool
    {
        return $character !== '' && str_contains('0123456789', $character);
    }

    private function take(callable $belongs): string
    {
        $taken = '';
        while (($character = $this->text[$this->position] ?? '') !== '' && $belongs($character)) {
            $taken .= $character;
            $this->position++;
        }
        return $taken;
    }
}

$variables = ['pi' => M_PI];
$lines = array_slice($argv, 1) ?: [
    '1 + 2 * 3', '(1 + 2) * 3', '2 ^ 3 ^ 2', '-2 ^ 2', 'r = 2.5', 'area = pi * r ^ 2', '10 % 4 - 7 / 2',
    'x = y = 6', 'x * y', '1 / 0', 'unknown + 1', '2 * (3 + ', '4 $ 4', '9223372036854775807 + 1',
];
foreach ($lines as $line) {
    try {
        $value = Parser::parse($line)->evaluate($variables);
        echo $line, ' => ', $value, "\n";
    } catch (SyntaxProblem $problem) {
        echo $line, "\n", str_repeat(' ', $problem->position), "^ ", $problem->getMessage(), "\n";
    } catch (DomainException | ArithmeticError $problem) {
        echo $line, ' => ', $problem::class, ': ', $problem->getMessage(), "\n";
    }
}
