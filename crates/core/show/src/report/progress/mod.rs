//! Progress on standard error: two live lines on a terminal, elsewhere a line now and then.

mod live;

use cupel_base::chart;
use cupel_base::text;
use cupel_findings::subject::subject;
use cupel_plan::watch::{Estimate, Watch};
use cupel_plan::{FailureKind, Plan};
use cupel_protocol::workload::Workload;
use live::Live;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often the live line is drawn: often enough to look alive, rarely enough not to disturb.
const EVERY: Duration = Duration::from_millis(250);

/// How often a line is printed elsewhere: one for each of many short forks would fill a log.
const EVERY_LINE: Duration = Duration::from_secs(10);

/// Progress of one run.
pub struct Progress {
    live: Option<Live>,
    quiet: bool,
    fork: (u32, u32),
    /// The first fork of this invocation, and when it began.
    first: Option<(u32, Instant)>,
    /// The mean time of a fork in s, once one has ended.
    mean: Option<f64>,
    /// How long the rest takes, as last printed, in s.
    left: Option<f64>,
    drawn: Instant,
    /// Whether an estimate was printed.
    has_estimate: bool,
    /// The contenders that were already reported as not measured, and in which way.
    reported: BTreeSet<(String, FailureKind)>,
}

impl Progress {
    /// Progress for this terminal, or none if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let is_live = !quiet && std::io::stderr().is_terminal();
        let live = is_live.then(Live::default);
        let (drawn, reported) = (Instant::now(), BTreeSet::new());
        Progress {
            live,
            quiet,
            fork: (0, 1),
            first: None,
            mean: None,
            left: None,
            drawn,
            has_estimate: false,
            reported,
        }
    }

    /// Whether it is drawn in place.
    pub fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Reports that a phase begins.
    pub fn say(&self, what: &str) {
        match &self.live {
            Some(line) => line.say(what),
            None if !self.quiet => text::tell(&format!("cupel: {what}")),
            None => {}
        }
    }

    /// Prints a line that stays on the terminal.
    pub fn note(&self, line: &str) {
        match &self.live {
            Some(live) => live.note(&format!("cupel: {line}")),
            None => self.say(line),
        }
    }

    /// Reports that a contender is not measured, even if no progress is wanted, unless it was
    /// reported.
    pub fn must_know(&mut self, contender: &str, kind: FailureKind, reason: &str) {
        let quiet = std::mem::replace(&mut self.quiet, false);
        self.failed(contender, kind, reason);
        self.quiet = quiet;
    }

    /// Clears the terminal for the table.
    pub fn clear(&self) {
        if let Some(line) = &self.live {
            line.clear();
        }
    }

    /// Whether something is to be printed again. The first estimate is printed at once.
    fn due(&mut self, is_estimate: bool) -> bool {
        let every = if self.live.is_some() { EVERY } else { EVERY_LINE };
        let first = is_estimate && !std::mem::replace(&mut self.has_estimate, is_estimate);
        let due = first || self.drawn.elapsed() >= every;
        if due {
            self.drawn = Instant::now();
        }
        due
    }

    /// How long the rest takes, in words. `left` is the rest of this fork. The estimate does not
    /// grow without a word.
    fn rest(&mut self, plan: &Plan, left: Duration) -> String {
        /// An estimate that is larger by less than this is still the one before.
        const MORE: f64 = 1.1;
        // The remaining forks also start and warm up, so their whole time is estimated.
        let (fork, of) = self.fork;
        let began = self.first.map_or(0.0, |(_, began)| began.elapsed().as_secs_f64());
        let whole = self.mean.unwrap_or(began + left.as_secs_f64());
        let forks = left.as_secs_f64() + whole * f64::from(of - fork - 1);
        let seconds = match plan.options.limit {
            Some(limit) => (limit.as_secs_f64() - began).clamp(0.0, forks),
            None => forks,
        };
        let before = self.left.unwrap_or(seconds);
        if seconds > MORE * before + 1.0 {
            self.left = Some(seconds);
            return format!("{seconds:.0} s left: more than before, because forks take longer");
        }
        let seconds = seconds.min(before);
        self.left = Some(seconds);
        format!("{seconds:.0} s left")
    }

    fn advance(&self, of_fork: f64) {
        if let Some(line) = &self.live {
            line.advance((f64::from(self.fork.0) + of_fork) / f64::from(self.fork.1.max(1)));
        }
    }
}

/// The estimate of a comparison in words that are not a verdict. `None` if there is nothing to
/// compare.
fn so_far(plan: &Plan, work: &Workload, estimate: Estimate) -> Option<String> {
    /// Below this ratio an estimate does not show which is the faster.
    const ALIKE: f64 = 1.1;
    let (second, ratio) = estimate.second?;
    let name = |cell| text::plain(&plan.name_of(cell));
    let (one, other) = (name(estimate.leader), name(second));
    let work = subject(work, &chart::size(work));
    Some(if ratio < ALIKE {
        format!("so far: {work}: {one} and {other} take about the same time")
    } else {
        let digits = if ratio < 10.0 { 1 } else { 0 };
        format!("so far: {work}: {other} takes about {ratio:.digits$} times as long as {one}")
    })
}

impl Watch for Progress {
    fn fork(&mut self, ordinal: u32, of: u32) {
        self.fork = (ordinal, of);
        let (first, began) = *self.first.get_or_insert((ordinal, Instant::now()));
        if ordinal > first {
            self.mean = Some(began.elapsed().as_secs_f64() / f64::from(ordinal - first));
        }
        if self.live.is_none() && ordinal > first && self.drawn.elapsed() < EVERY_LINE {
            return;
        }
        self.drawn = Instant::now();
        self.say(&format!("fork {} of {of}: starting fresh processes", ordinal + 1));
        self.advance(0.0);
    }

    fn warming(&mut self, done: usize, all: usize, cell: &str) {
        if self.live.is_some() && self.due(false) {
            let (fork, of) = self.fork;
            self.say(&format!(
                "fork {} of {of}: warming up {done} of {all}, {}",
                fork + 1,
                text::plain(cell)
            ));
        }
    }

    fn round(
        &mut self,
        plan: &Plan,
        comparison: usize,
        estimate: Option<Estimate>,
        used: f64,
        left: Duration,
    ) {
        let comparison = &plan.comparisons[comparison];
        let estimate = estimate.filter(|e| e.second.is_some() && !comparison.overhead);
        if (self.live.is_none() && estimate.is_none()) || !self.due(estimate.is_some()) {
            return;
        }
        let so_far = estimate.and_then(|estimate| so_far(plan, &comparison.workload, estimate));
        let (fork, of) = self.fork;
        let rest = format!("fork {} of {of}, {}", fork + 1, self.rest(plan, left));
        match &self.live {
            Some(live) => {
                so_far.into_iter().for_each(|so_far| live.so_far(so_far));
                self.advance(used);
                self.say(&rest);
            }
            None => self.say(&format!("{rest}; {}", so_far.unwrap_or_default())),
        }
    }

    /// Reports each contender once: the tables name each cell.
    fn failed(&mut self, contender: &str, kind: FailureKind, reason: &str) {
        if self.quiet || !self.reported.insert((contender.to_string(), kind)) {
            return;
        }
        let said = match kind {
            FailureKind::Failed | FailureKind::Wrong => "failed".to_string(),
            other => format!("is {}", other.name()),
        };
        self.note(&format!("{} {said}: {}", text::plain(contender), text::plain(reason)));
    }
}
