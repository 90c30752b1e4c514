//! The figures of one question: of each run that is shown, its figures for each workload.

use super::Places;
use super::asked::Asked;
use super::choose::{Identity, Shown};
use anyhow::Result;
use cupel_analyse::{Answer, recall};
use cupel_base::chart::ChartKey;
use cupel_decide::claims::{Decision, Verdicts};
use cupel_findings::answer::{self, Sentence};
use cupel_protocol::workload::Workload;
use cupel_store::Store;
use std::collections::BTreeMap;

/// One question with its runs.
pub struct Question {
    /// Its identity.
    pub asked: Asked,
    /// Its question, in the words of the run that began last.
    pub words: String,
    /// Its claims, if it has any.
    pub claims: Vec<Claimed>,
    /// Its charts.
    pub charts: BTreeMap<ChartKey, Chart>,
    /// Whether some runs are on a simulated clock.
    pub simulated: bool,
}

/// A claim, and the decision of the newest run of each machine.
pub struct Claimed {
    /// The claim in a sentence.
    pub sentence: String,
    /// The decision of each machine.
    pub decisions: BTreeMap<Identity, Decision>,
}

/// The workloads that differ only in size.
pub struct Chart {
    /// One of the workloads, for its name.
    pub work: Workload,
    /// One for each run, by machine; the runs of one machine newest first.
    pub lines: Vec<Line>,
}

/// The figures of one run for a chart. Only figures of one line can be compared.
pub struct Line {
    /// The run's number.
    pub run: i64,
    /// Its machine.
    pub place: Identity,
    /// When it began, by its machine's clock.
    pub started: String,
    /// Whether its budget left out contenders with a JIT.
    pub without_jit: bool,
    /// The figures, by size in bytes.
    pub sizes: BTreeMap<u64, Figures>,
}

/// The figures of one run for one workload.
pub struct Figures {
    /// The answer in a sentence.
    pub said: Sentence,
    /// The figures behind it, the fastest first.
    pub answer: Answer,
}

impl Question {
    /// Reads the answers of these runs, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn gather(
        store: &Store,
        asked: &Asked,
        runs: &[Shown],
        places: &Places,
    ) -> Result<Question> {
        let mut question = Question {
            asked: asked.clone(),
            words: String::new(),
            claims: vec![],
            charts: BTreeMap::new(),
            simulated: false,
        };
        for shown in runs {
            let (recorded, analysis) = recall(store, Some(shown.id))?;
            if question.words.is_empty() {
                question.words.clone_from(&recorded.plan.question);
            }
            if asked.is_of_a_line() {
                question.take_claims(Verdicts::for_run(store, shown.id)?, &shown.place);
            }
            question.simulated |= recorded.plan.simulated().unwrap_or(true);
            let said = answer::all(&recorded, &analysis);
            for (answer, said) in analysis.comparisons.into_iter().zip(said) {
                let chart = question
                    .charts
                    .entry(ChartKey::for_workload(&answer.workload))
                    .or_insert_with(|| Chart { work: answer.workload.clone(), lines: vec![] });
                if chart.lines.last().is_none_or(|line| line.run != shown.id) {
                    chart.lines.push(Line {
                        run: shown.id,
                        place: shown.place.clone(),
                        started: shown.started.clone(),
                        without_jit: !recorded.circumstances.left_out.is_empty(),
                        sizes: BTreeMap::new(),
                    });
                }
                let line = chart.lines.last_mut().expect("a line was just pushed");
                line.sizes.insert(answer.workload.size, Figures { said, answer });
            }
        }
        for chart in question.charts.values_mut() {
            // The order among the runs of one machine stays.
            chart.lines.sort_by_key(|line| {
                (places.get(&line.place).map(|place| place.label.clone()), line.place.clone())
            });
        }
        Ok(question)
    }

    /// Takes in a run's decisions on its claims, unless a newer run of its machine did.
    fn take_claims(&mut self, verdicts: Verdicts, place: &Identity) {
        for one in verdicts.claims.answered {
            let sentence = one.claim.relation.sentence(&one.claim.a, &one.claim.b);
            let known = self.claims.iter_mut().find(|claimed| claimed.sentence == sentence);
            let decision = one.decision();
            match known {
                Some(claimed) => {
                    claimed.decisions.entry(place.clone()).or_insert(decision);
                }
                None => {
                    let decisions = BTreeMap::from([(place.clone(), decision)]);
                    self.claims.push(Claimed { sentence, decisions });
                }
            }
        }
    }
}

impl Chart {
    /// All sizes that any run measured, ascending.
    pub fn sizes(&self) -> Vec<u64> {
        let all: std::collections::BTreeSet<u64> =
            self.lines.iter().flat_map(|line| line.sizes.keys().copied()).collect();
        all.into_iter().collect()
    }

    /// For each machine and size, the figures of that machine's newest run.
    pub fn newest(&self) -> BTreeMap<&str, BTreeMap<u64, (&Line, &Figures)>> {
        let mut newest: BTreeMap<&str, BTreeMap<u64, (&Line, &Figures)>> = BTreeMap::new();
        for line in &self.lines {
            for (size, figures) in &line.sizes {
                newest.entry(&line.place).or_default().entry(*size).or_insert((line, figures));
            }
        }
        newest
    }
}
