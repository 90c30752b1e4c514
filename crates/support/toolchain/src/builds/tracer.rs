//! The tracers of `tracer/`: one shared object for each library family, which a program is started
//! with, an agent for each JVM that it starts, and programs that measure their cost in a call.

use super::artefact::Artefact;
use super::cargo;
use super::fingerprint::fingerprint;
use crate::absent::Absent;
use crate::c::cc;
use crate::jvm::jdk;
use crate::jvm::maven;
use cupel_base::disk::file_next_to;
use cupel_base::home::Home;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The programs that `cupel trace` starts.
#[derive(Clone, Debug)]
pub struct Tracer {
    /// The shared objects.
    pub objects: Vec<PathBuf>,
    /// The program that measures their cost.
    pub overhead: PathBuf,
    /// The agent for JVMs, or why there is none.
    pub agent: Result<Agent, Absent>,
}

/// The counter of the calls inside a JVM.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The agent, with the program that measures its cost.
    pub jar: PathBuf,
    /// The launcher of the newest JDK, which runs that program.
    pub java: PathBuf,
}

/// The oldest Java that the agent supports.
const OLDEST_JAVA: u32 = 11;

const FLAGS: [&str; 5] = ["-std=c11", "-O2", "-Wall", "-Wextra", "-pthread"];
/// A preloaded object has its thread's memory at a fixed place, which is found at once.
const OBJECT: [&str; 4] = ["-shared", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec"];

/// The common sources of the objects.
const COMMON: [&str; 2] = ["trace.c", "contexts.c"];
const OPENSSL: [&str; 5] =
    ["openssl.c", "openssl_digest.c", "openssl_mac.c", "openssl_cipher.c", "openssl_kdf.c"];
/// The object that lists the files that a process loads and starts.
const PROCESS: [&str; 3] = ["process.c", "start.c", "bind.c"];

/// The tracers, built by the system's C compiler if they are not up to date; the agent only
/// `for_jvms`.
///
/// # Errors
/// If there is no compiler, or it refuses them.
pub fn tracer(home: &Home, for_jvms: bool, say: &dyn Fn(&str)) -> Result<Tracer, Absent> {
    let openssl = COMMON.iter().chain(&OPENSSL).chain(&["openssl_old.c"]).copied().collect();
    let gcrypt = COMMON.iter().chain(&["gcrypt.c"]).copied().collect();
    Ok(Tracer {
        objects: vec![
            built(home, "openssl.so", openssl, Some("openssl.map"), say)?,
            built(home, "libgcrypt.so", gcrypt, Some("gcrypt.map"), say)?,
            built(home, "process.so", PROCESS.to_vec(), Some("process.map"), say)?,
        ],
        overhead: built(home, "overhead", vec!["overhead.c"], None, say)?,
        agent: if for_jvms { agent(home, say) } else { Err(Absent::Unbuilt) },
    })
}

/// The agent, built by Maven if it is not up to date.
fn agent(home: &Home, say: &dyn Fn(&str)) -> Result<Agent, Absent> {
    let newest = jdk::found(home).into_iter().map(|(_, jdk)| jdk).max_by_key(|jdk| jdk.major);
    let Some(newest) = newest.filter(|jdk| jdk.major >= OLDEST_JAVA) else {
        return Err(Absent::Unbuilt); // Most likely there is no JVM to trace.
    };
    let folder = home.root.join("tracer/java");
    let artefact = Artefact {
        name: "the tracer for JVMs",
        sources: &folder,
        product: "cupel-tracer.jar".into(),
        wanted: fingerprint(&[&folder], &["java", "xml"], &["target"]),
        shipped: None,
    };
    let jar = artefact.ready(home, true, &|target| {
        let mut command = Command::new("mvn");
        command.args(["--quiet", "--batch-mode", "package", "-f"]).arg(folder.join("pom.xml"));
        command.arg(format!("-Dcupel.target={}", target.display())).current_dir(&folder);
        maven::mvn("the tracer for JVMs", None, &mut command, say)
    })?;
    Ok(Agent { jar, java: newest.java() })
}

/// One of them; an object exports the functions of its map.
fn built(
    home: &Home,
    name: &str,
    sources: Vec<&str>,
    map: Option<&str>,
    say: &dyn Fn(&str),
) -> Result<PathBuf, Absent> {
    let folder = home.root.join("tracer");
    let compiler = cc::compiler();
    let flags: Vec<&str> =
        FLAGS.iter().chain(OBJECT.iter().filter(|_| map.is_some())).copied().collect();
    let artefact = Artefact {
        name: "the tracer",
        sources: &folder,
        product: Path::new("trace").join(name),
        wanted: digest(&folder, &flags, &compiler)
            .map_err(|e| Absent::cannot("read the tracer's sources in", &folder, e))?,
        shipped: None,
    };
    artefact.ready(home, true, &|target| {
        if cc::located(&compiler).is_none() {
            return Err(Absent::Missing(cc::missing()));
        }
        say(&format!("compiling the tracer, {name}"));
        let into = target.join("trace");
        std::fs::create_dir_all(&into).map_err(|e| Absent::cannot("make", &into, e))?;
        // A program that is being traced keeps the old file.
        let product = into.join(name);
        let fresh = file_next_to(&product).map_err(|e| Absent::cannot("store", &product, e))?;
        let mut command = Command::new(&compiler);
        command.args(&flags).current_dir(&folder).arg("-o").arg(&fresh).args(&sources);
        if let Some(map) = map {
            command.arg(format!("-Wl,--version-script={map}"));
        }
        let output = command.arg("-ldl").stdin(Stdio::null()).output();
        let output = output.map_err(|_| Absent::Missing(cc::missing()))?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr);
            let error = cargo::first_error(&log);
            return Err(Absent::failed(format!("the tracer cannot be compiled: {error}")));
        }
        fresh.persist(&product).map_err(|e| Absent::cannot("store", &product, e.error))
    })
}

/// A digest of everything that the tracers are made of.
fn digest(folder: &Path, flags: &[&str], compiler: &Path) -> std::io::Result<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "c" || end == "h" || end == "map") {
            files.push(path);
        }
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in &files {
        let text = std::fs::read(file)?;
        digest.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    digest.update(flags.join(" "));
    digest.update(cc::identity(compiler));
    Ok(hex::encode(digest.finalize()))
}
