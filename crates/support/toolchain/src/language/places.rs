//! Where the programs of a language may be: on the path, in Cupel's cache, and where systems and
//! version managers keep several side by side.

use cupel_base::home::Home;
use std::path::{Path, PathBuf};

/// Where Cupel keeps the toolchains of a language that it installed, by the language's word.
pub fn kept(home: &Home, word: &str) -> PathBuf {
    home.cache.join("toolchains").join(word)
}

/// The programs of Go.
pub fn go(home: &Home) -> Vec<PathBuf> {
    let mut all = on_path(&|name| name == "go");
    all.extend(below(&kept(home, "go"), "", "bin/go"));
    all.push("/usr/local/go/bin/go".into());
    all.extend(below(Path::new("/usr/lib"), "go-", "bin/go"));
    all.extend(below(&user().join("sdk"), "go", "bin/go"));
    // The downloads of GOTOOLCHAIN.
    let modules = under("GOPATH", "go").join("pkg/mod/golang.org");
    all.extend(below(&modules, "toolchain@", "bin/go"));
    all.extend(below(&under("GOENV_ROOT", ".goenv").join("versions"), "", "bin/go"));
    all.extend(below(&asdf("golang"), "", "go/bin/go"));
    all.extend(below(&mise("go"), "", "bin/go"));
    all
}

/// The programs of Node.js.
pub fn node(home: &Home) -> Vec<PathBuf> {
    let mut all = on_path(&|name| name == "node");
    all.extend(below(&kept(home, "node"), "", "bin/node"));
    all.extend(below(&under("NVM_DIR", ".nvm").join("versions/node"), "", "bin/node"));
    let fnm = under("FNM_DIR", ".local/share/fnm").join("node-versions");
    all.extend(below(&fnm, "", "installation/bin/node"));
    let volta = under("VOLTA_HOME", ".volta").join("tools/image/node");
    all.extend(below(&volta, "", "bin/node"));
    all.extend(below(&under("N_PREFIX", ".n").join("n/versions/node"), "", "bin/node"));
    all.extend(below(Path::new("/usr/local/n/versions/node"), "", "bin/node"));
    all.extend(below(&under("NODENV_ROOT", ".nodenv").join("versions"), "", "bin/node"));
    all.extend(below(&asdf("nodejs"), "", "bin/node"));
    all.extend(below(&mise("node"), "", "bin/node"));
    all
}

/// The programs of Python.
pub fn python(_home: &Home) -> Vec<PathBuf> {
    let mut all = on_path(&is_python);
    all.extend(programs(Path::new("/usr/bin"), &is_python));
    all.extend(programs(Path::new("/usr/local/bin"), &is_python));
    all.extend(below(&under("PYENV_ROOT", ".pyenv").join("versions"), "", "bin/python3"));
    all.extend(below(&under("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"), "", "bin/python3"));
    all.extend(below(&asdf("python"), "", "bin/python3"));
    all.extend(below(&mise("python"), "", "bin/python3"));
    all
}

fn is_python(name: &str) -> bool {
    let minor = name.strip_prefix("python3.").unwrap_or_default();
    name == "python3" || !minor.is_empty() && minor.chars().all(|c| c.is_ascii_digit())
}

/// The files of these names in the folders of the path, the first folder first.
fn on_path(is_wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).flat_map(|folder| programs(&folder, is_wanted)).collect()
}

/// The files of these names in a folder, by name.
fn programs(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_wanted));
    let mut all: Vec<PathBuf> = wanted.map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// This file in each folder of a folder whose name begins so.
fn below(folder: &Path, start: &str, file: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(|n| n.starts_with(start)));
    let mut all: Vec<PathBuf> = wanted.map(|entry| entry.path().join(file)).collect();
    all.sort();
    all
}

pub(crate) fn user() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

/// The folder of a variable, or this one of the user's.
pub(crate) fn under(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| user().join(default), PathBuf::from)
}

pub(crate) fn asdf(plugin: &str) -> PathBuf {
    under("ASDF_DATA_DIR", ".asdf").join("installs").join(plugin)
}

pub(crate) fn mise(tool: &str) -> PathBuf {
    under("MISE_DATA_DIR", ".local/share/mise").join("installs").join(tool)
}
