//! A question in one line: its words, sorted by kind, and the contenders that they mean.

use crate::options::{Measuring, Printing, Tables, Work};
use crate::trouble::{nothing_to_measure, tell_trouble};
use crate::{Context, Exit, complete, print};
use anyhow::{Result, anyhow, bail};
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_base::primitives::{self, Primitive};
use cupel_base::text;
use cupel_contender::{Contender, State};
use cupel_print::Format;
use cupel_protocol::workload::Operation;
use cupel_run::begin::{Lookup, Names, Work as Works};
use cupel_run::forecast;
use cupel_suite::{self as suite, Asked, Group, Suite};
use cupel_toolchain::{Ask, Wanted, newest};

/// The words and options of a question in one line, whichever question it is.
#[derive(clap::Args)]
pub struct OneLine {
    /// The primitive, then in any order an operation, sizes and contenders
    #[arg(value_name = "WORD", required = true, allow_negative_numbers = true, add = complete::question(true))]
    pub words: Vec<String>,
    /// What else the question says.
    #[command(flatten)]
    pub asking: Asking,
}

/// What a question in one line is about apart from its words, how it is measured and printed.
#[derive(clap::Args)]
pub struct Asking {
    /// What is measured.
    #[command(flatten)]
    pub work: Work,
    /// How much of it.
    #[command(flatten)]
    pub measuring: Measuring,
    /// In which form it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What its tables show.
    #[command(flatten)]
    pub tables: Tables,
}

/// The message if two contenders are needed and are not there.
pub const NOTHING_TO_COMPARE: &str = "nothing is measured: no two contenders are left to compare";

/// The message if not even one is there.
const NOTHING_TO_MEASURE: &str = "nothing is measured: no contender can be measured here";

/// How a question ends that has fewer contenders than it needs. One that failed is an answer. If
/// all of them are missing, the question could not be asked, whatever their number.
pub fn nothing_compared(needs: usize, failed: bool, format: Format) -> Result<Exit> {
    let what = if needs == 1 { NOTHING_TO_MEASURE } else { NOTHING_TO_COMPARE };
    if !failed {
        bail!(what);
    }
    say(&format!("{what}\n"), format)?;
    Ok(Exit::ContenderFailed)
}

/// Prints words in place of a measurement: not into a document that a program reads.
pub fn say(words: &str, format: Format) -> Result<()> {
    if let Format::Table | Format::Markdown = format {
        return print(words);
    }
    text::tell(words.trim_end());
    Ok(())
}

/// The words of a question, sorted by kind.
#[derive(Debug, Default, PartialEq)]
pub struct Words {
    /// Each may be a choice.
    pub primitives: Vec<String>,
    /// The operation, if one was named.
    pub operation: Option<Operation>,
    /// The lengths of the messages in bytes.
    pub sizes: Vec<u64>,
    /// All other words: contenders.
    pub names: Vec<String>,
}

impl Words {
    /// Sorts the words.
    ///
    /// # Errors
    /// If no word is a primitive, with the nearest one; or if something is named twice.
    pub fn sort(words: &[String]) -> Result<Words> {
        let sorted = Words::sorted(words)?;
        if sorted.primitives.is_empty() {
            bail!("which primitive? `cupel list primitives` lists them");
        }
        Ok(sorted)
    }

    /// Several primitives are a choice: which of them, by which contender?
    pub fn choosing(mut self) -> Words {
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
    /// The first of the options about measuring that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        self.work.first_given().or_else(|| self.measuring.first_given())
    }

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

/// The contenders of this machine, built if `build` is set: of the families that may have one of
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
    Ok(cupel_toolchain::find(home, wanted, &|what| context.say(what))?)
}

/// A question with its contenders.
pub struct Chosen {
    /// The question.
    pub asked: Asked,
    /// The question without contenders that have a JIT, if the words named none and two others are
    /// left.
    pub ahead_of_time: Option<Asked>,
    /// The contenders that the words name and that are known to be missing, before anything is
    /// built.
    missing: Vec<Contender>,
}

impl Chosen {
    /// Whether too few of the named contenders are left to measure anything. Prints why.
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
    let named = Names { home, work, compilers: &[], build, say: &say }.resolve(words)?;
    let contenders = distinct(&named.words, &named.names)?;
    let mut missing: Vec<Contender> = named.missing().into_iter().cloned().collect();
    if contenders.iter().any(|name| name.contains('*')) {
        missing.clear(); // A pattern asks only for contenders that are there.
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
        Words::sort(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
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
