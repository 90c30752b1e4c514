//! A relation in plain words. [`super::said::parse`] reads these words about two contenders, so a
//! reader can copy a claim from a message, and the text of a suite keeps one that is in no file.

use super::said::quoted;
use super::{Factor, Relation};
use cupel_base::text;

fn within(share: f64) -> String {
    format!(" within {}", percent(share))
}

/// A share to a ten-thousandth of a percent, more than anything is measured to.
fn percent(share: f64) -> String {
    text::share(share).replace('%', " %")
}

impl Factor {
    /// Its tolerance, if that is not the usual one.
    fn within(&self) -> String {
        if self.tolerance == Factor::TOLERANCE { String::new() } else { within(self.tolerance) }
    }
}

impl Relation {
    /// Its sentence about two contenders: `a is at least 1.5 times as fast as b`.
    pub fn sentence(&self, a: &str, b: &str) -> String {
        let (a, b) = (quoted(a), quoted(b));
        match *self {
            Relation::Faster(None) => format!("{a} is faster than {b}"),
            Relation::Slower(None) => format!("{a} is slower than {b}"),
            Relation::Faster(Some(f)) => {
                format!("{a} is {} times as fast as {b}{}", f.ratio, f.within())
            }
            Relation::Slower(Some(f)) => {
                format!("{a} takes {} times as long as {b}{}", f.ratio, f.within())
            }
            Relation::Equal(margin) => format!("{a} equals {b}{}", within(margin)),
            Relation::NotSlower(margin) => {
                format!("{a} is not slower than {b} by more than {}", percent(margin))
            }
            Relation::AtLeast(ratio) => format!("{a} is at least {ratio} times as fast as {b}"),
            Relation::AtMost(ratio) => format!("{a} is at most {ratio} times as fast as {b}"),
            Relation::Between { low, high } => {
                format!("{a} is between {low} and {high} times as fast as {b}")
            }
            Relation::About(f) => {
                format!("{a} is about {} times as fast as {b}{}", f.ratio, within(f.tolerance))
            }
            Relation::Overtakes(size) => {
                format!("{a} overtakes {b} at or below {}", text::bytes(size))
            }
            Relation::NoLeak => format!("no leak of {a} is seen"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Factor;
    use super::super::said::parse;
    use super::*;

    #[test]
    fn each_relation_is_a_sentence_that_can_be_read_back() {
        let factor = |ratio, tolerance| Factor { ratio, tolerance };
        for (relation, sentence) in [
            (Relation::Faster(None), "c/a is faster than c/b"),
            (Relation::Slower(None), "c/a is slower than c/b"),
            (Relation::Faster(Some(factor(2.0, 0.2))), "c/a is 2 times as fast as c/b"),
            (Relation::Faster(Some(factor(2.0, 0.1))), "c/a is 2 times as fast as c/b within 10 %"),
            (Relation::Slower(Some(factor(1.25, 0.2))), "c/a takes 1.25 times as long as c/b"),
            (
                Relation::Slower(Some(factor(1.25, 4.0))),
                "c/a takes 1.25 times as long as c/b within 400 %",
            ),
            (Relation::Equal(0.05), "c/a equals c/b within 5 %"),
            (Relation::Equal(0.01234), "c/a equals c/b within 1.234 %"),
            (Relation::NotSlower(0.02), "c/a is not slower than c/b by more than 2 %"),
            (Relation::AtLeast(1.5), "c/a is at least 1.5 times as fast as c/b"),
            (Relation::AtMost(0.5), "c/a is at most 0.5 times as fast as c/b"),
            (
                Relation::Between { low: 1.5, high: 2.0 },
                "c/a is between 1.5 and 2 times as fast as c/b",
            ),
            (
                Relation::About(factor(1.5, 1.0)),
                "c/a is about 1.5 times as fast as c/b within 100 %",
            ),
            (Relation::Overtakes(1024), "c/a overtakes c/b at or below 1 KiB"),
            (Relation::Overtakes(1001), "c/a overtakes c/b at or below 1001 B"),
            (Relation::NoLeak, "no leak of c/a is seen"),
        ] {
            assert_eq!(relation.sentence("c/a", "c/b"), sentence);
            for (a, b) in [
                ("c/a", "c/b"),
                ("x/n=2", "x/a>b~c with sha1"),
                ("c/1..2", "c/a+-5%"),
                ("own/a b", "own/a  b's"),
            ] {
                let line = relation.sentence(a, b);
                let said = parse(&line, 0.02).unwrap_or_else(|e| panic!("{line}: {e}"));
                let b = if relation.is_of_times() { b } else { a };
                assert_eq!((&said.a[..], said.relation, &said.b[..]), (a, relation, b));
            }
        }
    }
}
