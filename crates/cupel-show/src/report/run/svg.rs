//! A run as one picture: a forest plot for each comparison, with dots at the ratios and lines for
//! their intervals. It follows the reader's light or dark theme, and needs no script and no font.

use crate::report::claims::of_run;
use crate::report::print::escaped;
use cupel_analyse::{Analysis, Answer, Ratio, Row, Verdict};
use cupel_base::text::{self, TimeUnit, plain};
use cupel_decide::claims::Verdicts;
use cupel_findings::answer;
use cupel_store::Recorded;
use std::fmt::Write;

const WIDTH: f64 = 800.0;
const ROW: f64 = 22.0;
/// Where the names end, and where the plot begins and ends.
const COLUMNS: (f64, f64, f64) = (240.0, 260.0, 640.0);
/// The text right of the plot.
const RIGHT: &str = "right: the time per call, and its ratio to the baseline's; below 1 is faster";
/// Characters of a line of the answer.
const LINE: usize = 104;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1b1f24 }\
.b { font-weight: 600 } .q { fill: #57606a } .e { text-anchor: end }\
line { stroke: #8c959f } .one { stroke-dasharray: 3 3 }\
.faster { stroke: #1a7f37; fill: #1a7f37 } .slower { stroke: #bc4c00; fill: #bc4c00 }\
.tie { stroke: #57606a; fill: #57606a } line.i { stroke-width: 3 }\
@media (prefers-color-scheme: dark) {\
text { fill: #e6edf3 } .q { fill: #9198a1 }\
.faster { stroke: #3fb950; fill: #3fb950 } .slower { stroke: #f0883e; fill: #f0883e }\
.tie { stroke: #9198a1; fill: #9198a1 } }";

/// The picture as text.
pub fn write(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts) -> String {
    let mut body = String::new();
    let mut y = 10.0;
    let verdicts = of_run::lines(recorded, verdicts);
    for line in verdicts.iter().flat_map(|verdict| wrap(verdict)) {
        y += ROW;
        let _ = writeln!(body, "<text class=\"b\" x=\"10\" y=\"{y}\">{}</text>", escaped(&line));
    }
    let answers = answer::all(recorded, analysis);
    for (answer, said) in analysis.comparisons.iter().zip(&answers) {
        y = comparison(&mut body, answer, &said.answer, y);
    }
    let run = &recorded.run;
    let foot = format!("cupel {}, {}; {}", run.tool, run.started, recorded.machine.line());
    for line in wrap(RIGHT).into_iter().chain(wrap(&foot)) {
        y += ROW;
        let _ = writeln!(body, "<text class=\"q\" x=\"10\" y=\"{y}\">{}</text>", escaped(&line));
    }
    let height = y + 14.0;
    let answers = answers.into_iter().map(|said| said.answer);
    let said: Vec<String> = verdicts.into_iter().chain(answers).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n{body}</svg>\n",
        escaped(&said.join("; "))
    )
}

/// Draws one comparison below `y`, and returns where it ends.
fn comparison(body: &mut String, answer: &Answer, said: &str, mut y: f64) -> f64 {
    for line in wrap(said) {
        y += ROW;
        let _ = writeln!(body, "<text class=\"b\" x=\"10\" y=\"{y}\">{}</text>", escaped(&line));
    }
    let rows: Vec<&Row> = answer.rows.iter().filter(|row| row.ranked() && !row.aside).collect();
    let ends = rows.iter().filter_map(|row| row.ratio).map(bounded);
    let axis = Axis::of(ends.flat_map(|(low, high)| [low, high]));
    let top = y + 8.0;
    let bottom = top + ROW * rows.len() as f64;
    let one = axis.x(1.0);
    let _ = writeln!(
        body,
        "<line class=\"one\" x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>"
    );
    let unit = TimeUnit::of(rows.iter().filter_map(|row| Some(row.ns?.median)));
    for row in rows {
        y += ROW;
        let (name_end, ..) = COLUMNS;
        let base = row.verdict == Verdict::Baseline;
        let class = match row.verdict {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            _ => "tie",
        };
        let name = escaped(&plain(&row.contender));
        let bold = if base { " b" } else { "" };
        let text = y + 5.0;
        let _ =
            writeln!(body, "<text class=\"e{bold}\" x=\"{name_end}\" y=\"{text}\">{name}</text>");
        if let Some(ratio) = row.ratio {
            let (low, high) = bounded(ratio);
            let (from, to) = (axis.x(low), axis.x(high));
            let _ = writeln!(
                body,
                "<line class=\"i {class}\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/>"
            );
        }
        let centre = axis.x(row.ratio.map_or(1.0, |ratio| ratio.estimate));
        let _ = writeln!(body, "<circle class=\"{class}\" cx=\"{centre:.1}\" cy=\"{y}\" r=\"4\"/>");
        let time = row.ns.map_or(String::new(), |ns| unit.time(ns.median));
        let times = match row.ratio {
            Some(ratio) => text::ratio_digits(ratio.estimate),
            None => "baseline".to_string(),
        };
        let _ = writeln!(body, "<text class=\"e\" x=\"720\" y=\"{text}\">{time}</text>");
        let _ = writeln!(body, "<text class=\"e q\" x=\"790\" y=\"{text}\">{times}</text>");
    }
    y + ROW / 2.0
}

/// Where ratios stand: equal factors are equally far apart.
struct Axis {
    low: f64,
    span: f64,
}

impl Axis {
    fn of(ends: impl Iterator<Item = f64>) -> Axis {
        let (low, high) =
            ends.fold((1.0, 1.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        Axis { low: low.ln(), span: (high.ln() - low.ln()).max(0.01) }
    }

    fn x(&self, ratio: f64) -> f64 {
        let (_, left, right) = COLUMNS;
        left + (ratio.ln() - self.low) / self.span * (right - left)
    }
}

/// The ends of an interval as they are drawn: an open one is at ten times the estimate.
fn bounded(ratio: Ratio) -> (f64, f64) {
    let [low, high] =
        [ratio.low, ratio.high].map(|end| end.clamp(ratio.estimate / 10.0, ratio.estimate * 10.0));
    (low, high)
}

/// Breaks a sentence into lines that fit the picture.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > LINE {
            lines.push(word.to_string());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unbounded_interval_can_be_drawn() {
        let (low, high) = bounded(Ratio { estimate: 2.0, low: 0.0, high: f64::INFINITY });
        assert!((low - 0.2).abs() < 1e-9 && (high - 20.0).abs() < 1e-9);
        let (low, high) = bounded(Ratio { estimate: 2.0, low: 1.9, high: 2.1 });
        assert!((low - 1.9).abs() < 1e-9 && (high - 2.1).abs() < 1e-9);
    }

    #[test]
    fn a_long_answer_has_several_lines() {
        let lines = wrap(&"word ".repeat(50));
        assert!(
            lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= LINE),
            "{lines:?}"
        );
    }
}
