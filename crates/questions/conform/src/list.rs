//! The program's list of contenders.

use super::{Finding, Program, Section, Verdict};
use cupel_base::primitives::{self, EMPTY};
use cupel_base::problem::{Written, did_you_mean};
use cupel_protocol::message::{List, Listed, Offer};
use cupel_protocol::workload::Operation;
use cupel_runner::{Fault, expect_ok};
use cupel_verify::reference;
use serde_json::{Value, json};

/// The findings, and the contenders if they could be read.
pub fn examine(program: &Program) -> (Vec<Finding>, Option<Vec<Listed>>) {
    let value = match ask(program) {
        Ok(value) => value,
        Err(fault) => return (vec![Finding::new(&Section::List, "list", Err(fault))], None),
    };
    // Parsed by hand first: the deserialiser's error would not name the contender of an unknown
    // operation.
    let unknown = unknown_operations(&value);
    if !unknown.is_empty() {
        return (unknown.into_iter().map(|v| found("operations", v)).collect(), None);
    }
    let List { contenders } = match serde_json::from_value(value) {
        Ok(list) => list,
        Err(e) => {
            let remedy = "list contenders, each with name, library, version and offers";
            return (vec![found("list", Verdict::wrong(e.to_string(), remedy))], None);
        }
    };
    let mut findings = vec![
        found("names", names(&contenders)),
        found("the contender `empty`", empty(&contenders)),
    ];
    findings
        .extend(contenders.iter().map(|c| found(&format!("offers of {}", c.name), contender(c))));
    (findings, Some(contenders))
}

fn found(check: &str, verdict: Verdict) -> Finding {
    Finding::new(&Section::List, check, Ok(verdict))
}

fn ask(program: &Program) -> Result<Value, Fault> {
    expect_ok(program.start()?.ask_freely("list", json!({"ask": "list"}))?, "list")
}

fn unknown_operations(list: &Value) -> Vec<Verdict> {
    let mut wrong = Vec::new();
    for contender in list["contenders"].as_array().into_iter().flatten() {
        for offer in contender["offers"].as_array().into_iter().flatten() {
            let Some(operation) = offer["operation"].as_str() else { continue };
            let known = Operation::ALL.map(Operation::name);
            if !known.contains(&operation) {
                let what = format!(
                    "{} offers the operation `{operation}` of {}",
                    contender["name"], offer["primitive"]
                );
                wrong.push(Verdict::wrong(what, meant(operation, &known)));
            }
        }
    }
    wrong
}

/// Suggests the known name that was meant.
fn meant(name: &str, known: &[&str]) -> String {
    did_you_mean(name, known.iter().copied(), Written::Key)
        .unwrap_or_else(|| format!("the known ones are {}", known.join(", ")))
}

fn names(contenders: &[Listed]) -> Verdict {
    if contenders.is_empty() {
        return Verdict::wrong(
            "no contender is listed",
            "also list what is missing here, with the reason under `missing`",
        );
    }
    for (index, contender) in contenders.iter().enumerate() {
        let name = &contender.name;
        if name.is_empty() || name.contains(char::is_whitespace) {
            let what = format!("a contender is called {name:?}");
            return Verdict::wrong(what, "use one word, such as `openssl-reused`");
        }
        if contenders[..index].iter().any(|other| other.name == *name) {
            let what = format!("two contenders are called {name}");
            return Verdict::wrong(what, "give each a unique name: requests use it");
        }
    }
    Verdict::Well
}

/// Only a remark: a runner may get its contenders as arguments, and `empty` with others.
fn empty(contenders: &[Listed]) -> Verdict {
    let mut offers = contenders.iter().filter(|c| c.name == EMPTY).flat_map(|c| &c.offers);
    if offers.any(|o| o.primitive == EMPTY && o.operation == Operation::Digest) {
        return Verdict::Well;
    }
    Verdict::Remark(format!(
        "every runner should offer a contender `{EMPTY}`: operation `digest` of the primitive `{EMPTY}`, \
         no work, an output of no bytes. It shows what the runner itself costs, and the \
         transcripts talk about it (SPEC.md, \"list\")"
    ))
}

fn contender(contender: &Listed) -> Verdict {
    if let Some(missing) = &contender.missing {
        return if missing.reason.trim().is_empty() {
            Verdict::wrong("it is missing without a reason", "report what is not installed")
        } else {
            Verdict::Skipped(format!("missing: {}", missing.reason))
        };
    }
    for (field, text) in [("library", &contender.library), ("version", &contender.version)] {
        if text.trim().is_empty() {
            let remedy = "report what is measured: a figure without its version is useless";
            return Verdict::wrong(format!("its {field} is empty"), remedy);
        }
    }
    if contender.offers.is_empty() {
        return Verdict::wrong(
            "it offers nothing",
            "list each primitive and operation under `offers`, or the reason under `missing`",
        );
    }
    for (index, offer) in contender.offers.iter().enumerate() {
        if contender.offers[..index].contains(offer) {
            let what = format!("it offers {} {} twice", offer.primitive, offer.operation);
            return Verdict::wrong(what, "offer it once");
        }
    }
    contender.offers.iter().find_map(unusable).unwrap_or(Verdict::Well)
}

