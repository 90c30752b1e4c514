//! Advice on a fleet: one choice for all machines, one for each, and what the one costs beside the
//! other. Times of two machines are never compared: each machine says what a choice saves there, and
//! the user says how many calls are made there.

use super::chart::Chart;
use super::weights::Kind;
use super::{Question, left_out_of, whole_first};
use crate::chart::ChartKey;
use crate::name::ContenderName;
use crate::store::{Planned, Recorded, Store, StoreError};
use cupel_protocol::workload::Workload;
use cupel_stats::Interval;

/// The answer for one chart over a fleet.
#[derive(Clone, Debug)]
pub struct FleetAdvice {
    /// The workload, at the first of its sizes.
    pub workload: Workload,
    /// The user's sizes with their shares, and the measured sizes that represent each.
    pub sizes: Vec<(u64, f64, Vec<u64>)>,
    /// What is used now on all machines.
    pub have: ContenderName,
    /// The best single choice: its time over all calls, divided by that of `have`, with its interval.
    /// `None` if none is certainly faster.
    pub one: Option<(ContenderName, Interval, f64)>,
    /// The same if each machine has the choice that is advised for it alone.
    pub each: (f64, Interval),
    /// What is advised for each machine.
    pub machines: Vec<OnMachine>,
}

/// The advice for one machine of a fleet.
#[derive(Clone, Debug)]
pub struct OnMachine {
    /// The machine, in one line.
    pub machine: String,
    /// Its share of the calls.
    pub share: f64,
    /// What to use there.
    pub choice: ContenderName,
    /// What its time is, divided by that of what is used now.
    pub ratio: f64,
    /// The run that says so.
    pub run: i64,
}

/// What tells two machines apart: the name in a fleet, and the fingerprint.
type Identity = (Option<String>, String);

/// The machines of a store that are of a kind, each with its share of the calls and its runs, newest
/// first.
struct Place<'a> {
    share: f64,
    runs: Vec<&'a Planned>,
}

/// Answers a question for every chart that all kinds of machine have measured. The second part says
/// for each of the other charts why it has no answer.
///
/// # Errors
/// If a kind has no machine, or a machine is of two kinds, as a sentence; or if the store cannot be
/// read.
pub fn of_fleet(
    store: &Store,
    question: &Question,
    kinds: &[Kind],
) -> anyhow::Result<(Vec<FleetAdvice>, Vec<String>)> {
    let plans = store.plans(None)?;
    let finished: Vec<&Planned> = plans.iter().filter(|p| p.run.finished.is_some()).collect();
    let places = places(&finished, kinds)?;
    let mut charts: Vec<(ChartKey, Workload)> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    for planned in places.iter().flat_map(|place| &place.runs) {
        for comparison in planned.plan.comparisons.iter().filter(|c| !c.overhead) {
            let work = &comparison.workload;
            let key = ChartKey::of(work);
            let is_asked = question.primitive.as_ref().is_none_or(|p| *p == work.primitive);
            if !is_asked || charts.iter().any(|(known, _)| *known == key) {
                continue;
            }
            match left_out_of(work) {
                Some(why) if !left_out.contains(&why) => left_out.push(why),
                Some(_) => {}
                None => charts.push((key, work.clone())),
            }
        }
    }
    let mut advice = Vec::new();
    for (key, work) in charts {
        match of_chart(store, question, &places, &key, &work)? {
            Ok(found) => advice.push(found),
            Err(why) => left_out.push(format!(
                "{} {}, {}, {}: {why}",
                work.primitive, work.operation, work.contract, work.shape
            )),
        }
    }
    Ok((advice, left_out))
}

/// The machines of all kinds. A kind's weight is divided between its machines.
fn places<'a>(finished: &[&'a Planned], kinds: &[Kind]) -> anyhow::Result<Vec<Place<'a>>> {
    let identity = |planned: &Planned| -> Identity {
        (planned.machine.node.clone(), planned.fingerprint.clone())
    };
    let all: f64 = kinds.iter().map(|kind| kind.weight).sum();
    let mut taken: Vec<(Identity, &str)> = Vec::new();
    let mut places: Vec<Place<'a>> = Vec::new();
    for kind in kinds {
        let mut own: Vec<(Identity, Vec<&'a Planned>)> = Vec::new();
        for planned in finished.iter().filter(|p| kind.has(&p.machine, &p.fingerprint)) {
            let identity = identity(planned);
            if let Some((_, other)) = taken.iter().find(|(known, _)| *known == identity) {
                anyhow::bail!(
                    "line {}: {} is of the kind \"{}\" and of \"{other}\"; name each machine once",
                    kind.line,
                    planned.machine.line(),
                    kind.name()
                );
            }
            match own.iter_mut().find(|(known, _)| *known == identity) {
                Some((_, runs)) => runs.push(planned),
                None => own.push((identity, vec![planned])),
            }
        }
        if own.is_empty() {
            let mut known: Vec<String> = finished.iter().map(|p| p.machine.line()).collect();
            known.sort();
            known.dedup();
            anyhow::bail!(
                "line {}: the store has no finished run of a machine \"{}\"; it has {}",
                kind.line,
                kind.name(),
                if known.is_empty() { "none".to_string() } else { known.join("; ") }
            );
        }
        taken.extend(own.iter().map(|(identity, _)| (identity.clone(), kind.name())));
        let share = kind.weight / all / own.len() as f64;
        places.extend(own.into_iter().map(|(_, runs)| Place { share, runs }));
    }
    Ok(places)
}

