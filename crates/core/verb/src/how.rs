//! How a run is carried out, in which time, and which contenders are left out.

use crate::Context;
use crate::options::Measuring;
use crate::turn::Waiting;
use cupel_base::name::ContenderName;
use cupel_suite::Suite;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How a run is carried out and printed, whichever verb asks for it.
#[derive(Clone)]
pub struct How<'a> {
    /// How long a runner may take to answer.
    pub patience: Duration,
    /// Where the logs of the JVMs' compilers go.
    pub compilation_log: Option<PathBuf>,
    /// Whether to print the plan only.
    pub dry_run: bool,
    /// The run to resume, by the suite's name as the user gave it; `None` for a new run.
    pub resume: Option<&'a str>,
    /// How many contenders of one comparison must be right for an answer to follow: with fewer,
    /// nothing is measured.
    pub needs: usize,
    /// The suite without contenders that have a JIT, if the user named none of them: it is measured
    /// if the budget is too short for the whole one.
    pub ahead_of_time: Option<Suite>,
    /// What to do if another run is being measured.
    pub waiting: &'a Waiting,
    /// The time until the answer, if it is limited.
    pub within: Option<Within>,
}

/// A time that contains all that a command does, except waiting for another run and building.
#[derive(Clone, Copy)]
pub struct Within {
    /// When the command began.
    began: Instant,
    /// For how long it waited for another run.
    waited: Duration,
    /// All of the time.
    pub(crate) all: Duration,
    /// Whether the user chose it. Then contenders that do not fit are left out from the beginning.
    /// Otherwise it is a time for measuring, and only ends a run that takes long.
    pub(crate) chosen: bool,
}

/// The share of the time that analysing a run and printing its answer may take.
const CLOSING: f64 = 0.04;

impl Within {
    /// The same time, after a wait for another run.
    pub(crate) fn waited(self, waited: Duration) -> Within {
        Within { waited, ..self }
    }

    /// The time that is left for measuring.
    pub(crate) fn left(&self) -> Duration {
        let gone = self.began.elapsed().saturating_sub(self.waited + cupel_toolchain::building());
        self.all.mul_f64(1.0 - CLOSING).saturating_sub(gone)
    }
}

/// A contender that is left out, and why.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// Its name.
    pub name: ContenderName,
    /// The reason.
    pub why: String,
}

/// The reason why a question is not measured.
pub struct TooFew {
    /// The contenders that cannot be compared.
    pub lost: Vec<LeftOut>,
    /// Whether one of them failed: the others are missing.
    pub failed: bool,
}

impl<'a> How<'a> {
    /// By these options: a new run, from which an answer follows in any case.
    pub fn from_options(measuring: &'a Measuring) -> How<'a> {
        How {
            patience: measuring.runners.patience(),
            compilation_log: None,
            dry_run: measuring.dry_run,
            resume: None,
            needs: 0,
            ahead_of_time: None,
            waiting: &measuring.waiting,
            within: None,
        }
    }

    /// As [`How::from_options`], if the user's budget is the time until the answer: the command
    /// measures once.
    pub fn once(context: &Context, measuring: &'a Measuring) -> How<'a> {
        How::once_of(context, measuring, 1)
    }

    /// As [`How::once`], for the first of this many measurements that share the rest of the time.
    pub fn once_of(context: &Context, measuring: &'a Measuring, measurements: usize) -> How<'a> {
        let gone = context.began.elapsed().saturating_sub(cupel_toolchain::building());
        let within = measuring.budget.filter(|all| !all.is_zero()).map(|all| Within {
            began: context.began,
            waited: Duration::ZERO,
            all: gone.min(all) + all.saturating_sub(gone) / measurements.max(1) as u32,
            chosen: true,
        });
        How { within, ..How::from_options(measuring) }
    }

    /// As [`How::once`]. If the user limits neither the time nor the forks, measuring takes at most
    /// `usual`.
    pub fn once_or(context: &Context, measuring: &'a Measuring, usual: Duration) -> How<'a> {
        let how = How::once(context, measuring);
        let Measuring { budget, forks, first_forks, jit_forks, .. } = measuring;
        if budget.is_some() || [forks, first_forks, jit_forks].iter().any(|n| n.is_some()) {
            return how;
        }
        let (began, waited) = (context.began, Duration::ZERO);
        How { within: Some(Within { began, waited, all: usual, chosen: false }), ..how }
    }
}
