//! The places outside of its folder that a command names: there, the two builds could be one.

use crate::recipe::{FOLDERS_OF_CARGO, chosen_target, variables};
use anyhow::Result;
use cupel_base::problem::Problem;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// How many files of folders are looked at.
const MOST_FILES: usize = 10_000;

/// The files outside of both builds that these may write and run.
pub struct Outside(BTreeMap<PathBuf, (SystemTime, u64)>);

impl Outside {
    /// As they are now: files that a command names, and all files in folders that `run` names. Those
    /// in the folders of the builds are not outside.
    pub fn now(builds: &[&str], run: &str, folders: [&Path; 2]) -> Outside {
        let mut outside = Outside(BTreeMap::new());
        for path in builds.iter().flat_map(|build| absolute_paths(build)).filter(|p| p.is_file()) {
            outside.add(&path, folders);
        }
        let programs = words(run).into_iter().filter_map(|word| program(&word));
        for path in absolute_paths(run).into_iter().chain(programs) {
            outside.add(&path, folders);
        }
        outside
    }

    fn add(&mut self, path: &Path, folders: [&Path; 2]) {
        if folders.iter().any(|folder| path.starts_with(folder)) || self.0.len() >= MOST_FILES {
            return;
        }
        let Ok(about) = path.metadata() else { return };
        if about.is_file() {
            if let Ok(modified) = about.modified() {
                self.0.insert(path.to_path_buf(), (modified, about.len()));
            }
            return;
        }
        // Other programs write into the folder of temporary files, and into one around the builds.
        let is_shared = path == std::env::temp_dir()
            || folders.iter().any(|folder| folder.starts_with(path))
            || !about.is_dir();
        if is_shared {
            return;
        }
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            // A link to a folder may lead back.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !is_link || entry.path().is_file() {
                self.add(&entry.path(), folders);
            }
        }
    }

    /// The first one that is not as it was before.
    pub fn changed(&self, before: &Outside) -> Option<&Path> {
        let mut changed = self.0.iter().filter(|(path, now)| before.0.get(*path) != Some(*now));
        changed.next().map(|(path, _)| path.as_path())
    }
}

/// The files that a command names and that are not in the top folder of its checkout.
pub fn files_outside(command: &str, folder: &Path, top: &Path) -> Vec<PathBuf> {
    let paths = words(command).into_iter().filter(|word| word.contains('/'));
    let files = paths.filter_map(|word| folder.join(word).canonicalize().ok());
    let top = top.canonicalize().unwrap_or_else(|_| top.to_path_buf());
    files.filter(|file| file.is_file() && !file.starts_with(&top)).collect()
}

/// Refuses commands of both builds that name the working tree: in the folder of a revision, they
/// would build or run the working tree's files.
///
/// # Errors
/// If one does.
pub fn refuse_working_tree(top: &Path, commands: &[&str]) -> Result<()> {
    let Some(command) = commands.iter().find(|command| names(command, top)) else { return Ok(()) };
    let what = format!("`{command}` names the working tree, so both builds would be that one");
    let help = "name files from the folder of the build (./bench), and copy a script that both \
                builds use out of the repository";
    Err(Problem::refusal(what, help).into())
}

/// A note on the variables by which programs find files of the working tree.
pub fn note_of_variables(top: &Path) -> Option<String> {
    const FIND: [&str; 4] = ["PATH", "FLAGS", "PRELOAD", "PYTHONHOME"];
    let mut named = variables();
    named.retain(|(name, value)| {
        FIND.iter().any(|word| name.contains(word)) && names(&value.to_string_lossy(), top)
    });
    let named: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
    let leads = if named.len() > 1 { "lead" } else { "leads" };
    (!named.is_empty()).then(|| {
        format!(
            "{} {leads} into the working tree, so both builds may use its files: unset it for the \
             gate, or let --run set it from the folder of the build",
            named.join(", ")
        )
    })
}

