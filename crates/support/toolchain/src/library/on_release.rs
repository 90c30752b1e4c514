//! A family with an installed release in the place of its usual library.

use super::known::{Form, Known, Library, libraries, of_contender};
use super::runner::Runner;
use super::sources;
use crate::absent::Absent;
use crate::wanted::Wanted;
use cupel_base::home::Home;
use cupel_base::name::{ContenderName, Pattern};
use cupel_contender::Family;
use cupel_contender::family::{Native, Package};
use std::ffi::OsString;
use std::path::PathBuf;

/// A family with an installed release in the place of its usual library.
pub(crate) struct OnRelease {
    pub(crate) family: Family,
    pub(crate) known: Known,
    pub(crate) folder: PathBuf,
    /// Whether to build contenders that are not built yet.
    pub(crate) build: bool,
}

/// The family with each installed release that is named, on `host` if it needs one.
pub(crate) fn named(
    home: &Home,
    family: &Family,
    host: Option<&str>,
    wanted: &Wanted,
) -> Vec<OnRelease> {
    let mut all = Vec::new();
    let of_family = libraries().iter().filter(|library| library.family == family.name);
    for known in of_family.flat_map(Library::known) {
        let folder = known.folder(home);
        let version = known.version();
        let toolchain =
            host.map_or(version.to_string(), |host| ContenderName::on_host(host, version));
        let mut own = family.on(&toolchain);
        own.contenders.retain(|c| {
            let library = of_contender(&family.full_name(&c.name));
            library.is_some_and(|library| library.name == known.library.name)
        });
        let means = |texts: &[String]| {
            texts.iter().map(Pattern::new).any(|pattern| {
                pattern.may_mean_toolchain(&toolchain)
                    && own.contenders.iter().any(|c| {
                        let name = own.full_name(&c.name);
                        pattern.may_name_build_of(name.code()) || pattern.may_shorten(&c.name)
                    })
            })
        };
        if means(&wanted.named) && folder.is_dir() {
            let build = wanted.build && (wanted.narrow.is_empty() || means(&wanted.narrow));
            all.push(OnRelease { family: own, known, folder, build });
        }
    }
    all
}

/// How a C family without a release in its name is built here: with the newest installed release of
/// a library that no system packages, and else as its file says.
pub(crate) fn usual(home: &Home, family: &Family, native: &Native) -> Result<Native, Absent> {
    let mut packaged_nowhere = libraries()
        .iter()
        .filter(|library| library.family == family.name && matches!(library.form, Form::Wheels(_)));
    let mut releases = packaged_nowhere.next().into_iter().flat_map(Library::known).rev();
    let Some(known) = releases.find(|known| known.folder(home).is_dir()) else {
        return Ok(native.clone());
    };
    let folder = known.folder(home);
    OnRelease { family: family.clone(), known, folder, build: false }.native(native)
}

impl OnRelease {
    /// How a C family is built with the release: with its headers and archives, and without
    /// pkg-config, which finds the system's. Fails if another compiler has built the release.
    pub(crate) fn native(&self, native: &Native) -> Result<Native, Absent> {
        let (name, version) = (&self.known.library.name, self.known.version());
        let again =
            format!("cupel install --remove {name} {version} && cupel install {name} {version}");
        let mut more: &[String] = &[];
        if let Form::Sources(recipe) = &self.known.library.form {
            sources::is_built_alike(&self.folder, &self.known.title(), again)?;
            more = &recipe.libs;
        }
        let mut own = native.clone();
        own.cflags.push(format!("-I{}", self.folder.join("include").display()));
        own.pkg_config.clear();
        own.libs = vec![self.folder.join(sources::ARCHIVE).display().to_string()];
        // Its functions are its own, whatever else the process has loaded.
        own.libs.extend(["-Wl,--exclude-libs,ALL", "-ldl", "-pthread"].map(String::from));
        own.libs.extend_from_slice(more);
        Ok(own)
    }

