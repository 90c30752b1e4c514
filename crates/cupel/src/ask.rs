//! `cupel ask`: a question in one line, without a suite's file.

use super::doctor::{nothing_to_measure, tell_trouble};
use super::options::{Measuring, Printing, Tables, Work, among};
use super::run::{How, NotMeasured, TooFew, carry_out, finish};
use super::{Context, Exit, complete, print};
use anyhow::{Result, anyhow, bail};
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_base::primitives::{self, Primitive};
use cupel_host::contender::{self, Contender, State};
use cupel_host::toolchain::{Ask, Wanted, newest};
use cupel_protocol::workload::Operation;
use cupel_run::begin::{Lookup, Names, Work as Works};
use cupel_run::forecast;
use cupel_show::report::OF_RUN;
use cupel_suite::{self as suite, Asked, Group, Suite};

/// Ask one question: which contender is the fastest
///
/// Measures a primitive at your sizes, and says which contender is the fastest. If you name no
/// contenders, all suitable ones take part, but only on the newest JDK, and without forced paths
/// and second styles. If your budget is too short to warm up code that is compiled at run time,
/// those contenders are left out, and the answer says so. The first contender that you name is the
/// baseline. You may shorten a name as long as it is unambiguous: `ring`, `jdk@21`. A family name
/// such as `rust` selects all its contenders.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &OF_RUN)), after_help = "\
Examples:
  cupel ask sha256 64                                   which SHA-256 for 64 B?
  cupel ask sha256 ring sha2-0.11 --size 1M             ring or sha2 for files?
  cupel ask aes-256-gcm seal 4K jdk@21 bouncycastle@21  JDK or BouncyCastle?
  cupel ask aes-256-gcm chacha20-poly1305 seal 64       which of two ciphers?
  cupel ask sha256 digest 64 c --budget 20s             all in C, for 20 s
  cupel ask --paths sha256               is each SHA-256 on its fastest path?
  cupel ask --paths aes-256-gcm seal libgcrypt          one library
  cupel ask --history openssl sha256 16,64,1K   which release made it slower?
  cupel ask --history openssl@1.1.1w.. sha256   which since then? (installs)
  cupel ask --why openssl-oneshot openssl-reused sha256 16   why so much slower?

Exit status: 0 measured, 1 a contender failed, 3 an error, or too few
contenders are here, 130 interrupted.")]
pub struct Args {
    /// The primitive, then in any order an operation, sizes and contenders
    #[arg(value_name = "WORD", required = true, allow_negative_numbers = true, add = complete::question(true))]
    pub words: Vec<String>,
    /// Compare each implementation's default with the code paths that it can be forced to take, and
    /// say where the default is slower. Names mean implementations
    ///
    /// Without names, all implementations with forced paths (`forced_path_of` in the files of
    /// `contenders/`) take part. A finding needs a decided difference, and that the two run
    /// different code. Cupel does not rely on the code path that a library reports: after the run,
    /// it steps through one call of each contender, one instruction at a time, and prints the
    /// instructions that were executed (on Linux with an x86-64 CPU). Where it cannot, different
    /// reports count as different code, and equal reports prove nothing. The exit status is then 0
    /// if no default is slower, 1 if one is, 2 if that is open.
    #[arg(long)]
    pub paths: bool,
    /// Compare the releases of an implementation, and say which one made it slower
    ///
    /// A release is another version of its library, as c/openssl-reused@1.1.1w, or of the toolchain
    /// that hosts it, as go/std@go-1.24: `cupel install` installs them. All that are installed are
    /// measured in one run. A step is a decided difference between two neighbouring releases. The
    /// library of the system takes part, but in no step, because others have built it with other
    /// flags.
    ///
    /// A range, openssl@1.1.1w..4.0.3, has all releases from one to the other that are installed or
    /// can be; an end that is left out is open. Of more than four, Cupel installs and measures the
    /// two ends first, then the middle of each interval whose ends differ, until the steps are
    /// found. --budget is then for each run of two releases, and half as much again for each of
    /// three.
    ///
    /// The exit status is 0 if each release is at least as fast as the one before it (of a range:
    /// if no step to a slower one remains), 1 if one is slower, 2 if that is open.
    #[arg(long, value_name = "IMPLEMENTATION[@RANGE]", conflicts_with = "paths")]
    pub history: Option<String>,
    /// Compare two contenders, and say which measured difference accounts for the ratio of their
    /// times
    ///
    /// After the run, Cupel steps through one call of each (as with `--paths`) and counts the
    /// instructions of each function. The answer says whether the slower one executes more
    /// instructions or slower ones, in which function most of them are, and, with three sizes,
    /// whether the difference is in each call or in each byte. The exit status is 0 if a measured
    /// difference accounts for the ratio at each size, 2 if that is open.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["paths", "history"])]
    pub why: Vec<String>,
    #[command(flatten)]
    pub asking: Asking,
}

