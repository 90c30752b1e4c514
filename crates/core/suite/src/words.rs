//! A relation in plain words. [`super::said::parse`] reads these words about two contenders, so a
//! reader can copy a claim from a message.

use super::Relation;
use cupel_base::text;

fn percent(share: f64) -> String {
    format!("{} %", text::digits(share * 100.0))
}

impl Relation {
    /// Its sentence about two contenders: `a is at least 1.5 times as fast as b`.
    pub fn sentence(&self, a: &str, b: &str) -> String {
        match *self {
            Relation::Faster(None) => format!("{a} is faster than {b}"),
            Relation::Slower(None) => format!("{a} is slower than {b}"),
            Relation::Faster(Some(f)) => format!("{a} is {} times as fast as {b}", f.ratio),
            Relation::Slower(Some(f)) => format!("{a} takes {} times as long as {b}", f.ratio),
            Relation::Equal(margin) => format!("{a} equals {b} within {}", percent(margin)),
            Relation::NotSlower(margin) => {
                format!("{a} is not slower than {b} by more than {}", percent(margin))
            }
            Relation::AtLeast(ratio) => format!("{a} is at least {ratio} times as fast as {b}"),
            Relation::AtMost(ratio) => format!("{a} is at most {ratio} times as fast as {b}"),
            Relation::Between { low, high } => {
                format!("{a} is between {low} and {high} times as fast as {b}")
            }
            Relation::About(f) => {
                let within = percent(f.tolerance);
                format!("{a} is about {} times as fast as {b} within {within}", f.ratio)
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
            (Relation::Slower(Some(factor(1.25, 0.2))), "c/a takes 1.25 times as long as c/b"),
            (Relation::Equal(0.05), "c/a equals c/b within 5.00 %"),
            (Relation::NotSlower(0.02), "c/a is not slower than c/b by more than 2.00 %"),
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
        ] {
            assert_eq!(relation.sentence("c/a", "c/b"), sentence);
            let said = parse(sentence).unwrap_or_else(|e| panic!("{sentence}: {e}"));
            assert_eq!((&said.a[..], said.relation, &said.b[..]), ("c/a", relation, "c/b"));
        }
    }
}
