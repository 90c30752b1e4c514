//! The advice on one chart of one run.

use super::adopt::{Candidate, Preference, Terms};
use super::early::{self, AtSize};
use super::leaks::Suspect;
use super::pick;
use super::{Advice, Choice, Open, Question, Range, Scope, Size, fitness, languages, remedy};
use cupel_analyse::leaders;
use cupel_analyse::{
    Analysis, Answer, Evidence, Order, Part, Ratio, Row, Verdict, analyse_with, order,
};
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_contender::Contender;
use cupel_protocol::workload::Workload;
use cupel_stats::{Comparison, Interval};
use cupel_store::Recorded;

pub(super) struct Chart<'a> {
    recorded: &'a Recorded,
    evidence: Evidence,
    /// The answers at the sizes that are needed, ascending.
    answers: Vec<Answer>,
    have: ContenderName,
    sizes: Vec<Size>,
}

/// Why a forced path is not recommended.
const FORCED: &str = "a forced path: no program takes it by itself; it is of";

impl<'a> Chart<'a> {
    /// Reads the chart of a workload as one of `joint` charts of this run whose intervals are
    /// joint.
    ///
    /// # Errors
    /// Why it cannot answer the question.
    pub fn read(
        recorded: &'a Recorded,
        work: &Workload,
        question: &Question,
        joint: usize,
    ) -> Result<Chart<'a>, String> {
        let evidence = Evidence::gather(recorded).joint_over(joint);
        let analysis: Analysis = analyse_with(recorded, &evidence);
        let key = ChartKey::for_workload(work);
        let mut answers = analysis.comparisons;
        answers.retain(|a| ChartKey::for_workload(&a.workload) == key);
        answers.sort_by_key(|a| a.workload.size);
        let measured: Vec<u64> = answers.iter().map(|a| a.workload.size).collect();
        let mut sizes = Vec::new();
        let all: Vec<u64> = question.sizes.iter().map(|(size, _)| *size).collect();
        for &(bytes, share) in &question.sizes {
            let measured = stand_ins(bytes, &measured).ok_or_else(|| {
                // A mix needs one run with all its sizes.
                let command = remedy::measure((&recorded.run, &recorded.plan), work, &all, [], "");
                format!("{bytes} bytes is outside the measured sizes; this measures it: {command}")
            })?;
            sizes.push(Size { bytes, share, measured });
        }
        if sizes.is_empty() {
            let share = 1.0 / measured.len() as f64;
            let each = measured.iter();
            sizes = each.map(|&bytes| Size { bytes, share, measured: vec![bytes] }).collect();
        }
        answers.retain(|a| sizes.iter().any(|size| size.measured.contains(&a.workload.size)));
        if answers.iter().any(|a| a.untrusted || !a.floor.is_finite()) {
            let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
            let command = remedy::measure((&recorded.run, &recorded.plan), work, &sizes, [], "");
            let run = recorded.run.id;
            return Err(format!("run {run} is untrusted; this measures it again: {command}"));
        }
        let have = have(recorded, &answers, question)?;
        let names = answers.iter().flat_map(|a| a.rows.iter().map(|row| &row.contender));
        let mut others = names.filter(|name| **name != have && question.languages.have(name));
        if let Some(language) = question.languages.named()
            && others.next().is_none()
        {
            let sizes: Vec<u64> = sizes.iter().map(|size| size.bytes).collect();
            let family = languages::family_of(language);
            let command = remedy::ask(work, &sizes, [family.as_str()]);
            let command = command.map_or(String::new(), |c| format!("; this measures those: {c}"));
            let run = recorded.run.id;
            return Err(format!("run {run} has no contender in {language} but {have}{command}"));
        }
        Ok(Chart { recorded, evidence, answers, have, sizes })
    }

    /// The advice.
    pub fn advise(&self, question: &Question, fingerprint: &str) -> Advice {
        let (fit, unfit) = self.candidates(question);
        let scope = self.scope(&fit);
        let zone = self.zone();
        let mut ranked: Vec<(ContenderName, f64)> = Vec::new();
        for name in fit {
            let estimate = if name == self.have {
                Some(0.0)
            } else {
                self.compare(&name, &self.have).map(|compared| compared.estimate)
            };
            ranked.extend(estimate.map(|estimate| (name, estimate)));
        }
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        let names: Vec<ContenderName> = ranked.into_iter().map(|(name, _)| name).collect();
        let order = order(&names, zone, |one, two| self.compare(one, two));
        let mut fastest: Vec<&ContenderName> = match &order {
            Some(order) => order.fastest().map(|position| &names[position]).collect(),
            None => vec![&self.have],
        };
        fastest.sort_by_key(|name| self.preference(name));
        let ahead = pick::ahead(
            &names,
            &self.have,
            zone,
            |one, two| self.compare(one, two),
            |name| self.preference(name),
        );
        let choice = ahead.first().and_then(|name| self.choice(name));
        let ranges = self.ranges(&names, zone);
        let open = self.open(&names, order.as_ref().filter(|_| choice.is_none()));
        let named = choice.as_ref().map_or(&self.have, |choice| &choice.contender);
        let level = if choice.is_some() { &ahead } else { &fastest };
        let tied: Vec<ContenderName> =
            level.iter().filter(|name| **name != named).map(|name| (*name).clone()).collect();
        let others = names.iter().filter(|name| !level.contains(name) && **name != self.have);
        let others = others.filter_map(|name| Some((name.clone(), self.behind(name)?)));
        let (slower, unclear) = others.partition(|(name, _)| {
            let than_leader = order.is_some() && !fastest.contains(&name);
            than_leader || self.compare(name, named).is_some_and(|one| one.is_slower(zone))
        });
        let had = question.had();
        let all = [&self.have, named].into_iter().chain(&tied);
        let all = all.chain(ranges.iter().map(|range| &range.contender));
        let terms = all.filter_map(|name| Some((name.clone(), self.terms(name, had)?))).collect();
        let faster_but_leaks = self.faster_but_leaks(&unfit, named);
        let switch = self.switch(&ranges, named);
        let led = self.answers.iter().flat_map(|answer| leaders::missing(self.recorded, answer));
        let asked = led.filter(|one| question.languages.have(&one.contender));
        // A newer release is ahead of its older one, a leader of all others.
        let (releases, led): (Vec<_>, Vec<_>) = asked.partition(|one| one.older.is_some());
        let not_here = leaders::greatest(led.into_iter());
        let not_here = not_here.or_else(|| leaders::greatest(releases.into_iter()));
        Advice {
            workload: self.answers[0].workload.clone(),
            have: self.have.clone(),
            now_ns: self.now(),
            had,
            choice,
            tied,
            open,
            ranges,
            switch,
            not_here,
            faster_but_leaks,
            unfit,
            slower,
            unclear,
            warnings: self.warnings(&names),
            sizes: self.sizes.clone(),
            run: self.recorded.run.id,
            started: self.recorded.run.started.clone(),
            machine: self.recorded.machine.line(),
            fingerprint: fingerprint.to_string(),
            terms,
            scope,
        }
    }

    /// Among which contenders the advice chooses, if these can be recommended.
    fn scope(&self, fit: &[ContenderName]) -> Scope {
        let chosen = languages(fit);
        let measured = self.answers.iter().flat_map(|a| &a.rows).filter(|row| row.ns.is_some());
        let measured = languages(measured.map(|row| &row.contender));
        let left_out = measured.difference(&chosen).cloned().collect();
        Scope { contenders: fit.len(), languages: chosen, left_out }
    }

    fn zone(&self) -> f64 {
        self.recorded.plan.options.tie_zone
    }

    /// The contenders to choose from, with the one in use now, and the unfit ones, with the reason.
    fn candidates(
        &self,
        question: &Question,
    ) -> (Vec<ContenderName>, Vec<(ContenderName, String)>) {
        let (mut fit, mut unfit) = (vec![self.have.clone()], Vec::new());
        for row in self.answers.iter().flat_map(|a| &a.rows) {
            let name = &row.contender;
            let known = fit.contains(name) || unfit.iter().any(|(other, _)| other == name);
            if known || !question.languages.have(name) {
                continue;
            }
            match self.unfit(name) {
                Some(why) => unfit.push((name.clone(), why)),
                None => fit.push(name.clone()),
            }
        }
        (fit, unfit)
    }

    /// Why a contender cannot be recommended, however fast it is.
    fn unfit(&self, name: &ContenderName) -> Option<String> {
        for answer in &self.answers {
            let row = answer.rows.iter().find(|r| r.contender == *name);
            let Some(row) = row else {
                return Some(format!("not measured at {} bytes", answer.workload.size));
            };
            if row.verdict.is_absent() {
                let reason = row.reason.as_deref().unwrap_or("unknown reason");
                return Some(format!("{}: {reason}", row.verdict.words()));
            }
            if row.ns.is_none() {
                return Some(format!("not measured at {} bytes", answer.workload.size));
            }
        }
        let forced = self.contender(name).and_then(|contender| contender.forced_path_of());
        let forced = forced.map(|path| format!("{FORCED} {path}"));
        forced.or_else(|| self.suspect(name).leaks())
    }

    fn contender(&self, name: &ContenderName) -> Option<&Contender> {
        self.recorded.plan.contenders.iter().find(|contender| contender.name == *name)
    }

    fn suspect(&self, name: &ContenderName) -> Suspect<'_> {
        Suspect::new(self.recorded, &self.answers, name)
    }

    /// The warnings, given the contenders that can be recommended, the fastest first.
    fn warnings(&self, names: &[ContenderName]) -> Vec<String> {
        let of_primitive = fitness::warning(&self.answers[0].workload.primitive).map(String::from);
        let of_have = self.suspect(&self.have).leaks().map(|why| {
            let other = names.iter().find(|name| **name != self.have);
            let other = other.map(|name| format!("; the fastest without a known leak: {name}"));
            format!("{}, which you use: {why}{}", self.have, other.unwrap_or_default())
        });
        of_primitive.into_iter().chain(of_have).collect()
    }

    /// The contenders that only a known leak rules out, and that are certainly faster than the
    /// recommended one.
    fn faster_but_leaks(
        &self,
        unfit: &[(ContenderName, String)],
        named: &ContenderName,
    ) -> Vec<ContenderName> {
        let zone = self.zone();
        let leaking =
            unfit.iter().filter(|(name, why)| self.suspect(name).leaks().as_ref() == Some(why));
        let faster = leaking
            .filter(|(name, _)| self.compare(name, named).is_some_and(|c| c.is_faster(zone)));
        faster.map(|(name, _)| name.clone()).collect()
    }

    fn candidate(&self, name: &ContenderName) -> Option<Candidate<'_>> {
        let contenders = &self.recorded.plan.contenders;
        let own = self.contender(name)?;
        let place = contenders.iter().position(|contender| contender.library == own.library)?;
        let position = contenders.iter().position(|contender| contender.name == *name)?;
        let have = self.contender(&self.have)?;
        Some(Candidate { own, have, place, position, had: true })
    }

    fn preference(&self, name: &ContenderName) -> Option<Preference> {
        self.candidate(name).map(|candidate| candidate.preference())
    }

    fn terms(&self, name: &ContenderName, had: bool) -> Option<Terms> {
        let candidate = Candidate { had, ..self.candidate(name)? };
        Some(candidate.terms(self.suspect(name).tested()))
    }

    /// A contender's time over all calls of the user, divided by another's. A size that was not
    /// measured may behave like either of its two measured neighbours.
    fn compare(&self, name: &ContenderName, other: &ContenderName) -> Option<Comparison> {
        // In one direction only, so that the reverse is the exact opposite.
        if name < other {
            return self.compare(other, name).map(Comparison::inverse);
        }
        let (mut typical, mut low, mut high) = (vec![], vec![], vec![]);
        let mut seen = Vec::new();
        for size in &self.sizes {
            let weight = self.time_at(other, size);
            let parts = size
                .measured
                .iter()
                .map(|size| {
                    let answer = self.at(*size)?;
                    let (one, two) = (measured(answer, name)?, measured(answer, other)?);
                    let part = Part { cell: one.cell, other: two.cell, weight };
                    Some((self.evidence.pair(one.cell, two.cell)?, part))
                })
                .collect::<Option<Vec<_>>>()?;
            let weights = self.weights(other, size).into_iter().map(|(_, weight)| weight);
            let compared: Vec<Comparison> = parts.iter().map(|(compared, _)| *compared).collect();
            seen.push(AtSize::from_comparisons(weight, &compared));
            let shared = parts.iter().zip(weights);
            typical.extend(shared.map(|((_, part), weight)| Part { weight, ..*part }));
            let lowest = parts.iter().min_by(|a, b| a.0.interval.low.total_cmp(&b.0.interval.low));
            let highest =
                parts.iter().max_by(|a, b| a.0.interval.high.total_cmp(&b.0.interval.high));
            low.extend(lowest.map(|(_, part)| *part));
            high.extend(highest.map(|(_, part)| *part));
        }
        let typical = self.evidence.mix(&typical)?;
        let (low, high) = (self.evidence.mix(&low)?, self.evidence.mix(&high)?);
        let mixed = Interval {
            low: low.interval.low.min(typical.interval.low),
            high: high.interval.high.max(typical.interval.high),
        };
        let (interval, forks) = match early::interval(&seen) {
            Some((wider, forks)) => (mixed.hull(&wider), forks),
            None => (mixed, low.forks.min(high.forks).min(typical.forks)),
        };
        Some(Comparison::from_parts(typical.estimate, interval, forks))
    }

    /// The time that a contender spends at a size of the user's, in ns for each call of the user's,
    /// divided between the measured sizes.
    pub(super) fn weights(&self, name: &ContenderName, size: &Size) -> Vec<(u64, f64)> {
        let parts = size.parts().into_iter();
        let weights = parts.map(|(measured, part)| {
            let ns = self.ns(name, measured).unwrap_or(f64::NAN);
            (measured, size.share * part * ns)
        });
        weights.collect()
    }

    fn time_at(&self, name: &ContenderName, size: &Size) -> f64 {
        self.weights(name, size).iter().map(|(_, weight)| weight).sum()
    }

    /// The time of one of the user's calls with the contender in use now, in ns.
    fn now(&self) -> f64 {
        self.sizes.iter().map(|size| self.time_at(&self.have, size)).sum()
    }

    fn choice(&self, name: &ContenderName) -> Option<Choice> {
        let Comparison { estimate, interval, .. } = self.compare(name, &self.have)?;
        let now = self.now();
        // A million calls of one nanosecond are a millisecond.
        let [gain, least, most] =
            [estimate, interval.high, interval.low].map(|ln| now * (1.0 - ln.exp()));
        Some(Choice {
            contender: name.clone(),
            ratio: Ratio::from_log(estimate, &interval),
            gain_ms: (gain, least, most),
        })
    }

    /// How far a contender is behind the one in use now.
    fn behind(&self, name: &ContenderName) -> Option<Ratio> {
        let Comparison { estimate, interval, .. } = self.compare(name, &self.have)?;
        Some(Ratio::from_log(estimate, &interval))
    }

    /// The contender that may be furthest ahead of the one in use now, if one may be by more than
    /// the tie zone, or if the forks are too few to say.
    fn open(&self, names: &[ContenderName], order: Option<&Order>) -> Option<Open> {
        let others = order?.fastest().map(|at| &names[at]).filter(|name| **name != self.have);
        let may = others.filter_map(|name| Some((name.clone(), self.compare(name, &self.have)?)));
        let (name, Comparison { estimate, interval, .. }) = pick::may_be_ahead(may, self.zone())?;
        let work = &self.answers[0].workload;
        let contenders = [name.as_str(), self.have.as_str()];
        // A size between two measured ones is open until it is measured.
        let sizes: Vec<u64> = self.sizes.iter().map(|size| size.bytes).collect();
        let more = more_evidence(self.recorded);
        Some(Open {
            contender: name.clone(),
            ratio: Ratio::from_log(estimate, &interval),
            command: remedy::measure(
                (&self.recorded.run, &self.recorded.plan),
                work,
                &sizes,
                contenders,
                &more,
            ),
        })
    }

    pub(super) fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// The ratio of a mix of cells.
    pub(super) fn mixed(&self, parts: &[Part]) -> Option<Ratio> {
        let Comparison { estimate, interval, .. } = self.evidence.mix(parts)?;
        Some(Ratio::from_log(estimate, &interval))
    }

    pub(super) fn at(&self, size: u64) -> Option<&Answer> {
        self.answers.iter().find(|a| a.workload.size == size)
    }

    fn ns(&self, name: &ContenderName, size: u64) -> Option<f64> {
        Some(measured(self.at(size)?, name)?.ns?.median)
    }

    /// The best contender at each measured size, with neighbouring sizes joined into ranges. At
    /// each size of its range, a contender is not certainly slower than the fastest there, and
    /// certainly faster than the one in use now. Contenders that are not separated do not take
    /// turns.
    fn ranges(&self, names: &[ContenderName], zone: f64) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for answer in &self.answers {
            let size = answer.workload.size;
            let best = self.best_at(answer, names, zone);
            let last = ranges.last_mut();
            if let Some(range) = last.filter(|range| best.contains(&&range.contender)) {
                range.to = size;
                continue;
            }
            let pick = best.first().copied().unwrap_or(&self.have);
            let crosses = ranges.last().is_some_and(|range| {
                let before = self.at(range.to);
                before.is_some_and(|before| self.beats(before, &range.contender, pick, zone))
                    && self.beats(answer, pick, &range.contender, zone)
            });
            ranges.push(Range { from: size, to: size, contender: pick.clone(), crosses });
        }
        ranges
    }

    /// The contenders to use at one size, the preferred one first; only the one in use now, if it
    /// is not certainly slower than the fastest.
    fn best_at<'n>(
        &self,
        answer: &Answer,
        names: &'n [ContenderName],
        zone: f64,
    ) -> Vec<&'n ContenderName> {
        let mut ranked: Vec<(&ContenderName, f64)> = names
            .iter()
            .filter_map(|name| Some((name, measured(answer, name)?.ns?.median)))
            .collect();
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        let sorted: Vec<ContenderName> = ranked.iter().map(|(name, _)| (*name).clone()).collect();
        let ahead = pick::ahead(
            &sorted,
            &self.have,
            zone,
            |one, two| self.compare_at(answer, one, two),
            |name| self.preference(name),
        );
        if ahead.is_empty() {
            return names.iter().filter(|name| **name == self.have).collect();
        }
        ahead.iter().filter_map(|name| names.iter().find(|other| other == name)).collect()
    }

    /// Compares two contenders at one size.
    fn compare_at(
        &self,
        answer: &Answer,
        one: &ContenderName,
        two: &ContenderName,
    ) -> Option<Comparison> {
        self.evidence.pair(measured(answer, one)?.cell, measured(answer, two)?.cell)
    }

    /// Whether one contender is certainly faster than another at one size.
    fn beats(&self, answer: &Answer, one: &ContenderName, two: &ContenderName, zone: f64) -> bool {
        self.compare_at(answer, one, two).is_some_and(|c| c.is_faster(zone))
    }
}