/// What a question in one line is about apart from its words, how it is measured and printed.
#[derive(clap::Args)]
pub struct Asking {
    #[command(flatten)]
    pub work: Work,
    #[command(flatten)]
    pub measuring: Measuring,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub tables: Tables,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::of(&args.words).map_err(|e| or_a_suite(&home, &args.words, e))?.choosing();
    let asked = args.asking.asked(&words);
    let chosen = with_contenders(context, &home, &args.asking, &asked, &words.names)?;
    let needs = needs(&chosen.asked);
    let measuring = &args.asking.measuring;
    if !measuring.dry_run && chosen.tell_too_few(needs) {
        return nothing_compared(needs, false);
    }
    let suite = chosen.asked.suite()?;
    let ahead_of_time = chosen.ahead_of_time.map(|asked| asked.suite()).transpose()?;
    let how = How { needs, ahead_of_time, ..How::once(context, measuring) };
    match carry_out(context, &home, &how, || Ok(suite), &measuring.overrides())? {
        Ok(done) => finish(context, &done, args.asking.printing.format(), &args.asking.tables),
        Err(NotMeasured::Planned) => Ok(Exit::Well),
        Err(NotMeasured::TooFew(TooFew { failed, .. })) => nothing_compared(needs, failed),
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

/// The message if two contenders are needed and are not there.
pub const NOTHING_TO_COMPARE: &str = "nothing is measured: no two contenders are left to compare";

/// The message if not even one is there.
const NOTHING_TO_MEASURE: &str = "nothing is measured: no contender can be measured here";

/// How a question ends that has fewer contenders than it needs. One that failed is an answer. If
/// all of them are missing, the question could not be asked, whatever their number.
pub fn nothing_compared(needs: usize, failed: bool) -> Result<Exit> {
    let what = if needs == 1 { NOTHING_TO_MEASURE } else { NOTHING_TO_COMPARE };
    if !failed {
        bail!(what);
    }
    print(&format!("{what}\n"))?;
    Ok(Exit::ContenderFailed)
}

/// How many contenders a question needs: several names ask for a comparison. A pattern asks for
/// those that are there.
fn needs(asked: &Asked) -> usize {
    let named = asked.contenders.len() > 1 && !asked.contenders.iter().any(|c| c.contains('*'));
    if named { 2 } else { 1 }
}

/// The words of a question, sorted by kind.
#[derive(Debug, Default, PartialEq)]
pub struct Words {
    /// Each may be a choice.
    pub primitives: Vec<String>,
    pub operation: Option<Operation>,
    pub sizes: Vec<u64>,
    /// All other words: contenders.
    pub names: Vec<String>,
}

impl Words {
    /// Sorts the words.
    ///
    /// # Errors
    /// If no word is a primitive, with the nearest one; or if something is named twice.
    pub fn of(words: &[String]) -> Result<Words> {
        let sorted = Words::sorted(words)?;
        if sorted.primitives.is_empty() {
            bail!("which primitive? `cupel list primitives` lists them");
        }
        Ok(sorted)
    }

    /// Several primitives are a choice: which of them, by which contender?
    fn choosing(mut self) -> Words {
        if self.primitives.len() > 1 {
            let names = self.primitives.iter().map(String::as_str);
            self.primitives = vec![primitives::choosing(names)];
        }
        self
    }

    /// The primitive of a question that has no use for several, or for a choice.
    pub fn primitive(&self) -> Result<&String> {
        match &self.primitives[..] {
            [one] if !primitives::is_choice(one) => Ok(one),
            _ => bail!(
                "ask about one primitive at a time: the times of different primitives cannot be \
                 compared here"
            ),
        }
    }

    /// Sorts words in which a primitive may be missing.
    pub fn sorted(words: &[String]) -> Result<Words> {
        let mut sorted = Words::default();
        for word in words {
            let operation = Operation::ALL.into_iter().find(|o| o.name() == word);
            let sizes: Result<Vec<u64>, String> = word.split(',').map(suite::size).collect();
            // After the primitive, another spelling of one is a contender's: rust/chacha20poly1305.
            let known = match sorted.primitives[..] {
                [] => primitives::meant(word),
                _ => primitive(word),
            };
            if let Some(primitive) = known {
                sorted.primitives.push(primitive.name.to_string());
            } else if let Some(choice) = choice(word)? {
                sorted.primitives.push(choice);
            } else if let Some(operation) = operation {
                if let Some(other) = sorted.operation.replace(operation) {
                    bail!("{other} and {operation}: ask one operation at a time");
                }
            } else if let Ok(sizes) = &sizes {
                sorted.sizes.extend(sizes);
            } else if word.split(',').all(suite::is_meant_as_size)
                && let Err(wrong) = sizes
            {
                bail!(wrong);
            } else if sorted.primitives.is_empty() {
                let instead = primitives::instead_of(word, "");
                bail!("unknown primitive {word}; {instead}");
            } else {
                sorted.names.push(word.clone());
            }
        }
        let of_aead = words.iter().any(|word| word.eq_ignore_ascii_case(AEAD));
        if of_aead && sorted.operation.is_none() {
            sorted.operation = Some(Operation::Seal);
        }
        Ok(sorted)
    }
}

/// The word for a choice between all ciphers with authentication.
const AEAD: &str = "aead";

/// The choice that a word means: `aes-256-gcm|chacha20-poly1305`, or [`AEAD`]. `None` if it means
/// none.
///
/// # Errors
/// If one of several words is not a primitive, with the nearest one.
fn choice(word: &str) -> Result<Option<String>> {
    if word.eq_ignore_ascii_case(AEAD) {
        let all = primitives::all().iter().filter(|p| p.operations.contains(&Operation::Seal));
        return Ok(Some(primitives::choosing(all.map(|p| p.name))));
    }
    if !primitives::is_choice(word) {
        return Ok(None);
    }
    let each = primitives::choice(word).into_iter().map(|part| {
        let part = part.trim();
        let found = primitives::meant(part).map(|p| p.name);
        found.ok_or_else(|| {
            anyhow!("unknown primitive {part}; {}", primitives::instead_of(part, ""))
        })
    });
    Ok(Some(primitives::choosing(each.collect::<Result<Vec<_>>>()?)))
}

/// A primitive by its name, or by its name in sentences: `SHA-256` is `sha256`.
fn primitive(word: &str) -> Option<&'static Primitive> {
    let is = |p: &&Primitive| [p.title, p.name].iter().any(|name| name.eq_ignore_ascii_case(word));
    primitives::all().iter().find(is)
}

impl Asking {
    /// The question, without its contenders.
    pub fn asked(&self, words: &Words) -> Asked {
        let mut sizes = words.sizes.clone();
        sizes.extend(&self.work.size);
        Asked {
            primitives: words.primitives.clone(),
            operation: words.operation,
            sizes,
            contract: self.work.contract(),
            shape: self.work.shape,
            ..Asked::default()
        }
    }
}

/// The contenders of this machine, built if `build` says so: of the families that may have one of
/// these names, or all if there is none.
pub fn find_named(
    context: &Context,
    home: &Home,
    build: bool,
    named: Vec<String>,
) -> Result<Vec<Contender>> {
    find(context, home, &Wanted { build, named, ask: Ask::Every, ..Wanted::default() })
}

/// The declared contenders that these patterns may mean, on the installed toolchains: no runner is
/// asked or built.
pub fn find_declared(context: &Context, home: &Home, named: Vec<String>) -> Result<Vec<Contender>> {
    find(context, home, &Wanted { named, ask: Ask::None, ..Wanted::default() })
}

fn find(context: &Context, home: &Home, wanted: &Wanted) -> Result<Vec<Contender>> {
    Ok(contender::find(home, wanted, &|what| context.say(what))?)
}

/// A question with its contenders.
pub struct Chosen {
    pub asked: Asked,
    /// The question without contenders that have a JIT, if the words named none and two others are
    /// left.
    pub ahead_of_time: Option<Asked>,
    /// Those that the words name and that are known to be missing, before anything is built.
    missing: Vec<Contender>,
}

impl Chosen {
    /// Whether so few are left of those that are named that nothing can be measured. Says why.
    pub fn tell_too_few(&self, needs: usize) -> bool {
        let too_few = self.asked.contenders.len() < needs + self.missing.len();
        if too_few {
            tell_trouble(&self.missing.iter().collect::<Vec<_>>());
        }
        too_few
    }
}

/// The question with its contenders: those that its words mean, or else all that can answer it.
///
/// # Errors
/// A word that no contender, or more than one, is meant by; and every other mistake in the
/// question.
pub fn with_contenders(
    context: &Context,
    home: &Home,
    asking: &Asking,
    asked: &Asked,
    words: &[String],
) -> Result<Chosen> {
    // Every other mistake is found before anything is built.
    let checked: Suite = asked.suite()?;
    let group = &checked.workloads[0];
    let build = !asking.measuring.dry_run;
    if words.is_empty() {
        return usual(context, home, build, asked, group);
    }
    let (operation, contract) = (group.operation, Some(&group.contract));
    let work = Some(Works { primitives: &asked.primitives, operation, contract });
    let say = |what: &str| context.say(what);
    let named = Names { home, work, compilers: &[], build, say: &say }.of(words)?;
    let contenders = distinct(&named.words, &named.names)?;
    let mut missing: Vec<Contender> = named.missing().into_iter().cloned().collect();
    if contenders.iter().any(|name| name.contains('*')) {
        missing.clear(); // A pattern asks for what is there.
    }
    // The first that is named is the baseline.
    let baseline = match contenders.first() {
        Some(name) if !name.contains('*') => Some(name.clone()),
        _ => {
            let all = find(context, home, &Wanted { named: named.words, ..Wanted::default() })?;
            usual_baseline(&that_take_part(&all, &contenders, asked, group))
        }
    };
    let asked = Asked { baseline, contenders, ..asked.clone() };
    Ok(Chosen { asked, ahead_of_time: None, missing })
}

/// A question that names no contender.
fn usual(
    context: &Context,
    home: &Home,
    build: bool,
    asked: &Asked,
    group: &Group,
) -> Result<Chosen> {
    let mut all = find(context, home, &Wanted::default())?;
    if build && all.iter().any(|contender| contender.state == State::Unbuilt) {
        all = find(context, home, &Wanted::plain(true))?;
    }
    let newest = newest::jdk(home);
    let lookup = Lookup {
        all: &all,
        primitives: &asked.primitives,
        operation: group.operation,
        contract: &group.contract,
        newest: newest.as_deref(),
    };
    let contenders = lookup.usual();
    if contenders.is_empty() {
        return Err(no_one_offers(&all, asked, group));
    }
    let members = that_take_part(&all, &contenders, asked, group);
    let asked = &Asked { is_open: true, ..asked.clone() };
    let ahead_of_time = without_jits(asked, &members);
    let asked = Asked { baseline: usual_baseline(&members), contenders, ..asked.clone() };
    Ok(Chosen { asked, ahead_of_time, missing: vec![] })
}

/// Why a question has no contender: those that it is about are not ready, or there are none.
fn no_one_offers(all: &[Contender], asked: &Asked, group: &Group) -> anyhow::Error {
    let offers = |contender: &&Contender| {
        contender.offers.iter().any(|offer| asked.primitives.contains(&offer.primitive))
    };
    let offering: Vec<&Contender> = all.iter().filter(offers).collect();
    if !offering.is_empty() && !offering.iter().any(|contender| contender.is_ready()) {
        return nothing_to_measure(&offering);
    }
    anyhow!(
        "no contender offers {} of {} under this contract ({}); `cupel list` shows what there is",
        group.operation,
        primitives::in_words(&asked.primitives.join(" and ")),
        group.contract
    )
}

/// The names, each once.
fn distinct(words: &[String], names: &[String]) -> Result<Vec<String>> {
    let mut distinct: Vec<String> = Vec::new();
    for (word, name) in words.iter().zip(names) {
        if distinct.contains(name) {
            bail!("{word} is {name}, which is named twice");
        }
        distinct.push(name.clone());
    }
    Ok(distinct)
}

fn without_jits(asked: &Asked, members: &[&Contender]) -> Option<Asked> {
    let mut others = members.to_vec();
    others.retain(|contender| !forecast::has_jit(contender));
    if others.len() == members.len() || others.len() < 2 {
        return None;
    }
    let contenders = others.iter().map(|contender| contender.name.to_string()).collect();
    Some(Asked { baseline: usual_baseline(&others), contenders, ..asked.clone() })
}

/// The contenders of these names and patterns that are ready and offer all that is asked.
fn that_take_part<'c>(
    all: &'c [Contender],
    names: &[String],
    asked: &Asked,
    group: &Group,
) -> Vec<&'c Contender> {
    let patterns: Vec<Pattern> = names.iter().map(Pattern::new).collect();
    let mut taking_part: Vec<&Contender> = all.iter().filter(|c| c.is_ready()).collect();
    taking_part.retain(|c| patterns.iter().any(|pattern| c.is_meant_by(pattern)));
    for primitive in &asked.primitives {
        taking_part.retain(|c| c.offers_one_of(primitive, group.operation, &group.contract));
    }
    taking_part
}

