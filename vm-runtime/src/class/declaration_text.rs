//! The heads of functions as inheritance errors show them.

use crate::class::Class;
use crate::class::declare::bytes;
use crate::class::linking::Linking;
use crate::function::{Function, Parameter, PassBy, Type, flags, type_mask};
use crate::operators::float_text;
use crate::value::{ARRAY, CONSTANT_EXPRESSION, DOUBLE, FALSE, LONG, NULL, STRING, TRUE, UNDEF};
use crate::vm::Vm;

impl Linking {
    /// A method's head as messages show it: `A::f(int $a, $b = 'text'): ?array`.
    pub(crate) fn declaration_text(
        &self,
        vm: &Vm,
        function: &Function,
        scope: *mut Class,
        against: *mut Class,
    ) -> String {
        declaration_text(vm, function, self.origin(function, against), scope)
    }
}

/// A method's head with the name of the class `of`; types are those of `scope`.
fn declaration_text(vm: &Vm, function: &Function, of: *mut Class, scope: *mut Class) -> String {
    let mut text = String::new();
    if function.flags & flags::RETURN_REFERENCE != 0 {
        text.push_str("& ");
    }
    if !of.is_null() {
        // SAFETY: I4: classes live until the VM ends.
        text.push_str(&unsafe { (*of).display_name() });
        text.push_str("::");
    }
    text.push_str(&crate::class::methods::plain_name(function));
    text.push('(');
    for (index, parameter) in function.parameters.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        if let Some(declared) = &parameter.declared {
            text.push_str(&declared.display_resolved(scope));
            text.push(' ');
        }
        if parameter.pass_by != PassBy::Value {
            text.push('&');
        }
        if parameter.variadic {
            text.push_str("...");
        }
        text.push('$');
        text.push_str(&crate::message::text(bytes(parameter.name)));
        if index as u32 >= function.required_count && !parameter.variadic {
            text.push_str(" = ");
            text.push_str(&default_text(parameter, vm.ini.precision));
        }
    }
    text.push(')');
    if let Some(declared) = &function.return_type {
        text.push_str(": ");
        text.push_str(&return_text(declared, scope));
    }
    text
}

/// A return type; `static` stays what it is.
fn return_text(declared: &Type, scope: *mut Class) -> String {
    if declared.mask & type_mask::STATIC == 0 {
        return declared.display_resolved(scope);
    }
    let rest = Type {
        mask: declared.mask & !type_mask::STATIC,
        classes: declared.classes.clone(),
    };
    if rest.mask == 0 && rest.classes.is_empty() {
        return String::from("static");
    }
    if rest.mask == type_mask::NULL && rest.classes.is_empty() {
        return String::from("?static");
    }
    // PHP lists `static` behind the classes.
    let text = rest.display_resolved(scope);
    if rest.classes.is_empty() {
        return format!("static|{}", text.trim_start_matches('?'));
    }
    match text.strip_prefix('?') {
        Some(class) => format!("{class}|static|null"),
        None => format!("{text}|static"),
    }
}

/// A default value as messages show it: that of a native parameter as it is written.
fn default_text(parameter: &Parameter, precision: i64) -> String {
    if !parameter.default_source.is_empty() {
        return String::from(parameter.default_source);
    }
    let value = &parameter.default;
    match value.kind() {
        NULL => String::from("null"),
        FALSE => String::from("false"),
        TRUE => String::from("true"),
        LONG => value.long().to_string(),
        DOUBLE => float_text::general(value.double(), precision).to_string(),
        STRING => {
            let text = bytes(value.string());
            let cut = &text[..text.len().min(10)];
            let dots = if text.len() > 10 { "..." } else { "" };
            format!("'{}{dots}'", crate::message::text(cut))
        }
        // SAFETY: literals live as long as the op array.
        ARRAY => String::from(if unsafe { (*value.array()).is_empty() } {
            "[]"
        } else {
            "[...]"
        }),
        // SAFETY: I4: a constant expression lives as long as the literal pool.
        CONSTANT_EXPRESSION => match unsafe { (*value.expression()).fetched_constant() } {
            Some(name) => crate::message::text(&name).into_owned(),
            None => String::from("<expression>"),
        },
        UNDEF => String::from("<default>"),
        _ => String::from("<expression>"),
    }
}
