//! From a suite to a run that can begin: drafted, cut to the time that it has, proved right, and
//! stored.

use crate::how::{How, LeftOut, TooFew, Within};
use crate::outline::outline;
use crate::print;
use crate::trouble::nothing_to_measure;
use anyhow::{Result, anyhow, bail};
use cupel_analyse::least_width;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::problem::Problem;
use cupel_base::text;
use cupel_contender::Contender;
use cupel_machine::{Machine, Room};
use cupel_plan::{Draft, FailureKind, Plan};
use cupel_run::begin::{self, Afforded, Asking, Overrides, Proven};
use cupel_run::forecast::{self, Forecast, Known, Need};
use cupel_run::measure::{RealProcesses, Watch};
use cupel_show::report::progress::Progress;
use cupel_store::{Circumstances, Store};
use cupel_suite::Suite;
use std::path::PathBuf;
use std::time::Instant;

/// What a suite has become.
pub(crate) enum Prepared {
    /// A stored run, and its plan.
    Run { run: i64, plan: Box<Plan> },
    /// Only the plan was wanted, and is printed.
    Planned,
    /// Too few contenders are right.
    TooFew(TooFew),
}

/// What the preparation of a run takes.
pub(crate) struct Preparing<'a> {
    pub overrides: &'a Overrides,
    pub how: &'a How<'a>,
    pub home: &'a Home,
    pub store: &'a mut Store,
    pub progress: &'a mut Progress,
}

/// A draft that fits into its time, or the reason why it does not begin.
struct Afford {
    draft: Draft,
    forecast: Forecast,
    /// The text of the suite that it is a draft of.
    suite: String,
    /// Contenders that the time does not allow.
    left_out: Vec<ContenderName>,
    /// How many forks it would have with more time.
    forks_asked: u32,
    refusal: Option<String>,
}

/// Contenders with a JIT that cannot be left out have this many forks if there is little time.
const FEWEST_FORKS: u32 = 2;

/// After this share of the time that is left, no further contender is verified.
const VERIFYING: f64 = 0.5;

/// With a smaller share of the time left, nothing is measured.
const LEAST_SHARE: f64 = 0.1;

