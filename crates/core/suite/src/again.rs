//! The command that measures a part of a question again.

use super::asked;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::text::quoted;
use cupel_protocol::workload::{Shape, Shared, Workload};

/// The name of the suite of every mix.
pub const MIX: &str = "mix";

/// The command that measures a workload of a suite again, or of a question that was asked on the
/// command line: at these sizes, only these contenders, and with more options after them, such as
/// `--forks 22`. `all` are the workloads that were measured. The command says which contract and
/// shape of a suite are meant if it may have others: the run may have been asked for one that is
/// not the usual, and a size that the suite does not have is measured under every contract that it
/// has.
pub fn again<'a>(
    suite: &str,
    work: &Workload,
    sizes: &[u64],
    all: impl IntoIterator<Item = &'a Workload>,
    contenders: impl IntoIterator<Item = &'a str>,
    more: &str,
) -> String {
    let Workload { primitive, operation, .. } = work;
    let size = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    // A row of a choice belongs to a contender, and each of its primitives is measured again.
    let mut names: Vec<String> = Vec::new();
    for name in contenders {
        let name = quoted(ContenderName::from(name).contender());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut words = match suite {
        // Only the user has the path of the mix.
        MIX => "cupel advise --mix FILE --again".to_string(),
        asked::NAME => {
            let mut words = format!("cupel ask {} {operation} {size}", quoted(primitive));
            if let Some(contract) = asked::contract_in_words(operation, &work.contract) {
                words += &format!(" --contract {contract}");
            }
            if work.shape == Shape::Latency {
                words += " --shape latency";
            }
            for name in &names {
                words += &format!(" {name}");
            }
            words
        }
        suite => {
            let suite = quoted(suite);
            let mut words = format!(
                "cupel run {suite} --primitive {} --operation {operation} --size {size}",
                primitives::choice(primitive).join(",")
            );
            let own = work.on_one_thread();
            let all: Vec<Workload> = all.into_iter().map(Workload::on_one_thread).collect();
            let alike = measured_too(&own, sizes, &all);
            // No command line can ask for drawn sizes or for threads that share something: there,
            // the command measures the other contracts, too.
            let can_be_said =
                own.contract.lengths.drawn().is_none() && work.contract.shared == Shared::None;
            let differs = asked::contract_in_words(operation, &own.contract).is_some()
                || alike.iter().any(|other| other.contract != own.contract);
            if can_be_said && differs {
                words += &format!(" --contract {}", asked::contract_in_full(&own));
            }
            if own.shape == Shape::Latency || alike.iter().any(|other| other.shape != own.shape) {
                words += &format!(" --shape {}", own.shape.name());
            }
            for name in &names {
                words += &format!(" --contender {name}");
            }
            words
        }
    };
    if !more.is_empty() {
        words += &format!(" {more}");
    }
    words
}

/// The workloads of `all` that a command also measures if it names primitive, operation and sizes
/// of a workload. A size that none of them has is measured in every one.
fn measured_too<'w>(own: &Workload, sizes: &[u64], all: &'w [Workload]) -> Vec<&'w Workload> {
    let primitives = primitives::choice(&own.primitive);
    let mut alike: Vec<&Workload> = all.iter().collect();
    alike.retain(|other| {
        let of_other = primitives::choice(&other.primitive);
        other.operation == own.operation && of_other.iter().any(|one| primitives.contains(one))
    });
    let known: Vec<u64> = alike.iter().map(|other| other.size).collect();
    if sizes.iter().all(|size| known.contains(size)) {
        alike.retain(|other| sizes.contains(&other.size));
    }
    alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Key, Operation};

    /// A command names one of two workloads that differ only in contract or shape.
    #[test]
    fn a_contract_is_named_where_the_suite_has_another() {
        let (own, names) = (work(), ["c/x"]);
        let usual = Workload { contract: Contract::usual(Operation::Seal), ..work() };
        let latency = Workload { shape: Shape::Latency, ..work() };
        let longer = Workload { size: 4096, ..usual.clone() };
        let command = |one: &Workload, all: &[&Workload]| {
            again("q", one, &[64], all.iter().copied(), names, "")
        };
        let start = "cupel run q --primitive aes-256-gcm --operation seal --size 64";
        let said = format!("{start} --contract ad=13,key=per-call --contender c/x");
        assert_eq!(command(&own, &[&own, &longer]), said, "the run may have been asked for it");
        assert_eq!(command(&usual, &[&usual, &longer]), format!("{start} --contender c/x"));
        assert_eq!(
            command(&own, &[&own, &usual]),
            format!("{start} --contract ad=13,key=per-call --contender c/x")
        );
        assert_eq!(
            command(&usual, &[&own, &usual]),
            format!("{start} --contract key=prepared --contender c/x"),
            "what is usual is said, too"
        );
        assert_eq!(
            command(&own, &[&own, &latency]),
            format!("{start} --contract ad=13,key=per-call --shape throughput --contender c/x")
        );
        let usual_latency = Workload { shape: Shape::Latency, ..usual.clone() };
        assert_eq!(
            command(&usual_latency, &[&usual_latency]),
            format!("{start} --shape latency --contender c/x"),
            "the run may have been asked for it"
        );
    }

    /// A size that is nowhere in a suite is measured in all of its workloads.
    #[test]
    fn a_contract_is_named_where_a_new_size_would_be_measured_under_another() {
        let own = work();
        let usual = Workload { contract: Contract::usual(Operation::Seal), size: 4096, ..work() };
        let of_choice = Workload {
            primitive: primitives::choosing(["aes-256-gcm", "chacha20-poly1305"]),
            ..own.clone()
        };
        let command = |one: &Workload, all: &[&Workload], sizes: &[u64]| {
            again("q", one, sizes, all.iter().copied(), [], "")
        };
        let start = "cupel run q --primitive aes-256-gcm --operation seal --size";
        assert_eq!(
            command(&usual, &[&own, &usual], &[100]),
            format!("{start} 100 --contract key=prepared")
        );
        assert_eq!(command(&usual, &[&own, &usual], &[4096]), format!("{start} 4096"));
        assert_eq!(
            command(&usual, &[&of_choice], &[64]),
            format!("{start} 64 --contract key=prepared")
        );
    }

    fn work() -> Workload {
        Workload {
            primitive: "aes-256-gcm".into(),
            operation: Operation::Seal,
            size: 64,
            contract: Contract { key: Key::PerCall, ad: 13, ..Contract::usual(Operation::Seal) },
            shape: Shape::Throughput,
        }
    }

    #[test]
    fn a_part_of_a_suite_is_a_run_and_a_part_of_a_question_is_a_question() {
        let names = ["c/openssl-reused", "c/it's"];
        assert_eq!(
            again("seeds/004", &work(), &[64, 4096], [], names, "--forks 22"),
            "cupel run seeds/004 --primitive aes-256-gcm --operation seal --size 64,4096 --contract \
             ad=13,key=per-call --contender c/openssl-reused --contender 'c/it'\\''s' --forks 22"
        );
        assert_eq!(
            again(asked::NAME, &work(), &[64], [], names, ""),
            "cupel ask aes-256-gcm seal 64 --contract ad=13,key=per-call c/openssl-reused 'c/it'\\''s'"
        );
        assert_eq!(
            again(MIX, &work(), &[64], [], names, "--forks 22"),
            "cupel advise --mix FILE --again --forks 22"
        );
    }
}
