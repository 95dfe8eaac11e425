//! The reference of the language names every word that the code knows.

use std::collections::BTreeSet;

/// The identifiers in the code of a Markdown text.
fn words_in_code(text: &str) -> BTreeSet<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    code.flat_map(|code| code.split(move |character| !is_part(character)))
        .collect()
}

#[test]
fn every_word_is_explained() {
    let reference = include_str!("../../docs/definition-language.md");
    let explained = words_in_code(reference);
    let all = vm_gen::words::all();
    assert!(all.len() > 200, "{} words", all.len());
    let missing: Vec<String> = all
        .iter()
        .filter(|(_, word)| !explained.contains(word.as_str()))
        .map(|(what, word)| format!("{what} `{word}`"))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/definition-language.md says nothing of:\n{}",
        missing.join("\n")
    );
}
