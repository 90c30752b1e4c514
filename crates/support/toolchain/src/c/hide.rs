//! Features of the CPU: which of them this machine has, and an object that hides some of them from
//! a runner, so that its libraries take the code that they have for a lesser CPU.

use super::cc;
use crate::absent::Absent;
use crate::builds::artefact::Artefact;
use crate::builds::cargo;
use cupel_base::disk::file_next_to;
use cupel_base::home::Home;
use cupel_machine::Machine;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const FLAGS: [&str; 8] = [
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-Wl,-z,initfirst",
];

/// The features that a contender's process can be made to lack here.
#[derive(Clone, Debug)]
pub struct Features {
    /// The CPU's, as `/proc/cpuinfo` names them; `None` if this system does not list them.
    flags: Option<BTreeSet<String>>,
    /// The object that hides some of them, or why there is none.
    object: Result<PathBuf, Absent>,
}

impl Features {
    /// Looks at the CPU. The object is made ready if `hides` is set, and built if `build` is set
    /// and it is not up to date.
    pub fn look(home: &Home, hides: bool, build: bool, say: &dyn Fn(&str)) -> Features {
        let machine = Machine::look();
        let flags = machine.flags.known().map(|flags| BTreeSet::from_iter(flags.iter().cloned()));
        let faults = flags.as_ref().is_some_and(|flags| flags.contains("cpuid_fault"));
        let object = if !faults || !cfg!(target_arch = "x86_64") {
            Err(Absent::Missing(Refusal::because(
                "features can be hidden only on Linux with an x86-64 CPU that lets CPUID fault \
                 (cpuid_fault in /proc/cpuinfo)",
            )))
        } else if hides {
            object(home, build, say)
        } else {
            Err(Absent::Unbuilt)
        };
        Features { flags, object }
    }

    /// Nothing, if the CPU has all of these.
    ///
    /// # Errors
    /// The one that is missing: without it, code that needs it and code that does not are the same.
    pub fn has(&self, features: &[String]) -> Result<(), Absent> {
        let Some(flags) = &self.flags else { return Ok(()) };
        match features.iter().find(|feature| !flags.contains(*feature)) {
            None => Ok(()),
            Some(feature) => Err(Absent::Missing(Refusal::because(format!(
                "this CPU has no {feature}, so this path would run the same code as its default"
            )))),
        }
    }

    /// The variables, as `NAME=value`, with which a process lacks these; none if there are none.
    ///
    /// # Errors
    /// If the CPU lacks one anyway, or nothing can be hidden here.
    pub fn without(&self, features: &[String]) -> Result<Vec<String>, Absent> {
        if features.is_empty() {
            return Ok(vec![]);
        }
        self.has(features)?;
        let object = self.object.clone()?;
        let others = std::env::var("LD_PRELOAD").unwrap_or_default();
        let separator = if others.is_empty() { "" } else { ":" };
        let preload = format!("LD_PRELOAD={}{separator}{others}", object.display());
        Ok(vec![format!("CUPEL_HIDE={}", features.join(",")), preload])
    }
}

/// The object, built if it is not up to date.
fn object(home: &Home, build: bool, say: &dyn Fn(&str)) -> Result<PathBuf, Absent> {
    let folder = home.root.join("runners/hide");
    let source = folder.join("hide.c");
    let compiler = cc::compiler();
    let text = std::fs::read(&source).map_err(|e| Absent::cannot("read", &source, e))?;
    let mut digest = Sha256::new();
    digest.update(text);
    digest.update(FLAGS.join(" "));
    digest.update(cc::identity(&compiler));
    let artefact = Artefact {
        name: "the object that hides features of the CPU",
        sources: &folder,
        product: "hide.so".into(),
        wanted: hex::encode(digest.finalize()),
        shipped: None,
    };
    let object = artefact.ready(home, build, &|target| {
        if cc::located(&compiler).is_none() {
            return Err(Absent::Missing(cc::missing()));
        }
        say("compiling what hides features of the CPU");
        // A process that runs keeps the old file.
        let product = target.join("hide.so");
        let fresh = file_next_to(&product).map_err(|e| Absent::cannot("store", &product, e))?;
        let mut command = Command::new(&compiler);
        command.args(FLAGS).arg("-o").arg(&fresh).arg(&source).stdin(Stdio::null());
        let output = command.output().map_err(|_| Absent::Missing(cc::missing()))?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr);
            let error = cargo::first_error(&log);
            return Err(Absent::failed(format!("hide.c cannot be compiled: {error}")));
        }
        fresh.persist(&product).map_err(|e| Absent::cannot("store", &product, e.error))
    })?;
    loadable(object)
}

