//! A question from the command line, without a file. It becomes a suite, so that it is checked,
//! measured and stored like any other.

use super::{Group, NewSuite, NewWorkload, Said, Suite};
use cupel_base::primitives;
use cupel_base::problem::Problem;
use cupel_protocol::workload::{Contract, Key, Operation, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use std::time::Duration;

/// The name of the suite of every question from the command line.
pub const NAME: &str = "ask";

/// The sizes of a question that names none, in bytes: a short message, a packet and a record.
pub const SIZES: [u64; 3] = [64, 1024, 16384];

/// The forks of a question. Code that is compiled at run time has fewer, because each takes
/// seconds.
pub const FORKS: u32 = 24;

/// The forks after which contenders leave whose answers are clear, and after which a question without
/// an open answer ends: fewer may all have the same one of two speeds.
const FIRST_FORKS: u32 = ENOUGH_FORKS as u32;

/// The forks after which code that is compiled at run time leaves if it is surely far slower.
const JIT_FIRST_FORKS: usize = 3;

/// The time for measuring a question about one size, in seconds, and for each further size.
const BUDGET_S: u64 = 20;
const BUDGET_OF_SIZE_S: u64 = 10;

/// The longest that measuring a question about all contenders takes, at one size, and for each
/// further one, in seconds: on a quiet machine, it ends sooner.
const USUAL_S: u64 = 60;
const USUAL_OF_SIZE_S: u64 = 10;

/// The longest that measuring any other question takes is this many times its budget: contenders that
/// the user names get the forks that they need.
const USUAL_IF_NAMED: u64 = 9;

/// A question from the command line.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The primitives' standard names.
    pub primitives: Vec<String>,
    /// The operation of the primitives; `None` if each has one operation, or is a hash.
    pub operation: Option<Operation>,
    /// Message lengths in bytes; empty for [`SIZES`].
    pub sizes: Vec<u64>,
    /// Full names or patterns of contenders; empty for all.
    pub contenders: Vec<String>,
    /// Whether these contenders are all that can answer, and not those that the question is about.
    pub is_open: bool,
    /// The contender that the others are compared with; `None` for the first.
    pub baseline: Option<String>,
    /// The differences from the operation's contract, as keys and values.
    pub contract: Vec<(String, String)>,
    /// Whether a call waits for the previous one.
    pub shape: Option<Shape>,
    /// The claims about each primitive, with full names.
    pub claims: Vec<Said>,
    /// The question in words, if it is not which contender is the fastest.
    pub question: Option<String>,
}

impl Asked {
    /// The question as a suite.
    ///
    /// # Errors
    /// The fault of the suite, without a file and line.
    pub fn suite(&self) -> Result<Suite, Problem> {
        let sizes = self.sizes();
        let workloads = self.primitives.iter().map(|primitive| NewWorkload {
            primitive: primitive.clone(),
            operation: self.operation,
            sizes: sizes.clone(),
            contract: self.contract.clone(),
            shape: self.shape,
            contenders: self.contenders.clone(),
            baseline: self.baseline.clone(),
            claims: self.claims.clone(),
            ..NewWorkload::default()
        });
        let suite = NewSuite {
            name: NAME,
            question: self.question(),
            forks: FORKS,
            first_forks: self.is_of_all().then_some(FIRST_FORKS),
            jit_forks: Some(ENOUGH_FORKS),
            // Who is named by the user is what the question is about.
            jit_first_forks: self.is_of_all().then_some(JIT_FIRST_FORKS),
            budget_s: self.is_of_all().then(|| self.budget_s()),
            workloads: workloads.collect(),
        };
        let among = if self.is_open { vec![] } else { sorted(self.contenders.clone()) };
        Ok(Suite { among, ..suite.suite()? })
    }

    /// Whether it is about all contenders, and not about some that the user names, or claims.
    fn is_of_all(&self) -> bool {
        (self.is_open || self.contenders.is_empty()) && self.claims.is_empty()
    }

    /// The longest that measuring takes, if the user gives no time. On a quiet machine most questions take less.
    pub fn usual_time(&self) -> Duration {
        Duration::from_secs(if self.is_of_all() {
            USUAL_S + USUAL_OF_SIZE_S * self.further_sizes()
        } else {
            USUAL_IF_NAMED * self.budget_s()
        })
    }

    fn sizes(&self) -> Vec<u64> {
        if self.sizes.is_empty() { SIZES.to_vec() } else { self.sizes.clone() }
    }

    fn budget_s(&self) -> u64 {
        BUDGET_S + BUDGET_OF_SIZE_S * self.further_sizes()
    }

