//! Where the key schedule happens: before the timed call, or inside it.

use crate::Timed;
use cupel_protocol::host::{CallError, Io, Refused, Task};
use cupel_protocol::workload::{Key, Shared};

/// Something that is created from a key. Its functions take it by a shared reference, so threads
/// may share it: Rust's types promise that.
pub trait Keyed: Sized + Send + Sync + 'static {
    /// The key schedule.
    ///
    /// # Errors
    /// Why this key cannot be used.
    fn new(key: &[u8]) -> Result<Self, &'static str>;
}

/// Prepares `work` with the key schedule where the task's contract requires it: once now, or in
/// every call. In the latter case the scheduled key is also dropped in the call. If the contract
/// says that threads share a context, they share the scheduled key.
///
/// # Errors
/// `unsupported` for a key that cannot be used, and for a contract that does not mention the key.
pub fn with_key_schedule<K: Keyed>(
    task: &Task,
    work: impl Fn(&K, &Io<'_>, &mut [u8]) -> Result<usize, CallError> + 'static,
) -> Result<Timed, Refused> {
    let schedule = || K::new(&task.key).map_err(Refused::unsupported);
    if (task.contract.key, task.contract.shared) == (Key::Prepared, Shared::Context) {
        let common = task.common.get(schedule)?;
        return Ok(Box::new(move |io, output| work(&common, io, output)));
    }
    let prepared = schedule()?;
    match task.contract.key {
        Key::Prepared => Ok(Box::new(move |io, output| work(&prepared, io, output))),
        Key::PerCall => {
            let key = task.key.clone();
            Ok(Box::new(move |io, output| {
                work(&K::new(&key).map_err(CallError::Failed)?, io, output)
            }))
        }
        Key::None => Err(Refused::unsupported(format!(
            "{} has a key: the contract must say `prepared` or `per-call`",
            task.operation
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::host::Common;
    use cupel_protocol::workload::{Contract, Operation};
    use std::sync::atomic::{AtomicU32, Ordering};

    static SCHEDULED: AtomicU32 = AtomicU32::new(0);

    struct Counted;

    impl Keyed for Counted {
        fn new(_key: &[u8]) -> Result<Self, &'static str> {
            SCHEDULED.fetch_add(1, Ordering::Relaxed);
            Ok(Counted)
        }
    }

    /// The number of key schedules in three calls.
    fn schedules(key: Key) -> u32 {
        let task = Task {
            primitive: String::new(),
            operation: Operation::Mac,
            contract: Contract { key, ..Contract::usual(Operation::Mac) },
            key: vec![],
            chunks: vec![],
            file: None,
            common: Common::default(),
        };
        let Ok(mut timed) = with_key_schedule::<Counted>(&task, |_, _, _| Ok(1)) else { panic!() };
        let before = SCHEDULED.load(Ordering::Relaxed);
        for _ in 0..3 {
            assert_eq!(timed(&Io { nonce: &[], ad: &[], input: &[] }, &mut []), Ok(1));
        }
        SCHEDULED.load(Ordering::Relaxed) - before
    }

    #[test]
    fn a_key_per_call_is_scheduled_in_every_call_and_a_prepared_one_in_none() {
        assert_eq!(schedules(Key::Prepared), 0);
        assert_eq!(schedules(Key::PerCall), 3);
    }

    struct Own(std::thread::ThreadId);

    impl Keyed for Own {
        fn new(_key: &[u8]) -> Result<Self, &'static str> {
            Ok(Own(std::thread::current().id()))
        }
    }

    /// Whether a second thread that opens the same cell uses the key that this one has scheduled.
    fn shared(shared: Shared) -> bool {
        let task = Task {
            primitive: String::new(),
            operation: Operation::Mac,
            contract: Contract { threads: 2, shared, ..Contract::usual(Operation::Mac) },
            key: vec![],
            chunks: vec![],
            file: None,
            common: Common::default(),
        };
        let here = std::thread::current().id();
        let called = || {
            let work = move |own: &Own, _: &Io<'_>, _: &mut [u8]| Ok(usize::from(own.0 == here));
            let Ok(mut timed) = with_key_schedule(&task, work) else { panic!() };
            timed(&Io { nonce: &[], ad: &[], input: &[] }, &mut []).unwrap() == 1
        };
        assert!(called(), "the first thread uses what it has scheduled");
        std::thread::scope(|scope| scope.spawn(called).join().unwrap())
    }

    #[test]
    fn threads_share_a_scheduled_key_only_if_the_contract_says_so() {
        assert!(!shared(Shared::None));
        assert!(shared(Shared::Context));
    }
}
