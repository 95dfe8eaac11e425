<?php
// A text adventure: rooms, things, creatures that act by themselves, and a player who follows scripts.

enum Direction: string
{
    case North = 'north';
    case East = 'east';
    case South = 'south';
    case West = 'west';

    public function opposite(): self
    {
        return match ($this) {
            self::North => self::South,
            self::East => self::West,
            self::South => self::North,
            self::West => self::East,
        };
    }
}

class Refusal extends Exception {}

final class GameOver extends Exception {}

trait HasContents
{
    /** @var array<string, Thing> */
    private array $contents = [];

    public function put(Thing $thing): static
    {
        $this->contents[$thing->name] = $thing;
        return $this;
    }

    public function take(string $name): Thing
    {
        $thing = $this->contents[$name] ?? throw new Refusal("There is no $name here.");
        unset($this->contents[$name]);
        return $thing;
    }

    public function has(string $name): bool
    {
        return isset($this->contents[$name]);
    }

    public function inventory(): string
    {
        $names = array_map(fn(Thing $thing) => (string) $thing, $this->contents);
        sort($names);
        return match (count($names)) {
            0 => 'nothing',
            1 => $names[0],
            default => implode(', ', array_slice($names, 0, -1)) . ' and ' . end($names),
        };
    }

    public function weight(): int
    {
        return array_sum(array_map(static fn(Thing $thing) => $thing->weight, $this->contents));
    }
}

class Thing implements Stringable
{
    public function __construct(public readonly string $name, public readonly int $weight = 1) {}

    public function useIn(Game $game): string
    {
        throw new Refusal("You cannot use the $this->name.");
    }

    public function __toString(): string
    {
        return (preg_match('/^[aeiou]/', $this->name) ? 'an ' : 'a ') . $this->name;
    }
}

final class Key extends Thing
{
    public function useIn(Game $game): string
    {
        foreach ($game->room->doors() as $direction => $door) {
            if ($door->isLocked) {
                $door->isLocked = false;
                return "The door to the $direction is open.";
            }
        }
        throw new Refusal('Nothing is locked here.');
    }
}

final class Lamp extends Thing
{
    private int $oil = 9;

    public function useIn(Game $game): string
    {
        if ($this->oil < 3) {
            throw new Refusal('The lamp is empty.');
        }
        $this->oil -= 3;
        $game->light += 4;
        return "The lamp burns ($this->oil left).";
    }
}

final class Door
{
    public function __construct(public readonly Room $leadsTo, public bool $isLocked = false) {}
}

final class Room
{
    use HasContents;

    private array $doors = [];
    public int $visits = 0;

    public function __construct(public readonly string $name, public readonly bool $isDark = false) {}

    public function connect(Direction $direction, Room $other, bool $isLocked = false): static
    {
        $this->doors[$direction->value] = new Door($other, $isLocked);
        $other->doors[$direction->opposite()->value] = new Door($this);
        return $this;
    }

    /** @return array<string, Door> */
    public function doors(): array
    {
        return $this->doors;
    }

    public function __get(string $name): mixed
    {
        return $this->doors[$name]->leadsTo ?? null;
    }
}

abstract class Creature
{
    use HasContents;

    protected int $health = 10;

    public function __construct(public readonly string $name, protected Room $room) {}

    abstract public function act(Game $game): ?string;

    public function isAlive(): bool
    {
        return $this->health > 0;
    }

    public function hurt(int $points): void
    {
        $this->health = max(0, $this->health - $points);
    }

    protected function wander(Game $game): bool
    {
        $doors = array_filter($this->room->doors(), fn(Door $door) => !$door->isLocked);
        if (!$doors) {
            return false;
        }
        $this->room = array_values($doors)[$game->random(count($doors))]->leadsTo;
        return true;
    }
}

