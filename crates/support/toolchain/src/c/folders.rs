//! The folders that a family gives for its library. A compiler passes over one that does not exist,
//! and the linker then takes a library of the same name from the system: LibreSSL's family would
//! measure OpenSSL.

use super::loads::loads;
use cupel_base::disk::real;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};

/// The folders that flags of a compiler name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folders {
    /// The folders of headers.
    headers: Vec<PathBuf>,
    /// Where the linker looks for libraries.
    libraries: Vec<PathBuf>,
    /// Where the loader looks.
    loaded: Vec<PathBuf>,
    /// The names of the libraries, without `lib` and extension.
    names: Vec<String>,
}

impl Folders {
    /// The folders in these flags.
    pub(crate) fn in_flags<'a>(flags: impl IntoIterator<Item = &'a String>) -> Folders {
        let mut found = Folders::default();
        let mut flags = flags.into_iter().map(String::as_str);
        while let Some(flag) = flags.next() {
            if let Some(rest) = flag.strip_prefix("-I").or(flag.strip_prefix("-isystem")) {
                found.headers.extend(argument(rest, &mut flags).map(PathBuf::from));
            } else if let Some(rest) = flag.strip_prefix("-L") {
                found.libraries.extend(argument(rest, &mut flags).map(PathBuf::from));
            } else if let Some(rest) = flag.strip_prefix("-l") {
                found.names.extend(argument(rest, &mut flags).map(String::from));
            } else if let Some(rest) = flag.strip_prefix("-Wl,-rpath") {
                let folders = rest.trim_start_matches([',', '=']).split(':');
                found.loaded.extend(folders.filter(|f| !f.starts_with('$')).map(PathBuf::from));
            }
        }
        found
    }

    /// The reason why folders or libraries are not where the flags put them.
    pub(crate) fn missing(&self) -> Option<Refusal> {
        let all = self.headers.iter().chain(&self.libraries).chain(&self.loaded);
        if let Some(folder) = all.clone().find(|folder| !folder.is_dir()) {
            return Some(Refusal::because(format!("there is no folder {}", folder.display())));
        }
        let mut folders = self.libraries.iter();
        let folder = folders.find(|folder| !self.names.iter().any(|name| is_in(folder, name)))?;
        let names: Vec<String> = self.names.iter().map(|name| format!("lib{name}")).collect();
        let what = format!("{} has no {}", folder.display(), names.join(" and no "));
        Some(Refusal::because(what))
    }

    /// A library that a linked object would load from another folder than the one that the flags
    /// name. `None` also if this system cannot say.
    pub(crate) fn strayed(&self, object: &Path) -> Option<Refusal> {
        if self.libraries.is_empty() {
            return None;
        }
        let loaded = loads(object, None)?;
        let own: Vec<PathBuf> =
            self.libraries.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        for name in &self.names {
            let here = self.libraries.iter().any(|folder| is_shared_in(folder, name));
            let prefix = format!("lib{name}.so");
            let path = loaded.iter().find(|(library, _)| library.starts_with(&prefix));
            let Some((_, path)) = path.filter(|_| here) else { continue };
            let real = real(path);
            if !own.iter().any(|folder| real.starts_with(folder) || path.starts_with(folder)) {
                let folder = self.libraries[0].display();
                return Some(Refusal {
                    reason: format!("lib{name} is loaded from {}", path.display()),
                    remedy: Some(format!("add \"-Wl,-rpath,{folder}\" to `libs`")),
                });
            }
        }
        None
    }
}

/// The argument of a flag: the rest of its word, or else the next word.
pub(crate) fn argument<'a>(
    rest: &'a str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if rest.is_empty() { words.next() } else { Some(rest) }
}

/// Whether a folder has a library of this name.
fn is_in(folder: &Path, name: &str) -> bool {
    match name.strip_prefix(':') {
        Some(file) => folder.join(file).is_file(),
        None => is_shared_in(folder, name) || folder.join(format!("lib{name}.a")).is_file(),
    }
}

fn is_shared_in(folder: &Path, name: &str) -> bool {
    ["so", "dylib"].iter().any(|end| folder.join(format!("lib{name}.{end}")).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn folders(flags: &[&str]) -> Folders {
        Folders::in_flags(&flags.iter().map(|flag| (*flag).to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn folders_are_read_from_flags() {
        let found =
            folders(&["-O2", "-I/a", "-L", "/b", "-Wl,-rpath,/c:$ORIGIN", "-lx", "-l", "y"]);
        let paths = |text: &str| vec![PathBuf::from(text)];
        let expected = Folders {
            headers: paths("/a"),
            libraries: paths("/b"),
            loaded: paths("/c"),
            names: vec!["x".into(), "y".into()],
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_library_must_be_where_its_family_says() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display().to_string();
        let missing = |flags: &[String]| Folders::in_flags(flags).missing().map(|r| r.reason);
        let [lib, gone] = [format!("-L{here}"), format!("-L{here}/gone")];
        let own = "-lown".to_string();
        assert_eq!(missing(&[gone, own.clone()]), Some(format!("there is no folder {here}/gone")));
        for flag in ["-I", "-Wl,-rpath,"] {
            assert!(missing(&[format!("{flag}{here}/gone")]).is_some(), "{flag}");
        }
        let flags = [lib, own, "-lm".to_string()];
        assert_eq!(missing(&flags), Some(format!("{here} has no libown and no libm")));
        std::fs::write(folder.path().join("libown.so"), "").unwrap();
        assert_eq!(missing(&flags), None, "libm is the system's");
        assert_eq!(missing(&["-lm".to_string()]), None);
    }

    /// Two libraries of one name and version: the linker takes one, the loader the other.
    #[test]
    fn a_library_that_is_loaded_from_elsewhere_is_not_that_of_the_family() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let run = |arguments: &[String]| {
            let done = Command::new("cc").args(arguments).status().unwrap();
            assert!(done.success(), "{arguments:?}");
        };
        std::fs::write(at("f.c"), "int f(void) { return 1; }\n").unwrap();
        std::fs::write(at("x.c"), "int f(void);\nint x(void) { return f(); }\n").unwrap();
        for which in ["own", "other"] {
            std::fs::create_dir(at(which)).unwrap();
            let library = at(&format!("{which}/libf.so"));
            run(&["-shared".into(), "-fPIC".into(), at("f.c"), "-o".into(), library]);
        }
        let linked = |rpath: &str| {
            let flags =
                vec![format!("-L{}", at("own")), "-lf".into(), format!("-Wl,-rpath,{}", at(rpath))];
            let object = at(&format!("{rpath}.so"));
            let mut arguments =
                vec!["-shared".into(), "-fPIC".into(), at("x.c"), "-o".into(), object.clone()];
            arguments.extend(flags.clone());
            run(&arguments);
            Folders::in_flags(&flags).strayed(Path::new(&object))
        };
        assert_eq!(linked("own"), None);
        let refusal = linked("other").unwrap();
        assert_eq!(refusal.reason, format!("libf is loaded from {}", at("other/libf.so")));
    }
}