/// A note on a Python package that was installed from the working tree: in any folder, Python
/// imports that one. `run` may use an environment of its build.
pub fn note_of_package(top: &Path, run: &str) -> Option<String> {
    let words = words(run);
    let is_own = |word: &String| {
        let is_python = ["activate", "pip", "py"].map(|name| format!("/bin/{name}"));
        let names = |python: &String| word.contains(python);
        !word.starts_with('/') && (is_python.iter().any(names) || word.ends_with("/bin"))
    };
    if words.iter().any(|word| word == "uv" || is_own(word)) {
        return None;
    }
    let absolute = words.iter().filter(|word| word.starts_with('/')).map(PathBuf::from);
    let programs = absolute.chain(words.iter().filter_map(|word| program(word)));
    let of_programs = programs.filter_map(|file| Some(file.parent()?.parent()?.to_path_buf()));
    let variables = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os);
    let of_user = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    let mut all = of_programs.chain(variables.map(PathBuf::from)).chain(of_user);
    let file = all.find_map(|environment| installed_from(top, &environment))?;
    Some(format!(
        "{} has a Python package from the working tree, so both builds may import that one: let \
         --build install it into an environment in its folder, and --run use that",
        file.display()
    ))
}

/// The file by which a Python environment imports from a folder, or shows that it installed
/// that.
fn installed_from(folder: &Path, environment: &Path) -> Option<PathBuf> {
    let entries = |folder: PathBuf| {
        let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
        all.map(|entry| entry.path())
    };
    let pythons = entries(environment.join("lib")).map(|python| python.join("site-packages"));
    let files = pythons.flat_map(entries).map(|path| {
        let leads = path.extension().is_some_and(|end| end == "pth" || end == "egg-link");
        if leads { path } else { path.join("direct_url.json") }
    });
    files.filter(|file| std::fs::read_to_string(file).is_ok_and(|text| names(&text, folder))).min()
}

/// Whether a command names a folder or something in it: by the path itself, which may have spaces,
/// or by another path that leads there.
fn names(command: &str, folder: &Path) -> bool {
    let command = expanded(command);
    let path = folder.to_string_lossy();
    let written = command.match_indices(&*path).any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let after = command[at + path.len()..].chars().next();
        before.is_none_or(divides) && after.is_none_or(|c| divides(c) || c == '/')
    });
    written || absolute_paths(&command).iter().any(|path| leads_into(path, folder))
}

fn leads_into(path: &Path, folder: &Path) -> bool {
    let there = path.ancestors().find_map(|part| part.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(folder))
}

/// Whether a character divides the words of a shell.
fn divides(c: char) -> bool {
    c.is_whitespace() || "=\"'();&|<>:".contains(c)
}

/// A command in which `~` and the variables of the environment have their values, as its shell
/// reads it. A list of folders stays a variable, and so does the working directory: the build has
/// its own.
fn expanded(command: &str) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let (name, after) = match c {
            '~' if out.chars().next_back().is_none_or(divides) => ("HOME", rest),
            '$' => match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((name, after)) => (name, after),
                None => {
                    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    rest.split_at(end.unwrap_or(rest.len()))
                }
            },
            _ => ("", rest),
        };
        let value = Some(name).filter(|name| !matches!(*name, "" | "PWD" | "OLDPWD"));
        let value = value.and_then(|name| std::env::var(name).ok());
        match value.filter(|value| !value.contains(':')) {
            Some(value) => {
                out += &value;
                rest = after;
            }
            None => out.push(c),
        }
    }
    out
}

/// The words of a command, but for the files to which it redirects its output: logs.
pub fn words(command: &str) -> Vec<String> {
    let command = expanded(command);
    let (mut words, mut begun, mut divider) = (Vec::new(), 0, ' ');
    for (at, c) in command.char_indices().chain([(command.len(), ' ')]) {
        if !divides(c) {
            continue;
        }
        if at > begun {
            if divider != '>' {
                words.push(command[begun..at].to_string());
            }
            divider = ' ';
        }
        if !c.is_whitespace() && !matches!(c, '"' | '\'') {
            divider = c;
        }
        begun = at + c.len_utf8();
    }
    words
}

