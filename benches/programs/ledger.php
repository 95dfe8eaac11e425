<?php
// A bank's ledger: accounts of kinds, transfers that fail and are taken back, standing orders by date, statements.

enum Currency: string
{
    case Franc = 'CHF';
    case Euro = 'EUR';
    case Dollar = 'USD';

    /** Rate to francs, in thousandths. */
    public function rate(): int
    {
        return match ($this) {
            self::Franc => 1000,
            self::Euro => 945,
            self::Dollar => 881,
        };
    }
}

final readonly class Money implements Stringable
{
    public function __construct(public int $cents, public Currency $currency = Currency::Franc) {}

    public function plus(Money $other): static
    {
        return new static($this->cents + $other->in($this->currency)->cents, $this->currency);
    }

    public function negated(): static
    {
        return new static(-$this->cents, $this->currency);
    }

    public function in(Currency $currency): static
    {
        if ($currency === $this->currency) {
            return $this;
        }
        return new static((int) round($this->cents * $this->currency->rate() / $currency->rate()), $currency);
    }

    public function isNegative(): bool
    {
        return $this->cents < 0;
    }

    public function __toString(): string
    {
        return sprintf('%s %s', $this->currency->value, number_format($this->cents / 100, 2, '.', "'"));
    }
}

abstract class LedgerException extends Exception {}

final class Overdrawn extends LedgerException
{
    public function __construct(public readonly Account $account, Money $amount)
    {
        parent::__construct("Account $account->number lacks $amount");
    }
}

final class Frozen extends LedgerException {}

final class Entry
{
    public function __construct(
        public readonly DateTimeImmutable $date,
        public readonly Money $amount,
        public readonly string $text,
        public readonly Money $balance,
    ) {}
}

abstract class Account implements Countable, IteratorAggregate
{
    /** @var list<Entry> */
    private array $entries = [];
    protected Money $balance;
    private bool $isFrozen = false;

    public function __construct(public readonly string $number, public readonly string $owner, Currency $currency)
    {
        $this->balance = new Money(0, $currency);
    }

    abstract public function limit(): int;

    public function interest(): float
    {
        return 0.0;
    }

    public function balance(): Money
    {
        return $this->balance;
    }

    public function freeze(bool $isFrozen = true): static
    {
        $this->isFrozen = $isFrozen;
        return $this;
    }

    public function book(DateTimeImmutable $date, Money $amount, string $text): void
    {
        if ($this->isFrozen) {
            throw new Frozen("Account $this->number is frozen");
        }
        $balance = $this->balance->plus($amount);
        if ($balance->cents < -$this->limit() && $amount->isNegative()) {
            throw new Overdrawn($this, new Money(-$balance->cents - $this->limit(), $balance->currency));
        }
        $this->balance = $balance;
        $this->entries[] = new Entry($date, $amount->in($balance->currency), $text, $balance);
    }

    /** Takes the last entry back. */
    public function revoke(): void
    {
        $entry = array_pop($this->entries);
        $this->balance = $this->balance->plus($entry->amount->negated());
    }

    public function count(): int
    {
        return count($this->entries);
    }

    public function getIterator(): Generator
    {
        foreach ($this->entries as $number => $entry) {
            yield $number + 1 => $entry;
        }
    }
}

final class Checking extends Account
{
    public function limit(): int
    {
        return 50000;
    }
}

final class Savings extends Account
{
    public function limit(): int
    {
        return 0;
    }

    public function interest(): float
    {
        return 0.0125;
    }
}

final class StandingOrder
{
    private DateTimeImmutable $next;

    public function __construct(private string $from, private string $to, private Money $amount, DateTimeImmutable $first, private DateInterval $step)
    {
        $this->next = $first;
    }

    /** What is due up to a date: the date of each. */
    public function due(DateTimeImmutable $until): iterable
    {
        while ($this->next <= $until) {
            $date = $this->next;
            $this->next = $date->add($this->step);
            yield $date => [$this->from, $this->to, $this->amount];
        }
    }
}

final class Bank
{
    /** @var array<string, Account> */
    private array $accounts = [];
    /** @var list<StandingOrder> */
    private array $orders = [];
    /** @var array<class-string, int> */
    public array $failures = [];

    public function open(Account $account): void
    {
        $this->accounts[$account->number] = $account;
    }

    public function account(string $number): Account
    {
        return $this->accounts[$number] ?? throw new OutOfBoundsException("No account $number");
    }

    public function order(StandingOrder $order): void
    {
        $this->orders[] = $order;
    }

