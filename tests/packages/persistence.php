<?php
// Doctrine's ORM on SQLite: mapping by attributes, DQL, lazy loading, inheritance, versions, removal.
require 'Doctrine/ORM/autoload.php';
require 'Symfony/Component/Cache/autoload.php';
use Doctrine\Common\Collections\ArrayCollection;
use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\{EntityManager, Mapping as ORM, ORMSetup};
use Doctrine\ORM\Tools\{Pagination\Paginator, SchemaTool};

#[ORM\Embeddable] class Address { #[ORM\Column(nullable: true)] public ?string $city = null; }
#[ORM\Entity, ORM\Table(name: 'author')] class Author {
    #[ORM\Id, ORM\Column, ORM\GeneratedValue] public ?int $id = null;
    #[ORM\OneToMany(targetEntity: Book::class, mappedBy: 'author', cascade: ['persist', 'remove'])] public $books;
    #[ORM\Embedded(class: Address::class)] public Address $address;
    function __construct(#[ORM\Column(length: 50)] public string $name) {
        $this->books = new ArrayCollection();
        $this->address = new Address();
        $this->address->city = "City of $name";
    }
}
enum Kind: string { case Novel = 'n'; case Other = 'o'; }
#[ORM\Entity] class Tag {
    #[ORM\Id, ORM\Column, ORM\GeneratedValue] public ?int $id = null;
    function __construct(#[ORM\Column(length: 10)] public string $name) {}
}
#[ORM\Entity, ORM\InheritanceType('SINGLE_TABLE'), ORM\DiscriminatorColumn(name: 'type', type: 'string')]
#[ORM\DiscriminatorMap(['b' => Book::class, 'e' => EBook::class])]
class Book {
    #[ORM\Id, ORM\Column, ORM\GeneratedValue] public ?int $id = null;
    #[ORM\Column] public string $title = '';
    #[ORM\Column(type: 'decimal', precision: 8, scale: 2)] public string $price = '1.50';
    #[ORM\Column(type: 'datetime_immutable')] public DateTimeImmutable $made;
    #[ORM\Column(enumType: Kind::class)] public Kind $kind = Kind::Novel;
    #[ORM\Column(type: 'json')] public array $more = [];
    #[ORM\ManyToOne(targetEntity: Author::class, inversedBy: 'books')] public ?Author $author = null;
    #[ORM\ManyToMany(targetEntity: Tag::class, cascade: ['persist'])] public $tags;
    #[ORM\Version, ORM\Column(type: 'integer')] public int $version = 1;
    function __construct() {
        $this->made = new DateTimeImmutable('2020-01-02 UTC');
        $this->tags = new ArrayCollection();
    }
}
#[ORM\Entity] class EBook extends Book { #[ORM\Column(nullable: true)] public ?string $url = null; }

function show(string $name, mixed $value): void
{
    echo $name, ': ', json_encode($value, JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
}

$folder = sys_get_temp_dir() . '/opline-package-' . str_pad((string) getmypid(), 8, '0', STR_PAD_LEFT);
mkdir($folder);
register_shutdown_function(fn () => array_map(unlink(...), glob("$folder/*")) && rmdir($folder));
$configuration = ORMSetup::createAttributeMetadataConfiguration([__DIR__], true, $folder);
$connection = DriverManager::getConnection(['driver' => 'pdo_sqlite', 'memory' => true], $configuration);
$manager = new EntityManager($connection, $configuration);
$tool = new SchemaTool($manager);
$classes = array_map($manager->getClassMetadata(...), [Author::class, Book::class, EBook::class, Tag::class]);
show('schema', $tool->getCreateSchemaSql($classes));
$tool->createSchema($classes);
for ($i = 1; $i < 4; $i++) {
    $author = new Author("A$i");
    for ($j = 0; $j < $i; $j++) {
        $book = $j % 2 ? new EBook() : new Book();
        [$book->title, $book->author, $book->price, $book->more] = ["T$i$j", $author, sprintf('%.2f', $i * 1.5 + $j), ['x' => $j]];
        $book->kind = $j ? Kind::Other : Kind::Novel;
        $author->books->add($book);
        if ($j == 0) {
            $book->tags->add(new Tag("t$i"));
        }
    }
    $manager->persist($author);
}
$manager->flush();
$manager->clear();
$queries = [
    'SELECT a.name, COUNT(b) n, SUM(b.price) s FROM Author a LEFT JOIN a.books b GROUP BY a.id HAVING COUNT(b) > 1 ORDER BY n DESC',
    'SELECT b.title, b.price FROM Book b WHERE b INSTANCE OF EBook',
    'SELECT a.name FROM Author a WHERE a.address.city LIKE :low OR SIZE(a.books) = 3',
    "SELECT CONCAT(UPPER(b.title), '!'), CASE WHEN b.price > 3 THEN 'x' ELSE 'y' END FROM Book b WHERE b.made < CURRENT_TIMESTAMP() AND b.title NOT IN ('q') ORDER BY b.id",
    'SELECT t.name, COUNT(b) FROM Book b JOIN b.tags t GROUP BY t', 'SELECT x FROM', 'SELECT b FROM Nope b',
    'UPDATE Book b SET b.title = CONCAT(b.title, :low) WHERE b.id = 1', 'DELETE FROM Book b WHERE b.id = 6',
];
foreach ($queries as $text) {
    try {
        $query = $manager->createQuery($text);
        if (str_contains($text, ':low')) {
            $query->setParameter('low', '%A1');
        }
        show('sql', $query->getSQL());
        show('rows', str_starts_with($text, 'SELECT') ? $query->getArrayResult() : $query->execute());
    } catch (Throwable $error) {
        show(get_class($error), $error->getMessage());
    }
}
$author = $manager->find(Author::class, 3);
show('lazy', [get_class($author->books), count($author->books), array_map(fn ($b) => [get_class($b), $b->title, $b->kind, $b->more, $b->made->format('c')], $author->books->toArray())]);
$book = $manager->getReference(Book::class, 2);
show('reference', [$manager->isUninitializedObject($book), $book->title, $book->author->name]);
$book->title = 'changed';
$manager->flush();
show('version', $book->version);
show('found', array_map(fn ($b) => $b->title, $manager->getRepository(Book::class)->findBy(['kind' => Kind::Other], ['title' => 'DESC'], 2)));
$manager->remove($author);
$manager->flush();
show('left', $connection->fetchAllAssociative('SELECT id, title, type, version FROM Book'));
show('pages', iterator_count(new Paginator($manager->createQuery('SELECT b, a FROM Book b JOIN b.author a')->setMaxResults(2))));
show('up to date', $tool->getUpdateSchemaSql($classes));
