//! The results of leak tests of the contenders of a comparison. There is none if no contender was
//! tested.

use crate::Said;
use crate::because::contender;
use cupel_analyse::{Answer, Row};
use cupel_base::text;
use cupel_store::{LeakTest, LeakVerdict, Recorded};

/// The findings about those that have a time.
pub(crate) fn tested(recorded: &Recorded, answer: &Answer) -> Vec<Said> {
    if recorded.leak_tests.is_empty() {
        return vec![];
    }
    let measured = || answer.rows.iter().filter(|row| row.ns.is_some());
    if !measured().any(|row| recorded.leak_test(row.cell).is_some()) {
        return vec![];
    }
    measured().map(|row| said(recorded.leak_test(row.cell), row, answer)).collect()
}

fn said(test: Option<&LeakTest>, row: &Row, answer: &Answer) -> Said {
    let contender = contender(row);
    let Some(test) = test else { return Said::NotTested { contender } };
    let tested = test.day().to_string();
    match test.verdict {
        LeakVerdict::Leaks => Said::Leaks { contender, how: how(test, row, answer), tested },
        LeakVerdict::NoneSeen => {
            let compared = test.compared.clone().unwrap_or_default();
            Said::NoneSeen { contender, compared, tested }
        }
        LeakVerdict::Undecided => Said::LeakUndecided { contender, tested },
    }
}

/// How a contender leaks: `its addresses depend on the key`; and where, if the test did other work.
fn how(test: &LeakTest, row: &Row, answer: &Answer) -> String {
    let mut work = answer.workload.clone();
    if let Some(primitive) = row.contender.primitive() {
        work.primitive = primitive.to_string();
    }
    if test.is_of(&work) {
        return test.how();
    }
    format!("{} in {} of {}", test.how(), test.operation, text::bytes(test.size))
}