    /** @param list<array{string, string, Money}> $transfers all of them, or none */
    public function transfer(DateTimeImmutable $date, array $transfers): bool
    {
        $done = [];
        try {
            foreach ($transfers as [$from, $to, $amount]) {
                $this->account($from)->book($date, $amount->negated(), "to $to");
                $done[] = $from;
                $this->account($to)->book($date, $amount, "from $from");
                $done[] = $to;
            }
            $done = [];
            return true;
        } catch (LedgerException | OutOfBoundsException $exception) {
            $kind = $exception::class;
            $this->failures[$kind] = ($this->failures[$kind] ?? 0) + 1;
            return false;
        } finally {
            foreach (array_reverse($done) as $number) {
                $this->accounts[$number]->revoke();
            }
        }
    }

    public function runDay(DateTimeImmutable $today): void
    {
        foreach ($this->orders as $order) {
            foreach ($order->due($today) as $date => $transfer) {
                $this->transfer($date, [$transfer]);
            }
        }
        if ($today->format('m-d') === '12-31') {
            foreach ($this->accounts as $account) {
                $rate = $account->interest();
                if ($rate > 0) {
                    $cents = (int) round($account->balance()->cents * $rate);
                    $account->book($today, new Money($cents, $account->balance()->currency), 'interest');
                }
            }
        }
    }

    public function total(): Money
    {
        $balances = array_map(fn(Account $account) => $account->balance(), $this->accounts);
        return array_reduce($balances, fn(Money $sum, Money $balance) => $sum->plus($balance), new Money(0));
    }

    public function statement(string $number, int $last): string
    {
        $account = $this->account($number);
        $lines = [sprintf('%s of %s, %d entries', get_class($account), $account->owner, count($account))];
        $months = [];
        foreach ($account as $position => $entry) {
            $month = $entry->date->format('Y-m');
            $months[$month] = ($months[$month] ?? 0) + $entry->amount->cents;
            if ($position > count($account) - $last) {
                $lines[] = sprintf('%4d %s %-12s %14s %16s', $position, $entry->date->format('D d.m.y'), $entry->text, $entry->amount, $entry->balance);
            }
        }
        arsort($months);
        $best = array_key_first($months);
        $lines[] = sprintf('best month %s: %.2f', $best, $months[$best] / 100);
        return implode("\n", $lines);
    }
}

function year(): Bank
{
    $bank = new Bank();
    $names = ['Anna', 'Beat', 'Carla', 'Dario', 'Elin', 'Finn'];
    foreach ($names as $index => $name) {
        $currency = Currency::cases()[$index % 3];
        $bank->open(new Checking("C$index", $name, $currency));
        $bank->open(new Savings("S$index", $name, $currency));
        $bank->account("C$index")->book(new DateTimeImmutable('2024-01-01'), new Money(100000 * ($index + 1), $currency), 'opening');
    }
    $start = new DateTimeImmutable('2024-01-01');
    foreach ($names as $index => $name) {
        $to = ($index + 1) % count($names);
        $bank->order(new StandingOrder("C$index", "S$index", new Money(12000), $start->modify('+' . ($index + 1) . ' days'), new DateInterval('P1M')));
        $bank->order(new StandingOrder("C$index", "C$to", new Money(45000 + 500 * $index, Currency::Euro), $start->setDate(2024, 1, 31 - $index), new DateInterval('P14D')));
    }
    $random = 12345;
    foreach (new DatePeriod($start, new DateInterval('P1D'), new DateTimeImmutable('2025-01-01')) as $day) {
        $bank->runDay($day);
        $transfers = [];
        for ($i = 0; $i < 3; $i++) {
            $random = ($random * 1103515245 + 12345) & 0x7fffffff;
            $transfers[] = ['C' . ($random >> 4) % 6, ($random & 1 ? 'C' : 'S') . ($random >> 8) % 7, new Money($random % 20000)];
        }
        $bank->transfer($day, $transfers);
        if ($day->format('N') === '7') {
            $bank->account('C2')->freeze($day->format('W') % 2 === 0);
        }
    }
    return $bank;
}

$rounds = (int) ($argv[1] ?? 12);
for ($round = 0; $round < $rounds; $round++) {
    $bank = year();
}
echo $bank->statement('C0', 5), "\n", $bank->statement('S3', 3), "\n", $bank->statement('C2', 2), "\n";
ksort($bank->failures);
foreach ($bank->failures as $kind => $count) {
    echo "$kind: $count\n";
}
echo 'total ', $bank->total(), "\n";
try {
    $bank->account('S0')->book(new DateTimeImmutable('2025-01-02'), new Money(-99999999), 'all');
} catch (Overdrawn $exception) {
    echo $exception->getMessage(), ' ', $exception->account->owner, "\n";
}
