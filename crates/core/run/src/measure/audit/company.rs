//! Looks at other programs on the machine, between the rounds of a run: never while a slice is
//! timed.

use cupel_machine::{Company, Look, Mapped};
use cupel_runner::Host;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Observes the machine over the forks of a run.
pub struct Watcher {
    last: Option<Look>,
    /// By file whose code is measured: its state when it was first seen.
    files: BTreeMap<PathBuf, Mapped>,
}

impl Watcher {
    /// A watcher that has seen nothing yet.
    pub fn new() -> Watcher {
        Watcher { last: None, files: BTreeMap::new() }
    }

    /// Looks at the machine, and at the files that these processes run. Adds its observations to
    /// the `company`.
    pub fn look<'h>(
        &mut self,
        hosts: impl Iterator<Item = &'h mut Box<dyn Host>>,
        company: &mut Company,
    ) {
        let Some(now) = Look::now() else { return };
        if let Some(before) = self.last.replace(now) {
            let now = self.last.as_ref().expect("it was just put there");
            company.add(&before, now, std::process::id());
        }
        let files: Vec<Mapped> = hosts.flat_map(|host| host.mapped()).collect();
        files.into_iter().for_each(|file| self.compare(file, company));
    }

    /// Compares a file with its earlier state.
    fn compare(&mut self, file: Mapped, company: &mut Company) {
        let name = file.path.to_string_lossy().into_owned();
        if file.altered && !company.altered.contains_key(&name) {
            company.altered.insert(name.clone(), cupel_machine::probers(&file.path));
        }
        let first = self.files.entry(file.path.clone()).or_insert_with(|| file.clone());
        if first.identity != file.identity {
            company.replaced.insert(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn file(inode: u64, seconds: u64, altered: bool) -> Mapped {
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        Mapped { path: "/lib/libx.so".into(), identity: (inode, Some(changed)), altered }
    }

    #[test]
    fn a_file_that_is_replaced_or_altered_is_named_and_another_is_not() {
        let seen = |files: &[Mapped]| {
            let (mut watcher, mut company) = (Watcher::new(), Company::default());
            files.iter().for_each(|file| watcher.compare(file.clone(), &mut company));
            (company.replaced.len(), company.altered.len())
        };
        assert_eq!(seen(&[file(7, 1, false), file(7, 1, false)]), (0, 0));
        assert_eq!(seen(&[file(7, 1, false), file(8, 1, false)]), (1, 0), "an update renames");
        assert_eq!(seen(&[file(7, 1, false), file(7, 2, false)]), (1, 0), "written in place");
        assert_eq!(seen(&[file(7, 1, true), file(7, 1, true)]), (0, 1));
    }
}
