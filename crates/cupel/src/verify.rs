//! `cupel verify`: verifies contenders without measuring them.

use super::{Context, Exit, print};
use anyhow::{Result, bail};
use cupel_base::text::{count, plain};
use cupel_contender::State;
use cupel_machine::Machine;
use cupel_run::begin::{Remembered, random_seed};
use cupel_verb::verified::{Verified, contenders};
use cupel_verify::contenders as proof;

/// Verify that contenders answer correctly; measure nothing
///
/// Each contender must agree with the official vectors and with a reference, at every critical
/// size. Cupel also uses unaligned messages, and messages streamed in odd chunks. Authenticated
/// encryption must reject every forged message. If a contender fails, Cupel prints the smallest
/// failing input.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel verify                     every contender
  cupel verify c/mine 'rust/*'
  cupel verify c/mine --seed 4711  the same sizes as an earlier verification
  cupel verify c/mine --long       also a message of half a GiB

Exit status: 0 all is correct, or no leak is seen; 1 something is wrong or
leaks; 2 leaks cannot be decided here; 3 an error, or nothing was verified.")]
pub struct Args {
    #[command(flatten)]
    verified: Verified,
    /// Also verify digests and MACs of a message of 512 MiB and 64 bytes, whose length in bits does
    /// not fit in 32 bits. This takes 2 GiB of memory, and seconds for each contender
    #[arg(long)]
    long: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let wanted = contenders(context, &home, &args.verified, &args.verified.contenders, None)?;
    let mut out = String::new();
    let mut wrong = false;
    let mut verified = false;
    let mut lacking: Vec<Lacking> = Vec::new();
    for contender in &wanted {
        if let State::Missing(refusal) | State::Failed(refusal) = &contender.state {
            let word =
                if matches!(contender.state, State::Missing(_)) { "missing" } else { "failed" };
            wrong |= word == "failed";
            out += &format!("{word:<8} {}: {}\n", plain(&contender.name), plain(&refusal.reason));
            // `cupel doctor` does not know which versions are wanted.
            let remedy = contender.version_missing().and_then(|refusal| refusal.remedy.as_ref());
            if let Some(remedy) = remedy {
                out += &format!("         remedy: {}\n", plain(remedy));
            }
        }
    }
    let mut offers: Vec<_> = proof::every_offer(&wanted, args.long);
    if offers.is_empty() && out.is_empty() {
        bail!(
            "nothing was verified: {} has no result to verify",
            args.verified.contenders.join(" and ")
        );
    }
    let seed = args.verified.runners.seed.unwrap_or_else(random_seed);
    let patience = args.verified.runners.patience();
    offers.retain(|offer| wanted[offer.contender].is_ready());
    let say = |what: &str| context.say(what);
    let asked = offers.clone();
    let asking = proof::Asking { cache: &home.cache, patience, until: None };
    let proofs = proof::verify_offers(&wanted, asked, seed, &asking, &say);
    let machine = Machine::look().fingerprint();
    let mut remembered = Remembered::open(&home.cache, &machine, &wanted);
    remembered.learn(&wanted, &offers, &proofs);
    remembered.save();
    for proof in proofs {
        let contender = &wanted[proof.contender];
        let what = format!("{} {} {}", plain(&contender.name), proof.primitive, proof.operation);
        match &proof.unfit {
            None if proof.cases == 0 => {
                out += &format!("unverified {what}: {}\n", plain(&proof.notes));
            }
            None if proof.notes.is_empty() => {
                verified = true;
                out += &format!("correct  {what}: {}\n", count(proof.cases, "case"))
            }
            None => {
                verified = true;
                out += &format!(
                    "correct  {what}: {}; not supported: {}\n",
                    count(proof.cases, "case"),
                    plain(&proof.notes)
                );
            }
            Some(unfit) => {
                wrong |= unfit.is_failure();
                let said = format!("{:<8} {}", unfit.word(), plain(&contender.name));
                let offer = format!("{} {}", proof.primitive, proof.operation);
                lacking.push(Lacking { said, offer, reason: plain(&unfit.in_words()) });
            }
        }
    }
    out += &in_lines(&lacking);
    print(&out)?;
    if wanted.iter().all(|c| matches!(c.state, State::Missing(_))) {
        bail!("nothing was verified; `cupel doctor` says how to add what is missing");
    }
    if !verified && !wrong {
        bail!("nothing was verified, for the reasons above");
    }
    Ok(if wrong { Exit::ContenderFailed } else { Exit::Well })
}

/// An offer that could not be verified, or is wrong.
struct Lacking {
    /// The word for it, and the contender.
    said: String,
    /// The primitive and the operation.
    offer: String,
    reason: String,
}

impl Lacking {
    fn is_like(&self, other: &Lacking) -> bool {
        self.said == other.said && self.reason == other.reason
    }
}

/// A line for each reason of a contender, with the offers that share it.
fn in_lines(lacking: &[Lacking]) -> String {
    let mut out = String::new();
    for (at, one) in lacking.iter().enumerate() {
        if lacking[..at].iter().any(|before| before.is_like(one)) {
            continue;
        }
        let offers: Vec<&str> =
            lacking[at..].iter().filter(|later| later.is_like(one)).map(|l| &*l.offer).collect();
        let offers = match offers[..] {
            [first, second, .., _] => {
                format!("{first}, {second} and {} more", offers.len() - 2)
            }
            _ => offers.join(" and "),
        };
        out += &format!("{} {offers}: {}\n", one.said, one.reason);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_offers_lack_is_said_once() {
        let lacking = |offer: &str, reason: &str| Lacking {
            said: "missing  c/x".to_string(),
            offer: offer.to_string(),
            reason: reason.to_string(),
        };
        let all = [
            lacking("sha256 digest", "no provider"),
            lacking("blake3 digest", "not built in"),
            lacking("sha512 digest", "no provider"),
            lacking("sha1 digest", "no provider"),
        ];
        assert_eq!(
            in_lines(&all),
            "missing  c/x sha256 digest, sha512 digest and 1 more: no provider\n\
             missing  c/x blake3 digest: not built in\n"
        );
        assert_eq!(in_lines(&all[1..3]).lines().count(), 2);
    }
}
