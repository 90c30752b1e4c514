//! Leak tests (`cupel verify --leaks`), in their own table, and their results for the contenders of
//! a run. A test does not hold for another build, another version or another machine.
//!
//! A seen leak reaches further than an unseen one. A contender that leaks at one size has code that
//! leaks, so it is known to leak wherever it computes the same primitive, unless that very work was
//! tested. A clean result holds only for the tested work.

use super::{Store, StoreError, damaged, has, is_time, now, wrap};
use cupel_plan::{Code, Plan};
use cupel_protocol::workload::{Contract, Operation, Workload};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Its name. Stores that were made before there were such tests do not have it.
pub(super) const NAME: &str = "leak_test";

/// The table.
pub(super) const TABLE: &str = "
    create table if not exists leak_test (
        id integer primary key,
        tested text not null,             -- a date
        fingerprint text not null,        -- of the machine
        test text not null                -- JSON: the code, the work, the verdict and the leaks
    ) strict;
";

/// The words for a contender without a test.
pub const NOT_TESTED: &str = "not tested";

/// The verdict of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeakVerdict {
    /// Its execution depends on a secret.
    Leaks,
    /// With the secrets of the test, nothing that depends on them was seen.
    NoneSeen,
    /// Neither can be decided here.
    Undecided,
}

impl LeakVerdict {
    /// The words for tables and files.
    pub const fn words(self) -> &'static str {
        match self {
            LeakVerdict::Leaks => "leaks",
            LeakVerdict::NoneSeen => "none seen",
            LeakVerdict::Undecided => "cannot be decided here",
        }
    }
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeakTest {
    /// When it ended, UTC, ISO 8601. The store sets it when it keeps the test.
    #[serde(skip_deserializing, skip_serializing_if = "String::is_empty")]
    pub tested: String,
    /// The code that was tested.
    pub code: Code,
    /// The primitive.
    pub primitive: String,
    /// The operation.
    pub operation: Operation,
    /// The length of the messages in bytes.
    pub size: u64,
    /// The contract.
    pub contract: Contract,
    /// The kind of comparison: `trace` or `time`.
    pub method: String,
    /// The seed of the secrets.
    pub seed: u64,
    /// Its verdict.
    pub verdict: LeakVerdict,
    /// Why there is no verdict, if there is none.
    pub reason: Option<String>,
    /// The leaks.
    pub leaks: Vec<SeenLeak>,
    /// The extent of the comparison, in words. Older tests lack it, and overlooked more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
}

/// A leak that was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLeak {
    /// How it shows: `branch`, `address`, `operand` or `time`.
    pub kind: String,
    /// The secret: `key` or `message`.
    pub secret: String,
    /// Where: file, address and function. For a time, by how many ns and how it was taken.
    pub place: String,
}

impl LeakTest {
    /// Whether it was a test of this work, on however many threads.
    pub fn is_of(&self, work: &Workload) -> bool {
        self.contract == work.on_one_thread().contract
            && (&self.primitive, self.operation, self.size)
                == (&work.primitive, work.operation, work.size)
    }

    /// Whether it counts: a clean result does not, unless it records the comparison.
    fn is_of_today(&self) -> bool {
        self.verdict != LeakVerdict::NoneSeen || self.compared.is_some()
    }

    /// The day on which it was made.
    pub fn day(&self) -> &str {
        self.tested.split('T').next().unwrap_or_default()
    }

    /// How it leaks: `its addresses depend on the key and the message, its branches on the key`.
    pub fn how(&self) -> String {
        let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for leak in &self.leaks {
            kinds.entry(&leak.kind).or_default().insert(&leak.secret);
        }
        let mut words = Vec::new();
        for (kind, secrets) in kinds {
            let (what, depends) = match kind {
                "branch" => ("branches", "depend"),
                "address" => ("addresses", "depend"),
                "operand" => ("operands", "depend"),
                other => (other, "depends"),
            };
            // Once is enough.
            let depends = if words.is_empty() { format!(" {depends}") } else { String::new() };
            let secrets = secrets.into_iter().collect::<Vec<_>>().join(" and the ");
            words.push(format!("its {what}{depends} on the {secrets}"));
        }
        words.join(", ")
    }

