//! Whether a default and its forced path run different code: by their reports, and by the steps
//! that were seen, which count for more. Only these can show that they run the same: a report is
//! coarse, such as the name of the library, and two codes may share it.

use cupel_protocol::message::knows_its_code;
use cupel_run::seen::BySize;
use cupel_steps::Executed;
use std::collections::BTreeSet;

/// The evidence about the code of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// They run different code: these are the paths that they report, or the instructions that only
    /// one of them executes. The default's first.
    Different(String, String),
    /// Both were seen to run this code, at every size: the switch changes nothing here.
    Same(String),
    /// Neither their reports nor their instructions distinguish them, and they were not seen to run
    /// the same code.
    Unknown,
}

impl Proof {
    /// By the code paths that they report at all sizes.
    pub(super) fn reported(default: &BTreeSet<&str>, forced: &BTreeSet<&str>) -> Proof {
        let are_known = [default, forced]
            .iter()
            .all(|paths| !paths.is_empty() && paths.iter().all(|path| knows_its_code(path)));
        if !are_known || default == forced {
            return Proof::Unknown;
        }
        let [default, forced] =
            [default, forced].map(|paths| Vec::from_iter(paths.iter().copied()).join(" or "));
        Proof::Different(default, forced)
    }

    /// This, unless the steps at the sizes that both were seen at contradict it. They run the same
    /// code only if they were seen to do so at all `sizes` of the claim. Equal numbers of
    /// instructions of each feature are the same code, whatever is reported; instructions of a
    /// feature of the CPU that only one of them executes are different code.
    pub(super) fn unless(
        self,
        sizes: &BTreeSet<u64>,
        default: Option<&BySize>,
        forced: Option<&BySize>,
    ) -> Proof {
        let same = same_at(default, forced);
        let (Some(default), Some(forced)) = (default, forced) else { return self };
        let mut both =
            default.iter().rev().filter_map(|(size, own)| Some((own, forced.get(size)?)));
        if let Some((own, other)) = both.find(|(own, other)| !own.has_the_features_of(other)) {
            return match self {
                Proof::Different(..) => self,
                _ => Proof::Different(words(own, other), words(other, own)),
            };
        }
        if !sizes.is_empty() && sizes.is_subset(&same) {
            return Proof::Same("as many instructions of each feature of the CPU".to_string());
        }
        self
    }
}

/// The sizes at which both were seen to execute the same instructions.
pub(super) fn same_at(default: Option<&BySize>, forced: Option<&BySize>) -> BTreeSet<u64> {
    let (Some(default), Some(forced)) = (default, forced) else { return BTreeSet::new() };
    let both = default.iter().filter_map(|(size, own)| Some((*size, own, forced.get(size)?)));
    both.filter(|(_, own, other)| own.is_the_code_of(other)).map(|(size, ..)| size).collect()
}

/// The instructions that tell one from the other: of features that only it uses, or else all of its
/// features.
fn words(own: &Executed, other: &Executed) -> String {
    let alone: Vec<&str> = own.only_here(other).map(|(name, _)| name).collect();
    let names = if alone.is_empty() { own.features.keys().copied().collect() } else { alone };
    if names.is_empty() {
        "no instructions of a feature".into()
    } else {
        format!("{} instructions", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(instructions: u64, features: &[(&'static str, u64)]) -> BySize {
        let features = features.iter().copied().collect();
        let executed = Executed { instructions, features, ..Executed::default() };
        [(64, executed)].into_iter().collect()
    }

    fn proof(reported: [&str; 2], default: &BySize, forced: &BySize) -> Proof {
        let set = |path| [path].into_iter().collect();
        let sizes = default.keys().chain(forced.keys()).copied().collect();
        let reported = Proof::reported(&set(reported[0]), &set(reported[1]));
        reported.unless(&sizes, Some(default), Some(forced))
    }

    #[test]
    fn instructions_tell_apart_what_is_not_reported() {
        let (sha, avx) = (
            executed(500, &[("SHA", 32), ("SSSE3", 8)]),
            executed(900, &[("AVX2", 50), ("SSSE3", 8)]),
        );
        let expected = Proof::Different("SHA instructions".into(), "AVX2 instructions".into());
        assert_eq!(proof(["unknown", "unknown"], &sha, &avx), expected);
        assert_eq!(proof(["c", "c"], &sha, &avx), expected);
        let named = Proof::Different("sha-ni".into(), "avx2".into());
        assert_eq!(proof(["sha-ni", "avx2"], &sha, &avx), named);
    }

    #[test]
    fn the_same_instructions_are_the_same_code_whatever_is_reported() {
        let sha = executed(500, &[("SHA", 32)]);
        assert_eq!(
            proof(["sha-ni", "portable"], &sha, &sha),
            Proof::Same("as many instructions of each feature of the CPU".into())
        );
        let digits = executed(510, &[("SHA", 32)]);
        assert_eq!(
            proof(["", ""], &sha, &digits),
            Proof::Same("as many instructions of each feature of the CPU".into())
        );
        assert_eq!(
            proof(["", ""], &sha, &sha),
            Proof::Same("as many instructions of each feature of the CPU".into())
        );
    }

    /// The name of a library, which is all that some report, does not identify its code.
    #[test]
    fn one_report_for_both_is_not_the_same_code() {
        let set = |path| [path].into_iter().collect();
        for path in ["org.conscrypt.OpenSSLProvider", "unknown: Botan does not report it"] {
            assert_eq!(Proof::reported(&set(path), &set(path)), Proof::Unknown);
        }
        let cpu = Proof::reported(&set("unknown: a CPU with avx"), &set("unknown: a CPU with sse"));
        assert_eq!(cpu, Proof::Unknown, "what the CPU offers is not what the library takes");
    }

    /// A compiler at run time may need some more or fewer; that is no other code path.
    #[test]
    fn another_number_of_the_same_instructions_proves_nothing() {
        let (one, other) = (executed(500, &[("SHA", 32)]), executed(510, &[("SHA", 34)]));
        assert_eq!(proof(["", ""], &one, &other), Proof::Unknown);
        let none = executed(500, &[]);
        assert_eq!(proof(["", ""], &none, &none), Proof::Unknown);
        assert_eq!(proof(["a", "b"], &one, &other), Proof::Different("a".into(), "b".into()));
    }

    #[test]
    fn what_was_not_seen_at_every_size_is_not_called_the_same() {
        let both: BySize = [
            (64, executed(500, &[("SHA", 32)])[&64].clone()),
            (1024, executed(900, &[])[&64].clone()),
        ]
        .into();
        let one = executed(500, &[("SHA", 32)]);
        assert_eq!(proof(["a", "b"], &one, &both), Proof::Different("a".into(), "b".into()));
        assert_eq!(proof(["", ""], &one, &both), Proof::Unknown);
        // A size that neither was seen at.
        let sizes = [64, 1024].into();
        assert_eq!(Proof::Unknown.unless(&sizes, Some(&one), Some(&one)), Proof::Unknown);
        assert_eq!(same_at(Some(&one), Some(&both)), [64].into());
    }
}
