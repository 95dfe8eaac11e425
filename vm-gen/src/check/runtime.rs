//! Slow paths against the sources of the runtime: is the function there, and does it take what the
//! generated code gives it? rustc would say so, too, but in code that nobody wrote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{Item, ReturnType, Signature, UseTree};

use crate::diagnostics::Diagnostics;
use crate::model::{Definitions, SlowForm, SlowPath};
use crate::suggest::suggestion;

/// How many re-exports may lead to a function.
const DEPTH: usize = 8;

/// Checks the slow paths of opcodes and helpers against the runtime whose `lib.rs` is in a directory.
pub(crate) fn check(definitions: &Definitions, directory: &Path, diagnostics: &mut Diagnostics) {
    let mut crate_files = Files {
        directory: directory.to_owned(),
        modules: BTreeMap::new(),
    };
    let opcodes = definitions.opcodes.iter().map(|opcode| &opcode.slow);
    let helpers = definitions.helpers.iter().map(|helper| &helper.slow);
    for slow in opcodes.chain(helpers).flatten() {
        check_slow(slow, &mut crate_files, diagnostics);
    }
}

fn check_slow(slow: &SlowPath, files: &mut Files, diagnostics: &mut Diagnostics) {
    let mut segments: Vec<String> = slow
        .path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    let (Some(name), Some("crate")) = (segments.pop(), segments.first().map(String::as_str)) else {
        return;
    };
    let module = &segments[1..];
    let wanted = signature(&name, &slow.form);
    match files.find(module, &name, DEPTH) {
        Found::Macro => {}
        Found::Function(found) if fits(&found, &slow.form) => {}
        Found::Function(_) => {
            let diagnostic = diagnostics.report(
                &slow.location,
                format!("slow function `{name}` takes or gives something else"),
                "the generated code would not compile",
            );
            diagnostic.note(format!("expected `{wanted}`"));
        }
        Found::Missing => {
            let known = files.functions(module);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let near = suggestion(&name, &known);
            let near = if near.starts_with("did") {
                format!("; {near}")
            } else {
                String::new()
            };
            let diagnostic = diagnostics.report(
                &slow.location,
                format!("slow function `{name}` is not in the runtime"),
                format!("not found in {}", files.path(module).display()),
            );
            diagnostic.note(format!("expected `{wanted}`{near}"));
        }
    }
}

/// What the generated code calls.
fn signature(name: &str, form: &SlowForm) -> String {
    let second = |binary: &bool| if *binary { ", op2: &Zval" } else { "" };
    match form {
        SlowForm::Handler => {
            format!(
                "unsafe fn {name}(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op"
            )
        }
        SlowForm::Value { binary } => {
            let second = second(binary);
            format!("fn {name}(vm: &mut Vm, result: &mut Zval, op1: &Zval{second})")
        }
        SlowForm::Condition { binary, .. } => {
            format!(
                "fn {name}(vm: &mut Vm, op1: &Zval{}) -> bool",
                second(binary)
            )
        }
    }
}

fn fits(found: &Signature, form: &SlowForm) -> bool {
    let (count, output) = match form {
        SlowForm::Handler => (3, "* const Op"),
        SlowForm::Value { binary } => (3 + usize::from(*binary), ""),
        SlowForm::Condition { binary, .. } => (2 + usize::from(*binary), "bool"),
    };
    let given = match &found.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, given) => quote::quote!(#given).to_string(),
    };
    found.inputs.len() == count && given == output
}

enum Found {
    Function(Box<Signature>),
    /// Made by a macro, whose expansion is not known here.
    Macro,
    Missing,
}

/// The modules of a crate, read when they are asked for.
struct Files {
    directory: PathBuf,
    modules: BTreeMap<Vec<String>, Vec<Item>>,
}

impl Files {
    /// The file of a module, whether it exists or not.
    fn path(&self, module: &[String]) -> PathBuf {
        let mut path = self.directory.clone();
        path.extend(module);
        match module {
            [] => path.join("lib.rs"),
            _ if path.is_dir() && path.join("mod.rs").exists() => path.join("mod.rs"),
            _ => path.with_extension("rs"),
        }
    }

    fn items(&mut self, module: &[String]) -> &[Item] {
        let path = self.path(module);
        self.modules.entry(module.to_vec()).or_insert_with(|| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            syn::parse_file(&text).map_or_else(|_| Vec::new(), |file| file.items)
        })
    }

    /// The names of the functions that a module has, and of what it imports by name.
    fn functions(&mut self, module: &[String]) -> Vec<String> {
        let mut names = Vec::new();
        for item in self.items(module) {
            match item {
                Item::Fn(function) => names.push(function.sig.ident.to_string()),
                Item::Use(item) => imported(&item.tree, &mut names),
                _ => {}
            }
        }
        names
    }

    fn find(&mut self, module: &[String], name: &str, depth: usize) -> Found {
        let mut leads = Vec::new();
        let mut made = false;
        for item in self.items(module) {
            match item {
                Item::Fn(function) if function.sig.ident == name => {
                    return Found::Function(Box::new(function.sig.clone()));
                }
                Item::Use(item) => follow(&item.tree, name, Vec::new(), &mut leads),
                Item::Macro(item) => {
                    let tokens = item.mac.tokens.clone().into_iter();
                    made |= mentions(tokens, name);
                }
                _ => {}
            }
        }
        if made {
            return Found::Macro;
        }
        for (path, name) in leads {
            let target = resolve(module, &path);
            if depth == 0 || target == module {
                continue;
            }
            match self.find(&target, &name, depth - 1) {
                Found::Missing => {}
                found => return found,
            }
        }
        Found::Missing
    }
}

fn mentions(mut tokens: impl Iterator<Item = proc_macro2::TokenTree>, name: &str) -> bool {
    tokens.any(|token| match token {
        proc_macro2::TokenTree::Group(group) => mentions(group.stream().into_iter(), name),
        proc_macro2::TokenTree::Ident(word) => word == name,
        _ => false,
    })
}

fn imported(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(next) => imported(&next.tree, names),
        UseTree::Name(last) => names.push(last.ident.to_string()),
        UseTree::Rename(last) => names.push(last.rename.to_string()),
        UseTree::Glob(_) => {}
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, names)),
    }
}

/// Where an import may have a name from: the module, and the name there.
fn follow(tree: &UseTree, name: &str, path: Vec<String>, leads: &mut Vec<(Vec<String>, String)>) {
    match tree {
        UseTree::Path(next) => {
            let mut path = path;
            path.push(next.ident.to_string());
            follow(&next.tree, name, path, leads);
        }
        UseTree::Name(last) if last.ident == name => leads.push((path, name.to_owned())),
        UseTree::Rename(last) if last.rename == name => {
            leads.push((path, last.ident.to_string()));
        }
        UseTree::Glob(_) => leads.push((path, name.to_owned())),
        UseTree::Group(group) => {
            for tree in &group.items {
                follow(tree, name, path.clone(), leads);
            }
        }
        _ => {}
    }
}

/// The module that a path in a module leads to.
fn resolve(module: &[String], path: &[String]) -> Vec<String> {
    let mut target = module.to_vec();
    for segment in path {
        match segment.as_str() {
            "crate" => target.clear(),
            "self" => {}
            "super" => {
                target.pop();
            }
            _ => target.push(segment.clone()),
        }
    }
    target
}
