//! C contenders: one file, and the files of their library if they bring it along, compiled to a
//! shared object. It is stored in the cache, under the digest of everything that went into it.

use super::cc;
use super::folders::Folders;
use super::packages::Packages;
use crate::absent::Absent;
use crate::builds::archives;
use crate::builds::cargo;
use crate::builds::shipped;
use cupel_base::disk::folder_next_to;
use cupel_base::home::Home;
use cupel_base::strange;
use cupel_contender::Family;
use cupel_contender::family::{Native, Package};
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RUNNER: &str = "cupel-runner-native";
const FLAGS: [&str; 2] = ["-fPIC", "-Wall"];

/// The command line that hosts a native family.
pub fn ready(
    home: &Home,
    family: &Family,
    native: &Native,
    build: bool,
    say: &dyn Fn(&str),
) -> Result<Vec<OsString>, Absent> {
    let runner = runner(home, build, say)?;
    required(family, native)?;
    // Where it can be made, the version from this machine's compiler and headers counts.
    let object = match made(home, family, native, build, say) {
        Err(absent @ (Absent::Missing(_) | Absent::Unbuilt)) => {
            shipped(home, family, native).ok_or(absent)?
        }
        made => made?,
    };
    Ok(vec![runner.into_os_string(), object.into_os_string()])
}

/// Variables with which you choose a compiler or a library. A prebuilt object uses neither.
const CHOSEN: [&str; 3] = ["CC", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"];

/// The object that came with the tool, if its sources are those that the tool has. It loads the
/// system's library, so it must not stand for another library that you chose.
fn shipped(home: &Home, family: &Family, native: &Native) -> Option<PathBuf> {
    if CHOSEN.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        return None;
    }
    shipped::file(&shipped::object(family), &hex(content(home, native).ok()?))
}

/// The object that this machine's compiler makes.
fn made(
    home: &Home,
    family: &Family,
    native: &Native,
    build: bool,
    say: &dyn Fn(&str),
) -> Result<PathBuf, Absent> {
    if cc::located(&cc::compiler()).is_none() {
        return Err(if build { Absent::Missing(cc::missing()) } else { Absent::Unbuilt });
    }
    let packages = Packages::ask(family, native, &|| Command::new("pkg-config"))?;
    object(home, family, (native, &packages), build, say).map_err(|a| a.explained_by(family))
}

pub(crate) fn hex(digest: Sha256) -> String {
    hex::encode(digest.finalize())
}

/// A library must be where its family's file puts it, or the system's would be measured in its
/// name.
fn required(family: &Family, native: &Native) -> Result<(), Absent> {
    let missing = folders(native).missing();
    missing.map_or(Ok(()), |refusal| Err(Absent::Missing(refusal).explained_by(family)))
}

/// The folders that the flags of a family name.
fn folders(native: &Native) -> Folders {
    Folders::in_flags(native.cflags.iter().chain(&native.libs))
}

/// The program that loads objects, built if needed.
pub(crate) fn runner(home: &Home, build: bool, say: &dyn Fn(&str)) -> Result<PathBuf, Absent> {
    let package = Package {
        manifest: "runners/native/Cargo.toml".into(),
        package: RUNNER.into(),
        cfgs: vec![],
    };
    cargo::ready(home, &package, build, say)
}