    /// Whether another test asked the same question in the same way: the newer of the two counts.
    fn repeats(&self, other: &LeakTest) -> bool {
        let LeakTest { code, primitive, operation, size, contract, method, seed, .. } = self;
        (code, primitive, operation, size)
            == (&other.code, &other.primitive, &other.operation, &other.size)
            && (contract, method, seed) == (&other.contract, &other.method, &other.seed)
    }
}

/// The results of the tests of a run's contenders: each test of their code on the run's machine,
/// the newest first, without those that were repeated.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LeakTests(Vec<LeakTest>);

impl LeakTests {
    /// The tests that no newer one has replaced; `all` has the newest first. A test that decides
    /// nothing replaces none: where a program may not be stepped, earlier findings are still true.
    fn newest(all: Vec<LeakTest>) -> LeakTests {
        let mut tests: Vec<LeakTest> = Vec::new();
        for test in all {
            let decided = tests.iter().filter(|newer| newer.verdict != LeakVerdict::Undecided);
            if !decided.into_iter().any(|newer| newer.repeats(&test)) {
                tests.push(test);
            }
        }
        LeakTests(tests)
    }

    /// Whether none of the contenders was tested.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &LeakTest> {
        self.0.iter()
    }

    /// A digest of all tests.
    pub fn digest(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex::encode(&Sha256::digest(text)[..8])
    }

    /// The test that counts for a contender on some work; `None` if it was not tested. A leak of
    /// the primitive elsewhere counts, unless this very work was tested and none was seen.
    pub fn counting(&self, code: &Code, work: &Workload) -> Option<&LeakTest> {
        let here = self.here(code, work);
        if here.is_some_and(|test| test.verdict != LeakVerdict::Undecided) {
            return here;
        }
        self.leak(code, &work.primitive).or(here)
    }

    /// The test of this very work. If several had other secrets, one that saw a leak; the newest of
    /// those with one verdict.
    pub fn here(&self, code: &Code, work: &Workload) -> Option<&LeakTest> {
        let here = self.iter().filter(|test| test.code == *code && test.is_of(work));
        here.min_by_key(|test| test.verdict)
    }

    /// The newest test that saw a leak of a contender in a primitive, at whichever size.
    pub fn leak(&self, code: &Code, primitive: &str) -> Option<&LeakTest> {
        self.iter().find(|test| {
            test.verdict == LeakVerdict::Leaks && test.code == *code && test.primitive == primitive
        })
    }
}

impl Store {
    /// Keeps a test of a machine, by its fingerprint.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn keep_leak_test(&mut self, fingerprint: &str, test: &LeakTest) -> Result<(), StoreError> {
        self.db.execute_batch(TABLE).map_err(|e| self.wrap(e))?;
        keep(&self.db, &self.path, [&now(), fingerprint], test).map(drop)
    }

    /// The results of the tests of a run's contenders.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub fn leak_tests_of(&self, run: i64) -> Result<LeakTests, StoreError> {
        if !has(&self.db, NAME).map_err(|e| self.wrap(e))? {
            return Ok(LeakTests::default());
        }
        let planned = self.plans(Some(run))?.remove(0);
        self.leak_tests(&planned.plan, &planned.fingerprint)
    }

    /// The results of a machine's tests, by its fingerprint, for the contenders of a plan.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn leak_tests(
        &self,
        plan: &Plan,
        fingerprint: &str,
    ) -> Result<LeakTests, StoreError> {
        if !has(&self.db, NAME).map_err(|e| self.wrap(e))? {
            return Ok(LeakTests::default());
        }
        let codes: Vec<Code> =
            plan.contenders.iter().map(|one| Code::from_programs(one, &plan.programs)).collect();
        let mut tests = self.kept_leak_tests(fingerprint)?;
        tests.retain(|test| codes.contains(&test.code) && test.is_of_today());
        Ok(LeakTests::newest(tests))
    }

    /// A machine's tests, by its fingerprint, the newest first: an imported one may be older than
    /// those that were here before it.
    fn kept_leak_tests(&self, fingerprint: &str) -> Result<Vec<LeakTest>, StoreError> {
        let sql = "select id, tested, test from leak_test where fingerprint = ?
                   order by tested desc, id desc";
        let rows: Vec<(i64, [String; 2])> =
            self.readable("leak test", sql, [fingerprint], |row| {
                Ok((row.get(0)?, [row.get(1)?, row.get(2)?]))
            })?;
        let mut tests: Vec<LeakTest> = Vec::new();
        for (id, [tested, text]) in rows {
            match serde_json::from_str::<LeakTest>(&text) {
                Ok(test) => tests.push(LeakTest { tested, ..test }),
                Err(error) => self.leave_out(&format!("leak test {id}"), &error),
            }
        }
        Ok(tests)
    }
}