final class Thief extends Creature
{
    public function act(Game $game): ?string
    {
        if ($this->room === $game->room && $game->player->has('gold') && $game->random(3) === 0) {
            $this->put($game->player->take('gold'));
            return "The $this->name takes the gold!";
        }
        $this->wander($game);
        if ($this->has('gold') && $game->random(4) === 0) {
            $this->room->put($this->take('gold'));
            return null;
        }
        return $this->room === $game->room ? "A $this->name looks at you." : null;
    }
}

final class Troll extends Creature
{
    public function act(Game $game): ?string
    {
        if ($this->room !== $game->room) {
            if ($game->turn % 3 === 0) {
                $this->wander($game);
            }
            return null;
        }
        if ($game->player->has('sword')) {
            $this->hurt(4);
            return $this->isAlive() ? "You hit the $this->name." : "The $this->name falls.";
        }
        $game->player->hurt(1 + $game->random(2));
        if (!$game->player->isAlive()) {
            throw new GameOver("The $this->name was stronger.");
        }
        return "The $this->name hits you.";
    }
}

final class Player extends Creature
{
    public function act(Game $game): ?string
    {
        return null;
    }

    public function heal(int $points): void
    {
        $this->health += $points;
    }

    public function health(): int
    {
        return $this->health;
    }
}

final class Game
{
    public Room $room;
    public Player $player;
    public int $turn = 0;
    public int $light = 0;
    public int $score = 0;
    private array $creatures = [];
    private array $log = [];
    private array $commands;

    public function __construct(private int $seed)
    {
        [$hall, $kitchen, $cellar, $garden, $tower, $cave] = array_map(
            fn(string $name) => new Room($name, in_array($name, ['cellar', 'cave'], true)),
            ['hall', 'kitchen', 'cellar', 'garden', 'tower', 'cave'],
        );
        $hall->connect(Direction::North, $kitchen)->connect(Direction::East, $garden)->connect(Direction::West, $tower, true);
        $kitchen->connect(Direction::East, $cellar);
        $cellar->connect(Direction::South, $cave);
        $garden->connect(Direction::South, $cave);
        $kitchen->put(new Lamp('lamp', 2))->put(new Thing('apple'));
        $garden->put(new Key('key'));
        $tower->put(new Thing('sword', 6));
        $cave->put(new Thing('gold', 5))->put(new Thing('rock', 20));
        $this->room = $hall;
        $this->player = new Player('you', $hall);
        $this->creatures = [new Thief('thief', $garden), new Troll('troll', $cave), new Troll('young troll', $cellar)];
        $this->commands = [
            '/^go (?<way>\w+)$/' => $this->go(...),
            '/^(?:take|get) (?:the )?(?<name>\w+)$/' => function (array $match): string {
                $this->dark();
                $thing = $this->room->take($match['name']);
                if ($this->player->weight() + $thing->weight > 15) {
                    $this->room->put($thing);
                    throw new Refusal("The $thing->name is too heavy.");
                }
                $this->player->put($thing);
                $this->score += $thing->weight;
                return "You have {$this->player->inventory()}.";
            },
            '/^drop (?<name>\w+)$/' => function (array $match): string {
                $thing = $this->player->take($match['name']);
                $this->room->put($thing);
                return "You drop $thing.";
            },
            '/^use (?<name>\w+)$/' => function (array $match): string {
                $thing = $this->player->take($match['name']);
                try {
                    return $thing->useIn($this);
                } finally {
                    $this->player->put($thing);
                }
            },
            '/^eat (?<name>apple)$/' => function (array $match): string {
                $this->player->take($match['name']);
                $this->player->heal(5);
                return 'That was good.';
            },
            '/^look$/' => fn() => $this->describe(),
            '/^wait(?: (?<turns>\d+))?$/' => fn(array $match) => 'Time passes' . str_repeat('.', (int) ($match['turns'] ?? 1)),
        ];
    }

    public function random(int $limit): int
    {
        $this->seed = ($this->seed * 25173 + 13849) % 65536;
        return ($this->seed >> 4) % $limit;
    }

    private function dark(): void
    {
        if ($this->room->isDark && $this->light <= 0) {
            throw new Refusal('It is dark.');
        }
    }

