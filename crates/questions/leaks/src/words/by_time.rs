//! The results of times about leaks, in words and as JSON.

use super::{shortened, value};
use crate::by_time::{Bound, Decision, Difference, Measure, Timed};
use cupel_base::text;
use cupel_stats::interval::Interval;
use cupel_store::LeakVerdict;
use serde_json::{Value, json};

/// The meaning of "none above".
pub const MEANING: &str = "none above: with each of these secrets, calls take the same time within so \
many ns. That is a test of these secrets, not a proof. Smaller differences are not seen: a comparison \
that stops at the first wrong byte takes about 1 ns longer for each right one; docs/guide/leaks.md";

/// The verdict as the store keeps it.
pub fn tested(timed: &Timed) -> LeakVerdict {
    match timed.decision() {
        Decision::Leaks => LeakVerdict::Leaks,
        Decision::NoneAbove { .. } => LeakVerdict::NoneSeen,
        Decision::Open(_) | Decision::Untrusted(_) => LeakVerdict::Undecided,
    }
}

/// The verdict.
pub fn verdict(timed: &Timed) -> String {
    match timed.decision() {
        Decision::Leaks => LeakVerdict::Leaks.words().to_string(),
        Decision::NoneAbove { hot, .. } => format!("{NONE_ABOVE} {} of a call", in_words(hot)),
        Decision::Open(_) => "undecided".to_string(),
        Decision::Untrusted(_) => LeakVerdict::Undecided.words().to_string(),
    }
}

/// A bound, as a time and as a share of a call: `0.4 ns, 0.6 %`.
fn in_words(bound: Bound) -> String {
    format!("{} ns, {} %", text::digits(bound.ns), text::digits(100.0 * bound.share))
}

/// How the verdict begins if none was seen.
pub const NONE_ABOVE: &str = "none above";

/// How much was compared, or why that decides nothing.
pub fn why(timed: &Timed) -> String {
    let reason = match timed.decision() {
        Decision::Open(why) | Decision::Untrusted(why) => return why,
        Decision::NoneAbove { cold, refused, .. } => {
            let of = |bound: Option<Bound>, what: &str| match bound {
                Some(bound) => format!("{} {what}; ", in_words(bound)),
                None => String::new(),
            };
            of(cold, "of one with cold caches") + &of(refused, "of a refusal")
        }
        Decision::Leaks => String::new(),
    };
    let call = timed.calls.first().map_or(f64::NAN, |(_, ns)| *ns);
    let processes = match timed.processes {
        1 => "1 process".to_string(),
        several => format!("{several} processes"),
    };
    let blocks = text::count(timed.blocks, "block");
    format!("{reason}a call takes {} ns; {blocks} in {processes}", text::digits(call))
}

/// The largest difference of each secret in each measure, if it is certain.
pub fn largest(timed: &Timed) -> Vec<&Difference> {
    let mut largest: Vec<&Difference> = Vec::new();
    for leak in timed.leaks() {
        let same = |one: &&Difference| (one.secret, one.measure) == (leak.secret, leak.measure);
        if !largest.iter().any(same) {
            largest.push(leak);
        }
    }
    largest
}

/// A difference in words.
pub fn in_a_line(difference: &Difference) -> String {
    let Difference { secret, apart, measure, shift, .. } = difference;
    let Interval { low, high } = shift.interval;
    let [base, other] = apart.each_ref().map(|inputs| shortened(&value(*secret, inputs)));
    let (slow, fast, least, most) =
        if low < 0.0 { (base, other, -high, -low) } else { (other, base, low, high) };
    format!(
        "its time depends on the {}: a call with {slow} takes {} ns longer ({} to {}) than one with \
         {fast}{}",
        secret.name(),
        text::digits(shift.estimate.abs()),
        text::digits(least),
        text::digits(most),
        measure.in_words(),
    )
}

/// The reason of a verdict that says neither.
pub fn reason(timed: &Timed) -> Option<String> {
    match timed.decision() {
        Decision::Open(why) | Decision::Untrusted(why) => Some(why),
        Decision::Leaks | Decision::NoneAbove { .. } => None,
    }
}

