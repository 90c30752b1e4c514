//! The JDKs of this machine, where they are usually installed. Nothing is started: the file
//! `release` in a JDK's folder names its vendor and version.

use crate::language::places;
use crate::naming::{self, numbers};
use cupel_base::home::Home;
use std::path::{Path, PathBuf};

/// A JDK or JRE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, with links resolved.
    pub home: PathBuf,
    /// Its vendor, in one word: `temurin`.
    pub vendor: String,
    /// Its full version: `17.0.15`.
    pub version: String,
    /// The first number of the version.
    pub major: u32,
}

impl Jdk {
    /// The path of its launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin").join(if cfg!(windows) { "java.exe" } else { "java" })
    }

    /// The JDK in a folder, if there is one.
    fn in_folder(folder: &Path) -> Option<Jdk> {
        let home = folder.canonicalize().ok()?;
        let release = std::fs::read_to_string(home.join("release")).ok()?;
        let (vendor, version) = read(&release)?;
        let major = version.split(['.', '+', '-']).next()?.parse().ok()?;
        let jdk = Jdk { home, vendor, version, major };
        jdk.java().is_file().then_some(jdk)
    }
}

/// All JDKs, by ascending version, each with its own name ([`naming::unique`]): of two updates,
/// `temurin-25` for the newest and `temurin-25.0.2` for the other.
pub fn found(home: &Home) -> Vec<(String, Jdk)> {
    named(candidates(home).iter().filter_map(|folder| Jdk::in_folder(folder)).collect())
}

fn named(mut jdks: Vec<Jdk>) -> Vec<(String, Jdk)> {
    // One JDK may be found in several ways, and through links.
    jdks.sort_by(|a, b| a.home.cmp(&b.home));
    jdks.dedup_by(|a, b| a.home == b.home);
    jdks.sort_by_key(|jdk| (numbers(&jdk.version), jdk.vendor.clone()));
    // Two copies of one build would give one contender two names.
    jdks.dedup_by(|a, b| (&a.vendor, &a.version) == (&b.vendor, &b.version));
    let names = naming::unique(jdks.iter().map(|Jdk { vendor, version, major, .. }| {
        (format!("{vendor}-{major}"), format!("{vendor}-{version}"))
    }));
    names.into_iter().zip(jdks).collect()
}

/// The folder of the JDKs that Cupel installed.
pub fn kept(home: &Home) -> PathBuf {
    places::kept(home, "jdk")
}

/// Folders that may be a JDK: `JAVA_HOME`, the launchers' on the path, Cupel's own, and the folders
/// of the system, SDKMAN, asdf and mise.
fn candidates(home: &Home) -> Vec<PathBuf> {
    let mut all = Vec::new();
    all.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        if let Ok(launcher) = folder.join("java").canonicalize() {
            all.extend(launcher.parent().and_then(Path::parent).map(Path::to_path_buf));
        }
    }
    for folder in [
        kept(home),
        PathBuf::from("/usr/lib/jvm"),
        places::user().join(".jdks"),
        places::under("SDKMAN_DIR", ".sdkman").join("candidates/java"),
        places::asdf("java"),
        places::mise("java"),
    ] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        all.extend(entries.map(|entry| entry.path()));
    }
    all
}

/// Vendors of JDKs as `release` names them, and their word in a contender's name.
const VENDORS: [(&str, &str); 6] = [
    ("Eclipse", "temurin"),
    ("Amazon", "corretto"),
    ("Azul", "zulu"),
    ("BellSoft", "liberica"),
    ("Red Hat", "redhat"),
    ("International Business", "semeru"),
];

/// Other words, for vendors that use the word itself.
const OTHERS: [&str; 6] = ["graalvm", "openjdk", "oracle", "debian", "ubuntu", "microsoft"];

