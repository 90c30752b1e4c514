//! The static libraries that went into an object. Their code is in the object, so it has to be
//! built again when one of them changes; a shared library is loaded again by every process.

use crate::c::cc::identity;
use crate::c::folders::argument;
use cupel_base::disk::write_whole;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The static libraries that these flags of a compiler link: named by their files, or by `-l` if
/// the compiler finds no shared library.
pub(crate) fn linked(compiler: &Path, flags: &[String]) -> Vec<PathBuf> {
    let (mut archives, mut folders, mut libraries) = (Vec::new(), Vec::new(), Vec::new());
    let only_static = flags.iter().any(|flag| ["-static", "-Wl,-Bstatic"].contains(&&**flag));
    let mut flags = flags.iter().map(String::as_str);
    while let Some(flag) = flags.next() {
        if let Some(rest) = flag.strip_prefix("-L") {
            folders.extend(argument(rest, &mut flags).map(PathBuf::from));
        } else if let Some(library) = flag.strip_prefix("-l") {
            libraries.push(library);
        } else if !flag.starts_with('-') && flag.ends_with(".a") {
            archives.push(PathBuf::from(flag));
        }
    }
    for library in libraries {
        let names = match library.strip_prefix(':') {
            Some(file) => vec![file.to_string()],
            None if only_static => vec![format!("lib{library}.a")],
            None => ["so", "dylib", "a"].map(|end| format!("lib{library}.{end}")).to_vec(),
        };
        let mut paths = folders.iter().flat_map(|f| names.iter().map(move |name| f.join(name)));
        let found = paths.find(|path| path.is_file());
        let found = found.or_else(|| names.iter().find_map(|name| of_system(compiler, name)));
        archives.extend(found.filter(|path| path.extension().is_some_and(|e| e == "a")));
    }
    archives
}

/// A file of the compiler's own folders.
fn of_system(compiler: &Path, name: &str) -> Option<PathBuf> {
    let mut command = Command::new(compiler);
    command.arg(format!("-print-file-name={name}")).stdin(Stdio::null());
    let output = command.output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // The compiler returns a file that it does not find as it was given.
    (path.is_absolute() && path.is_file()).then_some(path)
}

/// The present identity of these archives: a line for each.
pub(crate) fn noted(archives: &[PathBuf]) -> String {
    let paths = archives.iter().map(|a| std::path::absolute(a).unwrap_or_else(|_| a.clone()));
    paths.map(|path| format!("{}\t{}\n", path.display(), identity(&path))).collect()
}

/// Keeps next to an object the archives that it was linked from.
pub(crate) fn keep(object: &Path, noted: &str) -> std::io::Result<()> {
    write_whole(&list(object), noted)
}

/// Whether the archives that an object was linked from are unchanged. An object without a list is
/// built again.
pub(crate) fn are_unchanged(object: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(list(object)) else { return false };
    text.lines().all(|line| {
        line.split_once('\t').is_some_and(|(path, noted)| identity(Path::new(path)) == noted)
    })
}

fn list(object: &Path) -> PathBuf {
    object.with_extension("archives")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_found_by_their_files_and_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libone.a", "libtwo.a", "libtwo.so", "given.a"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let at = folder.path().to_string_lossy().into_owned();
        let given = folder.path().join("given.a").to_string_lossy().into_owned();
        let files = |flags: &[&str]| -> Vec<String> {
            let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
            let found = linked(Path::new("/nowhere/cc"), &flags);
            found.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let folder_flag = format!("-L{at}");
        assert_eq!(files(&[&given, "-O2"]), ["given.a"]);
        assert_eq!(files(&[&folder_flag, "-lone", "-ltwo"]), ["libone.a"], "two is shared");
        assert_eq!(files(&["-L", &at, "-l:libtwo.a"]), ["libtwo.a"]);
        assert_eq!(files(&[&folder_flag, "-static", "-ltwo"]), ["libtwo.a"]);
        assert!(files(&[&folder_flag, "-lthree"]).is_empty());
    }
}
