//! Files that executions keep in the folders of the builds, such as a history, a log or a cache.
//!
//! Both builds are executed equally often, so files that began alike stay alike. But a kept
//! checkout has files of earlier gates, and the working tree its user's. If a file grows with
//! the executions, which read it, and began larger in one folder, then the builds were not measured
//! in the same state. A report that is written again each time and a log that no execution reads are
//! ordinary.
//!
//! Whether executions read it does not distinguish state of constant size from a report: Criterion
//! reads its last report, and `cat` each one. But a report forgets: its times, dates and process
//! numbers scatter, or are about equal in both folders. State that remembers how it began counts the
//! executions. So Cupel looks for a whole number that goes up with each round in both folders,
//! or down, and whose two values are always further apart than a round moves them.
//!
//! The system notes when a file is read: at least the first time after a change (`relatime`). Cupel
//! reads each growing file itself. If the system does not note that, every file may be read.

use crate::places::{plain, words};
use crate::record::{Grown, State};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many files and folders of a build are looked at: those nearest to its top. More would take
/// longer than a short execution.
const MOST: usize = 50_000;

/// The rounds after which both builds were executed equally often, and more than once: some programs
/// write further files in their second execution.
const FIRST: usize = 2;

/// Sizes that differ by less than this factor began alike: executions may have failed.
const ALIKE: f64 = 1.25;

/// How many unequal files are recorded.
const NAMED: usize = 3;

/// How many bytes of a file are searched for a number.
const SEARCHED: u64 = 1024;

/// A number that goes up, or down, so often in both folders does not do so by chance.
const MOVES: usize = 8;

/// The watch over the folders of the base and of the new build.
pub struct Watch {
    folders: [PathBuf; 2],
    before: [Seen; 2],
    changing: Vec<Changing>,
    is_cut: bool,
}

/// The files and folders of a build, by their path from its top.
type Seen = BTreeMap<PathBuf, Entry>;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// A folder has none: its number of entries shows new files.
    modified: Option<SystemTime>,
    size: u64,
}

/// A file or folder that executions change, with its sizes in both folders.
struct Changing {
    path: PathBuf,
    is_folder: bool,
    began: [u64; 2],
    now: [u64; 2],
    has_shrunk: [bool; 2],
    /// When it was last read, by Cupel.
    accessed: [Option<SystemTime>; 2],
    /// Whether executions read it, or may do so.
    is_read: bool,
    /// The numbers that may count executions, by their place among its numbers.
    numbers: BTreeMap<usize, Number>,
}

/// A number in both folders.
#[derive(Clone, Copy)]
struct Number {
    began: [u64; 2],
    now: [u64; 2],
    goes_up: bool,
    moves: usize,
    /// By how much a round moved it at most.
    most: u64,
    /// How near the two were.
    nearest: u64,
    is_unequal: bool,
}

impl Watch {
    /// Nothing if both builds run in one folder: they share its state.
    pub fn over(folders: [PathBuf; 2]) -> Option<Watch> {
        if folders[0] == folders[1] {
            return None;
        }
        let before = [Seen::new(), Seen::new()];
        Some(Watch { folders, before, changing: Vec::new(), is_cut: false })
    }

    /// Looks at the folders after this many rounds, and returns the changes so far.
    pub fn look(&mut self, rounds: usize) -> Option<State> {
        match rounds {
            0 => self.before = self.seen(),
            FIRST => self.compare(),
            _ => self.changing.iter_mut().for_each(|one| one.follow(&self.folders)),
        }
        let first = self.changing.first()?;
        let unequal = self.changing.iter().filter_map(|one| one.unequal(rounds));
        Some(State {
            changing: self.changing.len(),
            such_as: named(&first.path),
            unequal: unequal.take(NAMED).collect(),
            is_cut: self.is_cut,
        })
    }

    fn seen(&self) -> [Seen; 2] {
        let [base, new] = &self.folders;
        [seen(base, new), seen(new, base)]
    }

    /// Finds the files that the first rounds changed.
    fn compare(&mut self) {
        let before = std::mem::take(&mut self.before);
        let now = self.seen();
        self.is_cut = now.iter().any(|seen| seen.len() >= MOST);
        let changed = before.iter().zip(&now).flat_map(|(before, now)| {
            now.iter().filter(move |(path, one)| before.get(*path) != Some(*one))
        });
        // Both folders may have it.
        let changed: BTreeMap<&PathBuf, bool> =
            changed.map(|(path, one)| (path, one.modified.is_none())).collect();
        let changing = changed.into_iter().map(|(path, is_folder)| {
            let mut one = Changing {
                path: path.clone(),
                is_folder,
                began: [0; 2],
                now: [0; 2],
                has_shrunk: [false; 2],
                accessed: [None; 2],
                is_read: false,
                numbers: BTreeMap::new(),
            };
            let numbers = one.measure(&self.folders);
            let numbers = numbers.into_iter().map(Number::beginning).enumerate().collect();
            Changing { began: one.now, is_read: false, numbers, ..one }
        });
        self.changing = changing.collect();
    }
}

