//! The fold of a slice that the tool expects, compared with the runner's.

use super::*;

/// A text in one line: a sentence may be wrapped anywhere.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_slice_of_7_bit_bytes_has_the_fold_that_the_specification_gives() {
    let workload = |shape, operation: Operation| Workload {
        primitive: "sha256".to_string(),
        operation,
        size: 64,
        contract: restricted(operation),
        shape,
    };
    let prepare = |workload: &Workload| Prepare {
        cell: 1,
        contender: "x".to_string(),
        workload: workload.clone(),
        seed: 1000,
        pool: 4,
        lengths: vec![],
        offset: 9,
        key: vec![],
        ad: vec![],
        file: None,
    };
    let digest = workload(Shape::Throughput, Operation::Digest);
    let mut host = Host::new("test", "0", Honest);
    let Outcome::Ok(_) = host.prepare(&prepare(&digest)) else { panic!("a cell") };
    let slice = Slice { cell: 1, first: 1, preroll: 2, iterations: 10 };
    let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
    let expected = Expected::new(&digest, 1000, (4, &[]), &[], &[], None).unwrap();
    assert_eq!(sliced.fold, expected.fold(1, 2, 10));
    let said = format!("the fold of the same slice is `{:016x}`", sliced.fold);
    let spec = include_str!("../../../../../protocol/SPEC.md");
    assert!(unwrapped(spec).contains(&said), "the specification does not say: {said}");

    let many = workload(Shape::Throughput, Operation::DigestMany);
    let Outcome::Ok(_) = host.prepare(&prepare(&many)) else { panic!("batches") };
    let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice of batches") };
    let expected = Expected::new(&many, 1000, (4, &[]), &[], &[], None).unwrap();
    assert_eq!(sliced.fold, expected.fold(1, 2, 10));

    for (shape, operation) in
        [(Shape::Latency, Operation::Digest), (Shape::Throughput, Operation::DigestFile)]
    {
        let undefined = workload(shape, operation);
        assert!(Expected::new(&undefined, 1000, (4, &[]), &[], &[], None).is_err());
        assert!(matches!(host.prepare(&prepare(&undefined)), Outcome::Unsupported(_)));
    }
}

#[test]
fn a_slice_of_drawn_lengths_has_the_fold_that_the_specification_gives() {
    let lengths = Lengths::Drawn(Histogram::new(vec![(64, 3), (100, 1)]).unwrap());
    let drawn = vec![64, 100, 64, 64];
    let slice = Slice { cell: 1, first: 1, preroll: 2, iterations: 10 };
    let prepare = |primitive: &str, operation, lengths: &Lengths, drawn: &[u32]| {
        let contract = Contract { lengths: lengths.clone(), ..Contract::usual(operation) };
        let shape = Shape::Throughput;
        let primitive = primitive.to_string();
        Prepare {
            cell: 1,
            contender: "x".to_string(),
            key: bytes::stream(3, primitives::named(&primitive).unwrap().key),
            workload: Workload { primitive, operation, size: 100, contract, shape },
            seed: 1000,
            pool: 4,
            lengths: drawn.to_vec(),
            offset: 9,
            ad: vec![],
            file: None,
        }
    };
    let mut host = Host::new("test", "0", Honest);
    let mut folded = |ask: &Prepare| {
        let Outcome::Ok(_) = host.prepare(ask) else { panic!("a cell: {ask:?}") };
        let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice: {ask:?}") };
        sliced.fold
    };
    for (primitive, operation) in [
        ("sha256", Operation::Digest),
        (MAC.0, Operation::Mac),
        ("aes-256-gcm", Operation::Seal),
        ("aes-256-gcm", Operation::Open),
        ("aes-256-gcm", Operation::SealOpen),
    ] {
        let ask = prepare(primitive, operation, &lengths, &drawn);
        let Prepare { workload, key, .. } = &ask;
        let expected = Expected::new(workload, 1000, (4, &drawn), key, &[], None).unwrap();
        let fold = folded(&ask);
        assert_eq!(fold, expected.fold(1, 2, 10), "{operation}");
        // Message 1 is timed twice and is longer, so one that is cut shorter is noticed.
        let shorter = prepare(primitive, operation, &lengths, &[64, 99, 64, 64]);
        assert_ne!(folded(&shorter), fold, "{operation}");
        if operation == Operation::Digest {
            let said = format!("then has the fold `{fold:016x}`");
            let spec = include_str!("../../../../../protocol/SPEC.md");
            assert!(unwrapped(spec).contains(&said), "the specification does not say: {said}");
        }
    }
    for wrong in [&[64, 100, 64][..], &[64, 101, 64, 64], &[]] {
        let ask = prepare("sha256", Operation::Digest, &lengths, wrong);
        assert!(matches!(host.prepare(&ask), Outcome::Failed(_)), "{wrong:?}");
        assert!(Expected::new(&ask.workload, 1000, (4, wrong), &[], &[], None).is_err());
    }
}

