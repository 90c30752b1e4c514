//! The cost of threads, in words and as tables.

use crate::report::document::{Cell, Document, Fit, Table, left, right};
use cupel_analyse::Verdict;
use cupel_base::chart;
use cupel_findings::subject::{distinction, named, subject_with};
use cupel_findings::{Finding, Keeps, Said, Share};
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;

/// How many contenders a sentence names: the best and the worst ones.
const NAMED: usize = 4;

/// On fewer threads than this, a contender that shares something may still seem to scale.
const MANY: u32 = 16;

/// A contender on several threads.
struct One<'a> {
    work: &'a Workload,
    keeps: &'a Keeps,
}

/// The contenders of one work and size, in the order of the threads, and for each number of threads
/// those first that keep most.
fn by_work<'a>(recorded: &'a Recorded, findings: &'a [Finding]) -> Vec<Vec<One<'a>>> {
    let mut all: Vec<Vec<One<'a>>> = Vec::new();
    for finding in findings {
        let (Said::Keeps(keeps), Some(number)) = (&finding.said, finding.comparison) else {
            continue;
        };
        let work = &recorded.plan.comparisons[number].workload;
        let alone = work.on_one_thread();
        match all.iter_mut().find(|group| group[0].work.on_one_thread() == alone) {
            Some(group) => group.push(One { work, keeps }),
            None => all.push(vec![One { work, keeps }]),
        }
    }
    for group in &mut all {
        group.sort_by(|a, b| {
            let keeps = b.keeps.share.share.total_cmp(&a.keeps.share.share);
            a.keeps.threads.cmp(&b.keeps.threads).then(keeps)
        });
    }
    all
}

/// A table for each work and size, and its limits.
pub fn tables(document: &mut Document, recorded: &Recorded, findings: &[Finding]) {
    for (number, group) in by_work(recorded, findings).iter().enumerate() {
        if number == 0 {
            document.heading(2, "threads");
        }
        let work = group[0].work;
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
        for One { keeps, .. } in group {
            let (share, interval) = shares(&keeps.share);
            let (of_best, its_interval) = match &keeps.of_best {
                Some(of_best) => shares(&of_best.share),
                None => ("-".to_string(), "-".to_string()),
            };
            table.row([
                Cell::from(&keeps.contender.name),
                keeps.threads.into(),
                share.into(),
                interval.into(),
                of_best.into(),
                its_interval.into(),
                words(keeps.verdict, keeps.trusted).into(),
            ]);
        }
        document.table(table);
    }
    for line in legend(findings) {
        document.note(line);
    }
}

/// One sentence for each work and size: the share of speed that the contenders keep on the most
/// threads.
pub fn lines(recorded: &Recorded, findings: &[Finding]) -> Vec<String> {
    let compared = recorded.plan.comparisons.iter().filter(|comparison| !comparison.overhead);
    let works: Vec<Workload> =
        compared.map(|comparison| comparison.workload.on_one_thread()).collect();
    by_work(recorded, findings).iter().map(|group| line(group, &works)).collect()
}

fn line(group: &[One<'_>], works: &[Workload]) -> String {
    let work = &group[0].work.on_one_thread();
    let most = group.iter().map(|one| one.keeps.threads).max().unwrap_or(1);
    let on_most = group.iter().map(|one| one.keeps).filter(|keeps| keeps.threads == most);
    let all: Vec<&Keeps> = on_most.collect();
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
fn keeps(one: &Keeps, of_best: bool) -> String {
    let name = named(&one.contender.name, &one.contender.version);
    let (share, interval) = shares(&one.share);
    match one.of_best.as_ref().filter(|_| of_best) {
        Some(of_best) => {
            let (part, its_interval) = shares(&of_best.share);
            format!(
                "{name} keeps {share} [{interval}], which is {part} [{its_interval}] of the first's"
            )
        }
        None => format!("{name} keeps {share} [{interval}]"),
    }
}

/// A share and its interval, in percent.
fn shares(of: &Share) -> (String, String) {
    let interval = if of.high.is_finite() && of.low > 0.0 {
        format!("{:.1} .. {:.1}", 100.0 * of.low, 100.0 * of.high)
    } else {
        "too few rounds".to_string()
    };
    (format!("{:.1} %", 100.0 * of.share), interval)
}

/// The verdict in words.
pub fn words(verdict: Verdict, trusted: bool) -> &'static str {
    match verdict {
        Verdict::Slower => "loses",
        Verdict::Faster => "gains",
        _ if !trusted => "untrusted",
        _ => "no loss shown",
    }
}

/// The meaning of the figures, and the limits of this machine.
pub fn legend(findings: &[Finding]) -> Vec<String> {
    let threads = findings.iter().filter_map(|finding| match &finding.said {
        Said::Keeps(keeps) => Some(keeps.threads),
        _ => None,
    });
    let Some(most) = threads.max() else { return vec![] };
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
    lines.extend(findings.iter().find_map(|finding| shared_cores(&finding.said)));
    lines
}

fn shared_cores(said: &Said) -> Option<String> {
    let Said::SharedCores { threads, processors, cores } = said else { return None };
    let of = if *cores == 1 { "core" } else { "cores" };
    Some(format!(
        "from {threads} threads on, two of them share a core: {processors} processors are threads of \
         {cores} {of}, and less is kept whatever the contender does"
    ))
}
