//! In which order threads are given processors.

/// The candidates in the order in which threads get them: all that are on their own core, then
/// those that share a core with one of these, in the same way. `siblings` are the processors of a
/// processor's core, itself among them.
pub fn spread(candidates: &[usize], siblings: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(candidates.len());
    let mut left = candidates.to_vec();
    while !left.is_empty() {
        let mut cores: Vec<usize> = Vec::new();
        let mut shared = Vec::new();
        for cpu in left {
            if cores.contains(&cpu) {
                shared.push(cpu);
            } else {
                order.push(cpu);
                cores.push(cpu);
                cores.extend(siblings(cpu));
            }
        }
        left = shared;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_a_core_only_if_there_is_no_other() {
        // Processors 0 and 4, 1 and 5, ... share a core.
        let pairs = |cpu: usize| vec![cpu % 4, cpu % 4 + 4];
        assert_eq!(spread(&[7, 6, 5, 4, 3, 2, 1, 0], pairs), [7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(spread(&[7, 3, 6, 2], pairs), [7, 6, 3, 2]);
        // Processors 0 and 1, 2 and 3 share a core.
        let adjacent = |cpu: usize| vec![cpu / 2 * 2, cpu / 2 * 2 + 1];
        assert_eq!(spread(&[3, 2, 1, 0], adjacent), [3, 1, 2, 0]);
        // Four processors on a core.
        assert_eq!(
            spread(&[5, 4, 3, 2, 1, 0], |cpu| (cpu / 4 * 4..4 + cpu / 4 * 4).collect()),
            [5, 3, 4, 2, 1, 0]
        );
        assert_eq!(spread(&[9], |_| vec![]), [9], "without a topology");
    }
}