pub(super) fn measured<'a>(answer: &'a Answer, name: &ContenderName) -> Option<&'a Row> {
    answer.rows.iter().find(|r| r.contender == *name && r.ns.is_some())
}

/// The contender in use now: the user's, otherwise the first in the suite's order of baselines.
fn have(
    recorded: &Recorded,
    answers: &[Answer],
    question: &Question,
) -> Result<ContenderName, String> {
    if let Some(have) = question.have.as_deref().map(ContenderName::from) {
        if !is_measured(answers, &have) {
            if let Some(why) = no_figure(answers, &have) {
                return Err(why);
            }
            let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
            let other = answers.iter().find_map(|answer| answer.baseline.as_deref());
            let names = [have.as_str()].into_iter().chain(other.filter(|other| *have != **other));
            let command = answers.first().and_then(|a| remedy::ask(&a.workload, &sizes, names));
            let command = command.map_or(String::new(), |c| format!("; this measures it: {c}"));
            return Err(format!("{have} was not measured there{command}"));
        }
        return Ok(have);
    }
    let first = answers.first().ok_or("nothing was measured")?;
    let plan = &recorded.plan;
    let mut comparisons = plan.comparisons.iter().filter(|c| !c.overhead);
    let order = comparisons
        .find(|c| c.workload == first.workload)
        .map(|c| c.baselines.clone())
        .unwrap_or_default();
    let order = order.into_iter().map(|index| plan.contenders[index].name.clone());
    let mut known = first.baseline.iter().cloned().chain(order);
    known
        .find(|name| question.languages.have(name) && is_measured(answers, name))
        .ok_or_else(|| "no contender of that language was measured".to_string())
}

