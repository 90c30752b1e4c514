//! The family that one runner hosts on every JDK: each contender once for each JDK, and once as
//! missing for each version that is wanted but not installed.

pub mod jdk;
pub mod jre;
pub mod maven;

use crate::absent::Absent;
use crate::built::Built;
use crate::library::{self, OnRelease};
use crate::wanted::Wanted;
use cupel_base::home::Home;
use cupel_contender::Family;
use cupel_contender::family::Jvm;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The oldest Java that the runner supports.
pub(crate) const OLDEST: u32 = 17;

/// The toolchain's name if there is no JDK of a major version.
pub(crate) fn missing(major: u32) -> String {
    format!("jdk-{major}")
}

/// The family, once for each JDK, and on it once for each release of a library that is named.
pub fn ready(
    home: &Home,
    family: &Family,
    jvm: &Jvm,
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Vec<Built> {
    let build = wanted.builds(&family.prefix);
    let found: Vec<_> =
        jdk::found(home).into_iter().filter(|(_, jdk)| jdk.major >= OLDEST).collect();
    let jar = if found.is_empty() {
        Err(Absent::Unbuilt) // Nothing would run it.
    } else {
        maven::ready(home, build, say).map_err(|absent| absent.explained_by(family))
    };
    let absent = jvm.majors.iter().filter(|major| !found.iter().any(|(_, j)| j.major == **major));
    let absent = absent.map(|major| {
        let refusal = Absent::Missing(no_jdk(*major));
        Built::alone(family.on(&missing(*major)), Err(refusal), None)
    });
    let mut all = Vec::new();
    for (name, jdk) in &found {
        let kept =
            |release: &str| jar.as_ref().ok().map(|jar| listing(home, jvm, jdk, jar, release));
        let command = |program: &[OsString]| -> Vec<OsString> {
            let options = jvm.options.iter().map(Into::into);
            let words = [jdk.java().into_os_string()].into_iter().chain(options);
            words.chain(program.iter().cloned()).collect()
        };
        let usual = jar.clone().map(|jar| command(&["-jar".into(), jar.into_os_string()]));
        all.push(Built::alone(family.on(name), usual, kept("")));
        for release in library::named(home, family, Some(name), wanted) {
            let own = jar.clone().and_then(|jar| Ok(command(&with_release(&jar, &release)?)));
            let kept = kept(&release.folder.to_string_lossy());
            all.push(Built::alone(release.family, own, kept));
        }
    }
    all.extend(absent);
    all
}

/// The runner with a release of a library in the place of its own.
fn with_release(runner: &Path, release: &OnRelease) -> Result<Vec<OsString>, Absent> {
    let library = release.known.library;
    let class_path =
        library::class_path(runner, &release.folder, library.usual_jar()).ok_or_else(|| {
            let installed = release.folder.display();
            Absent::failed(format!("there is no jar in {installed}, or it cannot be named"))
        })?;
    let said = format!("-Ddev.cupel.version.{}={}", library.name, release.known.version());
    // Otherwise in the manifest of the runner's jar, which counts only with -jar.
    let mut words = MANIFEST.map(OsString::from).to_vec();
    words.extend([said.into(), "-cp".into(), class_path, "dev.cupel.runner.Main".into()]);
    Ok(words)
}

const MANIFEST: [&str; 2] = [
    "--enable-native-access=ALL-UNNAMED",
    "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
];

/// Why there are no contenders for a major version.
fn no_jdk(major: u32) -> Refusal {
    if major < OLDEST {
        return Refusal {
            reason: format!("Java {major} is too old: the JVM runner needs Java {OLDEST} or newer"),
            remedy: Some(format!("remove {major} from `majors` in the family's file")),
        };
    }
    Refusal {
        reason: format!("JDK {major} is not installed"),
        remedy: Some(match jre::find_major(major) {
            Ok(_) => format!("cupel install jdk {major}"),
            Err(_) => format!("install a JDK {major}"),
        }),
    }
}

/// Where the runner's list is kept: a JVM takes a third of a second to report its contenders. The
/// list depends on the jar, its libraries, the JDK, the options and the release of a library. A jar
/// that was damaged or repaired since is asked again.
fn listing(home: &Home, jvm: &Jvm, jdk: &jdk::Jdk, jar: &Path, release: &str) -> PathBuf {
    let mut digest = Sha256::new();
    for part in [
        maven::wanted(home).as_str(),
        &maven::libraries(jar),
        &std::fs::read_to_string(jdk.home.join("release")).unwrap_or_default(),
        &jdk.home.to_string_lossy(),
        &jvm.options.join(" "),
        release,
        env!("CARGO_PKG_VERSION"),
    ] {
        digest.update(part);
        digest.update([0]);
    }
    let name = hex::encode(&digest.finalize()[..16]);
    home.cache.join("listings").join(format!("{name}.json"))
}