fn of_chart(
    store: &Store,
    question: &Question,
    places: &[Place<'_>],
    key: &ChartKey,
    work: &Workload,
) -> Result<Result<FleetAdvice, String>, StoreError> {
    let mut runs: Vec<(&Place<'_>, Recorded)> = Vec::new();
    let mut have = question.have.clone();
    for place in places {
        let has = |p: &&&Planned| {
            p.plan.comparisons.iter().any(|c| !c.overhead && ChartKey::of(&c.workload) == *key)
        };
        let own: Vec<&Planned> = place.runs.iter().filter(has).copied().collect();
        let mut why = "it was not measured".to_string();
        let mut found = None;
        for planned in whole_first(&own, work) {
            let recorded = store.load(Some(planned.run.id))?;
            let asked = Question { have: have.clone(), ..question.clone() };
            match Chart::of(&recorded, work, &asked, places.len()) {
                Ok(chart) => {
                    have.get_or_insert(chart.have().to_string());
                    found = Some(recorded);
                    break;
                }
                Err(reason) => why = reason,
            }
        }
        match found {
            Some(recorded) => runs.push((place, recorded)),
            None => {
                let machine = place.runs.first().map_or(String::new(), |p| p.machine.line());
                return Ok(Err(format!("on {machine}: {why}")));
            }
        }
    }
    let asked = Question { have, ..question.clone() };
    let charts: Result<Vec<(&Place<'_>, Chart<'_>)>, String> = runs
        .iter()
        .map(|(place, recorded)| Ok((*place, Chart::of(recorded, work, &asked, places.len())?)))
        .collect();
    Ok(charts.map(|charts| weighed(&charts, &asked)))
}

/// Logarithms of ratios to what is used now: the estimate and the ends of its interval.
type Lns = (f64, f64, f64);

fn weighed(charts: &[(&Place<'_>, Chart<'_>)], question: &Question) -> FleetAdvice {
    let have = charts[0].1.have().clone();
    let weights: Vec<f64> = charts.iter().map(|(place, chart)| place.share * chart.now()).collect();
    let total = |lns: &[Lns]| {
        let all: f64 = weights.iter().sum();
        let sum = |end: fn(&Lns) -> f64| {
            weights.iter().zip(lns).map(|(weight, ln)| weight * end(ln).exp()).sum::<f64>() / all
        };
        (sum(|l| l.0), Interval { low: sum(|l| l.1), high: sum(|l| l.2) })
    };
    let advised: Vec<_> = charts.iter().map(|(_, chart)| chart.advise(question, "")).collect();
    let own: Vec<Lns> = advised
        .iter()
        .map(|advice| {
            let ratio = advice.choice.as_ref().map(|choice| choice.ratio);
            ratio.map_or((0.0, 0.0, 0.0), |r| (r.estimate.ln(), r.low.ln(), r.high.ln()))
        })
        .collect();
    // What can be recommended on every machine.
    let mut common = charts[0].1.fit(question);
    for (_, chart) in &charts[1..] {
        let fit = chart.fit(question);
        common.retain(|name| fit.contains(name));
    }
    let zone = charts[0].1.zone();
    let mut ahead: Vec<(ContenderName, f64, Interval)> = common
        .into_iter()
        .filter(|name| *name != have)
        .filter_map(|name| {
            let lns: Option<Vec<Lns>> =
                charts.iter().map(|(_, chart)| chart.against_have(&name)).collect();
            let (estimate, interval) = total(&lns?);
            (interval.high < 1.0 / (1.0 + zone)).then_some((name, estimate, interval))
        })
        .collect();
    ahead.sort_by(|a, b| a.1.total_cmp(&b.1));
    if let Some(best) = ahead.first().map(|first| first.1) {
        ahead.retain(|(_, estimate, _)| *estimate <= best * (1.0 + zone));
        ahead.sort_by_key(|(name, ..)| charts[0].1.preference(name));
    }
    let one = ahead.into_iter().next().map(|(name, estimate, interval)| (name, interval, estimate));
    let machines = charts
        .iter()
        .zip(&advised)
        .zip(&own)
        .map(|(((place, _), advice), lns)| OnMachine {
            machine: advice.machine.clone(),
            share: place.share,
            choice: advice.choice.as_ref().map_or(&have, |choice| &choice.contender).clone(),
            ratio: lns.0.exp(),
            run: advice.run,
        })
        .collect();
    let (workload, sizes) = (advised[0].workload.clone(), advised[0].sizes.clone());
    FleetAdvice { workload, sizes, have, one, each: total(&own), machines }
}
