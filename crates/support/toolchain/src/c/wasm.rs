//! Our C kernels as WebAssembly: one module, which the runners on Node.js and in Python host.

use super::zig;
use crate::absent::Absent;
use crate::builds::artefact::Artefact;
use crate::builds::fingerprint::fingerprint;
use crate::builds::shipped;
use crate::language;
use cupel_base::disk::{real, write_whole};
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "the WebAssembly module";
const PRODUCT: &str = "cupel.wasm";
/// Its name in a package.
pub(crate) const SHIPPED: &str = "cupel.wasm";
const REMEDY: &str = "cupel install zig, or apt-get install clang lld";

/// Where the kernels are, relative to Cupel's folder.
const FOLDER: &str = "kernels";

const INCLUDES: [&str; 7] =
    ["src/wasm", "include", "src/common", "src/cpu", "src/sha1", "src/sha256", "src/siphash"];

const SOURCES: [&str; 13] = [
    "src/wasm/wasm.c",
    "src/common/memory.c",
    "src/common/secret.c",
    "src/cpu/cpu.c",
    "src/cpu/detect_none.c",
    "src/hmac/hmac_sha256.c",
    "src/sha1/sha1.c",
    "src/sha1/sha1_constants.c",
    "src/sha1/sha1_portable.c",
    "src/sha256/sha256.c",
    "src/sha256/sha256_constants.c",
    "src/sha256/sha256_portable.c",
    "src/siphash/siphash.c",
];

/// The kernels' own build has the same optimisation. `memory.copy` and `memory.fill` are named
/// because compilers differ in whether they use them.
const FLAGS: [&str; 10] = [
    "-std=c11",
    "-O2",
    "-mbulk-memory",
    "-nostdlib",
    "-nostdlibinc",
    "-DCUPEL_FREESTANDING",
    "-DCUPEL_PORTABLE_ONLY",
    "-Wl,--no-entry",
    "-Wl,--strip-debug",
    "-Wl,-z,stack-size=65536",
];

/// The functions and data that hosts use.
const EXPORTS: [&str; 18] = [
    "__heap_base",
    "cupel_wasm_version",
    "cupel_nothing",
    "cupel_sha1",
    "cupel_sha1_begin",
    "cupel_sha1_update",
    "cupel_sha1_finish",
    "cupel_sha256",
    "cupel_sha256_begin",
    "cupel_sha256_update",
    "cupel_sha256_finish",
    "cupel_hmac_sha256",
    "cupel_hmac_sha256_prepare",
    "cupel_hmac_sha256_begin",
    "cupel_hmac_sha256_update",
    "cupel_hmac_sha256_finish",
    "cupel_siphash_1_3",
    "cupel_siphash_2_4",
];

/// The reason that a runner reports for contenders whose module is not built. The others that it
/// hosts need no module.
pub const UNBUILT: &str = "the WebAssembly module is not built";

/// The arguments that tell a runner about the module: `--wasm FILE`, or `--no-wasm` with the reason
/// and the remedy, which the runner reports for its contenders that need it.
pub fn arguments(home: &Home, build: bool, say: &dyn Fn(&str)) -> Vec<OsString> {
    match ready(home, build, say) {
        Ok(module) => vec!["--wasm".into(), module.into_os_string()],
        Err(absent) => {
            let Refusal { reason, remedy } = match absent {
                Absent::Missing(refusal) | Absent::Failed(refusal) => refusal,
                Absent::Unbuilt => Refusal::because(UNBUILT),
            };
            vec!["--no-wasm".into(), reason.into(), remedy.unwrap_or_default().into()]
        }
    }
}

