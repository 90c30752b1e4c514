//! From the words of a question to contenders: a name may be as short as it stays unambiguous.

use cupel_base::name::{ContenderName, Pattern, is_end};
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean, these_do};
use cupel_contender::{Contender, State, contract_to_add, why_unknown};
use cupel_protocol::workload::{Contract, Operation};

/// Why a word does not mean one contender, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// It may mean several, which the sentence names.
    Several(String),
    /// It means none. The sentence has the nearest name.
    Unknown(String),
}

/// The contenders among which names are looked up, and the request for them.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// All contenders of this machine.
    pub all: &'a [Contender],
    /// The primitives; each may be a choice.
    pub primitives: &'a [String],
    /// The operation of the primitives.
    pub operation: Operation,
    /// The contract.
    pub contract: &'a Contract,
    /// The newest JDK: the meaning of a name without a toolchain.
    pub newest: Option<&'a str>,
}

impl Lookup<'_> {
    /// The full name of the contender that a word means, or the word itself if it is a pattern with
    /// a `*`. A word may leave out the family, the end of the implementation's name, and the
    /// toolchain; `jdk@21` is enough if there is one JDK 21.
    ///
    /// # Errors
    /// A sentence with the nearest name, with the names among which the word does not decide, or
    /// with the contract under which it could be measured.
    pub fn resolve(&self, word: &str) -> Result<String, String> {
        let (name, meant) = self.meant(word)?;
        self.must_fit(&name, &meant)?;
        Ok(name)
    }

    /// Resolves a word under any contract, and with any operation.
    ///
    /// # Errors
    /// As above, but for the contract.
    pub fn resolve_any(&self, word: &str) -> Result<String, String> {
        let (name, meant) = self.meant(word)?;
        let offers = |c: &&Contender| c.offers.iter().any(|offer| self.is_about(&offer.primitive));
        if self.primitives.is_empty()
            || meant.iter().any(|c| c.offers.is_empty())
            || meant.iter().any(offers)
        {
            return Ok(name);
        }
        let others: Vec<&Contender> = self.all.iter().filter(offers).collect();
        Err(format!(
            "{name} does not offer {}; {}",
            primitives::in_words(&self.primitives.join(" and ")),
            these_do(&others.iter().map(|c| c.name.as_str()).collect::<Vec<_>>())
        ))
    }

    /// The full name, or the pattern, and the contenders that it means.
    fn meant(&self, word: &str) -> Result<(String, Vec<&Contender>), String> {
        if word.contains('*') {
            let pattern = Pattern::new(word);
            let meant: Vec<&Contender> =
                self.all.iter().filter(|c| c.is_meant_by(&pattern)).collect();
            if meant.is_empty() {
                return Err(format!("no contender matches {word}; `cupel list` shows the names"));
            }
            return Ok((word.to_string(), meant));
        }
        let found = self.named(word).map_err(|unclear| match unclear {
            Unclear::Several(why) | Unclear::Unknown(why) => why,
        })?;
        Ok((found.name.to_string(), vec![found]))
    }

    /// Whether a primitive is one of those that are asked about.
    fn is_about(&self, primitive: &str) -> bool {
        self.primitives.iter().flat_map(|known| primitives::choice(known)).any(|p| p == primitive)
    }

    /// The contender that a word means. A contender that does not offer the primitive cannot be
    /// meant, as long as something else does.
    ///
    /// # Errors
    /// Why the word means none.
    pub fn named(&self, word: &str) -> Result<&Contender, Unclear> {
        if let Some(exact) = self.all.iter().find(|c| c.name == *word) {
            return Ok(exact);
        }
        let asked = ContenderName::from(word);
        let open: Vec<&Contender> = self.all.iter().filter(|c| may_be_short(c, &asked)).collect();
        let wanted = asked.implementation().to_ascii_lowercase();
        let offering: Vec<&Contender> = open.iter().copied().filter(|c| self.offers(c)).collect();
        for some in [&offering, &open] {
            let short = some.iter().map(|c| distance(&wanted, &c.implementation));
            let Some(least) = short.flatten().min() else { continue };
            let mut found = some.clone();
            found.retain(|c| distance(&wanted, &c.implementation) == Some(least));
            let found = self.on_newest(standing(&found));
            if let [one] = found[..] {
                return Ok(one);
            }
            let names: Vec<&str> = found.iter().map(|c| c.name.as_str()).collect();
            let names = names.join(" or ");
            return Err(Unclear::Several(format!("{word} may be {names}: name one")));
        }
        Err(Unclear::Unknown(self.unknown(word, &asked, &open)))
    }

    /// Why a word means no contender. `open` are those whose short name it could be.
    fn unknown(&self, word: &str, asked: &ContenderName, open: &[&Contender]) -> String {
        if let Some(help) = why_unknown(word, self.all).or_else(|| self.elsewhere(asked)) {
            return format!("no contender is called {word}; {help}");
        }
        let wanted = asked.implementation().to_ascii_lowercase();
        if open.iter().any(|c| c.implementation.contains(&wanted)) {
            return format!(
                "no contender is called {word}; a short name has at least {FEWEST_LETTERS} letters, \
                 or is a whole part of a name"
            );
        }
        if self.all.iter().any(|c| c.name.family() == Some(word)) {
            return format!(
                "{word} is a family: name one of its contenders; `cupel list '{word}/*'` shows them"
            );
        }
        // `c/opnssl` is nearer to `c/openssl` than to any whole name.
        let short: Vec<String> = self.all.iter().flat_map(short_names).collect();
        let known = self.all.iter().flat_map(|c| [c.name.as_str(), c.implementation.as_str()]);
        let known = known.chain(Operation::ALL.iter().map(|o| o.name()));
        let known = known.chain(short.iter().map(String::as_str));
        let known = known.chain(self.all.iter().filter_map(|c| c.name.family()));
        let help = did_you_mean(word, known, Written::Word)
            .unwrap_or_else(|| "`cupel list` shows the names".to_string());
        format!("no contender is called {word}; {help}")
    }

    /// Where else the implementation of a name is: on other toolchains, or in another family.
    fn elsewhere(&self, asked: &ContenderName) -> Option<String> {
        let usual = self.all.iter().filter(|c| c.variant.is_none());
        let same: Vec<&str> = usual
            .filter(|c| c.implementation == asked.implementation())
            .map(|c| c.name.as_str())
            .collect();
        (!same.is_empty()).then(|| format!("there is {}", same.join(", ")))
    }

    /// If one implementation is there on several toolchains, that on the newest JDK.
    fn on_newest<'c>(&self, found: Vec<&'c Contender>) -> Vec<&'c Contender> {
        let one = found.iter().all(|c| c.name.code() == found[0].name.code());
        let mut on_toolchains = found.iter().copied().filter(|c| c.name.toolchain().is_some());
        match on_toolchains.find(|c| c.name.toolchain() == self.newest) {
            Some(newest) if one => vec![newest],
            _ => found,
        }
    }

    /// Whether a contender offers one of the primitives under any contract.
    fn offers(&self, contender: &Contender) -> bool {
        let mut offers = contender.offers.iter();
        offers.any(|o| o.operation == self.operation && self.is_about(&o.primitive))
    }

    /// Rejects contenders of which none offers a primitive under the contract, and says which
    /// contract would do. One that offers nothing, because it is missing, is reported later.
    fn must_fit(&self, word: &str, meant: &[&Contender]) -> Result<(), String> {
        if meant.iter().any(|c| c.offers.is_empty()) {
            return Ok(());
        }
        for primitive in self.primitives {
            let operation = self.operation;
            if meant.iter().any(|c| c.offers_one_of(primitive, operation, self.contract)) {
                continue;
            }
            let to_add = contract_to_add(self.contract, |contract| {
                meant.iter().any(|c| c.offers_one_of(primitive, operation, contract))
            });
            let help = to_add.map_or_else(
                || {
                    let others = self.all.iter().filter(|c| {
                        !c.is_on_demand() && c.offers_one_of(primitive, operation, self.contract)
                    });
                    let others = standing(&others.collect::<Vec<_>>());
                    these_do(&others.iter().map(|c| c.name.as_str()).collect::<Vec<_>>())
                },
                str::to_string,
            );
            return Err(format!(
                "{word} does not offer {operation} of {}; {help}",
                primitives::in_words(primitive)
            ));
        }
        Ok(())
    }

    /// The contenders of a question that names none: all that can answer it and that a program
    /// would use. Forced code paths are left out, second styles too if the usual one takes part,
    /// and of the JDKs only the newest takes part.
    pub fn usual(&self) -> Vec<String> {
        let mut usual: Vec<&Contender> = Vec::new();
        for c in self.all {
            // An unbuilt contender is there only for a dry run, which counts it.
            let may_run = c.is_ready() || c.state == State::Unbuilt;
            let is_newest = c.name.toolchain().is_none() || c.name.toolchain() == self.newest;
            if may_run && is_newest && !c.is_on_demand() && c.forced_path_of().is_none() {
                usual.push(c);
            }
        }
        usual.retain(|c| {
            self.primitives.iter().all(|p| c.offers_one_of(p, self.operation, self.contract))
        });
        standing(&usual).iter().map(|c| c.name.to_string()).collect()
    }
}

