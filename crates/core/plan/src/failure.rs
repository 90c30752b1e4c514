//! Why a cell is not ranked.

/// A reason for which a cell is not ranked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotRanked {
    /// The kind of the reason.
    pub kind: FailureKind,
    /// The reason in words, for the reader.
    pub reason: String,
}

/// The kind of a reason for which a cell is not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// It crashed, gave no answer, or could not be asked.
    Failed,
    /// It answered wrongly.
    Wrong,
    /// This machine lacks something that it needs.
    Missing,
    /// It does not support the workload.
    Unsupported,
    /// Nothing shows that it is the cause: the machine had too little, or another process ended it.
    NotMeasured,
}

impl FailureKind {
    const ALL: [FailureKind; 5] = [
        FailureKind::Failed,
        FailureKind::Wrong,
        FailureKind::Missing,
        FailureKind::Unsupported,
        FailureKind::NotMeasured,
    ];

    /// Its name in stores.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Failed => "failed",
            FailureKind::Wrong => "wrong",
            FailureKind::Missing => "missing",
            FailureKind::Unsupported => "unsupported",
            FailureKind::NotMeasured => "not measured",
        }
    }

    /// The kind with this name in stores.
    pub fn named(name: &str) -> Option<FailureKind> {
        FailureKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_name_and_by_no_other() {
        for kind in FailureKind::ALL {
            assert_eq!(FailureKind::named(kind.name()), Some(kind));
        }
        assert_eq!(FailureKind::named("Failed"), None);
    }
}
