//! Wrong answers, and answers that are missing.

use super::*;
use cupel_contender::{Contender, State};

#[test]
fn an_honest_contender_passes_everything_that_the_tool_can_check() {
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for depth in [Depth::Warm, Depth::Full] {
                // A debug build would need minutes to hash these; siphash represents all of them at
                // `Full`.
                if depth == Depth::Full && primitive.name != "siphash-2-4" {
                    continue;
                }
                let verified =
                    with_fault(&offer(primitive.name, operation), depth, &[777], |_, _| {});
                assert_eq!(verified.failure(), None, "{} {operation}", primitive.name);
                assert!(verified.cases > 30, "{} {operation}", primitive.name);
            }
        }
    }
}

#[test]
fn the_smallest_wrong_size_between_two_that_were_asked_is_found() {
    let failure = failure_of(MAC, Depth::Full, |case, answer| {
        if size_of(case) > 4096 {
            spoil(answer);
        }
    });
    assert_eq!(failure.size, 4097, "{failure}");
    assert_eq!(failure.common, None);
    assert!(failure.wrong < failure.of);
}

#[test]
fn a_fault_at_one_size_only_is_found_warm_and_cold() {
    for depth in [Depth::Full, Depth::Warm] {
        let failure = failure_of(MAC, depth, |case, answer| {
            if size_of(case) == 56 {
                spoil(answer);
            }
        });
        assert_eq!(failure.size, 56, "{depth:?}: {failure}");
    }
}

#[test]
fn a_wrong_byte_in_the_middle_of_a_long_output_is_found_and_located() {
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, |case, answer| {
        if let Answer::Output(output) = answer
            && size_of(case) >= 2000
        {
            output[1500] ^= 1;
        }
    });
    assert_eq!(failure.size, 2000, "{failure}");
    assert!(failure.got.ends_with("wrong from byte 1500 on"), "{failure}");
}

#[test]
fn a_measured_size_that_is_wrong_once_warm_is_found() {
    let mac = offer(MAC.0, MAC.1);
    let fault = |case: &Case, answer: &mut Answer| {
        if size_of(case) == 100_003 {
            spoil(answer);
        }
    };
    assert_eq!(with_fault(&mac, Depth::Warm, &[], fault).failure(), None);
    let failure = with_fault(&mac, Depth::Warm, &[100_003], fault).failure().unwrap();
    assert_eq!(failure.size, 100_003, "{failure}");
}

#[test]
fn a_fault_of_unaligned_messages_is_found_and_named() {
    let failure = failure_of(MAC, Depth::Full, |case, answer| {
        if case.offset == 31 && size_of(case) >= 64 {
            spoil(answer);
        }
    });
    assert_eq!(failure.size, 64, "{failure}");
    assert!(failure.case.contains("offset 31 in one call"), "{failure}");
    assert_eq!(failure.common, Some("all unaligned to a cache line"));
}

#[test]
fn a_fault_of_streamed_messages_is_found_and_named() {
    for broken in [vec![1], vec![3, 61, 7], vec![64], vec![127, 1], vec![4096, 13]] {
        let failure = failure_of(MAC, Depth::Full, |case, answer| {
            if case.chunks == broken && size_of(case) > 0 {
                spoil(answer);
            }
        });
        assert_eq!(failure.size, 1, "{failure}");
        assert!(failure.case.contains(&format!("{broken:?}")), "{failure}");
        assert_eq!(failure.common, Some("all streamed"));
    }
}

#[test]
fn not_streaming_is_noted_and_is_not_a_failure() {
    let verified = with_fault(&offer(MAC.0, MAC.1), Depth::Full, &[], |case, answer| {
        if !case.chunks.is_empty() {
            *answer = Answer::Unsupported("one call only".to_string());
        }
    });
    assert_eq!(verified.failure(), None);
    assert_eq!(verified.unsupported, ["one call only"]);
}

#[test]
fn an_offer_that_is_not_kept_is_a_failure() {
    let failure = failure_of(MAC, Depth::Warm, |_, answer| {
        *answer = Answer::Unsupported("not today".to_string());
    });
    assert!(failure.got.contains("not today"), "{failure}");
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, |case, answer| {
        if case.nonce.len() == 12 && size_of(case) == 0 {
            *answer = Answer::Unsupported("no empty messages".to_string());
        }
    });
    assert_eq!(failure.size, 0, "{failure}");
}

