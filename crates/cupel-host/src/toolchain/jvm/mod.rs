//! The family that one runner hosts on every JDK: each contender once for each JDK, and once as
//! missing for each version that is wanted but not installed.

pub mod jdk;
pub mod jre;
pub mod maven;

use crate::toolchain::Absent;
use crate::toolchain::Built;
use crate::toolchain::Family;
use crate::toolchain::family::Jvm;
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The oldest Java that the runner supports.
pub(crate) const OLDEST: u32 = 17;

/// The toolchain's name if there is no JDK of a major version.
pub(crate) fn missing(major: u32) -> String {
    format!("jdk-{major}")
}

/// The family, once for each JDK.
pub fn ready(
    home: &Home,
    family: &Family,
    jvm: &Jvm,
    build: bool,
    say: &dyn Fn(&str),
) -> Vec<Built> {
    let found: Vec<_> =
        jdk::found(home).into_iter().filter(|(_, jdk)| jdk.major >= OLDEST).collect();
    let jar = if found.is_empty() {
        Err(Absent::Unbuilt) // Nothing would run it.
    } else {
        maven::ready(home, build, say).map_err(|absent| family.explain(absent))
    };
    let absent = jvm.majors.iter().filter(|major| !found.iter().any(|(_, j)| j.major == **major));
    let absent = absent.map(|major| {
        let refusal = Absent::Missing(no_jdk(*major));
        Built::alone(family.on(&missing(*major)), Err(refusal), None)
    });
    let here = found.iter().map(|(name, jdk)| {
        let listing = jar.as_ref().ok().map(|jar| listing(home, jvm, jdk, jar));
        let command = jar.clone().map(|jar| {
            let mut words = vec![jdk.java().into_os_string()];
            words.extend(jvm.options.iter().map(Into::into));
            words.extend(["-jar".into(), jar.into_os_string()]);
            words
        });
        Built::alone(family.on(name), command, listing)
    });
    here.chain(absent).collect()
}

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
        remedy: Some(match jre::of(major) {
            Ok(_) => format!("cupel install jdk {major}"),
            Err(_) => format!("install a JDK {major}"),
        }),
    }
}

/// Where the runner's list is kept: a JVM takes a third of a second to report what it hosts. The
/// list depends on the jar, its libraries, the JDK and the options. A jar that was damaged or
/// repaired since is asked again.
fn listing(home: &Home, jvm: &Jvm, jdk: &jdk::Jdk, jar: &Path) -> PathBuf {
    let mut digest = Sha256::new();
    for part in [
        maven::wanted(home).as_str(),
        &maven::libraries(jar),
        &std::fs::read_to_string(jdk.home.join("release")).unwrap_or_default(),
        &jdk.home.to_string_lossy(),
        &jvm.options.join(" "),
        env!("CARGO_PKG_VERSION"),
    ] {
        digest.update(part);
        digest.update([0]);
    }
    let name = hex::encode(&digest.finalize()[..16]);
    home.cache.join("listings").join(format!("{name}.json"))
}
