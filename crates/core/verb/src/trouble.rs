//! The contenders that are not ready, and what to do about it.

use anyhow::anyhow;
use cupel_base::name::ContenderName;
use cupel_base::text::{folded, plain, tell};
use cupel_contender::{Contender, State};
use cupel_protocol::message::Refusal;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Prints why none of these contenders is ready, and returns the mistake of wanting to measure one.
pub fn nothing_to_measure(contenders: &[&Contender]) -> anyhow::Error {
    tell_trouble(contenders);
    anyhow!("nothing is ready to be measured: install something of what is named above")
}

/// Prints why these contenders are not ready.
pub fn tell_trouble(contenders: &[&Contender]) {
    for line in trouble(contenders, false).lines() {
        let indent = line.len() - line.trim_start().len();
        tell(&folded(&line[..indent], line.trim_start()));
    }
}

/// The contenders that are not ready, by their fault.
pub fn trouble(contenders: &[&Contender], all: bool) -> String {
    let mut trouble: BTreeMap<String, Vec<&Contender>> = BTreeMap::new();
    for contender in contenders {
        let line = match &contender.state {
            State::Ready { .. } => continue,
            State::Missing(refusal) | State::Failed(refusal) => in_words(refusal),
            State::Unbuilt => {
                "not built yet\n    remedy: cupel run, or cupel doctor --build".to_string()
            }
        };
        trouble.entry(line).or_default().push(contender);
    }
    let mut out = String::new();
    for (line, concerned) in trouble {
        let names = if all {
            concerned.iter().map(|c| plain(&c.name)).collect::<Vec<_>>().join(", ")
        } else {
            in_brief(&concerned, contenders)
        };
        let _ = writeln!(out, "\n  {names}:\n    {line}");
    }
    out
}

fn in_words(refusal: &Refusal) -> String {
    let remedy = refusal.remedy.as_deref();
    let remedy = remedy.map(|remedy| format!("\n    remedy: {}", plain(remedy)));
    plain(&refusal.reason) + &remedy.unwrap_or_default()
}

/// How many names a line of the doctor has.
const NAMED: usize = 3;

/// The names of contenders, as few as will do: all of a family on one toolchain have one name, as
/// `jvm/*@temurin-21 (31)`.
pub fn in_brief(concerned: &[&Contender], contenders: &[&Contender]) -> String {
    let mut whole: Vec<(ContenderName, usize)> = Vec::new();
    let mut single: Vec<String> = Vec::new();
    for contender in concerned {
        let Some(pattern) = contender.name.all_alike() else {
            single.push(plain(&contender.name));
            continue;
        };
        if let Some((_, counted)) = whole.iter_mut().find(|(known, _)| *known == pattern) {
            *counted += 1;
            continue;
        }
        let alike = |c: &&&Contender| c.name.all_alike().as_ref() == Some(&pattern);
        let of_all = contenders.iter().filter(alike).count();
        let of_these = concerned.iter().filter(alike).count();
        if of_all > 1 && of_all == of_these {
            whole.push((pattern, 1));
        } else {
            single.push(plain(&contender.name));
        }
    }
    let mut names: Vec<String> =
        whole.iter().map(|(pattern, counted)| format!("{} ({counted})", plain(pattern))).collect();
    if single.len() <= NAMED {
        names.extend(single);
    } else {
        let more = single.len() - (NAMED - 1);
        names.extend(single.into_iter().take(NAMED - 1));
        return format!("{} and {more} more", names.join(", "));
    }
    names.join(", ")
}
