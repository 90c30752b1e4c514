//! Which recorded facts separate the machines where a claim is held from those where it is refuted.
//!
//! A fact separates them if it is the same on all machines where the claim is held, and different
//! on each machine where it is refuted. A fact that one of these machines did not record separates
//! nothing: unknown is neither equal nor different.

use cupel_decide::claims::{Answered, Decision, Measured};
use cupel_machine::Machine;
use cupel_protocol::message::knows_its_code;
use std::collections::BTreeSet;

/// A fact that separates machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its subject: `code path of c/openssl`, `CPU feature sha_ni`.
    pub name: String,
    /// Its value on every machine where the claim is held.
    pub held: String,
    /// Its values on the machines where the claim is refuted: each value once, sorted.
    pub refuted: Vec<String>,
}

/// The facts of one machine about one claim.
pub struct Facts {
    /// Each fact with its name, if it is known; those nearest to the code first.
    named: Vec<(String, Option<String>)>,
    /// The features of its processor, if they are known.
    features: Option<BTreeSet<String>>,
}

/// Where the features of the processor stand in the order of the facts: after the two code paths
/// and the mask.
const FEATURES: usize = 3;

impl Facts {
    /// The facts of the runs that decided a claim, with the machine of each run as it was then. A
    /// fact that changed from one of these runs to another is unknown. `None` if no run did.
    pub fn gather(answered: &Answered, machine: impl Fn(i64) -> Machine) -> Option<Facts> {
        let measured = answered.points.iter().filter_map(|point| point.measured.as_ref().ok());
        let each = measured.map(|one| Facts::of_run(answered, one, &machine(one.run)));
        each.reduce(Facts::common)
    }

    fn of_run(answered: &Answered, measured: &Measured, machine: &Machine) -> Facts {
        let (a, b) = (&answered.claim.a, &answered.claim.b);
        let paths = [&measured.code_paths.0, &measured.code_paths.1];
        let [path_a, path_b] = paths.map(|path| known(path).filter(|path| knows_its_code(path)));
        let mask = machine.masked_by.clone().unwrap_or_else(|| "none".to_string());
        // From the nearest to the code that runs to the furthest from it.
        let named = [
            (format!("code path of {a}"), path_a),
            (format!("code path of {b}"), path_b),
            ("mask of features".into(), Some(mask)),
            ("architecture".into(), known(&machine.architecture)),
            ("CPU family, model and stepping".into(), machine.stepping.known().cloned()),
            ("CPU model".into(), machine.cpu.known().cloned()),
            (
                "last-level cache in bytes".into(),
                machine.last_level_cache.known().map(u64::to_string),
            ),
            (format!("version of {a}"), known(&measured.versions.0)),
            (format!("version of {b}"), known(&measured.versions.1)),
            ("operating system".into(), machine.system.known().cloned()),
            ("kernel".into(), machine.kernel.known().cloned()),
            ("microcode".into(), machine.microcode.known().cloned()),
            ("governor".into(), machine.governor.known().cloned()),
            ("hypervisor".into(), machine.hypervisor.known().cloned()),
            ("cores".into(), machine.cores.known().map(usize::to_string)),
            ("processors".into(), machine.processors.known().map(usize::to_string)),
        ];
        let features = machine.extensions();
        Facts {
            named: named.into(),
            features: features.map(|all| all.into_iter().map(String::from).collect()),
        }
    }

    fn common(self, other: Facts) -> Facts {
        let both = self.named.into_iter().zip(other.named);
        let named = both
            .map(|((name, one), (_, two))| (name, one.filter(|one| Some(one) == two.as_ref())))
            .collect();
        let features = self.features.filter(|one| Some(one) == other.features.as_ref());
        Facts { named, features }
    }
}

/// All facts that separate these machines, those nearest to the code first. None if the claim is
/// not held on one of them and refuted on another.
pub fn separating(each: &[(Decision, Facts)]) -> Vec<Fact> {
    let Some((_, first)) = each.first() else { return vec![] };
    let features = each.iter().filter_map(|(_, facts)| facts.features.as_ref()).flatten();
    let features: BTreeSet<&String> = features.collect();
    let mut all = Vec::new();
    for (position, (name, _)) in first.named.iter().enumerate() {
        if position == FEATURES {
            for &feature in &features {
                all.extend(fact(&format!("CPU feature {feature}"), each, |facts| {
                    let has = facts.features.as_ref()?.contains(feature);
                    Some(if has { "present" } else { "absent" }.to_string())
                }));
            }
        }
        all.extend(fact(name, each, |facts| facts.named[position].1.clone()));
    }
    // A claim about two uses of one library has each of its facts once.
    let mut names = BTreeSet::new();
    all.retain(|fact| names.insert(fact.name.clone()));
    all
}