/// The loader separates names by spaces and colons.
fn loadable(object: PathBuf) -> Result<PathBuf, Absent> {
    if object.to_string_lossy().contains([' ', ':', ';', '\n']) {
        return Err(Absent::Failed(Refusal {
            reason: format!("the loader cannot take the name {}", object.display()),
            remedy: Some("set CUPEL_HOME to a folder without spaces and colons in its name".into()),
        }));
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn home(cache: &Path) -> Home {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        Home { root, own: vec![], cache: cache.to_path_buf(), store: cache.join("store") }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn reason<T: std::fmt::Debug>(absent: Result<T, Absent>) -> String {
        let Err(Absent::Missing(refusal)) = absent else { panic!("not missing: {absent:?}") };
        refusal.reason
    }

    #[test]
    fn what_the_cpu_lacks_is_missing_and_nothing_is_hidden() {
        let flags = ["avx2", "cpuid_fault"].map(String::from).into_iter().collect();
        let features = Features { flags: Some(flags), object: Ok("/hide.so".into()) };
        assert_eq!(features.has(&names(&["avx2"])), Ok(()));
        let without = features.without(&names(&["avx2"])).unwrap();
        assert_eq!(without[0], "CUPEL_HIDE=avx2");
        assert!(without[1].starts_with("LD_PRELOAD=/hide.so"), "{without:?}");
        assert_eq!(features.without(&[]), Ok(vec![]));
        let lacks = "this CPU has no sha_ni, so this path would run the same code as its default";
        assert_eq!(reason(features.has(&names(&["avx2", "sha_ni"]))), lacks);
        assert_eq!(reason(features.without(&names(&["sha_ni"]))), lacks);
        let elsewhere = Features { flags: None, ..features };
        assert_eq!(elsewhere.has(&names(&["sha_ni"])), Ok(()), "who knows");
    }

    /// Prints, as numbers, the values that show features: of leaf 1 ECX, of leaf 7 EBX, ECX and
    /// EDX, of its subleaf 1 EAX.
    const PRINTS: &str = r#"
#include <cpuid.h>
#include <stdio.h>
int main(void) {
  unsigned a, b, c, d;
  __cpuid(1, a, b, c, d);
  printf("%u ", c);
  __cpuid_count(7, 0, a, b, c, d);
  printf("%u %u %u ", b, c, d);
  __cpuid_count(7, 1, a, b, c, d);
  printf("%u\n", a);
  return 0;
}
"#;

    #[test]
    fn a_process_lacks_what_is_hidden_and_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let features = Features::look(&home(folder.path()), true, true, &|_| ());
        if let Err(absent) = &features.object {
            let why = reason::<()>(Err(absent.clone()));
            let can = features.flags.is_some_and(|flags| flags.contains("cpuid_fault"));
            assert!(why.contains("cpuid_fault") && !can, "{why}");
            return;
        }
        let (source, program) = (folder.path().join("x.c"), folder.path().join("x"));
        std::fs::write(&source, PRINTS).unwrap();
        let mut command = Command::new(cc::compiler());
        assert!(command.arg("-o").arg(&program).arg(&source).status().unwrap().success());
        let shown = |variables: &[String]| -> Vec<u32> {
            let output = Command::new("env").args(variables).arg(&program).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8(output.stdout).unwrap();
            text.split_whitespace().map(|number| number.parse().unwrap()).collect()
        };
        let all = shown(&[]);
        // Bits of VAES, VPCLMULQDQ and AVX-512, which need AVX2, and SHA's: Intel's manual, CPUID.
        let avx512_b = [16, 17, 21, 28, 30, 31];
        let (avx512_c, avx512_d) = ([1, 6, 11, 12, 14], [8, 23]);
        let bits = |bits: &[u32]| bits.iter().fold(0_u32, |all, bit| all | 1 << bit);
        let less = |number: usize, hidden: u32| all[number] & !hidden;
        assert_eq!(
            shown(&features.without(&names(&["sha_ni"])).unwrap()),
            [all[0], less(1, bits(&[29])), all[2], all[3], all[4]]
        );
        let avx2 = [
            all[0],
            less(1, bits(&avx512_b) | bits(&[5])),
            less(2, bits(&avx512_c) | bits(&[9, 10])),
            less(3, bits(&avx512_d)),
            less(4, bits(&[0, 4, 5, 23])),
        ];
        assert_eq!(shown(&features.without(&names(&["avx2"])).unwrap()), avx2);
        let aes = [less(0, bits(&[25, 1])), all[1], less(2, bits(&[9, 10])), all[3], all[4]];
        assert_eq!(shown(&features.without(&names(&["aes", "pclmulqdq"])).unwrap()), aes);
        // A process that cannot do it must not run as if it could.
        let mut wrong = features.without(&names(&["avx2"])).unwrap();
        wrong[0] = "CUPEL_HIDE=avx2,avx3".into();
        let output = Command::new("env").args(wrong).arg(&program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{said}");
        assert!(said.contains("none is known as avx3"), "{said}");
    }

    #[test]
    fn every_feature_that_a_contender_hides_is_known() {
        let home = home(Path::new("/nowhere"));
        let source = std::fs::read_to_string(home.root.join("runners/hide/hide.c")).unwrap();
        let mut count = 0;
        for family in cupel_contender::families(&home).unwrap() {
            for contender in &family.contenders {
                for feature in &contender.hides {
                    let known = source.contains(&format!("    {{\"{feature}\", "));
                    assert!(known, "{}: {feature}", contender.name);
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{count}");
    }
}
