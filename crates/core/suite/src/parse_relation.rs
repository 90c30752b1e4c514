//! The relation of a `[[claim]]` between its two contenders, with the line of every mistake. Each
//! relation has keys of its own; a key of another relation would be ignored, so it is an error.

use super::claim::{Factor, Relation};
use super::parse_claim::{Ratio, RawClaim};
use super::reader::Reader;
use super::{Options, quantity};
use cupel_base::problem::{Problem, Written, did_you_mean};
use serde_spanned::Spanned;

impl Reader<'_> {
    /// The relation of a claim.
    pub(super) fn relation(&self, raw: &RawClaim, options: &Options) -> Result<Relation, Problem> {
        let word = raw.is.get_ref().as_str();
        let keys: &[&str] = match word {
            "faster" | "slower" | "about" => &["ratio", "tolerance"],
            "equal" | "not-slower" => &["margin"],
            "at-least" | "at-most" | "between" => &["ratio"],
            "overtakes" => &["at"],
            "no-leak" => &[],
            _ => return Err(self.unknown_relation(&raw.is)),
        };
        self.no_other_keys(raw, keys)?;
        match (&raw.b, word) {
            (Some(b), "no-leak") => {
                let what = "a claim with is = \"no-leak\" is about one contender";
                return Err(self.at(b.span().start, what).help("leave out `b`"));
            }
            (None, "no-leak") => return Ok(Relation::NoLeak),
            (None, _) => return Err(self.lacking(raw, "b", "b = \"c/libgcrypt\"")),
            (Some(_), _) => {}
        }
        Ok(match word {
            "faster" => Relation::Faster(self.factor(raw)?),
            "slower" => Relation::Slower(self.factor(raw)?),
            "equal" => Relation::Equal(self.margin(raw, options)?),
            "not-slower" => Relation::NotSlower(self.margin(raw, options)?),
            "at-least" => Relation::AtLeast(self.one_ratio(raw)?),
            "at-most" => Relation::AtMost(self.one_ratio(raw)?),
            "between" => self.range(raw)?,
            "about" => {
                let ratio = self.one_ratio(raw)?;
                Relation::About(Factor { ratio, tolerance: self.tolerance(raw)? })
            }
            _ => Relation::Overtakes(self.overtaking_size(raw)?),
        })
    }

    fn unknown_relation(&self, is: &Spanned<String>) -> Problem {
        let word = is.get_ref();
        let problem = self.at(is.span().start, format!("unknown relation \"{word}\""));
        let near = did_you_mean(word, Relation::WORDS, Written::Value);
        let all = Relation::WORDS.join(", ");
        problem.help(near.unwrap_or_else(|| format!("the known ones are {all}")))
    }

    /// Rejects the keys that have no meaning with this relation.
    fn no_other_keys(&self, raw: &RawClaim, keys: &[&str]) -> Result<(), Problem> {
        let is = raw.is.get_ref();
        for (key, span) in [
            ("ratio", raw.ratio.as_ref().map(Spanned::span)),
            ("tolerance", raw.tolerance.as_ref().map(Spanned::span)),
            ("margin", raw.margin.as_ref().map(Spanned::span)),
            ("at", raw.at.as_ref().map(Spanned::span)),
        ] {
            if let Some(span) = span
                && !keys.contains(&key)
            {
                let what = format!("`{key}` has no meaning in a claim with is = \"{is}\"");
                return Err(self.at(span.start, what).help(format!("leave out `{key}`")));
            }
        }
        match &raw.tolerance {
            Some(tolerance) if raw.ratio.is_none() => {
                let what = format!(
                    "`tolerance` has no meaning in a claim with is = \"{is}\" and without a ratio"
                );
                Err(self.at(tolerance.span().start, what).help("add `ratio`, or leave it out"))
            }
            _ => Ok(()),
        }
    }

    fn margin(&self, raw: &RawClaim, options: &Options) -> Result<f64, Problem> {
        match &raw.margin {
            Some(margin) => self.quantity(margin, quantity::percent),
            None => Ok(options.tie_zone),
        }
    }

    fn tolerance(&self, raw: &RawClaim) -> Result<f64, Problem> {
        match &raw.tolerance {
            Some(tolerance) => self.quantity(tolerance, quantity::tolerance),
            None => Ok(Factor::TOLERANCE),
        }
    }

    /// The factor of a claim that has a direction.
    fn factor(&self, raw: &RawClaim) -> Result<Option<Factor>, Problem> {
        let Some(given) = &raw.ratio else { return Ok(None) };
        let text = self.one(raw, given)?;
        let Some(ratio) = quantity::ratio(&text).ok().filter(|ratio| *ratio >= 1.0) else {
            let what = format!("\"{text}\" is not a factor: how many times as fast, or as slow?");
            return Err(self.at(given.span().start, what).help(
                "write a number of 1 or more; if it is below 1, exchange `a` and `b`, or write is = \"about\"",
            ));
        };
        Ok(Some(Factor { ratio, tolerance: self.tolerance(raw)? }))
    }

    /// The ratio of a claim that must have one.
    fn one_ratio(&self, raw: &RawClaim) -> Result<f64, Problem> {
        let given = self.given_ratio(raw, "ratio = 1.5")?;
        let text = self.one(raw, given)?;
        quantity::ratio(&text).map_err(|e| self.at(given.span().start, e))
    }

    fn range(&self, raw: &RawClaim) -> Result<Relation, Problem> {
        let given = self.given_ratio(raw, "ratio = [1.5, 2]")?;
        let at = given.span().start;
        let Ratio::List(ends) = given.get_ref() else {
            let what = "the ratio of is = \"between\" has two ends";
            return Err(self.at(at, what).help("write both, such as ratio = [1.5, 2]"));
        };
        let [low, high] = &ends[..] else {
            let what = format!("a range has two ends, and this has {} numbers", ends.len());
            return Err(self.at(at, what).help("write both ends, such as ratio = [1.5, 2]"));
        };
        let low = quantity::ratio(&low.text()).map_err(|e| self.at(at, e))?;
        let high = quantity::ratio(&high.text()).map_err(|e| self.at(at, e))?;
        if low >= high {
            let what = format!("the range from {low} to {high} is empty");
            return Err(self.at(at, what).help("write the lower end first"));
        }
        Ok(Relation::Between { low, high })
    }

    fn overtaking_size(&self, raw: &RawClaim) -> Result<u64, Problem> {
        match &raw.at {
            Some(at) => self.quantity(at, quantity::size),
            None => Err(self.lacking(raw, "at", "at = \"1 KiB\"")),
        }
    }

    fn given_ratio<'r>(
        &self,
        raw: &'r RawClaim,
        example: &str,
    ) -> Result<&'r Spanned<Ratio>, Problem> {
        raw.ratio.as_ref().ok_or_else(|| self.lacking(raw, "ratio", example))
    }

    /// The problem that a relation lacks a key.
    fn lacking(&self, raw: &RawClaim, key: &str, example: &str) -> Problem {
        let what = format!("a claim with is = \"{}\" needs `{key}`", raw.is.get_ref());
        self.at(raw.is.span().start, what).help(format!("add a line such as {example}"))
    }

    /// The text of a ratio that must be one number.
    fn one(&self, raw: &RawClaim, given: &Spanned<Ratio>) -> Result<String, Problem> {
        match given.get_ref() {
            Ratio::One(number) => Ok(number.text()),
            Ratio::List(_) => {
                let what = format!("a claim with is = \"{}\" has one ratio", raw.is.get_ref());
                let help = "a range of ratios needs is = \"between\"";
                Err(self.at(given.span().start, what).help(help))
            }
        }
    }
}
