//! The contender that led on another machine, if it is not here. A reader takes "the fastest" for
//! the whole field, and a missing contender may be faster. Its figure comes from another machine,
//! so it is never a part of a ratio of this one.

use crate::{Answer, Row};
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_contender::{Contender, State};
use cupel_machine::Machine;
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The table that `scripts/evidence/leaders.py` drew from the runs in `record/`.
static LEADERS: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("leaders.toml")).expect("leaders.toml"));

/// A size that was measured stands for others up to this factor away.
const NEAR: f64 = 2.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The extensions of the instruction set that tell classes of processors apart.
    classes_differ_in: Vec<String>,
    leader: Vec<Leader>,
}

impl Table {
    /// The leaders on processors of the same class as this one. A leader with fewer extensions may be
    /// slower than others with more. If leaders are known on this vendor's processors, only these
    /// count: other vendors have other speeds.
    fn of_class(&self, processor: Processor<'_>) -> impl Iterator<Item = &Leader> {
        let class = self.classes_differ_in.iter().filter(|name| processor.flags.contains(name));
        let class: BTreeSet<&String> = class.collect();
        let in_class = self.leader.iter();
        let in_class =
            in_class.filter(move |one| one.flags.iter().collect::<BTreeSet<_>>() == class);
        let in_class: Vec<&Leader> = in_class.collect();
        let own = |one: &&Leader| vendor(&one.machine) == vendor(processor.cpu);
        let has_own = in_class.iter().any(own);
        in_class.into_iter().filter(move |one| !has_own || own(one))
    }
}

/// The processor of a machine.
#[derive(Clone, Copy)]
pub struct Processor<'a> {
    /// Its model, as it names itself.
    pub cpu: &'a str,
    /// Its extensions of the instruction set.
    pub flags: &'a [String],
}

impl Processor<'_> {
    /// The processor of a machine, if its extensions are known.
    pub fn of(machine: &Machine) -> Option<Processor<'_>> {
        let cpu = machine.cpu.known().map_or("", String::as_str);
        machine.flags.known().map(|flags| Processor { cpu, flags })
    }
}

/// The name of a processor up to the first sign that is no letter: `Intel`, `AMD`.
fn vendor(cpu: &str) -> &str {
    cpu.split(|sign: char| !sign.is_alphabetic()).next().unwrap_or(cpu)
}

/// A contender that was the fastest in a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Leader {
    contender: ContenderName,
    primitive: String,
    operation: String,
    contract: String,
    shape: String,
    /// Message length in bytes.
    size: u64,
    /// How many times as long the next one of another library took.
    times: f64,
    /// The next one of another library; of a release, the same code in an older one.
    next: ContenderName,
    /// The version of that older release.
    older: Option<String>,
    /// The extensions among these that the machine has, as Linux names them.
    flags: Vec<String>,
    machine: String,
    /// The day of the run.
    day: String,
}

impl Leader {
    /// Whether a contender led.
    fn is(&self, contender: &ContenderName) -> bool {
        self.older.is_none() && self.contender.as_str() == contender.contender()
    }

    /// Whether a newer release led a contender in this version. Only versions of one series have the
    /// code that was measured.
    fn succeeds(&self, contender: &ContenderName, version: &str) -> bool {
        let Some(older) = &self.older else { return false };
        let [here, older] = [version, older].map(numbers);
        let newer = numbers(self.contender.release().unwrap_or_default());
        // Where a newer one has the first two numbers, too, the others count.
        let most = if series(&newer) == series(&older) { usize::MAX } else { SERIES };
        let is_one = here.iter().take(most).eq(older.iter().take(most));
        self.next.as_str() == contender.contender() && is_one
    }

    /// Whether a contender is this release, or a newer one of the same code.
    fn is_reached_by(&self, contender: &ContenderName) -> bool {
        let [here, led] = [contender, &self.contender].map(ContenderName::release);
        here.is_some_and(|here| numbers(here) >= numbers(led.unwrap_or_default()))
            && contender.code() == self.contender.code()
    }
}

/// How many numbers of a version name its series. Releases that differ in others correct mistakes.
const SERIES: usize = 2;

fn series(numbers: &[u64]) -> &[u64] {
    &numbers[..numbers.len().min(SERIES)]
}

/// The numbers of a version: those of `3.0.19-1` are 3, 0 and 19.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split('.').map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().unwrap_or(0)
    });
    parts.collect()
}