/// How far a word is from an implementation's name: 0 if it is the name, 1 if it is the first part,
/// 2 if it is short for it.
fn distance(word: &str, implementation: &str) -> Option<usize> {
    let is_first_part = implementation.split('-').next() == Some(word);
    let fits = [implementation == word, is_first_part, is_short_for(word, implementation)];
    fits.iter().position(|fits| *fits)
}

/// Whether a contender has short names, and one with this family and toolchain may be its own.
fn may_be_short(contender: &Contender, asked: &ContenderName) -> bool {
    // A build of a compiler matrix is one of hundreds: it has to be named in full. A version of a
    // language has to be named too, because the usual one is there without.
    if contender.variant.is_some() || (contender.versioned && asked.toolchain().is_none()) {
        return false;
    }
    let fits_toolchain = match (asked.toolchain(), contender.name.toolchain()) {
        (None, _) => true,
        (Some(asked), Some(own)) => own == asked || is_end(asked, own),
        (Some(_), None) => false,
    };
    fits_toolchain && asked.family().is_none_or(|f| contender.name.family() == Some(f))
}

/// The fewest letters of a name that is shortened within one of its parts.
const FEWEST_LETTERS: usize = 3;

/// Whether a word is short for an implementation's name: a whole part of it, or a piece of some
/// letters. With fewer, a slip of the finger would name something.
fn is_short_for(word: &str, implementation: &str) -> bool {
    implementation.split('-').any(|part| part == word)
        || (word.chars().count() >= FEWEST_LETTERS && implementation.contains(word))
}

