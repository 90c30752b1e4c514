//! A run as one picture: a forest plot for each comparison, with dots at the ratios and lines for
//! their intervals. It follows the reader's light or dark theme, and needs no script and no font.

use crate::report::claims::of_run;
use crate::report::print::escaped;
use cupel_analyse::{Analysis, Answer, Ratio, Row, Verdict};
use cupel_base::name::labels;
use cupel_base::text::{self, TimeUnit, count, plain};
use cupel_decide::claims::Verdicts;
use cupel_findings::answer;
use cupel_store::Recorded;
use std::collections::BTreeSet;
use std::fmt::Write;

const WIDTH: f64 = 800.0;
const ROW: f64 = 22.0;
/// The height of an axis: its ticks, their numbers, and the words below them.
const AXIS: f64 = 42.0;
/// The least distance between two ticks.
const APART: f64 = 34.0;
/// Half the height of the ends of an interval, which are seen above and below its dot.
const CAP: f64 = 6.0;

/// Where the parts of a row are, and how many rows a comparison has at most.
struct Layout {
    /// Where names end, and how many characters they have.
    names: (f64, usize),
    /// Where the plot begins and ends.
    plot: (f64, f64),
    /// Where the times end.
    times: f64,
    /// Where the ratios end, if there is space for them.
    ratios: Option<f64>,
    rows: usize,
    /// Whether the words below the axis name the baseline.
    names_baseline: bool,
}

const PICTURE: Layout = Layout {
    names: (240.0, 32),
    plot: (260.0, 640.0),
    times: 720.0,
    ratios: Some(790.0),
    rows: 10,
    names_baseline: true,
};
const SMALL: Layout = Layout {
    names: (184.0, 23),
    plot: (196.0, 388.0),
    times: 458.0,
    ratios: None,
    rows: 5,
    names_baseline: false,
};
const SMALL_WIDTH: f64 = 460.0;

