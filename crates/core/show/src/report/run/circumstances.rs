//! The findings about the machine while a run measured, and about the contenders that its budget
//! left out, in sentences.

use cupel_base::text::{self, plain};
use cupel_findings::{Finding, Said};

/// This many programs are named.
const NAMED: usize = 3;

/// Which contenders the budget left out: how fast they are is not known.
pub fn left_out(findings: &[Finding]) -> Option<String> {
    let (all, budget_s) = findings.iter().find_map(|finding| match &finding.said {
        Said::LeftOut { contenders, budget_s } => Some((contenders, budget_s)),
        _ => None,
    })?;
    let names: Vec<String> = all.iter().take(NAMED).map(|name| plain(name)).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "LEFT OUT: {}{more}, because a budget of {budget_s} s is too short for them. With a \
         longer --budget, they take part.",
        names.join(", ")
    ))
}

/// One sentence for each circumstance that may have changed figures.
pub fn lines(findings: &[Finding]) -> Vec<String> {
    let all = [
        find(findings, over),
        not_audited(findings),
        probed(findings),
        replaced(findings),
        find(findings, throttled),
        find(findings, heap_limit),
        find(findings, programs),
    ];
    all.into_iter().flatten().collect()
}

/// The words of the first finding that has some.
pub fn find(findings: &[Finding], words: fn(&Said) -> Option<String>) -> Option<String> {
    findings.iter().find_map(|finding| words(&finding.said))
}

/// How many forks the time until the answer was enough for, if not for all.
fn over(said: &Said) -> Option<String> {
    let Said::Forks { forks, of, finished: true, within_s: Some(within) } = said else {
        return None;
    };
    let when = match forks {
        0 => format!("in the first of {of} forks"),
        _ => format!("after {forks} of {of} forks"),
    };
    (forks < of).then(|| {
        format!(
            "TIME: a limit of {within} s ended the run {when}. What more forks would decide is \
             open."
        )
    })
}

/// The cells whose times nothing was compared with, because the machine was too busy.
fn not_audited(findings: &[Finding]) -> Option<String> {
    let names = findings.iter().filter_map(|finding| match (&finding.said, &finding.work) {
        (Said::NotAudited { contender }, Some(work)) => {
            Some(format!("{} at {}", plain(&contender.name), text::bytes(work.size)))
        }
        _ => None,
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| {
        format!(
            "NOT AUDITED: the machine was too busy to compare the times of {} with the tool's own \
             clock. Nothing speaks against them; run again when less else runs.",
            names.join(", ")
        )
    })
}

fn probed(findings: &[Finding]) -> Option<String> {
    let files = findings.iter().filter_map(|finding| match &finding.said {
        Said::Probed { file, by: None } => Some(plain(file)),
        Said::Probed { file, by: Some(by) } => {
            Some(format!("{} (perhaps by {})", plain(file), plain(by)))
        }
        _ => None,
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

fn replaced(findings: &[Finding]) -> Option<String> {
    let files = findings.iter().filter_map(|finding| match &finding.said {
        Said::Replaced { file } => Some(plain(file)),
        _ => None,
    });
    let files: Vec<String> = files.collect();
    (!files.is_empty()).then(|| {
        format!(
            "REPLACED: these files changed while the run went on, so its forks ran different code: \
             {}; run again.",
            files.join(", ")
        )
    })
}

fn throttled(said: &Said) -> Option<String> {
    let Said::Throttled { seconds, of_s } = said else { return None };
    Some(format!(
        "During this run, the quota of its control group took the processors away for {seconds:.1} \
         of {of_s:.1} s; slices that it interrupted do not count."
    ))
}

fn heap_limit(said: &Said) -> Option<String> {
    let Said::HeapLimit { mib } = said else { return None };
    Some(format!(
        "The heap of each JVM was limited to {mib} MiB, so that all of them had memory at once."
    ))
}

fn programs(said: &Said) -> Option<String> {
    let Said::OtherPrograms { programs, unseen } = said else { return None };
    let named = programs.iter().take(NAMED);
    let mut parts: Vec<String> =
        named.map(|one| format!("{} {:.2}", plain(&one.name), one.share)).collect();
    let more: f64 = programs.iter().skip(NAMED).map(|one| one.share).sum();
    if more > 0.0 {
        parts.push(format!("{} more {more:.2}", programs.len() - NAMED));
    }
    parts.extend(unseen.map(|share| format!("programs that were not seen {share:.2}")));
    Some(format!("Other programs used processors during this run: {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_findings::Program;

    fn finding(said: Said) -> Finding {
        Finding { comparison: None, work: None, said }
    }

    #[test]
    fn what_else_ran_is_named_with_its_share() {
        let program = |name: &str, share| Program { name: name.to_string(), share };
        let programs = vec![
            program("cc1plus", 0.8),
            program("as", 0.2),
            program("b", 0.1),
            program("c", 0.06),
        ];
        let said = Said::OtherPrograms { programs, unseen: Some(0.3) };
        assert_eq!(
            lines(&[finding(said)]),
            ["Other programs used processors during this run: cc1plus 0.80, as 0.20, b 0.10, 1 \
                 more 0.06, programs that were not seen 0.30."]
        );
    }

    #[test]
    fn probes_replaced_files_and_quotas_are_named() {
        let probed = |file: &str, by: Option<&str>| {
            finding(Said::Probed { file: file.to_string(), by: by.map(str::to_string) })
        };
        let found = lines(&[
            probed("/lib/libcrypto.so.3", Some("bpftrace")),
            probed("/lib/libc.so", None),
            finding(Said::Replaced { file: "/lib/libz.so".to_string() }),
            finding(Said::Throttled { seconds: 3.2, of_s: 10.0 }),
        ]);
        assert!(
            found[0].contains("/lib/libcrypto.so.3 (perhaps by bpftrace), /lib/libc.so. A probe")
        );
        assert!(found[1].contains("/lib/libz.so; run again"));
        assert!(found[2].contains("for 3.2 of 10.0 s"));
    }

    #[test]
    fn only_a_run_that_its_time_ended_says_so() {
        let of = |forks, finished, within_s| {
            lines(&[finding(Said::Forks { forks, of: 24, finished, within_s })])
        };
        assert!(
            of(5, true, Some(60.0))[0]
                .starts_with("TIME: a limit of 60 s ended the run after 5 of 24 forks")
        );
        assert!(of(24, true, Some(60.0)).is_empty(), "it has all");
        assert!(of(5, false, Some(60.0)).is_empty(), "it can go on");
        assert!(of(5, true, None).is_empty(), "its answer was clear");
    }
}
