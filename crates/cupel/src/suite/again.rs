//! The command that measures a part of a question again.

use super::asked;
use crate::name::ContenderName;
use crate::primitives;
use crate::text::quoted;
use cupel_protocol::workload::{Shape, Workload};

/// The name of the suite of every mix.
pub const MIX: &str = "mix";

/// The command that measures a workload of a suite again, or of a question that was asked on the
/// command line: at these sizes, only these contenders, and with more options after them, such as
/// `--forks 22`.
pub fn again<'a>(
    suite: &str,
    work: &Workload,
    sizes: &[u64],
    contenders: impl IntoIterator<Item = &'a str>,
    more: &str,
) -> String {
    let Workload { primitive, operation, .. } = work;
    let size = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    // A row of a choice is of a contender, and each of its primitives is measured again.
    let mut names: Vec<String> = Vec::new();
    for name in contenders {
        let name = quoted(ContenderName::from(name).contender());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut words = match suite {
        // Only the user knows where the mix is.
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

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Key, Operation};

    fn work() -> Workload {
        Workload {
            primitive: "aes-256-gcm".into(),
            operation: Operation::Seal,
            size: 64,
            contract: Contract { key: Key::PerCall, ad: 13, ..Contract::of(Operation::Seal) },
            shape: Shape::Throughput,
        }
    }

    #[test]
    fn a_part_of_a_suite_is_a_run_and_a_part_of_a_question_is_a_question() {
        let names = ["c/openssl-reused", "c/it's"];
        assert_eq!(
            again("seeds/004", &work(), &[64, 4096], names, "--forks 22"),
            "cupel run seeds/004 --primitive aes-256-gcm --operation seal --size 64,4096 --contender \
             c/openssl-reused --contender 'c/it'\\''s' --forks 22"
        );
        assert_eq!(
            again(asked::NAME, &work(), &[64], names, ""),
            "cupel ask aes-256-gcm seal 64 --contract ad=13,key=per-call c/openssl-reused 'c/it'\\''s'"
        );
        assert_eq!(
            again(MIX, &work(), &[64], names, "--forks 22"),
            "cupel advise --mix FILE --again --forks 22"
        );
    }
}