/// The reason why the tool cannot verify an offer. An unknown primitive is not a mistake, but it
/// may be misspelt.
fn unusable(offer: &Offer) -> Option<Verdict> {
    let Offer { primitive: name, operation, fixed_key, .. } = offer;
    let Some(primitive) = primitives::named(name) else {
        let instead = match primitives::meant(name) {
            Some(primitive) => format!("the protocol's name for it is `{}`", primitive.name),
            None => primitives::instead_of(name, "`"),
        };
        return Some(Verdict::Remark(format!(
            "it offers the primitive `{name}`, which the tool cannot verify and so does not \
             measure: {instead}"
        )));
    };
    if !primitive.operations.contains(operation) {
        let known: Vec<&str> = primitive.operations.iter().map(|o| o.name()).collect();
        let what = format!("it offers the operation `{operation}` of {name}, which does not exist");
        return Some(Verdict::wrong(what, format!("{name} has {}", known.join(", "))));
    }
    let key = fixed_key.as_deref()?;
    let usable =
        hex::decode(key).is_ok_and(|k| reference::Ready::new(name, *operation, &k).is_ok());
    (!usable).then(|| {
        let what = format!("the fixed_key of {name} is \"{key}\"");
        Verdict::wrong(what, format!("give the {} bytes of its key in hex", primitive.key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::message::Refusal;

    fn listed() -> Listed {
        Listed {
            name: "reused".to_string(),
            library: "OpenSSL".to_string(),
            version: "3.0.17".to_string(),
            licence: String::new(),
            summary: String::new(),
            offers: vec![Offer::new("sha256", Operation::Digest)],
            missing: None,
        }
    }

    fn words(verdict: Verdict) -> String {
        match verdict {
            Verdict::Wrong { what, remedy } => format!("WRONG {what}: {remedy}"),
            Verdict::Remark(what) => format!("remark {what}"),
            Verdict::Skipped(why) => format!("skipped {why}"),
            Verdict::Well => String::new(),
        }
    }

    #[test]
    fn contenders_are_distinguished_by_name() {
        let named = |names: &[&str]| {
            let named = |name: &&str| Listed { name: name.to_string(), ..listed() };
            words(super::names(&names.iter().map(named).collect::<Vec<_>>()))
        };
        assert_eq!(named(&["a", "b"]), "");
        assert!(named(&[]).starts_with("WRONG no contender is listed"));
        assert!(named(&["a", "b", "a"]).starts_with("WRONG two contenders are called a"));
        assert!(named(&["a b"]).contains("a contender is called \"a b\""));
    }

    #[test]
    fn each_mistake_of_a_contender_is_named() {
        let of = |change: &dyn Fn(&mut Listed)| {
            let mut listed = listed();
            change(&mut listed);
            words(contender(&listed))
        };
        let offer = |primitive: &str, operation, key: Option<&str>| Offer {
            fixed_key: key.map(String::from),
            ..Offer::new(primitive, operation)
        };
        assert_eq!(of(&|_| {}), "");
        let key = "00".repeat(16);
        let siphash = |key| vec![offer("siphash-2-4", Operation::Mac, Some(key))];
        assert_eq!(of(&|c| c.offers = siphash(&key)), "");
        assert!(
            of(&|c| c.offers = siphash("00")).starts_with("WRONG the fixed_key of siphash-2-4")
        );
        assert!(of(&|c| c.version.clear()).starts_with("WRONG its version is empty"));
        assert!(of(&|c| c.library.clear()).starts_with("WRONG its library is empty"));
        assert!(of(&|c| c.offers.clear()).starts_with("WRONG it offers nothing"));
        assert!(of(&|c| c.offers.push(c.offers[0].clone())).contains("digest twice"));
        assert!(of(&|c| c.missing = Some(Refusal::because(" "))).contains("without a reason"));
        let absent = of(&|c| c.missing = Some(Refusal::because("no library")));
        assert_eq!(absent, "skipped missing: no library");
        let misspelt = of(&|c| c.offers[0] = offer("sha265", Operation::Digest, None));
        assert!(misspelt.starts_with("remark") && misspelt.contains("did you mean `sha256`?"));
        let mac = of(&|c| c.offers[0] = offer("sha256", Operation::Mac, None));
        assert!(mac.contains("sha256 has digest, digest-many, digest-file"), "{mac}");
    }

    #[test]
    fn an_unknown_operation_is_named_with_its_contender_and_the_nearest_name() {
        let list = json!({"contenders": [{"name": "a", "offers": [
            {"primitive": "sha256", "operation": "digest"},
            {"primitive": "sha256", "operation": "digest-fiel"}]}]});
        let [wrong] = &unknown_operations(&list)[..] else { panic!("not one") };
        let said = words(wrong.clone());
        assert!(said.contains("\"a\" offers the operation `digest-fiel`"), "{said}");
        assert!(said.contains("did you mean `digest-file`?"), "{said}");
    }
}