    /// The command line of the runner that hosts the release of a crate.
    pub(crate) fn runner(
        &self,
        home: &Home,
        package: &Package,
        say: &dyn Fn(&str),
    ) -> Result<Vec<OsString>, Absent> {
        let Library { name, form, .. } = self.known.library;
        let Form::Crate(hosted) = form else {
            return Err(Absent::failed(format!("releases of {name} are not crates")));
        };
        let runner = Runner { home, package, hosted, known: self.known };
        if runner.program().is_none() && !self.build {
            return Err(Absent::Unbuilt);
        }
        runner.add(say).map_err(|error| Absent::failed(format!("{error:#}")))?;
        let program = runner.program().ok_or(Absent::Unbuilt)?;
        Ok(vec![program.into_os_string()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{class_path, step, with_word};
    use cupel_contender::Kind;
    use std::fs;

    /// A home with an empty cache, and a family of this text.
    fn family(name: &str, text: &str) -> (tempfile::TempDir, Home, Family) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_path_buf();
        let path = at.join(format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        let family = Family::load(&path).unwrap();
        let home = Home { root: at.clone(), own: vec![], cache: at.join("cache"), store: at };
        (folder, home, family)
    }

    fn found(home: &Home, family: &Family, host: Option<&str>, name: &str) -> Vec<OnRelease> {
        let wanted = Wanted { named: vec![name.to_string()], ..Wanted::default() };
        named(home, family, host, &wanted)
    }

    #[test]
    fn an_installed_release_is_there_where_it_is_named_and_replaces_the_system_s_library() {
        let text = "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n\
                    pkg_config = [\"libcrypto >= 3.0\"]\n[[contender]]\n\
                    name = \"openssl-reused\"\noffers = [\"sha256:digest\"]\n";
        let (_folder, home, family) = family("openssl", text);
        assert!(found(&home, &family, None, "c/*@*").is_empty(), "none is installed");
        let known = with_word("openssl").unwrap().release(Some("1.1.1w")).unwrap();
        fs::create_dir_all(known.folder(&home)).unwrap();
        for named in ["c/*", "openssl-reused", "c/*@3*", "rust/*@*"] {
            assert!(found(&home, &family, None, named).is_empty(), "{named}");
        }
        for named in ["c/*@*", "openssl@1.1.1w"] {
            assert_eq!(found(&home, &family, None, named).len(), 1, "{named}");
        }
        let release = found(&home, &family, None, "c/*@*").remove(0);
        assert_eq!(release.family.full_name("openssl-reused"), "c/openssl-reused@1.1.1w");
        assert!(release.family.is_versioned() && !family.is_versioned());
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let Err(Absent::Missing(refusal)) = release.native(native) else { panic!("by whom?") };
        assert!(refusal.reason.starts_with("OpenSSL 1.1.1w was built by a compiler that is not"));
        let remedy = "cupel install --remove openssl 1.1.1w && cupel install openssl 1.1.1w";
        assert_eq!(refusal.remedy.as_deref(), Some(remedy));
        fs::write(release.folder.join("built-by"), step::c_compiler()).unwrap();
        let own = release.native(native).unwrap();
        let at = release.folder.display();
        assert_eq!(own.pkg_config, [""; 0]);
        assert_eq!(own.cflags, [format!("-I{at}/include")]);
        assert_eq!(own.libs[..1], [format!("{at}/lib/library.a")]);
    }

    #[test]
    fn the_newest_release_of_a_library_that_no_system_packages_is_the_usual_one() {
        let text = "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n\
                    pkg_config = [\"ippcp\"]\n[[contender]]\n\
                    name = \"ippcp\"\noffers = [\"sha256:digest\"]\n";
        let (_folder, home, family) = family("ippcp", text);
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let built = || usual(&home, &family, native).unwrap();
        assert_eq!(built().pkg_config, ["ippcp"], "none is installed");
        let known = with_word("ippcp").unwrap().known().next_back().unwrap();
        fs::create_dir_all(known.folder(&home)).unwrap();
        assert_eq!(built().pkg_config, [""; 0]);
        let archive = known.folder(&home).join(sources::ARCHIVE).display().to_string();
        assert_eq!(built().libs[..1], [archive]);
    }

    #[test]
    fn a_release_on_a_jdk_has_only_the_contenders_of_its_library_and_the_jar_is_in_its_place() {
        let one = |name: &str| {
            format!("[[contender]]\nname = \"{name}\"\noffers = [\"sha256:digest\"]\n")
        };
        let text = "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = []\n".to_string()
            + &one("jdk")
            + &one("bouncycastle")
            + &one("bouncycastle-jce");
        let (_folder, home, family) = family("jvm", &text);
        let known = with_word("bouncycastle").unwrap().release(Some("1.70")).unwrap();
        let folder = known.folder(&home);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("bcprov-1.70.jar"), "").unwrap();
        let host = Some("temurin-25");
        for named in ["jvm/*@*", "jvm/jdk@*+*", "jdk@1.70"] {
            assert!(found(&home, &family, host, named).is_empty(), "{named}");
        }
        let release = found(&home, &family, host, "bouncycastle@1.70").remove(0);
        let names = release.family.contenders.iter().map(|c| release.family.full_name(&c.name));
        assert_eq!(
            names.map(|name| name.to_string()).collect::<Vec<_>>(),
            ["jvm/bouncycastle@temurin-25+1.70", "jvm/bouncycastle-jce@temurin-25+1.70"]
        );
        let runner = home.root.join("run/runner.jar");
        let libraries = home.root.join("run/lib");
        fs::create_dir_all(&libraries).unwrap();
        for name in ["org.bouncycastle.bcprov-1.86.jar", "gson.jar"] {
            fs::write(libraries.join(name), "").unwrap();
        }
        let path = class_path(&runner, &folder, "bcprov").unwrap();
        let expected = [runner, folder.join("bcprov-1.70.jar"), libraries.join("gson.jar")];
        assert_eq!(std::env::split_paths(&path).collect::<Vec<_>>(), expected);
    }
}
