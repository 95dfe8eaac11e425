//! Doc comments: text and PHP examples.

use proc_macro2::{Group, TokenTree};

use crate::model::{Documentation, Example};

/// The text of a `#[doc = "…"]` attribute, as `///` is read.
pub(super) fn doc_text(attribute: &Group) -> Option<String> {
    let mut tokens = attribute.stream().into_iter();
    match tokens.next() {
        Some(TokenTree::Ident(name)) if name == "doc" => {}
        _ => return None,
    }
    match tokens.nth(1) {
        Some(TokenTree::Literal(literal)) => {
            let text: syn::LitStr = syn::parse2(TokenTree::Literal(literal).into()).ok()?;
            let text = text.value();
            Some(
                text.strip_prefix(' ')
                    .unwrap_or(&text)
                    .trim_end()
                    .to_owned(),
            )
        }
        _ => None,
    }
}

/// Splits the lines of a doc comment into text and examples.
pub(super) fn read(lines: Vec<String>) -> Documentation {
    let mut documentation = Documentation::default();
    let mut code: Option<Vec<String>> = None;
    for line in lines {
        match (&mut code, line.trim()) {
            (None, "```php") => code = Some(Vec::new()),
            (Some(lines), "```") => {
                documentation.examples.push(example(lines));
                code = None;
            }
            (Some(lines), _) => lines.push(line),
            (None, _) => documentation.lines.push(line),
        }
    }
    documentation
}

/// The expected output is what follows `// ` at the ends of lines, one line of output each. A line
/// that is only a comment continues the output.
fn example(lines: &[String]) -> Example {
    let mut expected = String::new();
    for line in lines {
        if let Some(comment) = output_comment(line) {
            expected.push_str(comment);
            expected.push('\n');
        }
    }
    Example {
        code: lines.join("\n"),
        expected,
    }
}

fn output_comment(line: &str) -> Option<&str> {
    if let Some(comment) = line.strip_prefix("// ") {
        return Some(comment.trim_end());
    }
    // The comment starts after the statement: `//` inside of a string is no comment.
    let at = line
        .rfind("; // ")
        .map(|at| at + 1)
        .or_else(|| line.rfind("} // ").map(|at| at + 1))?;
    Some(line[at + 4..].trim_end())
}
