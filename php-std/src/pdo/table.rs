//! The classes of PDO.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::class_flags;

use super::connection::{self, Connection};
use super::statement::{self, Prepared};
use super::{drivers, fetch, lazy_row, parameters};

const FLAGS: u32 = class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE;

/// The classes.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class PDOException extends RuntimeException")
        .properties(&["protected $code = 0", "public ?array $errorInfo = null"]),
    &NativeClass::new("class PDO")
        .flags(FLAGS)
        .constants(&[
            "PARAM_NULL = 0",
            "PARAM_BOOL = 5",
            "PARAM_INT = 1",
            "PARAM_STR = 2",
            "PARAM_LOB = 3",
            "PARAM_STMT = 4",
            "PARAM_INPUT_OUTPUT = 2147483648",
            "PARAM_STR_NATL = 1073741824",
            "PARAM_STR_CHAR = 536870912",
            "PARAM_EVT_ALLOC = 0",
            "PARAM_EVT_FREE = 1",
            "PARAM_EVT_EXEC_PRE = 2",
            "PARAM_EVT_EXEC_POST = 3",
            "PARAM_EVT_FETCH_PRE = 4",
            "PARAM_EVT_FETCH_POST = 5",
            "PARAM_EVT_NORMALIZE = 6",
            "FETCH_DEFAULT = 0",
            "FETCH_LAZY = 1",
            "FETCH_ASSOC = 2",
            "FETCH_NUM = 3",
            "FETCH_BOTH = 4",
            "FETCH_OBJ = 5",
            "FETCH_BOUND = 6",
            "FETCH_COLUMN = 7",
            "FETCH_CLASS = 8",
            "FETCH_INTO = 9",
            "FETCH_FUNC = 10",
            "FETCH_GROUP = 65536",
            "FETCH_UNIQUE = 196608",
            "FETCH_KEY_PAIR = 12",
            "FETCH_CLASSTYPE = 262144",
            "FETCH_SERIALIZE = 524288",
            "FETCH_PROPS_LATE = 1048576",
            "FETCH_NAMED = 11",
            "ATTR_AUTOCOMMIT = 0",
            "ATTR_PREFETCH = 1",
            "ATTR_TIMEOUT = 2",
            "ATTR_ERRMODE = 3",
            "ATTR_SERVER_VERSION = 4",
            "ATTR_CLIENT_VERSION = 5",
            "ATTR_SERVER_INFO = 6",
            "ATTR_CONNECTION_STATUS = 7",
            "ATTR_CASE = 8",
            "ATTR_CURSOR_NAME = 9",
            "ATTR_CURSOR = 10",
            "ATTR_ORACLE_NULLS = 11",
            "ATTR_PERSISTENT = 12",
            "ATTR_STATEMENT_CLASS = 13",
            "ATTR_FETCH_TABLE_NAMES = 14",
            "ATTR_FETCH_CATALOG_NAMES = 15",
            "ATTR_DRIVER_NAME = 16",
            "ATTR_STRINGIFY_FETCHES = 17",
            "ATTR_MAX_COLUMN_LEN = 18",
            "ATTR_EMULATE_PREPARES = 20",
            "ATTR_DEFAULT_FETCH_MODE = 19",
            "ATTR_DEFAULT_STR_PARAM = 21",
            "ERRMODE_SILENT = 0",
            "ERRMODE_WARNING = 1",
            "ERRMODE_EXCEPTION = 2",
            "CASE_NATURAL = 0",
            "CASE_LOWER = 2",
            "CASE_UPPER = 1",
            "NULL_NATURAL = 0",
            "NULL_EMPTY_STRING = 1",
            "NULL_TO_STRING = 2",
            "ERR_NONE = '00000'",
            "FETCH_ORI_NEXT = 0",
            "FETCH_ORI_PRIOR = 1",
            "FETCH_ORI_FIRST = 2",
            "FETCH_ORI_LAST = 3",
            "FETCH_ORI_ABS = 4",
            "FETCH_ORI_REL = 5",
            "CURSOR_FWDONLY = 0",
            "CURSOR_SCROLL = 1",
            "SQLITE_DETERMINISTIC = 2048",
            "SQLITE_ATTR_OPEN_FLAGS = 1000",
            "SQLITE_OPEN_READONLY = 1",
            "SQLITE_OPEN_READWRITE = 2",
            "SQLITE_OPEN_CREATE = 4",
            "SQLITE_ATTR_READONLY_STATEMENT = 1001",
            "SQLITE_ATTR_EXTENDED_RESULT_CODES = 1002",
        ])
        .handlers(&connection::HANDLERS)
        .create_native(|_, _| Some(Box::<Connection>::default()))
        .methods(&[
            method("public function __construct(string $dsn, ?string $username = null, #[SensitiveParameter] ?string $password = null, ?array $options = null)", connection::construct),
            method("public static function connect(string $dsn, ?string $username = null, #[SensitiveParameter] ?string $password = null, ?array $options = null): static", connection::connect),
            method("tentative public function beginTransaction(): bool", connection::begin_transaction),
            method("tentative public function commit(): bool", connection::commit),
            method("tentative public function errorCode(): ?string", connection::error_code),
            method("tentative public function errorInfo(): array", connection::error_info),
            method("tentative public function exec(string $statement): int|false", connection::exec),
            method("tentative public function getAttribute(int $attribute): mixed", connection::get_attribute),
            method("tentative public static function getAvailableDrivers(): array", drivers),
            method("tentative public function inTransaction(): bool", connection::in_transaction),
            method("tentative public function lastInsertId(?string $name = null): string|false", connection::last_insert_id),
            method("tentative public function prepare(string $query, array $options = []): PDOStatement|false", connection::prepare),
            method("tentative public function query(string $query, ?int $fetchMode = null, mixed ...$fetchModeArgs): PDOStatement|false", connection::query),
            method("tentative public function quote(string $string, int $type = PDO::PARAM_STR): string|false", connection::quote),
            method("tentative public function rollBack(): bool", connection::roll_back),
            method("tentative public function setAttribute(int $attribute, mixed $value): bool", connection::set_attribute),
            // In PHP these are there for objects of the driver alone.
            method("public function sqliteCreateFunction(string $function_name, callable $callback, int $num_args = -1, int $flags = 0): bool", connection::create_function),
            method("public function sqliteCreateAggregate(string $name, callable $step, callable $finalize, int $numArgs = -1): bool", connection::create_aggregate),
            method("public function sqliteCreateCollation(string $name, callable $callback): bool", connection::create_collation),
        ]),
    &NativeClass::new("class PDOStatement implements IteratorAggregate")
        .flags(FLAGS)
        .properties(&["public string $queryString"])
        .handlers(&statement::HANDLERS)
        .create_native(|_, _| Some(Box::<Prepared>::default()))
        .methods(&[
            method("tentative public function bindColumn(string|int $column, mixed &$var, int $type = PDO::PARAM_STR, int $maxLength = 0, mixed $driverOptions = null): bool", statement::bind_column),
            method("tentative public function bindParam(string|int $param, mixed &$var, int $type = PDO::PARAM_STR, int $maxLength = 0, mixed $driverOptions = null): bool", parameters::bind_param),
            method("tentative public function bindValue(string|int $param, mixed $value, int $type = PDO::PARAM_STR): bool", parameters::bind_value),
            method("tentative public function closeCursor(): bool", statement::close_cursor),
            method("tentative public function columnCount(): int", statement::column_count),
            method("tentative public function debugDumpParams(): ?bool", statement::debug_dump_params),
            method("tentative public function errorCode(): ?string", statement::error_code),
            method("tentative public function errorInfo(): array", statement::error_info),
            method("tentative public function execute(?array $params = null): bool", statement::execute),
            method("tentative public function fetch(int $mode = PDO::FETCH_DEFAULT, int $cursorOrientation = PDO::FETCH_ORI_NEXT, int $cursorOffset = 0): mixed", fetch::fetch),
            method("tentative public function fetchAll(int $mode = PDO::FETCH_DEFAULT, mixed ...$args): array", fetch::fetch_all),
            method("tentative public function fetchColumn(int $column = 0): mixed", fetch::fetch_column),
            method("tentative public function fetchObject(?class_name $class = \"stdClass\", array $constructorArgs = []): object|false", fetch::fetch_object),
            method("tentative public function getAttribute(int $name): mixed", statement::get_attribute),
            method("tentative public function getColumnMeta(int $column): array|false", statement::get_column_meta),
            method("tentative public function nextRowset(): bool", statement::next_rowset),
            method("tentative public function rowCount(): int", statement::row_count),
            method("tentative public function setAttribute(int $attribute, mixed $value): bool", statement::set_attribute),
            method("tentative public function setFetchMode(int $mode, mixed ...$args): true", fetch::set_fetch_mode),
            method("public function getIterator(): Iterator", fetch::get_iterator),
        ]),
    &NativeClass::new("final class PDORow")
        .flags(FLAGS | class_flags::NO_DYNAMIC_PROPERTIES)
        .properties(&["virtual public string $queryString"])
        .handlers(&lazy_row::HANDLERS)
        .create_native(|_, _| Some(Box::<lazy_row::Row>::default()))
        // In PHP `new` itself refuses.
        .methods(&[method("#[Uncounted] public function __construct()", lazy_row::construct)]),
];