/// The absolute paths among the words of a command, also those that follow the letter of an option.
fn absolute_paths(command: &str) -> Vec<PathBuf> {
    let path = |word: String| match word.as_bytes() {
        [b'/', ..] => Some(PathBuf::from(word)),
        [b'-', letter, b'/', ..] if letter.is_ascii_alphabetic() => Some(PathBuf::from(&word[2..])),
        _ => None,
    };
    words(command).into_iter().filter_map(path).collect()
}

/// The file of a program that the shell looks up.
fn program(word: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").filter(|_| !word.contains('/'))?;
    std::env::split_paths(&path).map(|folder| folder.join(word)).find(|file| file.is_file())
}

/// Refuses two builds whose Cargo would write into one folder.
///
/// # Errors
/// If they do.
pub fn refuse_shared_target(folders: [&Path; 2], commands: &[&str]) -> Result<()> {
    let help = "give each its own: unset CARGO_TARGET_DIR and CARGO_BUILD_BUILD_DIR, and leave \
                [build] target-dir, build-dir and --target-dir out for the gate";
    let refused = |by: &str, target: &Path| {
        let what = format!("both builds would share the target folder {}{by}", target.display());
        Err(Problem::refusal(what, help).into())
    };
    for command in commands {
        for pair in words(command).windows(2) {
            let [name, target] = pair else { continue };
            let is_setting = FOLDERS_OF_CARGO.iter().any(|(setting, variables)| {
                name.strip_prefix("--").or(name.strip_prefix("build.")) == Some(setting)
                    || variables.contains(&name.as_str())
            });
            let [base, new] = folders.map(|folder| plain(&folder.join(target)));
            if is_setting && base == new && !target.contains("{workspace") {
                return refused(", which the command names", &base);
            }
        }
    }
    let is_cargos = folders[0].ancestors().any(|folder| folder.join("Cargo.toml").is_file())
        || commands.iter().any(|command| command.to_lowercase().contains("cargo"));
    for (setting, variables) in FOLDERS_OF_CARGO.iter().filter(|_| is_cargos) {
        let [base, new] = folders.map(|folder| chosen_target(setting, variables, folder));
        // Cargo replaces these words by something that differs.
        let base = base.filter(|base| !base.to_string_lossy().contains("{workspace"));
        if let (Some(base), Some(new)) = (base, new)
            && plain(&base) == plain(&new)
        {
            return refused("", &base);
        }
    }
    Ok(())
}

/// A program that installs files for all users of a machine or of a Python, if its words have this
/// verb.
struct Installer {
    program: &'static str,
    verb: &'static str,
    /// The options and variables that choose another place.
    places: &'static [&'static str],
}