#[test]
fn a_contract_that_a_contender_does_not_do_leaves_no_case_and_no_failure() {
    leaves_nothing(MAC, Contract { chunk: 64, ..Contract::usual(MAC.1) });
    // Some of its cases must be refused, and this is a refusal of them, too.
    let open = ("aes-256-gcm", Operation::Open);
    leaves_nothing(open, Contract { chunk: 64, ..Contract::usual(open.1) });
    let shared = Contract { threads: 2, shared: Shared::Context, ..Contract::usual(open.1) };
    leaves_nothing(open, shared);
}

#[track_caller]
fn leaves_nothing(of: (&str, Operation), contract: Contract) {
    let offer = offer(of.0, of.1);
    let mut asked = 0;
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        asked += 1;
        assert_eq!(compute.contract, contract);
        let answer = Answer::Unsupported("one call only".to_string());
        Ok(Outcome::Ok(Computed { answers: vec![answer; compute.cases.len()] }))
    };
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    let unsupported = vec!["one call only".to_string()];
    assert_eq!(verified, Verified { cases: 0, unsupported, unfit: None });
    assert!(asked > 0);
}

#[test]
fn what_this_machine_lacks_is_no_failure_unless_something_was_answered() {
    let offer = offer(MAC.0, MAC.1);
    let contract = Contract::usual(MAC.1);
    let lacking = || Outcome::Missing(Refusal::because("the CPU lacks it"));
    let mut asked = 0;
    let mut ask = |_| -> Result<_, Infallible> {
        asked += 1;
        Ok(lacking())
    };
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Full, &[]);
    let unfit = Some(Unfit::Missing(Refusal::because("the CPU lacks it")));
    assert_eq!(verified, Verified { cases: 0, unsupported: vec![], unfit });
    assert_eq!(asked, 1, "nothing more is asked");

    let mut honest = answering(|_, _| {});
    let mut asked = 0;
    let mut ask = |compute| {
        asked += 1;
        if asked == 1 { honest(compute) } else { Ok(lacking()) }
    };
    let Ok(verified) = verify(&mut ask, "honest", &offer, &contract, Depth::Full, &[]);
    let failure = verified.failure().expect("it answered at first").to_string();
    assert!(failure.contains("missing: the CPU lacks it"), "{failure}");
}

#[test]
#[ignore = "prints what verification costs; run in release mode"]
fn cost() {
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for depth in [Depth::Full, Depth::Warm, Depth::Full, Depth::Warm] {
                let start = std::time::Instant::now();
                let verified = with_fault(&offer(primitive.name, operation), depth, &[], |_, _| {});
                let ms = start.elapsed().as_secs_f64() * 1e3;
                let (name, cases) = (primitive.name, verified.cases);
                println!("{name:16} {operation:12} {depth:?} {cases:5} cases {ms:8.1} ms");
            }
        }
    }
}

/// A counter of bits that has 32 bits, as in `uint32_t count`.
#[test]
#[ignore = "hashes several GiB"]
fn a_length_that_overflows_is_found_only_where_so_long_a_message_is_asked() {
    let offers = vec![offer("sha256", Operation::Digest), offer("aes-256-gcm", Operation::Seal)];
    let contender = Contender { offers, ..Contender::new("c/any".into(), State::Unbuilt) };
    let [usual, long] =
        [false, true].map(|long| contenders::every_offer(std::slice::from_ref(&contender), long));
    assert!(usual.iter().all(|claim| claim.sizes.is_empty()));
    let [digest, seal] = &long[..] else { panic!("{long:?}") };
    assert_eq!(seal.sizes, [0; 0], "the answer would be too long for a line");
    let overflows = |case: &Case, answer: &mut Answer| {
        if size_of(case) >= 1 << 29 {
            spoil(answer);
        }
    };
    let found = |sizes: &[u64]| with_fault(&digest.offer, Depth::Warm, sizes, overflows).failure();
    assert_eq!(found(&usual[0].sizes), None);
    let failure = found(&digest.sizes).expect("it is wrong");
    assert_eq!(failure.size, 1 << 29, "{failure}");
}
