//! `var_dump`.

use vm_runtime::array::KeyRef;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::message::Message;
use vm_runtime::operators::float_text::{general, integer};
use vm_runtime::value::{ArrayHandle, ObjectHandle, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::properties::{Name, Properties, Visibility, case_name, lazy_prefix, until_nul};
use super::recursion::Visit;
use crate::support::functions;

functions! {
    "var_dump(mixed $value, mixed ...$values): void" => var_dump,
}

fn var_dump(call: &mut Call<'_>) -> PhpResult<Value> {
    for index in 0..call.count() {
        let value = call.value(index);
        let mut dumper = Dumper {
            vm: call.vm,
            pending: Vec::new(),
        };
        let result = dumper.value(&value, false, 0);
        dumper.flush();
        result?;
    }
    Ok(Value::NULL)
}

/// Text that is collected before it is written.
const BLOCK: usize = 8 * 1024;

struct Dumper<'a> {
    vm: &'a mut Vm,
    pending: Vec<u8>,
}

impl Dumper<'_> {
    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.vm.write(&pending);
    }

    fn put(&mut self, text: impl Message) {
        let bytes = &*text.message();
        if self.pending.len() + bytes.len() > BLOCK {
            self.flush();
        }
        if bytes.len() > BLOCK {
            self.vm.write(bytes);
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn indent(&mut self, width: usize) {
        const SPACES: &[u8; 64] = &[b' '; 64];
        let mut left = width;
        while left > 0 {
            let count = left.min(SPACES.len());
            self.put(&SPACES[..count]);
            left -= count;
        }
    }

    /// Dumps a value behind an indentation of `width`; `referenced` if a reference shares it.
    fn value(&mut self, value: &Zval, mut referenced: bool, width: usize) -> PhpResult<()> {
        if value.is_reference() {
            // SAFETY: I3: a reference payload is live.
            referenced = unsafe { (*value.counted()).refcount > 1 };
        }
        self.indent(width);
        let mark = if referenced { "&" } else { "" };
        match value.view() {
            ValueKind::Null => self.put(format!("{mark}NULL\n")),
            ValueKind::Bool(value) => self.put(format!("{mark}bool({value})\n")),
            ValueKind::Long(value) => self.put(format!("{mark}int({})\n", integer(value))),
            ValueKind::Double(value) => {
                let text = general(value, self.vm.ini.serialize_precision);
                self.put(format!("{mark}float({text})\n"));
            }
            ValueKind::String(string) => {
                // SAFETY: I3: live; the share keeps it while it is written.
                let string = unsafe { StringHandle::share_raw((&raw const *string).cast_mut()) };
                self.put(format!("{mark}string({}) \"", string.len()));
                self.put(&**string);
                self.put("\"\n");
            }
            ValueKind::Array(array) => {
                // SAFETY: I3: live; the share keeps it as it is.
                let array = unsafe { ArrayHandle::share_raw((&raw const *array).cast_mut()) };
                return self.array(&array, mark, width);
            }
            ValueKind::Object(object) => {
                // SAFETY: I3: live.
                let object = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
                return self.object(&object, mark, width);
            }
            ValueKind::Resource(resource) => {
                let name = match resource.type_name {
                    "" => "Unknown",
                    name => name,
                };
                self.put(format!(
                    "{mark}resource({}) of type ({name})\n",
                    resource.id
                ));
            }
        }
        Ok(())
    }

    fn array(&mut self, array: &ArrayHandle, mark: &str, width: usize) -> PhpResult<()> {
        let Some(_visit) = Visit::start(array) else {
            self.put("*RECURSION*\n");
            return Ok(());
        };
        self.vm.check_native_stack()?;
        self.put(format!("{mark}array({}) {{\n", array.len()));
        for (key, value) in array.iter() {
            self.indent(width + 2);
            match key {
                KeyRef::Long(key) => self.put(format!("[{key}]=>\n")),
                KeyRef::String(key) => {
                    self.put("[\"");
                    self.put(&**key);
                    self.put("\"]=>\n");
                }
            }
            self.value(value, false, width + 2)?;
        }
        self.indent(width);
        self.put("}\n");
        Ok(())
    }

    fn object(&mut self, object: &ObjectHandle, mark: &str, width: usize) -> PhpResult<()> {
        let class = object.class().display_name();
        if object.class().flags & class_flags::ENUM != 0 {
            self.put(format!("{mark}enum({class}::{})\n", case_name(object)));
            return Ok(());
        }
        let Some(_visit) = Visit::start(object) else {
            self.put("*RECURSION*\n");
            return Ok(());
        };
        self.vm.check_native_stack()?;
        // What was dumped so far comes before the output of a `__debugInfo`.
        self.flush();
        let properties = Properties::for_debugging(self.vm, object)?;
        let count = properties.count();
        self.put(format!(
            "{mark}{}object({class})#{} ({count}) {{\n",
            lazy_prefix(object),
            object.id
        ));
        for position in 0..properties.end() {
            let Some(property) = properties.at(position) else {
                continue;
            };
            self.indent(width + 2);
            self.property_name(property.name, property.visibility);
            match (property.value, property.declared) {
                (Some(value), _) => self.value(value, false, width + 2)?,
                (None, declared) => {
                    let declared = declared.map_or(String::new(), |declared| declared.display());
                    self.indent(width + 2);
                    self.put(format!("uninitialized({declared})\n"));
                }
            }
        }
        self.indent(width);
        self.put("}\n");
        Ok(())
    }

    fn property_name(&mut self, name: Name<'_>, visibility: Visibility<'_>) {
        match name {
            Name::Number(number) => self.put(format!("[{number}")),
            Name::Text(name) => {
                self.put("[\"");
                self.put(name);
                self.put("\"");
            }
        }
        match visibility {
            Visibility::Public => {}
            Visibility::Protected => self.put(":protected"),
            Visibility::Private(class) => {
                self.put(":\"");
                self.put(until_nul(class));
                self.put("\":private");
            }
        }
        self.put("]=>\n");
    }
}
