//! The number of calls in a slice.

/// A slice lasts at least this many times the clock's resolution, so that one step of the clock is
/// at most a thousandth of the measured time.
const RESOLUTIONS: f64 = 1000.0;

/// The shortest time of a call, in ns: guards against a clock that did not advance during the first
/// try.
const SHORTEST_CALL_NS: f64 = 0.01;

/// The number of calls in a slice, for all cells of a comparison: enough for the fastest of them
/// (`fastest_ns_per_call`) to last `target_ns` and 1000 times the clock's resolution, and at least
/// 1.
pub fn iterations(fastest_ns_per_call: f64, resolution_ns: f64, target_ns: f64) -> u64 {
    let wanted = target_ns.max(RESOLUTIONS * resolution_ns);
    // `max` also replaces NaN.
    ((wanted / fastest_ns_per_call.max(SHORTEST_CALL_NS)).ceil() as u64).max(1)
}

/// Into how many equal parts a round's calls are divided for a cell whose call takes `slower` times
/// as long as the fastest one's: the largest power of two with which its slice is still the longer
/// one, and has at least one call. 1 if `slower` is below 2.
pub fn parts(slower: f64, iterations: u64) -> u64 {
    // `max` also replaces NaN.
    let most = (slower.max(1.0) as u64).min(iterations.max(1));
    1 << most.ilog2()
}

/// `iterations` times 1.0 to 1.2, chosen by the uniform number `random_u64`, so that slices do not
/// keep step with a timer or a neighbour (nanobench, `Bench::compare`).
pub fn stretch(iterations: u64, random_u64: u64) -> u64 {
    let choices = u128::from(iterations / 5) + 1;
    iterations.saturating_add(((choices * u128::from(random_u64)) >> 64) as u64)
}