    /// The sizes of all primitives after the first.
    fn further_sizes(&self) -> u64 {
        (self.sizes().len() * self.primitives.len()).saturating_sub(1) as u64
    }

    fn question(&self) -> String {
        if let Some(question) = &self.question {
            return question.clone();
        }
        let operation = self.operation.map_or(String::new(), |o| format!(" {o}"));
        let names: Vec<String> = self.primitives.iter().map(|p| primitives::in_words(p)).collect();
        let what = format!("{}{operation}", names.join(" and "));
        let with = self.conditions();
        match &self.contenders[..] {
            all if self.is_open || all.is_empty() => format!("Which {what} is the fastest{with}?"),
            [one] if !one.contains('*') => format!("How fast is {one} for {what}{with}?"),
            named => {
                let named = listed(&sorted(named.to_vec()));
                format!("Which of {named} is the fastest for {what}{with}?")
            }
        }
    }

    /// The differences from the usual contract and shape: ` with key=per-call`, or nothing.
    fn conditions(&self) -> String {
        let contract = self.contract.iter().map(|(key, value)| format!("{key}={value}"));
        let latency = self.shape.filter(|shape| *shape == Shape::Latency);
        let all: Vec<String> =
            contract.chain(latency.map(|shape| format!("shape={}", shape.name()))).collect();
        if all.is_empty() { String::new() } else { format!(" with {}", all.join(", ")) }
    }
}

/// Names of contenders in a sentence; many are counted.
pub fn listed(names: &[String]) -> String {
    const NAMED: usize = 4;
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] if names.len() <= NAMED => format!("{} and {last}", some.join(", ")),
        many => format!("{} contenders that were named", many.len()),
    }
}

/// Names in the order in which [`Suite::among`] has them: however they were named, it is the same
/// question.
pub fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

impl Suite {
    /// The suite with its wanted groups under another contract or in another shape. Keys that the
    /// contract lacks stay as usual for the operation.
    ///
    /// # Errors
    /// If an operation cannot have this contract or this shape.
    pub fn under(
        self,
        contract: &[(String, String)],
        shape: Option<Shape>,
        wanted: impl Fn(&Group) -> bool,
    ) -> Result<Suite, Problem> {
        if contract.is_empty() && shape.is_none() {
            return Ok(self);
        }
        let mut groups: Vec<Group> = Vec::new();
        for mut group in self.workloads {
            if wanted(&group) {
                let asked = Asked {
                    primitives: vec![group.primitive.clone()],
                    operation: Some(group.operation),
                    sizes: group.sizes.clone(),
                    contract: contract.to_vec(),
                    shape: Some(shape.unwrap_or(group.shape)),
                    ..Asked::default()
                };
                let asked = asked.suite()?.workloads.swap_remove(0);
                group.contract = if contract.is_empty() { group.contract } else { asked.contract };
                group.shape = asked.shape;
            }
            // Two workloads of the suite may now be one.
            let same = groups.iter_mut().find(|other| {
                (&other.primitive, other.operation, &other.contract, other.shape)
                    == (&group.primitive, group.operation, &group.contract, group.shape)
            });
            match same {
                Some(other) => {
                    other.sizes.extend(group.sizes);
                    other.sizes.sort_unstable();
                    other.sizes.dedup();
                    other.contenders.extend(group.contenders);
                }
                None => groups.push(group),
            }
        }
        Ok(Suite { workloads: groups, ..self })
    }
}

/// Reads `key=per-call,ad=13`.
///
/// # Errors
/// A sentence that shows the form.
pub fn contract(text: &str) -> Result<Vec<(String, String)>, String> {
    let pairs = text.split(',').map(|part| {
        let (key, value) = part.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        // Anything else would be a mistake in the suite's text, and be reported as one.
        let fine = !key.is_empty() && !value.is_empty();
        let plain = key.chars().chain(value.chars()).all(|c| c.is_ascii_alphanumeric() || c == '-');
        (fine && plain).then(|| (key.to_string(), value.to_string()))
    });
    pairs.collect::<Option<Vec<_>>>().ok_or_else(|| {
        format!("\"{text}\" is not a contract; write for example key=per-call,ad=13")
    })
}