    private function describe(): string
    {
        $this->dark();
        $ways = array_map(fn(Door $door) => $door->isLocked ? 'locked' : $door->leadsTo->name, $this->room->doors());
        ksort($ways);
        return "You see {$this->room->inventory()}. Ways: " . urldecode(http_build_query($ways, '', ', '));
    }

    private function go(array $match): string
    {
        $direction = Direction::tryFrom($match['way']) ?? throw new Refusal("What is \"{$match['way']}\"?");
        $door = $this->room->doors()[$direction->value] ?? throw new Refusal("There is no way $direction->value.");
        if ($door->isLocked) {
            throw new Refusal('The door is locked.');
        }
        $this->room = $door->leadsTo;
        $this->room->visits++;
        if ($this->room->name === 'hall' && $this->player->has('gold')) {
            $this->score += 50;
            throw new GameOver('You are rich.');
        }
        return "You are in the {$this->room->name}.";
    }

    private function execute(string $command): string
    {
        foreach ($this->commands as $pattern => $action) {
            if (preg_match($pattern, $command, $match)) {
                return $action($match);
            }
        }
        throw new Refusal("You cannot $command.");
    }

    /** @param iterable<string> $commands */
    public function play(iterable $commands): string
    {
        $refused = 0;
        try {
            foreach ($commands as $command) {
                $this->turn++;
                $this->light--;
                try {
                    $answer = $this->execute(strtolower(trim($command)));
                } catch (Refusal $refusal) {
                    $answer = $refusal->getMessage();
                    $refused++;
                }
                $this->log[] = "> $command";
                $this->log[] = $answer;
                foreach ($this->creatures as $creature) {
                    if ($creature->isAlive()) {
                        $this->log[] = $creature->act($this);
                    }
                }
            }
            $end = 'You are tired.';
        } catch (GameOver $over) {
            $end = $over->getMessage();
        }
        $this->log = array_values(array_filter($this->log, fn(?string $line) => $line !== null));
        return sprintf('%s %d turns, %d refused, score %d, health %d, %s', $end, $this->turn, $refused, $this->score, $this->player->health(), $this->player->inventory());
    }

    public function log(): array
    {
        return $this->log;
    }
}

/** Tries things at random, rather those that make sense. */
function wanderer(Game $game, int $turns): Generator
{
    while ($turns-- > 0) {
        $choice = $game->random(10);
        yield match (true) {
            $choice < 5 => 'go ' . (array_keys($game->room->doors())[$game->random(count($game->room->doors()))] ?? 'up'),
            $choice < 7 => 'take ' . ['lamp', 'key', 'sword', 'gold', 'apple', 'rock'][$game->random(6)],
            $choice === 7 => 'use ' . ($game->random(2) ? 'lamp' : 'key'),
            $choice === 8 => $game->random(2) ? 'eat apple' : 'look',
            default => $game->random(3) ? 'wait 3' : 'sing',
        };
    }
}

$rounds = (int) ($argv[1] ?? 12);
$script = ['look', 'go west', 'go east', 'take the key', 'go west', 'use key', 'go west', 'take sword', 'go east', 'go north', 'get lamp', 'eat apple', 'go up', 'go east', 'look', 'use lamp', 'look', 'go south', 'take rock', 'take gold', 'drop key', 'go north', 'go west', 'go south'];
for ($round = 0; $round < $rounds; $round++) {
    $first = new Game(1);
    $summary = $first->play($script);
    $ends = [];
    $best = null;
    for ($seed = 2; $seed < 62; $seed++) {
        $game = new Game($seed);
        $result = $game->play(wanderer($game, 80));
        $end = strtok($result, '.');
        $ends[$end] = ($ends[$end] ?? 0) + 1;
        if ($best === null || $game->score > $best[0]) {
            $best = [$game->score, $seed, $result, count($game->log())];
        }
    }
}
echo implode("\n", $first->log()), "\n$summary\n";
ksort($ends);
print_r($ends);
echo implode(' | ', $best), "\n";
