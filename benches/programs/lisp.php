<?php
// An interpreter of a small Lisp: reader, environments, closures, macros, tail calls in a loop.

final class Symbol
{
    private static array $known = [];

    private function __construct(public readonly string $name) {}

    public static function of(string $name): self
    {
        return self::$known[$name] ??= new self($name);
    }
}

final class LispError extends Exception {}

final class Environment
{
    private array $values = [];

    public function __construct(private ?Environment $outer = null) {}

    public function define(string $name, mixed $value): mixed
    {
        return $this->values[$name] = $value;
    }

    public function get(string $name): mixed
    {
        $environment = $this;
        do {
            if (array_key_exists($name, $environment->values)) {
                return $environment->values[$name];
            }
        } while ($environment = $environment->outer);
        throw new LispError("unbound: $name");
    }

    public function set(string $name, mixed $value): mixed
    {
        for ($environment = $this; $environment !== null; $environment = $environment->outer) {
            if (array_key_exists($name, $environment->values)) {
                return $environment->values[$name] = $value;
            }
        }
        throw new LispError("unbound: $name");
    }
}

final class Lambda
{
    public ?string $rest = null;
    public array $parameters = [];

    public function __construct(array $parameters, public readonly array $body, public readonly Environment $environment, public readonly bool $isMacro = false)
    {
        foreach ($parameters as $index => $parameter) {
            if ($parameter->name === '.') {
                $this->rest = $parameters[$index + 1]->name;
                break;
            }
            $this->parameters[] = $parameter->name;
        }
    }

    public function bind(array $arguments): Environment
    {
        $inner = new Environment($this->environment);
        foreach ($this->parameters as $index => $name) {
            $inner->define($name, $arguments[$index] ?? throw new LispError("missing argument $name"));
        }
        if ($this->rest !== null) {
            $inner->define($this->rest, array_slice($arguments, count($this->parameters)));
        } elseif (count($arguments) > count($this->parameters)) {
            throw new LispError('too many arguments');
        }
        return $inner;
    }
}

final class Reader
{
    private array $tokens;
    private int $at = 0;

    public function __construct(string $source)
    {
        preg_match_all('/;[^\n]*|"(?:[^"\\\\]|\\\\.)*"|[()\'`]|,@?|[^\s()\'`,;"]+/', $source, $matches);
        $this->tokens = array_values(array_filter($matches[0], fn(string $token) => $token[0] !== ';'));
    }

    public function forms(): Generator
    {
        while ($this->at < count($this->tokens)) {
            yield $this->form();
        }
    }

    private function form(): mixed
    {
        $token = $this->tokens[$this->at++] ?? throw new LispError('unexpected end');
        switch ($token) {
            case '(':
                $list = [];
                while (($this->tokens[$this->at] ?? null) !== ')') {
                    $list[] = $this->form();
                }
                $this->at++;
                return $list;
            case ')':
                throw new LispError('unexpected )');
            case "'":
                return [Symbol::of('quote'), $this->form()];
            case '`':
                return [Symbol::of('quasiquote'), $this->form()];
            case ',':
                return [Symbol::of('unquote'), $this->form()];
            case ',@':
                return [Symbol::of('splice'), $this->form()];
        }
        if ($token[0] === '"') {
            return stripcslashes(substr($token, 1, -1));
        }
        if (is_numeric($token)) {
            return $token + 0;
        }
        return match ($token) {
            '#t' => true,
            '#f' => false,
            'nil' => [],
            default => Symbol::of($token),
        };
    }
}

final class Interpreter
{
    public readonly Environment $global;
    public string $output = '';
    public int $calls = 0;