/// The differences between a contract and its operation's usual one, as [`contract`] reads them;
/// `None` if there are none.
pub fn contract_in_words(operation: &Operation, contract: &Contract) -> Option<String> {
    let usual = toml::Table::try_from(Contract::usual(*operation)).unwrap_or_default();
    let own = toml::Table::try_from(contract).unwrap_or_default();
    let words: Vec<String> = own
        .into_iter()
        .filter(|(key, value)| usual.get(key) != Some(value))
        .map(|(key, value)| match value.as_str() {
            Some(text) => format!("{key}={text}"),
            None => format!("{key}={value}"),
        })
        .collect();
    (!words.is_empty()).then(|| words.join(","))
}

/// A contract's differences as `--contract` needs them, which must not be empty: if nothing
/// differs, this names a key with its usual value.
pub fn contract_in_full(work: &Workload) -> String {
    let usual = match work.contract.key {
        Key::None => "key=none",
        Key::Prepared => "key=prepared",
        Key::PerCall => "key=per-call",
    };
    contract_in_words(&work.operation, &work.contract).unwrap_or_else(|| usual.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;
    use std::path::Path;

    fn asked(primitive: &str) -> Asked {
        Asked { primitives: vec![primitive.to_string()], ..Asked::default() }
    }

    #[test]
    fn a_question_is_a_suite() {
        let suite = Asked {
            operation: Some(Operation::Seal),
            sizes: vec![4096],
            contenders: vec!["jvm/jdk@temurin-21".into(), "c/with \"quotes\"".into()],
            contract: contract("key=per-call, ad=13").unwrap(),
            ..asked("aes-256-gcm")
        };
        let suite = suite.suite().unwrap();
        let group = &suite.workloads[0];
        assert_eq!((suite.name.as_str(), &group.sizes[..]), (NAME, &[4096][..]));
        assert_eq!((group.contract.key, group.contract.ad), (Key::PerCall, 13));
        let names: Vec<&str> = group.contenders.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(names, ["jvm/jdk@temurin-21", "c/with \"quotes\""]);
    }

    #[test]
    fn a_question_that_names_no_contender_has_less_time() {
        let seconds = |sizes: &[u64], contenders: &[&str]| {
            let (sizes, contenders) = (sizes.to_vec(), contenders.iter().map(|c| c.to_string()));
            Asked { sizes, contenders: contenders.collect(), ..asked("sha256") }
                .usual_time()
                .as_secs()
        };
        assert_eq!((seconds(&[64], &[]), seconds(&[64, 4096], &[])), (60, 70));
        assert_eq!(seconds(&[], &[]), 80, "the three usual sizes");
        assert_eq!((seconds(&[64], &["c/a"]), seconds(&[64, 4096], &["c/a"])), (180, 270));
    }

    /// If all contenders are asked, the ones with a JIT may leave early. Those that the user names, or claims
    /// something of, have all their forks.
    #[test]
    fn only_a_question_about_all_has_a_look() {
        let options = |asked: Asked| asked.suite().unwrap().options;
        let all = options(asked("sha256"));
        let look = all.look().unwrap();
        let of_jit = |range: std::ops::Range<u32>| -> Vec<u32> {
            range.filter(|&fork| all.is_jit_fork(fork)).collect()
        };
        assert_eq!((look.first, look.at, look.again), (6, 11, 13));
        assert_eq!(of_jit(0..11), [6, 8, 10], "six forks of native code come first");
        assert_eq!(of_jit(11..24), [11, 12, 13, 14, 15, 16, 17, 18], "eleven in all");
        assert_eq!(all.budget.as_secs(), 40, "of three sizes");
        let named = Asked { contenders: vec!["c/a".into(), "c/b".into()], ..asked("sha256") };
        let open = Asked { is_open: true, ..named.clone() };
        assert!(options(open).look().is_some());
        assert!(options(named.clone()).look().is_none());
        let claims = vec![super::super::said::parse("c/a > c/b", 0.02).unwrap()];
        assert!(options(Asked { claims, is_open: true, ..named }).look().is_none());
    }

    /// Intervals from the forks before each look, from few forks and from many: together they have the
    /// whole error.
    #[test]
    fn a_look_has_its_share_of_the_error() {
        let options = asked("sha256").suite().unwrap().options;
        let [first, second] = [Turn::First, Turn::Second].map(|turn| options.error_of_look(turn));
        let shares = [first, second, options.error(11), options.error(24)];
        assert!((shares.iter().sum::<f64>() - options.alpha).abs() < 1e-12, "{shares:?}");
        assert!(shares.iter().all(|share| *share > 0.0), "{shares:?}");
        let without = crate::Options { jit_first_forks: None, ..options };
        assert_eq!(without.error_of_look(Turn::First), 0.0);
    }

    #[test]
    fn what_is_left_out_is_the_usual() {
        let suite = asked("sha256").suite().unwrap();
        assert_eq!(suite.workloads[0].sizes, SIZES);
        assert_eq!(suite.workloads[0].operation, Operation::Digest);
        assert_eq!(suite.workloads[0].contenders[0].text, "*");
    }

    #[test]
    fn a_question_in_words_has_its_contenders_and_its_contract() {
        let question = |asked: Asked| asked.suite().unwrap().question;
        let named = |names: &[&str]| Asked {
            contenders: names.iter().map(ToString::to_string).collect(),
            ..asked("sha256")
        };
        assert_eq!(question(asked("sha256")), "Which sha256 is the fastest?");
        let open = Asked { is_open: true, ..named(&["c/a", "c/b"]) };
        assert_eq!(question(open.clone()), "Which sha256 is the fastest?");
        assert_eq!(open.suite().unwrap().among, Vec::<String>::new());
        let two = named(&["c/b", "c/a"]);
        assert_eq!(question(two.clone()), "Which of c/a and c/b is the fastest for sha256?");
        assert_eq!(two.suite().unwrap().among, ["c/a", "c/b"]);
        assert_eq!(question(named(&["c/*"])), "Which of c/* is the fastest for sha256?");
        assert_eq!(question(named(&["c/a"])), "How fast is c/a for sha256?");
        let many = question(named(&["a", "b", "c", "d", "e"]));
        assert_eq!(many, "Which of 5 contenders that were named is the fastest for sha256?");
        let sealed = Asked {
            operation: Some(Operation::Seal),
            contract: contract("key=per-call,ad=13").unwrap(),
            shape: Some(Shape::Latency),
            ..asked("aes-256-gcm")
        };
        let words =
            "Which aes-256-gcm seal is the fastest with key=per-call, ad=13, shape=latency?";
        assert_eq!(question(sealed), words);
    }

    #[test]
    fn a_mistake_has_no_file_and_no_line() {
        let said = |asked: Asked| asked.suite().unwrap_err().to_string();
        let wrong = Asked { contract: contract("kye=per-call").unwrap(), ..asked("aes-256-gcm") };
        let wrong = Asked { operation: Some(Operation::Seal), ..wrong };
        let said_of_key = said(wrong);
        assert!(said_of_key.starts_with("unknown key `kye` in the contract"), "{said_of_key}");
        assert!(said_of_key.contains("did you mean `key`?"), "{said_of_key}");
        assert!(said(asked("aes-256-gcm")).starts_with("which operation of aes-256-gcm?"));
    }

    #[test]
    fn a_suite_is_asked_under_another_contract() {
        let text = "question = \"?\"\n\
            [[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\n\
            contract = { key = \"per-call\" }\n\
            [[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [16]\n\
            [[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n";
        let suite = Suite::parse(Path::new("q.toml"), text.to_string()).unwrap();
        let seal = |group: &Group| group.operation == Operation::Seal;
        let per_call = contract("key=per-call").unwrap();
        let asked = suite.clone().under(&per_call, None, seal).unwrap();
        assert_eq!(asked.workloads.len(), 2, "two workloads have become one");
        assert_eq!(asked.workloads[0].sizes, [16, 64]);
        assert_eq!(asked.workloads[0].contract.key, Key::PerCall);
        let latency = suite.clone().under(&[], Some(Shape::Latency), |g| !seal(g)).unwrap();
        assert_eq!(latency.workloads[2].shape, Shape::Latency);
        assert_eq!(latency.workloads[0].contract.key, Key::PerCall, "as it was");
        let refused = suite.under(&per_call, None, |_| true).unwrap_err().to_string();
        assert!(refused.starts_with("a contract of digest cannot have key"), "{refused}");
    }

    #[test]
    fn a_contract_is_read_back_from_its_words() {
        let usual = Contract::usual(Operation::Seal);
        assert_eq!(contract_in_words(&Operation::Seal, &usual), None);
        let other = Contract { key: Key::PerCall, ad: 13, chunk: 7, ..usual };
        let words = contract_in_words(&Operation::Seal, &other).unwrap();
        let suite = Asked {
            operation: Some(Operation::Seal),
            contract: contract(&words).unwrap(),
            ..asked("aes-256-gcm")
        };
        assert_eq!(suite.suite().unwrap().workloads[0].contract, other);
        for wrong in ["", "key", "key=", "key=a b", "key=\"x\"", "a=1,,b=2"] {
            assert!(contract(wrong).is_err(), "{wrong}");
        }
    }
}