/// The module, built if needed. Why it does not build is remembered: it is not one that merely was
/// not built yet.
fn ready(home: &Home, build: bool, say: &dyn Fn(&str)) -> Result<PathBuf, Absent> {
    let content = content(home);
    let compiler = match Compiler::find(home) {
        Ok(compiler) => compiler,
        Err(absent) => return shipped::file(SHIPPED, &content).ok_or(absent),
    };
    let sources = real(&home.root.join(FOLDER));
    let wanted = format!("{content} {}", compiler.identity());
    let product = PRODUCT.into();
    let artefact =
        Artefact { name: NAME, sources: &sources, product, wanted: wanted.clone(), shipped: None };
    let failure = Failure { path: home.cache.join("failed").join(PRODUCT), wanted: &wanted };
    let made = artefact.ready(home, build, &|target| {
        say(&format!("building {NAME}"));
        let mut command = compiler.command(target);
        command.args(FLAGS).args(INCLUDES.map(|folder| format!("-I{folder}")));
        command.args(EXPORTS.map(|name| format!("-Wl,--export={name}")));
        command.arg("-o").arg(target.join(PRODUCT)).args(SOURCES).current_dir(&sources);
        language::run(&mut command, NAME).map_err(without_target)
    });
    match made {
        Err(Absent::Unbuilt) => Err(failure.recalled().unwrap_or(Absent::Unbuilt)),
        Err(Absent::Missing(refusal) | Absent::Failed(refusal)) => {
            failure.remember(&refusal);
            Err(Absent::Missing(refusal))
        }
        made => made,
    }
}

/// Why the last build of these inputs failed.
struct Failure<'a> {
    path: PathBuf,
    wanted: &'a str,
}

impl Failure<'_> {
    /// If it cannot be remembered, the module counts as not built.
    fn remember(&self, refusal: &Refusal) {
        let Some(folder) = self.path.parent() else { return };
        let Ok(text) = serde_json::to_vec(&(self.wanted, refusal)) else { return };
        let _ = std::fs::create_dir_all(folder).and_then(|()| write_whole(&self.path, text));
    }

    fn recalled(&self) -> Option<Absent> {
        let text = std::fs::read(&self.path).ok()?;
        let (wanted, refusal) = serde_json::from_slice::<(String, Refusal)>(&text).ok()?;
        (wanted == self.wanted).then_some(Absent::Missing(refusal))
    }
}

/// A digest of its inputs, except the compiler.
pub(crate) fn content(home: &Home) -> String {
    let sources = real(&home.root.join(FOLDER));
    let digest = fingerprint(&[&sources.join("include"), &sources.join("src")], &["c", "h"], &[]);
    format!("{digest} {FLAGS:?} {EXPORTS:?} {SOURCES:?}")
}

/// A C compiler for WebAssembly.
enum Compiler {
    /// The one in Cupel's own Zig.
    Zig(PathBuf),
    /// The system's, with its linker.
    Clang(PathBuf, PathBuf),
}

impl Compiler {
    /// Zig if it was added, because then its version is known and wanted; otherwise clang on the
    /// path.
    fn find(home: &Home) -> Result<Compiler, Absent> {
        if let Some(program) = zig::installed(home) {
            return Ok(Compiler::Zig(program));
        }
        let clang = language::located("clang", REMEDY).map_err(for_wasm)?;
        let linker = language::located("wasm-ld", REMEDY).map_err(for_wasm)?;
        Ok(Compiler::Clang(clang, linker))
    }

    fn identity(&self) -> String {
        match self {
            Compiler::Zig(_) => format!("zig {}", zig::VERSION),
            Compiler::Clang(clang, linker) => {
                format!("{} {}", language::identity(clang), language::identity(linker))
            }
        }
    }

    /// A command that compiles and links. Zig keeps its compiled code in the folder of the build.
    fn command(&self, target: &Path) -> Command {
        match self {
            Compiler::Zig(program) => {
                let mut command = Command::new(program);
                command.args(["cc", "-target", "wasm32-freestanding"]);
                for cache in ["ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"] {
                    command.env(cache, target.join("zig"));
                }
                command
            }
            Compiler::Clang(clang, _) => {
                let mut command = Command::new(clang);
                command.arg("--target=wasm32");
                command
            }
        }
    }
}

