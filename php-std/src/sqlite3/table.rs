//! The classes and constants of the extension.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::class_flags;

use super::connection::{self, Connection};
use super::result::{self, Rows};
use super::statement::{self, Prepared};

/// The constants.
pub(super) const CONSTANTS: &[(&str, i64)] = &[
    ("SQLITE3_ASSOC", 1),
    ("SQLITE3_NUM", 2),
    ("SQLITE3_BOTH", 3),
    ("SQLITE3_INTEGER", 1),
    ("SQLITE3_FLOAT", 2),
    ("SQLITE3_TEXT", 3),
    ("SQLITE3_BLOB", 4),
    ("SQLITE3_NULL", 5),
    ("SQLITE3_OPEN_READONLY", 1),
    ("SQLITE3_OPEN_READWRITE", 2),
    ("SQLITE3_OPEN_CREATE", 4),
    ("SQLITE3_DETERMINISTIC", 2048),
];

const FLAGS: u32 = class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE;

/// The classes.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class SQLite3Exception extends Exception")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES),
    &NativeClass::new("class SQLite3")
        .flags(FLAGS)
        .constants(&[
            "OK = 0",
            "DENY = 1",
            "IGNORE = 2",
            "CREATE_INDEX = 1",
            "CREATE_TABLE = 2",
            "CREATE_TEMP_INDEX = 3",
            "CREATE_TEMP_TABLE = 4",
            "CREATE_TEMP_TRIGGER = 5",
            "CREATE_TEMP_VIEW = 6",
            "CREATE_TRIGGER = 7",
            "CREATE_VIEW = 8",
            "DELETE = 9",
            "DROP_INDEX = 10",
            "DROP_TABLE = 11",
            "DROP_TEMP_INDEX = 12",
            "DROP_TEMP_TABLE = 13",
            "DROP_TEMP_TRIGGER = 14",
            "DROP_TEMP_VIEW = 15",
            "DROP_TRIGGER = 16",
            "DROP_VIEW = 17",
            "INSERT = 18",
            "PRAGMA = 19",
            "READ = 20",
            "SELECT = 21",
            "TRANSACTION = 22",
            "UPDATE = 23",
            "ATTACH = 24",
            "DETACH = 25",
            "ALTER_TABLE = 26",
            "REINDEX = 27",
            "ANALYZE = 28",
            "CREATE_VTABLE = 29",
            "DROP_VTABLE = 30",
            "FUNCTION = 31",
            "SAVEPOINT = 32",
            "COPY = 0",
            "RECURSIVE = 33",
        ])
        .create_native(|_, _| Some(Box::<Connection>::default()))
        .methods(&[
            method("public function __construct(path $filename, int $flags = 6, string $encryptionKey = \"\")", connection::construct),
            method("tentative public function open(string $filename, int $flags = 6, string $encryptionKey = \"\"): void", connection::open),
            method("tentative public function close(): bool", connection::close),
            method("tentative public static function version(): array", connection::version),
            method("tentative public function lastInsertRowID(): int", connection::last_insert_row_id),
            method("tentative public function lastErrorCode(): int", connection::last_error_code),
            method("tentative public function lastExtendedErrorCode(): int", connection::last_extended_error_code),
            method("tentative public function lastErrorMsg(): string", connection::last_error_msg),
            method("tentative public function changes(): int", connection::changes),
            method("tentative public function busyTimeout(int $milliseconds): bool", connection::busy_timeout),
            method("tentative public function loadExtension(string $name): bool", connection::load_extension),
            method("tentative public function backup(SQLite3 $destination, string $sourceDatabase = \"main\", string $destinationDatabase = \"main\"): bool", connection::backup),
            method("tentative public static function escapeString(string $string): string", connection::escape_string),
            method("tentative public function prepare(string $query): SQLite3Stmt|false", connection::prepare),
            method("tentative public function exec(string $query): bool", connection::exec),
            method("tentative public function query(string $query): SQLite3Result|false", connection::query),
            method("tentative public function querySingle(string $query, bool $entireRow = false): mixed", connection::query_single),
            method("tentative public function createFunction(string $name, callable $callback, int $argCount = -1, int $flags = 0): bool", connection::create_function),
            method("tentative public function createAggregate(string $name, callable $stepCallback, callable $finalCallback, int $argCount = -1): bool", connection::create_aggregate),
            method("tentative public function createCollation(string $name, callable $callback): bool", connection::create_collation),
            method("public function openBlob(string $table, string $column, int $rowid, string $database = \"main\", int $flags = SQLITE3_OPEN_READONLY)", connection::open_blob),
            method("tentative public function enableExceptions(bool $enable = false): bool", connection::enable_exceptions),
            method("tentative public function enableExtendedResultCodes(bool $enable = true): bool", connection::enable_extended_result_codes),
            method("tentative public function setAuthorizer(?callable $callback): bool", connection::set_authorizer),
        ]),
    &NativeClass::new("class SQLite3Stmt")
        .flags(FLAGS)
        .create_native(|_, _| Some(Box::<Prepared>::default()))
        .methods(&[
            method("private function __construct(SQLite3 $sqlite3, string $query)", statement::construct),
            method("tentative public function bindParam(string|int $param, mixed &$var, int $type = SQLITE3_TEXT): bool", statement::bind_param),
            method("tentative public function bindValue(string|int $param, mixed $value, int $type = SQLITE3_TEXT): bool", statement::bind_value),
            method("tentative public function clear(): bool", statement::clear),
            method("tentative public function close(): true", statement::close),
            method("tentative public function execute(): SQLite3Result|false", statement::execute),
            method("tentative public function getSQL(bool $expand = false): string|false", statement::get_sql),
            method("tentative public function paramCount(): int", statement::param_count),
            method("tentative public function readOnly(): bool", statement::read_only),
            method("tentative public function reset(): bool", statement::reset),
        ]),
    &NativeClass::new("class SQLite3Result")
        .flags(FLAGS)
        .create_native(|_, _| Some(Box::<Rows>::default()))
        .methods(&[
            method("private function __construct()", result::construct),
            method("tentative public function numColumns(): int", result::num_columns),
            method("tentative public function columnName(int $column): string|false", result::column_name),
            method("tentative public function columnType(int $column): int|false", result::column_type),
            method("tentative public function fetchArray(int $mode = SQLITE3_BOTH): array|false", result::fetch_array),
            method("tentative public function reset(): bool", result::reset),
            method("tentative public function finalize(): true", result::finalize),
        ]),
];
