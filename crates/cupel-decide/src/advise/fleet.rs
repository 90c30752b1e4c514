//! Advice on a fleet: one choice for all machines, one for each, and what the one costs in addition
//! to the other. Times of two machines are never compared: each machine says what a choice saves
//! there, and the user says how many calls are made there.

use super::chart::Chart;
use super::runs::{left_out_of, whole_first};
use super::weights::Kind;
use super::{Advice, Question, Size, pick};
use cupel_analyse::Ratio;
use cupel_base::chart::ChartKey;
use cupel_base::machine::Machine;
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_protocol::workload::Workload;
use cupel_stats::{Comparison, Interval};
use cupel_store::{Planned, Recorded, Store, StoreError};
use std::collections::BTreeSet;

/// The answer for one chart over a fleet.
#[derive(Clone, Debug)]
pub struct FleetAdvice {
    /// The workload, at the first of its sizes.
    pub workload: Workload,
    /// The user's sizes.
    pub sizes: Vec<Size>,
    /// What is used now on all machines.
    pub have: ContenderName,
    /// The single choice; `None` if none is certainly faster.
    pub one: Option<Joint>,
    /// If there is none: the contender that may be faster for all that the evidence shows.
    pub open: Option<Joint>,
    /// The same if each machine has the choice that is advised for it alone.
    pub each: Ratio,
    /// What is advised for each machine.
    pub machines: Vec<OnMachine>,
    /// Which sizes have no part, on which machines the single choice is a loss, and which of them
    /// may be one and the same, in sentences.
    pub notes: Vec<String>,
}

/// A contender over all machines.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The contender.
    pub contender: ContenderName,
    /// Its time over all calls, divided by that of what is used now.
    pub ratio: Ratio,
}

/// The advice for one machine of a fleet.
#[derive(Clone, Debug)]
pub struct OnMachine {
    /// The machine, in one line.
    pub machine: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// Its share of the calls.
    pub share: f64,
    /// What to use there.
    pub choice: ContenderName,
    /// What its time is, divided by that of what is used now.
    pub ratio: f64,
    /// Whether the evidence leaves open if another one is faster there.
    pub open: bool,
    /// The run that says so.
    pub run: i64,
}

/// What tells two machines apart: the name in a fleet, and the fingerprint.
type Identity = (Option<String>, String);

/// What an update of a machine does not change: its name in the fleet, its processor, and what
/// hides a part of that.
type Body<'a> = (&'a Option<String>, Option<&'a String>, Option<&'a String>, &'a Option<String>);

fn body(machine: &Machine) -> Body<'_> {
    (&machine.node, machine.cpu.known(), machine.stepping.known(), &machine.masked_by)
}

/// The machines of a store that are of a kind, each with its share of the calls and its runs,
/// newest first.
struct Place<'a> {
    share: f64,
    runs: Vec<&'a Planned>,
}

impl Place<'_> {
    /// Its newest run.
    fn newest(&self) -> &Planned {
        self.runs[0]
    }
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
            let is_asked = question.primitive.as_ref().is_none_or(|p| *p == work.primitive)
                && question.operation.is_none_or(|operation| operation == work.operation);
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
        match of_chart(store, question, &places, &key, &work) {
            Ok(found) => advice.push(found),
            Err(NoAdvice::Because(why)) => left_out.push(format!(
                "{} {}, {}, {}: {why}",
                work.primitive, work.operation, work.contract, work.shape
            )),
            Err(NoAdvice::Store(fault)) => return Err(fault.into()),
        }
    }
    Ok((advice, left_out))
}

