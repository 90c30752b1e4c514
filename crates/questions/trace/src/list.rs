//! Reads the list of files that the traced processes loaded and started, which `tracer/process.c` and
//! `tracer/start.c` write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The files that the processes loaded and started.
#[derive(Debug, Default)]
pub struct List {
    /// Files with code.
    pub loaded: BTreeSet<PathBuf>,
    /// Programs that were started.
    pub started: BTreeSet<PathBuf>,
    /// Those of which a process never said that it runs: the tracer was not in it.
    pub untraced: BTreeSet<PathBuf>,
    /// Files in namespaces of `dlmopen`, where the tracer is not.
    pub in_namespaces: BTreeSet<PathBuf>,
    /// Programs with a JVM that did not load the agent.
    pub without_agent: BTreeSet<PathBuf>,
}

/// A process, as far as the list has been read.
#[derive(Debug, Default)]
struct Process {
    /// The program that was started in it and has not said that it runs.
    awaited: Option<PathBuf>,
    /// How often it said so before its parent listed it.
    early: u32,
    /// The program that it runs.
    runs: PathBuf,
}

impl List {
    /// The list of this text. `with_agent`: processes that loaded the agent for JVMs.
    pub fn of(text: &str, with_agent: &BTreeSet<u32>) -> List {
        let mut list = List::default();
        let mut processes: BTreeMap<u32, Process> = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(kind), Some(id), Some(path)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Ok(id) = id.parse() else { continue };
            list.read(kind, id, PathBuf::from(path), processes.entry(id).or_default(), with_agent);
        }
        let awaited = processes.into_values().filter_map(|process| process.awaited);
        list.untraced.extend(awaited);
        list.started.extend(list.untraced.iter().cloned());
        list
    }

    fn read(
        &mut self,
        kind: &str,
        id: u32,
        path: PathBuf,
        process: &mut Process,
        with_agent: &BTreeSet<u32>,
    ) {
        match kind {
            "L" => {
                let is_jvm = path.file_name().is_some_and(|name| name == "libjvm.so");
                if is_jvm && !with_agent.contains(&id) {
                    self.without_agent.insert(process.runs.clone());
                }
                self.loaded.insert(path);
            }
            "S" => {
                process.runs.clone_from(&path);
                self.loaded.insert(path);
                match process.awaited.take() {
                    Some(program) => _ = self.started.insert(program),
                    None => process.early += 1,
                }
            }
            // A program that was made by its parent may have said already that it runs.
            "C" if process.early > 0 => {
                process.early -= 1;
                self.started.insert(path);
            }
            // A number is used again: the earlier process never said anything.
            "X" | "C" => self.untraced.extend(process.awaited.replace(path)),
            "F" => process.awaited = None,
            "N" => _ = self.in_namespaces.insert(path),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn untraced(text: &str) -> Vec<String> {
        let list = List::of(text, &BTreeSet::new());
        list.untraced.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_program_that_never_says_that_it_runs_was_not_traced() {
        assert_eq!(untraced("X 7 /sh\nS 7 /sh\nX 8 /a\nX 7 /b\nS 7 /b\n"), ["/a"]);
        // The child may be faster than its parent, and a number is used again.
        assert!(untraced("S 9 /b\nC 9 /b\nC 8 /c\nS 8 /c\n").is_empty());
        assert_eq!(untraced("C 9 /a\nX 9 /b\nS 9 /b\n"), ["/a"]);
        // A shell tries the folders of PATH.
        assert!(untraced("X 7 /no/a\nF 7 /no/a\nX 7 /bin/a\nS 7 /bin/a\n").is_empty());
    }

    #[test]
    fn a_jvm_without_the_agent_is_known_by_its_process() {
        let text = "S 7 /bin/java\nL 7 /lib/libjvm.so\nS 8 /x/java\nL 8 /lib/libjvm.so\n";
        let list = List::of(text, &BTreeSet::from([7]));
        assert_eq!(list.without_agent, BTreeSet::from([PathBuf::from("/x/java")]));
    }
}