/// A digest of an object's inputs, except the compiler: sources, headers, flags.
pub(crate) fn content(home: &Home, native: &Native) -> Result<Sha256, Refusal> {
    let source = home.root.join(&native.source);
    let header = home.root.join("protocol/cupel_contender.h");
    let mut digest = Sha256::new();
    let units: Vec<PathBuf> = native.units().map(|(file, _)| home.root.join(file)).collect();
    for file in [&source, &header].into_iter().chain(&units) {
        let text = strange::bytes(file, strange::MOST_SOURCE)
            .map_err(|e| Refusal::because(format!("cannot read {}: {e}", file.display())))?;
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    // Headers are also found next to the file that includes them, and the order of the folders
    // matters.
    let parents = [&source].into_iter().chain(&units).filter_map(|file| file.parent());
    let folders = native.include.iter().map(|folder| home.root.join(folder));
    let mut seen = BTreeSet::new();
    for folder in parents.map(Path::to_path_buf).chain(folders) {
        digest.update(b"folder");
        if !seen.insert(folder.clone()) {
            continue;
        }
        for header in headers_in(&folder) {
            digest.update(header.file_name().unwrap_or_default().as_encoded_bytes());
            let text = strange::bytes(&header, strange::MOST_SOURCE).unwrap_or_default();
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
    }
    for flag in FLAGS
        .iter()
        .copied()
        .chain([standard(&native.source)])
        .chain(texts(&native.cflags))
        .chain(texts(&native.pkg_config))
        .chain(texts(&native.libs))
        .chain(native.units().flat_map(|(_, flags)| texts(flags)))
    {
        digest.update(flag);
        digest.update([0]);
    }
    Ok(digest)
}

/// The folders that all files of a family may include from.
pub(crate) fn includes(home: &Home, native: &Native) -> Vec<PathBuf> {
    let includes = native.include.iter().map(|folder| home.root.join(folder));
    [home.root.join("protocol")].into_iter().chain(includes).collect()
}

fn object(
    home: &Home,
    family: &Family,
    (native, packages): (&Native, &Packages),
    build: bool,
    say: &dyn Fn(&str),
) -> Result<PathBuf, Absent> {
    let compiler = cc::compiler();
    let source = home.root.join(&native.source);
    let mut digest = content(home, native).map_err(Absent::Failed)?;
    digest.update(cc::identity(&compiler));
    packages.digest(&mut digest);
    let key = hex::encode(digest.finalize());
    let folder = home.cache.join("objects").join(&key[..16]);
    let object = folder.join(format!("{}.so", family.name));
    if object.is_file() && archives::are_unchanged(&object) {
        return Ok(object);
    }
    if !build {
        return Err(Absent::Unbuilt);
    }
    std::fs::create_dir_all(&folder).map_err(|e| Absent::cannot("make", &folder, e))?;
    let libraries: Vec<String> = native.libs.iter().chain(&packages.flags).cloned().collect();
    let here = std::env::current_dir().unwrap_or_default();
    let short = native.source.strip_prefix(here).unwrap_or(&native.source);
    say(&format!("compiling {}", short.display()));
    // Looked at before they are linked: one that changes meanwhile is linked again next time.
    let archives = archives::noted(&archives::linked(&compiler, &libraries));
    let includes = includes(home, native);
    let work =
        folder_next_to(&object).map_err(|e| Absent::cannot("make a folder in", &folder, e))?;
    // Files with flags of their own become separate objects.
    let mut objects = Vec::new();
    for (index, (file, flags)) in native.units().enumerate() {
        let part = work.path().join(format!("{index}.o"));
        let mut command = command(&compiler, native, file, &includes, &part);
        compile(&compiler, command.args(flags).arg("-c").arg(home.root.join(file)))?;
        objects.push(part);
    }
    let fresh = work.path().join("linked.so");
    let mut command = command(&compiler, native, &native.source, &includes, &fresh);
    compile(&compiler, command.arg("-shared").arg(&source).args(&objects).args(&libraries))?;
    if let Some(refusal) = folders(native).strayed(&fresh) {
        return Err(Absent::Missing(refusal));
    }
    std::fs::rename(&fresh, &object)
        .and_then(|()| archives::keep(&object, &archives))
        .map_err(|e| Absent::cannot("store", &object, e))?;
    Ok(object)
}

/// The standard of a file's language. A C compiler compiles C++ as well, by the name of the file.
fn standard(file: &Path) -> &'static str {
    if file.extension().is_some_and(|e| e == "cc") { "-std=c++17" } else { "-std=c11" }
}

/// The compiler with the flags that all files of a family share, for one of them.
fn command(
    compiler: &Path,
    native: &Native,
    file: &Path,
    includes: &[PathBuf],
    output: &Path,
) -> Command {
    let mut command = Command::new(compiler);
    // The messages are searched for words.
    command.env("LC_ALL", "C").arg(standard(file)).args(FLAGS).args(&native.cflags);
    for folder in includes {
        command.arg("-I").arg(folder);
    }
    command.arg("-o").arg(output);
    command
}

/// Runs the compiler once.
fn compile(compiler: &Path, command: &mut Command) -> Result<(), Absent> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| {
        Absent::Missing(Refusal {
            reason: format!("the C compiler {} cannot be started: {e}", compiler.display()),
            remedy: cc::missing().remedy,
        })
    })?;
    if output.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stderr);
    let refusal = Refusal::because(cargo::first_error(&log));
    let absent = log.contains("No such file or directory") || log.contains("cannot find -l");
    Err(if absent { Absent::Missing(refusal) } else { Absent::Failed(refusal) })
}

/// The headers in a folder that sources include from.
fn headers_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).ok();
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut headers: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "h")).collect();
    headers.sort();
    headers
}

