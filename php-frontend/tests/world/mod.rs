//! What a reference PHP knows, read from a table that `tests/dump_agreement` makes.

use std::collections::HashMap;
use std::sync::Arc;

use php_frontend::{Environment, KnownClass, KnownFunction};
use vm_runtime::function::{Parameter, PassBy};
use vm_runtime::op_array::LiteralPool;
use vm_runtime::value::Zval;

/// The world of a reference PHP, read from a table.
#[derive(Debug, Default)]
pub struct Table {
    functions: HashMap<Vec<u8>, KnownFunction>,
    methods: HashMap<(Vec<u8>, Vec<u8>), KnownFunction>,
    classes: HashMap<Vec<u8>, ()>,
    constants: HashMap<Vec<u8>, Zval>,
}

impl Environment for Table {
    fn function(&self, lowercase: &[u8]) -> Option<KnownFunction> {
        self.functions.get(lowercase).cloned()
    }

    fn class(&self, lowercase: &[u8]) -> Option<KnownClass> {
        self.classes
            .get(lowercase)
            .map(|()| KnownClass { internal: true })
    }

    fn method(&self, class: &[u8], method: &[u8]) -> Option<KnownFunction> {
        self.methods
            .get(&(class.to_vec(), method.to_vec()))
            .cloned()
    }

    fn working_directory(&self) -> Vec<u8> {
        let folder = std::env::current_dir().unwrap_or_else(|_| ".".into());
        folder.into_os_string().into_encoded_bytes()
    }

    fn constant(&self, name: &[u8]) -> Option<Zval> {
        self.constants.get(name).copied()
    }
}

fn value(text: &str, pool: &mut LiteralPool) -> Zval {
    let (kind, rest) = text.split_at(text.len().min(1));
    match kind {
        "i" => Zval::from_long(rest.parse().unwrap_or(0)),
        "d" => Zval::from_double(rest.parse().unwrap_or(0.0)),
        "b" => Zval::from_bool(rest == "1"),
        "s" => {
            let bytes: Vec<u8> = rest
                .as_bytes()
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect();
            pool.string_value(&bytes)
        }
        _ => Zval::NULL,
    }
}

/// `name flags required frameless parameter...`, a parameter being `name:by:variadic:default`.
fn function(fields: &[&str], pool: &mut LiteralPool) -> KnownFunction {
    let parameters: Vec<Parameter> = fields[3..]
        .iter()
        .filter(|field| !field.is_empty())
        .map(|field| {
            let parts: Vec<&str> = field.split(':').collect();
            Parameter {
                name: pool.string(parts[0].as_bytes()),
                declared: None,
                pass_by: match parts[1] {
                    "1" => PassBy::Reference,
                    "2" => PassBy::PreferReference,
                    _ => PassBy::Value,
                },
                variadic: parts[2] == "1",
                promoted: 0,
                default: value(parts[3], pool),
                default_source: "",
                sensitive: false,
                attributes: Vec::new(),
            }
        })
        .collect();
    KnownFunction {
        internal: true,
        flags: fields[0].parse().unwrap_or(0),
        required: fields[1].parse().unwrap_or(0),
        parameters: Arc::from(parameters),
        slots: 0,
        frameless: fields[2].parse().unwrap_or(0),
        location: None,
    }
}

/// Reads a table.
pub fn load(text: &str, pool: &mut LiteralPool) -> Table {
    let mut table = Table::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[0] {
            "F" => {
                let known = function(&fields[2..], pool);
                table.functions.insert(fields[1].as_bytes().to_vec(), known);
            }
            "M" => {
                let known = function(&fields[3..], pool);
                let key = (fields[1].as_bytes().to_vec(), fields[2].as_bytes().to_vec());
                table.methods.insert(key, known);
            }
            "C" => {
                table.classes.insert(fields[1].as_bytes().to_vec(), ());
            }
            "K" => {
                table
                    .constants
                    .insert(fields[1].as_bytes().to_vec(), value(fields[2], pool));
            }
            _ => {}
        }
    }
    table
}
