//! Prepared statements.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::rc::Rc;

use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use super::{Code, Database, c_text, owned, sys};

/// A prepared statement.
pub(crate) struct Statement {
    handle: *mut sys::sqlite3_stmt,
    pub(crate) database: Rc<Database>,
}

impl std::fmt::Debug for Statement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Statement")
    }
}

/// A value of SQLite's.
#[derive(Debug)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Float(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    /// The value in PHP.
    pub(crate) fn into_value(self, vm: &mut Vm) -> Value {
        match self {
            Cell::Null => Value::NULL,
            Cell::Integer(number) => number.into(),
            Cell::Float(number) => number.into(),
            Cell::Text(text) | Cell::Blob(text) => vm.string(text).into(),
        }
    }
}

impl Statement {
    /// Prepares the first statement of a text; None without error for a text without one.
    pub(crate) fn prepare(database: &Rc<Database>, sql: &[u8]) -> Result<Option<Statement>, Code> {
        let mut handle = null_mut();
        let code = database.run(|database| {
            // SAFETY: text and length belong together.
            unsafe {
                sys::sqlite3_prepare_v2(
                    database,
                    sql.as_ptr().cast::<c_char>(),
                    c_int::try_from(sql.len()).unwrap_or(c_int::MAX),
                    &mut handle,
                    null_mut(),
                )
            }
        });
        match code {
            sys::SQLITE_OK if handle.is_null() => Ok(None),
            sys::SQLITE_OK => Ok(Some(Statement {
                handle,
                database: database.clone(),
            })),
            code => Err(code),
        }
    }

    /// Goes to the next row: `SQLITE_ROW`, `SQLITE_DONE` or an error.
    pub(crate) fn step(&self) -> Code {
        vm_runtime::limits::poll();
        // SAFETY: the statement is live.
        self.database
            .run(|_| unsafe { sys::sqlite3_step(self.handle) })
    }

    /// Back to the start; parameters stay bound.
    pub(crate) fn reset(&self) -> Code {
        // SAFETY: the statement is live.
        self.database
            .run(|_| unsafe { sys::sqlite3_reset(self.handle) })
    }

    pub(crate) fn clear(&self) -> Code {
        // SAFETY: the statement is live.
        unsafe { sys::sqlite3_clear_bindings(self.handle) }
    }

    /// Columns of the result.
    pub(crate) fn columns(&self) -> usize {
        // SAFETY: the statement is live.
        unsafe { sys::sqlite3_column_count(self.handle) as usize }
    }

    /// Columns of the row that it stands at; 0 if there is none.
    pub(crate) fn row_columns(&self) -> usize {
        // SAFETY: the statement is live.
        unsafe { sys::sqlite3_data_count(self.handle) as usize }
    }

    pub(crate) fn column_name(&self, column: usize) -> Vec<u8> {
        // SAFETY: the statement is live; for columns that there are not SQLite gives null.
        unsafe { owned(sys::sqlite3_column_name(self.handle, column as c_int)) }
    }

    pub(crate) fn column_table(&self, column: usize) -> Vec<u8> {
        // SAFETY: as above.
        unsafe { owned(sys::sqlite3_column_table_name(self.handle, column as c_int)) }
    }

    /// The type that the column was declared with.
    pub(crate) fn column_declaration(&self, column: usize) -> Option<Vec<u8>> {
        // SAFETY: as above.
        unsafe {
            let text = sys::sqlite3_column_decltype(self.handle, column as c_int);
            (!text.is_null()).then(|| owned(text))
        }
    }

    /// The type of the value in the row that it stands at.
    pub(crate) fn column_type(&self, column: usize) -> Code {
        // SAFETY: the statement is live.
        unsafe { sys::sqlite3_column_type(self.handle, column as c_int) }
    }