/// The fact, if its value separates the machines.
fn fact(
    name: &str,
    each: &[(Decision, Facts)],
    value: impl Fn(&Facts) -> Option<String>,
) -> Option<Fact> {
    let (mut held, mut refuted) = (BTreeSet::new(), BTreeSet::new());
    for (decision, facts) in each {
        match decision {
            Decision::Held => held.insert(value(facts)?),
            Decision::Refuted => refuted.insert(value(facts)?),
            Decision::Undecided => continue,
        };
    }
    let mut values = held.into_iter();
    let (held, None) = (values.next()?, values.next()) else { return None };
    if refuted.is_empty() || refuted.contains(&held) {
        return None;
    }
    Some(Fact { name: name.to_string(), held, refuted: refuted.into_iter().collect() })
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Held, Refuted, Undecided};

    /// A machine with a code path, a kernel (`None` if it is not recorded) and these features.
    fn machine(
        decision: Decision,
        code_path: &str,
        kernel: Option<&str>,
        features: &[&str],
    ) -> (Decision, Facts) {
        let mut named: Vec<(String, Option<String>)> =
            ["path of a", "path of b", "mask"].map(|n| (n.to_string(), Some("x".into()))).into();
        named[0].1 = Some(code_path.to_string());
        named.push(("kernel".to_string(), kernel.map(String::from)));
        let features = Some(features.iter().map(|f| f.to_string()).collect());
        (decision, Facts { named, features })
    }

    fn names(each: &[(Decision, Facts)]) -> Vec<String> {
        separating(each).into_iter().map(|fact| fact.name).collect()
    }

    #[test]
    fn all_facts_that_separate_are_named_and_the_nearest_first() {
        let each = [
            machine(Held, "shani", Some("6.1"), &["avx2", "sha_ni"]),
            machine(Held, "shani", Some("6.1"), &["sha_ni"]),
            machine(Refuted, "ssse3", Some("5.4"), &["avx2"]),
            machine(Refuted, "portable", Some("5.15"), &[]),
            machine(Undecided, "portable", Some("6.1"), &["sha_ni"]),
        ];
        assert_eq!(names(&each), ["path of a", "CPU feature sha_ni", "kernel"]);
        let all = separating(&each);
        assert_eq!(
            (all[0].held.as_str(), all[0].refuted.join(" ")),
            ("shani", "portable ssse3".into())
        );
        assert_eq!(
            (all[1].held.as_str(), &all[1].refuted[..]),
            ("present", &["absent".into()][..])
        );
    }

    #[test]
    fn a_fact_that_is_not_the_same_where_it_is_held_separates_nothing() {
        let each = [
            machine(Held, "shani", Some("6.1"), &[]),
            machine(Held, "avx2", Some("6.1"), &[]),
            machine(Refuted, "portable", Some("6.1"), &[]),
        ];
        assert_eq!(names(&each), [""; 0]);
    }

    #[test]
    fn a_fact_that_one_refuted_machine_shares_separates_nothing() {
        let each = [
            machine(Held, "shani", Some("6.1"), &[]),
            machine(Refuted, "portable", Some("5.4"), &[]),
            machine(Refuted, "shani", Some("5.4"), &[]),
        ];
        assert_eq!(names(&each), ["kernel"]);
    }

    #[test]
    fn a_fact_that_is_missing_on_one_machine_separates_nothing() {
        for missing in 0..3 {
            let kernel = |place: usize, text| (place != missing).then_some(text);
            let each = [
                machine(Held, "shani", kernel(0, "6.1"), &[]),
                machine(Held, "shani", kernel(1, "6.1"), &[]),
                machine(Refuted, "portable", kernel(2, "5.4"), &[]),
            ];
            assert_eq!(names(&each), ["path of a"], "missing on machine {missing}");
        }
    }

    #[test]
    fn nothing_separates_machines_that_agree() {
        let each =
            [machine(Held, "shani", Some("6.1"), &[]), machine(Undecided, "avx2", None, &[])];
        assert_eq!(names(&each), [""; 0]);
    }

    #[test]
    fn a_fact_that_changed_between_two_runs_of_a_machine_is_unknown() {
        let (_, one) = machine(Held, "shani", Some("6.1"), &["avx2"]);
        let (_, two) = machine(Held, "shani", Some("6.2"), &[]);
        let common = one.common(two);
        assert_eq!(common.named[0].1.as_deref(), Some("shani"));
        assert_eq!((common.named[3].1.as_deref(), common.features), (None, None));
    }
}