    public function __construct()
    {
        $this->global = new Environment();
        $numbers = [
            '+' => fn(...$n) => array_sum($n),
            '*' => fn(...$n) => array_product($n),
            '-' => fn($a, $b = null) => $b === null ? -$a : $a - $b,
            '/' => fn($a, $b) => $b == 0 ? throw new LispError('division by zero') : $a / $b,
            'mod' => fn($a, $b) => $a % $b,
            '<' => fn($a, $b) => $a < $b,
            '>' => fn($a, $b) => $a > $b,
            '=' => fn($a, $b) => $a === $b,
            'not' => fn($a) => $a === false,
            'list' => fn(...$items) => $items,
            'first' => fn(array $list) => $list[0] ?? throw new LispError('empty list'),
            'rest' => fn(array $list) => array_slice($list, 1),
            'cons' => fn($item, array $list) => [$item, ...$list],
            'append' => fn(array ...$lists) => array_merge(...$lists),
            'empty?' => fn($list) => $list === [],
            'length' => count(...),
            'text' => fn(...$parts) => implode('', array_map($this->show(...), $parts)),
            'print' => function (...$parts): array {
                $this->output .= implode(' ', array_map($this->show(...), $parts)) . "\n";
                return [];
            },
            'apply' => fn($function, array $arguments) => $this->call($function, $arguments),
        ];
        foreach ($numbers as $name => $function) {
            $this->global->define($name, $function);
        }
    }

    public function show(mixed $value): string
    {
        return match (true) {
            is_array($value) => '(' . implode(' ', array_map($this->show(...), $value)) . ')',
            is_bool($value) => $value ? '#t' : '#f',
            $value instanceof Symbol => $value->name,
            is_object($value) => '<function>',
            default => (string) $value,
        };
    }

    public function call(mixed $function, array $arguments): mixed
    {
        if ($function instanceof Closure) {
            return $function(...$arguments);
        }
        if (!$function instanceof Lambda) {
            throw new LispError('no function: ' . $this->show($function));
        }
        $environment = $function->bind($arguments);
        $result = [];
        foreach ($function->body as $form) {
            $result = $this->evaluate($form, $environment);
        }
        return $result;
    }

    public function evaluate(mixed $form, Environment $environment): mixed
    {
        while (true) {
            if ($form instanceof Symbol) {
                return $environment->get($form->name);
            }
            if (!is_array($form) || $form === []) {
                return $form;
            }
            $head = $form[0];
            switch ($head instanceof Symbol ? $head->name : '') {
                case 'quote':
                    return $form[1];
                case 'quasiquote':
                    return $this->fill($form[1], $environment);
                case 'if':
                    $form = $this->evaluate($form[1], $environment) !== false ? $form[2] : $form[3] ?? [];
                    continue 2;
                case 'define':
                    if (is_array($form[1])) {
                        $name = array_shift($form[1]);
                        return $environment->define($name->name, new Lambda($form[1], array_slice($form, 2), $environment));
                    }
                    return $environment->define($form[1]->name, $this->evaluate($form[2], $environment));
                case 'set!':
                    return $environment->set($form[1]->name, $this->evaluate($form[2], $environment));
                case 'lambda':
                    return new Lambda($form[1], array_slice($form, 2), $environment);
                case 'macro':
                    return $environment->define($form[1]->name, new Lambda($form[2], array_slice($form, 3), $environment, true));
                case 'begin':
                    for ($i = 1; $i < count($form) - 1; $i++) {
                        $this->evaluate($form[$i], $environment);
                    }
                    $form = $form[$i];
                    continue 2;
                case 'let':
                    $inner = new Environment($environment);
                    foreach ($form[1] as [$symbol, $value]) {
                        $inner->define($symbol->name, $this->evaluate($value, $environment));
                    }
                    $environment = $inner;
                    $form = [Symbol::of('begin'), ...array_slice($form, 2)];
                    continue 2;
            }
            $function = $this->evaluate($head, $environment);
            if ($function instanceof Lambda && $function->isMacro) {
                $form = $this->call($function, array_slice($form, 1));
                continue;
            }
            $arguments = [];
            for ($i = 1, $count = count($form); $i < $count; $i++) {
                $arguments[] = $this->evaluate($form[$i], $environment);
            }
            $this->calls++;
            if (!$function instanceof Lambda) {
                return $this->call($function, $arguments);
            }
            // The last form takes the place of this one.
            $environment = $function->bind($arguments);
            $last = count($function->body) - 1;
            for ($i = 0; $i < $last; $i++) {
                $this->evaluate($function->body[$i], $environment);
            }
            $form = $function->body[$last];
        }
    }