/// The times of a leak test.
pub fn as_json(timed: &Timed) -> Value {
    let [hot, cold, refused] = match timed.decision() {
        Decision::NoneAbove { hot, cold, refused } => [Some(hot), cold, refused],
        _ => [None; 3],
    };
    let ns = |bound: Option<Bound>| bound.map(|bound| bound.ns);
    let share = |bound: Option<Bound>| bound.map(|bound| bound.share);
    let interval = |interval: &Interval| json!([interval.low, interval.high]);
    let controls = timed.controls.iter().map(|(measure, shift)| {
        let ns = shift.estimate;
        json!({ "measure": name(*measure), "ns": ns, "interval": interval(&shift.interval) })
    });
    let calls = timed.calls.iter().map(|(measure, ns)| (name(*measure).to_string(), json!(ns)));
    let differences = timed.differences.iter().map(|one| {
        json!({
            "secret": one.secret.name(),
            "measure": name(one.measure),
            "ns": one.shift.estimate,
            "interval": interval(&one.shift.interval),
            "repeated": one.is_repeated,
            "apart": one.apart.each_ref().map(|inputs| value(one.secret, inputs)),
        })
    });
    json!({
        "none_above_ns": ns(hot),
        "none_above_share": share(hot),
        "none_above_ns_cold": ns(cold),
        "none_above_share_cold": share(cold),
        "none_above_ns_refused": ns(refused),
        "none_above_share_refused": share(refused),
        "ran_share": timed.ran,
        "others_ran_share": timed.others_ran,
        "call_ns": calls.collect::<serde_json::Map<_, _>>(),
        "blocks": timed.blocks,
        "processes": timed.processes,
        "control": controls.collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
    })
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Hot => "hot",
        Measure::HotTail => "hot-p90",
        Measure::Cold => "cold",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::{Inputs, Secret};
    use cupel_stats::signed_rank::Shift;

    fn difference(secret: Secret, low: f64, high: f64, seed: u64) -> Difference {
        let inputs = |seed| Inputs { key: vec![0xab, seed as u8], seed, forged: None };
        Difference {
            secret,
            apart: [inputs(7), inputs(seed)],
            measure: Measure::Cold,
            call: 1e3,
            shift: Shift { estimate: (low + high) / 2.0, interval: Interval { low, high } },
            is_repeated: true,
        }
    }

    fn timed(differences: Vec<Difference>) -> Timed {
        let shift = Shift { estimate: 0.0, interval: Interval { low: -1.0, high: 1.0 } };
        let controls = vec![(Measure::Cold, shift)];
        Timed {
            differences,
            controls,
            calls: vec![(Measure::Cold, 1e3)],
            keys: 3,
            messages: 4,
            tags: vec![],
            blocks: 640,
            processes: 2,
            ran: None,
            others_ran: None,
        }
    }

    #[test]
    fn the_slower_secret_comes_first() {
        let slower = difference(Secret::Key, 2.0, 6.0, 1);
        let expected = "its time depends on the key: a call with ab01 takes 4.00 ns longer (2.00 to \
                        6.00) than one with ab07, with cold caches";
        assert_eq!(in_a_line(&slower), expected);
        let faster = difference(Secret::Message, -60.0, -40.0, 1);
        let expected = "its time depends on the message: a call with seed 7 takes 50.0 ns longer (40.0 \
                        to 60.0) than one with seed 1, with cold caches";
        assert_eq!(in_a_line(&faster), expected);
    }

    #[test]
    fn of_many_differences_the_largest_is_shown() {
        let [small, large] = [1.0, 10.0].map(|by| difference(Secret::Key, by, by + 2.0, by as u64));
        let timed = timed(vec![small, large.clone(), difference(Secret::Message, -9.0, 9.0, 3)]);
        assert_eq!(largest(&timed), [&large]);
        assert_eq!(verdict(&timed), "leaks");
        assert_eq!(why(&timed), "a call takes 1000 ns; 640 blocks in 2 processes");
    }

    #[test]
    fn what_is_open_says_what_is_possible_and_what_the_limit_is() {
        let timed = timed(vec![difference(Secret::Key, -9.0, 60.0, 1)]);
        assert_eq!(verdict(&timed), "undecided");
        let expected = "60.00 ns of a call of 1000 ns may differ after 640 blocks, with cold caches; \
                        50.00 ns is the limit";
        assert_eq!(
            (why(&timed), reason(&timed)),
            (expected.to_string(), Some(expected.to_string()))
        );
    }
}