/// A contender that led on another machine with such a processor, and is not installed here or
/// failed before it could be asked; or a newer release of one that is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotHere {
    /// The contender.
    pub contender: ContenderName,
    /// How many times as long as it the next one took there.
    pub times: f64,
    /// The next one.
    pub next: ContenderName,
    /// At which message length, in bytes.
    pub size: u64,
    /// On which machine.
    pub machine: String,
    /// The day of that run.
    pub day: String,
    /// The command that installs it, if one is known.
    pub remedy: Option<String>,
    /// Why it failed, if it is not missing: installing it again would not help.
    pub failed: Option<String>,
    /// The version of `next` here, if the contender is a newer release of it.
    pub older: Option<String>,
}

impl NotHere {
    /// `None` if nothing that you could do would add it. A library that is here says its version
    /// even where this CPU cannot run it, and a contender that was asked has its own row.
    fn of(contender: &Contender, leader: &Leader) -> Option<NotHere> {
        let (remedy, failed) = match &contender.state {
            State::Missing(refusal) if contender.version.is_empty() => {
                (refusal.remedy.clone(), None)
            }
            State::Failed(refusal) => (None, Some(refusal.reason.clone())),
            State::Missing(_) | State::Ready { .. } | State::Unbuilt => return None,
        };
        Some(NotHere { remedy, failed, ..NotHere::as_measured(leader) })
    }

    /// A newer release of a contender that is here, which `cupel install` made where it was
    /// measured.
    fn of_release(leader: &Leader, here: &Contender) -> NotHere {
        let library = here.library.to_ascii_lowercase();
        let release = leader.contender.release().unwrap_or_default();
        let remedy = Some(format!("cupel install {library} {release}"));
        NotHere { remedy, older: Some(here.version.clone()), ..NotHere::as_measured(leader) }
    }

    fn as_measured(leader: &Leader) -> NotHere {
        NotHere {
            contender: leader.contender.clone(),
            times: leader.times,
            next: leader.next.clone(),
            size: leader.size,
            machine: leader.machine.clone(),
            day: leader.day.clone(),
            remedy: None,
            failed: None,
            older: None,
        }
    }

    /// One line for the reader.
    pub fn line(&self) -> String {
        let NotHere { contender, times, next, size, machine, day, .. } = self;
        let measured = format!("at {} on {machine}, {day}", text::bytes(*size));
        let why = self.failed.as_ref().or(self.remedy.as_ref());
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        if let Some(older) = &self.older {
            let (release, took) = (contender.release().unwrap_or_default(), 1.0 / times);
            return text::plain(&format!(
                "an old release: {next} is {older}; {release} took {took:.2} of its time \
                 {measured}{why}"
            ));
        }
        let is = if self.failed.is_some() { "failed here" } else { "not here" };
        let times = text::digits(*times);
        text::plain(&format!("{is}: {contender}, {times} times as fast as {next} {measured}{why}"))
    }
}

/// The leader that is missing in a comparison, if one is known for a processor such as this one,
/// and the newer release that would be furthest ahead of a contender in it.
pub fn missing(recorded: &Recorded, answer: &Answer) -> Vec<NotHere> {
    let Some(processor) = Processor::of(&recorded.machine) else { return vec![] };
    let leaders = answer.rows.iter().filter_map(|row| {
        let known = LEADERS.of_class(processor).filter(|one| one.is(&row.contender));
        let leader = nearest(known, &row.contender, &answer.workload)?;
        let not_here = NotHere::of(recorded.plan.contender_of(row.cell), leader)?;
        Some(NotHere { contender: row.contender.clone(), ..not_here })
    });
    let timed: Vec<&Row> = answer.rows.iter().filter(|row| row.ns.is_some()).collect();
    let releases = timed.iter().filter_map(|row| {
        let known = LEADERS.of_class(processor).filter(|one| {
            one.succeeds(&row.contender, &row.version)
                && !timed.iter().any(|row| one.is_reached_by(&row.contender))
        });
        let leader = nearest(known, &row.contender, &answer.workload)?;
        Some(NotHere::of_release(leader, recorded.plan.contender_of(row.cell)))
    });
    [greatest(leaders), greatest(releases)].into_iter().flatten().collect()
}

/// The one with the greatest lead.
pub fn greatest(all: impl Iterator<Item = NotHere>) -> Option<NotHere> {
    all.max_by(|a, b| a.times.total_cmp(&b.times))
}

/// The leaders and releases that are missing on a machine with this processor, by primitive and
/// operation: of each kind the one with the greatest lead.
pub fn missing_here(contenders: &[Contender], processor: Processor<'_>) -> Vec<(String, NotHere)> {
    missing_of(&LEADERS, contenders, processor)
}