/// The contender that the others are compared with by default: the most widespread library that is
/// not ours.
fn usual_baseline(contenders: &[&Contender]) -> Option<String> {
    const WIDESPREAD: [&str; 3] = ["c/openssl-reused", "rust/ring", "jvm/jdk"];
    let widespread = |known: &&str| contenders.iter().find(|c| c.name.code() == *known);
    let found = WIDESPREAD.iter().find_map(widespread);
    let others = || contenders.iter().find(|c| !c.is_ours());
    found.or_else(others).or(contenders.first()).map(|c| c.name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Result<Words> {
        Words::of(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_sorted_by_what_they_are() {
        let found = words(&["aes-256-gcm", "seal", "64,4K", "jdk@21", "16 KiB"]).unwrap();
        assert_eq!(found.primitives, ["aes-256-gcm"]);
        assert_eq!(found.operation, Some(Operation::Seal));
        assert_eq!(found.sizes, [64, 4096, 16384]);
        assert_eq!(found.names, ["jdk@21"]);
        assert_eq!(words(&["SHA-256"]).unwrap().primitives, ["sha256"]);
    }

    #[test]
    fn a_question_without_a_primitive_is_a_mistake() {
        let said = |given: &[&str]| words(given).unwrap_err().to_string();
        assert_eq!(said(&["sha265", "64"]), "unknown primitive sha265; did you mean sha256?");
        assert!(said(&["64"]).starts_with("which primitive?"));
        assert!(said(&["sha256", "64,4KB"]).contains("4K is 4096 bytes"));
        for negative in ["-64", "64,-1"] {
            assert!(said(&["sha256", negative]).contains("cannot be negative"), "{negative}");
        }
        for no_size in ["64X", "1.5K"] {
            assert!(said(&["sha256", no_size]).contains("is not a size; write 64"), "{no_size}");
        }
        assert!(said(&["sha256", "digest", "digest-many"]).contains("one operation at a time"));
    }
}
