//! `cupel claim`: puts one claim to the test, in one line.

use super::ask::{Asking, NOTHING_TO_COMPARE, Words, with_contenders};
use super::run::{Done, How, Needs, carry_out};
use super::show::tell_apart;
use super::{Context, Exit, complete, print};
use crate::claims::Verdicts;
use crate::primitives;
use crate::report;
use crate::suite::said::{self, Said};
use crate::suite::{Asked, Claim};
use crate::text;
use anyhow::{Result, anyhow, bail};

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
    let asked = Asked { claims: vec![claimed], ..asked };
    let in_words = asked.suite()?.claims.first().map(|c| c.relation.sentence(&c.a, &c.b));
    let question = in_words.map(|claim| format!("Does it hold that {claim}?"));
    let suite = Asked { question, ..asked }.suite()?;
    if args.asking.dry_run {
        for claim in &suite.claims {
            let read = format!("the claim: {}", sentence(claim));
            print(&format!("{}\n", text::folded("", &text::plain(&read))))?;
        }
    }
    let how = How { needs: Needs::Contenders(2), ..args.asking.how() };
    let overrides = args.asking.overrides();
    let Some(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)? else {
        if args.asking.dry_run {
            return Ok(Exit::Well);
        }
        let claim = suite.claims.iter().map(sentence);
        let line = format!("undecided: {}", claim.collect::<Vec<_>>().join("; "));
        print(&format!("{}\n{NOTHING_TO_COMPARE}", text::folded("", &text::plain(&line))))?;
        return Ok(Exit::Undecided);
    };
    let Done { store, recorded, analysis, .. } = &done;
    let verdicts = Verdicts::of(store, recorded.run.id)?;
    let (format, style) = (args.asking.format, args.asking.tables.style(context.style));
    tell_apart(recorded, &verdicts, format);
    print(&report::present(recorded, analysis, &verdicts, format, style)?)?;
    Ok(done.interrupted(context).unwrap_or_else(|| super::claims::exit(&verdicts.claims.answered)))
}

fn sentence(claim: &Claim) -> String {
    report::verdicts::sentence(claim, &claim.sizes, [])
}
