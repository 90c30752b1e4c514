//! `cupel claim`: puts one claim to the test, in one line.

use super::ask::{Asking, NOTHING_TO_COMPARE, Words, with_contenders};
use super::run::{How, Needs, carry_out};
use super::{Context, Exit, complete, print};
use crate::claims::{self, Answered, Claimant, Decision, Scope};
use crate::contender::Contender;
use crate::plan::Plan;
use crate::primitives;
use crate::report::{self, Format};
use crate::suite::said::{self, Said};
use crate::suite::{Asked, Claim};
use crate::text;
use anyhow::{Result, anyhow, bail};
use cupel_stats::ENOUGH_FORKS;

/// Test a claim: is A at least 1.5 times as fast as B?
///
/// Measures both contenders until the claim is decided or the budget ends, and says whether it is
/// held, refuted or undecided. `cupel claims` decides the claims of suites from stored runs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel claim 'openssl-reused >= 1.5x openssl-oneshot' sha256 64
  cupel claim 'ring > sha2-0.11' sha256 16K,1M        faster
  cupel claim 'c/cupel = c/cupel-shani' sha256 64     equal, within 2 %
  cupel claim 'jdk@21 1.5x..3x bouncycastle@21' aes-256-gcm seal 4K
  cupel claim 'c/cupel overtakes rust/ring at 1K' sha256 64,256,1K,4K

Exit status: 0 held, 1 refuted, 2 undecided, 3 an error, 130 interrupted.")]
pub struct Args {
    /// The claim, in quotes: contender A, the relation, contender B
    #[arg(value_name = "CLAIM")]
    claim: String,
    /// The primitive, then in any order an operation and sizes
    #[arg(value_name = "WORD", required = true, allow_negative_numbers = true, add = complete::question(false))]
    words: Vec<String>,
    #[command(flatten)]
    asking: Asking,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let claimed = said::parse(&args.claim).map_err(|e| anyhow!(e))?;
    let words = Words::of(&args.words)?;
    if words.primitives.iter().any(|p| primitives::is_choice(p)) {
        bail!(
            "a claim of one line is about one primitive; to claim something of a choice, write a suite with \
             `choice = [...]` and a [[claim]] that names rows, such as \"rust/ring with aes-256-gcm\""
        );
    }
    if let Some(word) = words.names.first() {
        bail!(
            "{word} is neither a primitive nor an operation nor a size; the claim itself names the contenders"
        );
    }
    let asked = args.asking.asked(&words);
    // `b` first: the first is the baseline.
    let names = [claimed.b.clone(), claimed.a.clone()];
    let asked = with_contenders(context, &home, &args.asking, &asked, &names)?;
    let [b, a] = &asked.contenders[..] else { bail!("a claim compares two contenders") };
    let claimed = Said { a: a.clone(), b: b.clone(), ..claimed };
    let asked = Asked { claims: vec![claimed.toml()], ..asked };
    let in_words = asked.suite()?.claims.first().map(|c| c.relation.sentence(&c.a, &c.b));
    let question = in_words.map(|claim| format!("Does it hold that {claim}?"));
    let suite = Asked { question, ..asked }.suite()?;
    if args.asking.dry_run {
        for claim in &suite.claims {
            let read = format!("the claim: {}", sentence(claim, &claim.sizes));
            print(&format!("{}\n", text::folded("", &text::plain(&read))))?;
        }
    }
    let how = How { needs: Needs::Contenders(2), ..args.asking.how() };
    let overrides = args.asking.overrides();
    let Some(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)? else {
        if args.asking.dry_run {
            return Ok(Exit::Well);
        }
        let claim = suite.claims.iter().map(|claim| sentence(claim, &claim.sizes));
        let line = format!("undecided: {}", claim.collect::<Vec<_>>().join("; "));
        print(&format!("{}\n{NOTHING_TO_COMPARE}", text::folded("", &text::plain(&line))))?;
        return Ok(Exit::Undecided);
    };
    let scope = Scope { run: Some(done.recorded.run.id), ..Scope::default() };
    let (answered, intervals) = claims::decide(&done.store, &[Claimant::from(&suite)], &scope)?;
    let alpha = suite.options.alpha;
    let format = args.asking.format;
    let style = args.asking.tables.style(context.style);
    let run = match format {
        // The claim is the answer. Which contender is the fastest was not asked.
        Format::Table => report::figures(&done.recorded, &done.analysis, style),
        _ => report::present(&done.recorded, &done.analysis, format, style)?,
    };
    match format {
        Format::Json => {
            let mut document: serde_json::Value = serde_json::from_str(&run)?;
            let decided = report::claims::json(&answered, &[], intervals, alpha)?;
            document["claims"] = serde_json::from_str(&decided)?;
            print(&(serde_json::to_string_pretty(&document)? + "\n"))?;
        }
        Format::Table => {
            let unfinished = report::unfinished(&done.recorded);
            print(&format!(
                "{unfinished}{}\n{run}",
                headline(args, &done.recorded.plan, &answered)
            ))?
        }
        Format::Csv | Format::Markdown | Format::Svg => {
            text::tell(&headline(args, &done.recorded.plan, &answered));
            print(&run)?;
        }
    }
    Ok(done.interrupted(context).unwrap_or_else(|| super::claims::exit(&answered)))
}

/// A claim as it was read, in a sentence: `A is faster than B (SHA-256, 64 B)`.
fn sentence(claim: &Claim, sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().copied().map(text::bytes).collect();
    let about = report::subject(&claim.workload(claim.sizes[0]), &sizes.join(", "));
    format!("{} ({about})", claim.relation.sentence(&claim.a, &claim.b))
}

/// The decisions: first the whole claim, then each of its sizes. If it is undecided, the command that
/// looks harder.
fn headline(args: &Args, plan: &Plan, answered: &[Answered]) -> String {
    let mut out = String::new();
    for one in answered {
        let claim = &one.claim;
        let sizes: Vec<u64> = one.points.iter().map(|p| p.size).collect();
        let line = format!("{}: {}", one.decision().word(), sentence(claim, &sizes));
        out += &format!("{}\n", text::folded("", &text::plain(&line)));
        for point in &one.points {
            let found = text::plain(&report::claims::found(claim, point));
            out += &format!("{}\n", text::folded("  ", &found));
        }
        let figure = match claim.relation.is_of_speed() {
            true => format!("a figure is how many times as fast {} is", claim.a),
            false => format!("a figure is how many times as long {} takes", claim.a),
        };
        out += &format!("{}\n", text::folded("  ", &text::plain(&figure)));
        if one.decision() == Decision::Undecided {
            let is_jit = plan.contenders.iter().any(Contender::is_jit);
            let had = if is_jit { plan.options.jit_forks() } else { plan.options.forks };
            let forks = (2 * had).max(ENOUGH_FORKS as u32);
            let words: Vec<String> = args.words.iter().map(|word| text::quoted(word)).collect();
            let command = format!(
                "cupel claim {} {} --forks {forks} --first-forks {forks}",
                text::quoted(&args.claim),
                words.join(" ")
            );
            out += &format!("  more evidence:\n{}\n", text::command("    ", &command));
        }
    }
    out
}