/// Adds the tests of another store, which is not trusted: each is read and written again. Returns
/// how many were added.
pub(super) fn import(
    from: &Connection,
    theirs: &Path,
    to: &Connection,
    own: &Path,
) -> Result<usize, StoreError> {
    if !has(from, NAME).map_err(wrap(theirs))? {
        return Ok(0);
    }
    to.execute_batch(TABLE).map_err(wrap(own))?;
    let rows: Vec<[String; 3]> = from
        .prepare("select tested, fingerprint, test from leak_test order by id")
        .and_then(|mut select| {
            select.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?.collect()
        })
        .map_err(wrap(theirs))?;
    let mut added = 0;
    for [tested, fingerprint, text] in rows {
        let test: LeakTest = serde_json::from_str(&text)
            .map_err(|e| damaged(theirs, format!("a leak test: {e}")))?;
        let Code { contender, version, .. } = &test.code;
        let names = [contender.as_str(), version, &test.primitive, &fingerprint];
        if names.iter().any(|name| name.chars().any(char::is_control)) {
            let what = "a leak test has a name with control characters";
            return Err(damaged(theirs, what));
        }
        if !is_time(&tested) {
            return Err(damaged(theirs, "a leak test has an impossible time"));
        }
        added += keep(to, own, [&tested, &fingerprint], &test)?;
    }
    Ok(added)
}