fn missing_of(
    table: &Table,
    contenders: &[Contender],
    processor: Processor<'_>,
) -> Vec<(String, NotHere)> {
    let mut all: BTreeMap<(String, bool), NotHere> = BTreeMap::new();
    for leader in table.of_class(processor) {
        let known = |name: &ContenderName| contenders.iter().find(|one| one.name == *name);
        let not_here = match &leader.older {
            None => known(&leader.contender).and_then(|one| NotHere::of(one, leader)),
            Some(_) if contenders.iter().any(|one| leader.is_reached_by(&one.name)) => None,
            Some(_) => known(&leader.next)
                .filter(|one| one.is_ready() && leader.succeeds(&one.name, &one.version))
                .map(|one| NotHere::of_release(leader, one)),
        };
        let Some(not_here) = not_here else { continue };
        let led = (format!("{} {}", leader.primitive, leader.operation), leader.older.is_some());
        if all.get(&led).is_none_or(|other| other.times < leader.times) {
            all.insert(led, not_here);
        }
    }
    all.into_iter().map(|((led, _), not_here)| (led, not_here)).collect()
}

/// The known figure at the size nearest to the one of a contender's workload.
fn nearest<'a>(
    known: impl Iterator<Item = &'a Leader>,
    contender: &ContenderName,
    work: &Workload,
) -> Option<&'a Leader> {
    let primitive = contender.primitive().unwrap_or(&work.primitive);
    let fits = known.filter(|one| {
        one.primitive == primitive
            && one.operation == work.operation.name()
            && one.contract == work.contract.to_string()
            && one.shape == work.shape.name()
            && away(one.size, work.size) <= NEAR
    });
    fits.min_by(|a, b| away(a.size, work.size).total_cmp(&away(b.size, work.size)))
}

