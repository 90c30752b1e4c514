//! `cupel check CLAIM PRIMITIVE`: puts one claim to the test, in one line.

use anyhow::{Result, anyhow, bail};
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::text;
use cupel_decide::claims::Verdicts;
use cupel_print::Format;
use cupel_show::report;
use cupel_suite::said::{self, Said};
use cupel_suite::{Asked, Claim, Options};
use cupel_verb::carry_out::{Carried, Done, carry_out};
use cupel_verb::how::How;
use cupel_verb::present::{present, tell_apart};
use cupel_verb::words::{Asking, NOTHING_TO_COMPARE, Words, say, with_contenders};
use cupel_verb::{Context, Exit, print};

/// Measures both contenders of the claim until it is decided or the budget ends.
pub fn run(context: &Context, claim: &str, words: &[String], asking: &Asking) -> Result<Exit> {
    let home = context.home()?;
    let claimed = said::parse(claim, Options::default().tie_zone).map_err(|e| anyhow!(e))?;
    if !claimed.relation.is_of_times() {
        bail!(
            "no time decides whether it leaks: `cupel verify --leaks` tests it, and a suite may claim it"
        );
    }
    let words = Words::sort(words)?;
    let names_rows = [&claimed.a, &claimed.b]
        .iter()
        .any(|name| ContenderName::from(name.as_str()).primitive().is_some());
    if names_rows || words.primitives.iter().any(|p| primitives::is_choice(p)) {
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
    let asked = asking.asked(&words);
    // `b` first: the first is the baseline.
    let names = [claimed.b.clone(), claimed.a.clone()];
    let chosen = with_contenders(context, &home, asking, &asked, &names)?;
    let [b, a] = &chosen.asked.contenders[..] else { bail!("a claim compares two contenders") };
    let claimed = Said { a: a.clone(), b: b.clone(), ..claimed };
    let asked = Asked { claims: vec![claimed], ..chosen.asked.clone() };
    let in_words = asked.suite()?.claims.first().map(|c| c.relation.sentence(&c.a, &c.b));
    let question = in_words.map(|claim| format!("{}{claim}?", said::QUESTION));
    let suite = Asked { question, ..asked }.suite()?;
    let measuring = &asking.measuring;
    if measuring.dry_run {
        for claim in &suite.claims {
            let read = format!("the claim: {}", sentence(claim));
            print(&format!("{}\n", text::folded("", &text::plain(&read))))?;
        }
    }
    let (format, style) = (asking.printing.format(), asking.tables.style(context.style));
    if !measuring.dry_run && chosen.tell_too_few(2) {
        return unmeasured(&suite.claims, format);
    }
    let how = How { needs: 2, ..How::from_options(measuring) };
    let overrides = measuring.overrides();
    let Carried::Out(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)?
    else {
        return if measuring.dry_run { Ok(Exit::Well) } else { unmeasured(&suite.claims, format) };
    };
    let Done { store, recorded, analysis, .. } = &*done;
    let verdicts = Verdicts::for_run(store, recorded.run.id)?;
    tell_apart(recorded, &verdicts, format);
    if done.is_shown_in_short(format, style) {
        print(&report::interrupted(recorded, analysis, &verdicts, style))?;
    } else {
        print(&present(store, recorded, analysis, &verdicts, format, style)?)?;
    }
    Ok(done.interrupted(context).unwrap_or_else(|| Exit::answered(&verdicts.claims.answered)))
}

/// How a claim ends that could not be measured.
fn unmeasured(claims: &[Claim], format: Format) -> Result<Exit> {
    let claims: Vec<String> = claims.iter().map(sentence).collect();
    let line = format!("undecided: {}", claims.join("; "));
    let line = text::folded("", &text::plain(&line));
    say(&format!("{line}\n{NOTHING_TO_COMPARE}\n"), format)?;
    Ok(Exit::Undecided)
}

fn sentence(claim: &Claim) -> String {
    report::claims::of_run::sentence(claim, &claim.sizes, [])
}
