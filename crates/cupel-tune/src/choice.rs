//! What the measurements say of each class.

use super::question::{Class, DEFAULT};
use cupel_analyse::{Analysis, Ratio};
use cupel_decide::claims::{Answered, Decision, Point};

/// The words of a plan for code paths.
const PATHS: [&str; 3] = ["avx512", "shani", "avx2"];

/// What a class takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The default, because no path is faster at any of its points.
    Default,
    /// A path, because it is faster at one of its points, and not slower at the other.
    Path {
        /// As a plan names it.
        path: String,
        /// The range of its time divided by the default's, over both points.
        low: f64,
        /// The high end of that range.
        high: f64,
    },
    /// The default, although this path is faster at one point: it is slower at the other.
    Divided(String),
    /// The default, because the measurement does not decide.
    Open,
}

/// A class with its choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The class.
    pub class: Class,
    /// What it takes.
    pub choice: Choice,
}

/// Chooses for every class of these primitives.
pub fn choose(analysis: &Analysis, answered: &[Answered], primitives: &[String]) -> Vec<Chosen> {
    let classes = Class::all(primitives).into_iter();
    classes.map(|class| Chosen { choice: of_class(analysis, answered, &class), class }).collect()
}

fn of_class(analysis: &Analysis, answered: &[Answered], class: &Class) -> Choice {
    let mut names: Vec<&str> = Vec::new();
    for one in answered.iter().filter(|one| one.claim.a.as_str() == DEFAULT) {
        let name = one.claim.b.as_str();
        if !names.contains(&name) && analysis.missing(name).is_none() {
            names.push(name);
        }
    }
    decide(names.into_iter().map(|name| {
        let primitive = &class.primitive;
        judged(&class.points.map(|point| compared(analysis, answered, primitive, point, name)))
    }))
}

/// What follows from what is known of each path: of several that are faster, the fastest. An open
/// question is not hidden behind a path that is not a choice.
fn decide(paths: impl Iterator<Item = Judged>) -> Choice {
    let (mut choice, mut best) = (Choice::Default, f64::INFINITY);
    for path in paths {
        match path {
            Judged::Faster { path, low, high, estimate } if estimate < best => {
                best = estimate;
                choice = Choice::Path { path, low, high };
            }
            Judged::Open if !matches!(choice, Choice::Path { .. }) => choice = Choice::Open,
            Judged::Divided(path) if choice == Choice::Default => choice = Choice::Divided(path),
            _ => {}
        }
    }
    choice
}

/// A path next to the default at one point.
struct Compared {
    /// Whether the default is not slower than the path.
    default: Decision,
    /// Whether the path is not slower than the default.
    path: Decision,
    /// The path's time divided by the default's.
    ratio: Option<Ratio>,
    /// The code that ran: the default's, and the path's.
    code: Option<(String, String)>,
}

enum Judged {
    Faster { path: String, low: f64, high: f64, estimate: f64 },
    NotFaster,
    Divided(String),
    Open,
}

fn compared(
    analysis: &Analysis,
    answered: &[Answered],
    primitive: &str,
    (count, size): (u32, u64),
    name: &str,
) -> Compared {
    let [default, path] = [(DEFAULT, name), (name, DEFAULT)].map(|names| {
        let claim = answered.iter().find(|one| {
            let claim = &one.claim;
            (claim.a.as_str(), claim.b.as_str()) == names
                && claim.primitive == primitive
                && claim.contract.batch == count
        });
        claim?.points.iter().find(|point| point.size == size)
    });
    let answer = analysis.comparisons.iter().find(|answer| {
        let workload = &answer.workload;
        workload.primitive == primitive && workload.contract.batch == count && workload.size == size
    });
    let [own, other] = [DEFAULT, name].map(|name| {
        let row = answer?.rows.iter().find(|row| row.contender.as_str() == name)?;
        Some(row.code_path.clone())
    });
    Compared {
        default: default.map_or(Decision::Undecided, Point::decision),
        path: path.map_or(Decision::Undecided, Point::decision),
        ratio: path.and_then(|point| point.measured.as_ref().ok()?.ratio),
        code: own.zip(other),
    }
}