/// By which factor two sizes differ.
fn away(one: u64, other: u64) -> f64 {
    let (one, other) = (one.max(1) as f64, other.max(1) as f64);
    (one / other).max(other / one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::message::Refusal;
    use cupel_protocol::workload::{Contract, Operation, Shape};

    #[test]
    fn every_leader_leads_by_what_a_reader_would_notice() {
        for one in &LEADERS.leader {
            assert!(one.times >= 1.05, "{one:?}");
            assert!(one.contender != one.next, "{one:?}");
        }
    }

    /// A table with these rows: contender, size, times, the next one, and an older version.
    fn table(rows: &[(&str, u64, f64, &str, &str)]) -> Table {
        let mut text = "classes_differ_in = [\"aes\", \"vaes\", \"avx512f\"]\n".to_string();
        for (contender, size, times, next, older) in rows {
            text += &format!(
                "[[leader]]\ncontender = \"{contender}\"\nprimitive = \"aes-256-gcm\"\n\
                 operation = \"seal\"\ncontract = \"{}\"\nshape = \"throughput\"\nsize = {size}\n\
                 times = {times}\nnext = \"{next}\"\nflags = [\"aes\", \"vaes\"]\n\
                 machine = \"AMD EPYC\"\nday = \"2026-11-28\"\n{older}\n",
                Contract::default()
            );
        }
        toml::from_str(&text).unwrap()
    }

    fn flags(flags: &[&str]) -> Vec<String> {
        flags.iter().map(ToString::to_string).collect()
    }

    fn amd(flags: &[String]) -> Processor<'_> {
        Processor { cpu: "AMD EPYC", flags }
    }

    #[test]
    fn a_leader_on_another_vendors_processor_counts_only_without_one_on_its_own() {
        let row = ("c/ipsec-mb", 64, 1.5, "rust/ring", "");
        let mut table = table(&[row, ("rust/ring", 64, 1.2, "c/nettle", "")]);
        let led_on = |table: &Table, cpu: &str| {
            let flags = flags(&["aes", "vaes"]);
            let leaders = table.of_class(Processor { cpu, flags: &flags });
            leaders.map(|one| one.contender.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(led_on(&table, "Intel(R) Xeon(R) Processor"), ["c/ipsec-mb", "rust/ring"]);
        table.leader[1].machine = "Intel(R) Xeon(R) Processor (family 6, model 207)".to_string();
        assert_eq!(led_on(&table, "Intel(R) Xeon(R) Platinum 8581C"), ["rust/ring"]);
        assert_eq!(led_on(&table, "AMD EPYC 7B13"), ["c/ipsec-mb"]);
    }

    #[test]
    fn a_leader_is_known_near_its_size_for_a_processor_that_has_all_that_it_uses() {
        let rows = [(64, 1.55), (1024, 1.62)].map(|(s, t)| ("c/ipsec-mb", s, t, "rust/ring", ""));
        let table = table(&rows);
        let known = |contender: &str, size: u64, of: &[&str]| {
            let work = Workload {
                primitive: "aes-256-gcm".into(),
                operation: Operation::Seal,
                size,
                contract: Contract::default(),
                shape: Shape::Throughput,
            };
            let (name, flags) = (ContenderName::from(contender), flags(of));
            let found =
                nearest(table.of_class(amd(&flags)).filter(|one| one.is(&name)), &name, &work);
            found.map(|one| one.times)
        };
        assert_eq!(known("c/ipsec-mb", 100, &["aes", "vaes", "avx2"]), Some(1.55));
        assert_eq!(known("c/ipsec-mb", 2048, &["aes", "vaes"]), Some(1.62));
        assert_eq!(known("c/ipsec-mb", 256, &["aes", "vaes"]), None, "no size is near");
        assert_eq!(known("c/ipsec-mb", 64, &["aes"]), None, "a processor with less");
        assert_eq!(known("c/ipsec-mb", 64, &["aes", "vaes", "avx512f"]), None, "with more");
        assert_eq!(known("c/ipsec", 64, &["aes", "vaes"]), None, "another contender");
    }

    /// A contender in a state, with the version of its library.
    fn contender(name: &str, version: &str, state: State) -> Contender {
        let [version, library] = [version, "OpenSSL"].map(str::to_string);
        Contender { version, library, ..Contender::new(name.into(), state) }
    }

    fn ready() -> State {
        State::Ready { command: vec![], simulated: false, jit: false, resolution_ns: 1 }
    }

    #[test]
    fn a_leader_is_missing_only_if_its_library_is() {
        let table = table(&[("c/ipsec-mb", 64, 1.5, "rust/ring", "")]);
        let remedy = Some("apt-get install libipsec-mb-dev".to_string());
        let refusal = Refusal { reason: "why".to_string(), remedy };
        let said = |version: &str, state: State| {
            let all = [contender("c/ipsec-mb", version, state)];
            let lines = missing_of(&table, &all, amd(&flags(&["aes", "vaes"])));
            lines.into_iter().map(|(led, one)| format!("{led}: {}", one.line())).collect::<String>()
        };
        let figures = "c/ipsec-mb, 1.50 times as fast as rust/ring at 64 B on AMD EPYC, 2026-11-28";
        assert_eq!(
            said("", State::Missing(refusal.clone())),
            format!("aes-256-gcm seal: not here: {figures} (apt-get install libipsec-mb-dev)")
        );
        assert_eq!(
            said("", State::Failed(refusal.clone())),
            format!("aes-256-gcm seal: failed here: {figures} (why)")
        );
        assert_eq!(said("1.3.0", State::Missing(refusal)), "", "the CPU lacks something");
        assert_eq!(said("1.3.0", ready()), "", "it is here");
        assert_eq!(said("", State::Unbuilt), "", "it may be here");
    }

    #[test]
    fn an_old_release_is_named_until_the_newer_one_is_here() {
        let said = |newer: &str, here: &[(&str, &str)]| {
            let all: Vec<Contender> =
                here.iter().map(|(name, version)| contender(name, version, ready())).collect();
            let older = "older = \"3.0.8\"";
            let table = table(&[(newer, 1024, 2.33, "c/openssl-reused", older)]);
            let lines = missing_of(&table, &all, amd(&flags(&["aes", "vaes"])));
            lines.into_iter().map(|(_, one)| one.line()).collect::<String>()
        };
        let newer = "c/openssl-reused@3.5.0";
        assert_eq!(
            said(newer, &[("c/openssl-reused", "3.0.19")]),
            "an old release: c/openssl-reused is 3.0.19; 3.5.0 took 0.43 of its time at 1 KiB on \
             AMD EPYC, 2026-11-28 (cupel install openssl 3.5.0)"
        );
        assert_eq!(said(newer, &[("c/openssl-reused", "3.0.19"), (newer, "3.5.0")]), "");
        let [newest, between] = ["c/openssl-reused@3.6.1", "c/openssl-reused@3.2.0"];
        assert_eq!(said(newer, &[("c/openssl-reused", "3.0.19"), (newest, "3.6.1")]), "");
        assert_ne!(said(newer, &[("c/openssl-reused", "3.0.19"), (between, "3.2.0")]), "");
        assert_eq!(said(newer, &[("c/openssl-reused", "3.5.1")]), "", "another series");
        assert_eq!(said(newer, &[("c/openssl-fetch", "3.0.19")]), "", "another contender");
        let of_series = "c/openssl-reused@3.0.22";
        assert_ne!(said(of_series, &[("c/openssl-reused", "3.0.8")]), "", "the one measured");
        assert_eq!(said(of_series, &[("c/openssl-reused", "3.0.19")]), "", "one between them");
        assert_eq!(said(of_series, &[("c/openssl-reused", "3.0.22")]), "", "the newer one");
    }

    #[test]
    fn sizes_are_apart_by_a_factor() {
        assert_eq!((away(64, 32), away(32, 64), away(0, 1)), (2.0, 2.0, 1.0));
    }
}