/// Why a contender has no figure, if measuring it again gives none.
fn no_figure(answers: &[Answer], name: &ContenderName) -> Option<String> {
    let mut rows = answers.iter().flat_map(|answer| &answer.rows);
    let row = rows.find(|row| {
        row.contender == *name && matches!(row.verdict, Verdict::Failed | Verdict::Unsupported)
    })?;
    let why = row.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
    Some(format!("{name} has no figure there: {}{why}", row.verdict.words()))
}

/// Whether a contender was measured at all of these sizes.
fn is_measured(answers: &[Answer], name: &ContenderName) -> bool {
    answers.iter().all(|answer| measured(answer, name).is_some())
}

/// The options that ask for more evidence than a run has.
fn more_evidence(recorded: &Recorded) -> String {
    let options = &recorded.plan.options;
    let enough = cupel_stats::ENOUGH_FORKS as u32;
    let forks = if options.forks < enough { enough } else { 2 * options.forks };
    format!("--forks {forks} --first-forks {forks}")
}

/// The measured sizes that represent a size of the user's: itself, or else its two neighbours.
fn stand_ins(size: u64, measured: &[u64]) -> Option<Vec<u64>> {
    if measured.contains(&size) {
        return Some(vec![size]);
    }
    let below = measured.iter().copied().filter(|&m| m < size).max()?;
    let above = measured.iter().copied().filter(|&m| m > size).min()?;
    Some(vec![below, above])
}