const OF_PIP: &[&str] =
    &["--target", "-t", "--prefix", "--root", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"];

const OF_CMAKE: &[&str] =
    &["--prefix", "prefix", "PREFIX", "DESTDIR", "--destdir", "-DCMAKE_INSTALL_PREFIX"];

const INSTALLERS: [Installer; 13] = [
    Installer { program: "pip", verb: "install", places: OF_PIP },
    Installer { program: "pip3", verb: "install", places: OF_PIP },
    Installer { program: "setup.py", verb: "install", places: OF_PIP },
    Installer { program: "setup.py", verb: "develop", places: OF_PIP },
    Installer { program: "cargo", verb: "install", places: &["--root", "CARGO_INSTALL_ROOT"] },
    Installer { program: "go", verb: "install", places: &["GOBIN", "GOPATH"] },
    Installer { program: "npm", verb: "install", places: &["--prefix"] },
    Installer { program: "npm", verb: "link", places: &["--prefix"] },
    Installer { program: "make", verb: "install", places: OF_CMAKE },
    Installer { program: "ninja", verb: "install", places: OF_CMAKE },
    Installer { program: "meson", verb: "install", places: OF_CMAKE },
    Installer { program: "cmake", verb: "--install", places: OF_CMAKE },
    Installer { program: "cmake", verb: "install", places: OF_CMAKE },
];

/// A note on commands that install both builds into one place.
///
/// # Errors
/// If they certainly do: then both would run the build that was installed last.
pub fn refuse_shared_install(folders: [&Path; 2], commands: [&str; 2]) -> Result<Option<String>> {
    let [Some((part, is_certain)), Some(_)] = commands.map(|command| installs(folders, command))
    else {
        return Ok(None);
    };
    let help = "install below the folder of each build, such as into a virtual environment there, \
                --root \"$PWD/out\", GOBIN=\"$PWD/out\" or DESTDIR=\"$PWD/out\", and let --run use it \
                from there";
    if is_certain {
        let what = format!("`{part}` installs both builds into one place, so both would be one");
        return Err(Problem::refusal(what, help).into());
    }
    Ok(Some(format!("`{part}` may install both builds into one place. If it does, {help}")))
}

/// The part of a command that installs files into a place that both builds use, and whether it
/// certainly does.
fn installs<'a>(folders: [&Path; 2], command: &'a str) -> Option<(&'a str, bool)> {
    let all = words(command);
    // uv installs below its folder, unless it gets another Python.
    let is_uv = |words: &[String]| {
        let has = |word: &str| words.iter().any(|other| other == word);
        has("uv") && !has("--system") && std::env::var_os("VIRTUAL_ENV").is_none()
    };
    command.split(['&', '|', ';', '\n']).find_map(|part| {
        let part = part.trim();
        let words = words(part);
        let (at, installer) = words.iter().enumerate().find_map(|(at, word)| {
            let name = word.rsplit('/').next()?;
            let mut known = INSTALLERS.iter();
            let known =
                known.find(|one| one.program == name && words[at..].contains(&one.verb.into()));
            Some((at, known?))
        })?;
        let is_apart = |word: &str| {
            let [base, new] = folders.map(|folder| plain(&folder.join(word)));
            base != new
        };
        // A program below the folder of a build installs there, and so does an environment.
        let is_environment =
            |word: &String| word.ends_with("bin/activate") || word.ends_with("/bin");
        let is_own = words[..=at].iter().any(|word| word.contains('/') && is_apart(word))
            || all.iter().any(|word| is_environment(word) && is_apart(word))
            || all
                .windows(2)
                .any(|pair| installer.places.contains(&pair[0].as_str()) && is_apart(&pair[1]));
        (!is_own && !is_uv(&words) && installer.takes_folder(&words[at..]))
            .then_some((part, !installer.is_make()))
    })
}

impl Installer {
    /// Whether its prefix may be chosen elsewhere.
    fn is_make(&self) -> bool {
        self.places == OF_CMAKE
    }

    /// Whether it installs files of the folder, and not a package of that name.
    fn takes_folder(&self, words: &[String]) -> bool {
        let has = |option: &str| words.iter().any(|word| word == option);
        let is_path = |word: &str| word == "." || word.starts_with("./") || word.starts_with(".[");
        let has_path = || {
            // A file that lists packages is not a package.
            let named = words.windows(2).filter(|pair| !matches!(&*pair[0], "-r" | "-c"));
            named.map(|pair| pair[1].as_str()).any(is_path)
        };
        match self.program {
            "pip" | "pip3" => has_path() || has("-e") || has("--editable"),
            "cargo" => has("--path"),
            "go" => !words.iter().any(|word| word.contains('@')),
            "npm" => self.verb == "link" || (has("-g") || has("--global")) && has_path(),
            _ => true,
        }
    }
}