#[test]
fn a_slice_folds_to_what_the_tool_expects() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("content");
    std::fs::write(&file, bytes::stream(5, 70_001)).unwrap();
    let file = file.to_str().unwrap();
    let mut checked = 0;
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for shape in [Shape::Throughput, Shape::Latency] {
                for (size, pool, ad) in [(0, 4, 0), (1, 1, 13), (7, 8, 0), (8, 2, 1), (100, 16, 20)]
                {
                    let workload = Workload {
                        primitive: primitive.name.to_string(),
                        operation,
                        size,
                        contract: Contract::usual(operation),
                        shape,
                    };
                    let prepare = Prepare {
                        cell: 1,
                        contender: "x".to_string(),
                        workload: workload.clone(),
                        seed: 99,
                        pool,
                        lengths: vec![],
                        offset: 9,
                        key: bytes::stream(3, primitive.key),
                        ad: bytes::stream(4, ad),
                        file: (operation == Operation::DigestFile).then(|| file.to_string()),
                    };
                    let path = prepare.file.as_deref().map(Path::new);
                    let expected =
                        Expected::new(&workload, 99, (pool, &[]), &prepare.key, &prepare.ad, path);
                    let mut host = Host::new("test", "0", Honest);
                    let Outcome::Ok(_) = host.prepare(&prepare) else {
                        assert!(expected.is_err(), "{workload:?}");
                        continue;
                    };
                    let expected = expected.unwrap();
                    for (first, preroll, iterations) in
                        [(0, 0, 1), (0, 3, 40), (1000, 17, 5), (7, 0, 0), (1 << 40, 1, 33)]
                    {
                        let slice = Slice { cell: 1, first, preroll, iterations };
                        let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
                        let fold = expected.fold(first, preroll, iterations);
                        assert_eq!(sliced.fold, fold, "{workload:?} {slice:?}");
                        checked += 1;
                    }
                }
            }
        }
    }
    // Five slices of five sizes. `latency` is not defined for the size 0, nor for these operations.
    let offers = || primitives::all().iter().flat_map(|primitive| primitive.operations);
    let chained = offers().filter(|operation| {
        use Operation::{DigestFile, DigestMany, Open, SealOpen};
        !matches!(operation, Open | SealOpen | DigestFile | DigestMany)
    });
    assert_eq!(checked, 5 * (offers().count() * 5 + chained.count() * 4));
}

/// Checks the folds of batches of every kind: fewer messages than the pool, more, and of different
/// lengths.
#[test]
fn the_fold_of_a_batch_is_the_sum_of_all_its_digests() {
    for (batch, lengths, pool) in [
        (1, Lengths::Equal, 4),
        (3, Lengths::Equal, 4),
        (64, Lengths::Spread, 64),
        (9, Lengths::Spread, 2),
    ] {
        let contract = Contract { batch, lengths: lengths.clone(), ..Contract::usual(MANY.1) };
        let workload = Workload {
            primitive: MANY.0.to_string(),
            operation: MANY.1,
            size: 100,
            contract,
            shape: Shape::Throughput,
        };
        let expected = Expected::new(&workload, 7, (pool, &[]), &[], &[], None).unwrap();
        let mut host = Host::new("test", "0", Honest);
        let prepare = Prepare {
            cell: 1,
            contender: "x".to_string(),
            workload,
            seed: 7,
            pool,
            lengths: vec![],
            offset: 9,
            key: vec![],
            ad: vec![],
            file: None,
        };
        let Outcome::Ok(_) = host.prepare(&prepare) else { panic!("batches of {batch}") };
        let digests = Ready::new(MANY.0, MANY.1, &[]).unwrap();
        for (first, preroll, iterations) in [(0, 0, 1), (5, 2, 7), (1 << 40, 1, 33)] {
            let slice = Slice { cell: 1, first, preroll, iterations };
            let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
            assert_eq!(sliced.fold, expected.fold(first, preroll, iterations), "{batch} {slice:?}");
            // By the definition, message by message.
            let from = (first + preroll) * u64::from(batch);
            let words = (from..from + iterations * u64::from(batch)).map(|message| {
                let j = message % u64::from(pool);
                let length = lengths.length(j, 100) as usize;
                cupel_protocol::fold::word(&digests.hash(&bytes::stream(7 + j, length)))
            });
            assert_eq!(sliced.fold, words.fold(0, u64::wrapping_add), "{batch} {slice:?}");
        }
    }
}

#[test]
fn an_expectation_can_move_to_a_worker_thread() {
    fn is_send<T: Send>() {}
    is_send::<Expected>();
}
