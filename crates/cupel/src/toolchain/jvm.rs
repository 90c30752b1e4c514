//! The family that one runner hosts on every JDK: a contender of each name for each JDK, and one that
//! is missing for each version that is asked for and not here.

use super::family::Jvm;
use super::{Absent, Built, Family, jdk, jre, maven};
use crate::home::Home;
use cupel_protocol::message::Refusal;
use std::ffi::OsString;

/// The oldest Java that the runner is built for.
const OLDEST: u32 = 17;

/// The family once for each JDK.
pub fn ready(
    home: &Home,
    family: &Family,
    jvm: &Jvm,
    build: bool,
    say: &dyn Fn(&str),
) -> Vec<Built> {
    let found: Vec<_> =
        jdk::found(home).into_iter().filter(|(_, jdk)| jdk.major >= OLDEST).collect();
    let jar = match found.is_empty() {
        true => Err(Absent::Unbuilt), // nothing would run it
        false => maven::ready(home, build, say).map_err(|absent| family.explain(absent)),
    };
    let command = |java: OsString| -> Result<Vec<OsString>, Absent> {
        let jar = jar.clone()?.into_os_string();
        Ok([&[java][..], &jvm.options.iter().map(OsString::from).collect::<Vec<_>>()]
            .concat()
            .into_iter()
            .chain(["-jar".into(), jar])
            .collect())
    };
    let missing = jvm.majors.iter().filter(|major| !found.iter().any(|(_, j)| j.major == **major));
    let missing = missing.map(|major| Built {
        family: family.on(&format!("jdk-{major}")),
        command: Err(Absent::Missing(Refusal {
            reason: format!("there is no JDK {major} here"),
            remedy: Some(match jre::of(*major) {
                Ok(_) => format!("cupel toolchain add jdk {major}"),
                Err(_) => format!("install a JDK {major}"),
            }),
        })),
    });
    let here = found.iter().map(|(name, jdk)| Built {
        family: family.on(name),
        command: command(jdk.java().into_os_string()),
    });
    here.chain(missing).collect()
}