/// A path without `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_its_shell_reads_it() {
        let home = std::env::var("HOME").unwrap();
        let command = "a=\"~/b\" $HOME/c ${HOME}/d $PWD/e x~ $NO_SUCH/f >/log 2> '/log' -I/g";
        let expected = ["a", "~/b", "~/c", "~/d", "$PWD/e", "x~", "$NO_SUCH/f", "2", "-I/g"];
        assert_eq!(words(command), expected.map(|word| word.replace("~/", &format!("{home}/"))));
        assert_eq!(absolute_paths("-I/g -f ./h /i"), ["/g", "/i"].map(PathBuf::from));
    }

    #[test]
    fn a_python_package_of_the_working_tree_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let [top, python] = ["tree", "env/bin/python"].map(|name| place.join(name));
        let packages = place.join("env/lib/python3.12/site-packages");
        let package = packages.join("demo-1.0.dist-info");
        [&top, &package].iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        let said = |run: &str| note_of_package(&top, run).unwrap_or_default();
        let run = format!("{} bench.py", python.display());
        assert_eq!(said(&run), "");
        let url = format!("{{\"dir_info\": {{}}, \"url\": \"file://{}\"}}", top.display());
        std::fs::write(package.join("direct_url.json"), url).unwrap();
        let note = said(&run);
        assert!(note.contains("demo-1.0.dist-info/direct_url.json has a Python"), "{note}");
        for own in [
            ". .venv/bin/activate",
            ".venv/bin/python x",
            "PATH=\"$PWD/a/bin:$PATH\" x",
            "uv run x",
        ] {
            assert_eq!(said(&format!("{own} && {run}")), "", "{own}");
        }
        std::fs::remove_dir_all(package).unwrap();
        std::fs::write(packages.join("demo.pth"), format!("{}/src\n", top.display())).unwrap();
        assert!(said(&run).contains("demo.pth has a Python package"));
        assert_eq!(note_of_package(&place.join("other"), &run), None);
    }

    #[test]
    fn an_installation_of_both_builds_into_one_place_is_refused_or_noted() {
        let folders = ["/cache/a", "/cache/b"].map(Path::new);
        let said = |command: &str| refuse_shared_install(folders, [command; 2]);
        for command in [
            "pip install .",
            "pip install -q '.[bench]'",
            "python3 -m pip install -e .",
            "make && pip3 install -r requirements.txt ./python",
            "python setup.py develop",
            "/usr/bin/python3 -m pip install --prefix /opt/x .",
            "cargo install --path crates/tool",
            "go install ./cmd/...",
            "cd x && go install",
            "npm install -g .",
            "npm link",
        ] {
            let refused = said(command).expect_err(command).to_string();
            assert!(refused.contains("installs both builds into one place"), "{refused}");
        }
        for command in [
            "make -j4 && make install",
            "make -j 4 all install",
            "cmake -B out && cmake --build out --target install",
            "./configure --prefix=/opt/x && make install",
        ] {
            let note = said(command).unwrap();
            assert!(
                note.is_some_and(|note| note.contains("install` may install both")),
                "{command}"
            );
        }
        assert!(said("cmake --install out").unwrap().is_some());
        for command in [
            "pip install -r ./requirements.txt numpy",
            "python3 -m venv .venv && .venv/bin/pip install .",
            "python3 -m venv .venv && . .venv/bin/activate && pip install .",
            "PATH=\"$PWD/.venv/bin:$PATH\" && export PATH && pip install .",
            "pip install --target=deps .",
            "cargo install cargo-criterion",
            "cargo install --root out --path .",
            "GOBIN=$PWD/out go install ./...",
            "go install golang.org/x/perf/cmd/benchstat@latest && go test -c",
            "npm install",
            "npm install -g typescript",
            "make install DESTDIR=$PWD/out",
            "cmake -B out -DCMAKE_INSTALL_PREFIX=$PWD/x && cmake --install out",
            "make && ./install",
        ] {
            assert_eq!(said(command).unwrap(), None, "{command}");
        }
        let one = refuse_shared_install(folders, ["pip install .", "make"]);
        assert_eq!(one.unwrap(), None, "only one build is installed");
    }

    #[test]
    fn each_way_to_name_one_target_folder_is_refused() {
        let folders = ["/cache/a", "/cache/b"].map(Path::new);
        let refused = |command: &str| refuse_shared_target(folders, &[command]).is_err();
        for command in [
            "cargo bench --target-dir /t",
            "cargo bench --target-dir=\"/t\"",
            "CARGO_TARGET_DIR=\"/t\" cargo bench",
            "CARGO_BUILD_BUILD_DIR=/t cargo bench",
            "cargo bench --target-dir ~/t",
            "cargo bench --target-dir ../t",
            "cargo bench --config 'build.target-dir=\"/t\"'",
            "cargo bench --config 'build.build-dir = \"/t\"'",
        ] {
            assert!(refused(command), "{command}");
        }
        for command in ["cargo bench --target-dir t", "CARGO_TARGET_DIR=$PWD/t cargo bench"] {
            assert!(!refused(command), "{command}");
        }
    }
}
