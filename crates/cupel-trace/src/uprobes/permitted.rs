//! Whether uprobes can be used here, and what to do if not.

use anyhow::{Result, bail};
use cupel_host::toolchain::cc::located;
use std::path::Path;

/// What the system has of what uprobes need.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    is_x86_64: bool,
    has_uprobes: bool,
    is_root: bool,
    has_bpftrace: bool,
    /// Whether processes have their usual numbers, by which the kernel knows them.
    is_outside: bool,
}

impl Means {
    /// Those of this machine and this process.
    pub fn here() -> Means {
        let own = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Means {
            is_x86_64: cfg!(all(target_os = "linux", target_arch = "x86_64")),
            has_uprobes: Path::new("/sys/bus/event_source/devices/uprobe/type").exists(),
            // SAFETY: it has no arguments and cannot fail.
            is_root: unsafe { libc::geteuid() } == 0,
            has_bpftrace: located(Path::new("bpftrace")).is_some(),
            // The number of the first namespace is fixed in the kernel.
            is_outside: own.as_os_str() == "pid:[4026531836]",
        }
    }

    /// What is missing, in one line with the remedy. `again` is the command as root.
    ///
    /// # Errors
    /// If something is.
    pub fn check(self, again: &str) -> Result<()> {
        if !self.is_x86_64 {
            bail!(
                "uprobes are supported on Linux on x86-64 only; elsewhere trace by `cupel trace COMMAND`"
            );
        }
        if !self.has_uprobes {
            bail!(
                "this kernel has no uprobes (there is no /sys/bus/event_source/devices/uprobe): it needs \
                 CONFIG_UPROBE_EVENTS, and a container needs its host's /sys"
            );
        }
        if !self.is_root {
            bail!("uprobes need root: {again}");
        }
        if !self.has_bpftrace {
            bail!("uprobes need bpftrace, which is not installed: apt-get install bpftrace");
        }
        if !self.is_outside {
            bail!(
                "the processes of a container have other numbers in the kernel: trace outside the \
                 container, by the number that the process has there"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_is_missing_is_said_with_its_remedy() {
        let all = Means {
            is_x86_64: true,
            has_uprobes: true,
            is_root: true,
            has_bpftrace: true,
            is_outside: true,
        };
        let why = |means: Means| means.check("sudo cupel trace --pid 7").unwrap_err().to_string();
        assert!(all.check("").is_ok());
        assert!(why(Means { is_x86_64: false, ..all }).contains("x86-64 only"));
        assert!(why(Means { has_uprobes: false, ..all }).contains("CONFIG_UPROBE_EVENTS"));
        assert_eq!(
            why(Means { is_root: false, ..all }),
            "uprobes need root: sudo cupel trace --pid 7"
        );
        assert!(why(Means { has_bpftrace: false, ..all }).contains("apt-get install bpftrace"));
        assert!(why(Means { is_outside: false, ..all }).contains("outside the container"));
    }
}
