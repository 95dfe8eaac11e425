//! Magic methods have fixed forms.

use crate::class::linking::Linking;
use crate::class::methods::{plain_name, scope_name};
use crate::diagnostics::level;
use crate::function::{Function, PassBy, flags, type_mask};
use crate::vm::Vm;

/// How a magic method has to look.
struct Form {
    name: &'static [u8],
    parameters: Option<usize>,
    is_static: bool,
    must_be_public: bool,
    parameter_types: &'static [(u32, &'static str)],
    /// Allowed return type; an empty text means that there is none at all.
    returns: Option<(u32, &'static str)>,
}

const STRING: (u32, &str) = (type_mask::STRING, "string");
const ARRAY: (u32, &str) = (type_mask::ARRAY, "array");
const VOID: (u32, &str) = (type_mask::VOID, "void");
const NOTHING: (u32, &str) = (0, "");

const fn form(
    name: &'static [u8],
    parameters: usize,
    parameter_types: &'static [(u32, &'static str)],
    returns: Option<(u32, &'static str)>,
) -> Form {
    Form {
        name,
        parameters: Some(parameters),
        is_static: false,
        must_be_public: true,
        parameter_types,
        returns,
    }
}

static FORMS: [Form; 17] = [
    Form {
        parameters: None,
        must_be_public: false,
        ..form(b"__construct", 0, &[], Some(NOTHING))
    },
    Form {
        must_be_public: false,
        ..form(b"__destruct", 0, &[], Some(NOTHING))
    },
    Form {
        must_be_public: false,
        ..form(b"__clone", 0, &[], Some(VOID))
    },
    form(b"__get", 1, &[STRING], None),
    form(b"__set", 2, &[STRING], Some(VOID)),
    form(b"__unset", 1, &[STRING], Some(VOID)),
    form(b"__isset", 1, &[STRING], Some((type_mask::BOOL, "bool"))),
    form(b"__call", 2, &[STRING, ARRAY], None),
    Form {
        is_static: true,
        ..form(b"__callstatic", 2, &[STRING, ARRAY], None)
    },
    form(b"__tostring", 0, &[], Some(STRING)),
    form(
        b"__debuginfo",
        0,
        &[],
        Some((type_mask::ARRAY | type_mask::NULL, "?array")),
    ),
    form(b"__serialize", 0, &[], Some(ARRAY)),
    form(b"__unserialize", 1, &[ARRAY], Some(VOID)),
    Form {
        is_static: true,
        ..form(
            b"__set_state",
            1,
            &[ARRAY],
            Some((type_mask::OBJECT, "object")),
        )
    },
    Form {
        parameters: None,
        ..form(b"__invoke", 0, &[], None)
    },
    form(
        b"__sleep",
        0,
        &[],
        Some((type_mask::ARRAY | type_mask::NULL, "?array")),
    ),
    form(b"__wakeup", 0, &[], Some(VOID)),
];

impl Linking {
    /// Stops if a magic method does not have the form that the engine relies on.
    pub(crate) fn check_magic_method(&self, vm: &mut Vm, function: &Function, lowercase: &[u8]) {
        if !lowercase.starts_with(b"__") {
            return;
        }
        let Some(form) = FORMS.iter().find(|form| form.name == lowercase) else {
            return;
        };
        let full = format!("{}::{}()", scope_name(function), plain_name(function));
        if let Some(count) = form.parameters {
            let given = function.parameters.len();
            let variadic = function.flags & flags::VARIADIC != 0;
            if given - variadic as usize != count || variadic {
                let message = match count {
                    0 => format!("Method {full} cannot take arguments"),
                    1 => format!("Method {full} must take exactly 1 argument"),
                    _ => format!("Method {full} must take exactly {count} arguments"),
                };
                self.error_at(vm, function, &message);
            }
            if function
                .parameters
                .iter()
                .any(|parameter| parameter.pass_by != PassBy::Value)
            {
                self.error_at(
                    vm,
                    function,
                    &format!("Method {full} cannot take arguments by reference"),
                );
            }
        }
        match (form.is_static, function.is_static()) {
            (false, true) => {
                self.error_at(vm, function, &format!("Method {full} cannot be static"))
            }
            (true, false) => self.error_at(vm, function, &format!("Method {full} must be static")),
            _ => {}
        }
        if form.must_be_public
            && function.flags & flags::PUBLIC == 0
            && let Some(code) = &function.code
        {
            crate::class::linking::raise_at(
                vm,
                level::WARNING,
                code.draft.filename,
                code.draft.line_start,
                &format!("The magic method {full} must have public visibility"),
            );
        }
        for (index, ((mask, name), parameter)) in form
            .parameter_types
            .iter()
            .zip(function.parameters.iter())
            .enumerate()
        {
            if let Some(declared) = &parameter.declared
                && declared.mask & mask == 0
            {
                // SAFETY: I4: a parameter's name lives as long as the function.
                let parameter_name = unsafe { (*parameter.name).to_text().into_owned() };
                self.error_at(
                    vm,
                    function,
                    &format!(
                        "{full}: Parameter #{} (${parameter_name}) must be of type {name} when declared",
                        index + 1
                    ),
                );
            }
        }
        let (Some((mask, name)), Some(declared)) = (form.returns, &function.return_type) else {
            return;
        };
        if name.is_empty() {
            self.error_at(
                vm,
                function,
                &format!("Method {full} cannot declare a return type"),
            );
        }
        if declared.mask & type_mask::NEVER != 0 {
            return;
        }
        // A class or `static` is an object.
        let is_object = mask & type_mask::OBJECT != 0;
        let extra = declared.mask & !mask & if is_object { !type_mask::STATIC } else { !0 };
        if extra != 0 || !is_object && !declared.classes.is_empty() {
            self.error_at(
                vm,
                function,
                &format!("{full}: Return type must be {name} when declared"),
            );
        }
    }
}
