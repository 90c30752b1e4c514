//! The requests to a contender: how much, with which key, and under a restricted contract.

use super::*;

#[test]
fn too_few_answers_are_a_failure() {
    let mut host = Host::new("test", "0", Honest);
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let Outcome::Ok(mut computed) = host.compute(&compute) else { panic!("honest") };
        computed.answers.pop();
        Ok(Outcome::Ok(computed))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), Contract::usual(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    let failure = verified.failure().expect("answers are missing");
    assert!(failure.got.contains("answers to"), "{failure}");
}

#[test]
fn a_request_that_fails_fails_its_cases_and_a_dead_runner_is_the_callers_business() {
    let (offer, contract) = (offer(MAC.0, MAC.1), Contract::usual(MAC.1));
    let mut failed = |_: Compute| -> Result<Outcome<Computed>, Infallible> {
        Ok(Outcome::Failed(cupel_protocol::message::Refusal::because("no such function")))
    };
    let Ok(verified) = verify(&mut failed, "x", &offer, &contract, Depth::Warm, &[]);
    assert!(verified.failure().unwrap().got.contains("no such function"));
    let mut dead = |_: Compute| Err("the runner died");
    let died = verify(&mut dead, "x", &offer, &contract, Depth::Warm, &[]);
    assert_eq!(died, Err("the runner died"));
}

#[test]
fn a_fixed_key_is_the_only_one_that_is_asked() {
    let key = "000102030405060708090a0b0c0d0e0f";
    let fixed = Offer { fixed_key: Some(key.to_string()), ..offer(MAC.0, MAC.1) };
    let verified = with_fault(&fixed, Depth::Warm, &[], |case, _| {
        assert_eq!(hex::encode(&case.key), key);
    });
    assert_eq!(verified.failure(), None);
    let vectors =
        vectors::for_operation(MAC.0, MAC.1).iter().filter(|v| hex::encode(&v.key) == key).count();
    assert!(vectors >= 64 && verified.cases > vectors);
}

#[test]
fn requests_stay_bounded() {
    let mut host = Host::new("test", "0", Honest);
    let mut longest = 0;
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let reply = host.compute(&compute);
        let sizes = [serde_json::to_vec(&compute), serde_json::to_vec(&reply)];
        let line = sizes.into_iter().map(|line| line.unwrap().len()).max().unwrap();
        assert!(compute.cases.len() == 1 || line < BATCH + BATCH / 2, "{line}");
        longest = longest.max(line);
        Ok(reply)
    };
    let (offer, contract) = (offer(OPEN.0, OPEN.1), Contract::usual(OPEN.1));
    let measured = [1 << 20, 1_000_000];
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &measured);
    assert_eq!(verified.failure(), None);
    assert!(longest > 1 << 20);
}

#[test]
fn messages_of_7_bit_bytes_are_all_that_is_asked_of_a_contract_that_says_so() {
    for (primitive, operation) in [MAC, MANY, ("sha1", Operation::Digest)] {
        let mut ask = answering(|case: &Case, _: &mut Answer| match &case.input {
            Input::Hex(message) => assert!(message.is_ascii(), "{}", hex::encode(message)),
            Input::Stream { .. } => {}
            Input::File(_) => panic!("no files"),
        });
        let (offer, contract) = (offer(primitive, operation), restricted(operation));
        let Ok(verified) = verify(&mut ask, "honest", &offer, &contract, Depth::Warm, &[777]);
        assert_eq!(verified.failure(), None, "{primitive} {operation}");
        assert!(verified.cases > 30, "{primitive} {operation}");
    }
}

#[test]
fn a_runner_that_does_not_restrict_the_messages_is_found() {
    let mut host = Host::new("test", "0", Honest);
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let contract = Contract { bytes: Bytes::Any, ..compute.contract };
        Ok(host.compute(&Compute { contract, ..compute }))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), restricted(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    assert!(verified.failure().is_some());
}

#[test]
fn a_runner_that_refuses_to_restrict_the_messages_is_not_measured_and_not_wrong() {
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let answer = Answer::Unsupported("this runner does not know `bytes`".to_string());
        Ok(Outcome::Ok(Computed { answers: vec![answer; compute.cases.len()] }))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), restricted(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    assert_eq!((verified.cases, verified.failure()), (0, None));
}
