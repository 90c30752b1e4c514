//! The contenders that are verified, by whatever test.

use crate::options::{Compilers, Runners};
use crate::{Context, complete};
use anyhow::Result;
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_contender::Contender;
use cupel_run::begin::{Names, Work};
use cupel_toolchain::Wanted;

/// Which contenders are verified, and how their runners are asked.
#[derive(clap::Args)]
pub struct Verified {
    /// Which contenders; * stands for any characters
    #[arg(default_value = ALL, add = complete::contenders())]
    pub contenders: Vec<String>,
    /// Additional compilers.
    #[command(flatten)]
    pub compilers: Compilers,
    /// How runners are asked.
    #[command(flatten)]
    pub runners: Runners,
}

/// The pattern of all contenders.
const ALL: &str = "*";

/// The contenders that the words mean, built; without words, all. A misspelt name builds nothing.
///
/// # Errors
/// If a word means none.
pub fn contenders(
    context: &Context,
    home: &Home,
    verified: &Verified,
    words: &[String],
    work: Option<Work<'_>>,
) -> Result<Vec<Contender>> {
    let (say, compilers) = (|what: &str| context.say(what), &verified.compilers.compiler);
    let named = match words {
        [] => vec![],
        [all] if all == ALL => vec![ALL.to_string()],
        words => Names { home, work, compilers, build: true, say: &say }.resolve(words)?.names,
    };
    let compilers = compilers.clone();
    let wanted = Wanted { build: true, named: named.clone(), compilers, ..Wanted::default() };
    let mut all = cupel_toolchain::find(home, &wanted, &say)?;
    let patterns: Vec<Pattern> = named.iter().map(Pattern::new).collect();
    all.retain(|contender| match &patterns[..] {
        [] => !contender.is_on_demand(),
        some => some.iter().any(|pattern| contender.is_meant_by(pattern)),
    });
    Ok(all)
}
