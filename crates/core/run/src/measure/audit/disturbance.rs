//! Whether a slice was disturbed: something else ran in its place. A disturbed slice takes its pair
//! out of the comparison, on both sides. Being slow is never a reason: the rule looks only at the
//! system's report about the thread, not at how long the slice took compared with others. Page
//! faults are no reason either: they are a part of the cost of a call that maps fresh memory.
//!
//! The threads of a slice may wait for each other: at a lock of the library they sleep, and that is
//! the cost of the calls. So of several threads, only a loss that is not a sleep is a reason.

use cupel_protocol::noise::Noise;

/// The share of a slice that may be lost. If more is lost, the slice does not count.
const TOLERATED: f64 = 0.01;

/// The cost of reading the counters, and of one timer tick, in ns. It never counts as lost.
const SLACK_NS: f64 = 4_000.0;

/// Why a slice of this time in ns, of this many threads, does not count; `None` if it counts.
pub fn reason(elapsed_ns: f64, threads: u32, noise: &Noise) -> Option<String> {
    let tolerated = TOLERATED * elapsed_ns + SLACK_NS * f64::from(threads);
    if threads > 1 {
        return of_threads(tolerated, noise);
    }
    if let Some(wait) = noise.wait_ns.map(|ns| ns as f64)
        && wait > tolerated
    {
        return Some(format!("waited {} us for a processor", us(wait)));
    }
    if let Some(cpu) = noise.cpu_ns.map(|ns| ns as f64)
        && elapsed_ns - cpu > tolerated
    {
        return Some(format!("off the processor for {} us", us(elapsed_ns - cpu)));
    }
    if noise.wait_ns.is_none() && noise.cpu_ns.is_none() && noise.involuntary.unwrap_or(0) > 0 {
        return Some("switched out".to_string());
    }
    None
}

/// Why the calls of several threads do not count, which may lose this time in ns.
fn of_threads(tolerated: f64, noise: &Noise) -> Option<String> {
    // A thread that is woken waits for a moment too, but nothing took its processor.
    let switched = noise.involuntary != Some(0);
    if let Some(wait) = noise.wait_ns.filter(|&wait| switched && wait as f64 > tolerated) {
        return Some(format!("its threads waited {} us for processors", us(wait as f64)));
    }
    if let Some(off) = noise.off_ns.filter(|&off| off as f64 > tolerated) {
        return Some(format!("a thread of it was off its processor for {} us", us(off as f64)));
    }
    let unknown = noise.wait_ns.is_none() && noise.off_ns.is_none();
    (unknown && noise.involuntary.unwrap_or(0) > 0).then(|| "switched out".to_string())
}

fn us(ns: f64) -> f64 {
    (ns / 1000.0).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason_alone(elapsed_ns: f64, noise: &Noise) -> Option<String> {
        super::reason(elapsed_ns, 1, noise)
    }

    const MS: f64 = 1_000_000.0;

    fn noise(cpu_ns: f64, wait_ns: u64) -> Noise {
        Noise { cpu_ns: Some(cpu_ns as u64), wait_ns: Some(wait_ns), ..Noise::default() }
    }

    #[test]
    fn a_quiet_slice_counts_and_a_waiting_one_does_not() {
        assert_eq!(reason_alone(2.0 * MS, &noise(2.0 * MS, 0)), None);
        assert!(
            reason_alone(4.0 * MS, &noise(2.0 * MS, 2_000_000)).unwrap().contains("waited 2000 us")
        );
    }

    #[test]
    fn time_off_the_processor_counts_even_where_no_wait_is_reported() {
        let stolen = Noise { cpu_ns: Some(1_500_000), ..Noise::default() };
        assert!(reason_alone(2.0 * MS, &stolen).unwrap().contains("off the processor"));
    }

    #[test]
    fn a_slow_slice_that_kept_its_processor_counts() {
        assert_eq!(reason_alone(20.0 * MS, &noise(20.0 * MS, 0)), None);
    }

    #[test]
    fn page_faults_are_the_contender_s_own_cost() {
        let faults = Noise { faults: Some(100_000), ..noise(20.0 * MS, 0) };
        assert_eq!(reason_alone(20.0 * MS, &faults), None);
    }

    #[test]
    fn a_slice_counts_if_the_system_reports_nothing() {
        assert_eq!(reason_alone(MS, &Noise::default()), None);
    }

    #[test]
    fn an_involuntary_switch_decides_only_if_nothing_better_is_known() {
        let switched = Noise { involuntary: Some(1), ..Noise::default() };
        assert!(reason_alone(MS, &switched).is_some());
        let harmless = Noise { involuntary: Some(1), ..noise(MS, 1000) };
        assert_eq!(reason_alone(MS, &harmless), None);
    }

    #[test]
    fn threads_that_sleep_at_a_lock_are_not_disturbed() {
        // Four threads for 2 ms, each of which ran for half of it and was woken often.
        let locked = Noise { involuntary: Some(0), ..noise(4.0 * MS, 300_000) };
        assert_eq!(super::reason(2.0 * MS, 4, &locked), None);
        assert_eq!(super::reason(2.0 * MS, 4, &Noise { off_ns: None, ..locked }), None);
    }

    #[test]
    fn threads_that_lose_their_processors_are_disturbed() {
        let quiet = Noise { involuntary: Some(0), off_ns: Some(3000), ..noise(8.0 * MS, 0) };
        assert_eq!(super::reason(2.0 * MS, 4, &quiet), None);
        let stolen = Noise { off_ns: Some(500_000), ..quiet };
        assert!(
            super::reason(2.0 * MS, 4, &stolen).unwrap().contains("off its processor for 500 us")
        );
        let switched = Noise { involuntary: Some(2), ..noise(7.0 * MS, 1_000_000) };
        assert!(super::reason(2.0 * MS, 4, &switched).unwrap().contains("waited 1000 us"));
        let unknown = Noise { involuntary: Some(1), ..Noise::default() };
        assert!(super::reason(2.0 * MS, 4, &unknown).is_some());
    }
}
