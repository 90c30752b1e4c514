//! A run's findings about the machine while it measured, and the contenders that its budget left
//! out, in sentences.

use cupel_base::machine::Company;
use cupel_base::text::{self, plain};
use cupel_store::Recorded;

/// This many programs are named.
const NAMED: usize = 3;

/// Which contenders the budget left out: how fast they are is not known.
pub fn left_out(recorded: &Recorded) -> Option<String> {
    let all = &recorded.circumstances.left_out;
    let names: Vec<String> = all.iter().take(NAMED).map(|name| plain(name)).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!all.is_empty()).then(|| {
        format!(
            "LEFT OUT: {}{more}, because a budget of {} s is too short for them. Without --budget, \
             they take part.",
            names.join(", "),
            recorded.plan.options.given_budget().as_secs_f64()
        )
    })
}

/// One sentence for each circumstance that may have changed figures.
pub fn lines(recorded: &Recorded) -> Vec<String> {
    let company = &recorded.circumstances.company;
    let heap = recorded.circumstances.heap_mib.map(|mib| {
        format!(
            "The heap of each JVM was limited to {mib} MiB, so that all of them had memory at once."
        )
    });
    let all = [
        over(recorded),
        not_audited(recorded),
        altered(company),
        replaced(company),
        throttled(company),
        heap,
    ];
    all.into_iter().flatten().chain(programs(company)).collect()
}

/// How many forks the time until the answer was enough for, if not for all.
fn over(recorded: &Recorded) -> Option<String> {
    let options = &recorded.plan.options;
    let within = options.within?;
    let done = recorded.forks.iter().filter(|fork| fork.finished).count();
    let planned = options.forks as usize;
    (recorded.run.finished.is_some() && done < planned).then(|| {
        format!(
            "TIME: {} s were over after {done} of {planned} forks. What more forks would decide is \
             open.",
            within.as_secs_f64()
        )
    })
}

/// The cells whose times nothing was compared with, because the machine was too busy.
fn not_audited(recorded: &Recorded) -> Option<String> {
    let plan = &recorded.plan;
    let shown =
        |&&cell: &&usize| !plan.cells[cell].control && !recorded.failures.contains_key(&cell);
    let cells = recorded.circumstances.not_audited.keys().filter(shown);
    let names: Vec<String> = cells
        .map(|&cell| {
            let work = plan.workload_of(cell);
            format!("{} at {}", plain(&plan.name_of(cell)), text::bytes(work.size))
        })
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "NOT AUDITED: the machine was too busy to compare the times of {} with the tool's own \
             clock. Nothing speaks against them; run again when less else runs.",
            names.join(", ")
        )
    })
}

fn altered(company: &Company) -> Option<String> {
    let files = company.altered.iter().map(|(file, by)| match by.as_str() {
        "" => plain(file),
        by => format!("{} (perhaps by {})", plain(file), plain(by)),
    });
    let files: Vec<String> = files.collect();
    (!files.is_empty()).then(|| {
        format!(
            "PROBED: while this run measured, code in memory was not that of its file: {}. A probe \
             (uprobe, eBPF) or a debugger makes every call that passes it slower; remove it and run \
             again.",
            files.join(", ")
        )
    })
}

fn replaced(company: &Company) -> Option<String> {
    let files: Vec<String> = company.replaced.iter().map(|file| plain(file)).collect();
    (!files.is_empty()).then(|| {
        format!(
            "REPLACED: these files changed while the run went on, so its forks ran different code: \
             {}; run again.",
            files.join(", ")
        )
    })
}

fn throttled(company: &Company) -> Option<String> {
    let Company { throttled, seconds, .. } = company;
    (*throttled > 0.01 * seconds).then(|| {
        format!(
            "During this run, the quota of its control group took the processors away for {throttled:.1} \
             of {seconds:.1} s; slices that it interrupted do not count."
        )
    })
}

fn programs(company: &Company) -> Option<String> {
    let heavy = company.heavy();
    let named = heavy.iter().take(NAMED);
    let mut parts: Vec<String> =
        named.map(|(name, share)| format!("{} {share:.2}", plain(name))).collect();
    let more: f64 = heavy.iter().skip(NAMED).map(|(_, share)| share).sum();
    if more > 0.0 {
        parts.push(format!("{} more {more:.2}", heavy.len() - NAMED));
    }
    parts.extend(
        company.heavy_unseen().map(|share| format!("programs that were not seen {share:.2}")),
    );
    (!parts.is_empty())
        .then(|| format!("Other programs used processors during this run: {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn what_else_ran_is_named_with_its_share() {
        let of = |name: &str, time: f64| (name.to_string(), time);
        let all = [of("cc1plus", 8.0), of("as", 2.0), of("b", 1.0), of("c", 0.6), of("d", 0.1)];
        let programs = BTreeMap::from(all);
        let company = Company { seconds: 10.0, programs, unseen: 3.0, ..Company::default() };
        assert_eq!(
            super::programs(&company).unwrap(),
            "Other programs used processors during this run: cc1plus 0.80, as 0.20, b 0.10, 1 more \
             0.06, programs that were not seen 0.30."
        );
        assert_eq!(super::programs(&Company { seconds: 10.0, ..Company::default() }), None);
    }

    #[test]
    fn probes_replaced_files_and_quotas_are_named() {
        let company = Company {
            seconds: 10.0,
            throttled: 3.2,
            altered: BTreeMap::from([("/lib/libcrypto.so.3".into(), "bpftrace".into())]),
            replaced: BTreeSet::from(["/lib/libz.so".into()]),
            ..Company::default()
        };
        assert!(altered(&company).unwrap().contains("/lib/libcrypto.so.3 (perhaps by bpftrace)"));
        assert!(replaced(&company).unwrap().contains("/lib/libz.so; run again"));
        assert!(throttled(&company).unwrap().contains("for 3.2 of 10.0 s"));
        let quiet = Company { seconds: 10.0, throttled: 0.05, ..Company::default() };
        assert_eq!((altered(&quiet), replaced(&quiet), throttled(&quiet)), (None, None, None));
    }
}