/// The major version, if this is a possible name of a JDK, installed or not: `temurin-25`.
pub fn major_of(toolchain: &str) -> Option<u32> {
    let (vendor, version) = toolchain.split_once('-')?;
    let known = VENDORS.iter().map(|(_, word)| *word).chain(OTHERS).any(|word| word == vendor);
    version.split(['.', '+']).next()?.parse().ok().filter(|_| known)
}

/// The vendor and version in the text of a file `release`.
fn read(release: &str) -> Option<(String, String)> {
    let version = field(release, "JAVA_VERSION")?.to_string();
    if field(release, "GRAALVM_VERSION").is_some() {
        return Some(("graalvm".into(), version));
    }
    let implementor = field(release, "IMPLEMENTOR").unwrap_or_default();
    let vendor = VENDORS.iter().find(|(start, _)| implementor.starts_with(start));
    let word = implementor.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    let vendor = vendor.map_or_else(|| word.to_lowercase(), |(_, name)| name.to_string());
    Some((if vendor.is_empty() { "openjdk".into() } else { vendor }, version))
}

fn field<'t>(release: &'t str, name: &str) -> Option<&'t str> {
    let value = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
    Some(value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jdk(home: &str, vendor: &str, version: &str) -> Jdk {
        let major = numbers(version)[0];
        Jdk { home: home.into(), vendor: vendor.into(), version: version.into(), major }
    }

    #[test]
    fn a_release_file_names_vendor_and_version() {
        let of = |text: &str| read(text).unwrap();
        let temurin = "IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_VERSION=\"25.0.3\"\n";
        assert_eq!(of(temurin), ("temurin".into(), "25.0.3".into()));
        let debian = "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\n";
        assert_eq!(of(debian), ("debian".into(), "17.0.15".into()));
        let graal =
            "IMPLEMENTOR=\"Oracle Corporation\"\nJAVA_VERSION=\"25\"\nGRAALVM_VERSION=\"25\"";
        assert_eq!(of(graal), ("graalvm".into(), "25".into()));
        assert_eq!(of("JAVA_VERSION=\"21\""), ("openjdk".into(), "21".into()));
        assert_eq!(read("IMPLEMENTOR=\"Debian\""), None);
    }

    #[test]
    fn a_toolchain_that_is_not_here_is_distinguished_from_a_misspelt_one() {
        assert_eq!(major_of("temurin-25"), Some(25));
        assert_eq!(major_of("temurin-17.0.9"), Some(17));
        for wrong in ["temuirn-25", "temurin", "temurin-x", "25", "gcc-9-O2"] {
            assert_eq!(major_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_newest_of_two_updates_has_the_short_name() {
        let names = |jdks: Vec<Jdk>| named(jdks).into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(
            names(vec![
                jdk("/b", "temurin", "25.0.3"),
                jdk("/a", "debian", "17.0.15"),
                jdk("/b", "temurin", "25.0.3"),
                jdk("/copy-of-b", "temurin", "25.0.3"),
            ]),
            ["debian-17", "temurin-25"]
        );
        assert_eq!(
            names(vec![jdk("/a", "temurin", "17.0.15"), jdk("/b", "temurin", "17.0.9")]),
            ["temurin-17.0.9", "temurin-17"]
        );
        assert_eq!(
            names(vec![jdk("/a", "temurin", "25"), jdk("/b", "temurin", "25.0.1")]),
            ["temurin-25", "temurin-25.0.1"]
        );
    }

    #[test]
    fn a_folder_is_a_jdk_where_it_has_a_launcher() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("release"), "JAVA_VERSION=\"21.0.8\"\n").unwrap();
        assert_eq!(Jdk::in_folder(at), None);
        std::fs::create_dir(at.join("bin")).unwrap();
        let launcher = if cfg!(windows) { "bin/java.exe" } else { "bin/java" };
        std::fs::write(at.join(launcher), "").unwrap();
        let found = Jdk::in_folder(at).unwrap();
        assert_eq!((found.vendor.as_str(), found.major), ("openjdk", 21));
    }
}