    private function fill(mixed $form, Environment $environment): mixed
    {
        if (!is_array($form) || $form === []) {
            return $form;
        }
        if ($form[0] === Symbol::of('unquote')) {
            return $this->evaluate($form[1], $environment);
        }
        $filled = [];
        foreach ($form as $part) {
            if (is_array($part) && ($part[0] ?? null) === Symbol::of('splice')) {
                array_push($filled, ...$this->evaluate($part[1], $environment));
            } else {
                $filled[] = $this->fill($part, $environment);
            }
        }
        return $filled;
    }

    public function run(string $source): mixed
    {
        $result = [];
        foreach ((new Reader($source))->forms() as $form) {
            $result = $this->evaluate($form, $this->global);
        }
        return $result;
    }
}

const LIBRARY = <<<'LISP'
    (macro unless (test . body) `(if ,test nil (begin ,@body)))
    (macro and (a b) `(if ,a ,b #f))
    (define (map f l) (if (empty? l) nil (cons (f (first l)) (map f (rest l)))))
    (define (filter p l)
      (if (empty? l) nil
        (if (p (first l)) (cons (first l) (filter p (rest l))) (filter p (rest l)))))
    (define (fold f start l) (if (empty? l) start (fold f (f start (first l)) (rest l))))
    (define (range a b) (if (< a b) (cons a (range (+ a 1) b)) nil))
    (define (compose . functions) (lambda (x) (fold (lambda (value f) (f value)) x functions)))
    LISP;

const MAIN = <<<'LISP'
    ; sorting, counting, closures
    (define (sort l)
      (if (empty? l) nil
        (let ((pivot (first l)) (others (rest l)))
          (append (sort (filter (lambda (x) (< x pivot)) others))
                  (list pivot)
                  (sort (filter (lambda (x) (not (< x pivot))) others))))))
    (print "sorted" (sort (map (lambda (n) (mod (* n 37) 101)) (range 1 30))))
    (define (counter start) (let ((n start)) (lambda (by) (set! n (+ n by)) n)))
    (define tick (counter 10))
    (tick 5)
    (print "count" (tick 7) "twice" ((compose (lambda (x) (* x 2)) (lambda (x) (+ x 1))) 20))
    (define (loop n sum) (if (< n 1) sum (loop (- n 1) (+ sum n))))
    (print "loop" (loop 1500 0))
    (define (hanoi n from to by) (if (= n 0) 0 (+ (hanoi (- n 1) from by to) 1 (hanoi (- n 1) by to from))))
    (print "hanoi" (hanoi 7 "a" "b" "c"))
    (define (primes limit)
      (filter (lambda (n) (fold (lambda (ok d) (and ok (not (= (mod n d) 0)))) #t (range 2 (/ n 2)))) (range 2 limit)))
    (print "primes" (primes 40))
    (unless (< 2 1) (print "unless" (text 'a "-" '(b (c "d")) #t)))
    (apply + (range 1 11))
    LISP;

$rounds = (int) ($argv[1] ?? 8);
for ($round = 0; $round < $rounds; $round++) {
    $lisp = new Interpreter();
    $lisp->run(LIBRARY);
    $result = $lisp->run(MAIN);
}
echo $lisp->output, $lisp->show($result), ' after ', $lisp->calls, " calls\n";
foreach (['(+ 1', 'nobody', '(first nil)', '(1 2)', '((lambda (a) a))', '((lambda (a) a) 1 2)', ')', '(/ 1 0)', '(set! zzz 1)', '(map first 3)'] as $wrong) {
    try {
        echo $lisp->show($lisp->run($wrong)), "\n";
    } catch (LispError | TypeError $error) {
        echo get_class($error), ' ', preg_replace('/, called in.*/', '', $error->getMessage()), "\n";
    }
}
