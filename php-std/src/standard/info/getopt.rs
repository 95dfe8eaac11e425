//! `getopt`: options of the command line.

use vm_runtime::array::integer_key;
use vm_runtime::function::Call;
use vm_runtime::limits::grow;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ARRAY, ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{functions, list};

functions! {
    "getopt(string $short_options, array $long_options = [], &$rest_index = null): array|false" => getopt,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Required,
    Optional,
}

/// What is known of an option.
struct Known {
    name: Vec<u8>,
    takes: Takes,
}

/// Splits the colons off the end of an option's specification.
fn known(specification: &[u8]) -> Known {
    let name = specification
        .split(|&byte| byte == b':')
        .next()
        .unwrap_or_default();
    let takes = match specification.len() - name.len() {
        0 => Takes::Nothing,
        1 => Takes::Required,
        _ => Takes::Optional,
    };
    Known {
        name: name.to_vec(),
        takes,
    }
}

/// The options in `ab:c::`.
fn short_options(text: &[u8]) -> Vec<Known> {
    let mut options = Vec::new();
    let mut rest = text;
    while let [letter, after @ ..] = rest {
        grow(&mut options);
        let colons = after
            .iter()
            .take(2)
            .take_while(|&&byte| byte == b':')
            .count();
        if *letter != b':' {
            options.push(known(&rest[..1 + colons]));
        }
        rest = &after[colons..];
    }
    options
}

fn getopt(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(arguments) = command_line(call.vm)? else {
        return Ok(false.into());
    };
    let short = short_options(call.bytes(0));
    let mut long = Vec::new();
    for (_, specification) in call.elements(1).iter() {
        grow(&mut long);
        long.push(known(&to_string(call.vm, specification)?));
    }
    let mut found = Found {
        options: call.vm.new_array(),
    };
    let mut index = 1;
    while let Some(argument) = arguments.get(index) {
        call.vm.poll();
        match argument.as_slice() {
            b"--" => {
                index += 1;
                break;
            }
            [b'-', b'-', text @ ..] => {
                let equals = memchr::memchr(b'=', text);
                let name = &text[..equals.unwrap_or(text.len())];
                let value = equals.map(|equals| &text[equals + 1..]);
                index += 1;
                let Some(option) = long.iter().find(|option| option.name == name) else {
                    continue;
                };
                match (option.takes, value) {
                    (Takes::Nothing, _) | (Takes::Optional, None) => {
                        found.add(call.vm, name, None);
                    }
                    (_, Some(value)) => found.add(call.vm, name, Some(value)),
                    (Takes::Required, None) => {
                        if let Some(value) = arguments.get(index) {
                            found.add(call.vm, name, Some(value));
                            index += 1;
                        }
                    }
                }
            }
            [b'-', cluster @ ..] if !cluster.is_empty() => {
                index += 1;
                let mut rest = cluster;
                while let [letter, after @ ..] = rest {
                    rest = after;
                    call.vm.poll();
                    let Some(option) = short.iter().find(|option| option.name == [*letter]) else {
                        continue;
                    };
                    if option.takes == Takes::Nothing {
                        found.add(call.vm, &[*letter], None);
                        continue;
                    }
                    rest = &[];
                    if !after.is_empty() {
                        let value = after.strip_prefix(b"=").unwrap_or(after);
                        found.add(call.vm, &[*letter], Some(value));
                    } else if option.takes == Takes::Optional {
                        found.add(call.vm, &[*letter], None);
                    } else if let Some(value) = arguments.get(index) {
                        found.add(call.vm, &[*letter], Some(value));
                        index += 1;
                    }
                }
            }
            _ => break,
        }
    }
    call.assign(2, index.into());
    Ok(found.options.into())
}

/// The script's name and arguments.
fn command_line(vm: &mut Vm) -> PhpResult<Option<Vec<Vec<u8>>>> {
    let Some(argv) = vm.globals.get_bytes(b"argv").map(Value::share) else {
        return Ok(None);
    };
    if argv.deref().kind() != ARRAY {
        return Ok(None);
    }
    let mut arguments = Vec::new();
    if let Some(argv) = argv.array() {
        for (_, argument) in argv.iter() {
            grow(&mut arguments);
            arguments.push(to_string(vm, argument)?.to_vec());
        }
    }
    Ok(Some(arguments))
}

struct Found {
    options: ArrayHandle,
}

impl Found {
    /// Notes an option; one that is given again gets a list of its values.
    fn add(&mut self, vm: &mut Vm, name: &[u8], value: Option<&[u8]>) {
        let value: Value = match value {
            Some(value) => vm.string(value).into(),
            None => false.into(),
        };
        let key = vm.string(name);
        let before = match integer_key(name) {
            Some(number) => self.options.get_long(number),
            None => self.options.get_string(&key),
        };
        let value = match before.map(Value::share) {
            None => value,
            Some(before) => match before.array() {
                Some(mut values) => {
                    drop(before);
                    drop(values.make_mut(vm).push(value));
                    values.into()
                }
                None => list(vm, [before, value]),
            },
        };
        self.options.make_mut(vm).set_symbol(&key, value);
    }
}
