//! Toolchains by their names, whether they are here or not.

use crate::jvm::{jdk, jre};
use crate::language::versions;
use crate::library;
use cupel_base::name::ContenderName;
use cupel_protocol::message::Refusal;

/// The message about a contender whose toolchain is not installed. Nothing if no toolchain has this
/// name, as when it is misspelt.
pub fn elsewhere(contender: &ContenderName) -> Option<Refusal> {
    let toolchain = contender.toolchain()?;
    let library = library::of_contender(contender);
    if let Some(known) = library.and_then(|l| l.release(contender.release()).ok()) {
        let (library::Library { name, title, .. }, version) = (known.library, known.version());
        return Some(Refusal {
            reason: format!("{title} {version} is not installed"),
            remedy: Some(format!("cupel install {name} {version}")),
        });
    }
    if let Some(major) = jdk::major_of(toolchain) {
        let remedy = match jre::find_major(major) {
            // Cupel installs only Temurin's.
            Ok(_) if toolchain.starts_with("temurin-") => {
                format!("cupel install jdk {major}")
            }
            _ => format!("install {toolchain}"),
        };
        return Some(Refusal {
            reason: format!("{toolchain} is not installed"),
            remedy: Some(remedy),
        });
    }
    if let Some((language, version)) = versions::named(toolchain) {
        return Some(versions::absence(language, version, &[]));
    }
    let (compiler, version) = toolchain.split_once('-')?;
    let number = version.split('-').next().and_then(|v| v.split('.').next()?.parse::<u32>().ok());
    if !["gcc", "clang"].contains(&compiler) {
        return None;
    }
    let name = format!("{compiler}-{}", number?);
    Some(Refusal {
        reason: format!("{name} is not installed, or was not asked for"),
        remedy: Some(format!("cupel install {name}")),
    })
}

/// Whether code is compiled at run time on a toolchain of this name: a JDK or a Node.js.
pub fn is_jit(toolchain: &str) -> bool {
    jdk::major_of(toolchain).is_some() || versions::is_jit(toolchain)
}

/// Whether a toolchain of this name is a JDK.
pub fn is_jdk(toolchain: &str) -> bool {
    jdk::major_of(toolchain).is_some()
}
