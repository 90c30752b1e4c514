//! The forgeries that an opener must refuse, without leaving plaintext behind.

use super::*;
use std::cell::Cell;

/// Answers with the plaintext if the honest answer is a refusal and `when` is true.
fn accepts(when: impl Fn(&Case) -> bool) -> impl Fn(&Case, &mut Answer) {
    move |case, answer| {
        if matches!(answer, Answer::Refused(_)) && case.nonce.len() == 12 && when(case) {
            *answer = Answer::Output(plaintext_of(case));
        }
    }
}

#[test]
fn plaintext_despite_a_bad_tag_is_found() {
    for failure in
        [failure_of(OPEN, Depth::Warm, accepts(|_| true)), failure_to_open(accepts(|_| true))]
    {
        assert_eq!(failure.expected, "a refusal", "{failure}");
        assert!(failure.wrong > 30, "{failure}");
    }
}

/// Whether the tag is correct except for its last four bytes, as a library that compares too few
/// bytes would accept.
fn tag_begins_right(case: &Case) -> bool {
    let Input::Hex(sealed) = &case.input else { return false };
    if sealed.len() < 16 {
        return false;
    }
    let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
    let right = ready.seal(&case.nonce, &case.ad, &plaintext_of(case)).unwrap();
    let n = sealed.len();
    sealed[..n - 4] == right[..n - 4]
}

#[test]
fn a_tag_compared_in_part_is_found() {
    let failure = failure_to_open(accepts(tag_begins_right));
    assert_eq!(failure.expected, "a refusal", "{failure}");
    // Official forgeries and our own: the last 32 bits of one message alone are 32 cases.
    assert!(failure.wrong >= 32, "{failure}");
}

#[test]
fn a_tag_that_is_not_checked_once_in_many_calls_is_found_cold_and_warm() {
    for depth in [Depth::Full, Depth::Warm] {
        let calls = Cell::new(0);
        let once_in_many = |_: &Case| {
            calls.set(calls.get() + 1);
            calls.get() % 1000 == 0
        };
        let failure = match depth {
            Depth::Full => failure_to_open(accepts(once_in_many)),
            _ => failure_of(OPEN, depth, accepts(once_in_many)),
        };
        assert_eq!(failure.expected, "a refusal", "{depth:?}: {failure}");
    }
}

#[test]
fn plaintext_left_behind_by_a_refusal_is_found() {
    let mut host = Host::new("test", "0", Leaky);
    let mut ask = |compute: Compute| -> Result<_, Infallible> { Ok(host.compute(&compute)) };
    let (offer, contract) = (offer(OPEN.0, OPEN.1), Contract::usual(OPEN.1));
    let Ok(verified) = verify(&mut ask, "leaky", &offer, &contract, Depth::Warm, &[]);
    let failure = verified.failure().expect("it leaves plaintext");
    assert!(failure.got.contains("left bytes in its output"), "{failure}");
    assert!(failure.wrong > 30, "{failure}");
}

/// Whether the input is a ciphertext and the first `length` bytes of its tag.
fn ends_in_a_tag_of(length: usize, case: &Case) -> bool {
    let Input::Hex(sealed) = &case.input else { return false };
    if sealed.len() < length || case.nonce.len() != 12 {
        return false;
    }
    let whole = [&sealed[..], &[0; 16][..16 - length]].concat();
    let plaintext = unauthenticated(&case.key, &case.nonce, &case.ad, &whole);
    let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
    ready.seal(&case.nonce, &case.ad, &plaintext).unwrap().starts_with(sealed)
}

#[test]
fn a_shorter_tag_that_is_accepted_is_found_cold_and_warm() {
    for length in [4, 12, 15] {
        let short = move |case: &Case| ends_in_a_tag_of(length, case);
        for failure in
            [failure_to_open(accepts(short)), failure_of(OPEN, Depth::Warm, accepts(short))]
        {
            assert_eq!(failure.expected, "a refusal", "{length}: {failure}");
            assert!(failure.case.contains("cut to"), "{length}: {failure}");
        }
    }
}

#[test]
fn a_wrong_bit_at_a_size_in_no_list_is_found_by_a_seed_that_draws_it() {
    let mac = offer(MAC.0, MAC.1);
    let drawn = cases::drawn(4711);
    let size = *drawn.iter().find(|size| !SIZES.contains(size)).unwrap();
    let fault = |case: &Case, answer: &mut Answer| {
        if size_of(case) == size {
            spoil(answer);
        }
    };
    assert_eq!(with_fault(&mac, Depth::Full, &[], fault).failure(), None);
    let failure = with_fault(&mac, Depth::Full, &drawn, fault).failure().unwrap();
    assert_eq!(failure.size, size, "{failure}");
}

#[test]
fn an_accepted_forgery_is_shown_before_an_error_at_a_shorter_message() {
    let fault = |case: &Case, answer: &mut Answer| {
        if matches!(answer, Answer::Output(_)) && size_of(case) < 24 {
            *answer = Answer::Failed("too short".to_string());
        }
        accepts(|case| size_of(case) == 576 + 12)(case, answer);
    };
    let failure = failure_to_open(fault);
    assert!(failure.case.contains("cut to 588 bytes with the tag"), "{failure}");
    assert_eq!(failure.expected, "a refusal", "{failure}");
}

#[test]
fn ignored_associated_data_is_found() {
    // A sealer that never reads it, and an opener that accepts any.
    let ignoring = |case: &Case, answer: &mut Answer| {
        if let (Input::Stream { seed, size }, 12) = (&case.input, case.nonce.len()) {
            let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
            let message = bytes::stream(*seed, *size as usize);
            *answer = Answer::Output(ready.seal(&case.nonce, &[], &message).unwrap());
        }
    };
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, ignoring);
    assert!(failure.case.contains("of ad"), "{failure}");

    let longer = |case: &Case| case.ad.last() == Some(&0);
    let failure = failure_of(OPEN, Depth::Warm, accepts(longer));
    assert!(failure.case.contains("associated data one byte longer"), "{failure}");
    assert_eq!(failure.common, Some("all of altered messages that must be refused"));
}

#[test]
fn truncation_that_is_accepted_is_found() {
    let shorter_than_a_tag = |case: &Case| size_of(case) < 16;
    let failure = failure_of(OPEN, Depth::Warm, accepts(shorter_than_a_tag));
    assert!(failure.case.contains("cut to"), "{failure}");
}

#[test]
fn refusing_what_is_authentic_is_found() {
    let failure = failure_of(OPEN, Depth::Warm, |case, answer| {
        if case.ad.len() == 20 {
            *answer = Answer::Refused("not authentic".to_string());
        }
    });
    assert!(failure.got.starts_with("a refusal"), "{failure}");
}
