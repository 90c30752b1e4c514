//! The cost of threads, in words and as tables.

use crate::report::document::{Cell, Document, Fit, Table, left, right};
use cupel_analyse::{Analysis, Ratio, Scaling, Verdict};
use cupel_base::chart;
use cupel_findings::subject::{distinction, named, subject_with};
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;

/// How many contenders a sentence names: the best and the worst ones.
const NAMED: usize = 4;

/// On fewer threads than this, a contender that shares something may still seem to scale.
const MANY: u32 = 16;

/// The scalings of one work and size, in the order of the threads, and for each number of threads
/// those first that keep most.
fn by_work(analysis: &Analysis) -> Vec<Vec<&Scaling>> {
    let mut all: Vec<Vec<&Scaling>> = Vec::new();
    for one in &analysis.scaling {
        let work = one.workload.on_one_thread();
        match all.iter_mut().find(|group| group[0].workload.on_one_thread() == work) {
            Some(group) => group.push(one),
            None => all.push(vec![one]),
        }
    }
    for group in &mut all {
        group.sort_by(|a, b| {
            let threads = |one: &Scaling| one.workload.contract.threads;
            let keeps = b.efficiency.estimate.total_cmp(&a.efficiency.estimate);
            threads(a).cmp(&threads(b)).then(keeps)
        });
    }
    all
}

/// A table for each work and size, and its limits.
pub fn tables(document: &mut Document, recorded: &Recorded, analysis: &Analysis) {
    for (number, group) in by_work(analysis).iter().enumerate() {
        if number == 0 {
            document.heading(2, "threads");
        }
        let work = &group[0].workload;
        let columns = [
            left(format!("{}, {}", work.primitive, chart::size(work))),
            right("threads"),
            right("keeps"),
            left("interval"),
            right("of best"),
            left("interval"),
            left("verdict"),
        ];
        let mut table = Table::new(Fit::Names, columns);
        for one in group {
            let (share, interval) = shares(&one.efficiency);
            let (of_best, its_interval) = match &one.of_best {
                Some(ratio) => shares(ratio),
                None => ("-".to_string(), "-".to_string()),
            };
            table.row([
                Cell::from(&one.contender),
                one.workload.contract.threads.into(),
                share.into(),
                interval.into(),
                of_best.into(),
                its_interval.into(),
                words(one).into(),
            ]);
        }
        document.table(table);
    }
    for line in legend(recorded, analysis) {
        document.note(line);
    }
}

/// One sentence for each work and size: the share of speed that the contenders keep on the most
/// threads.
pub fn lines(analysis: &Analysis) -> Vec<String> {
    let works: Vec<Workload> =
        analysis.comparisons.iter().map(|answer| answer.workload.on_one_thread()).collect();
    by_work(analysis).iter().map(|group| line(group, &works)).collect()
}

fn line(group: &[&Scaling], works: &[Workload]) -> String {
    let work = &group[0].workload.on_one_thread();
    let most = group.iter().map(|one| one.workload.contract.threads).max().unwrap_or(1);
    let all: Vec<&&Scaling> =
        group.iter().filter(|one| one.workload.contract.threads == most).collect();
    let distinction = distinction(work, &[work.size], works);
    let subject = subject_with(work, &distinction, &chart::size(work));
    if all.iter().any(|one| !one.trusted) {
        return format!(
            "{subject}: what {most} threads keep is open: the control of a table is off, or there is none"
        );
    }
    let best = all[0];
    // Then the machine may take something from all, and only shares of the best one's show a
    // contender's own loss.
    let of_best = best.verdict == Verdict::Slower;
    let mut keepers = vec![format!("{} of its speed per processor", keeps(best, false))];
    match &all[1..] {
        [second, .., before, last] if all.len() > NAMED => {
            keepers.push(keeps(second, of_best));
            keepers.push(others(all.len() - NAMED));
            keepers.push(keeps(before, of_best));
            keepers.push(keeps(last, of_best));
        }
        few => keepers.extend(few.iter().map(|one| keeps(one, of_best))),
    }
    format!("{subject}: on {most} threads {}", keepers.join("; "))
}

fn others(count: usize) -> String {
    match count {
        1 => "one other between them".to_string(),
        n => format!("{n} others between them"),
    }
}

/// The share that one contender keeps: `c/openssl-oneshot keeps 58.2 % [55.0 .. 61.1]`.
fn keeps(one: &Scaling, of_best: bool) -> String {
    let name = named(&one.contender, &one.version);
    let (share, interval) = shares(&one.efficiency);
    match one.of_best.as_ref().filter(|_| of_best) {
        Some(ratio) => {
            let (part, its_interval) = shares(ratio);
            format!(
                "{name} keeps {share} [{interval}], which is {part} [{its_interval}] of the first's"
            )
        }
        None => format!("{name} keeps {share} [{interval}]"),
    }
}

/// A share and its interval, in percent.
fn shares(of: &Ratio) -> (String, String) {
    let interval = if of.high.is_finite() && of.low > 0.0 {
        format!("{:.1} .. {:.1}", 100.0 * of.low, 100.0 * of.high)
    } else {
        "too few rounds".to_string()
    };
    (format!("{:.1} %", 100.0 * of.estimate), interval)
}

/// The verdict in words.
pub fn words(one: &Scaling) -> &'static str {
    match one.verdict {
        Verdict::Slower => "loses",
        Verdict::Faster => "gains",
        _ if !one.trusted => "untrusted",
        _ => "no loss shown",
    }
}

/// The meaning of the figures, and the limits of this machine.
pub fn legend(recorded: &Recorded, analysis: &Analysis) -> Vec<String> {
    let threads = analysis.scaling.iter().map(|one| one.workload.contract.threads);
    let Some(most) = threads.clone().max() else { return vec![] };
    let mut lines = vec![
        "keeps: work per processor and second, as a share of that of the same contender on one \
         thread. The time ends with the last thread."
            .to_string(),
        "of best: that share, divided by the share of the contender that keeps most on as many \
         threads. What the machine itself takes from all (clock, memory) cancels out."
            .to_string(),
    ];
    if most < MANY {
        lines.push(format!(
            "on {most} threads only the onset shows: what several threads share costs more with each \
             further one"
        ));
    }
    let cores = recorded.machine.cores.known().copied();
    let simulated = recorded.plan.simulated().unwrap_or(false);
    if let Some(cores) = cores.filter(|&cores| !simulated && (cores as u32) < most) {
        let of = if cores == 1 { "core" } else { "cores" };
        let first = threads.filter(|&n| n as usize > cores).min().unwrap_or(most);
        lines.push(format!(
            "from {first} threads on, two of them share a core: {} processors are threads of {cores} \
             {of}, and less is kept whatever the contender does",
            recorded.machine.cpus
        ));
    }
    lines
}
