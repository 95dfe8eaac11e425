//! Where definitions come from: a directory, or vm-def as it was built in.

use std::io;
use std::path::Path;

/// A definition file as it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The family: the file's name without its extension.
    pub name: String,
    /// The path that messages show.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A text that is in no file.
    pub fn new(name: &str, text: &str) -> Source {
        Source {
            name: name.to_owned(),
            path: format!("{name}.vmdef"),
            text: text.to_owned(),
        }
    }
}

/// The directory of the definitions in the workspace.
pub const DIRECTORY: &str = "vm-def/definitions";

/// The definition files of vm-def, built in.
pub fn standard() -> Vec<Source> {
    let files = vm_def::FILES.iter().map(|file| Source {
        path: format!("{DIRECTORY}/{}.vmdef", file.name),
        ..Source::new(file.name, file.text)
    });
    files.collect()
}

/// The definition files of a directory: those of vm-def in its order, then others by name.
///
/// # Errors
///
/// Gives the first error of the file system, and one if there is no definition file at all.
pub fn directory(directory: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "vmdef")
        {
            continue;
        }
        sources.push(Source {
            name: path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            path: path.to_string_lossy().into_owned(),
            text: std::fs::read_to_string(&path)?,
        });
    }
    if sources.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "no .vmdef file here",
        ));
    }
    let position = |source: &Source| {
        vm_def::FILES
            .iter()
            .position(|file| file.name == source.name)
    };
    sources.sort_by_key(|source| (position(source).unwrap_or(usize::MAX), source.name.clone()));
    Ok(sources)
}
