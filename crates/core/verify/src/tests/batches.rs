//! Faults of batches of messages.

use super::*;

#[test]
fn digests_that_change_places_in_a_batch_are_found() {
    let failure = failure_of(MANY, Depth::Warm, |case, answer| {
        if let Answer::Output(output) = answer
            && case.lengths.len() >= 16
        {
            let (first, rest) = output.split_at_mut(32);
            first.swap_with_slice(&mut rest[14 * 32..15 * 32]);
        }
    });
    // Equal messages of one length would hide it, but at size 1 two differ.
    assert_eq!(failure.size, 1, "{failure}");
    assert!(failure.case.contains("64 messages of "), "{failure}");
}

#[test]
fn a_fault_of_messages_of_many_lengths_is_found_where_batches_are_of_one() {
    for depth in [Depth::Full, Depth::Warm] {
        let failure = failure_of(MANY, depth, |case, answer| {
            if case.lengths.iter().any(|n| *n != case.lengths[0] && *n >= 64) {
                spoil(answer);
            }
        });
        assert!(failure.case.contains("messages of 0 to "), "{failure}");
    }
}

#[test]
fn a_fault_of_a_row_that_is_not_full_is_found() {
    for count in [1, 7, 17, 33] {
        let failure = failure_of(MANY, Depth::Full, |case, answer| {
            if case.lengths.len() == count && size_of(case) > 0 {
                spoil(answer);
            }
        });
        let phrase =
            if count == 1 { " of 1 bytes".into() } else { format!(" of {count} messages") };
        assert!(failure.case.contains(&phrase), "{failure}");
    }
}

#[test]
fn another_batch_than_the_contract_has_may_be_declined_and_the_contracts_own_may_not() {
    let declines = |which: fn(&Case) -> bool| {
        with_fault(&offer(MANY.0, MANY.1), Depth::Full, &[], move |case, answer| {
            if which(case) {
                *answer = Answer::Unsupported("no such batch".to_string());
            }
        })
    };
    let uneven = |case: &Case| case.lengths.iter().any(|n| *n != case.lengths[0]);
    let verified = declines(|case| case.lengths.len() != 64);
    assert_eq!((verified.failure(), verified.unsupported.len()), (None, 1));
    assert_eq!(declines(uneven).failure(), None);
    assert!(declines(|case| case.lengths.len() == 64).failure().is_some());
}