impl Changing {
    fn follow(&mut self, folders: &[PathBuf; 2]) {
        let now = self.measure(folders);
        self.numbers.retain(|at, number| match now.get(*at) {
            Some(now) => number.follow(*now),
            None => number.is_unequal,
        });
    }

    /// Notes its sizes, and returns the numbers that it has in both folders.
    fn measure(&mut self, folders: &[PathBuf; 2]) -> Vec<[u64; 2]> {
        let mut numbers = [Vec::new(), Vec::new()];
        for (side, folder) in folders.iter().enumerate() {
            let path = folder.join(&self.path);
            let [modified, accessed] = times(&path);
            self.is_read |= accessed != self.accessed[side];
            let size;
            (size, numbers[side]) = read(&path);
            self.has_shrunk[side] |= size < self.now[side];
            self.now[side] = size;
            [_, self.accessed[side]] = times(&path);
            let is_due = modified > accessed;
            self.is_read |= is_due && self.accessed[side] == accessed;
        }
        let [base, new] = numbers;
        base.into_iter().zip(new).map(<[u64; 2]>::from).collect()
    }

    /// Whether it grows and is read, and was not of about one size when the rounds began.
    fn began_unequal(&self, rounds: usize) -> bool {
        let growth = |side: usize| {
            if self.has_shrunk[side] { 0 } else { self.now[side] - self.began[side] }
        };
        let most = growth(0).max(growth(1)) as f64;
        let [base, new] = self.began.map(|size| size as f64);
        let in_round = most / rounds.saturating_sub(FIRST).max(1) as f64;
        self.is_read && most > 0.0 && base.max(new) > ALIKE * base.min(new) + in_round
    }

    fn unequal(&self, rounds: usize) -> Option<Grown> {
        let number = self.numbers.values().find(|number| number.is_unequal);
        let grown = || self.began_unequal(rounds).then_some((self.began, self.now));
        let (began, now) = number.map(|number| (number.began, number.now)).or_else(grown)?;
        let (path, is_folder) = (named(&self.path), self.is_folder);
        Some(Grown { path, is_folder, is_number: number.is_some(), began, now })
    }
}

impl Number {
    fn beginning(now: [u64; 2]) -> Number {
        let nearest = now[0].abs_diff(now[1]);
        let (goes_up, moves, most, is_unequal) = (false, 0, 0, false);
        Number { began: now, now, goes_up, moves, most, nearest, is_unequal }
    }

    /// Whether it may count executions, after a further round. An index that begins again has done
    /// so.
    fn follow(&mut self, now: [u64; 2]) -> bool {
        let before = std::mem::replace(&mut self.now, now);
        if self.moves == 0 {
            self.goes_up = now[0] > before[0];
        }
        let goes_on = (0..2).all(|side| {
            self.most = self.most.max(now[side].abs_diff(before[side]));
            now[side] != before[side] && (now[side] > before[side]) == self.goes_up
        });
        self.moves += 1;
        self.nearest = self.nearest.min(now[0].abs_diff(now[1]));
        self.is_unequal |= goes_on && self.moves >= MOVES && self.nearest > self.most;
        goes_on || self.is_unequal
    }
}

fn named(path: &Path) -> String {
    if path.as_os_str().is_empty() { ".".to_string() } else { path.display().to_string() }
}

/// When a file or folder was changed and when it was read, if that is known.
fn times(path: &Path) -> [Option<SystemTime>; 2] {
    let Ok(about) = path.symlink_metadata() else { return [None; 2] };
    [about.modified().ok(), about.accessed().ok()]
}

/// The size of a file, or the number of entries of a folder, and the whole numbers of its beginning.
fn read(path: &Path) -> (u64, Vec<u64>) {
    let Ok(about) = path.symlink_metadata() else { return (0, Vec::new()) };
    if about.is_dir() {
        let entries = std::fs::read_dir(path).map_or(0, |entries| entries.flatten().count());
        return (entries as u64, Vec::new());
    }
    let mut bytes = Vec::new();
    // A pipe would wait for its writer.
    if about.is_file() {
        let _ = File::open(path).and_then(|file| file.take(SEARCHED).read_to_end(&mut bytes));
    }
    let text = String::from_utf8_lossy(&bytes);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    (about.len(), words.filter_map(|word| word.parse().ok()).collect())
}