/// The first part of a contender's name, with and without its family.
fn short_names(contender: &Contender) -> Vec<String> {
    let first = contender.implementation.split_once('-').map(|(first, _)| first);
    first.map_or_else(Vec::new, |first| vec![first.into(), format!("{}/{first}", contender.family)])
}

/// Those for which no other of them stands.
fn standing<'c>(some: &[&'c Contender]) -> Vec<&'c Contender> {
    let mut alone = some.to_vec();
    alone.retain(|c| c.secondary.as_ref().is_none_or(|s| some.iter().all(|c| c.name != s.of)));
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_contender::SecondaryKind;
    use cupel_contender::{Secondary, State};
    use cupel_protocol::message::{Offer, Refusal};
    use cupel_protocol::workload::Key;

    /// The answer of a lookup among these contenders, for AES-256-GCM's seal.
    fn seals<T>(all: &[Contender], ask: impl Fn(&Lookup<'_>) -> T) -> T {
        ask(&Lookup {
            all,
            primitives: &["aes-256-gcm".to_string()],
            operation: Operation::Seal,
            contract: &Contract::usual(Operation::Seal),
            newest: Some("temurin-21"),
        })
    }

    fn contender(name: &str, key: Option<Key>) -> Contender {
        let offer = Offer { key, ..Offer::new("aes-256-gcm", Operation::Seal) };
        Contender { offers: vec![offer], ..Contender::new(name.into(), State::Unbuilt) }
    }

    fn resolved(word: &str) -> Result<String, String> {
        let mut all: Vec<Contender> = [
            "c/openssl-reused",
            "c/openssl-oneshot",
            "c/cupel",
            "jvm/cupel@temurin-21",
            "jvm/jdk@temurin-17",
            "jvm/jdk@debian-17",
            "jvm/jdk@temurin-21",
            "jvm/jdk-reused@temurin-21",
            "rust/aes-gcm",
            "rust/ring",
            "rust/ring-copy",
        ]
        .map(|name| contender(name, None))
        .to_vec();
        all.push(contender("jvm/bouncycastle-jce@temurin-21", Some(Key::PerCall)));
        let of = ContenderName::from("c/mine-reused");
        let secondary =
            Secondary { kind: SecondaryKind::SecondStyle, of, asked_for: false, same_code: false };
        all.push(contender("c/mine-reused", None));
        all.push(Contender { secondary: Some(secondary), ..contender("c/mine-oneshot", None) });
        all.push(contender("go/std", None));
        for name in ["go/std@go-1.24", "go/std@go-1.26"] {
            all.push(Contender { versioned: true, ..contender(name, None) });
        }
        let hash = Offer::new("sha256", Operation::Digest);
        all.push(Contender { offers: vec![hash], ..contender("rust/sha2-0.11", None) });
        seals(&all, |lookup| lookup.resolve(word))
    }

    #[test]
    fn a_name_is_as_short_as_it_is_unambiguous() {
        for (word, name) in [
            ("c/openssl-reused", "c/openssl-reused"),
            ("openssl-reused", "c/openssl-reused"),
            ("reused", "jvm/jdk-reused@temurin-21"),
            ("ring", "rust/ring"),
            ("jdk@21", "jvm/jdk@temurin-21"),
            ("jdk@temurin-17", "jvm/jdk@temurin-17"),
            ("jdk", "jvm/jdk@temurin-21"),
            ("c/cupel", "c/cupel"),
            ("rust/*", "rust/*"),
            ("mine", "c/mine-reused"),
            ("mine-oneshot", "c/mine-oneshot"),
            ("std", "go/std"),
            ("std@1.24", "go/std@go-1.24"),
            ("std@go-1.26", "go/std@go-1.26"),
        ] {
            let found = resolved(word);
            if word == "reused" {
                assert!(found.unwrap_err().contains("may be c/openssl-reused or jvm/jdk-reused"));
            } else {
                assert_eq!(found.as_deref(), Ok(name), "{word}");
            }
        }
    }

    #[test]
    fn without_names_all_take_part_that_may_run_and_stand_for_themselves() {
        let missing = State::Missing(Refusal { reason: "not here".into(), remedy: None });
        let of = ContenderName::from("c/a");
        let path =
            Secondary { kind: SecondaryKind::ForcedPath, of, asked_for: false, same_code: false };
        let all = [
            contender("c/a", None),
            Contender { secondary: Some(path), ..contender("c/a-slow", None) },
            Contender { state: missing, ..contender("c/b", None) },
            contender("c/per-call", Some(Key::PerCall)),
            contender("jvm/jdk@temurin-17", None),
            contender("jvm/jdk@temurin-21", None),
        ];
        assert_eq!(seals(&all, |lookup| lookup.usual()), ["c/a", "jvm/jdk@temurin-21"]);
    }

    #[test]
    fn an_ambiguous_name_lists_what_it_may_be() {
        for (word, some) in [
            ("openssl", "c/openssl-reused or c/openssl-oneshot"),
            ("cupel", "c/cupel or jvm/cupel@temurin-21"),
            ("jdk@17", "jvm/jdk@temurin-17 or jvm/jdk@debian-17"),
        ] {
            let said = resolved(word).unwrap_err();
            assert!(said.contains(some) && said.contains("name one"), "{said}");
        }
    }

    #[test]
    fn a_mistake_gets_the_nearest_name_or_the_contract_that_fits() {
        assert!(resolved("rnig").unwrap_err().contains("did you mean ring?"));
        assert!(resolved("c/opnssl").unwrap_err().contains("did you mean c/openssl?"));
        assert!(resolved("seel").unwrap_err().contains("did you mean seal?"));
        assert!(resolved("rsut").unwrap_err().contains("did you mean rust?"));
        assert!(resolved("rust").unwrap_err().contains("rust is a family: name one of its"));
        let said = resolved("bouncycastle-jce").unwrap_err();
        assert!(said.contains("--contract key=per-call"), "{said}");
        let said = resolved("sha2-0.11").unwrap_err();
        assert!(
            said.contains(
                "does not offer seal of aes-256-gcm; 13 contenders do, among them c/openssl"
            ),
            "{said}"
        );
        let said = resolved("jdk@18").unwrap_err();
        assert!(said.contains("there is jvm/jdk@temurin-17, jvm/jdk@debian-17"), "{said}");
        assert!(resolved("c/ring").unwrap_err().contains("there is rust/ring"));
        for word in ["ri", "c/", "c/e"] {
            let said = resolved(word).unwrap_err();
            assert!(said.contains("a short name has at least 3 letters"), "{word}: {said}");
        }
        assert_eq!(resolved("c/mine-oneshot").as_deref(), Ok("c/mine-oneshot"));
        assert!(resolved("x*").unwrap_err().contains("no contender matches x*"));
    }
}