/// The machines of all kinds. A kind's weight is divided between its machines.
fn places<'a>(finished: &[&'a Planned], kinds: &[Kind]) -> anyhow::Result<Vec<Place<'a>>> {
    let all: f64 = kinds.iter().map(|kind| kind.weight).sum();
    let mut taken: Vec<(Identity, &str)> = Vec::new();
    let mut places: Vec<Place<'a>> = Vec::new();
    for kind in kinds {
        let mut own: Vec<(Identity, Vec<&'a Planned>)> = Vec::new();
        for planned in finished.iter().filter(|p| kind.has(&p.machine, &p.fingerprint)) {
            let identity = (planned.machine.node.clone(), planned.fingerprint.clone());
            if let Some((_, other)) = taken.iter().find(|(known, _)| *known == identity) {
                anyhow::bail!(
                    "line {}: {} is of the kind \"{}\" and of \"{other}\"; name each machine once",
                    kind.line,
                    planned.machine.line(),
                    kind.name()
                );
            }
            if let Some((_, runs)) = own.iter_mut().find(|(known, _)| *known == identity) {
                runs.push(planned);
                continue;
            }
            // Another fingerprint of a node with the same processor is what it was before an
            // update.
            let is_older = own
                .iter()
                .map(|(_, runs)| &runs[0].machine)
                .any(|machine| machine.node.is_some() && body(machine) == body(&planned.machine));
            if !is_older {
                own.push((identity, vec![planned]));
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

/// Why there is no advice on a workload.
enum NoAdvice {
    /// The store cannot be read.
    Store(StoreError),
    /// Its runs do not allow one, for a reason.
    Because(String),
}

impl From<StoreError> for NoAdvice {
    fn from(fault: StoreError) -> NoAdvice {
        NoAdvice::Store(fault)
    }
}

fn of_chart(
    store: &Store,
    question: &Question,
    places: &[Place<'_>],
    key: &ChartKey,
    work: &Workload,
) -> Result<FleetAdvice, NoAdvice> {
    let mut runs: Vec<(&Place<'_>, Recorded)> = Vec::new();
    let mut have = question.have.clone();
    for place in places {
        let mut own = place.runs.clone();
        own.retain(|p| {
            p.plan.comparisons.iter().any(|c| !c.overhead && ChartKey::of(&c.workload) == *key)
        });
        let mut why = "it was not measured".to_string();
        let mut found = None;
        for planned in whole_first(&own, work, question) {
            let recorded = store.load_with_doubts(planned.run.id)?;
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
                let machine = place.newest().machine.line();
                return Err(NoAdvice::Because(format!("on {machine}: {why}")));
            }
        }
    }
    let mut asked = Question { have, ..question.clone() };
    let mut notes = Vec::new();
    if asked.sizes.is_empty() {
        let (common, all) = sizes_of_all(&runs, key);
        if common.is_empty() {
            let why = "no size was measured on all machines";
            return Err(NoAdvice::Because(why.to_string()));
        }
        if common.len() < all {
            notes.push("sizes that only some of the machines measured have no part".to_string());
        }
        let share = 1.0 / common.len() as f64;
        asked.sizes = common.into_iter().map(|size| (size, share)).collect();
    }
    let charts: Result<Vec<(&Place<'_>, Chart<'_>)>, String> = runs
        .iter()
        .map(|(place, recorded)| Ok((*place, Chart::of(recorded, work, &asked, places.len())?)))
        .collect();
    Ok(weighed(&charts.map_err(NoAdvice::Because)?, &asked, notes))
}

/// The sizes of a chart that all of these runs measured, ascending, and how many any of them did.
/// What a machine did not measure is not a part of the calls on another one either.
fn sizes_of_all(runs: &[(&Place<'_>, Recorded)], key: &ChartKey) -> (BTreeSet<u64>, usize) {
    let mut each: Vec<BTreeSet<u64>> = Vec::new();
    for (_, recorded) in runs {
        let comparisons = recorded.plan.comparisons.iter().filter(|c| !c.overhead);
        let own = comparisons.filter(|c| ChartKey::of(&c.workload) == *key);
        each.push(own.map(|c| c.workload.size).collect());
    }
    let common = each.iter().cloned().reduce(|one, other| &one & &other).unwrap_or_default();
    let all: BTreeSet<&u64> = each.iter().flatten().collect();
    (common, all.len())
}

/// Times over the calls of all machines, those of one contender divided by those of another. Each
/// machine has the weight of its calls, and of the time that one takes there.
struct Totals<'a, 'b> {
    charts: &'b [(&'b Place<'a>, Chart<'b>)],
    have: &'b ContenderName,
}

impl Totals<'_, '_> {
    /// One contender compared with another. The ends of the sum are the sums of the ends, which are
    /// joint.
    fn compare(&self, one: &ContenderName, two: &ContenderName) -> Option<Comparison> {
        let mut each = Vec::new();
        for (place, chart) in self.charts {
            let now = place.share * chart.now();
            let weight = if two == self.have {
                now
            } else {
                now * chart.compare(two, self.have)?.estimate.exp()
            };
            let compared = if one == two {
                Comparison::of(0.0, Interval { low: 0.0, high: 0.0 }, usize::MAX)
            } else {
                chart.compare(one, two)?
            };
            each.push((weight, compared));
        }
        let forks = each.iter().map(|(_, compared)| compared.forks).min()?;
        let estimate = mean(each.iter().map(|(weight, c)| (*weight, c.estimate.exp()))).ln();
        let low = mean(each.iter().map(|(weight, c)| (*weight, c.interval.low.exp()))).ln();
        let high = mean(each.iter().map(|(weight, c)| (*weight, c.interval.high.exp()))).ln();
        Some(Comparison::of(estimate, Interval { low, high }, forks))
    }

    /// What is advised for each machine, over all of them.
    fn each(&self, advised: &[Advice]) -> Ratio {
        let kept = Ratio { estimate: 1.0, low: 1.0, high: 1.0 };
        let mut each = Vec::new();
        for ((place, chart), advice) in self.charts.iter().zip(advised) {
            let ratio = advice.choice.as_ref().map_or(kept, |choice| choice.ratio);
            each.push((place.share * chart.now(), ratio));
        }
        Ratio {
            estimate: mean(each.iter().map(|(weight, ratio)| (*weight, ratio.estimate))),
            low: mean(each.iter().map(|(weight, ratio)| (*weight, ratio.low))),
            high: mean(each.iter().map(|(weight, ratio)| (*weight, ratio.high))),
        }
    }
}

/// The mean of values, each with its weight.
fn mean(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, all) =
        values.fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
    sum / all
}

fn weighed(
    charts: &[(&Place<'_>, Chart<'_>)],
    question: &Question,
    mut notes: Vec<String>,
) -> FleetAdvice {
    let have = charts[0].1.have();
    let totals = Totals { charts, have };
    let advised: Vec<Advice> = charts
        .iter()
        .map(|(place, chart)| chart.advise(question, &place.newest().fingerprint))
        .collect();
    // What can be recommended on every machine.
    let mut common = charts[0].1.fit(question);
    for (_, chart) in &charts[1..] {
        let fit = chart.fit(question);
        common.retain(|name| fit.contains(name));
    }
    let zone = charts.iter().map(|(_, chart)| chart.zone()).fold(0.0, f64::max);
    let ahead = pick::ahead(
        &common,
        have,
        zone,
        |one, two| totals.compare(one, two),
        |name| charts[0].1.preference(name),
    );
    let one = ahead.first().and_then(|&name| {
        Some(Joint { contender: name.clone(), ratio: totals.compare(name, have)?.into() })
    });
    let others = common.iter().filter(|name| one.is_none() && *name != have);
    let others = others.filter_map(|name| Some((name.clone(), totals.compare(name, have)?)));
    let open = pick::may_be_ahead(others, zone)
        .map(|(contender, compared)| Joint { contender, ratio: compared.into() });
    let machines = charts
        .iter()
        .zip(&advised)
        .map(|((place, _), advice)| OnMachine {
            machine: advice.machine.clone(),
            fingerprint: advice.fingerprint.clone(),
            share: place.share,
            choice: advice.choice.as_ref().map_or(have, |choice| &choice.contender).clone(),
            ratio: advice.choice.as_ref().map_or(1.0, |choice| choice.ratio.estimate),
            open: advice.open.is_some(),
            run: advice.run,
        })
        .collect();
    let places: Vec<&Place<'_>> = charts.iter().map(|(place, _)| *place).collect();
    let (workload, sizes) = (advised[0].workload.clone(), advised[0].sizes.clone());
    notes.extend(alike(&places));
    notes.extend(one.iter().flat_map(|one| losses(charts, &one.contender, have)));
    FleetAdvice {
        workload,
        sizes,
        have: have.clone(),
        one,
        open,
        each: totals.each(&advised),
        machines,
        notes,
    }
}

/// Where a contender that is faster over all calls is certainly slower.
fn losses(
    charts: &[(&Place<'_>, Chart<'_>)],
    single: &ContenderName,
    have: &ContenderName,
) -> Vec<String> {
    let mut losses = Vec::new();
    for (place, chart) in charts {
        let compared = chart.compare(single, have);
        if let Some(compared) = compared.filter(|compared| compared.is_slower(chart.zone())) {
            losses.push(format!(
                "{single} takes {} times as long as {have} on {}",
                text::ratio_digits(compared.estimate.exp()),
                place.newest().machine.line()
            ));
        }
    }
    losses
}

/// Machines without a name that have one processor may be one machine, before and after an update.
fn alike(places: &[&Place<'_>]) -> Vec<String> {
    let mut groups: Vec<Vec<&Planned>> = Vec::new();
    for newest in places.iter().map(|place| place.newest()) {
        if newest.machine.node.is_some() {
            continue;
        }
        match groups.iter_mut().find(|group| body(&group[0].machine) == body(&newest.machine)) {
            Some(group) => group.push(newest),
            None => groups.push(vec![newest]),
        }
    }
    let mut notes = Vec::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let prints: Vec<&str> = group.iter().map(|one| one.fingerprint.as_str()).collect();
        notes.push(format!(
            "these have the same processor and no name in a fleet: {}; if they are one machine before and \
             after an update, name only the newer by its `fingerprint`",
            prints.join(", ")
        ));
    }
    notes
}