/// What both points say of a path. One that ran the default's own code is nothing to choose, and of
/// one that a plan cannot name nothing follows.
fn judged(points: &[Compared]) -> Judged {
    let mut codes = points.iter().map(|point| point.code.as_ref());
    let Some(Some((_, path))) = codes.next() else { return Judged::Open };
    if !codes.all(|code| code.is_some_and(|(_, other)| other == path))
        || !PATHS.contains(&path.as_str())
    {
        return Judged::Open;
    }
    if points.iter().all(|point| point.code.as_ref().is_some_and(|(default, _)| default == path)) {
        return Judged::NotFaster;
    }
    let faster = points.iter().any(|point| point.default == Decision::Refuted);
    if !faster {
        let none = points.iter().all(|point| point.default == Decision::Held);
        return if none { Judged::NotFaster } else { Judged::Open };
    }
    if points.iter().any(|point| point.path == Decision::Refuted) {
        return Judged::Divided(path.clone());
    }
    let ratios: Option<Vec<Ratio>> = points.iter().map(|point| point.ratio).collect();
    match ratios {
        Some(ratios) if points.iter().all(|point| point.path == Decision::Held) => Judged::Faster {
            path: path.clone(),
            low: ratios.iter().map(|ratio| ratio.low).fold(f64::INFINITY, f64::min),
            high: ratios.iter().map(|ratio| ratio.high).fold(0.0, f64::max),
            estimate: ratios.iter().map(|ratio| ratio.estimate).product::<f64>().sqrt(),
        },
        _ => Judged::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Held, Refuted, Undecided};

    fn point(default: Decision, path: Decision, ratio: f64) -> Compared {
        let ratio = Ratio { estimate: ratio, low: ratio - 0.01, high: ratio + 0.01 };
        let code = Some(("avx512".to_string(), "shani".to_string()));
        Compared { default, path, ratio: Some(ratio), code }
    }

    fn word(points: &[Compared]) -> &'static str {
        match judged(points) {
            Judged::Faster { .. } => "faster",
            Judged::NotFaster => "not faster",
            Judged::Divided(_) => "divided",
            Judged::Open => "open",
        }
    }

    #[test]
    fn a_path_is_chosen_only_if_it_is_slower_nowhere() {
        let (faster, equal) = (|| point(Refuted, Held, 0.8), || point(Held, Held, 1.0));
        let slower = || point(Held, Refuted, 1.2);
        let unknown = || point(Undecided, Undecided, 0.95);
        assert_eq!(word(&[faster(), faster()]), "faster");
        assert_eq!(word(&[faster(), equal()]), "faster");
        assert_eq!(word(&[faster(), slower()]), "divided");
        assert_eq!(word(&[faster(), unknown()]), "open");
        assert_eq!(word(&[equal(), equal()]), "not faster");
        assert_eq!(word(&[slower(), equal()]), "not faster");
        assert_eq!(word(&[unknown(), slower()]), "open");
    }

    #[test]
    fn the_fastest_path_is_chosen_and_an_open_question_is_not_hidden() {
        let faster = |path: &str, estimate: f64| Judged::Faster {
            path: path.to_string(),
            low: estimate - 0.01,
            high: estimate + 0.01,
            estimate,
        };
        let divided = || Judged::Divided("avx2".to_string());
        let word = |paths: Vec<Judged>| match decide(paths.into_iter()) {
            Choice::Path { path, .. } => path,
            other => format!("{other:?}"),
        };
        assert_eq!(word(vec![faster("shani", 0.9), faster("avx2", 0.8)]), "avx2");
        assert_eq!(word(vec![faster("avx2", 0.8), faster("shani", 0.9)]), "avx2");
        assert_eq!(word(vec![Judged::Open, faster("shani", 0.9), divided()]), "shani");
        assert_eq!(word(vec![faster("shani", 0.9), Judged::Open]), "shani");
        assert_eq!(word(vec![divided(), Judged::Open]), "Open");
        assert_eq!(word(vec![Judged::Open, divided()]), "Open");
        assert_eq!(word(vec![Judged::NotFaster, divided()]), "Divided(\"avx2\")");
        assert_eq!(word(vec![Judged::NotFaster]), "Default");
    }

    #[test]
    fn the_range_covers_both_points() {
        let points = [point(Refuted, Held, 0.8), point(Refuted, Held, 0.9)];
        let Judged::Faster { low, high, .. } = judged(&points) else { panic!("not faster") };
        assert!((low - 0.79).abs() < 1e-9 && (high - 0.91).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn code_that_is_the_defaults_own_or_unknown_is_never_chosen() {
        let with = |default: &str, path: &str| {
            let code = Some((default.to_string(), path.to_string()));
            let one = || Compared { code: code.clone(), ..point(Refuted, Held, 0.5) };
            word(&[one(), one()])
        };
        assert_eq!(with("avx512", "avx2"), "faster");
        assert_eq!(with("avx2", "avx2"), "not faster");
        assert_eq!(with("avx512", "neon"), "open");
        let none = || Compared { code: None, ..point(Refuted, Held, 0.5) };
        assert_eq!(word(&[none(), none()]), "open");
    }
}