/// The files and folders below a folder, without the other build's and Git's.
fn seen(top: &Path, other: &Path) -> Seen {
    let mut seen = Seen::new();
    let mut open = VecDeque::from([PathBuf::new()]);
    while let Some(folder) = open.pop_front().filter(|_| seen.len() < MOST) {
        let mut size = 0;
        for entry in std::fs::read_dir(top.join(&folder)).into_iter().flatten().flatten() {
            size += 1;
            let path = folder.join(entry.file_name());
            // This is about a link itself: its target may be above.
            let Ok(about) = entry.metadata() else { continue };
            if !about.is_dir() {
                seen.insert(path, Entry { modified: about.modified().ok(), size: about.len() });
            } else if entry.file_name() != ".git" && entry.path() != other {
                open.push_back(path);
            }
        }
        seen.insert(folder, Entry { modified: None, size });
    }
    seen
}

/// The folder in which a command runs its program: the one to which it changes first.
pub fn folder_of(command: &str, here: &Path) -> PathBuf {
    match &words(command)[..] {
        [change, folder, ..] if change == "cd" => plain(&here.join(folder)),
        _ => here.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{OpenOptions, create_dir_all, remove_file, write};
    use std::io::Write;

    fn append(file: &Path, text: &str) {
        let file = OpenOptions::new().create(true).append(true).open(file);
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// The state after 24 rounds of a program, in folders that `begin` has filled. It gets the
    /// folder, whether this is the new build's, and the number of the execution.
    fn state(begin: impl Fn(&Path, bool), program: impl Fn(&Path, bool, usize)) -> Option<State> {
        let top = tempfile::tempdir().unwrap();
        let folders = ["base", "base/new"].map(|name| top.path().join(name));
        for (is_new, folder) in [false, true].into_iter().zip(&folders) {
            create_dir_all(folder.join("src")).unwrap();
            begin(folder, is_new);
        }
        let mut watch = Watch::over(folders.clone()).expect("two folders");
        let mut executions = [0, 0];
        let mut execute = |is_new: bool| {
            let side = usize::from(is_new);
            executions[side] += 1;
            // The times of files have steps.
            std::thread::sleep(std::time::Duration::from_millis(5));
            program(&folders[side], is_new, executions[side]);
        };
        [false, true].into_iter().for_each(&mut execute);
        let mut state = watch.look(0);
        for round in 0..24 {
            crate::record::Side::of_round(round)
                .into_iter()
                .for_each(|side| execute(side.is_new()));
            state = watch.look(round + 1);
        }
        state
    }

    fn unequal(state: &Option<State>) -> Vec<&str> {
        state.iter().flat_map(|state| &state.unequal).map(|one| one.path.as_str()).collect()
    }

    #[test]
    fn a_history_that_began_longer_in_one_folder_is_found_and_one_that_began_alike_is_not() {
        let program = |folder: &Path, _: bool, _: usize| {
            append(&folder.join("src/history"), "ran\n");
            std::fs::read(folder.join("src/history")).unwrap();
        };
        let found = state(|_, _| {}, program);
        assert_eq!(unequal(&found), Vec::<&str>::new());
        assert_eq!(found.unwrap().such_as, "src/history");
        let longer = |folder: &Path, is_new: bool| {
            if is_new {
                write(folder.join("src/history"), "ran\n".repeat(36)).unwrap();
            }
        };
        let found = state(longer, program).expect("changes");
        let [Grown { path, is_folder, is_number: false, began, now }] = &found.unequal[..] else {
            panic!("{found:?}")
        };
        assert_eq!((path.as_str(), *is_folder), ("src/history", false));
        assert_eq!((*began, *now), ([16, 160], [148, 292]));
        assert!(!found.is_cut);
    }

    #[test]
    fn a_growing_number_of_files_is_found() {
        let program = |folder: &Path, _: bool, n: usize| {
            write(folder.join(format!("src/run-{n:03}")), "").unwrap();
            assert!(std::fs::read_dir(folder.join("src")).unwrap().count() > 0);
        };
        let longer = |folder: &Path, is_new: bool| {
            let earlier = if is_new { 0 } else { 40 };
            (0..earlier).for_each(|n| write(folder.join(format!("src/old-{n}")), "").unwrap());
        };
        assert_eq!(unequal(&state(longer, program)), ["src"]);
        assert_eq!(unequal(&state(|_, _| {}, program)), Vec::<&str>::new());
    }

    #[test]
    fn a_history_of_one_build_alone_is_found() {
        let program = |folder: &Path, is_new: bool, _: usize| {
            if is_new {
                append(&folder.join("history"), "ran\n");
                std::fs::read(folder.join("history")).unwrap();
            }
        };
        assert_eq!(unequal(&state(|_, _| {}, program)), ["history"]);
    }

    /// A program that changes the number of its file, after others have done so in one folder.
    fn counted(earlier: u64, step: impl Fn(u64) -> u64) -> Option<State> {
        let begin = |folder: &Path, is_new: bool| {
            if !is_new {
                write(folder.join("runs"), format!("state v2.5: {earlier:08}\n")).unwrap();
            }
        };
        state(begin, |folder, _, _| {
            let kept = std::fs::read_to_string(folder.join("runs")).unwrap_or_default();
            let number = kept.rsplit(' ').next().and_then(|number| number.trim().parse().ok());
            let number: u64 = step(number.unwrap_or(5000));
            write(folder.join("runs"), format!("state v2.5: {number:08}\n")).unwrap();
        })
    }

    #[test]
    fn a_number_that_counts_executions_and_began_otherwise_in_one_folder_is_found() {
        let found = counted(6000, |number| number + 7).expect("changes");
        let [Grown { path, is_number: true, began, now, .. }] = &found.unequal[..] else {
            panic!("{found:?}")
        };
        assert_eq!((path.as_str(), *began), ("runs", [6028, 5028]));
        assert_eq!(*now, [6000 + 37 * 7, 5000 + 37 * 7]);
        for (earlier, step) in [
            (6000, &(|number: u64| number - 1) as &dyn Fn(u64) -> u64),
            (15, &|number: u64| (number + 1) % 5020),
        ] {
            assert_eq!(unequal(&counted(earlier, step)), ["runs"], "{earlier}");
        }
    }

    #[test]
    fn numbers_that_began_alike_or_do_not_count_are_ordinary() {
        for earlier in [4998, 5000, 5002] {
            assert_eq!(unequal(&counted(earlier, |number| number + 1)), Vec::<&str>::new());
        }
        // A measured time, and a build's constant.
        assert_eq!(unequal(&counted(900_000, |n| n / 1000 * 1000 + n * 7919 % 997)), [""; 0]);
        assert_eq!(unequal(&counted(6000, |number| number)), [""; 0]);
        // The time and the number of the execution on this machine.
        let clock = std::cell::Cell::new(0);
        let found = state(
            |_, _| {},
            |folder, _, _| {
                clock.set(clock.get() + 40_000 + clock.get() * 31 % 9000);
                write(folder.join("report"), format!("{} {}", clock.get(), clock.get() / 30_000))
                    .unwrap();
            },
        );
        assert_eq!(unequal(&found), [""; 0]);
    }

    #[test]
    fn reports_caches_and_logs_are_ordinary() {
        let program = |folder: &Path, is_new: bool, n: usize| {
            // A report, of another length in each build and in each execution.
            let most = if is_new { 500 } else { 100 };
            let length = most - n * 7919 % 13;
            write(folder.join("report"), "r".repeat(length)).unwrap();
            // What the first two executions leave.
            if n < 3 {
                write(folder.join(format!("src/cache-{n}")), "c".repeat(length)).unwrap();
            }
            // A log of the last five executions.
            if n.is_multiple_of(5) {
                remove_file(folder.join("log")).unwrap();
            }
            append(&folder.join("log"), "line\n");
            std::fs::read(folder.join("log")).unwrap();
            // Logs that no execution reads.
            append(&folder.join("long"), "line\n");
            write(folder.join(format!("logs/{n:03}")), "").unwrap();
            write(folder.join("temporary"), "").unwrap();
            remove_file(folder.join("temporary")).unwrap();
        };
        let longer = |folder: &Path, is_new: bool| {
            create_dir_all(folder.join("logs")).unwrap();
            if !is_new {
                ["log", "long", "logs/000"].iter().for_each(|name| {
                    write(folder.join(name), "line\n".repeat(100)).unwrap();
                });
                (500..540).for_each(|n| write(folder.join(format!("logs/{n}")), "").unwrap());
                (0..40).for_each(|n| write(folder.join(format!("src/old-{n}")), "").unwrap());
            }
        };
        let found = state(longer, program);
        assert_eq!(unequal(&found), Vec::<&str>::new(), "{found:?}");
        assert!(found.is_some_and(|state| state.changing >= 2));
    }

    #[test]
    fn a_program_that_writes_nothing_has_no_state() {
        assert_eq!(state(|_, _| {}, |_, _, _| {}), None);
    }

    #[test]
    fn the_folder_of_a_command_is_the_one_to_which_it_changes() {
        let here = Path::new("/a/b");
        for (command, folder) in [
            ("./bench", "/a/b"),
            ("cd c && ./bench", "/a/b/c"),
            ("cd '../c'; ./bench", "/a/c"),
            ("cd /d && ./bench", "/d"),
        ] {
            assert_eq!(folder_of(command, here), Path::new(folder), "{command}");
        }
        assert!(Watch::over([here.into(), here.into()]).is_none());
    }
}
