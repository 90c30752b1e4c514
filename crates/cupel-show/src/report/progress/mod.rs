//! Progress on standard error: a live line on a terminal, elsewhere one line for each phase.

mod live;

use cupel_base::chart;
use cupel_base::name::short;
use cupel_base::primitives;
use cupel_base::text;
use cupel_plan::{Plan, WRONG};
use cupel_run::measure::{Estimate, Watch};
use live::Line;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often the live line is drawn: often enough to look alive, rarely enough not to disturb.
const EVERY: Duration = Duration::from_millis(250);

/// How often a line is printed elsewhere: one for each of many short forks would fill a log.
const EVERY_LINE: Duration = Duration::from_secs(10);

/// Progress of one run.
pub struct Progress {
    live: Option<Line>,
    quiet: bool,
    fork: (u32, u32),
    /// The first fork of this invocation, and when it began.
    first: Option<(u32, Instant)>,
    /// The mean time of a fork in s, once one has ended.
    mean: Option<f64>,
    drawn: Instant,
    /// The contenders that were already reported as not measured, and in which way.
    reported: BTreeSet<(String, String)>,
}

impl Progress {
    /// Progress for this terminal, or none if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let is_live = !quiet && std::io::stderr().is_terminal();
        let live = is_live.then(Line::default);
        let (drawn, reported) = (Instant::now(), BTreeSet::new());
        Progress { live, quiet, fork: (0, 1), first: None, mean: None, drawn, reported }
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

    /// Reports that a contender is not measured, even if no progress is wanted, unless it was reported.
    pub fn must_know(&mut self, contender: &str, kind: &str, reason: &str) {
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

    fn due(&mut self) -> bool {
        let due = self.drawn.elapsed() >= EVERY;
        if due {
            self.drawn = Instant::now();
        }
        due
    }

    fn advance(&self, of_fork: f64) {
        if let Some(line) = &self.live {
            line.advance((f64::from(self.fork.0) + of_fork) / f64::from(self.fork.1.max(1)));
        }
    }
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
        if self.live.is_some() && self.due() {
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
        if self.live.is_none() || !self.due() {
            return;
        }
        self.advance(used);
        let work = &plan.comparisons[comparison].workload;
        let leader = estimate.map_or(String::new(), |e| {
            let name = text::plain(&plan.name_of(e.leader));
            format!(", {} {}", short(&name, 20), text::time(e.ns))
        });
        let (fork, of) = self.fork;
        // The remaining forks also start and warm up, so their whole time is estimated.
        let began = self.first.map_or(0.0, |(_, began)| began.elapsed().as_secs_f64());
        let whole = self.mean.unwrap_or(began + left.as_secs_f64());
        let seconds = left.as_secs_f64() + whole * f64::from(of - fork - 1);
        self.say(&format!(
            "{seconds:.0} s left; {} {} {}{leader}",
            primitives::in_words(&work.primitive),
            work.operation,
            chart::size(work)
        ));
    }

    /// Reports each contender once: the tables name each cell.
    fn failed(&mut self, contender: &str, kind: &str, reason: &str) {
        if self.quiet || !self.reported.insert((contender.to_string(), kind.to_string())) {
            return;
        }
        let said = match kind {
            "failed" | WRONG => "failed".to_string(),
            other => format!("is {other}"),
        };
        self.note(&format!("{} {said}: {}", text::plain(contender), text::plain(reason)));
    }
}
