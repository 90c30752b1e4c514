//! Which calls of a slice each thread makes.

/// The part of `count` calls from `first` on that thread `index` of `threads` makes: its first call
/// and their number. The parts are contiguous and in order, cover every call once, and differ by at
/// most one call.
pub fn range(first: u64, count: u64, index: u32, threads: u32) -> (u64, u64) {
    // Below 2^64, because the index is at most the number of threads.
    let [from, to] = [index, index + 1]
        .map(|index| (u128::from(count) * u128::from(index) / u128::from(threads)) as u64);
    (first.wrapping_add(from), to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_of_the_threads_cover_each_call_once_and_in_order() {
        for (first, count) in [(0, 0), (5, 1), (7, 3), (100, 64), (1 << 60, 1001), (3, u64::MAX)] {
            for threads in [1, 2, 3, 7, 64, 1024] {
                let parts: Vec<(u64, u64)> =
                    (0..threads).map(|index| range(first, count, index, threads)).collect();
                let mut next = first;
                for (from, calls) in &parts {
                    assert_eq!(*from, next, "{count} calls by {threads} threads");
                    next = next.wrapping_add(*calls);
                }
                assert_eq!(next, first.wrapping_add(count), "{count} calls by {threads} threads");
                let (least, most) =
                    (parts.iter().map(|p| p.1).min(), parts.iter().map(|p| p.1).max());
                assert!(most.unwrap() - least.unwrap() <= 1, "{count} calls by {threads} threads");
            }
        }
    }
}