/// The purpose of a missing program: a reader of `clang is not there` may have asked for
/// JavaScript.
fn for_wasm(absent: Absent) -> Absent {
    match absent {
        Absent::Missing(Refusal { reason, remedy }) => Absent::Missing(Refusal {
            reason: format!("no compiler for WebAssembly: {reason}"),
            remedy,
        }),
        other => other,
    }
}

/// Some builds of clang compile only for their own system.
fn without_target(absent: Absent) -> Absent {
    match absent {
        Absent::Failed(refusal) if refusal.reason.contains("unable to create target") => {
            for_wasm(language::missing("clang", "has no such target", REMEDY))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zig_that_was_added_comes_before_clang() {
        let cache = tempfile::tempdir().unwrap();
        let (root, store) = (PathBuf::from("/nonexistent"), PathBuf::from("/nonexistent"));
        let home = Home { root, own: vec![], cache: cache.path().into(), store };
        let of_zig = |home: &Home| matches!(Compiler::find(home), Ok(Compiler::Zig(_)));
        assert!(!of_zig(&home));
        std::fs::create_dir_all(zig::folder(&home)).unwrap();
        std::fs::write(zig::folder(&home).join("zig"), "").unwrap();
        assert!(of_zig(&home));
    }

    /// The message of a build is known after it, until something else is to be built.
    #[test]
    #[cfg(unix)]
    fn a_module_that_does_not_build_is_not_one_that_is_not_built() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (root, cache) = (folder.path().join("root"), folder.path().join("cache"));
        std::fs::create_dir_all(root.join(FOLDER)).unwrap();
        let home = Home { root: root.clone(), own: vec![], cache, store: root.join("store") };
        std::fs::create_dir_all(zig::folder(&home)).unwrap();
        let compiler = |script: &str| {
            let zig = zig::folder(&home).join("zig");
            std::fs::write(&zig, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&zig, PermissionsExt::from_mode(0o755)).unwrap();
        };
        let told = |build: bool| {
            let words = arguments(&home, build, &|_| ()).into_iter();
            words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>()
        };
        compiler("echo error: out of luck >&2; exit 1");
        assert_eq!(told(false)[..2], ["--no-wasm", UNBUILT]);
        let built = told(true);
        assert!(built[1].contains("does not build: error: out of luck"), "{built:?}");
        assert_eq!(told(false), built, "and now it is known");
        std::fs::create_dir(root.join(FOLDER).join("src")).unwrap();
        std::fs::write(root.join(FOLDER).join("src/new.c"), "").unwrap();
        assert_eq!(told(false)[..2], ["--no-wasm", UNBUILT], "it is made of something else");
        compiler("while [ \"$1\" != -o ]; do shift; done; : >\"$2\"");
        assert_eq!(told(true)[0], "--wasm");
        assert_eq!(told(false)[0], "--wasm");
    }

    /// Parts of the names of files that the module leaves out: code for another instruction set,
    /// for many messages, and for tests.
    const LEFT_OUT: [&str; 9] =
        ["_ref.", "many", "plan", "_ssse3", "_avx2", "_avx512", "_shani", "_arm", "_x86"];

    /// A file that the kernels gain or lose fails here, and not in a build.
    #[test]
    fn the_sources_are_those_of_the_portable_kernels() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(FOLDER);
        let mut portable = Vec::new();
        for folder in std::fs::read_dir(kernels.join("src")).unwrap() {
            for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                let name = path.strip_prefix(&kernels).unwrap().to_str().unwrap().to_string();
                if name.ends_with(".c") && !LEFT_OUT.iter().any(|part| name.contains(part)) {
                    portable.push(name);
                }
            }
        }
        portable.sort();
        let mut sources = SOURCES;
        sources.sort_unstable();
        assert_eq!(portable, sources);
        assert!(INCLUDES.iter().all(|folder| kernels.join(folder).is_dir()));
    }
}