/// Adds a test unless it is there. Returns how many were added.
fn keep(
    db: &Connection,
    path: &Path,
    [tested, fingerprint]: [&str; 2],
    test: &LeakTest,
) -> Result<usize, StoreError> {
    let test = LeakTest { tested: String::new(), ..test.clone() };
    let text = serde_json::to_string(&test).map_err(|e| damaged(path, e.to_string()))?;
    let sql = "insert into leak_test (tested, fingerprint, test) select ?1, ?2, ?3
               where not exists (select 1 from leak_test
                   where tested = ?1 and fingerprint = ?2 and test = ?3)";
    db.execute(sql, params![tested, fingerprint, text]).map_err(wrap(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::Shape;

    fn code(version: &str) -> Code {
        let programs = vec!["digest".to_string()];
        Code { contender: "c/a".into(), version: version.into(), environment: vec![], programs }
    }

    fn work(size: u64) -> Workload {
        let operation = Operation::Mac;
        let contract = Contract::usual(operation);
        let primitive = "hmac-sha256".to_string();
        Workload { primitive, operation, size, contract, shape: Shape::Throughput }
    }

    fn test(size: u64, seed: u64, verdict: LeakVerdict) -> LeakTest {
        let Workload { primitive, operation, contract, .. } = work(size);
        let (tested, method) = (String::new(), "trace".to_string());
        let (code, reason, leaks) = (code("1"), None, vec![]);
        LeakTest {
            tested,
            code,
            primitive,
            operation,
            size,
            contract,
            method,
            seed,
            verdict,
            reason,
            leaks,
            compared: None,
        }
    }

    /// The results of tests at 64 and at 1024 bytes, the newest test first.
    fn said(tests: &[LeakTest]) -> [Option<LeakVerdict>; 2] {
        let tests = LeakTests::newest(tests.to_vec());
        [64, 1024].map(|size| Some(tests.counting(&code("1"), &work(size))?.verdict))
    }

    #[test]
    fn a_leak_reaches_further_than_that_none_was_seen() {
        use LeakVerdict::{Leaks, NoneSeen, Undecided};
        assert_eq!(said(&[]), [None, None]);
        assert_eq!(said(&[test(64, 1, NoneSeen)]), [Some(NoneSeen), None]);
        assert_eq!(said(&[test(64, 1, Leaks)]), [Some(Leaks), Some(Leaks)]);
        let both = [test(1024, 1, NoneSeen), test(64, 1, Leaks)];
        assert_eq!(said(&both), [Some(Leaks), Some(NoneSeen)], "this very work was tested");
        let both = [test(1024, 1, Undecided), test(64, 1, Leaks)];
        assert_eq!(said(&both), [Some(Leaks), Some(Leaks)]);
        let both = [test(64, 2, NoneSeen), test(64, 1, Leaks)];
        assert_eq!(said(&both)[0], Some(Leaks), "other secrets do not hide it");
        let both = [test(64, 2, Undecided), test(64, 1, NoneSeen)];
        assert_eq!(said(&both)[0], Some(NoneSeen));
    }

    #[test]
    fn a_test_that_is_repeated_counts_once_unless_it_decides_nothing() {
        use LeakVerdict::{Leaks, NoneSeen, Undecided};
        assert_eq!(said(&[test(64, 1, NoneSeen), test(64, 1, Leaks)]), [Some(NoneSeen), None]);
        assert_eq!(said(&[test(64, 1, Undecided), test(64, 1, Leaks)])[0], Some(Leaks));
    }

    /// An older store is imported after the test was repeated.
    #[test]
    fn the_newest_test_counts_whenever_it_came_into_the_store() {
        use LeakVerdict::{Leaks, NoneSeen};
        let store = Store::in_memory().unwrap();
        for (tested, verdict) in
            [("2026-02-01T00:00:00Z", Leaks), ("2026-01-01T00:00:00Z", NoneSeen)]
        {
            keep(&store.db, &store.path, [tested, "here"], &test(64, 1, verdict)).unwrap();
        }
        let kept = store.kept_leak_tests("here").unwrap();
        assert_eq!(kept.len(), 2);
        assert_eq!(said(&kept)[0], Some(Leaks));
    }

    #[test]
    fn a_test_is_of_one_build_one_contract_and_any_number_of_threads() {
        let tests = LeakTests(vec![test(64, 1, LeakVerdict::Leaks)]);
        let of = |code: &Code, work: &Workload| tests.counting(code, work).is_some();
        assert!(of(&code("1"), &work(64)));
        let rebuilt = Code { programs: vec!["other".to_string()], ..code("1") };
        let masked = Code { environment: vec!["MASK=1".to_string()], ..code("1") };
        for other in [code("2"), rebuilt, masked] {
            assert!(!of(&other, &work(64)), "{other:?}");
        }
        assert!(!of(&code("1"), &Workload { primitive: "sha256".to_string(), ..work(64) }));
        let with =
            |contract| test(64, 1, LeakVerdict::Leaks).is_of(&Workload { contract, ..work(64) });
        assert!(with(Contract { threads: 4, ..work(64).contract }));
        assert!(!with(Contract { ad: 13, ..work(64).contract }));
    }

    #[test]
    fn a_leak_is_said_with_its_secrets() {
        let seen = |kind: &str, secret: &str| SeenLeak {
            kind: kind.to_string(),
            secret: secret.to_string(),
            place: String::new(),
        };
        let leaks = vec![seen("branch", "key"), seen("address", "message"), seen("address", "key")];
        let test = LeakTest { leaks, ..test(64, 1, LeakVerdict::Leaks) };
        assert_eq!(
            test.how(),
            "its addresses depend on the key and the message, its branches on the key"
        );
    }
}
