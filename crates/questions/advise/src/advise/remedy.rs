//! The commands that measure the figures that advice lacks: exactly the user's question, under the
//! contract of the chart.

use super::{Languages, Question};
use cupel_base::name::LANGUAGES;
use cupel_base::primitives;
use cupel_base::text::quoted;
use cupel_plan::Plan;
use cupel_protocol::workload::{Operation, Workload};
use cupel_store::RunRow;
use cupel_suite::{MIX, again, asked};

/// The command that measures a chart of a run again: at these sizes, by these contenders or by all
/// that the run has, and with more options.
pub(super) fn measure<'a>(
    (run, plan): (&RunRow, &'a Plan),
    work: &Workload,
    sizes: &[u64],
    contenders: impl IntoIterator<Item = &'a str>,
    more: &str,
) -> String {
    let command = again(&run.suite, work, sizes, plan.workloads(), contenders, "");
    let mut options = String::new();
    // A run of the usual contract or shape, of a suite that has a different one.
    if ![MIX, asked::NAME].contains(&run.suite.as_str()) {
        let asked_for = |option: &str| run.command.contains(option) && !command.contains(option);
        if asked_for(" --contract") {
            options += &format!(" --contract {}", asked::contract_in_full(&work.on_one_thread()));
        }
        if asked_for(" --shape") {
            options += &format!(" --shape {}", work.shape.name());
        }
    }
    if !more.is_empty() {
        options += &format!(" {more}");
    }
    command + &options
}

/// The command that measures a chart with contenders that its run did not have, as a question;
/// `None` if no question can be about several threads.
pub(super) fn ask<'a>(
    work: &Workload,
    sizes: &[u64],
    contenders: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    (work.contract.threads == 1).then(|| again(asked::NAME, work, sizes, [], contenders, ""))
}

impl Question {
    /// The commands that measure its subject, if it names a primitive: one for each operation.
    pub fn commands(&self) -> Vec<String> {
        let Some(primitive) = &self.primitive else { return vec![] };
        let known = primitives::named(primitive).map_or(&[][..], |known| known.operations);
        // A hash is digested and a code is computed unless the question says otherwise.
        let operations: Vec<Option<Operation>> = match self.operation {
            Some(operation) => vec![Some(operation)],
            None if known.contains(&Operation::Seal) => {
                vec![Some(Operation::Seal), Some(Operation::Open)]
            }
            None => vec![None],
        };
        let mut words = String::new();
        if !self.sizes.is_empty() {
            let sizes: Vec<String> = self.sizes.iter().map(|(size, _)| size.to_string()).collect();
            words += &format!(" {}", sizes.join(","));
        }
        if let Some(language) = self.language() {
            words += &format!(" {}", quoted(language));
        }
        let commands = operations.into_iter().map(|operation| {
            let operation = operation.map_or(String::new(), |operation| format!(" {operation}"));
            format!("cupel ask {}{operation}{words}", quoted(primitive))
        });
        commands.collect()
    }

    /// The language of the candidates, as a part of their names, if there is one language.
    fn language(&self) -> Option<&str> {
        match &self.languages {
            Languages::Every => None,
            Languages::Only(language) | Languages::Of(language) => {
                LANGUAGES.into_iter().find(|known| *known == super::family_of(language))
            }
        }
    }
}