    /// A value of the row that it stands at.
    pub(crate) fn cell(&self, column: usize) -> Cell {
        let column = column as c_int;
        // SAFETY: the statement is live; what SQLite points to is copied before the next call.
        unsafe {
            let bytes = |start: *const u8| {
                let length = sys::sqlite3_column_bytes(self.handle, column) as usize;
                match start.is_null() {
                    true => Vec::new(),
                    false => {
                        vm_runtime::limits::reserve(length);
                        std::slice::from_raw_parts(start, length).to_vec()
                    }
                }
            };
            match sys::sqlite3_column_type(self.handle, column) {
                sys::SQLITE_INTEGER => {
                    Cell::Integer(sys::sqlite3_column_int64(self.handle, column))
                }
                sys::SQLITE_FLOAT => Cell::Float(sys::sqlite3_column_double(self.handle, column)),
                sys::SQLITE_NULL => Cell::Null,
                sys::SQLITE_BLOB => {
                    Cell::Blob(bytes(sys::sqlite3_column_blob(self.handle, column).cast()))
                }
                _ => Cell::Text(bytes(sys::sqlite3_column_text(self.handle, column))),
            }
        }
    }

    /// Binds a value to a parameter, counted from 1.
    pub(crate) fn bind(&self, parameter: i64, cell: &Cell) -> Code {
        let Ok(parameter) = c_int::try_from(parameter) else {
            return sys::SQLITE_RANGE;
        };
        let length = |bytes: &[u8]| bytes.len() as u64;
        // SAFETY: the statement is live; SQLite copies texts.
        unsafe {
            match cell {
                Cell::Null => sys::sqlite3_bind_null(self.handle, parameter),
                Cell::Integer(number) => sys::sqlite3_bind_int64(self.handle, parameter, *number),
                Cell::Float(number) => sys::sqlite3_bind_double(self.handle, parameter, *number),
                Cell::Text(text) => sys::sqlite3_bind_text64(
                    self.handle,
                    parameter,
                    text.as_ptr().cast(),
                    length(text),
                    sys::SQLITE_TRANSIENT(),
                    sys::SQLITE_UTF8 as u8,
                ),
                Cell::Blob(bytes) if bytes.is_empty() => {
                    sys::sqlite3_bind_zeroblob(self.handle, parameter, 0)
                }
                Cell::Blob(bytes) => sys::sqlite3_bind_blob64(
                    self.handle,
                    parameter,
                    bytes.as_ptr().cast(),
                    length(bytes),
                    sys::SQLITE_TRANSIENT(),
                ),
            }
        }
    }

    pub(crate) fn parameters(&self) -> i64 {
        // SAFETY: the statement is live.
        i64::from(unsafe { sys::sqlite3_bind_parameter_count(self.handle) })
    }

    /// The number of a parameter by its name; 0 if there is none.
    pub(crate) fn parameter(&self, name: &[u8]) -> i64 {
        let name = c_text(name);
        // SAFETY: the statement is live, the name ends with NUL.
        i64::from(unsafe { sys::sqlite3_bind_parameter_index(self.handle, name.as_ptr()) })
    }

    pub(crate) fn is_read_only(&self) -> bool {
        // SAFETY: the statement is live.
        unsafe { sys::sqlite3_stmt_readonly(self.handle) != 0 }
    }

    pub(crate) fn sql(&self) -> Vec<u8> {
        // SAFETY: the statement is live.
        unsafe { owned(sys::sqlite3_sql(self.handle)) }
    }

    /// The text with the values that are bound.
    pub(crate) fn expanded_sql(&self) -> Option<Vec<u8>> {
        // SAFETY: the statement is live; the text is ours to free.
        unsafe {
            let text = sys::sqlite3_expanded_sql(self.handle);
            if text.is_null() {
                return None;
            }
            let copy = owned(text);
            sys::sqlite3_free(text.cast());
            Some(copy)
        }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: prepared by `prepare`, finalised once. What a function of the script throws
        // natively here waits for the next call.
        unsafe { sys::sqlite3_finalize(self.handle) };
    }
}
