//! The list of definition files. A new family is one line here and one file in `definitions/`.

/// One definition file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinitionFile {
    /// The family: the file's name without its extension.
    pub name: &'static str,
    /// The whole text.
    pub text: &'static str,
}

macro_rules! definition_files {
    ($($name:literal),* $(,)?) => {
        /// Every definition file, in the order in which the reference shows them.
        pub const FILES: &[DefinitionFile] = &[
            $(DefinitionFile {
                name: $name,
                text: include_str!(concat!("../definitions/", $name, ".vmdef")),
            },)*
        ];
    };
}

definition_files! {
    "shared",
    "arithmetic",
    "bitwise",
    "comparison",
    "branch",
    "increment",
    "type_query",
    "assignment",
    "variable",
    "dimension",
    "property",
    "string",
    "control",
    "iteration",
    "call",
    "argument",
    "return",
    "exception",
    "class",
}