/// The text right of the plot.
const RIGHT: &str = "right: the time per call, and its ratio to the baseline's; below 1 is faster";
/// Characters of a line of the answer.
const LINE: usize = 104;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1b1f24 }\
.b { font-weight: 600 } .q { fill: #57606a } .e { text-anchor: end }\
line { stroke: #8c959f } .one { stroke-dasharray: 3 3 }\
.faster { stroke: #1a7f37; fill: #1a7f37 } .slower { stroke: #bc4c00; fill: #bc4c00 }\
.tie { stroke: #57606a; fill: #57606a } line.i { stroke-width: 2 }\
.open { stroke-dasharray: 5 4 }\
.a { fill: #57606a; text-anchor: middle }\
@media (prefers-color-scheme: dark) {\
text { fill: #e6edf3 } .q, .a { fill: #9198a1 }\
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
    // One scale, so that comparisons can be compared.
    let shown = analysis.comparisons.iter().flat_map(|answer| foremost(answer, PICTURE.rows));
    let axis = Axis::for_rows(shown, &PICTURE);
    let mut left_out = 0;
    for (answer, said) in analysis.comparisons.iter().zip(&answers) {
        for line in wrap(&said.answer) {
            y += ROW;
            let _ =
                writeln!(body, "<text class=\"b\" x=\"10\" y=\"{y}\">{}</text>", escaped(&line));
        }
        let rows = foremost(answer, PICTURE.rows);
        left_out += ranked(answer).len() - rows.len();
        y = comparison(&mut body, &rows, &axis, &PICTURE, y);
    }
    let run = &recorded.run;
    let foot = format!("cupel {}, {}; {}", run.tool, run.started, recorded.machine.line());
    let left_out = match left_out {
        0 => String::new(),
        more => {
            let rows = count(more, "row");
            format!("drawn: the best of each language, and the fastest; {rows} not drawn")
        }
    };
    let below = wrap(&left_out).into_iter().filter(|line| !line.is_empty());
    for line in below.chain(wrap(RIGHT)).chain(wrap(&foot)) {
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

/// A small chart for a page, whose style has the classes.
pub struct SmallChart {
    /// The picture.
    pub svg: String,
    /// How many contenders are drawn.
    pub drawn: usize,
    /// How many could be.
    pub of: usize,
}

/// One comparison as a small chart: `None` if nothing in it has a time.
pub fn small(answer: &Answer) -> Option<SmallChart> {
    let rows = foremost(answer, SMALL.rows);
    let first = rows.first()?;
    let axis = Axis::for_rows(rows.iter().copied(), &SMALL);
    let mut body = String::new();
    let height = comparison(&mut body, &rows, &axis, &SMALL, -8.0);
    let of = ranked(answer).len();
    let title = format!("{} is drawn first of {of}", first.contender);
    let svg = format!(
        "<svg class=\"small-chart\" viewBox=\"0 0 {SMALL_WIDTH} {height}\" \
         width=\"{SMALL_WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n{body}</svg>\n",
        escaped(&title)
    );
    Some(SmallChart { svg, drawn: rows.len(), of })
}

/// The rows that may be drawn, the fastest first.
fn ranked(answer: &Answer) -> Vec<&Row> {
    answer.rows.iter().filter(|row| row.ranked() && !row.aside).collect()
}

/// At most this number of rows: the baseline, the best of each language, and then the fastest.
fn foremost(answer: &Answer, most: usize) -> Vec<&Row> {
    let all = ranked(answer);
    let mut languages = BTreeSet::new();
    let mut wanted: Vec<usize> = Vec::new();
    wanted.extend(all.iter().position(|row| row.verdict == Verdict::Baseline));
    for (place, row) in all.iter().enumerate() {
        if languages.insert(row.contender.language()) {
            wanted.push(place);
        }
    }
    wanted.extend(0..all.len());
    let mut chosen = BTreeSet::new();
    for place in wanted {
        if chosen.len() < most {
            chosen.insert(place);
        }
    }
    chosen.into_iter().map(|place| all[place]).collect()
}

/// Draws the rows of one comparison below `y`, and returns where their axis ends.
fn comparison(body: &mut String, rows: &[&Row], axis: &Axis, layout: &Layout, mut y: f64) -> f64 {
    let top = y + 8.0;
    let bottom = top + ROW * rows.len() as f64;
    let one = axis.x(1.0);
    let _ = writeln!(
        body,
        "<line class=\"one\" x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>"
    );
    let unit = TimeUnit::for_shortest(rows.iter().filter_map(|row| Some(row.ns?.median)));
    let names: Vec<String> = rows.iter().map(|row| plain(&row.contender)).collect();
    let (name_end, letters) = layout.names;
    for (row, name) in rows.iter().zip(labels(&names, letters)) {
        y += ROW;
        let bold = if row.verdict == Verdict::Baseline { " b" } else { "" };
        let text = y + 5.0;
        let name = escaped(&name);
        let _ =
            writeln!(body, "<text class=\"e{bold}\" x=\"{name_end}\" y=\"{text}\">{name}</text>");
        marks(body, row, axis, y);
        let time = row.ns.map_or(String::new(), |ns| unit.time(ns.median));
        let times = match row.ratio {
            Some(ratio) => text::ratio_digits(ratio.estimate),
            None if row.verdict == Verdict::Baseline => "baseline".to_string(),
            None => "-".to_string(),
        };
        let at = layout.times;
        let _ = writeln!(body, "<text class=\"e\" x=\"{at}\" y=\"{text}\">{time}</text>");
        if let Some(at) = layout.ratios {
            let _ = writeln!(body, "<text class=\"e q\" x=\"{at}\" y=\"{text}\">{times}</text>");
        }
    }
    let baseline = rows.iter().find(|row| row.verdict == Verdict::Baseline);
    let to = match baseline {
        Some(row) if layout.names_baseline => format!(" as {}", plain(&row.contender)),
        _ => String::new(),
    };
    axis.draw(body, bottom, &format!("times as long{to}, logarithmic scale"));
    bottom + AXIS
}

/// The interval of a row with its ends, and its dot.
fn marks(body: &mut String, row: &Row, axis: &Axis, y: f64) {
    let class = match row.verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        _ => "tie",
    };
    let Some(centre) = row.ratio.map(|ratio| ratio.estimate).or_else(|| {
        // The line of 1 is the baseline's time.
        (row.verdict == Verdict::Baseline).then_some(1.0)
    }) else {
        return;
    };
    if let Some(ratio) = row.ratio {
        let [low, high] = known_ends(ratio);
        let (left, right) = axis.plot;
        let (from, to) = (low.map_or(left, |x| axis.x(x)), high.map_or(right, |x| axis.x(x)));
        let open = if low.is_none() || high.is_none() { " open" } else { "" };
        let _ = writeln!(
            body,
            "<line class=\"i {class}{open}\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/>"
        );
        let (above, below) = (y - CAP, y + CAP);
        for x in [low, high].into_iter().flatten().map(|end| axis.x(end)) {
            let _ = writeln!(
                body,
                "<line class=\"i {class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{above}\" y2=\"{below}\"/>"
            );
        }
    }
    let centre = axis.x(centre);
    let _ = writeln!(body, "<circle class=\"{class}\" cx=\"{centre:.1}\" cy=\"{y}\" r=\"3\"/>");
}

/// Where ratios stand: equal factors are equally far apart.
struct Axis {
    low: f64,
    high: f64,
    plot: (f64, f64),
}

impl Axis {
    /// An axis for all intervals of these rows, and for 1.
    fn for_rows<'a>(rows: impl Iterator<Item = &'a Row>, layout: &Layout) -> Axis {
        let (mut low, mut high) = (1.0_f64, 1.0_f64);
        for ratio in rows.filter_map(|row| row.ratio) {
            for end in known_ends(ratio).into_iter().flatten().chain([ratio.estimate]) {
                (low, high) = (low.min(end), high.max(end));
            }
        }
        // Marks at the ends have space.
        let room = (high / low).max(1.01).powf(0.03);
        Axis { low: low / room, high: high * room, plot: layout.plot }
    }

    fn x(&self, ratio: f64) -> f64 {
        let (left, right) = self.plot;
        left + (ratio / self.low).ln() / (self.high / self.low).ln() * (right - left)
    }

    /// The axis below rows that end at `y`: a line, ticks with their numbers, and their meaning.
    fn draw(&self, body: &mut String, y: f64, what: &str) {
        let (left, right) = self.plot;
        let _ = writeln!(body, "<line x1=\"{left}\" x2=\"{right}\" y1=\"{y}\" y2=\"{y}\"/>");
        for tick in self.ticks() {
            let (x, end, text) = (self.x(tick), y + 5.0, y + 19.0);
            let _ = writeln!(
                body,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{y}\" y2=\"{end}\"/>\
                 <text class=\"a\" x=\"{x:.1}\" y=\"{text}\">{tick}</text>"
            );
        }
        let (middle, text) = (f64::midpoint(left, right), y + 36.0);
        let what = escaped(what);
        let _ = writeln!(body, "<text class=\"a\" x=\"{middle}\" y=\"{text}\">{what}</text>");
    }

    /// Round values, far enough apart for their numbers, with 1 among them.
    fn ticks(&self) -> Vec<f64> {
        // Where little differs, the first step that leaves space; otherwise some of each decade.
        let fine = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].map(|step: f64| {
            let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
            let count = (last - first).clamp(0.0, 100.0) as usize;
            // A whole number of steps, so that 0.3 is not 0.30000000000000004.
            (0..=count).map(|i| ((first + i as f64) * step * 1e3).round() / 1e3).collect()
        });
        let some = [
            (&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0][..], 1),
            (&[1.0, 2.0, 3.0, 5.0], 1),
            (&[1.0, 2.0, 5.0], 1),
            (&[1.0, 3.0], 1),
            (&[1.0], 1),
            (&[1.0], 2),
            (&[1.0], 4),
        ];
        let coarse = some.map(|(steps, every)| {
            let decades = (-12..=12).step_by(every).map(|power| 10f64.powi(power));
            let all = decades.flat_map(|decade| steps.iter().map(move |step| step * decade));
            // 2 * 0.001 is not 0.002.
            let all = all.map(|tick: f64| format!("{tick:.3e}").parse().unwrap_or(tick));
            all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
        });
        let candidates: Vec<Vec<f64>> = fine.into_iter().chain(coarse).collect();
        candidates.into_iter().find(|ticks| self.fits(ticks)).unwrap_or_else(|| vec![1.0])
    }

    /// Whether the numbers of these ticks do not touch.
    fn fits(&self, ticks: &[f64]) -> bool {
        ticks.windows(2).all(|pair| self.x(pair[1]) - self.x(pair[0]) >= APART)
    }
}

/// The ends of an interval that are drawn. One that is open, or more than ten times the estimate
/// away, says little and would take the scale from the others: it is drawn as open.
fn known_ends(ratio: Ratio) -> [Option<f64>; 2] {
    let range = ratio.estimate / 10.0..=ratio.estimate * 10.0;
    [ratio.low, ratio.high].map(|end| Some(end).filter(|end| range.contains(end)))
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
    fn an_end_that_is_open_or_far_away_is_not_drawn() {
        let ends = |low, high| known_ends(Ratio { estimate: 2.0, low, high });
        assert_eq!(ends(1.9, 2.1), [Some(1.9), Some(2.1)]);
        assert_eq!(ends(0.0, f64::INFINITY), [None, None]);
        assert_eq!(ends(0.19, 2.1), [None, Some(2.1)]);
    }

    #[test]
    fn every_axis_has_ticks_that_do_not_touch_and_1_among_them() {
        for layout in [&PICTURE, &SMALL] {
            for (low, high) in
                [(0.999, 1.0), (0.98, 1.03), (0.43, 1.1), (0.4, 300.0), (1e-4, 1e4), (1.0, 1.3)]
            {
                let axis = Axis { low: low / 1.01, high: high * 1.01, plot: layout.plot };
                let ticks = axis.ticks();
                assert!(axis.fits(&ticks), "{low} to {high}: {ticks:?}");
                assert!(ticks.len() > 1 && ticks.contains(&1.0), "{low} to {high}: {ticks:?}");
            }
        }
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