fn texts(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_contender::Kind;

    #[test]
    fn a_changed_archive_is_linked_again_and_a_broken_one_is_reported_by_the_linker() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let run = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            let done = command.args(arguments).current_dir(folder.path()).status().unwrap();
            assert!(done.success(), "{program} {arguments:?}");
        };
        let archive = |function: &str| {
            std::fs::write(at("f.c"), format!("int {function}(void) {{ return 1; }}\n")).unwrap();
            run("cc", &["-fPIC", "-c", "f.c", "-o", "f.o"]);
            let _ = std::fs::remove_file(at("libf.a"));
            run("ar", &["rc", "libf.a", "f.o"]);
        };
        std::fs::write(at("x.c"), "int f(void);\nint x(void) { return f(); }\n").unwrap();
        let text = format!(
            "runner = \"native\"\nprefix = \"c\"\nsource = \"{}\"\n\
             libs = [\"-Wl,-z,defs\", \"-L{}\", \"-lf\"]\n",
            at("x.c").display(),
            folder.path().display()
        );
        std::fs::write(at("x.toml"), text).unwrap();
        let family = Family::load(&at("x.toml")).unwrap();
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let home = Home { root, own: vec![], cache: at("cache"), store: at("store") };
        let packages = Packages::default();
        let built = |build: bool| object(&home, &family, (native, &packages), build, &|_| ());
        archive("f");
        let first = std::fs::read(built(true).unwrap()).unwrap();
        assert!(built(false).is_ok(), "nothing has changed");
        archive("f(void); int another_function");
        assert!(matches!(built(false), Err(Absent::Unbuilt)), "the archive has changed");
        // Without `f` it cannot be linked.
        let Err(Absent::Failed(refusal)) = built(true) else { panic!("f is not there") };
        assert!(refusal.reason.contains("undefined reference to"), "{}", refusal.reason);
        archive("g(void) { return 2; } int f");
        assert_ne!(std::fs::read(built(true).unwrap()).unwrap(), first);
    }

    /// Otherwise the system's OpenSSL would be measured as LibreSSL.
    #[test]
    fn a_library_that_is_not_in_its_folder_is_missing_in_the_words_of_its_family() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("x.c"), "int x(void) { return 1; }\n").unwrap();
        let text = format!(
            "runner = \"native\"\nprefix = \"c\"\nsource = \"{}\"\nlibs = [\"-L{}\", \"-lm\"]\n\
             [missing]\nreason = \"LibreSSL is not in its folder\"\n",
            at("x.c").display(),
            at("gone").display()
        );
        std::fs::write(at("x.toml"), text).unwrap();
        let family = Family::load(&at("x.toml")).unwrap();
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let Err(Absent::Missing(refusal)) = required(&family, native) else { panic!("it is gone") };
        let expected =
            format!("LibreSSL is not in its folder (there is no folder {})", at("gone").display());
        assert_eq!(refusal.reason, expected);
        std::fs::create_dir(at("gone")).unwrap();
        assert!(required(&family, native).is_err(), "it is empty");
        std::fs::write(at("gone/libm.a"), "!<arch>\n").unwrap();
        assert!(required(&family, native).is_ok());
    }

    /// Otherwise a header that is not there would be a failure where messages are translated.
    #[test]
    fn a_compiler_is_asked_for_messages_in_english() {
        let native = Native {
            source: "x.c".into(),
            cflags: vec![],
            pkg_config: vec![],
            libs: vec![],
            include: vec![],
            unit: vec![],
        };
        let command = command(Path::new("cc"), &native, Path::new("x.c"), &[], Path::new("x.so"));
        let language = command.get_envs().find(|(name, _)| *name == "LC_ALL");
        assert_eq!(language.and_then(|(_, value)| value), Some("C".as_ref()));
    }

    #[test]
    fn an_object_is_compiled_again_for_another_version_of_its_library() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("x.c"), "int x(void) { return 1; }\n").unwrap();
        let text = format!(
            "runner = \"native\"\nprefix = \"c\"\nsource = \"{}\"\npkg_config = [\"demo\"]\n",
            at("x.c").display()
        );
        std::fs::write(at("x.toml"), text).unwrap();
        let family = Family::load(&at("x.toml")).unwrap();
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let home = Home { root, own: vec![], cache: at("cache"), store: at("store") };
        let built = |version: &str, flags: &str, build: bool| {
            let text =
                format!("Name: demo\nDescription: demo\nVersion: {version}\nCflags: {flags}\n");
            std::fs::write(at("demo.pc"), text).unwrap();
            let packages = Packages::ask(&family, native, &|| {
                let mut command = Command::new("pkg-config");
                command.env("PKG_CONFIG_PATH", folder.path());
                command
            });
            object(&home, &family, (native, &packages.unwrap()), build, &|_| ())
        };
        assert!(built("1.0", "-DONE", true).is_ok());
        assert!(built("1.0", "-DONE", false).is_ok(), "nothing has changed");
        for (version, flags) in [("1.1", "-DONE"), ("1.0", "-DTWO")] {
            let changed = built(version, flags, false);
            assert!(matches!(changed, Err(Absent::Unbuilt)), "{version} {flags}: {changed:?}");
        }
    }
}