impl Preparing<'_> {
    /// Plans, builds, verifies and begins a run. A dry run only prints the plan.
    pub fn prepare(&mut self, suite: &Suite) -> Result<Prepared> {
        let machine = Machine::look();
        let Afford { mut draft, forecast, suite, left_out, forks_asked, refusal } =
            self.afford(suite, &machine)?;
        let simulated = draft.simulated().unwrap_or(false);
        let need = Need::estimate(&draft);
        if self.how.dry_run {
            let all = self.within(simulated).map(|within| within.all);
            print(&outline(&draft, &forecast, &need, all))?;
        }
        if let Some(reason) = refusal {
            bail!(reason);
        }
        let room = if simulated { Room { free: None, of_process: None } } else { Room::now() };
        let memory = need.plan(room).map_err(|reason| anyhow!(reason))?;
        if self.how.dry_run {
            return Ok(Prepared::Planned);
        }
        if !simulated {
            draft.set_least_width(least_width(self.store, &machine.fingerprint())?);
        }
        self.warn(&forecast, &machine, memory.heap_mib, simulated);
        let mut proven = self.prove(draft, &machine, simulated)?;
        if proven.comparable < self.how.needs {
            return self.too_few(&proven);
        }
        if let Some(within) = self.within(simulated) {
            let (left, least) = (within.left(), within.all.mul_f64(LEAST_SHARE));
            if left < least && within.chosen {
                return Err(too_late(within).into());
            }
            // Verifying takes longest the first time, and is no reason to measure less.
            let left = if within.chosen { left.max(least) } else { within.all };
            proven.plan = proven.plan.within(within.all, left);
        }
        let command =
            std::env::args().map(|word| text::quoted(&word)).collect::<Vec<_>>().join(" ");
        let run = proven.record(self.store, &suite, &machine, &command)?;
        let heap_mib = memory.heap_mib;
        let planned = proven.plan.options.forks;
        let forks_asked = Some(forks_asked).filter(|asked| *asked > planned);
        let found = Circumstances { heap_mib, left_out, forks_asked, ..Circumstances::default() };
        self.store.circumstances(run, &found)?;
        Ok(Prepared::Run { run, plan: Box::new(proven.plan) })
    }

    /// The time until the answer. On a simulated clock the user does not wait.
    fn within(&self, simulated: bool) -> Option<Within> {
        self.how.within.filter(|_| !simulated)
    }

    /// Drafts a suite, or the part of it for which there is time.
    fn afford(&self, suite: &Suite, machine: &Machine) -> Result<Afford> {
        let mut draft = self.draft(suite)?;
        let forks_asked = draft.options().forks;
        let simulated = draft.simulated().unwrap_or(false);
        let earlier = self.store.newest(&suite.name, &machine.fingerprint())?;
        let known = earlier.as_ref().map(Known::from_run).unwrap_or_default();
        let forecast_of = |draft: &Draft| {
            forecast::for_draft(
                draft,
                RealProcesses::lanes_here(simulated, draft.threads()),
                &known,
            )
        };
        let mut forecast = forecast_of(&draft);
        let within = self.within(simulated).filter(|within| within.chosen);
        // A suite's own budget gets a warning only: its author chose it on another machine.
        let chosen = self.overrides.budget.is_some() && !simulated;
        let mut refusal = if chosen { forecast.refusal() } else { None };
        if let Some(within) = within {
            match begin::afforded(&draft, within.left(), &forecast_of) {
                Afforded::All => refusal = None,
                Afforded::JitForks(most) => {
                    limit_jit_forks(&mut draft, &forecast, most);
                    forecast = forecast_of(&draft);
                    refusal = None;
                }
                Afforded::WithoutJit => refusal = Some(forecast.reason()),
            }
        }
        let mut left_out = Vec::new();
        let mut text = &suite.text;
        if let (Some(reason), Some(smaller)) = (&refusal, &self.how.ahead_of_time) {
            tell_of(&format!(
                "contenders whose code is compiled at run time are left out, because {reason}; a \
                 longer --budget has time for them"
            ));
            left_out = forecast::with_jit(&draft);
            text = &smaller.text;
            draft = self.draft(smaller)?;
            forecast = forecast_of(&draft);
            refusal = if within.is_some() { None } else { forecast.refusal() };
        } else if within.is_some() && refusal.take().is_some() {
            // The user has named them, or there would be nothing to compare.
            limit_jit_forks(&mut draft, &forecast, FEWEST_FORKS);
            forecast = forecast_of(&draft);
        }
        Ok(Afford { draft, forecast, suite: text.clone(), left_out, forks_asked, refusal })
    }

    fn draft(&self, suite: &Suite) -> Result<Draft> {
        begin::draft(self.home, suite, self.overrides, &|what| self.progress.say(what), &tell_of)
    }

    /// What the user should know before the first contender is started.
    fn warn(&self, forecast: &Forecast, machine: &Machine, heap: Option<u64>, simulated: bool) {
        if let Some(mib) = heap {
            self.progress.note(&format!(
                "the heap of each JVM is limited to {mib} MiB, so that all of them have memory at \
                 once"
            ));
        }
        if simulated {
            return;
        }
        let late = if self.how.within.is_none() { forecast.warning() } else { None };
        for what in late.into_iter().chain(machine.unevenness()) {
            self.progress.note(&what);
        }
    }

    /// Builds and verifies the contenders, and reports those that fail.
    fn prove(&mut self, draft: Draft, machine: &Machine, simulated: bool) -> Result<Proven> {
        let within = self.within(simulated);
        let share = |within: &Within| if within.chosen { VERIFYING } else { 1.0 };
        let until = within.map(|within| Instant::now() + within.left().mul_f64(share(&within)));
        let asking = Asking { cache: &self.home.cache, patience: self.how.patience, until };
        let say = |what: &str| self.progress.say(what);
        let proven = begin::prove(draft, &machine.fingerprint(), &asking, &say)?;
        for (contender, reason) in proven.failed() {
            self.progress.failed(contender, FailureKind::Failed, &reason);
        }
        let absent: Vec<&Contender> =
            proven.plan.contenders.iter().filter(|contender| !contender.is_ready()).collect();
        if self.how.needs < 2
            && proven.comparable == 0
            && proven.failed().next().is_none()
            && !absent.is_empty()
        {
            return Err(nothing_to_measure(&absent));
        }
        Ok(proven)
    }

    /// Who cannot be compared, and why. This is the answer, so it is printed even if no progress is.
    fn too_few(&mut self, proven: &Proven) -> Result<Prepared> {
        let wrong =
            proven.failed().map(|(contender, reason)| (contender, FailureKind::Failed, reason));
        let (mut lost, mut failed) = (Vec::new(), false);
        for (contender, kind, reason) in proven.absent().chain(wrong) {
            self.progress.must_know(contender, kind, &reason);
            failed |= kind == FailureKind::Failed;
            lost.push(LeftOut { name: contender.into(), why: reason });
        }
        Ok(Prepared::TooFew(TooFew { lost, failed }))
    }
}

/// Warns the user.
fn tell_of(what: &str) {
    text::tell(&format!("cupel: {}", text::plain(what)));
}

/// Contenders with a JIT have no more forks than this. If there are no others, the run has none.
fn limit_jit_forks(draft: &mut Draft, forecast: &Forecast, most: u32) {
    if forecast.native == 0 {
        draft.set_forks(most);
    } else {
        draft.set_jit_forks(most);
    }
}

/// Why nothing is measured in this time, and the remedies.
fn too_late(within: Within) -> Problem {
    let gone = within.all.saturating_sub(within.left()).as_secs_f64();
    let all = within.all.as_secs_f64();
    let digits = usize::from(all < 10.0);
    let what = format!(
        "{gone:.digits$} s of {all:.digits$} s went into finding and verifying contenders, so \
         nothing is measured"
    );
    let help = format!(
        "the same command is faster now, because what was verified is remembered; or give \
         --budget {:.0}s",
        (2.0 * gone).ceil()
    );
    Problem { path: PathBuf::new(), line: 0, what, help: Some(help) }
}
