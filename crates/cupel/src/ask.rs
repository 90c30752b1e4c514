//! `cupel ask`: a question in one line, without a suite's file.

use super::{Context, Exit};
use anyhow::{Result, anyhow};
use cupel_base::home::Home;
use cupel_base::primitives;
use cupel_print::OF_RUN;
use cupel_suite::{Asked, Suite};
use cupel_verb::carry_out::{Carried, carry_out, finish};
use cupel_verb::how::{How, TooFew};
use cupel_verb::options::among;
use cupel_verb::words::{OneLine, Words, nothing_compared, with_contenders};

/// Ask which contender (a library called in one way) is fastest
///
/// Cupel measures a primitive at your sizes, and says which contender is the fastest. If you name
/// no contenders, Cupel compares all suitable ones, but Java only on the newest JDK, and no
/// contenders that force a code path or call a library in a second way. If your budget is too short
/// to warm up contenders that are compiled at run time, Cupel leaves them out and says so. The
/// first contender that you name is the baseline. You may shorten a name if it stays unambiguous:
/// `ring`, `jdk@21`. A family name such as `rust` selects all its contenders.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &OF_RUN)), after_help = "\
Examples:
  cupel ask sha256 64                                   which SHA-256 for 64 B?
  cupel ask sha256 ring sha2-0.11 --size 1M             ring or sha2 for files?
  cupel ask aes-256-gcm seal 4K jdk@21 bouncycastle@21  JDK or BouncyCastle?
  cupel ask aes-256-gcm chacha20-poly1305 seal 64       which of two ciphers?
  cupel ask sha256 digest 64 c --budget 20s             all in C, for 20 s

Exit status: 0 measured, 1 a contender failed, 3 an error or too few
contenders, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    question: OneLine,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let args = &args.question;
    let home = context.home()?;
    let words = Words::sort(&args.words).map_err(|e| or_a_suite(&home, &args.words, e))?.choosing();
    let asked = args.asking.asked(&words);
    let chosen = with_contenders(context, &home, &args.asking, &asked, &words.names)?;
    let (needs, format) = (needs(&chosen.asked), args.asking.printing.format());
    let measuring = &args.asking.measuring;
    if !measuring.dry_run && chosen.tell_too_few(needs) {
        return nothing_compared(needs, false, format);
    }
    let suite = chosen.asked.suite()?;
    let usual = chosen.asked.usual_time();
    let ahead_of_time = chosen.ahead_of_time.map(|asked| asked.suite()).transpose()?;
    let how = How { needs, ahead_of_time, ..How::once_or(context, measuring, usual) };
    match carry_out(context, &home, &how, || Ok(suite), &measuring.overrides())? {
        Carried::Out(done) => finish(context, &done, format, &args.asking.tables),
        Carried::Planned => Ok(Exit::Well),
        Carried::TooFew(TooFew { failed, .. }) => nothing_compared(needs, failed, format),
    }
}

/// The mistake in a question, or that its first word is a suite and no primitive.
fn or_a_suite(home: &Home, words: &[String], mistake: anyhow::Error) -> anyhow::Error {
    let first = words.first().map_or("", String::as_str);
    if primitives::meant(first).is_none() && Suite::find(home, first).is_ok() {
        return anyhow!("{first} is a suite; `cupel run {first}` runs it");
    }
    mistake
}

/// How many contenders a question needs: several names ask for a comparison. A pattern asks for
/// those that are there.
fn needs(asked: &Asked) -> usize {
    let named = asked.contenders.len() > 1 && !asked.contenders.iter().any(|c| c.contains('*'));
    if named { 2 } else { 1 }
}
