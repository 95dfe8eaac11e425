<?php
// Accounts and transfers: exceptions undo what was begun.

class AccountException extends RuntimeException {}

class InsufficientFunds extends AccountException
{
    public function __construct(public readonly Account $account, public readonly int $missing, ?Throwable $previous = null)
    {
        parent::__construct(sprintf('%s lacks %s', $account->owner, money($missing)), 402, $previous);
    }
}

class FrozenAccount extends AccountException {}

function money(int $cents): string
{
    return sprintf('%s%d.%02d', $cents < 0 ? '-' : '', intdiv(abs($cents), 100), abs($cents) % 100);
}

class Account
{
    private static int $opened = 0;
    private array $history = [];
    private bool $frozen = false;
    public readonly int $number;

    public function __construct(public readonly string $owner, private int $balance = 0)
    {
        $this->number = 1000 + ++self::$opened;
    }

    public function deposit(int $cents): static
    {
        if ($cents <= 0) {
            throw new InvalidArgumentException('A deposit is more than nothing');
        }
        $this->check();
        $this->balance += $cents;
        $this->history[] = ['+', $cents];
        return $this;
    }

    public function withdraw(int $cents): static
    {
        $this->check();
        if ($cents > $this->balance) {
            throw new InsufficientFunds($this, $cents - $this->balance);
        }
        $this->balance -= $cents;
        $this->history[] = ['-', $cents];
        return $this;
    }

    public function freeze(): void
    {
        $this->frozen = true;
    }

    private function check(): void
    {
        if ($this->frozen) {
            throw new FrozenAccount("Account $this->number is frozen");
        }
    }

    public function __get(string $name): mixed
    {
        return match ($name) {
            'balance' => money($this->balance),
            'movements' => count($this->history),
            default => throw new LogicException("No property $name"),
        };
    }

    public function __toString(): string
    {
        $history = array_map(fn (array $entry) => $entry[0] . money($entry[1]), $this->history);
        return sprintf('%d %-6s %8s  %s', $this->number, $this->owner, $this->balance, implode(' ', $history));
    }
}

class Bank
{
    private int $attempts = 0;

    public function transfer(Account $from, Account $to, int $cents): bool
    {
        $snapshot = [clone $from, clone $to];
        $done = false;
        try {
            $from->withdraw($cents);
            $to->deposit($cents);
            return $done = true;
        } catch (FrozenAccount $problem) {
            $from->deposit($cents);
            throw new AccountException("The transfer of {$snapshot[0]->owner} was undone", 0, $problem);
        } finally {
            $this->attempts++;
            printf("%-7s %s -> %s %s\n", $done ? 'done' : 'failed', $from->owner, $to->owner, money($cents));
        }
    }

    public function __destruct()
    {
        echo "The bank closes after $this->attempts transfers\n";
    }
}

$bank = new Bank;
$ada = new Account('Ada', 10000);
$bob = new Account('Bob');
$eve = new Account(owner: 'Eve', balance: 50);
$eve->freeze();

foreach ([[$ada, $bob, 2550], [$bob, $ada, 9900], [$ada, $eve, 100], [$ada, $bob, -5], [$bob, $ada, 50]] as [$from, $to, $cents]) {
    try {
        $bank->transfer($from, $to, $cents);
    } catch (InsufficientFunds $problem) {
        echo "  {$problem->getMessage()} (code {$problem->getCode()}, account {$problem->account->number})\n";
    } catch (AccountException $problem) {
        for ($depth = 1; $problem; $problem = $problem->getPrevious(), $depth++) {
            echo str_repeat('  ', $depth), $problem::class, ': ', $problem->getMessage(), "\n";
        }
    } catch (InvalidArgumentException $problem) {
        echo "  refused: {$problem->getMessage()}\n";
        $from->deposit(5)->withdraw(5);
    }
}
echo $ada, "\n", $bob, "\n", $eve, "\n";
unset($bank);
try {
    echo $ada->pin;
} catch (LogicException $problem) {
    echo $problem->getMessage(), " on line ", $problem->getLine(), "\n";
}
